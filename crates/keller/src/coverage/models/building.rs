//! The points that are in buildings.

use glam::{DVec2, DVec3};

use crate::scene::Scene;

/// Whether a point is in a building: under something, and on at least three of four sides still under something where
/// the first face stands. So it is not in a passage or under a bridge. Faces are not counted: walls that two houses
/// share may be one or two, and a hillside is no wall.
pub(super) fn is_in_building(scene: &Scene, point: DVec3) -> bool {
    /// The distance from a wall, metres.
    const BEFORE: f64 = 0.05;
    let [low, high] = scene.bounds();
    let far = low.distance(high) + 1.0;
    let mut crossings = Vec::new();
    let mut first = |from: DVec3, direction: DVec3| {
        let end = from + far * direction;
        // The limit allows any number of walls.
        let _ = scene.crossings(from, end, &[], usize::MAX, &mut crossings);
        crossings.first().map(|crossing| far * crossing.t)
    };
    if first(point, DVec3::Z).is_none() {
        return false;
    }
    // Askew, so that no line runs along the walls of a grid of streets.
    let (sin, cos) = 0.37_f64.sin_cos();
    let sides = [[cos, sin], [-sin, cos], [-cos, -sin], [sin, -cos]];
    let is_closed = |side: &[f64; 2]| {
        let side = DVec2::from(*side).extend(0.0);
        first(point, side).is_some_and(|distance| {
            let before = point + (distance - BEFORE).max(0.0) * side;
            first(before, DVec3::Z).is_some()
        })
    };
    sides.into_iter().filter(is_closed).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Mesh;

    #[test]
    fn row_houses_are_buildings_and_a_roof_on_posts_is_none() {
        let mut mesh = Mesh::default();
        let mut add = |corners: [[f64; 3]; 4]| {
            mesh.add_polygon("concrete", &corners.map(DVec3::from));
        };
        let level = |[x, y]: [f64; 2], size: f64, z: f64| {
            let corners = [[0., 0.], [size, 0.], [size, size], [0., size]];
            corners.map(|[dx, dy]| [x + dx, y + dy, z])
        };
        add(level([-100., -100.], 200., 0.));
        // Two houses side by side, whose walls between them are in one place, and a roof without walls.
        for x in [0., 10.] {
            let roof = level([x, 0.], 10., 9.);
            add(roof);
            for k in 0..4 {
                let [a, b] = [roof[k], roof[(k + 1) % 4]];
                add([[a[0], a[1], 0.], [b[0], b[1], 0.], b, a]);
            }
        }
        add(level([40., 0.], 10., 4.));
        let scene = Scene::new(&mesh).unwrap();
        for ([x, y], expected) in [
            ([5., 5.], true),
            ([15., 5.], true),
            ([30., 5.], false),
            ([45., 5.], false),
        ] {
            let found = is_in_building(&scene, DVec3::new(x, y, 1.5));
            assert_eq!(found, expected, "{x} {y}");
        }
    }
}
