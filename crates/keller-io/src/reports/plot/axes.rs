//! The common parts of all pictures: the frame with its axes, text, and the colours of lines.

use std::fmt::Write as _;

use svg::node::element::{Group, Line, Path, Rectangle, Text};

pub(super) const INK: &str = "#222222";
pub(super) const QUIET: &str = "#8a8a8a";
pub(super) const GRID: &str = "#e6e6e6";

/// The places of values on the page: `value` range to `page` range, per axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    pub(super) values: [f64; 2],
    pub(super) page: [f64; 2],
}

impl Axis {
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = (value - self.values[0]) / (self.values[1] - self.values[0]);
        self.page[0] + share * (self.page[1] - self.page[0])
    }

    /// The round values within the range, about one every `spacing` of the page.
    pub(super) fn ticks(&self, spacing: f64) -> Vec<f64> {
        let length = (self.page[1] - self.page[0]).abs();
        let step = round_step((self.values[1] - self.values[0]) * spacing / length);
        let first = (self.values[0] / step - 1e-9).ceil();
        let last = (self.values[1] / step + 1e-9).floor();
        let mut ticks = Vec::new();
        let mut i = first;
        while i <= last {
            ticks.push(i * step);
            i += 1.0;
        }
        ticks
    }
}

/// The step 1, 2 or 5 times a power of ten, the smallest that is at least `step`.
pub(super) fn round_step(step: f64) -> f64 {
    let power = 10.0_f64.powf(step.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    steps
        .into_iter()
        .find(|s| *s >= step * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// A value as an axis shows it.
pub(super) fn label(value: f64) -> String {
    // No label has -0, or digits that are only rounding.
    let rounded = (value * 1e6).round() / 1e6 + 0.0;
    format!("{rounded}")
}

/// The grid, ticks and titles around the frame that `x` and `y` span. y grows upwards.
pub(super) fn frame(x: &Axis, y: &Axis, x_title: &str, y_title: &str) -> Group {
    let mut group = Group::new();
    let (left, right) = (x.page[0], x.page[1]);
    let (bottom, top) = (y.page[0], y.page[1]);
    for tick in x.ticks(70.0) {
        let at = x.at(tick);
        group = group
            .add(line([at, bottom], [at, top], GRID, 1.0))
            .add(text([at, bottom + 18.0], &label(tick), 12.0, "middle"));
    }
    for tick in y.ticks(50.0) {
        let at = y.at(tick);
        group = group
            .add(line([left, at], [right, at], GRID, 1.0))
            .add(text([left - 8.0, at + 4.0], &label(tick), 12.0, "end"));
    }
    let centre = [left - 48.0, 0.5 * (bottom + top)];
    group
        .add(text(
            [0.5 * (left + right), bottom + 40.0],
            x_title,
            13.0,
            "middle",
        ))
        .add(text(centre, y_title, 13.0, "middle").set(
            "transform",
            format!("rotate(-90 {:.1} {:.1})", centre[0], centre[1]),
        ))
}

/// The border of the frame, to be drawn last.
pub(super) fn border(x: &Axis, y: &Axis) -> Rectangle {
    box_of(x, y)
        .set("fill", "none")
        .set("stroke", QUIET)
        .set("stroke-width", 1)
}

/// The frame as a rectangle.
pub(super) fn box_of(x: &Axis, y: &Axis) -> Rectangle {
    Rectangle::new()
        .set("x", px(x.page[0]))
        .set("y", px(y.page[1]))
        .set("width", px(x.page[1] - x.page[0]))
        .set("height", px(y.page[0] - y.page[1]))
}

pub(super) fn line(from: [f64; 2], to: [f64; 2], colour: &str, width: f64) -> Line {
    Line::new()
        .set("x1", px(from[0]))
        .set("y1", px(from[1]))
        .set("x2", px(to[0]))
        .set("y2", px(to[1]))
        .set("stroke", colour)
        .set("stroke-width", width)
}

pub(super) fn text(at: [f64; 2], content: &str, size: f64, anchor: &str) -> Text {
    Text::new(content)
        .set("x", px(at[0]))
        .set("y", px(at[1]))
        .set("font-size", size)
        .set("fill", INK)
        .set("text-anchor", anchor)
}

/// The title of a picture of some width, from `left` on: with smaller letters if it would not fit.
pub(super) fn title(content: &str, left: f64, width: f64) -> Text {
    /// The width of a bold letter on average, as a part of its height.
    const LETTER: f64 = 0.62;
    const SIZES: [f64; 2] = [8.0, 16.0];
    let letters = content.chars().count().max(1) as f64;
    let size = ((width - left - 8.0) / (LETTER * letters)).clamp(SIZES[0], SIZES[1]);
    text([left, 30.0], content, (10.0 * size).floor() / 10.0, "start").set("font-weight", "bold")
}

/// An open line through page points.
pub(super) fn polyline(
    points: impl IntoIterator<Item = [f64; 2]>,
    colour: &str,
    width: f64,
) -> Path {
    let mut data = String::new();
    for [x, y] in points {
        let command = if data.is_empty() { 'M' } else { 'L' };
        data.push(command);
        // Writing to a text does not fail.
        let _ = write!(data, "{x:.1} {y:.1}");
    }
    Path::new()
        .set("d", data)
        .set("fill", "none")
        .set("stroke", colour)
        .set("stroke-width", width)
        .set("stroke-linejoin", "round")
        .set("stroke-linecap", "round")
}

/// A length on the page, to a tenth of a unit.
pub(super) fn px(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let axis = Axis {
            values: [-0.3, 9.7],
            page: [0.0, 500.0],
        };
        assert_eq!(axis.ticks(100.0), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(axis.at(4.7), 250.0);
        assert_eq!(
            [0.011, 1.0, 3.0, 7.0].map(round_step),
            [0.02, 1.0, 5.0, 10.0]
        );
        assert_eq!([label(-0.0), label(0.1 + 0.2)], ["0", "0.3"]);
    }
}
