//! The complete search: an exact beam tree with hidden surfaces removed.
//!
//! Everything a transmitter can reach by reflections alone is a tree of beams. The root looks in all directions; what it sees of a plane is a
//! set of convex *portals* on that mirror, and the beam that leaves them spreads from the transmitter's image. A child exists for every plane of
//! which a beam sees anything. With hidden surfaces removed the tree stays small: of the 10^8 pairs of planes of a city centre, ten thousand see each
//! other by way of a given transmitter.
//!
//! What is seen through a portal is found on the portal's plane ([`view`]), walking a binary space partition of the scene ([`bsp`]) front to back until nothing of
//! the portal is uncovered. Parts of one plane are joined into few portals by their hulls ([`portals`]), so a beam may be a little wider than
//! what is lit, never narrower. A level of the tree is grown in parallel and joined in order: the result does not depend on the threads.
//!
//! Where walls may be passed, a beam goes on behind them, and carries how many it has passed. The tree then grows like the scene seen without its nearest
//! walls: exact, but slow.
//!
//! Cost: O(n log n) for the partition, then some microseconds a beam. It proposes more than there is, by the
//! hulls, and misses nothing but paths that reflect within [`ON_FACE_DISTANCE`](crate::geometry::tolerance::ON_FACE_DISTANCE) *outside* the border of a face, where validation is
//! lenient, and mirrors with the image of the transmitter in their own plane.

pub mod bsp;
mod polygon;
mod portals;
mod view;

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use self::bsp::{Bsp, NONE};
use self::portals::{Merger, Polygons};
use self::view::{Frame, View, Walls};
use crate::paths::{Limits, SequenceTree, Transparency};
use crate::scene::{PlaneId, Scene};
use crate::{Control, Error, Stage};

/// Cells along a side of each of the six cube faces around the transmitter, looked through in parallel.
const ROOT_CELLS: u32 = 8;

/// An image nearer than this to a plane sees it from the edge, and is not reflected at it, metres.
const MIN_IMAGE_DISTANCE: f64 = 1e-7;

/// What is nearer than this to the transmitter is not seen, metres. It is less than any device may be.
const MIN_VIEW_DISTANCE: f64 = 1e-6;

/// A plane seen in one look is left through at most `2^HALVINGS` portals, from the transmitter through at most `2^ROOT_HALVINGS`.
const HALVINGS: u32 = 3;
const ROOT_HALVINGS: u32 = 8;

/// Portals that are looked through together.
const PORTALS_PER_LOOK: usize = 8;

/// The sequences of planes by which waves from `tx` may be reflected, within the limits.
pub(super) fn complete(
    scene: &Scene,
    tx: DVec3,
    limits: &Limits,
    transparency: &Transparency,
    control: &Control,
) -> Result<SequenceTree, Error> {
    let bsp = Bsp::of_scene(scene);
    tree(scene, &bsp, tx, limits, transparency, control)
}

/// The sequences, given the scene's partition.
pub fn tree(
    scene: &Scene,
    bsp: &Bsp,
    tx: DVec3,
    limits: &Limits,
    transparency: &Transparency,
    control: &Control,
) -> Result<SequenceTree, Error> {
    let mut tree = SequenceTree::root(tx);
    let depth = limits.reflections();
    if depth == 0 {
        return Ok(tree);
    }
    let search = BeamSearch {
        bsp,
        walls: Walls::new(scene, limits.max_transmissions, transparency),
    };
    let root = Beam {
        node: 0,
        plane: NONE,
        source: tx - bsp.origin,
        portals: 0..0,
    };
    let mut level = Level::default();
    level.add(scene, bsp, &mut tree, &root, &search.from_tx(root.source));
    for done in 1..depth {
        control.check()?;
        control.report(Stage::Search, done as f64 / depth as f64);
        let found: Vec<Polygons> = level
            .beams
            .par_iter()
            .with_min_len(4)
            .map_init(Scratch::default, |scratch, beam| {
                if control.is_cancelled() {
                    return Polygons::default();
                }
                search.from_beam(beam, &level.portals, scratch)
            })
            .collect();
        let mut next = Level::default();
        for (beam, found) in level.beams.iter().zip(&found) {
            next.add(scene, bsp, &mut tree, beam, found);
        }
        level = next;
    }
    control.check()?;
    control.report(Stage::Search, 1.0);
    Ok(tree)
}

/// All beams of one depth.
#[derive(Debug, Default)]
struct Level {
    beams: Vec<Beam>,
    portals: Polygons,
}

/// What one node of the tree sends on: everything from `source` through its portals on `plane`.
#[derive(Debug)]
struct Beam {
    node: usize,
    plane: u32,
    /// Relative to the partition's origin.
    source: DVec3,
    portals: std::ops::Range<usize>,
}

