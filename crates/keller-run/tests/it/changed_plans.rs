//! Plans and units that somebody made, with right hashes and checksums, are refused or computed again.

use std::path::Path as FilePath;
use std::sync::Arc;

use keller::DVec3;
use keller::paths::{Interaction, Path, Vertex};
use keller::scene::EdgeId;
use keller_io::store::{BatchStore, Kind, Plan, Unit};
use keller_run::{Batch, Error, Job, PathBlock, PathRunOptions, PlanOptions, plan_batch};

use crate::places::Folder;

const PATHS: &str = "[paths]\nmax_interactions = 1\n";

fn plan(folder: &Folder, command: &str) -> Plan {
    let options = PlanOptions {
        result: Some(command.to_owned()),
        unit_size: Some(7),
        has_rays: false,
    };
    let batch = plan_batch(
        &folder.file("s.toml"),
        &folder.file("good"),
        &options,
        Arc::new(()),
    );
    batch.unwrap().plan().clone()
}

/// A store with other units, whose hash is right.
fn forged(folder: &Folder, name: &str, plan: &Plan, units: Vec<Unit>) -> BatchStore {
    let families = plan.families.clone();
    let forged = Plan::new(
        plan.kind,
        plan.scenario.clone(),
        families,
        false,
        plan.items,
        units,
    );
    BatchStore::create(&folder.file(name), forged).unwrap()
}

/// Ways to change the units of a plan, all of which leave units that exist.
fn changes(units: &[Unit]) -> Vec<Vec<Unit>> {
    let change = |change: &dyn Fn(&mut Vec<Unit>)| {
        let mut changed = units.to_vec();
        change(&mut changed);
        changed
    };
    vec![
        Vec::new(),
        change(&|units| units.reverse()),
        change(&|units| {
            for tx in units.iter_mut().flat_map(|unit| &mut unit.tx) {
                *tx = 1 - *tx;
            }
        }),
        change(&|units| units[0].tx = vec![9]),
        change(&|units| units[0].tx = vec![0, 0]),
        change(&|units| units[0].tx.clear()),
        change(&|units| units[0].range.end = 1 << 40),
        change(&|units| (units[0].range.start, units[0].range.end) = (5, 2)),
        change(&|units| units[0].range.start = 1),
        change(&|units| units[0].region = 3),
        change(&|units| drop(units.pop())),
        change(&|units| units.push(units[0].clone())),
    ]
}

#[test]
fn other_units_than_those_of_the_scenario_are_refused() {
    let of_cells = "[coverage]\nengine = \"points\"\nmin = [-20, -20]\nmax = [20, 20]\nresolution = 0.25\nheights = [1.5]\n";
    let of_tubes = "[coverage]\nengine = \"tubes\"\nmin = [-20, -20]\nmax = [20, 20]\nresolution = 4\nheights = [1.5]\n";
    let of_tiles = "[tiles]\nside = 6\n[coverage]\nengine = \"surfaces\"\n";
    for (command, more) in [
        ("paths", ""),
        (
            "channel",
            "[channel]\nbandwidth_hz = 20e6\nnum_frequencies = 16\n",
        ),
        ("coverage", of_cells),
        ("coverage", of_tubes),
        ("coverage", of_tiles),
        ("visibility", of_tiles),
    ] {
        let folder = Folder::new(20, &format!("{PATHS}{more}"));
        let good = plan(&folder, command);
        for (number, units) in changes(&good.units).into_iter().enumerate() {
            if units == good.units {
                continue;
            }
            let name = format!("forged{number}");
            forged(&folder, &name, &good, units);
            let opened = Batch::open(&folder.file(&name), None, Arc::new(()));
            let error = opened.unwrap_err();
            assert!(
                matches!(error, Error::Store(_)),
                "{command} {number}: {error}"
            );
            assert!(
                error.to_string().contains("plan.json was changed"),
                "{command} {number}: {error}"
            );
        }
    }
}

#[test]
fn a_unit_with_paths_of_no_scene_is_found_again() {
    let folder = Folder::new(20, PATHS);
    let good = plan(&folder, "paths");
    let place = folder.file("good");
    let job = Job::open(&folder.file("s.toml"), Arc::new(())).unwrap();
    let blocks = |from: Option<&FilePath>| -> Vec<PathBlock> {
        let mut run = job.paths(&PathRunOptions::default()).unwrap();
        if let Some(place) = from {
            run = run.take_from(place).unwrap();
        }
        run.collect::<Result<_, _>>().unwrap()
    };
    let paths = |blocks: Vec<PathBlock>| -> Vec<Path> {
        blocks.into_iter().flat_map(|block| block.paths).collect()
    };
    let wanted = paths(blocks(None));
    assert_eq!(good.kind, Kind::Paths);
    let store = BatchStore::open(&place).unwrap();
    let mut batch = Batch::open(&place, None, Arc::new(())).unwrap();
    batch.run(0).unwrap();
    let (unit, bytes) = store.get(0).unwrap().unwrap().remove(0);
    let found = PathBlock::from_bytes(&bytes).unwrap();
    assert!(!found.paths.is_empty());
    let forge: [&dyn Fn(&mut PathBlock); 4] = [
        &|block| block.paths[0].rx = 1 << 40,
        &|block| block.paths[0].tx = 1,
        &|block| block.paths[0].tx_position.x += 1.0,
        &|block| {
            let edge = EdgeId::from_index(77_777);
            block.paths[0].vertices.push(Vertex {
                interaction: Interaction::Diffraction(edge),
                point: DVec3::ZERO,
            });
        },
    ];
    for change in forge {
        let mut block = found.clone();
        change(&mut block);
        store.put(0, &[(unit.clone(), block.to_bytes())]).unwrap();
        assert_eq!(paths(blocks(Some(&place))), wanted);
    }
}
