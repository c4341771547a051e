//! The chains found so far, and the receivers to which each may lead.

use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::CoarseChain;
use super::beam::Steps;
use super::lanes::Some16;
use super::visible_tiles::union;

/// Number of separate hash tables, so that threads seldom wait for each other.
const NUM_SHARDS: usize = 64;

/// Chains by their steps. All steps are compared, so different chains are never joined.
#[derive(Debug)]
pub(super) struct Known {
    shards: Vec<Mutex<FxHashMap<Steps, Vec<Some16>>>>,
}

impl Default for Known {
    fn default() -> Self {
        let shards = std::iter::repeat_with(Mutex::default).take(NUM_SHARDS);
        Self {
            shards: shards.collect(),
        }
    }
}

impl Known {
    /// Adds receivers of a chain.
    pub(super) fn add(&self, steps: Steps, rx: Vec<Some16>) {
        if rx.is_empty() {
            return;
        }
        let hash = FxBuildHasher.hash_one(steps);
        // The table itself uses the upper and the lower bits.
        let shard = usize::try_from(hash >> 32).unwrap_or(0) % NUM_SHARDS;
        let mut chains = self.shards[shard]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        chains
            .entry(steps)
            .and_modify(|known| *known = union(known, &rx))
            .or_insert(rx);
    }

    /// All chains, in order.
    pub(super) fn into_chains(self) -> Vec<CoarseChain> {
        let shards = self.shards.into_iter();
        let mut all: Vec<(Steps, Vec<Some16>)> = shards
            .flat_map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect();
        all.sort_unstable_by_key(|(steps, _)| *steps);
        let chain = |(steps, rx): (Steps, Vec<Some16>)| CoarseChain {
            steps: steps.to_vec(),
            rx: rx.iter().flat_map(|some| some.ids()).collect(),
        };
        all.into_iter().map(chain).collect()
    }
}
