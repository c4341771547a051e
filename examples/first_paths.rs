//! A wall and a floor, one transmitter, one receiver: from triangles to the field along every path.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use keller::em::Surfaces;
use keller::field::transport;
use keller::materials::Material;
use keller::paths::{Limits, Search, Transparency, find_paths};
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller::units::power_to_db;
use keller::{Control, DVec3, Frequency};

fn main() -> Result<(), keller::Error> {
    // A scene is triangles with material names. `keller_io::import` reads them from files.
    let mut mesh = Mesh::default();
    let (x, y, z) = (20.0 * DVec3::X, 20.0 * DVec3::Y, 10.0 * DVec3::Z);
    add_parallelogram(&mut mesh, "concrete", DVec3::ZERO, x, y);
    add_parallelogram(&mut mesh, "brick", DVec3::ZERO, z, x);
    let scene = Scene::new(&mesh)?;

    // Paths are geometry: found once, whatever the walls are made of.
    let tx = DVec3::new(4.0, 5.0, 3.0);
    let rx = DVec3::new(15.0, 8.0, 1.5);
    let paths = find_paths(
        &scene,
        &[tx],
        &[rx],
        &Limits::default(),
        &Transparency::all(&scene),
        Search::Exhaustive,
        &Control::default(),
    )?;

    // The field along them is a step of its own, so other materials and frequencies cost next to nothing.
    let materials: Vec<Material> = scene
        .materials()
        .iter()
        .filter_map(|name| Material::from_name(name))
        .collect();
    let surfaces = Surfaces::new(&materials, Frequency::from_hz(3.5e9)?)?;
    for path in &paths {
        let field = transport(path, &scene, &surfaces);
        let kinds = path.types();
        println!(
            "{kinds:4} {:6.2} m  {:6.2} ns  {:6.1} dB",
            path.length,
            field.delay * 1e9,
            power_to_db(field.coefficient[0][0].norm_sqr()),
        );
    }
    Ok(())
}

/// Two triangles; the front is where `a`, then `b` turns counter-clockwise.
fn add_parallelogram(mesh: &mut Mesh, material: &str, corner: DVec3, a: DVec3, b: DVec3) {
    let material = mesh.material_index(material);
    let first = u32::try_from(mesh.vertices.len()).expect("a small mesh");
    mesh.vertices
        .extend([corner, corner + a, corner + a + b, corner + b]);
    mesh.triangles
        .extend([[0, 1, 2], [0, 2, 3]].map(|corners| MeshTriangle {
            vertices: corners.map(|i| first + i),
            material,
        }));
}
