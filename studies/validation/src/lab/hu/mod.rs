//! Compares GORL, over-launching and TLARS of Hu 2020 with keller: time, memory, gaps and errors over COST 231 Munich,
//! and the two limits of section 5.7 where the answer is a closed form.

mod case;
mod city;
mod interactions;
mod methods;
mod pictures;
mod surfaces;

use std::path::Path;

use anyhow::Result;

/// Waves weaker than this count for nobody, dB.
const LIMIT_DB: f64 = 130.0;

/// Runs on the city in DATA, and draws maps into the folder PICTURES. A third argument picks one part;
/// `etoile`, whose scene must be in DATA, is tried only if it is asked for.
pub(super) fn check(arguments: &[&str]) -> Result<()> {
    let (data, folder, part) = match arguments {
        [data] => (Path::new(data), None, None),
        [data, folder] => (Path::new(data), Some(Path::new(folder)), None),
        [data, folder, part] => (Path::new(data), Some(Path::new(folder)), Some(*part)),
        _ => anyhow::bail!("usage: keller-validation lab hu DATA [PICTURES [PART]]"),
    };
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
    }
    let is_asked = |name: &str| part.is_none_or(|part| part == name);
    println!("GORL and TLARS: surfaces, ladder, scale, interactions");
    if is_asked("surfaces") {
        surfaces::check(folder)?;
    }
    if is_asked("ladder") {
        city::ladder(city::MUNICH, data, folder)?;
    }
    // Its scene is not with the data of Munich.
    if part == Some("etoile") {
        city::ladder(city::ETOILE, data, folder)?;
    }
    if is_asked("scale") {
        city::scale(data)?;
    }
    if is_asked("interactions") {
        interactions::check(data)?;
    }
    Ok(())
}
