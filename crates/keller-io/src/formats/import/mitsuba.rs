//! Mitsuba scene XML, the flavour that Sionna RT reads and Blender writes: shapes from PLY and OBJ files, cubes and
//! rectangles, `to_world` transforms, radio materials, `<default>` values and `<include>`d files.
//!
//! Everything that is not a surface or its material (sensors, emitters, integrators, films) is passed over in silence;
//! a shape of a kind that is not read is a warning. Files are looked for in the folder of the scene file, as in
//! Mitsuba.
//!
//! A material keeps its id without a leading `mat-`, so `mat-itu_concrete` is `[materials.itu_concrete]` in a scenario.
//! Its definition is read from the file:
//!
//! - `itu-radio-material`: a row of ITU-R P.2040 by its `type`, as one slab of its `thickness`.
//! - `radio-material`: `relative_permittivity` (1 if absent) and `conductivity` (0 S/m if absent), as one slab of its
//!   `thickness`. 1e9 S/m or more stand for a perfect conductor, which the format has no word for.
//! - Anything else (`diffuse`, `twosided` and so on) says how the surface looks. Then the id alone tells the material,
//!   as in `mat-itu_concrete`, and there is no definition, unless such an id comes with a `thickness`.
//!
//! A missing thickness is 0.1 m, as in Sionna RT. A wall of 10 m or more is a half space: scene files can say so only
//! by a large number, and next to nothing would come back from the far side.

mod document;
mod materials;
mod shapes;
mod transform;

use keller_geo::shown::shown;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::document::{Document, Node};
use self::materials::SceneMaterial;
use self::shapes::Shape;
use super::{Imported, Object, ReadFile, Warning};
use crate::formats::ImportError;
use keller::parallel;

/// The triangles and materials of a Mitsuba scene.
///
/// `read` is asked for the meshes and included files that the scene names; meshes are read in parallel and come out in
/// the order of the shapes.
///
/// # Errors
/// [`ImportError`] of this file or of one that it names.
pub fn parse(bytes: &[u8], file: &Path, read: &ReadFile<'_>) -> Result<Imported, ImportError> {
    let document = Document::parse(bytes, file, read)?;
    let mut scene = SceneFile::new(&document);
    scene.collect(&document.root)?;
    scene.load(read)
}

/// The contents of a scene file, before its meshes are read.
struct SceneFile<'d> {
    document: &'d Document,
    /// The materials by id, as `<ref>` names them.
    materials: BTreeMap<&'d str, SceneMaterial>,
    /// The ids of everything else: a reference to those is no material.
    other_ids: BTreeSet<&'d str>,
    shapes: Vec<Shape<'d>>,
    warnings: Vec<Warning>,
}

