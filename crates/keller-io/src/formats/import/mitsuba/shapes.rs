//! The shapes of a scene and their meshes.

use keller_geo::shown::shown;
use std::path::Path;

use glam::{DAffine3, DVec3};
use keller::scene::{Mesh, MeshMaterial};

use super::document::{self, Document, Node};
use super::materials::SceneMaterial;
use super::transform;
use crate::formats::import::soup::Soup;
use crate::formats::import::{Imported, ReadFile, Warning, obj, ply};
use crate::formats::{ImportError, Place};

/// A shape whose mesh has not been read yet.
#[derive(Debug)]
pub(super) struct Shape<'d> {
    pub(super) node: &'d Node,
    geometry: Geometry<'d>,
    to_world: DAffine3,
    flip: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Geometry<'d> {
    Ply(&'d str),
    Obj(&'d str),
    Cube,
    Rectangle,
}

impl<'d> Shape<'d> {
    /// The shape that `node` describes; `None` if it is of a kind that is not read.
    ///
    /// # Errors
    /// A missing file name, or an invalid transform.
    pub(super) fn read(document: &Document, node: &'d Node) -> Result<Option<Self>, ImportError> {
        let filename = || {
            let property = node.property("filename").ok_or_else(|| {
                let problem = "the shape has no string `filename`";
                document.malformed(node, problem)
            })?;
            document.required(property, "value")
        };
        let geometry = match node.attribute("type") {
            Some("ply") => Geometry::Ply(filename()?),
            Some("obj") => Geometry::Obj(filename()?),
            Some("cube") => Geometry::Cube,
            Some("rectangle") => Geometry::Rectangle,
            _ => return Ok(None),
        };
        let transform = node.property("to_world").or(node.property("toWorld"));
        let to_world = match transform {
            Some(transform) => transform::read(document, transform)?,
            None => DAffine3::IDENTITY,
        };
        let flip = node
            .property("flip_normals")
            .or(node.property("flipNormals"));
        let flip = flip.and_then(|flip| flip.attribute("value")) == Some("true");
        // A mirror image turns the sense of rotation round.
        let is_mirrored = to_world.matrix3.determinant() < 0.0;
        Ok(Some(Self {
            node,
            geometry,
            to_world,
            flip: flip != is_mirrored,
        }))
    }

    /// The shape's triangles in the world, all of `material` if there is one.
    pub(super) fn load(
        &self,
        document: &Document,
        material: Option<&SceneMaterial>,
        read: &ReadFile<'_>,
    ) -> Result<Imported, ImportError> {
        let here = document.path(self.node);
        let mut imported = match self.geometry {
            Geometry::Cube => solid(here, &CUBE.0, &CUBE.1)?,
            Geometry::Rectangle => solid(here, &RECTANGLE, &[[0, 1, 2, 3]])?,
            Geometry::Ply(name) | Geometry::Obj(name) => {
                let (path, bytes) = document::find(name, &document.folders, read);
                let bytes = bytes.map_err(|source| ImportError::Read {
                    file: path.clone(),
                    named_by: Some(document.place(self.node)),
                    source,
                })?;
                match self.geometry {
                    Geometry::Obj(_) => obj::parse_shape(&bytes, &path)?.0,
                    _ => ply::parse(&bytes, &path)?,
                }
            }
        };
        if imported.mesh.triangles.is_empty() {
            let id = self.node.attribute("id").unwrap_or("(none)");
            let message = format!("shape `{id}` has no triangles", id = shown(id));
            imported.warnings.push(Warning::new(here, message));
            imported.mesh = Mesh::default();
            return Ok(imported);
        }
        if let Some(material) = material {
            imported.mesh.materials = vec![MeshMaterial {
                name: material.name.clone(),
                definition: material.definition.clone(),
            }];
            for triangle in &mut imported.mesh.triangles {
                triangle.material = 0;
            }
        }
        self.place(&mut imported.mesh, document)?;
        Ok(imported)
    }

    fn place(&self, mesh: &mut Mesh, document: &Document) -> Result<(), ImportError> {
        if self.to_world != DAffine3::IDENTITY {
            for (index, vertex) in mesh.vertices.iter_mut().enumerate() {
                *vertex = self.to_world.transform_point3(*vertex);
                if !vertex.is_finite() {
                    let (file, line) = document.place(self.node);
                    let place = format!("{line}, shape after its to_world transform");
                    return Err(ImportError::VertexPosition {
                        file,
                        place: Place::Named(place.trim_start_matches(", ").to_owned()),
                        index,
                        position: vertex.to_array(),
                    });
                }
            }
        }
        if self.flip {
            for triangle in &mut mesh.triangles {
                triangle.vertices.swap(1, 2);
            }
        }
        Ok(())
    }
}

/// The cube from -1 to 1 on each axis, its sides counter-clockwise seen from outside.
const CUBE: ([[f64; 3]; 8], [[u32; 4]; 6]) = (
    [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [-1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ],
    [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ],
);

/// The square from -1 to 1 at z = 0, seen from above.
const RECTANGLE: [[f64; 3]; 4] = [
    [-1.0, -1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 1.0, 0.0],
    [-1.0, 1.0, 0.0],
];

fn solid(here: &Path, corners: &[[f64; 3]], sides: &[[u32; 4]]) -> Result<Imported, ImportError> {
    let mut soup = Soup::new(here);
    let material = soup
        .mesh
        .material_index(crate::formats::import::DEFAULT_MATERIAL);
    for &corner in corners {
        soup.vertex(DVec3::from(corner), || Place::File)?;
    }
    for side in sides {
        soup.polygon(side, material, || Place::File)?;
    }
    Ok(soup.finish())
}
