//! Writes bands of f32 as a Cloud Optimized GeoTIFF: directories first, then overviews from the coarsest on, then all
//! cells, in deflated tiles of one band after the other. A reader far away fetches only the part that it shows.
//!
//! # Source
//! OGC 21-026, "OGC Cloud Optimized GeoTIFF Standard", 2023; Adobe Photoshop TIFF technical note 3, 2005, for the predictor.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Seek, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tiff::tags::Tag;

use super::super::TerrainError;
use super::describe::keys_of;
use super::directory::{Directory, Value, Width, head};
use super::statistics::Statistics;
use super::{GDAL_METADATA, keys};
use crate::crs::Crs;
use keller::parallel;

/// Cells along the side of a tile at most. Images that have more have overviews.
const SIDE: usize = 512;

/// Files that may come to more bytes are written as `BigTIFF`.
const CLASSIC_BYTES: usize = 3 << 30;

/// The effort of deflate, 1 to 9: more takes longer for hardly less.
const DEFLATE_LEVEL: u32 = 4;

/// A quantity in the cells of a [`GeoTiff`].
#[derive(Debug, Clone, Copy)]
pub struct Band<'a> {
    /// The quantity, such as `path gain`.
    pub name: &'a str,
    /// Its unit, such as `dB`; may be empty.
    pub unit: &'a str,
    /// Its values.
    pub values: &'a dyn Values,
}

/// The values of a [`Band`], in memory or made when their turn comes: only those of one band are held at a time.
pub trait Values: fmt::Debug {
    /// All of them, `[height, width]`, the first row first.
    ///
    /// # Errors
    /// If they cannot be had.
    fn read(&self) -> io::Result<Cow<'_, [f32]>>;
}

impl Values for Vec<f32> {
    fn read(&self) -> io::Result<Cow<'_, [f32]>> {
        Ok(Cow::Borrowed(self))
    }
}

impl<const N: usize> Values for [f32; N] {
    fn read(&self) -> io::Result<Cow<'_, [f32]>> {
        Ok(Cow::Borrowed(self))
    }
}

/// Bands of one size and place.
#[derive(Debug, Clone, Copy)]
pub struct GeoTiff<'a> {
    /// Cells in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The transform from column and row to coordinates, by corners of cells, as in GDAL: `x = g[0] + column g[1] + row
    /// g[2]`, `y = g[3] + column g[4] + row g[5]`. A raster with north up has `[west, cell, 0, north, 0, -cell]`.
    pub geotransform: [f64; 6],
    /// The system of the coordinates, if they have one: written as its code, or as method and parameters. A method that
    /// GeoTIFF has no code for, or none that is known here, is written as a PROJ string in the citation, which GDAL
    /// does not take for a system.
    pub crs: Option<&'a Crs>,
    /// The value of cells without one; NaN is good.
    pub nodata: f32,
    /// The bands, at least one.
    pub bands: &'a [Band<'a>],
    /// Names and texts that travel with the file, such as the name of the program that made it.
    pub metadata: &'a [(&'a str, &'a str)],
}

/// Writes a GeoTIFF: 32-bit floating point, deflated, cells as areas, with names, units and statistics of the bands as GDAL keeps them. Overviews of
/// every second, fourth, ... cell go with images of more than 512 cells a side: each is one of the cells that it stands for, since the
/// mean of decibels or of numbers of transmitters means nothing.
///
/// Takes the memory of some tiles in addition to the values of one band, which are read twice, and once more if there
/// are overviews. A caller that must not leave half a file writes to a temporary name.
///
/// ```
/// use std::io::Cursor;
/// use keller_geo::crs::Crs;
/// use keller_geo::terrain::geotiff::{Band, GeoTiff, write};
///
/// let utm = Crs::parse("EPSG:25832")?;
/// let gain = [-80.5, -91.0, f32::NAN, -100.25];
/// let image = GeoTiff {
///     width: 2,
///     height: 2,
///     geotransform: [691_000.0, 5.0, 0.0, 5_335_000.0, 0.0, -5.0],
///     crs: Some(&utm),
///     nodata: f32::NAN,
///     bands: &[Band { name: "path gain", unit: "dB", values: &gain }],
///     metadata: &[("made_by", "hand")],
/// };
/// let mut file = Cursor::new(Vec::new());
/// write(&mut file, &image)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TerrainError::Bands`] if sizes do not agree, [`TerrainError::Write`] where the system refuses or values cannot be had.
pub fn write<W: Write + Seek>(mut out: W, image: &GeoTiff<'_>) -> Result<(), TerrainError> {
    check(image)?;
    let levels = levels(image);
    let bands = image.bands.len();
    let cells: usize = levels.iter().map(|level| level.width * level.height).sum();
    let width = if cells * bands * size_of::<f32>() > CLASSIC_BYTES {
        Width::Big
    } else {
        Width::Classic
    };
    let mut tiles: Vec<Tiles> = levels
        .iter()
        .map(|level| Tiles::new(bands * level.num_tiles()))
        .collect();
    // Tiles come behind the directories, which say where they are: room for those first.
    let statistics = statistics(image)?;
    let room = head(&directories(image, &levels, &tiles, &statistics)?, width);
    out.write_all(&room)?;
    let mut at = room.len() as u64;
    let (full, overviews) = (&levels[0], &levels[1..]);
    for (number, band) in image.bands.iter().enumerate() {
        if overviews.is_empty() {
            break;
        }
        let values = values_of(band, image)?;
        let cells = Cells::new(image, &values);
        for (level, tiles) in overviews.iter().zip(&mut tiles[1..]).rev() {
            level.write(&mut out, &mut at, cells, number, tiles)?;
        }
    }
    for (number, band) in image.bands.iter().enumerate() {
        let values = values_of(band, image)?;
        let cells = Cells::new(image, &values);
        full.write(&mut out, &mut at, cells, number, &mut tiles[0])?;
    }
    if width == Width::Classic && u32::try_from(at).is_err() {
        return Err(TerrainError::Bands("it is larger than 4 GiB".to_owned()));
    }
    out.rewind()?;
    let head = head(&directories(image, &levels, &tiles, &statistics)?, width);
    out.write_all(&head)?;
    Ok(())
}

