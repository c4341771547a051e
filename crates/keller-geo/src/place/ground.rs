//! A flat ground under buildings, for places without terrain.

use glam::DVec2;
use keller::materials::Material;
use keller::scene::{Mesh, MeshTriangle};

use super::mesh::Built;
use super::{Building, Shape};

/// The name of the ground's material, which is medium dry ground unless a scenario defines it.
pub const GROUND_MATERIAL: &str = "ground";

/// The material of the ground.
const GROUND: &str = "medium_dry_ground";

/// The lowest ground that the buildings know of, metres; 0 if none does.
pub fn lowest(buildings: &[Building]) -> f64 {
    let foot = |building: &Building| match &building.shape {
        Shape::Prism(prism) => prism.ground.unwrap_or(f64::INFINITY),
        Shape::Surfaces(surfaces) => {
            let points = surfaces.iter().flat_map(|s| &s.rings).flatten();
            points.fold(f64::INFINITY, |foot, point| foot.min(point.z))
        }
    };
    let lowest = buildings.iter().map(foot).fold(f64::INFINITY, f64::min);
    if lowest.is_finite() { lowest } else { 0.0 }
}

/// A rectangle that reaches `margin` metres beyond the buildings' vertices on all sides, at `elevation`; without one at the lowest
/// ground that a building stands on. `None` if there are no buildings.
pub fn around(built: &Built, margin: f64, elevation: Option<f64>) -> Option<Mesh> {
    let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    let [low, high] = built.mesh.vertices.iter().fold(empty, |[low, high], v| {
        [low.min(v.truncate()), high.max(v.truncate())]
    });
    let grounds = built.buildings.iter().map(|building| building.ground);
    let elevation = elevation.unwrap_or(grounds.fold(f64::INFINITY, f64::min));
    let is_known = low.is_finite() && high.is_finite() && elevation.is_finite();
    is_known.then(|| rectangle(low - margin, high + margin, elevation))
}

/// A rectangle that faces up, at `elevation` metres.
///
/// ```
/// use glam::DVec2;
/// use keller_geo::place::ground;
/// let mesh = ground::rectangle(DVec2::ZERO, DVec2::new(100.0, 50.0), 515.0);
/// assert_eq!(mesh.triangles.len(), 2);
/// assert_eq!(mesh.materials[0].name, ground::GROUND_MATERIAL);
/// ```
pub fn rectangle(low: DVec2, high: DVec2, elevation: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let material = mesh.material_index(GROUND_MATERIAL);
    mesh.materials[material as usize].definition = Material::from_name(GROUND);
    let corners = [
        low,
        DVec2::new(high.x, low.y),
        high,
        DVec2::new(low.x, high.y),
    ];
    mesh.vertices = corners.map(|corner| corner.extend(elevation)).into();
    mesh.triangles = [[0, 1, 2], [0, 2, 3]]
        .map(|vertices| MeshTriangle { vertices, material })
        .into();
    mesh
}
