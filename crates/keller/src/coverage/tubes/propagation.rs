//! Follows tubes from the Tx through walls and around edges, bundle by bundle.
//!
//! Each bundle goes through the same stages: its tubes are split, deposit their gain in the cells of the region,
//! illuminate rough walls, and go on as the bundles that leave the walls and edges they come to. Bundles are followed
//! depth first, so that only the tubes of one sequence of interactions a level are in memory; the bundles of a large
//! one are shared between threads.
//!
//! **Cost:** in proportion to the number of tubes, which grows with the power that walls reflect and transmit above the
//! minimum gain.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::cells::deposit::deposit;
use super::cells::pierced_cells::deposit_pierced;
use super::context::Context;
use super::interactions::diffraction;
use super::interactions::edge_visibility::{self, EdgePart};
use super::interactions::wall_interaction::{self, WallArrival};
use super::results::sink::Sink;
use super::scatter::{Illuminations, spread};
use super::splitting::overlooked_faces::split_around;
use super::splitting::ray_cache::RayCache;
use super::tube::bundle::{Bundle, Tube};
use super::tube::direction_cells::{DEEPEST, DirectionCell};
use super::tube::leaf::Leaf;
use super::tube::tx_image::TxImage;
use super::tube::uncertain_segments::UncertainSegments;
use super::tube::virtual_source::VirtualSource;
use super::waves::transport::{self, NO_RANGE};
use crate::parallel;
use crate::paths::InteractionCounts;
use crate::{Control, Error, Stage};

use glam::DMat3;

/// Each face of the cube of directions is cut into `4^FIRST_LEVEL` tubes at first.
const FIRST_LEVEL: u32 = 4;

/// Launches this many tubes together at most.
const MAX_LAUNCHED: usize = 6 << 16;

/// Bundles of more tubes than this are shared between threads.
const MAX_PER_THREAD: usize = 128;

/// Deposits all paths of the Tx in a sink.
///
/// # Errors
/// [`Error::Cancelled`].
pub(super) fn trace(ctx: &Context<'_>, sink: Sink<'_>, control: &Control<'_>) -> Result<(), Error> {
    let propagation = Propagation {
        ctx,
        sink,
        illuminations: Illuminations::default(),
        control,
        num_done: AtomicUsize::new(0),
    };
    let level = ctx.ladder.first_level().unwrap_or(FIRST_LEVEL);
    let cells = DirectionCell::all(level);
    cells
        .chunks(MAX_LAUNCHED)
        .try_for_each(|cells| propagation.launch(cells))?;
    if let Sink::Gains(gains) = sink {
        spread(ctx, propagation.illuminations, gains, control)?;
    }
    Ok(())
}

/// A trace on its way.
struct Propagation<'a> {
    ctx: &'a Context<'a>,
    sink: Sink<'a>,
    illuminations: Illuminations,
    control: &'a Control<'a>,
    /// Number of tubes that have met their first wall and are finished behind it.
    num_done: AtomicUsize,
}

impl Propagation<'_> {
    /// Follows all tubes of these cells of directions, which are in the order of the quadtree.
    fn launch(&self, cells: &[DirectionCell]) -> Result<(), Error> {
        let mut bundle = Bundle {
            source: VirtualSource::Point(TxImage {
                position: self.ctx.tx_position,
                turn: DMat3::IDENTITY,
            }),
            start: None,
            interactions: Vec::new(),
            counts: InteractionCounts::NONE,
            deepest: DEEPEST,
            tubes: Vec::new(),
        };
        let tubes = cells.iter().map(|&cell| {
            let (wave, path_gain) = transport::wave(self.ctx, &bundle, &cell.into(), NO_RANGE);
            Tube {
                directions: cell.into(),
                uncertain: UncertainSegments::default(),
                path_gain,
                wave: Some(wave),
            }
        });
        bundle.tubes = tubes.collect();
        let leaves = split_around(self.ctx, &bundle, &mut RayCache::default());
        bundle.tubes = Vec::new();
        self.follow_leaves(&bundle, &leaves, &mut RayCache::default())
    }

    fn follow(&self, bundle: &Bundle, rays: &mut RayCache) -> Result<(), Error> {
        let leaves = split_around(self.ctx, bundle, rays);
        self.follow_leaves(bundle, &leaves, rays)
    }

    fn follow_leaves(
        &self,
        bundle: &Bundle,
        leaves: &[Leaf],
        rays: &mut RayCache,
    ) -> Result<(), Error> {
        self.control.check()?;
        let is_shared = leaves.len() > MAX_PER_THREAD;
        self.deposit(bundle, leaves, is_shared);
        if let Sink::Gains(_) = self.sink {
            self.illuminations.add(self.ctx, bundle, leaves);
        }
        let arrivals = wall_interaction::arrivals(self.ctx, bundle, leaves);
        let walls = || arrivals.chunk_by(|a, b| a.wall == b.wall);
        let is_first = bundle.interactions.is_empty();
        let follow_beyond = |wall: &[WallArrival], rays: &mut RayCache| {
            let next = wall_interaction::bundles_beyond(self.ctx, bundle, leaves, wall);
            next.iter().try_for_each(|next| self.follow(next, rays))?;
            if is_first {
                self.report(wall.len(), arrivals.len());
            }
            Ok(())
        };
        let parts = edge_visibility::visible_parts(self.ctx, bundle, leaves);
        let edges = || parts.chunk_by(EdgePart::shares_edge);
        let follow_around = |edge: &[EdgePart], rays: &mut RayCache| {
            let next = diffraction::diffracted(self.ctx, bundle, edge);
            next.map_or(Ok(()), |next| self.follow(&next, rays))
        };
        if is_shared {
            let walls: Vec<_> = walls().collect();
            let edges: Vec<_> = edges().collect();
            let beyond = |rays: &mut RayCache, n: usize| follow_beyond(walls[n], rays);
            let around = |rays: &mut RayCache, n: usize| follow_around(edges[n], rays);
            let results = parallel::map_with(walls.len(), RayCache::default, beyond);
            results.into_iter().collect::<Result<(), Error>>()?;
            let results = parallel::map_with(edges.len(), RayCache::default, around);
            results.into_iter().collect()
        } else {
            walls().try_for_each(|wall| follow_beyond(wall, rays))?;
            edges().try_for_each(|edge| follow_around(edge, rays))
        }
    }

    /// Adds the gains of tubes to the cells of the region, if the limits include paths like theirs.
    fn deposit(&self, bundle: &Bundle, leaves: &[Leaf], is_shared: bool) {
        let is_line_of_sight = bundle.counts.interactions == 0;
        if is_line_of_sight && !self.ctx.limits.line_of_sight {
            return;
        }
        if self.ctx.ladder.has_pierced_cells() {
            deposit_pierced(self.ctx, self.sink, bundle, leaves);
        } else if is_shared {
            let parts: Vec<&[Leaf]> = leaves.chunks(MAX_PER_THREAD).collect();
            parallel::each(parts.len(), |n| {
                deposit(self.ctx, self.sink, bundle, parts[n]);
            });
        } else {
            deposit(self.ctx, self.sink, bundle, leaves);
        }
    }

    /// Reports that `more` tubes are finished, of `all` that meet a first wall.
    fn report(&self, more: usize, all: usize) {
        let done = more + self.num_done.fetch_add(more, Ordering::Relaxed);
        self.control
            .report(Stage::Coverage, done as f64 / all as f64);
    }
}
