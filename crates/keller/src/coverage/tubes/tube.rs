//! One tube after the other, depth first.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::cells::{Cell, DEEPEST, on_cube};
use super::fill::{Grid, Pyramid, Sums};
use crate::coverage::points::Transmitter;
use crate::direction::Direction;
use crate::em::Surfaces;
use crate::field::PlaneWave;
use crate::geometry::bvh::Ray;
use crate::paths::{InteractionKind, Limits};
use crate::scene::{FaceId, PlaneId, Scene};
use crate::units::db_to_power;

/// How wide tubes may be where they end, in parts of the region's smallest cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Widths {
    /// When their rays agree.
    pub(super) widest: f64,
    /// When they do not.
    pub(super) finest: f64,
}

/// What all tubes of a transmitter have in common.
pub(super) struct Tracer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) surfaces: &'a Surfaces,
    pub(super) grid: &'a Grid<'a>,
    pub(super) sums: &'a Sums,
    pub(super) sender: &'a Transmitter,
    pub(super) limits: &'a Limits,
    pub(super) widths: Widths,
    /// Of a cell of the region, metres.
    pub(super) size: f64,
    pub(super) least_gain: f64,
}

/// The transmitter, seen in the mirrors of a sequence.
#[derive(Debug, Clone, Copy)]
struct Image {
    position: DVec3,
    /// From directions of the transmitter to those of the image.
    turn: DMat3,
}

/// A wall that a tube has met.
#[derive(Debug, Clone, Copy)]
struct Met {
    kind: InteractionKind,
    face: FaceId,
}

/// A piece of a tube, from one wall to the next.
#[derive(Debug, Clone, Copy)]
struct Piece {
    image: Image,
    /// The wall it leaves.
    start: Option<PlaneId>,
    reflections: usize,
    transmissions: usize,
    /// The gain a metre from the image, as the tube had it that came to the wall.
    power: f64,
}

/// What a ray of a piece meets.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    /// Distance from the image in units of the ray's direction, and the wall; none if it leaves the scene.
    hit: Option<(f64, FaceId, PlaneId)>,
    direction: DVec3,
    start: f64,
}

