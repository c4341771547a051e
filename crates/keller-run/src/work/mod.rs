//! Work that is cut into units: one way to compute, keep, resume and share everything that a scenario asks for.
//!
//! [`Work`] cuts itself into [units](Unit), computes one, and turns its result into bytes. A [`Run`] hands out finished
//! units in the order of the result, with progress, cancellation and a limit of memory as values of the
//! [observer](crate::Observer). It takes them from where they are: from its own [store](keller_io::store::UnitStore),
//! from the [store of a batch](crate::Batch) that several machines share, or it computes them. Wherever a unit comes
//! from, it has the same bytes.

mod batch_units;
mod run;
mod share;

use std::fmt::Debug;
use std::sync::Arc;

use keller_io::store::{Kind, Part, Unit};

use crate::{Error, Job};

pub(crate) use batch_units::BatchUnits;
pub use run::Run;
pub(crate) use share::Share;

/// Work of a job that is cut into units.
pub trait Work: Debug + Send + Sync + Sized {
    /// The result of a unit.
    type Output;

    /// The name of all its results together, for people: "the paths".
    const RESULTS: &'static str;

    /// The kind of its units in plans.
    fn kind(&self) -> Kind;

    /// Whether results have the rays to every tile.
    fn has_rays(&self) -> bool {
        false
    }

    /// The units in the order of the result; about so many items each, if that is said and engines allow it.
    fn units(&self, most: Option<usize>) -> Vec<Unit>;

    /// Computes a unit, or its [beginning](Unit::begins_with): as much as memory and some seconds allow. Returns the
    /// part that was computed.
    ///
    /// # Errors
    /// [`Error::Stopped`], [`Error::Memory`] if even the smallest part takes too much.
    fn compute(&mut self, unit: &Unit, share: Share) -> Result<(Unit, Self::Output), Error>;

    /// The result of a unit, as bytes. Large results may be moved there.
    fn payload(output: &mut Self::Output) -> Vec<u8>;

    /// The result from bytes of [`Self::payload`]; `None` of bytes that cannot be the result of this unit.
    fn read(&self, unit: &Unit, payload: Vec<u8>) -> Option<Self::Output>;

    /// The job whose results these are.
    fn job(&self) -> &Arc<Job>;

    /// A digest of all that the results follow from.
    fn digest(&self) -> [u8; 16];

    /// Whether it computes such a unit. Plans are read back from files.
    fn has(&self, _unit: &Unit) -> bool {
        true
    }

    /// The part of a unit of a plan that is this job's own: other variants may be computed with it.
    fn own(&self, unit: &Unit) -> Unit {
        unit.clone()
    }

    /// The payload of the part that [`Self::own`] names; `None` of bytes that cannot be the result of a unit.
    fn own_payload(&self, _unit: &Unit, payload: Vec<u8>) -> Option<Vec<u8>> {
        Some(payload)
    }

    /// Whether there is such a part.
    fn is_wanted(&self, _unit: &Unit) -> bool {
        true
    }

    /// The same work with units of several variants, whose job this is. `tx` has the number of each own Tx there.
    ///
    /// # Errors
    /// The errors of making such work.
    fn among(self, _job: &Arc<Job>, _tx: Vec<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    /// Announces that units are kept in a file from now on, and that parts shall take some seconds at most.
    fn keep_often(&mut self) {}

    /// Learns of each result that is computed for others, or handed out next, wherever it comes from.
    fn see(&mut self, _output: &Self::Output) {}

    /// Learns that all is handed out.
    ///
    /// # Errors
    /// [`Error::Stopped`]
    fn end(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// Work whose results are bytes.
pub(crate) trait AnyWork: Debug + Send + Sync {
    /// [`Work::units`]
    fn units(&self, most: Option<usize>) -> Vec<Unit>;

    /// All parts of a unit, in order; `None` if there is no such unit.
    fn parts(&mut self, unit: &Unit, share: Share) -> Result<Option<Vec<Part>>, Error>;
}

impl<W: Work> AnyWork for W {
    fn units(&self, most: Option<usize>) -> Vec<Unit> {
        Work::units(self, most)
    }

    fn parts(&mut self, unit: &Unit, share: Share) -> Result<Option<Vec<Part>>, Error> {
        if !self.has(unit) {
            return Ok(None);
        }
        let mut parts = Vec::new();
        run::each_part(unit, &mut |left| {
            let done: usize = parts
                .iter()
                .map(|(part, _): &(Unit, _)| part.num_items())
                .sum();
            let (part, mut output) = self.compute(left, share.after(done))?;
            self.see(&output);
            parts.push((part.clone(), Self::payload(&mut output)));
            Ok(Some(part))
        })?;
        Ok(Some(parts))
    }
}
