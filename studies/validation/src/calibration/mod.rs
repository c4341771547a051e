//! Calibration where the truth is known: hidden materials of a city come back, how surely, and at which cost.

mod city;
mod fits;
mod measured;
mod points;
mod routes;
mod same_bits;
mod stopwatch;
mod times;
mod trace;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use keller_io::reports::plot::{ScatterPlot, png};

use city::City;
use points::Points;

/// Checks calibration on Munich of the folder `data`. A picture of how searches come nearer, and its numbers, go to
/// `pictures`.
pub(crate) fn check(data: &Path, pictures: Option<&Path>) -> Result<()> {
    let city = City::load(data)?;
    let points = Points::trace(&city)?;
    same_bits::same_bits(&city, &points)?;
    let mut failures = times::times(&city, &points)?;
    if let Some(folder) = pictures {
        draw(folder, &times::courses(&city, &points)?)?;
    }
    failures.extend(fits::fits(&city, &points)?);
    for failure in &failures {
        println!("FAILS: {failure}");
    }
    ensure!(
        failures.is_empty(),
        "{} goals are not reached",
        failures.len()
    );
    Ok(())
}

/// Error over evaluations, as a picture and as a table.
fn draw(folder: &Path, courses: &[(String, Vec<[f64; 2]>)]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut table = "search,evaluations,rmse_db\n".to_owned();
    for (name, course) in courses {
        for [evaluations, rmse] in course {
            writeln!(table, "{name},{evaluations},{rmse}")?;
        }
    }
    std::fs::write(folder.join("calibration.csv"), table)?;
    let plot = ScatterPlot {
        x_title: "evaluations of the table, powers of ten".to_owned(),
        y_title: "RMSE / dB".to_owned(),
        curves: courses
            .iter()
            .map(|(name, course)| (name.clone(), steps(course)))
            .collect(),
        ..ScatterPlot::default()
    };
    let svg = plot.svg();
    std::fs::write(
        folder.join("calibration.png"),
        png(&svg).context("a picture")?,
    )?;
    std::fs::write(folder.join("calibration.svg"), svg)?;
    Ok(())
}

/// The best so far at every evaluation: level, then down.
fn steps(course: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points = Vec::new();
    let mut last = None;
    for [evaluations, rmse] in course {
        let at = evaluations.log10();
        points.extend(last.map(|last| [at, last]));
        points.push([at, *rmse]);
        last = Some(*rmse);
    }
    points
}
