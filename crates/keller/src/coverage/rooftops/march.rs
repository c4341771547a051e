//! The field behind a chain of edges, edge by edge from the transmitter.
//!
//! The theory is that of paths with several diffractions ([`crate::field`]), with every ray in one vertical plane and the fields along the
//! edges and across them kept apart. What comes to an edge depends only on the edges before, so cells that share a chain share all but
//! its last edge.
//!
//! A wave that passes close over a flat roof whose other edge the chain touches meets both edges, and the one without the other would be
//! wrong: hardly anything passes along a roof that has no end. So there may be a second edge between two of a chain, and what goes by
//! it and what passes over it are added with their phases.
//!
//! Cost: about a microsecond an edge, more where the string is bent so little that an edge lies in the transition region of the one
//! before. What it loses: the dependence on which end one starts from is left in, where paths take the mean.

use std::rc::Rc;

use glam::DVec2;
use num_complex::Complex64;
use rustc_hash::FxHashMap;

use super::wedge::{Passage, Section};
use crate::em::Surfaces;
use crate::scene::{EdgeId, FaceId};

/// Of the fields along the edges (soft) and across them (hard), for a source of each.
pub(super) type Fields = [Complex64; 2];

/// An edge of a chain, and where it is: horizontal distance and height.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) at: DVec2,
    pub(super) edge: EdgeId,
    pub(super) section: Section<'a>,
}

/// Chains of edges in a vertical plane, grown edge by edge, as a tree: chains share what they begin with.
#[derive(Debug)]
pub(super) struct March<'a> {
    surfaces: &'a Surfaces,
    /// Where all chains start.
    start: DVec2,
    edges: Vec<Reached<'a>>,
    /// What comes straight from an edge to a second one.
    at_second: FxHashMap<(Last, EdgeId), Arrival>,
}

/// The last edge of a chain, by its number in the tree; `None` for the start.
pub(super) type Last = Option<usize>;

/// An edge that the wave has reached.
#[derive(Debug)]
struct Reached<'a> {
    place: Place<'a>,
    arrivals: Arrivals,
    /// From the start, and the product of all parts, metres.
    whole: f64,
    product: f64,
}

/// What comes straight, and what comes by a second edge.
type Arrivals = [Option<Arrival>; 2];

/// A wave that comes to a place.
#[derive(Debug, Clone)]
struct Arrival {
    from: DVec2,
    /// Metres from there, and from the start.
    behind: f64,
    whole: f64,
    field: Fields,
    /// The change of the field by the angle around what was passed last, if anything was.
    last: Option<(Fields, Rc<Passed>)>,
}

/// A wave that has passed an edge.
#[derive(Debug)]
struct Passed {
    passage: Passage,
    faces: [FaceId; 2],
    /// How it came to that edge.
    arrival: Arrival,
    incident: Fields,
    incident_slope: Option<Fields>,
    /// What goes out, and its change by the angle around the edge if an edge follows.
    field: Fields,
    slope: Fields,
}

/// Distance parameters of value and slope, metres.
#[derive(Debug, Clone, Copy)]
struct Distances {
    field: f64,
    slope: f64,
}

/// Where `k L a` of the shadow boundary is more, the size of the transition function is 1 within 0.5 % for any distance parameter.
const FAR_FROM_BOUNDARY: f64 = 12.0;

/// Which way a wave turns that passes an edge: down over the string's own, up again at one below it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Turn {
    Down,
    Up,
}

impl<'a> March<'a> {
    pub(super) fn new(surfaces: &'a Surfaces) -> Self {
        Self {
            surfaces,
            start: DVec2::ZERO,
            edges: Vec::new(),
            at_second: FxHashMap::default(),
        }
    }

    /// Forgets all edges; the next chains start at distance zero and this height.
    pub(super) fn restart(&mut self, height: f64) {
        self.start = DVec2::new(0.0, height);
        self.edges.clear();
        self.at_second.clear();
    }

    /// Where a chain ends.
    pub(super) fn end(&self, last: Last) -> DVec2 {
        last.map_or(self.start, |last| self.edges[last].place.at)
    }

