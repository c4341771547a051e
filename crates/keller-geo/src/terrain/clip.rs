//! Parts of terrain: the triangles in a region, and the range of heights under a footprint.
//!
//! The triangles are cut by the lines through the region's sides, all those that a line meets, so that neighbours keep
//! meeting corner to corner. Each line of a convex region removes the part outside; for another region all lines cut
//! first, and the triangles whose centre is inside stay. That is more triangles than needed: the sides of a region of
//! many corners cut far beyond themselves.

use std::collections::HashMap;

use glam::{DVec2, DVec3};
use keller::geometry::tolerance::WELD_DISTANCE;

use super::{Terrain, TerrainError};

impl Terrain {
    /// The terrain inside of a polygon in plan, given by its corners in either sense of rotation; it may be empty.
    ///
    /// New corners lie on the triangles that were there. Corners nearer to the region's sides than keller's weld distance, 0.1 mm, count as
    /// on them.
    ///
    /// # Errors
    /// [`TerrainError::Region`] for a polygon without area, or with a coordinate that is not finite.
    pub fn clip(&self, region: &[DVec2]) -> Result<Self, TerrainError> {
        if let Some(corner) = region.iter().find(|corner| !corner.is_finite()) {
            return Err(TerrainError::Region(format!(
                "has a corner at {corner}; coordinates must be finite"
            )));
        }
        let sides = || {
            region
                .iter()
                .copied()
                .zip(region.iter().copied().cycle().skip(1))
        };
        let anchor = region.first().copied().unwrap_or_default();
        let area: f64 = sides()
            .map(|(p, q)| 0.5 * (p - anchor).perp_dot(q - anchor))
            .sum();
        if region.len() < 3 || area.abs() <= WELD_DISTANCE * WELD_DISTANCE {
            return Err(TerrainError::Region(format!(
                "has {} corners and {} m²; it needs an area",
                region.len(),
                area.abs()
            )));
        }
        let (low, high) = bounds(region);
        let mut mesh = Cutter::new(self, low, high);
        let edge = |p: DVec2, q: DVec2| (p, (q - p).normalize_or_zero().perp() * area.signum());
        let turn = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - b) * area.signum();
        let is_convex = (0..region.len()).all(|k| {
            let corner = |i: usize| region[(k + i) % region.len()];
            turn(corner(0), corner(1), corner(2)) >= 0.0
        }) && turns_once(region);
        if is_convex {
            for (p, q) in sides() {
                let (through, inwards) = edge(p, q);
                mesh.cut(through, inwards, true);
            }
        } else {
            for (through, inwards) in [
                (low, DVec2::X),
                (low, DVec2::Y),
                (high, DVec2::NEG_X),
                (high, DVec2::NEG_Y),
            ] {
                mesh.cut(through, inwards, true);
            }
            for (p, q) in sides() {
                let (through, inwards) = edge(p, q);
                mesh.cut(through, inwards, false);
            }
            let vertices = &mesh.vertices;
            mesh.triangles.retain(|t| {
                let centre = t
                    .map(|v| vertices[v as usize].truncate())
                    .iter()
                    .sum::<DVec2>()
                    / 3.0;
                is_inside(region, centre)
            });
        }
        Ok(Self::new(&mesh.vertices, mesh.triangles))
    }

    /// The terrain between two corners of a rectangle.
    ///
    /// # Errors
    /// The errors of [`Self::clip`].
    pub fn clip_rectangle(&self, low: DVec2, high: DVec2) -> Result<Self, TerrainError> {
        self.clip(&[
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ])
    }

    /// The lowest and highest point of the ground under a polygon in plan, such as a footprint; nothing where no terrain is under it.
    pub fn height_range(&self, ring: &[DVec2]) -> Option<[f64; 2]> {
        let (low, high) = bounds(ring);
        if !(low.is_finite() && high.is_finite()) {
            return None;
        }
        let mut range: Option<[f64; 2]> = None;
        let mut add = |z: f64| {
            let [low, high] = range.unwrap_or([z, z]);
            range = Some([low.min(z), high.max(z)]);
        };
        for id in self.search.in_box(low, high) {
            let corners = self.triangles[id as usize].map(|v| self.vertices[v as usize]);
            // The ring is cut by the triangle, which is convex: whatever the ring's form, its corners come out right.
            let mut rest = ring.to_vec();
            for k in 0..3 {
                let (p, q) = (corners[k].truncate(), corners[(k + 1) % 3].truncate());
                rest = left_part(&rest, p, (q - p).perp());
            }
            let [a, b, c] = corners;
            let normal = (b - a).cross(c - a);
            for at in rest {
                let offset = at - a.truncate();
                add(a.z - (normal.x * offset.x + normal.y * offset.y) / normal.z);
            }
        }
        range
    }
}

