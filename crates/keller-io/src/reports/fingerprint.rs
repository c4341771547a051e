//! The probability of each place for devices that are located by fingerprints: as arrays and as a picture.

use glam::DVec2;
use keller::DVec3;
use keller::coverage::{Levels, Region};
use keller::parallel;
use keller::scene::Scene;

use crate::formats::OutputFile;
use crate::formats::arrays::TypedArrays;
use crate::formats::npz::NpzWriter;
use crate::formats::{About, OutputError};
use crate::reports::plot::{CoveragePlot, PlotMark, PlotTx, Quantity, Scale, Slice};

/// The range of densities with different colours, dB below the largest.
const RANGE_DB: f64 = 40.0;

/// The largest number of pixels along a side of the picture.
const MAX_PIXELS: f64 = 2000.0;

/// All places of a coverage.
#[derive(Debug, Clone, Copy)]
pub struct ProbabilityMap<'a> {
    /// The shape: z, y, x of cells, or tiles and sides.
    pub shape: &'a [usize],
    /// The centre of each, metres.
    pub centres: &'a [DVec3],
    /// The area of each, m².
    pub areas: &'a [f64],
}

impl ProbabilityMap<'_> {
    /// Writes `probability[device, ...]` in `float32`, its other dimensions those of the coverage;
    /// `device_name[device]`, `centre[..., 3]` and `area[...]` in `float64`; `keller`, `scenario`, `crs` and `origin`
    /// as in all arrays.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write_npz<'d>(
        &self,
        out: OutputFile,
        devices: impl Iterator<Item = (&'d str, Vec<f64>)>,
        about: &About,
    ) -> Result<(), OutputError> {
        let (names, values): (Vec<&str>, Vec<Vec<f64>>) = devices.unzip();
        let shape = |before: &[usize], after: &[usize]| [before, self.shape, after].concat();
        out.write(|writer| {
            let mut npz = NpzWriter::new(writer);
            let all = values.concat();
            npz.short_real("probability", &shape(&[names.len()], &[]), &all)?;
            npz.texts("device_name", &names)?;
            let centres: Vec<f64> = self.centres.iter().flat_map(DVec3::to_array).collect();
            npz.real("centre", &shape(&[], &[3]), &centres)?;
            npz.real("area", &shape(&[], &[]), self.areas)?;
            npz.about(about)?;
            npz.finish()
        })
    }

    /// Draws the density of `probabilities` seen from above, with `tx` and `marks` on it, as SVG.
    ///
    /// # Panics
    /// If the numbers of values do not fit.
    pub fn svg(
        &self,
        title: String,
        scene: &Scene,
        probabilities: &[f64],
        tx: Vec<PlotTx>,
        marks: Vec<PlotMark>,
    ) -> Option<String> {
        assert_eq!(
            probabilities.len(),
            self.centres.len(),
            "a value for each place"
        );
        let mut sorted = self.areas.to_vec();
        sorted.sort_by(f64::total_cmp);
        let side = sorted.get(sorted.len() / 2)?.sqrt();
        let plan = self.centres.iter().map(|at| at.truncate());
        let low = plan.clone().reduce(DVec2::min)? - 0.5 * side;
        let high = plan.clone().reduce(DVec2::max)? + 0.5 * side;
        let side = side.max((high - low).max_element() / MAX_PIXELS);
        // Centres lie on no border of a pixel, but for rounding.
        let levels = Levels::AboveSea(vec![0.0]);
        let region = Region::planes(low, high, DVec2::splat(side), levels).ok()?;
        let [nx, ny, _] = region.shape();
        let mut sums = vec![f64::NAN; nx * ny];
        for (at, probability) in plan.zip(probabilities) {
            let own = (at - low) / side;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "places are within the region"
            )]
            let [i, j] = [own.x as usize, own.y as usize];
            let sum = &mut sums[j.min(ny - 1) * nx + i.min(nx - 1)];
            *sum = if sum.is_nan() {
                *probability
            } else {
                *sum + probability
            };
        }
        let most = sums.iter().copied().fold(0.0, f64::max);
        let below = |db: f64| {
            if db < -RANGE_DB {
                f64::NEG_INFINITY
            } else {
                db
            }
        };
        let values: Vec<f64> = sums
            .iter()
            .map(|sum| below(10.0 * (sum / most).log10()))
            .collect();
        // A building shows where no device is.
        let is_building = |cell: usize| {
            let at = region.column(cell % nx, cell / nx);
            let ground = scene.ground(at).map(|height| at.extend(height));
            !values[cell].is_finite() && ground.is_some_and(|at| scene.is_under_building(at))
        };
        let buildings = parallel::map(values.len(), is_building);
        let plot = CoveragePlot {
            title,
            quantity: Quantity::Numbers {
                name: "probability / dB",
                range: [-RANGE_DB, 0.0],
                scale: Scale::Gain,
            },
            nothing: "less",
            scene,
            tx,
            marks,
            region: &region,
            slices: vec![Slice {
                title: String::new(),
                values,
                buildings,
            }],
        };
        Some(plot.svg())
    }
}
