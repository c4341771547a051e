//! The range, mean and spread of a band, as GDAL keeps them: readers need no pass over all cells to choose their colours.

/// The statistics of the values of a band, without cells that have no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Statistics {
    minimum: f64,
    maximum: f64,
    mean: f64,
    /// The standard deviation of the values themselves, not of a population that they are drawn from.
    deviation: f64,
    /// The share of cells with a value, percent.
    valid: f64,
}

impl Statistics {
    /// The statistics of these values; `None` if no cell has one.
    pub(super) fn of(values: &[f32], nodata: f32) -> Option<Self> {
        let own = || {
            let is_there = |value: &f32| value.is_finite() && *value != nodata;
            values.iter().copied().filter(is_there).map(f64::from)
        };
        let count = own().count();
        if count == 0 {
            return None;
        }
        let mean = own().sum::<f64>() / count as f64;
        let squares: f64 = own().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            minimum: own().fold(f64::INFINITY, f64::min),
            maximum: own().fold(f64::NEG_INFINITY, f64::max),
            mean,
            deviation: (squares / count as f64).sqrt(),
            valid: 100.0 * count as f64 / values.len() as f64,
        })
    }

    /// The names that GDAL gives to them, and their text.
    pub(super) fn items(&self) -> [(&'static str, String); 5] {
        [
            ("STATISTICS_MINIMUM", self.minimum),
            ("STATISTICS_MAXIMUM", self.maximum),
            ("STATISTICS_MEAN", self.mean),
            ("STATISTICS_STDDEV", self.deviation),
            ("STATISTICS_VALID_PERCENT", self.valid),
        ]
        .map(|(name, value)| (name, value.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_without_a_value_do_not_count() {
        let values = [f32::NAN, -80.0, -90.0, -9999.0, -100.0];
        let found = Statistics::of(&values, -9999.0).unwrap();
        let expected = Statistics {
            minimum: -100.0,
            maximum: -80.0,
            mean: -90.0,
            deviation: (200.0_f64 / 3.0).sqrt(),
            valid: 60.0,
        };
        assert_eq!(found, expected);
        assert_eq!(Statistics::of(&[f32::NAN; 3], f32::NAN), None);
    }
}
