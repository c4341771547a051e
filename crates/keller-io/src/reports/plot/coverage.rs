//! Maps of values: levels of a coverage from above, coloured, under the walls of the scene.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use glam::DVec2;
use keller::coverage::Region;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{ClipPath, Definitions, Group, Image, Line, Pattern, Rectangle, Use};

use crate::reports::palette::{self, Palette, Rgb, hex};

use super::axes::{Axis, QUIET, border, box_of, frame, px, text, title};
use super::colour_bar::{BAR_LENGTH, BELOW, colour_bar};
use super::marks::{MarkKind, PlotMark, PlotTx, place_marks, tx_arrow, tx_mark, tx_marks};
use super::plan::{ENTRY, clutter, entry, north_arrow, roofs, scale_bar, walls};
use super::png::PIXELS_PER_UNIT;
use super::scale::ColourScale;

/// The contents of a map of values.
#[derive(Debug, Clone)]
pub struct CoveragePlot<'a> {
    /// The title above everything.
    pub title: String,
    /// The quantity of its values.
    pub quantity: Quantity<'a>,
    /// The words for cells with minus infinity, such as [`NO_POWER`].
    pub nothing: &'a str,
    /// The scene whose walls are drawn.
    pub scene: &'a Scene,
    /// The transmitters.
    pub tx: Vec<PlotTx>,
    /// The other marks.
    pub marks: Vec<PlotMark>,
    /// The region of its cells.
    pub region: &'a Region,
    /// The levels, side by side in the colours of one scale.
    pub slices: Vec<Slice>,
}

/// The words for cells inside buildings.
pub(crate) const BUILDING: &str = "building";
/// The words for cells in which no power arrives.
pub const NO_POWER: &str = "no power";
/// The words for cells with less power than the limit.
pub const BELOW_LIMIT: &str = "below the limit";

/// The quantity of the values of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity<'a> {
    /// The values are numbers.
    Numbers {
        /// The name and unit, next to the colours.
        name: &'a str,
        /// The range with different colours.
        range: [f64; 2],
        /// The colours.
        scale: Scale,
    },
    /// The values are indices of [`CoveragePlot::tx`], the servers.
    Servers,
}

/// The colours of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// The colours of gain and power.
    Gain,
    /// The colours of loss: those of gain, reversed.
    Loss,
    /// The colours of SINR.
    Sinr,
    /// The colours of differences, with zero at the centre of the range.
    Difference,
}

impl From<Scale> for Palette {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Gain => Self::Gain,
            Scale::Loss => Self::Loss,
            Scale::Sinr => Self::Sinr,
            Scale::Difference => Self::Difference,
        }
    }
}

/// One level.
#[derive(Debug, Clone)]
pub struct Slice {
    /// The title above its map, if there are several.
    pub title: String,
    /// The values `[ny, nx]`, x running fastest: minus infinity without power, NaN without a cell.
    pub values: Vec<f64>,
    /// Whether each cell lies in a building and shows it unless it has a value; empty if none does.
    pub buildings: Vec<bool>,
}

impl Slice {
    /// Whether a cell is drawn as a building.
    fn is_building(&self, cell: usize) -> bool {
        self.buildings.get(cell) == Some(&true) && !self.values[cell].is_finite()
    }

    /// Whether a cell is drawn as one without power.
    fn is_nothing(&self, cell: usize) -> bool {
        self.values[cell] == f64::NEG_INFINITY && !self.is_building(cell)
    }
}

/// The length of the longer side of a map that stands alone, and of one among several.
const LONGER_SIDES: [f64; 2] = [760.0, 460.0];
/// The largest number of maps side by side, and the room between them for their axes.
const MAX_ABREAST: usize = 3;
const GAP: [f64; 2] = [62.0, 58.0];
const LEFT: f64 = 78.0;
const TOP: f64 = 52.0;
const RIGHT: f64 = 158.0;
const BOTTOM: f64 = 62.0;
/// The room for the title of one map among several, and for the bar of lengths under them.
const SUBTITLE: f64 = 22.0;

/// The smallest number of pixels along the longer side.
const MIN_PIXELS: usize = 1520;

/// The smallest side, which has room for the legend.
const MIN_SIDE: f64 = 260.0;

/// The number of transmitters that the legend has room for.
const MAX_SERVERS: usize = 12;

/// The way from values to colours.
#[derive(Debug, Clone, Copy)]
enum Colours {
    /// No value is finite.
    Nothing,
    Scale(ColourScale),
    Servers,
}

impl Colours {
    fn of(self, value: f64) -> Option<Rgb> {
        match self {
            Self::Nothing => None,
            Self::Scale(scale) => scale.colour(value),
            Self::Servers => value.is_finite().then(|| server_colour(value)),
        }
    }
}

/// The colour of a Tx by its index.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number that counts Tx"
)]
fn server_colour(index: f64) -> Rgb {
    palette::server(index as usize)
}

