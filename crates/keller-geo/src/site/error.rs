//! Why files do not become a scene.

use std::path::PathBuf;

use glam::DVec2;
use thiserror::Error;

use crate::crs::CrsError;
use crate::place::PlaceError;
use crate::terrain::TerrainError;

/// Why files do not become a scene. Messages name the file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SiteError {
    /// A site without any file.
    #[error("there is neither a building nor a terrain to make a scene of")]
    Nothing,
    /// Files of buildings of which none can be used.
    #[error("no building can be used: {0}")]
    NoBuildings(String),
    /// A coordinate reference system that is not understood, or has no frame at the place.
    #[error("`{}`: {source}", file.display())]
    Crs {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: CrsError,
    },
    /// Buildings in degrees where the system is in metres.
    #[error(
        "`{}`: its coordinates from ({:.4}, {:.4}) to ({:.4}, {:.4}) look like degrees, but {crs} is not in degrees: is the coordinate \
         reference system right?",
        file.display(), low.x, low.y, high.x, high.y
    )]
    Degrees {
        /// The file.
        file: PathBuf,
        /// The system.
        crs: String,
        /// The smallest coordinates.
        low: DVec2,
        /// The largest.
        high: DVec2,
    },
    /// Buildings that cannot be brought into the frame.
    #[error("`{}`, {source}", file.display())]
    Place {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: PlaceError,
    },
    /// Terrain that cannot be used.
    #[error(transparent)]
    Terrain(#[from] TerrainError),
    /// Terrain that lies elsewhere than the buildings.
    #[error(
        "`{}`: it has no height where the buildings are, from longitude and latitude or easting and northing {low} to {high}: is its \
         coordinate reference system right, and those of the buildings?",
        file.display()
    )]
    Beside {
        /// The first file of terrain.
        file: PathBuf,
        /// The corner of the buildings' box, in its system.
        low: DVec2,
        /// The other corner.
        high: DVec2,
    },
    /// Buildings that lie far from each other or from those of another file.
    #[error(
        "`{}`: its buildings lie up to {kilometres:.0} km from the centre of the place, {} is the largest distance accepted: is the \
         coordinate reference system right{}?",
        file.display(), "500 km", stated(crs.as_ref())
    )]
    Far {
        /// The file.
        file: PathBuf,
        /// The distance, km.
        kilometres: f64,
        /// The file's system.
        crs: Option<String>,
    },
    /// Bounds in metres whose west lies east of their east.
    #[error(
        "the bounds from {low} to {high} are in metres, as no file says where it lies: west must be below east"
    )]
    BoundsInMetres {
        /// The corners asked for.
        low: DVec2,
        /// The other one.
        high: DVec2,
    },
    /// Bounds without a building in them.
    #[error(
        "no building lies between {low} and {high}; the files have them from {there_low} to {there_high}"
    )]
    Bounds {
        /// The corners asked for.
        low: DVec2,
        /// The other one.
        high: DVec2,
        /// The corner of the box of existing buildings.
        there_low: DVec2,
        /// The other corner.
        there_high: DVec2,
    },
}

fn stated(crs: Option<&String>) -> String {
    crs.map_or(", and is there none".to_owned(), |crs| format!(" ({crs})"))
}
