//! The parts of a glTF file's JSON that are read here (glTF 2.0 specification, chapter 5): looks, skins, cameras,
//! lights and animations are passed over. Transforms are in double precision, for a model may be placed on a map.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::formats::{ImportError, Place};

/// The whole file. Its parts name each other by index; [`Root::check`] finds out whether all are in range.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root {
    asset: Asset,
    #[serde(default)]
    pub(super) extensions_used: Vec<String>,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Vec<Scene>,
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(super) materials: Vec<Material>,
    #[serde(default)]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default)]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Debug, Deserialize)]
struct Asset {
    version: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
    #[serde(default)]
    pub(super) extras: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) mesh: Option<usize>,
    #[serde(default)]
    pub(super) children: Vec<usize>,
    /// The matrix, column by column.
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    /// A quaternion: x, y, z, w.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    #[serde(default)]
    pub(super) extras: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    /// The indices of accessors by the name of their attribute, such as `POSITION`.
    pub(super) attributes: BTreeMap<String, usize>,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    #[serde(default)]
    pub(super) mode: Mode,
}

/// The shape that the vertices of a primitive make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub(super) enum Mode {
    PointsOrLines,
    #[default]
    Triangles,
    TriangleStrip,
    TriangleFan,
}

impl TryFrom<u32> for Mode {
    type Error = String;

    fn try_from(code: u32) -> Result<Self, String> {
        match code {
            0..=3 => Ok(Self::PointsOrLines),
            4 => Ok(Self::Triangles),
            5 => Ok(Self::TriangleStrip),
            6 => Ok(Self::TriangleFan),
            _ => Err(format!("the mode {code} is none of 0 to 6")),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Material {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) extras: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: Component,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    /// The type of an element: `SCALAR`, `VEC3` and so on.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Sparse>,
}

/// Elements of an accessor that differ from those in its view.
#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparsePart,
    pub(super) values: SparsePart,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparsePart {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    /// The type of the numbers, which only the part with the indices has.
    pub(super) component_type: Option<Component>,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "u32")]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    /// The size of a number, bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

impl TryFrom<u32> for Component {
    type Error = String;

    fn try_from(code: u32) -> Result<Self, String> {
        Ok(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => {
                return Err(format!(
                    "the component type {code} is none of 5120 to 5123, 5125 and 5126"
                ));
            }
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: u64,
    pub(super) uri: Option<String>,
}

impl Root {
    /// Reads the file; its indices are not checked yet.
    ///
    /// # Errors
    /// [`ImportError::Malformed`] where it is not the JSON of glTF 2.
    pub(super) fn parse(text: &[u8], file: &Path) -> Result<Self, ImportError> {
        let root: Self = serde_json::from_slice(text).map_err(|error| {
            let place = Place::Line(error.line());
            ImportError::malformed(file, place, format!("not the JSON of glTF 2: {error}"))
        })?;
        let version = &root.asset.version;
        if !version.starts_with("2.") {
            let problem = format!("the version of glTF is {version:?}, accepted is 2");
            let place = Place::Named("asset.version".to_owned());
            return Err(ImportError::malformed(file, place, problem));
        }
        Ok(root)
    }

    /// Checks that all indices are in range.
    ///
    /// # Errors
    /// [`ImportError::Malformed`] where the file names a part that it does not have.
    pub(super) fn check(&self, file: &Path) -> Result<(), ImportError> {
        self.indices_are_in_range().map_err(|(place, problem)| {
            let problem = format!("not valid glTF: {problem}");
            ImportError::malformed(file, Place::Named(place), problem)
        })
    }

    /// Fails with the first index that is out of range: its place, and what is wrong with it.
    fn indices_are_in_range(&self) -> Result<(), (String, String)> {
        let within = |index: usize, count: usize, what: &str, place: &dyn Fn() -> String| {
            if index < count {
                return Ok(());
            }
            Err((
                place(),
                format!("{what} {index} is named, but the file has {count}"),
            ))
        };
        let nodes = self.nodes.len();
        if let Some(scene) = self.scene {
            within(scene, self.scenes.len(), "scene", &|| "scene".to_owned())?;
        }
        for (number, scene) in self.scenes.iter().enumerate() {
            for &node in &scene.nodes {
                within(node, nodes, "node", &|| format!("scenes[{number}].nodes"))?;
            }
        }
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some(mesh) = node.mesh {
                let place = || format!("nodes[{number}].mesh");
                within(mesh, self.meshes.len(), "mesh", &place)?;
            }
            for &child in &node.children {
                within(child, nodes, "node", &|| {
                    format!("nodes[{number}].children")
                })?;
            }
        }
        for (number, mesh) in self.meshes.iter().enumerate() {
            let place = || format!("mesh {number}");
            for primitive in &mesh.primitives {
                let accessors = primitive.attributes.values().chain(&primitive.indices);
                for &accessor in accessors {
                    within(accessor, self.accessors.len(), "accessor", &place)?;
                }
                if let Some(material) = primitive.material {
                    within(material, self.materials.len(), "material", &place)?;
                }
            }
        }
        for (number, accessor) in self.accessors.iter().enumerate() {
            let sparse = accessor.sparse.iter();
            let parts = sparse.flat_map(|sparse| [&sparse.indices, &sparse.values]);
            let views = parts
                .map(|part| part.buffer_view)
                .chain(accessor.buffer_view);
            for view in views {
                let place = || format!("accessors[{number}].bufferView");
                within(view, self.buffer_views.len(), "bufferView", &place)?;
            }
        }
        for (number, view) in self.buffer_views.iter().enumerate() {
            let place = || format!("bufferViews[{number}].buffer");
            within(view.buffer, self.buffers.len(), "buffer", &place)?;
        }
        Ok(())
    }
}
