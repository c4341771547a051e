//! The power that reaches receivers beyond all paths, link by link.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use keller::diffuse::DiffuseTx;

use crate::Error;
use crate::observer::{Observer, Tell};

/// The diffuse and background power of each link, as linear path gains. Clones share it.
#[derive(Debug, Clone)]
pub struct PowerBesidePaths(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    num_rx: usize,
    diffuse: Option<DiffuseLinks>,
    /// The links are in order: from the first Tx to every Rx, then from the second.
    background: Option<Vec<f64>>,
}

/// The diffuse field of every link.
#[derive(Debug)]
struct DiffuseLinks {
    of_tx: Vec<DiffuseTx>,
    /// The links are in order: from the first Tx to every Rx, then from the second.
    gains: Vec<f64>,
    /// The decay time of each Tx, once it is asked for.
    decay_times: OnceLock<Vec<Option<f64>>>,
}

impl PowerBesidePaths {
    /// The power of all links. `diffuse` has the field of every Tx and its gains at all Rx. Gains go from the first Tx
    /// to every Rx, then from the second.
    pub(crate) fn new(
        num_rx: usize,
        diffuse: Option<(Vec<DiffuseTx>, Vec<f64>)>,
        background: Option<Vec<f64>>,
    ) -> Self {
        let of_links = |(of_tx, gains)| DiffuseLinks {
            of_tx,
            gains,
            decay_times: OnceLock::new(),
        };
        Self(Arc::new(Inner {
            num_rx,
            diffuse: diffuse.map(of_links),
            background,
        }))
    }

    /// The diffuse field and the background of a link together, linear path gain. Zero for an Rx without a place.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn gain(&self, tx: usize, rx: usize) -> f64 {
        self.diffuse_gain(tx, rx).unwrap_or(0.0) + self.background_gain(tx, rx).unwrap_or(0.0)
    }

    /// The same for some receivers.
    ///
    /// # Panics
    /// As [`Self::gain`].
    pub fn gains(&self, tx: usize, rx: Range<usize>) -> Vec<f64> {
        rx.map(|rx| self.gain(tx, rx)).collect()
    }

    /// The diffuse field of a link alone, linear path gain; `None` without `[diffuse]`. An array at the Rx adds up the
    /// power of its elements.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn diffuse_gain(&self, tx: usize, rx: usize) -> Option<f64> {
        let diffuse = self.0.diffuse.as_ref()?;
        Some(diffuse.gains[self.link(tx, rx)])
    }

    /// The same for some receivers; zeros without `[diffuse]`.
    ///
    /// # Panics
    /// As [`Self::diffuse_gain`].
    pub fn diffuse_gains(&self, tx: usize, rx: Range<usize>) -> Vec<f64> {
        rx.map(|rx| self.diffuse_gain(tx, rx).unwrap_or(0.0))
            .collect()
    }

    /// The background of a link alone, linear path gain; `None` without `[background]`.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn background_gain(&self, tx: usize, rx: usize) -> Option<f64> {
        let gains = self.0.background.as_ref()?;
        Some(gains[self.link(tx, rx)])
    }

    /// The time in which the diffuse energy of each Tx decays by the factor e, seconds; `None` where nothing comes
    /// back. Empty without `[diffuse]`.
    pub fn decay_times(&self) -> &[Option<f64>] {
        self.0.diffuse.as_ref().map_or(&[], |diffuse| {
            let each = || diffuse.of_tx.iter().map(DiffuseTx::decay_time).collect();
            diffuse.decay_times.get_or_init(each)
        })
    }

    /// Computes [`Self::decay_times`] where the run can be stopped.
    ///
    /// # Errors
    /// [`Error::Stopped`]
    pub(crate) fn prepare_decay_times(&self, observer: &dyn Observer) -> Result<(), Error> {
        let Some(diffuse) = &self.0.diffuse else {
            return Ok(());
        };
        if diffuse.decay_times.get().is_none() {
            let times = diffuse.of_tx.iter().map(|tx| {
                observer.check()?;
                Ok(tx.decay_time())
            });
            let times = times.collect::<Result<_, Error>>()?;
            diffuse.decay_times.get_or_init(|| times);
        }
        Ok(())
    }

    fn link(&self, tx: usize, rx: usize) -> usize {
        let num_rx = self.0.num_rx;
        assert!(rx < num_rx, "there are {num_rx} receivers");
        tx * num_rx + rx
    }
}
