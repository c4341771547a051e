//! Bad scene files: each gives one error that names the file, the place in it and the fault.

#![allow(clippy::too_many_lines, reason = "the tests are tables")]

mod mitsuba;

use std::fmt::Write;
use std::fs;

use keller_io::formats::{import, import_many};

/// The name of a file, its content, and the words of its error in addition to the name.
type BadFile<'a> = (&'a str, &'a [u8], &'a [&'a str]);

/// Writes each file into a folder of its own and checks its error.
fn check(files: &[BadFile<'_>]) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, words) in files {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let error = match import(&path) {
            Ok(imported) => panic!(
                "{name} with {words:?} was taken: {} triangles",
                imported.mesh.triangles.len()
            ),
            Err(error) => error.to_string(),
        };
        for word in words.iter().chain([name]) {
            assert!(error.contains(word), "no `{word}` in: {error}");
        }
        assert!(!error.contains('\n'), "more than one line: {error}");
    }
}

/// An ascii PLY of three vertices.
fn ply(vertices: &str, faces: &str) -> Vec<u8> {
    let count = faces.lines().count();
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
         element face {count}\nproperty list uchar int vertex_indices\nend_header\n{vertices}{faces}"
    )
    .into_bytes()
}

fn binary_ply(counts: (u64, u64), body: &[u8]) -> Vec<u8> {
    let (vertices, faces) = counts;
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    );
    [header.as_bytes(), body].concat()
}

#[test]
fn any_file() {
    check(&[
        ("empty.ply", b"", &["empty"]),
        ("empty.obj", b"", &["empty"]),
        ("empty.stl", b"", &["empty"]),
        ("empty.xml", b"", &["empty"]),
        ("empty.gltf", b"", &["empty"]),
        ("empty.glb", b"", &["empty"]),
        (
            "scene.fbx",
            b"?",
            &["`.fbx`", ".xml", ".ply", ".obj", ".stl", ".gltf", ".glb"],
        ),
        ("scene", b"?", &["(none)", ".xml"]),
    ]);
    for name in ["no.ply", "no.obj", "no.stl", "no.xml", "no.gltf", "no.glb"] {
        let error = import(name.as_ref()).unwrap_err().to_string();
        assert!(
            error.contains(name) && error.contains("cannot be read"),
            "{error}"
        );
    }
    let error = import_many(&["no.obj".into()]).unwrap_err().to_string();
    assert!(error.contains("no.obj"), "{error}");
}

