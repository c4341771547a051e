//! The colour scale of values, for maps of coverages in pictures and models.

use crate::reports::palette::{Palette, Rgb};

/// The range from the weakest value with a colour of its own to the strongest, dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColourScale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether there are values below and above these, which have the colours of the ends.
    pub(crate) is_exceeded: [bool; 2],
    pub(crate) palette: Palette,
}

impl ColourScale {
    /// The range of the colours from the strongest value, or from the smallest loss, dB.
    const RANGE: f64 = 80.0;

    /// The scale for `values`; `None` if none is finite.
    pub(crate) fn of<'a>(
        values: impl IntoIterator<Item = &'a f64>,
        palette: Palette,
    ) -> Option<Self> {
        Self::within(values, [f64::NEG_INFINITY, f64::INFINITY], palette)
    }

    /// The scale for values of which only those in a range have different colours.
    pub(crate) fn within<'a>(
        values: impl IntoIterator<Item = &'a f64>,
        range: [f64; 2],
        palette: Palette,
    ) -> Option<Self> {
        let values = values.into_iter().copied().filter(|v| v.is_finite());
        let [lowest, highest] = values
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
                [low.min(v), high.max(v)]
            });
        if !highest.is_finite() {
            return None;
        }
        let [low, high] = [lowest, highest].map(|value| value.clamp(range[0], range[1]));
        // A single value gets some room.
        let [low, high] = if palette == Palette::Loss {
            [low, high.min(low + Self::RANGE).max(low + 1.0)]
        } else {
            [low.max(high - Self::RANGE).min(high - 1.0), high]
        };
        Some(Self {
            low,
            high,
            is_exceeded: [lowest < low, highest > high],
            palette,
        })
    }

    /// The colour of a value; `None` for one that is not finite.
    pub(crate) fn colour(self, value: f64) -> Option<Rgb> {
        let share = (value - self.low) / (self.high - self.low);
        value.is_finite().then(|| self.palette.rgb(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_say_whether_values_lie_beyond() {
        let scale =
            |values: &[f64], range| ColourScale::within(values, range, Palette::Gain).unwrap();
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
        let nothing = [f64::NAN, f64::NEG_INFINITY];
        assert_eq!(ColourScale::of(&nothing, Palette::Gain), None);
    }

    #[test]
    fn a_scale_of_losses_begins_at_the_smallest() {
        let scale = ColourScale::of(&[60.0, 150.5, f64::NEG_INFINITY], Palette::Loss).unwrap();
        assert_eq!(
            (scale.low, scale.high, scale.is_exceeded),
            (60.0, 140.0, [false, true])
        );
        assert_eq!(scale.colour(60.0), Some(Palette::Gain.rgb(1.0)));
    }
}
