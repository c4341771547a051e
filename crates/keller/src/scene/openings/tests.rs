//! Openings against areas, places and bodies that are known by construction.

use glam::{DMat3, DVec3};

use super::{Cut, LeftOut, Openings, cut};
use crate::Control;
use crate::scene::{Defects, Fronts, Mesh, Scene};

const WINDOWS: Openings = Openings {
    width: 1.2,
    height: 1.4,
    sill: 0.9,
    spacing: 3.0,
    storey: Some(3.2),
    margin: 0.3,
};

/// A quadrangle in a plane that is turned by an odd angle about z, from places along the wall and heights.
fn upright(corners: &[[f64; 2]]) -> Vec<DVec3> {
    let turn = DMat3::from_rotation_z(0.7231);
    let place = |[x, z]: &[f64; 2]| turn * DVec3::new(*x, 4.3, *z) + DVec3::new(120.0, -40.0, 3.0);
    corners.iter().map(place).collect()
}

fn wall(corners: &[[f64; 2]]) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.add_polygon("brick", &upright(corners));
    mesh
}

/// A house around (0, 0): walls, roof and floor, closed, with fronts to the outside.
fn house(size: DVec3) -> Mesh {
    let mut mesh = Mesh::default();
    let DVec3 { x, y, z } = size;
    let ring = [[0.0, 0.0], [x, 0.0], [x, y], [0.0, y]];
    let at = |[x, y]: [f64; 2], z: f64| DMat3::from_rotation_z(0.3) * DVec3::new(x, y, z);
    for k in 0..4 {
        let (a, b) = (ring[k], ring[(k + 1) % 4]);
        mesh.add_polygon("brick", &[at(a, 0.0), at(b, 0.0), at(b, z), at(a, z)]);
    }
    mesh.add_polygon("tiles", &ring.map(|p| at(p, z)));
    let mut floor = ring.map(|p| at(p, 0.0));
    floor.reverse();
    mesh.add_polygon("floor", &floor);
    mesh
}

fn cut_all(mesh: &Mesh, openings: &Openings) -> Cut {
    let is_wall = of_material(mesh, "brick");
    cut(mesh, &is_wall, openings, Some("glass"), &Control::default()).unwrap()
}

fn of_material(mesh: &Mesh, name: &str) -> Vec<bool> {
    let material = |t: &crate::scene::MeshTriangle| &mesh.materials[t.material as usize];
    mesh.triangles
        .iter()
        .map(|t| material(t).name == name)
        .collect()
}

fn area(mesh: &Mesh, material: &str) -> f64 {
    let is_of = of_material(mesh, material);
    let areas = (0..is_of.len()).filter(|t| is_of[*t]).map(|t| {
        let [a, b, c] = super::corners(mesh, t);
        0.5 * (b - a).cross(c - a).length()
    });
    areas.sum()
}

/// The centres of the faces of a material, sorted.
fn centres(mesh: &Mesh, material: &str) -> Vec<DVec3> {
    let scene = Scene::new(mesh).unwrap();
    let faces = scene
        .faces()
        .iter()
        .filter(|face| scene.materials()[face.material.index()] == material);
    let mut centres: Vec<DVec3> = faces
        .map(|face| {
            let corners = face.triangles.clone().flat_map(|t| scene.corners(t));
            let corners: Vec<DVec3> = corners.collect();
            let [low, high] = corners
                .iter()
                .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], p| {
                    [low.min(*p), high.max(*p)]
                });
            0.5 * (low + high)
        })
        .collect();
    centres.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.z.total_cmp(&b.z)));
    centres
}

fn assert_closes(before: &Mesh, cut: &Cut) {
    let whole = area(before, "brick");
    let after = area(&cut.mesh, "brick") + cut.area;
    assert!(
        (after - whole).abs() <= 1e-9 * whole,
        "{after} of {whole} m²"
    );
    assert!(
        (cut.wall_area - whole).abs() <= 1e-9 * whole,
        "{} of {whole} m²",
        cut.wall_area
    );
    let panes = area(&cut.mesh, "glass");
    assert!(
        (panes - cut.area).abs() <= 1e-9 * whole,
        "{panes} of {} m²",
        cut.area
    );
}

