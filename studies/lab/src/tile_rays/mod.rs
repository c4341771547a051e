//! The search of Vaara 2022, for comparison: rays from tile to tile. A chain is followed once for every tile on it.
//!
//! Vaara 2022, chapter 4.3: the original follows every ray to its end before the next. A first version for many cores
//! shares the rays behind the first tiles among the cores. Chained versions process all rays of a level together, one
//! kind of interaction after the other. Double paths are removed at the end, or by a hash table during the search. All
//! versions find the same chains.
//!
//! A ray comes from the centre of the previous tile ([`Aim::Centres`]), as in Vaara 2022, so that two walls may pass it
//! back and forth for ever (figure 16). Or it comes from the image of its Tx or edge, as a front does.
//! [`keller::paths::TileWaves`] has the step from one tile to the next; the orders of the steps are here.

mod stream;
#[cfg(test)]
mod tests;

use std::sync::mpsc::{Sender, channel};

use keller::paths::{CoarsePaths, Steps, TileFinder, TileWave, TileWaves};
use keller::{Control, DVec3, Error};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

pub use self::stream::{Hit, Streaming, coarse_paths, hits, stream};

/// The order in which rays are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each ray to its end before the next.
    Recursive,
    /// The same, but the rays after the first interaction are shared among all cores.
    FirstLevel,
    /// All rays of a level together, one kind of interaction after the other, on one core.
    Chained,
    /// The same on all cores.
    ChainedParallel,
    /// The same, and a separate thread removes double paths during the search.
    ChainedAsync,
    /// Chained on all cores, and double paths are kept, to measure the cost of removing them. Its result differs from
    /// the others.
    ChainedDoubles,
}

/// The point from which the centre of a tile must be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// The centre of the previous tile, as in Vaara 2022.
    Centres,
    /// The image of the transmitter or edge.
    Images,
}

/// Options of the rays from tile to tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rays {
    /// The order in which rays are followed.
    pub order: Order,
    /// The point from which rays come.
    pub aim: Aim,
}

/// A chain, and receivers to which it may lead.
type Found = (Steps, Vec<u32>);

/// Rays of a level that are processed together. More rays are processed in turns, so that no buffer grows without bound
/// and no ray is lost.
const AT_ONCE: usize = 1 << 14;

/// Rays of one piece of parallel work.
const PIECE: usize = 256;

/// The coarse paths from a transmitter to receivers by rays from tile to tile, including the direct ones to all. Those
/// of one interaction are keller's own, as in [`TileFinder::coarse`]. Rays ignore a threshold of the environment.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn coarse(
    finder: &TileFinder,
    rays: Rays,
    tx: DVec3,
    rx: &[DVec3],
    control: &Control,
) -> Result<CoarsePaths, Error> {
    let passes_walls = finder.limits().max_transmissions > 0;
    let (mut known, mut doubles) = (Known::default(), Vec::new());
    if needs_pairs(finder) {
        let waves = waves(finder, rays.aim, tx, rx, control)?;
        doubles = Tracer { waves: &waves }.trace(rays.order, &mut known);
        control.check()?;
    }
    // A receiver to which only tiles lead cannot be reached by one interaction, except through walls.
    if !passes_walls {
        known.0.retain(|steps, _| steps.len() != 1);
        doubles.retain(|(steps, _)| steps.len() != 1);
    }
    for (steps, rx) in finder.first_order(tx, rx, control)?.chains() {
        known.add(Steps::new(steps), rx.to_vec());
    }
    let mut all: Vec<Found> = known.0.into_iter().chain(doubles).collect();
    all.sort_unstable_by_key(|(steps, _)| *steps);
    let chain = |(steps, rx): Found| (steps.to_vec(), rx);
    Ok(CoarsePaths::from_chains(all.into_iter().map(chain)))
}

/// Whether there are chains that need pairs of tiles: those of several interactions, and those that pass walls by
/// chance.
fn needs_pairs(finder: &TileFinder) -> bool {
    let limits = finder.limits();
    limits.max_interactions.min(limits.max_depth) > 1 || limits.max_transmissions > 0
}

