//! Which tiles see each other, as a file: computed once for a place, and mapped into memory when it is used.
//!
//! | | bytes |
//! |---|--:|
//! | the [`Header`]: format and version, the scene's and the tiles' digests, counts, how tiles were cut, a checksum | 112 |
//! | the index: where every block ends, its pairs, its checksum; zeros while it is missing | 24 a block |
//! | the blocks, one after the other, of [`BLOCK`] tiles each: where their rows end in the block, 8 bytes a row; the rows | |
//!
//! Rows are those of [`keller::tiles::RowBuilder`]. Little-endian throughout. The file grows under the name `FILE.part`, a block before
//! its place in the index, so that whatever stops a run leaves whole blocks that the next one goes on from.

mod error;
mod fill;
mod header;
mod index;
mod read;
mod rows;
mod write;

pub use error::VisibilityError;
pub use header::{FinerDigest, Header};
pub use read::VisibilityFile;
pub use rows::{rows_as_bytes, rows_of_bytes};
pub use write::VisibilityWriter;

/// Tiles of a block.
pub const BLOCK: usize = 1024;

#[cfg(test)]
mod tests;
