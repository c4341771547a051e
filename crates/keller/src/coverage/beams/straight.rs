//! The straight line to every cell: free space to visible cells, and its rest behind walls elsewhere.

use glam::DVec2;
use pulp::Arch;

use super::Kind;
use super::departure::Departure;
use super::depth::num_walls;
use super::loss::Combination;
use super::mask::Mask;
use super::raster::Raster;

/// The data that all straight lines of a map share.
#[derive(Debug)]
pub(super) struct Straight<'a> {
    pub(super) raster: &'a Raster,
    /// The place of the transmitter, metres.
    pub(super) place: DVec2,
    /// The height from the transmitter to the plane, metres.
    pub(super) rise: f64,
    /// Wavelength over 4 pi, squared, m².
    pub(super) at_a_metre: f64,
    pub(super) departure: &'a Departure,
    pub(super) combination: Combination,
    /// The linear gains behind so many walls, if waves through walls count.
    pub(super) of_walls: Option<Vec<f32>>,
    /// Whether cells in buildings are filled.
    pub(super) has_indoors: bool,
}

impl Straight<'_> {
    /// Adds the straight lines to linear gains, for the cells `visible` and the numbers of walls before the others. All
    /// lie by columns. Nothing else counts for visible cells.
    pub(super) fn fill(&self, visible: &Mask, counts: &[i16], kinds: &[Kind], gains: &mut [f32]) {
        let [num_columns, num_rows] = self.raster.count;
        let rows = 0..num_rows;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "single precision is enough for a gain"
        )]
        let dy: Vec<f32> = rows
            .map(|row| (self.raster.centre(0, row).y - self.place.y) as f32)
            .collect();
        let mut straight = vec![0.0; num_rows];
        for column in 0..num_columns {
            let cells = column * num_rows..(column + 1) * num_rows;
            let (kinds, gains) = (&kinds[cells.clone()], &mut gains[cells.clone()]);
            let dx = self.raster.centre(column, 0).x - self.place.x;
            if self.of_walls.is_some() || visible.has_column(column) {
                self.free_space(dx, &dy, kinds, &mut straight);
            }
            if let Some(of_walls) = &self.of_walls {
                self.through_walls(of_walls, &straight, &counts[cells], gains);
            }
            visible.each_of_column(column, |row| gains[row] = straight[row]);
            // The model has no number if it does not look into buildings.
            let indoors = if self.has_indoors { 1.0 } else { f32::NAN };
            Arch::new().dispatch(|| {
                for (gain, kind) in gains.iter_mut().zip(kinds) {
                    *gain *= match kind {
                        Kind::Outdoors => 1.0,
                        Kind::Indoors => indoors,
                        Kind::Blocked => f32::NAN,
                    };
                }
            });
        }
    }

    /// The linear gains in free space, `dx` metres from the transmitter.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "single precision is enough for a gain"
    )]
    fn free_space(&self, dx: f64, dy: &[f32], kinds: &[Kind], gains: &mut [f32]) {
        let square = (dx * dx + self.rise * self.rise) as f32;
        let at_a_metre = match self.departure {
            Departure::Isotropic(of_tx) => (of_tx * self.at_a_metre) as f32,
            Departure::Table(..) => self.at_a_metre as f32,
        };
        Arch::new().dispatch(|| {
            for (gain, dy) in gains.iter_mut().zip(dy) {
                *gain = at_a_metre / (square + dy * dy).max(1e-6);
            }
        });
        if let Departure::Table(..) = self.departure {
            for ((gain, dy), kind) in gains.iter_mut().zip(dy).zip(kinds) {
                if *kind == Kind::Outdoors || (*kind == Kind::Indoors && self.has_indoors) {
                    let away = DVec2::new(dx, f64::from(*dy));
                    *gain *= self.departure.gain(away, self.rise) as f32;
                }
            }
        }
    }

    /// Adds the rest of free space behind walls to `gains`.
    fn through_walls(&self, of_walls: &[f32], free: &[f32], counts: &[i16], gains: &mut [f32]) {
        Arch::new().dispatch(|| {
            for ((gain, free), count) in gains.iter_mut().zip(free).zip(counts) {
                let of_walls = of_walls[usize::from(num_walls(*count))];
                *gain = self.combination.of(*gain, free * of_walls);
            }
        });
    }
}