/// The image, or one that shows some of its cells.
#[derive(Debug)]
struct Level {
    /// Cells of the image from one of the level's to the next.
    factor: usize,
    width: usize,
    height: usize,
    /// Cells along the sides of a tile.
    tile: [usize; 2],
}

/// The cells of a band.
#[derive(Debug, Clone, Copy)]
struct Cells<'a> {
    values: &'a [f32],
    width: usize,
    height: usize,
    nodata: f32,
}

impl<'a> Cells<'a> {
    fn new(image: &GeoTiff<'_>, values: &'a [f32]) -> Self {
        Self {
            values,
            width: image.width,
            height: image.height,
            nodata: image.nodata,
        }
    }
}

/// The positions of the tiles of a level, band by band.
#[derive(Debug)]
struct Tiles {
    offsets: Vec<u64>,
    sizes: Vec<u32>,
}

impl Tiles {
    fn new(count: usize) -> Self {
        Self {
            offsets: vec![0; count],
            sizes: vec![0; count],
        }
    }
}

/// The image itself and its overviews, down to one of a single tile.
fn levels(image: &GeoTiff<'_>) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    let mut factor = 1;
    loop {
        let [width, height] = [image.width, image.height].map(|n| n.div_ceil(factor));
        // Tiles have multiples of 16 cells.
        let tile = [width, height].map(|n| n.next_multiple_of(16).min(SIDE));
        levels.push(Level {
            factor,
            width,
            height,
            tile,
        });
        if width.max(height) <= SIDE {
            return levels;
        }
        factor *= 2;
    }
}

impl Level {
    fn across(&self) -> usize {
        self.width.div_ceil(self.tile[0])
    }

    fn num_tiles(&self) -> usize {
        self.across() * self.height.div_ceil(self.tile[1])
    }

    /// Writes the tiles of a band with these values, and puts down where they are.
    fn write(
        &self,
        out: &mut impl Write,
        at: &mut u64,
        cells: Cells<'_>,
        band: usize,
        tiles: &mut Tiles,
    ) -> Result<(), TerrainError> {
        /// Tiles that are packed together, and held.
        const AT_ONCE: usize = 64;
        let all = self.num_tiles();
        for first in (0..all).step_by(AT_ONCE) {
            let some = first..all.min(first + AT_ONCE);
            let packed = parallel::map(some.len(), |n| self.packed(cells, first + n));
            for (tile, packed) in (first..).zip(packed) {
                out.write_all(&packed)?;
                let place = band * all + tile;
                tiles.offsets[place] = *at;
                tiles.sizes[place] = u32::try_from(packed.len()).expect("a tile is a megabyte");
                *at += packed.len() as u64;
            }
        }
        Ok(())
    }

