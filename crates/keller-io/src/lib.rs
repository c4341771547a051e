//! Reads and writes what keller takes and gives.

mod error;
pub mod import;
pub mod pattern;
pub mod scenario;
pub mod table;

pub use error::{ImportError, Place};
pub use import::{Imported, Warning, import, import_many};
