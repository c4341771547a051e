//! A plan: the outlines of all faces from above, the devices, and paths coloured by their gain.

use keller::DVec3;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{Circle, ClipPath, Definitions, Group, Rectangle};

use crate::reports::palette::{self, Palette};

use super::axes::{Axis, QUIET, border, box_of, frame, polyline, px, text, title};
use super::colour_bar::{BAR_LENGTH, colour_bar};
use super::coverage::BUILDING;
use super::marks::{PlotTx, tx_arrow, tx_mark, tx_marks};
use super::plan::{CLUTTER, ENTRY, clutter, entry, north_arrow, roofs, scale_bar, walls};
use super::scale::ColourScale;

/// One path to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPath {
    /// The points from Tx to Rx, metres.
    pub points: Vec<DVec3>,
    /// The gain, dB.
    pub gain_db: f64,
}

/// The contents of a plan.
#[derive(Debug, Clone)]
pub struct Map<'a> {
    /// The title above everything.
    pub title: String,
    /// The scene whose faces are drawn.
    pub scene: &'a Scene,
    /// The transmitters.
    pub tx: Vec<PlotTx>,
    /// The receivers.
    pub rx: Vec<DVec3>,
    /// The paths that may be drawn.
    pub paths: MapPaths,
}

/// Paths for a [`Map`], link after link: all of them, or a few of each link, the strongest.
#[derive(Debug, Clone, Default)]
pub struct MapPaths {
    has_all: bool,
    kept: Vec<MapPath>,
    /// The number of paths that carry power and are not kept.
    num_left_out: usize,
    /// The smallest and the largest coordinates of all paths, kept or not, metres.
    bounds: Option<[DVec3; 2]>,
}

impl MapPaths {
    /// No paths yet; all added ones are drawn, or only the strongest.
    pub fn new(has_all: bool) -> Self {
        Self {
            has_all,
            ..Self::default()
        }
    }

    /// Adds all paths of a link.
    pub fn add(&mut self, of_link: impl IntoIterator<Item = MapPath>) {
        let first = self.kept.len();
        for path in of_link {
            for point in &path.points {
                let [low, high] = self.bounds.unwrap_or([*point; 2]);
                self.bounds = Some([low.min(*point), high.max(*point)]);
            }
            if path.gain_db.is_finite() {
                self.kept.push(path);
            }
        }
        if !self.has_all && self.kept.len() - first > MAX_PATHS_OF_LINK {
            self.kept[first..].sort_by(|a, b| b.gain_db.total_cmp(&a.gain_db));
            self.num_left_out += self.kept.len() - first - MAX_PATHS_OF_LINK;
            self.kept.truncate(first + MAX_PATHS_OF_LINK);
        }
    }
}

/// The largest number of drawn paths of a link: more would hide the others, and the paths of all links would only be
/// ink.
const MAX_PATHS_OF_LINK: usize = 5;
const MAX_PATHS: usize = 3000;

/// The number of paths above which they are drawn thinner.
const MANY_PATHS: usize = 500;

/// The range of the colour scale below the strongest path, dB.
const RANGE_DB: f64 = 50.0;

const LONGER_SIDE: f64 = 760.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 52.0;
const RIGHT: f64 = 118.0;
const BOTTOM: f64 = 62.0;

const RX: &str = "#1f5fa8";

