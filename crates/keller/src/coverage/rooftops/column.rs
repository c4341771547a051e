//! The chains to all cells over one place: one profile, one string, one march for all of them.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::Rooftops;
use super::march::{Fields, March, Place};
use super::plan::Corner;
use super::string::{self, FREE, SAME_CORNER};
use super::wedge::Section;
use crate::coverage::points::Transmitter;
use crate::direction::Direction;
use crate::units::db_to_power;

/// The cells over one place, and what they share.
pub(super) struct Column<'a> {
    rooftops: &'a Rooftops<'a>,
    tx: &'a Transmitter,
    /// All edges on the way, and those of them that the taut string touches.
    profile: Vec<Corner>,
    string: Vec<usize>,
    /// What roofs close under the string take before each of those, dB.
    grazing_db: Vec<f64>,
    march: March<'a>,
    /// From so many edges on the chain is too weak.
    ended: usize,
    /// Gains of the antenna towards the first edge: of the fields across edges and along them.
    departure: Option<[f64; 2]>,
}

/// From this parameter of Fresnel's integral on the other edge of a roof counts: below it sends less than a tenth of the field.
const SECOND: f64 = -2.25;

/// Nearer than this in plan there is no chain, metres.
const NEAREST: f64 = 1e-3;

impl<'a> Column<'a> {
    pub(super) fn new(rooftops: &'a Rooftops<'a>, tx: &'a Transmitter) -> Self {
        Self {
            rooftops,
            tx,
            profile: Vec::new(),
            string: Vec::new(),
            grazing_db: Vec::new(),
            march: March::new(rooftops.surfaces),
            ended: usize::MAX,
            departure: None,
        }
    }

    /// Hands the gains of the chains to `middles`, all over one place, to `set`, each with the number that came with it.
    pub(super) fn fill(
        &mut self,
        middles: impl Iterator<Item = (usize, DVec3)>,
        mut set: impl FnMut(usize, f64),
    ) {
        let start = self.tx.position;
        let mut ahead = DVec3::ZERO;
        for (k, middle) in middles {
            let away = (middle - start).truncate();
            let distance = away.length();
            if distance < NEAREST {
                return;
            }
            if ahead == DVec3::ZERO {
                ahead = (away / distance).extend(0.0);
                let plan = &self.rooftops.plan;
                plan.profile(start.truncate(), middle.truncate(), &mut self.profile);
                string::pull(start.z, &self.profile, &mut self.string);
                self.march.restart(start.z);
                self.grazing_db.clear();
                self.ended = usize::MAX;
                self.departure = None;
            }
            let end = DVec2::new(distance, middle.z);
            let count = string::touched(start.z, &self.profile, &self.string, end.to_array());
            if count < self.rooftops.settings.least_edges {
                continue;
            }
            while self.march.num_edges() < count.min(self.ended) {
                self.lengthen(ahead);
            }
            if count < self.ended {
                set(k, self.gain(count, end, ahead));
            }
        }
    }

    /// Adds the string's next edge to the chain.
    fn lengthen(&mut self, ahead: DVec3) {
        let index = self.march.num_edges();
        let corner = self.profile[self.string[index]];
        let at = place_of(corner);
        let (loss, second) = self.close_under(index, at, ahead);
        self.grazing_db.push(loss);
        let section = self.section(corner, ahead);
        self.march.add(Place { at, section }, second);
        // Along a roof a field is next to nothing and yet goes on behind, but not along two.
        let is_weak = |column: &mut Self, count: usize| {
            let (fields, length) = column.march.at_edge(count - 1);
            let least = 0.1 * column.rooftops.settings.least_gain;
            column.antenna_gain(fields, length, ahead) < least
        };
        if index > 0 && is_weak(self, index) && is_weak(self, index + 1) {
            self.ended = index + 1;
        }
    }

