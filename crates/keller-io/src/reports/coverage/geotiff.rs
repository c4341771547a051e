//! A coverage as a GeoTIFF, which QGIS, GDAL and rasterio open at its place on earth.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use glam::DVec2;
use keller::units::power_to_db;
use keller_geo::terrain::TerrainError;
use keller_geo::terrain::geotiff::{Band, GeoTiff, Values, write};

use super::kmz::escaped;
use super::layer::Layer;
use super::{CoverageMap, Figure, pieces};
use crate::formats::{About, OutputError, OutputFile, VERSION};
use crate::reports::palette;

/// A band that is read when its turn comes.
#[derive(Debug)]
struct LazyBand<'a> {
    name: String,
    unit: &'static str,
    map: &'a CoverageMap<'a>,
    quantity: Quantity,
    level: usize,
}

#[derive(Debug, Clone, Copy)]
enum Quantity {
    GainOfTx(usize),
    Figure(Figure, usize),
    Layer(Layer),
}

impl CoverageMap<'_> {
    /// Writes a GeoTIFF of 32-bit numbers to `out`, whole or not at all: a pixel for each cell, north up unless the
    /// region is turned, in the scene's coordinate reference system, or without one in its own metres if its place on
    /// earth is unknown.
    ///
    /// | bands | unit | |
    /// |---|---|---|
    /// | `path gain of Tx NAME, H` | dB | one a Tx and height, heights running fastest, if the gains of every Tx are wanted |
    /// | `FIGURE of Tx NAME, H` | as of the array | then every [`Figure`] of the paths for every Tx and height, if they are there |
    /// | `received power, H`; `best server, H`; `SINR, H` | dBm; 1; dB | then these for every height, SINR only if the noise is given |
    /// | `second server, H`; `second power, H`; `total power, H` | 1; dBm; dBm | between the server and the SINR, only of several Tx |
    ///
    /// H is a height, such as `1.5 m above the ground`. Nodata is NaN: where no receiver can be, and where no path
    /// leads, since zero power is minus infinity in decibels, which spoils the statistics of every reader. The best
    /// server is -1 where no path leads, which distinguishes the two. `keller` and `scenario` are items of metadata.
    /// Bands carry their statistics. The names of the Tx and their colours are in a second file, `OUT.aux.xml`, as GDAL
    /// keeps categories and colours of bands.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write_geotiff(&self, out: OutputFile, about: &About) -> Result<(), OutputError> {
        let region = self.region;
        let [width, height, _] = region.shape();
        let own = self.bands();
        let servers = out.beside(".aux.xml")?;
        let bands: Vec<Band<'_>> = own
            .iter()
            .map(|band| Band {
                name: &band.name,
                unit: band.unit,
                values: band,
            })
            .collect();
        let origin = self.frame.map(|frame| frame.origin().truncate());
        // Rows run down from the far end of the region's own y axis.
        let far = DVec2::new(0.0, region.extent().y);
        let corner = region.to_scene(far) + origin.unwrap_or_default();
        // The coordinates lose the rounding of sums: they are exact to a micrometre.
        let corner = (corner * 1e6).round() / 1e6;
        let right = region.resolution.x * region.axis;
        let down = region.resolution.y * -region.axis.perp();
        let image = GeoTiff {
            width,
            height,
            // Adding zero leaves no negative zero.
            geotransform: [corner.x, right.x, down.x, corner.y, right.y, down.y].map(|v| v + 0.0),
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
        })?;
        servers.write(|writer| writer.write_all(self.categories(&own).as_bytes()))
    }

    /// The names and the colours of the Tx for the bands that hold their numbers.
    ///
    /// # Source
    /// GDAL, "Persistent Auxiliary Metadata": `CategoryNames` and `ColorTable` of a `PAMRasterBand`.
    fn categories(&self, bands: &[LazyBand<'_>]) -> String {
        let mut names = String::new();
        let mut colours = String::new();
        // A String takes everything.
        for (index, tx) in self.tx.iter().enumerate() {
            let _ = writeln!(names, "      <Category>{}</Category>", escaped(&tx.name));
            let [r, g, b] = palette::server(index);
            let entry = format!("<Entry c1=\"{r}\" c2=\"{g}\" c3=\"{b}\" c4=\"255\"/>");
            let _ = writeln!(colours, "      {entry}");
        }
        let mut xml = "<PAMDataset>\n".to_owned();
        for (number, band) in bands.iter().enumerate() {
            if matches!(band.quantity, Quantity::Layer(layer) if layer.is_whole()) {
                let _ = write!(
                    xml,
                    "  <PAMRasterBand band=\"{}\">\n    <CategoryNames>\n{names}    </CategoryNames>\n    <ColorTable>\n{colours}    </ColorTable>\n  </PAMRasterBand>\n",
                    number + 1
                );
            }
        }
        xml.push_str("</PAMDataset>\n");
        xml
    }

    fn bands(&self) -> Vec<LazyBand<'_>> {
        let levels = 0..self.region.levels.heights().len();
        let band = |title: &str, unit, quantity, level| LazyBand {
            name: format!("{title}, {}", self.height_name(level)),
            unit,
            map: self,
            quantity,
            level,
        };
        let mut bands = Vec::new();
        if self.has_gains_of_tx {
            for (index, tx) in self.tx.iter().enumerate() {
                let title = format!("path gain of Tx {}", tx.name);
                let gain = |level| band(&title, "dB", Quantity::GainOfTx(index), level);
                bands.extend(levels.clone().map(gain));
            }
        }
        for &figure in self.figures.list() {
            let [_, unit, long_name] = figure.names();
            for (index, tx) in self.tx.iter().enumerate() {
                let title = format!("{long_name} of Tx {}", tx.name);
                let of_level = |level| band(&title, unit, Quantity::Figure(figure, index), level);
                bands.extend(levels.clone().map(of_level));
            }
        }
        for level in levels {
            for layer in self.layers() {
                let names = layer.names();
                bands.push(band(names.title, names.unit, Quantity::Layer(layer), level));
            }
        }
        bands
    }
}

impl Values for LazyBand<'_> {
    fn read(&self) -> io::Result<Cow<'_, [f32]>> {
        let [nx, ny, _] = self.map.region.shape();
        let cells = self.level * nx * ny..(self.level + 1) * nx * ny;
        let (mut values, mut own) = (Vec::with_capacity(cells.len()), Vec::new());
        match self.quantity {
            Quantity::GainOfTx(tx) => self.map.each_gains(tx, cells, |_, gains| {
                values.extend(gains.iter().map(|gain| narrow(power_to_db(*gain))));
                Ok::<(), io::Error>(())
            })?,
            Quantity::Figure(figure, tx) => {
                self.map.read_figure(figure, tx, cells, &mut own)?;
                values.extend(own.into_iter().map(narrow));
            }
            Quantity::Layer(layer) => {
                let noise = self.map.noise_power().unwrap_or(0.0);
                for piece in pieces(cells) {
                    let servers = self.map.servers(piece)?;
                    values.extend(servers.iter().map(|s| narrow(layer.value(s, noise))));
                }
            }
        }
        north_up(&mut values, nx);
        Ok(Cow::Owned(values))
    }
}

/// The value in 32 bits; NaN for values that are not finite.
fn narrow(value: f64) -> f32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "decibels and indices of few digits"
    )]
    let narrow = value as f32;
    if value.is_finite() { narrow } else { f32::NAN }
}

/// Reverses rows from south to north into rows from north to south.
fn north_up(values: &mut [f32], width: usize) {
    values.reverse();
    values.chunks_mut(width).for_each(<[f32]>::reverse);
}
