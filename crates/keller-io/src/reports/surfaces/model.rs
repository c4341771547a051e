//! Surfaces in three dimensions, as a GLB for browsers and Blender: the scene, its tiles in colours before it, and the
//! transmitters.

use keller::DVec3;
use keller::materials::Material;

use super::{SurfaceMap, colour, scale};
use crate::formats::{OutputError, OutputFile};
use crate::reports::coverage::model::octahedron;
use crate::reports::export::{Drawing, Legend, scene_glb};

/// The distance of drawn tiles from their walls, as a part of their side, and the largest distance, metres: both would
/// flicker in one place.
const LIFT: f64 = 5e-3;
const MAX_LIFT: f64 = 0.05;

impl SurfaceMap<'_> {
    /// Writes a GLB to `out`, whole or not at all: the scene, made of `materials` (one for each name of its materials);
    /// every tile in the colour that pictures give the strongest gain of any Tx, on the side of that gain, and grey on
    /// both if nothing arrives; and an octahedron for each transmitter. Read as a scene, the file is the scene alone.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    ///
    /// # Panics
    /// If there are fewer materials than names, or the file would have 2^32 bytes.
    pub fn write_model(&self, out: OutputFile, materials: &[Material]) -> Result<(), OutputError> {
        let [low, high] = self.scene.bounds();
        let radius = (0.01 * (high - low).length()).clamp(0.1, 10.0);
        let mut drawings = vec![self.drawn()];
        for tx in &self.tx {
            drawings.push(octahedron(format!("Tx {}", tx.name), tx.position, radius));
        }
        let georeference = self.frame.map(keller_geo::crs::Frame::georeference);
        let definition = |id: usize| Some(materials[id].clone());
        let bytes = scene_glb(self.scene, definition, &drawings, georeference.as_ref());
        out.write(|writer| std::io::Write::write_all(writer, &bytes))
    }

    /// The drawing of all tiles.
    pub(super) fn drawn(&self) -> Drawing {
        let strongest = self.strongest();
        let scale = scale(&strongest);
        let legend = scale.map(|scale| Legend::of_scale("path gain", "dB", scale));
        let name = match &legend {
            Some(legend) => format!("{} on surfaces", legend.words()),
            None => "surfaces that nothing reaches".to_owned(),
        };
        let mut drawing = Drawing {
            name,
            legend,
            ..Drawing::default()
        };
        let lift = (LIFT * self.tiles.tiling().side).min(MAX_LIFT);
        for (number, strongest) in strongest.iter().enumerate() {
            let front = self.scene.face_normal(self.tiles.all()[number].face);
            let sides: &[f64] = match strongest {
                Some(strongest) if strongest.side == 0 => &[1.0],
                Some(_) => &[-1.0],
                None => &[1.0, -1.0],
            };
            let colour = colour(scale, *strongest);
            for (face, piece) in self.tiles.pieces(self.scene, number) {
                // Facets of one terrain may be turned against each other.
                let normal = self.scene.face_normal(face);
                let outwards = lift * normal * normal.dot(front).signum();
                for side in sides {
                    add_fan(&mut drawing, &piece, side * outwards, colour);
                }
            }
        }
        drawing
    }
}

/// Adds a convex polygon, shifted.
fn add_fan(drawing: &mut Drawing, polygon: &[DVec3], by: DVec3, colour: [u8; 3]) {
    for pair in polygon[1..].windows(2) {
        let corners = [polygon[0], pair[0], pair[1]].map(|corner| corner + by);
        drawing.add(corners, colour, &[[0, 1, 2]]);
    }
}
