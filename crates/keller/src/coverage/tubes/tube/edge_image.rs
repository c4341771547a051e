//! A stretch of a diffracting edge as tubes see it: its image by the reflecting planes behind it, illuminated by the Tx
//! or by an edge before it.
//!
//! An edge sends a Keller cone from each of its points. Its cells of directions are those of one face of the cube: one
//! axis is the position along the edge, the other the angle around it. The cell of a point follows from the place on
//! the edge where the path to that point is shortest. If the Tx illuminates the edge, this place has a closed form. If
//! another edge does, it is found by Newton's method: the wave arrives at a place as from a point at the distance of
//! its centre of curvature, for which the closed form holds.
//!
//! Cost: a few operations for an edge that the Tx lights; three times as much for each further edge.
//!
//! # Source
//! J. B. Keller, "Geometrical theory of diffraction", J. Opt. Soc. Am. 52(2), 1962, doi:10.1364/JOSA.52.000116. Theory
//! page: `tubes`.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::direction_cells::{CubePoint, DirectionCell, DirectionCorner};
use super::tube_ray::{LocatedPoint, TubeRay};
use super::tx_image::TxImage;
use crate::geometry::Plane;
use crate::scene::{Edge, EdgeId};

/// The cells of an edge are stretched along it by at most two to the power of this.
const MAX_STRETCH: f64 = 8.0;

/// Points this close to a face of the edge lie on the face, radians.
const ON_FACE: f64 = 1e-9;

/// A place of an edge this close to the edge that lights it lies at their common corner, in lengths of the stretch.
const AT_CORNER: f64 = 1e-4;

/// A stretch of an edge that a wave meets: its image by the reflecting planes behind the edge.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::coverage::tubes) struct EdgeImage {
    pub(in crate::coverage::tubes) edge: EdgeId,
    light: EdgeLight,
    /// The axes and the start of the edge itself, not of the image.
    unfolded: [DVec3; 4],
    /// The start of the image of the stretch.
    start: DVec3,
    /// The axes of the image as columns: into the first face, out of that face, and along the edge.
    axes: DMat3,
    length: f64,
    /// The length that the cells cover, in lengths of the stretch. It makes a cell as wide along the edge as around it
    /// at a typical distance.
    stretch: f64,
    open: f64,
    /// Cylindrical coordinates of the image of the Tx that lights it: along the edge, and away from its line, metres.
    image: [f64; 2],
}

/// The source of the wave that meets an edge.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::coverage::tubes) enum EdgeLight {
    Tx(TxImage),
    Edge(Arc<EdgeImage>),
}

/// The arrival of the wave at a point of an edge.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct Arrival {
    /// The length of the path before the edge, metres.
    pub(in crate::coverage::tubes) behind: f64,
    /// The cosine of the angle between the ray and the edge.
    cos_beta: f64,
    pub(in crate::coverage::tubes) sin_beta: f64,
    /// The growth of `cos_beta` along the edge, 1/metre.
    growth: f64,
    /// Whether no wave comes this way, because the path misses an edge before, or leads over the corner where two edges
    /// meet and not around both of them.
    is_missing: bool,
}

impl Arrival {
    /// The arrival of a wave that runs along the edge, and is not diffracted there.
    const ALONG_EDGE: Self = Self {
        behind: 1.0,
        cos_beta: 1.0,
        sin_beta: 0.0,
        growth: 0.0,
        is_missing: false,
    };

    /// The distance of the point from which rays to neighbouring points of the edge seem to come, metres.
    fn radius(&self) -> f64 {
        self.sin_beta * self.sin_beta / self.growth.max(f64::MIN_POSITIVE)
    }
}

impl EdgeLight {
    /// The source that illuminates the edge which this is; the Tx itself if it is none.
    pub(in crate::coverage::tubes) fn before(&self) -> &Self {
        match self {
            Self::Tx(_) => self,
            Self::Edge(edge) => &edge.light,
        }
    }

    /// The start of the last segment of the path to a point.
    pub(in crate::coverage::tubes) fn origin(&self, point: DVec3) -> DVec3 {
        match self {
            Self::Tx(image) => image.position,
            Self::Edge(edge) => edge.locate(point).origin,
        }
    }
}

/// The ends of an edge, in the order that makes the axes of its image right-handed.
pub(in crate::coverage::tubes) fn oriented(edge: &Edge) -> [DVec3; 2] {
    let [a, b] = edge.ends;
    if edge.along().dot(edge.inward.cross(edge.outward)) > 0.0 {
        [a, b]
    } else {
        [b, a]
    }
}

