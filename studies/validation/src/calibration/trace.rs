//! The paths to all points, found once.

use anyhow::{Context, Result};
use keller::antenna::Antenna;
use keller::calibration::{TracedLink, TracedLinks};
use keller::paths::{Devices, Limits, Path, PathFinder, PathOptions};
use keller::{Control, DVec3, World};

use super::city::City;
use super::stopwatch::{Seconds, Stopwatch};

/// Two reflections, or one reflection with one diffraction.
fn alternatives() -> [PathOptions; 2] {
    let reflections = Limits {
        max_interactions: 2,
        max_reflections: 2,
        ..Limits::default()
    };
    let edge = Limits {
        max_reflections: 1,
        max_diffractions: 1,
        ..reflections
    };
    [reflections, edge].map(|limits| PathOptions {
        limits,
        search: None,
    })
}

/// The paths to some points, point by point, and the time that they took.
pub(super) fn trace(
    world: &World,
    tx: DVec3,
    points: &[DVec3],
) -> Result<(Vec<Vec<Path>>, Seconds)> {
    let control = Control::default();
    let watch = Stopwatch::start();
    let devices = Devices::tx(world.scene(), [tx])?;
    let rx = Devices::rx(world.scene(), points)?;
    let finder = PathFinder::of_alternatives(world, &alternatives(), &control)?;
    let seen = finder.views_from(&devices, 0, &control)?;
    let paths = finder.paths(&seen, &rx, &control)?;
    let seconds = watch.stop();
    let mut of_points = vec![Vec::new(); points.len()];
    for path in paths {
        let rx = path.rx;
        of_points.get_mut(rx).context("a point")?.push(path);
    }
    Ok((of_points, seconds))
}

/// The traced links to some points.
pub(super) fn traced_links<'a>(
    city: &City,
    points: impl IntoIterator<Item = (&'a DVec3, &'a Vec<Path>)>,
) -> TracedLinks {
    let antennas = || vec![Antenna::default()];
    let of_point = |(point, paths): (&DVec3, &Vec<Path>)| TracedLink {
        antennas: [0, 0],
        distance: city.tx.distance(*point),
        paths: paths.clone(),
    };
    TracedLinks::new(
        city.world.scene(),
        antennas(),
        antennas(),
        points.into_iter().map(of_point),
    )
}