impl Map<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let (x, y) = self.axes();
        let shown = self.shown();
        let woods = clutter(self.scene, &x, &y, CLUTTER);
        let roofs = roofs(self.scene, &x, &y);
        let is_there = [roofs.is_some(), woods.is_some()];
        let (legend, lowest) = self.legend(&x, &y, &shown, is_there);
        let height = (y.page[0] + BOTTOM).max(lowest + 12.0);
        let width = x.page[1] + RIGHT;
        let page = Rectangle::new()
            .set("width", px(width))
            .set("height", px(height))
            .set("fill", "white");
        let clip = ClipPath::new().set("id", "frame").add(box_of(&x, &y));
        let mut drawing = Group::new().set("clip-path", "url(#frame)");
        for patch in [woods, roofs].into_iter().flatten() {
            drawing = drawing.add(patch);
        }
        let drawing = drawing
            .add(walls(self.scene, &x, &y))
            .add(self.lines(&x, &y, &shown))
            .add(self.devices(&x, &y));
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
            .add(title(&self.title, LEFT, width))
            .add(legend)
            .to_string()
    }

    /// The axes of the whole scene if the paths fill it well, else of the area around them.
    fn axes(&self) -> (Axis, Axis) {
        let of_paths = self.paths.bounds.iter().flatten();
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        let of_tx = self.tx.iter().map(|tx| &tx.position);
        for point in of_tx.chain(&self.rx).chain(of_paths) {
            (low, high) = (low.min(*point), high.max(*point));
        }
        let [scene_low, scene_high] = self.scene.bounds();
        let size = |low: DVec3, high: DVec3| (high - low).truncate().max_element();
        // A scene three times as large would make paths too small to see.
        if size(scene_low, scene_high) < 3.0 * size(low, high) || !low.is_finite() {
            (low, high) = (low.min(scene_low), high.max(scene_high));
        }
        let margin = 0.05 * size(low, high).max(1.0);
        let (low, high) = (low - margin, high + margin);
        let extent = high - low;
        let scale = LONGER_SIDE / extent.x.max(extent.y);
        // A very flat place still gets some height for its legend.
        let tall = (extent.y * scale).max(260.0);
        let wide = (extent.x * scale).max(260.0);
        let spare = [wide / scale - extent.x, tall / scale - extent.y].map(|s| 0.5 * s);
        (
            Axis {
                values: [low.x - spare[0], high.x + spare[0]],
                page: [LEFT, LEFT + wide],
            },
            Axis {
                values: [low.y - spare[1], high.y + spare[1]],
                page: [TOP + tall, TOP],
            },
        )
    }

    /// The lines of the strongest paths, the weakest of them first, so that the strongest lie on top.
    fn lines(&self, x: &Axis, y: &Axis, shown: &[&MapPath]) -> Group {
        let mut group = Group::new().set("opacity", 0.8);
        let strongest = self.strongest_db();
        let thinner = if shown.len() > MANY_PATHS { 0.5 } else { 1.0 };
        for path in shown.iter().rev() {
            let share = 1.0 - (strongest - path.gain_db) / RANGE_DB;
            let points = path.points.iter().map(|p| [x.at(p.x), y.at(p.y)]);
            let width = thinner * (0.7 + 1.3 * share.clamp(0.0, 1.0));
            group = group.add(polyline(points, &Palette::Gain.css(share), width));
        }
        group
    }

    /// The paths that are drawn, the strongest first.
    fn shown(&self) -> Vec<&MapPath> {
        let mut paths: Vec<&MapPath> = self.paths.kept.iter().collect();
        paths.sort_by(|a, b| b.gain_db.total_cmp(&a.gain_db));
        if !self.paths.has_all {
            paths.truncate(MAX_PATHS);
        }
        paths
    }

    fn strongest_db(&self) -> f64 {
        let gains = self.paths.kept.iter().map(|p| p.gain_db);
        gains.fold(f64::NEG_INFINITY, f64::max)
    }

    fn devices(&self, x: &Axis, y: &Axis) -> Group {
        let radius = if self.rx.len() > 200 { 2.0 } else { 4.0 };
        let mut group = Group::new();
        for p in &self.rx {
            group = group.add(rx_mark([x.at(p.x), y.at(p.y)], radius));
        }
        group.add(tx_marks(&self.tx, x, y))
    }

    /// The legend of the marks and colours, and its lower end.
    fn legend(
        &self,
        x: &Axis,
        y: &Axis,
        shown: &[&MapPath],
        [has_roofs, has_woods]: [bool; 2],
    ) -> (Group, f64) {
        let (left, top) = (x.page[1] + 22.0, y.page[1] + 8.0);
        let mut group = Group::new()
            .add(north_arrow([x.page[1] + RIGHT - 24.0, top + 4.0]))
            .add(tx_mark([left + 7.0, top]))
            .add(text([left + 22.0, top + 4.0], "Tx", 12.0, "start"))
            .add(rx_mark([left + 7.0, top + ENTRY], 4.0))
            .add(text([left + 22.0, top + ENTRY + 4.0], "Rx", 12.0, "start"));
        let mut top = top + 2.0 * ENTRY;
        if self.tx.iter().any(|tx| tx.azimuth.is_some()) {
            let direction = text([left + 22.0, top + 4.0], "direction", 12.0, "start");
            group = group.add(tx_arrow([left - 10.0, top], 0.0)).add(direction);
            top += ENTRY;
        }
        let building = palette::hex(palette::building());
        let patches = [
            (has_roofs, building.as_str(), BUILDING),
            (has_woods, CLUTTER, "woods"),
        ];
        for (is_there, fill, meaning) in patches {
            if is_there {
                group = group.add(entry([left, top], fill, meaning));
                top += ENTRY;
            }
        }
        let strongest = self.strongest_db();
        if !strongest.is_finite() {
            return (group, top);
        }
        top += 26.0;
        let low = strongest - RANGE_DB;
        let scale = ColourScale {
            low,
            high: strongest,
            is_exceeded: [shown.iter().any(|path| path.gain_db < low), false],
            palette: Palette::Gain,
        };
        group = group.add(colour_bar([left, top], scale, "gain / dB"));
        top += BAR_LENGTH + 30.0;
        let left_out = self.paths.kept.len() + self.paths.num_left_out - shown.len();
        if left_out > 0 {
            let caption = if shown.len() == MAX_PATHS {
                [format!("the {MAX_PATHS}"), "strongest paths;".to_owned()]
            } else {
                let strongest = format!("the {MAX_PATHS_OF_LINK} strongest");
                [strongest, "of each link;".to_owned()]
            };
            for words in caption.iter().chain([&format!("{left_out} left out")]) {
                let line = text([left, top], words, 11.0, "start").set("fill", QUIET);
                group = group.add(line);
                top += 15.0;
            }
        }
        (group, top)
    }
}

