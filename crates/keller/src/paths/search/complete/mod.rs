//! The exact beam tree.

mod bsp;
mod polygon;
mod portals;
mod view;

use glam::{DVec2, DVec3};
use rayon::prelude::*;

use self::bsp::{Bsp, NONE};
use self::portals::{Merger, Polygons};
use self::view::{Frame, View};
use crate::paths::{SequenceTree, TreeNode};
use crate::geometry::Plane;
use crate::scene::PlaneId;

/// x
pub const RIM: f64 = 5e-6;

/// Root cells along a side of a cube face.
const ROOT_CELLS: u32 = 8;

const MIN_DISTANCE: f64 = 1e-7;

/// The scene, sorted for looking at it from anywhere.
#[derive(Debug)]
pub struct BeamScene {
    bsp: Bsp,
    planes: Vec<Plane>,
}

struct Beam {
    node: u32,
    plane: u32,
    source: DVec3,
    first: u32,
    end: u32,
}

#[derive(Default)]
struct Scratch {
    view: View,
    merger: Merger,
    seen: Polygons,
}

impl BeamScene {
    /// x
    pub fn new<'a>(
        planes: &[Plane],
        pieces: impl Iterator<Item = (usize, &'a [DVec3])>,
        origin: DVec3,
        rim: f64,
        core_rim: f64,
    ) -> Self {
        Self {
            bsp: Bsp::build(planes, pieces, origin, rim, core_rim),
            planes: planes.to_vec(),
        }
    }

    /// x
    pub fn stats(&self) -> (usize, usize) {
        (self.bsp.nodes.len(), self.bsp.parts.len())
    }

    /// x
    pub fn tree(&self, tx: DVec3, max_reflections: usize, max_transmissions: usize) -> SequenceTree {
        let max_walls = u32::try_from(max_transmissions).unwrap_or(u32::MAX);
        let mut nodes = vec![TreeNode {
            parent: 0,
            plane: PlaneId::from_index(0),
            depth: 0,
            image: tx,
        }];
        if max_reflections == 0 {
            return SequenceTree { nodes };
        }
        let root = self.from_tx(tx - self.bsp.origin, max_walls);
        let mut portals = Polygons::default();
        let mut beams = Vec::new();
        self.add(&mut nodes, &mut beams, &mut portals, 0, tx - self.bsp.origin, &root);
        for depth in 1..max_reflections {
            let last = depth + 1 == max_reflections;
            let found: Vec<Polygons> = beams
                .par_iter()
                .with_min_len(4)
                .map_init(Scratch::default, |scratch, beam| {
                    self.from_beam(beam, &portals, max_walls, last, scratch)
                })
                .collect();
            let mut next = Vec::new();
            let mut next_portals = Polygons::default();
            if std::env::var_os("HIST").is_some() { let mut h = [0usize; 16]; for b in &beams { let w = portals.items[b.first as usize..b.end as usize].iter().map(|i| { let c = portals.corners(i); let r = polygon::bounds(c); polygon::area(c) / (r.max - r.min).length() }).fold(0.0, f64::max); let k = (w.log10() + 11.0).clamp(0.0, 15.0) as usize; h[k] += 1; } println!("level {depth} widths from 1e-11: {h:?}"); }
            for (beam, found) in beams.iter().zip(&found) {
                self.add(&mut nodes, &mut next, &mut next_portals, beam.node, beam.source, found);
            }
            beams = next;
            portals = next_portals;
        }
        SequenceTree { nodes }
    }

    fn add(
        &self,
        nodes: &mut Vec<TreeNode>,
        beams: &mut Vec<Beam>,
        portals: &mut Polygons,
        parent: u32,
        source: DVec3,
        found: &Polygons,
    ) {
        let mut previous = NONE;
        for item in &found.items {
            if item.plane != previous {
                previous = item.plane;
                let index = item.plane as usize;
                let TreeNode { depth, image, .. } = nodes[parent as usize];
                beams.push(Beam {
                    node: u32::try_from(nodes.len()).expect("fewer than 2^32 nodes"),
                    plane: item.plane,
                    source: self.bsp.planes[index].mirror(source),
                    first: portals.items.len() as u32,
                    end: 0,
                });
                nodes.push(TreeNode {
                    parent,
                    plane: PlaneId::from_index(index),
                    depth: depth + 1,
                    image: self.planes[index].mirror(image),
                });
            }
            portals.push(found.corners(item).iter().copied(), item.plane, item.walls);
            beams.last_mut().expect("pushed").end = portals.items.len() as u32;
        }
    }

    fn from_tx(&self, source: DVec3, max_walls: u32) -> Polygons {
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
                    near: 1e-6,
                    base: DVec2::ZERO,
                };
                let corner = |i: u32, j: u32| {
                    let at = |k: u32| f64::from(2 * k) / f64::from(ROOT_CELLS) - 1.0;
                    DVec2::new(at(i), at(j))
                };
                let (i, j) = (cell % ROOT_CELLS, cell / ROOT_CELLS);
                let window = [
                    corner(i, j),
                    corner(i + 1, j),
                    corner(i + 1, j + 1),
                    corner(i, j + 1),
                ];
                scratch.view.clear();
                scratch.view.open(&window, 0);
                scratch.view.look(&self.bsp, &frame, NONE, max_walls);
                scratch.seen.clear();
                self.note(&frame, &scratch.view, &mut scratch.seen);
                let mut out = Polygons::default();
                scratch.merger.merge(&mut scratch.seen, 3, &mut out);
                out
            })
            .collect();
        let mut all = Polygons::default();
        for cell in &cells {
            for item in &cell.items {
                all.push(cell.corners(item).iter().copied(), item.plane, item.walls);
            }
        }
        let mut out = Polygons::default();
        Merger::default().merge(&mut all, 8, &mut out);
        out
    }

    fn from_beam(
        &self,
        beam: &Beam,
        portals: &Polygons,
        max_walls: u32,
        last: bool,
        scratch: &mut Scratch,
    ) -> Polygons {
        let plane = &self.bsp.planes[beam.plane as usize];
        let distance = plane.distance(beam.source);
        let mut out = Polygons::default();
        if distance.abs() < MIN_DISTANCE {
            return out;
        }
        let frame = Frame {
            source: beam.source,
            u: plane.u,
            v: plane.v,
            n: plane.normal * -distance.signum(),
            reach: distance.abs(),
            near: distance.abs(),
            base: plane.coordinates(beam.source),
        };
        let windows = &portals.items[beam.first as usize..beam.end as usize];
        scratch.seen.clear();
        for group in windows.chunks(8) {
            scratch.view.clear();
            for window in group {
                scratch.view.open(portals.corners(window), window.walls);
            }
            scratch.view.look(&self.bsp, &frame, beam.plane, max_walls);
            self.note(&frame, &scratch.view, &mut scratch.seen);
        }
        let _ = last;
        scratch.merger.merge(&mut scratch.seen, 3, &mut out);
        out
    }

    /// Draws what was seen on the planes it lies in.
    fn note(&self, frame: &Frame, view: &View, seen: &mut Polygons) {
        for (part, corners) in view.seen() {
            let plane = &self.bsp.planes[part.plane as usize];
            let distance = plane.distance(frame.source);
            if distance.abs() < MIN_DISTANCE {
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
