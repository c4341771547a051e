//! Patches: squares of an illuminated wall, joined to larger and larger ones.

use glam::DVec3;

use super::footprint::{MAX_HALVINGS, Square, width};
use super::samples::{Samples, samples_of};

/// Patches are at most as wide as two to the power of this cells of the region.
const MAX_DOUBLINGS: u32 = 6;

/// Some squares of a wall as one radiator.
#[derive(Debug, Clone)]
pub(super) struct Patch {
    /// The centre of its power.
    pub(super) centre: DVec3,
    /// Illuminated points: the nearest to the centre, then the outermost along the diagonals of the wall's axes.
    pub(super) samples: Samples,
    /// The area, square metres.
    pub(super) area: f64,
    /// [`Square::power`]
    pub(super) power: f64,
    /// The width, metres.
    pub(super) width: f64,
    /// The patches that it was joined from.
    pub(super) parts: Vec<Self>,
}

impl Patch {
    /// The patch of one square.
    fn new(square: &Square, width: f64) -> Self {
        Self {
            centre: square.centre,
            samples: square.samples.clone(),
            area: square.area,
            power: square.power,
            width,
            parts: Vec::new(),
        }
    }

    /// Joins the squares of a wall with these axes to as few patches as possible. `size` is the width of a cell of the
    /// region; no joined patch is wider than `widest` of its centre. All in metres.
    pub(super) fn joined(
        squares: &[Square],
        axes: (DVec3, DVec3),
        size: f64,
        widest: impl Fn(DVec3) -> f64,
    ) -> Vec<Self> {
        let of = |halvings| {
            let own = squares.iter().filter(move |s| s.halvings == halvings);
            own.map(move |square| (square.at, Self::new(square, width(size, halvings))))
        };
        let mut patches: Vec<([i32; 2], Self)> = of(MAX_HALVINGS).collect();
        for doublings in 1..=MAX_HALVINGS + MAX_DOUBLINGS {
            for (at, _) in &mut patches {
                *at = at.map(|c| c >> 1);
            }
            patches.sort_by_key(|(at, _)| *at);
            let width = width(size, MAX_HALVINGS) * f64::from(1_u32 << doublings);
            let mut next = Vec::with_capacity(patches.len());
            let mut rest = patches.into_iter().peekable();
            while let Some((at, first)) = rest.next() {
                let mut parts = vec![first];
                while let Some((_, part)) = rest.next_if(|(other, _)| *other == at) {
                    parts.push(part);
                }
                let whole = Self::of_parts(parts, axes, width);
                if whole.parts.len() > 1 && width <= widest(whole.centre) {
                    next.push((at, whole));
                } else {
                    next.extend(whole.parts.into_iter().map(|part| (at, part)));
                }
            }
            next.extend(MAX_HALVINGS.checked_sub(doublings).into_iter().flat_map(of));
            patches = next;
        }
        patches.into_iter().map(|(_, patch)| patch).collect()
    }

    fn of_parts(parts: Vec<Self>, axes: (DVec3, DVec3), width: f64) -> Self {
        let power: f64 = parts.iter().map(|part| part.power).sum();
        let moment: DVec3 = parts.iter().map(|part| part.power * part.centre).sum();
        let samples = parts.iter().flat_map(|part| part.samples.iter().copied());
        let centre = moment / power;
        Self {
            centre,
            samples: samples_of(&samples, centre, axes),
            area: parts.iter().map(|part| part.area).sum(),
            power,
            width,
            parts,
        }
    }

    /// The quarters of the patch, as if a square of its area around its centre were evenly illuminated.
    pub(super) fn quarters(&self, (u, v): (DVec3, DVec3)) -> [Self; 4] {
        /// The share of its area from which on a square counts as illuminated everywhere: then its samples may be close
        /// to its corners.
        const WHOLE: f64 = 0.999;
        /// Positions of samples on the way from the centre to the corners.
        const CORNERS: f64 = 0.45;
        let is_whole = self.area > WHOLE * self.width * self.width;
        let step = 0.25 * self.area.sqrt();
        [[-step, -step], [step, -step], [-step, step], [step, step]].map(|[x, y]| {
            let centre = self.centre + x * u + y * v;
            let corners = [[-step, -step], [step, -step], [-step, step], [step, step]];
            let corners = corners.map(|[x, y]| centre + CORNERS * (x * u + y * v));
            let own = [centre].into_iter().chain(corners);
            Self {
                centre,
                samples: if is_whole {
                    own.collect()
                } else {
                    self.samples.clone()
                },
                area: 0.25 * self.area,
                power: 0.25 * self.power,
                width: 0.5 * self.width,
                parts: Vec::new(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn joining_and_quartering_keep_power_area_and_the_centre() {
        let square = |k: i32| Square {
            halvings: 1,
            at: [k % 7 - 3, k / 7 - 5],
            centre: DVec3::new(f64::from(k % 7 - 3) + 0.3, f64::from(k / 7 - 5) + 0.6, 2.0),
            samples: smallvec![DVec3::ZERO],
            area: 1.0 / f64::from(k + 1),
            power: 3.0 / f64::from(k + 2),
        };
        let squares: Vec<Square> = (0..60).map(square).collect();
        let whole = Patch::joined(&squares, (DVec3::X, DVec3::Y), 2.0, |_| f64::INFINITY);
        let quarters = whole.iter().flat_map(|p| p.quarters((DVec3::X, DVec3::Y)));
        let quarters: Vec<Patch> = quarters.collect();
        let power: f64 = squares.iter().map(|s| s.power).sum();
        let area: f64 = squares.iter().map(|s| s.area).sum();
        let moment: DVec3 = squares.iter().map(|s| s.power * s.centre).sum();
        for patches in [whole, quarters] {
            let of = |f: fn(&Patch) -> f64| patches.iter().map(f).sum::<f64>();
            assert!((of(|p| p.power) / power - 1.0).abs() < 1e-12);
            assert!((of(|p| p.area) / area - 1.0).abs() < 1e-12);
            let centre: DVec3 = patches.iter().map(|p| p.power * p.centre).sum();
            assert!(centre.distance(moment) < 1e-9);
        }
    }

    #[test]
    fn no_patch_is_wider_than_it_may_be() {
        let square = |k: i32| Square {
            halvings: 0,
            at: [k, 0],
            centre: DVec3::X * (f64::from(k) + 0.5),
            samples: smallvec![DVec3::ZERO],
            area: 1.0,
            power: 1.0,
        };
        let squares: Vec<Square> = (0..64).map(square).collect();
        let patches = Patch::joined(&squares, (DVec3::X, DVec3::Y), 1.0, |centre| 0.5 * centre.x);
        assert!(patches.len() > 1);
        assert!(
            patches
                .iter()
                .all(|p| p.width <= 1.0_f64.max(0.5 * p.centre.x))
        );
        let area: f64 = patches.iter().map(|p| p.area).sum();
        assert!((area - 64.0).abs() < 1e-9);
    }
}
