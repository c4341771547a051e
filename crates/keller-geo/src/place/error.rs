//! The errors of a file of buildings. Every message opens with the file, then the place in it where one is known.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::other_formats::way_out;

/// Why buildings could not be read or placed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlaceError {
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
        "`{}`: the extension {extension} is no known format of buildings; accepted are .geojson, .json (GeoJSON or CityJSON), .jsonl \
         (CityJSON), .shp, .gpkg, .fgb, .osm, .pbf and .res (COST 231){}",
        file.display(), way_out(file)
    )]
    Extension {
        /// The file.
        file: PathBuf,
        /// Its extension in quotes, or `(none)`.
        extension: String,
    },
    /// A file that breaks the rules of its format, or ends too early.
    #[error("`{}`{}: {problem}", file.display(), after_comma(place))]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The place in it; empty for nowhere in particular.
        place: String,
        /// The problem, and the accepted contents.
        problem: String,
    },
    /// A file that is in order but holds no building and no vegetation that can be used.
    #[error("`{}`: there are no buildings and no vegetation in it{}", file.display(), in_brackets(hint))]
    NoBuildings {
        /// The file.
        file: PathBuf,
        /// The first warning; empty for none.
        hint: String,
    },
    /// Coordinates that cannot be brought into the local frame.
    #[error("{place}: the coordinates ({x}, {y}) cannot be placed: {problem}")]
    Coordinates {
        /// The building.
        place: String,
        /// Easting or longitude.
        x: f64,
        /// Northing or latitude.
        y: f64,
        /// Why not.
        problem: String,
    },
}

impl PlaceError {
    pub(super) fn malformed(
        file: &Path,
        place: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        Self::Malformed {
            file: file.to_owned(),
            place: place.into(),
            problem: problem.into(),
        }
    }
}

fn after_comma(place: &str) -> String {
    if place.is_empty() {
        String::new()
    } else {
        format!(", {place}")
    }
}

fn in_brackets(hint: &str) -> String {
    if hint.is_empty() {
        String::new()
    } else {
        format!(" ({hint})")
    }
}
