//! The search of Vaara 2022, for comparison: rays from tile to tile. A chain is followed once for every tile on it.
//!
//! Vaara 2022, chapter 4.3: the original follows every ray to its end before the next. A first version for many cores
//! shares the rays behind the first tiles among the cores. Chained versions process all rays of a level together, one
//! kind of interaction after the other. Double paths are removed at the end, or by a hash table during the search. All
//! versions find the same chains.
//!
//! A ray comes from the centre of the previous tile ([`Aim::Centres`]), as in Vaara 2022, so that two walls may pass it
//! back and forth for ever (figure 16). Or it comes from the image of its Tx or edge, as a front does.

#[cfg(feature = "lab")]
pub(super) mod stream;

use std::sync::mpsc::{Sender, channel};

use rayon::prelude::*;

use super::TileSearch;
use super::beam::{BeamSource, EdgeSource, Steps};
use super::gate::Gate;
use super::known::Known;
use super::lanes::Some16;
use super::receivers::Receivers;
use crate::paths::Step;

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

/// How rays travel from tile to tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rays {
    /// The order in which rays are followed.
    pub order: Order,
    /// The point from which rays come.
    pub aim: Aim,
}

/// A wave that reaches the centre of a tile.
#[derive(Debug, Clone, Copy)]
struct Ray {
    steps: Steps,
    tile: u32,
    source: BeamSource,
}

/// A chain, and receivers to which it may lead.
type Found = (Steps, Vec<Some16>);

/// Rays of a level that are processed together. More rays are processed in turns, so that no buffer grows without bound
/// and no ray is lost.
const AT_ONCE: usize = 1 << 14;

/// Rays of one piece of parallel work.
const PIECE: usize = 256;

/// What all rays of a transmitter share.
pub(super) struct Tracer<'a> {
    pub(super) search: &'a TileSearch,
    pub(super) receivers: &'a Receivers,
    pub(super) known: &'a Known,
    pub(super) aim: Aim,
}

