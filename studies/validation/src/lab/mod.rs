//! Compares experiments of the literature with keller's own answer: `keller-validation lab NAME`. Each checks itself
//! against an exact answer where there is one, prints tables in Markdown, and writes pictures into a folder if it is
//! given one.

mod cubes;
mod hu;
mod irla;
mod models;
mod parflow;
mod ray_classes;
mod vaara;

use anyhow::{Result, bail};

/// Runs the experiment that the first argument names, with the arguments behind it.
pub(crate) fn check(arguments: &[&str]) -> Result<()> {
    let Some((&name, arguments)) = arguments.split_first() else {
        bail!("which experiment? One of: {}", NAMES.join(", "));
    };
    match name {
        "cubes" => cubes::check(arguments),
        "hu" => hu::check(arguments),
        "irla" => irla::check(arguments),
        "models" => models::check(arguments),
        "parflow" => parflow::check(arguments),
        "ray-classes" => ray_classes::check(arguments),
        "vaara" => vaara::check(arguments),
        _ => bail!(
            "no experiment is called '{name}'; there are: {}",
            NAMES.join(", ")
        ),
    }
}

/// The experiments that there are.
const NAMES: [&str; 7] = [
    "cubes",
    "hu",
    "irla",
    "models",
    "parflow",
    "ray-classes",
    "vaara",
];
