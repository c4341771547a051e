//! Chains in the plane through one column or the middle of a sector, which share what they begin with.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::Rooftops;
use super::column::{Column, antenna_gains};
use super::march::{Last, March, Second};
use super::passing::{Fields, Place};
use super::plan::{self, Corner};
use super::string::{self, SAME_CORNER};
use super::wedge::Section;
use crate::scene::EdgeId;
use crate::units::db_to_power;

/// All chains in one plane, and the one to the column at hand.
pub(super) struct Tree<'a> {
    /// The horizontal unit vector along the plane.
    ahead: DVec3,
    march: March<'a>,
    /// Edges of the march by the edge before, themselves, and the second edge on the way.
    edges: FxHashMap<Key, usize>,
    about: Vec<About>,
    chain: Vec<Link>,
    /// Why the chain grows no longer, if so.
    end: Option<ChainEnd>,
}

type Key = (Last, EdgeId, Second);

/// Why there is no gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ChainEnd {
    /// The chain is too weak.
    Weak,
    /// The tree's plane is too far from the column.
    Apart,
}

/// What is known of an edge of the march.
#[derive(Debug, Clone, Copy)]
struct About {
    /// Gains of the antenna towards the chain's first edge: of the fields across edges and along them.
    departure: [f64; 2],
    is_weak: bool,
    /// Gain over that in free space without an antenna.
    left: f64,
}

/// An edge of a chain.
#[derive(Debug, Clone, Copy)]
struct Link {
    edge: usize,
    /// What roofs close under the string take on the way, dB.
    grazing_db: f64,
    /// More than what is left of the power in free space, for what comes after.
    left: f64,
}

/// An edge may lie so much nearer to the one before, or farther, in the tree's plane than in that of the column, in parts of their
/// distance there.
const APART: f64 = 0.2;

/// Knife edges take four times as much as is counted, at grazing already; what they bound may be stronger by the rest.
const BOUND_MARGIN: f64 = 0.5;

