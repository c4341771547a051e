//! The errors of a coordinate reference system and of coordinates in it.

use thiserror::Error;

/// Why a coordinate reference system, a frame or a coordinate cannot be used. Readers put the file and the feature before it.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CrsError {
    /// A text in none of the accepted forms.
    #[error(
        "`{0}` is no coordinate reference system that is understood; accepted are EPSG codes (`EPSG:25832`, \
         `urn:ogc:def:crs:EPSG::25832`), PROJ strings (`+proj=...`) and WKT"
    )]
    Form(String),
    /// A code that the lists do not have.
    #[error("EPSG:{0} is not known; give the system as a PROJ string (`+proj=...`) or as WKT")]
    UnknownCode(u32),
    /// A system of heights alone.
    #[error("`{0}` is a system of heights alone; a horizontal or compound one is needed")]
    HeightsOnly(String),
    /// A definition that the projection library refuses.
    #[error("`{definition}`: {problem}")]
    Definition {
        /// The definition.
        definition: String,
        /// The error in it.
        problem: String,
    },
    /// Geocentric coordinates and projections without an inverse.
    #[error("`{0}` has no easting and northing, or none that lead back to longitude and latitude")]
    NotHorizontal(String),
    /// A coordinate that the projection cannot take.
    #[error("({x}, {y}) is outside of what {crs} can project: {problem}")]
    Outside {
        /// Longitude or easting.
        x: f64,
        /// Latitude or northing.
        y: f64,
        /// The system.
        crs: String,
        /// The reason.
        problem: String,
    },
    /// A coordinate that makes sense only with its axes exchanged.
    #[error(
        "({x}, {y}) is outside of {crs}, but ({y}, {x}) is in it: the axes are swapped; x must be {first}, y {second}"
    )]
    SwappedAxes {
        /// The number in the place of longitude or easting.
        x: f64,
        /// The number in the place of latitude or northing.
        y: f64,
        /// The system.
        crs: String,
        /// The first axis in words.
        first: &'static str,
        /// The second axis in words.
        second: &'static str,
    },
    /// A place on both sides of longitude 180 degrees.
    #[error(
        "the place reaches from longitude {west} to {east} degrees: more than a hemisphere has no local frame, nor has \
         a projected system on both sides of the antimeridian; give it in longitude and latitude, or in a projected system of the place"
    )]
    Antimeridian {
        /// Least longitude, degrees.
        west: f64,
        /// Largest longitude, degrees.
        east: f64,
    },
    /// A place where there are no UTM zones.
    #[error(
        "the place lies at latitude {0} degrees: UTM ends at 84 N and 80 S; give it in a projected system in metres, \
         such as EPSG:32661 or EPSG:32761"
    )]
    Polar(f64),
    /// A system that cannot be a local frame.
    #[error(
        "{crs} cannot be the local frame: {problem}; a frame needs metres, x to the east and y to the north"
    )]
    Frame {
        /// The system.
        crs: String,
        /// The reason against it.
        problem: String,
    },
}
