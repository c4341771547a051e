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
//! Cost: about a microsecond an edge, a third of one for what is behind the last. What it loses: the dependence on which end one starts from is left in, where paths take the mean.

use std::rc::Rc;

use glam::DVec2;
use num_complex::Complex64;
use rustc_hash::FxHashMap;

use super::passing::{Arrival, Fields, Place, Turn, Waiting, size};
use crate::em::Surfaces;
use crate::scene::EdgeId;

/// Chains of edges in a vertical plane, grown edge by edge, as a tree: chains share what they begin with.
#[derive(Debug)]
pub(super) struct March<'a> {
    surfaces: &'a Surfaces,
    /// Whether what is smooth along a way comes from tables.
    is_tabulated: bool,
    /// Where all chains start.
    start: DVec2,
    edges: Vec<Reached<'a>>,
    /// What comes straight from an edge to a second one, and their numbers.
    seconds: Vec<Rc<Waiting<'a>>>,
    numbers: FxHashMap<(Last, EdgeId), usize>,
}

/// The last edge of a chain, by its number in the tree; `None` for the start.
pub(super) type Last = Option<usize>;

/// A second edge on the way from the last of a chain, by its number in the tree.
pub(super) type Second = Option<usize>;

/// An edge that the wave has reached.
#[derive(Debug)]
struct Reached<'a> {
    at: DVec2,
    /// What comes straight, and what comes by a second edge, and both together.
    waves: [Option<Rc<Waiting<'a>>>; 2],
    fields: Fields,
    /// From the start, and the product of all parts, metres.
    whole: f64,
    product: f64,
}

