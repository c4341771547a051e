//! Coverage by a classical [path loss model](crate::models): a planner's formula for every cell.
//!
//! The scene gives heights over the ground, and which cells are in buildings (empty for models of the street). It gives
//! models that ask for them also whether the straight line from the Tx is free, the walls and floors on it, and the
//! profile of ground and roofs below it, with a corner at every edge. A cell costs a few rays at most, or the edges of
//! a sector. The gain of the Tx antenna towards the cell counts, whatever the model leaves open about the directions of
//! waves.

mod building;
mod predictor;
mod walls;

pub use predictor::{FromTx, Predictor};

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::Region;
use crate::models::{Model, Streets};
use crate::{Control, Error, Stage, Tx, World, parallel};

/// Cells that are filled between two looks at the caller.
const CELLS_AT_ONCE: usize = 1 << 16;

/// A world and a region, ready to be filled part by part.
#[derive(Debug)]
pub struct Models {
    predictor: Predictor,
    region: Region,
    ground: Vec<f64>,
    /// Height of the ground under every column, NaN where there is none; kept where levels do not follow it.
    heights: Vec<f64>,
}

/// The part of a region that lies outside the [range](Model::range) of its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outside {
    /// Cells nearer or farther than the document states.
    pub by_distance: usize,
    /// Cells lower or higher.
    pub by_height: usize,
    /// Cells that are filled.
    pub num_cells: usize,
}

impl Models {
    /// The predictions of a model in a world, over a region. Only [`Model::WalfischIkegami`] looks at `streets`.
    ///
    /// # Errors
    /// [`Error::Model`] for a frequency outside the range of the model.
    pub fn new(
        world: &World,
        region: &Region,
        model: Model,
        streets: Streets,
    ) -> Result<Self, Error> {
        let predictor = Predictor::new(world, model, streets)?;
        let ground = region.ground(world.scene());
        let [nx, ny, _] = region.shape();
        let heights = if ground.is_empty() {
            let height = |column: usize| {
                let at = region.column(column % nx, column / nx);
                world.scene().ground(at).unwrap_or(f64::NAN)
            };
            parallel::map(nx * ny, height)
        } else {
            Vec::new()
        };
        Ok(Self {
            predictor,
            region: region.clone(),
            ground,
            heights,
        })
    }

    /// The region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// [`super::Coverage::ground`]
    pub fn ground(&self) -> &[f64] {
        &self.ground
    }

    /// The prediction of single points.
    pub fn predictor(&self) -> &Predictor {
        &self.predictor
    }

