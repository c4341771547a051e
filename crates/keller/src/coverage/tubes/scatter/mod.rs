//! Diffuse scattering: what tubes light of rough walls sends on to all cells in free sight of it.
//!
//! The footprints of all tubes of a sequence on a wall are gathered in squares as wide as a cell of the region (`footprint`), and squares
//! are joined to larger patches for cells far away (`patch`). A patch sends to the cells of the region for which it is small enough and
//! which its parent is too large for (`spread`), so each cell receives all squares once, by rays that say what is free.
//!
//! Squares hold power and where its middle lies, so no power is made or lost by joining them. Behind a patch nothing else happens.
//!
//! A patch is asked for at five of its points at most. Where a cell sees some of them and others not, the patch's parts are asked, down to
//! single squares, of which that share counts. Patches that bring little of what a cell has without scattering are asked for at one point.
//!
//! Cost: a ray for each patch and cell, five and more where the patch is much of what the cell gets. **Leaves out** squares that do not
//! even bring [`FLOOR`] of the least gain that counts to the next cell, and all but the strongest [`MOST_SQUARES`].

mod footprint;
mod patch;
mod samples;
mod spread;

use std::sync::{Mutex, PoisonError};

use super::bundle::Bundle;
use super::split::Leaf;
use super::tracer::{Sink, Tracer};
use crate::Error;
use crate::scene::FaceId;
use footprint::Square;

/// What one patch brings counts from this part of the least gain on, as many come together.
const FLOOR: f64 = 0.3;

/// More squares of a transmitter do not scatter.
const MOST_SQUARES: usize = 1 << 17;

/// What the tubes of a transmitter light of rough walls.
#[derive(Debug, Default)]
pub(super) struct Lights(Mutex<Vec<Light>>);

/// What the tubes of one bundle light of a wall.
#[derive(Debug)]
struct Light {
    /// Without its tubes.
    bundle: Bundle,
    face: FaceId,
    squares: Vec<Square>,
}

impl Tracer<'_> {
    /// Notes what tubes light of rough walls, where waves may still be scattered.
    pub(super) fn light(&self, bundle: &Bundle, leaves: &[Leaf]) {
        // Those of other antennas are not kept.
        let is_wanted = matches!(self.sink, Sink::Sums(_)) && self.may_scatter(bundle);
        if !is_wanted {
            return;
        }
        let found = self.squares(bundle, leaves);
        if !found.is_empty() {
            let lights = found.into_iter().map(|(face, squares)| Light {
                bundle: Bundle {
                    met: bundle.met.clone(),
                    fronts: Vec::new(),
                    ..*bundle
                },
                face,
                squares,
            });
            let mut all = self.lights.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend(lights);
        }
    }

    /// Whether rough walls may send on what it lights.
    pub(super) fn may_scatter(&self, bundle: &Bundle) -> bool {
        let interactions = bundle.reflections + bundle.diffractions + 1;
        self.limits.max_scatterings > 0
            && interactions <= self.limits.interactions()
            && bundle.transmissions <= self.limits.transmissions_beside(interactions)
    }

    /// Adds what the lights of all bundles send to the cells.
    pub(super) fn scatter(&self) -> Result<(), Error> {
        let Sink::Sums(sums) = self.sink else {
            return Ok(());
        };
        let mut lights = {
            let mut all = self.lights.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *all)
        };
        keep_strongest(&mut lights);
        self.spread(lights, sums)
    }
}

/// Keeps the strongest squares, whatever the order of the lights.
fn keep_strongest(lights: &mut [Light]) {
    let mut powers: Vec<f64> = lights
        .iter()
        .flat_map(|light| light.squares.iter().map(|square| square.power))
        .collect();
    if powers.len() > MOST_SQUARES {
        let (_, least, _) = powers.select_nth_unstable_by(MOST_SQUARES, |a, b| b.total_cmp(a));
        let least = *least;
        for light in lights {
            light.squares.retain(|square| square.power > least);
        }
    }
}
