//! Heights in the cells of a file, in the file's own coordinates.

use std::path::PathBuf;

use glam::DVec2;

use super::TerrainError;
use super::number::{narrow, whole};
use crate::crs::Crs;

/// The largest number of cells that a file may claim: 4 GiB of heights.
pub(super) const MAX_CELLS: usize = 1 << 30;

/// The numbers that programs write for a missing height, and that no ground has.
const MISSING: [f32; 4] = [-9999.0, -32767.0, -32768.0, f32::MIN];

/// A raster of heights as a file had it.
///
/// ```
/// use std::path::Path;
/// use glam::DVec2;
/// use keller_geo::crs::Crs;
/// use keller_geo::terrain::Raster;
///
/// let text = b"ncols 2\nnrows 2\nxllcenter 691000\nyllcenter 5334000\ncellsize 10\n510 512\n500 502\n";
/// let utm = Crs::parse("EPSG:25832")?;
/// let read = Raster::parse_asc(text, Path::new("hill.asc"), None, Some(&utm))?;
/// assert_eq!(read.raster.height_at(DVec2::new(691_005.0, 5_334_005.0)), Some(506.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Raster {
    /// The file, for messages.
    pub file: PathBuf,
    /// Cells in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Heights in metres, row by row as in the file, `[height, width]`. NaN where the file has none.
    pub values: Vec<f32>,
    /// The transform from column and row to coordinates, as in GDAL: `x = g[0] + column g[1] + row g[2]`, `y = g[3] +
    /// column g[4] + row g[5]`.
    ///
    /// Whole numbers are corners of cells, so a cell's height is that at `(column + 0.5, row + 0.5)`. Files whose heights are of points
    /// (`PixelIsPoint`, `xllcenter`, SRTM) are brought to this.
    pub geotransform: [f64; 6],
    /// The system of its coordinates, if the file or the user states it.
    pub crs: Option<Crs>,
}

/// A raster with the messages from reading it.
#[derive(Debug, Clone)]
pub struct RasterRead {
    /// The raster.
    pub raster: Raster,
    /// The system that the file itself names, whatever counts instead.
    pub file_crs: Option<Crs>,
    /// Messages on what looked wrong or was assumed; each message names the file.
    pub warnings: Vec<String>,
}

impl Raster {
    /// The coordinates of a column and row; whole numbers are corners of cells.
    pub fn position(&self, column: f64, row: f64) -> DVec2 {
        let g = &self.geotransform;
        DVec2::new(
            g[0] + column * g[1] + row * g[2],
            g[3] + column * g[4] + row * g[5],
        )
    }

    /// The column and row of coordinates, fractions included.
    pub fn cell(&self, at: DVec2) -> DVec2 {
        let g = &self.geotransform;
        let (x, y) = (at.x - g[0], at.y - g[3]);
        let determinant = g[1] * g[5] - g[2] * g[4];
        DVec2::new(
            (x * g[5] - y * g[2]) / determinant,
            (y * g[1] - x * g[4]) / determinant,
        )
    }

    /// The height at coordinates of the raster's own system, metres: bilinear between the four cells around, as far as these have a height;
    /// nothing outside of the raster, and where the nearest cell has none.
    pub fn height_at(&self, at: DVec2) -> Option<f64> {
        /// Rounding must not lose the border itself.
        const SLACK: f64 = 1e-9;
        let cell = self.cell(at);
        let (width, height) = (self.width as f64, self.height as f64);
        let is_inside = (-SLACK..=width + SLACK).contains(&cell.x)
            && (-SLACK..=height + SLACK).contains(&cell.y);
        if !is_inside {
            return None;
        }
        // The outer half of the border cells has their height.
        let (x, y) = (
            (cell.x - 0.5).clamp(0.0, width - 1.0),
            (cell.y - 0.5).clamp(0.0, height - 1.0),
        );
        let (column, row) = (whole(x), whole(y));
        let (u, v) = (x - column as f64, y - row as f64);
        let value = |column: usize, row: usize| {
            let (column, row) = (column.min(self.width - 1), row.min(self.height - 1));
            f64::from(self.values[row * self.width + column])
        };
        let corners = [
            (value(column, row), (1.0 - u) * (1.0 - v)),
            (value(column + 1, row), u * (1.0 - v)),
            (value(column, row + 1), (1.0 - u) * v),
            (value(column + 1, row + 1), u * v),
        ];
        let nearest = corners
            .iter()
            .copied()
            .fold((f64::NAN, -1.0), |a, b| if b.1 > a.1 { b } else { a });
        if nearest.0.is_nan() {
            return None;
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (value, weight) in corners {
            if !value.is_nan() {
                sum += weight * value;
                weights += weight;
            }
        }
        Some(sum / weights)
    }

    /// Checks what every reader promises, and warns of coordinates that do not fit the system.
    ///
    /// `height_unit` is the unit of heights that the file states, metres; else the unit of its system counts.
    pub(super) fn finish(
        mut self,
        height_unit: Option<f64>,
        mut warnings: Vec<String>,
    ) -> Result<RasterRead, TerrainError> {
        let mut missing = 0_usize;
        for value in &mut self.values {
            if MISSING.contains(value) {
                missing += 1;
                *value = f32::NAN;
            } else if value.is_infinite() {
                *value = f32::NAN;
            }
        }
        if missing > 0 {
            warnings.push(format!(
                "`{}`: heights of -9999, -32767, -32768 or -3.4e38, which the file does not name as missing, are taken as such: {missing}",
                self.file.display()
            ));
        }
        let unit = height_unit
            .or(self.crs.as_ref().map(Crs::height_unit))
            .unwrap_or(1.0);
        if unit != 1.0 {
            warnings.push(format!(
                "`{}`: its heights are in units of {unit} m and were turned into metres",
                self.file.display()
            ));
            for value in &mut self.values {
                *value = narrow(f64::from(*value) * unit);
            }
        }
        let malformed = |problem: String| TerrainError::Malformed {
            file: self.file.clone(),
            problem,
        };
        let g = &self.geotransform;
        let determinant = g[1] * g[5] - g[2] * g[4];
        if !(g.iter().all(|value| value.is_finite())
            && determinant.is_finite()
            && determinant != 0.0)
        {
            return Err(malformed(format!(
                "its cells have no size or place: the transform to coordinates is {g:?}"
            )));
        }
        if let Some(crs) = &self.crs {
            let centre = self.position(0.5 * self.width as f64, 0.5 * self.height as f64);
            crs.check(centre).map_err(|source| TerrainError::Crs {
                file: self.file.clone(),
                source,
            })?;
            warnings.extend(
                crs.caveat()
                    .map(|caveat| format!("`{}`: {caveat}", self.file.display())),
            );
        } else {
            warnings.push(format!(
                "`{}`: it does not tell its coordinate reference system; its coordinates are taken as the scene's own unless one is stated",
                self.file.display()
            ));
        }
        Ok(RasterRead {
            file_crs: self.crs.clone(),
            raster: self,
            warnings,
        })
    }
}
