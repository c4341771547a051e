//! Heights on a regular grid of the local frame, from one raster or many.

use glam::DVec2;

use super::number::{narrow, whole};
use super::{Raster, TerrainError};
use crate::crs::{Crs, CrsError, Frame, near_longitude};

/// The largest number of cells: 4 GiB of heights.
const MAX_CELLS: usize = 1 << 30;

/// The number of nodes between which positions are interpolated in a grid that is turned from another system.
/// Interpolation moves them by the curvature of meridians over 8 cells: less than a hundredth of a cell up to cells of
/// 1 km.
const STRIDE: usize = 16;

/// The largest distance, in cells, between nodes of two rasters that count as one.
const ALIGNED: f64 = 1e-3;

/// Heights at the nodes of a regular grid, in metres of the local frame.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightGrid {
    /// The south-western node.
    pub origin: DVec2,
    /// The distance from node to node, to the east and to the north.
    pub spacing: DVec2,
    /// Nodes in a row, from west to east.
    pub columns: usize,
    /// Heights above the frame's zero, `[rows, columns]`, the southern row first. NaN where there are none.
    pub heights: Vec<f32>,
}

impl HeightGrid {
    /// The heights of `rasters` in `frame`; where several have one, the first counts.
    ///
    /// If all have the frame's own system and fit in one grid, as the tiles of a survey do, the nodes are the centres
    /// of their cells, and the heights theirs. Otherwise the finest raster's cell becomes the spacing, and heights are
    /// interpolated ([`Raster::height_at`]). A raster without a system is taken to have the frame's. `region` is the
    /// part that is wanted, its least and largest local coordinates; nodes reach a cell beyond it.
    ///
    /// Memory is 4 bytes a node in addition to the rasters.
    ///
    /// # Errors
    /// [`TerrainError::NoHeights`] where nothing lies in the region, [`TerrainError::TooLarge`], [`TerrainError::Crs`].
    pub fn from_rasters(
        rasters: &[Raster],
        frame: &Frame,
        region: Option<[DVec2; 2]>,
    ) -> Result<Self, TerrainError> {
        let is_own = |raster: &Raster| {
            raster
                .crs
                .as_ref()
                .is_none_or(|crs| crs.is_same_as(frame.crs()))
        };
        let is_aligned = rasters
            .iter()
            .all(|raster| is_own(raster) && is_aligned(raster, &rasters[0]));
        let (origin, spacing, [low, high]) = if is_aligned && !rasters.is_empty() {
            aligned_layout(rasters, frame, region)
        } else {
            turned_layout(rasters, frame, region)?
        };
        let place = || {
            region.map_or("the terrain".to_owned(), |[low, high]| {
                format!("the region from {low} to {high}")
            })
        };
        let size = (high - low + 1.0).max(DVec2::ZERO);
        if size.x < 2.0 || size.y < 2.0 {
            return Err(TerrainError::NoHeights(place()));
        }
        if size.is_nan() || size.x * size.y > MAX_CELLS as f64 {
            return Err(TerrainError::TooLarge {
                columns: size.x,
                rows: size.y,
                max_cells: MAX_CELLS,
            });
        }
        let (columns, rows) = (whole(size.x), whole(size.y));
        let mut grid = Self {
            origin: origin + low * spacing,
            spacing,
            columns,
            heights: vec![f32::NAN; columns * rows],
        };
        for raster in rasters {
            if is_aligned {
                grid.copy(raster, frame);
            } else {
                grid.interpolate(raster, frame)?;
            }
        }
        if grid.heights.iter().all(|height| height.is_nan()) {
            return Err(TerrainError::NoHeights(place()));
        }
        Ok(grid)
    }

    /// The number of rows of nodes.
    pub fn rows(&self) -> usize {
        self.heights.len() / self.columns.max(1)
    }

    /// The local position of a node.
    pub fn node(&self, column: usize, row: usize) -> DVec2 {
        self.origin + self.spacing * DVec2::new(column as f64, row as f64)
    }

