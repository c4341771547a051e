//! The law of stores, over every kind of work: whatever happens to kept units, the result has the same bytes, or the
//! file is refused with the reason.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller_io::store::BatchStore;
use keller_run::{
    Batch, Error, Job, Observer, PathEnds, PathRunOptions, PlanOptions, Run, Work, plan_batch,
};

use crate::places::{Ear, Folder};

const PATHS: &str = "[paths]\nmax_interactions = 1\n";

/// The direct path alone.
const DIRECT: &str = "[paths]\nmax_interactions = 0\n";

/// A kind of work: its plan, the scenario, and its result as bytes.
struct Kind {
    name: &'static str,
    command: &'static str,
    text: String,
    result: fn(&Arc<Job>, &Kept<'_>) -> Result<Vec<u8>, Error>,
}

/// The places where a run keeps its units, or takes them from.
#[derive(Default)]
struct Kept<'a> {
    part: Option<&'a Path>,
    resume: bool,
    batch: Option<&'a Path>,
}

impl Kept<'_> {
    fn of<W: Work>(&self, mut run: Run<W>) -> Result<Run<W>, Error> {
        if let Some(store) = self.batch {
            run = run.take_from(store)?;
        }
        if let Some(part) = self.part {
            run.keep_in(part, self.resume)?;
        }
        Ok(run)
    }
}

fn paths(job: &Arc<Job>, points: PathEnds, kept: &Kept<'_>) -> Result<Vec<u8>, Error> {
    let options = PathRunOptions {
        points,
        ..PathRunOptions::default()
    };
    // The ends of blocks may differ.
    let mut all = Vec::new();
    for block in kept.of(job.paths(&options)?)? {
        let block = block?;
        for (rx, paths) in block.links() {
            all.push(format!(
                "{} {rx} {:?} {paths:?}",
                block.tx,
                block.is_reached[rx - block.rx.start]
            ));
        }
    }
    Ok(all.join("\n").into_bytes())
}

fn cells(job: &Arc<Job>, kept: &Kept<'_>) -> Result<Vec<u8>, Error> {
    let mut all = Vec::new();
    for region in 0..job.regions()?.len() {
        let part = kept
            .part
            .map(|part| part.with_extension(region.to_string()));
        let kept = Kept {
            part: part.as_deref(),
            ..*kept
        };
        let mut run = kept.of(job.coverage(region)?)?;
        run.complete()?;
        let map = run.filled_map();
        let mut row = Vec::new();
        for index in 0..run.num_rows() {
            map.gains
                .row(index, 0..run.region.num_cells(), &mut row)
                .unwrap();
            all.extend(row.iter().flat_map(|value| value.to_bits().to_le_bytes()));
        }
    }
    Ok(all)
}

fn surfaces(job: &Arc<Job>, kept: &Kept<'_>) -> Result<Vec<u8>, Error> {
    let all = kept.of(job.surfaces(true)?)?;
    let each = all.map(|finished| finished.map(|finished| finished.to_bytes()));
    Ok(each.collect::<Result<Vec<_>, _>>()?.concat())
}

fn kinds() -> Vec<Kind> {
    let region = |engine: &str, more: &str| {
        format!(
            "{DIRECT}{more}[coverage]\n{engine}\nmin = [-30, -25]\nmax = [30, 25]\nheights = [1.5]\nresolution = 0.4\n"
        )
    };
    let of_cells = |name, engine: &str, more: &str| Kind {
        name,
        command: "coverage",
        text: region(engine, more),
        result: cells,
    };
    vec![
        Kind {
            name: "paths",
            command: "paths",
            text:
                "[paths]\nmax_interactions = 2\nmax_diffractions = 1\nrelative_threshold_db = 40\n"
                    .to_owned(),
            result: |job, kept| paths(job, PathEnds::Devices, kept),
        },
        Kind {
            name: "channel",
            command: "channel",
            text: format!("{PATHS}[channel]\nbandwidth_hz = 20e6\nnum_frequencies = 16\n"),
            result: |job, kept| paths(job, PathEnds::Elements, kept),
        },
        of_cells("points", "engine = \"points\"\nmultipath = true", ""),
        of_cells("tubes", "engine = \"tubes\"", ""),
        of_cells("rooftops", "engine = \"tubes\"\nrooftops = true", ""),
        of_cells("beams", "engine = \"beams\"", ""),
        of_cells("model", "engine = \"model\"\nmodel = \"free-space\"", ""),
        of_cells(
            "diffuse",
            "engine = \"tubes\"",
            "[diffuse]\nside = 12\ntile_rays = 16\nrx_rays = 16\n[background]\nlevel_db = -120\n",
        ),
        Kind {
            name: "surfaces",
            command: "coverage",
            text: format!("{PATHS}[tiles]\nside = 8\n[coverage]\nengine = \"surfaces\"\n"),
            result: surfaces,
        },
    ]
}