/// Triangles that are cut by lines.
struct Cutter {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Cutter {
    /// The triangles that may meet a box.
    fn new(terrain: &Terrain, low: DVec2, high: DVec2) -> Self {
        let ids = terrain.search.in_box(low, high);
        let triangles = ids
            .into_iter()
            .map(|id| terrain.triangles[id as usize])
            .collect();
        let part = Terrain::new(&terrain.vertices, triangles);
        Self {
            vertices: part.vertices,
            triangles: part.triangles,
        }
    }

    /// Cuts along the line through a point across `inwards`; drops the part on its other side if only the inside is
    /// wanted.
    fn cut(&mut self, through: DVec2, inwards: DVec2, keep_inside_only: bool) {
        if inwards == DVec2::ZERO {
            return;
        }
        let sides: Vec<f64> = self
            .vertices
            .iter()
            .map(|vertex| {
                let distance = inwards.dot(vertex.truncate() - through);
                if distance.abs() <= WELD_DISTANCE {
                    0.0
                } else {
                    distance
                }
            })
            .collect();
        let mut new: HashMap<(u32, u32), u32> = HashMap::new();
        let vertices = &mut self.vertices;
        let mut crossing = |p: u32, q: u32| {
            // The order is one for both neighbours, so that both get the same corner.
            let (p, q) = (p.min(q), p.max(q));
            *new.entry((p, q)).or_insert_with(|| {
                let (from, to) = (sides[p as usize], sides[q as usize]);
                let at = vertices[p as usize].lerp(vertices[q as usize], from / (from - to));
                vertices.push(at);
                u32::try_from(vertices.len() - 1).expect("fewer than 2^32 vertices")
            })
        };
        let mut triangles = Vec::with_capacity(self.triangles.len());
        for &triangle in &self.triangles {
            let signs = triangle.map(|v| sides[v as usize]);
            let (has_in, has_out) = (
                signs.iter().any(|s| *s > 0.0),
                signs.iter().any(|s| *s < 0.0),
            );
            if !(has_in && has_out) {
                if has_in || !keep_inside_only {
                    triangles.push(triangle);
                }
                continue;
            }
            let mut parts = [Vec::with_capacity(4), Vec::with_capacity(4)];
            for k in 0..3 {
                let (p, q) = (k, (k + 1) % 3);
                if signs[p] >= 0.0 {
                    parts[0].push(triangle[p]);
                }
                if signs[p] <= 0.0 {
                    parts[1].push(triangle[p]);
                }
                if signs[p] * signs[q] < 0.0 {
                    let at = crossing(triangle[p], triangle[q]);
                    parts[0].push(at);
                    parts[1].push(at);
                }
            }
            let wanted = if keep_inside_only { 1 } else { 2 };
            for part in &parts[..wanted] {
                triangles.extend(
                    part.windows(2)
                        .skip(1)
                        .map(|pair| [part[0], pair[0], pair[1]]),
                );
            }
        }
        self.triangles = triangles;
    }
}

/// The part of a ring to the left of a line, that is where `inwards` points.
fn left_part(ring: &[DVec2], through: DVec2, inwards: DVec2) -> Vec<DVec2> {
    let mut part = Vec::with_capacity(ring.len() + 2);
    for (k, &p) in ring.iter().enumerate() {
        let q = ring[(k + 1) % ring.len()];
        let (from, to) = (inwards.dot(p - through), inwards.dot(q - through));
        if from >= 0.0 {
            part.push(p);
        }
        if from * to < 0.0 {
            part.push(p.lerp(q, from / (from - to)));
        }
    }
    part
}

fn bounds(ring: &[DVec2]) -> (DVec2, DVec2) {
    ring.iter()
        .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), &p| {
            (low.min(p), high.max(p))
        })
}

/// Whether a ring goes round once: a star of five rays turns left at each corner too.
fn turns_once(ring: &[DVec2]) -> bool {
    let directions = |k: usize| ring[(k + 1) % ring.len()] - ring[k % ring.len()];
    let steps: Vec<DVec2> = (0..ring.len())
        .map(directions)
        .filter(|d| *d != DVec2::ZERO)
        .collect();
    let turns = (0..steps.len()).map(|k| {
        let (d, e) = (steps[k], steps[(k + 1) % steps.len()]);
        d.perp_dot(e).atan2(d.dot(e))
    });
    turns.sum::<f64>().abs() < 3.0 * std::f64::consts::PI
}

fn is_inside(ring: &[DVec2], at: DVec2) -> bool {
    let mut is_inside = false;
    for (k, &p) in ring.iter().enumerate() {
        let q = ring[(k + 1) % ring.len()];
        if (p.y > at.y) != (q.y > at.y) && at.x < p.x + (q.x - p.x) * (at.y - p.y) / (q.y - p.y) {
            is_inside = !is_inside;
        }
    }
    is_inside
}
