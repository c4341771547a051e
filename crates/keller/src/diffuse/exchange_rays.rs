//! The exchange between sides, from rays.
//!
//! Every side casts rays from points spread over it, with the density of Lambert's law. The number of rays between two
//! sides, from either, estimates their exchange area; `balance` then makes it reciprocal and lossless.

use rayon::prelude::*;

use super::balance::balance;
use super::caster::Caster;
use super::exchange::Exchange;
use super::sampling::{Points, around};
use crate::{Control, Error, Stage};

/// The exchange, from `rays` rays of each side of a patch of mean area.
///
/// # Errors
/// [`Error::Cancelled`]
pub(super) fn sample_exchange(
    caster: Caster,
    rays: u32,
    control: &Control,
) -> Result<Exchange, Error> {
    let patches = caster.patches;
    let sides = patches.num_sides();
    let total: f64 = patches.list.iter().map(|patch| patch.area).sum();
    let mean = total / patches.list.len().max(1) as f64;
    control.report(Stage::Visibility, 0.0);
    let rows: Vec<Row> = (0..sides)
        .into_par_iter()
        .map(|side| {
            control.check()?;
            Ok(cast(
                caster,
                side,
                count(rays, patches.of_side(side).area / mean),
            ))
        })
        .collect::<Result<_, Error>>()?;
    control.report(Stage::Visibility, 0.9);
    let joined = join(&rows);
    let mut exchange = Exchange {
        starts: vec![0],
        columns: Vec::new(),
        areas: Vec::new(),
        lengths: Vec::new(),
        own: vec![0.0; sides],
        own_lengths: vec![0.0; sides],
        open: rows.iter().map(|row| row.open / row.density).collect(),
        side_areas: (0..sides).map(|side| patches.of_side(side).area).collect(),
    };
    for (side, links) in joined.iter().enumerate() {
        let (mut far, mut weight) = (0.0, 0.0);
        for link in links {
            let densities = rows[side].density + rows[link.other as usize].density;
            #[expect(clippy::cast_possible_truncation, reason = "samples have few digits")]
            let area = (f64::from(link.count) / densities) as f32;
            exchange.columns.push(link.other);
            exchange.areas.push(area);
            exchange.lengths.push(link.length / link.count);
            far += f64::from(link.length);
            weight += f64::from(link.count);
        }
        exchange.starts.push(exchange.columns.len());
        exchange.own_lengths[side] = if weight > 0.0 { far / weight } else { 0.0 };
    }
    balance(&mut exchange);
    control.report(Stage::Visibility, 1.0);
    Ok(exchange)
}

/// The rays from one side that meet another, or from that one to this.
#[derive(Debug, Clone, Copy)]
struct Link {
    other: u32,
    /// Number of rays, less what clutter absorbs.
    count: f32,
    /// Sum of their lengths, metres.
    length: f32,
}

/// What the rays from one side met.
struct Row {
    links: Vec<Link>,
    /// Rays that met nothing.
    open: f64,
    /// Rays for each square metre.
    density: f64,
}

/// Rays from a side of this many times the mean area.
fn count(rays: u32, relative_area: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of floats saturates"
    )]
    let wanted = (f64::from(rays) * relative_area).ceil() as u32;
    wanted.clamp(rays.div_ceil(8), rays.saturating_mul(4))
}

/// Casts rays from one side.
fn cast(caster: Caster, side: usize, count: u32) -> Row {
    let patch = caster.patches.of_side(side);
    let plane = caster.scene.plane_of(patch.face);
    let normal = caster.patches.normal(side);
    let points = Points::new(side as u64);
    let starts: Vec<_> = (0..count)
        .map(|k| {
            let [a, b, c, d] = points.at(k);
            (patch.point([a, b]), around(normal, [c, d]))
        })
        .collect();
    let rays: Vec<_> = starts
        .iter()
        .map(|(origin, direction)| caster.ray(*origin, *direction, Some(plane)))
        .collect();
    let mut hits = vec![None; rays.len()];
    caster.scene.index().closest_hits(&rays, &mut hits);
    let mut open = 0.0;
    let mut links: Vec<Link> = Vec::new();
    for ((origin, direction), hit) in starts.iter().zip(&hits) {
        let met = hit.and_then(|hit| caster.met(*origin, *direction, &hit));
        let Some(met) = met else {
            open += 1.0;
            continue;
        };
        open += 1.0 - met.share;
        #[expect(clippy::cast_possible_truncation, reason = "samples have few digits")]
        links.push(Link {
            other: u32::try_from(met.side).expect("fewer than 2^32 sides"),
            count: met.share as f32,
            length: (met.share * met.distance) as f32,
        });
    }
    links.retain(|link| link.count > 0.0);
    links.sort_by_key(|link| link.other);
    Row {
        links: merged(&links),
        open,
        density: f64::from(count) / patch.area,
    }
}

/// The sums of all links to the same side. They must be sorted by side.
fn merged(links: &[Link]) -> Vec<Link> {
    let sum = |links: &[Link]| Link {
        other: links[0].other,
        count: links.iter().map(|link| link.count).sum(),
        length: links.iter().map(|link| link.length).sum(),
    };
    links.chunk_by(|a, b| a.other == b.other).map(sum).collect()
}

/// For each side, its rays to others and the rays of others to it.
fn join(rows: &[Row]) -> Vec<Vec<Link>> {
    let mut joined: Vec<Vec<Link>> = rows.iter().map(|row| row.links.clone()).collect();
    for (side, row) in rows.iter().enumerate() {
        for link in &row.links {
            joined[link.other as usize].push(Link {
                other: u32::try_from(side).expect("fewer than 2^32 sides"),
                ..*link
            });
        }
    }
    joined
        .into_par_iter()
        .map(|mut links| {
            links.sort_by_key(|link| link.other);
            merged(&links)
        })
        .collect()
}