impl EdgeImage {
    /// The stretch from `low` to `high`, metres from the first of the [`oriented`] ends.
    pub(in crate::coverage::tubes) fn new(
        id: EdgeId,
        edge: &Edge,
        [low, high]: [f64; 2],
        light: &EdgeLight,
    ) -> Self {
        let along = edge.inward.cross(edge.outward);
        let start = oriented(edge)[0] + low * along;
        let axes = DMat3::from_cols(edge.inward, edge.outward, along);
        let image = match light {
            EdgeLight::Tx(image) => {
                let local = axes.transpose() * (image.position - start);
                [local.z, local.x.hypot(local.y)]
            }
            EdgeLight::Edge(_) => [0.0; 2],
        };
        Self {
            edge: id,
            light: light.clone(),
            unfolded: [edge.inward, edge.outward, along, start],
            start,
            axes,
            length: high - low,
            stretch: 1.0,
            open: edge.exterior_angle,
            image,
        }
    }

    pub(in crate::coverage::tubes) fn start(&self) -> DVec3 {
        self.start
    }

    pub(in crate::coverage::tubes) fn along(&self) -> DVec3 {
        self.axes.z_axis
    }

    pub(in crate::coverage::tubes) fn light(&self) -> &EdgeLight {
        &self.light
    }

    /// Mirrored at one more plane.
    pub(super) fn mirrored(self, plane: &Plane, mirror: DMat3) -> Self {
        Self {
            start: plane.mirror(self.start),
            axes: mirror * self.axes,
            ..self
        }
    }

