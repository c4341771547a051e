//! One bundle of tubes after the other, depth first.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::bundle::{Arrived, Bundle, Front, Joined, Met};
use super::cells::{Cell, DEEPEST};
use super::edges::Part;
use super::grid::Grid;
use super::ladder::{Ladder, Owner, Splitting};
use super::rays::{Rays, Seen};
use super::source::{Image, Source};
use super::strength::Strength;
use super::sums::Sums;
use super::verify::Doubts;
use super::waves::NO_RANGE;
use crate::coverage::points::Transmitter;
use crate::em::Surfaces;
use crate::field::PlaneWave;
use crate::paths::{InteractionKind, Limits};
use crate::scene::{EdgeId, FaceId, MaterialId, PlaneId, Scene};
use crate::{Control, Error, Stage};

use glam::{DMat3, DVec3};

/// How finely tubes are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fineness {
    /// How wide tubes may be where they end if their rays agree, in parts of the region's smallest cell.
    pub(super) widest: f64,
    /// How wide if they do not.
    pub(super) finest: f64,
    /// Whether tubes go all ways at every border, all pieces of a path are looked at if one is doubtful, and fields are those of the cells' own middles.
    pub(super) is_thorough: bool,
}

/// For so much more power than the least that counts, a tube is split once more.
const STEP: f64 = 30.0;

/// So much wider tubes may be that do not reach the first step.
const WEAK: f64 = 2.0;

/// What all tubes of a transmitter have in common.
pub(super) struct Tracer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) surfaces: &'a Surfaces,
    pub(super) grid: &'a Grid<'a>,
    pub(super) sums: &'a Sums,
    pub(super) sender: &'a Transmitter,
    pub(super) limits: &'a Limits,
    /// Of every face; none if waves are not diffracted.
    pub(super) edges_of_faces: &'a [Vec<EdgeId>],
    pub(super) fineness: Fineness,
    pub(super) ladder: Ladder,
    /// Of a cell of the region, metres.
    pub(super) size: f64,
    pub(super) least_gain: f64,
    pub(super) control: &'a Control<'a>,
    /// Tubes of the first wall that are done.
    pub(super) done: AtomicUsize,
}

