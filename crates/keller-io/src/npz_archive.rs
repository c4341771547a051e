//! An archive of numpy (`.npz`) that is read: its arrays by name.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::npy::{self, Array};

/// The most that one array may unpack to, bytes: a billion cells of decibels.
const MAX_BYTES: u64 = 1 << 32;

/// An open archive.
#[derive(Debug)]
pub(crate) struct NpzArchive {
    zip: ZipArchive<BufReader<File>>,
    /// The names of its arrays.
    names: Vec<String>,
}

impl NpzArchive {
    /// The archive in `file`, or what is wrong with it.
    pub(crate) fn open(file: &Path) -> Result<Self, String> {
        let opened = keller_geo::input::open(file).map_err(|error| error.to_string())?;
        let unreadable = |error: ZipError| {
            format!("this is no NPZ archive: {error}; accepted: what numpy.savez writes")
        };
        let zip = ZipArchive::new(BufReader::new(opened)).map_err(unreadable)?;
        let names = zip.file_names().map(|name| {
            let name = name.map_err(unreadable)?;
            Ok(name.strip_suffix(".npy").unwrap_or(&name).to_owned())
        });
        let names = names.collect::<Result<_, String>>()?;
        Ok(Self { zip, names })
    }

    /// The names of all arrays.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The numbers of an array, or what is wrong with them.
    pub(crate) fn array(&mut self, name: &str) -> Result<Array, String> {
        npy::parse(&self.bytes(name)?).map_err(|problem| format!("array {name}: {problem}"))
    }

    /// The squared magnitudes of an array of complex numbers, or what is wrong with them.
    pub(crate) fn squares(&mut self, name: &str) -> Result<Array, String> {
        npy::squares(&self.bytes(name)?).map_err(|problem| format!("array {name}: {problem}"))
    }

    /// The texts of an array; `None` if it holds numbers.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, String> {
        npy::texts(&self.bytes(name)?).map_err(|problem| format!("array {name}: {problem}"))
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let index = self.names.iter().position(|known| known == name);
        let index = index.ok_or_else(|| format!("there is no array {name}"))?;
        let refuse = |error: &dyn std::fmt::Display| format!("array {name}: {error}");
        let entry = self.zip.by_index(index).map_err(|error| refuse(&error))?;
        let mut bytes = Vec::new();
        entry
            .take(MAX_BYTES)
            .read_to_end(&mut bytes)
            .map_err(|error| refuse(&error))?;
        Ok(bytes)
    }
}
