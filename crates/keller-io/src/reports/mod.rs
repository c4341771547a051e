//! Results as people and other programs read them: tables, arrays, maps, models, pictures and pages.

pub mod calibration;
pub mod channel;
pub mod comparison;
pub mod coverage;
pub mod export;
pub mod fingerprint;
mod looks;
pub mod palette;
pub mod plot;
pub mod surfaces;
pub mod table;
pub mod view;
