//! The scene in two and a half dimensions: upright walls as lines in plan, each with one height over the ground.
//!
//! Whatever stands upright on the ground is a wall, whichever way it faces: only how the straight line crosses it
//! counts. Surfaces in one plane are one wall, so windows in a facade do not count twice. Roofs and floors follow from
//! the walls around them. Other surfaces are left out, and [`Walls::share_left_out`] is their share of the scene.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use crate::coverage::Region;
use crate::scene::Scene;

/// A wall whose plane leans more than this sine is not upright.
const LEAN: f64 = 0.01;

/// A surface that rises more than this sine is neither roof, floor nor ground.
const LEVEL: f64 = 0.05;

/// The height over the ground from which on a surface hangs, metres.
const DOOR: f64 = 2.5;

/// Walls lower than this are kerbs, metres.
const KERB: f64 = 0.05;

/// Parts of a wall whose heights differ by less are one, metres.
const STEP: f64 = 0.01;

/// A part whose top falls or rises by more is not level, metres.
const UNEVEN: f64 = 0.5;

/// Ends of walls that are nearer to each other are one corner, metres.
const SAME_CORNER: f64 = 0.004;

/// Corners lie on a lattice of this many points a metre. The sides of lines on which they lie are then exact in f64.
const LATTICE: f64 = 1024.0;

/// A line in plan that hides what is behind it, up to a height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Numbers of both ends in [`Walls::corners`].
    pub ends: [u32; 2],
    /// The height over the ground, metres.
    pub height: f64,
}

/// All walls of a scene, in the axes of a region and from its corner.
#[derive(Debug, Clone, Default)]
pub struct Walls {
    /// The corners of walls, metres.
    pub corners: Vec<DVec2>,
    /// The walls; they may touch, cross and lie on each other.
    pub walls: Vec<Wall>,
    /// The area of the faces that are neither upright walls on the ground with a level top nor level, over the area of
    /// all, 0 to 1.
    pub share_left_out: f64,
}

/// The point of the lattice next to `at`.
pub(super) fn on_lattice(at: DVec2) -> DVec2 {
    (at * LATTICE).round() / LATTICE
}

impl Walls {
    /// The walls of `scene`.
    pub fn new(scene: &Scene, region: &Region) -> Self {
        let mut of_planes: Vec<Vec<usize>> = vec![Vec::new(); scene.planes().len()];
        let mut area = Areas::default();
        for (triangle, face) in scene.triangle_faces().iter().enumerate() {
            let normal = scene.face_normal(*face);
            let size = doubled_area(scene, triangle);
            area.all += size;
            if normal.z.abs() < LEAN {
                of_planes[scene.plane_of(*face).index()].push(triangle);
            } else if normal.z.abs() < 1.0 - LEVEL && !is_ground(scene, triangle) {
                area.left_out += size;
            }
        }
        let mut found = Found::default();
        for triangles in of_planes.iter().filter(|triangles| !triangles.is_empty()) {
            found.plane(scene, region, triangles, &mut area);
        }
        Self {
            share_left_out: if area.all > 0.0 {
                area.left_out / area.all
            } else {
                0.0
            },
            ..found.welded()
        }
    }

    /// The ends of a wall, metres.
    pub fn ends(&self, wall: &Wall) -> [DVec2; 2] {
        wall.ends.map(|end| self.corners[end as usize])
    }
}

#[derive(Default)]
struct Areas {
    all: f64,
    left_out: f64,
}

/// Walls by the places of their ends.
#[derive(Default)]
struct Found(Vec<([DVec2; 2], f64)>);

/// A triangle along its wall: the upper and the lower end of its height at both ends of the part that it covers.
struct Span {
    from: f64,
    to: f64,
    corners: [DVec2; 3],
}

impl Span {
    /// The lowest and the highest point at `u` along the wall.
    fn heights(&self, u: f64) -> [f64; 2] {
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for k in 0..3 {
            let [a, b] = [self.corners[k], self.corners[(k + 1) % 3]];
            let (low, high) = (a.x.min(b.x), a.x.max(b.x));
            if u < low || u > high || high <= low {
                continue;
            }
            let z = a.y + (b.y - a.y) * ((u - a.x) / (b.x - a.x));
            range = [range[0].min(z), range[1].max(z)];
        }
        range
    }
}

