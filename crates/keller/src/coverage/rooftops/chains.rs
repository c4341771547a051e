//! Chains of edges in one vertical plane, that of a column or that through the centre of a sector. Chains that begin
//! with the same edges share the field up to the last of them.

use std::f64::consts::PI;
use std::rc::Rc;

use glam::{DVec2, DVec3};
use num_complex::Complex64;
use rustc_hash::FxHashMap;

use super::Rooftops;
use super::column::{Column, antenna_gains};
use super::fields::Fields;
use super::plan::{self, Corner};
use super::string::{self, SAME_CORNER};
use super::wave::{Crossing, EdgeSection, Medium, Origin, Reached};
use super::wedge::Section;
use crate::scene::EdgeId;
use crate::units::db_to_power;

/// All chains in one plane, and the chain to the column at hand.
pub(super) struct Chains<'a> {
    /// The horizontal unit vector along the plane.
    ahead: DVec3,
    start: DVec2,
    medium: Medium<'a>,
    /// Edges of strings, by the edge of the string before and what lies close under it on the way, themselves last.
    edges: Vec<Known<'a>>,
    numbers: FxHashMap<(Last, Vec<EdgeId>), usize>,
    chain: Vec<Link>,
    /// Why the chain grows no longer, if so.
    end: Option<ChainEnd>,
}

/// The last edge of a chain, by its number; `None` for the start.
type Last = Option<usize>;

/// Why there is no gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ChainEnd {
    /// The chain is too weak.
    Weak,
    /// The plane is too far from the column.
    Apart,
}

/// What a chain brings to a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) gain: f64,
    /// The gain of the paths that are found elsewhere and that the chain holds: in free sight the free line and those by what is close
    /// under it; else the path by the chain's only edge, if others close under the string weaken it.
    pub(super) replaced: f64,
    pub(super) is_doubtful: bool,
}

/// What is known of an edge.
struct Known<'a> {
    reached: Rc<Reached<'a>>,
    /// From the start, metres.
    whole: f64,
    /// Gains of the antenna towards the chain's first edge: of the fields across edges and along them.
    departure: [f64; 2],
    is_weak: bool,
    /// Whether edges lie close under the string before it.
    has_close: bool,
    /// The largest gain over the edge, over that in free space without an antenna.
    left: f64,
}

/// An edge of a chain.
#[derive(Debug, Clone, Copy)]
struct Link {
    edge: usize,
    /// More than what is left of the power in free space, for what comes after.
    left: f64,
}

/// An edge may lie so much nearer to the one before, or farther, in this plane than in that of the column, in parts of their distance
/// there.
const APART: f64 = 0.2;

/// Knife edges take four times as much as is counted, at grazing already; what they bound may be stronger by the rest.
const BOUND_MARGIN: f64 = 0.5;

