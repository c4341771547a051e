//! The triangle above a point: a regular grid of buckets over the plan.
//!
//! There are about as many buckets as triangles; each lists the triangles that touch it, so a look-up takes a few tests. Long
//! triangles stand in many lists, but only where they pass.

use glam::{DVec2, DVec3};

use super::number::whole;

/// The distance outside of a triangle at which a point still belongs to it, as a part of the triangle's size: the
/// rounding of f64.
const SLACK: f64 = 1e-9;

/// Lists of triangles by where they are.
#[derive(Debug, Clone)]
pub(super) struct Search {
    low: DVec2,
    cell: DVec2,
    columns: usize,
    rows: usize,
    /// The index in `triangles` at which each bucket's list starts; one more for the end.
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Search {
    pub(super) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let plan = |t: &[u32; 3]| t.map(|v| vertices[v as usize].truncate());
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for corner in triangles.iter().flat_map(plan) {
            (low, high) = (low.min(corner), high.max(corner));
        }
        let size = if triangles.is_empty() {
            DVec2::ONE
        } else {
            (high - low).max(DVec2::splat(f64::MIN_POSITIVE))
        };
        let low = if triangles.is_empty() {
            DVec2::ZERO
        } else {
            low
        };
        // Square buckets, as many as triangles.
        let side = (size.x * size.y / triangles.len().max(1) as f64)
            .sqrt()
            .max(size.max_element() / 1e4);
        let count = |length: f64| whole((length / side).ceil().max(1.0));
        let (columns, rows) = (count(size.x), count(size.y));
        let cell = size / DVec2::new(columns as f64, rows as f64);
        let mut search = Self {
            low,
            cell,
            columns,
            rows,
            starts: vec![0; columns * rows + 1],
            triangles: Vec::new(),
        };
        // Count, then fill.
        let mut counts = vec![0_u32; columns * rows + 1];
        for triangle in triangles {
            search.for_each_bucket(&plan(triangle), |bucket| counts[bucket + 1] += 1);
        }
        for bucket in 0..columns * rows {
            counts[bucket + 1] += counts[bucket];
        }
        search.triangles = vec![0; counts[columns * rows] as usize];
        search.starts.clone_from(&counts);
        for (id, triangle) in triangles.iter().enumerate() {
            let mut lists = std::mem::take(&mut search.triangles);
            search.for_each_bucket(&plan(triangle), |bucket| {
                lists[counts[bucket] as usize] =
                    u32::try_from(id).expect("fewer than 2^32 triangles");
                counts[bucket] += 1;
            });
            search.triangles = lists;
        }
        search
    }

    /// The triangle above `at` and its weights there, which are not negative and add up to 1.
    pub(super) fn find(
        &self,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        at: DVec2,
    ) -> Option<(usize, DVec3)> {
        let [x, y] = self.bucket_of(at)?;
        let mut best: Option<(usize, DVec3)> = None;
        for &id in self.bucket(y * self.columns + x) {
            let [a, b, c] = triangles[id as usize].map(|v| vertices[v as usize].truncate());
            let area = (b - a).perp_dot(c - a);
            let weights = DVec3::new(
                (b - at).perp_dot(c - at),
                (c - at).perp_dot(a - at),
                (a - at).perp_dot(b - at),
            ) / area;
            if best.is_none_or(|(_, before)| weights.min_element() > before.min_element()) {
                best = Some((id as usize, weights));
            }
            if weights.min_element() >= 0.0 {
                break;
            }
        }
        let (id, weights) = best.filter(|(_, weights)| weights.min_element() >= -SLACK)?;
        let weights = weights.max(DVec3::ZERO);
        Some((id, weights / weights.element_sum()))
    }

    /// Triangles that may meet a box, each once, in their order.
    pub(super) fn in_box(&self, low: DVec2, high: DVec2) -> Vec<u32> {
        let reach = self.low + self.cell * DVec2::new(self.columns as f64, self.rows as f64);
        if high.cmplt(self.low).any() || low.cmpgt(reach).any() {
            return Vec::new();
        }
        let ([left, bottom], [right, top]) = (self.clamped(low), self.clamped(high));
        let mut found: Vec<u32> = (bottom..=top)
            .flat_map(|y| (left..=right).map(move |x| y * self.columns + x))
            .flat_map(|bucket| self.bucket(bucket).iter().copied())
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn bucket(&self, bucket: usize) -> &[u32] {
        &self.triangles[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }

    fn bucket_of(&self, at: DVec2) -> Option<[usize; 2]> {
        let size = self.cell * DVec2::new(self.columns as f64, self.rows as f64);
        let offset = at - self.low;
        let slack = SLACK * size.max_element();
        let is_inside =
            offset.cmpge(DVec2::splat(-slack)).all() && offset.cmple(size + slack).all();
        is_inside.then(|| self.clamped(at))
    }

    fn clamped(&self, at: DVec2) -> [usize; 2] {
        let cell = (at - self.low) / self.cell;
        [
            whole(cell.x).min(self.columns - 1),
            whole(cell.y).min(self.rows - 1),
        ]
    }

    /// Calls `add` with each bucket that a triangle touches, and perhaps some neighbours.
    fn for_each_bucket(&self, corners: &[DVec2; 3], mut add: impl FnMut(usize)) {
        let [a, b, c] = *corners;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let ([left, bottom], [right, top]) = (self.clamped(low), self.clamped(high));
        for y in bottom..=top {
            // The part of the triangle in this row of buckets, widened by rounding.
            let slack = SLACK * self.cell.y;
            let floor = self.low.y + self.cell.y * y as f64 - slack;
            let ceiling = floor + self.cell.y + 2.0 * slack;
            let (mut west, mut east) = (f64::INFINITY, f64::NEG_INFINITY);
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let (p, q) = if p.y <= q.y { (p, q) } else { (q, p) };
                if q.y < floor || p.y > ceiling {
                    continue;
                }
                let at = |y: f64| {
                    if q.y > p.y {
                        p.x + (q.x - p.x) * ((y - p.y) / (q.y - p.y)).clamp(0.0, 1.0)
                    } else {
                        p.x
                    }
                };
                for x in [at(floor.max(p.y)), at(ceiling.min(q.y))] {
                    (west, east) = (west.min(x), east.max(x));
                }
                if q.y == p.y {
                    (west, east) = (west.min(q.x), east.max(q.x));
                }
            }
            let slack = SLACK * (self.cell.x + high.x - low.x);
            let first = self.clamped(DVec2::new(west - slack, low.y))[0].max(left);
            let last = self.clamped(DVec2::new(east + slack, low.y))[0].min(right);
            for x in first..=last {
                add(y * self.columns + x);
            }
        }
    }
}
