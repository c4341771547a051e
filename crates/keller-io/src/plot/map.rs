//! A plan: the outlines of all faces from above, the devices, and paths coloured by their gain.

use keller::DVec3;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{Circle, ClipPath, Definitions, Group, Rectangle};

use super::axes::{Axis, QUIET, border, box_of, colour, frame, polyline, px, text};
use super::plan::{BAR_LENGTH, clutter, colour_bar, roofs, scale_bar, tx_mark, walls};

/// One path to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPath {
    /// From Tx to Rx, metres.
    pub points: Vec<DVec3>,
    /// Gain, dB.
    pub gain_db: f64,
}

/// What a plan shows.
#[derive(Debug, Clone)]
pub struct Map<'a> {
    /// Above everything.
    pub title: String,
    /// Whose faces.
    pub scene: &'a Scene,
    /// Transmitters.
    pub tx: Vec<DVec3>,
    /// Receivers.
    pub rx: Vec<DVec3>,
    /// Paths, in any order.
    pub paths: Vec<MapPath>,
}

/// Paths beyond the strongest so many would only be ink.
const MAX_PATHS: usize = 3000;

/// More paths than this are drawn thinner.
const MANY_PATHS: usize = 500;

/// The colour scale reaches so far below the strongest path, dB.
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
        let (width, height) = (x.page[1] + RIGHT, y.page[0] + BOTTOM);
        let page = Rectangle::new()
            .set("width", px(width))
            .set("height", px(height))
            .set("fill", "white");
        let clip = ClipPath::new().set("id", "frame").add(box_of(&x, &y));
        let mut drawing = Group::new().set("clip-path", "url(#frame)");
        if let Some(clutter) = clutter(self.scene, &x, &y) {
            drawing = drawing.add(clutter);
        }
        let drawing = drawing
            .add(roofs(self.scene, &x, &y))
            .add(walls(self.scene, &x, &y))
            .add(self.lines(&x, &y))
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
            .add(text([LEFT, 30.0], &self.title, 16.0, "start").set("font-weight", "bold"))
            .add(self.legend(&x, &y))
            .to_string()
    }

    /// The whole scene if the paths fill it well, else what is around them.
    fn axes(&self) -> (Axis, Axis) {
        let of_paths = self.paths.iter().flat_map(|p| &p.points);
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for point in self.tx.iter().chain(&self.rx).chain(of_paths) {
            (low, high) = (low.min(*point), high.max(*point));
        }
        let [scene_low, scene_high] = self.scene.bounds();
        let size = |low: DVec3, high: DVec3| (high - low).truncate().max_element();
        // A scene thrice as large would make paths too small to see.
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

    /// The strongest paths, the weakest of them first, so that the strongest lie on top.
    fn lines(&self, x: &Axis, y: &Axis) -> Group {
        let mut group = Group::new().set("opacity", 0.8);
        let strongest = self.strongest_db();
        let shown = self.shown();
        let thinner = if shown.len() > MANY_PATHS { 0.5 } else { 1.0 };
        for path in shown.into_iter().rev() {
            let share = 1.0 - (strongest - path.gain_db) / RANGE_DB;
            let points = path.points.iter().map(|p| [x.at(p.x), y.at(p.y)]);
            let width = thinner * (0.7 + 1.3 * share.clamp(0.0, 1.0));
            group = group.add(polyline(points, &colour(share), width));
        }
        group
    }

    /// The paths that are drawn, the strongest first.
    fn shown(&self) -> Vec<&MapPath> {
        let mut paths: Vec<&MapPath> = self
            .paths
            .iter()
            .filter(|p| p.gain_db.is_finite())
            .collect();
        paths.sort_by(|a, b| b.gain_db.total_cmp(&a.gain_db));
        paths.truncate(MAX_PATHS);
        paths
    }

    fn strongest_db(&self) -> f64 {
        let gains = self.paths.iter().map(|p| p.gain_db);
        gains.fold(f64::NEG_INFINITY, f64::max)
    }

    fn devices(&self, x: &Axis, y: &Axis) -> Group {
        let radius = if self.rx.len() > 200 { 2.0 } else { 4.0 };
        let mut group = Group::new();
        for p in &self.rx {
            group = group.add(rx_mark([x.at(p.x), y.at(p.y)], radius));
        }
        for p in &self.tx {
            group = group.add(tx_mark([x.at(p.x), y.at(p.y)]));
        }
        group
    }

    fn legend(&self, x: &Axis, y: &Axis) -> Group {
        let (left, top) = (x.page[1] + 22.0, y.page[1] + 8.0);
        let mut group = Group::new()
            .add(tx_mark([left + 7.0, top]))
            .add(text([left + 22.0, top + 4.0], "Tx", 12.0, "start"))
            .add(rx_mark([left + 7.0, top + 22.0], 4.0))
            .add(text([left + 22.0, top + 26.0], "Rx", 12.0, "start"));
        let strongest = self.strongest_db();
        if !strongest.is_finite() {
            return group;
        }
        let top = top + 66.0;
        let range = [strongest - RANGE_DB, strongest];
        group = group.add(colour_bar([left, top], range, "gain / dB"));
        if self.paths.len() > MAX_PATHS {
            let of = self.paths.len();
            let below = [left, top + BAR_LENGTH + 24.0];
            let caption = [
                "the strongest".to_owned(),
                format!("{MAX_PATHS} of"),
                format!("{of} paths"),
            ];
            for (i, words) in caption.iter().enumerate() {
                let at = [below[0], below[1] + 15.0 * i as f64];
                group = group.add(text(at, words, 11.0, "start").set("fill", QUIET));
            }
        }
        group
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
    use crate::plot::outlines::tests::scene;

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
            tx: vec![points[0]],
            rx: vec![points[1]],
            paths: vec![path(-60.0), path(f64::NEG_INFINITY), path(-90.0)],
        };
        let svg = map.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let count = |name: &str| {
            let nodes = document.descendants();
            nodes.filter(|n| n.tag_name().name() == name).count()
        };
        // Each device once, and once in the legend; roofs, walls and two paths that carry something.
        assert_eq!(
            (count("polygon"), count("circle"), count("path")),
            (2, 2, 4)
        );
        assert!(
            document
                .descendants()
                .any(|n| n.text().map(str::trim) == Some("a < b & c"))
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let empty = Map {
            paths: Vec::new(),
            ..map
        };
        assert!(!empty.svg().contains("NaN"));
    }
}