impl Tracer<'_> {
    /// Follows all tubes in a cell of directions.
    pub(super) fn launch(&self, cell: Cell) {
        let image = Image {
            position: self.sender.position,
            turn: DMat3::IDENTITY,
        };
        let piece = Piece {
            image,
            start: None,
            reflections: 0,
            transmissions: 0,
            power: self.power(cell, &[]),
        };
        self.follow(cell, piece, &mut Vec::new());
    }

    fn follow(&self, cell: Cell, piece: Piece, met: &mut Vec<Met>) {
        let rays = cell
            .directions()
            .map(|direction| self.trace(piece, piece.image.turn * direction));
        let wall = |ray: &Ahead| ray.hit.map(|(_, _, plane)| plane);
        let agree = rays.iter().all(|ray| wall(ray) == wall(&rays[0]));
        // How wide the tube is where its farthest ray ends, or leaves the region.
        let reach = rays
            .iter()
            .map(|ray| self.reach(piece, ray))
            .fold(0.0, f64::max);
        let width = cell.width() * reach;
        let allowed = if agree {
            self.widths.widest
        } else {
            self.finest(piece, reach)
        };
        if width > allowed * self.size && cell.level() < DEEPEST {
            for child in cell.children() {
                self.follow(child, piece, met);
            }
            return;
        }
        let power = self.power(cell, met);
        if piece.reflections > 0 || self.limits.line_of_sight {
            self.fill(cell, piece, &rays, power, met);
        }
        self.go_on(cell, piece, &rays[0], power, met);
    }

    /// How wide a tube may be whose rays disagree: weak ones matter less.
    fn finest(&self, piece: Piece, reach: f64) -> f64 {
        /// For so much more power than the least that counts, a tube is split once more.
        const STEP: f64 = 30.0;
        let excess = piece.power / (reach * reach * self.least_gain);
        let mut width = self.widths.widest;
        let mut needed = STEP;
        while width > self.widths.finest && excess > needed {
            width *= 0.5;
            needed *= STEP;
        }
        width.max(self.widths.finest)
    }

    /// What the ray in a direction from the image meets behind the wall that it leaves.
    fn trace(&self, piece: Piece, direction: DVec3) -> Ahead {
        let origin = self.scene.origin();
        let from = piece.image.position;
        let start = piece.start.map_or(0.0, |plane| {
            let plane = self.scene.plane(plane);
            -plane.distance(from) / plane.normal.dot(direction)
        });
        let at = from + start * direction - origin;
        let own = piece.start.map_or(Ray::NO_GROUP, |plane| {
            u32::try_from(plane.index()).unwrap_or(Ray::NO_GROUP)
        });
        let ray = Ray::new(at.as_vec3(), direction.as_vec3()).skipping([own, Ray::NO_GROUP]);
        let hit = self.scene.index().closest_hit(&ray).map(|hit| {
            let face = self.scene.triangle_faces()[hit.triangle as usize];
            let id = self.scene.plane_of(face);
            let plane = self.scene.plane(id);
            let t = -plane.distance(from) / plane.normal.dot(direction);
            (t, face, id)
        });
        Ahead {
            hit,
            direction,
            start,
        }
    }

    /// How far from the image a ray ends or leaves the region, metres; 0 if it never comes there.
    fn reach(&self, piece: Piece, ray: &Ahead) -> f64 {
        let [low, high] = self.grid.bounds();
        let exit = exit(piece.image.position, ray.direction, low, high);
        let end = match ray.hit {
            Some((t, ..)) => t,
            None => exit,
        };
        end.max(0.0) * ray.direction.length()
    }

    /// The gain at the distance of one metre from the image, along the middle ray.
    fn power(&self, cell: Cell, met: &[Met]) -> f64 {
        let [direction, ..] = cell.directions();
        let departure = direction.normalize();
        let mut wave = PlaneWave::new(departure);
        for wall in met {
            let face = self.scene.face(wall.face);
            let surface = self.surfaces.surface(face.material);
            wave.meet(wall.kind, self.scene.face_normal(wall.face), surface);
        }
        let factor = self.surfaces.frequency().wavelength() / (4.0 * PI);
        let fields = self
            .sender
            .antenna
            .fields(Direction::from_vector(departure));
        let ports = fields.len() as f64;
        let power: f64 = fields.map(|field| wave.power(field)).sum();
        factor * factor * power / ports
    }

    /// Adds the gain to the cells of the region whose middles lie in the piece.
    fn fill(&self, cell: Cell, piece: Piece, rays: &[Ahead; 5], power: f64, met: &[Met]) {
        let from = piece.image.position;
        let [middle, corners @ ..] = rays;
        let end_plane = middle.hit.map(|(_, _, plane)| self.scene.plane(plane));
        let start_plane = piece.start.map(|plane| self.scene.plane(plane));
        let [low, high] = self.grid.bounds();
        let axis = middle.direction.normalize();
        // Beyond, nothing of it counts.
        let weak = (power / self.least_gain).sqrt();
        let far = exit_along(from, axis, low, high).min(weak);
        let ends = corners.map(|ray| {
            let across = far / ray.direction.dot(axis);
            let end = end_plane.map_or(across, |plane| {
                let t = -plane.distance(from) / plane.normal.dot(ray.direction);
                if t > 0.0 { t.min(across) } else { across }
            });
            [ray.start.clamp(0.0, end), end]
        });
        let pyramid = Pyramid {
            tip: from,
            edges: corners.map(|ray| ray.direction),
            ends,
        };
        let back = piece.image.turn.transpose();
        let has_clutter = !self.scene.clutter().volumes().is_empty();
        self.grid.near(&pyramid, |number, middle_of_cell| {
            let direction = middle_of_cell - from;
            if !cell.contains(on_cube(back * direction)) {
                return;
            }
            let is_behind = |plane: &crate::geometry::Plane| {
                plane.distance(middle_of_cell) * plane.normal.dot(direction) > 0.0
            };
            if start_plane.is_some_and(|plane| !is_behind(plane))
                || end_plane.is_some_and(is_behind)
            {
                return;
            }
            let mut gain = power / direction.length_squared();
            if has_clutter {
                gain *= db_to_power(-self.clutter_loss_db(piece.image, met, middle_of_cell));
            }
            if gain >= self.least_gain {
                self.sums.add(number, gain);
            }
        });
    }

    /// What clutter takes of the path to `end`, dB.
    fn clutter_loss_db(&self, image: Image, met: &[Met], end: DVec3) -> f64 {
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

    /// Reflects the tube at the wall that its middle ray meets, and passes it through.
    fn go_on(&self, cell: Cell, piece: Piece, ray: &Ahead, power: f64, met: &mut Vec<Met>) {
        let Some((t, face, id)) = ray.hit else {
            return;
        };
        let distance = t * ray.direction.length();
        if power / (distance * distance) < self.least_gain {
            return;
        }
        let plane = self.scene.plane(id);
        let budget = |r: usize| self.limits.transmissions_beside(r);
        if piece.reflections < self.limits.reflections()
            && piece.transmissions <= budget(piece.reflections + 1)
        {
            let n = plane.normal;
            let mirror = DMat3::IDENTITY - 2.0 * DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let next = Piece {
                image: Image {
                    position: plane.mirror(piece.image.position),
                    turn: mirror * piece.image.turn,
                },
                start: Some(id),
                reflections: piece.reflections + 1,
                ..piece
            };
            self.meet(cell, next, distance, InteractionKind::Reflection, face, met);
        }
        let surface = self.surfaces.surface(self.scene.face(face).material);
        if piece.transmissions < budget(piece.reflections) && !surface.is_opaque() {
            let next = Piece {
                start: Some(id),
                transmissions: piece.transmissions + 1,
                ..piece
            };
            self.meet(
                cell,
                next,
                distance,
                InteractionKind::Transmission,
                face,
                met,
            );
        }
    }

    /// Follows the piece behind a wall if it is still strong enough there.
    fn meet(
        &self,
        cell: Cell,
        mut piece: Piece,
        distance: f64,
        kind: InteractionKind,
        face: FaceId,
        met: &mut Vec<Met>,
    ) {
        met.push(Met { kind, face });
        piece.power = self.power(cell, met);
        if piece.power >= self.least_gain * distance * distance {
            self.follow(cell, piece, met);
        }
        met.pop();
    }
}

/// Where a ray leaves a box, in units of its direction; 0 if it misses it.
fn exit(from: DVec3, direction: DVec3, low: DVec3, high: DVec3) -> f64 {
    let (a, b) = ((low - from) / direction, (high - from) / direction);
    let enter = a.min(b).max_element();
    let exit = a.max(b).min_element();
    if enter <= exit { exit.max(0.0) } else { 0.0 }
}

/// How far a box reaches along a unit vector, metres from a point.
fn exit_along(from: DVec3, axis: DVec3, low: DVec3, high: DVec3) -> f64 {
    let corner = DVec3::select(axis.cmpge(DVec3::ZERO), high, low);
    (corner - from).dot(axis).max(0.0)
}
