//! Reads the arrays of a Zarr store that keller wrote: deflated chunks, version 2 of the format.
//!
//! Nothing is unpacked on the word of a `.zarray` alone: a chunk is no larger than its array, the size of the store
//! limits the memory of all arrays (`unpacked.rs`), and a chunk is read up to one byte beyond its right size.
//!
//! # Source
//! Zarr storage specification version 2; the codec `zlib` of numcodecs.

use std::cell::RefCell;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use keller_geo::input;
use serde_json::Value;

use crate::formats::npy::{self, Array, count_of};
use crate::formats::unpacked::Allowance;

/// The largest size of a `.zarray`, bytes: those of keller have some hundreds.
const MAX_ABOUT: u64 = 1 << 20;

/// An open store.
#[derive(Debug)]
pub(crate) struct ZarrStore {
    folder: PathBuf,
    allowance: RefCell<Allowance>,
}

/// A store's description of an array.
struct About {
    shape: Vec<usize>,
    chunk: Vec<usize>,
    kind: String,
}

impl ZarrStore {
    /// The store in `folder`, or what is wrong with it.
    pub(crate) fn open(folder: &Path) -> Result<Self, String> {
        if !folder.join(".zgroup").is_file() {
            return Err("this is no Zarr store of version 2".to_owned());
        }
        let arrays = fs::read_dir(folder).map_err(|error| error.to_string())?;
        let arrays = arrays.flatten().filter_map(|array| {
            let chunks = fs::read_dir(array.path()).ok()?.flatten();
            let sizes = chunks.filter_map(|chunk| Some(chunk.metadata().ok()?.len()));
            Some(sizes.sum::<u64>())
        });
        Ok(Self {
            folder: folder.to_owned(),
            allowance: RefCell::new(Allowance::of(arrays.sum())),
        })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.folder.join(name).join(".zarray").is_file()
    }

    /// The shape of an array.
    pub(crate) fn shape(&self, name: &str) -> Result<Vec<usize>, String> {
        Ok(self.about(name)?.shape)
    }

    /// The numbers of an array.
    pub(crate) fn array(&self, name: &str) -> Result<Array, String> {
        let About { shape, chunk, kind } = self.about(name)?;
        let refuse = |problem: String| format!("array {name}: {problem}");
        let count = self.take(&kind, &shape).map_err(refuse)?;
        let grid: Vec<usize> = shape
            .iter()
            .zip(&chunk)
            .map(|(n, c)| n.div_ceil(*c))
            .collect();
        let in_chunk = chunk.iter().product();
        let mut values = vec![f64::NAN; count];
        for number in 0..grid.iter().product() {
            let index = index_of(number, &grid);
            let own = self.chunk(name, &index, |data| npy::numbers(&kind, in_chunk, data))?;
            for (k, value) in own.into_iter().enumerate() {
                let within = index_of(k, &chunk);
                let at = (0..shape.len()).map(|axis| index[axis] * chunk[axis] + within[axis]);
                let place = at.zip(&shape).try_fold(0, |place, (k, n)| {
                    // Chunks at the ends are as large as all others.
                    (k < *n).then_some(place * n + k)
                });
                if let Some(place) = place {
                    values[place] = value;
                }
            }
        }
        Ok(Array { shape, values })
    }

    /// The texts of an array of one chunk; `None` if it holds numbers.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, String> {
        let About { kind, shape, chunk } = self.about(name)?;
        if !kind.starts_with("<U") {
            return Ok(None);
        }
        let [count] = shape[..] else {
            return Err(format!("array {name}: texts of the shape {shape:?}"));
        };
        if chunk != [count.max(1)] {
            return Err(format!(
                "array {name}: texts in more than one chunk; accepted: what keller writes"
            ));
        }
        let taken = self.take(&kind, &shape);
        taken.map_err(|problem| format!("array {name}: {problem}"))?;
        self.chunk(name, &[0], |data| npy::texts(&kind, count, data))
            .map(Some)
    }

    /// Takes the memory of an array. Returns its number of values.
    fn take(&self, kind: &str, shape: &[usize]) -> Result<usize, String> {
        let count = count_of(shape);
        npy::take_from(kind, count, &mut self.allowance.borrow_mut())?;
        usize::try_from(count).map_err(|_| "it is too large".to_owned())
    }

    fn about(&self, name: &str) -> Result<About, String> {
        let refuse = || format!("array {name}: its .zarray is not what keller writes");
        let text = input::read_at_most(&self.folder.join(name).join(".zarray"), MAX_ABOUT);
        let text = text.map_err(|error| format!("array {name}: its .zarray: {error}"))?;
        let about: Value = serde_json::from_slice(&text).map_err(|_| refuse())?;
        let sizes = |key: &str| -> Option<Vec<usize>> {
            let sizes = about[key].as_array()?.iter();
            sizes
                .map(|size| usize::try_from(size.as_u64()?).ok())
                .collect()
        };
        let shape = sizes("shape").ok_or_else(refuse)?;
        let chunk = sizes("chunks").ok_or_else(refuse)?;
        let kind = about["dtype"].as_str().ok_or_else(refuse)?.to_owned();
        // Chunks that keller writes are no longer than their array.
        let is_within = |(chunk, n): (&usize, &usize)| (1..=(*n).max(1)).contains(chunk);
        let is_ours = chunk.len() == shape.len()
            && chunk.iter().zip(&shape).all(is_within)
            && about["order"] == "C"
            && about["compressor"]["id"] == "zlib";
        is_ours
            .then_some(About { shape, chunk, kind })
            .ok_or_else(refuse)
    }

    /// The result of `take` for the bytes of a chunk, all of which it shall use.
    fn chunk<T>(
        &self,
        name: &str,
        index: &[usize],
        take: impl FnOnce(&mut dyn Read) -> Result<T, String>,
    ) -> Result<T, String> {
        let parts: Vec<String> = index.iter().map(ToString::to_string).collect();
        let file = self.folder.join(name).join(parts.join("."));
        let refuse = |problem: String| format!("{}: {problem}", file.display());
        let packed = input::open(&file).map_err(|error| refuse(error.to_string()))?;
        let mut data = ZlibDecoder::new(packed);
        let found = take(&mut data).map_err(refuse)?;
        npy::at_end(&mut data).map_err(refuse)?;
        Ok(found)
    }
}

/// The index along every dimension of the element with a running number, the last dimension varying fastest.
fn index_of(mut number: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|n| {
            let own = number % n;
            number /= n;
            own
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests;
