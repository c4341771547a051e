//! Reads and writes files: scenes, scenarios and patterns in; tables, arrays, maps, models and pictures out.

pub mod arrays;
mod bytes;
pub mod calibration;
pub mod channel;
pub mod comparison;
pub mod coverage;
mod error;
pub mod export;
pub mod fingerprint;
pub mod import;
mod kept;
mod looks;
mod npy;
mod npz;
mod npz_archive;
mod output;
pub mod paths;
pub mod pattern;
mod pending;
pub mod plot;
mod random_access;
mod record_file;
pub mod scenario;
pub mod scene_file;
mod stored_arrays;
pub mod surfaces;
pub mod sweep;
pub mod table;
pub mod view;
pub mod visibility;
mod zarr_read;

pub use error::{ImportError, Place};
pub use import::{Imported, Warning, import, import_many};
pub use npy::NpyWriter;
pub use output::{OutputFile, OutputFolder};
pub use pending::discard_unfinished;
