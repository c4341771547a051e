//! The path gain of a tube as a function of distance.
//!
//! From a point the gain falls with the square of the distance. Behind an edge the diffraction coefficient changes
//! along the tube as well: the gain without spreading is interpolated in logarithms through three distances, by
//! Newton's divided differences.

/// The path gain of a tube by the distance from its source.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct GainByDistance {
    /// The length of the path before the source, metres; 0 for an image of the Tx.
    pub(in crate::coverage::tubes) behind: f64,
    /// The gain without spreading: at one metre from a point, or in units of cubic metres behind an edge.
    pub(in crate::coverage::tubes) power: f64,
    /// Coefficients of the logarithm of `power` behind an edge, for the logarithm of the distance and for its square.
    coefficients: [f64; 2],
    /// The largest value of the gain without spreading.
    max_power: f64,
}

impl GainByDistance {
    /// The gain of a tube from a point.
    pub(in crate::coverage::tubes) fn of_point(power: f64) -> Self {
        Self {
            behind: 0.0,
            power,
            coefficients: [0.0; 2],
            max_power: power,
        }
    }

    /// The gain of a tube from an edge, through three pairs of distance, metres, and gain without spreading. The
    /// distances rise.
    pub(in crate::coverage::tubes) fn of_edge(behind: f64, known: [(f64, f64); 3]) -> Self {
        let [(x0, y0), (x1, y1), (x2, y2)] = known.map(|(at, power)| {
            // Zero has no logarithm.
            (at.ln(), power.max(f64::MIN_POSITIVE).ln())
        });
        // Newton's divided differences.
        let first = (y1 - y0) / (x1 - x0);
        let second = ((y2 - y1) / (x2 - x1) - first) / (x2 - x0);
        Self {
            behind,
            power: (y0 - first * x0 + second * x0 * x1).exp(),
            coefficients: [first - second * (x0 + x1), second],
            max_power: known.iter().map(|(_, power)| *power).fold(0.0, f64::max),
        }
    }

    /// The gain of a tube from an edge whose gain without spreading is the same at all distances.
    pub(in crate::coverage::tubes) fn flat(behind: f64, power: f64) -> Self {
        Self {
            behind,
            ..Self::of_point(power)
        }
    }

    /// This gain times a factor.
    pub(in crate::coverage::tubes) fn times(self, factor: f64) -> Self {
        Self {
            power: self.power * factor,
            max_power: self.max_power * factor,
            ..self
        }
    }

    /// This gain times a factor, for a path that is `behind` metres long before the source.
    pub(in crate::coverage::tubes) fn moved(self, behind: f64, factor: f64) -> Self {
        Self {
            behind,
            ..self.times(factor)
        }
    }

    /// The gain at a distance, metres.
    pub(in crate::coverage::tubes) fn at(&self, ahead: f64) -> f64 {
        if self.behind == 0.0 {
            return self.power / (ahead * ahead);
        }
        let x = ahead.ln();
        let power = self.power * (x * (self.coefficients[0] + x * self.coefficients[1])).exp();
        power.min(self.max_power) * Self::spreading_of_edge(self.behind, ahead)
    }

    /// The spreading of a wave behind an edge that it meets after `behind` metres, 1/cubic metre.
    pub(in crate::coverage::tubes) fn spreading_of_edge(behind: f64, ahead: f64) -> f64 {
        1.0 / (behind * ahead * (behind + ahead))
    }

    /// The distance beyond which the gain is less than `min_gain`, metres.
    pub(in crate::coverage::tubes) fn reach(&self, min_gain: f64) -> f64 {
        if self.behind == 0.0 {
            return (self.power / min_gain).sqrt();
        }
        let half = 0.5 * self.behind;
        (half * half + self.max_power / (min_gain * self.behind)).sqrt() - half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_distances_are_met_and_the_reach_is_where_little_is_left() {
        let known = [(1.0, 2.0), (7.0, 5.0), (30.0, 4.0)];
        let path_gain = GainByDistance::of_edge(20.0, known);
        for (ahead, power) in known {
            let gain = power / (20.0 * ahead * (20.0 + ahead));
            assert!((path_gain.at(ahead) / gain - 1.0).abs() < 1e-12);
        }
        let flat = GainByDistance::of_edge(20.0, known.map(|(at, _)| (at, 3.0)));
        assert!((flat.at(flat.reach(1e-6)) / 1e-6 - 1.0).abs() < 1e-9);
        let point = GainByDistance::of_point(3.0);
        assert!((point.at(point.reach(1e-6)) / 1e-6 - 1.0).abs() < 1e-9);
    }
}
