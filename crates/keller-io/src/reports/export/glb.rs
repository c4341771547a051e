//! GLB, the binary form of glTF 2.0, which Blender, browsers and keller itself read.
//!
//! A file may have drawings as well as objects, such as the map of a coverage, which keller leaves out when it reads
//! the file.
//!
//! There is one node for each object, with a place of its own: positions are 32-bit numbers, and near to their object
//! they are good to micrometres even if a city is kilometres wide. Their low parts are kept in a second attribute, so
//! that keller reads back the written coordinates. glTF has y up, so everything is turned.
//!
//! # Source
//! Khronos Group, glTF 2.0 specification, 2021.

mod drawing;
mod legend;
mod parts;

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use keller::clutter::Volume;
use keller::scene::{Mesh, MeshMaterial};
use keller_geo::crs::Georeference;
use serde::Serialize;
use serde_json::{Value, json};

use self::drawing::{DRAWING_MATERIAL, UNLIT};
use self::parts::{
    Accessor, Attributes, BufferView, FLOAT, MeshPart, Node, NodeExtras, Primitive, TRIANGLES,
    UNSIGNED_INT, View,
};
use crate::formats::VERSION;
use crate::formats::import::Object;
use crate::formats::kept::{KeptClutter, KeptMaterial, KeptPlace};
use crate::reports::looks;

pub use drawing::Drawing;
pub use legend::Legend;

/// The contents of a file other than walls.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// Volumes of clutter, by name.
    pub clutter: &'a [(String, Volume)],
    /// The drawings that show results and are no part of the scene.
    pub drawings: &'a [Drawing],
    /// The place of the scene on earth.
    pub georeference: Option<&'a Georeference>,
}

const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BINARY_CHUNK: &[u8; 4] = b"BIN\0";

/// The GLB of a mesh: its objects as nodes, its materials by their names and with their definitions, and its place on
/// earth, if that is known. Triangles of no object are left out. The volumes of `clutter` are nodes by their names, of
/// materials that state their attenuation.
///
/// # Panics
/// If an object has triangles that the mesh does not have, or the file would have 2^32 bytes.
pub fn glb(mesh: &Mesh, objects: &[Object], beside: &Beside<'_>) -> Vec<u8> {
    let Beside {
        clutter,
        drawings,
        georeference,
    } = *beside;
    let mut file = Glb::default();
    for object in objects {
        file.add(mesh, object);
    }
    let mut materials: Vec<Value> = mesh.materials.iter().map(written).collect();
    let mut kinds: Vec<KeptClutter> = Vec::new();
    for (name, volume) in clutter {
        let kept = KeptClutter::from(volume);
        let known = kinds.iter().position(|kind| *kind == kept);
        let kind = known.unwrap_or_else(|| {
            kinds.push(kept);
            materials.push(written_clutter(kept));
            kinds.len() - 1
        });
        file.add_volume(name, volume, mesh.materials.len() + kind);
    }
    for drawing in drawings {
        file.draw(drawing, materials.len());
    }
    if !drawings.is_empty() {
        materials.push(json!({
            "name": DRAWING_MATERIAL,
            "doubleSided": true,
            "pbrMetallicRoughness": { "metallicFactor": 0.0 },
            "extensions": { UNLIT: {} },
        }));
    }
    let mut scene = json!({});
    if !file.nodes.is_empty() {
        scene["nodes"] = (0..file.nodes.len()).collect();
    }
    if let Some(georeference) = georeference {
        scene["extras"] = json!(KeptPlace::from(georeference));
    }
    let (views, binary) = file.views();
    let root = Root {
        asset: json!({ "version": "2.0", "generator": format!("keller {VERSION}") }),
        extensions_used: if drawings.is_empty() { &[] } else { &[UNLIT] },
        scene: 0,
        scenes: [scene],
        nodes: &file.nodes,
        meshes: &file.meshes,
        materials,
        accessors: &file.accessors,
        buffer_views: views,
        buffers: Some(json!({ "byteLength": binary.len() }))
            .filter(|_| !binary.is_empty())
            .into_iter()
            .collect(),
    };
    let json = serde_json::to_vec(&root).expect("numbers and text are always JSON");
    container(json, binary)
}

