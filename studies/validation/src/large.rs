//! A mesh of five million triangles: a city whose triangles are cut in four until there are that many.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use keller::DVec3;
use keller::paths::{Effort, Limits, Search};
use keller::scene::Scene;

use crate::geometry;

const TRIANGLES: usize = 5_000_000;

/// Builds the scene and traces it; the operating system says how much memory that took.
pub(crate) fn check(scene: &Path) -> Result<()> {
    let mut mesh = keller_io::formats::import::import(scene)?.mesh;
    let small = geometry::world(Scene::new(&mesh)?, |_| false)?;
    while 4 * mesh.triangles.len() <= TRIANGLES {
        mesh = super::city::split_in_four(&mesh);
    }
    // Cutting one triangle in four adds three; those left whole meet the cut ones in T-junctions.
    let to_cut = (TRIANGLES - mesh.triangles.len()).div_ceil(3);
    let whole = mesh.triangles.split_off(to_cut);
    mesh = super::city::split_in_four(&mesh);
    mesh.triangles.extend(whole);
    println!("{} triangles", mesh.triangles.len());
    let start = Instant::now();
    let large = Scene::new(&mesh)?;
    drop(mesh);
    println!(
        "scene built in {:.2} s: {} triangles, {} faces ({} in the mesh as it came)",
        start.elapsed().as_secs_f64(),
        large.triangles().len(),
        large.faces().len(),
        small.scene().faces().len()
    );
    let rx: Vec<DVec3> = (0..10)
        .map(|k| DVec3::new(45.0 + 5.0 * f64::from(k), 90.0, 1.5))
        .collect();
    let large = geometry::world(large, |_| false)?;
    for world in [&small, &large] {
        let start = Instant::now();
        let tx = DVec3::new(8.5, 21.0, 27.0);
        let search = Search::Launch(Effort::Default);
        let paths = geometry::paths(world, tx, &rx, &Limits::default(), search)?;
        println!(
            "{} paths in {:.2} s",
            paths.len(),
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
