//! Follows tubes from the Tx through walls and around edges, bundle by bundle.
//!
//! Each bundle goes through the same stages: its tubes are split, deposit their gain in the cells of the region,
//! illuminate rough walls, and go on as the bundles that leave the walls and edges they come to. Bundles are followed
//! depth first, so that only the tubes of one sequence of interactions a level are in memory; the bundles of a large
//! one are shared between threads. The Tx launches the tubes of one cell of directions after the other, for the same reason.
//! Edges that tubes of several launches see come last (`waiting_edges`), and before them those that the Tx itself sees.
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
use super::waiting_edges::WaitingEdges;
use super::waves::transport::{self, NO_RANGE};
use crate::parallel;
use crate::paths::InteractionCounts;
use crate::{Control, Error, Stage};

use glam::DMat3;

/// Each face of the cube of directions is cut into `4^FIRST_LEVEL` tubes at first.
const FIRST_LEVEL: u32 = 4;

/// Tubes of all directions are about as many as the columns of the region. They are launched in parts of about so many.
const LAUNCHED: usize = 1 << 15;

/// Bundles of more tubes than this are shared between threads.
const MAX_PER_THREAD: usize = 128;

/// Edges are taken to be this share of a trace, if waves may be diffracted. It only matters for progress.
const EDGE_SHARE: f64 = 0.5;

/// Deposits all paths of the Tx in a sink.
///
/// # Errors
/// [`Error::Cancelled`].
pub(super) fn trace(ctx: &Context<'_>, sink: Sink<'_>, control: &Control<'_>) -> Result<(), Error> {
    let illuminations = Illuminations::default();
    let waiting = WaitingEdges::default();
    let of_edges = if ctx.limits.max_diffractions > 0 {
        EDGE_SHARE
    } else {
        0.0
    };
    let launches = launches(ctx);
    let part = (1.0 - of_edges) / launches.len() as f64;
    let mut reach: f64 = 0.0;
    let mut propagation = Propagation {
        ctx,
        sink,
        illuminations: &illuminations,
        launched: None,
        waiting: &waiting,
        control,
        done: [0.0, part],
        num_done: AtomicUsize::new(0),
    };
    for (launched, cells) in &launches {
        propagation.launched = *launched;
        reach = reach.max(propagation.launch(cells)?);
        propagation.done[0] += part;
        propagation.num_done = AtomicUsize::new(0);
    }
    propagation.launched = None;
    propagation.done[1] = of_edges;
    propagation.follow_edges(reach)?;
    if let Sink::Gains(gains) = sink {
        spread(ctx, illuminations, gains, control)?;
    }
    Ok(())
}

/// The cells of directions that are launched together, in the order of the quadtree; with the cell that they fill,
/// unless it is all directions. The part of a wall that all tubes illuminate scatters together, and a cell that several
/// tubes pierce belongs to one of them: then all are launched at once.
fn launches(ctx: &Context<'_>) -> Vec<(Option<DirectionCell>, Vec<DirectionCell>)> {
    let level = ctx.ladder.first_level().unwrap_or(FIRST_LEVEL);
    let needs_all = ctx.limits.max_scatterings > 0 || ctx.ladder.has_pierced_cells();
    if needs_all {
        return vec![(None, DirectionCell::all(level))];
    }
    let is_enough = |level: &u32| ctx.grid.num_columns() >> (2 * level) <= LAUNCHED;
    let launched = (0..level).find(is_enough).unwrap_or(level);
    let launch = |cell: DirectionCell| (Some(cell), cell.split_to(level));
    let cells = DirectionCell::all(launched).into_iter();
    cells.map(launch).collect()
}

/// A trace on its way.
struct Propagation<'a> {
    ctx: &'a Context<'a>,
    sink: Sink<'a>,
    illuminations: &'a Illuminations,
    /// The cell of directions from which all tubes come, unless they come from everywhere.
    launched: Option<DirectionCell>,
    waiting: &'a WaitingEdges,
    control: &'a Control<'a>,
    /// The share of the trace that was done before, and that of the part that is followed now.
    done: [f64; 2],
    /// Number of tubes, of the part that is followed now, that have met their first wall and are finished behind it; or
    /// of edges.
    num_done: AtomicUsize,
}

