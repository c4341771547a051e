//! GeoTIFF: reads heights, writes bands of f32 with their place on the earth.
//!
//! # Source
//! OGC 19-008r4, "OGC GeoTIFF Standard", version 1.1, 2019; GDAL, "`GTiff`: GeoTIFF File Format", for nodata and the metadata of bands.

mod describe;
mod directory;
mod keys;
mod read;
mod statistics;
mod write;

pub(super) use read::parse;
pub use write::{Band, GeoTiff, Values, write};

/// GDAL's XML of names, units and scales of bands.
const GDAL_METADATA: u16 = 42112;
