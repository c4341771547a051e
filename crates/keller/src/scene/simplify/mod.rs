//! Terrain with fewer facets, nowhere farther from the given ones in height than a stated error.
//!
//! The facets that [`Scene::terrain_of`] recognises, and level ground of one face, make a height field ([`field`]). The
//! outline of each material and the feet of walls stay ([`outline`]). Greedy insertion fills the rest ([`insertion`]):
//! the vertex that lies farthest from a Delaunay triangulation is added to it until none lies too far.
//!
//! Two surfaces of triangles are farthest apart at a vertex of one of them or where their edges cross. The new vertices
//! are some of the old ones, so the error is known at all old vertices and at all crossings. Triangles of one face are
//! flat together, so only the corners of faces and the lines between faces are looked at.
//!
//! **Cost:** that of a second [`Scene::new`] of the triangles that are left, and a few visits of every vertex.
//!
//! # Source
//! M. Garland and P. S. Heckbert, "Fast Polygonal Approximation of Terrains and Height Fields", CMU-CS-95-181, 1995.

mod field;
mod insertion;
mod outline;
mod triangulation;

use field::HeightField;
use insertion::Insertion;
use outline::Outline;

use super::mesh::{Mesh, MeshMaterial, MeshTriangle};
use super::{Defects, FaceId, Scene};
use crate::{Control, Error};

/// The numbers of triangles of terrain before and after simplification.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SimplifiedTerrain {
    /// Triangles of terrain before.
    pub num_before: usize,
    /// Triangles in their place.
    pub num_after: usize,
    /// Triangles of terrain that stay as they were, because another one is over them, or next to them at another
    /// height. They count in neither number.
    pub num_left: usize,
}

/// A triangle of terrain.
#[derive(Debug, Clone, Copy)]
struct Facet {
    /// Its number in the scene.
    triangle: usize,
    /// Counter-clockwise seen from above.
    corners: [u32; 3],
    /// The number of the connected ground of one material to which it belongs.
    patch: u32,
    /// Its face, whose triangles are flat together.
    face: FaceId,
}

impl Scene {
    /// This scene with fewer triangles of terrain, which are nowhere farther than `max_error`, metres, from the given
    /// ones in height. Below a millimetre, they may be a millimetre farther, because a surface that deviates less from
    /// a plane is planar for a scene. Outlines of terrain, of its holes and of its materials stay, and so do the feet
    /// of walls that share vertices with it. All ids change. If no triangle can be saved, the scene is the same.
    ///
    /// Fronts of the new triangles look where most of the given ones of their material look.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If `max_error` is negative or no number.
    pub fn with_simplified_terrain(
        self,
        max_error: f64,
        control: &Control<'_>,
    ) -> Result<(Self, SimplifiedTerrain), Error> {
        assert!(max_error >= 0.0, "an error of {max_error} m");
        let mut field = HeightField::new(&self);
        // Facets that cannot be laid out in the plan are left out, until the rest can.
        let simplified = loop {
            control.check()?;
            if field.facets.is_empty() {
                break Vec::new();
            }
            let outline = Outline::new(&self, &field);
            let unfit = match Insertion::new(&self, &field, &outline) {
                Ok(insertion) => break insertion.simplified(max_error, control)?,
                Err(unfit) => unfit,
            };
            field.leave(&unfit);
        };
        let mut report = SimplifiedTerrain {
            num_before: field.facets.len(),
            num_after: simplified.len(),
            num_left: field.num_left,
        };
        if simplified.len() >= field.facets.len() {
            report.num_after = report.num_before;
            return Ok((self, report));
        }
        let mesh = self.mesh_with(&field, &simplified);
        let mut scene = Self::with_control(&mesh, control)?.with_dispatch(self.index.dispatch());
        scene.defects = Defects {
            near_vertices: self.defects.near_vertices,
            zero_area_triangles: self.defects.zero_area_triangles
                + scene.defects.zero_area_triangles,
            ..scene.defects
        };
        scene.clutter = self.clutter;
        Ok((scene, report))
    }

    /// The mesh of this scene with other facets of terrain.
    fn mesh_with(&self, field: &HeightField, simplified: &[([u32; 3], u32)]) -> Mesh {
        let mut is_replaced = vec![false; self.triangles.len()];
        for facet in &field.facets {
            is_replaced[facet.triangle] = true;
        }
        let material = |triangle: usize| {
            let material = self.face(self.triangle_faces[triangle]).material;
            u32::try_from(material.index()).expect("few materials")
        };
        let mut triangles = Vec::new();
        for t in (0..self.triangles.len()).filter(|t| !is_replaced[*t]) {
            let triangle = MeshTriangle {
                vertices: self.triangles[t],
                material: material(t),
            };
            triangles.extend((0..self.copies[t]).map(|_| triangle));
        }
        let patches = field.patches(self);
        triangles.extend(simplified.iter().map(|&([a, b, c], patch)| {
            let patch = &patches[&patch];
            MeshTriangle {
                vertices: if patch.looks_up { [a, b, c] } else { [a, c, b] },
                material: material(patch.triangle),
            }
        }));
        let named = self.materials.iter().zip(&self.definitions);
        let mesh = Mesh {
            vertices: self.vertices.clone(),
            triangles,
            materials: named
                .map(|(name, definition)| MeshMaterial {
                    name: name.clone(),
                    definition: definition.clone(),
                })
                .collect(),
        };
        // Vertices that no triangle has any more go.
        mesh.without(&[])
    }
}
