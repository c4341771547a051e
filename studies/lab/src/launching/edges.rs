//! Diffraction as in Hu 2020, section 5.3: virtual polygons that catch rays near edges, and waves behind edges.
//!
//! A polygon reaches one voxel out from its edge, at the same angle to both walls (figure 5-9). The ray that it catches
//! is shifted: it comes from its source to the point of the edge next to where it was caught, and no wall between them
//! is looked for. The document ends a caught ray and launches it again behind the polygon; here polygons are no walls,
//! so that it simply goes on.
//!
//! The document takes the uniform theory of diffraction without saying which coefficient; it is keller's here.
//! Eq. 5-5 has the loss of free space over the whole way; the spreading of the theory stands in its place.
//!
//! Loses the slope of the field between edges, the edges of open sheets, and a wave that a reflection brings back to
//! the edge that it left. A voxel at the joint of two edges in line may count the diffracted path twice.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use keller::em::utd::{Diffraction, EdgeAngles, Wedge, WedgeFace};
use keller::geometry::bvh::{Bvh, Triangle};
use keller::scene::{Edge, EdgeId};
use keller::{Complex64, World};

use super::VoxelGrid;
use super::wave::Wave;

/// Covers the rounding of polygons to f32 in the index, metres.
const MARGIN: f32 = 0.01;

/// A ray nearer to the direction of the edge runs along it and is not diffracted: sine of the angle between them.
const ALONG_EDGE: f64 = 1e-6;

/// The virtual polygons of all wedges of a scene.
#[derive(Debug)]
pub struct Polygons {
    /// Diffractions of a path.
    pub max_diffractions: usize,
    /// The least angle by which an edge diffracts a ray that further edges catch, radians (section 5.3.3).
    pub min_bend: f64,
    list: Vec<Polygon>,
    width: f64,
    index: Bvh,
}

#[derive(Debug)]
struct Polygon {
    edge: EdgeId,
    start: DVec3,
    along: DVec3,
    out: DVec3,
    length: f64,
}

/// The point where a polygon catches a ray.
#[derive(Debug, Clone, Copy)]
pub(super) struct Catch {
    pub(super) edge: EdgeId,
    /// Number of the segment of the edge.
    pub(super) segment: usize,
    /// The nearest point of the edge.
    pub(super) point: DVec3,
    /// Metres along the ray.
    pub(super) t: f64,
}

impl Polygons {
    /// Polygons as wide as a voxel, for paths with one diffraction at most.
    pub fn new(world: &World, grid: &VoxelGrid) -> Self {
        let scene = world.scene();
        let width = grid.size().min_element();
        let is_wedge = |(_, edge): &(usize, &Edge)| edge.is_wedge();
        let list: Vec<Polygon> = scene
            .edges()
            .iter()
            .enumerate()
            .filter(is_wedge)
            .map(|(number, edge)| {
                let (sin, cos) = (0.5 * edge.exterior_angle).sin_cos();
                Polygon {
                    edge: EdgeId::from_index(number),
                    start: edge.ends[0],
                    along: edge.along(),
                    out: cos * edge.inward + sin * edge.outward,
                    length: edge.length(),
                }
            })
            .collect();
        let triangles: Vec<Triangle> = list
            .iter()
            .zip(0..)
            .flat_map(|(polygon, group)| {
                let from = polygon.start - scene.origin();
                let to = from + polygon.length * polygon.along;
                let out = width * polygon.out;
                [[from, to, to + out], [from, to + out, from + out]].map(|corners| Triangle {
                    vertices: corners.map(DVec3::as_vec3),
                    group,
                })
            })
            .collect();
        Self {
            max_diffractions: 1,
            min_bend: 0.0,
            list,
            width,
            index: Bvh::build(&triangles),
        }
    }

    /// Calls `visit` for every polygon that a ray meets up to `end` metres.
    pub(super) fn catch(
        &self,
        world: &World,
        origin: DVec3,
        direction: DVec3,
        end: f64,
        mut visit: impl FnMut(Catch),
    ) {
        let from = origin - world.scene().origin();
        let to = from + end * direction;
        self.index.candidates(from, to, MARGIN, |triangle| {
            let polygon = &self.list[triangle as usize / 2];
            let normal = polygon.along.cross(polygon.out);
            let t = (polygon.start - origin).dot(normal) / direction.dot(normal);
            let at = origin + t * direction - polygon.start;
            let (u, v) = (
                at.dot(polygon.along) / polygon.length,
                at.dot(polygon.out) / self.width,
            );
            // Each half has its own triangle.
            let is_own = (v <= u) == (triangle % 2 == 0);
            if t > 0.0 && t < end && u > 0.0 && u < 1.0 && (0.0..1.0).contains(&v) && is_own {
                visit(Catch {
                    edge: polygon.edge,
                    segment: self.segment(polygon, u),
                    point: polygon.start + u * polygon.length * polygon.along,
                    t,
                });
            }
            true
        });
    }

    /// The number of equal segments, each at most half a voxel long.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and far below 2^53"
    )]
    fn segment(&self, polygon: &Polygon, u: f64) -> usize {
        (u * (2.0 * polygon.length / self.width).ceil()) as usize
    }
}

/// The way that a wave has come to an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Legs {
    /// The distance from the edge before, or from the Tx, metres.
    pub(super) last: f64,
    /// The whole way, metres.
    pub(super) sum: f64,
    /// The product of all legs, metres to the power of their number.
    pub(super) product: f64,
}