fn waves<'a>(
    finder: &'a TileFinder,
    aim: Aim,
    tx: DVec3,
    rx: &[DVec3],
    control: &Control,
) -> Result<TileWaves<'a>, Error> {
    let waves = finder.waves(tx, rx, control)?;
    Ok(match aim {
        Aim::Centres => waves.from_centres(),
        Aim::Images => waves,
    })
}

/// The chains found so far, and the receivers to which each may lead, in ascending order.
#[derive(Default)]
struct Known(FxHashMap<Steps, Vec<u32>>);

impl Known {
    fn add(&mut self, steps: Steps, rx: Vec<u32>) {
        let add = |known: &mut Vec<u32>| {
            known.extend_from_slice(&rx);
            known.sort_unstable();
            known.dedup();
        };
        self.0.entry(steps).and_modify(add).or_insert(rx);
    }

    fn keep(&mut self, found: Vec<Found>) {
        for (steps, rx) in found {
            self.add(steps, rx);
        }
    }
}

/// The receiver of the chains that are found.
enum Sink<'a> {
    /// They are kept until the search is done.
    Later(&'a mut Vec<Found>),
    /// They are sent to another thread.
    Beside(&'a Sender<Vec<Found>>),
}

/// Follows the rays of a transmitter.
struct Tracer<'a> {
    waves: &'a TileWaves<'a>,
}

impl Tracer<'_> {
    /// Follows all rays. Returns the chains with their doubles, if the order keeps these.
    fn trace(&self, order: Order, known: &mut Known) -> Vec<Found> {
        let rays = self.waves.first();
        let mut found = Vec::new();
        match order {
            Order::Recursive => {
                for ray in &rays {
                    self.recurse(ray, &mut found);
                }
            }
            Order::FirstLevel => {
                let second = self.level(&rays, &mut found);
                let pieces = second.par_chunks(PIECE).map(|rays| {
                    let mut found = Vec::new();
                    for ray in rays {
                        self.recurse(ray, &mut found);
                    }
                    found
                });
                found.extend(pieces.collect::<Vec<_>>().into_iter().flatten());
            }
            Order::Chained => self.chain(&rays, &mut Sink::Later(&mut found), false),
            Order::ChainedParallel => self.chain(&rays, &mut Sink::Later(&mut found), true),
            Order::ChainedDoubles => {
                self.chain(&rays, &mut Sink::Later(&mut found), true);
                return found;
            }
            Order::ChainedAsync => {
                let (sender, receiver) = channel::<Vec<Found>>();
                let known = &mut *known;
                std::thread::scope(|scope| {
                    scope.spawn(move || receiver.into_iter().for_each(|found| known.keep(found)));
                    self.chain(&rays, &mut Sink::Beside(&sender), true);
                    drop(sender);
                });
            }
        }
        known.keep(found);
        Vec::new()
    }

    fn recurse(&self, ray: &TileWave, found: &mut Vec<Found>) {
        let mut next = Vec::new();
        self.waves.reflect(ray, &mut next, found);
        self.waves.diffract(ray, &mut next, found);
        for ray in &next {
            self.recurse(ray, found);
        }
    }

    /// All rays that follow from these, the reflected ones first.
    fn level(&self, rays: &[TileWave], found: &mut Vec<Found>) -> Vec<TileWave> {
        let mut next = Vec::new();
        for ray in rays {
            self.waves.reflect(ray, &mut next, found);
        }
        for ray in rays {
            self.waves.diffract(ray, &mut next, found);
        }
        next
    }

    fn chain(&self, rays: &[TileWave], sink: &mut Sink, is_parallel: bool) {
        for rays in rays.chunks(AT_ONCE) {
            let level = |rays: &[TileWave]| {
                let mut found = Vec::new();
                let next = self.level(rays, &mut found);
                (next, found)
            };
            let pieces: Vec<(Vec<TileWave>, Vec<Found>)> = if is_parallel {
                rays.par_chunks(PIECE).map(level).collect()
            } else {
                rays.chunks(PIECE).map(level).collect()
            };
            let mut all = Vec::new();
            for (next, found) in pieces {
                all.extend(next);
                match sink {
                    Sink::Later(kept) => kept.extend(found),
                    // The receiving thread ends only after this one.
                    Sink::Beside(sender) => drop(sender.send(found)),
                }
            }
            if !all.is_empty() {
                self.chain(&all, sink, is_parallel);
            }
        }
    }
}
