//! Maps of values: levels of a coverage from above, coloured, under the walls of the scene.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::DVec2;
use keller::DVec3;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{ClipPath, Definitions, Group, Image, Rectangle, Use};

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
    /// The levels, side by side in the colours of one scale.
    pub slices: Vec<Slice>,
}

/// One level.
#[derive(Debug, Clone)]
pub struct Slice {
    /// Above its map, where there are several.
    pub title: String,
    /// `[ny, nx]`, x running fastest; what is not finite has no colour.
    pub values: Vec<f64>,
}

/// Of a map that stands alone, and of one among several.
const LONGER_SIDES: [f64; 2] = [760.0, 460.0];
/// Maps side by side at most, and room between them for their axes.
const MOST_ABREAST: usize = 3;
const GAP: [f64; 2] = [62.0, 58.0];
const LEFT: f64 = 78.0;
const TOP: f64 = 52.0;
const RIGHT: f64 = 118.0;
const BOTTOM: f64 = 62.0;
/// Room for the title of one map among several, and for the bar of lengths under them.
const SUBTITLE: f64 = 22.0;

/// Pixels along the longer side at least.
const LEAST_PIXELS: usize = 1520;

/// Not less than room for the legend.
const LEAST_SIDE: f64 = 260.0;

impl CoveragePlot<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let extent = self.resolution * DVec2::from(self.num_columns.map(|n| n as f64));
        let has_several = self.slices.len() > 1;
        let scale = LONGER_SIDES[usize::from(has_several)] / extent.max_element();
        let side = |k: usize| (extent[k] * scale).max(LEAST_SIDE);
        let max = self.min + extent;
        let axis = |k: usize, page: [f64; 2]| {
            let spare = 0.5 * (side(k) / scale - extent[k]);
            Axis {
                values: [self.min[k] - spare, max[k] + spare],
                page,
            }
        };
        // Every map is drawn where the first one is, and then moved.
        let top = TOP + if has_several { SUBTITLE } else { 0.0 };
        let x = axis(0, [LEFT, LEFT + side(0)]);
        let y = axis(1, [top + side(1), top]);
        let columns = self.slices.len().clamp(1, MOST_ABREAST);
        let rows = self.slices.len().div_ceil(columns);
        let step = [side(0) + GAP[0], side(1) + GAP[1]];
        let right = x.page[1] + (columns - 1) as f64 * step[0];
        let bottom = y.page[0] + (rows.max(1) - 1) as f64 * step[1];
        // Narrow maps have no room for the bar of lengths beside the title of the axis.
        let below = if has_several { SUBTITLE } else { 0.0 };
        let (width, height) = (right + RIGHT, bottom + BOTTOM + below);
        let page = Rectangle::new()
            .set("width", px(width))
            .set("height", px(height))
            .set("fill", "white");
        let clip = ClipPath::new().set("id", "frame").add(box_of(&x, &y));
        let walls = walls(self.scene, &x, &y)
            .set("id", "walls")
            .set("stroke-width", if has_several { 0.4 } else { 0.7 });
        let colours = ColourScale::of(self.slices.iter().flat_map(|slice| &slice.values));
        let mut maps = Group::new();
        for (k, slice) in self.slices.iter().enumerate() {
            let (column, row) = (k % columns, k / columns);
            let is_lowest = k + columns >= self.slices.len();
            let titles = [
                if is_lowest { "x / m" } else { "" },
                if column == 0 { "y / m" } else { "" },
            ];
            let mut map = self.map(&x, &y, slice, colours, titles);
            if has_several {
                map = map.add(text([LEFT, top - 8.0], &slice.title, 13.0, "start"));
            }
            let by = [column as f64 * step[0], row as f64 * step[1]];
            maps = maps.add(map.set("transform", format!("translate({:.1} {:.1})", by[0], by[1])));
        }
        let mut legend = Group::new();
        let left = right + 22.0;
        if let Some(ColourScale { low, high }) = colours {
            let range = [low, high];
            legend = legend.add(colour_bar([left, top + 26.0], range, self.unit));
        } else {
            let nothing = text([left, top + 12.0], "nothing arrives", 12.0, "start");
            legend = legend.add(nothing.set("fill", QUIET));
        }
        let by = [right - x.page[1], bottom - y.page[0] + below];
        let bar = Group::new()
            .add(scale_bar(&x, &y))
            .set("transform", format!("translate({:.1} {:.1})", by[0], by[1]));
        Document::new()
            .set("viewBox", format!("0 0 {width:.1} {height:.1}"))
            .set("width", px(width))
            .set("height", px(height))
            .set("font-family", "sans-serif")
            .add(Definitions::new().add(clip).add(walls))
            .add(page)
            .add(maps)
            .add(bar)
            .add(text([LEFT, 30.0], &self.title, 16.0, "start").set("font-weight", "bold"))
            .add(legend)
            .to_string()
    }

    /// One level in its frame.
    fn map(
        &self,
        x: &Axis,
        y: &Axis,
        slice: &Slice,
        colours: Option<ColourScale>,
        [x_title, y_title]: [&str; 2],
    ) -> Group {
        let extent = self.resolution * DVec2::from(self.num_columns.map(|n| n as f64));
        let (min, max) = (self.min, self.min + extent);
        let pixels = STANDARD.encode(self.png(&slice.values, colours));
        let cells = Image::new()
            .set("x", px(x.at(min.x)))
            .set("y", px(y.at(max.y)))
            .set("width", px(x.at(max.x) - x.at(min.x)))
            .set("height", px(y.at(min.y) - y.at(max.y)))
            .set("preserveAspectRatio", "none")
            .set("style", "image-rendering:pixelated")
            .set("href", format!("data:image/png;base64,{pixels}"));
        let mut drawing = Group::new()
            .set("clip-path", "url(#frame)")
            .add(cells)
            .add(Use::new().set("href", "#walls"));
        for p in &self.tx {
            drawing = drawing.add(tx_mark([x.at(p.x), y.at(p.y)]));
        }
        Group::new()
            .add(frame(x, y, x_title, y_title))
            .add(drawing)
            .add(border(x, y))
    }

    /// A square of equal pixels a cell, as large as the picture, north up: some viewers smooth what they have to enlarge.
    fn png(&self, values: &[f64], colours: Option<ColourScale>) -> Vec<u8> {
        let [nx, ny] = self.num_columns;
        let times = LEAST_PIXELS.div_ceil(nx.max(ny)).max(1);
        let mut pixels = Vec::with_capacity(4 * nx * ny * times * times);
        for j in (0..ny * times).rev().map(|row| row / times) {
            for value in &values[j * nx..(j + 1) * nx] {
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
            slices: vec![slice(
                "low",
                vec![-100.0, -60.0, f64::NAN, -80.0, f64::NEG_INFINITY, -60.0],
            )],
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
            slices: vec![slice("low", vec![f64::NAN; 6])],
            ..plot.clone()
        };
        assert!(empty.svg().contains("nothing arrives"));
    }

    fn slice(title: &str, values: Vec<f64>) -> Slice {
        Slice {
            title: title.to_owned(),
            values,
        }
    }

    #[test]
    fn levels_stand_side_by_side_in_one_scale() {
        let scene = scene();
        let levels = ["1 m", "2 m", "3 m", "4 m"];
        let plot = CoveragePlot {
            title: "gain".to_owned(),
            unit: "dB",
            scene: &scene,
            tx: vec![DVec3::ONE],
            min: DVec2::ZERO,
            resolution: DVec2::ONE,
            num_columns: [1, 1],
            // The first has no strong value of its own.
            slices: levels
                .iter()
                .zip([-100.0, -60.0, -80.0, f64::NAN])
                .map(|(title, value)| slice(title, vec![value]))
                .collect(),
        };
        let svg = plot.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let all = || document.descendants();
        let texts = || all().filter(|n| n.tag_name().name() == "text");
        for title in levels {
            let is_title =
                |n: &roxmltree::Node<'_, '_>| n.text().unwrap_or_default().trim() == title;
            assert_eq!(texts().filter(is_title).count(), 1, "{title}");
        }
        let mut first_pixels = document.descendants().filter_map(|node| {
            let data = node
                .attribute("href")?
                .strip_prefix("data:image/png;base64,")?;
            let bytes = STANDARD.decode(data).unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
                .read_info()
                .unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut pixels).unwrap();
            Some(<[u8; 4]>::try_from(&pixels[..4]).unwrap())
        });
        for share in [0.0, 1.0, 0.5] {
            assert_eq!(first_pixels.next().unwrap()[..3], rgb(share));
        }
        assert_eq!(first_pixels.next().unwrap()[3], 0);
        // Three abreast, the fourth below the first.
        let moved = |by: &str| svg.contains(&format!("translate({by})"));
        assert!(
            moved("522.0 0.0") && moved("1044.0 0.0") && moved("0.0 518.0"),
            "{svg}"
        );
    }
}
