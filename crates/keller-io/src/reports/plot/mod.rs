//! Pictures as SVG: a plan with paths, a map of values, and power over delay; and the view of a scene from the air, as
//! PNG.
//!
//! Text names the generic family `sans-serif` only, so nothing depends on the fonts of the machine that draws.

mod axes;
mod colour_bar;
mod coverage;
mod error_plan;
mod legend;
mod map;
mod marks;
mod outlines;
mod plan;
mod png;
mod profile;
mod scale;
mod scatter;
mod view;

pub use coverage::{BELOW_LIMIT, CoveragePlot, NO_POWER, Quantity, Scale, Slice};
pub use error_plan::ErrorPlan;
pub(crate) use legend::{legend_png, with_legend};
pub use map::{Map, MapPath, MapPaths};
pub use marks::{MarkKind, PlotMark, PlotTx};
pub use png::png;
pub use profile::{ProfilePlot, Stem};
pub(crate) use scale::ColourScale;
pub use scatter::ScatterPlot;
pub use view::View;