#[test]
fn rows_stand_on_every_floor_and_are_centred() {
    // 3 rows of 3.2 m fit under 9.7 m: the third ends at 6.4 + 2.3 = 8.7 m.
    let mesh = wall(&[[-5.0, 0.0], [5.5, 0.0], [5.5, 9.7], [-5.0, 9.7]]);
    let cut = cut_all(&mesh, &WINDOWS);
    assert_eq!((cut.walls, cut.opened, cut.openings), (1, 1, 9));
    assert_eq!(cut.left_out, LeftOut::default());
    assert!((cut.area - 9.0 * 1.68).abs() < 1e-12, "{} m²", cut.area);
    assert_closes(&mesh, &cut);
    let mut expected = Vec::new();
    for x in [-2.75, 0.25, 3.25] {
        expected.extend([1.6, 4.8, 8.0].map(|z| [x, z]));
    }
    let mut expected = upright(&expected);
    expected.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.z.total_cmp(&b.z)));
    for (found, expected) in centres(&cut.mesh, "glass").iter().zip(&expected) {
        assert!(
            found.distance(*expected) < 1e-9,
            "{found} instead of {expected}"
        );
    }
    let one_row = Openings {
        storey: None,
        ..WINDOWS
    };
    assert_eq!(cut_all(&mesh, &one_row).openings, 3);
    // The third row just fits under 9.0 m - 0.3 m of margin; with 1 mm less it does not.
    for (top, rows) in [(9.0, 3), (8.999, 2)] {
        let mesh = wall(&[[-5.0, 0.0], [5.5, 0.0], [5.5, top], [-5.0, top]]);
        assert_eq!(cut_all(&mesh, &WINDOWS).openings, 3 * rows, "{top} m");
    }
}

#[test]
fn openings_depend_on_the_wall_and_not_on_its_triangles_or_fronts() {
    // A gable, as five triangles around a point, as strips with a T-junction, and with turned fronts.
    let gable = [
        [0.0, 0.0],
        [12.0, 0.0],
        [12.0, 5.0],
        [6.0, 10.0],
        [0.0, 5.0],
    ];
    let whole = wall(&gable);
    let mut fan = Mesh::default();
    for k in 0..5 {
        fan.add_polygon(
            "brick",
            &upright(&[gable[k], gable[(k + 1) % 5], [5.1, 4.3]]),
        );
    }
    let mut strips = Mesh::default();
    strips.add_polygon("brick", &upright(&[[5.0, 5.0], [12.0, 5.0], [6.0, 10.0]]));
    strips.add_polygon("brick", &upright(&[[0.0, 5.0], [5.0, 5.0], [6.0, 10.0]]));
    strips.add_polygon(
        "brick",
        &upright(&[[0.0, 0.0], [12.0, 0.0], [12.0, 5.0], [0.0, 5.0]]),
    );
    let mut turned = strips.clone();
    for triangle in turned.triangles.iter_mut().step_by(2) {
        triangle.vertices.swap(0, 1);
    }
    turned.triangles.reverse();
    let expected = cut_all(&whole, &WINDOWS);
    // The outer two openings of the second row of four would reach under the slopes' margin: at x = 0.9 m the gable is
    // 5.75 m high, and the row ends at 5.5 m.
    assert_eq!(expected.openings, 4 + 2);
    assert_eq!(expected.left_out.outside, 2 + 4);
    for mesh in [&whole, &fan, &strips, &turned] {
        let cut = cut_all(mesh, &WINDOWS);
        assert_closes(mesh, &cut);
        assert_eq!((cut.walls, cut.openings), (1, expected.openings));
        let places = centres(&cut.mesh, "glass");
        for (found, expected) in places.iter().zip(centres(&expected.mesh, "glass")) {
            assert!(
                found.distance(expected) < 1e-9,
                "{found} instead of {expected}"
            );
        }
        let scene = Scene::new(&cut.mesh).unwrap();
        assert_eq!(scene.defects(), Defects::default());
        assert_eq!(scene.faces().len(), 1 + cut.openings);
        assert_eq!(scene.planes().len(), 1);
    }
}

