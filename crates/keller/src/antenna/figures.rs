//! The figures by which a pattern is known: gain, directivity, beamwidths, front-to-back ratio.

use std::f64::consts::{PI, TAU};

use super::Pattern;
use crate::direction::Direction;

/// The figures of an antenna that a data sheet states, computed from its pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The largest gain, linear.
    pub peak_gain: f64,
    /// The direction of the largest gain, in the antenna's own frame; the one nearest to straight ahead if there are
    /// several.
    pub peak: Direction,
    /// Mean gain over the sphere, linear: the radiated part of the power that is fed to the antenna.
    pub mean_gain: f64,
    /// The largest gain over the mean gain, linear.
    pub directivity: f64,
    /// Full width at half of the largest gain around the axis of zenith, at the zenith of the peak, radians. `None` if the gain
    /// stays above half.
    pub horizontal_beamwidth: Option<f64>,
    /// Full width at half of the largest gain through the peak upwards and downwards, radians.
    pub vertical_beamwidth: Option<f64>,
    /// The largest gain over the gain at the same zenith straight behind, linear; infinite if that is nothing.
    pub front_to_back: f64,
}

impl Figures {
    /// The figures of `pattern`.
    ///
    /// ```
    /// use keller::antenna::{Figures, Pattern};
    ///
    /// let figures = Figures::of(&Pattern::HalfWaveDipole);
    /// let width = figures.vertical_beamwidth.expect("a dipole is silent above");
    /// assert!((width.to_degrees() - 78.0).abs() < 0.1);
    /// assert_eq!(figures.horizontal_beamwidth, None);
    /// ```
    pub fn of(pattern: &Pattern) -> Self {
        let peak = peak(pattern);
        let at = |zenith, azimuth| pattern.gain(Direction { zenith, azimuth }.unit_vector());
        let peak_gain = at(peak.zenith, peak.azimuth);
        let half = 0.5 * peak_gain;
        let horizontal = |turn: f64| at(peak.zenith, peak.azimuth + turn) - half;
        // A zenith beyond a pole is the direction on its other side, as the unit vector has it.
        let vertical = |turn: f64| at(peak.zenith + turn, peak.azimuth) - half;
        let mean_gain = pattern.mean_gain();
        Self {
            peak_gain,
            peak,
            mean_gain,
            directivity: peak_gain / mean_gain,
            horizontal_beamwidth: width(horizontal),
            vertical_beamwidth: width(vertical),
            front_to_back: peak_gain / at(peak.zenith, peak.azimuth + PI),
        }
    }
}

/// The direction of the largest gain: among the samples of a table, else among whole degrees.
fn peak(pattern: &Pattern) -> Direction {
    /// Gains nearer than this, relative, are equal.
    const EQUAL: f64 = 1e-9;
    let degrees = |n: i32, start: i32| (start..n).map(|d| f64::from(d).to_radians()).collect();
    let (zeniths, azimuths): (Vec<f64>, Vec<f64>) = match pattern {
        Pattern::Table(table) => (table.zeniths().to_vec(), table.azimuths().to_vec()),
        _ => (degrees(181, 0), degrees(180, -179)),
    };
    let directions = zeniths.iter().flat_map(|&zenith| {
        azimuths
            .iter()
            .map(move |&azimuth| Direction { zenith, azimuth })
    });
    let mut best = (
        0.0,
        Direction {
            zenith: 0.5 * PI,
            azimuth: 0.0,
        },
        f64::INFINITY,
    );
    for direction in directions {
        let vector = direction.unit_vector();
        let gain = pattern.gain(vector);
        let aside = 1.0 - vector.x;
        if gain > best.0 * (1.0 + EQUAL) || (gain > best.0 * (1.0 - EQUAL) && aside < best.2) {
            best = (gain, direction, aside);
        }
    }
    Direction::from_vector(best.1.unit_vector())
}

/// The width between the first zeros of `excess` on both sides of 0.
fn width(excess: impl Fn(f64) -> f64) -> Option<f64> {
    /// Finer than any lobe of an antenna on a mast, and 1800 steps a side.
    const STEP: f64 = 0.1 * PI / 180.0;
    let side = |sign: f64| {
        let mut inside = 0.0;
        while inside <= 0.5 * TAU {
            let outside = inside + STEP;
            if excess(sign * outside) < 0.0 {
                return Some(bisect(&|turn| excess(sign * turn), inside, outside));
            }
            inside = outside;
        }
        None
    };
    Some(side(1.0)? + side(-1.0)?)
}

fn bisect(excess: &impl Fn(f64) -> f64, mut inside: f64, mut outside: f64) -> f64 {
    for _ in 0..40 {
        let centre = 0.5 * (inside + outside);
        if excess(centre) < 0.0 {
            outside = centre;
        } else {
            inside = centre;
        }
    }
    0.5 * (inside + outside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::power_to_db;

    #[test]
    fn the_element_of_38_901_is_65_degrees_wide_both_ways_and_30_db_front_to_back() {
        let figures = Figures::of(&Pattern::Tr38901);
        let beamwidth = 65.0_f64.to_radians() * (power_to_db(2.0) / 3.0).sqrt();
        for width in [figures.horizontal_beamwidth, figures.vertical_beamwidth] {
            assert!((width.unwrap() - beamwidth).abs() < 1e-9);
        }
        assert!((power_to_db(figures.peak_gain) - 8.0).abs() < 1e-9);
        assert!((power_to_db(figures.front_to_back) - 30.0).abs() < 1e-9);
        assert!((figures.peak.unit_vector() - glam::DVec3::X).length() < 1e-9);
    }

    #[test]
    fn a_short_dipole_is_90_degrees_wide_with_1_76_dbi_all_round() {
        let figures = Figures::of(&Pattern::ShortDipole);
        assert!((figures.vertical_beamwidth.unwrap() - 0.5 * PI).abs() < 1e-9);
        assert_eq!(figures.horizontal_beamwidth, None);
        assert!((power_to_db(figures.directivity) - 1.76).abs() < 0.005);
        assert!((figures.front_to_back - 1.0).abs() < 1e-12);
    }
}
