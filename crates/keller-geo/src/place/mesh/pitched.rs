//! Pitched roofs over an outline, as triangles that fit each other and the walls corner to corner.
//!
//! Heights over the eaves are those of planes (`planes.rs`): the lowest counts at each point. Where two planes meet there
//! is a crease. Corners, and the ends of creases, become the nodes of a triangulation (the crate `spade`) that keeps the
//! outline and the creases, so no triangle crosses a crease and neighbours share their corners. **Cost:** the cube of the
//! number of planes, of which there are at most [`planes::MAX_PLANES`].

mod planes;
#[cfg(test)]
mod tests;

use glam::DVec2;
use rustc_hash::FxHashSet;
use spade::handles::FixedVertexHandle;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::place::{PitchedRoof, Polygon, RoofForm, RoofRise, rings};
use planes::{Fit, Planes};

/// Nodes nearer than this are one, metres: as for corners of outlines.
const SAME_NODE: f64 = 1e-3;

/// The slope of a roof of which nothing is known, degrees.
const ASSUMED_SLOPE_DEG: f64 = 30.0;

/// The roof over a polygon.
#[derive(Debug)]
pub(super) struct RoofOver {
    /// The height from the eaves to the highest point, metres.
    pub(super) rise: f64,
    /// Its triangles; `None` if the shape cannot be built over this outline.
    pub(super) facets: Option<Facets>,
    /// A message on what differs from the file.
    pub(super) note: Option<&'static str>,
}

/// The triangles of a roof.
#[derive(Debug)]
pub(super) struct Facets {
    /// Places in plan and heights over the eaves, metres: the corners of the outline, ring after ring, then further nodes.
    pub(super) nodes: Vec<(DVec2, f64)>,
    /// Counter-clockwise seen from above.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The further nodes on each side of the outline, in the order in which the ring passes them.
    pub(super) on_sides: Vec<Vec<u32>>,
}

/// The roof over a polygon in order, which rises by at most `room` metres.
pub(super) fn over(polygon: &Polygon, roof: &PitchedRoof, room: f64) -> RoofOver {
    let (shape, mut note) = if matches!(roof.form, RoofForm::Pyramidal) {
        match pyramid(polygon) {
            Some(facets) => (Ok(facets), None),
            None => fitted(polygon, roof),
        }
    } else {
        fitted(polygon, roof)
    };
    let run = match &shape {
        Ok(facets) => facets.highest(),
        Err(run) => *run,
    };
    let wanted = match roof.rise {
        RoofRise::Height(rise) => rise,
        RoofRise::AngleDeg(angle) => run * angle.to_radians().tan(),
        RoofRise::Assumed(max_rise) => (run * ASSUMED_SLOPE_DEG.to_radians().tan()).min(max_rise),
    };
    if wanted > room {
        note = note.or(Some(
            "its roof is higher than the building; it begins at the foot",
        ));
    }
    let rise = wanted.min(room).max(0.0);
    let facets = shape.ok().filter(|_| rise > SAME_NODE).map(|mut facets| {
        for (_, height) in &mut facets.nodes {
            *height *= rise / run;
        }
        facets
    });
    RoofOver { rise, facets, note }
}

impl Facets {
    /// A flat roof at the eaves, cut into triangles as said.
    pub(super) fn flat(polygon: &Polygon, triangles: Vec<[u32; 3]>) -> Self {
        let corners = polygon.rings().flatten();
        let nodes: Vec<(DVec2, f64)> = corners.map(|&corner| (corner, 0.0)).collect();
        Self {
            on_sides: vec![Vec::new(); nodes.len()],
            nodes,
            triangles,
        }
    }

    fn highest(&self) -> f64 {
        self.nodes.iter().fold(0.0, |high, node| node.1.max(high))
    }
}

