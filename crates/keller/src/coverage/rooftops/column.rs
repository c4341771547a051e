//! The way over the roofs to all cells over one place: one profile and one string.

use glam::{DVec2, DVec3};

use super::Rooftops;
use super::plan::{Corner, Plan};
use super::string::{self, Kind, SAME_CORNER};
use super::tree::{ChainEnd, Tree};
use crate::coverage::points::Transmitter;
use crate::direction::Direction;

/// The columns of one sector, one after the other.
pub(super) struct Sector<'a> {
    plan: &'a Plan,
    number: usize,
    column: Column<'a>,
    /// What all columns share, and what the one at hand has for itself where the sector's middle is too far from it.
    shared: Tree<'a>,
    own: Tree<'a>,
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
        let [shared, own] = [0, 1].map(|_| Tree::new(rooftops, tx.position.z, ahead));
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
        mut set: impl FnMut(usize, f64),
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
            if count < settings.least_edges {
                continue;
            }
            let gain = self.gain(count, end);
            if let Ok(gain) = gain {
                set(k, gain);
            }
            // Deeper in the shadow it is darker still.
            let is_weak = match gain {
                Ok(gain) => gain < WEAK * settings.least_gain,
                Err(end) => end == ChainEnd::Weak,
            };
            if is_weak && !settings.is_exact {
                return;
            }
        }
    }

    /// The gain of the chain of the first `count` edges to `end`.
    fn gain(&mut self, count: usize, end: DVec2) -> Result<f64, ChainEnd> {
        let column = &self.column;
        if column.rooftops.settings.is_exact {
            return self.own.gain(column, count, end);
        }
        match self.shared.gain(column, count, end) {
            Err(ChainEnd::Apart) => self.own.gain(column, count, end),
            gain => gain,
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
        self.own.turn_to(column.ahead, height);
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

    /// What lies close under the string from its corner before `index` to `to`: the loss at a roof that it passes over, dB, and the other
    /// edge of a roof that it touches at one of its ends.
    pub(super) fn close_under(&self, index: usize, to: DVec2) -> (f64, Option<Corner>) {
        let profile = &self.profile;
        // The corner that the part ends at, if it does not end in a cell.
        let next = self.string.get(index).copied();
        let next = next.filter(|&next| profile[next].distance == to.x);
        let before = index.checked_sub(1).map(|before| self.string[before]);
        let from = before.map_or(DVec2::new(0.0, self.tx.position.z), |before| {
            profile[before].place()
        });
        let between =
            &profile[before.map_or(0, |before| before + 1)..next.unwrap_or(profile.len())];
        let ends = [before, next].map(|end| end.map(|end| profile[end]));
        let shares_roof = |corner: Corner| {
            ends.iter()
                .flatten()
                .any(|&end| self.is_one_roof(corner, end))
        };
        let is_end = |corner: Corner| {
            let is_end = |end: &Corner| (end.distance - corner.distance).abs() < SAME_CORNER;
            ends.iter().flatten().any(is_end)
        };
        let kind = |corner: Corner| {
            if shares_roof(corner) {
                Kind::SameRoof
            } else if is_end(corner) {
                Kind::End
            } else {
                Kind::Apart
            }
        };
        let wavelength = self.rooftops.surfaces.frequency().wavelength();
        let (nu, second) =
            string::closest(from.to_array(), between, to.to_array(), wavelength, kind);
        (nu.map_or(0.0, string::knife_edge_loss_db), second)
    }

    /// Whether two corners are edges of one face.
    fn is_one_roof(&self, a: Corner, b: Corner) -> bool {
        let edges = self.rooftops.scene.edges();
        let [a, b] = [a, b].map(|corner| edges[corner.edge.index()].faces);
        a.iter().flatten().any(|face| b.contains(&Some(*face)))
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
