//! One column of cells, all above one place in plan: the profile of the edges on the way to it, and the taut string
//! over them.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::Rooftops;
use super::string::{self, SAME_CORNER};
use crate::Tx;
use crate::coverage::plan::{Corner, Plan};
use crate::direction::Direction;

/// A column of cells, and the edges on the way to it.
pub(super) struct Column<'a> {
    pub(super) rooftops: &'a Rooftops,
    pub(super) tx: &'a Tx,
    /// Horizontal unit vector towards the column.
    pub(super) ahead: DVec3,
    /// All edges on the way, and the indices of those that the taut string touches.
    profile: Vec<Corner>,
    string: Vec<usize>,
}

/// The angle of a corner under the string, radians, below which it belongs to ground or to a curved roof and is no
/// obstacle.
const MIN_ANGLE: f64 = 0.3;

impl<'a> Column<'a> {
    /// A column that is none yet: [`Self::turn_to`] goes to the first. `ahead` is the direction until then.
    pub(super) fn new(rooftops: &'a Rooftops, tx: &'a Tx, ahead: DVec3) -> Self {
        Self {
            rooftops,
            tx,
            ahead,
            profile: Vec::new(),
            string: Vec::new(),
        }
    }

    /// Goes on to the column that lies `away` from the Tx, in the sector `number` of the plan. Builds its profile and
    /// its taut string.
    pub(super) fn turn_to(&mut self, plan: &Plan, number: usize, away: DVec2) {
        self.ahead = away.normalize().extend(0.0);
        plan.profile(self.rooftops.world.scene(), number, away, &mut self.profile);
        string::pull(self.tx.position.z, &self.profile, &mut self.string);
    }

    /// The number of edges that the string to a cell touches.
    pub(super) fn touched(&self, end: DVec2) -> usize {
        let height = self.tx.position.z;
        string::touched(height, &self.profile, &self.string, end.to_array())
    }

    /// The corner of an edge that the string touches.
    pub(super) fn corner(&self, index: usize) -> Corner {
        self.profile[self.string[index]]
    }

    /// The end of the chain of the first `count` edges.
    pub(super) fn end(&self, count: usize) -> DVec2 {
        let start = DVec2::new(0.0, self.tx.position.z);
        count
            .checked_sub(1)
            .map_or(start, |last| self.corner(last).place())
    }

    /// Whether edges lie close under the string to a cell. `count` is how many edges that string touches; only none or
    /// one is of interest.
    pub(super) fn has_close(&self, count: usize, end: DVec2) -> bool {
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

    /// The corners that reach into the first Fresnel zone of the part of the string from its corner before `index` to
    /// `to`, in order.
    pub(super) fn close_under(&self, index: usize, to: DVec2) -> Vec<Corner> {
        let profile = &self.profile;
        let wavelength = self.rooftops.world.frequency().wavelength();
        let edges = self.rooftops.world.scene().edges();
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
            let is_flat = edges[corner.edge.index()].exterior_angle < PI + MIN_ANGLE;
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

    /// The attenuation by volumes of clutter along the string, dB.
    pub(super) fn clutter_loss_db(&self, count: usize, end: DVec2) -> f64 {
        let clutter = self.rooftops.world.scene().clutter();
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

/// The gains of a Tx antenna, mean over its ports, for the fields in zenith and in azimuth. The first is the field
/// across horizontal edges, the second the field along them.
pub(super) fn antenna_gains(tx: &Tx, towards: DVec3) -> [f64; 2] {
    let fields = tx.antenna.fields(Direction::from_vector(towards));
    let num_ports = fields.len() as f64;
    let [theta, phi] = fields.fold([0.0; 2], |[theta, phi], [f_theta, f_phi]| {
        [theta + f_theta.norm_sqr(), phi + f_phi.norm_sqr()]
    });
    [theta / num_ports, phi / num_ports]
}
