//! Writes bands of f32 as a GeoTIFF: deflated strips, one band after the other.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Seek, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tiff::encoder::{TiffEncoder, TiffKind};
use tiff::tags::Tag;
use tiff::{TiffError, encoder};

use super::super::TerrainError;
use super::describe::keys_of;
use super::{GDAL_METADATA, keys};
use crate::crs::Crs;

/// About how many bytes a strip has before compression: readers take one whole.
const STRIP_BYTES: usize = 1 << 18;

/// Files that may come to more bytes are written as `BigTIFF`.
const CLASSIC_BYTES: usize = 3 << 30;

/// A quantity in the cells of a [`GeoTiff`].
#[derive(Debug, Clone, Copy)]
pub struct Band<'a> {
    /// What it is, such as `path gain`.
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
    /// From column and row to coordinates, by corners of cells, as GDAL has it: `x = g[0] + column g[1] + row g[2]`,
    /// `y = g[3] + column g[4] + row g[5]`. A raster with north up has `[west, cell, 0, north, 0, -cell]`.
    pub geotransform: [f64; 6],
    /// The system of the coordinates, if they have one: told by its code, or by method and parameters. A method that GeoTIFF has no code
    /// for, or none that is known here, is told as a PROJ string in the citation, which GDAL does not take for a system.
    pub crs: Option<&'a Crs>,
    /// The value of cells without one; NaN is good.
    pub nodata: f32,
    /// The bands, at least one.
    pub bands: &'a [Band<'a>],
    /// Names and texts that travel with the file, such as what made it.
    pub metadata: &'a [(&'a str, &'a str)],
}

/// Writes a GeoTIFF: 32-bit floating point, deflated, cells as areas, with names and units of the bands as GDAL keeps them.
///
/// Works in the memory of one strip beside the values of one band. A caller that must not leave half a file writes to a temporary name.
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
pub fn write<W: Write + Seek>(out: W, image: &GeoTiff<'_>) -> Result<(), TerrainError> {
    check(image)?;
    let bytes = image.width * image.height * image.bands.len() * size_of::<f32>();
    if bytes > CLASSIC_BYTES {
        write_as(TiffEncoder::new_big(out).map_err(refuse)?, image, Ok)
    } else {
        let narrow = |offset| {
            u32::try_from(offset)
                .map_err(|_| TerrainError::Bands("it is larger than 4 GiB".to_owned()))
        };
        write_as(TiffEncoder::new(out).map_err(refuse)?, image, narrow)
    }
}

fn write_as<W: Write + Seek, K: TiffKind, O>(
    mut encoder: TiffEncoder<W, K>,
    image: &GeoTiff<'_>,
    narrow: impl Fn(u64) -> Result<O, TerrainError>,
) -> Result<(), TerrainError>
where
    [O]: encoder::TiffValue,
{
    let mut file = encoder.image_directory().map_err(refuse)?;
    let rows_per_strip = (STRIP_BYTES / (image.width * size_of::<f32>())).clamp(1, image.height);
    let (mut offsets, mut sizes) = (Vec::new(), Vec::new());
    let mut raw = Vec::new();
    for band in image.bands {
        let values = band.values.read()?;
        check_length(band, values.len(), image)?;
        for strip in values.chunks(rows_per_strip * image.width) {
            raw.clear();
            // The encoder writes in the order of the machine.
            raw.extend(strip.iter().flat_map(|value| value.to_ne_bytes()));
            let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
            packed.write_all(&raw)?;
            let packed = packed.finish()?;
            offsets.push(narrow(file.write_data(&packed[..]).map_err(refuse)?)?);
            sizes.push(narrow(packed.len() as u64)?);
        }
    }
    let count = |value: usize| {
        u32::try_from(value).map_err(|_| TerrainError::Bands(format!("{value} is too many")))
    };
    let bands = u16::try_from(image.bands.len())
        .map_err(|_| TerrainError::Bands("there are more than 65535 bands".to_owned()))?;
    let all = |value: u16| vec![value; usize::from(bands)];
    let mut tag = |tag: Tag, values: Tagged<'_>| match values {
        Tagged::Shorts(values) => file.write_tag(tag, values),
        Tagged::Long(value) => file.write_tag(tag, value),
        Tagged::Doubles(values) => file.write_tag(tag, values),
        Tagged::Text(text) => file.write_tag(tag, text),
    };
    let mut write = |name: Tag, values: Tagged<'_>| tag(name, values).map_err(refuse);
    write(Tag::ImageWidth, Tagged::Long(count(image.width)?))?;
    write(Tag::ImageLength, Tagged::Long(count(image.height)?))?;
    write(Tag::BitsPerSample, Tagged::Shorts(&all(32)))?;
    write(Tag::SampleFormat, Tagged::Shorts(&all(3)))?;
    // Deflate; dark is low; one band after the other.
    write(Tag::Compression, Tagged::Shorts(&[8]))?;
    write(Tag::PhotometricInterpretation, Tagged::Shorts(&[1]))?;
    write(Tag::PlanarConfiguration, Tagged::Shorts(&[2]))?;
    write(Tag::SamplesPerPixel, Tagged::Shorts(&[bands]))?;
    if bands > 1 {
        write(Tag::ExtraSamples, Tagged::Shorts(&all(0)[1..]))?;
    }
    write(Tag::RowsPerStrip, Tagged::Long(count(rows_per_strip)?))?;
    let g = &image.geotransform;
    if g[2] == 0.0 && g[4] == 0.0 && g[1] > 0.0 && g[5] < 0.0 {
        write(
            Tag::ModelPixelScaleTag,
            Tagged::Doubles(&[g[1], -g[5], 0.0]),
        )?;
        write(
            Tag::ModelTiepointTag,
            Tagged::Doubles(&[0.0, 0.0, 0.0, g[0], g[3], 0.0]),
        )?;
    } else {
        let rows = [
            g[1], g[2], 0.0, g[0], g[4], g[5], 0.0, g[3], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ];
        write(Tag::ModelTransformationTag, Tagged::Doubles(&rows))?;
    }
    // GDAL makes up a system where there are keys without one.
    if let Some(crs) = image.crs {
        let (directory, doubles, text) = pack(&keys_of(crs));
        write(Tag::GeoKeyDirectoryTag, Tagged::Shorts(&directory))?;
        if !doubles.is_empty() {
            write(Tag::GeoDoubleParamsTag, Tagged::Doubles(&doubles))?;
        }
        if !text.is_empty() {
            write(Tag::GeoAsciiParamsTag, Tagged::Text(&text))?;
        }
    }
    write(Tag::Unknown(GDAL_METADATA), Tagged::Text(&metadata(image)))?;
    let nodata = if image.nodata.is_nan() {
        "nan".to_owned()
    } else {
        image.nodata.to_string()
    };
    write(Tag::GdalNodata, Tagged::Text(&nodata))?;
    file.write_tag(Tag::StripOffsets, &offsets[..])
        .map_err(refuse)?;
    file.write_tag(Tag::StripByteCounts, &sizes[..])
        .map_err(refuse)?;
    file.finish().map_err(refuse)
}

enum Tagged<'a> {
    Shorts(&'a [u16]),
    Long(u32),
    Doubles(&'a [f64]),
    Text(&'a str),
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

/// Names and units of the bands, and what travels with the file, as GDAL keeps them.
fn metadata(image: &GeoTiff<'_>) -> String {
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

fn refuse(error: TiffError) -> TerrainError {
    match error {
        TiffError::IoError(error) => TerrainError::Write(error),
        other => TerrainError::Bands(other.to_string()),
    }
}
