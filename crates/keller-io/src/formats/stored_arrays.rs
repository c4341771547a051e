//! Files of named arrays that were written before: an archive of numpy (`.npz`) or a Zarr store.

use std::path::Path;

use keller_geo::shown::has_control;

use crate::formats::npy::{Array, count_of};
use crate::formats::npz_archive::NpzArchive;
use crate::formats::zarr_read::ZarrStore;

/// A file with named arrays.
#[derive(Debug)]
pub(crate) enum StoredArrays {
    Npz(NpzArchive),
    Zarr(ZarrStore),
}

impl StoredArrays {
    /// The arrays in a file or folder, or what is wrong with them; `None` if its name ends in neither `.npz` nor
    /// `.zarr`.
    pub(crate) fn open(file: &Path) -> Option<Result<Self, String>> {
        let extension = file.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("npz") => Some(NpzArchive::open(file).map(Self::Npz)),
            Some("zarr") => Some(ZarrStore::open(file).map(Self::Zarr)),
            _ => None,
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Self::Npz(archive) => archive.has(name),
            Self::Zarr(store) => store.has(name),
        }
    }

    /// The shape of an array, read from its description alone.
    pub(crate) fn shape(&mut self, name: &str) -> Result<Vec<usize>, String> {
        match self {
            Self::Npz(archive) => archive.shape(name),
            Self::Zarr(store) => store.shape(name),
        }
    }

    /// The number of values of an array, read from its description alone.
    pub(crate) fn count(&mut self, name: &str) -> Result<usize, String> {
        let shape = self.shape(name)?;
        usize::try_from(count_of(&shape)).map_err(|_| format!("array {name} is too large"))
    }

    pub(crate) fn array(&mut self, name: &str) -> Result<Array, String> {
        match self {
            Self::Npz(archive) => archive.array(name),
            Self::Zarr(store) => store.array(name),
        }
    }

    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let texts = match self {
            Self::Npz(archive) => archive.texts(name)?,
            Self::Zarr(store) => store.texts(name)?,
        };
        let texts = texts.ok_or_else(|| format!("{name} holds no texts"))?;
        match texts.iter().find(|text| has_control(text)) {
            Some(text) => Err(format!(
                "{name} holds {}",
                keller_geo::shown::not_a_name(text)
            )),
            None => Ok(texts),
        }
    }
}