    /// Adds an edge behind the last of a chain, with perhaps a second on the way to it.
    pub(super) fn add(&mut self, last: Last, place: Place<'a>, second: Option<Place<'a>>) -> usize {
        let arrivals = self.arrivals(last, place.at, second);
        let (whole, product) = self.lengths(last, place.at);
        self.edges.push(Reached {
            place,
            arrivals,
            whole,
            product,
        });
        self.edges.len() - 1
    }

    /// Amplitudes at `end` behind a chain, with perhaps a second edge on the way from its last, over those in free space at the same
    /// length; and that length, metres.
    ///
    /// # Source
    /// Theory page: `rooftops`, `slope`.
    pub(super) fn behind(
        &mut self,
        last: Last,
        end: DVec2,
        second: Option<Place<'a>>,
    ) -> (Fields, f64) {
        let (whole, product) = self.lengths(last, end);
        let spreading = (whole / product).sqrt();
        let arrivals = self.arrivals(last, end, second);
        (total(&arrivals).map(|field| spreading * field), whole)
    }

    /// The same at an edge of the tree.
    pub(super) fn at_edge(&self, index: usize) -> (Fields, f64) {
        let edge = &self.edges[index];
        let spreading = (edge.whole / edge.product).sqrt();
        let fields = total(&edge.arrivals);
        (fields.map(|field| spreading * field), edge.whole)
    }

    /// The length of a chain on to a place, and the product of its parts, metres.
    fn lengths(&self, last: Last, to: DVec2) -> (f64, f64) {
        let length = self.end(last).distance(to);
        last.map_or((length, length), |last| {
            let last = &self.edges[last];
            (last.whole + length, last.product * length)
        })
    }

    /// What comes to a place behind a chain.
    fn arrivals(&mut self, last: Last, to: DVec2, second: Option<Place<'a>>) -> Arrivals {
        let by_second = second.map(|second| {
            let key = (last, second.edge);
            if !self.at_second.contains_key(&key) {
                self.at_second.insert(key, self.straight(last, second.at));
            }
            let before = &self.at_second[&key];
            let mut arrival = self.leave([before], &second, to, Turn::Up);
            // Its own spreading and phase, over those straight; angles turn the other way behind every edge.
            let from = self.end(last);
            let straight = from.distance(to);
            let parts = [from.distance(second.at), second.at.distance(to)];
            let detour = parts[0] + parts[1] - straight;
            let phase = -self.surfaces.frequency().wavenumber() * detour;
            let factor = -Complex64::from_polar((straight / (parts[0] * parts[1])).sqrt(), phase);
            arrival.field = arrival.field.map(|field| factor * field);
            if let Some((slope, _)) = &mut arrival.last {
                *slope = slope.map(|slope| factor * slope);
            }
            arrival
        });
        [Some(self.straight(last, to)), by_second]
    }

    /// What comes straight from the last edge of a chain.
    fn straight(&self, last: Last, to: DVec2) -> Arrival {
        match last {
            Some(last) => {
                let last = &self.edges[last];
                let arrivals = last.arrivals.iter().flatten();
                self.leave(arrivals, &last.place, to, Turn::Down)
            }
            None => Arrival {
                from: self.start,
                behind: self.start.distance(to),
                whole: self.start.distance(to),
                field: [Complex64::ONE; 2],
                last: None,
            },
        }
    }

