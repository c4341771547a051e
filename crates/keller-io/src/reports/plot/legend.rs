//! A colour bar next to a painted picture.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use svg::Document;
use svg::node::element::{Group, Image, Rectangle};

use crate::reports::palette::{self, hex};

use super::axes::{self, Axis, px, text};
use super::colour_bar::{BAR_LENGTH, BELOW, colour_bar};
use super::coverage::NO_POWER;
use super::marks::{PlotTx, tx_mark, tx_marks};
use super::plan::{ENTRY, entry};
use super::png::png;
use super::scale::ColourScale;

/// The room for the bar and its numbers, and above the picture for a title.
const RIGHT: f64 = 118.0;
const TOP: f64 = 40.0;

/// The smallest height, which has room for the bar.
const MIN_HEIGHT: f64 = 320.0;

/// A picture (PNG) with a title above it, `tx` on it, whose positions are pixels from the left and from below, and the
/// colours of `scale` next to it, with their `unit`. `has_nothing` is whether some of it has the colour of
/// [`NO_POWER`]. The result is PNG.
pub(crate) fn with_legend(
    picture: &[u8],
    title: &str,
    scale: Option<ColourScale>,
    unit: &str,
    tx: &[PlotTx],
    has_nothing: bool,
) -> Vec<u8> {
    // Drawings have half as many units as pixels.
    let [width, height] = size(picture).map(|pixels| 0.5 * f64::from(pixels));
    let page = [width + RIGHT, TOP + height.max(MIN_HEIGHT)];
    let image = Image::new()
        .set("x", 0)
        .set("y", px(TOP))
        .set("width", px(width))
        .set("height", px(height))
        .set(
            "href",
            format!("data:image/png;base64,{}", STANDARD.encode(picture)),
        );
    let pixels = size(picture).map(f64::from);
    let x = Axis {
        values: [0.0, pixels[0]],
        page: [0.0, width],
    };
    let y = Axis {
        values: [0.0, pixels[1]],
        page: [TOP + height, TOP],
    };
    let (left, mut top) = (width + 22.0, TOP + 12.0);
    let mut legend = Group::new();
    if !tx.is_empty() {
        let name = text([left + 22.0, top + 4.0], "Tx", 12.0, "start");
        legend = legend.add(tx_mark([left + 7.0, top])).add(name);
        top += ENTRY;
    }
    if has_nothing || scale.is_none() {
        legend = legend.add(entry([left, top], &hex(palette::nothing()), NO_POWER));
        top += ENTRY;
    }
    if let Some(scale) = scale {
        legend = legend.add(colour_bar([left, top + 30.0], scale, unit));
    }
    let ground = Rectangle::new()
        .set("width", px(page[0]))
        .set("height", px(page[1]))
        .set("fill", "white");
    let drawing = Document::new()
        .set("viewBox", format!("0 0 {:.1} {:.1}", page[0], page[1]))
        .set("width", px(page[0]))
        .set("height", px(page[1]))
        .set("font-family", "sans-serif")
        .add(ground)
        .add(image)
        .add(axes::title(title, 12.0, page[0]))
        .add(tx_marks(tx, &x, &y))
        .add(legend);
    png(&drawing.to_string()).expect("a drawing of some size")
}

/// Colours with their meanings and the bar of `scale` under a name, on white, as PNG.
pub(crate) fn legend_png(
    name: &str,
    entries: &[(String, String)],
    scale: Option<ColourScale>,
) -> Vec<u8> {
    const WIDTH: f64 = 150.0;
    let mut top = 16.0;
    let mut group = Group::new();
    for (fill, meaning) in entries {
        group = group.add(entry([10.0, top], fill, meaning));
        top += ENTRY;
    }
    match scale {
        Some(scale) => {
            group = group.add(colour_bar([10.0, top + 30.0], scale, name));
            top += 30.0 + BAR_LENGTH + BELOW;
        }
        None => group = group.add(text([10.0, top + 4.0], name, 12.0, "start")),
    }
    let height = top + 12.0;
    let ground = Rectangle::new()
        .set("width", px(WIDTH))
        .set("height", px(height))
        .set("fill", "white");
    let drawing = Document::new()
        .set("viewBox", format!("0 0 {WIDTH:.1} {height:.1}"))
        .set("width", px(WIDTH))
        .set("height", px(height))
        .set("font-family", "sans-serif")
        .add(ground)
        .add(group);
    png(&drawing.to_string()).expect("a drawing of some size")
}

/// The numbers of pixels along both sides, from the header.
fn size(picture: &[u8]) -> [u32; 2] {
    [16, 20].map(|at| {
        let bytes = picture[at..at + 4].try_into().expect("four bytes");
        u32::from_be_bytes(bytes)
    })
}

#[cfg(test)]
mod tests {
    use tiny_skia::Pixmap;

    use super::*;
    use crate::reports::palette::Palette;

    /// The colours of a painted bar 4 units above its upper and below its lower end.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some hundred pixels"
    )]
    fn beyond_ends(is_exceeded: [bool; 2]) -> [[u8; 3]; 2] {
        let picture = Pixmap::new(40, 20).unwrap().encode_png().unwrap();
        let scale = ColourScale {
            low: -140.0,
            high: -60.0,
            is_exceeded,
            palette: Palette::Gain,
        };
        let painted = with_legend(&picture, "", Some(scale), "dB", &[], false);
        let pixels = Pixmap::decode_png(&painted).unwrap();
        // A unit is two pixels. The picture is 20 units wide, and the bar of 14 units begins 22 right of it.
        let column = 2 * (20 + 22 + 7);
        let [top, length] = [TOP + 42.0, BAR_LENGTH].map(|units| (2.0 * units) as usize);
        [top - 8, top + length + 8].map(|row| {
            let pixel = pixels.pixels()[row * pixels.width() as usize + column];
            [pixel.red(), pixel.green(), pixel.blue()]
        })
    }

    #[test]
    fn painted_bars_end_in_arrows_where_values_lie_beyond() {
        let white = [255; 3];
        let rgb = |share| Palette::Gain.rgb(share);
        assert_eq!(beyond_ends([false, false]), [white, white]);
        assert_eq!(beyond_ends([true, false]), [white, rgb(0.0)]);
        assert_eq!(beyond_ends([false, true]), [rgb(1.0), white]);
        assert_eq!(beyond_ends([true, true]), [rgb(1.0), rgb(0.0)]);
    }
}
