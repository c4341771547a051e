//! A coverage as a Zarr store, which xarray, dask and GDAL open piece by piece.
//!
//! The store is a folder of JSON and of deflated, little-endian chunks that do not grow with the region. The library
//! for it (`zarrs`) brings 136 crates, which would take longer to build than all of keller's own, for the output of
//! these lines.
//!
//! # Source
//! Zarr storage specification version 2; the codec `zlib` of numcodecs; names of dimensions as in xarray
//! (`_ARRAY_DIMENSIONS`); CF conventions 1.11 for `units`, `standard_name` and `coordinates`.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Map, Value, json};

use super::CoverageMap;
use super::map_array::MapArray;
use crate::formats::arrays::unicode;
use crate::formats::npz::DEFLATE_LEVEL;
use crate::formats::{About, OutputError};
use crate::formats::{OutputFolder, VERSION};
use keller::parallel;

/// The number of cells along x and y in a chunk, which has as many in all if a region is narrow or low: 1 MiB of
/// decibels.
const SIDE: usize = 512;

/// The number of chunks that are filled and compressed together.
const CHUNKS_AT_ONCE: usize = 8;

impl CoverageMap<'_> {
    /// Writes everything to `out` as a Zarr store, whole or not at all: the arrays of [`Self::write_npz`] with named
    /// dimensions, units and coordinates. `crs` and `origin` are attributes of the store.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write_zarr(&self, out: OutputFolder, about: &About) -> Result<(), OutputError> {
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
            self.write_names(folder, &mut metadata)?;
            // All metadata are in one file, so that a store far away opens at once.
            let all = json!({ "zarr_consolidated_format": 1, "metadata": metadata });
            fs::write(folder.join(".zmetadata"), format!("{all:#}"))
        })
    }

    /// Writes one array: its description, its meaning, and its chunks.
    fn write_array(
        &self,
        folder: &Path,
        array: &MapArray,
        metadata: &mut Map<String, Value>,
    ) -> io::Result<()> {
        let name = array.name;
        let grid = Grid::new(&array.shape);
        // No whole number is missing: xarray would take a fill value for that.
        let is_whole = array.number.is_whole();
        let fill = if is_whole { Value::Null } else { json!("NaN") };
        let mut attributes = json!({
            "_ARRAY_DIMENSIONS": array.dimensions,
            "units": array.unit,
            "long_name": array.long_name,
        });
        // By the CF conventions, an attribute names coordinates other than those of the dimensions.
        match name {
            "easting" => attributes["standard_name"] = "projection_x_coordinate".into(),
            "northing" => attributes["standard_name"] = "projection_y_coordinate".into(),
            _ => {
                let is_of_cells =
                    array.dimensions.ends_with(&["y", "x"]) && !name.starts_with("scene_");
                let in_scene = is_of_cells && self.region.is_turned();
                let in_scene = in_scene.then_some("scene_x scene_y");
                let on_earth = is_of_cells && self.frame.is_some();
                let on_earth = on_earth.then_some("easting northing");
                let names = array.dimensions.starts_with(&["tx"]).then_some("tx_name");
                let coordinates = names.into_iter().chain(in_scene).chain(on_earth);
                let coordinates: Vec<&str> = coordinates.collect();
                if !coordinates.is_empty() {
                    attributes["coordinates"] = coordinates.join(" ").into();
                }
            }
        }
        let kind = array.number.name();
        let own = grid.own(array.shape.len());
        let about = about_array(&array.shape, own, kind, &fill);
        put_array(folder, name, about, attributes, metadata)?;
        self.write_chunks(&folder.join(name), array, &grid)
    }

    /// Writes the chunks of an array, some neighbouring ones at a time.
    fn write_chunks(&self, folder: &Path, array: &MapArray, grid: &Grid) -> io::Result<()> {
        let (number, [_, nz, ny, nx]) = (array.number, grid.shape);
        let [_, cz, cy, cx] = grid.chunk;
        let size = cz * cy * cx * number.size();
        let mut padding = Vec::new();
        number.put(f64::NAN, &mut padding);
        let mut values = Vec::new();
        for [t, z, y] in grid.rows() {
            for first in (0..nx).step_by(CHUNKS_AT_ONCE * cx) {
                let columns = first..nx.min(first + CHUNKS_AT_ONCE * cx);
                let mut chunks = vec![Vec::with_capacity(size); columns.len().div_ceil(cx)];
                for (z, y) in (z..z + cz).flat_map(|z| (y..y + cy).map(move |y| (z, y))) {
                    values.clear();
                    if z < nz && y < ny {
                        let row = ((t * nz + z) * ny + y) * nx;
                        let row = row + columns.start..row + columns.end;
                        self.read_values(array, row, &mut values)?;
                    }
                    for (k, chunk) in chunks.iter_mut().enumerate() {
                        let own = &values[values.len().min(k * cx)..values.len().min((k + 1) * cx)];
                        for value in own {
                            number.put(*value, chunk);
                        }
                        // Chunks at the ends are as large as all others.
                        (own.len()..cx).for_each(|_| chunk.extend_from_slice(&padding));
                    }
                }
                let packed: Vec<Vec<u8>> = parallel::map_slice(&chunks, |chunk| deflated(chunk));
                for (k, chunk) in packed.iter().enumerate() {
                    let index = [t, z / cz, y / cy, first / cx + k];
                    fs::write(folder.join(Grid::name(index, array.shape.len())), chunk)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the names of the transmitters, a coordinate of everything that each of them has.
    fn write_names(&self, folder: &Path, metadata: &mut Map<String, Value>) -> io::Result<()> {
        let names = self.tx_names();
        let (kind, bytes) = unicode(&names);
        let shape = [names.len()];
        let attributes = json!({
            "_ARRAY_DIMENSIONS": ["tx"],
            "long_name": "name of the transmitter",
        });
        // No name is missing: xarray would make objects of texts that have a fill value.
        let about = about_array(&shape, &shape, &kind, &Value::Null);
        put_array(folder, "tx_name", about, attributes, metadata)?;
        fs::write(folder.join("tx_name/0"), deflated(&bytes))
    }
}

/// The chunks of an array, as if it had all of the dimensions tx, z, y and x.
#[derive(Debug)]
struct Grid {
    shape: [usize; 4],
    chunk: [usize; 4],
}

impl Grid {
    fn new(own: &[usize]) -> Self {
        let mut shape = [1; 4];
        shape[4 - own.len()..].copy_from_slice(own);
        let [_, nz, ny, nx] = shape.map(|n| n.max(1));
        // A chunk that is narrow one way is longer the other.
        let cy = ny.min(SIDE * SIDE / nx.min(SIDE));
        let cx = nx.min(SIDE * SIDE / cy);
        let cz = nz.min(SIDE * SIDE / (cy * cx));
        Self {
            shape,
            chunk: [1, cz, cy, cx],
        }
    }

    /// The chunk of an array of so many dimensions.
    fn own(&self, dimensions: usize) -> &[usize] {
        &self.chunk[4 - dimensions..]
    }

    /// The beginnings of rows of chunks: tx, z and y.
    fn rows(&self) -> impl Iterator<Item = [usize; 3]> {
        let [nt, nz, ny, _] = self.shape;
        let [_, cz, cy, _] = self.chunk;
        let levels = move |t| (0..nz).step_by(cz).map(move |z| (t, z));
        let rows = move |(t, z)| (0..ny).step_by(cy).map(move |y| [t, z, y]);
        (0..nt).flat_map(levels).flat_map(rows)
    }

    /// The name of a chunk of an array of so many dimensions: its index along each.
    fn name(index: [usize; 4], dimensions: usize) -> String {
        let own = index[4 - dimensions..].iter().map(ToString::to_string);
        own.collect::<Vec<String>>().join(".")
    }
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::new(DEFLATE_LEVEL.into()));
    let written = packed.write_all(bytes).and_then(|()| packed.finish());
    written.expect("memory takes everything")
}

fn about_array(shape: &[usize], chunk: &[usize], kind: &str, fill: &Value) -> Value {
    json!({
        "zarr_format": 2,
        "shape": shape,
        "chunks": chunk,
        "dtype": kind,
        "order": "C",
        "fill_value": fill,
        "compressor": { "id": "zlib", "level": DEFLATE_LEVEL },
        "filters": null,
    })
}

/// Makes the folder of an array with its description.
fn put_array(
    folder: &Path,
    name: &str,
    about: Value,
    attributes: Value,
    metadata: &mut Map<String, Value>,
) -> io::Result<()> {
    fs::create_dir(folder.join(name))?;
    put(folder, &format!("{name}/.zarray"), about, metadata)?;
    put(folder, &format!("{name}/.zattrs"), attributes, metadata)
}

/// Writes a file of JSON, in its place and among all others.
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
        let grid = Grid::new(&[2, 1, 600, 700]);
        assert_eq!(grid.own(4), [1, 1, 512, 512]);
        let rows: Vec<[usize; 3]> = grid.rows().collect();
        assert_eq!(rows, [[0, 0, 0], [0, 0, 512], [1, 0, 0], [1, 0, 512]]);
        assert_eq!(Grid::name([1, 0, 1, 0], 4), "1.0.1.0");
        assert_eq!(Grid::name([0; 4], 1), "0");
    }

    /// Readers of a city need a street, and fetch whole chunks for it.
    #[test]
    fn chunks_do_not_grow_with_the_region() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..1000 {
            let mut side = || {
                let most = 1 << random.usize(1..=15);
                random.usize(1..=most)
            };
            let shape = [side(), side(), side(), side()];
            let grid = Grid::new(&shape);
            let values: usize = grid.own(4).iter().product();
            assert!(values <= SIDE * SIDE, "{shape:?}");
            // Small chunks are a good part of the whole, or as large as they may be.
            let whole: usize = shape[1..].iter().product();
            assert!(4 * values >= whole.min(SIDE * SIDE), "{shape:?}: {values}");
        }
    }
}
