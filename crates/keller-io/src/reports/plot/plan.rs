//! The common parts of pictures of a place from above: roofs, walls, the north and a scale.

use std::fmt::Write as _;

use keller::DVec3;
use keller::scene::Scene;
use svg::node::element::{Group, Path, Polygon, Rectangle};

use crate::reports::palette;

use super::axes::{Axis, INK, QUIET, label, line, px, round_step, text};
use super::outlines::{ground, outlines};

const WALL: &str = "#4a4a4a";
pub(super) const CLUTTER: &str = "#b9d8ae";

/// The faces that are not upright and lie above the lowest place, but the ground: the insides of buildings, from above.
/// `None` if none is visible.
pub(super) fn roofs(scene: &Scene, x: &Axis, y: &Axis) -> Option<Path> {
    /// The smallest height of a roof, metres, and the smallest vertical component of its normal.
    const HEIGHT: f64 = 0.5;
    const UP: f64 = 0.3;
    let lowest = scene.bounds()[0].z;
    let is_ground = ground(scene);
    let mut data = String::new();
    for (i, face) in scene.triangle_faces().iter().enumerate() {
        let corners = scene.corners(i);
        let is_roof =
            scene.face_normal(*face).z.abs() > UP && corners.iter().all(|c| c.z > lowest + HEIGHT);
        let is_roof = is_roof && !is_ground[face.index()];
        if is_roof && is_in_view(&corners, x, y) {
            write_triangle(&mut data, &corners, x, y);
        }
    }
    let colour = palette::hex(palette::building());
    // The stroke of the same colour closes the hairlines between triangles.
    (!data.is_empty()).then(|| {
        Path::new()
            .set("d", data)
            .set("fill", colour.clone())
            .set("stroke", colour)
            .set("stroke-width", 0.5)
    })
}

/// The volumes of clutter from above, if there are any: their tops.
pub(super) fn clutter(scene: &Scene, x: &Axis, y: &Axis, fill: &str) -> Option<Path> {
    let mut data = String::new();
    for volume in scene.clutter().volumes() {
        let [low, _] = volume.bounds();
        for triangle in volume.triangles() {
            let corners = triangle.map(|v| volume.vertices()[v as usize]);
            let is_top = corners.iter().all(|corner| corner.z > low.z);
            if is_top && is_in_view(&corners, x, y) {
                write_triangle(&mut data, &corners, x, y);
            }
        }
    }
    (!data.is_empty()).then(|| Path::new().set("d", data).set("fill", fill))
}

/// Writes a triangle anticlockwise: those that overlap in opposite directions would cancel out.
fn write_triangle(data: &mut String, corners: &[DVec3; 3], x: &Axis, y: &Axis) {
    let [a, b, c] = corners.map(|c| [x.at(c.x), y.at(c.y)]);
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let [b, c] = if area < 0.0 { [b, c] } else { [c, b] };
    // Writing to a text does not fail.
    let _ = write!(
        data,
        "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
        a[0], a[1], b[0], b[1], c[0], c[1]
    );
}

/// The borders of faces that are visible from above.
pub(super) fn walls(scene: &Scene, x: &Axis, y: &Axis) -> Path {
    let mut data = String::new();
    for [a, b] in outlines(scene) {
        if is_in_view(&[a, b], x, y) {
            let _ = write!(
                data,
                "M{:.1} {:.1}L{:.1} {:.1}",
                x.at(a.x),
                y.at(a.y),
                x.at(b.x),
                y.at(b.y)
            );
        }
    }
    Path::new()
        .set("d", data)
        .set("fill", "none")
        .set("stroke", WALL)
        .set("stroke-width", 1.1)
        .set("stroke-linecap", "round")
}

fn is_in_view(points: &[DVec3], x: &Axis, y: &Axis) -> bool {
    let reaches = |axis: &Axis, value: fn(&DVec3) -> f64| {
        points.iter().any(|p| value(p) >= axis.values[0])
            && points.iter().any(|p| value(p) <= axis.values[1])
    };
    reaches(x, |p| p.x) && reaches(y, |p| p.y)
}

/// A bar of a round length, below the frame on the right.
pub(super) fn scale_bar(x: &Axis, y: &Axis) -> Group {
    let metres_per_px = (x.values[1] - x.values[0]) / (x.page[1] - x.page[0]);
    let length = round_step(70.0 * metres_per_px);
    let (right, at) = (x.page[1], y.page[0] + 42.0);
    let left = right - length / metres_per_px;
    let unit = format!("{} m", label(length));
    Group::new()
        .add(line([left, at], [right, at], INK, 2.0))
        .add(line([left, at - 4.0], [left, at + 4.0], INK, 2.0))
        .add(line([right, at - 4.0], [right, at + 4.0], INK, 2.0))
        .add(text([left - 8.0, at + 4.0], &unit, 12.0, "end"))
}

/// An arrow to the north: y on every map.
pub(super) fn north_arrow([x, y]: [f64; 2]) -> Group {
    let head = |side: f64, fill: &str| {
        let points = format!(
            "{},{} {},{} {},{}",
            px(x),
            px(y),
            px(x + side),
            px(y + 20.0),
            px(x),
            px(y + 15.0)
        );
        Polygon::new()
            .set("points", points)
            .set("fill", fill)
            .set("stroke", INK)
            .set("stroke-width", 1)
            .set("stroke-linejoin", "round")
    };
    Group::new()
        .add(head(-6.0, INK))
        .add(head(6.0, "white"))
        .add(text([x, y - 5.0], "N", 12.0, "middle"))
}

/// The height of an entry of a legend.
pub(super) const ENTRY: f64 = 20.0;

/// An entry of a legend: a patch of a colour or pattern, and its meaning.
pub(super) fn entry([left, top]: [f64; 2], fill: &str, meaning: &str) -> Group {
    let patch = Rectangle::new()
        .set("x", px(left))
        .set("y", px(top - 6.0))
        .set("width", 14)
        .set("height", 12)
        .set("fill", fill)
        .set("stroke", QUIET)
        .set("stroke-width", 0.7);
    Group::new()
        .add(patch)
        .add(text([left + 22.0, top + 4.0], meaning, 12.0, "start"))
}
