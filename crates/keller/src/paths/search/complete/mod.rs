//! The complete search: an exact beam tree with hidden surfaces removed. It misses no chain of reflections.
//!
//! Everything that a transmitter can reach by reflections is a tree of beams. The root covers all directions. The part
//! of a plane visible from it is a few convex *portals* on that reflecting plane. The beam that leaves the portals
//! spreads from the transmitter's image. A node has a child for every plane of which its beam reaches any part. With
//! hidden surfaces removed the tree stays small: of the 3e8 pairs of planes of a city centre, nine thousand are visible
//! to each other by way of a given transmitter.
//!
//! The visible parts of a beam are found on its portals' plane (`view`). The search walks a binary space partition of
//! the scene (`bsp`) front to back until nothing of the portals is uncovered (`region`). Parts of one plane are joined
//! into few portals by their hulls (`portals`). A beam may therefore be a little wider than the illuminated part, but
//! never narrower: the tree has some sequences too many, which validation refuses. A level is grown in parallel and
//! joined in order, so the result does not depend on the threads.
//!
//! Where waves may pass walls, beams continue behind them and carry the number of walls that they have passed. This is
//! exact too, but the tree is larger.
//!
//! An edge is visible where its faces are. With every visible part, a view notes which edges of that part the visible
//! polygon touches, and how much of them (`edges`). No ray has to hit an edge. A receiver may see an edge by as many
//! reflections as the limits allow in addition to a diffraction; the transmitter must then see that edge without any
//! reflection. At that depth the beams are therefore only tested against the edges that are directly visible from the
//! transmitter.
//!
//! Cost: O(n log n) for the partition, then about ten microseconds a beam. Munich (38 936 triangles), 5 reflections:
//! 80 000 sequences, 0.7 s of one core, and 0.3 s for the partition.
//!
//! What it loses: paths that touch a reflecting plane outside its border, where validation tolerates
//! [`ON_FACE_DISTANCE`]; paths through gaps of less than a tenth of a nanometre; and reflections at a plane that
//! contains the image of the transmitter.
//!
//! [`ON_FACE_DISTANCE`]: crate::geometry::tolerance::ON_FACE_DISTANCE

mod bounds;
mod bsp;
mod edge_tree;
mod edges;
mod level;
mod polygon;
mod portals;
mod projection;
mod pyramid;
mod region;
mod view;
mod walls;

use glam::{DVec2, DVec3};

pub(in crate::paths) use self::edge_tree::EdgeTree;

use self::bsp::{Bsp, NONE, count};
use self::edges::{PartEdges, SeenEdge};
use self::level::{Beam, Level};
use self::portals::{Merger, Polygons};
use self::projection::Projection;
use self::pyramid::Pyramid;
use self::view::View;
use self::walls::Walls;
use crate::parallel;
use crate::paths::search::views::{EdgeView, Views};
use crate::paths::{Limits, SequenceTree};
use crate::scene::{EdgeId, PlaneId};
use crate::{Control, Error, Stage, World};

/// Cells along a side of each of the six cube faces around the transmitter. The cells are searched in parallel.
const ROOT_CELLS: usize = 8;

/// An image nearer than this to a plane is not reflected at that plane, metres: it sees the plane edge-on.
const MIN_IMAGE_DISTANCE: f64 = 1e-7;

/// A plane seen from the source at less than this angle, radians, counts as wholly visible.
const GRAZING: f64 = 1e-6;

/// Points nearer than this to the transmitter are not visible, metres. Every device is farther from a wall.
const MIN_VIEW_DISTANCE: f64 = 1e-6;

/// The visible parts of a plane become at most `2^HALVINGS` portals in one view, and at most `2^ROOT_HALVINGS` in the
/// view from the transmitter.
const HALVINGS: u32 = 3;
const ROOT_HALVINGS: u32 = 8;

/// Portals that share one view.
const PORTALS_PER_LOOK: usize = 8;

/// The part of the search that does not depend on the device.
#[derive(Debug)]
pub(super) struct Complete {
    world: World,
    limits: Limits,
    bsp: Bsp,
    part_edges: PartEdges,
}

