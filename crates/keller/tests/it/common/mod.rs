//! Scenes for tests: hand-made shapes and random places, from a seed.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

pub(crate) mod engines;
pub(crate) mod exact_tiles;
pub(crate) mod place;
pub(crate) mod reflections;
pub(crate) mod rough_walls;
pub(crate) mod town;
pub(crate) mod turning;

pub(crate) use keller::random::Random;

use std::sync::Arc;

use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::paths::{Devices, Limits, Path, PathFinder, PathOptions, Search, find_paths};
use keller::scene::{FaceId, Mesh, MeshTriangle, Scene};
use keller::tiles::Tiles;
use keller::{Control, DVec3, Frequency, World};

/// Adds a planar polygon as a fan.
pub(crate) fn add_polygon(mesh: &mut Mesh, material: &str, corners: &[DVec3]) {
    let material = mesh.material_index(material);
    let base = mesh.vertices.len() as u32;
    mesh.vertices.extend_from_slice(corners);
    for k in 1..corners.len() as u32 - 1 {
        mesh.triangles.push(MeshTriangle {
            vertices: [base, base + k, base + k + 1],
            material,
        });
    }
}

/// Adds an upright prism over a counter-clockwise footprint, fronts outwards; with a floor if asked.
pub(crate) fn add_prism(
    mesh: &mut Mesh,
    material: &str,
    footprint: &[[f64; 2]],
    low: f64,
    high: f64,
    floor: bool,
) {
    let at = |[x, y]: [f64; 2], z| DVec3::new(x, y, z);
    let n = footprint.len();
    for k in 0..n {
        let (p, q) = (footprint[k], footprint[(k + 1) % n]);
        add_polygon(
            mesh,
            material,
            &[at(p, low), at(q, low), at(q, high), at(p, high)],
        );
    }
    let top: Vec<DVec3> = footprint.iter().map(|&p| at(p, high)).collect();
    add_polygon(mesh, material, &top);
    if floor {
        let bottom: Vec<DVec3> = footprint.iter().rev().map(|&p| at(p, low)).collect();
        add_polygon(mesh, material, &bottom);
    }
}

/// Adds an axis-parallel box with its floor.
pub(crate) fn add_box(mesh: &mut Mesh, material: &str, low: DVec3, high: DVec3) {
    let footprint = [
        [low.x, low.y],
        [high.x, low.y],
        [high.x, high.y],
        [low.x, high.y],
    ];
    add_prism(mesh, material, &footprint, low.z, high.z, true);
}

/// The same mesh with every winding turned.
pub(crate) fn inside_out(mesh: &Mesh) -> Mesh {
    let mut turned = mesh.clone();
    for t in &mut turned.triangles {
        t.vertices.swap(1, 2);
    }
    turned
}

/// The same mesh with every triangle cut in four at the centres of its sides, over vertices of its own.
pub(crate) fn split_in_four(mesh: &Mesh) -> Mesh {
    let mut split = Mesh {
        materials: mesh.materials.clone(),
        ..Mesh::default()
    };
    for t in &mesh.triangles {
        let [a, b, c] = t.vertices.map(|v| mesh.vertices[v as usize]);
        let base = split.vertices.len() as u32;
        split
            .vertices
            .extend([a, b, c, 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)]);
        for corners in [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]] {
            split.triangles.push(MeshTriangle {
                vertices: corners.map(|v| base + v),
                material: t.material,
            });
        }
    }
    split
}

/// The same mesh with triangles in another order and each starting at another corner.
pub(crate) fn shuffled(mesh: &Mesh, seed: u64) -> Mesh {
    let mut random = Random(seed);
    let mut shuffled = mesh.clone();
    for i in (1..shuffled.triangles.len()).rev() {
        shuffled.triangles.swap(i, random.below(i + 1));
    }
    for t in &mut shuffled.triangles {
        t.vertices.rotate_left(random.below(3));
    }
    shuffled
}