/// A tube that is not split any more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) cell: Cell,
    pub(super) doubts: Doubts,
    pub(super) strength: Strength,
    wave: PlaneWave,
    /// What its middle and its corners meet.
    pub(super) faces: [Option<FaceId>; 5],
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
            position: self.sender.position,
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
            let (wave, strength) = self.wave(&bundle, cell, NO_RANGE);
            Front {
                cell,
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
        let edges = || parts.chunk_by(|a, b| a.edge == b.edge);
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

    /// Splits tubes until their rays agree and they are narrow enough.
    fn leaves(&self, bundle: &Bundle, rays: &mut Rays) -> Vec<Leaf> {
        rays.clear();
        let mut leaves = Vec::with_capacity(bundle.fronts.len());
        let mut split = Vec::new();
        let mut fronts: &[Front] = &bundle.fronts;
        let mut held;
        while !fronts.is_empty() {
            rays.trace(self.scene, bundle, fronts.iter().map(|front| front.cell));
            for front in fronts {
                let seen = rays.of(bundle, front.cell);
                if self.is_too_wide(bundle, front, &seen) {
                    split.extend(front.cell.children().map(|cell| Front {
                        cell,
                        wave: None,
                        ..*front
                    }));
                } else {
                    leaves.push(self.leaf(bundle, front, &seen));
                }
            }
            held = std::mem::take(&mut split);
            fronts = &held;
        }
        leaves
    }

    fn leaf(&self, bundle: &Bundle, front: &Front, seen: &[Seen; 5]) -> Leaf {
        let faces = if self.ladder.follows_middle() {
            [seen[0].face; 5]
        } else {
            seen.map(|seen| seen.face)
        };
        let known = match (front.wave, &bundle.source) {
            (Some(wave), Source::Point(_)) => (wave, front.strength),
            (None, Source::Point(_)) => self.wave(bundle, front.cell, NO_RANGE),
            (_, Source::Edge(_)) => {
                let far = self.farthest(seen);
                let start = bundle.start.map(|plane| self.scene.plane(plane));
                let near = start.map_or(0.0, |plane| seen[0].line.meets(plane));
                self.wave(bundle, front.cell, [near, far])
            }
        };
        let (wave, strength) = known;
        Leaf {
            cell: front.cell,
            doubts: front.doubts,
            strength,
            wave,
            faces,
        }
    }

    /// How far the farthest ray comes until it ends or leaves the region, metres.
    fn farthest(&self, seen: &[Seen; 5]) -> f64 {
        let reach = seen.iter().map(|seen| self.reach(seen));
        reach.fold(0.0, f64::max)
    }

    fn is_too_wide(&self, bundle: &Bundle, front: &Front, seen: &[Seen; 5]) -> bool {
        let (reach, is_alone) = match self.ladder.splitting {
            Splitting::Adaptive => (self.farthest(seen), false),
            Splitting::BehindMiddle => (self.reach(&seen[0]), true),
            Splitting::Fixed { .. } => return false,
        };
        // Where it is too weak to count it may be as wide as it likes.
        let reach = reach.min(front.strength.reach(self.least_gain));
        let allowed = if is_alone || self.agree(&seen.map(|seen| seen.face)) {
            self.widest(&front.strength, reach)
        } else {
            self.finest(&front.strength, reach)
        };
        let width = bundle.source.width(front.cell, reach);
        width > allowed * self.size && front.cell.level() < DEEPEST
    }

    /// Where a leaf may not lead to all cells in it.
    pub(super) fn doubts(&self, bundle: &Bundle, leaf: &Leaf) -> Doubts {
        if self.agree(&leaf.faces) {
            leaf.doubts
        } else {
            leaf.doubts.with(bundle.met.len())
        }
    }

    /// Whether all of these lie in the same plane.
    pub(super) fn agree(&self, faces: &[Option<FaceId>; 5]) -> bool {
        let plane = |face: Option<FaceId>| face.map(|face| self.scene.plane_of(face));
        let first = faces[0];
        faces
            .iter()
            .all(|&face| face == first || plane(face) == plane(first))
    }

    /// How wide a tube may be whose rays agree, in parts of a cell.
    fn widest(&self, strength: &Strength, reach: f64) -> f64 {
        let is_weak = strength.gain(reach) < STEP * self.least_gain;
        self.fineness.widest * if is_weak { WEAK } else { 1.0 }
    }

    /// How wide one may be whose rays disagree: weak ones matter less.
    fn finest(&self, strength: &Strength, reach: f64) -> f64 {
        let excess = strength.gain(reach) / self.least_gain;
        let Fineness { widest, finest, .. } = self.fineness;
        let mut width = widest;
        let mut needed = STEP;
        while width > finest && excess > needed {
            width *= 0.5;
            needed *= STEP;
        }
        width.max(finest)
    }

    /// How far a ray comes until it ends or leaves the region, metres; 0 if it never comes there.
    fn reach(&self, seen: &Seen) -> f64 {
        let line = seen.line;
        let end = match seen.face {
            Some(face) => line.meets(self.scene.plane(self.scene.plane_of(face))),
            None => exit(line.origin, line.direction, self.grid.bounds()),
        };
        end.max(0.0) * line.direction.length()
    }

    /// The walls that leaves come to, wall by wall, leaves in their cells' order.
    fn arrivals(&self, bundle: &Bundle, leaves: &[Leaf]) -> Vec<Arrival> {
        let mut arrivals = Vec::with_capacity(leaves.len());
        if self.ways_on(bundle).is_empty() {
            return arrivals;
        }
        for (index, leaf) in (0..).zip(leaves) {
            let is_clear = self.agree(&leaf.faces);
            let first = arrivals.len();
            let doubts = self.doubts(bundle, leaf);
            // A mirror's border that a tube hides is many cells wide where it shines far: all walls are followed, not only that of
            // the middle; by default until that leaves a doubt, for each further border multiplies tubes.
            let goes_all_ways = self.fineness.is_thorough || leaf.doubts.is_none();
            let is_alone = is_clear || !goes_all_ways || self.ladder.owner == Owner::Pierced;
            let rays = if is_alone { 1 } else { 5 };
            for (&face, corner) in leaf.faces.iter().zip(leaf.cell.corners()).take(rays) {
                let Some(face) = face else {
                    continue;
                };
                let wall = Wall::of(self.scene, face);
                if arrivals[first..].iter().any(|a: &Arrival| a.wall == wall) {
                    continue;
                }
                let line = bundle.source.ray(corner);
                let distance = line.meets(self.scene.plane(wall.plane)) * line.direction.length();
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
        arrivals.sort_by_cached_key(|a| (a.wall, leaves[a.leaf as usize].cell.place()));
        arrivals
    }

    /// What may still happen to a bundle at its next wall.
    fn ways_on(&self, bundle: &Bundle) -> Vec<InteractionKind> {
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

    /// What happens to the bundle at a wall.
    fn onward(&self, bundle: &Bundle, group: &[Arrival]) -> Vec<InteractionKind> {
        let material = group[0].wall.material;
        let mut kinds = self.ways_on(bundle);
        if self.surfaces.surface(material).is_opaque() {
            kinds.retain(|kind| *kind == InteractionKind::Reflection);
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
            let width = bundle.source.width(to.front.cell, to.distance);
            width <= self.widest(&to.front.strength, to.distance) * self.size
        };
        for arrival in group {
            let leaf = &leaves[arrival.leaf as usize];
            let power = self.power(&leaf.wave);
            let waves = leaf.wave.beyond(&kinds, normal, surface);
            for (wave, joined) in waves.zip(&mut joined) {
                let strength = leaf.strength.times(self.power(&wave) / power);
                if strength.gain(arrival.distance) >= self.least_gain {
                    let front = Front {
                        cell: leaf.cell,
                        doubts: arrival.doubts,
                        strength,
                        wave: Some(wave),
                    };
                    let distance = arrival.distance;
                    joined.push(Arrived { front, distance }, is_narrow);
                }
            }
        }
        let bundle = |(&kind, joined): (&InteractionKind, Joined)| {
            let is_reflection = kind == InteractionKind::Reflection;
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
                fronts: joined.into_fronts(),
            }
        };
        let bundles = kinds.iter().zip(joined).map(bundle);
        bundles.filter(|bundle| !bundle.fronts.is_empty()).collect()
    }
}

/// Where a ray leaves a box, in units of its direction; 0 if it misses it.
fn exit(from: DVec3, direction: DVec3, [low, high]: [DVec3; 2]) -> f64 {
    let (a, b) = ((low - from) / direction, (high - from) / direction);
    let enter = a.min(b).max_element();
    let exit = a.max(b).min_element();
    if enter <= exit { exit.max(0.0) } else { 0.0 }
}
