//! Reads the first band of a GeoTIFF, strip by strip or tile by tile.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use super::super::TerrainError;
use super::super::number::narrow;
use super::super::raster::{MAX_CELLS, Raster, RasterRead};
use super::{GDAL_METADATA, keys};
use crate::crs::Crs;

/// The largest ratio of the size of its values to that of the file: deflate reaches a thousandth.
const MAX_RATIO: u64 = 1100;

/// The most bytes that one strip or tile may have.
const MAX_CHUNK: usize = 1 << 30;

/// The most bytes that one tag may have, such as the list of strips.
const MAX_TAG: usize = 1 << 26;

/// The raster in a GeoTIFF.
pub(in crate::terrain) fn parse<R: Read + Seek>(
    mut reader: R,
    file: &Path,
    stated: Option<&Crs>,
) -> Result<RasterRead, TerrainError> {
    let size = reader
        .seek(SeekFrom::End(0))
        .and_then(|size| reader.rewind().map(|()| size))
        .map_err(|source| TerrainError::Read {
            file: file.to_owned(),
            source,
        })?;
    let refuse = |error| refuse(error, file);
    let decoder = Decoder::new(reader).map_err(refuse)?;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = MAX_CHUNK;
    limits.intermediate_buffer_size = MAX_CHUNK;
    limits.ifd_value_size = MAX_TAG;
    let mut image = Image {
        decoder: decoder.with_limits(limits),
        file,
        warnings: Vec::new(),
    };
    let (width, height) = image.decoder.dimensions().map_err(refuse)?;
    let cells = u64::from(width) * u64::from(height);
    if cells == 0 || cells > MAX_CELLS as u64 || cells > size.saturating_mul(MAX_RATIO) {
        return Err(image.malformed(format!(
            "it tells of {width} x {height} cells in {size} bytes; a file of this size cannot have them, or they are more than {MAX_CELLS}"
        )));
    }
    let bands: u16 = image
        .decoder
        .find_tag_unsigned(Tag::SamplesPerPixel)
        .map_err(refuse)?
        .unwrap_or(1);
    if bands > 1 {
        image.warn(&format!(
            "it has {bands} bands; the first is taken for heights"
        ));
    }
    // The tags that place it are checked before the cells are read.
    let keys = image.keys();
    let crs = match stated {
        Some(crs) => Some(crs.clone()),
        None => keys.crs().map_err(|source| TerrainError::Crs {
            file: file.to_owned(),
            source,
        })?,
    };
    let geotransform = image.geotransform(keys.short(keys::RASTER_TYPE) == Some(2))?;
    let metadata = image.text(Tag::Unknown(GDAL_METADATA));
    let mut values = image.values(width as usize, height as usize, usize::from(bands))?;
    let scale = number_of(&metadata, "scale").unwrap_or(1.0);
    let offset = number_of(&metadata, "offset").unwrap_or(0.0);
    if scale != 1.0 || offset != 0.0 {
        for value in &mut values {
            *value = narrow(f64::from(*value) * scale + offset);
        }
    }
    let unit = keys
        .short(keys::VERTICAL_UNITS)
        .and_then(keys::unit)
        .or_else(
            || match item(&metadata, "unittype")?.to_lowercase().as_str() {
                "m" | "metre" | "meter" | "metres" | "meters" => Some(1.0),
                "ft" | "foot" | "feet" => Some(0.3048),
                "us survey foot" | "us-ft" | "ftus" | "survey foot" => Some(1200.0 / 3937.0),
                _ => None,
            },
        );
    let vertical = || {
        let system = keys.short(keys::VERTICAL)?;
        Crs::vertical_unit(u32::from(system))
    };
    let raster = Raster {
        file: file.to_owned(),
        width: width as usize,
        height: height as usize,
        values,
        geotransform,
        crs,
    };
    let own = stated.map(|_| keys.crs().ok().flatten());
    let mut read = raster.finish(unit.or_else(vertical), image.warnings)?;
    if let Some(own) = own {
        read.file_crs = own;
    }
    Ok(read)
}

struct Image<'a, R: Read + Seek> {
    decoder: Decoder<R>,
    file: &'a Path,
    warnings: Vec<String>,
}