    /// Stretches the cells so that they are as wide along the edge as around it at a distance behind the edge, metres.
    /// Returns how often they are doubled.
    pub(in crate::coverage::tubes) fn stretched(self, ahead: f64) -> (Self, u32) {
        let arrival = self.arrival(0.5 * self.length);
        let radius = arrival.radius();
        let along = self.length * (radius + ahead) / radius;
        let around = self.open * ahead * arrival.sin_beta;
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
    pub(in crate::coverage::tubes) fn open(&self) -> f64 {
        self.open
    }

    /// The length that the cells cover.
    fn extent(&self) -> f64 {
        self.stretch * self.length
    }

    pub(in crate::coverage::tubes) fn length(&self) -> f64 {
        self.length
    }

    /// The arrival of the wave at the point of the edge at `s`, metres.
    pub(in crate::coverage::tubes) fn arrival(&self, s: f64) -> Arrival {
        match &self.light {
            EdgeLight::Tx(_) => {
                let [z, rho] = self.image;
                let along = s - z;
                let behind = (along * along + rho * rho).sqrt();
                let (cos_beta, sin_beta) = (along / behind, rho / behind);
                Arrival {
                    behind,
                    cos_beta,
                    sin_beta,
                    growth: sin_beta * sin_beta / behind,
                    is_missing: false,
                }
            }
            EdgeLight::Edge(before) => {
                let [_, _, along, start] = self.unfolded;
                // Edges of one roof may share a corner. Close to it all rays are parallel.
                let inwards = if s < 0.5 * self.length { 1.0 } else { -1.0 };
                let close = AT_CORNER * self.length;
                let at = |s: f64| before.arrival_beyond(start + s * along, along, close);
                at(s).unwrap_or_else(|| Arrival {
                    is_missing: true,
                    ..at(s + inwards * 2.0 * close).unwrap_or(Arrival::ALONG_EDGE)
                })
            }
        }
    }

    /// The arrival of its wave at a point of an edge that runs along a unit vector. `None` if it is closer to this edge
    /// than so many metres.
    fn arrival_beyond(&self, point: DVec3, along: DVec3, close: f64) -> Option<Arrival> {
        let (s, arrival) = self.nearest(self.axes.transpose() * (point - self.start));
        let own = self.axes.z_axis;
        let way = point - (self.start + s * own);
        let length = way.length();
        if length < close {
            return None;
        }
        let direction = way / length;
        let (cos_beta, cos_own) = (direction.dot(along), direction.dot(own));
        // The rate at which the shortest path moves along this edge while its end moves along the next one.
        let skew = own.dot(along) - cos_own * cos_beta;
        let moves = skew / (arrival.growth * length + (1.0 - cos_own * cos_own));
        let squared = (1.0 - cos_beta * cos_beta).max(0.0);
        Some(Arrival {
            behind: arrival.behind + length,
            cos_beta,
            sin_beta: squared.sqrt(),
            growth: ((squared - moves * skew) / length).max(0.0),
            is_missing: arrival.is_missing || !(0.0..=self.length).contains(&s),
        })
    }

    /// The place along the edge of the shortest path to a point in the edge's own axes, and how the wave arrives there.
    fn nearest(&self, local: DVec3) -> (f64, Arrival) {
        /// Newton's method squares the error, so after a step as small as this, in lengths of the stretch, it is done.
        const SMALL_STEP: f64 = 1e-7;
        /// The largest number of steps, far more than it ever takes.
        const MAX_STEPS: usize = 60;
        let away = (local.x * local.x + local.y * local.y).sqrt();
        if let EdgeLight::Tx(_) = self.light {
            let [z, rho] = self.image;
            let s = (z * away + local.z * rho) / (away + rho);
            return (s, self.arrival(s));
        }
        let mut s = local.z.clamp(0.0, self.length);
        let mut arrival = self.arrival(s);
        // The sum of both lengths is convex, so its slope says on which side the minimum lies.
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        // The lengths of the last step and of the one before.
        let mut steps = [f64::INFINITY; 2];
        for _ in 0..MAX_STEPS {
            let ahead = ((local.z - s) * (local.z - s) + away * away).sqrt();
            if arrival.cos_beta * ahead > local.z - s {
                high = s;
            } else {
                low = s;
            }
            let radius = arrival.radius();
            let rho = radius * arrival.sin_beta;
            let z = s - radius * arrival.cos_beta;
            let newton = (z * away + local.z * rho) / (away + rho);
            let is_bracketed = low.is_finite() && high.is_finite();
            // Close behind the edge before, the direction of the wave changes so fast that Newton's steps may go to and fro.
            let shrinks = (newton - s).abs() < 0.5 * steps[1];
            let next = if newton > low && newton < high && (shrinks || !is_bracketed) {
                newton
            } else if is_bracketed {
                0.5 * (low + high)
            } else {
                // The steps are as small as floating point resolves, or have no direction.
                break;
            };
            let step = (next - s).abs();
            steps = [step, steps[0]];
            s = next;
            arrival = self.arrival(s);
            if step <= SMALL_STEP * self.length {
                break;
            }
        }
        (s, arrival)
    }

    /// The distance along the edge, metres, and the angle around it, radians, of a corner.
    pub(in crate::coverage::tubes) fn place(&self, corner: DirectionCorner) -> [f64; 2] {
        let [x, y] = corner.at();
        [0.5 * (x + 1.0) * self.extent(), 0.5 * (y + 1.0) * self.open]
    }

    /// The angles around it at which a wave that comes to the place at `s` goes straight on, and leaves as if either face
    /// reflected it; without those inside the wedge.
    pub(in crate::coverage::tubes) fn strongest_angles(&self, s: f64) -> impl Iterator<Item = f64> {
        let [x, y, along, start] = self.unfolded;
        let point = start + s * along;
        let from = self.light.origin(point) - point;
        let phi = from.dot(y).atan2(from.dot(x)).rem_euclid(TAU);
        let angles = [phi + PI, phi - PI, PI - phi, 2.0 * self.open - PI - phi];
        let open = self.open;
        let outside = move |angle: &f64| (0.0..=open).contains(angle);
        angles.into_iter().filter(outside)
    }

    /// A lower bound of its distance from a box, metres.
    pub(in crate::coverage::tubes) fn distance_to(&self, [low, high]: [DVec3; 2]) -> f64 {
        let ends = [0.0, self.length].map(|s| self.start + s * self.axes.z_axis);
        let below = low - ends[0].max(ends[1]);
        let above = ends[0].min(ends[1]) - high;
        below.max(above).max(DVec3::ZERO).length()
    }

    /// The largest distance of a point of a box, metres.
    pub(in crate::coverage::tubes) fn farthest_of(&self, [low, high]: [DVec3; 2]) -> f64 {
        let ends = [0.0, self.length].map(|s| self.start + s * self.axes.z_axis);
        let farthest = |end: DVec3| (low - end).abs().max((high - end).abs()).length();
        farthest(ends[0]).max(farthest(ends[1]))
    }

    /// The range along the edge that a cell covers, metres.
    pub(in crate::coverage::tubes) fn range_of(&self, cell: DirectionCell) -> [f64; 2] {
        let [_, low, _, high, _] = cell.corners().map(|corner| self.place(corner)[0]);
        [low, high]
    }

    /// The unit vector in which the path to the point of the edge at `s` leaves the Tx.
    pub(in crate::coverage::tubes) fn departure_to(&self, s: f64) -> DVec3 {
        let [_, _, along, start] = self.unfolded;
        let point = start + s * along;
        match &self.light {
            EdgeLight::Tx(image) => (image.turn.transpose() * (point - image.position)).normalize(),
            EdgeLight::Edge(before) => {
                let (s, _) = before.nearest(before.axes.transpose() * (point - before.start));
                before.departure_to(s)
            }
        }
    }

    /// The ray of a place as it leaves the edge itself, not the image.
    pub(in crate::coverage::tubes) fn unfolded_ray(&self, place: [f64; 2]) -> TubeRay {
        let [x, y, z, start] = self.unfolded;
        self.ray_from(place, start, DMat3::from_cols(x, y, z))
    }

    /// The edge itself, not the image, illuminated in the same way.
    pub(in crate::coverage::tubes) fn unfolded(&self) -> Self {
        let [x, y, z, start] = self.unfolded;
        Self {
            start,
            axes: DMat3::from_cols(x, y, z),
            ..self.clone()
        }
    }

    /// The ray of a place.
    pub(super) fn ray(&self, place: [f64; 2]) -> TubeRay {
        self.ray_from(place, self.start, self.axes)
    }

    fn ray_from(&self, [s, phi]: [f64; 2], start: DVec3, axes: DMat3) -> TubeRay {
        let (sin, cos) = phi.sin_cos();
        let Arrival {
            cos_beta, sin_beta, ..
        } = self.arrival(s);
        TubeRay {
            origin: start + s * axes.z_axis,
            direction: axes * DVec3::new(sin_beta * cos, sin_beta * sin, cos_beta),
        }
    }

    pub(in crate::coverage::tubes) fn locate(&self, point: DVec3) -> LocatedPoint {
        let local = self.axes.transpose() * (point - self.start);
        self.locate_at(local, self.angle(local))
    }

    /// [`Self::locate`] for points that may lie in a cell; `None` for most others.
    pub(super) fn locate_near(
        &self,
        cell: DirectionCell,
    ) -> impl Fn(DVec3) -> Option<LocatedPoint> + '_ {
        /// Sine of the angle by which rounding may misjudge a point.
        const SLACK: f64 = 1e-9;
        let angles = cell.borders().map(|at| 0.5 * (at.y + 1.0) * self.open);
        // Two half planes enclose less than half a turn.
        let is_narrow = angles[1] - angles[0] < PI;
        let [low, high] = angles.map(f64::sin_cos);
        let back = self.axes.transpose();
        move |point| {
            let local = back * (point - self.start);
            let (x, y) = (local.x, local.y);
            let slack = -SLACK * (x.abs() + y.abs());
            let is_outside = |[(sin, cos), (other_sin, other_cos)]: [(f64, f64); 2]| {
                cos * y - sin * x < slack || other_sin * x - other_cos * y < slack
            };
            if is_narrow && is_outside([low, high]) {
                return None;
            }
            Some(self.locate_at(local, self.angle(local)))
        }
    }

