//! The tubes of a bundle, split until they are narrow enough: in quarters, and along the borders of what they see.

use super::bundle::{Bundle, Tube};
use super::clipped_cell::ClippedCell;
use super::direction_cells::{DEEPEST, DirectionCell};
use super::gain_by_distance::GainByDistance;
use super::ladder::Splitting;
use super::propagation::{Tracer, Wall};
use super::ray_cache::{RayCache, RayHit};
use super::transport::NO_RANGE;
use super::verification::UncertainSegments;
use super::virtual_source::{TubeRay, VirtualSource};
use crate::field::PlaneWave;
use crate::scene::FaceId;

use glam::DVec3;

/// How finely tubes are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fineness {
    /// How wide tubes may be where they end if their rays agree, in parts of the region's smallest cell.
    pub(super) widest: f64,
    /// How wide if they do not.
    pub(super) finest: f64,
    /// Whether tubes go all ways at every border, all pieces of a path are looked at if one is doubtful, and fields are those of the cells' own centres.
    pub(super) is_thorough: bool,
    /// How wide patches of rough walls may be, in parts of the distance of what receives.
    pub(super) patch: f64,
    /// Patches that bring less than this part of what a cell has are seen whole or not at all.
    pub(super) whole_patch: f64,
}

/// For so much more power than the least that counts, a tube is split once more.
const STEP: f64 = 100.0;

/// So much wider tubes may be whose rays agree below the first step, and those below `STRONG` times the least power that counts in which
/// antennas are much the same: cells as wide as `STEEP`, radians.
const WEAK: f64 = 4.0;
const STRONG: f64 = 1e5;
const STEEP: f64 = 1.0 / 32.0;

/// So narrow tubes are not cut any more, in parts of the region's smallest cell: below the first step of power, and above.
const BLUNT: [f64; 2] = [1.0, 0.25];

/// A tube that is not split any more.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) directions: ClippedCell,
    pub(super) uncertain: UncertainSegments,
    pub(super) path_gain: GainByDistance,
    pub(super) wave: PlaneWave,
    /// Whether all its rays meet the same plane.
    pub(super) is_clear: bool,
    /// Whether it is so narrow that it goes on where its centre ray goes, whatever the others meet.
    pub(super) is_blunt: bool,
    ray_ends: [RayEnd; MAX_RAY_ENDS],
    num_ray_ends: u8,
}

/// What some rays of a leaf meet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RayEnd {
    pub(super) face: Option<FaceId>,
    /// How far they come until they end or leave the region, metres; 0 if they never come there.
    pub(super) reach: f32,
}

/// More walls of a tube are not told apart.
const MAX_RAY_ENDS: usize = 8;

impl Leaf {
    /// The walls that it comes to, the first that of its centre.
    pub(super) fn ray_ends(&self) -> &[RayEnd] {
        &self.ray_ends[..usize::from(self.num_ray_ends)]
    }

    /// One more wall, as long as there is room.
    pub(super) fn add(&mut self, face: Option<FaceId>, reach: f32) {
        if let Some(next) = self.ray_ends.get_mut(usize::from(self.num_ray_ends)) {
            *next = RayEnd { face, reach };
            self.num_ray_ends += 1;
        }
    }

    /// Makes it doubtful though its rays agree; the farthest of them comes so far, metres.
    pub(super) fn make_uncertain(&mut self, farthest: f32) {
        if self.is_clear {
            self.is_clear = false;
            // Of a clear tube only what its centre meets is known.
            self.ray_ends[0].reach = farthest;
        }
    }

    /// Where it may not lead to all cells in it.
    pub(super) fn uncertain_behind(&self, bundle: &Bundle) -> UncertainSegments {
        if self.is_clear {
            self.uncertain
        } else {
            self.uncertain.with(bundle.interactions.len())
        }
    }
}

