//! The visibility between tiles, as a file: computed once for a place, and mapped into memory when it is used.
//!
//! It has the form of [stores](crate::store), and its head is the [`Header`]. Each record has the rows of [`BLOCK`]
//! tiles, as [`rows_as_bytes`] writes them. The file grows under the name `FILE.part`, so that a run that stops leaves
//! whole blocks from which the next one goes on; its end is written last.

mod error;
mod fill;
mod header;
mod read;
mod rows;
mod write;

pub use error::VisibilityError;
pub use header::{FinerDigest, Header};
pub use read::VisibilityFile;
pub use rows::{rows_as_bytes, rows_of_bytes};
pub use write::VisibilityWriter;

/// The number of tiles of a block. Another number requires another version of the format.
pub const BLOCK: usize = 1024;

#[cfg(test)]
mod tests;
