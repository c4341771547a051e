//! The power of the paths that a threshold leaves out: with that of the paths that stay it is all there is.

use std::fs;
use std::sync::Arc;

use keller::units::{db_to_power, power_to_db};
use keller_io::reports::table::LinkRow;
use keller_run::{Error, Job, Link, PathBlock, PathEnds, PathRunOptions};

use crate::places::{Ear, Folder};

/// Links between dipoles, whose axis nothing leaves along, lying aslant, and arrays of crossed dipoles.
fn town(num_rx: usize, tracing: &str, thresholds: &str) -> Folder {
    let paths = format!("[paths]\nmax_interactions = 2\nmax_diffractions = 1\n{thresholds}");
    let folder = Folder::new(num_rx, &paths);
    let file = folder.file("s.toml");
    let dipole = "antenna = \"dipole\"\norientation_deg = [30, 70, 20]\n";
    let tx_array = "array = { elements_m = [[0, 0, 0], [0, 0.3, 0], [0, 0.1, 0.4]] }";
    let rx_array = "polarization = \"VH\"\narray = { elements_m = [[0, 0, 0], [0, 0.7, 0]] }";
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replacen(
        "[[tx]]\n",
        &format!("[[tx]]\n{dipole}{tx_array}\narray_tracing = \"{tracing}\"\n"),
        1,
    );
    let text = text.replace(
        "[[rx]]\n",
        &format!("[[rx]]\n{dipole}{rx_array}\narray_tracing = \"{tracing}\"\n"),
    );
    fs::write(file, text).unwrap();
    folder
}

fn open(folder: &Folder) -> Arc<Job> {
    Job::open(&folder.file("s.toml"), Arc::new(())).unwrap()
}

fn blocks(job: &Arc<Job>) -> Vec<PathBlock> {
    let options = PathRunOptions {
        points: PathEnds::Elements,
        ..PathRunOptions::default()
    };
    job.paths(&options).unwrap().map(Result::unwrap).collect()
}

fn rows(job: &Arc<Job>) -> Vec<LinkRow> {
    let channeler = job.channeler().unwrap();
    let blocks = blocks(job);
    let links = blocks.iter().flat_map(Link::of_block);
    links.map(|link| channeler.row(&link)).collect()
}

#[test]
fn what_is_kept_and_what_is_left_out_is_everything() {
    for tracing in ["phase", "each"] {
        let all = rows(&open(&town(60, tracing, "")));
        assert!(all.iter().all(|row| row.omitted_db.is_none()));
        let thresholds = [
            "relative_threshold_db = 12",
            "power_threshold_db = -88",
            "power_threshold_db = -200",
            "relative_threshold_db = 20\npower_threshold_db = -92",
        ];
        for threshold in thresholds {
            let job = open(&town(60, tracing, threshold));
            assert!(job.channeler().unwrap().columns().has_omitted);
            let strong = rows(&job);
            assert_eq!(strong.len(), all.len());
            let (mut num_parted, mut num_whole) = (0, 0);
            for (strong, all) in strong.iter().zip(&all) {
                let omitted = strong.omitted_db.unwrap();
                let sum = db_to_power(strong.gain_incoherent_db) + db_to_power(omitted);
                let is_all = (sum - db_to_power(all.gain_incoherent_db)).abs() <= 1e-12 * sum;
                assert!(is_all, "{tracing} {threshold}: {strong:?} {all:?}");
                if omitted == f64::NEG_INFINITY {
                    assert_eq!(strong.num_paths, all.num_paths);
                    num_whole += 1;
                } else {
                    num_parted += 1;
                }
            }
            let nothing_is_left_out = threshold.contains("-200");
            assert_eq!(
                num_parted == 0,
                nothing_is_left_out,
                "{tracing} {threshold}"
            );
            assert!(num_whole > 0, "{tracing} {threshold}");
        }
    }
}

/// The omitted power per receiver, in the order of the links.
fn omitted(blocks: &[PathBlock]) -> Vec<f64> {
    let of_blocks = blocks.iter().map(|block| block.omitted.clone().unwrap());
    of_blocks.flatten().collect()
}

#[test]
fn a_run_that_stops_keeps_what_it_left_out() {
    let folder = town(700, "phase", "relative_threshold_db = 15");
    let whole = blocks(&open(&folder));
    let all_reports = {
        let ear = Arc::new(Ear::default());
        let job = Job::open(&folder.file("s.toml"), ear.clone()).unwrap();
        blocks(&job);
        ear.reports.load(std::sync::atomic::Ordering::SeqCst)
    };
    let options = PathRunOptions {
        points: PathEnds::Elements,
        ..PathRunOptions::default()
    };
    let ear = Ear::that_stops_after(all_reports * 4 / 5);
    let job = Job::open(&folder.file("s.toml"), Arc::new(ear)).unwrap();
    let part = folder.file("links.part");
    let mut found = job.paths(&options).unwrap();
    found.keep_in(&part, false).unwrap();
    let before: Vec<_> = found.by_ref().map_while(Result::ok).collect();
    assert!(
        found.kept().is_some(),
        "stopped too early: {} blocks",
        before.len()
    );
    drop(found);

    let mut resumed = open(&folder).paths(&options).unwrap();
    resumed.keep_in(&part, true).unwrap();
    let found: Result<Vec<PathBlock>, Error> = resumed.collect();
    let found = found.unwrap();
    assert_eq!(found[..before.len()], before);
    assert_eq!(omitted(&found), omitted(&whole));
    assert!(omitted(&found).iter().any(|gain| *gain > 0.0));
}

#[test]
fn tiles_tell_what_was_left_out_only_where_they_find_everything() {
    let tiles = "search = \"tiles\"\n[tiles]\nside = 10\n";
    for (threshold, is_known) in [
        ("power_threshold_db = -90\n", false),
        (
            "power_threshold_db = -90\nrelative_threshold_db = 60\n",
            true,
        ),
    ] {
        let job = open(&town(20, "phase", &format!("{threshold}{tiles}")));
        let rows = rows(&job);
        assert!(job.channeler().unwrap().columns().has_omitted);
        assert!(rows.iter().any(|row| row.num_paths > 0));
        assert!(
            rows.iter().all(|row| row.omitted_db.is_some() == is_known),
            "{threshold}"
        );
    }
}

#[test]
fn a_link_without_any_strong_path_tells_what_it_has() {
    let strong = rows(&open(&town(20, "phase", "power_threshold_db = 0")));
    let all = rows(&open(&town(20, "phase", "")));
    for (strong, all) in strong.iter().zip(&all) {
        assert_eq!(strong.num_paths, 0);
        let off = strong.omitted_db.unwrap() - all.gain_incoherent_db;
        assert!(off.abs() < 1e-9 || all.num_paths == 0, "{off} dB");
        assert_eq!(
            all.num_paths == 0,
            strong.omitted_db == Some(power_to_db(0.0))
        );
    }
}