/// The triangles of the planes of a roof of slope 1, or its rise; and the differences from the file.
fn fitted(polygon: &Polygon, roof: &PitchedRoof) -> (Result<Facets, f64>, Option<&'static str>) {
    const FLAT: &str = "its roof cannot be built over its outline; the roof is flat, halfway between eaves and ridge";
    let (planes, fit) = Planes::over(polygon, roof);
    if matches!(fit, Fit::None) {
        return (Err(planes.run()), Some(FLAT));
    }
    match triangulated(polygon, &planes) {
        Some(facets) if facets.highest() > SAME_NODE => {
            let note = matches!(fit, Fit::Rectangle)
                .then_some("its outline is not the one of such a roof; it has the roof of the smallest rectangle around it");
            (Ok(facets), note)
        }
        _ => (Err(planes.run()), Some(FLAT)),
    }
}

/// A triangle over each side up to an apex above the centre, of slope 1 over the nearest side; `None` if there is a side that
/// the centre does not see, or a hole.
fn pyramid(polygon: &Polygon) -> Option<Facets> {
    let ring = &polygon.outer;
    let apex = centroid(ring).filter(|_| polygon.holes.is_empty())?;
    let mut run = f64::INFINITY;
    for (a, b) in rings::sides(ring) {
        run = run.min((b - a).perp_dot(apex - a) / a.distance(b));
    }
    if !run.is_finite() || run < SAME_NODE {
        return None;
    }
    let count = super::index(ring.len());
    let mut nodes: Vec<(DVec2, f64)> = ring.iter().map(|&corner| (corner, 0.0)).collect();
    nodes.push((apex, run));
    Some(Facets {
        nodes,
        triangles: (0..count).map(|i| [i, (i + 1) % count, count]).collect(),
        on_sides: vec![Vec::new(); ring.len()],
    })
}

/// The centre of the area of a ring.
fn centroid(ring: &[DVec2]) -> Option<DVec2> {
    let origin = *ring.first()?;
    let sum = rings::sides(ring).fold(DVec2::ZERO, |sum, (a, b)| {
        let (a, b) = (a - origin, b - origin);
        sum + a.perp_dot(b) * (a + b)
    });
    let centre = origin + sum / (6.0 * rings::area(ring));
    centre.is_finite().then_some(centre)
}

/// The nodes of a roof, and the lines between them that triangles keep.
#[derive(Default)]
struct Net {
    nodes: Vec<DVec2>,
    creases: Vec<[usize; 2]>,
}

impl Net {
    /// The node at a point.
    fn node(&mut self, point: DVec2) -> usize {
        let near = |node: &DVec2| node.distance_squared(point) < SAME_NODE * SAME_NODE;
        self.nodes.iter().position(near).unwrap_or_else(|| {
            self.nodes.push(point);
            self.nodes.len() - 1
        })
    }
}

/// The triangles under which the planes lie; `None` if they do not fill the outline.
fn triangulated(polygon: &Polygon, planes: &Planes) -> Option<Facets> {
    let sides: Vec<(DVec2, DVec2)> = polygon.rings().flat_map(|r| rings::sides(r)).collect();
    let mut net = Net {
        nodes: sides.iter().map(|&(a, _)| a).collect(),
        creases: Vec::new(),
    };
    for line in planes.creases(polygon, SAME_NODE) {
        let ends = line.map(|end| net.node(end));
        if ends[0] != ends[1] {
            net.creases.push(ends);
        }
    }
    let on_sides = nodes_on_sides(&net.nodes, &sides);
    let borders = borders(polygon, &on_sides);

    let mut triangulation = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles: Vec<FixedVertexHandle> = Vec::with_capacity(net.nodes.len());
    let origin = net.nodes[0];
    for node in &net.nodes {
        let DVec2 { x, y } = *node - origin;
        let point = spade::mitigate_underflow(Point2::new(x, y));
        let handle = triangulation.insert(point).ok()?;
        // Two nodes at one point would leave a gap.
        if handle.index() != handles.len() {
            return None;
        }
        handles.push(handle);
    }
    let is_border = |[a, b]: [usize; 2]| borders.contains(&[a, b]) || borders.contains(&[b, a]);
    let creases = net.creases.iter().copied().filter(|&ends| !is_border(ends));
    for [a, b] in borders.iter().copied().chain(creases) {
        if !triangulation.can_add_constraint(handles[a], handles[b]) {
            return None;
        }
        triangulation.add_constraint(handles[a], handles[b]);
    }
    let triangles = inside(&triangulation, &borders);
    // A corner that touches another side would leave a gap along it.
    if !is_bounded_by(&triangles, &borders) {
        return None;
    }
    let nodes = net.nodes.iter().map(|&node| (node, planes.height(node)));
    Some(Facets {
        nodes: nodes.collect(),
        triangles,
        on_sides,
    })
}

