//! A wall and a floor, one transmitter, one receiver: from triangles to the gain of every path.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use keller::field::PathField;
use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::paths::{Devices, PathOptions, find_paths};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{Control, DVec3, Frequency, World};

fn main() -> Result<(), keller::Error> {
    // A mesh is triangles with material names. `keller_io::import` reads it from files.
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

    let tx = Devices::tx(world.scene(), [DVec3::new(4.0, 5.0, 3.0)])?;
    let rx = Devices::rx(world.scene(), [DVec3::new(15.0, 8.0, 1.5)])?;
    let (options, control) = (PathOptions::default(), Control::default());
    let paths = find_paths(&world, &tx, &rx, &options, &control)?;

    // The field along paths is a step of its own, so other frequencies cost next to nothing.
    for world in [&world, &world.at(Frequency::from_ghz(28.0)?)?] {
        println!("{} GHz", world.frequency().ghz());
        for path in &paths {
            let field = PathField::new(path, world);
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
