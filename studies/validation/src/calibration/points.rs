//! The points of all routes with their paths, and which of them the fit does not see.

use anyhow::{Result, ensure};
use keller::DVec3;
use keller::calibration::TracedLinks;

use super::city::City;
use super::routes::routes;
use super::stopwatch::Seconds;
use super::trace::{trace, traced_links};

/// Points of all routes.
const NUM_POINTS: usize = 2400;

/// Routes that are tried, and points of each before those without a path are left out.
const NUM_CANDIDATES: usize = 11;
const LENGTH: usize = 330;

/// A route with fewer points that are reached is left out.
const MIN_REACHED: usize = 120;

/// Fewest routes, and how many of them are held out.
const MIN_ROUTES: usize = 6;
const NUM_HELD_OUT: usize = 3;

/// Points that some path reaches, and the paths.
pub(super) struct Points {
    pub(super) traced: TracedLinks,
    /// The traced links of the routes that the fit sees, and of the others.
    pub(super) parts: [TracedLinks; 2],
    pub(super) positions: Vec<DVec3>,
    /// The time of one trace of these points.
    pub(super) trace_time: Seconds,
}

impl Points {
    /// Draws routes, and traces to their points.
    pub(super) fn trace(city: &City) -> Result<Self> {
        let candidates = routes(city.world.scene(), city.tx, NUM_CANDIDATES, LENGTH);
        let (paths, _) = trace(&city.world, city.tx, &candidates.concat())?;
        let routes: Vec<Vec<DVec3>> = candidates
            .iter()
            .zip(paths.chunks(LENGTH))
            .map(|(route, paths)| {
                let both = route.iter().zip(paths);
                both.filter(|(_, paths)| !paths.is_empty())
                    .map(|(point, _)| *point)
                    .collect::<Vec<_>>()
            })
            .filter(|reached| reached.len() >= MIN_REACHED)
            .collect();
        ensure!(routes.len() >= MIN_ROUTES, "{} routes", routes.len());
        // The longest routes are cut until there are as many points as wanted.
        let total = |most: usize| {
            routes
                .iter()
                .map(|route| route.len().min(most))
                .sum::<usize>()
        };
        let most = (1..=LENGTH).find(|most| total(*most) >= NUM_POINTS);
        let most = most.unwrap_or(LENGTH);
        let mut surplus = total(most).saturating_sub(NUM_POINTS);
        let (mut positions, mut is_held_out) = (Vec::new(), Vec::new());
        for (number, route) in routes.iter().enumerate() {
            let mut count = route.len().min(most);
            if surplus > 0 && count == most {
                count -= 1;
                surplus -= 1;
            }
            let held_out = number % (routes.len() / NUM_HELD_OUT) == 1
                && number / (routes.len() / NUM_HELD_OUT) < NUM_HELD_OUT;
            positions.extend(&route[..count]);
            is_held_out.extend(std::iter::repeat_n(held_out, count));
        }
        ensure!(positions.len() == NUM_POINTS, "{} points", positions.len());
        let (paths, trace_time) = trace(&city.world, city.tx, &positions)?;
        let all = || positions.iter().zip(&paths);
        let part = |held_out: bool| {
            let of_part = all().zip(&is_held_out).filter(|(_, is)| **is == held_out);
            traced_links(city, of_part.map(|(point, _)| point))
        };
        println!(
            "{} routes, {NUM_POINTS} points, {} of them on {NUM_HELD_OUT} routes held out; {} paths in {:.1} s, {:.1} s of the processor",
            routes.len(),
            is_held_out.iter().filter(|is| **is).count(),
            paths.iter().map(Vec::len).sum::<usize>(),
            trace_time.wall,
            trace_time.processor,
        );
        let (whole, parts) = (traced_links(city, all()), [part(false), part(true)]);
        Ok(Self {
            traced: whole,
            parts,
            positions,
            trace_time,
        })
    }
}
