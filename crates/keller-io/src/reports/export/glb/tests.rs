//! The written file is read back by keller's own importer.

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

/// The corners and material of every triangle, in an order of their own.
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

fn read(bytes: &[u8]) -> crate::formats::Imported {
    let none = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
    crate::formats::import::gltf::parse(bytes, "a.glb".as_ref(), &none).unwrap()
}

#[test]
fn what_is_written_is_read_back() {
    let (mesh, objects) = mesh();
    let place = Georeference {
        crs: "EPSG:25832".to_owned(),
        origin: [691_000.0, 5_334_000.0, 515.0],
    };
    let beside = Beside {
        georeference: Some(&place),
        ..Beside::default()
    };
    let back = read(&glb(&mesh, &objects, &beside));
    assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    assert_eq!(back.georeference, Some(place));
    assert_eq!(back.objects, objects);
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

fn with_clutter(clutter: &[(String, Volume)]) -> Beside<'_> {
    Beside {
        clutter,
        ..Beside::default()
    }
}

#[test]
fn volumes_come_back_beside_the_walls() {
    let (mesh, objects) = mesh();
    let wood = |at: f64, attenuation, max| {
        // Thirds are no 32-bit numbers: volumes are closed all the same.
        let outline = [[0.0, 0.0], [10.0 / 3.0, 0.1], [20.0, 7.0], [1.0, 8.0 / 3.0]];
        let outline = outline.map(|[x, y]| [x + at, y - 2.0 * at]);
        Volume::prism(&outline, [1.0 / 3.0, 9.0], attenuation, max).unwrap()
    };
    let volumes = [
        ("oaks".to_owned(), wood(5000.1, 0.4, None)),
        ("firs".to_owned(), wood(-40.0, 0.7, Some(30.0))),
        ("limes".to_owned(), wood(100.0, 0.4, None)),
    ];
    let back = read(&glb(&mesh, &objects, &with_clutter(&volumes)));
    assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    assert_eq!(back.mesh.materials, mesh.materials);
    assert_eq!(back.mesh.triangles.len(), mesh.triangles.len());
    assert_eq!(back.volumes.len(), 3);
    for ((_, expected), found) in volumes.iter().zip(&back.volumes) {
        assert_eq!(KeptClutter::from(expected), KeptClutter::from(found));
        assert_eq!(expected.triangles().len(), found.triangles().len());
        for (a, b) in expected.bounds().iter().zip(found.bounds()) {
            assert!(a.distance(b) < 1e-11, "{a} became {b}");
        }
    }
    let alone = read(&glb(&Mesh::default(), &[], &with_clutter(&volumes[..1])));
    assert_eq!((alone.volumes.len(), alone.mesh.triangles.len()), (1, 0));
}

#[test]
fn volumes_that_are_none_are_refused() {
    let outline = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
    let wood = Volume::prism(&outline, [0.0, 9.0], 0.4, None).unwrap();
    let good = glb(
        &Mesh::default(),
        &[],
        &with_clutter(&[("wood".to_owned(), wood)]),
    );
    let with = |part: &str, other: &str| {
        assert_eq!(part.len(), other.len(), "the lengths in the file stay");
        let length = part.len();
        let at = good.windows(length).position(|w| w == part.as_bytes());
        let mut bytes = good.clone();
        bytes[at.unwrap()..][..length].copy_from_slice(other.as_bytes());
        let none = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        let read = crate::formats::import::gltf::parse(&bytes, "a.glb".as_ref(), &none);
        read.unwrap_err().to_string()
    };
    let text = with("per_m\":0.4", "per_m\":\"x\"");
    assert!(text.contains("extras of material 0"), "{text}");
    let negative = with("per_m\":0.4", "per_m\":-10");
    assert!(negative.contains("mesh 0"), "{negative}");
    assert!(negative.contains("-10 dB/m"), "{negative}");
    // One triangle is missing.
    let open = with("\"count\":36", "\"count\":33");
    assert!(open.contains("not closed"), "{open}");
}

/// The JSON of a file.
fn document(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
    serde_json::from_slice(&bytes[20..20 + length as usize]).unwrap()
}

#[test]
fn a_file_without_triangles_is_still_one() {
    let bytes = glb(&Mesh::default(), &[], &Beside::default());
    assert_eq!(bytes.len() % 4, 0);
    assert_eq!(
        bytes[8..12],
        u32::try_from(bytes.len()).unwrap().to_le_bytes()
    );
    // The format has no empty lists and no empty chunks.
    assert_eq!(document(&bytes)["scenes"], json!([{}]));
    assert!(!bytes.windows(4).any(|w| w == BINARY_CHUNK));
}

/// glTF 2.0, section 3.6.2.4: a view that two vertex attributes share has a stride, a multiple of 4 from 4 to 252, and
/// one of indices has none.
#[test]
fn views_that_attributes_share_have_a_stride() {
    let (mesh, objects) = mesh();
    let drawing = |name: &str| Drawing {
        name: name.to_owned(),
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        colours: vec![[0, 188, 255]; 3],
        triangles: vec![[0, 1, 2]],
        legend: None,
    };
    let drawings = ["map", "mast"].map(drawing);
    let beside = Beside {
        drawings: &drawings,
        ..Beside::default()
    };
    let file = document(&glb(&mesh, &objects, &beside));
    let mut users: BTreeMap<u64, u64> = BTreeMap::new();
    let primitives = file["meshes"].as_array().unwrap().iter();
    let primitives = primitives.flat_map(|mesh| mesh["primitives"].as_array().unwrap());
    let accessor =
        |index: &Value| &file["accessors"][usize::try_from(index.as_u64().unwrap()).unwrap()];
    let view = |accessor: &Value| accessor["bufferView"].as_u64().unwrap();
    for primitive in primitives {
        for attribute in primitive["attributes"].as_object().unwrap().values() {
            *users.entry(view(accessor(attribute))).or_default() += 1;
        }
        let of_indices = view(accessor(&primitive["indices"]));
        assert!(file["bufferViews"][usize::try_from(of_indices).unwrap()]["byteStride"].is_null());
    }
    assert_eq!(users.len(), 2, "positions and colours");
    for (view, count) in users {
        let stride = file["bufferViews"][usize::try_from(view).unwrap()]["byteStride"].as_u64();
        assert!(count > 1 && matches!(stride, Some(8 | 12)), "{stride:?}");
    }
}

#[test]
fn drawings_are_there_but_not_for_keller() {
    let (mesh, objects) = mesh();
    let drawing = Drawing {
        name: "map".to_owned(),
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
        colours: vec![[0, 188, 255]; 3],
        triangles: vec![[0, 1, 2]],
        legend: None,
    };
    let bytes = glb(
        &mesh,
        &objects,
        &Beside {
            drawings: &[drawing],
            ..Beside::default()
        },
    );
    let back = read(&bytes);
    assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    assert_eq!(
        back.mesh,
        read(&glb(&mesh, &objects, &Beside::default())).mesh
    );
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains(r#""COLOR_0""#) && text.contains(r#""KHR_materials_unlit""#));
    // Half of the largest intensity is 188 of 255 (IEC 61966-2-1).
    let half = f64::from(drawing::linear(188)) / 65535.0;
    assert!((half - 0.5).abs() < 0.005, "{half}");
    assert_eq!([drawing::linear(0), drawing::linear(255)], [0, 65535]);
}
