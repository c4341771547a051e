//! Maps of values: levels of a coverage from above, coloured, under the walls of the scene.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keller::coverage::Region;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{ClipPath, Definitions, Group, Image, Line, Pattern, Rectangle, Use};

use super::axes::{Axis, QUIET, border, box_of, colour, frame, px, text};
use super::colour_bar::{BAR_LENGTH, BELOW, colour_bar};
use super::plan::{
    ENTRY, PlotTx, clutter, entry, north_arrow, roofs, scale_bar, tx_mark, tx_marks, walls,
};
use super::scale::ColourScale;

/// What a map of values shows.
#[derive(Debug, Clone)]
pub struct CoveragePlot<'a> {
    /// Above everything.
    pub title: String,
    /// What its values are.
    pub quantity: Quantity<'a>,
    /// What is said of cells with minus infinity, such as `below the limit`.
    pub nothing: &'a str,
    /// Whose walls.
    pub scene: &'a Scene,
    /// Transmitters.
    pub tx: Vec<PlotTx>,
    /// Where its cells lie.
    pub region: &'a Region,
    /// The levels, side by side in the colours of one scale.
    pub slices: Vec<Slice>,
}

/// What the values of a map are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity<'a> {
    /// Numbers.
    Numbers {
        /// Name and unit, beside the colours.
        name: &'a str,
        /// The range in which they are told apart by colour.
        range: [f64; 2],
    },
    /// Indices of [`CoveragePlot::tx`]: who serves.
    Servers,
}

/// One level.
#[derive(Debug, Clone)]
pub struct Slice {
    /// Above its map, where there are several.
    pub title: String,
    /// `[ny, nx]`, x running fastest: minus infinity where nothing is, NaN where there is no cell.
    pub values: Vec<f64>,
}

/// Of a map that stands alone, and of one among several.
const LONGER_SIDES: [f64; 2] = [760.0, 460.0];
/// Maps side by side at most, and room between them for their axes.
const MAX_ABREAST: usize = 3;
const GAP: [f64; 2] = [62.0, 58.0];
const LEFT: f64 = 78.0;
const TOP: f64 = 52.0;
const RIGHT: f64 = 158.0;
const BOTTOM: f64 = 62.0;
/// Room for the title of one map among several, and for the bar of lengths under them.
const SUBTITLE: f64 = 22.0;

/// Pixels along the longer side at least.
const MIN_PIXELS: usize = 1520;

/// Not less than room for the legend.
const MIN_SIDE: f64 = 260.0;

/// What buildings have in place of values, and cells with nothing.
const BUILDING: &str = "#bdbbb5";
const NOTHING: [u8; 3] = [0xee, 0xf1, 0xf5];

/// Transmitters that the legend has room for.
const MAX_SERVERS: usize = 12;

/// How values become colours.
#[derive(Debug, Clone, Copy)]
enum Colours {
    /// None is finite.
    Nothing,
    Scale(ColourScale),
    Servers,
}

impl Colours {
    fn of(self, value: f64) -> Option<[u8; 3]> {
        match self {
            Self::Nothing => None,
            Self::Scale(scale) => scale.colour(value),
            Self::Servers => value.is_finite().then(|| server_colour(value)),
        }
    }
}

