//! Blocks of paths, of cells and of links.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use keller::Control;
use keller::paths::{Devices, Path, PathOptions, find_paths};
use keller_run::{Error, Job, Link, PathEnds, PathRunOptions};

use crate::places::{Ear, Folder};

const PATHS: &str = "[paths]\nmax_interactions = 2\nmax_diffractions = 1\n";

/// Many blocks, one after the other, are the paths of one search for all receivers.
#[test]
fn blocks_of_paths_are_the_whole_list() {
    let folder = Folder::new(700, PATHS);
    let job = Job::open(&folder.file("s.toml"), Arc::new(())).unwrap();
    let blocks: Vec<_> = job
        .paths(&PathRunOptions::default())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(blocks.len() > 2, "{} blocks", blocks.len());
    let found: Vec<Path> = blocks.into_iter().flat_map(|block| block.paths).collect();

    let scene = job.world.scene();
    let tx = Devices::tx(scene, &job.positions.tx[..]).unwrap();
    let rx = Devices::rx(scene, &job.positions.rx[..]).unwrap();
    let options = PathOptions {
        limits: job.scenario.paths.limits,
        search: Some(job.search()),
    };
    let expected = find_paths(&job.world, &tx, &rx, &options, &Control::default()).unwrap();
    assert!(found.len() > 2000, "{} paths", found.len());
    assert_eq!(found, expected);
}

/// A run that is stopped anywhere goes on from its file with the same paths, and says how much is kept.
#[test]
fn a_run_that_stops_goes_on() {
    let folder = Folder::new(700, PATHS);
    let file = folder.file("s.toml");
    let whole: Vec<_> = Job::open(&file, Arc::new(()))
        .unwrap()
        .paths(&PathRunOptions::default())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let all_reports = {
        let ear = Arc::new(Ear::default());
        let job = Job::open(&file, ear.clone()).unwrap();
        job.paths(&PathRunOptions::default())
            .unwrap()
            .for_each(drop);
        ear.reports.load(std::sync::atomic::Ordering::SeqCst)
    };
    let mut num_resumed = 0;
    for share in [0.4, 0.6, 0.8, 0.95] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count"
        )]
        let ear = Ear::that_stops_after((share * all_reports as f64) as usize);
        let part = folder.file("paths.part");
        let paths = |job: &Arc<Job>, resume: bool| {
            let mut run = job.paths(&PathRunOptions::default())?;
            run.keep_in(&part, resume)?;
            Ok(run)
        };
        let job = match Job::open(&file, Arc::new(ear)) {
            Ok(job) => job,
            Err(Error::Stopped) => continue,
            Err(error) => panic!("{error}"),
        };
        let mut before = Vec::new();
        match paths(&job, false) {
            Ok(mut blocks) => {
                let end = loop {
                    match blocks.next() {
                        Some(Ok(block)) => before.push(block),
                        end => break end,
                    }
                };
                assert!(matches!(end, None | Some(Err(Error::Stopped))), "{end:?}");
                let told = blocks.kept().unwrap_or_default();
                assert_eq!(before.is_empty(), told.is_empty(), "{told}");
            }
            Err(Error::Stopped) => {}
            Err(error) => panic!("{error}"),
        }
        let job = Job::open(&file, Arc::new(())).unwrap();
        let mut blocks = paths(&job, true).unwrap();
        let found: Vec<_> = blocks.by_ref().map(Result::unwrap).collect();
        assert!(
            found.starts_with(&before),
            "what was finished is not found again"
        );
        let paths = |blocks: &[keller_run::PathBlock]| -> Vec<Path> {
            blocks
                .iter()
                .flat_map(|block| block.paths.clone())
                .collect()
        };
        assert_eq!(paths(&found), paths(&whole));
        blocks.finish().unwrap();
        assert!(!folder.file("paths.part").exists(), "{share}");
        num_resumed += usize::from(!before.is_empty());
    }
    assert!(
        num_resumed > 1,
        "runs were stopped too early to be gone on with"
    );
}

/// The links of blocks are all links, each once, those without a path among them.
#[test]
fn every_link_is_in_one_block() {
    let folder = Folder::new(300, "[paths]\nmax_interactions = 1\n");
    let job = Job::open(&folder.file("s.toml"), Arc::new(())).unwrap();
    let channeler = job.channeler().unwrap();
    let options = PathRunOptions {
        points: PathEnds::Elements,
        ..PathRunOptions::default()
    };
    let mut links = Vec::new();
    for block in job.paths(&options).unwrap() {
        let block = block.unwrap();
        for link in Link::of_block(&block) {
            let row = channeler.row(&link);
            assert_eq!((row.tx as usize, row.rx as usize), (link.tx, link.rx));
            assert_eq!(row.num_paths as usize, link.paths.len());
            links.push((link.tx, link.rx));
        }
    }
    let all = (0..2).flat_map(|tx| (0..300).map(move |rx| (tx, rx)));
    assert!(links.into_iter().eq(all), "in order");
}

