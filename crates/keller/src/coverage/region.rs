//! The cells of a coverage.

use glam::{DVec2, DVec3};

use crate::Error;
use crate::scene::Scene;

/// A box of cells, or planes of cells, whose rows and columns may run askew.
///
/// Rows run along the region's own x axis, columns along its own y axis. They are the scene's, unless the region is
/// [turned](Self::turned).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Region {
    /// The corner where both own axes start, metres of the scene.
    pub min: DVec2,
    /// The direction of the own x axis, a unit vector.
    pub axis: DVec2,
    /// Sizes of a cell along the own x and y axis, metres.
    pub resolution: DVec2,
    /// Number of cells along the own x and y axis.
    pub num_columns: [usize; 2],
    /// The heights of the cells' centres.
    pub levels: Levels,
}

/// Heights of cells, metres.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Levels {
    /// Heights above the scene's zero.
    AboveSea(Vec<f64>),
    /// Heights above the ground of each column.
    AboveGround(Vec<f64>),
}

impl Levels {
    /// The heights as they were given.
    pub fn heights(&self) -> &[f64] {
        match self {
            Self::AboveSea(heights) | Self::AboveGround(heights) => heights,
        }
    }
}

/// The largest number of cells, all levels together: more would take tens of gigabytes.
const MAX_CELLS: f64 = 1e9;

/// A last cell of less than this share of its size is not begun.
const SMALLEST_SHARE: f64 = 1e-6;