/// The file as JSON; glTF takes no empty list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Root<'a> {
    asset: Value,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    extensions_used: &'a [&'a str],
    scene: usize,
    scenes: [Value; 1],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    nodes: &'a [Node<'a>],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    meshes: &'a [MeshPart<'a>],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    materials: Vec<Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    accessors: &'a [Accessor],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buffer_views: Vec<BufferView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buffers: Vec<Value>,
}

/// The JSON, and the binary part if there is any, in one file.
fn container(json: Vec<u8>, binary: Vec<u8>) -> Vec<u8> {
    let (json, binary) = (padded(json, b' '), padded(binary, 0));
    let length = |n: usize| {
        u32::try_from(n)
            .expect("fewer than 2^32 bytes")
            .to_le_bytes()
    };
    let chunks = [(JSON_CHUNK, &json), (BINARY_CHUNK, &binary)];
    let chunks = || chunks.iter().filter(|(_, chunk)| !chunk.is_empty());
    let size = 12 + chunks().map(|(_, chunk)| 8 + chunk.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(size);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&2_u32.to_le_bytes());
    bytes.extend_from_slice(&length(size));
    for (kind, chunk) in chunks() {
        bytes.extend_from_slice(&length(chunk.len()));
        bytes.extend_from_slice(*kind);
        bytes.extend_from_slice(chunk);
    }
    bytes
}

/// A material, in a colour that distinguishes it from others.
fn written(material: &MeshMaterial) -> Value {
    let mut written = json!({
        "name": material.name,
        "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorFactor": linear_colour(&material.name),
            "metallicFactor": 0.0,
            "roughnessFactor": 0.9,
        },
    });
    if let Some(definition) = &material.definition {
        written["extras"] = json!(KeptMaterial::from(definition));
    }
    written
}

/// The material of volumes, which is transparent.
fn written_clutter(kept: KeptClutter) -> Value {
    let max = kept.max_attenuation_db;
    let max = max.map_or(String::new(), |max| format!(", at most {max} dB"));
    json!({
        "name": format!("clutter {} dB/m{max}", kept.attenuation_db_per_m),
        "alphaMode": "BLEND",
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.08, 0.30, 0.06, 0.6],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.9,
        },
        "extras": kept,
    })
}

/// The red, green, blue and opacity of a material, linear in light.
fn linear_colour(name: &str) -> [f64; 4] {
    /// The exponent to which screens raise values, about.
    const GAMMA: f64 = 2.2;
    let [r, g, b] = looks::colour(name).map(|v| v.powf(GAMMA));
    [r, g, b, 1.0]
}

/// A file while it grows.
#[derive(Debug, Default)]
struct Glb<'a> {
    /// The bytes of each view.
    bytes: [Vec<u8>; View::ALL.len()],
    accessors: Vec<Accessor>,
    meshes: Vec<MeshPart<'a>>,
    nodes: Vec<Node<'a>>,
}

impl<'a> Glb<'a> {
    /// Adds an object, whose materials share its vertices.
    fn add(&mut self, mesh: &Mesh, object: &'a Object) {
        let triangles = &mesh.triangles[object.triangles.clone()];
        let mut vertices: Vec<u32> = triangles.iter().flat_map(|t| t.vertices).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let points: Vec<DVec3> = vertices
            .iter()
            .map(|&v| mesh.vertices[v as usize])
            .collect();
        let number = |v: u32| vertices.binary_search(&v).unwrap_or_default();
        let mut by_material: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for triangle in triangles {
            let of_one = by_material.entry(triangle.material as usize).or_default();
            of_one.extend(triangle.vertices.map(number));
        }
        self.body(&object.name, &points, by_material);
    }

    fn add_volume(&mut self, name: &'a str, volume: &Volume, material: usize) {
        let corners = volume.triangles().iter().flatten().map(|v| *v as usize);
        let triangles = BTreeMap::from([(material, corners.collect())]);
        self.body(name, volume.vertices(), triangles);
    }