#[test]
fn a_ply() {
    let corners = "0 0 0\n1 0 0\n0 1 0\n";
    let triangle = [0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let vertices: Vec<u8> = triangle.iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut nan = vertices.clone();
    nan[16..20].copy_from_slice(&f32::NAN.to_le_bytes());
    let face = [&[3][..], &[0; 12]].concat();
    check(&[
        ("word.ply", b"plx\n", &["line 1", "`ply`"]),
        ("cut.ply", b"ply\nformat ascii 1.0\n", &["line 2", "`end_header`"]),
        ("format.ply", b"ply\nformat ebcdic 1.0\nend_header\n", &["line 2", "`ebcdic`", "binary_little_endian"]),
        ("no_format.ply", b"ply\nelement vertex 0\nend_header\n", &["`format`"]),
        ("count.ply", b"ply\nelement vertex -3\nend_header\n", &["line 2", "`-3`"]),
        ("type.ply", b"ply\nelement vertex 3\nproperty quad x\nend_header\n", &["line 3", "property TYPE NAME"]),
        ("loose.ply", b"ply\nproperty float x\nend_header\n", &["line 2", "before the first element"]),
        ("twice.ply", b"ply\nelement vertex 1\nelement vertex 1\nend_header\n", &["line 3", "two elements"]),
        ("what.ply", b"ply\nwhatever\nend_header\n", &["line 2", "`whatever`"]),
        ("no_vertex.ply", b"ply\nformat ascii 1.0\nend_header\n", &["`element vertex`"]),
        ("no_z.ply", b"ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nproperty int y\nend_header\n", &["`z`"]),
        (
            "no_list.ply",
            b"ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nproperty int y\nproperty int z\nelement face 0\nproperty int vertex_indices\nend_header\n",
            &["list", "`vertex_indices`"],
        ),
        (
            "strips.ply",
            b"ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nproperty int y\nproperty int z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n",
            &["tristrips", "not supported"],
        ),
        ("points.ply", &ply(corners, ""), &["no triangles"]),
        ("nan.ply", &ply("0 0 0\n1 nan 0\n0 1 0\n", "3 0 1 2"), &["line 11", "vertex 1", "NaN", "finite"]),
        ("inf.ply", &ply("0 0 0\n1 1e999 0\n0 1 0\n", "3 0 1 2"), &["line 11", "vertex 1", "inf"]),
        ("letters.ply", &ply("0 0 0\n1 abc 0\n0 1 0\n", "3 0 1 2"), &["line 11", "`abc`", "number"]),
        ("index.ply", &ply(corners, "3 0 1 2\n3 0 1 3"), &["face 1", "vertex 3", "3 vertices"]),
        ("negative.ply", &ply(corners, "3 0 1 -1"), &["face 0", "vertex -1"]),
        ("fraction.ply", &ply(corners, "3 0 1 1.5"), &["face 0", "vertex 1.5"]),
        ("length.ply", &ply(corners, "-3 0 1 2"), &["face 0", "-3 values"]),
        ("short.ply", &ply(corners, "3 0 1"), &["face 0", "truncated"]),
        ("huge.ply", &binary_ply((4_000_000_000, 1), &[0; 100]), &["4000000000", "100 bytes"]),
        ("huge_faces.ply", &binary_ply((3, 4_000_000_000), &vertices), &["4000000000", "truncated"]),
        ("endless.ply", &binary_ply((u64::MAX, 1), &[0; 100]), &["truncated"]),
        ("half.ply", &binary_ply((3, 1), &[&vertices[..], &face[..9]].concat()), &["face 0", "truncated"]),
        ("less.ply", &binary_ply((3, 1), &vertices[..35]), &["vertex", "35 bytes", "truncated"]),
        ("nan_binary.ply", &binary_ply((3, 1), &[&nan[..], &face].concat()), &["vertex 1", "NaN"]),
        ("index_binary.ply", &binary_ply((3, 1), &[&vertices[..], &[3, 9, 0, 0, 0], &[0; 8]].concat()), &["face 0", "vertex 9"]),
    ]);
}

#[test]
fn an_obj() {
    check(&[
        (
            "points.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\n",
            &["no triangles"],
        ),
        ("binary.obj", &[0xff; 64], &["no triangles"]),
        (
            "nan.obj",
            b"v 0 0 0\nv 1 nan 0\n",
            &["line 2", "vertex 1", "NaN"],
        ),
        (
            "inf.obj",
            b"v 0 0 0\nv -inf 0 0\n",
            &["line 2", "vertex 1", "inf"],
        ),
        (
            "letters.obj",
            b"v 0 0 0\nv 1 x 0\n",
            &["line 2", "`x`", "number"],
        ),
        ("short.obj", b"v 0 0\n", &["line 1", "3 coordinates"]),
        ("corner.obj", b"v 0 0 0\nf 1 a 1\n", &["line 2", "`a`"]),
        (
            "index.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n",
            &["line 5", "vertex 4", "3 vertices"],
        ),
        ("zero.obj", b"v 0 0 0\nf 0 1 1\n", &["line 2", "vertex 0"]),
        (
            "back.obj",
            b"v 0 0 0\nf -1 -2 -1\n",
            &["line 2", "vertex -2", "1 vertex"],
        ),
        (
            "far.obj",
            b"v 0 0 0\nf 1 1 99999999999\n",
            &["line 2", "99999999999"],
        ),
    ]);
}

#[test]
fn an_stl() {
    let one = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let text = |body: &str| format!("solid roof\n{body}").into_bytes();
    let binary = |count: u32, body: &[u8]| [&[b' '; 80][..], &count.to_le_bytes(), body].concat();
    let mut nan = [0; 50];
    nan[28..32].copy_from_slice(&f32::NAN.to_le_bytes());
    check(&[
        (
            "text.stl",
            &text("facet normal 0 0 1\nouter ring\n"),
            &["line 3", "`ring`", "`loop`"],
        ),
        (
            "nan.stl",
            &text(&one.replace("1 0 0", "1 NaN 0")),
            &["line 5", "vertex 1", "NaN"],
        ),
        (
            "letters.stl",
            &text(&one.replace("1 0 0", "1 o 0")),
            &["line 5", "`o`"],
        ),
        ("cut.stl", &text(&one[..50]), &["line", "truncated"]),
        ("open.stl", &text(one), &["truncated"]),
        ("none.stl", &text("endsolid roof\n"), &["no triangles"]),
        ("tiny.stl", b"abc", &["3 bytes", "`solid`"]),
        (
            "huge.stl",
            &binary(4_000_000_000, &[0; 100]),
            &["4000000000", "only 2", "truncated"],
        ),
        ("half.stl", &binary(2, &[0; 99]), &["2 triangles", "only 1"]),
        (
            "nan_binary.stl",
            &binary(1, &nan),
            &["triangle 0", "vertex 1", "NaN"],
        ),
        ("zero.stl", &binary(0, &[]), &["no triangles"]),
    ]);
}

#[test]
fn a_gltf() {
    let gltf = |inside: &str| format!("{{\"asset\":{{\"version\":\"2.0\"}}{inside}}}").into_bytes();
    // A mesh of one primitive, and the parts that it needs.
    let mesh = |accessor: &str, view: &str, buffer: &str| {
        gltf(&format!(
            ",\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{{\"attributes\":{{\"POSITION\":0}}}}]}}],\
             \"accessors\":[{accessor}],\"bufferViews\":[{view}],\"buffers\":[{buffer}]"
        ))
    };
    let vec3 = |count: u64| {
        format!(
            "{{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":{count},\"min\":[0,0,0],\"max\":[1,1,1]}}"
        )
    };
    let view = |length: u64| format!("{{\"buffer\":0,\"byteLength\":{length}}}");
    let zeros = |length: usize| {
        let digits = "AAAA".repeat(length / 3);
        format!(
            "{{\"byteLength\":{length},\"uri\":\"data:application/octet-stream;base64,{digits}\"}}"
        )
    };
    let nan = "{\"byteLength\":36,\"uri\":\"data:;base64,AADAfwAAwH8AAMB/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}";
    let glb = |version: u32, parts: &[(&[u8; 4], u32, &[u8])]| {
        let mut bytes = b"glTF".to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(1000_u32.to_le_bytes());
        for (kind, length, content) in parts {
            bytes.extend(length.to_le_bytes());
            bytes.extend_from_slice(*kind);
            bytes.extend_from_slice(content);
        }
        bytes
    };
    let json = gltf("");
    let length = u32::try_from(json.len()).unwrap();
    check(&[
        ("text.gltf", b"hello", &["line 1", "JSON"]),
        ("asset.gltf", b"{}", &["asset"]),
        (
            "old.gltf",
            b"{\"asset\":{\"version\":\"1.0\"}}",
            &["asset.version", "\"1.0\"", "accepted is 2"],
        ),
        (
            "component.gltf",
            &gltf(",\"accessors\":[{\"componentType\":5124,\"type\":\"VEC3\",\"count\":3}]"),
            &["line 1", "component type 5124", "5126"],
        ),
        (
            "child.gltf",
            &gltf(",\"nodes\":[{\"children\":[7]}]"),
            &["nodes[0].children", "node 7", "has 1"],
        ),
        ("none.gltf", &gltf(""), &["no triangles"]),
        (
            "mesh.gltf",
            &gltf(",\"nodes\":[{\"mesh\":0}]"),
            &["nodes[0].mesh", "valid"],
        ),
        (
            "draco.gltf",
            &gltf(",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"),
            &["KHR_draco_mesh_compression", "not supported", "without"],
        ),
        (
            "meshopt.gltf",
            &gltf(",\"extensionsRequired\":[\"EXT_meshopt_compression\"]"),
            &["EXT_meshopt_compression"],
        ),
        (
            "circle.gltf",
            &gltf(
                ",\"nodes\":[{\"children\":[1]},{\"children\":[0]}],\"scenes\":[{\"nodes\":[0]}]",
            ),
            &["node 0", "ancestor"],
        ),
        // This file was found by fuzzing.
        (
            "position.gltf",
            &gltf(",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":5}}]}]"),
            &["mesh 0", "accessor 5", "has 0"],
        ),
        (
            "rotation.gltf",
            &gltf(",\"nodes\":[{\"rotation\":[0,0,0,0]}]"),
            &["node 0", "rotation"],
        ),
        (
            "huge.gltf",
            &mesh(&vec3(4_000_000_000), &view(36), &zeros(36)),
            &["accessor 0", "4000000000", "36 bytes"],
        ),
        (
            "view.gltf",
            &mesh(&vec3(3), &view(72), &zeros(36)),
            &["bufferView 0", "72", "truncated"],
        ),
        (
            "buffer.gltf",
            &mesh(&vec3(3), &view(36), &zeros(36).replace(":36", ":39")),
            &["buffer 0", "39 bytes", "truncated"],
        ),
        (
            "base64.gltf",
            &mesh(
                &vec3(3),
                &view(36),
                "{\"byteLength\":36,\"uri\":\"data:;base64,#\"}",
            ),
            &["buffer 0", "base64"],
        ),
        (
            "missing.gltf",
            &mesh(
                &vec3(3),
                &view(36),
                "{\"byteLength\":36,\"uri\":\"walls.bin\"}",
            ),
            &["walls.bin", "cannot be read"],
        ),
        (
            "web.gltf",
            &mesh(
                &vec3(3),
                &view(36),
                "{\"byteLength\":36,\"uri\":\"https://a.b/c\"}",
            ),
            &["https://a.b/c", "not supported"],
        ),
        (
            "nothing.gltf",
            &mesh(&vec3(3), &view(36), "{\"byteLength\":36}"),
            &["buffer 0", "no uri"],
        ),
        (
            "nan.gltf",
            &mesh(&vec3(3), &view(36), nan),
            &["accessor 0", "element 0", "NaN"],
        ),
        (
            "empty_accessor.gltf",
            &mesh(
                "{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,\"min\":[0,0,0],\"max\":[1,1,1]}",
                &view(36),
                &zeros(36),
            ),
            &["accessor 0", "neither a bufferView nor"],
        ),
        (
            "type.gltf",
            &mesh(&vec3(3).replace("VEC3", "VEC2"), &view(36), &zeros(36)),
            &["accessor 0", "VEC3"],
        ),
        ("short.glb", b"glTF\x02\0\0\0", &["truncated"]),
        ("version.glb", &glb(1, &[]), &["version is 1", "2"]),
        (
            "cut.glb",
            &glb(2, &[(b"JSON", length + 9, &json)]),
            &["byte 12", "truncated"],
        ),
        ("order.glb", &glb(2, &[(b"BIN\0", 4, &[0; 4])]), &["JSON"]),
        ("no_json.glb", &glb(2, &[]), &["JSON"]),
    ]);
}

#[test]
fn names_with_control_characters_are_refused_in_every_format() {
    let obj = |name: &str| format!("usemtl {name}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let words = ["it has the material `a\\u{1b}[2Jb`, which has control characters"];
    let xml = "<scene version=\"2.1.0\"><bsdf type=\"diffuse\" id=\"a&#x85;b\"/>\
        <shape type=\"cube\"><ref id=\"a&#x85;b\"/></shape></scene>";
    check(&[
        ("a.obj", obj("a\u{1b}[2Jb").as_bytes(), &words),
        (
            "o.obj",
            format!("o x\u{1}y\n{}", obj("wall")).as_bytes(),
            &["it has the object `x\\u{1}y`"],
        ),
        (
            "a.xml",
            xml.as_bytes(),
            &["it has the material `a\\u{85}b`"],
        ),
    ]);
}