#[test]
fn a_closed_house_stays_closed_with_windows_and_doors() {
    let before = house(DVec3::new(13.0, 9.0, 6.7));
    let doors = Openings {
        width: 1.0,
        height: 2.1,
        sill: 0.0,
        spacing: 6.0,
        storey: None,
        margin: 0.4,
    };
    let first = cut_all(&before, &doors);
    // 13 m have room for 2 doors (11.2 m / 6 m), 9 m for 2 (7.2 m / 6 m).
    assert_eq!((first.walls, first.opened, first.openings), (4, 4, 8));
    assert_closes(&before, &first);
    let is_wall = of_material(&first.mesh, "brick");
    let second = cut(
        &first.mesh,
        &is_wall,
        &WINDOWS,
        Some("pane"),
        &Control::default(),
    )
    .unwrap();
    assert!(second.openings > 8, "{} windows", second.openings);
    assert!(second.left_out.outside > 0, "no window would lie at a door");
    let walls = area(&second.mesh, "brick") + first.area + second.area;
    assert!((walls - 2.0 * 22.0 * 6.7).abs() < 1e-9, "{walls} m²");
    for mesh in [&before, &first.mesh, &second.mesh] {
        let scene = Scene::new(mesh).unwrap();
        assert_eq!(scene.defects(), Defects::default());
        assert_eq!(scene.bodies().len(), 1);
        assert_eq!(scene.bodies()[0].fronts, Fronts::Outwards);
    }
    // Each triangle knows the one that it comes from.
    for (triangle, &from) in second.mesh.triangles.iter().zip(&second.from) {
        let before = first.mesh.triangles[from];
        let is_pane = second.mesh.materials[triangle.material as usize].name == "pane";
        assert!(
            triangle.material == before.material || is_pane,
            "{triangle:?} of {before:?}"
        );
    }
}

#[test]
fn inner_walls_and_floors_divide_a_facade_into_rooms() {
    // Rooms of 4 m and 8 m: one window in the middle of the first, three in the second.
    let mut mesh = wall(&[[0.0, 0.0], [12.0, 0.0], [12.0, 6.4], [0.0, 6.4]]);
    let inwards = DMat3::from_rotation_z(0.7231) * DVec3::Y * 5.0;
    let across = |mesh: &mut Mesh, ends: [[f64; 2]; 2]| {
        let [a, b] = [upright(&ends[..1])[0], upright(&ends[1..])[0]];
        mesh.add_polygon("inner", &[a, b, b + inwards, a + inwards]);
    };
    across(&mut mesh, [[4.0, 0.0], [4.0, 6.4]]);
    across(&mut mesh, [[0.0, 3.2], [12.0, 3.2]]);
    let before = Scene::new(&mesh).unwrap().defects();
    let cut = cut_all(&mesh, &WINDOWS);
    assert_eq!(cut.openings, 2 * 4);
    assert_closes(&mesh, &cut);
    let mut expected = Vec::new();
    for x in [2.0, 5.0, 8.0, 11.0] {
        expected.extend([1.6, 4.8].map(|z| [x, z]));
    }
    let mut expected = upright(&expected);
    expected.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.z.total_cmp(&b.z)));
    for (found, expected) in centres(&cut.mesh, "glass").iter().zip(&expected) {
        assert!(
            found.distance(*expected) < 1e-9,
            "{found} instead of {expected}"
        );
    }
    assert_eq!(Scene::new(&cut.mesh).unwrap().defects(), before);
    // Doors every 7 m would stand at 2.5 m and 9.5 m: the first moves to the middle of its room, and a room that is longer
    // than 7 m has its own row.
    let doors = Openings {
        spacing: 7.0,
        storey: None,
        sill: 0.0,
        ..WINDOWS
    };
    assert_eq!(cut_all(&mesh, &doors).openings, 2);
    let far = Openings {
        spacing: 10.5,
        ..doors
    };
    // One door for the whole wall, at 6 m: it moves to the middle of the second room.
    let cut = cut_all(&mesh, &far);
    assert_eq!(cut.openings, 1);
    let wanted = upright(&[[8.0, 0.7]])[0];
    assert!(centres(&cut.mesh, "glass")[0].distance(wanted) < 1e-9);
    // A pipe that joins the wall for a part of the row's height takes away the window behind it.
    across(&mut mesh, [[8.1, 1.0], [8.1, 1.5]]);
    let cut = cut_all(&mesh, &WINDOWS);
    assert_eq!((cut.openings, cut.left_out.joined), (7, 1));
}

