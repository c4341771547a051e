//! Pairs of illuminated parts, the power that a wave brings from one to the other, and its error.

use std::f64::consts::PI;
use std::rc::Rc;

use glam::DVec3;

use super::super::precision::Precision;
use super::super::shade::Air;
use super::between::{Shaft, Visibility, share_kept};
use super::illuminated::{Element, IlluminatedPart, SCATTERINGS};
use crate::em::scattering::lobe;
use crate::geometry::tolerance::{MIN_SEGMENT_LENGTH, ON_FACE_DISTANCE};
use crate::scene::Crossing;

/// Share of its power without obstacles that a partly hidden pair may be off, beyond the error that its quarters show.
const PARTLY_HIDDEN: f64 = 0.1;

/// The same share for elements whose centre of gravity lies outside them.
const HOLLOW: f64 = 0.3;

/// The same share for each element that is wide compared with its distances.
const WIDE: f64 = 0.1;

/// The share that counts of the power that a wide element may bring near the point where the integrand is largest.
const PEAK: f64 = 0.1;

/// Elements of two parts, the first illuminated by the Tx and the second visible from the Rx.
#[derive(Debug, Clone)]
pub(super) struct Pair<'e> {
    pub(super) parts: [&'e IlluminatedPart; 2],
    pub(super) elements: [&'e Element; 2],
    /// The pieces of walls that may stand between; `None` where none has been looked for.
    between: Option<Rc<[u32]>>,
    /// Estimated power, for a unit of power over 4 pi steradians and lossless walls, 1/m².
    pub(super) power: f64,
    /// The estimated error of the power.
    pub(super) error: f64,
    /// The part of the error whose sign is known: the missing power.
    pub(super) missing: f64,
    /// The element to be divided next; `None` before [`Examiner::examine`].
    pub(super) divided: Option<usize>,
}

impl<'e> Pair<'e> {
    /// The pair of two whole parts, in pieces where the planes of the parts cut them.
    pub(super) fn add_facing(
        parts: [&'e IlluminatedPart; 2],
        elements: [&'e Element; 2],
        pairs: &mut Vec<Self>,
    ) {
        /// Elements smaller than this share of their distance are not divided.
        const MIN_WIDTH: f64 = 0.1;
        if parts[0].plane == parts[1].plane || !is_before(parts, elements) {
            return;
        }
        let [a, b] = elements;
        if density(parts, a.point, b.point) > 0.0 {
            pairs.push(Self::guess(parts, elements));
            return;
        }
        let larger = usize::from(b.width() > a.width());
        if elements[larger].width() > MIN_WIDTH * a.point.distance(b.point) {
            for quarter in parts[larger].quarters(elements[larger]) {
                let mut elements = elements;
                elements[larger] = quarter;
                Self::add_facing(parts, elements, pairs);
            }
        }
    }

    /// A pair before [`Examiner::examine`]: all of its power is uncertain.
    fn guess(parts: [&'e IlluminatedPart; 2], elements: [&'e Element; 2]) -> Self {
        let [a, b] = elements;
        let mut power = a.area * b.area * density(parts, a.point, b.point);
        // An element may receive more than its centre says.
        for (part, element) in parts.iter().zip(elements) {
            let to = part.image - element.point;
            let squared = to.length_squared();
            let at_centre = element.area * part.normal.dot(to) / (squared * squared.sqrt());
            power *= (part.solid_angle(element) / at_centre).max(1.0);
        }
        Self {
            parts,
            elements,
            between: None,
            power,
            error: power,
            missing: power,
            divided: None,
        }
    }

    /// The pairs with the quarters of the element that is divided next.
    pub(super) fn quarters(&self, mut each: impl FnMut(Self)) {
        let divided = self.divided.unwrap_or(0);
        for quarter in self.parts[divided].quarters(self.elements[divided]) {
            let mut next = self.clone();
            next.elements[divided] = quarter;
            next.divided = None;
            each(next);
        }
    }
}

/// Examines pairs.
#[derive(Debug)]
pub(super) struct Examiner<'a> {
    pub(super) air: Air<'a>,
    pub(super) precision: Precision,
    crossings: Vec<Crossing>,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(air: Air<'a>, precision: Precision) -> Self {
        Self {
            air,
            precision,
            crossings: Vec::new(),
        }
    }

    /// Estimates power and error of a pair, and returns whether any wave may get across.
    pub(super) fn examine(&mut self, pair: &mut Pair) -> bool {
        let parts = pair.parts;
        let depth = parts[0].depth + parts[1].depth + SCATTERINGS;
        let num_passed = parts[0].num_passed + parts[1].num_passed;
        let max_walls = self.air.limits.transmissions_beside(depth);
        let Some(num_passable) = max_walls.checked_sub(num_passed) else {
            return false;
        };
        if !is_before(parts, pair.elements) {
            return false;
        }
        let planes = parts.map(|part| part.plane);
        let shaft = Shaft {
            corners: pair.elements.map(|element| element.corners.as_slice()),
            planes,
        };
        let visibility = shaft.visibility(&self.air, num_passable, pair.between.as_deref());
        let (is_clear, through) = match visibility {
            Visibility::Hidden => return false,
            Visibility::Clear => {
                pair.between = Some(Rc::default());
                (true, 1.0)
            }
            Visibility::Partial(between, through) => {
                pair.between = Some(between.into());
                (false, through)
            }
        };
        let [a, b] = pair.elements;
        let open = |a: &Element, b: &Element| a.area * b.area * density(parts, a.point, b.point);
        let (air, crossings) = (self.air, &mut self.crossings);
        let mut power = |a: &Element, b: &Element| {
            let open = open(a, b);
            let points = [a.point, b.point];
            if is_clear || open == 0.0 {
                open
            } else {
                open * share_kept(&air, points, planes, num_passable, crossings)
            }
        };
        pair.power = power(a, b);
        let without_walls = through * open(a, b);
        let quarters = [0, 1].map(|k| parts[k].quarters(pair.elements[k]));
        let mut together = [pair.power; 2];
        if !quarters[0].is_empty() {
            together[0] = quarters[0].iter().map(|q| power(q, b)).sum();
        }
        if !quarters[1].is_empty() {
            together[1] = quarters[1].iter().map(|q| power(a, q)).sum();
        }
        let mut errors = [0.0; 2];
        for k in 0..2 {
            if quarters[k].is_empty() {
                continue;
            }
            let mut error = (together[k] - pair.power).abs();
            if let Some(peak) = self.peak(pair, k) {
                error = error
                    .max(PEAK * (peak - without_walls))
                    .max(WIDE * without_walls);
            }
            if !is_clear {
                error = error.max(0.5 * PARTLY_HIDDEN * without_walls);
            }
            if pair.elements[k].is_hollow {
                error = error.max(HOLLOW * without_walls);
            }
            errors[k] = error;
        }
        // At borders of shadows the sign is random.
        pair.missing = if is_clear {
            together.iter().sum::<f64>() - 2.0 * pair.power
        } else {
            0.0
        };
        pair.error = errors[0] + errors[1];
        pair.divided = Some(usize::from(errors[1] > errors[0]));
        true
    }

    /// The power that one element, if it is wide, may bring near the points where the integrand is largest: beneath its
    /// end, and next to the other element.
    fn peak(&self, pair: &Pair, of: usize) -> Option<f64> {
        let (part, element) = (pair.parts[of], pair.elements[of]);
        let other = pair.elements[1 - of];
        let at = |to: DVec3| {
            if element.width() <= self.precision.width * element.point.distance(to) {
                return None;
            }
            let near = part.nearest(element, to);
            let area = element.area.min(PI * near.distance_squared(to));
            let density = match of {
                0 => density(pair.parts, near, other.point),
                _ => density(pair.parts, other.point, near),
            };
            Some(density * area * other.area)
        };
        // `None` is less than any number.
        let (below, near) = (at(part.image), at(other.point));
        if below > near { below } else { near }
    }
}

/// Whether each element reaches in front of the other's plane.
fn is_before(parts: [&IlluminatedPart; 2], elements: [&Element; 2]) -> bool {
    let reaches = |k: usize| {
        let (part, foot) = (parts[k], elements[k].point);
        let mut corners = elements[1 - k].corners.iter();
        corners.any(|&corner| part.normal.dot(corner - foot) > ON_FACE_DISTANCE)
    };
    reaches(0) && reaches(1)
}

/// The power that a square metre around `a` scatters by a square metre around `b` to the Rx, for a unit of power over 4
/// pi steradians and lossless walls, 1/m⁶.
fn density([from, to]: [&IlluminatedPart; 2], a: DVec3, b: DVec3) -> f64 {
    let between = b - a;
    let squared = between.length_squared();
    if squared < MIN_SEGMENT_LENGTH * MIN_SEGMENT_LENGTH {
        return 0.0;
    }
    let (into, out) = (from.image - a, to.image - b);
    let squares = into.length_squared() * squared * out.length_squared();
    from.kept * to.kept * scattered(from, into, between) * scattered(to, -between, out) / squares
}

/// Scattered power per steradian in the direction `out`, relative to the power that falls on the wall at normal
/// incidence. `into` points to where the wave comes from.
fn scattered(part: &IlluminatedPart, into: DVec3, out: DVec3) -> f64 {
    let (into, out) = (into.normalize_or_zero(), out.normalize_or_zero());
    let (cos_in, cos_out) = (part.normal.dot(into), part.normal.dot(out));
    if cos_in <= 0.0 || cos_out <= 0.0 {
        return 0.0;
    }
    let cos_back = into.dot(out);
    let cos_specular = 2.0 * cos_in * cos_out - cos_back;
    lobe(part.lobe, cos_in, cos_out, cos_specular, cos_back)
}
