//! Scene files in every accepted format: the same case in all of them is the same scene.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::DVec3;
use keller::materials::{ItuMaterial, Material, Medium};
use keller::scene::Mesh;
use keller_io::formats::{import, import_many};

use super::import_as_it_is;

const CASES: [&str; 4] = [
    "01_two_ray_pec",
    "03_empty_room_d4",
    "10_manhattan_d3",
    "13_coplanar_tiles",
];

fn case(name: &str, file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../cases")
        .join(name)
        .join(file)
}

fn corners(mesh: &Mesh, triangle: usize) -> [DVec3; 3] {
    let corners = mesh.triangles[triangle].vertices;
    corners.map(|vertex| mesh.vertices[vertex as usize])
}

/// A material and a plane with its side, rounded so that they can be a key.
type Wall = (String, [i64; 4]);

/// The area of each wall, m^2. ITU materials go by their name in the table.
fn area_by_wall(mesh: &Mesh) -> BTreeMap<Wall, f64> {
    let mut areas = BTreeMap::new();
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let name = &mesh.materials[triangle.material as usize].name;
        let [a, b, c] = corners(mesh, index);
        add_area(&mut areas, name, (b - a).cross(c - a), a);
    }
    areas
}

/// The same areas from the case's own list of polygons.
fn expected_area_by_wall(name: &str) -> BTreeMap<Wall, f64> {
    let text = std::fs::read_to_string(case(name, "scene.json")).unwrap();
    let scene: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut areas = BTreeMap::new();
    for face in scene["faces"].as_array().unwrap() {
        let points: Vec<DVec3> = face["vertices"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| DVec3::from_array([0, 1, 2].map(|axis| point[axis].as_f64().unwrap())))
            .collect();
        let sides = points.iter().zip(points.iter().cycle().skip(1));
        let twice_area: DVec3 = sides
            .map(|(a, b)| (a - points[0]).cross(b - points[0]))
            .sum();
        let material = face["material"].as_str().unwrap();
        add_area(&mut areas, material, twice_area, points[0]);
    }
    areas
}

fn add_area(areas: &mut BTreeMap<Wall, f64>, material: &str, twice_area: DVec3, point: DVec3) {
    let material = material.strip_prefix("itu_").unwrap_or(material);
    let normal = twice_area.normalize();
    let plane = [normal.x, normal.y, normal.z, normal.dot(point)].map(|value| {
        #[expect(clippy::cast_possible_truncation, reason = "the scenes are small")]
        let rounded = (value * 1e6).round() as i64;
        rounded
    });
    let wall = (material.to_owned(), plane);
    *areas.entry(wall).or_default() += twice_area.length() / 2.0;
}

#[test]
fn a_case_is_the_same_scene_in_every_format() {
    for name in CASES {
        let expected = expected_area_by_wall(name);
        let files = [
            "scene.obj",
            "scene_ngon.obj",
            "scene.xml",
            "scene_mat_itu.xml",
            "scene.glb",
        ];
        for file in files {
            let imported = import_as_it_is(&case(name, file));
            assert_eq!(imported.warnings, [], "{name}/{file}");
            let areas = area_by_wall(&imported.mesh);
            assert_eq!(
                areas.keys().collect::<Vec<_>>(),
                expected.keys().collect::<Vec<_>>(),
                "walls of {name}/{file}"
            );
            for (wall, area) in &expected {
                let found = areas[wall];
                assert!(
                    (found - area).abs() < 1e-9 * area,
                    "{name}/{file}: {wall:?} has {found} m^2, not {area}"
                );
            }
        }
    }
}

#[test]
fn mitsuba_materials_carry_what_the_file_says() {
    let imported = import(&case("01_two_ray_pec", "scene.xml")).unwrap();
    let ground = &imported.mesh.materials[0];
    assert_eq!(ground.name, "pec");
    assert_eq!(
        ground.definition,
        Some(Material::HalfSpace(Medium::PerfectConductor)),
        "1e12 S/m is a perfect conductor"
    );
    // A thickness of 50 m stands for a half space.
    let imported = import(&case("03_empty_room_d4", "scene.xml")).unwrap();
    let names: Vec<_> = imported.mesh.materials.iter().map(|m| &m.name).collect();
    assert_eq!(names, ["concrete", "ceiling_board", "plasterboard"]);
    for material in &imported.mesh.materials {
        let itu = ItuMaterial::from_name(&material.name).unwrap();
        let expected = Material::HalfSpace(Medium::Itu(itu));
        assert_eq!(material.definition, Some(expected), "{}", material.name);
    }
    // If only the id names the material, the name is the one that a scenario would use.
    let imported = import(&case("03_empty_room_d4", "scene_mat_itu.xml")).unwrap();
    let names: Vec<_> = imported.mesh.materials.iter().map(|m| &m.name).collect();
    assert_eq!(
        names,
        ["itu_concrete", "itu_ceiling_board", "itu_plasterboard"]
    );
    let mut definitions = imported.mesh.materials.iter().map(|m| &m.definition);
    assert!(
        definitions.all(Option::is_none),
        "looks define nothing electrical"
    );
}

#[test]
fn import_many_appends_in_order() {
    let files = [
        case("01_two_ray_pec", "scene.obj"),
        case("13_coplanar_tiles", "scene.xml"),
        case("01_two_ray_pec", "scene.obj"),
    ];
    let all = import_many(&files).unwrap().mesh;
    let one = import(&files[0]).unwrap().mesh;
    let two = import(&files[1]).unwrap().mesh;
    let count = one.triangles.len();
    assert_eq!(all.triangles.len(), 2 * count + two.triangles.len());
    let names: Vec<_> = all.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["pec", "concrete"], "one name is one material");
    for at in 0..count {
        let last = all.triangles.len() - count + at;
        assert_eq!(corners(&all, at), corners(&one, at));
        assert_eq!(corners(&all, last), corners(&one, at));
    }
}
