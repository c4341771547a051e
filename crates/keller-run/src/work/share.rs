//! The share of a run that is done.

/// The place of a unit in all that a run does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    done: usize,
    all: usize,
}

impl Share {
    /// The place after `done` of `all` items, each with each Tx.
    pub(crate) fn of(done: usize, all: usize) -> Self {
        Self { done, all }
    }

    /// The place after so many more items.
    pub(crate) fn after(self, items: usize) -> Self {
        Self {
            done: self.done + items,
            ..self
        }
    }

    /// The share of all, 0 to 1, where so many items of the unit are done.
    pub(crate) fn at(self, items: f64) -> f64 {
        (self.done as f64 + items) / self.all.max(1) as f64
    }
}
