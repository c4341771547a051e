use glam::DVec3;
use keller::scene::{Defects, Scene};

use super::*;
use crate::place::tests::{building, ring, square};
use crate::place::{Place, Polygon, Surface, SurfaceKind, ground, repair};
use SurfaceKind::{Ground, Roof as RoofSurface, Wall};

const FLAT: &dyn Fn(DVec2) -> Option<f64> = &|_| Some(0.0);

fn built(buildings: &[Building]) -> Built {
    build(buildings, FLAT, &MeshOptions::default())
}

/// The scene of buildings without ground, and how many wedges and free edges it has.
fn edges(buildings: &[Building]) -> (Scene, usize, usize) {
    let built = built(buildings);
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let scene = Scene::new(&built.mesh).unwrap();
    let wedges = scene.edges().iter().filter(|edge| edge.is_wedge()).count();
    let free = scene.edges().len() - wedges;
    (scene, wedges, free)
}

/// The volume that triangles enclose, if they are closed and face outwards.
fn volume(mesh: &Mesh) -> f64 {
    let corners = |t: &MeshTriangle| t.vertices.map(|v| mesh.vertices[v as usize]);
    let six = mesh.triangles.iter().map(|t| {
        let [a, b, c] = corners(t);
        a.dot(b.cross(c))
    });
    six.sum::<f64>() / 6.0
}

fn prism(building: &mut Building) -> &mut Prism {
    match &mut building.shape {
        Shape::Prism(prism) => prism,
        other @ Shape::Surfaces(_) => panic!("{other:?}"),
    }
}

#[test]
fn a_cube_is_closed_and_has_twelve_wedges() {
    let cube = building("1", square(0.0, 0.0, 10.0), 10.0);
    let (scene, wedges, free) = edges(std::slice::from_ref(&cube));
    assert_eq!((wedges, free), (12, 0));
    assert_eq!(scene.defects(), Defects::default());
    assert_eq!(volume(&built(&[cube]).mesh), 1100.0);
}

#[test]
fn an_l_has_a_wedge_at_every_edge() {
    let corners = [
        (0.0, 0.0),
        (20.0, 0.0),
        (20.0, 10.0),
        (10.0, 10.0),
        (10.0, 20.0),
        (0.0, 20.0),
    ];
    let l = building("1", ring(&corners), 10.0);
    let (scene, wedges, free) = edges(std::slice::from_ref(&l));
    // Six along the roof, six along the foot, and six upright: the concave one is open to waves indoors.
    assert_eq!((wedges, free), (18, 0));
    assert_eq!(scene.faces().len(), 8);
    assert_eq!(scene.defects(), Defects::default());
    assert_eq!(volume(&built(&[l]).mesh), 3300.0);
}

#[test]
fn a_courtyard_is_closed() {
    let mut house = building("1", square(0.0, 0.0, 30.0), 10.0);
    let yard = square(10.0, 10.0, 10.0).into_iter().rev().collect();
    prism(&mut house).outline[0].holes.push(yard);
    let (scene, wedges, free) = edges(std::slice::from_ref(&house));
    // The yard's four upright edges are open indoors.
    assert_eq!((wedges, free), (8 + 4 + 8 + 4, 0));
    assert_eq!(scene.defects(), Defects::default());
    assert!((volume(&built(&[house]).mesh) - 8800.0).abs() < 1e-9);
}

#[test]
fn touching_squares_make_no_defect_but_their_twin_walls() {
    let pair = [
        building("1", square(0.0, 0.0, 10.0), 10.0),
        building("2", square(10.0, 0.0, 10.0), 10.0),
    ];
    let (scene, _, free) = edges(&pair);
    let defects = scene.defects();
    assert_eq!(free, 0);
    // The wall between them is there twice, and its four borders also belong to two roofs, walls or floors.
    let between = Defects {
        duplicate_triangles: defects.duplicate_triangles,
        overlapping_triangles: defects.overlapping_triangles,
        non_manifold_edges: defects.non_manifold_edges,
        ..Defects::default()
    };
    assert_eq!(defects, between);
}

