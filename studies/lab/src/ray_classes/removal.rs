//! Chooses the hits that are counted.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::directions::Directions;
use super::hits::HitLists;

/// A way to remove double counts. Each takes the hits between two reflections, and needs no knowledge of other orders.
#[derive(Debug, Clone, Copy)]
pub enum Removal<'a> {
    /// All hits count.
    None,
    /// Class after class, all rays of a class in parallel: a ray gives up a receiver that a neighbour of another class
    /// still has. All rays are traced before.
    ///
    /// # Source
    /// Key et al. 2020, section V.C.
    Classes(&'a [u8]),
    /// The same, where each class is traced and cleared before the next: a ray gives up a receiver that a neighbour of an
    /// earlier class has. The pseudocode of Key et al. 2020 leaves open which of the two is meant.
    ClassesInTurn(&'a [u8]),
    /// Ray after ray: a ray gives up a receiver that an earlier neighbour has.
    Sequential,
    /// One ray for each receiver and sequence of planes, the nearest one.
    ///
    /// # Source
    /// Z. Yun, M. Iskander, Z. Zhang 2001, reference 12 of Key et al. 2020. keller identifies paths in the same way.
    Sequences,
}

impl Removal<'_> {
    /// Whether each hit counts. It does not depend on the number of threads.
    pub fn kept(self, directions: &Directions, lists: &HitLists) -> Vec<bool> {
        match self {
            Self::None => vec![true; lists.len()],
            Self::Classes(classes) => by_classes(directions, lists, classes, false),
            Self::ClassesInTurn(classes) => by_classes(directions, lists, classes, true),
            Self::Sequential => sequential(directions, lists),
            Self::Sequences => sequences(lists),
        }
    }
}

fn by_classes(
    directions: &Directions,
    lists: &HitLists,
    classes: &[u8],
    in_turn: bool,
) -> Vec<bool> {
    let kept: Vec<AtomicBool> = lists.hits.iter().map(|_| AtomicBool::new(true)).collect();
    let count = classes.iter().max().map_or(0, |most| most + 1);
    for class in 0..count {
        // Only rays of this class write, and they read rays of other classes alone.
        classes
            .par_iter()
            .enumerate()
            .with_min_len(1024)
            .for_each(|(ray, own)| {
                if *own != class {
                    return;
                }
                for hit in lists.of_ray(ray) {
                    let rx = lists.hits[hit].rx;
                    let has = |other: usize| {
                        let is_asked = if in_turn {
                            classes[other] < class
                        } else {
                            classes[other] != class
                        };
                        is_asked
                            && lists
                                .find(other, rx)
                                .is_some_and(|hit| kept[hit].load(Ordering::Relaxed))
                    };
                    if directions.neighbours(ray).any(has) {
                        kept[hit].store(false, Ordering::Relaxed);
                    }
                }
            });
    }
    kept.into_iter().map(AtomicBool::into_inner).collect()
}

fn sequential(directions: &Directions, lists: &HitLists) -> Vec<bool> {
    let mut kept = vec![true; lists.len()];
    for ray in 0..lists.sequences.len() {
        for hit in lists.of_ray(ray) {
            let rx = lists.hits[hit].rx;
            let mut earlier = directions.neighbours(ray).filter(|other| *other < ray);
            kept[hit] = !earlier.any(|other| lists.find(other, rx).is_some_and(|hit| kept[hit]));
        }
    }
    kept
}

fn sequences(lists: &HitLists) -> Vec<bool> {
    let mut all: Vec<(u32, u64, f32, usize)> = Vec::with_capacity(lists.len());
    for ray in 0..lists.sequences.len() {
        all.extend(lists.of_ray(ray).map(|hit| {
            let Hit { rx, distance, .. } = lists.hits[hit];
            (rx, lists.sequences[ray], distance, hit)
        }));
    }
    all.par_sort_unstable_by(|a, b| {
        (a.0, a.1)
            .cmp(&(b.0, b.1))
            .then(a.2.total_cmp(&b.2))
            .then(a.3.cmp(&b.3))
    });
    let mut kept = vec![false; lists.len()];
    for of_one in all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        kept[of_one[0].3] = true;
    }
    kept
}

use super::hits::Hit;
