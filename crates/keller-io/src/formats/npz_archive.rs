//! An archive of numpy (`.npz`) that is read: its arrays by name.
//!
//! The header of an array is read by itself, so that a caller can refuse its shape before anything is unpacked; the
//! size of the archive limits the memory of all arrays (`unpacked.rs`).

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use keller_geo::shown::shown;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::formats::npy::{Array, Header};
use crate::formats::unpacked::Allowance;

/// An open archive.
#[derive(Debug)]
pub(crate) struct NpzArchive<R = BufReader<File>> {
    zip: ZipArchive<R>,
    /// The names of its arrays.
    names: Vec<String>,
    allowance: Allowance,
}

impl NpzArchive {
    /// The archive in `file`, or what is wrong with it.
    pub(crate) fn open(file: &Path) -> Result<Self, String> {
        let opened = keller_geo::input::open(file).map_err(|error| error.to_string())?;
        let length = opened.metadata().map_err(|error| error.to_string())?.len();
        Self::new(BufReader::new(opened), length)
    }
}

impl<R: Read + Seek> NpzArchive<R> {
    /// The archive of `length` bytes that `reader` gives.
    pub(crate) fn new(reader: R, length: u64) -> Result<Self, String> {
        let unreadable = |error: ZipError| {
            format!("this is no NPZ archive: {error}; accepted: what numpy.savez writes")
        };
        let zip = ZipArchive::new(reader).map_err(unreadable)?;
        let names = zip.file_names().map(|name| {
            let name = name.map_err(unreadable)?;
            Ok(name.strip_suffix(".npy").unwrap_or(&name).to_owned())
        });
        let names = names.collect::<Result<Vec<_>, String>>()?;
        Ok(Self {
            zip,
            names,
            allowance: Allowance::of(length),
        })
    }

    /// The names of all arrays.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The header of an array.
    pub(crate) fn header(&mut self, name: &str) -> Result<Header, String> {
        self.read(name, |header, _, _| Ok(header))
    }

    /// The shape of an array.
    pub(crate) fn shape(&mut self, name: &str) -> Result<Vec<usize>, String> {
        Ok(self.header(name)?.shape)
    }

    /// The numbers of an array, or what is wrong with them.
    pub(crate) fn array(&mut self, name: &str) -> Result<Array, String> {
        self.read(name, |header, data, allowance| {
            header.take_from(allowance)?;
            header.array(data)
        })
    }

    /// The squared magnitudes of an array of complex numbers, or what is wrong with them.
    pub(crate) fn squares(&mut self, name: &str) -> Result<Array, String> {
        self.read(name, |header, data, allowance| {
            header.take_from(allowance)?;
            header.squares(data)
        })
    }

    /// The texts of an array; `None` if it holds numbers.
    pub(crate) fn texts(&mut self, name: &str) -> Result<Option<Vec<String>>, String> {
        self.read(name, |header, data, allowance| {
            if !header.is_text() {
                return Ok(None);
            }
            header.take_from(allowance)?;
            header.texts(data).map(Some)
        })
    }

    /// The result of `take` for an array: it is given the header, which fits the length that the archive states, and
    /// then the data.
    fn read<T>(
        &mut self,
        name: &str,
        take: impl FnOnce(Header, &mut dyn Read, &mut Allowance) -> Result<T, String>,
    ) -> Result<T, String> {
        let index = self.names.iter().position(|known| known == name);
        let index = index.ok_or_else(|| format!("there is no array {name}"))?;
        let refuse = |problem: &str| format!("array {}: {problem}", shown(name));
        let entry = self.zip.by_index(index);
        let entry = entry.map_err(|error| refuse(&error.to_string()))?;
        let length = entry.size();
        // A reader that goes on beyond the stated length is one byte too long, and no more.
        let mut data = entry.take(length.saturating_add(1));
        let header = Header::read(&mut data).map_err(|problem| refuse(&problem))?;
        header
            .check_file(length)
            .map_err(|problem| refuse(&problem))?;
        take(header, &mut data, &mut self.allowance).map_err(|problem| refuse(&problem))
    }
}

#[cfg(test)]
mod tests;
