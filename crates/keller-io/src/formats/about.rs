//! The words with which a file says how it was made.

use keller_geo::crs::Georeference;

/// The version that files say they were made with.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The words with which a file says how it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct About {
    /// The text of the scenario file.
    pub scenario: String,
    /// The place of the scene on earth, if it is known: the `crs` and `origin` in files.
    pub georeference: Option<Georeference>,
}
