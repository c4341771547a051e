//! A coverage as a Zarr store, which xarray, dask and GDAL open piece by piece.
//!
//! A folder: JSON beside raw little-endian chunks, one a transmitter and height. The library for it (`zarrs`) brings 136 crates, so
//! these lines write what little is needed.
//!
//! # Source
//! Zarr storage specification version 2; names of dimensions as xarray has them (`_ARRAY_DIMENSIONS`); CF conventions 1.11 for
//! `units`, `standard_name` and `coordinates`.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use serde_json::{Map, Value, json};

use super::CoverageMap;
use super::arrays::MapArray;
use crate::output::OutputFolder;
use crate::table::{About, TableError, VERSION};

impl CoverageMap<'_> {
    /// Writes everything to `out` as a Zarr store, whole or not at all: the arrays of [`Self::write_npz`] with named dimensions, units
    /// and coordinates; real ones as `float64`, servers as `int64`. `crs` and `origin` are attributes of the store.
    ///
    /// # Errors
    /// [`TableError::Write`]
    pub fn write_zarr(&self, out: OutputFolder, about: &About) -> Result<(), TableError> {
        out.write(|folder| {
            let mut metadata = Map::new();
            let group = json!({ "zarr_format": 2 });
            put(folder, ".zgroup", group, &mut metadata)?;
            let mut attributes = json!({ "keller": VERSION, "scenario": about.scenario });
            if let Some(frame) = self.frame {
                attributes["crs"] = frame.crs().name().into();
                attributes["origin"] = json!(frame.origin().to_array());
            }
            put(folder, ".zattrs", attributes, &mut metadata)?;
            for array in self.arrays() {
                self.write_array(folder, &array, &mut metadata)?;
            }
            // Everything in one file, so that a store far away opens at once.
            let all = json!({ "zarr_consolidated_format": 1, "metadata": metadata });
            fs::write(folder.join(".zmetadata"), format!("{all:#}"))
        })
    }

    /// One array: how it looks, what it means, and its chunks.
    fn write_array(
        &self,
        folder: &Path,
        array: &MapArray,
        metadata: &mut Map<String, Value>,
    ) -> io::Result<()> {
        let name = array.name;
        fs::create_dir(folder.join(name))?;
        // The last two dimensions are a plane, and a plane is a chunk.
        let planes = array.shape.len().saturating_sub(2);
        let chunks: Vec<usize> = array
            .shape
            .iter()
            .enumerate()
            .map(|(k, &n)| if k < planes { 1 } else { n })
            .collect();
        let (kind, fill) = if array.is_whole() {
            // No value is missing: xarray would take a fill value for that.
            ("<i8", Value::Null)
        } else {
            ("<f8", json!("NaN"))
        };
        let shape = json!({
            "zarr_format": 2,
            "shape": array.shape,
            "chunks": chunks,
            "dtype": kind,
            "order": "C",
            "fill_value": fill,
            "compressor": null,
            "filters": null,
        });
        put(folder, &format!("{name}/.zarray"), shape, metadata)?;
        let mut attributes = json!({
            "_ARRAY_DIMENSIONS": array.dimensions,
            "units": array.unit,
            "long_name": array.long_name,
        });
        // As the CF conventions name coordinates beside those of the dimensions.
        match name {
            "easting" => attributes["standard_name"] = "projection_x_coordinate".into(),
            "northing" => attributes["standard_name"] = "projection_y_coordinate".into(),
            _ if self.frame.is_some() && array.dimensions.ends_with(&["y", "x"]) => {
                attributes["coordinates"] = "easting northing".into();
            }
            _ => {}
        }
        put(folder, &format!("{name}/.zattrs"), attributes, metadata)?;
        let count: usize = array.shape.iter().product();
        let chunk = chunks.iter().product::<usize>().max(1);
        for (number, first) in (0..count).step_by(chunk).enumerate() {
            let file = chunk_name(number, &array.shape, planes);
            let mut writer = BufWriter::new(File::create(folder.join(name).join(file))?);
            self.write_values(array, first..first + chunk, &mut writer)?;
            writer.flush()?;
        }
        Ok(())
    }
}

/// The name of a chunk: its index along each dimension.
fn chunk_name(number: usize, shape: &[usize], planes: usize) -> String {
    let mut rest = number;
    let mut indices = vec![0; shape.len()];
    for k in (0..planes).rev() {
        indices[k] = rest % shape[k];
        rest /= shape[k];
    }
    let indices: Vec<String> = indices.iter().map(ToString::to_string).collect();
    indices.join(".")
}

/// A file of JSON, in its place and among all others.
fn put(folder: &Path, name: &str, value: Value, all: &mut Map<String, Value>) -> io::Result<()> {
    fs::write(folder.join(name), format!("{value:#}"))?;
    all.insert(name.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_numbered_along_every_dimension() {
        let names: Vec<String> = (0..4).map(|n| chunk_name(n, &[2, 2, 5, 7], 2)).collect();
        assert_eq!(names, ["0.0.0.0", "0.1.0.0", "1.0.0.0", "1.1.0.0"]);
        assert_eq!(chunk_name(0, &[9], 0), "0");
    }
}
