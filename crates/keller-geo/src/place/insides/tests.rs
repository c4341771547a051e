//! Insides against areas that follow from the outline, at odd angles and for concave outlines.

use glam::{DVec2, DVec3};
use keller::Control;
use keller::scene::building::{City, Placement, Replaces};
use keller::scene::{Mesh, Scene};

use super::{InsideOptions, MATERIALS, build};
use crate::place::{Building, Polygon, Prism, Roof, Shape, Surface, SurfaceKind, rings};

const OPTIONS: InsideOptions = InsideOptions {
    storey: 3.2,
    rooms: Some(5.0),
};

fn turned(ring: &[[f64; 2]]) -> Vec<DVec2> {
    let turn = DVec2::from_angle(0.637);
    let place = |p: &[f64; 2]| turn.rotate(DVec2::from(*p)) + DVec2::new(431.0, -87.0);
    ring.iter().map(place).collect()
}

fn building(outer: &[[f64; 2]], holes: &[&[[f64; 2]]], height: f64) -> Building {
    let polygon = Polygon {
        outer: turned(outer),
        holes: holes.iter().map(|ring| turned(ring)).collect(),
    };
    Building {
        id: "office".to_owned(),
        found_at: "feature 0".to_owned(),
        shape: Shape::Prism(Prism {
            outline: vec![polygon],
            roof: Roof::Height(height),
            pitched: None,
            min_height: 0.0,
            ground: None,
        }),
        wall_material: None,
        roof_material: None,
    }
}

fn polygon(building: &Building) -> &Polygon {
    match &building.shape {
        Shape::Prism(prism) => &prism.outline[0],
        Shape::Surfaces(_) => panic!("it is a prism"),
    }
}

/// A box, an L, a U with slanted ends, a house with a courtyard, and a wedge.
fn all() -> Vec<Building> {
    let ell = [
        [0., 0.],
        [37., 0.],
        [37., 11.],
        [13., 11.],
        [13., 29.],
        [0., 29.],
    ];
    let u = [
        [0., 0.],
        [40., 3.],
        [38., 30.],
        [27., 27.],
        [26., 13.],
        [12., 12.],
        [11., 33.],
        [-2., 31.],
    ];
    let yard: &[[f64; 2]] = &[[12., 11.], [12., 24.], [29., 24.], [29., 11.]];
    vec![
        building(&[[0., 0.], [31., 0.], [31., 14.], [0., 14.]], &[], 9.6),
        building(&ell, &[], 12.0),
        building(&u, &[], 7.0),
        building(&[[0., 0.], [41., 0.], [41., 35.], [0., 35.]], &[yard], 16.0),
        building(&[[0., 0.], [23., 0.], [3., 17.]], &[], 3.0),
    ]
}

fn of(mesh: &Mesh, material: &str) -> Vec<[DVec3; 3]> {
    let of_it = mesh
        .triangles
        .iter()
        .filter(|t| mesh.materials[t.material as usize].name == material);
    of_it
        .map(|t| t.vertices.map(|v| mesh.vertices[v as usize]))
        .collect()
}

fn area(triangles: &[[DVec3; 3]]) -> f64 {
    triangles
        .iter()
        .map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a).length())
        .sum()
}

#[test]
fn floors_and_facades_have_the_area_of_the_outline() {
    // 9.6 m: three storeys; 12 m: 3.2, 6.4 and 9.6 m, under which 2.4 m are left; 7 m: two, of which the upper is higher;
    // 16 m: five; 3 m: one.
    for (building, storeys) in all().iter().zip([3.0, 4.0, 2.0, 5.0, 1.0]) {
        let polygon = polygon(building);
        let Shape::Prism(Prism {
            roof: Roof::Height(height),
            ..
        }) = building.shape
        else {
            panic!("it is a prism of a height");
        };
        let built = build(std::slice::from_ref(building), &|_| Some(2.5), &OPTIONS);
        assert!(built.warnings.is_empty(), "{:?}", built.warnings);
        let footprint = polygon.area();
        let sides = polygon.rings().flat_map(|ring| rings::sides(ring));
        let around: f64 = sides.map(|(a, b)| a.distance(b)).sum();
        for (name, wanted) in [
            ("floor", storeys * footprint),
            ("roof", footprint),
            ("facade", around * height),
        ] {
            let found = area(&of(&built.mesh, name));
            assert!(
                (found - wanted).abs() < 1e-9 * wanted,
                "{name}: {found} m², not {wanted} m²"
            );
        }
        // The core is a tenth of the plan at most, and its four walls go through all storeys.
        let core = area(&of(&built.mesh, "core")) / height;
        assert!(
            core <= 4.0 * (0.1 * footprint).sqrt() + 1e-9,
            "{core} m around a core"
        );
    }
}

