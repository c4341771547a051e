//! GLB, the binary form of glTF 2.0: what Blender, browsers and keller itself read.
//!
//! Beside the objects there may be drawings, such as the map of a coverage, which keller leaves out when it reads the file.
//!
//! One node an object, with a place of its own: positions are 32-bit numbers, and near to their object they are good to
//! micrometres even where a city is kilometres wide. What they lack is kept beside them, so that keller reads back what was written.
//! glTF has y up, so everything is turned.
//!
//! # Source
//! Khronos Group, glTF 2.0 specification, 2021.

mod drawing;

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};
use keller::clutter::Volume;
use keller::scene::{Mesh, MeshMaterial, MeshTriangle};
use keller_geo::crs::Georeference;
use serde_json::{Value, json};

use self::drawing::{DRAWING_MATERIAL, UNLIT};
use crate::import::Object;
use crate::kept::{KeptClutter, KeptMaterial, KeptPlace, POSITION_LOW};
use crate::looks;
use crate::table::VERSION;

pub use drawing::Drawing;

/// What a file holds beside walls.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// Volumes of clutter, by name.
    pub clutter: &'a [(String, Volume)],
    /// What shows results and is no part of the scene.
    pub drawings: &'a [Drawing],
    /// Where on earth it lies.
    pub georeference: Option<&'a Georeference>,
}

/// What glTF calls numbers of 32 bits, and triangles.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const TRIANGLES: u32 = 4;

const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BINARY_CHUNK: &[u8; 4] = b"BIN\0";

/// A mesh as GLB: its objects as nodes, its materials by their names and with what they are made of, and where on earth it lies, if that
/// is known. Triangles of no object are left out. The volumes of `clutter` are nodes by their names, of materials that say how much they
/// attenuate.
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
    let nodes: Vec<usize> = (0..file.nodes.len()).collect();
    let mut scene = json!({ "nodes": nodes });
    if let Some(georeference) = georeference {
        scene["extras"] = json!(KeptPlace::from(georeference));
    }
    let mut root = json!({
        "asset": { "version": "2.0", "generator": format!("keller {VERSION}") },
        "scene": 0,
        "scenes": [scene],
        "nodes": file.nodes,
        "meshes": file.meshes,
        "accessors": file.accessors,
        "bufferViews": file.views,
        "buffers": [{ "byteLength": file.bytes.len() }],
    });
    if !drawings.is_empty() {
        materials.push(json!({
            "name": DRAWING_MATERIAL,
            "doubleSided": true,
            "pbrMetallicRoughness": { "metallicFactor": 0.0 },
            "extensions": { UNLIT: {} },
        }));
        root["extensionsUsed"] = json!([UNLIT]);
    }
    // glTF takes no empty list.
    if !materials.is_empty() {
        root["materials"] = materials.into();
    }
    if let Some(root) = root.as_object_mut() {
        root.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
        if file.bytes.is_empty() {
            root.remove("buffers");
        }
    }
    let json = padded(root.to_string().into_bytes(), b' ');
    let binary = padded(file.bytes, 0);
    let length = |n: usize| {
        u32::try_from(n)
            .expect("fewer than 2^32 bytes")
            .to_le_bytes()
    };
    let mut bytes = Vec::with_capacity(28 + json.len() + binary.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&2_u32.to_le_bytes());
    bytes.extend_from_slice(&length(12 + 8 + json.len() + 8 + binary.len()));
    for (kind, chunk) in [(JSON_CHUNK, &json), (BINARY_CHUNK, &binary)] {
        bytes.extend_from_slice(&length(chunk.len()));
        bytes.extend_from_slice(kind);
        bytes.extend_from_slice(chunk);
    }
    bytes
}

/// A material, in a colour that tells it from others.
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

/// The material of volumes, which one can look into.
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

/// Red, green, blue and opacity of a material, linear in light.
fn linear_colour(name: &str) -> [f64; 4] {
    /// What screens raise values to, about.
    const GAMMA: f64 = 2.2;
    let [r, g, b] = looks::colour(name).map(|v| v.powf(GAMMA));
    [r, g, b, 1.0]
}

/// A file while it grows.
#[derive(Debug, Default)]
struct Glb {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
}

