//! Errors on the plan of a scene: red where predictions are too strong, blue where they are too weak.

use keller::DVec3;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{Circle, ClipPath, Definitions, Group};

use crate::reports::palette::{Palette, hex};

use super::axes::{Axis, INK, border, box_of, frame, px};
use super::colour_bar::{BAR_LENGTH, BELOW, colour_bar};
use super::marks::{PlotTx, tx_marks};
use super::plan::{roofs, scale_bar, walls};
use super::scale::ColourScale;

const LONGER_SIDE: f64 = 620.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 20.0;
/// The distance from the top of the frame to that of the colour bar.
const BAR: f64 = 30.0;
const RIGHT: f64 = 110.0;
const BOTTOM: f64 = 62.0;

/// Errors at places of a scene.
#[derive(Debug)]
pub struct ErrorPlan<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The places, metres, and errors, dB; at least one.
    pub errors: &'a [(DVec3, f64)],
    /// The transmitters.
    pub tx: &'a [PlotTx],
}

impl ErrorPlan<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let (x, y) = self.axes();
        let scale = self.scale();
        let clip = ClipPath::new().set("id", "errors").add(box_of(&x, &y));
        let mut drawing = Group::new().set("clip-path", "url(#errors)");
        if let Some(roofs) = roofs(self.scene, &x, &y) {
            drawing = drawing.add(roofs);
        }
        drawing = drawing.add(walls(self.scene, &x, &y));
        for (place, error) in self.errors {
            drawing = drawing.add(
                Circle::new()
                    .set("cx", px(x.at(place.x)))
                    .set("cy", px(y.at(place.y)))
                    .set("r", 3.2)
                    .set("fill", scale.colour(*error).map(hex).unwrap_or_default())
                    .set("stroke", INK)
                    .set("stroke-width", 0.3),
            );
        }
        drawing = drawing.add(tx_marks(self.tx, &x, &y));
        let bar = [x.page[1] + 24.0, TOP + BAR];
        let width = x.page[1] + RIGHT;
        // A route from west to east is lower than the bar is long.
        let height = (y.page[0] + BOTTOM).max(bar[1] + BAR_LENGTH + BELOW + 12.0);
        Document::new()
            .set("viewBox", format!("0 0 {width:.1} {height:.1}"))
            .set("width", px(width))
            .set("height", px(height))
            .set("font-family", "sans-serif")
            .add(Definitions::new().add(clip))
            .add(frame(&x, &y, "x / m", "y / m"))
            .add(drawing)
            .add(border(&x, &y))
            .add(scale_bar(&x, &y))
            .add(colour_bar(bar, scale, "error / dB"))
            .to_string()
    }

    /// The scale, as far above as below zero: 95 % of the errors are smaller than its ends.
    fn scale(&self) -> ColourScale {
        let errors = || self.errors.iter().map(|(_, error)| *error);
        let mut sizes: Vec<f64> = errors().map(f64::abs).collect();
        sizes.sort_by(f64::total_cmp);
        let index = (sizes.len() * 19 / 20).min(sizes.len().saturating_sub(1));
        let limit = sizes.get(index).copied().unwrap_or(1.0).max(1.0).ceil();
        ColourScale {
            low: -limit,
            high: limit,
            is_exceeded: [
                errors().any(|error| error < -limit),
                errors().any(|error| error > limit),
            ],
            palette: Palette::Difference,
        }
    }

    /// The axes around the measurements and the Tx.
    fn axes(&self) -> (Axis, Axis) {
        let places = self.errors.iter().map(|(place, _)| *place);
        let places = places.chain(self.tx.iter().map(|tx| tx.position));
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for place in places {
            (low, high) = (low.min(place), high.max(place));
        }
        let margin = (0.06 * (high - low).max_element()).max(1.0);
        let (low, high) = (low - DVec3::splat(margin), high + DVec3::splat(margin));
        let size = high - low;
        let scale = LONGER_SIDE / size.x.max(size.y);
        let x = Axis {
            values: [low.x, high.x],
            page: [LEFT, LEFT + scale * size.x],
        };
        let y = Axis {
            values: [low.y, high.y],
            page: [TOP + scale * size.y, TOP],
        };
        (x, y)
    }
}

#[cfg(test)]
mod tests {
    use super::super::colour_bar::tests::beyond;
    use super::*;
    use crate::reports::plot::outlines::tests::scene;

    /// The picture of a route from west to east with one error of `last` at its end.
    fn route(last: f64) -> String {
        let scene = scene();
        let place = |k: u32| DVec3::new(f64::from(k), 0.0, 1.5);
        let small = (0..39).map(|k| (place(k), 6.5 - f64::from(k % 14)));
        let errors: Vec<(DVec3, f64)> = small.chain([(place(39), last)]).collect();
        let plan = ErrorPlan {
            scene: &scene,
            errors: &errors,
            tx: &[],
        };
        plan.svg()
    }

    #[test]
    fn the_bar_says_on_which_side_errors_are_larger_than_its_end() {
        let words = |last| beyond(&route(last)).0;
        assert!(words(0.0).is_empty() && words(7.0).is_empty());
        assert_eq!(words(20.0), ["≥ 7"]);
        assert_eq!(words(-20.0), ["≤ -7"]);
        assert_eq!(beyond(&route(-20.0)).1, [Palette::Difference.css(0.0)]);
    }

    #[test]
    fn the_picture_of_a_straight_route_is_as_high_as_its_bar() {
        let svg = route(0.0);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let height: f64 = document
            .root_element()
            .attribute("height")
            .unwrap()
            .parse()
            .unwrap();
        assert!(height > TOP + BAR + BAR_LENGTH + BELOW, "{height}");
    }
}