fn open(folder: &Folder, observer: Arc<dyn Observer>) -> Result<Arc<Job>, Error> {
    Job::open(&folder.file("s.toml"), observer)
}

/// Every part file of a run that was stopped.
fn parts(folder: &Folder) -> Vec<PathBuf> {
    let names = ["part.0", "part"].map(|name| folder.file(name));
    names.into_iter().filter(|name| name.exists()).collect()
}

/// The offsets at which the records of a container begin.
fn records(bytes: &[u8]) -> Vec<usize> {
    let (mut starts, mut at) = (Vec::new(), 64);
    while let Some(mark) = bytes.get(at..at + 24) {
        starts.push(at);
        let length = u64::from_le_bytes(mark[..8].try_into().unwrap());
        at += 24 + usize::try_from(length).unwrap();
    }
    starts.push(at.min(bytes.len()));
    starts
}

/// Bytes of a container that somebody or something has changed.
fn faults(whole: &[u8]) -> Vec<Vec<u8>> {
    let mut faults = Vec::new();
    // Killed anywhere.
    for k in 0..5 {
        faults.push(whole[..whole.len() * k / 5].to_vec());
    }
    // Flipped anywhere, in the header as well.
    let near = [3, 20, 30, 45, 60, 64, 75, 85, 90];
    let places = near.into_iter().chain((1..4).map(|k| whole.len() * k / 4));
    for place in places.filter(|place| *place < whole.len()) {
        let mut changed = whole.to_vec();
        changed[place] ^= 0x21;
        faults.push(changed);
    }
    // Reordered, doubled, without the first, with something behind.
    let starts = records(whole);
    let each: Vec<&[u8]> = starts.windows(2).map(|w| &whole[w[0]..w[1]]).collect();
    let of = |records: Vec<&[u8]>| [&whole[..64.min(whole.len())], &records.concat()].concat();
    faults.push(of(each.iter().rev().copied().collect()));
    faults.push(of([&each[..], &each[..]].concat()));
    faults.push(of(each.iter().skip(1).copied().collect()));
    faults.push([whole, &[0xff; 100]].concat());
    // Holes, as after a loss of power.
    let mut holes = whole.to_vec();
    let half = holes.len() / 2;
    holes[half..].fill(0);
    faults.push(holes);
    faults
}

#[test]
fn what_is_kept_in_a_file_is_the_same_or_refused() {
    let (mut num_same, mut num_refused) = (0, 0);
    for kind in kinds() {
        let folder = Folder::new(90, &kind.text);
        let job = open(&folder, Arc::new(())).unwrap();
        let whole = (kind.result)(&job, &Kept::default()).unwrap();
        let ear = Arc::new(Ear::default());
        let heard = open(&folder, ear.clone()).unwrap();
        (kind.result)(&heard, &Kept::default()).unwrap();
        let all = ear.reports.load(std::sync::atomic::Ordering::SeqCst);
        let part = folder.file("part");
        let kept = Kept {
            part: Some(&part),
            ..Kept::default()
        };
        let resumed = Kept {
            resume: true,
            ..kept
        };
        for share in [9] {
            // Stopped amid its work; nothing may be kept yet.
            let ear = Ear::that_stops_after(all * share / 10);
            let stopped = open(&folder, Arc::new(ear)).and_then(|job| (kind.result)(&job, &kept));
            assert!(
                matches!(stopped, Err(Error::Stopped) | Ok(_)),
                "{}",
                kind.name
            );
            for name in parts(&folder) {
                let bytes = fs::read(&name).unwrap();
                for (number, fault) in faults(&bytes).into_iter().enumerate() {
                    fs::write(&name, fault).unwrap();
                    match (kind.result)(&job, &resumed) {
                        Ok(found) => {
                            assert!(found == whole, "{} {share} {number}", kind.name);
                            num_same += 1;
                        }
                        Err(Error::Store(error)) => {
                            let told = error.to_string();
                            assert!(told.contains("remove"), "{}: {told}", kind.name);
                            num_refused += 1;
                        }
                        Err(error) => panic!("{} {number}: {error}", kind.name),
                    }
                }
                fs::remove_file(&name).unwrap();
            }
        }
        // The file of another scenario is refused.
        (kind.result)(&job, &kept).unwrap();
        fs::write(
            folder.file("s.toml"),
            fs::read_to_string(folder.file("s.toml"))
                .unwrap()
                .replace("3.5e9", "3.6e9"),
        )
        .unwrap();
        let other = open(&folder, Arc::new(())).unwrap();
        let error = (kind.result)(&other, &resumed).unwrap_err().to_string();
        assert!(
            error.contains("another command, scenario"),
            "{}: {error}",
            kind.name
        );
    }
    assert!(
        num_same > 100 && num_refused > 30,
        "{num_same} same, {num_refused} refused"
    );
}

