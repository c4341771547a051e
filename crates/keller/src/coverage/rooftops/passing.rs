//! A wave that passes one edge of a chain, and how strong it is behind.
//!
//! How a wave is taken at an edge depends on how the one before would go on without that edge, and so on back along the chain. But that
//! is smooth in the distance ahead, and so comes from a table that each wave at an edge fills where it is asked.

use std::cell::RefCell;
use std::rc::Rc;

use glam::DVec2;
use num_complex::Complex64;

use super::wedge::{Entry, Passage, Section};
use crate::em::Surfaces;
use crate::scene::FaceId;

/// Of the fields along the edges (soft) and across them (hard), for a source of each.
pub(super) type Fields = [Complex64; 2];

/// An edge of a chain, and where it is: horizontal distance and height.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) at: DVec2,
    pub(super) section: Section<'a>,
}

/// Which way a wave turns that passes an edge: down over the string's own, up again at one below it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Turn {
    Down,
    Up,
}

/// A wave that comes to a place.
#[derive(Debug)]
pub(super) struct Arrival<'a> {
    pub(super) from: DVec2,
    /// Metres from the start.
    pub(super) whole: f64,
    pub(super) field: Fields,
    /// The change of the field by the angle around what was passed last, if anything was.
    pub(super) last: Option<(Fields, Rc<Passed<'a>>)>,
}

/// A wave at an edge, ready to go on any way.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    pub(super) place: Place<'a>,
    turn: Turn,
    into: DVec2,
    entry: Entry,
    /// Metres from the edge before, and from the start.
    behind: f64,
    whole: f64,
    incident: Fields,
    incident_slope: Option<Fields>,
    /// The wave at the edge before, which would go on were there no edge here.
    last: Option<Rc<Passed<'a>>>,
    growths: Option<RefCell<Vec<Growth>>>,
}

/// A wave that has passed an edge.
#[derive(Debug)]
pub(super) struct Passed<'a> {
    waiting: Rc<Waiting<'a>>,
    passage: Passage,
    /// What goes out, and its change by the angle around the edge.
    pub(super) field: Fields,
    pub(super) slope: Fields,
}

/// How much longer the distance parameters of field and slope are than they would be for a plane wave.
type Growth = [f64; 2];

/// Distance parameters of value and slope, metres.
#[derive(Debug, Clone, Copy)]
struct Distances {
    field: f64,
    slope: f64,
}

/// Where `k L a` of the shadow boundary is more, the size of the transition function is 1 within 0.5 % for any distance parameter.
const FAR_FROM_BOUNDARY: f64 = 12.0;

/// Steps of the table of growths for every natural logarithm of the distance from the edge before.
const STEPS: f64 = 4.0;

/// No farther are growths asked for, in such steps: nearly seven orders of magnitude.
const MOST_STEPS: f64 = 63.0;

impl<'a> Waiting<'a> {
    /// `arrival` at `place`; `is_tabulated` to take growths from a table.
    pub(super) fn new(
        arrival: &Arrival<'a>,
        place: Place<'a>,
        turn: Turn,
        is_tabulated: bool,
    ) -> Self {
        let into = place.at - arrival.from;
        let behind = into.length();
        let into = into / behind;
        let section = &place.section;
        let entry = section.enter(into);
        let (mut incident, mut incident_slope) = (arrival.field, None);
        if let Some((slope, last)) = &arrival.last {
            // A wave along a face from edge to edge is incident and reflected wave in one: half of it is incident.
            let is_along = last.passage.leaves_along_face
                && entry.is_along_face
                && share_a_face(last.waiting.place.section.faces, section.faces);
            let half = if is_along { 0.5 } else { 1.0 };
            incident = arrival.field.map(|field| half * field);
            // Angles grow downwards behind the last edge and upwards before this one.
            let per_metre = -half / (behind * last.passage.sin_beta);
            incident_slope = Some(slope.map(|slope| per_metre * slope));
        }
        Self {
            place,
            turn,
            into,
            entry,
            behind,
            whole: arrival.whole,
            incident,
            incident_slope,
            last: arrival.last.as_ref().map(|(_, last)| Rc::clone(last)),
            growths: is_tabulated.then(RefCell::default),
        }
    }

    /// The field that goes on to a place.
    pub(super) fn field(&self, to: DVec2, surfaces: &Surfaces) -> Fields {
        let (passage, ahead) = self.leave(to, surfaces);
        let distances = self.distances(&passage, ahead);
        let by_field = passage.diffraction.outgoing_field(distances.field);
        let field = [0, 1].map(|k| by_field[k] * self.incident[k]);
        self.incident_slope.map_or(field, |slope| {
            let by_slope = passage.diffraction.outgoing_field_of_slope(distances.slope);
            [0, 1].map(|k| field[k] + by_slope[k] * slope[k])
        })
    }

