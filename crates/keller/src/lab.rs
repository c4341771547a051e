//! What the literature does, to stand beside ours: for comparisons only, and only with the feature `lab`.

pub use crate::coverage::tubes::ladder::{Ladder, Owner, Splitting};
pub use crate::geometry::bvh::random_rays::{Vectors, bundles, rays, soup};
pub use crate::paths::refine::{Refiner, Starts};
pub use crate::paths::search::tiles::{Aim, Hit, Order, Rays, Streaming};
pub use crate::random::Random;
