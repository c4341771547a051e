//! Batches: many workers write the bytes of one machine, whatever becomes of them, and a wrong store is refused.

use std::fs;

use crate::common::{Folder, street};

/// The end of a scenario with some Tx in the street.
pub(crate) fn scenario(tx: usize, more: &str) -> String {
    let tx = (0..tx).map(|k| {
        format!(
            "[[tx]]\nname = \"mast {k}\"\nposition = [{}, 0, {}]\n",
            12 * k,
            5 + k
        )
    });
    format!(
        "frequency_hz = 3.5e9\n[scene]\nfile = \"street.obj\"\n{}[materials.concrete]\nitu = \"concrete\"\nscattering = 0.3\n{more}",
        tx.collect::<String>()
    )
}

const RX: &str = "[[rx]]\ngrid = { min = [0, -3], max = [140, 3], spacing = 3, height = 1.5 }\n";
const ONE_BOUNCE: &str =
    "[paths]\nmax_interactions = 1\nmax_reflections = 1\nmax_diffractions = 0\n";

/// One region of cells by points, one by tubes with two beams at a place, and diffuse and background power.
pub(crate) fn cells() -> String {
    let coverage = "[diffuse]\nside = 9\ntile_rays = 16\ntx_rays = 64\nrx_rays = 16\n[background]\nlevel_db = -110\n[[coverage]]\nname = \"fine\"\nengine = \"points\"\nmin = [0, -40]\nmax = [150, 40]\nresolution = 0.6\nheights = [1.5]\nmultipath = true\nnoise_dbm = -90\n[[coverage]]\nname = \"coarse\"\nengine = \"tubes\"\nmin = [0, -40]\nmax = [150, 40]\nresolution = 4\nheights = [1.5, 9]\n";
    let twin = "[[tx]]\nname = \"twin\"\nposition = [12, 0, 6]\nantenna = \"tr38901\"\n";
    scenario(2, &format!("{twin}{ONE_BOUNCE}{coverage}"))
}

fn surfaces() -> String {
    let paths = "[paths]\nmax_interactions = 2\nmax_reflections = 2\nmax_diffractions = 1\nmax_scatterings = 1\n";
    scenario(
        3,
        &format!("{paths}[tiles]\nside = 6\n[coverage]\nengine = \"surfaces\"\n"),
    )
}

pub(crate) fn links() -> String {
    let paths = "[paths]\nmax_interactions = 2\nmax_reflections = 2\nmax_diffractions = 1\npower_threshold_db = -110\n";
    scenario(
        2,
        &format!("{RX}{paths}[channel]\nbandwidth_hz = 20e6\nnum_frequencies = 16\n"),
    )
}

/// A kind of result: its name, the scenario, how it is planned, the command that writes it, and the names of the result.
type Case = (
    &'static str,
    String,
    &'static str,
    &'static str,
    &'static [&'static str],
);

fn cases() -> Vec<Case> {
    vec![
        ("cells", cells(), "", "coverage", &["zarr"]),
        ("surfaces", surfaces(), "--rays", "coverage", &["npz"]),
        // Units of other sizes than the blocks of a run.
        (
            "paths",
            links(),
            "--result paths --unit-size 37",
            "paths",
            &["csv", "paths"],
        ),
        (
            "channel",
            links(),
            "--result channel --unit-size 50",
            "channel",
            &["csv", "npz"],
        ),
        (
            "visibility",
            surfaces(),
            "--result visibility --unit-size 1",
            "visibility",
            &["vis"],
        ),
    ]
}

/// A folder with the street and `c.toml`.
pub(crate) fn folder(name: &str, scenario: &str) -> Folder {
    let folder = Folder::new(&format!("batch-{name}"));
    folder.write("street.obj", &street());
    folder.write("c.toml", scenario);
    folder
}

pub(crate) fn keller() -> &'static str {
    env!("CARGO_BIN_EXE_keller")
}

/// All files under a name in a folder, with their bytes; regions of a coverage have names of their own.
fn bytes(folder: &Folder, stem: &str) -> Vec<(String, Vec<u8>)> {
    fn add(folder: &Folder, name: &str, all: &mut Vec<(String, Vec<u8>)>) {
        if folder.path(name).is_dir() {
            for inner in folder.names_in(name) {
                add(folder, &format!("{name}/{inner}"), all);
            }
        } else {
            all.push((name.to_owned(), folder.read_bytes(name)));
        }
    }
    let mut all = Vec::new();
    for name in folder.names().iter().filter(|name| name.starts_with(stem)) {
        add(folder, name, &mut all);
    }
    assert!(!all.is_empty(), "no file begins with {stem}");
    for (name, _) in &mut all {
        *name = name.replace(stem, "");
    }
    all
}