    /// The angle around the edge of a point in its own axes, radians.
    fn angle(&self, local: DVec3) -> f64 {
        let phi = local.y.atan2(local.x).rem_euclid(TAU);
        if phi > self.open && phi < self.open + ON_FACE {
            self.open
        } else if phi > self.open.max(TAU - ON_FACE) {
            0.0
        } else {
            phi
        }
    }

    fn locate_at(&self, local: DVec3, phi: f64) -> LocatedPoint {
        let (s, arrival) = self.nearest(local);
        // Both ends of the edge belong to it.
        let along = if s <= self.length && !arrival.is_missing {
            2.0 * s / self.extent() - 1.0
        } else {
            f64::INFINITY
        };
        let at = [along, 2.0 * phi / self.open - 1.0];
        LocatedPoint {
            on: CubePoint::on_first(at),
            origin: self.start + s * self.axes.z_axis,
            behind: arrival.behind,
            sin_beta: arrival.sin_beta,
            place: [s, phi],
        }
    }

    /// The width of a cell at a distance along its centre ray, metres.
    pub(super) fn width(&self, cell: DirectionCell, distance: f64) -> f64 {
        let [centre, ..] = cell.corners();
        let [s, _] = self.place(centre);
        let arrival = self.arrival(s);
        let radius = arrival.radius();
        let along = 0.5 * cell.width() * self.extent() * (radius + distance) / radius;
        let around = 0.5 * cell.width() * self.open * distance * arrival.sin_beta;
        along.max(around)
    }

    /// The distance by which the border of a cell may bulge beyond straight lines between its corner rays, metres.
    pub(super) fn sag(&self, cell: DirectionCell, distance: f64) -> f64 {
        let angle = 0.5 * cell.width() * self.open;
        // Distance of a chord from its arc. The same is added for the hyperbolas along the edge.
        2.0 * distance * (1.0 - (0.5 * angle.min(2.0)).cos()) + 0.25 * self.width(cell, distance)
    }
}