/// A random place of one of several kinds, and a box in which devices may stand.
pub(crate) fn random_scene(seed: u64) -> (Mesh, [DVec3; 2]) {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    match seed % 5 {
        0 => random_room(&mut mesh, &mut random),
        1 => random_blocks(&mut mesh, &mut random),
        2 => random_prisms(&mut mesh, &mut random),
        3 => random_near_coplanar(&mut mesh, &mut random),
        _ => random_sheets(&mut mesh, &mut random),
    }
}

/// A few buildings on a ground, some of them touching, some turned; small enough to try every sequence.
pub(crate) fn random_city(seed: u64) -> (Mesh, [DVec3; 2]) {
    let mut random = Random(seed ^ 0xc17);
    let mut mesh = Mesh::default();
    let corner = |x: f64, y: f64| DVec3::new(x * 40.0, y * 40.0, 0.0);
    let ground = [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)].map(|(x, y)| corner(x, y));
    add_polygon(&mut mesh, "ground", &ground);
    for k in 0..2 + random.below(2) {
        let centre = DVec3::new(
            [-12.0, 12.0, -12.0][k] + random.range(-3.0, 3.0),
            [-10.0, 2.0, 14.0][k] + random.range(-3.0, 3.0),
            0.0,
        );
        let turn = if random.below(2) == 0 {
            0.0
        } else {
            random.range(0.0, 1.5)
        };
        let (u, v) = (
            DVec3::new(turn.cos(), turn.sin(), 0.0) * random.range(3.0, 8.0),
            DVec3::new(-turn.sin(), turn.cos(), 0.0) * random.range(3.0, 8.0),
        );
        let footprint = [-u - v, u - v, u + v, v - u].map(|c| [centre.x + c.x, centre.y + c.y]);
        add_prism(
            &mut mesh,
            "brick",
            &footprint,
            0.0,
            random.range(4.0, 15.0),
            false,
        );
        if random.below(2) == 0 {
            // A neighbour that shares a wall.
            let next =
                [u - v, 2.0 * u - v, 2.0 * u + v, u + v].map(|c| [centre.x + c.x, centre.y + c.y]);
            add_prism(
                &mut mesh,
                "glass",
                &next,
                0.0,
                random.range(4.0, 15.0),
                false,
            );
        }
    }
    (
        mesh,
        [DVec3::new(-30., -30., 0.5), DVec3::new(30., 30., 18.)],
    )
}

/// A room with furniture, fronts of the walls inwards.
fn random_room(mesh: &mut Mesh, random: &mut Random) -> (Mesh, [DVec3; 2]) {
    let size = random.point(DVec3::new(4.0, 3.0, 2.2), DVec3::new(12.0, 9.0, 4.0));
    add_box(mesh, "concrete", DVec3::ZERO, size);
    *mesh = inside_out(mesh);
    for _ in 0..random.below(3) {
        let low = random.point(DVec3::splat(0.3), 0.6 * size);
        let high = low + random.point(DVec3::splat(0.2), 0.35 * size);
        let low = if random.below(2) == 0 {
            low.with_z(0.0)
        } else {
            low
        };
        add_box(mesh, "wood", low, high);
    }
    (std::mem::take(mesh), [DVec3::splat(0.05), size - 0.05])
}

/// Streets and blocks; neighbours may touch, and share a wall twice.
fn random_blocks(mesh: &mut Mesh, random: &mut Random) -> (Mesh, [DVec3; 2]) {
    let reach = 60.0;
    let corner = |x: f64, y: f64| DVec3::new(x * reach, y * reach, 0.0);
    add_polygon(
        mesh,
        "ground",
        &[
            corner(-1., -1.),
            corner(1., -1.),
            corner(1., 1.),
            corner(-1., 1.),
        ],
    );
    for x in -1..=1 {
        for y in -1..=1 {
            let start = DVec3::new(f64::from(x) * 25.0 - 9.0, f64::from(y) * 25.0 - 9.0, 0.0);
            let width = random.range(4.0, 9.0);
            let depth = random.range(6.0, 14.0);
            let height = random.range(5.0, 25.0);
            add_box(
                mesh,
                "brick",
                start,
                start + DVec3::new(width, depth, height),
            );
            if random.below(2) == 0 {
                let next = start + DVec3::new(width, 0.0, 0.0);
                let size = DVec3::new(random.range(2.0, 7.0), depth, random.range(5.0, 25.0));
                add_box(mesh, ["brick", "glass"][random.below(2)], next, next + size);
            }
        }
    }
    (
        std::mem::take(mesh),
        [DVec3::new(-40., -40., 0.5), DVec3::new(40., 40., 30.)],
    )
}

