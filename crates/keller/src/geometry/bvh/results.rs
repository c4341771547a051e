//! The questions of batched calls about every ray, and the places for the answers: the nearest hit, whether it is free,
//! or what blocks it.

use super::Hit;

/// Takes the hit of each ray from a batched traversal.
pub(super) trait Results {
    /// Whether any hit will do; else the nearest is wanted.
    const ANY: bool;

    /// Ray number `ray` of the batch is finished; `hit` is `None` if nothing blocks it.
    fn set(&mut self, ray: usize, hit: Option<Hit>);
}

/// The nearest hit of each ray.
pub(super) struct Hits<'a>(pub(super) &'a mut [Option<Hit>]);

impl Results for Hits<'_> {
    const ANY: bool = false;

    #[inline(always)]
    fn set(&mut self, ray: usize, hit: Option<Hit>) {
        self.0[ray] = hit;
    }
}

/// Whether each ray is free.
pub(super) struct Free<'a>(pub(super) &'a mut [bool]);

impl Results for Free<'_> {
    const ANY: bool = true;

    #[inline(always)]
    fn set(&mut self, ray: usize, hit: Option<Hit>) {
        self.0[ray] = hit.is_none();
    }
}

/// A triangle that blocks each ray.
pub(super) struct Blockers<'a>(pub(super) &'a mut [Option<u32>]);

impl Results for Blockers<'_> {
    const ANY: bool = true;

    #[inline(always)]
    fn set(&mut self, ray: usize, hit: Option<Hit>) {
        self.0[ray] = hit.map(|hit| hit.triangle);
    }
}
