//! A colour bar beside a painted picture.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use svg::Document;
use svg::node::element::{Image, Rectangle};

use super::axes::{QUIET, px, text};
use super::plan::colour_bar;
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
        colour_bar([left, TOP + 26.0], scale, unit)
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
