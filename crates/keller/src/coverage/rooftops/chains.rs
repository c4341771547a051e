//! Chains of edges in one vertical plane: the plane of a column, or that through the centre of a sector. Chains that
//! begin with the same edges share the field up to the last common edge.

use std::f64::consts::PI;
use std::rc::Rc;

use glam::{DVec2, DVec3};
use num_complex::Complex64;
use rustc_hash::FxHashMap;

use super::Rooftops;
use super::column::{Column, antenna_gains};
use super::fields::Fields;
use super::string::{self, SAME_CORNER};
use super::wave::{Crossing, EdgeSection, Medium, Origin, Reached, is_sound};
use super::wedge::Section;
use crate::coverage::plan::{self, Corner};
use crate::scene::EdgeId;
use crate::units::db_to_power;

/// All chains in one plane, and the chain to the current column.
pub(super) struct Chains<'a> {
    /// Horizontal unit vector along the plane.
    ahead: DVec3,
    start: DVec2,
    medium: Medium<'a>,
    /// Edges that strings touch. The keys of `numbers` are the string's edge before, and the edges close under the
    /// string on the way, with the edge itself as the last.
    edges: Vec<Known<'a>>,
    numbers: FxHashMap<(Last, Vec<EdgeId>), usize>,
    chain: Vec<Link>,
    /// Why the chain cannot grow further, if so.
    end: Option<ChainEnd>,
}

/// The last edge of a chain, as an index into [`Chains::edges`]; `None` for the start.
type Last = Option<usize>;

/// Why a chain gives no gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ChainEnd {
    /// The chain is too weak.
    Weak,
    /// The plane cuts the edges too differently from the column's own plane.
    Apart,
}

/// The contribution of a chain to a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) gain: f64,
    /// Gain of the paths that are found elsewhere and that the chain includes. For a cell with a free line: that line,
    /// and the paths by edges and roofs close under it. Otherwise: the path by the chain's only edge, if other edges
    /// close under the string weaken it.
    pub(super) replaced: f64,
    pub(super) is_doubtful: bool,
}

/// The known data of an edge.
struct Known<'a> {
    reached: Rc<Reached<'a>>,
    /// Length of the chain from the start, metres.
    whole: f64,
    /// Antenna gains towards the chain's first edge: of the field across the edges, and of the field along them.
    departure: [f64; 2],
    is_weak: bool,
    /// Whether edges lie close under the string between the edge before and this one.
    has_close: bool,
    /// The largest power over the edge, relative to free space without an antenna.
    left: f64,
}

/// An edge of the current chain.
#[derive(Debug, Clone, Copy)]
struct Link {
    edge: usize,
    /// Upper bound of the power at this edge, relative to free space, from which bounds for later edges follow.
    left: f64,
}

/// The largest change of an edge's distance from the edge before between this plane and the column's plane, as a part
/// of that distance.
const APART: f64 = 0.2;

/// Knife edges lose a factor of four in power at grazing, which the bound leaves out. This factor counts for half of it
/// in dB; the rest is the margin for chains that are stronger than their knife edges.
const BOUND_MARGIN: f64 = 0.5;

impl<'a> Chains<'a> {
    pub(super) fn new(rooftops: &'a Rooftops, height: f64, ahead: DVec3) -> Self {
        Self {
            ahead,
            start: DVec2::new(0.0, height),
            medium: Medium {
                world: &rooftops.world,
            },
            edges: Vec::new(),
            numbers: FxHashMap::default(),
            chain: Vec::new(),
            end: None,
        }
    }

    /// Starts the chain to another column.
    pub(super) fn restart_chain(&mut self) {
        self.chain.clear();
        self.end = None;
    }

    /// Changes to another plane, and forgets everything known in this one.
    pub(super) fn turn_to(&mut self, ahead: DVec3) {
        self.restart_chain();
        self.edges.clear();
        self.numbers.clear();
        self.ahead = ahead;
    }