impl Found {
    /// The walls in one upright plane.
    fn plane(&mut self, scene: &Scene, region: &Region, triangles: &[usize], area: &mut Areas) {
        let face = scene.triangle_faces()[triangles[0]];
        let normal = scene.face_normal(face).truncate().normalize();
        let along = normal.perp();
        let mut spans = Vec::with_capacity(triangles.len());
        let mut ends: Vec<(f64, DVec3)> = Vec::with_capacity(3 * triangles.len());
        for &triangle in triangles {
            let corners = scene.corners(triangle);
            let at = corners.map(|corner| along.dot(corner.truncate()));
            ends.extend(at.into_iter().zip(corners));
            spans.push(Span {
                from: at[0].min(at[1]).min(at[2]),
                to: at[0].max(at[1]).max(at[2]),
                corners: [0, 1, 2].map(|k| DVec2::new(at[k], corners[k].z)),
            });
        }
        ends.sort_by(|(a, p), (b, q)| a.total_cmp(b).then(p.x.total_cmp(&q.x)));
        ends.dedup_by(|(a, _), (b, _)| *a - *b < 1.0 / LATTICE);
        spans.sort_by(|a, b| a.from.total_cmp(&b.from));
        let mut active: Vec<usize> = Vec::new();
        let mut next = 0;
        let mut open: Option<([DVec2; 2], f64)> = None;
        for pair in ends.windows(2) {
            let [(from, a), (to, b)] = [pair[0], pair[1]];
            let middle = f64::midpoint(from, to);
            while next < spans.len() && spans[next].from < middle {
                active.push(next);
                next += 1;
            }
            active.retain(|span| spans[*span].to > middle);
            let all = |u: f64| {
                let each = active.iter().map(|span| spans[*span].heights(u));
                each.fold([f64::INFINITY, f64::NEG_INFINITY], |range, own| {
                    [range[0].min(own[0]), range[1].max(own[1])]
                })
            };
            let ([low, high], [.., first], [.., last]) = (
                all(middle),
                all(0.999 * from + 0.001 * to),
                all(0.001 * from + 0.999 * to),
            );
            let height = (!active.is_empty()).then(|| {
                let size = 2.0 * (to - from) * (high - low);
                if (first - last).abs() > UNEVEN {
                    area.left_out += 0.5 * (to - from) * (first - last).abs();
                }
                let place = 0.5 * (a.truncate() + b.truncate());
                let ground = ground_near(scene, place, normal).unwrap_or(low);
                if low - ground > DOOR {
                    area.left_out += size;
                    return 0.0;
                }
                high - ground
            });
            let height = height.filter(|height| *height > KERB);
            let ends = [a, b].map(|end| on_lattice(region.to_own(end.truncate())));
            match (&mut open, height) {
                (Some((known, before)), Some(height)) if (height - *before).abs() < STEP => {
                    known[1] = ends[1];
                }
                (open, height) => {
                    let before = std::mem::replace(open, height.map(|height| (ends, height)));
                    self.0.extend(before);
                }
            }
        }
        self.0.extend(open);
    }

    /// The walls with numbers for their ends. Ends closer to each other than [`SAME_CORNER`] are one, so that no beam
    /// slips between two walls that meet.
    fn welded(self) -> Walls {
        let mut corners: Vec<DVec2> = Vec::new();
        let mut buckets: FxHashMap<[i64; 2], Vec<u32>> = FxHashMap::default();
        let bucket = |at: DVec2| (at / SAME_CORNER).floor().as_i64vec2().to_array();
        let mut number = |at: DVec2| {
            let [i, j] = bucket(at);
            let around = (-1..=1).flat_map(|di| (-1..=1).map(move |dj| [i + di, j + dj]));
            let near = around.filter_map(|key| buckets.get(&key)).flatten();
            let same = near.copied().find(|known| {
                corners[*known as usize].distance_squared(at) < SAME_CORNER * SAME_CORNER
            });
            same.unwrap_or_else(|| {
                let new = u32::try_from(corners.len()).expect("fewer than 2^32 corners");
                corners.push(at);
                buckets.entry([i, j]).or_default().push(new);
                new
            })
        };
        let mut found = self.0;
        found.sort_by(|(p, h), (q, k)| {
            let places = p
                .iter()
                .zip(q)
                .map(|(a, b)| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
            let by_place = places.fold(Ordering::Equal, Ordering::then);
            by_place.then(h.total_cmp(k))
        });
        let walls = found.into_iter().map(|(ends, height)| Wall {
            ends: ends.map(&mut number),
            height,
        });
        let walls = walls.filter(|wall| wall.ends[0] != wall.ends[1]).collect();
        Walls {
            corners,
            walls,
            share_left_out: 0.0,
        }
    }
}

/// The height of the ground at the foot of a wall.
fn ground_near(scene: &Scene, place: DVec2, normal: DVec2) -> Option<f64> {
    let places = [0.0, 0.3, -0.3].map(|away| place + away * normal);
    let heights = places.into_iter().filter_map(|at| scene.ground(at));
    heights.reduce(f64::min)
}

/// Whether this triangle is the surface on which something can stand over its middle.
fn is_ground(scene: &Scene, triangle: usize) -> bool {
    let [a, b, c] = scene.corners(triangle);
    let middle = (a + b + c) / 3.0;
    scene
        .ground(middle.truncate())
        .is_some_and(|ground| (ground - middle.z).abs() < 0.1)
}

fn doubled_area(scene: &Scene, triangle: usize) -> f64 {
    let [a, b, c] = scene.corners(triangle);
    (b - a).cross(c - a).length()
}