    /// A tile as it stands in the file. Cells beyond the image have no value.
    fn packed(&self, all: Cells<'_>, tile: usize) -> Vec<u8> {
        let [width, height] = self.tile;
        let (left, top) = (tile % self.across() * width, tile / self.across() * height);
        // The cell in the centre of those that one stands for.
        let source = |k: usize, all: usize| (k * self.factor + self.factor / 2).min(all - 1);
        let mut raw = vec![0; 4 * width * height];
        let mut line = vec![all.nodata; width];
        for (row, raw) in (top..).zip(raw.chunks_exact_mut(4 * width)) {
            line.fill(all.nodata);
            if row < self.height {
                let start = source(row, all.height) * all.width;
                let cells = &all.values[start..start + all.width];
                for (column, value) in (left..self.width).zip(&mut line) {
                    *value = cells[source(column, all.width)];
                }
            }
            predict(&line, raw);
        }
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::new(DEFLATE_LEVEL));
        let written = packed.write_all(&raw).and_then(|()| packed.finish());
        written.expect("memory takes everything")
    }
}

/// Bytes of equal weight of a row together, the highest first, each less the one before it: the "floating point" predictor.
fn predict(line: &[f32], bytes: &mut [u8]) {
    for (k, value) in line.iter().enumerate() {
        for (weight, byte) in value.to_be_bytes().into_iter().enumerate() {
            bytes[weight * line.len() + k] = byte;
        }
    }
    for k in (1..bytes.len()).rev() {
        bytes[k] = bytes[k].wrapping_sub(bytes[k - 1]);
    }
}

/// The statistics of every band.
fn statistics(image: &GeoTiff<'_>) -> Result<Vec<Option<Statistics>>, TerrainError> {
    let bands = image.bands.iter();
    bands
        .map(|band| Ok(Statistics::of(&values_of(band, image)?, image.nodata)))
        .collect()
}

fn values_of<'a>(band: &Band<'a>, image: &GeoTiff<'_>) -> Result<Cow<'a, [f32]>, TerrainError> {
    let values = band.values.read()?;
    check_length(band, values.len(), image)?;
    Ok(values)
}

/// The directories of the file's own image and of each overview.
fn directories(
    image: &GeoTiff<'_>,
    levels: &[Level],
    tiles: &[Tiles],
    statistics: &[Option<Statistics>],
) -> Result<Vec<Directory>, TerrainError> {
    let count = |value: usize| {
        u32::try_from(value).map_err(|_| TerrainError::Bands(format!("{value} is too many")))
    };
    let bands = u16::try_from(image.bands.len())
        .map_err(|_| TerrainError::Bands("there are more than 65535 bands".to_owned()))?;
    let all = |value: u16| vec![value; usize::from(bands)];
    let nodata = if image.nodata.is_nan() {
        "nan".to_owned()
    } else {
        image.nodata.to_string()
    };
    let mut directories = Vec::new();
    for (level, tiles) in levels.iter().zip(tiles) {
        let mut directory = Directory::new();
        let mut put = |tag: Tag, value: Value| {
            directory.insert(tag.to_u16(), value);
        };
        // An overview is the same at less resolution.
        if level.factor > 1 {
            put(Tag::NewSubfileType, 1_u32.into());
        }
        put(Tag::ImageWidth, count(level.width)?.into());
        put(Tag::ImageLength, count(level.height)?.into());
        put(Tag::BitsPerSample, Value::Shorts(all(32)));
        put(Tag::SampleFormat, Value::Shorts(all(3)));
        // Deflate, of predicted floating point; dark is low; one band after the other.
        put(Tag::Compression, 8_u16.into());
        put(Tag::Predictor, 3_u16.into());
        put(Tag::PhotometricInterpretation, 1_u16.into());
        put(Tag::PlanarConfiguration, 2_u16.into());
        put(Tag::SamplesPerPixel, bands.into());
        if bands > 1 {
            put(Tag::ExtraSamples, Value::Shorts(all(0)[1..].to_vec()));
        }
        put(Tag::TileWidth, count(level.tile[0])?.into());
        put(Tag::TileLength, count(level.tile[1])?.into());
        put(Tag::TileOffsets, Value::Offsets(tiles.offsets.clone()));
        put(Tag::TileByteCounts, Value::Longs(tiles.sizes.clone()));
        put(Tag::GdalNodata, Value::Text(nodata.clone()));
        if level.factor == 1 {
            put(
                Tag::Unknown(GDAL_METADATA),
                Value::Text(metadata(image, statistics)),
            );
            put_place(image, &mut put);
        }
        directories.push(directory);
    }
    Ok(directories)
}

