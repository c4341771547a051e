//! The points from which the rays of a bundle seem to come: an image of the Tx, or the image of a diffracting edge.
//!
//! Reflections do not bend tubes in this view. Behind a sequence of reflecting planes, every ray is a straight line
//! from the mirrored Tx in a mirrored direction. A diffracting edge sends a Keller cone from each of its points. Its
//! cells of directions are those of one face of the cube: one axis is the position along the edge, the other the angle
//! around it.
//!
//! # Source
//! J. B. Keller, "Geometrical theory of diffraction", J. Opt. Soc. Am. 52(2), 1962, doi:10.1364/JOSA.52.000116. Theory
//! page: `tubes`.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};

use super::direction_cells::{CubePoint, DirectionCell, DirectionCorner, cube_point};
use crate::geometry::Plane;
use crate::scene::{Edge, EdgeId};

/// The cells of an edge are stretched along it by at most two to the power of this.
const MAX_STRETCH: f64 = 8.0;

/// The Tx or a diffracting edge, mirrored.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::large_enum_variant,
    reason = "one a bundle, and bundles are few"
)]
pub(super) enum VirtualSource {
    Point(TxImage),
    Edge(EdgeImage),
}

/// The Tx, mirrored at the reflecting planes of a bundle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TxImage {
    pub(super) position: DVec3,
    /// Turns directions at the Tx into directions at the image.
    pub(super) turn: DMat3,
}

/// A stretch of an edge that a wave from an image of the Tx meets, mirrored at the reflecting planes behind the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeImage {
    pub(super) edge: EdgeId,
    /// The image of the Tx that the wave comes from.
    pub(super) from: TxImage,
    /// The axes and the start of the edge itself, not mirrored.
    unfolded: [DVec3; 4],
    /// Where the stretch begins, mirrored.
    start: DVec3,
    /// As columns: into the first face, out of that face, and along the edge, mirrored.
    axes: DMat3,
    length: f64,
    /// The length that the cells cover, in lengths of the stretch. It makes a cell as wide along the edge as around it
    /// at a typical distance.
    stretch: f64,
    open: f64,
    /// Cylindrical coordinates of the image of the Tx: along the edge, and away from its line, metres.
    image: [f64; 2],
}

/// A ray in double precision. Distances along it are in units of its direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct TubeRay {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
}

/// A point, located from a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocatedPoint {
    pub(super) on: CubePoint,
    /// The start of the ray to the point, on the source.
    pub(super) origin: DVec3,
    /// The length of the path before that, metres; 0 for an image of the Tx.
    pub(super) behind: f64,
    /// For an edge: the distance along it, metres, and the angle around it, radians.
    pub(super) place: [f64; 2],
}

impl TubeRay {
    /// Where it meets a plane.
    pub(super) fn meets(&self, plane: &Plane) -> f64 {
        -plane.distance(self.origin) / plane.normal.dot(self.direction)
    }

    pub(super) fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }
}

impl VirtualSource {
    /// The ray of a corner of a cell.
    pub(super) fn ray(&self, corner: DirectionCorner) -> TubeRay {
        match self {
            Self::Point(image) => image.line(corner.direction()),
            Self::Edge(edge) => edge.ray(edge.place(corner)),
        }
    }

    /// The position of the image of the Tx; for an edge, of the image before the edge.
    pub(super) fn position(&self) -> DVec3 {
        match self {
            Self::Point(image) => image.position,
            Self::Edge(edge) => edge.from.position,
        }
    }

    pub(super) fn locate(&self, point: DVec3) -> LocatedPoint {
        match self {
            Self::Point(image) => LocatedPoint {
                on: cube_point(image.turn.transpose() * (point - image.position)),
                origin: image.position,
                behind: 0.0,
                place: [0.0; 2],
            },
            Self::Edge(edge) => edge.locate(point),
        }
    }

