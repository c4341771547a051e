//! Formats that other programs read and write too: meshes, antenna patterns, arrays, rows; and files that appear whole
//! or not at all.

mod about;
pub mod arrays;
pub(crate) mod bytes;
pub(crate) mod csv_rows;
mod error;
pub mod import;
pub(crate) mod kept;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod npz_archive;
mod output;
pub(crate) mod parquet_file;
pub mod pattern;
pub(crate) mod pending;
pub(crate) mod random_access;
pub(crate) mod stored_arrays;
pub(crate) mod unpacked;
pub(crate) mod zarr_read;

pub use about::About;
pub(crate) use about::VERSION;
pub use error::{ImportError, Place};
pub use import::{Imported, Warning, import, import_many};
pub use npy::NpyWriter;
pub use output::{OutputError, OutputFile, OutputFolder};
pub use pending::discard_unfinished;
