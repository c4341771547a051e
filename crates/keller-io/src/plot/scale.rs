//! The colours of values, which the map of a coverage has in pictures and models.

use super::axes::rgb;

/// From the weakest value that still has a colour of its own to the strongest, dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColourScale {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl ColourScale {
    /// The colours reach from the strongest value so far down, dB.
    const RANGE: f64 = 80.0;

    /// The scale for `values`; `None` where none is finite.
    pub(crate) fn of<'a>(values: impl IntoIterator<Item = &'a f64>) -> Option<Self> {
        let values = values.into_iter().copied().filter(|v| v.is_finite());
        let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
            [low.min(v), high.max(v)]
        });
        // One value alone is given some room.
        high.is_finite().then(|| Self {
            low: low.max(high - Self::RANGE).min(high - 1.0),
            high,
        })
    }

    /// Red, green and blue as screens have them (sRGB); what is not finite has no colour.
    pub(crate) fn colour(self, value: f64) -> Option<[u8; 3]> {
        value
            .is_finite()
            .then(|| rgb((value - self.low) / (self.high - self.low)))
    }
}
