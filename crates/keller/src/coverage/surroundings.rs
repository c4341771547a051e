//! The surroundings of a region, for warnings: whether its cells are narrower than the streets, and whether it is
//! indoors.
//!
//! A few hundred points, evenly spread, look for walls around them, so all of this is rough, and takes milliseconds.

use glam::{DVec2, DVec3};

use super::Region;
use crate::parallel;
use crate::scene::Scene;

/// Points along each horizontal axis.
const POINTS: u32 = 16;

/// The height at which people walk, metres above the ground.
const HEIGHT: f64 = 1.5;

/// Walls farther away than this make no street, metres.
const REACH: f64 = 60.0;

/// The largest rise of the normal of a wall: a steeper face.
const WALL_RISE: f64 = 0.3;

/// The surroundings of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings {
    /// The median of the shortest straight way from wall to wall through points outdoors, metres: about the width of a street. `None`
    /// where fewer than a quarter of them stand between walls.
    pub typical_gap: Option<f64>,
    /// The share of all points that are enclosed, 0 to 1: see [`Surroundings::is_enclosed`].
    pub share_enclosed: f64,
}

impl Surroundings {
    /// The surroundings of the part of a scene over which a region lies.
    pub fn of(scene: &Scene, region: &Region) -> Self {
        let [low, high] = scene.bounds();
        // The part over the scene, in the region's own axes.
        let of_scene = [
            [low.x, low.y],
            [high.x, low.y],
            [high.x, high.y],
            [low.x, high.y],
        ];
        let of_scene = of_scene.map(|corner| region.to_own(corner.into()));
        let low = of_scene.into_iter().fold(DVec2::INFINITY, DVec2::min);
        let high = of_scene.into_iter().fold(DVec2::NEG_INFINITY, DVec2::max);
        let min = low.max(DVec2::ZERO);
        let max = high.min(region.extent());
        if min.cmpgt(max).any() {
            return Self {
                typical_gap: None,
                share_enclosed: 0.0,
            };
        }
        let share = |k: u32| (f64::from(k) + 0.5) / f64::from(POINTS);
        let places: Vec<DVec2> = (0..POINTS * POINTS)
            .map(|n| min + (max - min) * DVec2::new(share(n % POINTS), share(n / POINTS)))
            .map(|own| region.to_scene(own))
            .collect();
        // The result for each place: no ground, indoors, or outdoors a gap.
        let found: Vec<Option<Gap>> = parallel::map_slice(&places, |place| {
            let point = place.extend(scene.ground(*place)? + HEIGHT);
            Some(if Self::is_enclosed(scene, point) {
                Gap::Enclosed
            } else {
                Gap::Of(gap(scene, point))
            })
        });
        let found: Vec<Gap> = found.into_iter().flatten().collect();
        let mut gaps: Vec<f64> = found.iter().filter_map(Gap::outdoors).collect();
        let enclosed = found.len() - gaps.len();
        gaps.sort_by(f64::total_cmp);
        let between = gaps.partition_point(|gap| gap.is_finite());
        let is_built = between > 0 && 4 * between >= gaps.len();
        Self {
            typical_gap: is_built.then(|| gaps[between / 2]),
            share_enclosed: enclosed as f64 / found.len().max(1) as f64,
        }
    }

    /// Whether a point is inside a closed body such as a building: under an odd number of faces, and with an odd number of them on
    /// at least three of four sides. So it is not under a bridge, nor under the ground; a body without a floor counts too.
    pub fn is_enclosed(scene: &Scene, point: DVec3) -> bool {
        let [low, high] = scene.bounds();
        let far = low.distance(high) + 1.0;
        let mut crossings = Vec::new();
        let mut is_odd = |direction: DVec3| {
            let end = point + far * direction;
            // The limit allows any number of walls.
            let _ = scene.crossings(point, end, &[], usize::MAX, &mut crossings);
            crossings.len() % 2 == 1
        };
        // Askew, so that no line runs along the walls of a grid of streets.
        let (sin, cos) = 0.37_f64.sin_cos();
        let sides = [[cos, sin], [-sin, cos], [-cos, -sin], [sin, -cos]];
        is_odd(DVec3::Z)
            && sides
                .into_iter()
                .filter(|side| is_odd(DVec2::from(*side).extend(0.0)))
                .count()
                >= 3
    }
}

/// The surroundings of a point.
enum Gap {
    Enclosed,
    Of(f64),
}

impl Gap {
    fn outdoors(&self) -> Option<f64> {
        match self {
            Self::Enclosed => None,
            Self::Of(gap) => Some(*gap),
        }
    }
}

/// The shortest way from wall to wall through a point, of four directions; infinite if there is none.
fn gap(scene: &Scene, point: DVec3) -> f64 {
    let mut crossings = Vec::new();
    let mut free = |direction: DVec2| {
        let end = point + (REACH * direction).extend(0.0);
        let _ = scene.crossings(point, end, &[], usize::MAX, &mut crossings);
        let wall = crossings
            .iter()
            .find(|c| scene.face_normal(c.face).z.abs() <= WALL_RISE);
        wall.map_or(f64::INFINITY, |wall| wall.t * REACH)
    };
    let eighth = std::f64::consts::FRAC_PI_4;
    (0..4)
        .map(|k| DVec2::from_angle(f64::from(k) * eighth))
        .map(|direction| free(direction) + free(-direction))
        .fold(f64::INFINITY, f64::min)
}