fn rx_mark([x, y]: [f64; 2], radius: f64) -> Circle {
    Circle::new()
        .set("cx", px(x))
        .set("cy", px(y))
        .set("r", radius)
        .set("fill", RX)
        .set("stroke", "white")
        .set("stroke-width", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::plot::colour_bar::tests::beyond;
    use crate::reports::plot::outlines::tests::scene;

    fn of_links<const N: usize>(has_all: bool, links: [Vec<MapPath>; N]) -> MapPaths {
        let mut paths = MapPaths::new(has_all);
        for link in links {
            paths.add(link);
        }
        paths
    }

    #[test]
    fn a_plan_is_a_drawing_with_every_device_and_path() {
        let scene = scene();
        let points = [[1.0, 1.0, 1.0], [3.0, 2.0, 1.0]].map(DVec3::from_array);
        let path = |gain_db| MapPath {
            points: points.to_vec(),
            gain_db,
        };
        let map = Map {
            title: "a < b & c".to_owned(),
            scene: &scene,
            tx: vec![PlotTx {
                position: points[0],
                name: "mast <1>".to_owned(),
                azimuth: None,
            }],
            rx: vec![points[1]],
            paths: of_links(
                false,
                [vec![path(-60.0), path(f64::NEG_INFINITY), path(-90.0)]],
            ),
        };
        let svg = map.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let count = |name: &str| {
            let nodes = document.descendants();
            nodes.filter(|n| n.tag_name().name() == name).count()
        };
        // Each device shows once, and once in the legend, as do the two halves of the arrow; walls and two paths that
        // carry power show too. The upright wall is no roof.
        assert_eq!(
            (count("polygon"), count("circle"), count("path")),
            (4, 2, 3)
        );
        let says = |words: &str| {
            let mut nodes = document.descendants();
            nodes.any(|n| n.text().map(str::trim) == Some(words))
        };
        assert!(says("a < b & c") && says("mast <1>") && says("N"), "{svg}");
        assert!(!says("building") && !svg.contains("left out"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let empty = Map {
            paths: MapPaths::default(),
            ..map
        };
        assert!(!empty.svg().contains("NaN"));
    }

    #[test]
    fn every_link_shows_its_strongest_paths_and_how_many_are_left_out() {
        let scene = scene();
        // Every path of the weaker link is weaker than any of the stronger one.
        let paths = |rx: i32| {
            let path = |k: i32| MapPath {
                points: vec![DVec3::ONE, DVec3::new(2.0, 3.0, 1.0)],
                gain_db: -60.0 - 40.0 * f64::from(rx) - f64::from(k * 7 % 9),
            };
            (0..9).map(path).collect()
        };
        let map = Map {
            title: String::new(),
            scene: &scene,
            tx: vec![],
            rx: vec![],
            paths: of_links(false, [paths(0), paths(1)]),
        };
        let gains: Vec<f64> = map.shown().iter().map(|path| path.gain_db).collect();
        let strongest = |from: f64| (0..5).map(move |k| from - f64::from(k));
        let expected: Vec<f64> = strongest(-60.0).chain(strongest(-100.0)).collect();
        assert_eq!(gains, expected);
        assert!(map.svg().contains("8 left out"), "{}", map.svg());
        let all = Map {
            paths: of_links(true, [paths(0), paths(1)]),
            ..map
        };
        assert_eq!(all.shown().len(), 18);
        // The scale goes from -60 dB 50 dB down: the weakest path of the other link is 48 dB weaker.
        assert!(beyond(&all.svg()).0.is_empty(), "{}", all.svg());
        assert!(!all.svg().contains("left out"), "{}", all.svg());
    }

    #[test]
    fn the_bar_says_that_paths_are_weaker_than_its_end() {
        let scene = scene();
        let path = |gain_db| MapPath {
            points: vec![DVec3::ONE, DVec3::new(2.0, 3.0, 1.0)],
            gain_db,
        };
        let words = |weakest| {
            let map = Map {
                title: String::new(),
                scene: &scene,
                tx: vec![],
                rx: vec![],
                paths: of_links(false, [vec![path(-60.0), path(weakest)]]),
            };
            beyond(&map.svg()).0
        };
        assert!(words(-110.0).is_empty());
        assert_eq!(words(-110.1), ["≤ -110"]);
    }
}
