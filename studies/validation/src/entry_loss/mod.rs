//! Compares building entry loss of a made-up office with ITU-R P.2109: do a plan, walls after ITU-R P.2040 and windows
//! give the losses that are measured in buildings of their kind?
//!
//! P.2109 is a distribution over many buildings, this is one building of four fabrics. So medians may be held against each
//! other, and the spread of one building should be the smaller. Behind walls that let nothing pass, the result depends on how
//! many reflections are exact paths and how many are in the diffuse field.

mod building;
mod losses;
mod p2109;

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::Frequency;
use keller::em::Surface;
use keller::units::power_to_db;
use keller_io::reports::plot::ScatterPlot;

use self::building::{COAT_OHMS, FABRICS, Fabric, Windowed};
use self::losses::{ELEVATION, Links, NUM_TX};
use self::p2109::Kind;

/// Carriers, GHz.
const FREQUENCIES: [f64; 3] = [0.9, 3.5, 28.0];

/// The percentages of each distribution that are printed.
const PERCENT: [usize; 3] = [10, 50, 90];

/// Prints a table for each frequency, and draws the distributions into the folder `pictures`.
///
/// # Errors
/// The errors of the runs and of the pictures, and for a median outside of what P.2109 has between 10 and 90 %.
pub(crate) fn check(pictures: Option<&Path>) -> Result<()> {
    let building = Windowed::new()?;
    println!(
        "{} doors, {} windows, {:.0} % of the facade; {NUM_TX} azimuths, {:.0} degrees above the horizon; coat of {COAT_OHMS} ohms a square",
        building.num_doors,
        building.num_windows,
        100.0 * building.share,
        ELEVATION.to_degrees()
    );
    let start = Instant::now();
    let links = Links::new(building)?;
    println!(
        "{} links, {} paths, {:.0} s",
        links.count(),
        links.paths.len(),
        start.elapsed().as_secs_f64()
    );
    let mut outside = Vec::new();
    for ghz in FREQUENCIES {
        let frequency = Frequency::from_ghz(ghz)?;
        println!("\n{ghz} GHz: entry loss, dB");
        print!("{:<44}", "");
        for percent in PERCENT {
            print!("{:>8}", format!("{percent} %"));
        }
        println!("{:>14}{:>8}{:>8}{:>6}", "paths, 50 %", "wall", "pane", "s");
        let mut curves = Vec::new();
        for (kind, name, short) in [
            (Kind::Traditional, "traditional", "trad."),
            (Kind::ThermallyEfficient, "thermally efficient", "eff."),
        ] {
            print!("{:<44}", format!("P.2109, {name}"));
            for percent in PERCENT {
                let probability = 0.01 * percent as f64;
                print!("{:>8.1}", kind.loss_db(frequency, ELEVATION, probability)?);
            }
            println!();
            curves.push((format!("P.2109 {short}"), curve_of(kind, frequency)?));
        }
        for fabric in &FABRICS {
            let start = Instant::now();
            let losses = links.losses(fabric, frequency)?;
            print!("{:<44}", fabric.name);
            for percent in PERCENT {
                print!("{:>8.1}", quantile(&losses.all, percent));
            }
            let [wall, pane] = passages(fabric, frequency)?;
            println!(
                "{:>14.1}{wall:>8.1}{pane:>8.1}{:>6.0}",
                quantile(&losses.of_paths, 50),
                start.elapsed().as_secs_f64()
            );
            let median = quantile(&losses.all, 50);
            if let Some(kind) = fabric.kind {
                let [low, high] = [0.1, 0.9].map(|p| kind.loss_db(frequency, ELEVATION, p));
                if !(low?..=high?).contains(&median) {
                    outside.push(format!("{} at {ghz} GHz", fabric.name));
                }
            }
            if let Some(name) = fabric.curve_name {
                curves.push((name.to_owned(), curve(&losses.all)));
            }
        }
        if let Some(folder) = pictures {
            std::fs::create_dir_all(folder)?;
            let plot = ScatterPlot {
                x_title: format!("building entry loss at {ghz} GHz / dB"),
                y_title: "not exceeded / %".to_owned(),
                points: Vec::new(),
                bars: Vec::new(),
                curves,
                has_diagonal: false,
                has_zero: false,
            };
            std::fs::write(folder.join(format!("entry-loss-{ghz}.svg")), plot.svg())?;
        }
    }
    ensure!(
        outside.is_empty(),
        "medians beyond the 10 to 90 % of P.2109: {}",
        outside.join(", ")
    );
    Ok(())
}

/// The losses of the facade and of a pane at normal incidence, dB.
fn passages(fabric: &Fabric, frequency: Frequency) -> Result<[f64; 2]> {
    let materials = fabric.materials();
    let facade = materials.named.iter().find(|(name, _)| name == "facade");
    let (_, facade) = facade.expect("every fabric has a facade");
    let loss = |material| {
        let surface = Surface::new(material, frequency)?;
        anyhow::Ok(-power_to_db(surface.transmission(1.0, true).te.norm_sqr()))
    };
    Ok([loss(facade)?, loss(&fabric.pane())?])
}

/// Loss, dB, and how much of P.2109 does not exceed it, %.
fn curve_of(kind: Kind, frequency: Frequency) -> Result<Vec<[f64; 2]>> {
    (1..100)
        .map(|percent| {
            let percent = f64::from(percent);
            let loss = kind.loss_db(frequency, ELEVATION, 0.01 * percent)?;
            Ok([loss, percent])
        })
        .collect()
}

/// The same of sorted losses.
fn curve(losses: &[f64]) -> Vec<[f64; 2]> {
    (1..100)
        .map(|percent| [quantile(losses, percent), percent as f64])
        .collect()
}

/// The value that so many percent of sorted values do not exceed.
fn quantile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(percent * (sorted.len() - 1) + 50) / 100]
}
