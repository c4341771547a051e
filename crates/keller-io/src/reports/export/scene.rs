//! Scenes as meshes, for other programs.

use keller::clutter::Volume;
use keller::materials::Material;
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller_geo::crs::Georeference;

use super::{Beside, Drawing, glb};
use crate::formats::import::Object;

/// The GLB of a scene with its clutter and with drawings. Read as a scene, the file is `scene` alone. Materials that no
/// face has are left out; `definition` gives that of a material by its index in [`Scene::materials`], if it is known.
///
/// # Panics
/// If the file would have 2^32 bytes.
pub fn scene_glb(
    scene: &Scene,
    definition: impl Fn(usize) -> Option<Material>,
    drawings: &[Drawing],
    georeference: Option<&Georeference>,
) -> Vec<u8> {
    let mesh = mesh_of(scene, definition);
    let object = Object {
        name: "scene".to_owned(),
        triangles: 0..mesh.triangles.len(),
    };
    let volumes = scene.clutter().volumes().iter().enumerate();
    let clutter: Vec<(String, Volume)> = volumes
        .map(|(index, volume)| (format!("clutter {index}"), volume.clone()))
        .collect();
    let beside = Beside {
        clutter: &clutter,
        drawings,
        georeference,
    };
    glb(&mesh, &[object], &beside)
}

fn mesh_of(scene: &Scene, definition: impl Fn(usize) -> Option<Material>) -> Mesh {
    let mut mesh = Mesh {
        vertices: scene.vertices().to_vec(),
        ..Mesh::default()
    };
    for (vertices, face) in scene.triangles().iter().zip(scene.triangle_faces()) {
        let id = scene.face(*face).material.index();
        let material = mesh.material_index(&scene.materials()[id]);
        let known = &mut mesh.materials[material as usize].definition;
        if known.is_none() {
            *known = definition(id);
        }
        mesh.triangles.push(MeshTriangle {
            vertices: *vertices,
            material,
        });
    }
    mesh
}
