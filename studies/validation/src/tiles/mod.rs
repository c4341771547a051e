//! The discrete environment in cities, compared with the figures of Vaara 2022 and Lu et al. 2019.

mod crop;
mod exactness;
mod ladder;
mod recall;
mod refiners;
mod sampled;
mod street;
pub(crate) mod surfaces;
pub(crate) mod table;
mod thesis;
mod threshold;
mod visibility;
mod whole_city;

pub(crate) use street::street;
pub(crate) use surfaces::{Area, surfaces};
pub(crate) use thesis::{Report, Square, thesis};
pub(crate) use visibility::visibility;
pub(crate) use whole_city::whole_city;

/// The share of a part in a whole, percent.
fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
