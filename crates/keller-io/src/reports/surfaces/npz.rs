//! Surfaces as an archive of numpy.

use std::io;

use keller::coverage::tiles::{Recall, TileField};
use keller::units::power_to_db;

use super::SurfaceMap;
use crate::formats::OutputFile;
use crate::formats::arrays::{ArraySink, TypedArrays};
use crate::formats::npz::NpzWriter;
use crate::formats::{About, OutputError};

/// An array of all sides: its name, and its value for one side.
type Quantity = (&'static str, fn(&TileField) -> f64);

/// All quantities other than the path gain.
const QUANTITIES: [Quantity; 11] = [
    ("diffuse_gain_db", |f| power_to_db(f.diffuse_gain)),
    ("sampled_gain_db", |f| power_to_db(f.sampled_gain)),
    ("incident_power_db", |f| power_to_db(f.incident_power)),
    ("coherent_gain_db", |f| power_to_db(f.paths.coherent_gain)),
    ("strongest_gain_db", |f| power_to_db(f.paths.strongest_gain)),
    ("strongest_delay_s", |f| {
        f.strongest.map_or(f64::NAN, |path| path.delay)
    }),
    ("zoa", |f| {
        f.strongest.map_or(f64::NAN, |path| path.arrival.zenith)
    }),
    ("aoa", |f| {
        f.strongest.map_or(f64::NAN, |path| path.arrival.azimuth)
    }),
    ("mean_delay_s", |f| f.mean_delay.unwrap_or(f64::NAN)),
    ("delay_spread_s", |f| f.delay_spread.unwrap_or(f64::NAN)),
    ("omitted_db", |f| power_to_db(f.omitted_gain)),
];

impl SurfaceMap<'_> {
    /// Writes everything to `out` as a deflated `.npz` of numpy, whole or not at all: for tiles `centre[tile, 3]`,
    /// `area[tile]` and `face[tile]`; `tx_power_dbm[tx]`, `tx_name[tx]` and `missing_share[tx]`, the estimated share of
    /// all power that the search missed; `unfollowed_power_db[tx]`, an upper bound of the power over that of the Tx
    /// that all tiles together lack because waves were too weak to be followed; and for every side, front first,
    /// `path_gain_db[tx, tile, side]`, `num_paths`, and the other quantities of tables, in `float32` and `int32`.
    /// Values are minus infinity where nothing arrives, NaN if they are undefined. `keller` and `scenario` are version
    /// and scenario in UTF-8.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    ///
    /// # Panics
    /// If a face has a number of 32 bits.
    pub fn write_npz(&self, out: OutputFile, about: &About) -> Result<(), OutputError> {
        out.write(|writer| {
            let mut npz = NpzWriter::new(writer);
            self.write_arrays(about, &mut npz)?;
            npz.finish()
        })
    }

    /// Hands the arrays of [`Self::write_npz`] to `sink`.
    ///
    /// # Errors
    /// The errors of `sink`.
    ///
    /// # Panics
    /// If a face has a number of 32 bits.
    pub fn write_arrays(&self, about: &About, sink: &mut dyn ArraySink) -> io::Result<()> {
        let tiles = self.tiles.all();
        let shape = [self.fields.len(), tiles.len(), 2];
        let sides = || self.fields.iter().flatten().flatten();
        let centres: Vec<f64> = tiles.iter().flat_map(|t| t.centre.to_array()).collect();
        sink.real("centre", &[tiles.len(), 3], &centres)?;
        let areas: Vec<f64> = tiles.iter().map(|t| t.area).collect();
        sink.real("area", &[tiles.len()], &areas)?;
        let whole = |n: usize| i32::try_from(n).expect("scenes number faces in 31 bits");
        let faces: Vec<i32> = tiles.iter().map(|t| whole(t.face.index())).collect();
        sink.ids("face", &[tiles.len()], &faces)?;
        let powers: Vec<f64> = self.tx.iter().map(|tx| tx.power_dbm).collect();
        sink.real("tx_power_dbm", &[powers.len()], &powers)?;
        let names: Vec<&str> = self.tx.iter().map(|tx| &*tx.name).collect();
        sink.texts("tx_name", &names)?;
        let missing: Vec<f64> = self.recalls.iter().map(Recall::missing_share).collect();
        sink.real("missing_share", &[missing.len()], &missing)?;
        let unfollowed = |recall: &Recall| power_to_db(recall.unfollowed_power);
        let unfollowed: Vec<f64> = self.recalls.iter().map(unfollowed).collect();
        sink.real("unfollowed_power_db", &[unfollowed.len()], &unfollowed)?;
        let counted = |f: &TileField| {
            if self.counts(f.path_gain) {
                f.path_gain
            } else {
                0.0
            }
        };
        let gains: Vec<f64> = sides().map(|f| power_to_db(counted(f))).collect();
        sink.short_real("path_gain_db", &shape, &gains)?;
        let counts: Vec<i32> = sides().map(|f| whole(f.paths.num_paths as usize)).collect();
        sink.ids("num_paths", &shape, &counts)?;
        for (name, value) in QUANTITIES {
            let values: Vec<f64> = sides().map(value).collect();
            sink.short_real(name, &shape, &values)?;
        }
        sink.about(about)
    }
}