impl<R: Read + Seek> Image<'_, R> {
    fn values(
        &mut self,
        width: usize,
        height: usize,
        bands: usize,
    ) -> Result<Vec<f32>, TerrainError> {
        let file = self.file;
        let refuse = |error| refuse(error, file);
        let nodata = self.text(Tag::GdalNodata);
        let nodata: Option<f64> = nodata.trim().replace(',', ".").parse().ok();
        let is_tiled = self.decoder.get_chunk_type() == ChunkType::Tile;
        let is_planar = self
            .decoder
            .find_tag_unsigned::<u16>(Tag::PlanarConfiguration)
            .map_err(refuse)?
            == Some(2);
        let sizes = if is_tiled {
            Tag::TileByteCounts
        } else {
            Tag::StripByteCounts
        };
        let sizes: Vec<u64> = self
            .decoder
            .find_tag_unsigned_vec(sizes)
            .map_err(refuse)?
            .unwrap_or_default();
        let (chunk_width, chunk_height) = self.decoder.chunk_dimensions();
        let (chunk_width, chunk_height) = (chunk_width as usize, chunk_height as usize);
        if chunk_width == 0 || chunk_height == 0 {
            return Err(self.malformed("its strips or tiles have no size".to_owned()));
        }
        let (across, down) = (width.div_ceil(chunk_width), height.div_ceil(chunk_height));
        let step = if is_planar { 1 } else { bands };
        let mut values = vec![f32::NAN; width * height];
        for chunk in 0..across * down {
            // GDAL leaves out chunks without data.
            if sizes.get(chunk) == Some(&0) {
                continue;
            }
            let (left, top) = (chunk % across * chunk_width, chunk / across * chunk_height);
            let index = u32::try_from(chunk)
                .map_err(|_| self.malformed("it has too many tiles".to_owned()))?;
            let (columns, rows) = self.decoder.chunk_data_dimensions(index);
            let data = self.decoder.read_chunk(index).map_err(refuse)?;
            let (columns, rows) = (columns as usize, rows as usize);
            let mut heights = Vec::new();
            if !numbers(&data, step, nodata, &mut heights) {
                return Err(TerrainError::Unsupported {
                    file: self.file.to_owned(),
                    what: "its type of numbers".to_owned(),
                    accepted:
                        "heights may be integers of 8 to 64 bits, or floating point of 32 or 64"
                            .to_owned(),
                });
            }
            if heights.len() < columns * rows || left + columns > width || top + rows > height {
                return Err(self.malformed(format!("strip or tile {chunk} has the wrong size")));
            }
            for (row, line) in heights.chunks_exact(columns).take(rows).enumerate() {
                let start = (top + row) * width + left;
                values[start..start + columns].copy_from_slice(line);
            }
        }
        Ok(values)
    }

    /// The transform from columns and rows to coordinates, by corners of cells.
    fn geotransform(&mut self, is_point: bool) -> Result<[f64; 6], TerrainError> {
        let scale = self.doubles(Tag::ModelPixelScaleTag);
        let ties = self.doubles(Tag::ModelTiepointTag);
        let matrix = self.doubles(Tag::ModelTransformationTag);
        let mut g = if let [a, b, _, d, e, f, _, h, ..] = matrix[..] {
            [d, a, b, h, e, f]
        } else if let ([sx, sy, ..], [i, j, _, x, y, ..]) = (&scale[..], &ties[..]) {
            [x - i * sx, *sx, 0.0, y + j * sy, 0.0, -sy]
        } else {
            let what = if ties.len() > 6 {
                "a raster placed by control points alone"
            } else {
                "a raster without a place"
            };
            return Err(TerrainError::Unsupported {
                file: self.file.to_owned(),
                what: what.to_owned(),
                accepted: "it needs ModelTiepoint and ModelPixelScale, or ModelTransformation: `gdalwarp` and `gdal_translate -a_ullr` write them"
                    .to_owned(),
            });
        };
        if is_point {
            g[0] -= 0.5 * (g[1] + g[2]);
            g[3] -= 0.5 * (g[4] + g[5]);
        }
        Ok(g)
    }

    fn keys(&mut self) -> keys::Keys {
        let directory = self
            .decoder
            .get_tag_u16_vec(Tag::GeoKeyDirectoryTag)
            .unwrap_or_default();
        let doubles = self.doubles(Tag::GeoDoubleParamsTag);
        let text = self.text(Tag::GeoAsciiParamsTag);
        keys::Keys::read(&directory, &doubles, &text)
    }

    /// The numbers of a tag; none if it is missing.
    fn doubles(&mut self, tag: Tag) -> Vec<f64> {
        self.decoder.get_tag_f64_vec(tag).unwrap_or_default()
    }

    /// The text of a tag; empty if it is missing.
    fn text(&mut self, tag: Tag) -> String {
        let text = self.decoder.get_tag_ascii_string(tag).unwrap_or_default();
        text.trim_end_matches('\0').to_owned()
    }

    fn malformed(&self, problem: String) -> TerrainError {
        TerrainError::Malformed {
            file: self.file.to_owned(),
            problem,
        }
    }

    fn warn(&mut self, message: &str) {
        self.warnings
            .push(format!("`{}`: {message}", self.file.display()));
    }
}