/// Turned prisms with many sides on a ground, some of them tiny.
fn random_prisms(mesh: &mut Mesh, random: &mut Random) -> (Mesh, [DVec3; 2]) {
    let corner = |x: f64, y: f64| DVec3::new(x * 50.0, y * 50.0, 0.0);
    add_polygon(
        mesh,
        "ground",
        &[
            corner(-1., -1.),
            corner(1., -1.),
            corner(1., 1.),
            corner(-1., 1.),
        ],
    );
    for _ in 0..3 + random.below(4) {
        let centre = [random.range(-25.0, 25.0), random.range(-25.0, 25.0)];
        let radius = if random.below(4) == 0 {
            random.range(0.02, 0.2)
        } else {
            random.range(2.0, 8.0)
        };
        let sides = 3 + random.below(5);
        let turn = random.range(0.0, 6.0);
        let footprint: Vec<[f64; 2]> = (0..sides)
            .map(|k| {
                let angle = turn + k as f64 * std::f64::consts::TAU / sides as f64;
                [
                    centre[0] + radius * angle.cos(),
                    centre[1] + radius * angle.sin(),
                ]
            })
            .collect();
        add_prism(
            mesh,
            "concrete",
            &footprint,
            0.0,
            random.range(0.5, 20.0),
            false,
        );
    }
    (
        std::mem::take(mesh),
        [DVec3::new(-30., -30., 0.3), DVec3::new(30., 30., 25.)],
    )
}

/// Walls whose parts are almost, but not quite, in one plane; decals; a wall of touching tiles.
fn random_near_coplanar(mesh: &mut Mesh, random: &mut Random) -> (Mesh, [DVec3; 2]) {
    for k in 0..6 {
        let offset = [0.0, 0.0, 1e-5, 1e-3, 5e-3, 0.0][random.below(6)];
        let y = [-8.0, 8.0][k % 2] + offset;
        let x = f64::from(k as u8 / 2) * 4.0 - 6.0;
        let tilt = [0.0, 1e-4, 0.02][random.below(3)];
        let p = DVec3::new(x, y, 0.0);
        let along = DVec3::new(4.0, 4.0 * tilt, 0.0);
        let up = DVec3::new(0.0, 0.0, 5.0);
        add_polygon(mesh, "concrete", &[p, p + along, p + along + up, p + up]);
        if random.below(2) == 0 {
            let d = p + 0.3 * along + 0.3 * up;
            add_polygon(
                mesh,
                "glass",
                &[d, d + 0.4 * along, d + 0.4 * along + 0.4 * up, d + 0.4 * up],
            );
        }
    }
    let corner = |x: f64, y: f64| DVec3::new(x * 20.0, y * 20.0, -0.5);
    add_polygon(
        mesh,
        "ground",
        &[
            corner(-1., -1.),
            corner(1., -1.),
            corner(1., 1.),
            corner(-1., 1.),
        ],
    );
    (
        std::mem::take(mesh),
        [DVec3::new(-7., -7., 0.0), DVec3::new(7., 7., 5.0)],
    )
}

/// Open sheets at any angle, through each other.
fn random_sheets(mesh: &mut Mesh, random: &mut Random) -> (Mesh, [DVec3; 2]) {
    for _ in 0..4 + random.below(8) {
        let p = random.point(DVec3::splat(-10.0), DVec3::splat(10.0));
        let u = random.point(DVec3::splat(-6.0), DVec3::splat(6.0));
        let v = random.point(DVec3::splat(-6.0), DVec3::splat(6.0));
        if random.below(3) == 0 {
            add_polygon(mesh, "glass", &[p, p + u, p + v]);
        } else {
            add_polygon(mesh, "concrete", &[p, p + u, p + u + v, p + v]);
        }
    }
    (
        std::mem::take(mesh),
        [DVec3::splat(-9.0), DVec3::splat(9.0)],
    )
}