#[test]
fn walls_reach_below_the_lowest_ground_and_roofs_count_from_it() {
    let slope = |p: DVec2| Some(100.0 + 0.1 * p.x);
    let house = building("1", square(50.0, 0.0, 10.0), 10.0);
    let built = build(&[house], &slope, &MeshOptions::default());
    let heights: Vec<f64> = built.mesh.vertices.iter().map(|v| v.z).collect();
    assert_eq!(
        heights,
        [104.0, 104.0, 104.0, 104.0, 115.0, 115.0, 115.0, 115.0]
    );
    assert_eq!(built.buildings[0].ground, 105.0);
}

#[test]
fn a_known_ground_sets_the_roof_and_the_terrain_the_foot() {
    let mut house = building("1", square(0.0, 0.0, 10.0), 10.0);
    prism(&mut house).ground = Some(515.0);
    let built = build(&[house.clone()], &|_| Some(505.0), &MeshOptions::default());
    let heights: Vec<f64> = built.mesh.vertices.iter().map(|v| v.z).collect();
    assert_eq!((heights[0], heights[4]), (504.0, 525.0));
    prism(&mut house).roof = Roof::Elevation(520.0);
    let built = build(&[house], &|_| None, &MeshOptions::default());
    assert_eq!(built.mesh.vertices[4].z, 520.0);
    assert_eq!(built.mesh.vertices[0].z, 514.0);
}

#[test]
fn parts_above_the_ground_are_closed_from_below() {
    let mut bridge = building("1", square(0.0, 0.0, 10.0), 10.0);
    prism(&mut bridge).min_height = 4.0;
    let built = built(&[bridge]);
    assert_eq!(volume(&built.mesh), 600.0);
    assert_eq!(built.mesh.vertices[0].z, 4.0);
}

#[test]
fn buildings_outside_the_terrain_are_named() {
    let known = |p: DVec2| (p.x < 15.0).then_some(0.0);
    let houses = [
        building("in", square(0.0, 0.0, 10.0), 10.0),
        building("across", square(10.0, 20.0, 10.0), 10.0),
        building("out", square(30.0, 0.0, 10.0), 10.0),
    ];
    let built = build(&houses, &known, &MeshOptions::default());
    let ids: Vec<&str> = built.buildings.iter().map(|b| b.id.as_str()).collect();
    assert_eq!(ids, ["in", "across"]);
    assert_eq!(built.buildings[1].triangles.end, built.mesh.triangles.len());
    assert!(
        built.warnings[0].starts_with("building across: a part of it lies"),
        "{:?}",
        built.warnings
    );
    assert!(
        built.warnings[1].starts_with("building out: the elevation"),
        "{:?}",
        built.warnings
    );
}

#[test]
fn materials_keep_their_names_and_unknown_ones_are_concrete() {
    let mut house = building("1", square(0.0, 0.0, 10.0), 10.0);
    house.wall_material = Some("bricks".to_owned());
    house.roof_material = Some("thatch".to_owned());
    let built = built(&[house, building("2", square(20.0, 0.0, 10.0), 10.0)]);
    let names: Vec<&str> = built
        .mesh
        .materials
        .iter()
        .map(|m| m.name.as_str())
        .collect();
    assert_eq!(names, ["brick", "thatch", "wall", "roof"]);
    let concrete = Material::from_name("concrete");
    assert!(concrete.is_some());
    assert_eq!(built.mesh.materials[0].definition, None);
    for material in &built.mesh.materials[1..] {
        assert_eq!(material.definition, concrete, "{}", material.name);
    }
    assert_eq!(built.warnings.len(), 1, "{:?}", built.warnings);
    assert!(
        built.warnings[0].contains("`thatch` is not known"),
        "{:?}",
        built.warnings
    );
}

