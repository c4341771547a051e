//! Double counts of shooting and bouncing rays, and their removal by classes of rays (Key et al. 2020).

mod city;
mod exact;
mod pictures;
mod room;
mod tally;
mod waveguide;

use std::path::Path;

use anyhow::{Result, bail};

/// `lab ray-classes [SCENE.xml|-] [PICTURES]`: the waveguide of the document, and a city if its scene is given.
pub(super) fn check(arguments: &[&str]) -> Result<()> {
    let (scene, pictures) = match arguments {
        [] => (None, None),
        ["-", pictures] => (None, Some(Path::new(*pictures))),
        [scene] => (Some(Path::new(*scene)), None),
        [scene, pictures] => (Some(Path::new(*scene)), Some(Path::new(*pictures))),
        _ => bail!("usage: lab ray-classes [SCENE.xml|-] [PICTURES]"),
    };
    println!("The waveguide takes about five minutes on two cores, the city one more.\n");
    room::run()?;
    let rows = waveguide::run()?;
    if let Some(scene) = scene {
        city::run(scene)?;
    }
    if let Some(folder) = pictures {
        std::fs::create_dir_all(folder)?;
        pictures::draw(folder, &rows)?;
    }
    Ok(())
}