/// Writes a result as on one machine, and again from the store; both must have the same bytes.
fn compare(folder: &Folder, (_, _, plan, command, kinds): &Case) {
    for kind in *kinds {
        let more = if plan.contains("--rays") {
            "--rays"
        } else {
            ""
        };
        let rays = |name: &str| match more {
            "" => String::new(),
            option => format!("{option} {name}-rays.csv"),
        };
        folder.must(&format!(
            "{} {command} c.toml -o whole.{kind} {} --threads 1",
            keller(),
            rays("whole")
        ));
        let run = folder.shell(&format!(
            "{} {command} c.toml -o batched.{kind} {} --batch store",
            keller(),
            rays("batched")
        ));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(!run.stderr.contains("computed here"), "{}", run.stderr);
        assert!(
            bytes(folder, "whole") == bytes(folder, "batched"),
            "{kind}: other bytes"
        );
        folder.must("rm -r whole* batched*");
        let left: Vec<String> = folder.names();
        assert!(!left.iter().any(|name| name.contains(".part")), "{left:?}");
    }
}

#[test]
fn shards_in_any_order_write_the_bytes_of_one_machine() {
    for case in cases() {
        let (name, scenario, plan, ..) = &case;
        let folder = folder(name, scenario);
        // Planned from elsewhere: the folder from which a program is started changes nothing.
        folder.must(&format!(
            "cd / && {} batch plan '{}' -o '{}' {plan}",
            keller(),
            folder.path("c.toml").display(),
            folder.path("store").display()
        ));
        for (k, shard) in [2, 0, 3, 1].into_iter().enumerate() {
            folder.must(&format!(
                "{} batch run store --shard {shard}/4 --threads {}",
                keller(),
                1 + k % 3
            ));
        }
        let status = folder.must(&format!("{} batch status store", keller()));
        assert!(status.contains("(100.0 %)"), "{name}: {status}");
        folder.must(&format!("{} batch verify store", keller()));
        compare(&folder, &case);
    }
}

/// A run computes what a store lacks itself and adds it.
#[test]
fn a_half_done_store_is_gone_on_with() {
    for case in cases() {
        let (name, scenario, plan, command, kinds) = &case;
        let folder = folder(&format!("half-{name}"), scenario);
        folder.must(&format!("{} batch plan c.toml -o store {plan}", keller()));
        folder.must(&format!("{} batch run store --shard 1/2", keller()));
        let rays = if plan.contains("--rays") {
            "--rays r.csv"
        } else {
            ""
        };
        let line = format!(
            "{} {command} c.toml -o first.{} {rays} --batch store",
            keller(),
            kinds[0]
        );
        let run = folder.shell(&line);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let status = folder.must(&format!("{} batch status store", keller()));
        assert!(status.contains("(100.0 %)"), "{name}: {status}");
        compare(&folder, &case);
    }
}

/// A worker is killed again and again, two compute the same units at once, and a unit is torn.
#[cfg(unix)]
#[test]
fn killed_workers_cost_their_units_alone() {
    for case in cases() {
        let (name, scenario, plan, ..) = &case;
        let folder = folder(&format!("killed-{name}"), scenario);
        folder.must(&format!("{} batch plan c.toml -o store {plan}", keller()));
        for moment in [0.03, 0.3, 0.11, 0.7, 0.2] {
            folder.shell(&format!(
                "{} batch run store & p=$!; sleep {moment}; kill -KILL $p; wait $p",
                keller()
            ));
        }
        folder.must(&format!(
            "{0} batch run store --threads 1 & a=$!; {0} batch run store --threads 2 & b=$!; wait $a && wait $b",
            keller()
        ));
        let units = folder.names_in("store");
        let units = units
            .iter()
            .find(|name| name.starts_with("units-"))
            .unwrap();
        let unit = folder.path(&format!("store/{units}/000000.unit"));
        let mut torn = fs::read(&unit).unwrap();
        let last = torn.len() - 1;
        torn[last] ^= 1;
        fs::write(&unit, torn).unwrap();
        fs::write(unit.with_file_name(".x.tmp"), "left by a worker").unwrap();
        let run = folder.shell(&format!("{} batch verify store", keller()));
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("damaged: 0;"), "{}", run.stderr);
        folder.must(&format!("{} batch verify store --repair", keller()));
        let left = folder.names_in(&format!("store/{units}"));
        assert!(!left.iter().any(|name| name.contains(".tmp")), "{left:?}");
        folder.must(&format!("{} batch run store", keller()));
        compare(&folder, &case);
    }
}

