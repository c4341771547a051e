//! Coverages by beams of many Tx, which are filled several at a time.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use keller_run::{CoverageRun, Error, Event, Job, Observer};

use crate::places::{Ear, Folder};

const NUM_TX: usize = 40;

/// Cells of a coverage: more than one chunk of a file of blocks.
const NUM_CELLS: usize = 2 * 120 * 120;

/// `all.toml` has all Tx, `tx7.toml` the one with that number.
fn folder() -> Folder {
    let folder = Folder::new(1, "");
    let write = |name: &str, all: &[usize]| {
        let mut text =
            "frequency_hz = 3.5e9\n[scene]\nfile = \"town.obj\"\nup = \"z\"\n".to_owned();
        for k in all {
            let (x, y, z) = (-50.0 + 2.3 * *k as f64, 40.0 - 1.7 * *k as f64, 2 + k % 23);
            writeln!(text, "[[tx]]\nposition = [{x}, {y}, {z}]").unwrap();
            if k % 3 == 0 {
                writeln!(text, "antenna = \"tr38901\"\nazimuth_deg = {}", 9 * k).unwrap();
            }
        }
        text += "[coverage]\nengine = \"beams\"\nresolution = 1\nheights = [1.5, 12]\nheight_above = \"ground\"\n";
        fs::write(folder.file(name), text).unwrap();
    };
    write("all.toml", &(0..NUM_TX).collect::<Vec<_>>());
    for k in SINGLE {
        write(&format!("tx{k}.toml"), &[k]);
    }
    folder
}

/// These are filled alone too.
const SINGLE: [usize; 4] = [0, 17, 31, 39];

fn with_threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count);
    pool.build().unwrap().install(work)
}

/// The number of Tx in each block, up to the end.
fn fill(coverage: &mut CoverageRun) -> Result<Vec<usize>, Error> {
    let mut num_tx = Vec::new();
    for block in coverage {
        num_tx.push(block?.tx.len());
    }
    Ok(num_tx)
}

/// The gains of each Tx.
fn bits(coverage: &CoverageRun) -> Vec<Vec<u64>> {
    let of = |tx: usize| {
        let mut found = Vec::new();
        let take = |_, gains: &[f64]| {
            found.extend(gains.iter().map(|gain| gain.to_bits()));
            Ok::<(), std::io::Error>(())
        };
        coverage
            .filled_map()
            .each_gains(tx, 0..NUM_CELLS, take)
            .unwrap();
        assert_eq!(found.len(), NUM_CELLS, "Tx {tx}");
        found
    };
    (0..coverage.num_tx()).map(of).collect()
}

/// Fills a whole scenario: the number of Tx in each block, and the gains of each Tx.
fn filled(
    folder: &Folder,
    scenario: &str,
    observer: Arc<dyn Observer>,
) -> (Vec<usize>, Vec<Vec<u64>>) {
    let job = Job::open(&folder.file(scenario), observer).unwrap();
    let mut coverage = job.coverage(0).unwrap();
    let blocks = fill(&mut coverage).unwrap();
    (blocks, bits(&coverage))
}

/// Has so many bytes of memory, and after so many reports of progress, if any, they run short.
struct Memory {
    bytes: u64,
    reports_left: AtomicU64,
    is_short: AtomicBool,
}

impl Memory {
    fn of(bytes: u64, reports: u64) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            reports_left: reports.into(),
            is_short: AtomicBool::new(false),
        })
    }
}

impl Observer for Memory {
    fn tell(&self, event: Event) {
        if let Event::Progress(keller_run::RunStage::Coverage, _) = event {
            let left = self.reports_left.fetch_sub(1, Ordering::SeqCst);
            if left == 1 {
                self.is_short.store(true, Ordering::SeqCst);
            }
        }
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(&self.is_short)
    }

    fn memory_left(&self) -> u64 {
        self.bytes
    }

    fn ran_short(&self) -> bool {
        self.is_short.swap(false, Ordering::SeqCst)
    }
}

const NEVER: u64 = 1 << 40;

#[test]
fn neither_threads_nor_other_tx_nor_memory_change_a_map() {
    let folder = folder();
    let (blocks, whole) = with_threads(1, || filled(&folder, "all.toml", Arc::new(())));
    assert_eq!(blocks, [32, 8]);
    let (blocks, threads) = with_threads(3, || filled(&folder, "all.toml", Arc::new(())));
    assert!(blocks == [32, 8] && threads == whole, "three threads");
    for k in SINGLE {
        let (blocks, alone) = filled(&folder, &format!("tx{k}.toml"), Arc::new(()));
        assert!(blocks == [1] && alone[0] == whole[k], "Tx {k}");
    }
    // The memory is enough for some maps, for one, and for part of one.
    for (bytes, expected) in [(14 << 20, 10), (1 << 20, 1), (1000, 1)] {
        let (blocks, same) = filled(&folder, "all.toml", Memory::of(bytes, NEVER));
        assert!(same == whole, "{bytes} bytes");
        assert!(
            blocks.len() >= NUM_TX / expected
                && blocks.iter().all(|num_tx| (1..=expected).contains(num_tx)),
            "{bytes} bytes: {blocks:?}"
        );
    }
    // They run short in the first group.
    let memory = Memory::of(1 << 30, 12);
    let (blocks, same) = with_threads(1, || filled(&folder, "all.toml", memory));
    assert!(same == whole, "short of memory");
    assert_eq!(blocks, [16, 16, 8]);
}

#[test]
fn a_stopped_run_resumes_with_other_memory() {
    let folder = folder();
    let (_, whole) = filled(&folder, "all.toml", Arc::new(()));
    let part = folder.file("all.part");
    let open = |observer: Arc<dyn Observer>| Job::open(&folder.file("all.toml"), observer);
    let ear = Arc::new(Ear::default());
    let mut all = open(ear.clone()).unwrap().coverage(0).unwrap();
    fill(&mut all).unwrap();
    let num_reports = ear.reports.load(Ordering::SeqCst);

    // The run stops in the second group: the first is kept.
    let ear = Arc::new(Ear::that_stops_after(num_reports - 6));
    let stopped = with_threads(1, || {
        let mut coverage = open(ear)?.coverage(0)?;
        coverage.keep_in(&part, false)?;
        fill(&mut coverage)
    });
    assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
    let mut coverage = open(Arc::new(())).unwrap().coverage(0).unwrap();
    coverage.keep_in(&part, true).unwrap();
    let kept = coverage.kept().unwrap();
    assert!(kept.starts_with("80.0 % of the coverage"), "{kept}");
    assert_eq!(fill(&mut coverage).unwrap(), [32, 8]);
    assert!(bits(&coverage) == whole, "resumed after a group");
    coverage.finish().unwrap();

    // One run has memory for three maps, the next for all: no map is filled again.
    let job = open(Memory::of(5 << 20, NEVER)).unwrap();
    let mut coverage = job.coverage(0).unwrap();
    coverage.keep_in(&part, false).unwrap();
    let mut finished = 0;
    for _ in 0..3 {
        finished += coverage.next().unwrap().unwrap().tx.len();
    }
    assert!((3..=12).contains(&finished), "{finished} Tx");
    drop(coverage);
    let mut coverage = open(Arc::new(())).unwrap().coverage(0).unwrap();
    coverage.keep_in(&part, true).unwrap();
    let blocks = fill(&mut coverage).unwrap();
    assert_eq!(blocks[blocks.len() - 2..], [32 - finished, 8]);
    assert_eq!(blocks.iter().sum::<usize>(), 40);
    assert!(bits(&coverage) == whole, "resumed with more memory");
    coverage.finish().unwrap();
}
