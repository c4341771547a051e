//! The edges at the border of each part of the partition, and those of them that a view touches.

use glam::DVec2;

use super::bsp::{Bsp, count};
use super::polygon::{Rect, bounds};
use crate::paths::Limits;
use crate::paths::search::views::diffracting_edges;
use crate::scene::Scene;

/// An edge counts as visible if its face is visible within this distance, metres. Other walls, enlarged by the
/// tolerance of validation, hide the last of the face.
const EDGE_MARGIN: f64 = 0.02;

/// The increase of a wall's rim divided by the sine of the angle at which a face is seen, metres: walls hide more of a
/// face that is seen at a small angle.
const GRAZING_MARGIN: f64 = 4e-5;

/// The visible part of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenEdge {
    /// Index of the edge.
    pub(super) edge: u32,
    /// The visible interval along the edge, metres from its first end.
    pub(super) interval: [f64; 2],
}

/// An edge in the coordinates of one of its faces' planes.
#[derive(Debug, Clone, Copy)]
struct FlatEdge {
    edge: u32,
    start: DVec2,
    along: DVec2,
    length: f64,
}

/// The edges at the border of each part of the partition.
#[derive(Debug)]
pub(super) struct PartEdges {
    /// The index in `edges` at which each part's edges begin, and the end of the last.
    starts: Vec<u32>,
    edges: Vec<FlatEdge>,
}

impl PartEdges {
    pub(super) fn new(scene: &Scene, limits: &Limits, bsp: &Bsp) -> Self {
        let mut pairs: Vec<(u32, FlatEdge)> = Vec::new();
        if limits.max_diffractions > 0 {
            let by_plane = PartsByPlane::new(bsp, scene.planes().len());
            for id in diffracting_edges(scene, limits) {
                let edge = &scene.edges()[id.index()];
                for face in edge.faces.into_iter().flatten() {
                    let plane = scene.plane_of(face).index();
                    let [a, b] = edge
                        .ends
                        .map(|p| bsp.planes[plane].coordinates(p - bsp.origin));
                    let flat = FlatEdge {
                        edge: count(id.index()),
                        start: a,
                        along: (b - a).normalize(),
                        length: edge.length(),
                    };
                    by_plane.for_each_near(plane, bounds(&[a, b]), |part, polygon| {
                        if flat.touched(polygon, EDGE_MARGIN).is_some() {
                            pairs.push((part, flat));
                        }
                    });
                }
            }
        }
        pairs.sort_by_key(|&(part, flat)| (part, flat.edge));
        let starts = (0..=bsp.parts.len())
            .map(|part| count(pairs.partition_point(|&(p, _)| (p as usize) < part)))
            .collect();
        Self {
            starts,
            edges: pairs.into_iter().map(|(_, flat)| flat).collect(),
        }
    }

    /// Notes the edges of `part` that a visible polygon of it touches. `sine` is the sine of the angle at which the
    /// part is seen.
    pub(super) fn touched(
        &self,
        part: u32,
        polygon: &[DVec2],
        sine: f64,
        seen: &mut Vec<SeenEdge>,
    ) {
        let range = self.starts[part as usize] as usize..self.starts[part as usize + 1] as usize;
        let margin = EDGE_MARGIN + GRAZING_MARGIN / sine;
        for flat in &self.edges[range] {
            if let Some(interval) = flat.touched(polygon, margin) {
                seen.push(SeenEdge {
                    edge: flat.edge,
                    interval,
                });
            }
        }
    }
}

impl FlatEdge {
    /// The part of the edge within `margin` metres of a convex polygon.
    fn touched(&self, polygon: &[DVec2], margin: f64) -> Option<[f64; 2]> {
        let across = self.along.perp();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut include = |t: f64| {
            low = low.min(t);
            high = high.max(t);
        };
        let local = |p: DVec2| {
            let d = p - self.start;
            (d.dot(self.along), d.dot(across))
        };
        let (mut t0, mut d0) = local(*polygon.last()?);
        for &corner in polygon {
            let (t1, d1) = local(corner);
            for border in [-margin, margin] {
                if (d0 < border) != (d1 < border) {
                    include(t0 + (t1 - t0) * (border - d0) / (d1 - d0));
                }
            }
            if d1.abs() <= margin {
                include(t1);
            }
            (t0, d0) = (t1, d1);
        }
        let interval = [(low - margin).max(0.0), (high + margin).min(self.length)];
        (interval[0] <= interval[1]).then_some(interval)
    }
}

/// The parts in each plane, sorted by position.
struct PartsByPlane {
    planes: Vec<Vec<FlatPart>>,
}

struct FlatPart {
    part: u32,
    rect: Rect,
    /// The largest coordinate of this part and all parts before it.
    reach: f64,
    polygon: Vec<DVec2>,
}

impl PartsByPlane {
    fn new(bsp: &Bsp, num_planes: usize) -> Self {
        let mut planes: Vec<Vec<FlatPart>> = Vec::new();
        planes.resize_with(num_planes, Vec::new);
        for (i, part) in bsp.parts.iter().enumerate() {
            let frame = &bsp.planes[part.plane as usize];
            let corners = &bsp.vertices[part.split as usize..part.end as usize];
            let polygon: Vec<DVec2> = corners.iter().map(|&c| frame.coordinates(c)).collect();
            if polygon.is_empty() {
                continue;
            }
            planes[part.plane as usize].push(FlatPart {
                part: count(i),
                rect: bounds(&polygon),
                reach: 0.0,
                polygon,
            });
        }
        for parts in &mut planes {
            parts.sort_by(|a, b| a.rect.min.x.total_cmp(&b.rect.min.x));
            let mut reach = f64::NEG_INFINITY;
            for part in parts {
                reach = reach.max(part.rect.max.x);
                part.reach = reach;
            }
        }
        Self { planes }
    }

    fn for_each_near(&self, plane: usize, near: Rect, mut visit: impl FnMut(u32, &[DVec2])) {
        let parts = &self.planes[plane];
        let first = parts.partition_point(|p| p.reach < near.min.x - EDGE_MARGIN);
        let end = parts.partition_point(|p| p.rect.min.x <= near.max.x + EDGE_MARGIN);
        let grown = Rect {
            min: near.min - EDGE_MARGIN,
            max: near.max + EDGE_MARGIN,
        };
        for part in parts.get(first..end).unwrap_or_default() {
            if part.rect.overlaps(&grown) {
                visit(part.part, &part.polygon);
            }
        }
    }
}