impl Region {
    /// Cells of `resolution` from `min` to `max`; the last may reach beyond. Centres lie at `min + (i + 1/2)
    /// resolution`.
    ///
    /// # Errors
    /// [`Error::Region`] for corners the wrong way round, a resolution that is not positive, no level, or too many cells.
    pub fn planes(
        min: DVec2,
        max: DVec2,
        resolution: DVec2,
        levels: Levels,
    ) -> Result<Self, Error> {
        let columns = [0, 1].map(|k| {
            let axis = ["x", "y"][k];
            count(axis, [min[k], max[k]], resolution[k])
        });
        let [nx, ny] = columns;
        let (nx, ny) = (nx?, ny?);
        let heights = levels.heights();
        if heights.is_empty() || !heights.iter().all(|h| h.is_finite()) {
            return Err(Error::Region(
                "there must be a height, and heights must be finite".to_owned(),
            ));
        }
        let cells = nx * ny * heights.len() as f64;
        if cells > MAX_CELLS {
            // Two or three axes share it.
            let axes = if heights.len() > 1 { 3.0 } else { 2.0 };
            let coarser = (cells / MAX_CELLS).powf(1.0 / axes);
            return Err(Error::Region(format!(
                "{cells:.1e} cells, {:.0} GB a transmitter; at most {MAX_CELLS:.0e} are accepted: take a smaller region, or cells {coarser:.1} times as large",
                cells * 8e-9
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts were checked"
        )]
        let num_columns = [nx as usize, ny as usize];
        Ok(Self {
            min,
            axis: DVec2::X,
            resolution,
            num_columns,
            levels,
        })
    }

    /// A region with levels from `min.z` to `max.z`, over the scene's zero.
    ///
    /// # Errors
    /// The errors of [`Self::planes`].
    pub fn volume(min: DVec3, max: DVec3, resolution: DVec3) -> Result<Self, Error> {
        let n = count("z", [min.z, max.z], resolution.z)?;
        if n > MAX_CELLS {
            return Err(Error::Region(format!(
                "{n:.1e} levels; at most {MAX_CELLS:.0e} cells are accepted: take a larger resolution along z"
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the count was checked"
        )]
        let levels = (0..n as usize).map(|k| min.z + (k as f64 + 0.5) * resolution.z);
        Self::planes(
            min.truncate(),
            max.truncate(),
            resolution.truncate(),
            Levels::AboveSea(levels.collect()),
        )
    }

    /// This region, turned anticlockwise about its corner `min` by `rotation` radians.
    #[must_use]
    pub fn turned(self, rotation: f64) -> Self {
        let axis = DVec2::from_angle(rotation).rotate(self.axis);
        Self { axis, ..self }
    }

    /// Whether the own axes are not those of the scene.
    pub fn is_turned(&self) -> bool {
        self.axis != DVec2::X
    }

    /// The rotation of the own axes from those of the scene, radians anticlockwise.
    pub fn rotation(&self) -> f64 {
        self.axis.to_angle()
    }

    /// Sizes of the whole region along its own x and y axis, metres.
    pub fn extent(&self) -> DVec2 {
        self.resolution * DVec2::from(self.num_columns.map(|n| n as f64))
    }

    /// The place in the scene of one in the region's own axes, which start at `min`; both in metres.
    pub fn to_scene(&self, own: DVec2) -> DVec2 {
        self.min + self.axis.rotate(own)
    }

    /// The inverse of [`Self::to_scene`].
    pub fn to_own(&self, at: DVec2) -> DVec2 {
        let away = at - self.min;
        DVec2::new(self.axis.dot(away), self.axis.perp_dot(away))
    }

    /// The corners of the whole region in the scene, metres: anticlockwise, `min` first.
    pub fn corners(&self) -> [DVec2; 4] {
        let DVec2 { x, y } = self.extent();
        [[0.0, 0.0], [x, 0.0], [x, y], [0.0, y]].map(|own| self.to_scene(own.into()))
    }

    /// The lower and upper corner of the smallest box along the scene's axes around the whole region, metres.
    pub fn bounds(&self) -> [DVec2; 2] {
        let [first, rest @ ..] = self.corners();
        rest.iter().fold([first; 2], |[low, high], corner| {
            [low.min(*corner), high.max(*corner)]
        })
    }

    /// Number of cells along the own x and y axis and along z.
    pub fn shape(&self) -> [usize; 3] {
        let [nx, ny] = self.num_columns;
        [nx, ny, self.levels.heights().len()]
    }

    /// Number of cells in all.
    pub fn num_cells(&self) -> usize {
        self.shape().iter().product()
    }

    /// x and y of the centre of a column in the scene, metres.
    pub fn column(&self, i: usize, j: usize) -> DVec2 {
        self.to_scene(self.own_column(i, j))
    }

    /// The centre of a column in the region's own axes, metres from `min`.
    pub fn own_column(&self, i: usize, j: usize) -> DVec2 {
        (DVec2::new(i as f64, j as f64) + 0.5) * self.resolution
    }

    /// The indices of a cell along the own x and y axis and along z from its number, x running fastest.
    pub fn cell(&self, number: usize) -> [usize; 3] {
        let [nx, ny, _] = self.shape();
        [number % nx, number / nx % ny, number / (nx * ny)]
    }

    /// The centre of a cell, metres; `None` over no ground. `ground` is that of [`super::Coverage`].
    pub fn centre(&self, [i, j, k]: [usize; 3], ground: &[f64]) -> Option<DVec3> {
        let z = match &self.levels {
            Levels::AboveSea(heights) => heights[k],
            Levels::AboveGround(heights) => ground[j * self.num_columns[0] + i] + heights[k],
        };
        z.is_finite().then(|| self.column(i, j).extend(z))
    }

    /// The number of the cell whose centre is nearest to a place; `None` outside the region, and farther from the centre than
    /// the longest side of a cell. `ground` is that of [`super::Coverage`].
    pub fn nearest(&self, at: DVec3, ground: &[f64]) -> Option<usize> {
        let own = self.to_own(at.truncate()) / self.resolution;
        let [nx, ny, levels] = self.shape();
        if own.cmplt(DVec2::ZERO).any() || own.x >= nx as f64 || own.y >= ny as f64 {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from zero to a number of cells"
        )]
        let [i, j] = own.to_array().map(|along| along as usize);
        let cells = (0..levels).filter_map(|k| {
            let centre = self.centre([i, j, k], ground)?;
            Some(((k * ny + j) * nx + i, centre.distance(at)))
        });
        let (cell, distance) = cells.min_by(|a, b| a.1.total_cmp(&b.1))?;
        (distance <= self.resolution.max_element()).then_some(cell)
    }

    /// The height of the ground ([`Scene::ground`]) under every column, `[ny, nx]`, NaN where there is none. Empty where levels do not
    /// follow the ground.
    pub fn ground(&self, scene: &Scene) -> Vec<f64> {
        if matches!(self.levels, Levels::AboveSea(_)) {
            return Vec::new();
        }
        let [nx, ny] = self.num_columns;
        let columns = (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j)));
        let height = |(i, j)| scene.ground(self.column(i, j)).unwrap_or(f64::NAN);
        columns.map(height).collect()
    }
}

/// Number of cells along an axis.
fn count(axis: &str, [min, max]: [f64; 2], resolution: f64) -> Result<f64, Error> {
    let is_usable = min.is_finite() && max.is_finite() && resolution.is_finite();
    if !is_usable || resolution <= 0.0 {
        return Err(Error::Region(format!(
            "from {min} to {max} along {axis} with cells of {resolution} m: numbers must be finite and the resolution positive"
        )));
    }
    if min >= max {
        return Err(Error::Region(format!(
            "from {min} to {max} along {axis}: the first must be less than the second"
        )));
    }
    Ok(((max - min) / resolution - SMALLEST_SHARE).ceil().max(1.0))
}
