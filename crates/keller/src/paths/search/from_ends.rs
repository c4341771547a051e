//! Searches from the ends of paths: from a transmitter and, where waves diffract or scatter, from the receivers too.

use glam::DVec3;

use super::Effort;
use super::complete::{Complete, EdgeTree, Reach};
use super::launch::{Density, Detail, FaceEdges, Launch, OtherEnd};
use super::views::{IlluminatedSquares, Views, guesses_edges};
use crate::paths::{InteractionCounts, Limits, SequenceTree};
use crate::{Control, Error, World};

/// A search from the ends of paths.
#[derive(Debug)]
pub(in crate::paths) struct EndSearch {
    world: World,
    limits: Limits,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Launch(Effort, Detail, FaceEdges),
    Complete(Box<Complete>),
}

/// The transmitter's views, prepared for the searches from receivers.
#[derive(Debug)]
pub(in crate::paths) struct FromTx {
    /// The edges directly visible from the transmitter, for the complete search.
    direct: Option<EdgeTree>,
    /// The edges visible from the transmitter, for launched rays where each path has one edge.
    other_end: Option<OtherEnd>,
}

impl EndSearch {
    /// The search by launched rays.
    pub(super) fn launch(effort: Effort, world: &World, limits: &Limits) -> Self {
        let scene = world.scene();
        let kind = Kind::Launch(effort, Detail::of(scene), FaceEdges::new(scene, limits));
        Self::of(kind, world, limits)
    }

    /// The exact beam tree.
    pub(super) fn complete(world: &World, limits: &Limits) -> Self {
        let kind = Kind::Complete(Box::new(Complete::new(world, limits)));
        Self::of(kind, world, limits)
    }

    fn of(kind: Kind, world: &World, limits: &Limits) -> Self {
        Self {
            world: world.clone(),
            limits: *limits,
            kind,
        }
    }

    pub(super) fn effort(&self) -> Effort {
        match &self.kind {
            Kind::Launch(effort, ..) => *effort,
            Kind::Complete(_) => Effort::Default,
        }
    }

    pub(super) fn reach_of_variations(&self) -> Option<f64> {
        match &self.kind {
            Kind::Launch(_, detail, _) => detail.reach_of_variations(),
            Kind::Complete(_) => None,
        }
    }

    pub(super) fn tx_views(&self, tx: DVec3, control: &Control) -> Result<Views, Error> {
        let reflections = self.limits.reflections();
        match &self.kind {
            Kind::Launch(effort, detail, edges) => {
                let density = Density::from_tx(*effort, *detail);
                let launch = self.rays(vec![tx], reflections, density, edges);
                launch.trace(control).map(only)
            }
            Kind::Complete(complete) => {
                let reach = Reach {
                    reflections,
                    edges: self.limits.reflections_beside_diffraction(),
                    ..Reach::default()
                };
                complete.views(tx, reach, control)
            }
        }
    }

    /// The cells of rough walls that rays from a transmitter or from a receiver hit.
    pub(in crate::paths) fn light(
        &self,
        from: DVec3,
        reflections: usize,
        is_tx: bool,
        control: &Control,
    ) -> Result<IlluminatedSquares, Error> {
        let density = Density::of_light(self.effort(), is_tx);
        self.rays(vec![from], reflections, density, &FaceEdges::default())
            .light(control)
            .map(only)
    }

    /// The edges visible from a device by at most `reflections` reflections, regardless of the other end.
    pub(in crate::paths) fn edge_views(
        &self,
        from: DVec3,
        reflections: usize,
        control: &Control,
    ) -> Result<Views, Error> {
        match &self.kind {
            Kind::Launch(effort, detail, edges) => {
                let density = Density::from_rx(*effort, *detail);
                let launch = self.rays(vec![from], reflections, density, edges);
                launch.trace(control).map(only)
            }
            Kind::Complete(complete) => {
                let reach = Reach {
                    reflections,
                    edges: Some(reflections),
                    ..Reach::default()
                };
                complete.views(from, reach, control)
            }
        }
    }

    /// Prepares the transmitter's visible edges for the searches from receivers.
    pub(in crate::paths) fn tx_side(&self, tx_views: &Views) -> FromTx {
        let direct = match &self.kind {
            Kind::Complete(complete) => Some(complete.direct_edges(tx_views)),
            Kind::Launch(..) => None,
        };
        let has_one_edge = self.limits.max_diffractions == 1 && !guesses_edges(self.world.scene());
        let other_end = match &self.kind {
            Kind::Launch(_, _, edges) if has_one_edge => {
                Some(edges.other_end(self.world.scene(), tx_views))
            }
            _ => None,
        };
        FromTx { direct, other_end }
    }

    /// The number of receivers, of `num`, that are searched from together. It is more than one if a device traces the
    /// rays, because a device is busy with many rays only.
    pub(in crate::paths) fn rx_at_once(&self, num: usize) -> usize {
        let Kind::Launch(effort, detail, _) = &self.kind else {
            return 1;
        };
        let rays = Density::from_rx(*effort, *detail).num_rays();
        let of_device = self.world.scene().index().rays_at_once(rays) / rays;
        // Every thread gets some receivers.
        of_device.min(num / rayon::current_num_threads()).max(1)
    }

    /// The edges visible from each receiver by reflections.
    pub(in crate::paths) fn rx_views(
        &self,
        rx: &[DVec3],
        from_tx: &FromTx,
        control: &Control,
    ) -> Result<Vec<Views>, Error> {
        let Some(reflections) = self.limits.reflections_beside_diffraction() else {
            let nothing = |rx: &DVec3| Views::of(SequenceTree::root(*rx));
            return Ok(rx.iter().map(nothing).collect());
        };
        match &self.kind {
            Kind::Launch(effort, detail, edges) => {
                let density = Density::from_rx(*effort, *detail);
                let launch = Launch {
                    other_end: from_tx.other_end.as_ref(),
                    ..self.rays(rx.to_vec(), reflections, density, edges)
                };
                launch.trace(control)
            }
            Kind::Complete(complete) => {
                // With the largest number of reflections next to one edge, only edges that are directly visible from
                // the transmitter matter.
                let two_edges = InteractionCounts::NONE.plus(0, 2);
                let with_two = self.limits.reflections_beside(&two_edges);
                let edges = reflections.checked_sub(1).max(with_two);
                let among = from_tx
                    .direct
                    .as_ref()
                    .filter(|_| edges != Some(reflections));
                let reach = Reach {
                    reflections,
                    edges,
                    among,
                    ..Reach::default()
                };
                let views = |rx: &DVec3| complete.views(*rx, reach, control);
                rx.iter().map(views).collect()
            }
        }
    }

    fn rays<'b>(
        &'b self,
        from: Vec<DVec3>,
        reflections: usize,
        density: Density,
        edges: &'b FaceEdges,
    ) -> Launch<'b> {
        Launch {
            scene: self.world.scene(),
            transparency: self.world.transparency(),
            limits: &self.limits,
            from,
            reflections,
            density,
            edges,
            other_end: None,
        }
    }
}

/// The result of the only point.
fn only<T>(mut found: Vec<T>) -> T {
    found.pop().expect("one for each point")
}
