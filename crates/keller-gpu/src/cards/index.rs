//! An index on the card: it answers batches of rays.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use keller::geometry::bvh::{
    AcceleratorFailed, Answer, Bvh, Question, Ray, RayAccelerator, SightPlace, Sights,
};

use super::batch::{self, Batch, RAY_BYTES, Sent};
use super::copy::{IndexCopy, Warn};
use super::opened::Opened;
use super::sights::GpuSights;
use super::tree::{Kernel, Tree};
use crate::Error;

/// One ray through the tree, and a batch of rays.
pub(crate) const RAYS: &str = concat!(include_str!("index.wgsl"), include_str!("rays.wgsl"));

/// Batches of one call that are on their way at once: while one is computed, the next goes up and the last comes back.
const UNDER_WAY: usize = 3;

/// Sizes of batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// The smallest batch that the device answers: the processor answers smaller ones.
    pub fewest_rays: usize,
    /// Rays of one batch on the card; larger calls are cut.
    pub rays_at_once: usize,
    /// The number of pairs of points below which the processor says which of them see each other.
    pub fewest_pairs: usize,
    /// Pairs of points of one batch.
    pub pairs_at_once: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            fewest_rays: 1 << 13,
            rays_at_once: 1 << 17,
            fewest_pairs: 1 << 24,
            pairs_at_once: 1 << 26,
        }
    }
}

/// A copy of an index on a card.
pub struct GpuIndex {
    copy: Arc<IndexCopy>,
    rays: Kernel,
    tuning: Tuning,
    /// Batches that wait for rays.
    waiting: Mutex<Vec<Batch>>,
    /// The kernel of visibility, made when it is first asked for.
    sights: Mutex<Option<Arc<Kernel>>>,
}

impl fmt::Debug for GpuIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GpuIndex")
            .field(&self.copy.gpu.name)
            .finish()
    }
}

impl GpuIndex {
    pub(crate) fn new(
        gpu: &Arc<Opened>,
        bvh: &Bvh,
        tuning: Tuning,
        warn: Warn,
    ) -> Result<Self, Error> {
        Self::with_kernel(gpu, bvh, tuning, warn, RAYS)
    }

    /// The copy with another text of the kernel, for tests.
    pub(crate) fn with_kernel(
        gpu: &Arc<Opened>,
        bvh: &Bvh,
        tuning: Tuning,
        warn: Warn,
        kernel: &str,
    ) -> Result<Self, Error> {
        let max_rays = gpu.limits.max_storage_buffer_binding_size / RAY_BYTES;
        let max_rays = usize::try_from(max_rays).unwrap_or(usize::MAX);
        let tuning = Tuning {
            rays_at_once: tuning.rays_at_once.clamp(1, max_rays),
            ..tuning
        };
        let tree = Tree::new(gpu, &bvh.flat())?;
        let index = Self {
            rays: tree.kernel(gpu, kernel, "trace", &batch::USES),
            copy: Arc::new(IndexCopy::new(gpu, tree)),
            tuning,
            waiting: Mutex::new(Vec::new()),
            sights: Mutex::new(None),
        };
        index.compare(bvh)?;
        index.copy.report_to(warn);
        Ok(index)
    }

    /// The name of its card.
    pub fn name(&self) -> &str {
        &self.copy.gpu.name
    }

    /// Compares answers of the card with those of the processor.
    fn compare(&self, bvh: &Bvh) -> Result<(), Error> {
        let wrong = bvh.wrong_answers(self);
        let [wrong, of] = wrong.map_err(|AcceleratorFailed| self.copy.failure())?;
        if wrong > 0 {
            return Err(Error::Inexact {
                name: self.copy.gpu.name.clone(),
                wrong,
                of,
            });
        }
        Ok(())
    }

    /// Answers of all rays; none if the card has failed.
    fn ask(
        &self,
        rays: &[Ray],
        question: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Option<()> {
        let IndexCopy { gpu, tree, .. } = &*self.copy;
        let mut under_way: VecDeque<(usize, Sent)> = VecDeque::new();
        for (part, rays) in rays.chunks(self.tuning.rays_at_once).enumerate() {
            if under_way.len() == UNDER_WAY {
                let (first, sent) = under_way.pop_front()?;
                self.keep(sent.receive(gpu, first, set)?);
            }
            let batch = self.batch(rays.len());
            let sent = batch.send(gpu, tree, &self.rays, rays, question);
            // Missing memory of the device is reported before the work is done.
            if gpu.failure().is_some() {
                return None;
            }
            under_way.push_back((part * self.tuning.rays_at_once, sent?));
        }
        for (first, sent) in under_way {
            self.keep(sent.receive(gpu, first, set)?);
        }
        gpu.failure().is_none().then_some(())
    }

    /// Buffers for so many rays.
    fn batch(&self, num_rays: usize) -> Batch {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fits) = waiting
            .iter()
            .position(|batch| batch.capacity() >= num_rays)
        {
            return waiting.swap_remove(fits);
        }
        drop(waiting);
        let capacity = num_rays.next_power_of_two().min(self.tuning.rays_at_once);
        Batch::new(&self.copy.gpu, &self.rays, capacity)
    }

    fn keep(&self, batch: Batch) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(batch);
    }

    /// The kernel that says which points see each other.
    fn sights_kernel(&self) -> Arc<Kernel> {
        let mut kernel = self.sights.lock().unwrap_or_else(PoisonError::into_inner);
        let made = kernel
            .get_or_insert_with(|| Arc::new(GpuSights::kernel(&self.copy.gpu, &self.copy.tree)));
        Arc::clone(made)
    }
}

impl RayAccelerator for GpuIndex {
    fn fewest_rays(&self) -> usize {
        self.tuning.fewest_rays
    }

    fn rays_at_once(&self) -> usize {
        self.tuning.rays_at_once
    }

    fn answer(
        &self,
        rays: &[Ray],
        question: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        if self.copy.gpu.failure().is_none() && self.ask(rays, question, set).is_some() {
            return Ok(());
        }
        Err(self.copy.failed())
    }

    fn fewest_pairs(&self) -> usize {
        if self.copy.sees() {
            self.tuning.fewest_pairs.max(1)
        } else {
            usize::MAX
        }
    }

    fn sights(&self, place: &SightPlace<'_>) -> Option<Box<dyn Sights>> {
        if !self.copy.sees() {
            return None;
        }
        let kernel = self.sights_kernel();
        match GpuSights::new(&self.copy, kernel, place, self.tuning.pairs_at_once) {
            Ok(sights) => Some(Box::new(sights)),
            Err(error) => {
                self.copy.see_no_more(error);
                None
            }
        }
    }
}
