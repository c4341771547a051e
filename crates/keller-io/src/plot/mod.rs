//! Pictures as SVG: a plan with paths, and power over delay.
//!
//! Text names the generic family `sans-serif` only, so nothing depends on the fonts of the machine that draws.

mod axes;
mod map;
mod outlines;
mod profile;

pub use map::{Map, MapPath};
pub use profile::{ProfilePlot, Stem};
