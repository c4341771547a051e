//! The sides of tiles on which the insides of closed surfaces are.
//!
//! A tile whose back lies inside a building does not see anything outside the building from its back, and is not seen
//! from there. So half of all pairs of tiles are known to be hidden without a ray.
//!
//! **Why this is the result of rays.** Close before the centre of a tile, on the side from which a segment arrives, lies
//! a point whose distance from all triangles of the surface is more than the error of rays. If one such point is inside
//! and the other outside, the segment between them goes through the surface. The ray test is exact for vertices that
//! are moved by less than its error, the same for all triangles of a ray. So it finds a crossing too, and this crossing
//! lies in no plane that the ray leaves out, because the rest of the segment is farther from both tiles' planes than the
//! error.

use glam::DVec3;
use smallvec::SmallVec;

use super::groups::Groups;
use super::set::Tiles;
use super::solids::{Cap, STRAIGHT, Solids, depths};
use crate::parallel;
use crate::scene::{PlaneId, Scene};

/// Triangles farther from a tile's centre do not matter, metres. Also, nearer tiles are not decided.
pub(super) const MAX_CLEARANCE: f64 = 2.0;

/// Whether a point is inside is asked at least this far before and behind a tile's centre, metres.
const MIN_STEP: f64 = 1e-2;

/// The cosine between a triangle's normal and the horizontal plane is at least this much below 1, or it counts as
/// vertical, and the sides of points above or below it are not known.
const VERTICAL: f64 = 1e-6;

/// The position of a tile relative to a solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    pub(super) solid: u32,
    /// Whether the solid is before and behind the tile.
    pub(super) is_inside: [bool; 2],
    /// The distance to triangles of the solid in other planes, metres, at most [`MAX_CLEARANCE`]. Zero if nothing is
    /// known.
    pub(super) clearance: f32,
    /// The height of the tile's centre above the solid's floor, metres.
    pub(super) rise: f32,
    /// The distance in plan beyond which the floor does not reach, metres.
    pub(super) reach: f32,
}

/// The positions of all tiles. A tile is outside of solids that it does not mention.
#[derive(Debug)]
pub(super) struct TileSides {
    /// The sides in the order of the targets, so that those of a group lie side by side in memory.
    sides: Vec<Side>,
    /// The end of the sides of each target.
    ends: Vec<u32>,
    /// The index of each tile among the targets.
    target_of: Vec<u32>,
    /// The bits of all solids that the tiles of each group mention.
    mentioned: Vec<u64>,
}

impl TileSides {
    /// `margin` is the error of rays, metres.
    pub(super) fn new(scene: &Scene, tiles: &Tiles, groups: &Groups, margin: f64) -> Self {
        let solids = Solids::new(scene, margin);
        let find = Finder {
            scene,
            solids: &solids,
            margin,
            step: MIN_STEP.max(2.0 * margin),
        };
        let of_each: Vec<SmallVec<[Side; 2]>> = parallel::map_slice(&groups.targets, |target| {
            let tile = &tiles.all()[target.tile as usize];
            find.sides(tile.centre, scene.plane_of(tile.face))
        });
        let mut found = Self {
            sides: Vec::with_capacity(of_each.iter().map(SmallVec::len).sum()),
            ends: Vec::with_capacity(tiles.len()),
            target_of: vec![0; tiles.len()],
            mentioned: vec![0; groups.nodes.len()],
        };
        let count = |n: usize| u32::try_from(n).expect("sides fit in 32 bits");
        for (at, (target, sides)) in groups.targets.iter().zip(of_each).enumerate() {
            found.target_of[target.tile as usize] = count(at);
            found.sides.extend(sides);
            found.ends.push(count(found.sides.len()));
        }
        for (k, node) in groups.nodes.iter().enumerate().rev() {
            found.mentioned[k] = if let Some(first) = node.parts {
                found.mentioned[first as usize] | found.mentioned[first as usize + 1]
            } else {
                let sides = (node.start..node.end).flat_map(|at| found.of_target(at));
                sides.fold(0, |bits, side| bits | bit(side.solid))
            };
        }
        found
    }

    /// The sides of a tile.
    pub(super) fn of_tile(&self, tile: u32) -> &[Side] {
        self.of_target(self.target_of[tile as usize])
    }

    /// The sides of the tile at an index among the targets.
    #[inline]
    pub(super) fn of_target(&self, at: u32) -> &[Side] {
        let start = at.checked_sub(1).map_or(0, |k| self.ends[k as usize]);
        &self.sides[start as usize..self.ends[at as usize] as usize]
    }

    /// Whether a tile of a group may mention a solid.
    #[inline]
    pub(super) fn may_mention(&self, node: u32, solid: u32) -> bool {
        self.mentioned[node as usize] & bit(solid) != 0
    }
}

