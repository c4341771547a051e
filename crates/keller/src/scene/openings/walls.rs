//! Upright walls: triangles of one material that meet along their sides and lie in one upright plane.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};

use super::corners;
use crate::control::Part;
use crate::geometry::tolerance::{COPLANAR_DISTANCE, COPLANAR_SINE, WELD_DISTANCE};
use crate::geometry::union_find::UnionFind;
use crate::scene::cuts::{Piece, cut_at_vertices};
use crate::scene::{Mesh, weld};
use crate::{Control, Error, Stage};

/// The vertical part of a unit normal up to which a wall is upright: 3 degrees.
const UPRIGHT: f64 = 0.052;

/// A side of a triangle or a piece of one, by its ends, and the number of the triangle.
type PieceOf = ([u32; 2], usize);

/// A wall and its own axes: `u` along it, `v` up.
#[derive(Debug)]
pub(super) struct Wall {
    /// Its triangles, ascending, with copies that have the same front.
    pub(super) triangles: Vec<usize>,
    pub(super) material: u32,
    /// The position of (0, 0), metres.
    pub(super) origin: DVec3,
    pub(super) u: DVec3,
    pub(super) v: DVec3,
    /// The cross product of `u` and `v`.
    pub(super) normal: DVec3,
    /// Whether most fronts look to the normal.
    pub(super) faces_along_normal: bool,
    /// m²
    pub(super) area: f64,
    /// Its vertices in the scene, metres.
    pub(super) vertices: Vec<DVec3>,
    /// The vertices in its own axes.
    pub(super) flat: Vec<DVec2>,
    /// Its border: pairs of vertices.
    pub(super) border: Vec<[u32; 2]>,
    /// The other sides of its triangles.
    pub(super) inner: Vec<[u32; 2]>,
}

impl Wall {
    /// A point of the scene in the wall's own axes.
    pub(super) fn flat(&self, point: DVec3) -> DVec2 {
        let r = point - self.origin;
        DVec2::new(self.u.dot(r), self.v.dot(r))
    }

    /// The distance of a point from its plane, metres.
    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point - self.origin)
    }

    /// Whether a point of its plane lies inside its border.
    pub(super) fn contains(&self, point: DVec2) -> bool {
        let crossed = self.border.iter().filter(|ends| {
            let [a, b] = ends.map(|v| self.flat[v as usize]);
            (a.y > point.y) != (b.y > point.y) && {
                let t = (point.y - a.y) / (b.y - a.y);
                a.x + t * (b.x - a.x) > point.x
            }
        });
        crossed.count() % 2 == 1
    }

    /// The extent of its border in its own axes.
    pub(super) fn extent(&self) -> [DVec2; 2] {
        let start = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        let fold = |[low, high]: [DVec2; 2], p: &DVec2| [low.min(*p), high.max(*p)];
        self.flat.iter().fold(start, fold)
    }
}

/// The upright walls among the triangles for which `is_wall` holds, in the order of their first triangles, and the
/// number of those that are not plane or overlap themselves.
pub(super) fn walls(
    mesh: &Mesh,
    is_wall: &[bool],
    control: &Control<'_>,
) -> Result<(Vec<Wall>, usize), Error> {
    let part = || Part::new(control, Stage::Scene, 0.0, 0.0);
    let same = weld::same_vertices(&mesh.vertices, part())?;
    let asked: Vec<usize> = (0..is_wall.len())
        .filter(|&t| is_wall[t] && is_upright(corners(mesh, t)))
        .collect();
    // Welded vertices, numbered anew, with the place of the first that was joined.
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut places: Vec<DVec3> = Vec::new();
    let mut welded: Vec<[u32; 3]> = Vec::with_capacity(asked.len());
    for &t in &asked {
        welded.push(mesh.triangles[t].vertices.map(|v| {
            *numbers.entry(same[v as usize]).or_insert_with(|| {
                places.push(mesh.vertices[v as usize]);
                u32::try_from(places.len() - 1).expect("fewer than 2^32 vertices")
            })
        }));
    }
    // The same side of several triangles comes in succession, so that it is cut once.
    let mut sides: Vec<PieceOf> = Vec::with_capacity(3 * asked.len());
    for (number, [a, b, c]) in welded.iter().enumerate() {
        for (p, q) in [(*a, *b), (*b, *c), (*c, *a)] {
            sides.push(([p.min(q), p.max(q)], number));
        }
    }
    sides.sort_unstable();
    let lines: Vec<[u32; 2]> = sides.iter().map(|(ends, _)| *ends).collect();
    let (pieces, _) = cut_at_vertices(&lines, &places, part())?;
    let mut pieces: Vec<PieceOf> = pieces
        .into_iter()
        .map(|Piece { ends, line }| (ends, sides[line as usize].1))
        .collect();
    pieces.sort_unstable();
    let normals: Vec<DVec3> = asked
        .iter()
        .map(|&t| vector_area(corners(mesh, t)))
        .collect();
    let material = |number: usize| mesh.triangles[asked[number]].material;
    let mut groups = UnionFind::new(asked.len());
    for around in pieces.chunk_by(|a, b| a.0 == b.0) {
        for (k, &(_, i)) in around.iter().enumerate() {
            for &(_, j) in &around[k + 1..] {
                if material(i) == material(j) && is_parallel(normals[i], normals[j]) {
                    groups.join(i, j);
                }
            }
        }
    }
    let mut members: BTreeMap<usize, (Vec<usize>, Vec<PieceOf>)> = BTreeMap::new();
    for number in 0..asked.len() {
        members
            .entry(groups.root(number))
            .or_default()
            .0
            .push(number);
    }
    for piece in pieces {
        members
            .entry(groups.root(piece.1))
            .or_default()
            .1
            .push(piece);
    }
    let mut walls = Vec::new();
    let mut unusable = 0;
    for (triangles, pieces) in members.into_values() {
        control.check()?;
        let (distinct, own) = distinct(&triangles, &welded, &normals);
        let wall = Shape {
            mesh,
            asked: &asked,
            welded: &welded,
            places: &places,
            normals: &normals,
        };
        match wall.of(&own, &distinct, &pieces) {
            Some(wall) => walls.push(wall),
            None => unusable += 1,
        }
    }
    walls.sort_by_key(|wall| wall.triangles[0]);
    Ok((walls, unusable))
}

