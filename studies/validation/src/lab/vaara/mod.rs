//! The coarse search of Vaara 2022 in a made-up corridor: its buffers, its removal of doubles, its orders, its
//! refinement, and the share of the exact paths that it finds.

mod buffers;
mod orders;
mod outdoors;
mod pictures;
mod place;
mod rows;
mod thesis;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use keller::Frequency;
use keller_lab::vaara::threshold::{FieldUnit, path_gain_db};

use place::Place;

/// `lab vaara [PICTURES|- [SCENE.xml]]`: the corridor, and a square of a city if its scene is given.
pub(super) fn check(arguments: &[&str]) -> Result<()> {
    let (pictures, scene) = match arguments {
        [] => (None, None),
        [pictures] => (Some(*pictures), None),
        [pictures, scene] => (Some(*pictures), Some(Path::new(*scene))),
        _ => bail!("usage: lab vaara [PICTURES|- [SCENE.xml]]"),
    };
    let pictures = pictures.filter(|folder| *folder != "-").map(Path::new);
    println!("Takes about three and a half minutes on two cores, the city included.\n");
    let start = Instant::now();
    let place = Place::corridor()?;
    println!("{}\n", place.text);
    threshold()?;
    let counts = rows::run(&place)?;
    orders::run(&place)?;
    let sweep = buffers::run(&place)?;
    if let Some(folder) = pictures {
        std::fs::create_dir_all(folder)?;
        pictures::draw(folder, &place, &counts, &sweep)?;
    }
    if let Some(scene) = scene {
        outdoors::run(scene)?;
    }
    println!("\n{:.0} s in all.", start.elapsed().as_secs_f64());
    Ok(())
}

/// The threshold of the document as path gains.
fn threshold() -> Result<()> {
    println!(
        "Threshold of -100 dB of the squared field (eq. 15) as path gain:\n\n| frequency | field in V/m | field 1 at 1 m |\n|--:|--:|--:|"
    );
    for ghz in [1.4, 110.0] {
        let frequency = Frequency::from_ghz(ghz)?;
        let gain = |unit| path_gain_db(-100.0, unit, frequency);
        println!(
            "| {ghz} GHz | {:.1} dB | {:.1} dB |",
            gain(FieldUnit::VoltPerMetre),
            gain(FieldUnit::AtOneMetre)
        );
    }
    println!();
    Ok(())
}
