//! Visibility from a store, where another run has done a part.

use std::fs;
use std::sync::Arc;

use keller::tiles::{Tiles, VisibilityQuery};
use keller::{Control, scene::Scene};
use keller_io::store::visibility::{BLOCK, Header, VisibilityWriter};
use keller_run::{Job, PlanOptions, VisibilityRun, plan_batch};

use crate::places::Folder;

#[test]
fn a_run_that_ended_amid_a_unit_goes_on_after_its_last_block() {
    let folder = Folder::new(1, "[tiles]\nside = 2.5\n");
    let job = Job::open(&folder.file("s.toml"), Arc::new(())).unwrap();
    let scene: &Arc<Scene> = job.world.shared_scene();
    let tiles = || Tiles::new(scene, job.scenario.tiles.tiling(scene)).unwrap();
    let store = folder.file("store");
    let options = PlanOptions {
        result: Some("visibility".to_owned()),
        ..PlanOptions::default()
    };
    let mut batch = plan_batch(&folder.file("s.toml"), &store, &options, Arc::new(())).unwrap();
    let first = batch.plan().units[0].range.clone();
    assert!(first.len() > BLOCK, "a unit of several blocks: {first:?}");
    let all: Vec<usize> = (0..batch.plan().units.len()).collect();
    batch.run_missing(&all, &mut |_| {}).unwrap();

    let whole = folder.file("whole.vis");
    let mut run = VisibilityRun::open(&whole, Arc::clone(scene), tiles()).unwrap();
    run.fill(&()).unwrap();
    run.finish().unwrap();

    let name = folder.file("part.vis");
    let mut writer = VisibilityWriter::open(&name, Header::new(scene, &tiles())).unwrap();
    let query = VisibilityQuery::new(scene, &tiles());
    let rows = query.rows(0..BLOCK, &Control::default()).unwrap();
    writer.put(&rows).unwrap();
    drop(writer);
    let mut run = VisibilityRun::open(&name, Arc::clone(scene), tiles()).unwrap();
    run.fill_from_batch(&store, &()).unwrap();
    run.finish().unwrap();
    assert_eq!(fs::read(&name).unwrap(), fs::read(&whole).unwrap());
}
