//! Removal of doubles, by sorting or by a hash table (Vaara 2022, section 4.3.2 and table 5 of its appendix).

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// The way in which doubles are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// Items are sorted, and equal neighbours joined. The items of earlier batches lie in sorted runs, of which those
    /// of similar length are merged, so that each item is moved as often as in a merge sort.
    Sort,
    /// A hash table of all items. Whole items are compared, not only their hashes.
    Hash,
}

/// The items that are known.
#[derive(Debug)]
pub enum Known<T> {
    /// Sorted runs, the longest first, without doubles.
    Runs(Vec<Vec<T>>),
    /// A hash table.
    Table(FxHashSet<T>),
}

impl<T: Copy + Ord + Hash> Known<T> {
    /// Knows nothing.
    pub fn new(removal: Removal) -> Self {
        match removal {
            Removal::Sort => Self::Runs(Vec::new()),
            Removal::Hash => Self::Table(FxHashSet::default()),
        }
    }

    /// Leaves those items of a batch that were not known, each once, and knows them from now on.
    pub fn keep_new(&mut self, batch: &mut Vec<T>) {
        match self {
            Self::Table(table) => batch.retain(|item| table.insert(*item)),
            Self::Runs(runs) => {
                batch.sort_unstable();
                batch.dedup();
                batch.retain(|item| runs.iter().all(|run| run.binary_search(item).is_err()));
                if batch.is_empty() {
                    return;
                }
                let mut newest = batch.clone();
                while let Some(run) = runs.pop_if(|run| run.len() < 2 * newest.len()) {
                    newest = merged(&run, &newest);
                }
                runs.push(newest);
            }
        }
    }

    /// The known items, in order.
    pub fn into_sorted(self) -> Vec<T> {
        let mut all: Vec<T> = match self {
            Self::Runs(runs) => runs.concat(),
            Self::Table(table) => table.into_iter().collect(),
        };
        all.sort_unstable();
        all
    }
}

/// Two sorted runs that have nothing in common, as one.
fn merged<T: Copy + Ord>(a: &[T], b: &[T]) -> Vec<T> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] < b[j] {
            all.push(a[i]);
            i += 1;
        } else {
            all.push(b[j]);
            j += 1;
        }
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}
