//! Stands in for cards in programs that are built without them. Its types have no values.

use keller::geometry::bvh::{AcceleratorFailed, Answer, Bvh, Question, Ray, RayAccelerator};

use crate::Error;
use crate::adapter::{Adapter, Choice};

/// An empty list: this program was built without the feature `cards`.
pub fn adapters() -> Vec<Adapter> {
    Vec::new()
}

/// An open card.
#[derive(Debug, Clone, Copy)]
pub enum Gpu {}

impl Gpu {
    /// The card that is meant: none.
    ///
    /// # Errors
    /// [`Error::NotBuilt`] if there must be one.
    pub fn open(choice: &Choice) -> Result<Option<Self>, Error> {
        match choice {
            Choice::Cpu | Choice::Auto => Ok(None),
            Choice::Gpu | Choice::Named(_) => Err(Error::NotBuilt),
        }
    }

    /// A copy of an index on the card.
    ///
    /// # Errors
    /// None.
    pub fn index(
        &self,
        _: &Bvh,
        _: impl Fn(Error) + Send + Sync + 'static,
    ) -> Result<GpuIndex, Error> {
        match *self {}
    }
}

/// A copy of an index on a card.
#[derive(Debug, Clone, Copy)]
pub enum GpuIndex {}

impl GpuIndex {
    /// The name of its card.
    pub fn name(&self) -> &str {
        match *self {}
    }
}

impl RayAccelerator for GpuIndex {
    fn fewest_rays(&self) -> usize {
        match *self {}
    }

    fn rays_at_once(&self) -> usize {
        match *self {}
    }

    fn answer(
        &self,
        _: &[Ray],
        _: Question,
        _: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        match *self {}
    }
}
