//! The scene of a view: triangles with their materials, faces and kinds.

use keller::materials::Material;
use keller::scene::{FaceId, Scene};

use super::View;
use super::format::{ViewClutter, ViewMaterial, ViewScene};
use crate::reports::looks::distinct_colours;

/// A scene and its known properties.
#[derive(Debug, Clone, Copy)]
pub struct ShownScene<'a> {
    /// The names of its files.
    pub source: &'a str,
    /// The scene, with its clutter.
    pub scene: &'a Scene,
    /// The definitions of its materials, one for each of their names; empty if they are not known.
    pub materials: &'a [Material],
    /// Whether each face is a roof: nothing is above it.
    pub roofs: &'a [bool],
    /// The heights of floors, metres, ascending; empty if they are not known.
    pub floors: &'a [f64],
}

/// The kinds of triangles.
const GROUND: u8 = 1;
const ROOF: u8 = 2;

impl View {
    /// Shows a scene.
    ///
    /// # Panics
    /// If there is not one entry of `roofs` for each face.
    pub fn set_scene(&mut self, shown: ShownScene) {
        let ShownScene {
            source,
            scene,
            materials,
            roofs,
            floors,
        } = shown;
        assert_eq!(roofs.len(), scene.faces().len(), "an entry for each face");
        self.enclose(scene.bounds());
        let count = scene.triangles().len();
        let faces = scene.triangle_faces();
        let index = |n: usize| u32::try_from(n).expect("scenes number faces in 31 bits");
        let face_ids: Vec<u32> = faces.iter().map(|face| index(face.index())).collect();
        let material = |face: &FaceId| {
            let index = scene.face(*face).material.index();
            u16::try_from(index).unwrap_or(u16::MAX)
        };
        let kind = |face: &FaceId| match (scene.is_ground(*face), roofs[face.index()]) {
            (true, _) => GROUND,
            (false, true) => ROOF,
            (false, false) => 0,
        };
        let colours = distinct_colours(scene.materials().iter().map(String::as_str));
        let names = scene.materials().iter().zip(colours).enumerate();
        let named = names.map(|(number, (name, colour))| ViewMaterial {
            name: name.clone(),
            colour,
            about: materials.get(number).map(about).unwrap_or_default(),
        });
        let named = named.collect();
        let parts = &mut self.parts;
        let clutter = scene.clutter().volumes().iter().enumerate();
        let clutter = clutter.map(|(number, volume)| ViewClutter {
            name: format!("clutter {number}"),
            positions: parts.points(volume.vertices().iter().copied()),
            triangles: parts.wholes(
                volume.triangles().as_flattened(),
                vec![volume.triangles().len(), 3],
            ),
        });
        let clutter = clutter.collect();
        self.scene = Some(ViewScene {
            source: source.to_owned(),
            materials: named,
            positions: parts.points(scene.vertices().iter().copied()),
            triangles: parts.wholes(scene.triangles().as_flattened(), vec![count, 3]),
            material: parts.shorts(&faces.iter().map(material).collect::<Vec<_>>(), vec![count]),
            face: parts.wholes(&face_ids, vec![count]),
            kind: parts.bytes(&faces.iter().map(kind).collect::<Vec<_>>(), vec![count]),
            floors: floors.to_vec(),
            clutter,
        });
    }
}

/// A description of a material for readers.
fn about(material: &Material) -> String {
    match material {
        Material::HalfSpace(_) => "half space".to_owned(),
        Material::Slab(layers) => {
            let thickness: f64 = layers.iter().map(|layer| layer.thickness).sum();
            let layers = match layers.len() {
                1 => String::new(),
                count => format!(", {count} layers"),
            };
            format!("slab of {:.0} mm{layers}", 1e3 * thickness)
        }
        Material::Textured { wall, texture } => {
            let scattering = texture.scattering.map_or(String::new(), |scattering| {
                format!(", scattering {}", scattering.coefficient)
            });
            format!("{}{scattering}", about(wall))
        }
        Material::DisplacedAirIgnored(wall) => about(wall),
        Material::Flat { wall, .. } => format!("{}, known losses", about(wall)),
    }
}
