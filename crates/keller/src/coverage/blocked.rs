//! The cells at whose centre no receiver can be: those inside a wall, and those over no ground.

use std::ops::Range;

use glam::{DVec2, DVec3};

use super::Region;
use crate::geometry::tolerance::DEVICE_CLEARANCE;
use crate::parallel;
use crate::scene::Scene;

/// Triangles that a thread looks at together.
const AT_ONCE: usize = 256;

/// The numbers of the cells in whose centre no receiver can be, rising. `ground` is that of [`super::Coverage`].
///
/// Triangle by triangle, for few cells lie at any.
pub(super) fn blocked(scene: &Scene, region: &Region, ground: &[f64]) -> Vec<usize> {
    let [nx, ny, nz] = region.shape();
    let over_nothing = (0..ground.len()).filter(|column| ground[*column].is_nan());
    let over_nothing = over_nothing.flat_map(|column| (0..nz).map(move |k| k * nx * ny + column));
    let at_walls = |triangle: usize, found: &mut Vec<usize>| {
        let corners = scene.corners(triangle);
        let margin = DVec3::splat(DEVICE_CLEARANCE);
        let low = corners[0].min(corners[1]).min(corners[2]) - margin;
        let high = corners[0].max(corners[1]).max(corners[2]) + margin;
        let plane = scene.plane(scene.plane_of(scene.triangle_faces()[triangle]));
        let [i, j] = columns(region, [low, high].map(DVec3::truncate));
        for j in j {
            for i in i.clone() {
                for k in 0..nz {
                    let Some(centre) = region.centre([i, j, k], ground) else {
                        break;
                    };
                    let is_near = centre.z >= low.z
                        && centre.z <= high.z
                        && plane.distance(centre).abs() <= DEVICE_CLEARANCE;
                    if is_near && scene.any_face_near(centre, DEVICE_CLEARANCE, |_| true) {
                        found.push((k * ny + j) * nx + i);
                    }
                }
            }
        }
    };
    let num_triangles = scene.triangles().len();
    let mut all: Vec<usize> = parallel::collect(num_triangles, AT_ONCE, &|triangles, found| {
        triangles.for_each(|triangle| at_walls(triangle, found));
    });
    all.extend(over_nothing);
    all.sort_unstable();
    all.dedup();
    all
}

/// The columns along both own axes whose centres may lie in a box, metres of the scene.
fn columns(region: &Region, [low, high]: [DVec2; 2]) -> [Range<usize>; 2] {
    let corners = [
        low,
        high,
        DVec2::new(low.x, high.y),
        DVec2::new(high.x, low.y),
    ];
    let places = corners.map(|corner| region.to_own(corner) / region.resolution - 0.5);
    let first = places.into_iter().fold(DVec2::INFINITY, DVec2::min).floor();
    let last = places
        .into_iter()
        .fold(DVec2::NEG_INFINITY, DVec2::max)
        .ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers below zero become zero, and those too large the largest"
    )]
    [0, 1].map(|k| first[k] as usize..(last[k] as usize + 1).min(region.num_columns[k]))
}
