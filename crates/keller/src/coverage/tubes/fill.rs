//! What a tube brings to the cells of the region whose middles lie in it.

use glam::DVec3;

use super::bundle::{Bundle, Image, Met};
use super::cells::on_cube;
use super::grid::Pyramid;
use super::tracer::{Leaf, Tracer, Wall};
use crate::geometry::Plane;
use crate::geometry::bvh::Ray;
use crate::paths::InteractionKind;
use crate::units::db_to_power;

impl Tracer<'_> {
    /// Adds the gain of a tube to the cells of the region whose middles lie in it.
    pub(super) fn fill(&self, bundle: &Bundle, leaf: &Leaf) {
        let image = &bundle.image;
        let from = image.position;
        let turn = image.turn;
        let plane_of = |face| self.scene.plane(self.scene.plane_of(face));
        let [middle, corners @ ..] = leaf.cell.corners().map(|corner| turn * corner.direction());
        let is_clear = self.agree(&leaf.faces);
        let is_verified = leaf.is_doubtful || (!is_clear && self.widths.is_verified);
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
            if is_verified && !self.leads_to(bundle, middle_of_cell) {
                return;
            }
            if has_clutter {
                gain *= db_to_power(-self.clutter_loss_db(image, &bundle.met, middle_of_cell));
            }
            if gain >= self.least_gain {
                self.sums.add(number, gain);
            }
        });
    }

    /// Whether the path by the walls of a bundle, and no others, leads to `end`.
    fn leads_to(&self, bundle: &Bundle, end: DVec3) -> bool {
        let origin = self.scene.origin();
        let (mut at, mut image) = (end, bundle.image.position);
        let mut skip = Ray::NO_GROUP;
        for wall in bundle.met.iter().rev() {
            let id = self.scene.plane_of(wall.face);
            let plane = self.scene.plane(id);
            let ray = Ray::between((at - origin).as_vec3(), (image - origin).as_vec3());
            let hit = self
                .scene
                .index()
                .closest_hit(&ray.skipping([skip, Ray::NO_GROUP]));
            let is_wall = hit.is_some_and(|hit| {
                let face = self.scene.triangle_faces()[hit.triangle as usize];
                Wall::of(self.scene, face) == Wall::of(self.scene, wall.face)
            });
            if !is_wall {
                return false;
            }
            let (a, b) = (plane.distance(at), plane.distance(image));
            at = at.lerp(image, a / (a - b));
            skip = u32::try_from(id.index()).unwrap_or(Ray::NO_GROUP);
            if wall.kind == InteractionKind::Reflection {
                image = plane.mirror(image);
            }
        }
        let ray = Ray::between((at - origin).as_vec3(), (image - origin).as_vec3());
        let ray = ray.skipping([skip, Ray::NO_GROUP]);
        self.scene.index().is_free(&ray)
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