/// The depth up to which a tree of beams grows.
#[derive(Clone, Copy, Default)]
pub(super) struct Reach<'a> {
    /// Largest number of reflections of a sequence.
    pub(super) reflections: usize,
    /// Largest number of reflections by which edges are searched for; `None` for no search.
    pub(super) edges: Option<usize>,
    /// The only edges against which sequences with one more reflection than `edges` are tested, if given.
    pub(super) among: Option<&'a EdgeTree>,
    /// Whether the visible parts of the planes are wanted too.
    pub(super) wants_parts: bool,
    /// The test for sequences that are not continued; all are continued without it. It is asked only if parts are
    /// wanted.
    pub(super) weak: Option<&'a TooWeak<'a>>,
}

/// A function of a sequence of planes, whose last one is visible between two corners. It returns the largest share of
/// the wanted power that the sequence can bring if that is too little, else `None`.
pub(super) type TooWeak<'a> = dyn Fn(&[PlaneId], [DVec2; 2]) -> Option<f32> + Sync + 'a;

impl Complete {
    pub(super) fn new(world: &World, limits: &Limits) -> Self {
        let bsp = Bsp::new(world.scene());
        Self {
            world: world.clone(),
            limits: *limits,
            part_edges: PartEdges::new(world.scene(), limits, &bsp),
            bsp,
        }
    }

    /// The directly visible edges among `views`, in a tree that beams can be tested against.
    pub(super) fn direct_edges(&self, views: &Views) -> EdgeTree {
        EdgeTree::new(self.world.scene(), self.bsp.origin, views)
    }

    /// The sequences and edges visible from `from` by reflections, within `reach`.
    pub(super) fn views(
        &self,
        from: DVec3,
        reach: Reach,
        control: &Control,
    ) -> Result<Views, Error> {
        let (scene, bsp) = (self.world.scene(), &self.bsp);
        let mut views = Views::of(SequenceTree::root(from));
        let source = from - bsp.origin;
        if let (Some(edges), None) = (reach.among, reach.edges) {
            // Sequences without reflections are tested against all these edges, so no view is needed.
            views.edges.extend(edges.views());
            return Ok(views);
        }
        let looks_for_edges =
            |depth: usize| reach.edges.is_some_and(|max_depth| depth <= max_depth);
        if reach.reflections == 0 && !looks_for_edges(0) {
            return Ok(views);
        }
        let mut search = BeamSearch {
            bsp,
            part_edges: &self.part_edges,
            walls: Walls::new(scene, &self.limits, self.world.transparency()),
        };
        search.walls.limit(&self.limits, 1);
        let root = Beam {
            node: 0,
            plane: NONE,
            source,
            portals: 0..0,
        };
        let mut level = Level::default();
        let seen = search.visible_around(source, looks_for_edges(0));
        if reach.reflections > 0 {
            level.add(scene, bsp, &mut views.tree, &root, &seen.polygons);
        }
        if reach.wants_parts {
            views.parts.push([DVec2::INFINITY, DVec2::NEG_INFINITY]);
            views.unfollowed.push(None);
            level.note_parts(bsp, &mut views);
            level.stop_weak(&mut views, reach.weak);
        }
        views.add(0, &seen.edges);
        for depth in 1.. {
            control.check()?;
            let wants = Wants {
                children: depth < reach.reflections,
                portals: depth + 1 < reach.reflections
                    || looks_for_edges(depth + 1)
                    || reach.among.is_some()
                    || reach.wants_parts,
                edges: looks_for_edges(depth),
            };
            if level.beams.is_empty() || !(wants.children || wants.edges) {
                break;
            }
            control.report(Stage::Search, depth as f64 / (reach.reflections + 1) as f64);
            search.walls.limit(&self.limits, depth + 1);
            let look = |scratch: &mut Scratch, n: usize| {
                if control.is_cancelled() {
                    return Seen::default();
                }
                search.visible_through(&level.beams[n], &level.portals, wants, scratch)
            };
            let found: Vec<Seen> = parallel::map_with(level.beams.len(), Scratch::default, look);
            let mut next = Level::default();
            for (beam, seen) in level.beams.iter().zip(&found) {
                views.add(beam.node, &seen.edges);
                if wants.children {
                    next.add(scene, bsp, &mut views.tree, beam, &seen.polygons);
                }
            }
            if reach.wants_parts {
                next.note_parts(bsp, &mut views);
                next.stop_weak(&mut views, reach.weak);
            }
            level = next;
        }
        if let Some(edges) = reach.among {
            let mut pyramid = Pyramid::default();
            for beam in &level.beams {
                search.hold_against(edges, beam, &level.portals, &mut pyramid, &mut views);
            }
        }
        control.check()?;
        control.report(Stage::Search, 1.0);
        Ok(views)
    }
}