    /// Linear path gains of a Tx in the cells with the numbers `cells`, as [`super::Coverage::path_gain`] has them.
    /// They are the same whatever other cells are asked for, bit by bit.
    ///
    /// # Errors
    /// [`Error::Model`] for a Tx below the ground, [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn gains(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<f64>, Error> {
        assert!(
            cells.end <= self.region.num_cells(),
            "the region has {} cells",
            self.region.num_cells()
        );
        let from = self.predictor.from_tx(tx)?;
        let mut gains = Vec::with_capacity(cells.len());
        for first in cells.clone().step_by(CELLS_AT_ONCE) {
            control.check()?;
            let done = (first - cells.start) as f64 / cells.len() as f64;
            control.report(Stage::Coverage, done);
            let some = first..cells.end.min(first + CELLS_AT_ONCE);
            let gain = |cell| {
                let (centre, rx_height) = self.place(cell)?;
                from.gain(centre, rx_height)
            };
            let some = parallel::map(some.len(), |n| gain(first + n).unwrap_or(f64::NAN));
            gains.extend(some);
        }
        Ok(gains)
    }

    /// The number of cells that lie outside the range of the model for a Tx, without the rays of visibility that
    /// [`Self::gains`] needs.
    ///
    /// # Errors
    /// [`Error::Model`] for a Tx below the ground.
    pub fn outside(&self, position: DVec3) -> Result<Outside, Error> {
        let tx_height = self.predictor.tx_height(position)?;
        let range = self.predictor.model().range();
        let is_in = |value: f64, [min, max]: [f64; 2]| (min..=max).contains(&value);
        let of_cell = |cell| {
            let Some((centre, rx_height)) = self.place(cell) else {
                return Outside::default();
            };
            let link = self.predictor.link(position, tx_height, centre, rx_height);
            Outside {
                by_distance: usize::from(!is_in(
                    self.predictor.model().distance(&link),
                    range.distance,
                )),
                by_height: usize::from(!is_in(rx_height, range.rx_height)),
                num_cells: 1,
            }
        };
        let cells = (0..self.region.num_cells()).into_par_iter().map(of_cell);
        Ok(cells.reduce(Outside::default, |a, b| Outside {
            by_distance: a.by_distance + b.by_distance,
            by_height: a.by_height + b.by_height,
            num_cells: a.num_cells + b.num_cells,
        }))
    }

    /// The centre of a cell, and its height over the ground; `None` below the ground and over none.
    fn place(&self, cell: usize) -> Option<(DVec3, f64)> {
        let [i, j, k] = self.region.cell(cell);
        let centre = self.region.centre([i, j, k], &self.ground)?;
        let [nx, ..] = self.region.shape();
        let heights = if self.heights.is_empty() {
            &self.ground
        } else {
            &self.heights
        };
        let rx_height = centre.z - heights[j * nx + i];
        // The height is NaN where there is no ground.
        (rx_height > 0.0).then_some((centre, rx_height))
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::Frequency;
    use crate::antenna::Antenna;
    use crate::coverage::Levels;
    use crate::materials::Materials;
    use crate::models::{Link, Profile, Walls, free_space_db};
    use crate::scene::{Mesh, Scene};
    use crate::units::power_to_db;

    /// Flat ground with a house of 20 m by 20 m, 12 m high, around (100, 0).
    fn town(frequency: f64) -> World {
        let mut mesh = Mesh::default();
        let mut add = |corners: [[f64; 3]; 4]| {
            mesh.add_polygon("concrete", &corners.map(DVec3::from));
        };
        let ground = [[-50., -300.], [3000., -300.], [3000., 300.], [-50., 300.]];
        add(ground.map(|[x, y]| [x, y, 0.]));
        let house = [[90., -10.], [110., -10.], [110., 10.], [90., 10.]];
        add(house.map(|[x, y]| [x, y, 12.]));
        for k in 0..4 {
            let [[ax, ay], [bx, by]] = [house[k], house[(k + 1) % 4]];
            add([[ax, ay, 0.], [bx, by, 0.], [bx, by, 12.], [ax, ay, 12.]]);
        }
        let scene = Scene::new(&mesh).unwrap();
        let frequency = Frequency::from_hz(frequency).unwrap();
        World::new(scene, &Materials::default(), frequency).unwrap()
    }

    /// Cells of 10 m around y = 0, from x = 0.
    fn line() -> Region {
        let levels = Levels::AboveGround(vec![1.5]);
        let (min, max) = (DVec2::new(0.0, -5.0), DVec2::new(2500.0, 5.0));
        Region::planes(min, max, DVec2::splat(10.0), levels).unwrap()
    }

    fn tx(height: f64) -> Tx {
        Tx {
            position: DVec3::new(5.0, 0.0, height),
            antenna: Antenna::default(),
        }
    }

    #[test]
    fn a_cell_has_the_loss_of_the_formula_and_a_house_has_none() {
        let (world, region) = (town(900e6), line());
        let models = Models::new(&world, &region, Model::HataUrban, Streets::default()).unwrap();
        let gains = models
            .gains(&tx(30.0), 0..region.num_cells(), &Control::default())
            .unwrap();
        // 2 km away, as Hata says it.
        let (log_f, log_hb) = (900_f64.log10(), 30_f64.log10());
        let a = (1.1 * log_f - 0.7) * 1.5 - (1.56 * log_f - 0.8);
        let slope = 44.9 - 6.55 * log_hb;
        let loss = 69.55 + 26.16 * log_f - 13.82 * log_hb - a + slope * 2_f64.log10();
        assert!((-power_to_db(gains[200]) - loss).abs() < 1e-9);
        // x from 90 to 110 is the house.
        for (cell, gain) in gains.iter().enumerate() {
            assert_eq!(gain.is_nan(), (9..11).contains(&cell), "{cell}");
        }
        // A part of the cells is the same to the last bit.
        let part = models.gains(&tx(30.0), 50..60, &Control::default());
        assert_eq!(part.unwrap(), gains[50..60]);
        let outside = models.outside(tx(30.0).position).unwrap();
        assert_eq!((outside.by_distance, outside.by_height), (100, 0));
    }

    #[test]
    fn the_scene_decides_about_visibility() {
        let (world, region) = (town(2e9), line());
        let models = Models::new(&world, &region, Model::Umi, Streets::default()).unwrap();
        let gains = models
            .gains(&tx(10.0), 0..region.num_cells(), &Control::default())
            .unwrap();
        let link = |cell: usize, is_visible| Link {
            frequency: world.frequency(),
            distance: 10.0 * cell as f64,
            tx_height: 10.0,
            rx_height: 1.5,
            is_visible,
            walls: Walls::default(),
            diffraction_db: 0.0,
        };
        for (cell, is_visible) in [(5, true), (8, true), (12, false), (240, false)] {
            let loss = crate::models::umi_db(&link(cell, is_visible));
            let found = -power_to_db(gains[cell]);
            assert!((found - loss).abs() < 1e-9, "{cell} {found} {loss}");
        }
    }

    /// The house is in the way of a Tx at 10 m: its two roof edges are knife edges at 85 m and 105 m.
    #[test]
    fn roof_edges_are_knife_edges_and_walls_are_counted() {
        let (world, region) = (town(1.8e9), line());
        let tx = tx(10.0);
        let loss = |model: Model, cell: usize| {
            let models = Models::new(&world, &region, model, Streets::default()).unwrap();
            let gains = models.gains(&tx, cell..cell + 1, &Control::default());
            -power_to_db(gains.unwrap()[0])
        };
        for (cell, corners) in [(5, &[][..]), (20, &[[85.0, 12.0], [105.0, 12.0]])] {
            let length = 10.0 * cell as f64;
            let profile = Profile {
                length,
                ends: [10.0, 1.5],
                corners,
                curvature: 0.0,
            };
            let free = free_space_db(world.frequency(), length.hypot(8.5));
            let bullington = free + profile.bullington_db(world.frequency());
            assert!((loss(Model::Bullington, cell) - bullington).abs() < 1e-6);
            let deygout = free + profile.deygout_db(world.frequency());
            assert!((loss(Model::Deygout, cell) - deygout).abs() < 1e-6);
            // Two walls of the house, drawn as half spaces.
            let walls = if cell == 20 { 2.0 * 6.9 } else { 0.0 };
            assert!((loss(Model::MultiWall, cell) - free - walls).abs() < 1e-6);
        }
    }

    #[test]
    fn frequencies_and_places_that_a_model_does_not_take_are_refused() {
        let (world, region) = (town(3.5e9), line());
        let new = |model| Models::new(&world, &region, model, Streets::default());
        let error = new(Model::HataOpen).unwrap_err().to_string();
        let message = "hata-open holds from 150 to 1500 MHz, and the frequency is 3500 MHz";
        assert!(error.contains(message), "{error}");
        let error = new(Model::Uma)
            .unwrap()
            .predictor()
            .tx_height(DVec3::new(5.0, 0.0, -2.0));
        assert!(error.unwrap_err().to_string().contains("2.0 m below"));
    }
}