    /// The gain of the chain over the column's first `count` edges to `end`.
    pub(super) fn gain(
        &mut self,
        column: &Column<'a>,
        count: usize,
        end: DVec2,
    ) -> Result<Outcome, ChainEnd> {
        while self.chain.len() < count {
            if self.end.is_none() {
                self.end = self.lengthen(column).err();
            }
            if let Some(end) = self.end {
                return Err(end);
            }
        }
        if count > 0 && self.is_too_weak(column, count, end) {
            return Err(ChainEnd::Weak);
        }
        let last = count
            .checked_sub(1)
            .map(|last| &self.edges[self.chain[last].edge]);
        let from = last.map_or(Origin::Start(self.start), |last| {
            Origin::Edge(Rc::clone(&last.reached))
        });
        let in_plane = end - column.end(count) + from.at();
        let whole = last.map_or(0.0, |last| last.whole) + column.end(count).distance(end);
        let close = column.close_under(count, end);
        let gain_of = |fields, whole, departure| {
            let gain = antenna_gain(column, fields, whole, departure);
            db_to_power(-column.clutter_loss_db(count, end)) * gain
        };
        let departure = last.map_or_else(|| self.departure(column, end), |last| last.departure);
        let has_close = !close.is_empty() || last.is_some_and(|last| last.has_close);
        let mut outcome = Outcome {
            gain: 0.0,
            replaced: 0.0,
            is_doubtful: last.is_some_and(|last| last.reached.is_doubtful),
        };
        if let (Some(last), 1) = (last, count) {
            let place = &last.reached.crossing.place;
            let one = || {
                let fields = self.medium.behind_one(self.start, place, in_plane);
                gain_of(fields, whole, departure)
            };
            if !has_close {
                outcome.gain = one();
                return Ok(outcome);
            }
            if column.rooftops.settings.min_edges > 1 {
                outcome.replaced = one();
            }
        }
        let crossings = self.crossings(column, count, &close, [end, in_plane])?;
        if count == 0 {
            let free = gain_of([Complex64::ONE; 2], whole, departure);
            let near = self.near_free_line(column, (&close, &crossings), end, gain_of);
            outcome.replaced = free + near;
        }
        let between = self.medium.pass(&from, &crossings);
        outcome.is_doubtful |= between.iter().any(|edge| edge.is_doubtful);
        let mut fields = self.medium.at_end(&from, &between, in_plane, whole);
        if !between.is_empty() && !is_sound(fields, 1.0) {
            outcome.is_doubtful = true;
            outcome.replaced = 0.0;
            if count < column.rooftops.settings.min_edges {
                // Others have this path.
                return Ok(outcome);
            }
            fields = self.medium.at_end(&from, &[], in_plane, whole);
        }
        outcome.gain = gain_of(fields, whole, departure);
        Ok(outcome)
    }

    /// Gains of the paths by one edge and by one roof close under the free line to `end`, as far as they are found
    /// elsewhere. The chain includes them.
    fn near_free_line(
        &self,
        column: &Column<'a>,
        (corners, crossings): (&[Corner], &[Crossing<'a>]),
        end: DVec2,
        gain_of: impl Fn(Fields, f64, [f64; 2]) -> f64,
    ) -> f64 {
        let settings = &column.rooftops.settings;
        let mut gain = 0.0;
        // Obstacles are known in the column's own plane.
        let mut add = |at: DVec2, fields| {
            if column.is_free(self.start, at) && column.is_free(at, end) {
                let whole = self.start.distance(at) + at.distance(end);
                gain += gain_of(fields, whole, self.departure(column, at));
            }
        };
        if settings.min_edges > 1 {
            let counted = corners.iter().zip(crossings).filter(|(_, of)| of.counts());
            for (corner, Crossing { place, .. }) in counted {
                add(corner.place(), self.medium.by_one(self.start, place, end));
            }
        }
        if settings.has_reflections {
            for pair in crossings.windows(2) {
                let edges = [&pair[0].place, &pair[1].place];
                if let Some((at, fields)) = self.medium.by_roof(self.start, edges, end) {
                    add(at, fields);
                }
            }
        }
        gain
    }

    /// Antenna gains towards a place in the plane: of the field across edges, and of the field along them.
    fn departure(&self, column: &Column<'a>, to: DVec2) -> [f64; 2] {
        let up = to.y - self.start.y;
        antenna_gains(column.tx, self.ahead * to.x + DVec3::Z * up)
    }

    /// Whether knife edges show that the gain of the chain over the first `count` edges to `end` is too small.
    fn is_too_weak(&self, column: &Column<'a>, count: usize, end: DVec2) -> bool {
        let settings = &column.rooftops.settings;
        let wavelength = column.rooftops.world.frequency().wavelength();
        let free = wavelength / (4.0 * PI * column.end(0).distance(end));
        let bound = BOUND_MARGIN * self.left(column, count, end) * free * free;
        !settings.is_exact && bound < settings.min_gain
    }

    /// Upper bound of the power at a place behind the first `count` edges, relative to free space: the power at one of
    /// the edges, reduced by all later ones as knife edges that lose nothing at grazing. (Along a roof nearly no power
    /// may be left, and yet the wave goes on.)
    fn left(&self, column: &Column<'a>, count: usize, to: DVec2) -> f64 {
        let wavelength = column.rooftops.world.frequency().wavelength();
        count.checked_sub(1).map_or(0.0, |last| {
            let (from, at) = (column.end(last), column.end(count));
            self.chain[last].left * string::knife_edge_bound(from, at, to, wavelength)
        })
    }

    /// Adds the string's next edge to the chain.
    fn lengthen(&mut self, column: &Column<'a>) -> Result<(), ChainEnd> {
        let index = self.chain.len();
        let corner = column.corner(index);
        let last = index.checked_sub(1).map(|last| self.chain[last].edge);
        let at = self.place(column, index, corner)?;
        let close = column.close_under(index, corner.place());
        let crossings = self.crossings(column, index, &close, [corner.place(), at])?;
        let ids = close.iter().chain([&corner]).map(|corner| corner.edge);
        let key = (last, ids.collect());
        let edge = match self.numbers.get(&key) {
            Some(&edge) => edge,
            None if last.is_some() && self.is_too_weak(column, index, corner.place()) => {
                return Err(ChainEnd::Weak);
            }
            None => {
                let edge = self.go_on(column, last, crossings, (corner, at));
                self.numbers.insert(key, edge);
                edge
            }
        };
        if self.edges[edge].is_weak {
            return Err(ChainEnd::Weak);
        }
        let left = self.left(column, index, corner.place());
        self.chain.push(Link {
            edge,
            left: left.max(self.edges[edge].left),
        });
        Ok(())
    }

    /// Computes the wave at the next edge of the string, and returns the index of that edge.
    fn go_on(
        &mut self,
        column: &Column<'a>,
        last: Last,
        mut crossings: Vec<Crossing<'a>>,
        (corner, at): (Corner, DVec2),
    ) -> usize {
        let has_close = !crossings.is_empty();
        crossings.push(Crossing {
            place: self.edge_at(corner.edge, at),
            weight: 1.0,
        });
        let from = self.origin(last);
        let pass = |crossings| {
            let reached = self.medium.pass(&from, crossings).into_iter();
            reached.last().expect("an edge at least")
        };
        let mut reached = pass(&crossings);
        if has_close && !reached.is_sound() {
            reached = pass(&crossings[crossings.len() - 1..]);
            Rc::get_mut(&mut reached)
                .expect("nobody else has it yet")
                .is_doubtful = true;
        }
        let whole = from.at().distance(at) + last.map_or(0.0, |last| self.edges[last].whole);
        let departure = last.map_or_else(
            || self.departure(column, at),
            |last| self.edges[last].departure,
        );
        let left = reached.largest.powi(2);
        let min_gain = 0.1 * column.rooftops.settings.min_gain;
        let gain = antenna_gain(column, [reached.largest.into(); 2], whole, departure);
        self.edges.push(Known {
            reached,
            whole,
            departure,
            is_weak: gain < min_gain,
            has_close,
            left,
        });
        self.edges.len() - 1
    }

    fn origin(&self, last: Last) -> Origin<'a> {
        last.map_or(Origin::Start(self.start), |last| {
            Origin::Edge(Rc::clone(&self.edges[last].reached))
        })
    }

    /// The edges close under the string after its first `count` edges, in this plane. `ends` are the end of that part
    /// of the string in the column's plane and in this plane.
    fn crossings(
        &self,
        column: &Column<'a>,
        count: usize,
        close: &[Corner],
        ends: [DVec2; 2],
    ) -> Result<Vec<Crossing<'a>>, ChainEnd> {
        let wavelength = self.medium.world.frequency().wavelength();
        let last = count.checked_sub(1).map(|last| self.chain[last].edge);
        let from = self.origin(last).at();
        let mut before = from.x;
        let mut places = Vec::with_capacity(close.len());
        for &corner in close {
            let at = self.place(column, count, corner)?;
            // If a corner of a house lies in between, edges come in another order.
            if self.ahead != column.ahead
                && !(is_near(ends[1] - at, ends[0] - corner.place()) && at.x > before)
            {
                return Err(ChainEnd::Apart);
            }
            before = at.x;
            places.push(at);
        }
        let weights = string::weights(from, &places, ends[1], wavelength);
        let all = close.iter().zip(places).zip(weights);
        let crossings = all.map(|((corner, at), weight)| Crossing {
            place: self.edge_at(corner.edge, at),
            weight,
        });
        Ok(crossings.collect())
    }