impl Views {
    /// Adds the edges visible by the sequence of `node`, given in any order, as one interval for each edge.
    fn add(&mut self, node: usize, seen: &[SeenEdge]) {
        let mut seen = seen.to_vec();
        seen.sort_unstable_by_key(|s| s.edge);
        for same in seen.chunk_by(|a, b| a.edge == b.edge) {
            let low = same
                .iter()
                .map(|s| s.interval[0])
                .fold(f64::INFINITY, f64::min);
            let high = same.iter().map(|s| s.interval[1]).fold(0.0, f64::max);
            self.edges.push(EdgeView {
                edge: EdgeId::from_index(same[0].edge as usize),
                node: count(node),
                interval: [low, high],
            });
        }
    }
}

/// The results that are wanted of the beams of a level.
#[derive(Debug, Clone, Copy)]
struct Wants {
    /// The visible planes.
    children: bool,
    /// The visible parts of these planes.
    portals: bool,
    edges: bool,
}

/// The result of one view.
#[derive(Debug, Default)]
struct Seen {
    polygons: Polygons,
    edges: Vec<SeenEdge>,
}

/// The parts of a search that all its views share.
#[derive(Debug)]
struct BeamSearch<'a> {
    bsp: &'a Bsp,
    part_edges: &'a PartEdges,
    walls: Walls,
}

/// Buffers of one thread, reused.
#[derive(Debug, Default)]
struct Scratch {
    view: View,
    merger: Merger,
    seen: Polygons,
    polygon: Vec<DVec2>,
    edges: Vec<SeenEdge>,
}