    /// Lets all that has arrived at an edge go on.
    fn leave<'b>(
        &self,
        arrivals: impl IntoIterator<Item = &'b Arrival>,
        place: &Place<'a>,
        to: DVec2,
        turn: Turn,
    ) -> Arrival {
        let behind = place.at.distance(to);
        let mut passed = arrivals
            .into_iter()
            .map(|arrival| self.pass(arrival, place, to, turn));
        let first = passed.next().expect("something comes straight");
        let (mut field, mut slope) = (first.field, first.slope);
        let mut largest = first;
        for other in passed {
            field = [0, 1].map(|k| field[k] + other.field[k]);
            slope = [0, 1].map(|k| slope[k] + other.slope[k]);
            if size(other.field) > size(largest.field) {
                largest = other;
            }
        }
        Arrival {
            from: place.at,
            behind,
            whole: largest.arrival.whole + behind,
            field,
            last: Some((slope, Rc::new(largest))),
        }
    }

    /// Lets what has arrived at an edge go on.
    fn pass(&self, arrival: &Arrival, place: &Place<'a>, to: DVec2, turn: Turn) -> Passed {
        let (into, out) = (place.at - arrival.from, to - place.at);
        let ahead = out.length();
        let section = &place.section;
        let (into, mut out) = (into / arrival.behind, out / ahead);
        // Where a sector's middle is a little different from the column, on the boundary and not beyond.
        if (into.perp_dot(out) > 0.0) == (turn == Turn::Down) {
            out = into;
        }
        let passage = section.pass(into, out, self.surfaces);
        let mut passed = Passed {
            passage,
            faces: section.faces,
            arrival: arrival.clone(),
            incident: arrival.field,
            incident_slope: None,
            field: [Complex64::ZERO; 2],
            slope: [Complex64::ZERO; 2],
        };
        if let Some((slope, last)) = &arrival.last {
            // A wave along a face from edge to edge is incident and reflected wave in one: half of it is incident.
            let is_along = last.passage.along_face[1]
                && passage.along_face[0]
                && share_a_face(last.faces, section.faces);
            let half = if is_along { 0.5 } else { 1.0 };
            passed.incident = arrival.field.map(|field| half * field);
            // Angles grow downwards behind the last edge and upwards before this one.
            let per_metre = -half / (arrival.behind * last.passage.sin_beta);
            passed.incident_slope = Some(slope.map(|slope| per_metre * slope));
        }
        let distances = passed.distances(ahead);
        [passed.field, passed.slope] = passed.behind(distances);
        passed
    }
}

impl Passed {
    /// Distance parameters for an observer `ahead` metres behind the edge.
    ///
    /// # Source
    /// J. B. Andersen, "UTD multiple-edge transition zone diffraction", IEEE Trans. Antennas Propag. 45(7), 1997,
    /// doi:10.1109/8.596898: parameters from the continuity of field and slope. Theory page: `slope`.
    fn distances(&self, ahead: f64) -> Distances {
        let behind = self.arrival.behind;
        let between = behind * ahead / (behind + ahead);
        let is_far = self.passage.boundary_argument * between > FAR_FROM_BOUNDARY;
        let between = self.passage.sin_beta.powi(2) * between;
        let same = Distances {
            field: between,
            slope: between,
        };
        let Some((_, last)) = self.arrival.last.as_ref().filter(|_| !is_far) else {
            return same;
        };
        // Were there no edge here, the wave of the one before would go on.
        let beyond = last.distances(behind + ahead);
        let whole = self.arrival.whole;
        let most = ((1.0 + ahead / behind) * whole / (whole + ahead)).powi(4);
        let growth = |near: Fields, far: Fields| {
            let (near, far) = (size(near), size(far));
            if near > 0.0 { far / near } else { 1.0 }
        };
        let [field, slope] = last.behind(beyond);
        let field = growth(last.field, field).powi(2);
        let slope = growth(last.slope, slope);
        Distances {
            field: between * field.clamp(1.0, most),
            slope: between * slope.clamp(1.0, most).powf(2.0 / 3.0),
        }
    }

    /// The field behind the edge and its change by the angle.
    fn behind(&self, distances: Distances) -> [Fields; 2] {
        let diffraction = &self.passage.diffraction;
        let by_field = diffraction.outgoing(distances.field);
        let Some(slope) = self.incident_slope else {
            return by_field.map(|by_field| [0, 1].map(|k| by_field[k] * self.incident[k]));
        };
        let by_slope = diffraction.outgoing_of_slope(distances.slope);
        [0, 1].map(|order| {
            [0, 1].map(|k| by_field[order][k] * self.incident[k] + by_slope[order][k] * slope[k])
        })
    }
}

fn total(arrivals: &Arrivals) -> Fields {
    [0, 1].map(|k| {
        let fields = arrivals.iter().flatten().map(|arrival| arrival.field[k]);
        fields.sum()
    })
}

fn share_a_face(a: [FaceId; 2], b: [FaceId; 2]) -> bool {
    a.iter().any(|face| b.contains(face))
}

fn size(fields: Fields) -> f64 {
    fields.iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
}