/// Puts the tags that place the cells on the earth.
fn put_place(image: &GeoTiff<'_>, put: &mut impl FnMut(Tag, Value)) {
    let g = &image.geotransform;
    if g[2] == 0.0 && g[4] == 0.0 && g[1] > 0.0 && g[5] < 0.0 {
        let scale = vec![g[1], -g[5], 0.0];
        put(Tag::ModelPixelScaleTag, Value::Doubles(scale));
        let tie = vec![0.0, 0.0, 0.0, g[0], g[3], 0.0];
        put(Tag::ModelTiepointTag, Value::Doubles(tie));
    } else {
        let rows = vec![
            g[1], g[2], 0.0, g[0], g[4], g[5], 0.0, g[3], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ];
        put(Tag::ModelTransformationTag, Value::Doubles(rows));
    }
    // GDAL makes up a system where there are keys without one.
    let Some(crs) = image.crs else { return };
    let (directory, doubles, text) = pack(&keys_of(crs));
    put(Tag::GeoKeyDirectoryTag, Value::Shorts(directory));
    if !doubles.is_empty() {
        put(Tag::GeoDoubleParamsTag, Value::Doubles(doubles));
    }
    if !text.is_empty() {
        put(Tag::GeoAsciiParamsTag, Value::Text(text));
    }
}

fn check(image: &GeoTiff<'_>) -> Result<(), TerrainError> {
    let refuse = |problem: String| Err(TerrainError::Bands(problem));
    let cells = image.width.checked_mul(image.height);
    if cells.is_none_or(|cells| cells == 0) {
        return refuse(format!(
            "{} x {} cells are none, or too many",
            image.width, image.height
        ));
    }
    if image.bands.is_empty() {
        return refuse("there is no band".to_owned());
    }
    let g = &image.geotransform;
    if !g.iter().all(|value| value.is_finite()) || g[1] * g[5] - g[2] * g[4] == 0.0 {
        return refuse(format!("the transform {g:?} gives cells no size or place"));
    }
    Ok(())
}

fn check_length(band: &Band<'_>, length: usize, image: &GeoTiff<'_>) -> Result<(), TerrainError> {
    let GeoTiff { width, height, .. } = *image;
    let cells = width * height;
    if length == cells {
        return Ok(());
    }
    Err(TerrainError::Bands(format!(
        "band `{}` has {length} values; {width} x {height} cells need {cells}",
        band.name
    )))
}

/// The keys as the three tags that hold them.
fn pack(keys: &keys::Keys) -> (Vec<u16>, Vec<f64>, String) {
    let (mut doubles, mut text) = (Vec::new(), String::new());
    let count = |value: usize| u16::try_from(value).expect("keys are few and short");
    let mut directory = vec![1, 1, 0, count(keys.0.len())];
    for (key, value) in &keys.0 {
        match value {
            keys::Value::Short(value) => directory.extend([*key, 0, 1, *value]),
            keys::Value::Doubles(values) => {
                directory.extend([*key, 34736, count(values.len()), count(doubles.len())]);
                doubles.extend(values);
            }
            keys::Value::Text(value) => {
                // A bar ends each text. It must be ASCII, and short enough to be pointed at.
                let value: String = value
                    .chars()
                    .filter(|c| c.is_ascii() && *c != '|')
                    .take(1000)
                    .collect();
                directory.extend([*key, 34737, count(value.len() + 1), count(text.len())]);
                text.push_str(&value);
                text.push('|');
            }
        }
    }
    (directory, doubles, text)
}

/// Names, units and statistics of the bands, and the texts that travel with the file, in the form of GDAL.
fn metadata(image: &GeoTiff<'_>, statistics: &[Option<Statistics>]) -> String {
    let mut xml = "<GDALMetadata>\n".to_owned();
    let mut item = |attributes: &str, text: &str| {
        let text = escaped(text);
        writeln!(xml, "  <Item {attributes}>{text}</Item>").expect("a string takes all");
    };
    for (name, text) in image.metadata {
        item(&format!("name=\"{}\"", escaped(name)), text);
    }
    for (sample, band) in image.bands.iter().enumerate() {
        for (name, role, text) in [
            ("DESCRIPTION", "description", band.name),
            ("UNITTYPE", "unittype", band.unit),
        ] {
            if !text.is_empty() {
                let attributes = format!("name=\"{name}\" sample=\"{sample}\" role=\"{role}\"");
                item(&attributes, text);
            }
        }
        for (name, text) in statistics[sample].iter().flat_map(Statistics::items) {
            item(&format!("name=\"{name}\" sample=\"{sample}\""), &text);
        }
    }
    xml.push_str("</GDALMetadata>");
    xml
}

/// Text within XML, of ASCII alone: tags hold nothing else, so other letters become numbers.
fn escaped(text: &str) -> String {
    let is_kept = |c: &char| !c.is_control() || ['\n', '\t'].contains(c);
    let once = text.chars().filter(is_kept).map(|c| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c if c.is_ascii() => c.to_string(),
        c => format!("&#{};", u32::from(c)),
    });
    // GDAL escapes twice, and reads it so.
    once.collect::<String>().replace('&', "&amp;")
}