impl Tracer<'_> {
    /// Splits tubes until their rays agree and they are narrow enough.
    pub(super) fn leaves(&self, bundle: &Bundle, rays: &mut RayCache) -> Vec<Leaf> {
        rays.clear();
        let mut leaves = Vec::with_capacity(bundle.tubes.len());
        let mut hits = Vec::new();
        let mut split = Vec::new();
        let mut tubes: &[Tube] = &bundle.tubes;
        let mut held;
        let goes_on = !self.ways_on(bundle).is_empty();
        while !tubes.is_empty() {
            rays.trace(self.scene, bundle, tubes);
            for tube in tubes {
                let width = rays.next(self.scene, bundle, tube, &mut hits);
                match self.fate(bundle, tube, &hits, width) {
                    Fate::Leaf => {
                        let mut leaf = self.leaf(bundle, tube, &hits);
                        if goes_on {
                            self.look_around(bundle, &mut leaf, &hits);
                        }
                        leaves.push(leaf);
                    }
                    Fate::Blunt => leaves.push(Leaf {
                        is_blunt: true,
                        ..self.leaf(bundle, tube, &hits)
                    }),
                    Fate::Quarters => {
                        split.extend(tube.directions.quarters().map(|directions| Tube {
                            directions,
                            wave: None,
                            ..*tube
                        }))
                    }
                    Fate::Cut(pieces) => {
                        split.extend(pieces.map(|directions| Tube {
                            directions,
                            wave: None,
                            ..*tube
                        }));
                    }
                }
            }
            held = std::mem::take(&mut split);
            tubes = &held;
        }
        leaves
    }

    fn leaf(&self, bundle: &Bundle, tube: &Tube, hits: &[RayHit]) -> Leaf {
        let known = match (tube.wave, &bundle.source) {
            (Some(wave), VirtualSource::Point(_)) => (wave, tube.path_gain),
            (None, VirtualSource::Point(_)) => self.wave(bundle, &tube.directions, NO_RANGE),
            (_, VirtualSource::Edge(_)) => {
                let far = self.farthest(hits);
                let start = bundle.start.map(|plane| self.scene.plane(plane));
                let near = start.map_or(0.0, |plane| hits[0].line.meets(plane));
                self.wave(bundle, &tube.directions, [near, far])
            }
        };
        let (wave, path_gain) = known;
        let mut leaf = Leaf {
            directions: tube.directions,
            uncertain: tube.uncertain,
            path_gain,
            wave,
            is_clear: self.ladder.follows_middle() || self.agree(hits),
            is_blunt: false,
            ray_ends: [RayEnd::default(); MAX_RAY_ENDS],
            num_ray_ends: 0,
        };
        let num_told_apart = if leaf.is_clear { 1 } else { hits.len() };
        for hit in &hits[..num_told_apart] {
            let wall = |face: Option<FaceId>| face.map(|face| Wall::of(self.scene, face));
            #[expect(clippy::cast_possible_truncation, reason = "metres")]
            let reach = self.reach(hit) as f32;
            let known = leaf.ray_ends[..usize::from(leaf.num_ray_ends)]
                .iter_mut()
                .find(|known| wall(known.face) == wall(hit.face));
            if let Some(known) = known {
                known.reach = known.reach.max(reach);
            } else {
                leaf.add(hit.face, reach);
            }
        }
        leaf
    }

    /// What becomes of a tube whose rays see this.
    fn fate(&self, bundle: &Bundle, tube: &Tube, hits: &[RayHit], piece_width: f64) -> Fate {
        let (reach, is_alone) = match self.ladder.splitting {
            Splitting::Adaptive if self.is_last(bundle) => (
                self.farthest_cell(bundle, tube.directions.cell, hits),
                false,
            ),
            Splitting::Adaptive => (self.farthest(hits), false),
            Splitting::BehindMiddle => (self.reach(&hits[0]), true),
            Splitting::Fixed { .. } => return Fate::Leaf,
        };
        // Where it is too weak to count it may be as wide as it likes.
        let reach = reach.min(tube.path_gain.reach(self.min_gain));
        let cell = tube.directions.cell;
        let width = bundle.source.width(cell, reach);
        let is_too_wide = |allowed| width > allowed * self.size && cell.level() < DEEPEST;
        if is_too_wide(self.widest(cell, &tube.path_gain, reach)) {
            Fate::Quarters
        } else if is_alone {
            Fate::Leaf
        } else if self.agree(hits) {
            let pieces = self.cut_between(bundle, &tube.directions, hits);
            pieces.map_or(Fate::Leaf, Fate::Cut)
        } else if self.is_blunt(bundle, &tube.path_gain, [piece_width, reach]) {
            Fate::Blunt
        } else if let Some(pieces) = self.cut(bundle, &tube.directions, hits) {
            Fate::Cut(pieces)
        } else if is_too_wide(self.finest(&tube.path_gain, reach)) {
            Fate::Quarters
        } else {
            Fate::Leaf
        }
    }

    /// Whether all of these lie in the same plane.
    fn agree(&self, hits: &[RayHit]) -> bool {
        let plane = |face: Option<FaceId>| face.map(|face| self.scene.plane_of(face));
        let first = hits[0].face;
        hits.iter()
            .all(|hit| hit.face == first || plane(hit.face) == plane(first))
    }

    /// How far the farthest ray comes until it ends or leaves the region, metres.
    pub(super) fn farthest(&self, hits: &[RayHit]) -> f64 {
        let reach = hits.iter().map(|hit| self.reach(hit));
        reach.fold(0.0, f64::max)
    }

    /// The same as far as there may be cells of the region near to the rays.
    fn farthest_cell(&self, bundle: &Bundle, cell: DirectionCell, hits: &[RayHit]) -> f64 {
        let [low, high] = self.grid.bounds();
        let reach = |hit: &RayHit| {
            let TubeRay { origin, direction } = hit.line;
            let away = (low - origin).abs().max((high - origin).abs()).length();
            let margin = bundle.source.width(cell, away) + self.size;
            let end = exit(origin, direction, [low - margin, high + margin]);
            self.reach(hit).min(end * direction.length())
        };
        hits.iter().map(reach).fold(0.0, f64::max)
    }

    /// How wide a tube may be whose rays agree, in parts of a cell.
    pub(super) fn widest(
        &self,
        cell: DirectionCell,
        path_gain: &GainByDistance,
        reach: f64,
    ) -> f64 {
        let excess = path_gain.at(reach) / self.min_gain;
        let is_free = excess < STEP || (excess < STRONG && cell.width() <= STEEP);
        self.fineness.widest * if is_free { WEAK } else { 1.0 }
    }

    /// Whether a tube is so narrow where it ends that what parts its rays need not part it: it goes on where its centre goes, and cells
    /// that it then reaches are looked at one by one.
    ///
    /// Without it most tubes behind several walls are splinters in which no cell lies, and each is cut on at the next wall.
    fn is_blunt(
        &self,
        bundle: &Bundle,
        path_gain: &GainByDistance,
        [width, reach]: [f64; 2],
    ) -> bool {
        // Rough walls are lit by the areas of tubes, which must end where walls do.
        let must_part = self.fineness.is_thorough || self.limits.max_scatterings > 0;
        if must_part || bundle.interactions.is_empty() || bundle.diffractions > 0 {
            return false;
        }
        let is_weak = path_gain.at(reach) < STEP * self.min_gain;
        let narrow = if is_weak { BLUNT[0] } else { BLUNT[1] };
        width * reach < narrow * self.size
    }

    /// How wide one may be whose rays disagree: weak ones matter less.
    fn finest(&self, path_gain: &GainByDistance, reach: f64) -> f64 {
        let excess = path_gain.at(reach) / self.min_gain;
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
    fn reach(&self, hit: &RayHit) -> f64 {
        let line = hit.line;
        let end = match hit.face {
            Some(face) => line.meets(self.scene.plane(self.scene.plane_of(face))),
            None => exit(line.origin, line.direction, self.grid.bounds()),
        };
        end.max(0.0) * line.direction.length()
    }
}

/// What becomes of a tube.
#[expect(clippy::large_enum_variant, reason = "looked at where it is made")]
enum Fate {
    Leaf,
    Blunt,
    Quarters,
    Cut([ClippedCell; 2]),
}

/// Where a ray leaves a box, in units of its direction; 0 if it misses it.
fn exit(from: DVec3, direction: DVec3, [low, high]: [DVec3; 2]) -> f64 {
    let (a, b) = ((low - from) / direction, (high - from) / direction);
    let enter = a.min(b).max_element();
    let exit = a.max(b).min_element();
    if enter <= exit { exit.max(0.0) } else { 0.0 }
}
