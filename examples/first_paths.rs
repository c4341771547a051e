//! A wall and a floor, one transmitter, one receiver: from triangles to the gain of every path.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{DVec3, Frequency, World};

fn main() -> Result<(), keller::Error> {
    // A mesh is triangles with material names. `keller_io::formats::import` reads it from files.
    let mut mesh = Mesh::default();
    let floor = [[0., 0.], [20., 0.], [20., 20.], [0., 20.]];
    mesh.add_polygon("concrete", &floor.map(|[x, y]| DVec3::new(x, y, 0.)));
    let wall = [[0., 0.], [20., 0.], [20., 10.], [0., 10.]];
    mesh.add_polygon("facade", &wall.map(|[x, z]| DVec3::new(x, 0., z)));

    // A world is a scene with its materials at one frequency. `concrete` is a well-known name; `facade` is not, and without this
    // definition it would be an error.
    let brick = Material::slab(Medium::Itu(ItuMaterial::Brick), 0.24);
    let materials = Materials::from([("facade", brick)]);
    let world = World::new(Scene::new(&mesh)?, &materials, Frequency::from_ghz(3.5)?)?;

    // Positions of transmitters, and of receivers. `World::paths_with` takes options too.
    let paths = world.paths(&[DVec3::new(4.0, 5.0, 3.0)], &[DVec3::new(15.0, 8.0, 1.5)])?;

    // The field along paths is a step of its own, so other frequencies cost next to nothing.
    let higher = world.at(Frequency::from_ghz(28.0)?)?;
    for world in [&world, &higher] {
        println!("{} GHz", world.frequency().ghz());
        let paths = paths.replay(world);
        for (path, field) in paths.iter().zip(paths.fields()) {
            println!(
                "{:4} {:6.2} m  {:6.2} ns  {:6.1} dB",
                path.types(),
                path.length,
                field.delay * 1e9,
                power_to_db(field.coefficient[0][0].norm_sqr()),
            );
        }
    }
    Ok(())
}