#[test]
fn walls_of_touching_houses_get_no_openings() {
    let first = house(DVec3::new(13.0, 9.0, 6.7));
    let mut both = first.clone();
    let mut second = first.clone();
    let aside = DMat3::from_rotation_z(0.3) * DVec3::X * 13.0;
    for vertex in &mut second.vertices {
        *vertex += aside;
    }
    let alone = cut_all(&first, &WINDOWS);
    both.append(&second);
    let touching = cut_all(&both, &WINDOWS);
    // Each of the two walls between them has lost its windows: 2 rows of 3.
    assert_eq!(touching.openings, 2 * alone.openings - 2 * 2 * 3);
    let scene = Scene::new(&touching.mesh).unwrap();
    assert_eq!(scene.defects().t_junctions, 0);
    for pane in centres(&touching.mesh, "glass") {
        let along = (DMat3::from_rotation_z(-0.3) * pane).x;
        assert!(
            (along - 13.0).abs() > 0.3,
            "a window between the houses at {pane}"
        );
    }
}

#[test]
fn walls_without_room_or_without_uprightness_get_nothing() {
    let narrow = wall(&[[0.0, 0.0], [1.7, 0.0], [1.7, 5.0], [0.0, 5.0]]);
    let cut = cut_all(&narrow, &WINDOWS);
    assert_eq!((cut.walls, cut.openings), (1, 0));
    assert_eq!(cut.mesh.triangles, narrow.triangles);
    let mut roof = Mesh::default();
    let corners = [[0., 0., 0.], [9., 0., 0.], [9., 6., 6.], [0., 6., 6.]];
    roof.add_polygon("brick", &corners.map(DVec3::from));
    assert_eq!(cut_all(&roof, &WINDOWS).walls, 0);
    // Each of many narrow sides of a drum is a wall of its own.
    let mut drum = Mesh::default();
    let at = |k: f64, z: f64| DVec3::new(8.0 * (k * 0.01).cos(), 8.0 * (k * 0.01).sin(), z);
    for k in (0..600).map(f64::from) {
        drum.add_polygon(
            "brick",
            &[at(k, 0.), at(k + 1., 0.), at(k + 1., 5.), at(k, 5.)],
        );
    }
    assert_eq!(cut_all(&drum, &WINDOWS).openings, 0);
}

#[test]
fn open_holes_have_no_panes() {
    let mesh = wall(&[[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]]);
    let holes = cut(&mesh, &[true, true], &WINDOWS, None, &Control::default()).unwrap();
    assert_eq!((holes.openings, holes.mesh.materials.len()), (1, 1));
    let scene = Scene::new(&holes.mesh).unwrap();
    // The four sides of the wall and the four of the hole.
    assert_eq!((scene.faces().len(), scene.edges().len()), (1, 8));
    assert!((scene.faces()[0].area - (12.0 - 1.68)).abs() < 1e-12);
}
