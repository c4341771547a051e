//! The way over the roofs to all cells over one place: one profile and one string.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::Rooftops;
use super::chains::{ChainEnd, Chains, Outcome};
use super::plan::{Corner, Plan};
use super::string::{self, SAME_CORNER};
use crate::coverage::points::Transmitter;
use crate::direction::Direction;

/// The columns of one sector, one after the other.
pub(super) struct Sector<'a> {
    plan: &'a Plan,
    number: usize,
    column: Column<'a>,
    /// What all columns share, and what the one at hand has for itself where the sector's middle is too far from it.
    shared: Chains<'a>,
    own: Chains<'a>,
}

/// A place and what lies on the way to it.
pub(super) struct Column<'a> {
    pub(super) rooftops: &'a Rooftops<'a>,
    pub(super) tx: &'a Transmitter,
    /// The horizontal unit vector towards it.
    pub(super) ahead: DVec3,
    /// All edges on the way, and those of them that the taut string touches.
    profile: Vec<Corner>,
    string: Vec<usize>,
}

/// Below a cell that is weaker than this part of the least gain that counts all are too weak.
const WEAK: f64 = 0.25;

/// A corner under the string that turns by less, radians, is ground or a roof that bends, and no edge in the way.
const LEAST_ANGLE: f64 = 0.3;

/// Nearer than this in plan there is no chain, metres.
const NEAREST: f64 = 1e-3;

impl<'a> Sector<'a> {
    pub(super) fn new(
        rooftops: &'a Rooftops<'a>,
        tx: &'a Transmitter,
        plan: &'a Plan,
        number: usize,
    ) -> Self {
        let ahead = plan.middle(number).extend(0.0);
        let [shared, own] = [0, 1].map(|_| Chains::new(rooftops, tx.position.z, ahead));
        Self {
            plan,
            number,
            column: Column {
                rooftops,
                tx,
                ahead,
                profile: Vec::new(),
                string: Vec::new(),
            },
            shared,
            own,
        }
    }

    /// Hands the gains of the chains to `middles`, all over one place of the sector and the highest first, to `set`, each with the number
    /// that came with it.
    pub(super) fn fill(
        &mut self,
        middles: impl Iterator<Item = (usize, DVec3)>,
        mut set: impl FnMut(usize, Outcome),
    ) {
        let start = self.column.tx.position;
        let settings = self.column.rooftops.settings;
        let mut is_new = true;
        for (k, middle) in middles {
            let away = (middle - start).truncate();
            let distance = away.length();
            if distance < NEAREST {
                return;
            }
            if is_new {
                is_new = false;
                self.turn_to(away);
            }
            let end = DVec2::new(distance, middle.z);
            let count = self.column.touched(end);
            // A free line and the only edge of a chain may be left to others, but not what edges close under them take.
            let is_left = count < settings.least_edges;
            if is_left && !self.column.has_close(count, end) {
                continue;
            }
            let outcome = self.gain(count, end);
            if let Ok(outcome) = outcome {
                set(k, outcome);
            }
            // Deeper in the shadow it is darker still.
            let is_weak = match outcome {
                Ok(Outcome { gain, .. }) => gain < WEAK * settings.least_gain,
                Err(end) => end == ChainEnd::Weak,
            };
            if is_weak && !settings.is_exact {
                return;
            }
        }
    }

    /// The gain of the chain of the first `count` edges to `end`.
    fn gain(&mut self, count: usize, end: DVec2) -> Result<Outcome, ChainEnd> {
        let column = &self.column;
        if column.rooftops.settings.is_exact {
            return self.own.gain(column, count, end);
        }
        match self.shared.gain(column, count, end) {
            Err(ChainEnd::Apart) => self.own.gain(column, count, end),
            outcome => outcome,
        }
    }

