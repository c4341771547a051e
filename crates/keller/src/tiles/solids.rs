//! Closed surfaces of a scene, for tests whether a point is inside a building or under the terrain.
//!
//! Triangles that share sides form a surface. A segment from its inside to its outside goes through one of its
//! triangles. Real meshes have buildings without floors, and terrain ends at the border of the map. Such a surface is
//! closed by a cap that hides nothing: a floor within the box around the surface's border, or vertical walls from the
//! border of the terrain downwards. Who shows that a segment does not meet the cap may use the surface as closed.
//!
//! A surface whose triangles were in the mesh an even number of times counts without them.
//!
//! **Cost:** one sort of the sides of all triangles.

use glam::{DVec2, DVec3};

use super::rectangle::convex_hull;
use crate::geometry::bvh::has_area;
use crate::geometry::union_find::UnionFind;
use crate::scene::near::{Nearby, outwards};
use crate::scene::{PlaneId, Scene};

/// The border of terrain may lie this far from the convex hull of its plan, metres.
pub(super) const STRAIGHT: f64 = 0.1;

/// A border with more corners in plan is not straight.
const MAX_CORNERS: usize = 256;

/// A surface counts as terrain if its box covers at least this part of the scene's box in plan.
const TERRAIN: f64 = 0.5;

/// The number that stands for no surface.
const NONE: u32 = u32::MAX;

/// Surfaces that separate an inside from an outside.
#[derive(Debug)]
pub(super) struct Solids {
    /// The surface of each triangle; [`NONE`] for triangles that are in none.
    of: Vec<u32>,
    pub(super) all: Vec<Solid>,
    /// The boxes around the floors, and the numbers of their solids.
    floors: Option<Nearby>,
    floored: Vec<u32>,
    /// The surfaces that vertical walls close.
    pub(super) terrains: Vec<u32>,
    /// Planes with the surfaces that have triangles in them, sorted.
    by_plane: Vec<(u32, u32)>,
}

/// A surface, and its cap.
#[derive(Debug)]
pub(super) struct Solid {
    /// Minimum height, metres.
    pub(super) low: f64,
    pub(super) cap: Cap,
}

/// The part that closes a surface.
#[derive(Debug)]
pub(super) enum Cap {
    /// The surface is closed already.
    Closed,
    /// A floor inside this box.
    Floor([DVec3; 2]),
    /// Vertical walls down from this convex polygon in plan, counterclockwise.
    Walls(Vec<DVec2>),
}

impl Solids {
    /// Finds the surfaces of a scene. Queries are exact to `margin` metres.
    pub(super) fn new(scene: &Scene, margin: f64) -> Self {
        let num = scene.triangles().len();
        let counts =
            |t: &usize| scene.copies()[*t] % 2 == 1 && has_area(&scene.indexed_triangle(*t));
        let number = |n: usize| u32::try_from(n).expect("triangles fit in 32 bits");
        let mut sides: Vec<([u32; 2], u32)> = (0..num)
            .filter(counts)
            .flat_map(|t| {
                let [a, b, c] = scene.triangles()[t];
                let side = move |a: u32, b: u32| ([a.min(b), a.max(b)], number(t));
                [side(a, b), side(b, c), side(c, a)]
            })
            .collect();
        sides.sort_unstable();
        let mut joined = UnionFind::new(num);
        let mut ends = Vec::new();
        for side in sides.chunk_by(|a, b| a.0 == b.0) {
            for other in &side[1..] {
                joined.join(side[0].1 as usize, other.1 as usize);
            }
            if side.len() % 2 == 1 {
                ends.push((side[0].1, side[0].0));
            }
        }
        let mut found = Self {
            of: vec![NONE; num],
            all: Vec::new(),
            floors: None,
            floored: Vec::new(),
            terrains: Vec::new(),
            by_plane: Vec::new(),
        };
        let mut boxes: Vec<[DVec3; 2]> = Vec::new();
        for t in (0..num).filter(counts) {
            // The smallest triangle of a surface comes first.
            let root = joined.root(t);
            if root == t {
                found.of[t] = number(boxes.len());
                boxes.push([DVec3::INFINITY, DVec3::NEG_INFINITY]);
            }
            found.of[t] = found.of[root];
            let [low, high] = &mut boxes[found.of[t] as usize];
            for corner in scene.corners(t) {
                (*low, *high) = (low.min(corner), high.max(corner));
            }
            let plane = scene.plane_of(scene.triangle_faces()[t]);
            found.by_plane.push((number(plane.index()), found.of[t]));
        }
        found.by_plane.sort_unstable();
        found.by_plane.dedup();
        let mut ends: Vec<(u32, [u32; 2])> = ends
            .into_iter()
            .map(|(t, side)| (found.of[t as usize], side))
            .collect();
        ends.sort_unstable();
        let mut ends = ends.chunk_by(|a, b| a.0 == b.0).peekable();
        for (solid, bounds) in boxes.iter().enumerate() {
            let border = ends.next_if(|border| border[0].0 as usize == solid);
            let cap = border.map_or(Cap::Closed, |border| Cap::of(scene, bounds, border));
            match cap {
                Cap::Closed => {}
                Cap::Floor(_) => found.floored.push(number(solid)),
                Cap::Walls(_) => found.terrains.push(number(solid)),
            }
            found.all.push(Solid {
                low: bounds[0].z,
                cap,
            });
        }
        let floor = |k: usize| match &found.all[found.floored[k] as usize].cap {
            Cap::Floor(floor) => outwards(*floor, margin),
            _ => unreachable!("only these have floors"),
        };
        found.floors = (!found.floored.is_empty()).then(|| Nearby::new(found.floored.len(), floor));
        found
    }

