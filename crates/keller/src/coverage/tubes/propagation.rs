//! One bundle of tubes after the other, depth first.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::accumulator::GainAccumulator;
use super::adjacent_walls::FaceNeighbours;
use super::boundary_cuts::FaceEdges;
use super::bundle::{Bundle, MergedTube, QuarterMerger, Tube, TubeInteraction};
use super::direction_cells::DirectionCell;
use super::edge_spans::EdgeSpans;
use super::edge_visibility::EdgePart;
use super::ladder::{Ladder, Owner, Splitting};
use super::ray_cache::RayCache;
use super::recorded_tubes::TubeSink;
use super::region_grid::RegionGrid;
use super::scatter::Illuminations;
use super::split::{Fineness, Leaf, RayEnd};
use super::transport::NO_RANGE;
use super::tx_field::TxField;
use super::verification::UncertainSegments;
use super::virtual_source::{TxImage, VirtualSource};
use crate::em::Surfaces;
use crate::paths::{InteractionKind, Limits, Transparency};
use crate::scene::{FaceId, MaterialId, PlaneId, Scene};
use crate::{Control, Error, Stage};

use glam::{DMat3, DVec3};

/// What all tubes of a transmitter have in common.
pub(super) struct Tracer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) surfaces: &'a Surfaces,
    pub(super) grid: &'a RegionGrid<'a>,
    pub(super) sink: Sink<'a>,
    /// Of the transmitter, metres.
    pub(super) position: DVec3,
    pub(super) tx_field: TxField<'a>,
    pub(super) limits: &'a Limits,
    pub(super) transparency: &'a Transparency,
    pub(super) edges_of_faces: &'a FaceEdges,
    pub(super) spans: &'a EdgeSpans,
    pub(super) neighbours: &'a FaceNeighbours,
    pub(super) fineness: Fineness,
    pub(super) ladder: Ladder,
    /// Of a cell of the region, metres.
    pub(super) size: f64,
    pub(super) min_gain: f64,
    /// Where tubes meet rough walls.
    pub(super) lights: Illuminations,
    pub(super) control: &'a Control<'a>,
    /// Tubes of the first wall that are done.
    pub(super) done: AtomicUsize,
}

/// Who is told of the cells that tubes reach.
#[derive(Clone, Copy)]
pub(super) enum Sink<'a> {
    Gains(&'a GainAccumulator),
    /// Whatever the antenna is.
    Tubes(&'a dyn TubeSink),
}

/// A wall that a leaf comes to.
#[derive(Debug, Clone, Copy)]
struct WallArrival {
    wall: Wall,
    face: FaceId,
    leaf: u32,
    /// From the image, metres.
    distance: f64,
    uncertain: UncertainSegments,
}

/// What makes walls one for a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wall {
    pub(super) plane: PlaneId,
    material: MaterialId,
    looks_along: bool,
}

impl Wall {
    pub(super) fn of(scene: &Scene, face: FaceId) -> Self {
        let plane = scene.plane_of(face);
        Self {
            plane,
            material: scene.face(face).material,
            looks_along: scene.face_normal(face).dot(scene.plane(plane).normal) > 0.0,
        }
    }
}

/// Bundles of more tubes than this are shared between threads.
const SHARED: usize = 128;

