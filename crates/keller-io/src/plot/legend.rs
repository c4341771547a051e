//! A colour bar beside a painted picture.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use svg::Document;
use svg::node::element::{Image, Rectangle};

use super::axes::{QUIET, colour, px, text};
use super::colour_bar::colour_bar;
use super::png::png;
use super::scale::ColourScale;

/// Room for the bar and its numbers, and above the picture for a title.
const RIGHT: f64 = 118.0;
const TOP: f64 = 40.0;

/// Not less than the bar is long.
const MIN_HEIGHT: f64 = 260.0;

/// A picture (PNG) with a title above it and the colours of `scale` beside it, those of `unit`; a note that nothing arrives where there is no scale. As PNG.
pub(crate) fn with_legend(
    picture: &[u8],
    title: &str,
    scale: Option<ColourScale>,
    unit: &str,
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
    let left = width + 22.0;
    let legend = if let Some(scale) = scale {
        colour_bar([left, TOP + 26.0], scale, unit, colour)
    } else {
        let nothing = text([left, TOP + 12.0], "nothing arrives", 12.0, "start");
        svg::node::element::Group::new().add(nothing.set("fill", QUIET))
    };
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
        .add(text([12.0, 26.0], title, 16.0, "start").set("font-weight", "bold"))
        .add(legend);
    png(&drawing.to_string()).expect("a drawing of some size")
}

/// Pixels along both sides, from the header.
fn size(picture: &[u8]) -> [u32; 2] {
    [16, 20].map(|at| {
        let bytes = picture[at..at + 4].try_into().expect("four bytes");
        u32::from_be_bytes(bytes)
    })
}

#[cfg(test)]
mod tests {
    use tiny_skia::Pixmap;

    use super::super::axes::rgb;
    use super::super::colour_bar::BAR_LENGTH;
    use super::*;

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
        };
        let painted = with_legend(&picture, "", Some(scale), "dB");
        let pixels = Pixmap::decode_png(&painted).unwrap();
        // A unit is two pixels. The picture is 20 units wide, and the bar of 14 units begins 22 beside it.
        let column = 2 * (20 + 22 + 7);
        let [top, length] = [TOP + 26.0, BAR_LENGTH].map(|units| (2.0 * units) as usize);
        [top - 8, top + length + 8].map(|row| {
            let pixel = pixels.pixels()[row * pixels.width() as usize + column];
            [pixel.red(), pixel.green(), pixel.blue()]
        })
    }

    #[test]
    fn painted_bars_end_in_arrows_where_values_lie_beyond() {
        let white = [255; 3];
        assert_eq!(beyond_ends([false, false]), [white, white]);
        assert_eq!(beyond_ends([true, false]), [white, rgb(0.0)]);
        assert_eq!(beyond_ends([false, true]), [rgb(1.0), white]);
        assert_eq!(beyond_ends([true, true]), [rgb(1.0), rgb(0.0)]);
    }
}