    /// Adds a node with corners of triangles by material; nothing without any.
    fn body(&mut self, name: &'a str, points: &[DVec3], triangles: BTreeMap<usize, Vec<usize>>) {
        if triangles.is_empty() {
            return;
        }
        let place = centre(points.iter().copied());
        let attributes = self.positions(points, place);
        let primitives = triangles.into_iter().map(|(material, corners)| Primitive {
            attributes,
            indices: self.indices(&corners),
            material,
            mode: TRIANGLES,
        });
        let primitives = primitives.collect();
        self.node(name, place, primitives, None);
    }

    fn node(
        &mut self,
        name: &'a str,
        place: DVec3,
        primitives: Vec<Primitive>,
        extras: Option<NodeExtras<'a>>,
    ) {
        self.nodes.push(Node {
            name,
            mesh: self.meshes.len(),
            translation: turned(place).to_array(),
            extras,
        });
        self.meshes.push(MeshPart { name, primitives });
    }

    /// The positions relative to `place`, and the low parts that their 32 bits lack.
    fn positions(&mut self, points: &[DVec3], place: DVec3) -> Attributes {
        let exact = |point: &DVec3| turned(*point - place);
        let high: Vec<Vec3> = points.iter().map(|p| exact(p).as_vec3()).collect();
        let all = points.iter().zip(&high);
        let low: Vec<Vec3> = all
            .map(|(p, high)| (exact(p) - high.as_dvec3()).as_vec3())
            .collect();
        let is_exact = low.iter().all(|low| *low == Vec3::ZERO);
        Attributes {
            position: self.bounded(&high),
            low: (!is_exact).then(|| self.vectors(&low)),
            colour: None,
        }
    }

    /// Adds vectors with their bounds, which the format requires for positions.
    fn bounded(&mut self, vectors: &[Vec3]) -> usize {
        let bound = |pick: fn(Vec3, Vec3) -> Vec3| {
            let bound = vectors.iter().copied().reduce(pick);
            bound.map(|bound| bound.to_array())
        };
        let (min, max) = (bound(Vec3::min), bound(Vec3::max));
        let index = self.vectors(vectors);
        let accessor = &mut self.accessors[index];
        (accessor.min, accessor.max) = (min, max);
        index
    }

    fn vectors(&mut self, vectors: &[Vec3]) -> usize {
        let bytes = vectors.iter().flat_map(Vec3::to_array);
        let bytes = bytes.flat_map(f32::to_le_bytes);
        self.accessor(View::Vectors, FLOAT, "VEC3", vectors.len(), bytes)
    }

    fn indices(&mut self, indices: &[usize]) -> usize {
        let number = |i: &usize| u32::try_from(*i).expect("fewer than 2^32 vertices");
        let bytes = indices.iter().flat_map(|i| number(i).to_le_bytes());
        self.accessor(View::Indices, UNSIGNED_INT, "SCALAR", indices.len(), bytes)
    }

    fn accessor(
        &mut self,
        view: View,
        component_type: u32,
        kind: &'static str,
        count: usize,
        bytes: impl Iterator<Item = u8>,
    ) -> usize {
        let all = &mut self.bytes[view as usize];
        self.accessors.push(Accessor {
            buffer_view: view,
            byte_offset: all.len(),
            component_type,
            normalized: false,
            count,
            kind,
            min: None,
            max: None,
        });
        all.extend(bytes);
        self.accessors.len() - 1
    }

    /// The views, and their bytes. Views without bytes are left out; as those of colours come last, no number changes.
    fn views(&mut self) -> (Vec<BufferView>, Vec<u8>) {
        let mut views = Vec::new();
        let mut binary = Vec::new();
        for (view, bytes) in View::ALL.into_iter().zip(&mut self.bytes) {
            if !bytes.is_empty() {
                views.push(BufferView::new(view, binary.len(), bytes.len()));
                binary.append(bytes);
            }
        }
        (views, binary)
    }
}

/// The centre of the box around all points, in whole metres.
fn centre(points: impl Iterator<Item = DVec3>) -> DVec3 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for point in points {
        (low, high) = (low.min(point), high.max(point));
    }
    (0.5 * (low + high)).round()
}

/// A vector with z up, turned to y up.
fn turned(v: DVec3) -> DVec3 {
    DVec3::new(v.x, v.z, -v.y)
}

fn padded(mut bytes: Vec<u8>, with: u8) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), with);
    bytes
}

#[cfg(test)]
mod tests;
