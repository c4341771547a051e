//! The ground under an area as triangles, and the closed body between two copies of it.

use std::collections::BTreeMap;

use glam::DVec3;

/// Triangles that lie on the ground, counter-clockwise from above.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Sheet {
    /// Adds a part with corners of its own.
    pub(super) fn add(&mut self, vertices: &[DVec3], triangles: &[[u32; 3]]) {
        let first = index(self.vertices.len());
        self.vertices.extend_from_slice(vertices);
        self.triangles
            .extend(triangles.iter().map(|t| t.map(|v| first + v)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The area in plan, m².
    pub(super) fn area(&self) -> f64 {
        let of_one = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.vertices[v as usize].truncate());
            0.5 * (b - a).perp_dot(c - a)
        };
        self.triangles.iter().map(of_one).sum()
    }

    /// The body from `foot` metres below the lowest corner up to `height` metres above the ground: corners, and triangles with their
    /// fronts outwards.
    pub(super) fn raised(&self, height: f64, foot: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let heights = self.vertices.iter().map(|v| v.z);
        let bottom = heights.fold(f64::INFINITY, f64::min) - foot;
        let count = index(self.vertices.len());
        let tops = self.vertices.iter().map(|v| *v + height * DVec3::Z);
        let feet = self.vertices.iter().map(|v| v.truncate().extend(bottom));
        let mut triangles = self.triangles.clone();
        // The number of times that triangles go from one vertex to the other less that of the way back: zero except
        // along the border.
        let mut sides: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        for &[a, b, c] in &self.triangles {
            triangles.push([a, c, b].map(|v| count + v));
            for (p, q) in [(a, b), (b, c), (c, a)] {
                *sides.entry((p.min(q), p.max(q))).or_default() += if p < q { 1 } else { -1 };
            }
        }
        for ((low, high), times) in sides {
            let (p, q) = if times > 0 { (low, high) } else { (high, low) };
            for _ in 0..times.abs() {
                triangles.extend([[q, p, count + p], [q, count + p, count + q]]);
            }
        }
        (tops.chain(feet).collect(), triangles)
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 vertices")
}
