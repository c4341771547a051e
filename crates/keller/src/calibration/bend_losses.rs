//! The losses of beams as parameters: numbers each of which may change on its own, so that no loss is ever below zero or
//! falls as the angle or the number of walls grows.
//!
//! A parabola is given by its value without a change of direction and by its slopes there and at half a turn. It grows
//! in between if both slopes are positive. Walls are given by the loss of one, and the loss that each further one adds.
//!
//! # Source
//! Rick and Kuhlen 2010, section 6: coefficients by least squares under these constraints.

use std::f64::consts::PI;

use super::{Model, Parameter, Prior};
use crate::Error;
use crate::coverage::beams::{Losses, Recording};
use crate::parallel;
use crate::units::power_to_db;

/// Losses of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossKind {
    /// The loss of a diffraction around corners of streets.
    StreetBend,
    /// The loss of a diffraction over roofs.
    RoofBend,
    /// The loss of a transmission through walls.
    Wall,
}

impl LossKind {
    /// All of them, by the names that scenarios use.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("corner_loss_db", Self::StreetBend),
        ("roof_loss_db", Self::RoofBend),
        ("wall_loss_db", Self::Wall),
    ];

    /// The name that scenarios use.
    pub fn name(self) -> &'static str {
        match self {
            Self::StreetBend => Self::NAMES[0].0,
            Self::RoofBend => Self::NAMES[1].0,
            Self::Wall => Self::NAMES[2].0,
        }
    }

    /// The parameters: their names, their largest values, and the expected deviations from the start.
    fn numbers(self) -> &'static [(&'static str, f64, f64)] {
        match self {
            Self::StreetBend | Self::RoofBend => &[
                ("slightest bend", 40.0, 10.0),
                ("per rad at first", 150.0, 30.0),
                ("per rad at half a turn", 150.0, 30.0),
            ],
            Self::Wall => &[("one wall", 60.0, 15.0), ("each further", 40.0, 10.0)],
        }
    }

    /// The values of its parameters.
    fn values(self, losses: &Losses) -> Vec<f64> {
        let of_diffraction = |[a, b, c]: [f64; 3]| vec![a, b, b + 2.0 * PI * c];
        match self {
            Self::StreetBend => of_diffraction(losses.street_bend),
            Self::RoofBend => of_diffraction(losses.roof_bend),
            Self::Wall => vec![losses.wall[0] + losses.wall[1], losses.wall[1]],
        }
    }

    /// Puts values of its parameters into `losses`.
    fn put(self, values: &[f64], losses: &mut Losses) {
        let bend = || [values[0], values[1], (values[2] - values[1]) / (2.0 * PI)];
        match self {
            Self::StreetBend => losses.street_bend = bend(),
            Self::RoofBend => losses.roof_bend = bend(),
            Self::Wall => losses.wall = [values[0] - values[1], values[1]],
        }
    }
}

/// Predictions of [beams](crate::coverage::beams) as a function of some of their losses.
///
/// Predictions are the path gains of all cells of all recordings, one recording after the other.
#[derive(Debug)]
pub struct BendLosses<'a> {
    recordings: &'a [Recording],
    kinds: &'a [LossKind],
    losses: Losses,
}

impl<'a> BendLosses<'a> {
    /// The losses of recordings, where losses of some `kinds` may change and the others are those of `losses`.
    pub fn new(recordings: &'a [Recording], kinds: &'a [LossKind], losses: Losses) -> Self {
        Self {
            recordings,
            kinds,
            losses,
        }
    }

    /// The parameters, which start at the losses. Bounds are wide, and no choice within them is one that
    /// [`Losses::wrong_way`] names. A loss that measurements do not determine stays near the start, where it has a weak
    /// prior.
    pub fn parameters(&self) -> Vec<Parameter> {
        let of_kind = |kind: &LossKind| {
            let (kind, values) = (*kind, kind.values(&self.losses));
            let both = kind.numbers().iter().zip(values);
            both.map(move |(&(what, max, deviation), start)| {
                let start = start.max(0.0);
                Parameter {
                    name: format!("{} {what}", kind.name()),
                    start,
                    min: 0.0,
                    max: max.max(2.0 * start),
                    prior: Some(Prior {
                        mean: start,
                        deviation,
                    }),
                    is_logarithmic: false,
                }
            })
        };
        self.kinds.iter().flat_map(of_kind).collect()
    }

    /// The losses with these values of the [parameters](Self::parameters).
    ///
    /// # Panics
    /// If there are fewer values than parameters.
    pub fn losses(&self, mut values: &[f64]) -> Losses {
        let mut losses = self.losses;
        for kind in self.kinds {
            let (own, rest) = values.split_at(kind.numbers().len());
            kind.put(own, &mut losses);
            values = rest;
        }
        losses
    }
}

impl Model for BendLosses<'_> {
    type State = ();

    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), Error> {
        let losses = self.losses(values);
        let gains = parallel::map_slice(self.recordings, |recording| {
            let gain = |cell: usize| power_to_db(recording.gain(cell, &losses));
            parallel::map(recording.num_cells(), gain)
        });
        Ok((gains.concat(), ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_the_losses_and_back() {
        let kinds = LossKind::NAMES.map(|(_, kind)| kind);
        let losses = Losses {
            street_bend: [3.0, 20.0, -2.0],
            roof_bend: [1.0, 0.0, 7.0],
            wall: [-2.0, 5.0],
        };
        let model = BendLosses::new(&[], &kinds, losses);
        let parameters = model.parameters();
        let values: Vec<f64> = parameters.iter().map(|p| p.start).collect();
        let back = model.losses(&values);
        let all = |l: &Losses| [&l.street_bend[..], &l.roof_bend, &l.wall].concat();
        for (a, b) in all(&losses).iter().zip(all(&back)) {
            assert!((a - b).abs() < 1e-12, "{losses:?} {back:?}");
        }
    }

    #[test]
    fn all_choices_within_the_bounds_grow() {
        let kinds = LossKind::NAMES.map(|(_, kind)| kind);
        let model = BendLosses::new(&[], &kinds, Losses::default());
        let parameters = model.parameters();
        for choice in 0..1 << parameters.len() {
            let at =
                |(bit, p): (usize, &Parameter)| if choice >> bit & 1 == 1 { p.max } else { p.min };
            let values: Vec<f64> = parameters.iter().enumerate().map(at).collect();
            let losses = model.losses(&values);
            let angles = (0..=100).map(|k| PI * f64::from(k) / 100.0);
            let parabola = |[a, b, c]: [f64; 3]| angles.clone().map(move |x| a + x * (b + x * c));
            for of_diffraction in [losses.street_bend, losses.roof_bend] {
                let costs: Vec<f64> = parabola(of_diffraction).collect();
                assert!(costs[0] >= 0.0);
                assert!(costs.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9));
            }
            assert!(losses.wall[1] >= 0.0 && losses.wall[0] + losses.wall[1] >= -1e-9);
        }
    }
}