/// One of 64 bits that stands for a solid, and for others.
#[inline]
fn bit(solid: u32) -> u64 {
    1 << (solid.wrapping_mul(0x9E37_79B9) >> 26)
}

/// Finds the sides of tiles.
struct Finder<'a> {
    scene: &'a Scene,
    solids: &'a Solids,
    margin: f64,
    /// Whether a point is inside is asked so far before and behind a tile's centre, metres.
    step: f64,
}

/// The relation of a tile to one solid that was found.
#[derive(Clone, Copy)]
struct Found {
    solid: u32,
    /// Whether it has triangles in the tile's plane.
    is_in_plane: bool,
    /// The distance to its triangles in other planes, metres.
    clearance: f64,
    /// Whether an odd number of its triangles lies above the points before and behind the tile.
    is_odd: [bool; 2],
    is_known: bool,
}

type Solutions = SmallVec<[Found; 4]>;

fn entry(all: &mut Solutions, solid: u32) -> &mut Found {
    let known = all.iter().position(|found| found.solid == solid);
    let at = known.unwrap_or_else(|| {
        all.push(Found {
            solid,
            is_in_plane: false,
            clearance: MAX_CLEARANCE,
            is_odd: [false; 2],
            is_known: true,
        });
        all.len() - 1
    });
    &mut all[at]
}

impl Finder<'_> {
    /// The sides of a tile with this centre in this plane.
    fn sides(&self, centre: DVec3, plane: PlaneId) -> SmallVec<[Side; 2]> {
        let scene = self.scene;
        let origin = scene.origin();
        let mut all = Solutions::new();
        for solid in self.solids.in_plane(plane) {
            entry(&mut all, solid).is_in_plane = true;
        }
        for solid in &self.solids.terrains {
            entry(&mut all, *solid);
        }
        // A floor at this height may lie above the centre or below it.
        let lift = self.margin + self.step;
        self.solids.each_floor_near(centre, lift, &mut |solid| {
            entry(&mut all, solid);
        });
        let local = centre - origin;
        #[expect(clippy::cast_possible_truncation, reason = "a margin")]
        let [near, outside] = [MAX_CLEARANCE, lift].map(|margin| margin as f32);
        scene.index().candidates(local, local, near, |t| {
            if let Some(solid) = self.solids.of(t) {
                let found = entry(&mut all, solid);
                if scene.plane_of(scene.triangle_faces()[t as usize]) != plane {
                    let distance = distance(scene.corners(t as usize), centre);
                    found.clearance = found.clearance.min(distance);
                }
            }
            true
        });
        let ahead = self.step * scene.plane(plane).normal;
        let points = [centre + ahead, centre - ahead];
        let top = local.with_z(scene.bounds()[1].z + 1.0 - origin.z);
        scene.index().candidates(local, top, outside, |t| {
            if let Some(solid) = self.solids.of(t) {
                for (k, at) in points.into_iter().enumerate() {
                    match is_above(scene, t, at) {
                        Some(false) => {}
                        Some(true) => entry(&mut all, solid).is_odd[k] ^= true,
                        None => entry(&mut all, solid).is_known = false,
                    }
                }
            }
            true
        });
        let sides = all.iter().filter_map(|found| self.side(centre, *found));
        sides.collect()
    }

    /// The side of a tile for a solid; `None` if the tile is outside without doubt.
    fn side(&self, centre: DVec3, found: Found) -> Option<Side> {
        let solid = &self.solids.all[found.solid as usize];
        let mut is_inside = found.is_odd;
        let mut is_known = found.is_known && found.clearance >= 2.0 * self.step;
        let (mut rise, mut reach) = (f64::INFINITY, 0.0);
        match &solid.cap {
            Cap::Closed => {}
            Cap::Walls(hull) => {
                let inside = STRAIGHT + self.margin + self.step;
                is_known &= depths(hull, centre.truncate()).all(|depth| depth > inside);
            }
            Cap::Floor([low, high]) => {
                let at = centre.truncate();
                let far = (at - low.truncate())
                    .abs()
                    .max((high.truncate() - at).abs());
                reach = far.length() + 2.0 * self.margin;
                rise = centre.z - high.z - self.margin - self.step;
                let outside = (low.truncate() - at).max(at - high.truncate());
                let is_outside_floor = outside.max_element() > self.margin + self.step;
                if rise <= 0.0 {
                    // A segment from here may go below the floor's height and through it.
                    let is_below = centre.z < solid.low - self.margin - self.step;
                    let is_outside = is_below || (is_outside_floor && is_inside == [false; 2]);
                    is_known &= is_outside && !found.is_in_plane;
                    is_inside = [false; 2];
                }
            }
        }
        if is_known && is_inside == [false; 2] && !found.is_in_plane {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "they decide only what is sure"
        )]
        Some(Side {
            solid: found.solid,
            is_inside,
            clearance: if is_known {
                found.clearance as f32
            } else {
                0.0
            },
            rise: rise as f32,
            reach: reach as f32,
        })
    }
}

