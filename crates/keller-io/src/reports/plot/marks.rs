//! Marks of devices and places on plans: a triangle for a Tx with an arrow in its main direction, others for likeliest
//! and measured places.

use std::fmt::Write as _;

use keller::DVec3;
use svg::node::element::{Circle, Group, Line, Polygon, Text};

use super::axes::{Axis, INK, px, text};

/// The colour of a Tx: red.
const TX: &str = "#c8102e";
/// The colour of a measured place: blue.
const MEASURED: &str = "#1f5fa8";

/// The distances from the centre of a mark to the tip of its arrow and to the beginning of the head, and half of the
/// head's width.
const ARROW: [f64; 3] = [27.0, 16.0, 5.5];

/// A Tx on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotTx {
    /// The position, metres.
    pub position: DVec3,
    /// The name next to the mark.
    pub name: String,
    /// The azimuth of the largest gain, radians from x towards y; `None` if the gain is the same all round.
    pub azimuth: Option<f64>,
}

/// A place on a map that is no Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotMark {
    /// The position, metres.
    pub position: DVec3,
    /// The kind of place.
    pub kind: MarkKind,
}

/// The kind of a [`PlotMark`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// The most likely place of a device: a white diamond.
    Likeliest,
    /// The place of a device at its measurement: a blue circle.
    Measured,
}

impl MarkKind {
    /// The name in legends.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Likeliest => "likeliest",
            Self::Measured => "measured here",
        }
    }

    /// The mark at a point of the page.
    pub(super) fn mark(self, [x, y]: [f64; 2]) -> Group {
        match self {
            Self::Likeliest => {
                let corners = [(0.0, -8.0), (8.0, 0.0), (0.0, 8.0), (-8.0, 0.0)];
                let diamond = polygon(corners.map(|(dx, dy)| [x + dx, y + dy]));
                Group::new().add(
                    diamond
                        .set("fill", "white")
                        .set("stroke", INK)
                        .set("stroke-width", 2.2),
                )
            }
            Self::Measured => Group::new().add(
                Circle::new()
                    .set("cx", px(x))
                    .set("cy", px(y))
                    .set("r", 6)
                    .set("fill", MEASURED)
                    .set("stroke", "white")
                    .set("stroke-width", 1.5),
            ),
        }
    }
}

/// The mark of a Tx.
pub(super) fn tx_mark([x, y]: [f64; 2]) -> Polygon {
    let corners = [(0.0, -8.0), (7.0, 5.0), (-7.0, 5.0)];
    polygon(corners.map(|(dx, dy)| [x + dx, y + dy]))
        .set("fill", TX)
        .set("stroke", "white")
        .set("stroke-width", 1.5)
}

/// An arrow from a point of the page in an azimuth.
pub(super) fn tx_arrow([x, y]: [f64; 2], azimuth: f64) -> Group {
    let [tip, foot, half] = ARROW;
    // The azimuth is mirrored, as y grows down the page.
    let (along, across) = (
        [azimuth.cos(), -azimuth.sin()],
        [azimuth.sin(), azimuth.cos()],
    );
    let at = |forwards: f64, sideways: f64| {
        [
            x + forwards * along[0] + sideways * across[0],
            y + forwards * along[1] + sideways * across[1],
        ]
    };
    let end = at(foot, 0.0);
    let shaft = |colour: &str, width: f64| {
        Line::new()
            .set("x1", px(x))
            .set("y1", px(y))
            .set("x2", px(end[0]))
            .set("y2", px(end[1]))
            .set("stroke", colour)
            .set("stroke-width", width)
    };
    let head = polygon([at(tip, 0.0), at(foot, half), at(foot, -half)])
        .set("fill", TX)
        .set("stroke", "white")
        .set("stroke-width", 1.2);
    Group::new()
        .set("class", "direction")
        .add(shaft("white", 5.0))
        .add(head)
        .add(shaft(TX, 2.6))
}

fn polygon<const N: usize>(corners: [[f64; 2]; N]) -> Polygon {
    let points = corners.map(|[x, y]| format!("{x:.1},{y:.1}"));
    Polygon::new().set("points", points.join(" "))
}

/// Tx that stand in one place of the page.
struct Site<'a> {
    at: [f64; 2],
    tx: Vec<&'a PlotTx>,
}

