//! The spread of a wave: the curvature of its front, which edges change.

use glam::DVec3;

/// The front of a wave at some place of its way.
///
/// **Source.** R. G. Kouyoumjian and P. H. Pathak, "A uniform geometrical theory of diffraction for an edge in a perfectly
/// conducting surface", Proc. IEEE 62, 1974, doi:10.1109/PROC.1974.9651: behind an edge, the front is curved around the
/// edge, and along it as the incident front is along the edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wavefront {
    /// Unit vector across the ray, in the plane of the ray and the last edge; any where no edge was met.
    axis: DVec3,
    /// Radius of curvature in the plane of the ray and this vector, metres.
    along: f64,
    /// Radius in the other principal plane: the distance from the last edge, or from the Tx, metres.
    pub(super) behind: f64,
}

impl Wavefront {
    /// The front of a wave in the direction of the unit vector `direction`, `distance` metres from the Tx.
    pub(super) fn of_sphere(direction: DVec3, distance: f64) -> Self {
        Self {
            axis: direction.any_orthonormal_vector(),
            along: distance,
            behind: distance,
        }
    }

    /// The front so much farther on.
    pub(super) fn advanced(self, by: f64) -> Self {
        Self {
            along: self.along + by,
            behind: self.behind + by,
            ..self
        }
    }

    /// The front behind a reflection at a plane with this unit normal.
    pub(super) fn mirrored(self, normal: DVec3) -> Self {
        Self {
            axis: self.axis - 2.0 * self.axis.dot(normal) * normal,
            ..self
        }
    }

    /// The front at an edge, from where the wave leaves the edge in the direction `out`. All are unit vectors.
    pub(super) fn bent(self, edge: DVec3, [into, out]: [DVec3; 2]) -> Self {
        let across =
            |ray: DVec3| (edge - edge.dot(ray) * ray).normalize_or(ray.any_orthonormal_vector());
        let share = across(into).dot(self.axis).powi(2).min(1.0);
        Self {
            axis: across(out),
            along: 1.0 / (share / self.along + (1.0 - share) / self.behind),
            behind: 0.0,
        }
    }

    /// The origin of the ray to a point near this place: the point of the last edge, or the Tx. `into` leads from this
    /// place to where the wave comes from.
    pub(super) fn start_of(&self, from_here: DVec3, into: DVec3) -> DVec3 {
        let along = from_here.dot(self.axis);
        self.behind * into + along * (1.0 - self.behind / self.along) * self.axis
    }

    /// The power density here over that of the same wave farther on.
    pub(super) fn spread_to(&self, farther: &Self) -> f64 {
        self.along * self.behind / (farther.along * farther.behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The front behind a second edge is curved, along that edge, as by the Tx where both edges are parallel, and as by
    /// the first edge where they are at right angles.
    #[test]
    fn a_second_edge_sees_the_front_of_the_first() {
        let [into, out] = [DVec3::X, DVec3::new(0.8, 0.0, 0.6)];
        let behind_first = Wavefront::of_sphere(into, 0.0)
            .advanced(7.0)
            .bent(DVec3::Y, [into, into])
            .advanced(2.0);
        for (edge, along) in [(DVec3::Y, 9.0), (DVec3::Z, 2.0)] {
            let front = behind_first.bent(edge, [into, out]).advanced(0.5);
            assert!((front.along - along - 0.5).abs() < 1e-12, "{front:?}");
            assert!((front.behind - 0.5).abs() < 1e-12, "{front:?}");
        }
    }

    /// Rays to points next to the ray leave the first edge itself, and seem to come from the Tx along it.
    #[test]
    fn rays_beside_it_leave_the_edge() {
        let (tx, edge) = (DVec3::ZERO, DVec3::new(7.0, 0.0, 0.0));
        let front = Wavefront::of_sphere(DVec3::X, 7.0)
            .bent(DVec3::Y, [DVec3::X, DVec3::X])
            .advanced(2.0);
        let here = DVec3::new(9.0, 0.0, 0.0);
        for offset in [DVec3::new(0.0, 0.6, 0.0), DVec3::new(0.0, 0.6, 0.3)] {
            let start = here + front.start_of(offset, DVec3::NEG_X);
            assert!((start.x - edge.x).abs() < 1e-12 && start.z.abs() < 1e-12);
            // Unfolded around the edge, the way from the Tx is straight.
            let slope = (start - tx).y / 7.0;
            assert!((slope - offset.y / 9.0).abs() < 1e-12, "{start}");
        }
    }
}
