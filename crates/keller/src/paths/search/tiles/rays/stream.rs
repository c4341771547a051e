//! The same rays, whose coarse paths are handed on while the search runs, so that the search itself keeps none.
//!
//! Memory: the rays that are followed at once on each level, times the tiles that one ray reaches.

use glam::DVec3;
use rayon::prelude::*;

use super::super::lanes::Some16;
use super::super::{BeamSource, CoarseChain, Known, TileSearch};
use super::{Found, Order, PIECE, Ray, Rays, Steps, Tracer};
use crate::paths::Step;
use crate::{Control, Error, Stage};

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

/// How a search hands its coarse paths on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streaming {
    /// How rays travel. The chained orders that keep or remove doubles are the same here: what receives the paths
    /// removes them.
    pub rays: Rays,
    /// Rays of a level that are processed together, which bounds the memory of the chained orders.
    pub at_once: usize,
    /// Whether paths of one interaction come from keller's own exact search, as in
    /// [`TileFinder::coarse`](crate::paths::TileFinder::coarse). Otherwise they come from tiles, as in Vaara 2022.
    pub is_single_exact: bool,
}

/// Receives coarse paths, in any order and from any thread.
type Deliver<'a> = &'a (dyn Fn(&[Hit]) + Sync);

impl TileSearch {
    /// Gives the coarse paths from `tx` to `rx` to `deliver` while it searches. A path is given once for every tile
    /// chain that leads to it. The direct paths to all receivers come last, unchecked.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn stream(
        &self,
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
        if self.needs_pairs() || !is_single_exact {
            let receivers = self.receivers(rx, control)?;
            let tracer = Tracer {
                search: self,
                receivers: &receivers,
                known: &Known::default(),
                aim,
            };
            let seen = self.visibility.seen_from(tx);
            let first = seen.iter().map(|tile| Ray {
                steps: Steps::NONE,
                tile: *tile,
                source: BeamSource::Point(self.local(tx)),
            });
            let stream = Stream {
                tracer: &tracer,
                at_once: at_once.max(1),
                shortest: if is_single_exact { 2 } else { 1 },
                deliver,
                control,
            };
            stream.follow(&first.collect::<Vec<_>>(), order);
        }
        control.check()?;
        let mut rest = Vec::new();
        if is_single_exact {
            rest = self.single_to(tx, rx, control)?;
        }
        if self.limits.line_of_sight {
            let all = 0..u32::try_from(rx.len()).expect("fewer than 2^32 receivers");
            rest.push(CoarseChain {
                steps: Vec::new(),
                rx: all.collect(),
            });
        }
        for chain in &rest {
            deliver(&hits_of(chain).collect::<Vec<_>>());
        }
        control.report(Stage::Search, 1.0);
        Ok(())
    }
}

/// The coarse paths of a chain.
pub(in crate::paths) fn hits_of(chain: &CoarseChain) -> impl Iterator<Item = Hit> {
    let mut steps = Steps::NONE;
    for step in &chain.steps {
        steps = match *step {
            Step::Reflection(plane) => steps.with_mirror(plane),
            Step::Diffraction(edge) => steps.with_edge(edge),
            Step::Scattering(..) => unreachable!("coarse paths are specular"),
        };
    }
    chain.rx.iter().map(move |rx| Hit { steps, rx: *rx })
}

/// The chains of coarse paths, in order; each path once.
pub(in crate::paths) fn chains_of(mut hits: Vec<Hit>) -> Vec<CoarseChain> {
    hits.sort_unstable();
    hits.dedup();
    let chain = |same: &[Hit]| CoarseChain {
        steps: same[0].steps.to_vec(),
        rx: same.iter().map(|hit| hit.rx).collect(),
    };
    hits.chunk_by(|a, b| a.steps == b.steps)
        .map(chain)
        .collect()
}

/// What all rays of a search have in common.
struct Stream<'a> {
    tracer: &'a Tracer<'a>,
    at_once: usize,
    /// Shorter chains are not handed on.
    shortest: usize,
    deliver: Deliver<'a>,
    control: &'a Control<'a>,
}

impl Stream<'_> {
    fn follow(&self, rays: &[Ray], order: Order) {
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

    fn recurse(&self, rays: &[Ray]) {
        for ray in rays {
            if self.control.check().is_ok() {
                let next = self.level(std::slice::from_ref(ray));
                self.recurse(&next);
            }
        }
    }

    fn chain(&self, rays: &[Ray], is_parallel: bool) {
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

    /// All rays that follow from these. What they find is handed on ray by ray.
    fn level(&self, rays: &[Ray]) -> Vec<Ray> {
        let (mut next, mut found) = (Vec::new(), Vec::new());
        for ray in rays {
            self.tracer.reflect(ray, &mut next, &mut found);
            self.hand_on(&mut found);
        }
        for ray in rays {
            self.tracer.diffract(ray, &mut next, &mut found);
            self.hand_on(&mut found);
        }
        next
    }

    fn hand_on(&self, found: &mut Vec<Found>) {
        let hits = |(steps, rx): (Steps, Vec<Some16>)| {
            let ids: Vec<u32> = rx.iter().flat_map(|some| some.ids()).collect();
            ids.into_iter().map(move |rx| Hit { steps, rx })
        };
        let long = found
            .drain(..)
            .filter(|(steps, _)| steps.len() >= self.shortest);
        let hits: Vec<Hit> = long.flat_map(hits).collect();
        if !hits.is_empty() {
            (self.deliver)(&hits);
        }
    }
}
