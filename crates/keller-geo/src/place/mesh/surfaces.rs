//! Surfaces of a building as triangles: lowered into the ground, and closed there if the file has no floor.
//!
//! A building stands on the ground if it has a ground surface, or if nothing but a level floor at its lowest corners is missing. What
//! is open otherwise, as a dormer over the roof of another part, stays as it is.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::{Builder, index, triangulate};
use crate::place::{Surface, SurfaceKind, rings};

/// Corners of surfaces that are this near to the lowest one stand on the ground, metres: files keep millimetres.
const ON_GROUND: f64 = 0.01;

/// Corners of surfaces nearer than this are one, metres.
const SAME_CORNER: f64 = 1e-4;

/// Surfaces over shared corners.
#[derive(Default)]
struct Shell {
    corners: Vec<DVec3>,
    faces: Vec<Face>,
    /// The number of times that a side is used from its smaller corner to its larger more than back; in order, so that
    /// results are.
    borders: BTreeMap<(u32, u32), i32>,
}

struct Face {
    kind: SurfaceKind,
    normal: DVec3,
    rings: Vec<Vec<u32>>,
}

impl Builder<'_> {
    /// Adds surfaces and returns the ground they stand on.
    pub(super) fn surfaces(
        &mut self,
        surfaces: &[Surface],
        wall: u32,
        roof: u32,
        place: &str,
    ) -> Option<f64> {
        let mut shell = Shell::new(surfaces);
        let foot = shell
            .corners
            .iter()
            .fold(f64::INFINITY, |foot, corner| foot.min(corner.z));
        if shell.faces.is_empty() || !foot.is_finite() {
            self.notes.add(place, "it has no surfaces and is left out");
            return None;
        }
        let is_foot: Vec<bool> = shell
            .corners
            .iter()
            .map(|corner| corner.z < foot + ON_GROUND)
            .collect();
        let on_foot = |(a, b): (u32, u32)| is_foot[a as usize] && is_foot[b as usize];
        let open = shell.open_sides();
        let has = |kind| shell.faces.iter().any(|face| face.kind == kind);
        let misses_floor = !open.is_empty() && open.iter().all(|&side| on_foot(side));
        let stands = has(SurfaceKind::Wall) && (has(SurfaceKind::Ground) || misses_floor);

        let sides = shell.borders.keys().copied().filter(|&side| on_foot(side));
        let point = |corner: u32| shell.corners[corner as usize].truncate();
        let lowest = self.lowest_ground(sides.map(|(a, b)| (point(a), point(b))), place);
        if stands {
            let lowered = lowest.map_or(foot, |lowest| foot.min(lowest - self.options.foundation));
            for (corner, _) in shell
                .corners
                .iter_mut()
                .zip(&is_foot)
                .filter(|(_, is)| **is)
            {
                corner.z = lowered;
            }
        }
        let is_closed = open.is_empty() || (stands && misses_floor && shell.add_floor(&open));
        if !is_closed {
            self.notes.add(
                place,
                "its surfaces do not close corner to corner in the file, or not all face outwards",
            );
        }
        self.add_shell(&shell, wall, roof, place);
        Some(lowest.unwrap_or(foot))
    }

    fn add_shell(&mut self, shell: &Shell, wall: u32, roof: u32, place: &str) {
        let base = self.next_vertex();
        self.built.mesh.vertices.extend(&shell.corners);
        for face in &shell.faces {
            let material = match face.kind {
                SurfaceKind::Roof => roof,
                SurfaceKind::Wall | SurfaceKind::Ground => wall,
            };
            let flatten = |ring: &Vec<u32>| {
                let corners: Vec<DVec3> = ring.iter().map(|&i| shell.corners[i as usize]).collect();
                triangulate::flatten(&corners, face.normal)
            };
            let flat: Vec<Vec<DVec2>> = face.rings.iter().map(flatten).collect();
            let flat: Vec<&[DVec2]> = flat.iter().map(Vec::as_slice).collect();
            if !self.triangulator.cut(&flat) {
                self.notes.add(
                    place,
                    "a surface could not be cut into triangles cleanly; it may have gaps",
                );
            }
            let corners: Vec<u32> = face.rings.iter().flatten().map(|i| base + i).collect();
            for at in 0..self.triangulator.triangles.len() {
                let triangle = self.triangulator.triangles[at];
                self.triangle(triangle.map(|i| corners[i as usize]), material);
            }
        }
    }
}

