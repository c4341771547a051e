//! The library in ten lines: open a mesh, make a world, ask for paths, print their gains.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use keller::{DVec3, Frequency, World, materials::Materials, units::power_to_db};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = keller_run::open_scene("examples/room/room.obj".as_ref())?;
    let concrete = Materials::with_default("concrete");
    let world = World::new(scene, &concrete, Frequency::from_ghz(3.5)?)?;
    let paths = world.paths(&[DVec3::new(1.0, 1.0, 2.0)], &[DVec3::new(4.0, 3.0, 1.5)])?;
    for (path, gain) in paths.iter().zip(paths.gains()) {
        println!(
            "{:4} {:6.2} m {:7.1} dB",
            path.types(),
            path.length,
            power_to_db(gain)
        );
    }
    Ok(())
}