    /// Takes the cells of a raster that lies on this grid.
    fn copy(&mut self, raster: &Raster, frame: &Frame) {
        let first = ((centre(raster, 0, 0) - frame.origin().truncate() - self.origin)
            / self.spacing)
            .round();
        let (rows, columns) = (self.rows() as f64, self.columns as f64);
        let is_south_up = raster.geotransform[5] > 0.0;
        for row in 0..raster.height {
            let y = if is_south_up {
                first.y + row as f64
            } else {
                first.y - row as f64
            };
            if !(0.0..rows).contains(&y) {
                continue;
            }
            // Both ends of the columns that lie in the grid.
            let start = whole((-first.x).clamp(0.0, raster.width as f64));
            let end = whole((columns - first.x).clamp(0.0, raster.width as f64));
            if start >= end {
                return;
            }
            let to = whole(y) * self.columns + whole(first.x + start as f64);
            let from = &raster.values[row * raster.width..][start..end];
            for (slot, &height) in self.heights[to..].iter_mut().zip(from) {
                if slot.is_nan() {
                    *slot = above(height, frame);
                }
            }
        }
    }

    /// Interpolates a raster of any system at the nodes that have no height yet.
    fn interpolate(&mut self, raster: &Raster, frame: &Frame) -> Result<(), TerrainError> {
        let (columns, rows) = (self.columns, self.rows());
        let (origin, spacing) = (self.origin, self.spacing);
        let crs = raster.crs.as_ref().unwrap_or(frame.crs());
        let centre = raster.position(0.5 * raster.width as f64, 0.5 * raster.height as f64);
        let at = |column: usize, row: usize| {
            let local = origin + spacing * DVec2::new(column as f64, row as f64);
            let mut at = frame
                .from_local(crs, local)
                .map_err(|source| of_file(raster, source))?;
            if crs.is_geographic() {
                at.x = near_longitude(at.x, centre.x);
            }
            Ok::<_, TerrainError>(at)
        };
        // Only the blocks of nodes are visited that the raster can reach.
        let [low, high] = bounds(border(raster, frame)?.into_iter())
            .map(|end| ((end - origin) / spacing / STRIDE as f64).floor());
        let blocks = |low: f64, high: f64, count: usize| {
            let first = whole(low - 1.0) * STRIDE;
            let end = (whole(high + 2.0) * STRIDE).min(count);
            (first..end).step_by(STRIDE)
        };
        let (low_x, high_x) = (low.x, high.x);
        let mut changes: Vec<(usize, f32)> = Vec::new();
        for low in blocks(low.y, high.y, rows) {
            for left in blocks(low_x, high_x, columns) {
                // The block's corners may lie beyond the grid: so each has the same size.
                let corners = [
                    at(left, low)?,
                    at(left + STRIDE, low)?,
                    at(left, low + STRIDE)?,
                    at(left + STRIDE, low + STRIDE)?,
                ];
                for row in low..(low + STRIDE).min(rows) {
                    let v = (row - low) as f64 / STRIDE as f64;
                    let (west, east) = (
                        corners[0].lerp(corners[2], v),
                        corners[1].lerp(corners[3], v),
                    );
                    for column in left..(left + STRIDE).min(columns) {
                        let index = row * columns + column;
                        if !self.heights[index].is_nan() {
                            continue;
                        }
                        let u = (column - left) as f64 / STRIDE as f64;
                        if let Some(height) = raster.height_at(west.lerp(east, u)) {
                            changes.push((index, narrow(height - frame.origin().z)));
                        }
                    }
                }
            }
            for (index, height) in changes.drain(..) {
                self.heights[index] = height;
            }
        }
        Ok(())
    }
}

/// A height above the frame's zero.
fn above(height: f32, frame: &Frame) -> f32 {
    narrow(f64::from(height) - frame.origin().z)
}

/// The centre of a cell.
fn centre(raster: &Raster, column: usize, row: usize) -> DVec2 {
    raster.position(column as f64 + 0.5, row as f64 + 0.5)
}

