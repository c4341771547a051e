//! All beams of one depth, and the portals through which they leave their planes.

use glam::{DVec2, DVec3};

use super::TooWeak;
use super::bsp::Bsp;
use super::portals::Polygons;
use crate::parallel;
use crate::paths::SequenceTree;
use crate::paths::search::views::Views;
use crate::scene::{PlaneId, Scene};

/// All beams of one depth.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) beams: Vec<Beam>,
    pub(super) portals: Polygons,
}

/// The beam of one node of the tree: everything from `source` through the node's portals on `plane`.
#[derive(Debug)]
pub(super) struct Beam {
    pub(super) node: usize,
    pub(super) plane: u32,
    /// Relative to the partition's origin.
    pub(super) source: DVec3,
    pub(super) portals: std::ops::Range<usize>,
}

impl Level {
    /// Adds the children of `parent`: a node for every plane in `seen`, which is sorted by plane.
    pub(super) fn add(
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

    /// Notes the boxes around the parts of planes through which the beams leave. Beams have the order of their nodes.
    pub(super) fn note_parts(&self, bsp: &Bsp, views: &mut Views) {
        for beam in &self.beams {
            let plane = &bsp.planes[beam.plane as usize];
            let origin = plane.coordinates(bsp.origin);
            let portals = self.portals.items[beam.portals.clone()].iter();
            let corners = portals.flat_map(|portal| self.portals.corners(portal));
            let nothing = [DVec2::INFINITY, DVec2::NEG_INFINITY];
            let part = corners.fold(nothing, |[low, high], at| {
                [low.min(*at + origin), high.max(*at + origin)]
            });
            views.parts.push(part);
        }
    }

    /// Notes which sequences are too weak, and leaves their beams out. The sequences stay in the tree.
    pub(super) fn stop_weak(&mut self, views: &mut Views, weak: Option<&TooWeak>) {
        let first = views.unfollowed.len();
        let share = |node: usize| weak?(&views.tree.sequence(node), views.parts[node]);
        let num = views.parts.len() - first;
        let shares: Vec<Option<f32>> = parallel::map_cheap(num, 64, |n| share(first + n));
        self.beams
            .retain(|beam| shares[beam.node - first].is_none());
        views.unfollowed.extend(shares);
    }
}
