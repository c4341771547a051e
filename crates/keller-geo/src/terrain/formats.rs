//! Rasters from files, by their formats.

use std::path::Path;

use super::raster::{Raster, RasterRead};
use super::{TerrainError, asc, geotiff, hgt};
use crate::crs::Crs;

impl Raster {
    /// The raster in the file at `path`: GeoTIFF, ESRI ASCII grid (with a `.prj` next to it) or SRTM `.hgt`, by its
    /// extension.
    ///
    /// `stated` is a coordinate reference system that counts instead of the file's.
    ///
    /// # Errors
    /// [`TerrainError`], which names the file.
    pub fn read(path: &Path, stated: Option<&Crs>) -> Result<RasterRead, TerrainError> {
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_lowercase());
        let unreadable = |source| TerrainError::Read {
            file: path.to_owned(),
            source,
        };
        match extension.as_deref() {
            Some("tif" | "tiff") => {
                let file = crate::input::open(path).map_err(unreadable)?;
                Self::parse_geotiff(std::io::BufReader::new(file), path, stated)
            }
            Some("asc") => {
                let text = crate::input::read(path).map_err(unreadable)?;
                let prj = ["prj", "PRJ"]
                    .iter()
                    .find_map(|end| crate::input::read(&path.with_extension(end)).ok());
                Self::parse_asc(&text, path, prj.as_deref(), stated)
            }
            Some("hgt") => Self::parse_hgt(&crate::input::read(path).map_err(unreadable)?, path),
            _ => Err(TerrainError::Extension {
                file: path.to_owned(),
                extension: extension
                    .map_or("(none)".to_owned(), |extension| format!("`.{extension}`")),
            }),
        }
    }

    /// The raster in a GeoTIFF: the first band of its first image.
    ///
    /// # Errors
    /// [`TerrainError`], which names `file`.
    pub fn parse_geotiff<R: std::io::Read + std::io::Seek>(
        reader: R,
        file: &Path,
        stated: Option<&Crs>,
    ) -> Result<RasterRead, TerrainError> {
        geotiff::parse(reader, file, stated)
    }

    /// The raster in an ESRI ASCII grid; `prj` is the content of the file next to it that states its coordinate
    /// reference system.
    ///
    /// # Errors
    /// [`TerrainError`], which names `file` and the line.
    pub fn parse_asc(
        text: &[u8],
        file: &Path,
        prj: Option<&[u8]>,
        stated: Option<&Crs>,
    ) -> Result<RasterRead, TerrainError> {
        asc::parse(text, file, prj, stated)
    }

    /// The raster in an SRTM file, whose name (`N48E011.hgt`) states where it lies.
    ///
    /// # Errors
    /// [`TerrainError`], which names `file`.
    pub fn parse_hgt(bytes: &[u8], file: &Path) -> Result<RasterRead, TerrainError> {
        hgt::parse(bytes, file)
    }
}
