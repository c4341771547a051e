//! What a tube brings to the cells of the region whose middles lie in it.

use glam::DVec3;
use num_complex::Complex64;

use super::bundle::{Bundle, Image, Met};
use super::cells::on_cube;
use super::contribution::Contribution;
use super::grid::Pyramid;
use super::tracer::{Leaf, Tracer};
use super::verify::Candidate;
use crate::Direction;
use crate::field::phase;
use crate::geometry::Plane;
use crate::paths::InteractionKind;
use crate::units::db_to_power;

/// Cells that are looked at one by one are collected to so many.
const AT_ONCE: usize = 4096;

impl Tracer<'_> {
    /// Adds the gains of tubes to the cells of the region whose middles lie in them.
    pub(super) fn fill(&self, bundle: &Bundle, leaves: &[Leaf]) {
        let mut doubtful = Vec::new();
        for leaf in leaves {
            self.visit(bundle, leaf, &mut doubtful);
            if doubtful.len() >= AT_ONCE {
                self.settle(bundle, &mut doubtful);
            }
        }
        self.settle(bundle, &mut doubtful);
    }

    /// Adds the gains of those of the cells to which a path leads.
    fn settle(&self, bundle: &Bundle, doubtful: &mut Vec<Candidate>) {
        if doubtful.is_empty() {
            return;
        }
        self.verify(bundle, doubtful);
        for cell in doubtful.drain(..) {
            let Candidate { gain, middle, .. } = cell;
            self.sums.add(cell.number, gain, || {
                self.contribution(bundle, middle, gain)
            });
        }
    }

    /// What the path by the walls of a bundle brings to the middle of a cell: its gain is that of its tube, but its polarisation is its
    /// own, since paths that differ in it do not add up.
    fn contribution(&self, bundle: &Bundle, middle: DVec3, gain: f64) -> Contribution {
        let image = &bundle.image;
        let way = middle - image.position;
        let length = way.length();
        let departure = image.turn.transpose() * (way / length);
        let wave = self.wave_along(departure, &bundle.met);
        let scale = (gain / wave.power().max(f64::MIN_POSITIVE)).sqrt();
        let wavelength = self.surfaces.frequency().wavelength();
        let scalar = Complex64::from_polar(scale, -phase(length, wavelength));
        let mut amplitudes = [[Complex64::ZERO; 2]; 2];
        for (amplitudes, received) in amplitudes.iter_mut().zip(wave.received()) {
            *amplitudes = received.map(|field| scalar * field);
        }
        Contribution {
            detour: (length - middle.distance(self.sender.position)).max(0.0),
            amplitudes,
            departure: Direction::from_vector(departure),
            arrival: Direction::from_vector(-way),
            is_line_of_sight: bundle.met.is_empty(),
        }
    }

    /// Adds the gain of a tube to the cells in it, or lists them if they must be looked at one by one.
    fn visit(&self, bundle: &Bundle, leaf: &Leaf, doubtful: &mut Vec<Candidate>) {
        let image = &bundle.image;
        let from = image.position;
        let turn = image.turn;
        let plane_of = |face| self.scene.plane(self.scene.plane_of(face));
        let [middle, corners @ ..] = leaf.cell.corners().map(|corner| turn * corner.direction());
        let is_clear = self.agree(&leaf.faces);
        let doubts = self.doubts(bundle, leaf);
        let is_verified = !doubts.is_none();
        let axis = middle.normalize();
        // Beyond, nothing of it counts.
        let weak = (leaf.power / self.least_gain).sqrt();
        let far = exit_along(from, axis, self.grid.bounds()).min(weak);
        // Nor does anything of it lead beyond the farthest wall.
        let far = if is_clear {
            far
        } else {
            let rays = leaf.faces.iter().zip([middle].into_iter().chain(corners));
            let ends = rays.map(|(face, direction)| {
                face.map_or(far, |face| {
                    image.meets(plane_of(face), direction) * direction.dot(axis)
                })
            });
            ends.fold(0.0, f64::max).min(far)
        };
        let end_plane = if is_clear || !is_verified {
            leaf.faces[0].map(plane_of)
        } else {
            None
        };
        let start_plane = bundle.start.map(|plane| self.scene.plane(plane));
        let ends = corners.map(|direction| {
            let across = far / direction.dot(axis);
            let end = end_plane.map_or(across, |plane| {
                let t = image.meets(plane, direction);
                if t > 0.0 { t.min(across) } else { across }
            });
            let start = start_plane.map_or(0.0, |plane| image.meets(plane, direction));
            [start.clamp(0.0, end), end]
        });
        let pyramid = Pyramid {
            tip: from,
            edges: corners,
            ends,
        };
        let back = turn.transpose();
        let has_clutter = !self.scene.clutter().volumes().is_empty();
        self.grid.near(&pyramid, |number, middle_of_cell| {
            let direction = middle_of_cell - from;
            let mut gain = leaf.power / direction.length_squared();
            if gain < self.least_gain || !leaf.cell.contains(on_cube(back * direction)) {
                return;
            }
            let is_behind =
                |plane: &Plane| plane.distance(middle_of_cell) * plane.normal.dot(direction) > 0.0;
            if start_plane.is_some_and(|plane| !is_behind(plane))
                || end_plane.is_some_and(is_behind)
            {
                return;
            }
            if has_clutter {
                gain *= db_to_power(-self.clutter_loss_db(image, &bundle.met, middle_of_cell));
            }
            if gain < self.least_gain {
            } else if is_verified {
                doubtful.push(Candidate {
                    number,
                    middle: middle_of_cell,
                    gain,
                    doubts,
                });
            } else {
                self.sums.add(number, gain, || {
                    self.contribution(bundle, middle_of_cell, gain)
                });
            }
        });
    }

    /// What clutter takes of the path to `end`, dB.
    fn clutter_loss_db(&self, image: &Image, met: &[Met], end: DVec3) -> f64 {
        let mut points = vec![end];
        let (mut from, mut to) = (image.position, end);
        let mirrors = met.iter().rev();
        for wall in mirrors.filter(|wall| wall.kind == InteractionKind::Reflection) {
            let plane = self.scene.plane(self.scene.plane_of(wall.face));
            let (a, b) = (plane.distance(from), plane.distance(to));
            to = from.lerp(to, a / (a - b));
            from = plane.mirror(from);
            points.push(to);
        }
        points.push(from);
        self.scene.clutter().loss_db(points)
    }
}

/// How far a box reaches along a unit vector, metres from a point.
fn exit_along(from: DVec3, axis: DVec3, [low, high]: [DVec3; 2]) -> f64 {
    let corner = DVec3::select(axis.cmpge(DVec3::ZERO), high, low);
    (corner - from).dot(axis).max(0.0)
}
