//! Cards against the processor.
//!
//! They run on the card whose name `KELLER_TEST_GPU` has, else on one that software imitates, else not at all. Where the
//! variable is set, they fail if there is no such card.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod failures;
#[path = "../../../keller/src/geometry/bvh/tests/random_rays.rs"]
mod random_rays;
mod rays;
mod sights;

use keller::geometry::bvh::{Ray, Triangle};
use keller::random::Random;
use keller_gpu::{Gpu, for_tests};

/// The card to be tested, open for this test alone.
fn gpu() -> Option<Gpu> {
    Some(Gpu::of(&for_tests()?).unwrap())
}
