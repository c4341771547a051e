//! What gains mean for a network: power, best server, signal to interference and noise.

use super::Coverage;

/// Boltzmann's constant times 290 K, W/Hz: thermal noise at room temperature.
pub const THERMAL_NOISE_DENSITY: f64 = 1.380_649e-23 * 290.0;

/// The transmitter that is received best in every cell, and how well. `[nz, ny, nx]`.
#[derive(Debug, Clone, PartialEq)]
pub struct BestServer {
    /// Its index; `None` where none is received.
    pub tx: Vec<Option<usize>>,
    /// The power received from it, W; zero where none is received, NaN where no receiver can be.
    pub power: Vec<f64>,
    /// Its power over that of all others and noise, linear; NaN where none is received.
    pub sinr: Vec<f64>,
}

/// The best server by received power. `tx_power` in W, one a transmitter; `noise_power` in W. All transmitters are taken to send all the
/// time on the same channel. Of equals the first serves.
///
/// # Panics
/// If there is not one power a transmitter.
pub fn best_server(coverage: &Coverage, tx_power: &[f64], noise_power: f64) -> BestServer {
    assert_eq!(tx_power.len(), coverage.num_tx, "one power a transmitter");
    let mut best = BestServer {
        tx: Vec::new(),
        power: Vec::new(),
        sinr: Vec::new(),
    };
    for cell in 0..coverage.region.num_cells() {
        let powers = || {
            let of = |(tx, power): (usize, &f64)| power * coverage.of_tx(tx)[cell];
            tx_power.iter().enumerate().map(of)
        };
        let serving = powers()
            .enumerate()
            .filter(|(_, power)| *power > 0.0)
            .reduce(|best, other| if other.1 > best.1 { other } else { best });
        let all: f64 = powers().sum();
        best.tx.push(serving.map(|(tx, _)| tx));
        // NaN in one is NaN in all.
        best.power.push(serving.map_or(all, |(_, power)| power));
        let sinr = serving.map(|(tx, power)| {
            let others = powers().enumerate().filter(|&(other, _)| other != tx);
            power / (others.map(|(_, power)| power).sum::<f64>() + noise_power)
        });
        best.sinr.push(sinr.unwrap_or(f64::NAN));
    }
    best
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::coverage::{Levels, Region};

    #[test]
    fn the_strongest_serves_and_the_others_interfere() {
        let region = Region::planes(
            DVec2::ZERO,
            DVec2::new(4.0, 1.0),
            DVec2::ONE,
            Levels::AboveSea(vec![1.5]),
        );
        let coverage = Coverage {
            region: region.expect("a region"),
            ground: vec![],
            path_gain: vec![1e-9, 0.0, 0.0, f64::NAN, 1e-8, 4e-9, 0.0, f64::NAN],
            num_tx: 2,
        };
        let best = best_server(&coverage, &[20.0, 1.0], 5e-9);
        assert_eq!(best.tx, [Some(0), Some(1), None, None]);
        assert_eq!(&best.power[..3], [2e-8, 4e-9, 0.0]);
        assert!(best.power[3].is_nan(), "no receiver can be there");
        assert!(
            (best.sinr[0] - 2e-8 / 1.5e-8).abs() < 1e-12,
            "{:?}",
            best.sinr
        );
        assert!((best.sinr[1] - 0.8).abs() < 1e-12, "{:?}", best.sinr);
        assert!(
            best.sinr[2].is_nan() && best.sinr[3].is_nan(),
            "nobody serves"
        );
    }
}
