//! Measures the gain in accuracy by each ingredient of a prediction, with nothing fitted but offsets.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;

use super::house::{House, WHOLE};
use super::predictions::{Predicted, Spread};
use super::set_up::{SetUp, bend_and_reflection, bend_or, reflections};
use super::survey::{LEVEL, LOWEST_LEVEL, Survey};

/// Prints a row for each set-up; gives the spread of the usual one.
///
/// # Errors
/// The errors of the runs.
pub(super) fn report(survey: &Survey, folder: &Path) -> Result<Spread> {
    println!("\nzero fit: standard deviation of the error, dB");
    println!(
        "{:<58}{:>8}{:>10}{:>10}{:>12}{:>11}{:>9}{:>7}",
        "", "all", "indoors", "outdoors", "indoors, 1", "unreached", "paths", "s"
    );
    let row = |name: &str, set_up: &SetUp| {
        let start = Instant::now();
        let predicted = Predicted::of(set_up, survey, folder)?;
        let spread = predicted.spread(survey);
        println!(
            "{name:<58}{:>8.2}{:>10.2}{:>10.2}{:>12.2}{:>11}{:>9}{:>7.1}",
            spread.all,
            spread.indoors,
            spread.outdoors,
            spread.indoors_one,
            spread.num_unreached,
            predicted.num_paths,
            start.elapsed().as_secs_f64()
        );
        anyhow::Ok(spread)
    };
    let usual = SetUp::usual();
    let without = |set_up: &SetUp| SetUp {
        diffuse: None,
        ..set_up.clone()
    };
    for (name, paths) in [
        ("0 reflections", reflections(0)),
        ("1 reflection", reflections(1)),
        ("2 reflections", reflections(2)),
        ("1 reflection, or 1 bend", bend_or(1)),
        ("2 reflections, or 1 bend", bend_or(2)),
        (
            "2 reflections, or 1 reflection and 1 bend",
            bend_and_reflection(),
        ),
    ] {
        let set_up = SetUp {
            paths,
            ..usual.clone()
        };
        row(&format!("{name}, paths alone"), &without(&set_up))?;
        row(&format!("{name}, with the diffuse field"), &set_up)?;
    }
    let of_house = |house: House| SetUp {
        house,
        ..usual.clone()
    };
    let isotropic = SetUp {
        antenna: "isotropic",
        ..usual.clone()
    };
    let floating = House {
        has_ground: false,
        ..WHOLE
    };
    println!(
        "the usual set-up (2 reflections, diffuse field, dipoles, levels 5 to 9, ground), and one thing else:"
    );
    let spread = row("the usual set-up", &usual)?;
    row("isotropic antennas", &isotropic)?;
    row("no ground", &of_house(floating.clone()))?;
    let both = SetUp {
        house: floating,
        ..isotropic.clone()
    };
    row("isotropic antennas and no ground", &both)?;
    let low = House {
        levels: LOWEST_LEVEL..=LEVEL,
        ..WHOLE
    };
    row("levels 5 to 8", &of_house(low))?;
    let alone = House {
        levels: LEVEL..=LEVEL,
        ..WHOLE
    };
    row("level 8 alone", &of_house(alone))?;
    let fine = SetUp {
        diffuse: Some("side = 1.4"),
        ..usual.clone()
    };
    row("tiles of half the side", &fine)?;
    let one_wall = SetUp {
        paths: "max_reflections = 0\nmax_transmissions = 1".to_owned(),
        ..usual.clone()
    };
    row("paths through at most 1 wall, 0 reflections", &one_wall)?;
    Ok(spread)
}