/// The colour of a Tx: hues that are far from those of Tx before it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number below three, and bytes"
)]
fn server_colour(index: f64) -> [u8; 3] {
    /// The golden section of a circle.
    const TURN: f64 = 0.618_033_988_749_895;
    let hue = 6.0 * (0.56 + index * TURN).fract();
    let (saturation, value) = [(0.55, 0.85), (0.75, 0.65), (0.35, 0.95)][(index % 3.0) as usize];
    // From hue, saturation and value, as A. R. Smith, "Color gamut transform pairs", 1978, has them.
    [5.0, 3.0, 1.0].map(|n| {
        let k = (n + hue) % 6.0;
        let light = value * (1.0 - saturation * k.min(4.0 - k).clamp(0.0, 1.0));
        (255.0 * light).round() as u8
    })
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

impl CoveragePlot<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let [min, max] = self.region.bounds();
        let extent = max - min;
        let has_several = self.slices.len() > 1;
        let scale = LONGER_SIDES[usize::from(has_several)] / extent.max_element();
        let side = |k: usize| (extent[k] * scale).max(MIN_SIDE);
        let axis = |k: usize, page: [f64; 2]| {
            let spare = 0.5 * (side(k) / scale - extent[k]);
            Axis {
                values: [min[k] - spare, max[k] + spare],
                page,
            }
        };
        // Every map is drawn where the first one is, and then moved.
        let top = TOP + if has_several { SUBTITLE } else { 0.0 };
        let x = axis(0, [LEFT, LEFT + side(0)]);
        let y = axis(1, [top + side(1), top]);
        let columns = self.slices.len().clamp(1, MAX_ABREAST);
        let rows = self.slices.len().div_ceil(columns);
        let step = [side(0) + GAP[0], side(1) + GAP[1]];
        let right = x.page[1] + (columns - 1) as f64 * step[0];
        let bottom = y.page[0] + (rows.max(1) - 1) as f64 * step[1];
        // Narrow maps have no room for the bar of lengths beside the title of the axis.
        let below = if has_several { SUBTITLE } else { 0.0 };
        let colours = self.colours();
        // Buildings lie under the cells, for there may be cells above them; woods over them.
        let roofs = roofs(self.scene, &x, &y, BUILDING).map(|roofs| roofs.set("id", "roofs"));
        let woods =
            clutter(self.scene, &x, &y, "url(#leaves)").map(|woods| woods.set("id", "woods"));
        let is_there = [roofs.is_some(), woods.is_some()];
        let (legend, lowest) = self.legend([right, top], colours, is_there);
        let width = right + RIGHT;
        let height = (bottom + BOTTOM + below).max(lowest + 12.0);
        let page = Rectangle::new()
            .set("width", px(width))
            .set("height", px(height))
            .set("fill", "white");
        let clip = ClipPath::new().set("id", "frame").add(box_of(&x, &y));
        let walls = walls(self.scene, &x, &y)
            .set("id", "walls")
            .set("stroke-width", if has_several { 0.4 } else { 0.7 });
        let mut shared = Definitions::new().add(clip).add(walls);
        if let Some(roofs) = roofs {
            shared = shared.add(roofs);
        }
        if let Some(woods) = woods {
            shared = shared.add(leaves()).add(woods);
        }
        let mut maps = Group::new();
        for (k, slice) in self.slices.iter().enumerate() {
            let (column, row) = (k % columns, k / columns);
            let is_lowest = k + columns >= self.slices.len();
            let titles = [
                if is_lowest { "x / m" } else { "" },
                if column == 0 { "y / m" } else { "" },
            ];
            let mut map = self.map([&x, &y], slice, colours, titles, is_there);
            if has_several {
                map = map.add(text([LEFT, top - 8.0], &slice.title, 13.0, "start"));
            }
            let by = [column as f64 * step[0], row as f64 * step[1]];
            maps = maps.add(map.set("transform", format!("translate({:.1} {:.1})", by[0], by[1])));
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
            .add(shared)
            .add(page)
            .add(maps)
            .add(bar)
            .add(text([LEFT, 30.0], &self.title, 16.0, "start").set("font-weight", "bold"))
            .add(legend)
            .to_string()
    }

    fn colours(&self) -> Colours {
        let values = || self.slices.iter().flat_map(|slice| &slice.values);
        match self.quantity {
            Quantity::Numbers { range, .. } => {
                ColourScale::within(values(), range).map_or(Colours::Nothing, Colours::Scale)
            }
            Quantity::Servers if values().any(|value| value.is_finite()) => Colours::Servers,
            Quantity::Servers => Colours::Nothing,
        }
    }

    /// What marks, patches and colours mean, right of and below a corner, and how far down it reaches.
    fn legend(
        &self,
        [right, top]: [f64; 2],
        colours: Colours,
        [has_roofs, has_woods]: [bool; 2],
    ) -> (Group, f64) {
        let (left, mut top) = (right + 22.0, top + 8.0);
        let mut group = Group::new().add(north_arrow([right + RIGHT - 22.0, top + 4.0]));
        if !self.tx.is_empty() {
            group = group.add(tx_mark([left + 7.0, top])).add(text(
                [left + 22.0, top + 4.0],
                "Tx",
                12.0,
                "start",
            ));
            top += ENTRY;
        }
        let mut values = self.slices.iter().flat_map(|slice| &slice.values);
        let has_nothing = values.any(|value| *value == f64::NEG_INFINITY);
        let nothing = hex(NOTHING);
        let entries = [
            (has_roofs, BUILDING, "building"),
            (has_woods, "url(#leaves)", "woods"),
            (has_nothing, nothing.as_str(), self.nothing),
        ];
        for (is_there, fill, meaning) in entries {
            if is_there {
                group = group.add(entry([left, top], fill, meaning));
                top += ENTRY;
            }
        }
        match (colours, self.quantity) {
            (Colours::Scale(scale), Quantity::Numbers { name, .. }) => {
                top += 30.0;
                group = group.add(colour_bar([left, top], scale, name, colour));
                (group, top + BAR_LENGTH + BELOW)
            }
            (Colours::Servers, _) => {
                top += 6.0;
                group = group.add(text([left, top + 4.0], "best server", 12.0, "start"));
                for (index, tx) in self.tx.iter().enumerate().take(MAX_SERVERS) {
                    top += ENTRY;
                    let colour = hex(server_colour(index as f64));
                    group = group.add(entry([left, top], &colour, &tx.name));
                }
                if self.tx.len() > MAX_SERVERS {
                    top += ENTRY;
                    let more = format!("and {} more", self.tx.len() - MAX_SERVERS);
                    let more = text([left, top + 4.0], &more, 12.0, "start");
                    group = group.add(more.set("fill", QUIET));
                }
                (group, top + ENTRY)
            }
            _ => {
                let nothing = text([left, top + 4.0], "nothing arrives", 12.0, "start");
                (group.add(nothing.set("fill", QUIET)), top + ENTRY)
            }
        }
    }

    /// One level in its frame.
    fn map(
        &self,
        [x, y]: [&Axis; 2],
        slice: &Slice,
        colours: Colours,
        [x_title, y_title]: [&str; 2],
        [has_roofs, has_woods]: [bool; 2],
    ) -> Group {
        let nothing = |value: f64| (value == f64::NEG_INFINITY).then_some(NOTHING);
        let mut drawing = Group::new().set("clip-path", "url(#frame)");
        // There is often nothing in a building, which shows all the same, and what is above it over it.
        if has_roofs {
            if slice.values.contains(&f64::NEG_INFINITY) {
                drawing = drawing.add(self.cells(x, y, &slice.values, nothing));
            }
            let roofs = Use::new().set("href", "#roofs");
            let values = self.cells(x, y, &slice.values, |value| colours.of(value));
            drawing = drawing.add(roofs).add(values);
        } else {
            let both = |value| nothing(value).or_else(|| colours.of(value));
            drawing = drawing.add(self.cells(x, y, &slice.values, both));
        }
        if has_woods {
            drawing = drawing.add(Use::new().set("href", "#woods"));
        }
        let drawing = drawing
            .add(Use::new().set("href", "#walls"))
            .add(tx_marks(&self.tx, x, y));
        Group::new()
            .add(frame(x, y, x_title, y_title))
            .add(drawing)
            .add(border(x, y))
    }

    /// The cells in the colours of their values, where they have one.
    fn cells(
        &self,
        x: &Axis,
        y: &Axis,
        values: &[f64],
        colour: impl Fn(f64) -> Option<[u8; 3]>,
    ) -> Image {
        // As if the region were not turned; then the picture is turned about its corner.
        let (min, max) = (self.region.min, self.region.min + self.region.extent());
        let pixels = STANDARD.encode(self.png(values, colour));
        let image = Image::new()
            .set("x", px(x.at(min.x)))
            .set("y", px(y.at(max.y)))
            .set("width", px(x.at(max.x) - x.at(min.x)))
            .set("height", px(y.at(min.y) - y.at(max.y)))
            .set("preserveAspectRatio", "none")
            .set("style", "image-rendering:pixelated")
            .set("href", format!("data:image/png;base64,{pixels}"));
        if !self.region.is_turned() {
            return image;
        }
        // Down the page y grows.
        let angle = -self.region.rotation().to_degrees();
        let corner = [x.at(min.x), y.at(min.y)];
        let turn = format!("rotate({angle:.4} {:.2} {:.2})", corner[0], corner[1]);
        image.set("transform", turn)
    }

    /// A square of equal pixels a cell, as large as the picture, north up: some viewers smooth what they have to enlarge.
    fn png(&self, values: &[f64], colour: impl Fn(f64) -> Option<[u8; 3]>) -> Vec<u8> {
        let [nx, ny] = self.region.num_columns;
        let times = MIN_PIXELS.div_ceil(nx.max(ny)).max(1);
        let mut pixels = Vec::with_capacity(4 * nx * ny * times * times);
        for j in (0..ny * times).rev().map(|row| row / times) {
            for value in &values[j * nx..(j + 1) * nx] {
                let pixel = colour(*value).map_or([0; 4], |[r, g, b]| [r, g, b, 255]);
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

/// What woods are drawn with, so that the values under them show.
fn leaves() -> Pattern {
    let stroke = Line::new()
        .set("x1", 0)
        .set("y1", 0)
        .set("x2", 0)
        .set("y2", 7)
        .set("stroke", "#2f7d32")
        .set("stroke-width", 3);
    Pattern::new()
        .set("id", "leaves")
        .set("width", 7)
        .set("height", 7)
        .set("patternUnits", "userSpaceOnUse")
        .set("patternTransform", "rotate(45)")
        .add(stroke)
}

#[cfg(test)]
mod tests;
