//! Reads the arrays of a Zarr store that keller wrote: deflated chunks, version 2 of the format.
//!
//! # Source
//! Zarr storage specification version 2; the codec `zlib` of numcodecs.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use serde_json::Value;

use crate::npy::{self, Array};

/// The most values that an array may have.
const MAX_VALUES: usize = 1 << 29;

/// An open store.
#[derive(Debug)]
pub(crate) struct ZarrStore(PathBuf);

/// What a store says of an array.
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
        Ok(Self(folder.to_owned()))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.join(name).join(".zarray").is_file()
    }

    /// The numbers of an array.
    pub(crate) fn array(&self, name: &str) -> Result<Array, String> {
        let About { shape, chunk, kind } = self.about(name)?;
        let count = shape.iter().try_fold(1_usize, |all, n| all.checked_mul(*n));
        let count = count
            .filter(|count| *count <= MAX_VALUES)
            .ok_or_else(|| format!("array {name}: the shape {shape:?} is too large"))?;
        let grid: Vec<usize> = shape
            .iter()
            .zip(&chunk)
            .map(|(n, c)| n.div_ceil(*c))
            .collect();
        let mut values = vec![f64::NAN; count];
        for number in 0..grid.iter().product() {
            let index = index_of(number, &grid);
            let own = npy::numbers(&kind, &self.chunk(name, &index)?)
                .map_err(|problem| format!("array {name}: {problem}"))?;
            if own.len() != chunk.iter().product::<usize>() {
                return Err(format!("array {name}: a chunk has {} values", own.len()));
            }
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
        let About { kind, .. } = self.about(name)?;
        let bytes = self.chunk(name, &[0])?;
        npy::texts_of(&kind, &bytes).map_err(|problem| format!("array {name}: {problem}"))
    }

    fn about(&self, name: &str) -> Result<About, String> {
        let refuse = || format!("array {name}: its .zarray is not what keller writes");
        let text = fs::read_to_string(self.0.join(name).join(".zarray"));
        let text = text.map_err(|error| format!("array {name}: {error}"))?;
        let about: Value = serde_json::from_str(&text).map_err(|_| refuse())?;
        let sizes = |key: &str| -> Option<Vec<usize>> {
            let sizes = about[key].as_array()?.iter();
            sizes
                .map(|size| usize::try_from(size.as_u64()?).ok())
                .collect()
        };
        let shape = sizes("shape").ok_or_else(refuse)?;
        let chunk = sizes("chunks").ok_or_else(refuse)?;
        let kind = about["dtype"].as_str().ok_or_else(refuse)?.to_owned();
        let is_ours = chunk.len() == shape.len()
            && !chunk.contains(&0)
            && about["order"] == "C"
            && about["compressor"]["id"] == "zlib";
        is_ours
            .then_some(About { shape, chunk, kind })
            .ok_or_else(refuse)
    }

    fn chunk(&self, name: &str, index: &[usize]) -> Result<Vec<u8>, String> {
        let parts: Vec<String> = index.iter().map(ToString::to_string).collect();
        let file = self.0.join(name).join(parts.join("."));
        let refuse = |error: std::io::Error| format!("{}: {error}", file.display());
        let packed = fs::read(&file).map_err(refuse)?;
        let mut bytes = Vec::new();
        ZlibDecoder::new(&packed[..])
            .take(8 * MAX_VALUES as u64)
            .read_to_end(&mut bytes)
            .map_err(refuse)?;
        Ok(bytes)
    }
}

/// The index along every dimension of a number that counts them all, the last running fastest.
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
