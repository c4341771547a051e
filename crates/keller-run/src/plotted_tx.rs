//! The Tx of a job as maps show them: their places, their names, and where they send.

use keller::Direction;
use keller::antenna::Antenna;
use keller_io::reports::plot::PlotTx;

use crate::Job;

impl Job {
    /// The transmitters as maps show them. One alone needs no number.
    pub fn plot_tx(&self) -> Vec<PlotTx> {
        let positions = &self.positions.tx;
        let is_alone = positions.len() == 1;
        let tx = self.scenario.tx.iter().zip(positions).enumerate();
        tx.map(|(index, (tx, position))| PlotTx {
            position: *position,
            name: match &tx.name {
                Some(name) => name.clone(),
                None if is_alone => String::new(),
                None => index.to_string(),
            },
            azimuth: main_azimuth(&tx.antenna),
        })
        .collect()
    }
}

/// The azimuth in which `antenna` sends most, radians from x towards y: the mean of all azimuths weighted with the power sent
/// within 30° of the horizon. `None` if that is much the same all round, or on opposite sides.
pub(crate) fn main_azimuth(antenna: &Antenna) -> Option<f64> {
    /// Steps of azimuths and of zeniths, degrees.
    const AZIMUTHS: u32 = 2;
    const ZENITHS: usize = 10;
    /// The mean is this long where one side has twice the power of the other.
    const MIN_LENGTH: f64 = 0.2;
    let (mut sum, mut all) = ([0.0; 2], 0.0);
    for azimuth in (0..360 / AZIMUTHS).map(|k| f64::from(k * AZIMUTHS).to_radians()) {
        let power: f64 = (60..=120_u32)
            .step_by(ZENITHS)
            .map(|zenith| {
                let zenith = f64::from(zenith).to_radians();
                let fields = antenna.fields(Direction { zenith, azimuth });
                fields
                    .map(|[a, b]| a.norm_sqr() + b.norm_sqr())
                    .sum::<f64>()
            })
            .sum();
        let (sin, cos) = azimuth.sin_cos();
        sum = [sum[0] + power * cos, sum[1] + power * sin];
        all += power;
    }
    (sum[0].hypot(sum[1]) > MIN_LENGTH * all).then(|| sum[1].atan2(sum[0]))
}

#[cfg(test)]
mod tests {
    use keller::antenna::{Orientation, Pattern};

    use super::*;

    #[test]
    fn a_sector_antenna_sends_most_where_it_is_turned_and_a_dipole_nowhere() {
        let turned = |name: &str, bearing: f64| {
            main_azimuth(&Antenna {
                pattern: Pattern::from_name(name).unwrap(),
                orientation: Orientation {
                    bearing,
                    downtilt: 0.1,
                    ..Orientation::default()
                },
                ..Antenna::default()
            })
        };
        for bearing in [0.0, 2.0, -2.5] {
            let found = turned("tr38901", bearing).unwrap();
            assert!((found - bearing).abs() < 0.01, "{bearing} {found}");
        }
        assert_eq!(turned("dipole", 1.0), None);
        assert_eq!(turned("isotropic", 1.0), None);
    }
}