/// Where found chains go.
enum Sink<'a> {
    /// They are kept until the search is done.
    Later(&'a mut Vec<Found>),
    /// They are sent to another thread.
    Beside(&'a Sender<Vec<Found>>),
}

impl Tracer<'_> {
    /// Follows the waves from a source that reach these tiles.
    pub(super) fn trace(&self, source: BeamSource, tiles: &[u32], order: Order) {
        let first = |tile: &u32| Ray {
            steps: Steps::NONE,
            tile: *tile,
            source,
        };
        let rays: Vec<Ray> = tiles.iter().map(first).collect();
        match order {
            Order::Recursive => self.keep(rays.iter().fold(Vec::new(), |mut found, ray| {
                self.recurse(ray, &mut found);
                found
            })),
            Order::FirstLevel => {
                let mut found = Vec::new();
                let second = self.level(&rays, &mut found);
                let pieces = second.par_chunks(PIECE).map(|rays| {
                    let mut found = Vec::new();
                    for ray in rays {
                        self.recurse(ray, &mut found);
                    }
                    found
                });
                found.extend(pieces.collect::<Vec<_>>().into_iter().flatten());
                self.keep(found);
            }
            Order::Chained => {
                let mut found = Vec::new();
                self.chain(&rays, &mut Sink::Later(&mut found), false);
                self.keep(found);
            }
            Order::ChainedParallel => {
                let mut found = Vec::new();
                self.chain(&rays, &mut Sink::Later(&mut found), true);
                self.keep(found);
            }
            Order::ChainedDoubles => {
                let mut found = Vec::new();
                self.chain(&rays, &mut Sink::Later(&mut found), true);
                self.known.add_doubles(found);
            }
            Order::ChainedAsync => {
                let (sender, receiver) = channel::<Vec<Found>>();
                std::thread::scope(|scope| {
                    scope.spawn(|| receiver.into_iter().for_each(|found| self.keep(found)));
                    self.chain(&rays, &mut Sink::Beside(&sender), true);
                    drop(sender);
                });
            }
        }
    }

    fn keep(&self, found: Vec<Found>) {
        for (steps, rx) in found {
            self.known.add(steps, rx);
        }
    }

    fn recurse(&self, ray: &Ray, found: &mut Vec<Found>) {
        let mut next = Vec::new();
        self.reflect(ray, &mut next, found);
        self.diffract(ray, &mut next, found);
        for ray in &next {
            self.recurse(ray, found);
        }
    }

    /// All rays that follow from these, the reflected ones first.
    fn level(&self, rays: &[Ray], found: &mut Vec<Found>) -> Vec<Ray> {
        let mut next = Vec::new();
        for ray in rays {
            self.reflect(ray, &mut next, found);
        }
        for ray in rays {
            self.diffract(ray, &mut next, found);
        }
        next
    }

    fn chain(&self, rays: &[Ray], sink: &mut Sink, is_parallel: bool) {
        for rays in rays.chunks(AT_ONCE) {
            let level = |rays: &[Ray]| {
                let mut found = Vec::new();
                let next = self.level(rays, &mut found);
                (next, found)
            };
            let pieces: Vec<(Vec<Ray>, Vec<Found>)> = if is_parallel {
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

    fn reflect(&self, ray: &Ray, next: &mut Vec<Ray>, found: &mut Vec<Found>) {
        for part in self.search.parts(ray.tile) {
            self.reflect_at(ray, part, next, found);
        }
    }

    /// The rays that a part of the ray's tile reflects.
    fn reflect_at(&self, ray: &Ray, part: u32, next: &mut Vec<Ray>, found: &mut Vec<Found>) {
        let search = self.search;
        let plane = search.planes[part as usize];
        let limits = &search.limits;
        let may_reflect = ray.steps.len() < limits.max_interactions
            && ray.steps.num_reflections() < limits.max_reflections
            && ray.steps.last() != Some(Step::Reflection(plane));
        if !may_reflect {
            return;
        }
        let source = ray.source.mirrored(&search.mirror(plane));
        let steps = ray.steps.with_mirror(plane);
        let window = search.windows[part as usize];
        let gate = Gate::Window(source, window);
        let rx = self.reached(&gate, self.receivers.of_tile(ray.tile), true);
        if !rx.is_empty() {
            found.push((steps, rx));
        }
        if steps.len() < limits.max_interactions {
            let tiles = search.sight.of_tile(ray.tile, &search.places, |row| {
                self.reached(&gate, row, false)
            });
            let source = match self.aim {
                Aim::Centres => BeamSource::Point(window.centre),
                Aim::Images => source,
            };
            send(steps, source, search.places.tiles_at(&tiles), next);
        }
    }

    fn diffract(&self, ray: &Ray, next: &mut Vec<Ray>, found: &mut Vec<Found>) {
        let search = self.search;
        let limits = &search.limits;
        let may_diffract = ray.steps.len() < limits.max_interactions
            && ray.steps.num_edges() < limits.max_diffractions;
        if !may_diffract {
            return;
        }
        for number in search.sight.segments.of_tile(ray.tile as usize) {
            let segment = search.sight.segments.all()[*number as usize];
            if ray.steps.last() == Some(Step::Diffraction(segment.edge)) {
                continue;
            }
            let Some((bend, ends)) = search.bend(&segment, &ray.source) else {
                continue;
            };
            let steps = ray.steps.with_edge(segment.edge);
            let gate = Gate::Bend(bend);
            let rx = self.reached(&gate, &self.receivers.of_segment(&segment), true);
            if !rx.is_empty() {
                found.push((steps, rx));
            }
            if steps.len() < limits.max_interactions {
                let tiles = search.sight.of_segment(*number, &search.places, |row| {
                    self.reached(&gate, row, false)
                });
                let source = match self.aim {
                    Aim::Centres => BeamSource::Point(ends[0].midpoint(ends[1])),
                    Aim::Images => BeamSource::Edge(EdgeSource { ..bend.edge }),
                };
                send(steps, source, search.places.tiles_at(&tiles), next);
            }
        }
    }

    fn reached(&self, gate: &Gate, row: &[Some16], is_rx: bool) -> Vec<Some16> {
        let search = self.search;
        let blocks = if is_rx {
            &self.receivers.blocks
        } else {
            &search.blocks
        };
        let mut reached = Vec::new();
        gate.reached(blocks, row, search.margin, search.dispatch, &mut reached);
        reached
    }
}

fn send(steps: Steps, source: BeamSource, tiles: impl Iterator<Item = u32>, next: &mut Vec<Ray>) {
    next.extend(tiles.map(|tile| Ray {
        steps,
        tile,
        source,
    }));
}
