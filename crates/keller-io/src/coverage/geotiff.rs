//! A coverage as a GeoTIFF, which QGIS, GDAL and rasterio open where it lies on the earth.

use std::io;

use keller::units::power_to_db;
use keller_geo::terrain::TerrainError;
use keller_geo::terrain::geotiff::{Band, GeoTiff, write};

use super::CoverageMap;
use crate::OutputFile;
use crate::table::{About, TableError, VERSION};

/// A band with values of its own.
struct OwnBand {
    name: String,
    unit: &'static str,
    values: Vec<f32>,
}

impl CoverageMap<'_> {
    /// Writes a GeoTIFF of 32-bit numbers to `out`, whole or not at all: north up, a pixel a cell, in the scene's coordinate reference
    /// system, or without one in its own metres if it is not known where on earth it lies.
    ///
    /// | bands | unit | |
    /// |---|---|---|
    /// | `path gain of TX, H` | dB | one a Tx and height, heights running fastest |
    /// | `received power, H`; `best server, H`; `SINR, H` | dBm; 1; dB | then these for every height, SINR only if the noise is given |
    ///
    /// H is a height, such as `1.5 m above the ground`. Nodata is NaN: where no receiver can be, and where no path leads, since nothing
    /// in decibels is minus infinity, which spoils the statistics of every reader. The best server is -1 there, and so tells both apart.
    /// `keller` and `scenario` are items of metadata.
    ///
    /// # Errors
    /// [`TableError::Write`]
    pub fn write_geotiff(&self, out: OutputFile, about: &About) -> Result<(), TableError> {
        let region = &self.coverage.region;
        let [width, height, _] = region.shape();
        let own = self.bands();
        let bands: Vec<Band<'_>> = own
            .iter()
            .map(|band| Band {
                name: &band.name,
                unit: band.unit,
                values: &band.values,
            })
            .collect();
        let origin = self.frame.map(|frame| frame.origin().truncate());
        let corner = region.min + origin.unwrap_or_default();
        let cell = region.resolution;
        let north = corner.y + cell.y * height as f64;
        let image = GeoTiff {
            width,
            height,
            geotransform: [corner.x, cell.x, 0.0, north, 0.0, -cell.y],
            crs: self.frame.map(keller_geo::crs::Frame::crs),
            nodata: f32::NAN,
            bands: &bands,
            metadata: &[("keller", VERSION), ("scenario", &about.scenario)],
        };
        out.write(|writer| {
            write(writer, &image).map_err(|error| match error {
                TerrainError::Write(error) => error,
                other => io::Error::other(other),
            })
        })
    }

    fn bands(&self) -> Vec<OwnBand> {
        let [nx, ny, nz] = self.coverage.region.shape();
        let plane = nx * ny;
        let mut bands = Vec::new();
        let gains: Vec<f64> = self.path_gain_db().collect();
        for (k, values) in gains.chunks(plane).enumerate() {
            let (tx, level) = (&self.tx[k / nz].name, self.height_name(k % nz));
            bands.push(OwnBand {
                name: format!("path gain of {tx}, {level}"),
                unit: "dB",
                values: north_up(values, nx),
            });
        }
        drop(gains);
        let best = self.best_server();
        let server = |(tx, power): (&Option<usize>, &f64)| match tx {
            Some(tx) => *tx as f64,
            None if power.is_nan() => f64::NAN,
            None => -1.0,
        };
        let server: Vec<f64> = best.tx.iter().zip(&best.power).map(server).collect();
        let power: Vec<f64> = best.power.iter().map(|p| power_to_db(*p) + 30.0).collect();
        let mut layers = vec![
            ("received power", "dBm", power),
            ("best server", "1", server),
        ];
        if self.noise_dbm.is_some() {
            let sinr = best.sinr.iter().map(|s| power_to_db(*s)).collect();
            layers.push(("SINR", "dB", sinr));
        }
        for level in 0..nz {
            for (name, unit, values) in &layers {
                bands.push(OwnBand {
                    name: format!("{name}, {}", self.height_name(level)),
                    unit,
                    values: north_up(&values[level * plane..(level + 1) * plane], nx),
                });
            }
        }
        bands
    }
}

/// Rows from north to south; NaN for what is not finite.
fn north_up(values: &[f64], width: usize) -> Vec<f32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "decibels and indices of few digits"
    )]
    let narrow = |v: &f64| if v.is_finite() { *v as f32 } else { f32::NAN };
    values.chunks(width).rev().flatten().map(narrow).collect()
}
