//! The diffuse field of the measured links, and how it follows the parameters.

use keller::calibration::{Parameter, PowerBeside};

use super::Calibration;
use crate::Error;

/// Rounds of a search with a diffuse field, whose tangent is renewed each time.
const ROUNDS: usize = 4;

/// Steps of differences, as a share of the way between bounds. The change of the diffuse field by a wall is smooth, but
/// its rays are counted.
const STEP: f64 = 0.02;

impl Calibration {
    /// The largest number of searches for parameters.
    pub(super) fn num_rounds(&self) -> usize {
        let has_diffuse = self.job.scenario.diffuse.is_some();
        if has_diffuse && !self.chosen.parameters.is_empty() {
            ROUNDS
        } else {
            1
        }
    }

    /// The diffuse field at these values, and at values near them in each parameter; nothing without `[diffuse]`.
    pub(super) fn beside(&self, values: &[f64]) -> Result<PowerBeside, Error> {
        if self.job.scenario.diffuse.is_none() {
            return Ok(PowerBeside::default());
        }
        let gains = self.diffuse_gains(values)?;
        let slopes = self.chosen.parameters.iter().enumerate();
        let slopes = slopes.map(|(index, parameter)| {
            if !self.chosen.changes_materials(index) {
                return Ok(vec![0.0; gains.len()]);
            }
            let mut moved = values.to_vec();
            moved[index] = stepped(parameter, values[index]);
            let there = self.diffuse_gains(&moved)?;
            let step = moved[index] - values[index];
            let slope = |(here, there): (&f64, &f64)| {
                if *here > 0.0 && *there > 0.0 {
                    (there / here).ln() / step
                } else {
                    0.0
                }
            };
            Ok(gains.iter().zip(&there).map(slope).collect())
        });
        Ok(PowerBeside {
            slopes: slopes.collect::<Result<_, Error>>()?,
            values: values.to_vec(),
            gains,
        })
    }

    /// The diffuse gain of every link.
    fn diffuse_gains(&self, values: &[f64]) -> Result<Vec<f64>, Error> {
        let (materials, _) = self.model(&PowerBeside::default()).materials(values)?;
        let world = self.job.world.with_each_material(materials)?;
        let mut scenario = self.job.scenario.clone();
        scenario.background = None;
        let power = self.job.with_world(scenario, world).power_beside_paths()?;
        let gain = |(tx, rx): &(usize, usize)| power.as_ref().map_or(0.0, |p| p.gain(*tx, *rx));
        Ok(self.links.all().iter().map(gain).collect())
    }
}

/// A value a step away, towards the farther bound.
fn stepped(parameter: &Parameter, value: f64) -> f64 {
    let Parameter { min, max, .. } = *parameter;
    if parameter.is_logarithmic {
        let factor = (max / min).powf(STEP);
        if value * factor <= max {
            value * factor
        } else {
            value / factor
        }
    } else {
        let step = STEP * (max - min);
        if value + step <= max {
            value + step
        } else {
            value - step
        }
    }
}
