//! A scene describes a place, not how somebody cut it into triangles.

use std::f64::consts::PI;

use crate::common::{add_box, add_polygon, inside_out, random_scene, shuffled, split_in_four};
use glam::DVec2;
use keller::DVec3;
use keller::Error;
use keller::scene::{Mesh, MeshTriangle, Scene};

fn cube() -> Mesh {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "brick", DVec3::ZERO, DVec3::new(2.0, 3.0, 4.0));
    mesh
}

fn counts(scene: &Scene) -> [usize; 4] {
    let wedges = scene.edges().iter().filter(|e| e.is_wedge()).count();
    [
        scene.faces().len(),
        scene.planes().len(),
        wedges,
        scene.edges().len() - wedges,
    ]
}

#[test]
fn box_has_six_faces_and_twelve_right_wedges() {
    let scene = Scene::new(&cube()).unwrap();
    assert_eq!(counts(&scene), [6, 6, 12, 0]);
    let area: f64 = scene.faces().iter().map(|f| f.area).sum();
    assert!((area - 52.0).abs() < 1e-12, "area {area}");
    for edge in scene.edges() {
        assert!(
            (edge.exterior_angle - 1.5 * PI).abs() < 1e-12,
            "exterior angle {}",
            edge.exterior_angle
        );
    }
    for (f, face) in scene.faces().iter().enumerate() {
        let id = keller::scene::FaceId::from_index(f);
        let corner = scene.corners(face.triangles.start)[0];
        let outwards = corner - DVec3::new(1.0, 1.5, 2.0);
        assert!(
            scene.face_normal(id).dot(outwards) > 0.0,
            "face {f} faces inwards"
        );
    }
}

#[test]
fn box_has_the_same_wedges_inside_out() {
    // A room or a house: where waves are decides, not where fronts look. Its edges are open outside.
    let scene = Scene::new(&inside_out(&cube())).unwrap();
    assert_eq!(counts(&scene), [6, 6, 12, 0]);
    assert_eq!(scene.edges(), Scene::new(&cube()).unwrap().edges());
    let centre = DVec3::new(1.0, 1.5, 2.0);
    for edge in scene.edges() {
        assert!(!edge.is_open_towards(centre - edge.ends[0], 0.0));
    }
}

#[test]
fn house_on_the_ground_has_wedges_above_it_only() {
    let mut mesh = cube();
    let far = 20.0;
    let corners = [[-far, -far], [far, -far], [far, far], [-far, far]];
    add_polygon(
        &mut mesh,
        "ground",
        &corners.map(|[x, y]| DVec3::new(x, y, 0.0)),
    );
    let scene = Scene::new(&mesh).unwrap();
    // Four upright edges, four at the roof; the ground's own border is free.
    assert_eq!(counts(&scene), [7, 6, 8, 4]);
}

#[test]
fn triangulation_and_order_do_not_change_the_scene() {
    for seed in 0..60 {
        let (mesh, _) = random_scene(seed);
        let scene = Scene::new(&mesh).unwrap();
        let order = Scene::new(&shuffled(&mesh, seed)).unwrap();
        assert_eq!(scene.faces(), order.faces(), "seed {seed}");
        assert_eq!(scene.planes(), order.planes(), "seed {seed}");
        assert_eq!(scene.edges(), order.edges(), "seed {seed}");
        let split = Scene::new(&split_in_four(&mesh)).unwrap();
        assert_eq!(counts(&scene), counts(&split), "seed {seed}");
    }
}

#[test]
fn t_junction_does_not_cut_a_wall() {
    let mut mesh = Mesh::default();
    let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    add_polygon(
        &mut mesh,
        "brick",
        &[at(0., 0.), at(4., 0.), at(4., 2.), at(0., 2.)],
    );
    add_polygon(
        &mut mesh,
        "brick",
        &[at(0., 2.), at(1., 2.), at(1., 3.), at(0., 3.)],
    );
    add_polygon(
        &mut mesh,
        "brick",
        &[at(1., 2.), at(4., 2.), at(4., 3.), at(1., 3.)],
    );
    let scene = Scene::new(&mesh).unwrap();
    assert_eq!(counts(&scene), [1, 1, 0, 4]);
    assert_eq!(scene.defects().t_junctions, 1);
}

#[test]
fn touching_houses_share_the_plane_of_their_twin_walls() {
    let mut mesh = cube();
    add_box(
        &mut mesh,
        "glass",
        DVec3::new(2.0, 0.0, 0.0),
        DVec3::new(5.0, 3.0, 4.0),
    );
    let scene = Scene::new(&mesh).unwrap();
    // Front, back, floor and roof are in common as well.
    assert_eq!((scene.faces().len(), scene.planes().len()), (12, 7));
    assert_eq!(
        scene.defects().overlapping_triangles,
        4,
        "two triangles on two, each meeting both"
    );
}

#[test]
fn millimetre_steps_stay_steps_and_cracks_close() {
    let mut mesh = Mesh::default();
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    add_polygon(
        &mut mesh,
        "brick",
        &[
            at(0., 0., 0.),
            at(4., 0., 0.),
            at(4., 0., 2.),
            at(0., 0., 2.),
        ],
    );
    add_polygon(
        &mut mesh,
        "brick",
        &[
            at(4., 1e-3, 0.),
            at(8., 1e-3, 0.),
            at(8., 1e-3, 2.),
            at(4., 1e-3, 2.),
        ],
    );
    assert_eq!(Scene::new(&mesh).unwrap().planes().len(), 2);
    for v in &mut mesh.vertices[4..] {
        v.y = 5e-5;
    }
    let scene = Scene::new(&mesh).unwrap();
    assert_eq!(counts(&scene), [1, 1, 0, 4]);
    assert_eq!(scene.defects().near_vertices, 2);
}