/// The marks of all Tx with arrows and names; those that stand in one place share a mark and a label.
pub(super) fn tx_marks(tx: &[PlotTx], x: &Axis, y: &Axis) -> Group {
    /// The largest distance on the page of Tx in one place: the width of a mark.
    const SAME: f64 = 8.0;
    let mut sites: Vec<Site<'_>> = Vec::new();
    for tx in tx {
        let at = [x.at(tx.position.x), y.at(tx.position.y)];
        let is_same = |site: &Site<'_>| (site.at[0] - at[0]).hypot(site.at[1] - at[1]) < SAME;
        match sites.iter_mut().find(|site| is_same(site)) {
            Some(site) => site.tx.push(tx),
            None => sites.push(Site { at, tx: vec![tx] }),
        }
    }
    let mut group = Group::new();
    for site in &sites {
        for azimuth in site.tx.iter().filter_map(|tx| tx.azimuth) {
            group = group.add(tx_arrow(site.at, azimuth));
        }
        group = group.add(tx_mark(site.at));
    }
    // Names lie over all marks.
    let centre = 0.5 * (x.page[0] + x.page[1]);
    sites
        .iter()
        .fold(group, |group, site| group.add(site.label(centre)))
}

impl Site<'_> {
    /// The names of its Tx, next to its mark and off its arrows, towards the `centre` of the picture, so that they stay
    /// within it.
    fn label(&self, centre: f64) -> Text {
        /// The number of names in one place that are written out.
        const MAX_NAMES: usize = 3;
        /// The cosine of the angle between an arrow and the side of the label, above which the arrow crosses it.
        const NEAR: f64 = 0.7;
        let names: Vec<&str> = self.tx.iter().map(|tx| &*tx.name).collect();
        let mut label = names[..names.len().min(MAX_NAMES)].join(", ");
        if names.len() > MAX_NAMES {
            // Writing to a text does not fail.
            let _ = write!(label, " + {}", names.len() - MAX_NAMES);
        }
        let is_left = self.at[0] < centre;
        let (by, anchor) = if is_left {
            (10.0_f64, "start")
        } else {
            (-10.0, "end")
        };
        let crosses = |along: [f64; 2]| {
            let mut azimuths = self.tx.iter().filter_map(|tx| tx.azimuth);
            azimuths.any(|azimuth| azimuth.cos() * along[0] + azimuth.sin() * along[1] > NEAR)
        };
        let down = if !crosses([by.signum(), 0.0]) {
            4.0
        } else if crosses([0.0, -1.0]) {
            -ARROW[0]
        } else {
            ARROW[0]
        };
        with_halo(text(
            [self.at[0] + by, self.at[1] + down],
            &label,
            12.0,
            anchor,
        ))
    }
}

/// The marks of places.
pub(super) fn place_marks(marks: &[PlotMark], x: &Axis, y: &Axis) -> Group {
    marks.iter().fold(Group::new(), |group, mark| {
        let at = [x.at(mark.position.x), y.at(mark.position.y)];
        group.add(mark.kind.mark(at))
    })
}

/// The text with a halo, so that it can be read on any ground.
fn with_halo(text: Text) -> Text {
    text.set("stroke", "white")
        .set("stroke-width", 3)
        .set("stroke-linejoin", "round")
        .set("paint-order", "stroke")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_of_a_mast_share_a_mark_and_a_label_and_have_an_arrow_each() {
        let azimuths = [90.0_f64, -30.0, 210.0];
        let tx: Vec<PlotTx> = (azimuths.iter().zip(["a", "b", "c"]))
            .map(|(azimuth, name)| PlotTx {
                position: DVec3::new(5.0, 5.0, 20.0),
                name: name.to_owned(),
                azimuth: Some(azimuth.to_radians()),
            })
            .collect();
        let axis = |page| Axis {
            values: [0.0, 10.0],
            page,
        };
        let drawn = tx_marks(&tx, &axis([0.0, 100.0]), &axis([100.0, 0.0])).to_string();
        let document = roxmltree::Document::parse(&drawn).unwrap();
        let arrows = document
            .descendants()
            .filter(|node| node.attribute("class") == Some("direction"));
        let tips: Vec<[f64; 2]> = arrows
            .map(|arrow| {
                let is_head = |node: &roxmltree::Node<'_, '_>| node.has_tag_name("polygon");
                let head = arrow.children().find(is_head).unwrap();
                let tip = head.attribute("points").unwrap().split(' ').next().unwrap();
                let (x, y) = tip.split_once(',').unwrap();
                [x.parse().unwrap(), y.parse().unwrap()]
            })
            .collect();
        // North is up the page, where y shrinks.
        for (tip, azimuth) in tips.iter().zip(azimuths) {
            let (sin, cos) = azimuth.to_radians().sin_cos();
            let expected = [50.0 + ARROW[0] * cos, 50.0 - ARROW[0] * sin];
            assert!(
                (tip[0] - expected[0]).hypot(tip[1] - expected[1]) < 0.1,
                "{tip:?}"
            );
        }
        let labels = document
            .descendants()
            .filter(|node| node.has_tag_name("text"));
        let labels: Vec<&str> = labels.map(|node| node.text().unwrap().trim()).collect();
        assert_eq!((tips.len(), &labels[..]), (3, &["a, b, c"][..]));
    }
}