impl Glb {
    fn add(&mut self, mesh: &Mesh, object: &Object) {
        let triangles = &mesh.triangles[object.triangles.clone()];
        if triangles.is_empty() {
            return;
        }
        let corners = triangles.iter().flat_map(|triangle| triangle.vertices);
        let place = middle(corners.map(|v| mesh.vertices[v as usize]));
        let mut by_material: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
        for triangle in triangles {
            let of_one = by_material.entry(triangle.material).or_default();
            of_one.push(triangle.vertices);
        }
        let primitives: Vec<Value> = by_material
            .into_iter()
            .map(|(material, triangles)| {
                let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
                vertices.sort_unstable();
                vertices.dedup();
                let points = vertices.iter().map(|&v| mesh.vertices[v as usize]);
                let attributes = self.positions(points, place);
                let number = |v: &u32| vertices.binary_search(v).unwrap_or_default();
                let numbers: Vec<usize> = triangles.iter().flatten().map(number).collect();
                let indices = self.indices(&numbers);
                json!({
                    "attributes": attributes,
                    "indices": indices,
                    "material": material,
                    "mode": TRIANGLES,
                })
            })
            .collect();
        self.nodes.push(json!({
            "name": object.name,
            "mesh": self.meshes.len(),
            "translation": turned(place).to_array(),
        }));
        self.meshes
            .push(json!({ "name": object.name, "primitives": primitives }));
    }

    fn add_volume(&mut self, name: &str, volume: &Volume, material: usize) {
        let material = u32::try_from(material).expect("fewer than 2^32 materials");
        let triangle = |&vertices| MeshTriangle { vertices, material };
        let mesh = Mesh {
            vertices: volume.vertices().to_vec(),
            triangles: volume.triangles().iter().map(triangle).collect(),
            ..Mesh::default()
        };
        let object = Object {
            name: name.to_owned(),
            triangles: 0..mesh.triangles.len(),
        };
        self.add(&mesh, &object);
    }

    /// Accessors of positions from `place` on, and of what 32 bits of them leave over.
    fn positions(&mut self, points: impl Iterator<Item = DVec3>, place: DVec3) -> Value {
        let (high, low): (Vec<Vec3>, Vec<Vec3>) = points
            .map(|point| {
                let exact = turned(point - place);
                let high = exact.as_vec3();
                (high, (exact - high.as_dvec3()).as_vec3())
            })
            .unzip();
        let mut attributes = json!({ "POSITION": self.vectors(&high) });
        if low.iter().any(|low| *low != Vec3::ZERO) {
            attributes[format!("_{POSITION_LOW}")] = self.vectors(&low).into();
        }
        attributes
    }

    fn vectors(&mut self, vectors: &[Vec3]) -> usize {
        let bytes = vectors.iter().flat_map(Vec3::to_array);
        let view = self.view(bytes.flat_map(f32::to_le_bytes));
        let bound = |pick: fn(Vec3, Vec3) -> Vec3| {
            let bound = vectors.iter().copied().reduce(pick);
            bound.unwrap_or_default().to_array()
        };
        self.accessors.push(json!({
            "bufferView": view,
            "componentType": FLOAT,
            "count": vectors.len(),
            "type": "VEC3",
            "min": bound(Vec3::min),
            "max": bound(Vec3::max),
        }));
        self.accessors.len() - 1
    }

    fn indices(&mut self, indices: &[usize]) -> usize {
        let number = |i: &usize| u32::try_from(*i).expect("fewer than 2^32 vertices");
        let view = self.view(indices.iter().flat_map(|i| number(i).to_le_bytes()));
        self.accessors.push(json!({
            "bufferView": view,
            "componentType": UNSIGNED_INT,
            "count": indices.len(),
            "type": "SCALAR",
        }));
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        self.views.push(json!({
            "buffer": 0,
            "byteOffset": offset,
            "byteLength": self.bytes.len() - offset,
        }));
        self.views.len() - 1
    }
}

/// The middle of what holds all points, in whole metres.
fn middle(points: impl Iterator<Item = DVec3>) -> DVec3 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for point in points {
        (low, high) = (low.min(point), high.max(point));
    }
    (0.5 * (low + high)).round()
}

/// z up becomes y up.
fn turned(v: DVec3) -> DVec3 {
    DVec3::new(v.x, v.z, -v.y)
}

fn padded(mut bytes: Vec<u8>, with: u8) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), with);
    bytes
}

#[cfg(test)]
mod tests;
