//! The colour scale of values, for maps of coverages in pictures and models.

use super::axes::rgb;

/// From the weakest value that still has a colour of its own to the strongest, dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColourScale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether there are values below and above these, which have the colours of the ends.
    pub(crate) is_exceeded: [bool; 2],
}

impl ColourScale {
    /// The colours reach from the strongest value so far down, dB.
    const RANGE: f64 = 80.0;

    /// The scale for `values`; `None` where none is finite.
    pub(crate) fn of<'a>(values: impl IntoIterator<Item = &'a f64>) -> Option<Self> {
        Self::within(values, [f64::NEG_INFINITY, f64::INFINITY])
    }

    /// The same of values of which only those in a range are told apart.
    pub(crate) fn within<'a>(
        values: impl IntoIterator<Item = &'a f64>,
        range: [f64; 2],
    ) -> Option<Self> {
        let values = values.into_iter().copied().filter(|v| v.is_finite());
        let [lowest, highest] = values
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
                [low.min(v), high.max(v)]
            });
        let high = highest.clamp(range[0], range[1]);
        let low = lowest.clamp(range[0], range[1]).max(high - Self::RANGE);
        highest.is_finite().then(|| Self {
            // One value alone is given some room.
            low: low.min(high - 1.0),
            high,
            is_exceeded: [lowest < low, highest > high],
        })
    }

    /// Red, green and blue as screens have them (sRGB); what is not finite has no colour.
    pub(crate) fn colour(self, value: f64) -> Option<[u8; 3]> {
        value
            .is_finite()
            .then(|| rgb((value - self.low) / (self.high - self.low)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_say_whether_values_lie_beyond() {
        let scale = |values: &[f64], range| ColourScale::within(values, range).unwrap();
        let all = [f64::NEG_INFINITY, f64::INFINITY];
        let one = scale(&[-70.0], all);
        assert_eq!(
            (one.low, one.high, one.is_exceeded),
            (-71.0, -70.0, [false; 2])
        );
        // Minus infinity is no value.
        let deep = scale(&[-60.0, f64::NEG_INFINITY, -150.5, f64::NAN], all);
        assert_eq!(
            (deep.low, deep.high, deep.is_exceeded),
            (-140.0, -60.0, [true, false])
        );
        let flat = scale(&[-60.0, -140.0], all);
        assert_eq!(flat.is_exceeded, [false; 2]);
        let sinr = scale(&[-17.0, 55.0], [-10.0, 30.0]);
        assert_eq!(
            (sinr.low, sinr.high, sinr.is_exceeded),
            (-10.0, 30.0, [true; 2])
        );
        assert_eq!(ColourScale::of(&[f64::NAN, f64::NEG_INFINITY]), None);
    }
}
