//! The empty room of `cases/03_empty_room_d4`: four reflections at six walls, 129 waves a receiver.

use std::path::Path;

use anyhow::{Result, ensure};
use glam::DVec3;
use keller::paths::Search;
use keller::scene::Scene;
use keller_lab::ray_classes::Scheme;
use serde_json::Value;

use crate::geometry;

use super::exact::exact;
use super::tally::{HEADER, launch, print};

const NUM_REFLECTIONS: usize = 4;

/// The number of divisions at which rays meet every wave of the room.
const DIVISIONS: usize = 100;

/// Launches more and more rays.
pub(super) fn run() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/03_empty_room_d4");
    let mesh = keller_io::formats::import::import(&folder.join("scene.obj"))?.mesh;
    let case: Value = serde_json::from_slice(&std::fs::read(folder.join("case.json"))?)?;
    let points = |key: &str| -> Result<Vec<DVec3>> {
        let points: Vec<[f64; 3]> = serde_json::from_value(case[key].clone())?;
        Ok(points.into_iter().map(DVec3::from).collect())
    };
    let (tx, rx) = (points("tx")?[0], points("rx")?);
    let world = geometry::world(Scene::new(&mesh)?, |_| true)?;
    let (truth, _) = exact(&world, tx, &rx, NUM_REFLECTIONS, Search::Complete)?;
    ensure!(
        truth.num_waves() == 129 * rx.len(),
        "{} waves",
        truth.num_waves()
    );
    println!("cases/03_empty_room_d4: {NUM_REFLECTIONS} reflections, 3 receivers.\n\n{HEADER}");
    for divisions in [10, 31, DIVISIONS] {
        for scheme in Scheme::ALL {
            let row = launch(world.scene(), tx, &truth, scheme, divisions, 2)?;
            print(&row);
            ensure!(
                divisions < DIVISIONS || row.missed == 0,
                "{} waves of the room meet no ray",
                row.missed
            );
        }
    }
    println!();
    Ok(())
}