impl Propagation<'_> {
    /// Follows all tubes of these cells of directions, which are in the order of the quadtree. Returns the reach of the
    /// strongest of them, metres.
    fn launch(&self, cells: &[DirectionCell]) -> Result<f64, Error> {
        let mut bundle = self.of_tx();
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
        self.follow_leaves(&bundle, &leaves, &mut RayCache::default())?;
        let reaches = leaves
            .iter()
            .map(|leaf| leaf.path_gain.reach(self.ctx.min_gain));
        Ok(reaches.fold(0.0, f64::max))
    }

    /// The bundle that leaves the Tx, without its tubes.
    fn of_tx(&self) -> Bundle {
        Bundle {
            source: VirtualSource::Point(TxImage {
                position: self.ctx.tx_position,
                turn: DMat3::IDENTITY,
            }),
            start: None,
            interactions: Vec::new(),
            counts: InteractionCounts::NONE,
            deepest: DEEPEST,
            tubes: Vec::new(),
        }
    }

    /// Follows the waves that are diffracted by the edges that the Tx sees and that are nearer than `reach`, metres,
    /// and by those that waited for all launches.
    fn follow_edges(&self, reach: f64) -> Result<(), Error> {
        let of_tx = self.of_tx();
        let parts = edge_visibility::parts_from_tx(self.ctx, &of_tx, reach);
        let mut all = vec![(of_tx, parts)];
        all.extend(self.waiting.take());
        let visible = parallel::map_slice(&all, |(bundle, parts)| {
            edge_visibility::visible_parts(self.ctx, bundle, parts.clone())
        });
        let mut edges = Vec::new();
        for ((bundle, _), parts) in all.iter().zip(&visible) {
            let of_bundle = parts.chunk_by(EdgePart::shares_edge);
            edges.extend(of_bundle.map(|edge| (bundle, edge)));
        }
        let around = |rays: &mut RayCache, k: usize| {
            self.control.check()?;
            let (bundle, edge) = edges[k];
            self.follow_around(bundle, edge, rays)?;
            self.report(1, edges.len());
            Ok(())
        };
        let results = parallel::map_with(edges.len(), RayCache::default, around);
        results.into_iter().collect()
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
        let mut parts = edge_visibility::parts_in_leaves(self.ctx, bundle, leaves);
        if let Some(cell) = self.launched {
            parts = self.waiting.keep(self.ctx, bundle, cell, parts);
        }
        let parts = edge_visibility::visible_parts(self.ctx, bundle, parts);
        let edges = || parts.chunk_by(EdgePart::shares_edge);
        if is_shared {
            let walls: Vec<_> = walls().collect();
            let edges: Vec<_> = edges().collect();
            let beyond = |rays: &mut RayCache, n: usize| follow_beyond(walls[n], rays);
            let around = |rays: &mut RayCache, n: usize| self.follow_around(bundle, edges[n], rays);
            let results = parallel::map_with(walls.len(), RayCache::default, beyond);
            results.into_iter().collect::<Result<(), Error>>()?;
            let results = parallel::map_with(edges.len(), RayCache::default, around);
            results.into_iter().collect()
        } else {
            walls().try_for_each(|wall| follow_beyond(wall, rays))?;
            edges().try_for_each(|edge| self.follow_around(bundle, edge, rays))
        }
    }

    /// Follows the waves that an edge diffracts, of which a bundle sees these parts.
    fn follow_around(
        &self,
        bundle: &Bundle,
        edge: &[EdgePart],
        rays: &mut RayCache,
    ) -> Result<(), Error> {
        let next = diffraction::diffracted(self.ctx, bundle, edge);
        next.map_or(Ok(()), |next| self.follow(&next, rays))
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

    /// Reports that `more` tubes are finished, of `all` that meet a first wall; or edges.
    fn report(&self, more: usize, all: usize) {
        let done = more + self.num_done.fetch_add(more, Ordering::Relaxed);
        let [before, share] = self.done;
        let done = before + share * done as f64 / all as f64;
        self.control.report(Stage::Coverage, done);
    }
}