/// A run takes a damaged unit for a missing one.
#[test]
fn a_damaged_unit_is_computed_again() {
    let case = &cases()[2];
    let folder = folder("damaged", &case.1);
    folder.must(&format!(
        "{} batch plan c.toml -o store {}",
        keller(),
        case.2
    ));
    folder.must(&format!("{} batch run store", keller()));
    let units = folder.names_in("store");
    let units = units
        .iter()
        .find(|name| name.starts_with("units-"))
        .unwrap();
    for (number, length) in [("000000", 90), ("000003", 64)] {
        let unit = folder.path(&format!("store/{units}/{number}.unit"));
        let file = fs::OpenOptions::new().write(true).open(unit).unwrap();
        file.set_len(length).unwrap();
    }
    compare(&folder, case);
    folder.must(&format!("{} batch verify store", keller()));
}

#[test]
fn what_a_store_is_not_for_is_refused() {
    let folder = folder("refused", &links());
    let keller = keller();
    folder.must(&format!(
        "{keller} batch plan c.toml -o store --result paths"
    ));
    let plan = folder.read("store/plan.json");
    let refused = |line: &str, told: &[&str]| {
        let run = folder.shell(&format!("{keller} {line}"));
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        let said: Vec<&str> = run
            .stderr
            .lines()
            .filter(|l| l.starts_with("keller: ") || l.starts_with("error: "))
            .collect();
        assert_eq!(said.len(), 1, "{line}: {}", run.stderr);
        for told in told {
            assert!(said[0].contains(told), "{line}: {}", run.stderr);
        }
    };
    refused(
        "batch run none",
        &["none: this is no store", "keller batch plan"],
    );
    refused("batch run c.toml", &["c.toml: this is no store"]);
    refused("batch run store --only 3-9", &["--only 3-9", "from 0 to 1"]);
    refused("batch run store --only 5-2", &["numbers of units"]);
    refused(
        "batch run store --only 0-999999999",
        &["--only 0-999999999", "from 0 to 1"],
    );
    refused("batch run store --shard 4/4", &["0/4 to 3/4"]);
    refused(
        "batch plan c.toml -o store --result channel",
        &["another batch", "c.toml"],
    );
    assert_eq!(folder.names_in("store").len(), 3, "plan, scene and units");
    refused(
        "batch plan c.toml -o store --result paths --rays",
        &["surfaces alone"],
    );
    refused(
        "batch plan c.toml -o new --result coverage",
        &["[coverage] is missing"],
    );
    refused("channel c.toml -o l.csv --batch store", &["`keller paths`"]);
    refused(
        "paths c.toml -o p.csv --resume --batch store",
        &["cannot be used with"],
    );
    // The same plan may be made again.
    folder.must(&format!(
        "{keller} batch plan c.toml -o store --result paths"
    ));
    // A run with another search, scenario or scene is refused.
    refused(
        "paths c.toml -o p.csv --effort quick --search launch --batch store",
        &["another state"],
    );
    folder.write("c.toml", &links().replace("3.5e9", "3.6e9"));
    refused(
        "batch run store",
        &["store: this plan is of another state of", "c.toml"],
    );
    refused("paths c.toml -o p.csv --batch store", &["another state"]);
    refused(
        "batch plan c.toml -o store --result paths",
        &["another batch"],
    );
    folder.write("c.toml", &links());
    folder.write("street.obj", &street().replace("160 40 0", "161 40 0"));
    refused("batch run store", &["another state of", "plan again"]);
    folder.write("street.obj", &street());
    // A plan of another version, and a torn one.
    folder.write(
        "store/plan.json",
        &plan.replace("\"keller\": \"", "\"keller\": \"9."),
    );
    refused(
        "batch run store",
        &["plan.json", "keller 9.", "another store"],
    );
    refused("batch status store", &["keller 9."]);
    folder.write("store/plan.json", &plan[..plan.len() / 2]);
    refused(
        "batch run store",
        &["plan.json: this plan is damaged", "plan again"],
    );
    refused("batch plan c.toml -o store --result paths", &["damaged"]);
    fs::remove_file(folder.path("store/plan.json")).unwrap();
    folder.must(&format!(
        "{keller} batch plan c.toml -o store --result paths"
    ));
    folder.must(&format!("{keller} batch run store"));
    let nothing = folder.shell(&format!("{keller} batch slurm store"));
    assert_eq!((nothing.code, &nothing.stdout[..]), (Some(0), ""));
    assert!(
        nothing.stderr.contains("no unit is missing"),
        "{}",
        nothing.stderr
    );
    refused("batch slurm store --time soon", &["00:30:00"]);
}