/// Whether a triangle lies above a point; `None` if it stands vertically there. Neighbours agree about their common
/// sides.
fn is_above(scene: &Scene, triangle: u32, at: DVec3) -> Option<bool> {
    let corners = scene.triangles()[triangle as usize];
    let mut is_odd = false;
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let [a, b] = [a.min(b), a.max(b)].map(|v| scene.vertices()[v as usize]);
        if (a.y > at.y) != (b.y > at.y) {
            let x = a.x + (at.y - a.y) * (b.x - a.x) / (b.y - a.y);
            is_odd ^= at.x < x;
        }
    }
    if !is_odd {
        return Some(false);
    }
    let [a, b, c] = scene.corners(triangle as usize);
    let normal = (b - a).cross(c - a);
    let height = normal.dot(a - at) / normal.z;
    (normal.z.abs() > VERTICAL * normal.length()).then_some(height > 0.0)
}

/// The distance of a point from a triangle, metres.
fn distance([a, b, c]: [DVec3; 3], at: DVec3) -> f64 {
    let normal = (b - a).cross(c - a);
    let is_over = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(from, to)| normal.dot((to - from).cross(at - from)) >= 0.0);
    if is_over && normal != DVec3::ZERO {
        return normal.dot(at - a).abs() / normal.length();
    }
    let to_side = |from: DVec3, to: DVec3| {
        let along = to - from;
        let share = along.dot(at - from) / along.length_squared();
        at.distance(from + share.clamp(0.0, 1.0) * along)
    };
    to_side(a, b).min(to_side(b, c)).min(to_side(c, a))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scene::Mesh;
    use crate::tiles::Tiling;

    /// A house without a floor, 10 m wide and 6 m high, on terrain that ends at the border of the map.
    fn house() -> Arc<Scene> {
        let mut mesh = Mesh::default();
        let mut add = |corners: [[f64; 3]; 4]| {
            let material = mesh.material_index("brick");
            let base = u32::try_from(mesh.vertices.len()).unwrap();
            mesh.vertices.extend(corners.map(DVec3::from));
            for vertices in [[0, 1, 2], [0, 2, 3]] {
                let vertices = vertices.map(|v: u32| base + v);
                mesh.triangles
                    .push(crate::scene::MeshTriangle { vertices, material });
            }
        };
        let plan = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
        for k in 0..4 {
            let ([ax, ay], [bx, by]) = (plan[k], plan[(k + 1) % 4]);
            add([[ax, ay, 0.0], [bx, by, 0.0], [bx, by, 6.0], [ax, ay, 6.0]]);
        }
        add(plan.map(|[x, y]| [x, y, 6.0]));
        add([[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]].map(|[x, y]| [x, y, -0.1]));
        Arc::new(Scene::new(&mesh).unwrap())
    }

    #[test]
    fn walls_have_the_house_on_one_side_and_the_ground_has_earth_below() {
        let scene = house();
        let tiles = Tiles::new(&scene, Tiling::of_side(4.0)).unwrap();
        let groups = Groups::new(&scene, &tiles);
        let sides = TileSides::new(&scene, &tiles, &groups, 1e-3);
        let (mut walls, mut ground) = (0, 0);
        for (k, tile) in tiles.all().iter().enumerate() {
            let normal = scene.plane(scene.plane_of(tile.face)).normal;
            let of = sides.of_tile(u32::try_from(k).unwrap());
            let known = of.iter().find(|side| side.clearance > 0.0);
            let centre = tile.centre;
            if centre.z > 2.0 {
                let inwards = normal.dot(DVec3::new(5.0, 5.0, 3.0) - centre) > 0.0;
                assert_eq!(known.map(|side| side.is_inside), Some([inwards, !inwards]));
                walls += 1;
            } else if centre.z < 0.0 && centre.truncate().abs().max_element() > 20.0 {
                let is_down = normal.z < 0.0;
                assert_eq!(known.map(|side| side.is_inside), Some([is_down, !is_down]));
                ground += 1;
            }
        }
        assert!(walls >= 12 && ground >= 100, "{walls} {ground}");
    }

    #[test]
    fn distances_from_triangles_are_those_of_their_nearest_points() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        for (at, expected) in [
            (DVec3::new(0.2, 0.2, 0.7), 0.7),
            (DVec3::new(0.5, -2.0, 0.0), 2.0),
            (DVec3::new(-3.0, -4.0, 0.0), 5.0),
            (DVec3::new(1.0, 1.0, 0.0), 0.5_f64.sqrt()),
        ] {
            assert!((distance(triangle, at) - expected).abs() < 1e-12);
        }
    }
}