impl Level {
    /// Adds the children of `parent`: a node for every plane in `seen`, which is sorted by plane.
    fn add(
        &mut self,
        scene: &Scene,
        bsp: &Bsp,
        tree: &mut SequenceTree,
        parent: &Beam,
        seen: &Polygons,
    ) {
        for parts in seen.items.chunk_by(|a, b| a.plane == b.plane) {
            let plane = parts[0].plane as usize;
            let first = self.portals.items.len();
            for part in parts {
                let corners = seen.corners(part).iter().copied();
                self.portals.push(corners, part.plane, part.walls);
            }
            self.beams.push(Beam {
                node: tree.push(scene, parent.node, PlaneId::from_index(plane)),
                plane: parts[0].plane,
                source: bsp.planes[plane].mirror(parent.source),
                portals: first..self.portals.items.len(),
            });
        }
    }
}

/// What all looks share.
#[derive(Debug)]
struct BeamSearch<'a> {
    bsp: &'a Bsp,
    walls: Walls,
}

/// Room to work in, one a thread.
#[derive(Debug, Default)]
struct Scratch {
    view: View,
    merger: Merger,
    seen: Polygons,
}

impl BeamSearch<'_> {
    /// What the transmitter sees, in coordinates of the planes seen.
    fn from_tx(&self, source: DVec3) -> Polygons {
        let axes = [
            (DVec3::X, DVec3::Y, DVec3::Z),
            (DVec3::Y, DVec3::Z, DVec3::X),
            (DVec3::Z, DVec3::X, DVec3::Y),
        ];
        let per_face = ROOT_CELLS * ROOT_CELLS;
        let cells: Vec<Polygons> = (0..6 * per_face)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, index| {
                let (face, cell) = (index / per_face, index % per_face);
                let (n, u, v) = axes[(face / 2) as usize];
                let frame = Frame {
                    source,
                    u,
                    v,
                    n: if face % 2 == 0 { n } else { -n },
                    reach: 1.0,
                    near: MIN_VIEW_DISTANCE,
                    base: DVec2::ZERO,
                };
                let at = |k: u32| f64::from(2 * k) / f64::from(ROOT_CELLS) - 1.0;
                let (i, j) = (cell % ROOT_CELLS, cell / ROOT_CELLS);
                let window = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                    .map(|(i, j)| DVec2::new(at(i), at(j)));
                scratch.view.clear();
                scratch.view.open(&window, 0);
                scratch.view.look(self.bsp, &frame, NONE, &self.walls);
                scratch.seen.clear();
                self.draw(&frame, &scratch.view, &mut scratch.seen);
                scratch.merger.merge(&mut scratch.seen, HALVINGS)
            })
            .collect();
        let mut all = Polygons::default();
        for cell in &cells {
            for item in &cell.items {
                all.push(cell.corners(item).iter().copied(), item.plane, item.walls);
            }
        }
        Merger::default().merge(&mut all, ROOT_HALVINGS)
    }

    /// What is seen through the portals of a beam, in coordinates of the planes seen.
    fn from_beam(&self, beam: &Beam, portals: &Polygons, scratch: &mut Scratch) -> Polygons {
        let plane = &self.bsp.planes[beam.plane as usize];
        let distance = plane.distance(beam.source);
        let frame = Frame {
            source: beam.source,
            u: plane.u,
            v: plane.v,
            n: plane.normal * -distance.signum(),
            reach: distance.abs(),
            near: distance.abs(),
            base: plane.coordinates(beam.source),
        };
        scratch.seen.clear();
        for group in portals.items[beam.portals.clone()].chunks(PORTALS_PER_LOOK) {
            scratch.view.clear();
            for portal in group {
                scratch.view.open(portals.corners(portal), portal.walls);
            }
            scratch.view.look(self.bsp, &frame, beam.plane, &self.walls);
            self.draw(&frame, &scratch.view, &mut scratch.seen);
        }
        scratch.merger.merge(&mut scratch.seen, HALVINGS)
    }

    /// Draws what was seen on the planes it lies in.
    fn draw(&self, frame: &Frame, view: &View, seen: &mut Polygons) {
        for (part, corners) in view.seen() {
            let plane = &self.bsp.planes[part.plane as usize];
            let distance = plane.distance(frame.source);
            if distance.abs() < MIN_IMAGE_DISTANCE {
                continue;
            }
            let on_plane = |at: &DVec2| {
                let ray = frame.ray(*at);
                let stretch = -distance / plane.normal.dot(ray);
                plane.coordinates(frame.source + ray * stretch)
            };
            seen.push(corners.iter().map(on_plane), part.plane, part.walls);
        }
    }
}
