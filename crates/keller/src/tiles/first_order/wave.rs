//! The waves that leave openings: which points they may reach, and from where.

use glam::DVec3;

use super::hidden::{Shape, Wall};
use crate::geometry::Plane;

/// Points within this distance of the border of a wave count as inside, metres. It exceeds the distance of points from
/// their planes and edges.
const SLACK: f64 = 1e-3;

/// A wall stands in front of a plane if no corner lies deeper than this under the plane, metres.
const UNDER: f64 = 1e-5;

/// A wave after one interaction.
#[derive(Debug, Clone)]
pub(super) enum Wave {
    Mirrored(Mirrored),
    DiffractedWave(DiffractedWave),
}

/// A reflected wave, which seems to come from an image through a part of the plane.
#[derive(Debug, Clone)]
pub(super) struct Mirrored {
    image: DVec3,
    /// Its normal points to where the wave goes.
    plane: Plane,
    /// Unit normals, inwards, of the planes through the image and the sides of the part.
    sides: [DVec3; 4],
}

/// The wave that an edge diffracts onto its Keller cones.
#[derive(Debug, Clone)]
pub(super) struct DiffractedWave {
    start: DVec3,
    along: DVec3,
    /// Normals of its faces, on their open sides.
    outwards: [DVec3; 2],
    /// Start and end of the illuminated part, metres along the edge.
    interval: [f64; 2],
    /// The point that illuminates the edge: its position along the edge and its distance from the edge's line, metres.
    source: [f64; 2],
}

impl Mirrored {
    /// The reflected wave from `tx` at a plane whose illuminated part lies between two corners, in coordinates of
    /// [`Plane::axes`]. `None` if `tx` lies in the plane.
    pub(super) fn new(tx: DVec3, plane: &Plane, [low, high]: [[f64; 2]; 2]) -> Option<Self> {
        let height = plane.distance(tx);
        if height == 0.0 {
            return None;
        }
        let sign = height.signum();
        let image = plane.mirror(tx);
        let (u, v) = plane.axes();
        let on_plane = plane.offset * plane.normal;
        let ([left, bottom], [right, top]) = (low.map(|x| x - SLACK), high.map(|x| x + SLACK));
        let corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
            .map(|(x, y)| on_plane + x * u + y * v - image);
        let centre: DVec3 = corners.iter().sum();
        let sides = std::array::from_fn(|k| {
            let across = corners[k].cross(corners[(k + 1) % 4]).normalize_or_zero();
            if across.dot(centre) < 0.0 {
                -across
            } else {
                across
            }
        });
        Some(Self {
            image,
            plane: Plane {
                normal: sign * plane.normal,
                offset: sign * plane.offset,
            },
            sides,
        })
    }
}

impl DiffractedWave {
    /// The diffracted wave from `tx` at a line whose part `interval` is illuminated. `None` if `tx` lies on the line.
    pub(super) fn new(
        tx: DVec3,
        [start, along]: [DVec3; 2],
        outwards: [DVec3; 2],
        [low, high]: [f64; 2],
    ) -> Option<Self> {
        let z = along.dot(tx - start);
        let away = (tx - start - z * along).length();
        (away > 0.0).then_some(Self {
            start,
            along,
            outwards,
            interval: [low - SLACK, high + SLACK],
            source: [z, away],
        })
    }

    /// The part of the edge where the paths to a shape diffract.
    fn met(&self, shape: &Shape) -> Option<[f64; 2]> {
        // The diffraction point moves along the edge with the target. As the target moves away from the edge's line, it
        // moves towards the position of the source along the edge.
        let [z, away] = self.source;
        let meets = |along: f64, distance: f64| (z * distance + along * away) / (distance + away);
        let coordinates = |point: DVec3| {
            let way = point - self.start;
            let along = way.dot(self.along);
            (along, (way - along * self.along).length())
        };
        let [from, to] = match shape {
            Shape::Point(at) => {
                let (along, distance) = coordinates(*at);
                [meets(along, distance); 2]
            }
            Shape::Box { centre, half } => {
                let (along, far) = coordinates(*centre);
                let (reach, around) = (self.along.abs().dot(*half), half.length());
                let distance = [(far - around).max(0.0), far + around];
                let [low, high] = [along - reach, along + reach];
                let [from, to] = [low, high].map(|along| distance.map(|b| meets(along, b)));
                [from[0].min(from[1]), to[0].max(to[1])]
            }
            Shape::Hull(_) => unreachable!("waves come to points and boxes"),
        };
        let (from, to) = (from.max(self.interval[0]), to.min(self.interval[1]));
        (from <= to).then_some([from, to])
    }
}

impl Wave {
    /// The two points between which the wave leaves for a shape; for a reflected wave, both are the image. `None` if
    /// the wave certainly reaches nothing of the shape.
    pub(super) fn leaves_from(&self, shape: &Shape) -> Option<[DVec3; 2]> {
        match self {
            Self::Mirrored(wave) => {
                let on_plane = wave.plane.offset * wave.plane.normal;
                let is_before = shape.range(wave.plane.normal, on_plane)[1] > 0.0;
                let is_inside = |side: &DVec3| shape.range(*side, wave.image)[1] >= -SLACK;
                (is_before && wave.sides.iter().all(is_inside)).then_some([wave.image; 2])
            }
            Self::DiffractedWave(wave) => {
                let is_open = |outward: &DVec3| shape.range(*outward, wave.start)[1] >= -SLACK;
                if !wave.outwards.iter().any(is_open) {
                    return None;
                }
                let at = |t: f64| wave.start + t * wave.along;
                wave.met(shape).map(|met| met.map(at))
            }
        }
    }

    /// The start of a ray to a point that finds obstacles in the way of the wave.
    pub(super) fn ray_start(&self, from: &[DVec3; 2], to: DVec3) -> Option<DVec3> {
        match self {
            Self::Mirrored(wave) => {
                (wave.plane.distance(to) > 0.0).then(|| wave.plane.between(wave.image, to))
            }
            Self::DiffractedWave(_) => Some(0.5 * (from[0] + from[1])),
        }
    }

    /// Whether all of a wall is on the side to which the wave goes.
    pub(super) fn is_before(&self, wall: &Wall) -> bool {
        match self {
            Self::Mirrored(wave) => {
                let is_before = |corner: &DVec3| wave.plane.distance(*corner) >= -UNDER;
                wall.corners.iter().all(is_before)
            }
            Self::DiffractedWave(_) => true,
        }
    }
}
