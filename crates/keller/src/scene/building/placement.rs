//! The placement of a model in a scene: turned about z, then moved.

use glam::{DVec2, DVec3};

use crate::scene::Mesh;

/// The position of a model's axes in a scene: turned anticlockwise about z, then moved.
///
/// # Source
/// Hu 2020, equations (6-2) and (6-3): points are turned and moved, vectors are turned, lengths stay.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Placement {
    /// The point of the scene at which the model's (0, 0, 0) stands, metres.
    pub origin: DVec3,
    /// The angle from the scene's +x to the model's +x, anticlockwise seen from above, radians.
    pub rotation: f64,
}

impl Placement {
    /// A point of the model in the scene, metres.
    pub fn to_scene(&self, point: DVec3) -> DVec3 {
        self.origin + self.direction_to_scene(point)
    }

    /// A point of the scene in the model's own axes, metres.
    pub fn to_own(&self, point: DVec3) -> DVec3 {
        self.direction_to_own(point - self.origin)
    }

    /// A vector of the model in the scene.
    pub fn direction_to_scene(&self, vector: DVec3) -> DVec3 {
        turned(vector, DVec2::from_angle(self.rotation))
    }

    /// A vector of the scene in the model's own axes.
    pub fn direction_to_own(&self, vector: DVec3) -> DVec3 {
        turned(vector, DVec2::from_angle(-self.rotation))
    }

    /// Moves a mesh from its own axes to where it stands in the scene.
    pub fn place(&self, mesh: &mut Mesh) {
        mesh.vertices
            .iter_mut()
            .for_each(|vertex| *vertex = self.to_scene(*vertex));
    }
}

fn turned(vector: DVec3, by: DVec2) -> DVec3 {
    by.rotate(vector.truncate()).extend(vector.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_takes_east_to_north() {
        let placement = Placement {
            origin: DVec3::new(100.0, -40.0, 3.0),
            rotation: std::f64::consts::FRAC_PI_2,
        };
        let there = placement.to_scene(DVec3::new(2.0, 0.0, 1.0));
        assert!(there.distance(DVec3::new(100.0, -38.0, 4.0)) < 1e-12);
        let north = placement.direction_to_scene(DVec3::X);
        assert!(north.distance(DVec3::Y) < 1e-15);
    }

    #[test]
    fn there_and_back_is_the_same_point() {
        let placement = Placement {
            origin: DVec3::new(691_000.1, -40.7, 512.3),
            rotation: 33.5_f64.to_radians(),
        };
        let point = DVec3::new(12.3, -4.56, 7.89);
        assert!(placement.to_own(placement.to_scene(point)).distance(point) < 1e-9);
        let vector = placement.direction_to_own(placement.direction_to_scene(point));
        assert!(vector.distance(point) < 1e-14);
    }
}
