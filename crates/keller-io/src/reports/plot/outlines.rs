//! The visible lines of a scene from above.

use std::collections::{BTreeMap, BTreeSet};

use keller::DVec3;
use keller::scene::{FaceId, Scene};

use crate::reports::looks;

/// The borders of faces that are visible from above, each once: sides of triangles that no other triangle of the same
/// face shares. All ground is one face here: slopes that meet are no line.
pub(super) fn outlines(scene: &Scene) -> Vec<[DVec3; 2]> {
    /// The distance below which two lines are one, metres.
    const SAME: f64 = 1e-3;
    let is_ground = ground(scene);
    let mut sides: BTreeMap<(Option<FaceId>, u32, u32), u32> = BTreeMap::new();
    for (triangle, &face) in scene.triangles().iter().zip(scene.triangle_faces()) {
        let of = Some(face).filter(|face| !is_ground[face.index()]);
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            *sides.entry((of, a.min(b), a.max(b))).or_default() += 1;
        }
    }
    let mut seen = BTreeSet::new();
    let mut outlines = Vec::new();
    for ((_, a, b), count) in sides {
        let ends = [a, b].map(|v| scene.vertices()[v as usize]);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "coordinates are at most 1e7 m"
        )]
        let mut key = ends.map(|p| [(p.x / SAME).round() as i64, (p.y / SAME).round() as i64]);
        key.sort_unstable();
        // An upright line is a point from above.
        if count == 1 && key[0] != key[1] && seen.insert(key) {
            outlines.push(ends);
        }
    }
    outlines
}

/// Whether each face is ground: those of a terrain, and those of materials that are called ground.
pub(super) fn ground(scene: &Scene) -> Vec<bool> {
    let names: Vec<bool> = (scene.materials().iter())
        .map(|material| looks::is_ground(material))
        .collect();
    let faces = (0..scene.faces().len()).map(FaceId::from_index);
    let is_ground =
        |face: FaceId| names[scene.face(face).material.index()] || scene.terrain_of(face).is_some();
    faces.map(is_ground).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use keller::scene::{Mesh, MeshTriangle};

    /// A square of two triangles, and a wall upon one of its sides.
    pub(in crate::reports::plot) fn scene() -> Scene {
        let mut mesh = Mesh::default();
        let material = mesh.material_index("concrete");
        mesh.vertices = [
            [0.0, 0.0, 0.0],
            [4.0, 0.0, 0.0],
            [4.0, 4.0, 0.0],
            [0.0, 4.0, 0.0],
            [0.0, 0.0, 3.0],
            [4.0, 0.0, 3.0],
        ]
        .map(DVec3::from_array)
        .into();
        mesh.triangles = [[0, 1, 2], [0, 2, 3], [0, 1, 5], [0, 5, 4]]
            .map(|vertices| MeshTriangle { vertices, material })
            .into();
        Scene::new(&mesh).unwrap()
    }

    #[test]
    fn slopes_of_the_ground_are_no_lines() {
        let lines = |material: &str| {
            let mut mesh = Mesh::default();
            let material = mesh.material_index(material);
            mesh.vertices = [
                [0.0, 0.0, 0.0],
                [4.0, 0.0, 0.0],
                // The slope is steeper than a terrain.
                [4.0, 4.0, 6.0],
                [0.0, 4.0, 0.0],
            ]
            .map(DVec3::from_array)
            .into();
            mesh.triangles = [[0, 1, 2], [0, 2, 3]]
                .map(|vertices| MeshTriangle { vertices, material })
                .into();
            outlines(&Scene::new(&mesh).unwrap()).len()
        };
        assert_eq!((lines("ground"), lines("concrete")), (4, 5));
    }

    #[test]
    fn outlines_have_each_line_once_and_no_diagonal() {
        let mut lengths: Vec<f64> = outlines(&scene())
            .iter()
            .map(|[a, b]| (*b - *a).truncate().length())
            .collect();
        lengths.sort_by(f64::total_cmp);
        // There are four sides; the wall lies over one of them, and its diagonal is no border.
        assert_eq!(lengths, [4.0; 4]);
    }
}
