//! Power over delay: a stem for each path, and the profile that a radio of limited bandwidth measures.

use svg::Document;
use svg::node::element::Group;

use super::axes::{Axis, INK, QUIET, border, frame, line, polyline, text};

/// One stem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stem {
    /// The delay, s.
    pub delay: f64,
    /// The gain, dB.
    pub gain_db: f64,
    /// Whether it is the line of sight, which is drawn in a colour of its own.
    pub is_line_of_sight: bool,
}

/// The contents of a picture of power over delay.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProfilePlot {
    /// The title above everything.
    pub title: String,
    /// The stems of paths.
    pub stems: Vec<Stem>,
    /// The name of the curve.
    pub curve_name: String,
    /// The delay (s) and gain (dB) along the band-limited profile; may be empty.
    pub curve: Vec<(f64, f64)>,
    /// The name of the second curve.
    pub second_name: String,
    /// Another curve to compare with; may be empty.
    pub second: Vec<(f64, f64)>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 470.0;

/// The largest difference from the strongest value that is shown, dB.
const RANGE_DB: f64 = 70.0;

const STEM: &str = "#7a7a7a";
const LINE_OF_SIGHT: &str = "#c8102e";
const CURVE: &str = "#1f5fa8";
const SECOND: &str = "#e08214";

impl ProfilePlot {
    /// The picture.
    pub fn svg(&self) -> String {
        let (x, y) = self.axes();
        let bottom = y.page[0];
        let mut drawing = Group::new();
        for stem in self.stems.iter().filter(|s| s.gain_db > y.values[0]) {
            let (at, top) = (x.at(stem.delay * 1e9), y.at(stem.gain_db));
            let colour = if stem.is_line_of_sight {
                LINE_OF_SIGHT
            } else {
                STEM
            };
            drawing = drawing.add(line([at, bottom], [at, top], colour, 1.3)).add(
                svg::node::element::Circle::new()
                    .set("cx", format!("{at:.1}"))
                    .set("cy", format!("{top:.1}"))
                    .set("r", 3)
                    .set("fill", colour),
            );
        }
        for (curve, colour) in [(&self.second, SECOND), (&self.curve, CURVE)] {
            if !curve.is_empty() {
                let clipped = curve
                    .iter()
                    .map(|(delay, db)| [x.at(delay * 1e9), y.at(db.max(y.values[0]))]);
                drawing = drawing.add(polyline(clipped, colour, 1.6));
            }
        }
        let document = Document::new()
            .set("viewBox", (0, 0, WIDTH, HEIGHT))
            .set("width", WIDTH)
            .set("height", HEIGHT)
            .set("font-family", "sans-serif")
            .add(
                super::axes::box_of(
                    &Axis {
                        values: [0.0, 1.0],
                        page: [0.0, WIDTH],
                    },
                    &Axis {
                        values: [0.0, 1.0],
                        page: [HEIGHT, 0.0],
                    },
                )
                .set("fill", "white"),
            )
            .add(frame(&x, &y, "delay / ns", "gain / dB"))
            .add(drawing)
            .add(border(&x, &y))
            .add(text([x.page[0], 30.0], &self.title, 16.0, "start").set("font-weight", "bold"))
            .add(self.legend(&x, &y));
        document.to_string()
    }

    fn axes(&self) -> (Axis, Axis) {
        let curves = || self.curve.iter().chain(&self.second);
        let gains = self.stems.iter().map(|s| s.gain_db);
        let highest = gains
            .chain(curves().map(|(_, db)| *db))
            .fold(f64::NEG_INFINITY, f64::max);
        let top = if highest.is_finite() { highest } else { 0.0 };
        let delays = || {
            let shown = self.stems.iter().filter(|s| s.gain_db > top - RANGE_DB);
            let of_stems = shown.map(|s| s.delay);
            of_stems.chain(curves().map(|(delay, _)| *delay))
        };
        let (mut first, mut last) = (
            delays().fold(f64::INFINITY, f64::min) * 1e9,
            delays().fold(0.0, f64::max) * 1e9,
        );
        if first > last {
            (first, last) = (0.0, 1.0);
        }
        let margin = 0.04 * (last - first).max(1.0);
        let top = (top / 10.0).ceil() * 10.0 + 5.0;
        (
            Axis {
                values: [(first - margin).max(0.0), last + margin],
                page: [78.0, WIDTH - 24.0],
            },
            Axis {
                values: [top - RANGE_DB, top],
                page: [HEIGHT - 62.0, 52.0],
            },
        )
    }

    fn legend(&self, x: &Axis, y: &Axis) -> Group {
        let mut entries: Vec<(&str, &str)> = Vec::new();
        if self.stems.iter().any(|s| s.is_line_of_sight) {
            entries.push((LINE_OF_SIGHT, "line of sight"));
        }
        if self.stems.iter().any(|s| !s.is_line_of_sight) {
            entries.push((STEM, "other paths"));
        }
        if !self.curve.is_empty() {
            entries.push((CURVE, &self.curve_name));
        }
        if !self.second.is_empty() {
            entries.push((SECOND, &self.second_name));
        }
        let mut group = Group::new();
        for (i, (colour, name)) in entries.into_iter().enumerate() {
            let (right, at) = (x.page[1] - 14.0, y.page[1] + 20.0 + 19.0 * i as f64);
            group = group
                .add(text([right - 28.0, at + 4.0], name, 12.0, "end").set("fill", INK))
                .add(line([right - 22.0, at], [right, at], colour, 2.5));
        }
        if self.stems.is_empty() && self.curve.is_empty() {
            let centre = [0.5 * (x.page[0] + x.page[1]), 0.5 * (y.page[0] + y.page[1])];
            group = group.add(text(centre, "no path", 14.0, "middle").set("fill", QUIET));
        }
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_a_drawing_even_of_nothing() {
        let stem = |delay, gain_db| Stem {
            delay,
            gain_db,
            is_line_of_sight: delay == 0.0,
        };
        let full = ProfilePlot {
            stems: vec![
                stem(0.0, -60.0),
                stem(1e-8, -80.0),
                stem(2e-8, f64::NEG_INFINITY),
            ],
            curve: vec![(0.0, -60.0), (1e-8, f64::NEG_INFINITY)],
            ..ProfilePlot::default()
        };
        for (plot, circles) in [(full, 2), (ProfilePlot::default(), 0)] {
            let svg = plot.svg();
            let document = roxmltree::Document::parse(&svg).unwrap();
            let nodes = document.descendants();
            let found = nodes.filter(|n| n.tag_name().name() == "circle").count();
            assert_eq!(found, circles);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