impl<'d> SceneFile<'d> {
    fn new(document: &'d Document) -> Self {
        Self {
            document,
            materials: BTreeMap::new(),
            other_ids: BTreeSet::new(),
            shapes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Takes the materials and shapes among the children of `parent`.
    fn collect(&mut self, parent: &'d Node) -> Result<(), ImportError> {
        for node in &parent.children {
            match node.tag.as_str() {
                "bsdf" => self.add_material(node)?,
                "shape" if node.attribute("type") == Some("merge") => self.collect(node)?,
                "shape" => self.add_shape(node)?,
                "alias" => self.add_alias(node),
                _ => self.other_ids.extend(node.attribute("id")),
            }
        }
        Ok(())
    }

    fn add_material(&mut self, node: &'d Node) -> Result<(), ImportError> {
        // Nothing can refer to a material without an id.
        let Some(id) = node.attribute("id") else {
            return Ok(());
        };
        let mut material = SceneMaterial::read(self.document, node, &mut self.warnings)?;
        let same_name = self.materials.values().find(|m| m.name == material.name);
        if let Some(first) = same_name
            && first.definition != material.definition
        {
            self.warnings.push(Warning::new(
                self.document.path(node),
                format!(
                    "the materials called `{0}` and `mat-{0}` differ; the definition of the first is used for both",
                    material.name
                ),
            ));
            material = first.clone();
        }
        if self.materials.insert(id, material).is_some() {
            let problem = format!("there are two materials with the id `{id}`", id = shown(id));
            return Err(self.document.malformed(node, problem));
        }
        Ok(())
    }

    fn add_alias(&mut self, node: &'d Node) {
        if let (Some(id), Some(alias)) = (node.attribute("id"), node.attribute("as"))
            && let Some(material) = self.materials.get(id).cloned()
        {
            self.materials.insert(alias, material);
        }
    }

    fn add_shape(&mut self, node: &'d Node) -> Result<(), ImportError> {
        if let Some(shape) = Shape::read(self.document, node)? {
            self.shapes.push(shape);
            return Ok(());
        }
        let kind = node.attribute("type").unwrap_or("(none)");
        let id = node.attribute("id").unwrap_or("(none)");
        let message = format!(
            "shape `{id}` of type `{kind}` is left out; read are ply, obj, cube, rectangle and merge",
            id = shown(id),
            kind = shown(kind)
        );
        let warning = Warning::new(self.document.path(node), message);
        self.warnings.push(warning);
        Ok(())
    }

    /// Reads the meshes and puts them together.
    fn load(mut self, read: &ReadFile<'_>) -> Result<Imported, ImportError> {
        let shapes = std::mem::take(&mut self.shapes);
        let materials = shapes
            .iter()
            .map(|shape| self.material_of(shape))
            .collect::<Result<Vec<_>, _>>()?;
        let loaded: Vec<Result<Imported, ImportError>> = parallel::map(shapes.len(), |n| {
            shapes[n].load(self.document, materials[n].as_ref(), read)
        });
        let mut all = Imported {
            warnings: self.warnings,
            ..Imported::default()
        };
        for (shape, imported) in shapes.iter().zip(loaded) {
            let mut imported = imported?;
            imported.objects.clear();
            if let Some(id) = shape.node.attribute("id") {
                let triangles = 0..imported.mesh.triangles.len();
                let name = id.to_owned();
                imported
                    .objects
                    .extend((!triangles.is_empty()).then_some(Object { name, triangles }));
            }
            all.append(imported, self.document.path(shape.node))?;
        }
        Ok(all)
    }

    /// The material that the shape names or holds; `None` if it does neither.
    fn material_of(&mut self, shape: &Shape<'d>) -> Result<Option<SceneMaterial>, ImportError> {
        for node in &shape.node.children {
            match node.tag.as_str() {
                "bsdf" => {
                    let material = SceneMaterial::read(self.document, node, &mut self.warnings)?;
                    return Ok(Some(material));
                }
                "ref" => {
                    let id = self.document.required(node, "id")?;
                    if let Some(material) = self.materials.get(id) {
                        return Ok(Some(material.clone()));
                    }
                    let is_other = node.attribute("name").is_some_and(|name| name != "bsdf");
                    if !is_other && !self.other_ids.contains(id) {
                        return Err(self.unknown_material(node, id));
                    }
                }
                _ => {}
            }
        }
        let id = shape.node.attribute("id").unwrap_or("(none)");
        let message = format!("shape `{id}` names no material", id = shown(id));
        let warning = Warning::new(self.document.path(shape.node), message);
        self.warnings.push(warning);
        Ok(None)
    }

    fn unknown_material(&self, node: &Node, id: &str) -> ImportError {
        let known: Vec<_> = self.materials.keys().copied().collect();
        let known = match known.len() {
            0 => "there are none".to_owned(),
            1..=20 => format!("there are {}", known.join(", ")),
            count => format!("there are {count} others"),
        };
        let problem = format!(
            "there is no material with the id `{id}`; {known}",
            id = shown(id)
        );
        self.document.malformed(node, problem)
    }
}
