//! The links from outdoors by themselves: the part of the error that entering a building brings.
//!
//! Six of the Tx stand before the facade, 8 to 42 m away and 9 m below the level of the points. Every figure is over their links
//! alone, with an offset for each Tx, by the code of `keller compare`.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use keller::comparison::{OffsetKind, Paired};
use keller::scene::Scene;

use super::anchors;
use super::calibrated::{BACKGROUND_ALONE, LOSSES_ALONE, OFFSETS_ALONE, USUAL};
use super::fit::{Fitter, Judged, NUM_FOLDS};
use super::house::{House, WHOLE};
use super::predictions::Predicted;
use super::set_up::{SetUp, reflections};
use super::survey::{LEVEL, LOWEST_LEVEL, SIDE, Survey, Tx};

/// Prints the tables.
///
/// # Errors
/// The errors of the runs.
pub(super) fn report(survey: &Survey, scene: &Scene, folder: &Path) -> Result<()> {
    let judged = Judged::new(survey, |tx| !tx.is_indoors());
    println!(
        "\nfrom outdoors alone: {} links, one offset a Tx",
        judged.num_links()
    );
    let usual = zero_fit(survey, &judged, folder)?;
    fitted(survey, scene, &judged, &usual, folder)
}

/// Metres from the facade.
fn distance(tx: &Tx) -> f64 {
    (tx.position.x - SIDE).max(-tx.position.x)
}

/// Prints a row for each set-up with nothing fitted but offsets; gives the levels of the usual one, dB.
fn zero_fit(survey: &Survey, judged: &Judged<'_>, folder: &Path) -> Result<Vec<f64>> {
    let mut distances: Vec<f64> = survey.tx.iter().map(distance).collect();
    distances.retain(|distance| *distance > 0.0);
    distances.sort_by(f64::total_cmp);
    distances.dedup();
    println!("zero fit: standard deviation of the error, dB");
    print!("{:<58}{:>8}{:>16}", "", "all", "95 %");
    for distance in &distances {
        print!("{:>10}", format!("{distance:.1} m"));
    }
    println!("{:>11}", "unreached");
    let usual = SetUp::usual();
    let of_house = |house: House| SetUp {
        house,
        ..usual.clone()
    };
    let of_levels = |levels| House { levels, ..WHOLE };
    let floating = House {
        has_ground: false,
        ..WHOLE
    };
    let with_paths = |paths: String| SetUp {
        paths,
        ..usual.clone()
    };
    let one_wall = "max_reflections = 0\nmax_transmissions = 1".to_owned();
    let without_field = SetUp {
        diffuse: None,
        ..usual.clone()
    };
    let isotropic = SetUp {
        antenna: "isotropic",
        ..usual.clone()
    };
    let rows = [
        ("the usual set-up", usual.clone()),
        ("its paths alone, without the diffuse field", without_field),
        ("1 reflection", with_paths(reflections(1))),
        ("0 reflections", with_paths(reflections(0))),
        (
            "paths through at most 1 wall, 0 reflections",
            with_paths(one_wall),
        ),
        ("isotropic antennas", isotropic),
        ("no ground", of_house(floating)),
        ("levels 5 to 8", of_house(of_levels(LOWEST_LEVEL..=LEVEL))),
        ("level 8 alone", of_house(of_levels(LEVEL..=LEVEL))),
    ];
    let mut of_usual = None;
    for (name, set_up) in rows {
        let predicted = Predicted::of(&set_up, survey, folder)?;
        let levels: Vec<f64> = predicted.pairs.iter().map(|p| p.predicted_db).collect();
        let compared = judged.compare(&levels);
        let statistics = compared.statistics.context("there are errors")?;
        let [low, high] = compared.intervals.context("there are places")?.rmse;
        let interval = format!("{low:.2} to {high:.2}");
        print!("{name:<58}{:>8.2}{interval:>16}", statistics.rmse);
        for at in &distances {
            print!(
                "{:>10.2}",
                judged.of_tx(|tx| distance(tx) == *at).rmse(&levels)
            );
        }
        println!("{:>11}", compared.num_unreached);
        of_usual.get_or_insert(levels);
    }
    of_usual.context("there is a usual set-up")
}

/// Prints the errors of fits to all links, to those from outdoors and to those from indoors, for keller and for laws
/// without rays. `usual` are the levels of the usual set-up, dB.
fn fitted(
    survey: &Survey,
    scene: &Scene,
    judged: &Judged<'_>,
    usual: &[f64],
    folder: &Path,
) -> Result<()> {
    println!(
        "\nfitted to links of these Tx, judged by those from outdoors, {NUM_FOLDS} folds by place: RMSE, dB"
    );
    println!(
        "{:<44}{:>8}{:>8}{:>12}{:>8}{:>10}{:>6}",
        "", "all", "folds", "outdoors", "folds", "indoors", "s"
    );
    for law in anchors::laws(survey, scene) {
        let fit = |is_used: &dyn Fn(usize) -> bool, offsets| law.fit(survey, is_used, offsets);
        let levels = row(law.name, &fit, survey, judged)?;
        let [ours, theirs] = [usual, &levels].map(|levels| judged.pairs(levels));
        let paired = Paired::of(&theirs, &ours, OffsetKind::PerGroup).context("there are links")?;
        let [low, high] = paired.difference.context("there are places")?;
        println!(
            "        mean absolute error {:.2}; of the usual set-up, nothing fitted, {:.2}: {low:+.2} to {high:+.2} (95 %)",
            paired.mean_absolute[0], paired.mean_absolute[1]
        );
    }
    println!("keller, 1 reflection:");
    let unfitted = OFFSETS_ALONE.fit(survey, &|_| true, OffsetKind::PerGroup, folder)?;
    row(
        OFFSETS_ALONE.name,
        &|_, _| Ok(unfitted.clone()),
        survey,
        judged,
    )?;
    for choice in [&LOSSES_ALONE, &BACKGROUND_ALONE, &USUAL] {
        let fit =
            |is_used: &dyn Fn(usize) -> bool, offsets| choice.fit(survey, is_used, offsets, folder);
        row(choice.name, &fit, survey, judged)?;
    }
    Ok(())
}

/// Prints the row of a model; gives its levels fitted to the links from outdoors, dB.
fn row(name: &str, fit: &Fitter<'_>, survey: &Survey, judged: &Judged<'_>) -> Result<Vec<f64>> {
    let start = Instant::now();
    let is_indoors = |k: usize| survey.tx[survey.links[k].tx].is_indoors();
    let to_all = fit(&|_| true, OffsetKind::PerGroup)?;
    let to_outdoors = fit(&|k| !is_indoors(k), OffsetKind::PerGroup)?;
    // The losses of floors would be in the offsets if each of them had one.
    let to_indoors = fit(&is_indoors, OffsetKind::One)?;
    println!(
        "{name:<44}{:>8.2}{:>8.2}{:>12.2}{:>8.2}{:>10.2}{:>6.0}",
        judged.rmse(&to_all.levels),
        judged.folds(fit, &|_| true)?,
        judged.rmse(&to_outdoors.levels),
        judged.folds(fit, &|k| !is_indoors(k))?,
        judged.rmse(&to_indoors.levels),
        start.elapsed().as_secs_f64()
    );
    for (links, found) in [
        ("all", &to_all),
        ("outdoors", &to_outdoors),
        ("indoors", &to_indoors),
    ] {
        if !found.values.is_empty() {
            println!("        {links}: {}", found.values());
        }
    }
    Ok(to_outdoors.levels)
}