/// All of several planners at once have the same plan, or all but one are refused.
#[cfg(unix)]
#[test]
fn two_planners_at_once_make_one_plan() {
    let folder = folder("planners", &links());
    let keller = keller();
    folder.write("d.toml", &links().replace("3.5e9", "3.6e9"));
    for round in 0..5 {
        let run = folder.shell(&format!(
            "for k in 1 2 3; do {keller} batch plan c.toml -o same{round} --result paths 2>/dev/null & p=\"$p $!\"; done; for q in $p; do wait $q || exit 1; done"
        ));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let codes = folder.must(&format!(
            "{keller} batch plan c.toml -o other{round} --result paths 2>/dev/null & a=$!; {keller} batch plan d.toml -o other{round} --result paths 2>/dev/null & b=$!; wait $a; echo $?; wait $b; echo $?"
        ));
        let mut codes: Vec<&str> = codes.split_whitespace().collect();
        codes.sort_unstable();
        assert_eq!(codes, ["0", "2"], "round {round}");
    }
    let names = folder.names_in("same0");
    assert_eq!(names.len(), 3, "{names:?}");
}

/// A full disk: one message, and no unit.
#[cfg(unix)]
#[test]
fn a_unit_that_cannot_be_written_is_told() {
    let folder = folder("disk", &links());
    let keller = keller();
    folder.must(&format!(
        "{keller} batch plan c.toml -o store --result paths"
    ));
    let run = folder.shell(&format!(
        "trap '' XFSZ; ulimit -f 0; {keller} batch run store"
    ));
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr.contains("keller: store/units-"),
        "{}",
        run.stderr
    );
    let status = folder.must(&format!("{keller} batch status store"));
    assert!(status.contains("0 of 2 units"), "{status}");
    assert!(!status.contains("temporary"), "{status}");
}

#[test]
fn a_store_that_goes_amid_the_work_is_told_in_words() {
    let folder = folder("batch-gone", &links());
    let keller = keller();
    folder.must(&format!(
        "{keller} batch plan c.toml -o store --result paths --unit-size 1"
    ));
    let run = folder.shell(&format!(
        "{keller} batch run store --threads 1 & p=$!
         until ls store/units-*/000000.unit >/dev/null 2>&1; do kill -0 $p || break; sleep 0.002; done
         mv store gone; wait $p"
    ));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let last = run.stderr.lines().last().unwrap();
    assert!(last.starts_with("keller: store/"), "{last}");
    assert!(
        last.ends_with("its folder is not there or was removed"),
        "{last}"
    );
    assert!(!run.stderr.contains("os error"), "{}", run.stderr);
}

#[test]
fn a_script_for_slurm_has_the_missing_units() {
    let folder = folder("slurm", &links());
    let keller = keller();
    folder.must(&format!(
        "{keller} batch plan c.toml -o 'my store' --result paths --unit-size 20"
    ));
    folder.must(&format!("{keller} batch run 'my store' --shard 0/3"));
    folder.must(&format!("{keller} batch run 'my store' --only 1,4,7"));
    let script = folder.must(&format!(
        "{keller} batch slurm 'my store' --shards 3 --cpus 8 --time 00:20:00 --mem 1GiB --option --partition=short"
    ));
    assert!(script.starts_with("#!/bin/bash\n"), "{script}");
    for line in [
        "#SBATCH --array=0-2",
        "#SBATCH --cpus-per-task=8",
        "#SBATCH --time=00:20:00",
        "#SBATCH --mem=1024M",
        "#SBATCH --partition=short",
        "#SBATCH --requeue",
    ] {
        assert!(script.lines().any(|l| l == line), "{line}: {script}");
    }
    let missing = |count: usize| {
        let status = folder.must(&format!("{keller} batch status 'my store' --json"));
        let status: serde_json::Value = serde_json::from_str(&status).unwrap();
        assert_eq!(status["missing"].as_array().unwrap().len(), count);
    };
    // The script runs as Slurm runs it, in any order; an element is lost at first.
    folder.write("job.sh", &script);
    folder.must("bash -n job.sh");
    let run = |task: usize| {
        folder.must(&format!(
            "SLURM_ARRAY_TASK_ID={task} SLURM_CPUS_PER_TASK=1 bash job.sh"
        ))
    };
    missing(7);
    run(2);
    run(0);
    missing(3);
    let rest = folder.must(&format!("{keller} batch slurm 'my store' --shards 3"));
    assert!(rest.contains("#SBATCH --array=0-2\n"), "{rest}");
    run(1);
    missing(0);
}
