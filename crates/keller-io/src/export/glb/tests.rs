//! What is written is read back by keller's own importer.

use super::*;
use keller::materials::Material;
use keller::scene::MeshTriangle;

/// Two tetrahedra far from the origin and from each other, of two materials.
fn mesh() -> (Mesh, Vec<Object>) {
    let mut mesh = Mesh::default();
    let materials = ["itu_brick", "wall"].map(|name| mesh.material_index(name));
    mesh.materials[1].definition = Material::from_name("itu_concrete");
    let mut objects = Vec::new();
    for (k, at) in [[4000.25, -3000.5, 12.0], [-1500.0, 2500.0, 0.0]]
        .into_iter()
        .enumerate()
    {
        let first = u32::try_from(mesh.vertices.len()).unwrap();
        let corners = [
            [0.0; 3],
            [7.125, 0.1, 0.0],
            [0.0, 5.3, 0.0],
            [1.0, 1.0, 9.7],
        ];
        mesh.vertices
            .extend(corners.map(|c| DVec3::from(at) + DVec3::from(c)));
        let start = mesh.triangles.len();
        for (i, [a, b, c]) in [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
            .into_iter()
            .enumerate()
        {
            mesh.triangles.push(MeshTriangle {
                vertices: [a, b, c].map(|v| first + v),
                material: materials[usize::from(i > 0 && k == 0)],
            });
        }
        objects.push(Object {
            name: format!("house {k}"),
            triangles: start..mesh.triangles.len(),
        });
    }
    (mesh, objects)
}

/// Corners and material of every triangle, in an order of their own.
fn triangles(mesh: &Mesh) -> Vec<([DVec3; 3], String)> {
    let mut all: Vec<_> = mesh
        .triangles
        .iter()
        .map(|t| {
            let corners = t.vertices.map(|v| mesh.vertices[v as usize]);
            (corners, mesh.materials[t.material as usize].name.clone())
        })
        .collect();
    let key = |t: &([DVec3; 3], String)| t.0.map(|p| (p * 1e3).round().to_array());
    all.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap());
    all
}

fn read(bytes: &[u8]) -> crate::Imported {
    let none = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    crate::import::gltf::parse(bytes, "a.glb".as_ref(), &none).unwrap()
}

#[test]
fn what_is_written_is_read_back() {
    let (mesh, objects) = mesh();
    let place = Georeference {
        crs: "EPSG:25832".to_owned(),
        origin: [691_000.0, 5_334_000.0, 515.0],
    };
    let back = read(&glb(&mesh, &objects, Some(&place)));
    assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    assert_eq!(back.georeference, Some(place));
    assert_eq!(back.mesh.materials, mesh.materials);
    let (expected, found) = (triangles(&mesh), triangles(&back.mesh));
    assert_eq!(found.len(), expected.len());
    for ((corners, material), (there, name)) in expected.iter().zip(&found) {
        assert_eq!(material, name);
        for (a, b) in corners.iter().zip(there) {
            assert!(a.distance(*b) < 1e-11, "{a} became {b}");
        }
    }
}

#[test]
fn a_file_without_triangles_is_still_one() {
    let bytes = glb(&Mesh::default(), &[], None);
    assert_eq!(bytes.len() % 4, 0);
    assert_eq!(
        bytes[8..12],
        u32::try_from(bytes.len()).unwrap().to_le_bytes()
    );
}

#[test]
fn drawings_are_there_but_not_for_keller() {
    let (mesh, objects) = mesh();
    let drawing = Drawing {
        name: "map".to_owned(),
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        colours: vec![[0, 188, 255]; 3],
        triangles: vec![[0, 1, 2]],
    };
    let bytes = glb_with_drawings(&mesh, &objects, &[drawing], None);
    let back = read(&bytes);
    assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    assert_eq!(back.mesh, read(&glb(&mesh, &objects, None)).mesh);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""COLOR_0""#) && text.contains(r#""KHR_materials_unlit""#));
    // Half the light of the brightest is 188 of 255 (IEC 61966-2-1).
    let half = f64::from(drawing::linear(188)) / 65535.0;
    assert!((half - 0.5).abs() < 0.005, "{half}");
    assert_eq!([drawing::linear(0), drawing::linear(255)], [0, 65535]);
}