/// A wave that meets a point of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bend {
    pub(super) edge: EdgeId,
    /// Its direction before the edge.
    pub(super) incoming: DVec3,
    pub(super) legs: Legs,
    /// Its components as the theory has them: across the edge-fixed plane of incidence, and around the edge.
    incident: [Complex64; 2],
    inward: DVec3,
    outward: DVec3,
    open: f64,
    sin_beta: f64,
    cos_beta: f64,
    phi_in: f64,
}

impl Bend {
    /// The wave in a direction at an edge; none if it runs along the edge or comes out of the wedge.
    pub(super) fn new(
        world: &World,
        edge: EdgeId,
        incoming: DVec3,
        wave: Wave,
        legs: Legs,
    ) -> Option<Self> {
        let Edge {
            inward,
            outward,
            exterior_angle: open,
            ..
        } = world.scene().edges()[edge.index()];
        let phi_in = angle(inward, outward, -incoming);
        let cos_beta = incoming.dot(inward.cross(outward));
        let sin_beta = incoming.dot(inward).hypot(incoming.dot(outward));
        if sin_beta < ALONG_EDGE || phi_in > open {
            return None;
        }
        let mut bend = Self {
            edge,
            incoming,
            legs,
            incident: [Complex64::ZERO; 2],
            inward,
            outward,
            open,
            sin_beta,
            cos_beta,
            phi_in,
        };
        bend.incident = bend.basis(phi_in, incoming).map(|axis| wave.along(axis));
        Some(bend)
    }

    /// The angles around the edge from the shadow boundary of the wave to the face in the shadow; none if both faces
    /// are illuminated.
    pub(super) fn shadow(&self) -> Option<[f64; 2]> {
        if self.phi_in + PI < self.open {
            Some([self.phi_in + PI, self.open])
        } else {
            (self.phi_in > PI).then_some([self.phi_in - PI, 0.0])
        }
    }

    /// Sine of the angle between the wave and the edge.
    pub(super) fn sin_beta(&self) -> f64 {
        self.sin_beta
    }

    /// The direction in which the wave leaves at an angle around the edge.
    pub(super) fn direction(&self, phi: f64) -> DVec3 {
        let (sin, cos) = phi.sin_cos();
        let across = cos * self.inward + sin * self.outward;
        self.cos_beta * self.inward.cross(self.outward) + self.sin_beta * across
    }

    /// The wave that leaves at an angle around the edge, far from it, without spreading.
    pub(super) fn wave(&self, world: &World, phi: f64) -> Wave {
        let field = self.field(world, phi, f64::INFINITY);
        Wave::of(field, self.basis(phi, self.direction(phi)))
    }

    /// The power of the wave at a place, seen from the point of the edge, without spreading.
    pub(super) fn power(&self, world: &World, to: DVec3) -> f64 {
        let phi = angle(self.inward, self.outward, to).min(self.open);
        let [beta, phi] = self.field(world, phi, to.length());
        beta.norm_sqr() + phi.norm_sqr()
    }

    /// The divisor of the gain of a wave `distance` metres behind the edge, square metres times metres for each edge.
    pub(super) fn spreading(&self, distance: f64) -> f64 {
        self.legs.product * distance * (self.legs.sum + distance)
    }

    /// Axes of the components of a wave in a direction.
    fn basis(&self, phi: f64, direction: DVec3) -> [DVec3; 2] {
        let (sin, cos) = phi.sin_cos();
        let phi_hat = cos * self.outward - sin * self.inward;
        [phi_hat.cross(direction), phi_hat]
    }

    fn field(&self, world: &World, phi_out: f64, distance: f64) -> [Complex64; 2] {
        let scene = world.scene();
        let edge = &scene.edges()[self.edge.index()];
        let Some(first) = edge.faces[0] else {
            return [Complex64::ZERO; 2];
        };
        let face = |face, open_side: DVec3| WedgeFace {
            surface: world.surface(face),
            shows_front: scene.face_normal(face).dot(open_side) > 0.0,
        };
        let wedge = Wedge {
            n: self.open / PI,
            faces: [
                face(first, edge.outward),
                face(edge.faces[1].unwrap_or(first), edge.second_outward),
            ],
            is_sheet: edge.faces[1].is_none(),
            lets_through: true,
        };
        let angles = EdgeAngles {
            sin_beta: self.sin_beta,
            cos_beta: self.cos_beta,
            phi_in: self.phi_in,
            phi_out,
        };
        let between = self.legs.last / (1.0 + self.legs.last / distance);
        let surfaces = world.surfaces();
        let wavenumber = surfaces.frequency().wavenumber();
        let diffraction = Diffraction::new(&wedge, angles, wavenumber, surfaces.lossy_wedge());
        let matrix = diffraction.matrix(between * self.sin_beta * self.sin_beta);
        let [beta, phi] = self.incident;
        matrix.map(|[a, b]| a * beta + b * phi)
    }
}

/// The angle of a vector around an edge, 0 to 2 pi. Rounding does not bring it from 0 to 2 pi.
fn angle(inward: DVec3, outward: DVec3, to: DVec3) -> f64 {
    let angle = to.dot(outward).atan2(to.dot(inward));
    if angle < -1e-9 {
        angle + TAU
    } else {
        angle.max(0.0)
    }
}
