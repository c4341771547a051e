//! Paths that are scattered twice: by a patch of one rough wall to a patch of another.
//!
//! The first patch is illuminated by the Tx, the second is visible from the Rx, both directly or by reflections. The
//! illuminated part of every coarse cell is known exactly (`illuminated`). Each part is paired with each part that
//! faces it, and the power and the error of each pair are estimated (`pairs`). The pairs with the largest errors are
//! divided: the part that causes more of the error is cut in quarters. This ends when all errors together are within
//! what the effort allows, so weak pairs stay coarse. Each remaining pair is a path by the centres of its two parts,
//! which is solved and validated like all others.
//!
//! Obstacles between two parts (`between`) are not cut out of them. A pair behind a single wall is dropped, and for a
//! partly hidden pair the line between both centres decides. Such pairs are divided more finely.
//!
//! Cost: the number of pairs, some thousand for each link in a room. **Leaves out** reflections between both patches,
//! paths that are also diffracted, the weakest pairs, and links whose power is 35 dB below that without obstacles
//! between the walls. **May miss** reflecting planes by which no ray reaches a cell. Theory page: `twice`.

mod between;
pub(super) mod illuminated;
mod pairs;

use glam::DVec3;

use self::illuminated::{IlluminatedPart, SCATTERINGS, illuminated_parts};
use self::pairs::{Examiner, Pair};
use super::lists::ONE_PATCH;
use super::meeting::Meeting;
use super::shade::Air;
use crate::paths::solve::Waypoint;
use crate::paths::{InteractionKind, Limits, PatchArea, Step};

/// The power of paths that are scattered once counts this much where the errors of two scatterings are compared with
/// all that is scattered.
const FIRST_SHARE: f64 = 1.0 / 32.0;

/// Share of the error that the effort allows for pairs that are too coarse.
const COARSE: f64 = 0.3;

/// Errors add up like those of chance, beyond what is known to be missing. So many standard deviations count.
const NUM_SIGMAS: f64 = 3.0;

/// Errors below this share of the power without obstacles are allowed: 35 dB.
const UNSEEN: f64 = 3e-4;

/// The share of the error that the effort allows which is for pairs that are left out.
const LEFT_OUT: f64 = 0.2;

/// Pairs of a link are not divided any further if this has made so many more.
const MAX_PAIRS: usize = 200_000;

/// The largest number of reflections in addition to two scatterings; `None` if paths are scattered at most once.
pub(super) fn max_reflections_of_two(limits: &Limits) -> Option<usize> {
    limits.reflections_beside(&ONE_PATCH.with(InteractionKind::Scattering))
}

impl<'a> Meeting<'a> {
    /// Adds the paths that are scattered twice.
    pub(super) fn meet_twice(&mut self, max_reflections_of_two: usize) {
        let parts = [0, 1].map(|k| {
            let end = self.ends()[k];
            let all = || {
                illuminated_parts(
                    self.job,
                    end,
                    self.walls,
                    self.pieces,
                    max_reflections_of_two,
                )
            };
            self.illuminated_parts[k].get_or_init(all).as_slice()
        });
        let mut pairs = self.pairs(parts, max_reflections_of_two);
        self.leave_out_weakest(&mut pairs);
        for pair in &pairs {
            self.try_pair(pair);
        }
    }

