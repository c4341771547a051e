//! The unconnected triangles that importers return, before they are analysed.

use glam::DVec3;

use crate::materials::Material;

/// Triangles as read from a file: axes x east, y north, z up, metres.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions, metres.
    pub vertices: Vec<DVec3>,
    /// The triangles, each with its material.
    pub triangles: Vec<MeshTriangle>,
    /// The materials to which the triangles refer by index.
    pub materials: Vec<MeshMaterial>,
}

/// One triangle of a [`Mesh`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshTriangle {
    /// Indices into [`Mesh::vertices`], counter-clockwise seen from outside if the file defines an outside.
    pub vertices: [u32; 3],
    /// Index into [`Mesh::materials`].
    pub material: u32,
}

/// A material as named in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshMaterial {
    /// The name in the file, as the user would write it in a scenario's `[materials.NAME]`.
    pub name: String,
    /// The electrical definition, if the file contains one.
    pub definition: Option<Material>,
}

impl Mesh {
    /// The index of the material called `name`. A new material is added without a definition.
    ///
    /// # Panics
    /// If there would be 2^32 materials.
    pub fn material_index(&mut self, name: &str) -> u32 {
        let found = self.materials.iter().position(|m| m.name == name);
        let index = found.unwrap_or_else(|| {
            self.materials.push(MeshMaterial {
                name: name.to_owned(),
                definition: None,
            });
            self.materials.len() - 1
        });
        u32::try_from(index).expect("fewer than 2^32 materials")
    }

    /// Adds a flat convex polygon of the material called `material`. Its front is the side from which its corners
    /// (metres) turn counter-clockwise.
    ///
    /// # Panics
    /// If there would be 2^32 vertices.
    pub fn add_polygon(&mut self, material: &str, corners: &[DVec3]) {
        let material = self.material_index(material);
        let index = |k: usize| u32::try_from(k).expect("fewer than 2^32 vertices");
        let first = index(self.vertices.len());
        self.vertices.extend_from_slice(corners);
        for k in 1..index(corners.len()).saturating_sub(1) {
            self.triangles.push(MeshTriangle {
                vertices: [first, first + k, first + k + 1],
                material,
            });
        }
    }

    /// The mesh without some of its triangles, and without the vertices that only these had. Materials stay.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[must_use]
    pub fn without(mut self, triangles: &[usize]) -> Self {
        let mut stays = vec![true; self.triangles.len()];
        for &t in triangles {
            stays[t] = false;
        }
        let mut stays = stays.into_iter();
        self.triangles.retain(|_| stays.next() == Some(true));
        let mut is_used = vec![false; self.vertices.len()];
        for vertex in self.triangles.iter().flat_map(|t| t.vertices) {
            is_used[vertex as usize] = true;
        }
        let mut next = 0_u32;
        let numbers: Vec<u32> = is_used
            .iter()
            .map(|&is_used| {
                next += u32::from(is_used);
                next - u32::from(is_used)
            })
            .collect();
        let mut is_used = is_used.into_iter();
        self.vertices.retain(|_| is_used.next() == Some(true));
        for triangle in &mut self.triangles {
            triangle.vertices = triangle.vertices.map(|v| numbers[v as usize]);
        }
        self
    }

    /// Adds all of `other` to this mesh. Materials of the same name become one.
    ///
    /// # Panics
    /// If the meshes together have 2^32 vertices or more.
    pub fn append(&mut self, other: &Self) {
        let base = u32::try_from(self.vertices.len()).expect("fewer than 2^32 vertices");
        let map: Vec<u32> = other
            .materials
            .iter()
            .map(|material| {
                let index = self.material_index(&material.name);
                let slot = &mut self.materials[index as usize];
                if slot.definition.is_none() {
                    slot.definition.clone_from(&material.definition);
                }
                index
            })
            .collect();
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles
            .extend(other.triangles.iter().map(|t| MeshTriangle {
                vertices: t.vertices.map(|v| v + base),
                material: map[t.material as usize],
            }));
    }
}
