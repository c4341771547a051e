//! The effects of curved surfaces on a wave: at the joints of their facets they have other normals than the facets, and
//! they spread the waves that they reflect.

use glam::{DMat2, DMat3, DVec2, DVec3};

use super::Walls;
use crate::clutter::Clutter;
use crate::em::Surfaces;
use crate::geometry::tolerance::ON_FACET_SINE;
use crate::paths::{Interaction, Vertex, ahead};
use crate::scene::{Edge, EdgeId, FaceId, MaterialId};

/// The same walls, of which each curved one is as many plane reflectors as it has facets. In the mean over many places
/// these bring as much power as the curved surface and the reflections within it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlatFacets<'a, W>(pub(crate) &'a W);

impl<W: Walls> Walls for FlatFacets<'_, W> {
    fn surfaces(&self) -> &Surfaces {
        self.0.surfaces()
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.0.normal(face)
    }

    fn material(&self, face: FaceId) -> MaterialId {
        self.0.material(face)
    }

    fn edge(&self, edge: EdgeId) -> Edge {
        self.0.edge(edge)
    }

    fn clutter(&self) -> Option<&Clutter> {
        self.0.clutter()
    }
}

/// The unit normal at a vertex on `face`, where the wave comes and leaves in these directions.
pub(super) fn normal(
    vertex: &Vertex,
    face: FaceId,
    [into, out]: [DVec3; 2],
    walls: &impl Walls,
) -> DVec3 {
    let normal = walls.normal(face);
    let is_reflected = matches!(vertex.interaction, Interaction::Reflection(_));
    if !(is_reflected && walls.is_facet(face)) {
        return normal;
    }
    let between = (out - into).normalize_or(normal);
    if between.cross(normal).length() <= ON_FACET_SINE {
        return normal;
    }
    between * between.dot(normal).signum()
}

/// The factor by which curved surfaces change the amplitude of a wave on its way, in addition to the spreading at plane
/// ones; `None` if they do not change it. Behind an edge the wave spreads anew.
///
/// # Source
/// G. A. Deschamps, "Ray techniques in electromagnetics", Proc. IEEE 60(9), 1972, doi:10.1109/PROC.1972.8850. Theory
/// page: `curved`.
pub(super) fn spreading(
    start: DVec3,
    vertices: &[Vertex],
    end: DVec3,
    walls: &impl Walls,
) -> Option<f64> {
    let is_on_curve = |vertex: &Vertex| match vertex.interaction {
        Interaction::Reflection(face) => walls.is_facet(face),
        _ => false,
    };
    if !vertices.iter().any(is_on_curve) {
        return None;
    }
    let mut factor = 1.0;
    let mut pencil = Pencil::from(start, ahead(start, vertices, end)?);
    for (k, vertex) in vertices.iter().enumerate().filter(|(_, v)| v.turns()) {
        pencil.advance(vertex.point);
        let next = ahead(vertex.point, &vertices[k + 1..], end)?;
        if let Interaction::Reflection(face) = vertex.interaction {
            let normal = normal(vertex, face, [pencil.direction, next], walls);
            let curvature = is_on_curve(vertex)
                .then(|| {
                    let towards = -normal * normal.dot(pencil.direction).signum();
                    walls.curvature(face, vertex.point, towards)
                })
                .flatten();
            pencil.reflect(normal, next, curvature);
        } else {
            factor *= pencil.spreading();
            pencil = Pencil::from(vertex.point, next);
        }
    }
    pencil.advance(end);
    factor *= pencil.spreading();
    (factor < 1.0).then_some(factor)
}

/// Rays from one point next to a first one, in two directions across it.
struct Pencil {
    at: DVec3,
    direction: DVec3,
    /// Unit vectors across the ray.
    across: [DVec3; 2],
    /// The distances of rays from the first, and the rates at which these grow, for units of the angles at which they
    /// started.
    offset: DMat2,
    slope: DMat2,
    length: f64,
    is_curved: bool,
}

impl Pencil {
    fn from(point: DVec3, direction: DVec3) -> Self {
        Self {
            at: point,
            direction,
            across: direction.any_orthonormal_pair().into(),
            offset: DMat2::ZERO,
            slope: DMat2::IDENTITY,
            length: 0.0,
            is_curved: false,
        }
    }

    fn advance(&mut self, to: DVec3) {
        let step = self.at.distance(to);
        self.offset += step * self.slope;
        self.length += step;
        self.at = to;
    }

    /// Reflects the rays into the direction `next`.
    fn reflect(&mut self, normal: DVec3, next: DVec3, curvature: Option<DMat3>) {
        if let Some(curvature) = curvature {
            // The normal is turned where a ray next to the first meets the surface.
            let cosine = self.direction.dot(normal);
            let met = self
                .across
                .map(|across| across - self.direction * (across.dot(normal) / cosine));
            let turning = |a: usize, b: usize| 2.0 * cosine.abs() * met[a].dot(curvature * met[b]);
            let turning = DMat2::from_cols(
                DVec2::new(turning(0, 0), turning(1, 0)),
                DVec2::new(turning(0, 1), turning(1, 1)),
            );
            self.slope += turning * self.offset;
            self.is_curved = true;
        }
        self.across = self.across.map(|a| a - 2.0 * a.dot(normal) * normal);
        self.direction = next;
    }

    /// The amplitude relative to that of a wave that spreads from one point.
    fn spreading(&self) -> f64 {
        if self.is_curved {
            self.length / self.offset.determinant().abs().sqrt()
        } else {
            1.0
        }
    }
}
