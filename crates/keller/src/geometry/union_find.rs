//! Disjoint sets whose representative is always their smallest member, so that results do not depend on the order of joining.

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