/// One triangle of those with the same corners, and all those with the same front. A copy with the other front is the
/// wall of a touching house.
fn distinct(
    triangles: &[usize],
    welded: &[[u32; 3]],
    normals: &[DVec3],
) -> (Vec<usize>, Vec<usize>) {
    let mut first: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    let mut own = Vec::new();
    for &t in triangles {
        let mut corners = welded[t];
        corners.sort_unstable();
        let before = *first.entry(corners).or_insert(t);
        if normals[before].dot(normals[t]) > 0.0 {
            own.push(t);
        }
    }
    let mut distinct: Vec<usize> = first.into_values().collect();
    distinct.sort_unstable();
    (distinct, own)
}

/// The data from which walls are made.
struct Shape<'a> {
    mesh: &'a Mesh,
    asked: &'a [usize],
    welded: &'a [[u32; 3]],
    places: &'a [DVec3],
    normals: &'a [DVec3],
}

impl Shape<'_> {
    /// The wall of some triangles, of which `distinct` are different; `None` if it is not plane or overlaps itself.
    fn of(&self, triangles: &[usize], distinct: &[usize], pieces: &[PieceOf]) -> Option<Wall> {
        let first = self.normals[distinct[0]];
        let side = |t: usize| {
            if self.normals[t].dot(first) < 0.0 {
                -1.0
            } else {
                1.0
            }
        };
        let sum: DVec3 = distinct.iter().map(|&t| side(t) * self.normals[t]).sum();
        let facing: DVec3 = distinct.iter().map(|&t| self.normals[t]).sum();
        let u = DVec3::Z.cross(sum).try_normalize()?;
        // The axes are the same whichever triangle comes first.
        let u = if u.x < -1e-9 || (u.x.abs() <= 1e-9 && u.y < 0.0) {
            -u
        } else {
            u
        };
        let across = sum.normalize();
        let normal = if u.cross(DVec3::Z).dot(across) < 0.0 {
            -across
        } else {
            across
        };
        let v = normal.cross(u);
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        for &vertex in distinct.iter().flat_map(|&t| &self.welded[t]) {
            numbers.insert(vertex, 0);
        }
        for (number, slot) in (0..).zip(numbers.values_mut()) {
            *slot = number;
        }
        let vertices: Vec<DVec3> = numbers.keys().map(|&v| self.places[v as usize]).collect();
        let mut wall = Wall {
            triangles: triangles.iter().map(|&t| self.asked[t]).collect(),
            material: self.mesh.triangles[self.asked[distinct[0]]].material,
            origin: vertices.iter().sum::<DVec3>() / vertices.len() as f64,
            u,
            v,
            normal,
            faces_along_normal: facing.dot(normal) >= 0.0,
            area: 0.0,
            flat: Vec::new(),
            border: Vec::new(),
            inner: Vec::new(),
            vertices,
        };
        let is_flat = |v: &DVec3| wall.height(*v).abs() <= COPLANAR_DISTANCE;
        if !wall.vertices.iter().all(is_flat) {
            return None;
        }
        wall.flat = wall.vertices.iter().map(|v| wall.flat(*v)).collect();
        for &t in distinct {
            let [a, b, c] = self.welded[t].map(|v| wall.flat[numbers[&v] as usize]);
            wall.area += 0.5 * (b - a).perp_dot(c - a).abs();
        }
        let of_wall = |(_, t): &&PieceOf| distinct.binary_search(t).is_ok();
        let pieces: Vec<_> = pieces.iter().filter(of_wall).collect();
        for around in pieces.chunk_by(|a, b| a.0 == b.0) {
            let ends = around[0].0.map(|v| numbers[&v]);
            match around.len() {
                1 => wall.border.push(ends),
                2 => wall.inner.push(ends),
                _ => return None,
            }
        }
        Some(wall)
    }
}

/// Twice the area, along the normal.
fn vector_area([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Whether a triangle has an area and stands upright.
fn is_upright([a, b, c]: [DVec3; 3]) -> bool {
    let normal = vector_area([a, b, c]);
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    normal.length() > longest * (0.1 * WELD_DISTANCE) && normal.z.abs() <= UPRIGHT * normal.length()
}

fn is_parallel(a: DVec3, b: DVec3) -> bool {
    a.cross(b).length() <= COPLANAR_SINE * a.length() * b.length()
}