/// Every `step`-th number, NaN for those without data. Tells whether the type is one of heights.
fn numbers(data: &DecodingResult, step: usize, nodata: Option<f64>, into: &mut Vec<f32>) -> bool {
    macro_rules! take {
        ($values:expr, $wide:expr) => {{
            into.extend($values.iter().step_by(step).map(|&value| {
                let wide: f64 = $wide(value);
                if nodata == Some(wide) {
                    f32::NAN
                } else {
                    narrow(wide)
                }
            }));
            true
        }};
    }
    match data {
        DecodingResult::U8(values) => take!(values, f64::from),
        DecodingResult::I8(values) => take!(values, f64::from),
        DecodingResult::U16(values) => take!(values, f64::from),
        DecodingResult::I16(values) => take!(values, f64::from),
        DecodingResult::U32(values) => take!(values, f64::from),
        DecodingResult::I32(values) => take!(values, f64::from),
        DecodingResult::U64(values) => take!(values, |value| value as f64),
        DecodingResult::I64(values) => take!(values, |value| value as f64),
        DecodingResult::F32(values) => {
            // Text of fewer digits stands for the same f32.
            let nodata = nodata.map(narrow);
            let keep = |value: f32| {
                if nodata == Some(value) || !value.is_finite() {
                    f32::NAN
                } else {
                    value
                }
            };
            into.extend(values.iter().step_by(step).map(|&value| keep(value)));
            true
        }
        DecodingResult::F64(values) => take!(values, |value: f64| if value.is_finite() {
            value
        } else {
            f64::NAN
        }),
        DecodingResult::F16(_) => false,
    }
}

/// The text of the first band's item with a role in GDAL's metadata.
fn item<'a>(metadata: &'a str, role: &str) -> Option<&'a str> {
    let wanted = format!("role=\"{role}\"");
    metadata.split("<Item ").find_map(|part| {
        let (attributes, rest) = part.split_once('>')?;
        let is_first = !attributes.contains("sample=") || attributes.contains("sample=\"0\"");
        (is_first && attributes.contains(&wanted)).then(|| rest.split('<').next())?
    })
}

fn number_of(metadata: &str, role: &str) -> Option<f64> {
    let value: f64 = item(metadata, role)?.trim().parse().ok()?;
    value.is_finite().then_some(value)
}

fn refuse(error: TiffError, file: &Path) -> TerrainError {
    let file = file.to_owned();
    match error {
        TiffError::UnsupportedError(error) => TerrainError::Unsupported {
            file,
            what: format!("this TIFF ({error})"),
            accepted: "uncompressed files, LZW and deflate are read: `gdal_translate -co COMPRESS=DEFLATE` writes them".to_owned(),
        },
        TiffError::IoError(source) if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            TerrainError::Read { file, source }
        }
        TiffError::IoError(_) => TerrainError::Malformed { file, problem: "it ends too early".to_owned() },
        other => TerrainError::Malformed { file, problem: format!("not a TIFF that can be read: {other}") },
    }
}