impl<'a> Tree<'a> {
    pub(super) fn new(rooftops: &'a Rooftops<'a>, height: f64, ahead: DVec3) -> Self {
        let mut march = March::new(&rooftops.surfaces, !rooftops.settings.is_exact);
        march.restart(height);
        Self {
            ahead,
            march,
            edges: FxHashMap::default(),
            about: Vec::new(),
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
    pub(super) fn turn_to(&mut self, ahead: DVec3, height: f64) {
        self.restart_chain();
        if !self.about.is_empty() {
            self.march.restart(height);
            self.edges.clear();
            self.about.clear();
        }
        self.ahead = ahead;
    }

    /// The gain of the chain of the column's first `count` edges to `end`.
    pub(super) fn gain(
        &mut self,
        column: &Column<'a>,
        count: usize,
        end: DVec2,
    ) -> Result<f64, ChainEnd> {
        while self.chain.len() < count {
            if self.end.is_none() {
                self.end = self.lengthen(column).err();
            }
            if let Some(end) = self.end {
                return Err(end);
            }
        }
        let last = self.last(count);
        let edge = last.expect("a chain has an edge");
        if self.is_too_weak(column, count, end) {
            return Err(ChainEnd::Weak);
        }
        let (loss, second) = column.close_under(count, end);
        let in_plane = end - column.end(count) + self.march.end(last);
        let second = self.second(column, count, second, [end, in_plane])?;
        let (fields, length) = self.march.behind(last, in_plane, second);
        let grazing: f64 = self.chain[..count].iter().map(|link| link.grazing_db).sum();
        let loss = grazing + loss + column.clutter_loss_db(count, end);
        let gain = Self::antenna_gain(column, fields, length, self.about[edge].departure);
        let left = if loss > 0.0 { db_to_power(-loss) } else { 1.0 };
        Ok(left * gain)
    }

    /// Whether knife edges say that the gain of the chain of the first `count` edges to `end` is too small.
    fn is_too_weak(&self, column: &Column<'a>, count: usize, end: DVec2) -> bool {
        let settings = &column.rooftops.settings;
        let wavelength = column.rooftops.surfaces.frequency().wavelength();
        let free = wavelength / (4.0 * PI * column.end(0).distance(end));
        let bound = BOUND_MARGIN * self.left(column, count, end) * free * free;
        !settings.is_exact && bound < settings.least_gain
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

    /// The last edge of the chain of the first `count`.
    fn last(&self, count: usize) -> Last {
        count.checked_sub(1).map(|last| self.chain[last].edge)
    }

    /// Adds the string's next edge to the chain.
    fn lengthen(&mut self, column: &Column<'a>) -> Result<(), ChainEnd> {
        let index = self.chain.len();
        let corner = column.corner(index);
        let (grazing_db, second) = column.close_under(index, corner.place());
        let last = self.last(index);
        let at = self.place(column, index, corner)?;
        let second = self.second(column, index, second, [corner.place(), at])?;
        let key = (last, corner.edge, second);
        let edge = match self.edges.get(&key) {
            Some(&edge) => edge,
            None if last.is_some() && self.is_too_weak(column, index, corner.place()) => {
                return Err(ChainEnd::Weak);
            }
            None => self.march_to(column, key, at),
        };
        // Along a roof a field is next to nothing and yet goes on behind, but not along two.
        if last.is_some_and(|last| self.about[last].is_weak) && self.about[edge].is_weak {
            return Err(ChainEnd::Weak);
        }
        let left = self.left(column, index, corner.place());
        self.chain.push(Link {
            edge,
            grazing_db,
            left: left.max(self.about[edge].left),
        });
        Ok(())
    }

    /// Lets the wave go on to an edge.
    fn march_to(&mut self, column: &Column<'a>, key: Key, at: DVec2) -> usize {
        let (last, id, second) = key;
        let place = edge_at(column, self.ahead, id, at);
        let edge = self.march.add(last, place, second);
        let departure = last.map_or_else(
            || {
                let up = place.at.y - column.tx.position.z;
                antenna_gains(column.tx, self.ahead * place.at.x + DVec3::Z * up)
            },
            |last| self.about[last].departure,
        );
        let (fields, length) = self.march.at_edge(edge);
        let least = 0.1 * column.rooftops.settings.least_gain;
        let gain = Self::antenna_gain(column, fields, length, departure);
        let wavelength = column.rooftops.surfaces.frequency().wavelength();
        self.about.push(About {
            departure,
            is_weak: gain < least,
            left: gain * (4.0 * PI * length / wavelength).powi(2),
        });
        self.edges.insert(key, edge);
        edge
    }

    /// The second edge on the way behind the first `count` edges, if there is one; `ends` of the way in the column's plane and in this.
    fn second(
        &mut self,
        column: &Column<'a>,
        count: usize,
        corner: Option<Corner>,
        ends: [DVec2; 2],
    ) -> Result<Second, ChainEnd> {
        let Some(corner) = corner else {
            return Ok(None);
        };
        let at = self.place(column, count, corner)?;
        // Where a house has its corner in between, the edges beside it come in another order.
        let is_own = self.ahead == column.ahead;
        if !is_own && !is_near(ends[1] - at, ends[0] - corner.place()) {
            return Err(ChainEnd::Apart);
        }
        let ahead = self.ahead;
        let place = || edge_at(column, ahead, corner.edge, at);
        Ok(Some(self.march.second(
            self.last(count),
            corner.edge,
            place,
        )))
    }

    /// The place in the plane of a corner behind the first `count` edges.
    fn place(&self, column: &Column<'a>, count: usize, corner: Corner) -> Result<DVec2, ChainEnd> {
        if self.ahead == column.ahead {
            return Ok(corner.place());
        }
        let edge = &column.rooftops.scene.edges()[corner.edge.index()];
        let from = column.tx.position.truncate();
        let at = plan::crossing(edge.ends, from, self.ahead.truncate());
        let own = corner.place() - column.end(count);
        let found = at - self.march.end(self.last(count));
        if is_near(found, own) {
            Ok(at)
        } else {
            Err(ChainEnd::Apart)
        }
    }

    /// The gain of a chain so long that leaves these amplitudes of those in free space.
    fn antenna_gain(
        column: &Column<'a>,
        fields: Fields,
        length: f64,
        [hard, soft]: [f64; 2],
    ) -> f64 {
        // No more than in free space: at an edge nearer than the theory holds, and past rounding.
        let [along, across] = fields.map(|field| field.norm_sqr().min(1.0));
        let wavelength = column.rooftops.surfaces.frequency().wavelength();
        let free = (wavelength / (4.0 * PI * length)).powi(2);
        free * (soft * along + hard * across)
    }
}

/// Whether a part of a chain is about as it is in the column's own plane; false for what is not finite too.
fn is_near(found: DVec2, own: DVec2) -> bool {
    found.distance(own) <= APART * own.x && found.x > SAME_CORNER
}

/// An edge in the plane along `ahead`, where it is met.
fn edge_at<'a>(column: &Column<'a>, ahead: DVec3, id: EdgeId, at: DVec2) -> Place<'a> {
    let (scene, surfaces) = (column.rooftops.scene, &column.rooftops.surfaces);
    let edge = &scene.edges()[id.index()];
    Place {
        at,
        section: Section::new(scene, surfaces, edge, ahead),
    }
}
