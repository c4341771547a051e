//! How strong a tube is along its way.

/// The gain of a tube by the distance from where its rays come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strength {
    /// Length of the path before that, metres; 0 of a point.
    pub(super) behind: f64,
    /// Gain without spreading: at one metre from a point; behind an edge times metres to the third.
    pub(super) power: f64,
    /// How the logarithm of that changes with the logarithm of the distance behind an edge, and with its square.
    bend: [f64; 2],
    /// The most it comes to.
    most: f64,
}

impl Strength {
    /// From a point.
    pub(super) fn of_point(power: f64) -> Self {
        Self {
            behind: 0.0,
            power,
            bend: [0.0; 2],
            most: power,
        }
    }

    /// From an edge, with the gains but for spreading at three distances, metres, each larger than the one before.
    pub(super) fn of_edge(behind: f64, known: [(f64, f64); 3]) -> Self {
        let [(x0, y0), (x1, y1), (x2, y2)] = known.map(|(at, power)| {
            // Nothing is as good as very little.
            (at.ln(), power.max(f64::MIN_POSITIVE).ln())
        });
        // Newton's divided differences.
        let first = (y1 - y0) / (x1 - x0);
        let second = ((y2 - y1) / (x2 - x1) - first) / (x2 - x0);
        Self {
            behind,
            power: (y0 - first * x0 + second * x0 * x1).exp(),
            bend: [first - second * (x0 + x1), second],
            most: known.iter().map(|(_, power)| *power).fold(0.0, f64::max),
        }
    }

    /// The same, so many times as strong.
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            power: self.power * factor,
            most: self.most * factor,
            ..self
        }
    }

    /// So far ahead, metres.
    pub(super) fn gain(&self, ahead: f64) -> f64 {
        if self.behind == 0.0 {
            return self.power / (ahead * ahead);
        }
        let x = ahead.ln();
        let power = self.power * (x * (self.bend[0] + x * self.bend[1])).exp();
        power.min(self.most) / (self.behind * ahead * (self.behind + ahead))
    }

    /// Beyond this the gain is less than `least`, metres.
    pub(super) fn reach(&self, least: f64) -> f64 {
        if self.behind == 0.0 {
            return (self.power / least).sqrt();
        }
        let half = 0.5 * self.behind;
        (half * half + self.most / (least * self.behind)).sqrt() - half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_distances_are_met_and_the_reach_is_where_little_is_left() {
        let known = [(1.0, 2.0), (7.0, 5.0), (30.0, 4.0)];
        let strength = Strength::of_edge(20.0, known);
        for (ahead, power) in known {
            let gain = power / (20.0 * ahead * (20.0 + ahead));
            assert!((strength.gain(ahead) / gain - 1.0).abs() < 1e-12);
        }
        let flat = Strength::of_edge(20.0, known.map(|(at, _)| (at, 3.0)));
        assert!((flat.gain(flat.reach(1e-6)) / 1e-6 - 1.0).abs() < 1e-9);
        let point = Strength::of_point(3.0);
        assert!((point.gain(point.reach(1e-6)) / 1e-6 - 1.0).abs() < 1e-9);
    }
}