    /// All pairs, divided as finely as needed.
    fn pairs(
        &self,
        parts: [&'a [IlluminatedPart]; 2],
        max_reflections_of_two: usize,
    ) -> Vec<Pair<'a>> {
        let share = COARSE * self.precision.share;
        let mut pairs = whole_pairs(parts, max_reflections_of_two, self.job.limits, share);
        let max_pairs = pairs.len() + MAX_PAIRS;
        let all: f64 = pairs.iter().map(|pair| pair.power).sum();
        let air = Air {
            walls: self.pieces,
            transparency: self.job.transparency,
            limits: self.job.limits,
        };
        let mut examiner = Examiner::new(air, self.precision);
        let largest = pairs.iter().map(|pair| pair.error).fold(0.0, f64::max);
        // Powers of two do not depend on rounding.
        let mut threshold = largest.log2().ceil().exp2();
        let (mut waiting, mut fine) = (Vec::new(), Vec::new());
        loop {
            let missing: f64 = pairs.iter().map(|pair| pair.missing).sum();
            let squared: f64 = pairs.iter().map(|pair| pair.error * pair.error).sum();
            let error = missing.abs() + NUM_SIGMAS * squared.sqrt();
            let power: f64 = pairs
                .iter()
                .filter(|p| p.divided.is_some())
                .map(|p| p.power)
                .sum();
            let allowed = share * (power + FIRST_SHARE * self.total);
            let is_done = error <= allowed.max(UNSEEN * all);
            if is_done || pairs.len() > max_pairs || self.job.control.is_cancelled() {
                pairs.retain(|pair| pair.power > 0.0);
                return pairs;
            }
            threshold *= 0.5;
            for pair in pairs.drain(..) {
                waiting.push(pair);
                while let Some(mut pair) = waiting.pop() {
                    if pair.error <= threshold {
                        fine.push(pair);
                    } else if pair.divided.is_none() {
                        if examiner.examine(&mut pair) {
                            waiting.push(pair);
                        }
                    } else {
                        pair.quarters(|mut quarter| {
                            if examiner.examine(&mut quarter) {
                                waiting.push(quarter);
                            }
                        });
                    }
                }
            }
            std::mem::swap(&mut pairs, &mut fine);
        }
    }

    /// Drops the weakest pairs.
    fn leave_out_weakest(&self, pairs: &mut Vec<Pair>) {
        let all: f64 = pairs.iter().map(|pair| pair.power).sum();
        let mut left = LEFT_OUT * self.precision.share * all;
        pairs.sort_by(|a, b| a.power.total_cmp(&b.power));
        let weakest = pairs.iter().take_while(|pair| {
            left -= pair.power;
            left >= 0.0
        });
        let count = weakest.count();
        pairs.drain(..count);
    }

    /// Adds the path by the centres of a pair, if there is one.
    fn try_pair(&mut self, pair: &Pair) {
        let points: [DVec3; 2] = pair.elements.map(|element| element.point);
        for (end, (part, point)) in pair.parts.iter().zip(points).enumerate() {
            // Reflection points are solved from the patch to the end.
            self.legs[end].clear();
            let planes = &self.ends()[end].planes;
            if !planes.reflection_points(part.node, point, &mut self.legs[end]) {
                return;
            }
        }
        self.waypoints.clear();
        self.waypoints.extend(self.legs[0].iter().rev());
        for ((part, element), point) in pair.parts.iter().zip(pair.elements).zip(points) {
            let area = PatchArea::from_square_metres(element.area);
            self.waypoints.push(Waypoint {
                step: Step::Scattering(part.face, area),
                point,
            });
        }
        self.waypoints.extend_from_slice(&self.legs[1]);
        let path =
            self.validator
                .path(self.transmitter, &self.waypoints, self.index, self.position);
        self.paths.extend(path);
    }
}

/// The pairs of whole parts that face each other. The weakest, which together bring next to nothing, are left out.
fn whole_pairs<'a>(
    [from, to]: [&'a [IlluminatedPart]; 2],
    max_reflections_of_two: usize,
    limits: &Limits,
    share: f64,
) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for a in from {
        for b in to {
            let reflections = a.depth + b.depth;
            let passable = limits.transmissions_beside(reflections + SCATTERINGS);
            if reflections <= max_reflections_of_two && a.num_passed + b.num_passed <= passable {
                Pair::add_facing([a, b], [&a.whole, &b.whole], &mut pairs);
            }
        }
    }
    let all: f64 = pairs.iter().map(|pair| pair.power).sum();
    let floor = LEFT_OUT * share * UNSEEN * all / pairs.len().max(1) as f64;
    pairs.retain(|pair| pair.power >= floor);
    pairs
}