impl<'a> Chains<'a> {
    pub(super) fn new(rooftops: &'a Rooftops, height: f64, ahead: DVec3) -> Self {
        Self {
            ahead,
            start: DVec2::new(0.0, height),
            medium: Medium {
                scene: rooftops.world.scene(),
                surfaces: &rooftops.surfaces,
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

    /// Forgets all, in another plane.
    pub(super) fn turn_to(&mut self, ahead: DVec3) {
        self.restart_chain();
        self.edges.clear();
        self.numbers.clear();
        self.ahead = ahead;
    }

    /// The gain of the chain of the column's first `count` edges to `end`.
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
            let beside = self.beside_free_line(column, (&close, &crossings), end, gain_of);
            outcome.replaced = free + beside;
        }
        let between = self.medium.pass(&from, &crossings);
        outcome.is_doubtful |= between.iter().any(|edge| edge.is_doubtful);
        let fields = self.medium.at_end(&from, &between, in_plane, whole);
        outcome.gain = gain_of(fields, whole, departure);
        Ok(outcome)
    }

    /// Gains of the paths by one edge and by one roof close under the free line to `end`, as far as they are found elsewhere: the chain
    /// holds them.
    fn beside_free_line(
        &self,
        column: &Column<'a>,
        (corners, crossings): (&[Corner], &[Crossing<'a>]),
        end: DVec2,
        gain_of: impl Fn(Fields, f64, [f64; 2]) -> f64,
    ) -> f64 {
        let settings = &column.rooftops.settings;
        let mut gain = 0.0;
        // What is in the way is known in the column's own plane.
        let mut add = |at: DVec2, fields| {
            if column.is_free(self.start, at) && column.is_free(at, end) {
                let whole = self.start.distance(at) + at.distance(end);
                gain += gain_of(fields, whole, self.departure(column, at));
            }
        };
        if settings.min_edges > 1 {
            for (corner, Crossing { place, .. }) in corners.iter().zip(crossings) {
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

    /// Gains of the antenna towards a place in the plane: of the fields across edges and along them.
    fn departure(&self, column: &Column<'a>, to: DVec2) -> [f64; 2] {
        let up = to.y - self.start.y;
        antenna_gains(column.tx, self.ahead * to.x + DVec3::Z * up)
    }

    /// Whether knife edges say that the gain of the chain of the first `count` edges to `end` is too small.
    fn is_too_weak(&self, column: &Column<'a>, count: usize, end: DVec2) -> bool {
        let settings = &column.rooftops.settings;
        let wavelength = column.rooftops.surfaces.frequency().wavelength();
        let free = wavelength / (4.0 * PI * column.end(0).distance(end));
        let bound = BOUND_MARGIN * self.left(column, count, end) * free * free;
        !settings.is_exact && bound < settings.min_gain
    }

    /// What may be left behind the first `count` edges at a place, over the gain in free space: what is left at one of them, over all
    /// that follow as knife edges which let all through at grazing. (Along a roof next to nothing is left, and yet the wave goes on.)
    fn left(&self, column: &Column<'a>, count: usize, to: DVec2) -> f64 {
        let wavelength = column.rooftops.surfaces.frequency().wavelength();
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

    /// Lets the wave go on to an edge of the string.
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
        let reached = self.medium.pass(&from, &crossings);
        let reached = reached.into_iter().next_back().expect("an edge at least");
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

    /// What lies close under the string behind its first `count` edges, in this plane; `ends` of that part of the string in the column's
    /// plane and in this.
    fn crossings(
        &self,
        column: &Column<'a>,
        count: usize,
        close: &[Corner],
        ends: [DVec2; 2],
    ) -> Result<Vec<Crossing<'a>>, ChainEnd> {
        let wavelength = self.medium.surfaces.frequency().wavelength();
        let last = count.checked_sub(1).map(|last| self.chain[last].edge);
        let from = self.origin(last).at();
        let mut before = from.x;
        let mut crossings = Vec::with_capacity(close.len() + 1);
        for &corner in close {
            let at = self.place(column, count, corner)?;
            // Where a house has its corner in between, edges come in another order.
            if self.ahead != column.ahead
                && !(is_near(ends[1] - at, ends[0] - corner.place()) && at.x > before)
            {
                return Err(ChainEnd::Apart);
            }
            before = at.x;
            crossings.push(Crossing {
                place: self.edge_at(corner.edge, at),
                weight: string::weight(string::fresnel_parameter(from, at, ends[1], wavelength)),
            });
        }
        Ok(crossings)
    }

    /// The place in the plane of a corner behind the first `count` edges.
    fn place(&self, column: &Column<'a>, count: usize, corner: Corner) -> Result<DVec2, ChainEnd> {
        if self.ahead == column.ahead {
            return Ok(corner.place());
        }
        let edge = &self.medium.scene.edges()[corner.edge.index()];
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

    /// An edge in the plane, where it is met.
    fn edge_at(&self, id: EdgeId, at: DVec2) -> EdgeSection<'a> {
        let Medium { scene, surfaces } = self.medium;
        let edge = &scene.edges()[id.index()];
        EdgeSection {
            at,
            section: Section::new(scene, surfaces, edge, self.ahead),
        }
    }
}

/// The gain of a chain so long that leaves these amplitudes of those in free space.
fn antenna_gain(column: &Column<'_>, fields: Fields, length: f64, [hard, soft]: [f64; 2]) -> f64 {
    let [along, across] = fields.map(|field| field.norm_sqr());
    let wavelength = column.rooftops.surfaces.frequency().wavelength();
    let free = (wavelength / (4.0 * PI * length)).powi(2);
    free * (soft * along + hard * across)
}

/// Whether a part of a chain is about as it is in the column's own plane; false for what is not finite too.
fn is_near(found: DVec2, own: DVec2) -> bool {
    found.distance(own) <= APART * own.x && found.x > SAME_CORNER
}