#[test]
fn no_wall_leaves_the_outline_and_all_storeys_are_closed() {
    for building in &all() {
        let polygon = polygon(building);
        let built = build(std::slice::from_ref(building), &|_| Some(0.0), &OPTIONS);
        let is_on_border = |p: DVec2| {
            let mut sides = polygon.rings().flat_map(|ring| rings::sides(ring));
            sides.any(|(a, b)| {
                let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                p.distance(a.lerp(b, t)) < 1e-6
            })
        };
        for (name, _) in MATERIALS {
            for [a, b, c] in of(&built.mesh, name) {
                let centre = ((a + b + c) / 3.0).truncate();
                assert!(
                    rings::polygon_contains(polygon, centre) || is_on_border(centre),
                    "{name}"
                );
                let normal = (b - a).cross(c - a).normalize().truncate();
                match name {
                    "facade" => {
                        assert!(is_on_border(centre), "a facade at {centre}");
                        assert!(!rings::polygon_contains(polygon, centre + 1e-3 * normal));
                    }
                    "inner_wall" | "core" => assert!(!is_on_border(centre), "{name} at {centre}"),
                    _ => {}
                }
            }
        }
        let scene = Scene::new(&built.mesh).unwrap();
        let defects = scene.defects();
        assert_eq!((defects.t_junctions, defects.near_vertices), (0, 0));
        assert_eq!(
            (defects.zero_area_triangles, defects.overlapping_triangles),
            (0, 0)
        );
    }
}

#[test]
fn rooms_of_a_box_are_known_in_advance() {
    // 31 m / 5 m: six rooms along, 14 m / 5 m: three across; five walls of 14 m and two of 31 m. The core covers parts of
    // them: it has a side of sqrt(43.4) = 6.588 m around (15.5, 7), so walls at x = 15.5 (one) lose 6.588 m each, and
    // those at y = 4.667 and 9.333 too.
    let building = &all()[0];
    let built = build(std::slice::from_ref(building), &|_| Some(0.0), &OPTIONS);
    let side = 43.4_f64.sqrt();
    let walls = 5.0 * 14.0 + 2.0 * 31.0 - 3.0 * side;
    let found = area(&of(&built.mesh, "inner_wall"));
    assert!(
        (found - walls * 9.6).abs() < 1e-6,
        "{found} m², not {} m²",
        walls * 9.6
    );
    let core = area(&of(&built.mesh, "core"));
    assert!((core - 4.0 * side * 9.6).abs() < 1e-6, "{core} m²");
    let halls = InsideOptions {
        rooms: None,
        ..OPTIONS
    };
    let built = build(std::slice::from_ref(building), &|_| Some(0.0), &halls);
    assert!(of(&built.mesh, "inner_wall").is_empty());
}

#[test]
fn floors_are_found_in_a_city() {
    for (building, floors) in all().iter().zip([3, 4, 2, 5, 1]) {
        let built = build(std::slice::from_ref(building), &|_| Some(1.25), &OPTIONS);
        let city = City::new(&built.mesh, &[], &Control::default()).unwrap();
        let fit = city
            .fit(&built.mesh, &Placement::default(), &Replaces::Nothing)
            .unwrap();
        let expected: Vec<f64> = (0..floors).map(|k| 1.25 + 3.2 * f64::from(k)).collect();
        assert_eq!(fit.floors.len(), expected.len(), "{:?}", fit.floors);
        for (found, expected) in fit.floors.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-9);
        }
    }
}

#[test]
fn the_same_buildings_have_the_same_insides() {
    let built = || build(&all(), &|p| Some(0.01 * p.x), &OPTIONS);
    let (first, second) = (built(), built());
    assert_eq!(first, second);
    assert_eq!(first.buildings.len(), 5);
    let parts = first.buildings.windows(2);
    assert!(
        parts
            .into_iter()
            .all(|pair| pair[0].triangles.end == pair[1].triangles.start)
    );
}

#[test]
fn what_has_no_outline_or_no_ground_is_left_out_with_a_word() {
    let mut roof = building(&[[0., 0.], [9., 0.], [9., 9.]], &[], 3.0);
    roof.shape = Shape::Surfaces(vec![Surface {
        kind: SurfaceKind::Roof,
        rings: vec![vec![DVec3::ZERO, DVec3::X, DVec3::Y]],
    }]);
    let built = build(&[roof], &|_| Some(0.0), &OPTIONS);
    assert!(
        built.buildings.is_empty() && built.warnings.len() == 1,
        "{:?}",
        built.warnings
    );
    let built = build(&all()[..1], &|_| None, &OPTIONS);
    assert!(built.mesh.triangles.is_empty() && built.warnings.len() == 1);
}