/// Whether a raster's cells lie on the grid of `first`'s, rows along x, columns to the east.
fn is_aligned(raster: &Raster, first: &Raster) -> bool {
    let (g, f) = (&raster.geotransform, &first.geotransform);
    let is_straight = g[2] == 0.0 && g[4] == 0.0 && g[1] > 0.0;
    let spacing = DVec2::new(f[1], f[5].abs());
    // Nodes may drift apart over all of the raster by no more than the tolerance.
    let drift = (DVec2::new(g[1], g[5].abs()) - spacing).abs() / spacing
        * DVec2::new(raster.width as f64, raster.height as f64);
    let offset = (centre(raster, 0, 0) - centre(first, 0, 0)) / spacing;
    is_straight
        && drift.max_element() < ALIGNED
        && (offset - offset.round()).abs().max_element() < ALIGNED
}

/// Origin, spacing, and the first and last node to the east and north, counted from the origin.
type Layout = (DVec2, DVec2, [DVec2; 2]);

/// The nodes are the centres of the cells.
fn aligned_layout(rasters: &[Raster], frame: &Frame, region: Option<[DVec2; 2]>) -> Layout {
    let g = &rasters[0].geotransform;
    let spacing = DVec2::new(g[1], g[5].abs());
    let origin = centre(&rasters[0], 0, 0) - frame.origin().truncate();
    let ends = rasters.iter().flat_map(|raster| {
        [
            centre(raster, 0, 0),
            centre(raster, raster.width - 1, raster.height - 1),
        ]
    });
    let ends = ends.map(|end| ((end - frame.origin().truncate() - origin) / spacing).round());
    (origin, spacing, cut(bounds(ends), origin, spacing, region))
}

/// The nodes are new ones, as near to each other as the cells of the finest raster.
fn turned_layout(
    rasters: &[Raster],
    frame: &Frame,
    region: Option<[DVec2; 2]>,
) -> Result<Layout, TerrainError> {
    let mut ends = Vec::new();
    let mut spacing = f64::INFINITY;
    for raster in rasters {
        let (x, y) = (0.5 * raster.width as f64, 0.5 * raster.height as f64);
        let local = |column, row| local(raster, frame, column, row);
        let u = local(x + 0.5, y)? - local(x - 0.5, y)?;
        let v = local(x, y + 0.5)? - local(x, y - 0.5)?;
        spacing = spacing.min(u.perp_dot(v).abs().sqrt());
        ends.extend(border(raster, frame)?);
    }
    let spacing = DVec2::splat(spacing);
    let [low, high] = bounds(ends.into_iter());
    let nodes = [(low / spacing).ceil(), (high / spacing).floor()];
    Ok((
        DVec2::ZERO,
        spacing,
        cut(nodes, DVec2::ZERO, spacing, region),
    ))
}

/// Local positions along the border of a raster.
fn border(raster: &Raster, frame: &Frame) -> Result<Vec<DVec2>, TerrainError> {
    /// The number of pieces into which each side is cut.
    const PIECES: usize = 16;
    let (width, height) = (raster.width as f64, raster.height as f64);
    let along = (0..=PIECES).map(|piece| piece as f64 / PIECES as f64);
    along
        .flat_map(|t| {
            [
                (t * width, 0.0),
                (t * width, height),
                (0.0, t * height),
                (width, t * height),
            ]
        })
        .map(|(column, row)| local(raster, frame, column, row))
        .collect()
}

/// The local position of a column and row of a raster.
fn local(raster: &Raster, frame: &Frame, column: f64, row: f64) -> Result<DVec2, TerrainError> {
    let crs: &Crs = raster.crs.as_ref().unwrap_or(frame.crs());
    frame
        .to_local(crs, raster.position(column, row))
        .map_err(|source| of_file(raster, source))
}

fn of_file(raster: &Raster, source: CrsError) -> TerrainError {
    TerrainError::Crs {
        file: raster.file.clone(),
        source,
    }
}

fn bounds(points: impl Iterator<Item = DVec2>) -> [DVec2; 2] {
    points.fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], p| {
        [low.min(p), high.max(p)]
    })
}

/// The part of the nodes that covers the region.
fn cut(
    [low, high]: [DVec2; 2],
    origin: DVec2,
    spacing: DVec2,
    region: Option<[DVec2; 2]>,
) -> [DVec2; 2] {
    region.map_or([low, high], |[from, to]| {
        [
            low.max(((from - origin) / spacing).floor() - 1.0),
            high.min(((to - origin) / spacing).ceil() + 1.0),
        ]
    })
}
