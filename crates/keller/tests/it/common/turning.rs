//! Meshes whose windings are turned, and places that are turned and moved.

use glam::DQuat;
use keller::DVec3;
use keller::scene::Mesh;

use super::Random;

/// The same mesh with the windings of these triangles turned.
pub(crate) fn with_turned(mesh: &Mesh, mut is_turned: impl FnMut(usize) -> bool) -> Mesh {
    let mut turned = mesh.clone();
    for (t, triangle) in turned.triangles.iter_mut().enumerate() {
        if is_turned(t) {
            triangle.vertices.swap(1, 2);
        }
    }
    turned
}

/// The same mesh with every winding turned, with random ones, and with all of random runs of triangles, such as bodies.
pub(crate) fn turned_in_all_ways(mesh: &Mesh, seed: u64) -> [Mesh; 3] {
    let mut random = Random(seed ^ 0x7a1);
    let all = with_turned(mesh, |_| true);
    let some = with_turned(mesh, |_| random.below(2) == 0);
    let mut is_turned = false;
    let runs = with_turned(mesh, |t| {
        if t % 12 == 0 {
            is_turned = random.below(2) == 0;
        }
        is_turned
    });
    [all, some, runs]
}

/// A point turned about the vertical by an odd angle and moved.
pub(crate) fn aslant(p: DVec3) -> DVec3 {
    let (sin, cos) = 0.731_f64.sin_cos();
    DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z) + DVec3::new(7.13, -3.77, 0.0)
}

/// The same mesh turned about the vertical by an odd angle and moved.
pub(crate) fn all_aslant(mesh: &Mesh) -> Mesh {
    let mut turned = mesh.clone();
    for vertex in &mut turned.vertices {
        *vertex = aslant(*vertex);
    }
    turned
}

/// An odd turn, so that nothing is aligned with axes.
pub(crate) fn odd_turn() -> DQuat {
    DQuat::from_axis_angle(DVec3::new(0.3, -0.7, 0.5).normalize(), 0.9)
}

/// The same places, turned by [`odd_turn`].
pub(crate) fn turned(mesh: &Mesh) -> Mesh {
    let mut mesh = mesh.clone();
    for vertex in &mut mesh.vertices {
        *vertex = odd_turn() * *vertex;
    }
    mesh
}