impl Shell {
    fn new(surfaces: &[Surface]) -> Self {
        let mut shell = Self::default();
        let mut known: FxHashMap<[i64; 3], u32> = FxHashMap::default();
        for surface in surfaces {
            let outer = surface.rings.first();
            let Some(normal) = outer.and_then(|ring| rings::normal(ring)) else {
                continue;
            };
            let mut corner = |point: &DVec3| {
                #[expect(clippy::cast_possible_truncation, reason = "scenes end at 1e7 m")]
                let key = (*point / SAME_CORNER).round().to_array().map(|c| c as i64);
                *known.entry(key).or_insert_with(|| {
                    shell.corners.push(*point);
                    index(shell.corners.len() - 1)
                })
            };
            let mut rings: Vec<Vec<u32>> = Vec::new();
            for ring in &surface.rings {
                let mut ring: Vec<u32> = ring.iter().map(&mut corner).collect();
                ring.dedup();
                while ring.len() > 1 && ring.first() == ring.last() {
                    ring.pop();
                }
                if ring.len() > 2 {
                    rings.push(ring);
                } else if rings.is_empty() {
                    break;
                }
            }
            if !rings.is_empty() {
                shell.add(Face {
                    kind: surface.kind,
                    normal,
                    rings,
                });
            }
        }
        shell
    }

    fn add(&mut self, face: Face) {
        for ring in &face.rings {
            for (i, &a) in ring.iter().enumerate() {
                let b = ring[(i + 1) % ring.len()];
                let step = if a < b { 1 } else { -1 };
                *self.borders.entry((a.min(b), a.max(b))).or_default() += step;
            }
        }
        self.faces.push(face);
    }

    /// The sides that a further surface would have to close, in its direction.
    fn open_sides(&self) -> Vec<(u32, u32)> {
        let mut open = Vec::new();
        for (&(a, b), &count) in &self.borders {
            let side = if count > 0 { (b, a) } else { (a, b) };
            open.extend((0..count.unsigned_abs()).map(|_| side));
        }
        open
    }

    /// Closes level open sides by a floor; whether they make rings.
    fn add_floor(&mut self, open: &[(u32, u32)]) -> bool {
        let mut next: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &(a, b) in open {
            next.entry(a).or_default().push(b);
        }
        let mut rings = Vec::new();
        for &(start, _) in open {
            let mut ring = Vec::new();
            let mut at = start;
            while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
                ring.push(at);
                at = to;
            }
            if at != start {
                return false;
            }
            if ring.len() > 2 {
                rings.push(ring);
            }
        }
        // Sorted into polygons as points, then back to corners: no two corners of a level floor are at one point.
        let point = |corner: u32| self.corners[corner as usize].truncate();
        let key = |point: DVec2| [point.x.to_bits(), point.y.to_bits()];
        let corner_at: FxHashMap<[u64; 2], u32> = rings
            .iter()
            .flatten()
            .map(|&corner| (key(point(corner)), corner))
            .collect();
        let points = rings
            .iter()
            .map(|ring| ring.iter().map(|&c| point(c)).collect());
        for polygon in rings::nest(points.collect()) {
            // A floor faces down: clockwise seen from above, its holes the other way.
            let rings = polygon.rings().enumerate().map(|(i, ring)| {
                let mut ring: Vec<u32> = ring.iter().map(|&p| corner_at[&key(p)]).collect();
                let is_clockwise =
                    rings::area(&ring.iter().map(|&c| point(c)).collect::<Vec<_>>()) < 0.0;
                if is_clockwise != (i == 0) {
                    ring.reverse();
                }
                ring
            });
            self.faces.push(Face {
                kind: SurfaceKind::Ground,
                normal: DVec3::NEG_Z,
                rings: rings.collect(),
            });
        }
        true
    }
}
