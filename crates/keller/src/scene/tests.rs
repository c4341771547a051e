//! Tests that a scene depends neither on threads nor on the order of triangles, on meshes with everything that makes
//! meshes difficult.

use glam::DVec3;

use super::{Mesh, MeshTriangle, Scene};
use crate::random::Random;

fn push(mesh: &mut Mesh, corners: [DVec3; 3], material: u32) {
    let first = u32::try_from(mesh.vertices.len()).unwrap();
    mesh.vertices.extend(corners);
    let vertices = [first, first + 1, first + 2];
    mesh.triangles.push(MeshTriangle { vertices, material });
}

/// Blocks at odd angles, some touching, on uneven terrain; tubes; loose triangles. Triangles are then reversed,
/// doubled, cut, and moved by less and by more than the weld distance.
pub(super) fn hard_mesh(seed: u64) -> Mesh {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    let materials = ["wall", "roof", "ground"].map(|name| mesh.material_index(name));
    let block = |mesh: &mut Mesh, at: DVec3, size: DVec3, angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let corner = |k: usize| {
            let [x, y, z] = [0, 1, 2].map(|axis| (k >> axis & 1) as f64 * size[axis]);
            at + DVec3::new(cos * x - sin * y, sin * x + cos * y, z)
        };
        for [a, b, c, d] in [
            [0, 1, 5, 4],
            [1, 3, 7, 5],
            [3, 2, 6, 7],
            [2, 0, 4, 6],
            [4, 5, 7, 6],
        ] {
            push(mesh, [a, b, c].map(corner), materials[a / 4]);
            push(mesh, [a, c, d].map(corner), materials[a / 4]);
        }
    };
    for k in 0..6 {
        let at = DVec3::new(30.0 * f64::from(k % 3), 30.0 * f64::from(k / 3), 0.0);
        let size = DVec3::splat(4.0) + random.point(DVec3::ZERO, DVec3::new(10.0, 10.0, 20.0));
        let angle = random.range(0.0, 1.0);
        block(&mut mesh, at, size, angle);
        let next_to = at + size.x * DVec3::new(angle.cos(), angle.sin(), 0.0);
        block(&mut mesh, next_to, 0.7 * size, angle);
    }
    let height = |x: f64, y: f64| {
        if x < 40.0 {
            0.0
        } else {
            (0.1 * (x - 40.0)).sin() * (0.07 * y).cos()
        }
    };
    for k in 0..100 {
        let [x, y] = [k % 10, k / 10].map(|i| 9.3 * f64::from(i) - 5.0);
        let at = |i: f64, j: f64| {
            let (x, y) = (x + 9.3 * i, y + 9.3 * j);
            DVec3::new(x, y, height(x, y))
        };
        push(
            &mut mesh,
            [at(0., 0.), at(1., 0.), at(1., 1.)],
            materials[2],
        );
        push(
            &mut mesh,
            [at(0., 0.), at(1., 1.), at(0., 1.)],
            materials[2],
        );
    }
    let around = |k: i32, z: f64| {
        let angle = f64::from(k) * std::f64::consts::TAU / 900.0;
        DVec3::new(50.0 + 12.0 * angle.cos(), 20.0 + 12.0 * angle.sin(), z)
    };
    for k in 0..700 {
        let corners = [around(k, 2.0), around(k + 1, 2.0), around(k + 1, 8.0)];
        push(&mut mesh, corners, materials[0]);
        let corners = [around(k, 2.0), around(k + 1, 8.0), around(k, 8.0)];
        push(&mut mesh, corners, materials[0]);
    }
    for _ in 0..30 {
        let at = random.point(DVec3::ZERO, DVec3::new(80.0, 50.0, 20.0));
        let corners = [0; 3].map(|_| at + random.point(DVec3::ZERO, DVec3::splat(9.0)));
        push(&mut mesh, corners, materials[random.below(3)]);
    }
    for vertex in &mut mesh.vertices {
        if random.range(0.0, 1.0) < 0.1 {
            *vertex += random.point(DVec3::ZERO, DVec3::splat(3e-4)) * random.range(0.0, 1.0);
        }
    }
    for t in 0..mesh.triangles.len() {
        let MeshTriangle { vertices, material } = mesh.triangles[t];
        let corners = vertices.map(|v| mesh.vertices[v as usize]);
        let [a, b, c] = corners;
        match random.below(20) {
            0..4 => mesh.triangles[t].vertices.swap(0, 1),
            4 => push(&mut mesh, corners, material),
            5 => push(&mut mesh, [a, c, b], materials[random.below(3)]),
            6 => push(
                &mut mesh,
                [a, b, random.range(0.0, 1.0) * (a + b)],
                material,
            ),
            7..10 => {
                // The neighbouring triangle stays whole: a T-junction.
                let centre = a.lerp(b, random.range(0.0, 1.0));
                let first = u32::try_from(mesh.vertices.len()).unwrap();
                mesh.vertices.push(centre);
                mesh.triangles[t].vertices[1] = first;
                push(&mut mesh, [centre, b, c], material);
            }
            10 => mesh.triangles[t].vertices[1] = vertices[0],
            _ => {}
        }
    }
    mesh
}

fn with_threads(threads: usize, mesh: &Mesh) -> String {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let scene = pool.unwrap().install(|| Scene::new(mesh)).unwrap();
    // Rust writes different floats differently.
    format!("{scene:?}")
}

#[test]
fn threads_change_nothing() {
    for seed in 0..6 {
        let mesh = hard_mesh(seed);
        let alone = with_threads(1, &mesh);
        assert!(alone == with_threads(7, &mesh), "seed {seed}");
        assert!(alone == with_threads(7, &mesh), "seed {seed}, again");
    }
}

#[test]
fn the_order_of_triangles_changes_nothing() {
    for seed in 0..6 {
        let mut mesh = hard_mesh(seed);
        let before = Scene::new(&mesh).unwrap();
        let mut random = Random(seed + 100);
        for t in (1..mesh.triangles.len()).rev() {
            let other = random.below(t + 1);
            mesh.triangles.swap(t, other);
            mesh.triangles[t].vertices.rotate_left(other % 3);
        }
        let after = Scene::new(&mesh).unwrap();
        assert_eq!(before.faces(), after.faces(), "seed {seed}");
        assert_eq!(before.edges(), after.edges(), "seed {seed}");
        assert_eq!(before.triangles(), after.triangles(), "seed {seed}");
        assert_eq!(before.defects(), after.defects(), "seed {seed}");
    }
}

#[test]
fn the_meshes_have_what_is_hard() {
    let scene = Scene::new(&hard_mesh(0)).unwrap();
    let defects = scene.defects();
    let counts = [
        defects.near_vertices,
        defects.t_junctions,
        defects.zero_area_triangles,
        defects.duplicate_triangles,
        defects.overlapping_triangles,
        defects.non_manifold_edges,
    ];
    assert!(counts.iter().all(|&count| count > 0), "{defects:?}");
    let planes = (0..scene.edges().len()).map(|e| scene.edge_planes.of(e).len());
    assert!(planes.max() > Some(0), "no further planes at edges");
    assert!(
        scene.planes().len() < scene.faces().len(),
        "no shared planes"
    );
}
