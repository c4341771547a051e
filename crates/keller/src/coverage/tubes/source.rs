//! Where the rays of a bundle come from, seen in its mirrors: a point, or an edge with a Keller cone on every point of it.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::cells::{Cell, Corner, OnCube, on_cube};
use crate::geometry::Plane;
use crate::scene::{Edge, EdgeId};

/// Cells of edges are not stretched more often than this.
const MOST_STRETCH: f64 = 8.0;

/// The transmitter, or the edge that waves come from.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::large_enum_variant,
    reason = "one a bundle, and bundles are few"
)]
pub(super) enum Source {
    Point(Image),
    Edge(EdgeImage),
}

/// The transmitter, seen in the mirrors of a sequence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Image {
    pub(super) position: DVec3,
    /// From directions of the transmitter to those of the image.
    pub(super) turn: DMat3,
}

/// An edge that a wave from an image meets, seen in the mirrors behind it.
///
/// Its cells are those of one face of the cube: along it lies the edge, across it the angle around.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeImage {
    pub(super) edge: EdgeId,
    /// The image that the wave comes from, before the mirrors behind the edge.
    pub(super) from: Image,
    /// As it is, without those mirrors.
    unfolded: [DVec3; 4],
    /// The edge's first end.
    start: DVec3,
    /// Into its first face, out of that, and along the edge, as columns.
    axes: DMat3,
    length: f64,
    /// So many times the edge its cells reach along it: cells are to be as wide along the edge as around it, where they shine.
    stretch: f64,
    open: f64,
    /// Where the image lies that the wave comes from: along the edge, and away from its line, metres.
    image: [f64; 2],
}

/// A ray; what is measured along it is in units of the direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
}

/// A point as a source sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub(super) on: OnCube,
    /// Where the ray to it comes from.
    pub(super) origin: DVec3,
    /// Length of the path before that, metres.
    pub(super) behind: f64,
    /// How far along an edge it comes from, metres, and at which angle around it, radians.
    pub(super) place: [f64; 2],
}

impl Line {
    /// Where it meets a plane.
    pub(super) fn meets(&self, plane: &Plane) -> f64 {
        -plane.distance(self.origin) / plane.normal.dot(self.direction)
    }

    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }
}

impl Source {
    /// The ray of a corner of a cell.
    pub(super) fn ray(&self, corner: Corner) -> Line {
        match self {
            Self::Point(image) => image.line(corner.direction()),
            Self::Edge(edge) => edge.ray(edge.place(corner)),
        }
    }

    /// The image of the transmitter; that of an edge is the one before it.
    pub(super) fn position(&self) -> DVec3 {
        match self {
            Self::Point(image) => image.position,
            Self::Edge(edge) => edge.from.position,
        }
    }

    pub(super) fn locate(&self, point: DVec3) -> Located {
        match self {
            Self::Point(image) => Located {
                on: on_cube(image.turn.transpose() * (point - image.position)),
                origin: image.position,
                behind: 0.0,
                place: [0.0; 2],
            },
            Self::Edge(edge) => edge.locate(point),
        }
    }

    /// Seen in one more mirror.
    pub(super) fn mirrored(self, plane: &Plane) -> Self {
        let n = plane.normal;
        let mirror = DMat3::IDENTITY - 2.0 * DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        match self {
            Self::Point(image) => Self::Point(Image {
                position: plane.mirror(image.position),
                turn: mirror * image.turn,
            }),
            Self::Edge(edge) => Self::Edge(EdgeImage {
                start: plane.mirror(edge.start),
                axes: mirror * edge.axes,
                ..edge
            }),
        }
    }

    /// How wide a cell is so far along its middle ray, metres.
    pub(super) fn width(&self, cell: Cell, distance: f64) -> f64 {
        match self {
            Self::Point(_) => cell.width() * distance,
            Self::Edge(edge) => {
                let [middle, ..] = cell.corners();
                let [s, _] = edge.place(middle);
                let behind = edge.behind(s);
                let along = 0.5 * cell.width() * edge.extent() * (behind + distance) / behind;
                let around = 0.5 * cell.width() * edge.open * distance * edge.image[1] / behind;
                along.max(around)
            }
        }
    }

    /// How far the border of a cell may lie off the straight lines between its corners, metres.
    pub(super) fn sag(&self, cell: Cell, distance: f64) -> f64 {
        match self {
            Self::Point(_) => 0.0,
            Self::Edge(edge) => {
                let angle = 0.5 * cell.width() * edge.open;
                // A chord lies so far inside its arc; the same again for the hyperbolas along the edge.
                2.0 * distance * (1.0 - (0.5 * angle.min(2.0)).cos())
                    + 0.25 * self.width(cell, distance)
            }
        }
    }
}