impl Tracer<'_> {
    /// Follows all tubes in these cells of directions, which are in the order of their places.
    pub(super) fn launch(&self, cells: &[DirectionCell]) -> Result<(), Error> {
        let source = VirtualSource::Point(TxImage {
            position: self.position,
            turn: DMat3::IDENTITY,
        });
        let mut bundle = Bundle {
            source,
            start: None,
            reflections: 0,
            transmissions: 0,
            diffractions: 0,
            interactions: Vec::new(),
            tubes: Vec::new(),
        };
        let tubes = cells.iter().map(|&cell| {
            let (wave, path_gain) = self.wave(&bundle, &cell.into(), NO_RANGE);
            Tube {
                directions: cell.into(),
                uncertain: UncertainSegments::default(),
                path_gain,
                wave: Some(wave),
            }
        });
        bundle.tubes = tubes.collect();
        let leaves = self.leaves(&bundle, &mut RayCache::default());
        bundle.tubes = Vec::new();
        self.follow_leaves(&bundle, &leaves, &mut RayCache::default())
    }

    fn follow(&self, bundle: &Bundle, rays: &mut RayCache) -> Result<(), Error> {
        let leaves = self.leaves(bundle, rays);
        self.follow_leaves(bundle, &leaves, rays)
    }

    fn follow_leaves(
        &self,
        bundle: &Bundle,
        leaves: &[Leaf],
        rays: &mut RayCache,
    ) -> Result<(), Error> {
        self.control.check()?;
        let is_shared = leaves.len() > SHARED;
        let is_line_of_sight = bundle.reflections + bundle.diffractions == 0;
        if !is_line_of_sight || self.limits.line_of_sight {
            if self.ladder.owner == Owner::Pierced {
                self.pierce(bundle, leaves);
            } else if is_shared {
                let parts = leaves.par_chunks(SHARED);
                parts.for_each(|part| self.fill(bundle, part));
            } else {
                self.fill(bundle, leaves);
            }
        }
        self.light(bundle, leaves);
        let arrivals = self.arrivals(bundle, leaves);
        let groups = || arrivals.chunk_by(|a, b| a.wall == b.wall);
        let is_first = bundle.interactions.is_empty();
        let beyond = |group: &[WallArrival], rays: &mut RayCache| {
            let next = self.beyond(bundle, leaves, group);
            next.iter().try_for_each(|next| self.follow(next, rays))?;
            if is_first {
                self.advance(group.len(), arrivals.len());
            }
            Ok(())
        };
        let parts = self.edge_parts(bundle, leaves);
        let edges = || parts.chunk_by(EdgePart::shares_edge);
        let bend = |parts: &[EdgePart], rays: &mut RayCache| match self.bent(bundle, parts) {
            Some(bent) => self.follow(&bent, rays),
            None => Ok(()),
        };
        if is_shared {
            let groups: Vec<_> = groups().collect();
            let edges: Vec<_> = edges().collect();
            groups
                .into_par_iter()
                .try_for_each_init(RayCache::default, |rays, group| beyond(group, rays))?;
            edges
                .into_par_iter()
                .try_for_each_init(RayCache::default, |rays, parts| bend(parts, rays))
        } else {
            groups().try_for_each(|group| beyond(group, rays))?;
            edges().try_for_each(|parts| bend(parts, rays))
        }
    }

    /// Reports that so many tubes of the first wall are done.
    fn advance(&self, more: usize, all: usize) {
        let done = more + self.done.fetch_add(more, Ordering::Relaxed);
        let report = done as f64 / all as f64;
        self.control.report(Stage::Coverage, report);
    }

    /// The walls that leaves come to, wall by wall, leaves in their cells' order.
    fn arrivals(&self, bundle: &Bundle, leaves: &[Leaf]) -> Vec<WallArrival> {
        let mut arrivals = Vec::with_capacity(leaves.len());
        if self.ways_on(bundle).is_empty() {
            return arrivals;
        }
        let edge = bundle.interactions.len() - bundle.interactions_around_edge().1.len();
        let edge = if bundle.diffractions > 0 { edge + 1 } else { 0 };
        for (index, leaf) in (0..).zip(leaves) {
            let uncertain = leaf.uncertain_behind(bundle);
            // A mirror's border that a tube hides is many cells wide where it shines far: all walls are followed, not only that of
            // the centre; by default until that leaves a doubt, for each further border multiplies tubes.
            let goes_all_ways = self.fineness.is_thorough || leaf.uncertain.is_none_behind(edge);
            let is_alone = leaf.is_clear
                || leaf.is_blunt
                || !goes_all_ways
                || self.ladder.owner == Owner::Pierced;
            let ways = if is_alone { 1 } else { leaf.ray_ends().len() };
            for &RayEnd { face, reach } in &leaf.ray_ends()[..ways] {
                let Some(face) = face else {
                    continue;
                };
                let wall = Wall::of(self.scene, face);
                let distance = f64::from(reach);
                if leaf.path_gain.at(distance) >= self.min_gain {
                    arrivals.push(WallArrival {
                        wall,
                        face,
                        leaf: index,
                        distance,
                        uncertain,
                    });
                }
            }
        }
        arrivals.sort_by_cached_key(|a| (a.wall, leaves[a.leaf as usize].directions.cell.place()));
        arrivals
    }

    /// What may still happen to a bundle at its next wall.
    pub(super) fn ways_on(&self, bundle: &Bundle) -> Vec<InteractionKind> {
        let bends = bundle.reflections + bundle.diffractions;
        let budget = |bends: usize| self.limits.transmissions_beside(bends);
        let mut kinds = Vec::new();
        if bundle.reflections < self.limits.reflections()
            && bends < self.limits.interactions()
            && bundle.transmissions <= budget(bends + 1)
        {
            kinds.push(InteractionKind::Reflection);
        }
        if bundle.transmissions < budget(bends) {
            kinds.push(InteractionKind::Transmission);
        }
        kinds
    }

    /// Whether nothing more happens to it.
    pub(super) fn is_last(&self, bundle: &Bundle) -> bool {
        self.ways_on(bundle).is_empty() && !self.may_bend(bundle) && !self.may_scatter(bundle)
    }

    /// What happens to the bundle at a wall.
    fn onward(&self, bundle: &Bundle, group: &[WallArrival]) -> Vec<InteractionKind> {
        let material = group[0].wall.material;
        let mut kinds = self.ways_on(bundle);
        if self.surfaces.surface(material).is_opaque() {
            kinds.retain(|kind| *kind == InteractionKind::Reflection);
        }
        kinds
    }

    /// The bundles that leave a wall, of the tubes that are still strong enough there.
    fn beyond(&self, bundle: &Bundle, leaves: &[Leaf], group: &[WallArrival]) -> Vec<Bundle> {
        let WallArrival { wall, face, .. } = group[0];
        let surface = self.surfaces.surface(wall.material);
        let normal = self.scene.face_normal(face);
        let kinds = self.onward(bundle, group);
        let mut joined: Vec<QuarterMerger> = kinds
            .iter()
            .map(|_| QuarterMerger::with_capacity(group.len()))
            .collect();
        let is_fixed = matches!(self.ladder.splitting, Splitting::Fixed { .. });
        let is_narrow = |to: &MergedTube| {
            if is_fixed {
                return false;
            }
            let cell = to.tube.directions.cell;
            let width = bundle.source.width(cell, to.distance);
            width <= self.widest(cell, &to.tube.path_gain, to.distance) * self.size
        };
        for arrival in group {
            let leaf = &leaves[arrival.leaf as usize];
            let power = self.power(&leaf.wave);
            let waves = leaf.wave.beyond(&kinds, normal, surface);
            for (wave, joined) in waves.zip(&mut joined) {
                let path_gain = leaf.path_gain.times(self.power(&wave) / power);
                if path_gain.at(arrival.distance) >= self.min_gain {
                    let tube = Tube {
                        directions: leaf.directions,
                        uncertain: arrival.uncertain,
                        path_gain,
                        wave: Some(wave),
                    };
                    let distance = arrival.distance;
                    joined.push(&MergedTube { tube, distance }, is_narrow);
                }
            }
        }
        let bundle = |(&kind, joined): (&InteractionKind, QuarterMerger)| {
            let is_reflection = kind == InteractionKind::Reflection;
            let mut interactions = bundle.interactions.clone();
            interactions.push(TubeInteraction::Wall { kind, face });
            Bundle {
                source: if is_reflection {
                    bundle.source.mirrored(self.scene.plane(wall.plane))
                } else {
                    bundle.source
                },
                start: Some(wall.plane),
                reflections: bundle.reflections + usize::from(is_reflection),
                transmissions: bundle.transmissions + usize::from(!is_reflection),
                diffractions: bundle.diffractions,
                interactions,
                tubes: joined.into_tubes(is_narrow),
            }
        };
        let bundles = kinds.iter().zip(joined).map(bundle);
        bundles.filter(|bundle| !bundle.tubes.is_empty()).collect()
    }
}
