//! Paths by the search over tiles: coarse paths from tile to tile, made exact and validated, and those to tiles.

mod coarse;
mod finder;
mod from_tiles;
mod refine;
mod to_tiles;

pub use self::coarse::{CoarsePaths, Environment};
pub use self::finder::TileFinder;
pub use self::refine::CoarseReport;
pub(super) use self::refine::refine;
pub use self::to_tiles::TileChains;