/// Whether the open sides of triangles are these borders, each once.
fn is_bounded_by(triangles: &[[u32; 3]], borders: &[[usize; 2]]) -> bool {
    let mut open: FxHashSet<[usize; 2]> = FxHashSet::default();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|node| node as usize);
        for [a, b] in [[a, b], [b, c], [c, a]] {
            if !open.remove(&[b, a]) {
                open.insert([a, b]);
            }
        }
    }
    open.len() == borders.len() && borders.iter().all(|border| open.contains(border))
}

/// The nodes behind the corners that lie on each side, in its order.
fn nodes_on_sides(nodes: &[DVec2], sides: &[(DVec2, DVec2)]) -> Vec<Vec<u32>> {
    let on_side = |&(a, b): &(DVec2, DVec2)| {
        let (along, length) = (b - a, a.distance(b));
        let mut on: Vec<(f64, u32)> = Vec::new();
        for (node, &at) in nodes.iter().enumerate().skip(sides.len()) {
            let part = (at - a).dot(along) / (length * length);
            let away = along.perp_dot(at - a).abs() / length;
            if away < SAME_NODE && part > 0.0 && part < 1.0 {
                on.push((part, super::index(node)));
            }
        }
        on.sort_by(|a, b| a.0.total_cmp(&b.0));
        on.into_iter().map(|(_, node)| node).collect()
    };
    sides.iter().map(on_side).collect()
}

/// The sides of an outline, cut at the nodes on them.
fn borders(polygon: &Polygon, on_sides: &[Vec<u32>]) -> Vec<[usize; 2]> {
    let mut borders = Vec::new();
    let mut first = 0;
    for ring in polygon.rings() {
        for i in 0..ring.len() {
            let mut at = first + i;
            let end = first + (i + 1) % ring.len();
            for next in on_sides[at].iter().map(|&n| n as usize).chain([end]) {
                borders.push([at, next]);
                at = next;
            }
        }
        first += ring.len();
    }
    borders
}

/// The triangles inside the borders: those that an odd number of borders separates from outside.
fn inside(
    net: &ConstrainedDelaunayTriangulation<Point2<f64>>,
    borders: &[[usize; 2]],
) -> Vec<[u32; 3]> {
    let mut is_border = vec![Vec::new(); net.num_vertices()];
    for &[a, b] in borders {
        is_border[a].push(b);
        is_border[b].push(a);
    }
    let mut is_known = vec![false; net.num_all_faces()];
    let mut open = vec![(net.outer_face().fix(), false)];
    is_known[open[0].0.index()] = true;
    let mut triangles = Vec::new();
    // The sides of the outer face are those of the hull.
    let hull: Vec<_> = net.convex_hull().map(|edge| edge.fix()).collect();
    while let Some((face, is_inside)) = open.pop() {
        let sides: Vec<_> = match net.face(face).as_inner() {
            Some(inner) => {
                if is_inside {
                    triangles.push(inner.vertices().map(|v| super::index(v.fix().index())));
                }
                inner.adjacent_edges().map(|edge| edge.fix()).to_vec()
            }
            None => hull.clone(),
        };
        for side in sides {
            let edge = net.directed_edge(side);
            let [a, b] = edge.vertices().map(|v| v.fix().index());
            let is_crossed = is_border[a].contains(&b);
            for next in [edge.face(), edge.rev().face()] {
                let next = next.fix();
                if !std::mem::replace(&mut is_known[next.index()], true) {
                    open.push((next, is_inside != is_crossed));
                }
            }
        }
    }
    triangles.sort_unstable();
    triangles
}
