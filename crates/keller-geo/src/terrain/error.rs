//! The errors of terrain.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::crs::CrsError;
use crate::other_formats::way_out;

/// Why terrain cannot be read, made or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// The file is missing or the system would not hand it over.
    #[error("`{}`: cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A name whose extension says nothing about the format.
    #[error(
        "`{}`: the extension {extension} is no known format of terrain; accepted are .tif and .tiff (GeoTIFF), .asc (ESRI ASCII grid) \
         and .hgt (SRTM){}",
        file.display(), way_out(file)
    )]
    Extension {
        /// The file.
        file: PathBuf,
        /// Its extension in quotes, or `(none)`.
        extension: String,
    },
    /// A file that breaks the rules of its format, or ends too early.
    #[error("`{}`: {problem}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The place in it, the problem, and the accepted contents.
        problem: String,
    },
    /// A correct file that uses a part of its format which is not read here.
    #[error("`{}`: {what} is not supported; {accepted}", file.display())]
    Unsupported {
        /// The file.
        file: PathBuf,
        /// The part of the format.
        what: String,
        /// The alternatives that are accepted.
        accepted: String,
    },
    /// A coordinate reference system that is not understood, or that does not fit the coordinates.
    #[error("`{}`: {source}", file.display())]
    Crs {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: CrsError,
    },
    /// Rasters without a single height where one is needed.
    #[error("there is no height in {0}")]
    NoHeights(String),
    /// A grid that would not fit in memory.
    #[error(
        "the terrain would have {columns} x {rows} cells; at most {max_cells} are accepted: give a smaller region"
    )]
    TooLarge {
        /// Cells from west to east.
        columns: f64,
        /// Cells from south to north.
        rows: f64,
        /// The limit.
        max_cells: usize,
    },
    /// An option outside of its range.
    #[error("{name} = {value} is not accepted; {accepted}")]
    Option {
        /// Its name.
        name: &'static str,
        /// The value found.
        value: f64,
        /// The accepted values.
        accepted: &'static str,
    },
    /// A region that cannot be cut out.
    #[error("the region {0}")]
    Region(String),
    /// Bands that make no raster.
    #[error("a GeoTIFF cannot be written: {0}")]
    Bands(String),
    /// The system would not take the file.
    #[error("cannot be written: {0}")]
    Write(#[from] io::Error),
}
