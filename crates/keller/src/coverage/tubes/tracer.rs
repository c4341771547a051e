//! One bundle of tubes after the other, depth first.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::borders::EdgesOfFaces;
use super::bundle::{Arrived, Bundle, Front, Joined, Met};
use super::cells::Cell;
use super::edges::Part;
use super::grid::Grid;
use super::haul::Taker;
use super::ladder::{Ladder, Owner, Splitting};
use super::neighbours::Neighbours;
use super::rays::Rays;
use super::scatter::Lights;
use super::sent::Sent;
use super::source::{Image, Source};
use super::spans::Spans;
use super::split::{Ahead, Fineness, Leaf};
use super::sums::Sums;
use super::verify::Doubts;
use super::waves::NO_RANGE;
use crate::em::Surfaces;
use crate::field::FaceInteraction;
use crate::paths::{Limits, Transparency};
use crate::scene::{FaceId, MaterialId, PlaneId, Scene};
use crate::{Control, Error, Stage};

use glam::{DMat3, DVec3};

/// What all tubes of a transmitter have in common.
pub(super) struct Tracer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) surfaces: &'a Surfaces,
    pub(super) grid: &'a Grid<'a>,
    pub(super) sink: Sink<'a>,
    /// Of the transmitter, metres.
    pub(super) position: DVec3,
    pub(super) sent: Sent<'a>,
    pub(super) limits: &'a Limits,
    pub(super) transparency: &'a Transparency,
    pub(super) edges_of_faces: &'a EdgesOfFaces,
    pub(super) spans: &'a Spans,
    pub(super) neighbours: &'a Neighbours,
    pub(super) fineness: Fineness,
    pub(super) ladder: Ladder,
    /// Of a cell of the region, metres.
    pub(super) size: f64,
    pub(super) least_gain: f64,
    /// Where tubes meet rough walls.
    pub(super) lights: Lights,
    pub(super) control: &'a Control<'a>,
    /// Tubes of the first wall that are done.
    pub(super) done: AtomicUsize,
}