impl CoveragePlot<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let has_several = self.slices.len() > 1;
        let (x, y) = self.axes();
        let top = y.page[1];
        let sides = [x.page[1] - x.page[0], y.page[0] - y.page[1]];
        let columns = self.slices.len().clamp(1, MAX_ABREAST);
        let rows = self.slices.len().div_ceil(columns);
        let step = [sides[0] + GAP[0], sides[1] + GAP[1]];
        let right = x.page[1] + (columns - 1) as f64 * step[0];
        let bottom = y.page[0] + (rows.max(1) - 1) as f64 * step[1];
        // Narrow maps have no room for the bar of lengths next to the title of the axis.
        let below = if has_several { SUBTITLE } else { 0.0 };
        let colours = self.colours();
        // Buildings lie under the cells, for there may be cells above them; woods over them.
        let roofs = roofs(self.scene, &x, &y).map(|roofs| roofs.set("id", "roofs"));
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
            .add(title(&self.title, LEFT, width))
            .add(legend)
            .to_string()
    }

    /// The axes of the first map, with room above for its title if there are several.
    fn axes(&self) -> (Axis, Axis) {
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
        // Every map is drawn at the place of the first one, and then moved.
        let top = TOP + if has_several { SUBTITLE } else { 0.0 };
        let x = axis(0, [LEFT, LEFT + side(0)]);
        let y = axis(1, [top + side(1), top]);
        (x, y)
    }

    /// A world file for the picture as PNG, which gives programs of maps the place of its pixels; `None` for several
    /// maps. `origin` is that of the scene in the coordinate reference system.
    ///
    /// # Source
    /// ESRI, "World files for raster datasets": pixel size and rotation, then the centre of the upper left pixel.
    pub fn world_file(&self, origin: DVec2) -> Option<String> {
        if self.slices.len() != 1 {
            return None;
        }
        let metres = |axis: &Axis| {
            let [first, last] = axis.values;
            let per_unit = (last - first) / (axis.page[1] - axis.page[0]);
            let pixel = per_unit / PIXELS_PER_UNIT;
            // The centre of the first pixel is half of one from the edge of the page.
            (pixel, first - per_unit * axis.page[0] + 0.5 * pixel)
        };
        let (x, y) = self.axes();
        let ((width, left), (height, top)) = (metres(&x), metres(&y));
        let [left, top] = [left + origin.x, top + origin.y];
        Some(format!("{width}\n0\n0\n{height}\n{left}\n{top}\n"))
    }

    fn colours(&self) -> Colours {
        let values = || self.slices.iter().flat_map(|slice| &slice.values);
        match self.quantity {
            Quantity::Numbers { range, scale, .. } => {
                let scale = ColourScale::within(values(), range, scale.into());
                scale.map_or(Colours::Nothing, Colours::Scale)
            }
            Quantity::Servers if values().any(|value| value.is_finite()) => Colours::Servers,
            Quantity::Servers => Colours::Nothing,
        }
    }

    /// The legend of marks, patches and colours, right of and below a corner, and its lower end.
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
        if self.tx.iter().any(|tx| tx.azimuth.is_some()) {
            let direction = text([left + 22.0, top + 4.0], "direction", 12.0, "start");
            group = group.add(tx_arrow([left - 10.0, top], 0.0)).add(direction);
            top += ENTRY;
        }
        let mut kinds: Vec<MarkKind> = self.marks.iter().map(|mark| mark.kind).collect();
        kinds.dedup();
        for kind in kinds {
            let name = text([left + 22.0, top + 4.0], kind.name(), 12.0, "start");
            group = group.add(kind.mark([left + 7.0, top])).add(name);
            top += ENTRY;
        }
        let has = |is: fn(&Slice, usize) -> bool| {
            let mut slices = self.slices.iter();
            slices.any(|slice| (0..slice.values.len()).any(|cell| is(slice, cell)))
        };
        let [building, nothing] = [palette::building(), palette::nothing()].map(hex);
        let has_buildings = has_roofs || has(Slice::is_building);
        let entries = [
            (has_buildings, building.as_str(), BUILDING),
            (has_woods, "url(#leaves)", "woods"),
            (has(Slice::is_nothing), nothing.as_str(), self.nothing),
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
                group = group.add(colour_bar([left, top], scale, name));
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
                let nothing = text([left, top + 4.0], self.nothing, 12.0, "start");
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
        let colour = |cell: usize| {
            if slice.is_building(cell) {
                Some(palette::building())
            } else if slice.is_nothing(cell) {
                Some(palette::nothing())
            } else {
                colours.of(slice.values[cell])
            }
        };
        let mut drawing = Group::new().set("clip-path", "url(#frame)");
        if has_roofs {
            drawing = drawing.add(Use::new().set("href", "#roofs"));
        }
        drawing = drawing.add(self.cells(x, y, colour));
        if has_woods {
            drawing = drawing.add(Use::new().set("href", "#woods"));
        }
        let drawing = drawing
            .add(Use::new().set("href", "#walls"))
            .add(tx_marks(&self.tx, x, y))
            .add(place_marks(&self.marks, x, y));
        Group::new()
            .add(frame(x, y, x_title, y_title))
            .add(drawing)
            .add(border(x, y))
    }

    /// The cells in their colours; those without one are clear.
    fn cells(&self, x: &Axis, y: &Axis, colour: impl Fn(usize) -> Option<Rgb>) -> Image {
        // The cells are drawn as if the region were not turned; then the picture is turned about its corner.
        let (min, max) = (self.region.min, self.region.min + self.region.extent());
        let pixels = STANDARD.encode(self.png(colour));
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
        // The angle changes its sign, as y grows down the page.
        let angle = -self.region.rotation().to_degrees();
        let corner = [x.at(min.x), y.at(min.y)];
        let turn = format!("rotate({angle:.4} {:.2} {:.2})", corner[0], corner[1]);
        image.set("transform", turn)
    }

    /// A square of equal pixels for each cell, as large as the picture, north up: some viewers smooth pictures that
    /// they enlarge.
    fn png(&self, colour: impl Fn(usize) -> Option<Rgb>) -> Vec<u8> {
        let [nx, ny] = self.region.num_columns;
        let times = MIN_PIXELS.div_ceil(nx.max(ny)).max(1);
        let mut pixels = Vec::with_capacity(4 * nx * ny * times * times);
        for j in (0..ny * times).rev().map(|row| row / times) {
            for cell in j * nx..(j + 1) * nx {
                let pixel = colour(cell).map_or([0; 4], |[r, g, b]| [r, g, b, 255]);
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

/// The pattern of woods, under which the values show.
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
