//! The way over the roofs to all cells over one place: one profile and one string.

use glam::{DVec2, DVec3};

use super::Rooftops;
use super::plan::{Corner, Plan};
use super::string::{self, FREE, SAME_CORNER};
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

/// From this parameter of Fresnel's integral on the other edge of a roof counts: below it sends less than a tenth of the field.
const SECOND: f64 = -2.25;

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
        let [shared, own] = [0, 1].map(|_| Tree::new(rooftops.surfaces, tx.position.z, ahead));
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

    /// Hands the gains of the chains to `middles`, all over one place of the sector, to `set`, each with the number that came with it.
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
            if settings.is_exact {
                if let Ok(gain) = self.own.gain(&self.column, count, end) {
                    set(k, gain);
                }
                continue;
            }
            let mut gain = self.shared.gain(&self.column, count, end);
            if gain == Err(ChainEnd::Apart) {
                gain = self.own.gain(&self.column, count, end);
            }
            if let Ok(gain) = gain {
                set(k, gain);
            }
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
        let is_apart = |corner: Corner| {
            let is_end = |end: &Corner| (end.distance - corner.distance).abs() < SAME_CORNER;
            !shares_roof(corner) && !ends.iter().flatten().any(is_end)
        };
        let wavelength = self.rooftops.surfaces.frequency().wavelength();
        let (a, b) = (from.to_array(), to.to_array());
        let loss = string::closest(a, between, b, wavelength, FREE, is_apart)
            .map_or(0.0, |(_, nu)| string::knife_edge_loss_db(nu));
        let second = string::closest(a, between, b, wavelength, SECOND, shares_roof);
        (loss, second.map(|(corner, _)| corner))
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
