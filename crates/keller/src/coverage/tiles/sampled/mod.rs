//! Power of long paths with diffractions, sampled by rays instead of found path by path.
//!
//! The number of paths grows with every interaction, and most of them are weak: their sum matters, not which they are.
//! So the longest are sampled. A wave that arrives at a tile with an edge at its border arrives at that edge too
//! ([`source`]). The edge sends it on by rays, whose angles around it follow the diffracted power ([`edges`]). Walls
//! reflect these rays and let them through, with their polarisation ([`tracer`]). Every wall on which a ray falls gets
//! the ray's power ([`landed`]), and sends it to further edges at its border: once for each diffraction that is
//! allowed.
//!
//! Powers are added, as for all paths to tiles, and which paths are found one by one is settled beforehand
//! ([`super::exact`]), so none counts twice.
//!
//! **Cost.** A number of rays for each tile and diffraction, whatever the number of paths is.
//! **Assumes** that a wave is the same at a tile's centre and at the edges at its border, apart from how it spreads and
//! from obstacles on its way there. **Leaves out** waves along a face from one of its edges to the next, because no ray
//! falls on that face, and the time that waves take in walls. **May miss** edges that a wave reaches while it misses
//! the centres of the tiles along them.
//!
//! **Source.** Kouyoumjian and Pathak 1974 for the power behind an edge. Theory page: `sampled`.

mod edges;
mod flight;
mod landed;
mod source;
mod tracer;
mod wavefront;

use self::edges::Emitters;
use self::landed::Landed;
pub(super) use self::source::Source;
use self::source::Thinned;
use self::tracer::{Landing, Tracer};
use super::exact::Exact;
use super::incident_field::{TileSide, density};
use crate::parallel;
use crate::paths::Environment;
use crate::scene::Edge;
use crate::tiles::Segments;
use crate::{Control, Error, Stage, World};

/// Rays for each tile and diffraction.
const RAYS: u32 = 256;

/// The smallest number of rays for each diffraction.
const FEWEST: u32 = 1 << 18;

/// The approximate number of waves at edges that are kept apart behind a diffraction.
const SOURCES: usize = 1 << 19;

/// Rays that are followed together, and how many of such groups are followed before their results are added up.
const GROUP: u32 = 1 << 11;
const GROUPS: u32 = 64;

/// Samples paths.
#[derive(Debug)]
pub(super) struct Sampler {
    segments: Segments,
    exact: Exact,
    num_rays: u32,
}

impl Sampler {
    pub(super) fn new(world: &World, environment: &Environment, exact: Exact) -> Self {
        let diffracts = |edge: &Edge| exact.limits().free_edges || edge.is_wedge();
        let num_tiles = u32::try_from(environment.tiles.len()).unwrap_or(u32::MAX);
        Self {
            segments: Segments::new(world.scene(), &environment.tiles, diffracts),
            exact,
            num_rays: num_tiles
                .saturating_mul(RAYS)
                .clamp(FEWEST, u32::MAX - GROUP),
        }
    }

    /// Whether an edge may send on a wave that arrives at a tile.
    pub(super) fn wants(&self, tile: usize, source: &Source) -> bool {
        !self.segments.of_tile(tile).is_empty() && self.exact.bent(&source.used).is_some()
    }

    /// Adds the power of the sampled paths to that of exact paths. `sources` are the waves that exact paths bring to
    /// tiles at edges.
    pub(super) fn add(
        &self,
        (world, environment): (&World, &Environment),
        mut sources: Vec<Source>,
        min_gain: f64,
        lit: &mut [[TileSide; 2]],
        control: &Control,
    ) -> Result<(), Error> {
        let tiles = &environment.tiles;
        let mut landed = Landed::new(world, tiles);
        for order in 0.. {
            let emitters = Emitters::new(
                world,
                (tiles, &self.segments),
                (&sources, &self.exact),
                self.num_rays,
                order,
            );
            if emitters.is_empty() {
                break;
            }
            let tracer = Tracer {
                world,
                tiles,
                emitters: &emitters,
                exact: &self.exact,
            };
            let mut next = Thinned::new(SOURCES);
            let mut first = 0;
            while first < self.num_rays {
                control.check()?;
                let done = order as f64 + f64::from(first) / f64::from(self.num_rays);
                control.report(Stage::Coverage, done / self.exact.num_edges() as f64);
                let end = first.saturating_add(GROUP * GROUPS).min(self.num_rays);
                let groups: Vec<u32> = (first..end).step_by(GROUP as usize).collect();
                let of_group = |start: &u32| tracer.trace(*start..(start + GROUP).min(end));
                let landings: Vec<Vec<Landing>> = parallel::map_slice(&groups, of_group);
                // The sums are added in the order of rays, whatever the threads did.
                for landing in landings.iter().flatten() {
                    landed.add(landing);
                    if let Some((random, source)) = landing.source {
                        next.offer(random, source);
                    }
                }
                first = end;
            }
            drop(emitters);
            sources = next.sources();
        }
        landed.add_to(lit, min_gain, density(world.frequency().wavelength()));
        Ok(())
    }
}
