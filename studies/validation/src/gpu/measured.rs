//! A run with and without the card: the same bits, the time, and how much of the processor's time rays take, which is all that
//! a card can save.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Result, ensure};
use keller::World;
use keller::geometry::bvh::{AcceleratorFailed, Answer, Bvh, Question, Ray, RayAccelerator};
use keller_gpu::{Kind, Tuning};

use super::median;
use crate::machine::processor_seconds;

/// A run with and without the card, which give the same.
pub(super) struct Measured {
    /// The times of the processor, and with the card, seconds.
    pub(super) processor: f64,
    pub(super) card: f64,
    /// The share of the processor's time that rays take in batches large enough for a card, and how many rays these are.
    pub(super) share: f64,
    pub(super) rays: f64,
}

impl Measured {
    /// `there` is the world `here` with a card of that kind.
    pub(super) fn new<T: PartialEq>(
        here: &World,
        there: &World,
        kind: Kind,
        run: impl Fn(&World) -> Result<T>,
    ) -> Result<Self> {
        let watch = Arc::new(Stopwatch::new(here.scene().index().clone()));
        let watched = here.clone().with_accelerator(watch.clone());
        let before = processor_seconds();
        let expected = run(&watched)?;
        let all = processor_seconds() - before;
        ensure!(expected == run(there)?, "the card gives something else");
        // Software in place of a card takes its time.
        let times = if kind == Kind::Software { 1 } else { 3 };
        Ok(Self {
            processor: median(times, || run(here).map(drop))?,
            card: median(times, || run(there).map(drop))?,
            share: watch.seconds() / all.max(1e-9),
            rays: watch.rays.load(Ordering::Relaxed) as f64,
        })
    }
}

/// The processor in place of a card, with a watch.
#[derive(Debug)]
struct Stopwatch {
    index: Bvh,
    nanoseconds: AtomicU64,
    rays: AtomicU64,
}

impl Stopwatch {
    fn new(index: Bvh) -> Self {
        Self {
            index,
            nanoseconds: AtomicU64::new(0),
            rays: AtomicU64::new(0),
        }
    }

    fn seconds(&self) -> f64 {
        self.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9
    }
}

impl RayAccelerator for Stopwatch {
    fn fewest_rays(&self) -> usize {
        Tuning::default().fewest_rays
    }

    fn rays_at_once(&self) -> usize {
        Tuning::default().rays_at_once
    }

    fn answer(
        &self,
        rays: &[Ray],
        _: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        let mut hits = vec![None; rays.len()];
        let start = Instant::now();
        self.index.closest_hits(rays, &mut hits);
        let spent = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(spent, Ordering::Relaxed);
        self.rays.fetch_add(rays.len() as u64, Ordering::Relaxed);
        for (ray, hit) in hits.into_iter().enumerate() {
            set(ray, hit.map_or(Answer::Nothing, Answer::Hit));
        }
        Ok(())
    }
}
