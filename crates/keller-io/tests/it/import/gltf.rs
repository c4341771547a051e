//! glTF and its axes, nodes and accessors.

use base64::Engine;
use glam::DVec3;

use super::{Files, area, corners, names, vector_area, warnings};

/// A glTF file of the given parts, with `data` as its buffer.
fn gltf(uri: &str, length: usize, parts: &str) -> String {
    format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":[{{\"byteLength\":{length},\"uri\":\"{uri}\"}}],{parts}}}"
    )
}

fn data_uri(data: &[u8]) -> String {
    let encoded = base64::engine::general_purpose::STANDARD.encode(data);
    format!("data:application/octet-stream;base64,{encoded}")
}

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// Four corners of a square, in glTF's axes: x right, y up.
const SQUARE: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];

/// One mesh of one primitive of mode `mode` from the first `count` corners of the square.
fn square(mode: u32, count: usize, nodes: &str) -> String {
    let parts = format!(
        "{nodes},\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}},\"mode\":{mode},\"material\":0}}]}}],\
         \"materials\":[{{\"name\":\"mat-itu_brick\"}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":{count},\"min\":[0,0,0],\"max\":[1,1,0]}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":48}}]"
    );
    gltf(&data_uri(&floats(&SQUARE)), 48, &parts)
}

const ONE_NODE: &str = "\"nodes\":[{\"mesh\":0}]";

#[test]
fn gltf_is_turned_to_z_up() {
    let imported = Files::new().import("scene.gltf", square(4, 3, ONE_NODE));
    assert_eq!(imported.warnings, []);
    assert_eq!(names(&imported.mesh), ["itu_brick"]);
    assert_eq!(corners(&imported.mesh), [[DVec3::ZERO, DVec3::X, DVec3::Z]]);
    // Up stays up, and the side towards the viewer (+z in glTF) faces south.
    assert_eq!(vector_area(&imported.mesh), DVec3::new(0.0, -0.5, 0.0));
}

#[test]
fn gltf_strips_and_fans() {
    let files = Files::new();
    let strip = files.import("strip.gltf", square(5, 4, ONE_NODE)).mesh;
    assert_eq!(
        vector_area(&strip),
        DVec3::new(0.0, -1.0, 0.0),
        "both triangles face one way"
    );
    assert_eq!(area(&strip), 1.0);
    // The corners of a fan make two triangles that overlap in part.
    let fan = files.import("fan.gltf", square(6, 4, ONE_NODE)).mesh;
    let (x, z) = (DVec3::X, DVec3::Z);
    assert_eq!(
        corners(&fan),
        [[DVec3::ZERO, x, z], [DVec3::ZERO, z, x + z]]
    );
    // Lines come first, and then triangles whose positions lack the bounds that the format requires.
    let parts = "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":1},{\"attributes\":{\"POSITION\":0}}]}],\
         \"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],\
         \"bufferViews\":[{\"buffer\":0,\"byteLength\":48}]";
    let lines = files.import("lines.gltf", gltf(&data_uri(&floats(&SQUARE)), 48, parts));
    assert_eq!(lines.mesh.triangles.len(), 1);
    assert_eq!(names(&lines.mesh), ["default"]);
    assert!(
        warnings(&lines)[0].contains("1 primitives of points or lines"),
        "{:?}",
        warnings(&lines)
    );
}

#[test]
fn gltf_nodes_place_their_meshes() {
    let files = Files::new();
    // The node is scaled by 2 in x, turned a quarter about y (x goes to -z), and moved; its child is mirrored and moved
    // before.
    let nodes = "\"scene\":1,\"scenes\":[{\"nodes\":[2]},{\"nodes\":[0]}],\"nodes\":[\
         {\"mesh\":0,\"children\":[1],\"scale\":[2,1,1],\"rotation\":[0,0.7071067811865476,0,0.7071067811865476],\"translation\":[691234.123456789,0,0]},\
         {\"mesh\":0,\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,0,5,0,1]},{\"mesh\":0}]";
    let imported = files.import("scene.gltf", square(4, 3, nodes));
    let [first, second] = corners(&imported.mesh)[..] else {
        panic!("the default scene has two meshes");
    };
    let base = DVec3::new(691_234.123_456_789, 0.0, 0.0);
    let near = |found: [DVec3; 3], expected: [DVec3; 3]| {
        found
            .iter()
            .zip(expected)
            .all(|(a, b)| a.abs_diff_eq(b + base, 1e-9))
    };
    assert!(
        near(first, [DVec3::ZERO, DVec3::new(0.0, 2.0, 0.0), DVec3::Z]),
        "{first:?}"
    );
    // The mirror image runs the other way round, so that its front stays its front.
    let up = DVec3::new(0.0, 0.0, 5.0);
    assert!(
        near(second, [up, up + DVec3::Z, up + DVec3::new(0.0, -2.0, 0.0)]),
        "{second:?}"
    );
}

#[test]
fn gltf_indices_sparse_and_quantized_accessors() {
    let files = Files::new();
    // The buffer has eight 16-bit numbers to a stride of 8 bytes, normalized; then indices; then a sparse replacement
    // of corner 2.
    let mut data = Vec::new();
    for corner in [
        [0, 0, 0, 0],
        [32767, 0, 0, 0],
        [0, 0, 0, 0],
        [0, 32767, 0, 0_i16],
    ] {
        data.extend(corner.iter().flat_map(|value| value.to_le_bytes()));
    }
    data.extend([0_u8, 1, 2, 0]);
    data.extend([2_u8, 0, 0, 0]);
    data.extend(
        [32767_i16, 32767, 0]
            .iter()
            .flat_map(|value| value.to_le_bytes()),
    );
    let parts = "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\
         \"extensionsRequired\":[\"KHR_mesh_quantization\"],\"extensionsUsed\":[\"KHR_mesh_quantization\"],\
         \"accessors\":[{\"bufferView\":0,\"componentType\":5122,\"normalized\":true,\"type\":\"VEC3\",\"count\":4,\"min\":[0,0,0],\"max\":[1,1,0],\
         \"sparse\":{\"count\":1,\"indices\":{\"bufferView\":2,\"componentType\":5121},\"values\":{\"bufferView\":3}}},\
         {\"bufferView\":1,\"componentType\":5121,\"type\":\"SCALAR\",\"count\":3}],\
         \"bufferViews\":[{\"buffer\":0,\"byteLength\":32,\"byteStride\":8},{\"buffer\":0,\"byteOffset\":32,\"byteLength\":4},\
         {\"buffer\":0,\"byteOffset\":36,\"byteLength\":4},{\"buffer\":0,\"byteOffset\":40,\"byteLength\":6}]";
    files.write("my walls.bin", &data);
    let imported = files.import("scene.gltf", gltf("my%20walls.bin", data.len(), parts));
    assert_eq!(imported.warnings, []);
    assert_eq!(
        corners(&imported.mesh),
        [[DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Z]]
    );
}
