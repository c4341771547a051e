//! What a file says of how it was made.

use keller_geo::crs::Georeference;

/// The version that files say they were made with.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What travels with a file so that it says how it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// The text of the scenario file.
    pub scenario: String,
    /// Where on earth the scene lies, if it is known: `crs` and `origin` of what is written.
    pub georeference: Option<Georeference>,
}
