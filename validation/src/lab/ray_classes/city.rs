//! A city: rays beside the exact paths of the complete search.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::DVec3;
use keller::World;
use keller::lab::Random;
use keller::paths::{Effort, Limits, Search};
use keller::scene::Scene;
use keller_lab::ray_classes::{Scheme, image_key};

use crate::geometry;

use super::tally::{HEADER, Truth, launch, print};

const NUM_REFLECTIONS: usize = 3;
const NUM_RX: usize = 100;

pub(super) fn run(file: &Path) -> Result<()> {
    let scene = Scene::new(&keller_io::import::import(file)?.mesh)?;
    let world = geometry::world(scene, |name| name.contains("metal"))?;
    let tx = crate::city::TX;
    let rx = receivers(world.scene(), tx);
    let (truth, seconds) = exact(&world, tx, &rx, Search::Complete)?;
    let waves: usize = truth.images.iter().map(BTreeMap::len).sum();
    println!(
        "\n{}: {NUM_REFLECTIONS} reflections, {NUM_RX} receivers in the streets, {waves} waves.\n",
        file.display()
    );
    println!("keller, complete: {seconds:.3} s");
    let (found, seconds) = exact(&world, tx, &rx, Search::Launch(Effort::Default))?;
    let found: usize = found.images.iter().map(BTreeMap::len).sum();
    println!("keller, launch: {seconds:.3} s, {found} waves\n\n{HEADER}");
    ensure!(waves > 0, "no wave arrives");
    for divisions in [100, 316, 500] {
        print(&launch(
            world.scene(),
            tx,
            &truth,
            Scheme::ALL[1],
            divisions,
            2,
        )?);
    }
    Ok(())
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

/// The images of all exact paths of reflections.
fn exact(world: &World, tx: DVec3, rx: &[DVec3], search: Search) -> Result<(Truth, f64)> {
    let limits = Limits {
        max_interactions: NUM_REFLECTIONS,
        max_reflections: NUM_REFLECTIONS,
        max_transmissions: 0,
        max_diffractions: 0,
        ..Limits::default()
    };
    let start = Instant::now();
    let paths = geometry::paths(world, tx, rx, &limits, search)?;
    let seconds = start.elapsed().as_secs_f64();
    let mut images = vec![BTreeMap::new(); NUM_REFLECTIONS + 1];
    for path in &paths {
        let planes = path
            .interactions()
            .filter_map(keller::paths::Interaction::face);
        let mut image = tx;
        let mut order = 0;
        for face in planes {
            let plane = world.scene().plane(world.scene().plane_of(face));
            image += 2.0 * (plane.offset - plane.normal.dot(image)) * plane.normal;
            order += 1;
        }
        let rx = u32::try_from(path.rx)?;
        images[order].insert((rx, image_key(image)), image);
    }
    Ok((
        Truth {
            rx: rx.to_vec(),
            images,
        },
        seconds,
    ))
}