#[test]
fn what_a_batch_keeps_is_the_same_whoever_computes_it() {
    for kind in kinds() {
        let folder = Folder::new(90, &kind.text);
        let file = folder.file("s.toml");
        let job = open(&folder, Arc::new(())).unwrap();
        let whole = (kind.result)(&job, &Kept::default()).unwrap();
        let place = folder.file("store");
        let options = PlanOptions {
            result: Some(kind.command.to_owned()),
            unit_size: Some(20),
            has_rays: kind.name == "surfaces",
        };
        let batch = plan_batch(&file, &place, &options, Arc::new(())).unwrap();
        let count = batch.plan().units.len();
        // Three at once, each all units, in orders of their own.
        std::thread::scope(|scope| {
            for worker in 0..3 {
                let place = &place;
                scope.spawn(move || {
                    let mut batch = Batch::open(place, None, Arc::new(())).unwrap();
                    let mut order: Vec<usize> = (0..count).collect();
                    order.rotate_left(worker * count / 3);
                    batch.run_missing(&order, &mut |_| {}).unwrap();
                });
            }
        });
        let batched = Kept {
            batch: Some(&place),
            ..Kept::default()
        };
        let result = |what: &str| {
            let found = (kind.result)(&job, &batched).unwrap();
            assert!(found == whole, "{}: {what}", kind.name);
        };
        result("three workers");
        let store = BatchStore::open(&place).unwrap();
        let units = fs::read_dir(&place)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let units = units.into_iter().find(|path| path.is_dir()).unwrap();
        let name = |number: usize| units.join(format!("{number:06}.unit"));
        let first = fs::read(name(0)).unwrap();
        for (number, fault) in faults(&first).into_iter().enumerate().step_by(4) {
            fs::write(name(0), fault).unwrap();
            result(&format!("fault {number}"));
            assert!(store.get(0).unwrap().is_some(), "it was mended");
        }
        // A file may hold another unit under its name, or none. (Beams fill all Tx at once.)
        if count > 1 {
            fs::copy(name(1), name(0)).unwrap();
            result("another unit");
        }
        fs::remove_file(name(0)).unwrap();
        result("a missing unit");
        assert!(
            fs::read(name(0)).unwrap() == first,
            "{}: the same bytes again",
            kind.name
        );
    }
}

/// Has memory for the smallest blocks.
struct Forgetful;

impl Observer for Forgetful {
    fn memory_left(&self) -> u64 {
        1000
    }
}

/// A file of a run over a batch that has only some parts of a unit ends with all of them.
#[test]
fn a_file_with_a_part_of_a_batched_unit_is_gone_on_with() {
    let kinds = kinds();
    let kind = kinds.iter().find(|kind| kind.name == "tubes").unwrap();
    let folder = Folder::new(1, &kind.text);
    let job = open(&folder, Arc::new(Forgetful)).unwrap();
    let whole = (kind.result)(&job, &Kept::default()).unwrap();
    let place = folder.file("store");
    let batch = plan_batch(
        &folder.file("s.toml"),
        &place,
        &PlanOptions::default(),
        Arc::new(Forgetful),
    );
    let mut batch = batch.unwrap();
    let units: Vec<usize> = (0..batch.plan().units.len()).collect();
    batch.run_missing(&units, &mut |_| {}).unwrap();
    let parts = batch.store().get(0).unwrap().unwrap().len();
    assert!(parts > 1, "a unit of {parts} part");
    let part = folder.file("part");
    let kept = Kept {
        part: Some(&part),
        resume: true,
        batch: Some(&place),
    };
    assert!((kind.result)(&job, &kept).unwrap() == whole);
    let bytes = fs::read(folder.file("part.0")).unwrap();
    for record in records(&bytes) {
        fs::write(folder.file("part.0"), &bytes[..record]).unwrap();
        assert!(
            (kind.result)(&job, &kept).unwrap() == whole,
            "{record} bytes"
        );
    }
}