    /// The wave that goes on to a place.
    pub(super) fn pass(self: &Rc<Self>, to: DVec2, surfaces: &Surfaces) -> Passed<'a> {
        let (passage, ahead) = self.leave(to, surfaces);
        let distances = self.distances(&passage, ahead);
        let [field, slope] = self.behind(&passage, distances);
        Passed {
            waiting: Rc::clone(self),
            passage,
            field,
            slope,
        }
    }

    /// How far the wave has come from the start at a place behind.
    pub(super) fn whole(&self, to: DVec2) -> f64 {
        self.whole + self.place.at.distance(to)
    }

    /// How the wave passes on its way to a place, and how far that is, metres.
    fn leave(&self, to: DVec2, surfaces: &Surfaces) -> (Passage, f64) {
        let out = to - self.place.at;
        let ahead = out.length();
        let mut out = out / ahead;
        // Where a sector's middle is a little different from the column, on the boundary and not beyond.
        if (self.into.perp_dot(out) > 0.0) == (self.turn == Turn::Down) {
            out = self.into;
        }
        (self.place.section.pass(&self.entry, out, surfaces), ahead)
    }

    /// The field behind the edge and its change by the angle.
    fn behind(&self, passage: &Passage, distances: Distances) -> [Fields; 2] {
        let diffraction = &passage.diffraction;
        let by_field = diffraction.outgoing(distances.field);
        let Some(slope) = self.incident_slope else {
            return by_field.map(|by_field| [0, 1].map(|k| by_field[k] * self.incident[k]));
        };
        let by_slope = diffraction.outgoing_of_slope(distances.slope);
        [0, 1].map(|order| {
            [0, 1].map(|k| by_field[order][k] * self.incident[k] + by_slope[order][k] * slope[k])
        })
    }

    /// Distance parameters for an observer `ahead` metres behind the edge.
    ///
    /// # Source
    /// J. B. Andersen, "UTD multiple-edge transition zone diffraction", IEEE Trans. Antennas Propag. 45(7), 1997,
    /// doi:10.1109/8.596898: parameters from the continuity of field and slope. Theory page: `slope`.
    fn distances(&self, passage: &Passage, ahead: f64) -> Distances {
        let behind = self.behind;
        let between = behind * ahead / (behind + ahead);
        let is_far = passage.boundary_argument * between > FAR_FROM_BOUNDARY;
        let between = passage.sin_beta.powi(2) * between;
        let Some(last) = self.last.as_ref().filter(|_| !is_far) else {
            return Distances {
                field: between,
                slope: between,
            };
        };
        // As much as spreading allows, to the fourth power.
        let most = (1.0 + ahead / behind) * self.whole / (self.whole + ahead);
        let [field, slope] = self.growth(last, ahead);
        let slope = if slope > most * most {
            slope.min(most.powf(8.0 / 3.0))
        } else {
            slope
        };
        Distances {
            field: between * field.min(most.powi(4)).max(1.0),
            slope: between * slope.max(1.0),
        }
    }

    /// Of the wave of the edge before, were there no edge here, up to `ahead` metres behind.
    fn growth(&self, last: &Passed, ahead: f64) -> Growth {
        let behind = self.behind;
        let Some(table) = &self.growths else {
            return last.growth(behind + ahead);
        };
        let place = ((1.0 + ahead / behind).ln() * STEPS).min(MOST_STEPS);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the most steps"
        )]
        let node = place as usize;
        let mut node_at = |node: usize| {
            let known = table.borrow().get(node).copied();
            if let Some(known) = known.filter(|known| known[0].is_finite()) {
                return known;
            }
            let growth = last.growth(behind * (node as f64 / STEPS).exp());
            let mut table = table.borrow_mut();
            if table.len() <= node {
                table.resize(node + 1, [f64::NAN; 2]);
            }
            table[node] = growth;
            growth
        };
        let t = place - node as f64;
        let [a, b] = [node, node + 1].map(&mut node_at);
        [0, 1].map(|k| a[k] + t * (b[k] - a[k]))
    }
}

impl Passed<'_> {
    /// What keeps field and slope continuous at an edge where both are known, for an observer `ahead` metres behind this one: they would
    /// grow so, but for spreading, were there no edge.
    fn growth(&self, ahead: f64) -> Growth {
        let waiting = &self.waiting;
        let distances = waiting.distances(&self.passage, ahead);
        let [field, slope] = waiting.behind(&self.passage, distances);
        let growth = |near: Fields, far: Fields| {
            let (near, far) = (size(near), size(far));
            if near > 0.0 { far / near } else { 1.0 }
        };
        [
            growth(self.field, field).powi(2),
            growth(self.slope, slope).powf(2.0 / 3.0),
        ]
    }
}

fn share_a_face(a: [FaceId; 2], b: [FaceId; 2]) -> bool {
    a.iter().any(|face| b.contains(face))
}

/// Of both fields together.
pub(super) fn size(fields: Fields) -> f64 {
    fields.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}