impl Image {
    /// The ray that leaves the transmitter in a direction.
    pub(super) fn line(&self, departure: DVec3) -> Line {
        Line {
            origin: self.position,
            direction: self.turn * departure,
        }
    }
}

/// The ends of an edge, from that at which its image begins: its axes are right-handed, whichever end comes first.
pub(super) fn oriented(edge: &Edge) -> [DVec3; 2] {
    let [a, b] = edge.ends;
    if edge.along().dot(edge.inward.cross(edge.outward)) > 0.0 {
        [a, b]
    } else {
        [b, a]
    }
}

impl EdgeImage {
    /// Of a wave from an image that meets a stretch of an edge, metres from where it begins.
    pub(super) fn new(id: EdgeId, edge: &Edge, [low, high]: [f64; 2], from: Image) -> Self {
        let along = edge.inward.cross(edge.outward);
        let start = oriented(edge)[0] + low * along;
        let axes = DMat3::from_cols(edge.inward, edge.outward, along);
        let local = axes.transpose() * (from.position - start);
        Self {
            edge: id,
            from,
            unfolded: [edge.inward, edge.outward, along, start],
            start,
            axes,
            length: high - low,
            stretch: 1.0,
            open: edge.exterior_angle,
            image: [local.z, local.x.hypot(local.y)],
        }
    }

    pub(super) fn start(&self) -> DVec3 {
        self.start
    }

    pub(super) fn along(&self) -> DVec3 {
        self.axes.z_axis
    }

    /// How far the image lies from the edge's line, metres.
    pub(super) fn away(&self) -> f64 {
        self.image[1]
    }

    /// The same with cells that are as wide along the edge as around it, so far behind it, metres; and how often they are stretched.
    pub(super) fn stretched(self, ahead: f64) -> (Self, u32) {
        let behind = self.behind(0.5 * self.length);
        let along = self.length * (behind + ahead) / behind;
        let around = self.open * ahead * self.image[1] / behind;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number"
        )]
        let times = (around / along).log2().round().clamp(0.0, MOST_STRETCH) as u32;
        let stretch = f64::from(1_u32 << times);
        (Self { stretch, ..self }, times)
    }

    /// The length that the cells cover.
    fn extent(&self) -> f64 {
        self.stretch * self.length
    }

    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// The way from the image to the edge at `s`, metres.
    pub(super) fn behind(&self, s: f64) -> f64 {
        let along = s - self.image[0];
        (along * along + self.image[1] * self.image[1]).sqrt()
    }

    /// How far along the edge, and at which angle around it, a corner lies.
    pub(super) fn place(&self, corner: Corner) -> [f64; 2] {
        let [x, y] = corner.at();
        [0.5 * (x + 1.0) * self.extent(), 0.5 * (y + 1.0) * self.open]
    }

    /// The direction in which a ray to a point of the edge left the transmitter.
    pub(super) fn departure(&self, point: DVec3) -> DVec3 {
        (self.from.turn.transpose() * (point - self.from.position)).normalize()
    }

    /// The same for the point so far along the edge.
    pub(super) fn departure_to(&self, s: f64) -> DVec3 {
        let [_, _, along, start] = self.unfolded;
        self.departure(start + s * along)
    }

    /// The ray of a place as it leaves the edge, before the mirrors.
    pub(super) fn unfolded_ray(&self, place: [f64; 2]) -> Line {
        let [x, y, z, start] = self.unfolded;
        let axes = DMat3::from_cols(x, y, z);
        Self {
            start,
            axes,
            ..*self
        }
        .ray(place)
    }

    fn ray(&self, [s, phi]: [f64; 2]) -> Line {
        let (sin, cos) = phi.sin_cos();
        let [z, rho] = self.image;
        let local = DVec3::new(rho * cos, rho * sin, s - z) / self.behind(s);
        Line {
            origin: self.start + s * self.axes.z_axis,
            direction: self.axes * local,
        }
    }

    fn locate(&self, point: DVec3) -> Located {
        let local = self.axes.transpose() * (point - self.start);
        let [z, rho] = self.image;
        let away = (local.x * local.x + local.y * local.y).sqrt();
        let s = (z * away + local.z * rho) / (away + rho);
        let phi = local.y.atan2(local.x).rem_euclid(TAU);
        // Its own first end is on the edge, and so is the other.
        let along = if s <= self.length {
            2.0 * s / self.extent() - 1.0
        } else {
            f64::INFINITY
        };
        let at = [along, 2.0 * phi / self.open - 1.0];
        Located {
            on: OnCube::on_first(at),
            origin: self.start + s * self.axes.z_axis,
            behind: self.behind(s),
            place: [s, phi],
        }
    }
}
