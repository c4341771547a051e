//! Measures the cost of a coverage by tubes against resolution, reflections and transmitters.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::Region;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::paths::Limits;
use keller::units::db_to_power;
use keller::{Control, DVec3, Tx};

use super::place::{self, HEIGHT, Place};
use super::{LIMIT_DB, RESOLUTION, limits, reference};

/// Half the side of the square around the transmitter that is cut into ever smaller cells, metres.
const HALF_SIDE: f64 = 300.0;

/// The tables of every place in the folder `data`, or of one of them.
pub(crate) fn scale(data: &Path, only: Option<&str>) -> Result<()> {
    for name in place::names(only)? {
        let place = Place::load(name, data, RESOLUTION)?;
        println!("\n{name}, {LIMIT_DB} dB, default accuracy");
        resolutions(&place)?;
        reflections(&place)?;
        transmitters(&place)?;
    }
    Ok(())
}

fn resolutions(place: &Place) -> Result<()> {
    println!(
        "resolution, m      cells  seconds   (5R+5T, a square of {} m)",
        2.0 * HALF_SIDE
    );
    let low = place.region.min;
    let centre = place.tx.position.truncate();
    let floor = place.region.levels.heights()[0] - 0.5 * RESOLUTION;
    let extent = DVec2::from(place.region.num_columns.map(|n| n as f64)) * place.region.resolution;
    let min = (centre - HALF_SIDE).max(low);
    let max = (centre + HALF_SIDE).min(low + extent);
    for resolution in [10.0, 5.0, 2.0, 1.0] {
        let region = Region::volume(
            min.extend(floor),
            max.extend(floor + HEIGHT),
            DVec3::splat(resolution),
        )?;
        let seconds = seconds(
            place,
            &region,
            &limits(5, 5),
            std::slice::from_ref(&place.tx),
        )?;
        println!("{resolution:13}  {:9}  {seconds:7.2}", region.num_cells());
    }
    Ok(())
}

fn reflections(place: &Place) -> Result<()> {
    println!("reflections  alone, s  with 5 transmissions, s   ({RESOLUTION} m)");
    for reflections in 1..=8 {
        let of = |transmissions| {
            let limits = limits(reflections, transmissions);
            seconds(
                place,
                &place.region,
                &limits,
                std::slice::from_ref(&place.tx),
            )
        };
        println!("{reflections:11}  {:8.2}  {:23.2}", of(0)?, of(5)?);
    }
    Ok(())
}

fn transmitters(place: &Place) -> Result<()> {
    println!("transmitters  seconds   (5R, {RESOLUTION} m)");
    let ground = place.world.scene().bounds()[0].z;
    let cells = reference::draw(place, 1000);
    let outdoors = cells.iter().filter(|cell| {
        let under = place
            .world
            .scene()
            .ground(cell.centre.truncate())
            .unwrap_or(ground);
        !cell.is_indoors && cell.centre.z > under
    });
    let tx: Vec<Tx> = outdoors
        .map(|cell| Tx {
            position: cell.centre,
            antenna: Antenna::default(),
        })
        .collect();
    for count in [1, 10, 100] {
        let tx = &tx[..count.min(tx.len())];
        let seconds = seconds(place, &place.region, &limits(5, 0), tx)?;
        println!("{:12}  {seconds:7.2}", tx.len());
    }
    Ok(())
}

/// The time to fill a region, transmitter after transmitter, seconds.
fn seconds(place: &Place, region: &Region, limits: &Limits, tx: &[Tx]) -> Result<f64> {
    let settings = Settings {
        limits: *limits,
        accuracy: Accuracy::Default,
        min_gain: db_to_power(-LIMIT_DB),
    };
    let start = Instant::now();
    let tubes = Tubes::new(&place.world, region, settings);
    for tx in tx {
        tubes.gains(tx, 0..region.num_cells(), &Control::default())?;
    }
    Ok(start.elapsed().as_secs_f64())
}