/// Devices in the open, at random; positions inside a wall are drawn again.
pub(crate) fn devices(
    scene: &Scene,
    random: &mut Random,
    [low, high]: [DVec3; 2],
    count: usize,
) -> Vec<DVec3> {
    let mut devices = Vec::new();
    while devices.len() < count {
        let position = random.point(low, high);
        if !scene.any_face_near(position, 1e-3, |_| true) {
            devices.push(position);
        }
    }
    devices
}

/// `scene` with walls of `materials`, in the order of its names, at `hz` Hz.
pub(crate) fn world(scene: impl Into<Arc<Scene>>, materials: &[Material], hz: f64) -> World {
    let scene = scene.into();
    assert_eq!(
        scene.materials().len(),
        materials.len(),
        "a material for each name"
    );
    let named = scene.materials().iter().cloned().zip(materials.to_vec());
    let (materials, frequency) = (named.collect::<Materials>(), Frequency::from_hz(hz));
    World::new(scene, &materials, frequency.expect("positive")).expect("materials are defined")
}

/// `scene` with walls all of one material, at `hz` Hz.
pub(crate) fn world_of(scene: impl Into<Arc<Scene>>, material: &Material, hz: f64) -> World {
    let scene = scene.into();
    let materials = vec![material.clone(); scene.materials().len()];
    world(scene, &materials, hz)
}

/// `scene` with walls that waves pass everywhere, and that scatter nothing.
pub(crate) fn see_through(scene: impl Into<Arc<Scene>>) -> World {
    let pane = Material::slab(Medium::Itu(ItuMaterial::Glass), 0.01);
    world_of(scene, &pane, 3.5e9)
}

/// A world with materials by their names in `mesh`, and concrete where the name says nothing: half spaces, or slabs of
/// a thickness.
pub(crate) fn by_name(mesh: &Mesh, thickness: Option<f64>, hz: f64) -> World {
    let materials = Materials {
        default: Some("concrete".to_owned()),
        default_thickness: thickness,
        ..Materials::default()
    };
    let scene = Scene::new(mesh).expect("the mesh has triangles");
    World::new(scene, &materials, Frequency::from_hz(hz).expect("positive")).expect("known names")
}

/// The area of all pieces of a tile, m².
pub(crate) fn area_of_pieces(scene: &Scene, tiles: &Tiles, number: usize) -> f64 {
    let fan = |(_, p): (FaceId, Vec<DVec3>)| -> f64 {
        let sides = p[1..].windows(2);
        let cross = sides.map(|s| (s[0] - p[0]).cross(s[1] - p[0]));
        0.5 * cross.sum::<DVec3>().length()
    };
    tiles.pieces(scene, number).into_iter().map(fan).sum()
}

/// The paths from one Tx.
pub(crate) fn paths(
    world: &World,
    tx: DVec3,
    rx: &[DVec3],
    limits: &Limits,
    search: Search,
) -> Vec<Path> {
    links(world, &[tx], rx, limits, search)
}

/// The paths from every Tx.
pub(crate) fn links(
    world: &World,
    tx: &[DVec3],
    rx: &[DVec3],
    limits: &Limits,
    search: Search,
) -> Vec<Path> {
    let tx = Devices::tx(world.scene(), tx).expect("devices are free");
    let rx = Devices::rx(world.scene(), rx).expect("devices are free");
    let options = PathOptions {
        limits: *limits,
        search: Some(search),
    };
    find_paths(world, &tx, &rx, &options, &Control::default()).expect("the search is small")
}

/// The paths of `finder` from one Tx.
pub(crate) fn paths_of(finder: &PathFinder, world: &World, tx: DVec3, rx: &[DVec3]) -> Vec<Path> {
    let tx = Devices::tx(world.scene(), [tx]).expect("devices are free");
    let rx = Devices::rx(world.scene(), rx).expect("devices are free");
    let control = Control::default();
    let from = finder
        .views_from(&tx, 0, &control)
        .expect("the search is small");
    finder
        .paths(&from, &rx, &control)
        .expect("the search is small")
}