    /// Goes on to the next column.
    fn turn_to(&mut self, away: DVec2) {
        let column = &mut self.column;
        let height = column.tx.position.z;
        column.ahead = away.normalize().extend(0.0);
        let scene = column.rooftops.scene;
        self.plan
            .profile(scene, self.number, away, &mut column.profile);
        string::pull(height, &column.profile, &mut column.string);
        self.shared.restart_chain();
        self.own.turn_to(column.ahead);
    }
}

impl Column<'_> {
    /// How many edges the string to a cell touches.
    fn touched(&self, end: DVec2) -> usize {
        let height = self.tx.position.z;
        string::touched(height, &self.profile, &self.string, end.to_array())
    }

    /// An edge of the string.
    pub(super) fn corner(&self, index: usize) -> Corner {
        self.profile[self.string[index]]
    }

    /// Where the chain of the first `count` edges ends.
    pub(super) fn end(&self, count: usize) -> DVec2 {
        let start = DVec2::new(0.0, self.tx.position.z);
        count
            .checked_sub(1)
            .map_or(start, |last| self.corner(last).place())
    }

    /// Whether edges lie close under the string that touches `count` edges, one or none, on its way to a cell.
    fn has_close(&self, count: usize, end: DVec2) -> bool {
        match count {
            0 => !self.close_under(0, end).is_empty(),
            1 => {
                let before = self.close_under(0, self.corner(0).place());
                !before.is_empty() || !self.close_under(1, end).is_empty()
            }
            _ => false,
        }
    }

    /// Whether no corner of the profile is in the way between two places.
    pub(super) fn is_free(&self, a: DVec2, b: DVec2) -> bool {
        string::is_free(a, b, &self.profile)
    }

    /// The corners that reach into the first Fresnel zones of the string from its corner before `index` to `to`, in order.
    pub(super) fn close_under(&self, index: usize, to: DVec2) -> Vec<Corner> {
        let profile = &self.profile;
        let wavelength = self.rooftops.surfaces.frequency().wavelength();
        let edges = self.rooftops.scene.edges();
        let first = index
            .checked_sub(1)
            .map_or(0, |before| self.string[before] + 1);
        let from = self.end(index);
        let mut close: Vec<Corner> = Vec::new();
        for &corner in &profile[first..] {
            if corner.distance > to.x - SAME_CORNER {
                break;
            }
            let is_at_end = corner.distance - from.x < SAME_CORNER;
            let is_flat = edges[corner.edge.index()].exterior_angle < PI + LEAST_ANGLE;
            if is_at_end || is_flat {
                continue;
            }
            if string::fresnel_parameter(from, corner.place(), to, wavelength) <= string::CLEAR {
                continue;
            }
            match close.last_mut() {
                Some(last) if corner.distance - last.distance < SAME_CORNER => {
                    if corner.height > last.height {
                        *last = corner;
                    }
                }
                _ => close.push(corner),
            }
        }
        close
    }

    /// What the volumes of clutter take along the string, dB.
    pub(super) fn clutter_loss_db(&self, count: usize, end: DVec2) -> f64 {
        let clutter = self.rooftops.scene.clutter();
        if clutter.volumes().is_empty() {
            return 0.0;
        }
        let start = self.tx.position;
        let place = |at: DVec2| (start + self.ahead * at.x).with_z(at.y);
        let corners = (0..count).map(|i| self.corner(i).place());
        let points = corners.chain([end]).map(place);
        clutter.loss_db(std::iter::once(start).chain(points))
    }
}

/// The gains of a transmitter's antenna, mean over its ports, of the fields in zenith and in azimuth: across horizontal edges, and
/// along them.
pub(super) fn antenna_gains(tx: &Transmitter, towards: DVec3) -> [f64; 2] {
    let fields = tx.antenna.fields(Direction::from_vector(towards));
    let num_ports = fields.len() as f64;
    let [theta, phi] = fields.fold([0.0; 2], |[theta, phi], [f_theta, f_phi]| {
        [theta + f_theta.norm_sqr(), phi + f_phi.norm_sqr()]
    });
    [theta / num_ports, phi / num_ports]
}