#[test]
fn surfaces_keep_their_shape_and_reach_into_the_ground() {
    let gable = [
        (0.0, 0.0, 0.0),
        (10.0, 0.0, 0.0),
        (10.0, 8.0, 0.0),
        (0.0, 8.0, 0.0),
        (0.0, 0.0, 6.0),
        (10.0, 0.0, 6.0),
        (10.0, 8.0, 6.0),
        (0.0, 8.0, 6.0),
        (0.0, 4.0, 9.0),
        (10.0, 4.0, 9.0),
    ]
    .map(DVec3::from);
    let surface = |kind, corners: &[usize]| Surface {
        kind,
        rings: vec![corners.iter().map(|&i| gable[i]).collect()],
    };
    let mut house = building("1", Vec::new(), 0.0);
    house.shape = Shape::Surfaces(vec![
        surface(Ground, &[0, 3, 2, 1]),
        surface(Wall, &[0, 1, 5, 4]),
        surface(Wall, &[2, 3, 7, 6]),
        surface(Wall, &[1, 2, 6, 9, 5]),
        surface(Wall, &[3, 0, 4, 8, 7]),
        surface(RoofSurface, &[4, 5, 9, 8]),
        surface(RoofSurface, &[6, 7, 8, 9]),
    ]);
    let (scene, wedges, free) = edges(std::slice::from_ref(&house));
    assert_eq!((scene.faces().len(), wedges, free), (7, 15, 0));
    assert_eq!(scene.defects(), Defects::default());
    assert_eq!(scene.bounds()[0].z, -1.0);
    assert!((volume(&built(&[house.clone()]).mesh) - 80.0 * (7.0 + 1.5)).abs() < 1e-9);
    assert_eq!(ground::lowest(&[house.clone()]), 0.0);
    // The body is closed without the ground too, but not without a roof.
    if let Shape::Surfaces(surfaces) = &mut house.shape {
        surfaces.remove(0);
    }
    let without_ground = built(&[house.clone()]);
    assert!((volume(&without_ground.mesh) - 80.0 * (7.0 + 1.5)).abs() < 1e-9);
    assert!(
        without_ground.warnings.is_empty(),
        "{:?}",
        without_ground.warnings
    );
    if let Shape::Surfaces(surfaces) = &mut house.shape {
        surfaces.pop();
    }
    let built = built(&[house]);
    assert!(
        built.warnings[0].contains("do not close"),
        "{:?}",
        built.warnings
    );
}

#[test]
fn a_flat_ground_lies_around_and_below() {
    let mut house = building("1", square(0.0, 0.0, 10.0), 10.0);
    prism(&mut house).ground = Some(7.0);
    assert_eq!(ground::lowest(std::slice::from_ref(&house)), 7.0);
    let built = build(&[house], &|_| None, &MeshOptions::default());
    let mesh = ground::around(&built, 5.0, None).unwrap();
    assert_eq!(mesh.vertices[0], DVec3::new(-5.0, -5.0, 7.0));
    assert_eq!(mesh.vertices[2], DVec3::new(15.0, 15.0, 7.0));
    assert_eq!(ground::around(&Built::default(), 5.0, None), None);
}

#[test]
fn outlines_that_are_not_in_order_do_not_panic() {
    for corners in [
        &[][..],
        &[(1.0, 1.0)],
        &[(0.0, 0.0), (1.0, 0.0)],
        &[(0.0, 0.0); 5],
    ] {
        let mut house = building("1", ring(corners), 10.0);
        prism(&mut house).outline.push(Polygon::default());
        let _ = built(&[house]);
    }
}

/// The sum of the triangles' areas as vectors, which is zero for a closed body.
fn gap(mesh: &Mesh) -> f64 {
    let area = |t: &MeshTriangle| {
        let [a, b, c] = t.vertices.map(|v| mesh.vertices[v as usize]);
        0.5 * (b - a).cross(c - a)
    };
    mesh.triangles.iter().map(area).sum::<DVec3>().length()
}

#[test]
fn random_outlines_become_closed_bodies() {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let mut num_built = 0;
    for _ in 0..2000 {
        let grid = 3 + random(12);
        let count = 3 + random(9);
        let outer = (0..count).map(|_| DVec2::new(random(grid) as f64, random(grid) as f64));
        let mut house = building("1", outer.collect(), 10.0);
        if random(3) == 0 {
            let hole = (0..4).map(|_| DVec2::new(random(grid) as f64, random(grid) as f64));
            prism(&mut house).outline[0].holes.push(hole.collect());
        }
        let before = format!("{house:?}");
        let mut place = Place {
            buildings: vec![house],
            ..Place::default()
        };
        repair::repair(&mut place, &repair::RepairOptions::default());
        let built = built(&place.buildings);
        let Some(house) = place.buildings.first_mut() else {
            continue;
        };
        let area: f64 = prism(house).outline.iter().map(Polygon::area).sum();
        assert!(built.warnings.is_empty(), "{before}: {:?}", built.warnings);
        assert!(gap(&built.mesh) < 1e-6, "{before}");
        assert!((volume(&built.mesh) - 11.0 * area).abs() < 1e-6, "{before}");
        num_built += 1;
    }
    assert!(num_built > 1500, "{num_built}");
}
