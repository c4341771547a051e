//! A coverage in three dimensions, as a GLB for browsers and Blender: the scene, with the map lying in it and the transmitters.

use std::io::{self, Write};

use glam::{DVec2, DVec3};
use keller::clutter::Volume;
use keller::materials::Material;
use keller::scene::{Mesh, MeshTriangle, Scene};

use super::CoverageMap;
use crate::OutputFile;
use crate::export::{Beside, Drawing, glb};
use crate::import::Object;
use crate::plot::ColourScale;
use crate::table::TableError;

/// Red, as on pictures.
const TX: [u8; 3] = [0xc8, 0x10, 0x2e];

impl CoverageMap<'_> {
    /// Writes a GLB to `out`, whole or not at all: `scene`, made of `materials` (one a name of [`Scene::materials`]); a square a cell of
    /// the first height, where a receiver would be, in the colour that pictures give its strongest path gain; and an octahedron a
    /// transmitter. Cells without a path have no square. Read as a scene, the file is `scene` alone.
    ///
    /// # Errors
    /// [`TableError::Write`]
    ///
    /// # Panics
    /// If there are fewer materials than names, or the file would have 2^32 bytes.
    pub fn write_model(
        &self,
        out: OutputFile,
        scene: &Scene,
        materials: &[Material],
    ) -> Result<(), TableError> {
        out.write(|writer| self.write_glb(writer, scene, materials))
    }

    fn write_glb(
        &self,
        writer: &mut dyn Write,
        scene: &Scene,
        materials: &[Material],
    ) -> io::Result<()> {
        let mesh = mesh_of(scene, materials);
        let object = Object {
            name: "scene".to_owned(),
            triangles: 0..mesh.triangles.len(),
        };
        let region = self.region;
        let extent = region.resolution * DVec2::from(region.num_columns.map(|n| n as f64));
        // To be seen from where the whole map is.
        let radius = (0.01 * extent.length()).clamp(0.1, 10.0);
        let mut drawings: Vec<Drawing> = self.draped()?.into_iter().collect();
        for tx in &self.tx {
            drawings.push(octahedron(format!("Tx {}", tx.name), tx.position, radius));
        }
        let georeference = self.frame.map(keller_geo::crs::Frame::georeference);
        let volumes = scene.clutter().volumes().iter().enumerate();
        let clutter: Vec<(String, Volume)> = volumes
            .map(|(index, volume)| (format!("clutter {index}"), volume.clone()))
            .collect();
        let beside = Beside {
            clutter: &clutter,
            drawings: &drawings,
            georeference: georeference.as_ref(),
        };
        writer.write_all(&glb(&mesh, &[object], &beside))
    }

    /// The map of the first height; `None` if no path leads anywhere.
    fn draped(&self) -> io::Result<Option<Drawing>> {
        let region = self.region;
        let values = self.strongest_gain_db()?;
        let Some(scale) = ColourScale::of(&values) else {
            return Ok(None);
        };
        let (low, high, height) = (scale.low, scale.high, self.height_name(0));
        let mut drawing = Drawing {
            name: format!("path gain from {low:.0} dB (dark) to {high:.0} dB (bright), {height}"),
            ..Drawing::default()
        };
        let half = 0.5 * region.resolution;
        for (number, value) in values.iter().enumerate() {
            let (Some(colour), Some(middle)) = (scale.colour(*value), self.centre(number)) else {
                continue;
            };
            let corners = [
                half,
                DVec2::new(-half.x, half.y),
                -half,
                DVec2::new(half.x, -half.y),
            ];
            let vertices = corners.map(|corner| middle + corner.extend(0.0));
            drawing.add(vertices, colour, &[[0, 1, 2], [0, 2, 3]]);
        }
        Ok(Some(drawing))
    }
}

impl Drawing {
    /// Adds a part of one colour.
    fn add<const N: usize>(
        &mut self,
        vertices: [DVec3; N],
        colour: [u8; 3],
        triangles: &[[u32; 3]],
    ) {
        let first = u32::try_from(self.vertices.len()).expect("fewer than 2^32 corners");
        self.vertices.extend(vertices);
        self.colours.extend([colour; N]);
        let all = triangles.iter().map(|triangle| triangle.map(|v| first + v));
        self.triangles.extend(all);
    }
}

fn octahedron(name: String, at: DVec3, radius: f64) -> Drawing {
    let axes = [
        DVec3::X,
        DVec3::Y,
        DVec3::NEG_X,
        DVec3::NEG_Y,
        DVec3::Z,
        DVec3::NEG_Z,
    ];
    let mut triangles = Vec::new();
    for k in 0..4 {
        let next = (k + 1) % 4;
        triangles.extend([[k, next, 4], [next, k, 5]]);
    }
    let mut drawing = Drawing {
        name,
        ..Drawing::default()
    };
    drawing.add(axes.map(|axis| at + radius * axis), TX, &triangles);
    drawing
}

/// The scene as a mesh; materials that no face has are left out.
fn mesh_of(scene: &Scene, materials: &[Material]) -> Mesh {
    let mut mesh = Mesh {
        vertices: scene.vertices().to_vec(),
        ..Mesh::default()
    };
    for (vertices, face) in scene.triangles().iter().zip(scene.triangle_faces()) {
        let id = scene.face(*face).material.index();
        let material = mesh.material_index(&scene.materials()[id]);
        let definition = &mut mesh.materials[material as usize].definition;
        definition.get_or_insert_with(|| materials[id].clone());
        mesh.triangles.push(MeshTriangle {
            vertices: *vertices,
            material,
        });
    }
    mesh
}
