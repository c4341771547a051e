//! Takes paths from the store of a sweep, in blocks as a run on one machine has them.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use keller_io::paths::PathBlock;
use keller_io::sweep::{UnitResult, Work};

use super::Sweep;
use crate::ends::Ends;
use crate::path_file::fits;
use crate::{Error, Job, Points};

/// The paths in a store, read in order.
#[derive(Debug)]
pub(crate) struct SweptPaths {
    sweep: Sweep,
    job: Arc<Job>,
    ends: Ends,
    /// The numbers of the units that follow.
    next: std::vec::IntoIter<usize>,
    /// What follows the last block.
    rest: Option<PathBlock>,
}

impl SweptPaths {
    pub(crate) fn open(place: &Path, job: &Arc<Job>, points: Points) -> Result<Self, Error> {
        let work = match points {
            Points::Devices => Work::Paths,
            Points::Elements => Work::Channels,
        };
        let (sweep, _) = Sweep::of_job(place, job, work, false)?;
        let numbers = sweep.units_of_job().into_iter().map(|(number, _)| number);
        let next = numbers.collect::<Vec<_>>().into_iter();
        Ok(Self {
            sweep,
            job: Arc::clone(job),
            ends: Ends::new(points, &job.scenario, &job.positions)?,
            next,
            rest: None,
        })
    }

    /// The paths from a Tx to some receivers, which follow those of the last block.
    pub(crate) fn block(&mut self, tx: usize, rx: Range<usize>) -> Result<PathBlock, Error> {
        let mut block = match self.rest.take() {
            Some(rest) => rest,
            None => self.next_unit()?,
        };
        while block.rx.end < rx.end {
            block.append(self.next_unit()?);
        }
        if block.rx.end > rx.end {
            self.rest = Some(block.split_off(rx.end));
        }
        assert_eq!((block.tx, &block.rx), (tx, &rx), "blocks follow each other");
        Ok(block)
    }

    fn next_unit(&mut self) -> Result<PathBlock, Error> {
        let number = self.next.next().expect("units are as many as blocks need");
        let scene = self.job.world.scene();
        match self.sweep.take(number)? {
            UnitResult::Paths(block) if fits(&block, &self.ends, scene) => Ok(block),
            // It is damaged.
            _ => match self.sweep.run(number)? {
                UnitResult::Paths(block) => Ok(block),
                _ => unreachable!("units are of the kind that was asked for"),
            },
        }
    }
}
