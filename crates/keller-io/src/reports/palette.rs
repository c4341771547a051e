//! The colours of values, servers and cells without a value: `palette.json`, which Python and the viewer's page read
//! too.
//!
//! Between the samples of a scale, colours are interpolated linearly in sRGB.

use std::sync::LazyLock;

use serde::Deserialize;

/// The file of all colours, as JSON.
pub const JSON: &str = include_str!("palette.json");

/// The red, green and blue as screens show them (sRGB).
pub(crate) type Rgb = [u8; 3];

/// The colours of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Palette {
    /// The colours of gain and power: bright is strong.
    Gain,
    /// The same colours reversed for loss, so that little loss is bright.
    Loss,
    /// The colours of signal over interference and noise.
    Sinr,
    /// The colours of differences of predictions and measurements, negative to positive.
    Difference,
}

/// The text of the file, parsed.
#[derive(Debug, Deserialize)]
struct Colours {
    scales: Scales,
    servers: Vec<Hex>,
    building: Hex,
    nothing: Hex,
}

#[derive(Debug, Deserialize)]
struct Scales {
    gain: Vec<Hex>,
    sinr: Vec<Hex>,
    difference: Vec<Hex>,
}

/// A colour that the file writes as `#rrggbb`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Rgb);

impl TryFrom<String> for Hex {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let problem = || format!("found {text:?}; accepted: #rrggbb");
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let all = u32::from_str_radix(digits.ok_or_else(problem)?, 16).map_err(|_| problem())?;
        let [_, r, g, b] = all.to_be_bytes();
        Ok(Self([r, g, b]))
    }
}

static COLOURS: LazyLock<Colours> =
    LazyLock::new(|| serde_json::from_str(JSON).expect("the file is part of the program"));

impl Palette {
    /// The colour of `share`, 0 (low) to 1 (high).
    pub(crate) fn rgb(self, share: f64) -> Rgb {
        let scales = &COLOURS.scales;
        let (samples, share) = match self {
            Self::Gain => (&scales.gain, share),
            Self::Loss => (&scales.gain, 1.0 - share),
            Self::Sinr => (&scales.sinr, share),
            Self::Difference => (&scales.difference, share),
        };
        let at = share.clamp(0.0, 1.0) * (samples.len() - 1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of samples"
        )]
        let i = (at as usize).min(samples.len() - 2);
        mixed(samples[i].0, samples[i + 1].0, at - i as f64)
    }

    /// The colour of `share` for SVG.
    pub(crate) fn css(self, share: f64) -> String {
        hex(self.rgb(share))
    }
}

/// The colour of cells inside buildings, which have no value.
pub(crate) fn building() -> Rgb {
    COLOURS.building.0
}

/// The colour of cells without power.
pub(crate) fn nothing() -> Rgb {
    COLOURS.nothing.0
}

/// The colour of a server by its index. If there are more servers than colours, these come again paler, darker and
/// palest.
pub(crate) fn server(index: usize) -> Rgb {
    const VARIATIONS: [(Rgb, f64); 4] = [
        ([0; 3], 0.0),
        ([255; 3], 0.45),
        ([0; 3], 0.4),
        ([255; 3], 0.7),
    ];
    let colours = &COLOURS.servers;
    let (towards, part) = VARIATIONS[index / colours.len() % VARIATIONS.len()];
    mixed(colours[index % colours.len()].0, towards, part)
}

/// A colour as SVG writes it.
pub(crate) fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The colour a part of the way from `a` to `b`.
fn mixed(a: Rgb, b: Rgb, part: f64) -> Rgb {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between two bytes"
    )]
    [0, 1, 2].map(|k| {
        let (a, b) = (f64::from(a[k]), f64::from(b[k]));
        (a + part * (b - a)).round() as u8
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The number of steps of a scale that a reader of pictures distinguishes: colours are bytes, and some neighbours
    /// of the scales are near.
    pub(crate) const STEPS: u32 = 200;

    /// The share of a colour, the nearest of a fine scale, and the distance of the colour from that one.
    pub(crate) fn share_of(palette: Palette, colour: Rgb) -> (f64, i32) {
        const FINE: u32 = 16 * STEPS;
        let distance = |share: f64| -> i32 {
            let own = palette.rgb(share);
            (0..3)
                .map(|k| (i32::from(own[k]) - i32::from(colour[k])).pow(2))
                .sum()
        };
        let shares: Vec<f64> = (0..=FINE).map(|k| f64::from(k) / f64::from(FINE)).collect();
        let least = shares.iter().map(|share| distance(*share)).min().unwrap();
        let mut nearest = shares.into_iter().filter(|share| distance(*share) == least);
        let first = nearest.next().unwrap();
        let last = nearest.next_back().unwrap_or(first);
        (0.5 * (first + last), least)
    }

    #[test]
    fn colours_of_a_scale_lead_back_to_the_share() {
        for palette in [
            Palette::Gain,
            Palette::Loss,
            Palette::Sinr,
            Palette::Difference,
        ] {
            for k in 0..=1000 {
                let share = f64::from(k) / 1000.0;
                let (found, _) = share_of(palette, palette.rgb(share));
                let error = (found - share).abs() * f64::from(STEPS);
                assert!(error < 0.5, "{palette:?} {share} {found}");
            }
        }
    }

    #[test]
    fn cells_without_a_value_have_no_colour_of_a_scale() {
        for grey in [building(), nothing()] {
            for palette in [Palette::Gain, Palette::Sinr] {
                let (_, distance) = share_of(palette, grey);
                assert!(distance > 40 * 40, "{palette:?} {grey:?} {distance}");
            }
        }
    }

    #[test]
    fn sixty_servers_have_colours_of_their_own() {
        let colours: BTreeSet<Rgb> = (0..60).map(server).collect();
        assert_eq!(colours.len(), 60);
        assert_eq!(server(64), server(0));
    }
}