/// Who is told of the cells that tubes reach.
#[derive(Clone, Copy)]
pub(super) enum Sink<'a> {
    Sums(&'a Sums),
    /// Whatever the antenna is.
    Taker(&'a dyn Taker),
}

/// A wall that a leaf comes to.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    wall: Wall,
    face: FaceId,
    leaf: u32,
    /// From the image, metres.
    distance: f64,
    doubts: Doubts,
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
    pub(super) fn launch(&self, cells: &[Cell]) -> Result<(), Error> {
        let source = Source::Point(Image {
            position: self.position,
            turn: DMat3::IDENTITY,
        });
        let mut bundle = Bundle {
            source,
            start: None,
            reflections: 0,
            transmissions: 0,
            diffractions: 0,
            met: Vec::new(),
            fronts: Vec::new(),
        };
        let fronts = cells.iter().map(|&cell| {
            let (wave, strength) = self.wave(&bundle, &cell.into(), NO_RANGE);
            Front {
                piece: cell.into(),
                doubts: Doubts::default(),
                strength,
                wave: Some(wave),
            }
        });
        bundle.fronts = fronts.collect();
        let leaves = self.leaves(&bundle, &mut Rays::default());
        bundle.fronts = Vec::new();
        self.follow_leaves(&bundle, &leaves, &mut Rays::default())
    }

    fn follow(&self, bundle: &Bundle, rays: &mut Rays) -> Result<(), Error> {
        let leaves = self.leaves(bundle, rays);
        self.follow_leaves(bundle, &leaves, rays)
    }

    fn follow_leaves(
        &self,
        bundle: &Bundle,
        leaves: &[Leaf],
        rays: &mut Rays,
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
        let is_first = bundle.met.is_empty();
        let beyond = |group: &[Arrival], rays: &mut Rays| {
            let next = self.beyond(bundle, leaves, group);
            next.iter().try_for_each(|next| self.follow(next, rays))?;
            if is_first {
                self.advance(group.len(), arrivals.len());
            }
            Ok(())
        };
        let parts = self.edge_parts(bundle, leaves);
        let edges = || parts.chunk_by(Part::shares_edge);
        let bend = |parts: &[Part], rays: &mut Rays| match self.bent(bundle, parts) {
            Some(bent) => self.follow(&bent, rays),
            None => Ok(()),
        };
        if is_shared {
            let groups: Vec<_> = groups().collect();
            let edges: Vec<_> = edges().collect();
            groups
                .into_par_iter()
                .try_for_each_init(Rays::default, |rays, group| beyond(group, rays))?;
            edges
                .into_par_iter()
                .try_for_each_init(Rays::default, |rays, parts| bend(parts, rays))
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
    fn arrivals(&self, bundle: &Bundle, leaves: &[Leaf]) -> Vec<Arrival> {
        let mut arrivals = Vec::with_capacity(leaves.len());
        if self.ways_on(bundle).is_empty() {
            return arrivals;
        }
        let edge = bundle.met.len() - bundle.met_around_edge().1.len();
        let edge = if bundle.diffractions > 0 { edge + 1 } else { 0 };
        for (index, leaf) in (0..).zip(leaves) {
            let doubts = leaf.doubts_behind(bundle);
            // A mirror's border that a tube hides is many cells wide where it shines far: all walls are followed, not only that of
            // the middle; by default until that leaves a doubt, for each further border multiplies tubes.
            let goes_all_ways = self.fineness.is_thorough || leaf.doubts.is_none_behind(edge);
            let is_alone = leaf.is_clear
                || leaf.is_blunt
                || !goes_all_ways
                || self.ladder.owner == Owner::Pierced;
            let ways = if is_alone { 1 } else { leaf.seen().len() };
            for &Ahead { face, reach } in &leaf.seen()[..ways] {
                let Some(face) = face else {
                    continue;
                };
                let wall = Wall::of(self.scene, face);
                let distance = f64::from(reach);
                if leaf.strength.gain(distance) >= self.least_gain {
                    arrivals.push(Arrival {
                        wall,
                        face,
                        leaf: index,
                        distance,
                        doubts,
                    });
                }
            }
        }
        arrivals.sort_by_cached_key(|a| (a.wall, leaves[a.leaf as usize].piece.cell.place()));
        arrivals
    }

    /// What may still happen to a bundle at its next wall.
    pub(super) fn ways_on(&self, bundle: &Bundle) -> Vec<FaceInteraction> {
        let bends = bundle.reflections + bundle.diffractions;
        let budget = |bends: usize| self.limits.transmissions_beside(bends);
        let mut kinds = Vec::new();
        if bundle.reflections < self.limits.reflections()
            && bends < self.limits.interactions()
            && bundle.transmissions <= budget(bends + 1)
        {
            kinds.push(FaceInteraction::Reflection);
        }
        if bundle.transmissions < budget(bends) {
            kinds.push(FaceInteraction::Transmission);
        }
        kinds
    }

    /// Whether nothing more happens to it.
    pub(super) fn is_last(&self, bundle: &Bundle) -> bool {
        self.ways_on(bundle).is_empty() && !self.may_bend(bundle) && !self.may_scatter(bundle)
    }

    /// What happens to the bundle at a wall.
    fn onward(&self, bundle: &Bundle, group: &[Arrival]) -> Vec<FaceInteraction> {
        let material = group[0].wall.material;
        let mut kinds = self.ways_on(bundle);
        if self.surfaces.surface(material).is_opaque() {
            kinds.retain(|kind| *kind == FaceInteraction::Reflection);
        }
        kinds
    }

    /// The bundles that leave a wall, of the tubes that are still strong enough there.
    fn beyond(&self, bundle: &Bundle, leaves: &[Leaf], group: &[Arrival]) -> Vec<Bundle> {
        let Arrival { wall, face, .. } = group[0];
        let surface = self.surfaces.surface(wall.material);
        let normal = self.scene.face_normal(face);
        let kinds = self.onward(bundle, group);
        let mut joined: Vec<Joined> = kinds
            .iter()
            .map(|_| Joined::with_capacity(group.len()))
            .collect();
        let is_fixed = matches!(self.ladder.splitting, Splitting::Fixed { .. });
        let is_narrow = |to: &Arrived| {
            if is_fixed {
                return false;
            }
            let cell = to.front.piece.cell;
            let width = bundle.source.width(cell, to.distance);
            width <= self.widest(cell, &to.front.strength, to.distance) * self.size
        };
        for arrival in group {
            let leaf = &leaves[arrival.leaf as usize];
            let power = self.power(&leaf.wave);
            let waves = leaf.wave.beyond(&kinds, normal, surface);
            for (wave, joined) in waves.zip(&mut joined) {
                let strength = leaf.strength.times(self.power(&wave) / power);
                if strength.gain(arrival.distance) >= self.least_gain {
                    let front = Front {
                        piece: leaf.piece,
                        doubts: arrival.doubts,
                        strength,
                        wave: Some(wave),
                    };
                    let distance = arrival.distance;
                    joined.push(&Arrived { front, distance }, is_narrow);
                }
            }
        }
        let bundle = |(&kind, joined): (&FaceInteraction, Joined)| {
            let is_reflection = kind == FaceInteraction::Reflection;
            let mut met = bundle.met.clone();
            met.push(Met::Wall { kind, face });
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
                met,
                fronts: joined.into_fronts(is_narrow),
            }
        };
        let bundles = kinds.iter().zip(joined).map(bundle);
        bundles.filter(|bundle| !bundle.fronts.is_empty()).collect()
    }
}
