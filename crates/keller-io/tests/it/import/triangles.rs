//! OBJ, PLY and STL.

use glam::DVec3;

use super::{Files, UNIT_TRIANGLE, corners, names, warnings};

#[test]
fn obj_statements() {
    let files = Files::new();
    files.write("looks.mtl", "newmtl mat-itu_brick\n");
    let imported = files.import(
        "scene.obj",
        "# a comment\r\nmtllib looks.mtl\r\no house\r\nv 691234.123456789 0 0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1. .1e1 0\r\n\
         vt 0 0\r\nvn 0 0 1\r\nf 1/1/1 2/1/1 3/1/1\r\nusemtl mat-itu_brick\r\nf -3//1 \\\r\n -2//1 -1//1\r\nusemtl two words \r\n\
         f 4 5 6\r\nv 0 0 1\r\nv 1 0 1\r\nv 0 1 1\r\n",
    );
    assert_eq!(imported.warnings, []);
    assert_eq!(names(&imported.mesh), ["default", "itu_brick", "two words"]);
    assert_eq!(
        imported.mesh.vertices[0].x, 691_234.123_456_789,
        "double precision"
    );
    let triangles: Vec<_> = imported
        .mesh
        .triangles
        .iter()
        .map(|t| (t.vertices, t.material))
        .collect();
    assert_eq!(triangles, [([0, 1, 2], 0), ([0, 1, 2], 1), ([3, 4, 5], 2)]);
    let imported = files.import(
        "other.obj",
        "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nsurf 0 1\n",
    );
    let warnings = warnings(&imported);
    assert!(
        warnings
            .iter()
            .any(|w| w.contains("other.obj") && w.contains("`gone.mtl`")),
        "{warnings:?}"
    );
    assert!(
        warnings.iter().any(|w| w.contains("free-form")),
        "{warnings:?}"
    );
}

#[test]
fn ply_encodings_and_extras() {
    let header = |encoding: &str| {
        format!(
            "ply\r\nformat {encoding} 1.0\r\ncomment made here\r\nobj_info none\r\nelement camera 1\r\nproperty list uchar short pose\r\n\
             element face 2\r\nproperty uchar flag\r\nproperty list uint ushort vertex_index\r\nproperty list uchar float uv\r\n\
             element vertex 4\r\nproperty double x\r\nproperty float y\r\nproperty uchar red\r\nproperty int z\r\nend_header\r\n"
        )
    };
    let ascii =
        "3 -1 -2 -3\n0 3 0 1 2 2 .5 1.\n1 3 0 2 3 0\n0.1 0 9 0\n1 0 9 0\n1 1 9 0\n0.1 1 9 -7";
    let mut little = header("binary_little_endian").into_bytes();
    let mut big = header("binary_big_endian").into_bytes();
    macro_rules! put {
        ($($value:expr),*) => {$(
            little.extend($value.to_le_bytes());
            big.extend($value.to_be_bytes());
        )*};
    }
    put!(3_u8, -1_i16, -2_i16, -3_i16);
    put!(0_u8, 3_u32, 0_u16, 1_u16, 2_u16, 2_u8, 0.5_f32, 1.0_f32);
    put!(1_u8, 3_u32, 0_u16, 2_u16, 3_u16, 0_u8);
    put!(0.1_f64, 0_f32, 9_u8, 0_i32, 1.0_f64, 0_f32, 9_u8, 0_i32);
    put!(1.0_f64, 1_f32, 9_u8, 0_i32, 0.1_f64, 1_f32, 9_u8, -7_i32);
    let files = Files::new();
    let expected = files.import("wall-itu_glass.ply", header("ascii") + ascii);
    assert_eq!(
        names(&expected.mesh),
        ["itu_glass"],
        "told by the file's name"
    );
    assert_eq!(expected.mesh.vertices[3], DVec3::new(0.1, 1.0, -7.0));
    let triangles: Vec<_> = expected.mesh.triangles.iter().map(|t| t.vertices).collect();
    assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]]);
    for binary in [little, big] {
        let found = files.import("wall-itu_glass.ply", binary);
        assert_ne!(found.contents, expected.contents, "other bytes");
        assert_eq!(
            (found.mesh, found.warnings),
            (expected.mesh.clone(), expected.warnings.clone())
        );
    }
    let other = files.import("wall-7.ply", header("ascii") + ascii);
    assert_eq!(names(&other.mesh), ["default"]);
}

#[test]
fn stl_encodings() {
    let files = Files::new();
    let text = "solid\n facet normal nan nan nan\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n endfacet\n\
                endsolid\nsolid more of it\nendsolid more of it\n";
    let ascii = files.import("roof-metal.stl", text);
    assert_eq!(corners(&ascii.mesh), [UNIT_TRIANGLE]);
    assert_eq!(names(&ascii.mesh), ["metal"]);
    // A header that begins with `solid` does not make a file text.
    let mut binary = b"solid".to_vec();
    binary.resize(80, b' ');
    binary.extend(1_u32.to_le_bytes());
    for value in [
        0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0_f32,
    ] {
        binary.extend(value.to_le_bytes());
    }
    binary.extend([0, 0]);
    let found = files.import("roof-metal.stl", binary);
    assert_eq!((found.mesh, found.warnings), (ascii.mesh, ascii.warnings));
    let far = files.import(
        "far.stl",
        text.replace("vertex 1 0 0", "vertex 691234.123456789 0 0"),
    );
    assert_eq!(
        far.mesh.vertices[1].x, 691_234.123_456_789,
        "double precision"
    );
}