    /// The place in this plane of a corner after the first `count` edges.
    fn place(&self, column: &Column<'a>, count: usize, corner: Corner) -> Result<DVec2, ChainEnd> {
        if self.ahead == column.ahead {
            return Ok(corner.place());
        }
        let edge = &self.medium.world.scene().edges()[corner.edge.index()];
        let from = column.tx.position.truncate();
        let at = plan::crossing(edge.ends, from, self.ahead.truncate());
        let own = corner.place() - column.end(count);
        let last = count.checked_sub(1).map(|last| self.chain[last].edge);
        if is_near(at - self.origin(last).at(), own) {
            Ok(at)
        } else {
            Err(ChainEnd::Apart)
        }
    }

    /// An edge, with the place where the plane meets it.
    fn edge_at(&self, id: EdgeId, at: DVec2) -> EdgeSection<'a> {
        let Medium { world } = self.medium;
        let edge = &world.scene().edges()[id.index()];
        EdgeSection {
            at,
            section: Section::new(world, edge, self.ahead),
        }
    }
}

/// The gain of a chain of this length, for amplitudes relative to free space.
fn antenna_gain(column: &Column<'_>, fields: Fields, length: f64, [hard, soft]: [f64; 2]) -> f64 {
    let [along, across] = fields.map(|field| field.norm_sqr());
    let wavelength = column.rooftops.world.frequency().wavelength();
    let free = (wavelength / (4.0 * PI * length)).powi(2);
    free * (soft * along + hard * across)
}

/// Whether a part of a chain is about as it is in the column's own plane. False for parts that are not finite.
fn is_near(found: DVec2, own: DVec2) -> bool {
    found.distance(own) <= APART * own.x && found.x > SAME_CORNER
}