    /// The solid of a triangle.
    pub(super) fn of(&self, triangle: u32) -> Option<u32> {
        Some(self.of[triangle as usize]).filter(|solid| *solid != NONE)
    }

    /// The solids that have triangles in a plane.
    pub(super) fn in_plane(&self, plane: PlaneId) -> impl Iterator<Item = u32> {
        let plane = plane.group();
        let first = self.by_plane.partition_point(|(of, _)| *of < plane);
        let here = self.by_plane[first..].iter();
        here.take_while(move |(of, _)| *of == plane)
            .map(|(_, solid)| *solid)
    }

    /// Visits the solids whose floors may lie within `margin` metres of a point.
    pub(super) fn each_floor_near(&self, at: DVec3, margin: f64, visit: &mut impl FnMut(u32)) {
        if let Some(floors) = &self.floors {
            floors.each_meeting(outwards([at; 2], margin), &mut |k| visit(self.floored[k]));
        }
    }
}

impl Cap {
    /// The cap of a surface with this border.
    fn of(scene: &Scene, [low, high]: &[DVec3; 2], border: &[(u32, [u32; 2])]) -> Self {
        let at = |vertex: u32| scene.vertices()[vertex as usize];
        let ends = || border.iter().flat_map(|(_, side)| side.map(at));
        let plan = |low: DVec3, high: DVec3| (high - low).truncate().element_product();
        let [scene_low, scene_high] = scene.bounds();
        if plan(*low, *high) >= TERRAIN * plan(scene_low, scene_high) {
            let points: Vec<DVec2> = ends().map(DVec3::truncate).collect();
            let hull = without_flat_corners(convex_hull(&points));
            let is_straight = |(_, side): &(u32, [u32; 2])| {
                let side = side.map(|vertex| at(vertex).truncate());
                let ends = || depths(&hull, side[0]).zip(depths(&hull, side[1]));
                let is_inside = ends().all(|(a, b)| a.min(b) > -STRAIGHT);
                is_inside && ends().any(|(a, b)| a.max(b) < STRAIGHT)
            };
            if hull.len() <= MAX_CORNERS && border.iter().all(is_straight) {
                return Self::Walls(hull);
            }
        }
        let floor = ends().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], at| {
            [low.min(at), high.max(at)]
        });
        Self::Floor(floor)
    }
}

/// A convex polygon without corners that lie nearly on the line between their neighbours.
fn without_flat_corners(mut hull: Vec<DVec2>) -> Vec<DVec2> {
    let mut k = 0;
    while hull.len() > 3 && k < hull.len() {
        let next = hull[(k + 1) % hull.len()];
        let before = hull[(k + hull.len() - 1) % hull.len()];
        let along = (next - before).normalize_or_zero();
        if along.perp_dot(hull[k] - before).abs() < 0.1 * STRAIGHT {
            hull.remove(k);
        } else {
            k += 1;
        }
    }
    hull
}

/// The depth of a point inside each side of a convex polygon, metres.
pub(super) fn depths(hull: &[DVec2], at: DVec2) -> impl Iterator<Item = f64> {
    let next = hull.iter().cycle().skip(1);
    hull.iter()
        .zip(next)
        .map(move |(a, b)| (b - a).normalize_or_zero().perp_dot(at - a))
}