/// The paths to some receivers are those of the whole run.
#[test]
fn parts_of_the_receivers_make_the_whole() {
    let folder = Folder::new(300, "[paths]\nmax_interactions = 2\n");
    let job = Job::open(&folder.file("s.toml"), Arc::new(())).unwrap();
    let paths = |rx: Option<std::ops::Range<usize>>| -> Vec<Path> {
        let options = PathRunOptions {
            rx,
            ..PathRunOptions::default()
        };
        let blocks = job.paths(&options).unwrap();
        blocks.flat_map(|block| block.unwrap().paths).collect()
    };
    let whole = paths(None);
    assert!(whole.len() > 1000);
    for cuts in [vec![0, 300], vec![0, 1, 299, 300], vec![0, 7, 7, 150, 300]] {
        let mut parts: Vec<Path> = cuts
            .windows(2)
            .flat_map(|cut| paths(Some(cut[0]..cut[1])))
            .collect();
        // Tx after Tx, as in the whole run.
        parts.sort_by_key(|path| path.tx);
        assert_eq!(parts, whole, "{cuts:?}");
    }
    for (start, end) in [(0, 301), (301, 301), (9, 3)] {
        let options = PathRunOptions {
            rx: Some(start..end),
            ..PathRunOptions::default()
        };
        let error = job.paths(&options).unwrap_err().to_string();
        assert!(error.contains("a part of 0 to 300"), "{error}");
    }
}

/// A row of a file whose receiver stands in a wall or over no ground is reported by its line, before anything is
/// searched for: as an error with `strict`, else as a warning. The others keep their numbers, and the paths that they
/// have alone.
#[test]
fn receivers_without_a_place_are_left_out_and_told_by_their_lines() {
    let folder = Folder::new(3, PATHS);
    let text = std::fs::read_to_string(folder.file("s.toml")).unwrap();
    let strict = text.replace("\"rx.csv\"", "\"rx.csv\"\nstrict = true");
    assert_ne!(strict, text);
    let run = |rows: &str, options: &PathRunOptions| {
        std::fs::write(folder.file("rx.csv"), rows).unwrap();
        let ear = Arc::new(Ear::default());
        let job = Job::open(&folder.file("s.toml"), ear.clone()).unwrap();
        let blocks = job.paths(options);
        let paths = blocks.map(|blocks| -> Vec<(usize, usize, Path)> {
            blocks
                .flat_map(|block| {
                    let block = block.unwrap();
                    let tx = block.tx;
                    let links = block.links();
                    links
                        .flat_map(|(rx, paths)| {
                            paths.iter().map(move |path| (tx, rx, path.clone()))
                        })
                        .collect::<Vec<_>>()
                })
                .collect()
        });
        (paths, ear.warnings.lock().unwrap().clone())
    };
    let all = PathRunOptions::default();
    let (found, warnings) = run("x,y,z\n1,2,0\n1,2,3\n-7,3,0\n5,4,3\n", &all);
    let found = found.unwrap();
    let warning = warnings
        .iter()
        .find(|text| text.contains("left out"))
        .unwrap();
    assert!(warning.contains("rx.csv:2: 2 of 4 receivers"), "{warning}");
    assert!(warning.contains("2 on or in a wall"), "{warning}");
    assert!(warning.contains("rx.csv:4"), "{warning}");
    let (alone, none) = run("x,y,z\n1,2,3\n5,4,3\n", &all);
    assert!(
        none.iter().all(|text| !text.contains("left out")),
        "{none:?}"
    );
    let kept =
        |(tx, rx, path): &(usize, usize, Path)| (*tx, *rx, path.length.to_bits(), path.types());
    let wanted: Vec<_> = alone.unwrap().iter().map(kept).collect();
    assert!(wanted.len() > 4, "{} paths", wanted.len());
    let found: Vec<_> = found
        .iter()
        .map(kept)
        .map(|(tx, rx, length, types)| (tx, rx / 2, length, types))
        .collect();
    assert_eq!(found, wanted);

    // A part of the receivers that has none of them.
    let first = PathRunOptions {
        rx: Some(0..1),
        ..PathRunOptions::default()
    };
    let (found, _) = run("x,y,z\n1,2,0\n1,2,3\n-7,3,0\n5,4,3\n", &first);
    assert!(found.unwrap().is_empty());
    let (none, _) = run("x,y,z\n1,2,0\n-7,3,0\n", &all);
    let error = none.unwrap_err().to_string();
    assert!(
        error.contains("rx.csv:2: none of the 2 receivers has a place"),
        "{error}"
    );
    std::fs::write(folder.file("s.toml"), strict).unwrap();
    let (refused, _) = run("x,y,z\n1,2,3\n1,2,0\n", &all);
    let error = refused.unwrap_err().to_string();
    assert!(
        error.contains("rx.csv:3: rx 1 at (1, 2, 0): it is inside the wall"),
        "{error}"
    );
}

