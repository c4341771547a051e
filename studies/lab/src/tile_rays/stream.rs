//! The same rays, whose coarse paths are handed on while the search runs, so that the search itself keeps none.
//!
//! Memory: the rays that are followed at once on each level, times the tiles that one ray reaches.

use keller::paths::{CoarsePaths, Steps, TileFinder, TileWave};
use keller::{Control, DVec3, Error, Stage};
use rayon::prelude::*;

use super::{Found, Order, PIECE, Rays, Tracer, needs_pairs, waves};

/// A coarse path: a chain of reflecting planes and edges, and a receiver to which it may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    steps: Steps,
    rx: u32,
}

impl Hit {
    /// The receiver's number.
    pub fn rx(&self) -> usize {
        self.rx as usize
    }

    /// Number of reflections and diffractions.
    pub fn num_interactions(&self) -> usize {
        self.steps.len()
    }

    /// Number of diffractions.
    pub fn num_diffractions(&self) -> usize {
        self.steps.num_edges()
    }
}

/// Options of the way in which a search hands its coarse paths on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streaming {
    /// The rays. The chained orders that keep or remove doubles are the same here: the receiver of the paths removes
    /// them.
    pub rays: Rays,
    /// Rays of a level that are processed together, which bounds the memory of the chained orders.
    pub at_once: usize,
    /// Whether paths of one interaction come from keller's own exact search, as in
    /// [`TileFinder::coarse`]. Otherwise they come from tiles, as in Vaara 2022.
    pub is_single_exact: bool,
}

/// Receives coarse paths, in any order and from any thread.
type Deliver<'a> = &'a (dyn Fn(&[Hit]) + Sync);

/// Gives the coarse paths from `tx` to `rx` to `deliver` while it searches, in any order and from any thread. A path is
/// given once for every tile chain that leads to it. The direct paths to all receivers come last, unchecked. The search
/// itself keeps none.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn stream(
    finder: &TileFinder,
    tx: DVec3,
    rx: &[DVec3],
    streaming: &Streaming,
    deliver: Deliver,
    control: &Control,
) -> Result<(), Error> {
    control.report(Stage::Search, 0.0);
    let Streaming {
        rays: Rays { order, aim },
        at_once,
        is_single_exact,
    } = *streaming;
    if needs_pairs(finder) || !is_single_exact {
        let waves = waves(finder, aim, tx, rx, control)?;
        let stream = Stream {
            tracer: &Tracer { waves: &waves },
            at_once: at_once.max(1),
            shortest: if is_single_exact { 2 } else { 1 },
            deliver,
            control,
        };
        stream.follow(&waves.first(), order);
    }
    control.check()?;
    for (steps, rx) in finder.first_order(tx, rx, control)?.chains() {
        if is_single_exact || steps.is_empty() {
            let steps = Steps::new(steps);
            let hits: Vec<Hit> = rx.iter().map(|rx| Hit { steps, rx: *rx }).collect();
            deliver(&hits);
        }
    }
    control.report(Stage::Search, 1.0);
    Ok(())
}

/// Coarse paths, in order; doubles as often as they are there.
pub fn hits(coarse: &CoarsePaths) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::with_capacity(coarse.len());
    for (steps, rx) in coarse.chains() {
        let steps = Steps::new(steps);
        hits.extend(rx.iter().map(|rx| Hit { steps, rx: *rx }));
    }
    hits.sort_unstable();
    hits
}

/// The same by chain, each path once.
pub fn coarse_paths(mut hits: Vec<Hit>) -> CoarsePaths {
    hits.sort_unstable();
    hits.dedup();
    let same = hits.chunk_by(|a, b| a.steps == b.steps);
    CoarsePaths::from_chains(same.map(|same| {
        let rx = same.iter().map(|hit| hit.rx);
        (same[0].steps.to_vec(), rx.collect())
    }))
}

/// The data that all rays of a search have in common.
struct Stream<'a> {
    tracer: &'a Tracer<'a>,
    at_once: usize,
    /// Shorter chains are not handed on.
    shortest: usize,
    deliver: Deliver<'a>,
    control: &'a Control<'a>,
}

impl Stream<'_> {
    fn follow(&self, rays: &[TileWave], order: Order) {
        match order {
            Order::Recursive => self.recurse(rays),
            Order::FirstLevel => {
                for rays in rays.chunks(self.at_once) {
                    let second = self.level(rays);
                    second
                        .par_chunks(PIECE)
                        .for_each(|piece| self.recurse(piece));
                }
            }
            Order::Chained => self.chain(rays, false),
            Order::ChainedParallel | Order::ChainedAsync | Order::ChainedDoubles => {
                self.chain(rays, true);
            }
        }
    }

    fn recurse(&self, rays: &[TileWave]) {
        for ray in rays {
            if self.control.check().is_ok() {
                let next = self.level(std::slice::from_ref(ray));
                self.recurse(&next);
            }
        }
    }

    fn chain(&self, rays: &[TileWave], is_parallel: bool) {
        for rays in rays.chunks(self.at_once) {
            if self.control.check().is_err() {
                return;
            }
            let next = if is_parallel {
                let pieces: Vec<_> = rays.par_chunks(PIECE).map(|r| self.level(r)).collect();
                pieces.concat()
            } else {
                self.level(rays)
            };
            if !next.is_empty() {
                self.chain(&next, is_parallel);
            }
        }
    }

    /// All rays that follow from these. The chains that they find are handed on ray by ray.
    fn level(&self, rays: &[TileWave]) -> Vec<TileWave> {
        let (mut next, mut found) = (Vec::new(), Vec::new());
        for ray in rays {
            self.tracer.waves.reflect(ray, &mut next, &mut found);
            self.hand_on(&mut found);
        }
        for ray in rays {
            self.tracer.waves.diffract(ray, &mut next, &mut found);
            self.hand_on(&mut found);
        }
        next
    }

    fn hand_on(&self, found: &mut Vec<Found>) {
        let hits = |(steps, rx): Found| rx.into_iter().map(move |rx| Hit { steps, rx });
        let long = found
            .drain(..)
            .filter(|(steps, _)| steps.len() >= self.shortest);
        let hits: Vec<Hit> = long.flat_map(hits).collect();
        if !hits.is_empty() {
            (self.deliver)(&hits);
        }
    }
}