#[test]
fn defects_are_counted() {
    let mut mesh = cube();
    let [first, second] = [mesh.triangles[0], mesh.triangles[1]];
    mesh.triangles.push(first);
    mesh.triangles.push(MeshTriangle {
        vertices: [second.vertices[0], second.vertices[0], second.vertices[1]],
        ..second
    });
    // A fin on the edge between two walls.
    add_polygon(
        &mut mesh,
        "brick",
        &[
            DVec3::ZERO,
            DVec3::new(0.0, 0.0, 4.0),
            DVec3::new(-1.0, -1.0, 4.0),
            DVec3::new(-1.0, -1.0, 0.0),
        ],
    );
    let defects = Scene::new(&mesh).unwrap().defects();
    assert_eq!(defects.duplicate_triangles, 1);
    assert_eq!(defects.zero_area_triangles, 1);
    assert_eq!(defects.non_manifold_edges, 1);
}

#[test]
fn bad_meshes_are_refused_with_the_reason() {
    assert_eq!(Scene::new(&Mesh::default()).unwrap_err(), Error::EmptyScene);
    let mut nan = cube();
    nan.vertices[3].y = f64::NAN;
    assert!(
        Scene::new(&nan)
            .unwrap_err()
            .to_string()
            .contains("vertex 3")
    );
    let mut far = cube();
    far.vertices[0].x = 1e9;
    assert!(
        Scene::new(&far)
            .unwrap_err()
            .to_string()
            .contains("vertex 0")
    );
    let mut index = cube();
    index.triangles[2].vertices[1] = 999;
    assert!(
        Scene::new(&index)
            .unwrap_err()
            .to_string()
            .contains("triangle 2 names vertex 999")
    );
    let mut flat = cube();
    for v in &mut flat.vertices {
        *v = DVec3::ONE;
    }
    assert_eq!(Scene::new(&flat).unwrap_err(), Error::EmptyScene);
}

#[test]
fn convex_pieces_cover_the_faces() {
    for seed in 0..40 {
        let (mesh, _) = random_scene(seed);
        let scene = Scene::new(&split_in_four(&mesh)).unwrap();
        let mut areas = vec![0.0; scene.faces().len()];
        for piece in scene.convex_pieces() {
            let normal = scene.plane(piece.plane).normal;
            let anchor = piece.polygon[0];
            let double: DVec3 = piece
                .polygon
                .windows(2)
                .map(|w| (w[0] - anchor).cross(w[1] - anchor))
                .sum();
            assert!(double.dot(normal) > 0.0, "seed {seed}: clockwise piece");
            areas[piece.face.index()] += 0.5 * double.length();
        }
        for (face, area) in scene.faces().iter().zip(areas) {
            assert!(
                (face.area - area).abs() < 1e-6 * face.area + 1e-9,
                "seed {seed}: {} {area}",
                face.area
            );
        }
    }
}

#[test]
fn ground_is_the_lowest_face_that_looks_up() {
    let slope = |x: f64, y: f64| 3.0 + 0.2 * x - 0.05 * y;
    let corners = [[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]];
    let ground = corners.map(|[x, y]| DVec3::new(x, y, slope(x, y)));
    let mut mesh = Mesh::default();
    add_polygon(&mut mesh, "concrete", &ground);
    // A house that stands in the ground, and a bridge over it.
    add_box(
        &mut mesh,
        "brick",
        DVec3::new(10.0, 10.0, -20.0),
        DVec3::new(20.0, 20.0, 30.0),
    );
    let bridge = [[-40.0, -9.0], [40.0, -9.0], [40.0, -5.0], [-40.0, -5.0]]
        .map(|[x, y]| DVec3::new(x, y, 40.0));
    add_polygon(&mut mesh, "concrete", &bridge);
    let scene = Scene::new(&mesh).unwrap();
    for [x, y] in [[-33.3, 21.7], [15.0, 15.0], [0.5, -7.0], [49.9, 49.9]] {
        let z = scene.ground(DVec2::new(x, y)).unwrap();
        assert!((z - slope(x, y)).abs() < 1e-9, "{z} at {x}, {y}");
    }
    for [x, y] in [[50.1, 0.0], [0.0, -1e6]] {
        assert_eq!(scene.ground(DVec2::new(x, y)), None, "at {x}, {y}");
    }
    // The lowest face carries where nothing looks up.
    let upside_down = Scene::new(&inside_out(&cube())).unwrap();
    assert_eq!(upside_down.ground(DVec2::ONE), Some(0.0));
    let ceiling: Vec<DVec3> = ground.into_iter().rev().collect();
    let mut mesh = Mesh::default();
    add_polygon(&mut mesh, "concrete", &ceiling);
    let z = Scene::new(&mesh).unwrap().ground(DVec2::ZERO).unwrap();
    assert!((z - 3.0).abs() < 1e-9, "{z}");
}
