//! Points, bars and curves in a frame with two axes.

use svg::Document;
use svg::node::element::{Circle, Group, Rectangle};

use super::axes::{Axis, INK, QUIET, border, frame, line, polyline, px, text};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const POINT: &str = "#1f5fa8";
const CURVES: [&str; 4] = ["#1f5fa8", "#e08214", "#c8102e", "#7a7a7a"];

/// The contents of a picture of numbers; empty parts are left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScatterPlot {
    /// The title of the x axis, below.
    pub x_title: String,
    /// The title of the y axis, at the left.
    pub y_title: String,
    /// The x and y of each point.
    pub points: Vec<[f64; 2]>,
    /// The bounds of each bar, and its height.
    pub bars: Vec<([f64; 2], f64)>,
    /// The name of each curve, and x and y along it; up to four.
    pub curves: Vec<(String, Vec<[f64; 2]>)>,
    /// Whether to draw the line on which y is x.
    pub has_diagonal: bool,
    /// Whether to draw the line on which y is 0.
    pub has_zero: bool,
}

impl ScatterPlot {
    /// The picture.
    pub fn svg(&self) -> String {
        let (x, y) = self.axes();
        let mut drawing = Group::new();
        if self.has_zero {
            drawing = drawing.add(line(
                [x.page[0], y.at(0.0)],
                [x.page[1], y.at(0.0)],
                QUIET,
                1.2,
            ));
        }
        if self.has_diagonal {
            let low = x.values[0].max(y.values[0]);
            let high = x.values[1].min(y.values[1]);
            drawing = drawing.add(line(
                [x.at(low), y.at(low)],
                [x.at(high), y.at(high)],
                QUIET,
                1.2,
            ));
        }
        for ([from, to], height) in &self.bars {
            drawing = drawing.add(
                Rectangle::new()
                    .set("x", px(x.at(*from)))
                    .set("y", px(y.at(*height)))
                    .set("width", px(x.at(*to) - x.at(*from) - 1.0))
                    .set("height", px(y.page[0] - y.at(*height)))
                    .set("fill", POINT),
            );
        }
        for [at_x, at_y] in &self.points {
            drawing = drawing.add(
                Circle::new()
                    .set("cx", px(x.at(*at_x)))
                    .set("cy", px(y.at(*at_y)))
                    .set("r", 2.2)
                    .set("fill", POINT)
                    .set("fill-opacity", 0.6),
            );
        }
        for (number, (name, curve)) in self.curves.iter().enumerate() {
            let colour = CURVES[number % CURVES.len()];
            let points = curve.iter().map(|[at_x, at_y]| [x.at(*at_x), y.at(*at_y)]);
            let left = x.page[0] + 12.0 + 110.0 * number as f64;
            drawing = drawing
                .add(polyline(points, colour, 1.6))
                .add(line([left, 18.0], [left + 20.0, 18.0], colour, 2.0))
                .add(text([left + 26.0, 22.0], name, 12.0, "start").set("fill", INK));
        }
        Document::new()
            .set("viewBox", (0, 0, WIDTH, HEIGHT))
            .set("width", WIDTH)
            .set("height", HEIGHT)
            .set("font-family", "sans-serif")
            .add(frame(&x, &y, &self.x_title, &self.y_title))
            .add(drawing)
            .add(border(&x, &y))
            .to_string()
    }

    /// The axes around everything.
    fn axes(&self) -> (Axis, Axis) {
        let curves = self.curves.iter().flat_map(|(_, curve)| curve);
        let bars = self.bars.iter();
        let bars = bars.flat_map(|([from, to], height)| [[*from, 0.0], [*to, *height]]);
        let mut points: Vec<[f64; 2]> = self
            .points
            .iter()
            .chain(curves)
            .copied()
            .chain(bars)
            .collect();
        if self.has_zero {
            points.extend(points.first().map(|[x, _]| [*x, 0.0]));
        }
        let range = |axis: usize| {
            let values = points.iter().map(|point| point[axis]);
            let [low, high] = values
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
                    [low.min(value), high.max(value)]
                });
            if low > high {
                return [0.0, 1.0];
            }
            let margin = (0.04 * (high - low)).max(0.5);
            // Bars stand on the axis.
            let is_foot = axis == 1 && !self.bars.is_empty();
            [if is_foot { 0.0 } else { low - margin }, high + margin]
        };
        let x = Axis {
            values: range(0),
            page: [76.0, WIDTH - 20.0],
        };
        let y = Axis {
            values: range(1),
            page: [HEIGHT - 58.0, 30.0],
        };
        (x, y)
    }
}
