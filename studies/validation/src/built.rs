//! Measures the cost of building a large scene, and of reading it as it was kept.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use keller::DVec3;
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller_io::formats::import::MeshOptions;
use keller_io::store::scene_cache::{CompiledScene, Found, Wanted, read, write};

use super::machine::{peak_memory, processor_seconds};

/// A town from code of so many blocks at odd angles, every third with another that touches it, on a terrain of `side` by `side` squares;
/// every triangle is cut in four `cuts` times.
pub(crate) fn check(blocks: u32, side: u32, cuts: u32) -> Result<()> {
    let mut mesh = town(blocks, side);
    for _ in 0..cuts {
        mesh = super::city::split_in_four(&mesh);
    }
    let num = mesh.triangles.len();
    let before = processor_seconds();
    println!(
        "{num} triangles, mesh made with {:.0} MB",
        peak_memory() / 1e6
    );
    let start = Instant::now();
    let scene = Scene::new(&mesh)?;
    let faces = scene.faces().len();
    let edges = scene.edges().len();
    println!(
        "built in {:.2} s, {:.2} processor s, {:.0} MB at most: {faces} faces, {edges} edges",
        start.elapsed().as_secs_f64(),
        processor_seconds() - before,
        peak_memory() / 1e6
    );
    let file: PathBuf = std::env::temp_dir().join(format!("built-{}.keller", std::process::id()));
    let files = [];
    let wanted = Wanted {
        files: &files,
        options: MeshOptions::default(),
        buildings: &[],
        openings: &[],
        terrain_wedge_deg: None,
        terrain_error_m: None,
    };
    let compiled = CompiledScene::new(scene.into(), mesh.materials);
    let start = Instant::now();
    write(&file, &wanted, &compiled)?;
    let bytes = std::fs::metadata(&file)?.len() as f64;
    let written = start.elapsed().as_secs_f64();
    let before = processor_seconds();
    let start = Instant::now();
    let found = read(&file, &wanted);
    let seconds = start.elapsed().as_secs_f64();
    std::fs::remove_file(&file)?;
    let Found::Fitting(back) = found? else {
        bail!("what was kept does not come back");
    };
    if back.scene.faces() != compiled.scene.faces() || back.scene.edges() != compiled.scene.edges()
    {
        bail!("another scene comes back");
    }
    println!(
        "{:.0} MB written in {written:.2} s, read in {seconds:.2} s, {:.2} processor s",
        bytes / 1e6,
        processor_seconds() - before
    );
    Ok(())
}

pub(crate) fn town(blocks: u32, side: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let wall = mesh.material_index("concrete");
    let ground = mesh.material_index("wet_ground");
    let along = f64::from(blocks).sqrt().ceil().max(1.0);
    for k in 0..blocks {
        // The golden ratio and its powers spread evenly.
        let share = |ratio: f64| (f64::from(k) * ratio).fract();
        let (row, column) = ((f64::from(k) / along).floor(), f64::from(k) % along);
        let at = 30.0 * DVec3::new(column, row, 0.0)
            + 5.0 * DVec3::new(share(0.618_034), share(0.381_966), share(0.236_068));
        let size = DVec3::new(8.0, 8.0, 5.0)
            + DVec3::new(12.0, 12.0, 30.0)
                * DVec3::new(share(0.145_898), share(0.754_878), share(0.569_840));
        let angle = 0.5 * share(0.819_173);
        block(&mut mesh, at, size, angle, wall);
        if k % 3 == 0 {
            let beside = at + size.x * DVec3::new(angle.cos(), angle.sin(), 0.0);
            block(
                &mut mesh,
                beside,
                DVec3::new(5.0, 0.7 * size.y, 0.8 * size.z),
                angle,
                wall,
            );
        }
    }
    let step = (30.0 * along + 100.0) / f64::from(side.max(1));
    let first = u32::try_from(mesh.vertices.len()).expect("fewer than 2^32 vertices");
    for (j, i) in (0..=side).flat_map(|j| (0..=side).map(move |i| (j, i))) {
        let (x, y) = (step * f64::from(i) - 50.0, step * f64::from(j) - 50.0);
        let hills =
            3.0 * (0.013 * x).sin() + 2.0 * (0.011 * y).cos() + 0.5 * (0.07 * x + 0.05 * y).sin();
        // Plains of 500 m between hills, so that some faces are large.
        let is_plain = (x / 1000.0).rem_euclid(1.0) < 0.5;
        mesh.vertices
            .push(DVec3::new(x, y, if is_plain { 0.0 } else { hills }));
    }
    for (j, i) in (0..side).flat_map(|j| (0..side).map(move |i| (j, i))) {
        let row = side + 1;
        let v = first + j * row + i;
        for vertices in [[v, v + 1, v + row + 1], [v, v + row + 1, v + row]] {
            let material = ground;
            mesh.triangles.push(MeshTriangle { vertices, material });
        }
    }
    mesh
}

fn block(mesh: &mut Mesh, at: DVec3, size: DVec3, angle: f64, material: u32) {
    let (sin, cos) = angle.sin_cos();
    let first = u32::try_from(mesh.vertices.len()).expect("fewer than 2^32 vertices");
    for k in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(k >> axis & 1) * size[axis]);
        mesh.vertices
            .push(at + DVec3::new(cos * x - sin * y, sin * x + cos * y, z));
    }
    for [a, b, c, d] in [
        [0, 1, 5, 4],
        [1, 3, 7, 5],
        [3, 2, 6, 7],
        [2, 0, 4, 6],
        [4, 5, 7, 6],
        [0, 2, 3, 1],
    ] {
        for corners in [[a, b, c], [a, c, d]] {
            let vertices = corners.map(|corner: u32| first + corner);
            mesh.triangles.push(MeshTriangle { vertices, material });
        }
    }
}