impl BeamSearch<'_> {
    /// The parts of planes visible from the transmitter, in coordinates of these planes.
    fn visible_around(&self, source: DVec3, wants_edges: bool) -> Seen {
        let axes = [
            (DVec3::X, DVec3::Y, DVec3::Z),
            (DVec3::Y, DVec3::Z, DVec3::X),
            (DVec3::Z, DVec3::X, DVec3::Y),
        ];
        let per_face = ROOT_CELLS * ROOT_CELLS;
        let cells: Vec<Seen> =
            parallel::map_with(6 * per_face, Scratch::default, |scratch, index| {
                let (face, cell) = (index / per_face, index % per_face);
                let (n, u, v) = axes[face / 2];
                let frame = Projection {
                    source,
                    u,
                    v,
                    n: if face % 2 == 0 { n } else { -n },
                    reach: 1.0,
                    near: MIN_VIEW_DISTANCE,
                    base: DVec2::ZERO,
                };
                let at = |k: usize| (2 * k) as f64 / ROOT_CELLS as f64 - 1.0;
                let (i, j) = (cell % ROOT_CELLS, cell / ROOT_CELLS);
                let window = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                    .map(|(i, j)| DVec2::new(at(i), at(j)));
                scratch.view.region.clear();
                scratch.view.region.open(&window, 0);
                scratch.view.update(self.bsp, &frame, NONE, &self.walls);
                scratch.start();
                self.unfold(&frame, scratch, wants_edges);
                Seen {
                    polygons: scratch.merger.merge(&mut scratch.seen, HALVINGS),
                    edges: std::mem::take(&mut scratch.edges),
                }
            });
        let mut all = Seen::default();
        for cell in &cells {
            for item in &cell.polygons.items {
                let corners = cell.polygons.corners(item).iter().copied();
                all.polygons.push(corners, item.plane, item.walls);
            }
            all.edges.extend_from_slice(&cell.edges);
        }
        all.polygons = Merger::default().merge(&mut all.polygons, ROOT_HALVINGS);
        all
    }

    /// The parts of planes visible through the portals of a beam, in coordinates of these planes; only the planes where
    /// no beam leaves them.
    fn visible_through(
        &self,
        beam: &Beam,
        portals: &Polygons,
        wants: Wants,
        scratch: &mut Scratch,
    ) -> Seen {
        let frame = self.frame(beam);
        scratch.start();
        for group in portals.items[beam.portals.clone()].chunks(PORTALS_PER_LOOK) {
            scratch.view.region.clear();
            for portal in group.iter().filter(|p| p.walls <= self.walls.max) {
                scratch
                    .view
                    .region
                    .open(portals.corners(portal), portal.walls);
            }
            scratch
                .view
                .update(self.bsp, &frame, beam.plane, &self.walls);
            if wants.portals || wants.edges {
                self.unfold(&frame, scratch, wants.edges);
            } else {
                self.name(&frame, &scratch.view, &mut scratch.seen);
            }
        }
        let polygons = if !wants.children {
            Polygons::default()
        } else if wants.portals {
            scratch.merger.merge(&mut scratch.seen, HALVINGS)
        } else {
            let mut planes = std::mem::take(&mut scratch.seen);
            planes.items.sort_unstable_by_key(|item| item.plane);
            planes.items.dedup_by_key(|item| item.plane);
            planes
        };
        Seen {
            polygons,
            edges: std::mem::take(&mut scratch.edges),
        }
    }

    /// The projection from a beam's source onto its plane.
    fn frame(&self, beam: &Beam) -> Projection {
        let plane = &self.bsp.planes[beam.plane as usize];
        let distance = plane.distance(beam.source);
        Projection {
            source: beam.source,
            u: plane.u,
            v: plane.v,
            n: plane.normal * -distance.signum(),
            reach: distance.abs(),
            near: distance.abs(),
            base: plane.coordinates(beam.source),
        }
    }

    /// Adds the edges that a beam may reach. Obstacles are ignored.
    fn hold_against(
        &self,
        edges: &EdgeTree,
        beam: &Beam,
        portals: &Polygons,
        pyramid: &mut Pyramid,
        views: &mut Views,
    ) {
        let frame = self.frame(beam);
        let mut seen = Vec::new();
        for portal in &portals.items[beam.portals.clone()] {
            pyramid.enclose(&frame, portals.corners(portal));
            edges.meet(pyramid, &mut seen);
        }
        views.add(beam.node, &seen);
    }

    /// Lists the visible planes.
    fn name(&self, frame: &Projection, view: &View, seen: &mut Polygons) {
        for (at, _) in view.region.seen() {
            let plane = self.bsp.parts[at.part as usize].plane;
            let distance = self.bsp.planes[plane as usize].distance(frame.source);
            if distance.abs() >= MIN_IMAGE_DISTANCE {
                seen.push(std::iter::empty(), plane, at.walls);
            }
        }
    }

    /// Maps the visible polygons onto their planes, and notes the edges that they touch.
    fn unfold(&self, frame: &Projection, scratch: &mut Scratch, wants_edges: bool) {
        let Scratch {
            view,
            seen,
            polygon,
            edges,
            ..
        } = scratch;
        for (at, corners) in view.region.seen() {
            let part = &self.bsp.parts[at.part as usize];
            let plane = &self.bsp.planes[part.plane as usize];
            let distance = plane.distance(frame.source);
            if distance.abs() < MIN_IMAGE_DISTANCE {
                continue;
            }
            let whole = &self.bsp.vertices[part.split as usize..part.end as usize];
            let sine = distance.abs() / frame.source.distance(whole[0]);
            polygon.clear();
            if sine < GRAZING {
                // The computed intersection of the ray with the plane would be mere rounding.
                polygon.extend(whole.iter().map(|&c| plane.coordinates(c)));
            } else {
                polygon.extend(corners.iter().map(|at| {
                    let ray = frame.ray(*at);
                    let stretch = -distance / plane.normal.dot(ray);
                    plane.coordinates(frame.source + ray * stretch)
                }));
            }
            seen.push(polygon.iter().copied(), part.plane, at.walls);
            if wants_edges {
                self.part_edges.touched(at.part, polygon, sine, edges);
            }
        }
    }
}

impl Scratch {
    /// Forgets the results of earlier views.
    fn start(&mut self) {
        self.seen.clear();
        self.edges.clear();
    }
}
