//! A map of values: one level of a coverage from above, coloured, under the walls of the scene.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::DVec2;
use keller::DVec3;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{ClipPath, Definitions, Group, Image, Rectangle};

use super::axes::{Axis, QUIET, border, box_of, frame, px, text};
use super::plan::{colour_bar, scale_bar, tx_mark, walls};
use super::scale::ColourScale;

/// What a map of values shows.
#[derive(Debug, Clone)]
pub struct CoveragePlot<'a> {
    /// Above everything.
    pub title: String,
    /// Beside the colours.
    pub unit: &'a str,
    /// Whose walls.
    pub scene: &'a Scene,
    /// Transmitters.
    pub tx: Vec<DVec3>,
    /// The corner of the first cell, metres.
    pub min: DVec2,
    /// Sizes of a cell, metres.
    pub resolution: DVec2,
    /// Number of cells along x and y.
    pub num_columns: [usize; 2],
    /// `[ny, nx]`, x running fastest; what is not finite has no colour.
    pub values: Vec<f64>,
}

const LONGER_SIDE: f64 = 760.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 52.0;
const RIGHT: f64 = 118.0;
const BOTTOM: f64 = 62.0;

/// Pixels along the longer side at least.
const LEAST_PIXELS: usize = 1520;

/// Not less than room for the legend.
const LEAST_SIDE: f64 = 260.0;

impl CoveragePlot<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let extent = self.resolution * DVec2::from(self.num_columns.map(|n| n as f64));
        let scale = LONGER_SIDE / extent.max_element();
        let side = |k: usize| (extent[k] * scale).max(LEAST_SIDE);
        let max = self.min + extent;
        let axis = |k: usize, page: [f64; 2]| {
            let spare = 0.5 * (side(k) / scale - extent[k]);
            Axis {
                values: [self.min[k] - spare, max[k] + spare],
                page,
            }
        };
        let x = axis(0, [LEFT, LEFT + side(0)]);
        let y = axis(1, [TOP + side(1), TOP]);
        let (width, height) = (x.page[1] + RIGHT, y.page[0] + BOTTOM);
        let page = Rectangle::new()
            .set("width", px(width))
            .set("height", px(height))
            .set("fill", "white");
        let clip = ClipPath::new().set("id", "frame").add(box_of(&x, &y));
        let colours = ColourScale::of(&self.values);
        let cells = Image::new()
            .set("x", px(x.at(self.min.x)))
            .set("y", px(y.at(max.y)))
            .set("width", px(x.at(max.x) - x.at(self.min.x)))
            .set("height", px(y.at(self.min.y) - y.at(max.y)))
            .set("preserveAspectRatio", "none")
            .set("style", "image-rendering:pixelated")
            .set(
                "href",
                format!(
                    "data:image/png;base64,{}",
                    STANDARD.encode(self.png(colours))
                ),
            );
        let mut drawing = Group::new()
            .set("clip-path", "url(#frame)")
            .add(cells)
            .add(walls(self.scene, &x, &y).set("stroke-width", 0.7));
        for p in &self.tx {
            drawing = drawing.add(tx_mark([x.at(p.x), y.at(p.y)]));
        }
        let mut legend = Group::new();
        let left = x.page[1] + 22.0;
        if let Some(ColourScale { low, high }) = colours {
            let range = [low, high];
            legend = legend.add(colour_bar([left, y.page[1] + 26.0], range, self.unit));
        } else {
            let nothing = text([left, y.page[1] + 12.0], "nothing arrives", 12.0, "start");
            legend = legend.add(nothing.set("fill", QUIET));
        }
        Document::new()
            .set("viewBox", format!("0 0 {width:.1} {height:.1}"))
            .set("width", px(width))
            .set("height", px(height))
            .set("font-family", "sans-serif")
            .add(Definitions::new().add(clip))
            .add(page)
            .add(frame(&x, &y, "x / m", "y / m"))
            .add(drawing)
            .add(border(&x, &y))
            .add(scale_bar(&x, &y))
            .add(text([LEFT, 30.0], &self.title, 16.0, "start").set("font-weight", "bold"))
            .add(legend)
            .to_string()
    }

    /// A square of equal pixels a cell, as large as the picture, north up: some viewers smooth what they have to enlarge.
    fn png(&self, colours: Option<ColourScale>) -> Vec<u8> {
        let [nx, ny] = self.num_columns;
        let times = LEAST_PIXELS.div_ceil(nx.max(ny)).max(1);
        let mut pixels = Vec::with_capacity(4 * nx * ny * times * times);
        for j in (0..ny * times).rev().map(|row| row / times) {
            for value in &self.values[j * nx..(j + 1) * nx] {
                let colour = colours.and_then(|scale| scale.colour(*value));
                let pixel = colour.map_or([0; 4], |[r, g, b]| [r, g, b, 255]);
                pixels.extend(std::iter::repeat_n(pixel, times).flatten());
            }
        }
        let side = |n: usize| u32::try_from(n * times).expect("fewer than 2^32 cells along a side");
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, side(nx), side(ny));
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&pixels));
        written.expect("as many pixels as the header says, into memory");
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::axes::rgb;
    use crate::plot::outlines::tests::scene;

    #[test]
    fn every_cell_is_a_pixel_with_north_up() {
        let scene = scene();
        let plot = CoveragePlot {
            title: "gain".to_owned(),
            unit: "dB",
            scene: &scene,
            tx: vec![DVec3::ONE],
            min: DVec2::ZERO,
            resolution: DVec2::new(2.0, 1.0),
            num_columns: [2, 3],
            values: vec![-100.0, -60.0, f64::NAN, -80.0, f64::NEG_INFINITY, -60.0],
        };
        let svg = plot.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let document = roxmltree::Document::parse(&svg).unwrap();
        let image = document
            .descendants()
            .find(|n| n.tag_name().name() == "image")
            .unwrap();
        let data = image.attribute("href").unwrap();
        let bytes = STANDARD
            .decode(data.strip_prefix("data:image/png;base64,").unwrap())
            .unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        // Squares of 507 pixels, so that the longer side has at least 1520.
        assert_eq!((info.width, info.height), (2 * 507, 3 * 507));
        let pixel = |i: usize, j: usize| {
            let at = 4 * ((j * 507 + 253) * 2 * 507 + i * 507 + 253);
            <[u8; 4]>::try_from(&pixels[at..at + 4]).unwrap()
        };
        let colour = |share| [&rgb(share)[..], &[255]].concat();
        // The first row of values is the last of pixels; what is not finite is clear.
        assert_eq!(pixel(0, 2)[..], colour(0.0));
        assert_eq!(pixel(1, 2)[..], colour(1.0));
        assert_eq!(pixel(1, 1)[..], colour(0.5));
        assert_eq!(pixel(1, 0)[..], colour(1.0));
        assert_eq!([pixel(0, 0)[3], pixel(0, 1)[3]], [0, 0]);
        let empty = CoveragePlot {
            values: vec![f64::NAN; 6],
            ..plot
        };
        assert!(empty.svg().contains("nothing arrives"));
    }
}
