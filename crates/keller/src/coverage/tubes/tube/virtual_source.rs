//! The points from which the rays of a bundle seem to come: an image of the Tx, or the image of a diffracting edge.
//!
//! Reflections do not change the direction of tubes in this view. Behind a sequence of reflecting planes, every ray is
//! a straight line from the image of the Tx in the image of its direction. Edges are described in `edge_image`.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::direction_cells::{CubePoint, DirectionCell, DirectionCorner, cube_point};
use super::edge_image::{EdgeImage, EdgeLight};
use super::tube_ray::{LocatedPoint, TubeRay};
use super::tx_image::TxImage;
use crate::geometry::Plane;

/// The image of the Tx or of a diffracting edge.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "one a bundle, and bundles are few"
)]
pub(in crate::coverage::tubes) enum VirtualSource {
    Point(TxImage),
    Edge(EdgeImage),
}

impl VirtualSource {
    /// The source as that which illuminates an edge.
    pub(in crate::coverage::tubes) fn light(&self) -> EdgeLight {
        match self {
            Self::Point(image) => EdgeLight::Tx(*image),
            Self::Edge(edge) => EdgeLight::Edge(Arc::new(edge.clone())),
        }
    }

    /// The ray of a corner of a cell.
    pub(in crate::coverage::tubes) fn ray(&self, corner: DirectionCorner) -> TubeRay {
        match self {
            Self::Point(image) => image.line(corner.direction()),
            Self::Edge(edge) => edge.ray(edge.place(corner)),
        }
    }

    pub(in crate::coverage::tubes) fn locate(&self, point: DVec3) -> LocatedPoint {
        match self {
            Self::Point(image) => LocatedPoint {
                on: cube_point(image.turn.transpose() * (point - image.position)),
                origin: image.position,
                behind: 0.0,
                sin_beta: 1.0,
                place: [0.0; 2],
            },
            Self::Edge(edge) => edge.locate(point),
        }
    }

    /// A direction very close to that of a point on the border of a tube. There the path may lead into an edge that two
    /// walls share, where rounding may make both orders of its reflections leave the path to the other one, or both
    /// claim it. All orders ask for the same direction, which no edge has.
    pub(in crate::coverage::tubes) fn just_off(
        &self,
        located: &LocatedPoint,
        point: DVec3,
    ) -> CubePoint {
        const OFFSET: DVec3 = DVec3::new(5.7e-7, -3.1e-7, 7.6e-7);
        match self {
            Self::Point(image) => {
                let departure = image.turn.transpose() * (point - image.position);
                cube_point(departure + departure.length() * OFFSET)
            }
            Self::Edge(_) => located.on,
        }
    }

    /// [`Self::locate`] for points that may lie in a cell; `None` for others.
    pub(in crate::coverage::tubes) fn locate_near(
        &self,
        cell: DirectionCell,
    ) -> impl Fn(DVec3) -> Option<LocatedPoint> + '_ {
        let near_edge = match self {
            Self::Point(_) => None,
            Self::Edge(edge) => Some(edge.locate_near(cell)),
        };
        move |point| match &near_edge {
            Some(locate) => locate(point),
            None => Some(self.locate(point)),
        }
    }

    /// Mirrored at one more plane.
    pub(in crate::coverage::tubes) fn mirrored(self, plane: &Plane) -> Self {
        let n = plane.normal;
        let mirror = DMat3::IDENTITY - 2.0 * DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        match self {
            Self::Point(image) => Self::Point(TxImage {
                position: plane.mirror(image.position),
                turn: mirror * image.turn,
            }),
            Self::Edge(edge) => Self::Edge(edge.mirrored(plane, mirror)),
        }
    }

    /// The width of a cell at a distance along its centre ray, metres.
    pub(in crate::coverage::tubes) fn width(&self, cell: DirectionCell, distance: f64) -> f64 {
        match self {
            Self::Point(_) => cell.width() * distance,
            Self::Edge(edge) => edge.width(cell, distance),
        }
    }

    /// The distance by which the border of a cell may bulge beyond straight lines between its corner rays, metres.
    pub(in crate::coverage::tubes) fn sag(&self, cell: DirectionCell, distance: f64) -> f64 {
        match self {
            Self::Point(_) => 0.0,
            Self::Edge(edge) => edge.sag(cell, distance),
        }
    }
}
