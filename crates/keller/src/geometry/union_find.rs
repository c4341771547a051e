//! Disjoint sets whose representative is always their smallest member, so that results do not depend on the order of joining.

use std::sync::atomic::{AtomicU32, Ordering};

/// Sets over `0..n`.
#[derive(Debug, Clone)]
pub(crate) struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// `n` sets of one member.
    pub(crate) fn new(n: usize) -> Self {
        let n = u32::try_from(n).expect("fewer than 2^32 members");
        Self {
            parent: (0..n).collect(),
        }
    }

    /// The smallest member of the set that `i` is in.
    pub(crate) fn root(&mut self, i: usize) -> usize {
        let mut i = i;
        while self.parent[i] as usize != i {
            let up = self.parent[i] as usize;
            self.parent[i] = self.parent[up];
            i = up;
        }
        i
    }

    /// Makes one set of the two that `a` and `b` are in.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let (small, large) = (a.min(b), a.max(b));
        self.parent[large] = u32::try_from(small).expect("members fit in 32 bits");
    }
}

/// The sets of [`UnionFind`], joined by many threads at once.
///
/// # Source
/// Anderson and Woll, "Wait-free Parallel Algorithms for the Union-Find Problem" (1991), with the smaller member on top.
#[derive(Debug)]
pub(crate) struct SharedUnionFind {
    /// The parent of each member, which is never larger than the member.
    parent: Vec<AtomicU32>,
}

impl SharedUnionFind {
    /// `n` sets of one member.
    pub(crate) fn new(n: usize) -> Self {
        let n = u32::try_from(n).expect("fewer than 2^32 members");
        Self {
            parent: (0..n).map(AtomicU32::new).collect(),
        }
    }

    /// The smallest member of the set that `i` is in, among those joined so far.
    pub(crate) fn root(&self, i: u32) -> u32 {
        let mut i = i;
        loop {
            let up = self.parent[i as usize].load(Ordering::Relaxed);
            if up == i {
                return i;
            }
            let above = self.parent[up as usize].load(Ordering::Relaxed);
            if above != up {
                // Whoever was faster has put something smaller there.
                let slot = &self.parent[i as usize];
                let _ = slot.compare_exchange(up, above, Ordering::Relaxed, Ordering::Relaxed);
            }
            i = up;
        }
    }

    /// Makes one set of the two that `a` and `b` are in.
    pub(crate) fn join(&self, a: u32, b: u32) {
        loop {
            let (a, b) = (self.root(a), self.root(b));
            if a == b {
                return;
            }
            let (small, large) = (a.min(b), a.max(b));
            let slot = &self.parent[large as usize];
            let was_root =
                slot.compare_exchange(large, small, Ordering::Relaxed, Ordering::Relaxed);
            if was_root.is_ok() {
                return;
            }
        }
    }
}
