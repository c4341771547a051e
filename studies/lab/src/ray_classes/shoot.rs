//! Rays that are launched together and reflected together.

use glam::DVec3;
use keller::geometry::bvh::Ray;
use keller::scene::{PlaneId, Scene};
use rayon::prelude::*;

use super::directions::Directions;
use super::hits::{Hit, HitLists};

/// Rays from a Tx, all after the same number of reflections.
#[derive(Debug)]
pub struct Shot<'a> {
    scene: &'a Scene,
    receivers: Sorted,
    rays: Vec<State>,
}

/// A ray after its last reflection.
#[derive(Debug, Clone, Copy)]
struct State {
    at: DVec3,
    direction: DVec3,
    /// The Tx, mirrored at all planes so far.
    image: DVec3,
    /// Length so far, metres.
    length: f64,
    /// Radius of the reception sphere over the length.
    spread: f64,
    last: u32,
    sequence: u64,
    is_alive: bool,
}

impl<'a> Shot<'a> {
    /// Rays from a Tx into all directions, and the receivers that may meet them.
    pub fn new(scene: &'a Scene, directions: &Directions, tx: DVec3, rx: &[DVec3]) -> Self {
        let state = |ray: usize| State {
            at: tx,
            direction: directions.vectors()[ray],
            image: tx,
            length: 0.0,
            // Three rays around the point farthest from them all.
            spread: directions.angle_to_neighbours(ray) / 3.0_f64.sqrt(),
            last: Ray::NO_GROUP,
            sequence: 0,
            is_alive: true,
        };
        Self {
            scene,
            receivers: Sorted::new(scene, rx),
            rays: (0..directions.vectors().len()).map(state).collect(),
        }
    }

    /// The hits between the last reflection and the next, where the rays are afterwards.
    pub fn next_order(&mut self) -> HitLists {
        let (scene, receivers) = (self.scene, &self.receivers);
        let of_rays = self.rays.par_iter_mut().with_min_len(256).map(|ray| {
            let mut hits = Vec::new();
            let sequence = ray.sequence;
            if ray.is_alive {
                let end = ray.next_wall(scene);
                let length = end.map_or(f64::INFINITY, |(length, _)| length);
                receivers.meet(ray, length, &mut hits);
                ray.reflect(scene, end);
            }
            (sequence, hits)
        });
        HitLists::new(of_rays.collect())
    }

    /// The image of the Tx from which each ray seems to come. Ask before [`Self::next_order`], whose hits they belong to.
    pub fn images(&self) -> Vec<DVec3> {
        self.rays.iter().map(|ray| ray.image).collect()
    }

    /// Number of rays that still meet walls.
    pub fn num_alive(&self) -> usize {
        self.rays.iter().filter(|ray| ray.is_alive).count()
    }
}

/// An image as a key: to the nearest millimetre, which is far more than rounding and far less than images differ.
pub fn image_key(image: DVec3) -> [i64; 3] {
    #[expect(clippy::cast_possible_truncation, reason = "no scene is so large")]
    let key = image
        .to_array()
        .map(|value| (value * 1000.0).round() as i64);
    key
}

impl State {
    /// The distance to the next wall, and its plane.
    fn next_wall(&self, scene: &Scene) -> Option<(f64, PlaneId)> {
        let local = |v: DVec3| (v - scene.origin()).as_vec3();
        let ray = Ray::new(local(self.at), self.direction.as_vec3());
        let hit = scene
            .index()
            .closest_hit(&ray.skipping([self.last, Ray::NO_GROUP]))?;
        let id = PlaneId::from_index(hit.group as usize);
        let plane = scene.plane(id);
        let along = plane.normal.dot(self.direction);
        let length = (plane.offset - plane.normal.dot(self.at)) / along;
        (length.is_finite() && length >= 0.0).then_some((length, id))
    }

    /// Moves to the wall and turns round.
    fn reflect(&mut self, scene: &Scene, end: Option<(f64, PlaneId)>) {
        let Some((length, id)) = end else {
            self.is_alive = false;
            return;
        };
        let plane = scene.plane(id);
        self.at += length * self.direction;
        self.length += length;
        let mirrored =
            |v: DVec3, offset: f64| v + 2.0 * (offset - plane.normal.dot(v)) * plane.normal;
        self.direction = mirrored(self.direction, 0.0).normalize();
        self.image = mirrored(self.image, plane.offset);
        self.last = u32::try_from(id.index()).expect("planes have numbers of 32 bits");
        // Different sequences have different numbers, but for one in 2^64.
        let mixed = (self.sequence ^ u64::from(self.last)).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.sequence = mixed ^ (mixed >> 31);
    }
}

/// Receivers in the order of the longest axis of the scene.
#[derive(Debug)]
struct Sorted {
    axis: usize,
    /// Coordinate on that axis, number and place.
    all: Vec<(f64, u32, DVec3)>,
}

impl Sorted {
    fn new(scene: &Scene, rx: &[DVec3]) -> Self {
        let [low, high] = scene.bounds();
        let extent = (high - low).to_array();
        let axis = (0..3)
            .max_by(|a, b| extent[*a].total_cmp(&extent[*b]))
            .unwrap_or(0);
        let number = |k: usize| u32::try_from(k).expect("fewer than 2^32 receivers");
        let each = rx.iter().enumerate();
        let mut all: Vec<_> = each.map(|(k, at)| (at[axis], number(k), *at)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { axis, all }
    }

    /// The receivers whose sphere the ray passes within `length` metres, in the order of their numbers.
    fn meet(&self, ray: &State, length: f64, hits: &mut Vec<Hit>) {
        // The ray goes as far as there are receivers if there is no wall.
        let ends = [self.all.first(), self.all.last()];
        let reach = ends
            .into_iter()
            .flatten()
            .map(|(_, _, at)| at.distance(ray.at));
        let length = length.min(2.0 * reach.fold(1.0, f64::max));
        let radius = ray.spread * (ray.length + length);
        let (from, to) = (
            ray.at[self.axis],
            ray.at[self.axis] + length * ray.direction[self.axis],
        );
        let first = self
            .all
            .partition_point(|(x, ..)| *x < from.min(to) - radius);
        for (x, number, at) in &self.all[first..] {
            if *x > from.max(to) + radius {
                break;
            }
            let along = (*at - ray.at).dot(ray.direction);
            if !(0.0..length).contains(&along) {
                continue;
            }
            let distance = (ray.at + along * ray.direction).distance(*at);
            let unfolded = ray.length + along;
            if distance <= ray.spread * unfolded {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "precise enough for a record"
                )]
                hits.push(Hit {
                    rx: *number,
                    length: unfolded as f32,
                    distance: distance as f32,
                });
            }
        }
        hits.sort_unstable_by_key(|hit| hit.rx);
    }
}
