//! The walls and floors on a straight line, as the multi-wall model counts them.

use glam::DVec3;

use crate::World;
use crate::materials::Material;
use crate::models::Walls;
use crate::scene::FaceId;

/// Two parallel faces no farther apart than this, metres, are the sides of one wall.
const MAX_THICKNESS: f64 = 0.5;

/// Two faces are parallel if their normals have at least this cosine.
const PARALLEL: f64 = 0.999;

/// A thinner wall is light, metres.
const LIGHT: f64 = 0.1;

/// A face is a floor if its normal has at least this part upwards.
const FLOOR: f64 = 0.7;

/// The walls and floors between two points. A wall is heavy unless its sides, or the layers of its material, say that
/// it is thinner than 10 cm.
pub(super) fn between(world: &World, from: DVec3, to: DVec3) -> Walls {
    let scene = world.scene();
    let mut crossings = Vec::new();
    // The limit allows any number of walls.
    let _ = scene.crossings(from, to, &[], usize::MAX, &mut crossings);
    let mut walls = Walls::default();
    let mut rest = &crossings[..];
    while let [near, others @ ..] = rest {
        let normal = scene.plane(near.plane).normal;
        // The distance between the sides, if the next face is the other side.
        let gap = others.first().and_then(|far| {
            let is_parallel = scene.plane(far.plane).normal.dot(normal).abs() >= PARALLEL;
            let gap = (far.t - near.t) * (to - from).dot(normal).abs();
            (is_parallel && gap <= MAX_THICKNESS).then_some(gap)
        });
        let is_light = match gap {
            Some(gap) => gap < LIGHT,
            None => thickness(world, near.face).is_some_and(|thickness| thickness < LIGHT),
        };
        if normal.z.abs() >= FLOOR {
            walls.floors += 1;
        } else if is_light {
            walls.light += 1;
        } else {
            walls.heavy += 1;
        }
        rest = if gap.is_some() { &others[1..] } else { others };
    }
    walls
}

/// The thickness of a face's material, metres; `None` of a half space.
fn thickness(world: &World, face: FaceId) -> Option<f64> {
    let material = world.scene().face(face).material;
    let Material::Slab(layers) = world.materials()[material.index()].wall() else {
        return None;
    };
    Some(layers.iter().map(|layer| layer.thickness).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::materials::{Materials, Medium};
    use crate::scene::{Mesh, Scene};

    /// A partition of one sheet at x = 2, a wall with two sides at x = 4 and 4.2, a sheet of unknown thickness at x =
    /// 6, and floors at z = 3 and z = 6, the upper one with two sides.
    fn house() -> World {
        let mut mesh = Mesh::default();
        for (material, x) in [
            ("board", 2.0),
            ("stone", 4.0),
            ("stone", 4.2),
            ("stone", 6.0),
        ] {
            let corners = [[0.0, 0.0], [8.0, 0.0], [8.0, 9.0], [0.0, 9.0]];
            mesh.add_polygon(material, &corners.map(|[y, z]| DVec3::new(x, y, z)));
        }
        for z in [3.0, 6.0, 6.3] {
            let corners = [[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]];
            mesh.add_polygon("stone", &corners.map(|[x, y]| DVec3::new(x, y, z)));
        }
        let medium = Medium::Constant {
            relative_permittivity: 3.0,
            conductivity: 0.01,
        };
        let materials = Materials::from([
            ("board", Material::slab(medium, 0.05)),
            ("stone", Material::HalfSpace(medium)),
        ]);
        let frequency = Frequency::from_ghz(1.8).unwrap();
        World::new(Scene::new(&mesh).unwrap(), &materials, frequency).unwrap()
    }

    #[test]
    fn partitions_are_light_and_two_sides_are_one_wall() {
        let world = house();
        let at = |x, z| DVec3::new(x, 4.0, z);
        for (to, light, heavy, floors) in [
            (at(1.0, 1.5), 0, 0, 0),
            (at(3.0, 1.5), 1, 0, 0),
            (at(5.0, 1.5), 1, 1, 0),
            (at(7.0, 1.5), 1, 2, 0),
            (at(0.5, 4.5), 0, 0, 1),
            (at(1.0, 8.0), 0, 0, 2),
            (at(5.0, 8.0), 1, 1, 2),
        ] {
            let expected = Walls {
                light,
                heavy,
                floors,
            };
            let from = at(0.5, 1.5);
            assert_eq!(between(&world, from, to), expected, "{to}");
            assert_eq!(between(&world, to, from), expected, "{to} back");
        }
    }
}
