//! The engines that fill cells, behind one trait.

mod beams;
mod models;
mod points;
pub(crate) mod tubes;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use keller::coverage::beams::Beams;
use keller::coverage::{Engine, Region};
use keller::{Control, Tx};
use keller_io::reports::coverage::Figures;
use keller_io::scenario::CellSettings;

use crate::{Error, Job};

/// The values of a coverage: rows of cells.
pub type Rows = Box<dyn Iterator<Item = Vec<f64>>>;

/// An engine that is ready to fill the cells of a region.
pub trait CellEngine: Debug + Send + Sync {
    /// The cells.
    fn region(&self) -> &Region;

    /// The ground under them, as [`keller::coverage::Coverage::ground`].
    fn ground(&self) -> &[f64];

    /// The figures that it computes in addition to the gains.
    fn figures(&self) -> Figures {
        Figures::Nothing
    }

    /// The Tx that it fills together. They do not depend on memory or blocks, so these change no byte of the result.
    fn together(&self) -> Together {
        Together::Alone
    }

    /// The largest number of cells that it fills at once, where the cost of some cells does not grow with the rest of
    /// the region; `None` where each block costs the whole region again.
    fn cells_at_once(&self) -> Option<usize>;

    /// The values of some cells for each of these Tx, which it fills together: its gains, linear, and a row of each
    /// [figure](Self::figures), one Tx after the other.
    ///
    /// # Errors
    /// [`keller::Error::Cancelled`]
    fn rows(
        &self,
        tx: &[&Tx],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Rows, keller::Error>;

    /// Bytes that a Tx takes while it is filled, not counting its cells.
    fn bytes_of_tx(&self) -> u64 {
        0
    }

    /// A description of the data that takes the memory.
    fn takes_memory(&self) -> String;
}

/// The Tx that an engine fills together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// Each alone.
    Alone,
    /// All at one place: one trace serves them. It follows all waves that any of them can bring, so the result of a Tx
    /// depends a little on the others there.
    AtOnePlace,
    /// At most this number, and fewer where memory is scarce: the result of a Tx does not depend on the others.
    Any(usize),
}

impl Together {
    /// The numbers of these Tx, in groups that are filled together.
    pub(super) fn groups(self, tx: &[Tx]) -> Vec<Vec<usize>> {
        if let Self::Any(most) = self {
            let all: Vec<usize> = (0..tx.len()).collect();
            return all.chunks(most).map(<[usize]>::to_vec).collect();
        }
        let is_shared = self == Self::AtOnePlace;
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, sender) in tx.iter().enumerate() {
            let same = groups
                .iter_mut()
                .find(|group| is_shared && tx[group[0]].position == sender.position);
            match same {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }
}

/// The engine that settings ask for, ready to fill a region. Beams may be `prepared` for it already.
pub(super) fn prepare(
    job: &Job,
    settings: &CellSettings,
    region: &Region,
    prepared: Option<&Arc<Beams>>,
) -> Result<Box<dyn CellEngine>, Error> {
    Ok(match settings.engine {
        Engine::Points => Box::new(points::prepare(job, settings, region)?),
        Engine::Tubes { .. } => Box::new(tubes::prepare(job, settings, region)?),
        Engine::Beams { .. } => Box::new(beams::prepare(job, settings, region, prepared)?),
        Engine::Model(model) => Box::new(models::prepare(job, settings, region, model)?),
    })
}

/// The gains of each Tx alone.
fn each(
    tx: &[&Tx],
    gains: impl Fn(&Tx) -> Result<Vec<f64>, keller::Error>,
) -> Result<Rows, keller::Error> {
    let all: Result<Vec<_>, _> = tx.iter().map(|tx| gains(tx)).collect();
    Ok(Box::new(all?.into_iter()))
}
