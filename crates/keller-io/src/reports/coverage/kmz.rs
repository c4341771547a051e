//! A layer of a coverage as KMZ, which Google Earth and other globes open: a picture on the ground for every height,
//! and the Tx as places.
//!
//! Pictures on the ground have north up, but rows of cells in a projection do not. So a picture has pixels along
//! parallels and meridians, several for each cell, and each takes the colour of the cell in which its centre lies.
//!
//! **Source:** OGC 12-007r2, "OGC KML 2.3", 2015.

use std::fmt::Write as _;
use std::io;

use glam::DVec2;
use keller::coverage::Region;
use keller::parallel;
use keller_geo::crs::Frame;

use super::pictured::LayerColours;
use super::{CoverageMap, PicturedLayer};
use crate::formats::npz::NpzWriter;
use crate::formats::{OutputError, OutputFile, VERSION};
use crate::reports::palette::{self, Rgb, hex};
use crate::reports::plot::legend_png;

/// The number of pixels for a cell along each side, and the largest number along a picture's longer side.
const PER_CELL: f64 = 4.0;
const MAX_PIXELS: f64 = 2048.0;

/// The contents of a KMZ other than the values.
#[derive(Debug, Clone, Copy)]
pub struct KmzOptions<'a> {
    /// The title of the layer.
    pub title: &'a str,
    /// The words for cells without a value.
    pub nothing: &'a str,
    /// Whether each cell of each level lies in a building and shows it.
    pub buildings: &'a [Vec<bool>],
}

/// The longitudes and latitudes that a picture covers, degrees, and its pixels.
#[derive(Debug, Clone, Copy)]
struct Extent {
    low: DVec2,
    high: DVec2,
    size: [usize; 2],
}

impl CoverageMap<'_> {
    /// Writes a layer as KMZ to `out`, whole or not at all: `doc.kml` with a ground overlay for each height, of which
    /// the first is shown at once, a placemark for each Tx, and the legend; and their pictures as PNG.
    ///
    /// # Errors
    /// [`OutputError::Write`], also if the region's place on earth is unknown.
    pub fn write_kmz(
        &self,
        out: OutputFile,
        layer: PicturedLayer,
        options: &KmzOptions<'_>,
    ) -> Result<(), OutputError> {
        out.write(|writer| {
            let outside = "it is not known where on earth the scene lies";
            let frame = self.frame.ok_or_else(|| io::Error::other(outside))?;
            let levels = 0..self.region.levels.heights().len();
            let values = levels.map(|level| self.pictured(layer, level));
            let values = values.collect::<io::Result<Vec<_>>>()?;
            let colours = layer.colours(values.iter().flatten());
            let extent = Extent::of(self.region, frame)?;
            let mut zip = NpzWriter::new(writer);
            zip.file(
                "doc.kml",
                self.kml(frame, layer, options, extent)?.as_bytes(),
            )?;
            for (level, values) in values.iter().enumerate() {
                let buildings = options.buildings.get(level);
                let is_building =
                    |cell: usize| buildings.is_some_and(|cells| cells.get(cell) == Some(&true));
                let colour = |cell: usize| {
                    let value = values[cell];
                    if value.is_finite() {
                        colours.and_then(|colours| colours.of(value))
                    } else if is_building(cell) {
                        Some(palette::building())
                    } else {
                        (value == f64::NEG_INFINITY).then(palette::nothing)
                    }
                };
                let picture = extent.picture(self.region, frame, colour);
                zip.file(&format!("level-{level}.png"), &picture)?;
            }
            zip.file("legend.png", &self.legend(layer, colours, options.nothing))?;
            zip.finish()
        })
    }

    fn kml(
        &self,
        frame: &Frame,
        layer: PicturedLayer,
        options: &KmzOptions<'_>,
        extent: Extent,
    ) -> io::Result<String> {
        let title = escaped(options.title);
        let mut kml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\">\n<Document>\n\
             <name>{title}</name>\n<description>keller {VERSION}: {}</description>\n",
            escaped(&layer.title(self.tx.len()))
        );
        let mut add = |text: &str| kml.push_str(text);
        let (low, high) = (extent.low, extent.high);
        for level in 0..self.region.levels.heights().len() {
            add(&format!(
                "<GroundOverlay><name>{}</name><visibility>{}</visibility><Icon><href>level-{level}.png</href></Icon>\
                 <LatLonBox><north>{:.9}</north><south>{:.9}</south><east>{:.9}</east><west>{:.9}</west></LatLonBox></GroundOverlay>\n",
                escaped(&self.height_name(level)),
                u8::from(level == 0),
                high.y,
                low.y,
                high.x,
                low.x
            ));
        }
        for tx in &self.tx {
            let at = frame.to_lon_lat(tx.position.truncate());
            let at = at.map_err(io::Error::other)?;
            // Heights of a KML are above the sea or above the ground of its globe, which is not the scene's: they are
            // clamped to it.
            add(&format!(
                "<Placemark><name>{}</name><description>{} dBm, z = {:.1} m</description>\
                 <Point><coordinates>{:.9},{:.9}</coordinates></Point></Placemark>\n",
                escaped(&tx.name),
                tx.power_dbm,
                tx.position.z,
                at.x,
                at.y
            ));
        }
        add(
            "<ScreenOverlay><name>legend</name><Icon><href>legend.png</href></Icon>\
             <overlayXY x=\"1\" y=\"1\" xunits=\"fraction\" yunits=\"fraction\"/>\
             <screenXY x=\"0.99\" y=\"0.9\" xunits=\"fraction\" yunits=\"fraction\"/></ScreenOverlay>\n</Document>\n</kml>\n",
        );
        Ok(kml)
    }

    /// The legend of the colours, as PNG.
    fn legend(
        &self,
        layer: PicturedLayer,
        colours: Option<LayerColours>,
        nothing: &str,
    ) -> Vec<u8> {
        let mut entries = vec![
            (hex(palette::building()), "building".to_owned()),
            (hex(palette::nothing()), nothing.to_owned()),
        ];
        let scale = match colours {
            Some(LayerColours::Scale(scale)) => Some(scale),
            Some(LayerColours::Servers) => {
                let servers = self.tx.iter().enumerate();
                entries
                    .extend(servers.map(|(k, tx)| (hex(palette::server(k)), tx.name.to_string())));
                None
            }
            None => None,
        };
        let mut name = layer.name().to_owned();
        if let Some(unit) = layer.unit() {
            let _ = write!(name, " / {unit}");
        }
        legend_png(&name, &entries, scale)
    }
}

