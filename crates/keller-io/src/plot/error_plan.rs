//! Errors on the plan of a scene: red where predictions are too strong, blue where they are too weak.

use keller::DVec3;
use keller::scene::Scene;
use svg::Document;
use svg::node::element::{Circle, ClipPath, Definitions, Group};

use super::axes::{Axis, INK, border, box_of, frame, label, line, px, text};
use super::plan::{BAR_LENGTH, PlotTx, ROOF, roofs, scale_bar, tx_marks, walls};

const LONGER_SIDE: f64 = 620.0;
const LEFT: f64 = 78.0;
const TOP: f64 = 20.0;
const RIGHT: f64 = 110.0;
const BOTTOM: f64 = 62.0;

/// Colours of too weak, right and too strong (`RdBu` of `ColorBrewer`, Apache-2.0).
const COLOURS: [[f64; 3]; 3] = [
    [33.0, 102.0, 172.0],
    [235.0, 235.0, 235.0],
    [178.0, 24.0, 43.0],
];

/// Errors at places of a scene.
#[derive(Debug)]
pub struct ErrorPlan<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Places, metres, and errors, dB; at least one.
    pub errors: &'a [(DVec3, f64)],
    /// The transmitters.
    pub tx: &'a [PlotTx],
}

impl ErrorPlan<'_> {
    /// The picture.
    pub fn svg(&self) -> String {
        let (x, y) = self.axes();
        let limit = self.limit();
        let clip = ClipPath::new().set("id", "errors").add(box_of(&x, &y));
        let mut drawing = Group::new().set("clip-path", "url(#errors)");
        if let Some(roofs) = roofs(self.scene, &x, &y, ROOF) {
            drawing = drawing.add(roofs);
        }
        drawing = drawing.add(walls(self.scene, &x, &y));
        for (place, error) in self.errors {
            drawing = drawing.add(
                Circle::new()
                    .set("cx", px(x.at(place.x)))
                    .set("cy", px(y.at(place.y)))
                    .set("r", 3.2)
                    .set("fill", colour(error / limit))
                    .set("stroke", INK)
                    .set("stroke-width", 0.3),
            );
        }
        drawing = drawing.add(tx_marks(self.tx, &x, &y));
        let (width, height) = (x.page[1] + RIGHT, y.page[0] + BOTTOM);
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
            .add(bar([x.page[1] + 24.0, TOP + 30.0], limit))
            .to_string()
    }

    /// 95 % of the errors are smaller, dB.
    fn limit(&self) -> f64 {
        let mut sizes: Vec<f64> = self.errors.iter().map(|(_, error)| error.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let index = (sizes.len() * 19 / 20).min(sizes.len().saturating_sub(1));
        sizes.get(index).copied().unwrap_or(1.0).max(1.0).ceil()
    }

    /// Around the measurements and the Tx.
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

/// The bar of colours from `-limit` to `limit`.
fn bar([left, top]: [f64; 2], limit: f64) -> Group {
    const STEPS: u32 = 40;
    let axis = Axis {
        values: [-limit, limit],
        page: [top + BAR_LENGTH, top],
    };
    let mut group = Group::new().add(text([left, top - 14.0], "error / dB", 12.0, "start"));
    for i in 0..STEPS {
        let share = 2.0 * (f64::from(i) + 0.5) / f64::from(STEPS) - 1.0;
        let at = axis.at(share * limit);
        group = group.add(line(
            [left, at],
            [left + 14.0, at],
            &colour(share),
            1.2 * BAR_LENGTH / f64::from(STEPS),
        ));
    }
    for tick in axis.ticks(38.0) {
        let at = axis.at(tick);
        group = group.add(text([left + 20.0, at + 4.0], &label(tick), 12.0, "start"));
    }
    group
}

/// The colour of an error from -1 to 1 of the limit.
fn colour(share: f64) -> String {
    let share = share.clamp(-1.0, 1.0);
    let (end, part) = if share < 0.0 { (0, -share) } else { (2, share) };
    let [r, g, b] = [0, 1, 2].map(|k| COLOURS[1][k] + part * (COLOURS[end][k] - COLOURS[1][k]));
    format!("rgb({r:.0},{g:.0},{b:.0})")
}