impl<'a> March<'a> {
    pub(super) fn new(surfaces: &'a Surfaces, is_tabulated: bool) -> Self {
        Self {
            surfaces,
            is_tabulated,
            start: DVec2::ZERO,
            edges: Vec::new(),
            seconds: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    /// Forgets all edges; the next chains start at distance zero and this height.
    pub(super) fn restart(&mut self, height: f64) {
        self.start = DVec2::new(0.0, height);
        self.edges.clear();
        self.seconds.clear();
        self.numbers.clear();
    }

    /// Where a chain ends.
    pub(super) fn end(&self, last: Last) -> DVec2 {
        last.map_or(self.start, |last| self.edges[last].at)
    }

    /// Adds an edge behind the last of a chain, with perhaps a second on the way to it.
    pub(super) fn add(&mut self, last: Last, place: Place<'a>, second: Second) -> usize {
        let straight = self.straight(last, place.at);
        let by_second = second.map(|second| self.by_second(last, place.at, second));
        let (whole, product) = self.lengths(last, place.at);
        let mut fields = straight.field;
        if let Some(other) = &by_second {
            fields = [0, 1].map(|k| fields[k] + other.field[k]);
        }
        let wait = |arrival| Rc::new(Waiting::new(&arrival, place, Turn::Down, self.is_tabulated));
        self.edges.push(Reached {
            at: place.at,
            waves: [Some(straight), by_second].map(|arrival| arrival.map(wait)),
            fields,
            whole,
            product,
        });
        self.edges.len() - 1
    }

    /// The number of a second edge on the way from the last of a chain; `place` is asked for it if it is new.
    pub(super) fn second(
        &mut self,
        last: Last,
        edge: EdgeId,
        place: impl FnOnce() -> Place<'a>,
    ) -> usize {
        if let Some(&number) = self.numbers.get(&(last, edge)) {
            return number;
        }
        let place = place();
        let arrival = self.straight(last, place.at);
        let waiting = Waiting::new(&arrival, place, Turn::Up, self.is_tabulated);
        self.seconds.push(Rc::new(waiting));
        let number = self.seconds.len() - 1;
        self.numbers.insert((last, edge), number);
        number
    }

    /// Amplitudes at `end` behind a chain, with perhaps a second edge on the way from its last, over those in free space at the same
    /// length; and that length, metres.
    ///
    /// # Source
    /// Theory page: `rooftops`, `slope`.
    pub(super) fn behind(&self, last: Last, end: DVec2, second: Second) -> (Fields, f64) {
        let mut fields = last.map_or([Complex64::ONE; 2], |last| {
            let waves = self.edges[last].waves.iter().flatten();
            let fields = waves.map(|wave| wave.field(end, self.surfaces));
            fields.fold([Complex64::ZERO; 2], |sum, field| {
                [0, 1].map(|k| sum[k] + field[k])
            })
        });
        if let Some(second) = second {
            let second = &self.seconds[second];
            let field = second.field(end, self.surfaces);
            let factor = self.detour(self.end(last), second.place.at, end);
            fields = [0, 1].map(|k| fields[k] + factor * field[k]);
        }
        let (whole, product) = self.lengths(last, end);
        let spreading = (whole / product).sqrt();
        (fields.map(|field| spreading * field), whole)
    }

    /// The same at an edge of the tree.
    pub(super) fn at_edge(&self, index: usize) -> (Fields, f64) {
        let edge = &self.edges[index];
        let spreading = (edge.whole / edge.product).sqrt();
        (edge.fields.map(|field| spreading * field), edge.whole)
    }

    /// The length of a chain on to a place, and the product of its parts, metres.
    fn lengths(&self, last: Last, to: DVec2) -> (f64, f64) {
        let length = self.end(last).distance(to);
        last.map_or((length, length), |last| {
            let last = &self.edges[last];
            (last.whole + length, last.product * length)
        })
    }

    /// What comes straight from the last edge of a chain.
    fn straight(&self, last: Last, to: DVec2) -> Arrival<'a> {
        match last {
            Some(last) => self.leave(self.edges[last].waves.iter().flatten(), to),
            None => Arrival {
                from: self.start,
                whole: self.start.distance(to),
                field: [Complex64::ONE; 2],
                last: None,
            },
        }
    }

    /// What comes by a second edge, over what is spread as if straight.
    fn by_second(&self, last: Last, to: DVec2, second: usize) -> Arrival<'a> {
        let second = &self.seconds[second];
        let mut arrival = self.leave([second], to);
        let factor = self.detour(self.end(last), second.place.at, to);
        arrival.field = arrival.field.map(|field| factor * field);
        if let Some((slope, _)) = &mut arrival.last {
            *slope = slope.map(|slope| factor * slope);
        }
        arrival
    }

    /// Spreading and phase on the way by a second edge, over those straight; angles turn the other way behind every edge.
    fn detour(&self, from: DVec2, second: DVec2, to: DVec2) -> Complex64 {
        let straight = from.distance(to);
        let parts = [from.distance(second), second.distance(to)];
        let detour = parts[0] + parts[1] - straight;
        let phase = -self.surfaces.frequency().wavenumber() * detour;
        -Complex64::from_polar((straight / (parts[0] * parts[1])).sqrt(), phase)
    }

    /// Lets all that waits at an edge go on.
    fn leave<'b>(
        &self,
        waves: impl IntoIterator<Item = &'b Rc<Waiting<'a>>>,
        to: DVec2,
    ) -> Arrival<'a>
    where
        'a: 'b,
    {
        let mut passed = waves
            .into_iter()
            .map(|wave| (wave, wave.pass(to, self.surfaces)));
        let (mut wave, mut largest) = passed.next().expect("something comes straight");
        let (mut field, mut slope) = (largest.field, largest.slope);
        for (other_wave, other) in passed {
            field = [0, 1].map(|k| field[k] + other.field[k]);
            slope = [0, 1].map(|k| slope[k] + other.slope[k]);
            if size(other.field) > size(largest.field) {
                (wave, largest) = (other_wave, other);
            }
        }
        Arrival {
            from: wave.place.at,
            whole: wave.whole(to),
            field,
            last: Some((slope, Rc::new(largest))),
        }
    }
}