/// Blocks of cells are the whole coverage, and a scenario without one says so.
#[test]
fn blocks_of_cells_are_the_whole_coverage() {
    let cells = "[paths]\nmax_interactions = 1\n[coverage]\nengine = \"points\"\nmin = [-30, -30]\nmax = [30, 30]\n\
                 heights = [1.5]\nresolution = 1.5\n";
    let folder = Folder::new(1, cells);
    let job = Job::open(&folder.file("s.toml"), Arc::new(())).unwrap();
    let mut coverage = job.coverage(0).unwrap();
    let mut num_cells = 0;
    for block in &mut coverage {
        let block = block.unwrap();
        num_cells += block.cells.len() * block.tx.len();
    }
    assert_eq!(num_cells, 2 * 40 * 40);
    let tx = job.transmitters().unwrap();
    let options = PathOptions {
        limits: job.scenario.paths.limits,
        search: Some(job.search()),
    };
    let region = coverage.region.clone();
    let expected =
        keller::coverage::points::coverage(&job.world, &tx, region, &options, &Control::default());
    let expected = expected.unwrap();
    for of_tx in 0..2 {
        let mut found = Vec::new();
        let take = |_, gains: &[f64]| {
            found.extend_from_slice(gains);
            Ok::<(), std::io::Error>(())
        };
        coverage
            .filled_map()
            .each_gains(of_tx, 0..1600, take)
            .unwrap();
        let same = found
            .iter()
            .zip(expected.of_tx(of_tx))
            .all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same && found.len() == 1600, "Tx {of_tx}");
    }

    let without = Folder::new(1, "");
    let job = Job::open(&without.file("s.toml"), Arc::new(())).unwrap();
    let error = job.coverage(0).unwrap_err().to_string();
    assert!(error.contains("[coverage] is missing"), "{error}");
}

/// Has little memory, so that nothing is held that can be computed again.
struct Forgetful;

impl keller_run::Observer for Forgetful {
    fn memory_left(&self) -> u64 {
        1000
    }
}

/// The diffuse field in cells depends neither on blocks nor on held results, and a stopped run resumes with it.
#[test]
fn cells_have_the_same_diffuse_field_in_any_blocks() {
    let cells = "[diffuse]\nside = 6\ntile_rays = 64\nrx_rays = 64\n[paths]\nmax_interactions = 0\n[coverage]\n\
                 engine = \"tubes\"\nmin = [-30, -30]\nmax = [30, 30]\nheights = [1.5, 25]\nresolution = 0.5\n";
    let folder = Folder::new(1, cells);
    let file = folder.file("s.toml");
    let gains = |coverage: &keller_run::CoverageRun| -> Vec<u64> {
        let mut found = Vec::new();
        for tx in 0..2 {
            let take = |_, gains: &[f64]| {
                found.extend(gains.iter().map(|gain| gain.to_bits()));
                Ok::<(), std::io::Error>(())
            };
            let num_cells = coverage.region.num_cells();
            coverage
                .filled_map()
                .each_gains(tx, 0..num_cells, take)
                .unwrap();
        }
        found
    };
    let ear = Arc::new(Ear::default());
    let job = Job::open(&file, ear.clone()).unwrap();
    let mut whole = job.coverage(0).unwrap();
    whole.complete().unwrap();
    let whole = gains(&whole);
    let all_reports = ear.reports.load(Ordering::Relaxed);

    let job = Job::open(&file, Arc::new(Forgetful)).unwrap();
    let mut blocks = job.coverage(0).unwrap();
    let mut num_blocks = 0;
    for block in &mut blocks {
        block.unwrap();
        num_blocks += 1;
    }
    assert!(num_blocks > 2, "{num_blocks}");
    assert_eq!(gains(&blocks), whole);

    let part = folder.file("cells.part");
    let mut num_resumed = 0;
    for share in [3, 6, 9] {
        let ear = Ear::that_stops_after(share * all_reports / 10);
        let stopped = Job::open(&file, Arc::new(ear)).and_then(|job| {
            let mut coverage = job.coverage(0)?;
            coverage.keep_in(&part, false)?;
            coverage.complete()
        });
        assert!(matches!(stopped, Err(Error::Stopped)), "{stopped:?}");
        let job = Job::open(&file, Arc::new(())).unwrap();
        let mut coverage = job.coverage(0).unwrap();
        if part.exists() {
            coverage.keep_in(&part, true).unwrap();
            num_resumed += usize::from(coverage.kept().is_some());
        }
        coverage.complete().unwrap();
        assert_eq!(gains(&coverage), whole, "{share}");
        coverage.finish().unwrap();
    }
    assert!(num_resumed > 0, "nothing was kept");
}
