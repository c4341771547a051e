//! The waves that leave openings: where they may come to, and from where.

use glam::DVec3;

use super::hidden::{Shape, Wall};
use crate::geometry::Plane;

/// What is nearer than this to the border of a wave is in it, metres: more than points are off their planes and edges.
const SLACK: f64 = 1e-3;

/// A wall whose corners lie no deeper than this under a plane stands before it, metres.
const UNDER: f64 = 1e-5;

/// A wave behind one interaction.
#[derive(Debug, Clone)]
pub(super) enum Wave {
    Mirrored(Mirrored),
    Bent(Bent),
}

/// What seems to come from an image, through a part of the plane.
#[derive(Debug, Clone)]
pub(super) struct Mirrored {
    image: DVec3,
    /// With the normal turned to where the wave goes.
    plane: Plane,
    /// Unit normals, inwards, of the planes through the image and the sides of the part.
    sides: [DVec3; 4],
}

/// What an edge sends onto its Keller cones.
#[derive(Debug, Clone)]
pub(super) struct Bent {
    start: DVec3,
    along: DVec3,
    /// Normals of its faces, on their open sides.
    outwards: [DVec3; 2],
    /// From where to where it is lit, metres.
    interval: [f64; 2],
    /// Of the point that it is lit from: how far along it, and how far from its line, metres.
    source: [f64; 2],
}

impl Mirrored {
    /// From `tx` at a plane whose lit part lies between two corners in coordinates of [`Plane::axes`]; none if `tx`
    /// lies in the plane.
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

impl Bent {
    /// From `tx` at a line, of which the part `interval` is lit; none if `tx` lies on the line.
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

    /// From where to where the edge is met on the ways to a shape.
    fn met(&self, shape: &Shape) -> Option<[f64; 2]> {
        // Grows along the edge with the target, and away from it towards the source or from it.
        let [z, away] = self.source;
        let meets = |along: f64, beside: f64| (z * beside + along * away) / (beside + away);
        let beside = |point: DVec3| {
            let way = point - self.start;
            let along = way.dot(self.along);
            (along, (way - along * self.along).length())
        };
        let [from, to] = match shape {
            Shape::Point(at) => {
                let (along, beside) = beside(*at);
                [meets(along, beside); 2]
            }
            Shape::Box { centre, half } => {
                let (along, far) = beside(*centre);
                let (reach, around) = (self.along.abs().dot(*half), half.length());
                let beside = [(far - around).max(0.0), far + around];
                let [low, high] = [along - reach, along + reach];
                let [from, to] = [low, high].map(|along| beside.map(|b| meets(along, b)));
                [from[0].min(from[1]), to[0].max(to[1])]
            }
            Shape::Hull(_) => unreachable!("waves come to points and boxes"),
        };
        let (from, to) = (from.max(self.interval[0]), to.min(self.interval[1]));
        (from <= to).then_some([from, to])
    }
}

impl Wave {
    /// The two points between which it leaves for a shape, the image alone of a mirrored wave; none if it surely comes
    /// to nothing of it.
    pub(super) fn leaves_from(&self, shape: &Shape) -> Option<[DVec3; 2]> {
        match self {
            Self::Mirrored(wave) => {
                let on_plane = wave.plane.offset * wave.plane.normal;
                let is_before = shape.range(wave.plane.normal, on_plane)[1] > 0.0;
                let is_inside = |side: &DVec3| shape.range(*side, wave.image)[1] >= -SLACK;
                (is_before && wave.sides.iter().all(is_inside)).then_some([wave.image; 2])
            }
            Self::Bent(wave) => {
                let is_open = |outward: &DVec3| shape.range(*outward, wave.start)[1] >= -SLACK;
                if !wave.outwards.iter().any(is_open) {
                    return None;
                }
                let at = |t: f64| wave.start + t * wave.along;
                wave.met(shape).map(|met| met.map(at))
            }
        }
    }

    /// Where a ray to a point starts that shall find what is in the wave's way.
    pub(super) fn ray_start(&self, from: &[DVec3; 2], to: DVec3) -> Option<DVec3> {
        match self {
            Self::Mirrored(wave) => {
                (wave.plane.distance(to) > 0.0).then(|| wave.plane.between(wave.image, to))
            }
            Self::Bent(_) => Some(0.5 * (from[0] + from[1])),
        }
    }

    /// Whether all of a wall is where the wave goes, and not behind it.
    pub(super) fn is_before(&self, wall: &Wall) -> bool {
        match self {
            Self::Mirrored(wave) => {
                let is_before = |corner: &DVec3| wave.plane.distance(*corner) >= -UNDER;
                wall.corners.iter().all(is_before)
            }
            Self::Bent(_) => true,
        }
    }
}