    /// The gain of the chain of the first `count` edges to `end`.
    fn gain(&mut self, count: usize, end: DVec2, ahead: DVec3) -> f64 {
        let (loss, second) = self.close_under(count, end, ahead);
        let (fields, length) = self.march.behind(count, end, second);
        let grazing: f64 = self.grazing_db[..count].iter().sum();
        let loss = grazing + loss + self.clutter_loss_db(count, end, ahead);
        self.antenna_gain(fields, length, ahead) * db_to_power(-loss)
    }

    /// The gain of a chain so long that leaves these amplitudes of those in free space.
    fn antenna_gain(&mut self, fields: Fields, length: f64, ahead: DVec3) -> f64 {
        let first = self.march.corner(0);
        let start = self.tx.position.z;
        let towards = ahead * first.x + DVec3::Z * (first.y - start);
        let tx = self.tx;
        let [hard, soft] = *self
            .departure
            .get_or_insert_with(|| antenna_gains(tx, towards));
        // No more than in free space: at an edge nearer than the theory holds, and past rounding.
        let [along, across] = fields.map(|field| field.norm_sqr().min(1.0));
        let wavelength = self.rooftops.surfaces.frequency().wavelength();
        let free = (wavelength / (4.0 * PI * length)).powi(2);
        free * (soft * along + hard * across)
    }

    /// What lies close under the string from its corner before `index` to `to`: the loss at a roof that it passes over, dB, and the other
    /// edge of a roof that it touches at one of its ends.
    fn close_under(&self, index: usize, to: DVec2, ahead: DVec3) -> (f64, Option<Place<'a>>) {
        let profile = &self.profile;
        // The corner that the part ends at, if it does not end in a cell.
        let next = self.string.get(index).copied();
        let next = next.filter(|&next| profile[next].distance == to.x);
        let before = index.checked_sub(1).map(|before| self.string[before]);
        let from = before.map_or(DVec2::new(0.0, self.tx.position.z), |before| {
            place_of(profile[before])
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
        let second = second.map(|(corner, _)| Place {
            at: place_of(corner),
            section: self.section(corner, ahead),
        });
        (loss, second)
    }

    fn section(&self, corner: Corner, ahead: DVec3) -> Section<'a> {
        let Rooftops {
            scene, surfaces, ..
        } = *self.rooftops;
        let edge = &scene.edges()[corner.edge.index()];
        Section::new(scene, surfaces, edge, ahead)
    }

    /// Whether two corners are edges of one face.
    fn is_one_roof(&self, a: Corner, b: Corner) -> bool {
        let edges = self.rooftops.scene.edges();
        let [a, b] = [a, b].map(|corner| edges[corner.edge.index()].faces);
        a.iter().flatten().any(|face| b.contains(&Some(*face)))
    }

    /// What the volumes of clutter take along the string, dB.
    fn clutter_loss_db(&self, count: usize, end: DVec2, ahead: DVec3) -> f64 {
        let clutter = self.rooftops.scene.clutter();
        if clutter.volumes().is_empty() {
            return 0.0;
        }
        let start = self.tx.position;
        let place = |at: DVec2| (start + ahead * at.x).with_z(at.y);
        let corners = (0..count).map(|i| self.march.corner(i));
        let points = corners.chain([end]).map(place);
        clutter.loss_db(std::iter::once(start).chain(points))
    }
}

fn place_of(corner: Corner) -> DVec2 {
    DVec2::new(corner.distance, corner.height)
}

/// The gains of a transmitter's antenna, mean over its ports, of the fields in zenith and in azimuth: across horizontal edges, and
/// along them.
fn antenna_gains(tx: &Transmitter, towards: DVec3) -> [f64; 2] {
    let fields = tx.antenna.fields(Direction::from_vector(towards));
    let num_ports = fields.len() as f64;
    let [theta, phi] = fields.fold([0.0; 2], |[theta, phi], [f_theta, f_phi]| {
        [theta + f_theta.norm_sqr(), phi + f_phi.norm_sqr()]
    });
    [theta / num_ports, phi / num_ports]
}