    /// Mirrored at one more plane.
    pub(super) fn mirrored(self, plane: &Plane) -> Self {
        let n = plane.normal;
        let mirror = DMat3::IDENTITY - 2.0 * DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        match self {
            Self::Point(image) => Self::Point(TxImage {
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

    /// The width of a cell at a distance along its centre ray, metres.
    pub(super) fn width(&self, cell: DirectionCell, distance: f64) -> f64 {
        match self {
            Self::Point(_) => cell.width() * distance,
            Self::Edge(edge) => {
                let [centre, ..] = cell.corners();
                let [s, _] = edge.place(centre);
                let behind = edge.behind(s);
                let along = 0.5 * cell.width() * edge.extent() * (behind + distance) / behind;
                let around = 0.5 * cell.width() * edge.open * distance * edge.image[1] / behind;
                along.max(around)
            }
        }
    }

    /// How far the border of a cell may bulge beyond straight lines between its corner rays, metres.
    pub(super) fn sag(&self, cell: DirectionCell, distance: f64) -> f64 {
        match self {
            Self::Point(_) => 0.0,
            Self::Edge(edge) => {
                let angle = 0.5 * cell.width() * edge.open;
                // Distance of a chord from its arc. The same is added for the hyperbolas along the edge.
                2.0 * distance * (1.0 - (0.5 * angle.min(2.0)).cos())
                    + 0.25 * self.width(cell, distance)
            }
        }
    }
}

impl TxImage {
    /// The ray that leaves the Tx in a direction.
    pub(super) fn line(&self, departure: DVec3) -> TubeRay {
        TubeRay {
            origin: self.position,
            direction: self.turn * departure,
        }
    }
}

/// The ends of an edge, in the order that makes the axes of its image right-handed.
pub(super) fn oriented(edge: &Edge) -> [DVec3; 2] {
    let [a, b] = edge.ends;
    if edge.along().dot(edge.inward.cross(edge.outward)) > 0.0 {
        [a, b]
    } else {
        [b, a]
    }
}

impl EdgeImage {
    /// The stretch from `low` to `high`, metres from the first of the [`oriented`] ends, illuminated by an image of the
    /// Tx.
    pub(super) fn new(id: EdgeId, edge: &Edge, [low, high]: [f64; 2], from: TxImage) -> Self {
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

    /// The distance of the image of the Tx from the line of the edge, metres.
    pub(super) fn away(&self) -> f64 {
        self.image[1]
    }

    /// Stretches the cells so that they are as wide along the edge as around it at a distance behind the edge, metres.
    /// Returns how often they are doubled.
    pub(super) fn stretched(self, ahead: f64) -> (Self, u32) {
        let behind = self.behind(0.5 * self.length);
        let along = self.length * (behind + ahead) / behind;
        let around = self.open * ahead * self.image[1] / behind;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number"
        )]
        let times = (around / along).log2().round().clamp(0.0, MAX_STRETCH) as u32;
        let stretch = f64::from(1_u32 << times);
        (Self { stretch, ..self }, times)
    }

    /// The angle that is open around it, radians.
    pub(super) fn open(&self) -> f64 {
        self.open
    }

    /// The length that the cells cover.
    fn extent(&self) -> f64 {
        self.stretch * self.length
    }

    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// The distance from the image of the Tx to the point of the edge at `s`, metres.
    pub(super) fn behind(&self, s: f64) -> f64 {
        let along = s - self.image[0];
        (along * along + self.image[1] * self.image[1]).sqrt()
    }

    /// The distance along the edge, metres, and the angle around it, radians, of a corner.
    pub(super) fn place(&self, corner: DirectionCorner) -> [f64; 2] {
        let [x, y] = corner.at();
        [0.5 * (x + 1.0) * self.extent(), 0.5 * (y + 1.0) * self.open]
    }

    /// The unit vector in which the ray to a point of the edge, not mirrored, leaves the Tx.
    pub(super) fn departure(&self, point: DVec3) -> DVec3 {
        (self.from.turn.transpose() * (point - self.from.position)).normalize()
    }

    /// [`Self::departure`] to the point at `s`.
    pub(super) fn departure_to(&self, s: f64) -> DVec3 {
        let [_, _, along, start] = self.unfolded;
        self.departure(start + s * along)
    }

    /// The ray of a place as it leaves the edge itself, not mirrored.
    pub(super) fn unfolded_ray(&self, place: [f64; 2]) -> TubeRay {
        self.unfolded().ray(place)
    }

    /// The edge itself, not mirrored, illuminated by the same image of the Tx.
    pub(super) fn unfolded(&self) -> Self {
        let [x, y, z, start] = self.unfolded;
        let axes = DMat3::from_cols(x, y, z);
        Self {
            start,
            axes,
            ..*self
        }
    }

    fn ray(&self, [s, phi]: [f64; 2]) -> TubeRay {
        let (sin, cos) = phi.sin_cos();
        let [z, rho] = self.image;
        let local = DVec3::new(rho * cos, rho * sin, s - z) / self.behind(s);
        TubeRay {
            origin: self.start + s * self.axes.z_axis,
            direction: self.axes * local,
        }
    }

    fn locate(&self, point: DVec3) -> LocatedPoint {
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
        LocatedPoint {
            on: CubePoint::on_first(at),
            origin: self.start + s * self.axes.z_axis,
            behind: self.behind(s),
            place: [s, phi],
        }
    }
}