impl Extent {
    /// The extent around a region.
    fn of(region: &Region, frame: &Frame) -> io::Result<Self> {
        /// The number of places along each side of the region: in longitude and latitude its sides are curved.
        const PLACES: u32 = 8;
        let [a, b, c, d] = region.corners();
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for [from, to] in [[a, b], [b, c], [c, d], [d, a]] {
            for k in 0..PLACES {
                let at = from.lerp(to, f64::from(k) / f64::from(PLACES));
                let at = frame.to_lon_lat(at).map_err(io::Error::other)?;
                (low, high) = (low.min(at), high.max(at));
            }
        }
        let cells = region.extent() / region.resolution;
        let most = (PER_CELL * cells.max_element()).min(MAX_PIXELS);
        // A degree of longitude is shorter than one of latitude.
        let wide = (high - low) * DVec2::new((0.5 * (low.y + high.y)).to_radians().cos(), 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some thousand at most"
        )]
        let size = (most * wide / wide.max_element())
            .ceil()
            .to_array()
            .map(|n| n.max(1.0) as usize);
        Ok(Self { low, high, size })
    }

    /// The picture as PNG, clear in places without a cell or a colour.
    fn picture(
        &self,
        region: &Region,
        frame: &Frame,
        colour: impl Fn(usize) -> Option<Rgb> + Sync,
    ) -> Vec<u8> {
        let [width, height] = self.size;
        let [nx, ny] = region.num_columns;
        let pixel = |column: usize, row: usize| -> Option<Rgb> {
            let share = DVec2::new(
                (column as f64 + 0.5) / width as f64,
                1.0 - (row as f64 + 0.5) / height as f64,
            );
            let local = frame.from_lon_lat(self.low + share * (self.high - self.low));
            let own = region.to_own(local.ok()?) / region.resolution;
            if own.cmplt(DVec2::ZERO).any() || own.x >= nx as f64 || own.y >= ny as f64 {
                return None;
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from zero to a number of cells"
            )]
            let [i, j] = own.to_array().map(|along| along as usize);
            colour(j * nx + i)
        };
        let rows = parallel::map(height, |row| {
            let pixels = (0..width)
                .flat_map(|column| pixel(column, row).map_or([0; 4], |[r, g, b]| [r, g, b, 255]));
            pixels.collect::<Vec<u8>>()
        });
        let size = |n: usize| u32::try_from(n).expect("pictures are small");
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size(width), size(height));
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&rows.concat()));
        written.expect("as many pixels as the header says, into memory");
        bytes
    }
}

/// Text within XML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
