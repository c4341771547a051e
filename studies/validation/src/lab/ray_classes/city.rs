//! Compares rays in a city with the exact paths of the complete search.

use std::path::Path;

use anyhow::{Result, ensure};
use glam::DVec3;
use keller::paths::{Effort, Search};
use keller::random::Random;
use keller::scene::Scene;
use keller_lab::ray_classes::Scheme;

use crate::geometry;

use super::exact::exact;
use super::tally::{HEADER, Row, launch, print};

const NUM_REFLECTIONS: usize = 3;
const NUM_RX: usize = 100;

/// Launches up to a million rays.
pub(super) fn run(file: &Path) -> Result<Vec<Row>> {
    let scene = Scene::new(&keller_io::formats::import::import(file)?.mesh)?;
    let world = geometry::world(scene, |name| name.contains("metal"))?;
    let tx = crate::city::TX;
    let rx = receivers(world.scene(), tx);
    let (truth, seconds) = exact(&world, tx, &rx, NUM_REFLECTIONS, Search::Complete)?;
    let waves = truth.num_waves();
    println!(
        "\n{}: {NUM_REFLECTIONS} reflections, {NUM_RX} receivers in the streets, {waves} waves.\n",
        file.display()
    );
    println!("keller, complete: {seconds:.3} s");
    let search = Search::Launch(Effort::Default);
    let (found, seconds) = exact(&world, tx, &rx, NUM_REFLECTIONS, search)?;
    println!(
        "keller, launch: {seconds:.3} s, {} waves\n\n{HEADER}",
        found.num_waves()
    );
    ensure!(waves > 0, "no wave arrives");
    let mut rows = Vec::new();
    for divisions in [100, 316, 1000] {
        let row = launch(world.scene(), tx, &truth, Scheme::ALL[1], divisions, 2)?;
        print(&row);
        rows.push(row);
    }
    Ok(rows)
}

/// Points 1.5 m over the ground that are not inside buildings: the sky is free above them.
fn receivers(scene: &Scene, tx: DVec3) -> Vec<DVec3> {
    let mut random = Random(7);
    let [low, high] = scene.bounds();
    let far = DVec3::new(200.0, 200.0, 0.0);
    let (low, high) = ((tx - far).max(low), (tx + far).min(high));
    let mut rx = Vec::new();
    while rx.len() < NUM_RX {
        let at = random.point(low, high);
        let sky = at.with_z(high.z + 100.0);
        let mut tops = Vec::new();
        let found = scene.crossings(sky, at.with_z(low.z - 10.0), &[], 8, &mut tops);
        // The ground alone: under a roof there is more.
        if let (Some(()), [ground]) = (found, &tops[..]) {
            let height = sky.z + ground.t * (low.z - 10.0 - sky.z);
            rx.push(at.with_z(height + 1.5));
        }
    }
    rx
}
