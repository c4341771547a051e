//! The field on tiles of surfaces, judged by closed forms, by energy, by reciprocity and by the path engine at their middles.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::f64::consts::{PI, TAU};

use common::{Random, add_box, add_polygon, devices, inside_out, random_city};
use keller::antenna::{Antenna, Polarization};
use keller::coverage::points::Transmitter;
use keller::coverage::tiles::{TileCoverage, TileField, TileRay};
use keller::em::Surfaces;
use keller::field::transport;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture, resolve};
use keller::paths::{
    Environment, InteractionKind, Limits, Object, Path, PathFinder, Search, Transparency,
};
use keller::scene::{FaceId, Mesh, PlaneId, Scene};
use keller::tiles::{Tile, Tiles, Tiling};
use keller::units::{SPEED_OF_LIGHT, power_to_db};
use keller::{Complex64, Control, DVec3, Frequency};

const HZ: f64 = 2e9;

fn wavelength() -> f64 {
    SPEED_OF_LIGHT / HZ
}

/// Gain over so many metres of nothing.
fn free_space(distance: f64) -> f64 {
    (wavelength() / (4.0 * PI * distance)).powi(2)
}

fn both() -> Antenna {
    Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    }
}

/// A scene with its surfaces.
struct Place {
    scene: Scene,
    surfaces: Surfaces,
    transparency: Transparency,
}

impl Place {
    /// Of what the mesh says.
    fn new(mesh: &Mesh) -> Self {
        let definitions = mesh
            .materials
            .iter()
            .map(|m| (m.name.as_str(), m.definition.as_ref()));
        Self::of(mesh, &resolve(definitions, &[], Some("concrete")).unwrap())
    }

    /// Perfect conductors, which scatter all of what falls on them, or this share of its square root.
    fn conductor(mesh: &Mesh, coefficient: f64, lobe: Lobe) -> Self {
        let texture = Texture {
            scattering: Some(Scattering {
                coefficient,
                cross_polarization: 0.0,
                lobe,
            }),
            roughness: 0.0,
        };
        let wall = Material::HalfSpace(Medium::PerfectConductor).with_texture(texture);
        Self::of(mesh, &vec![wall; mesh.materials.len()])
    }

    fn of(mesh: &Mesh, materials: &[Material]) -> Self {
        let scene = Scene::new(mesh).unwrap();
        let surfaces = Surfaces::new(materials, Frequency::from_hz(HZ).unwrap()).unwrap();
        let transparency = Transparency::of(&scene, &surfaces);
        Self {
            scene,
            surfaces,
            transparency,
        }
    }

    fn coverage<'a>(&'a self, limits: &'a Limits, side: f64) -> TileCoverage<'a> {
        let control = Control::default();
        let environment = Environment::new(&self.scene, Tiling::of_side(side), &control).unwrap();
        let (scene, surfaces) = (&self.scene, &self.surfaces);
        TileCoverage::new(scene, surfaces, limits, &self.transparency, environment).unwrap()
    }

    fn fields(&self, tx: &Transmitter, limits: &Limits, side: f64) -> Fields {
        let coverage = self.coverage(limits, side);
        let fields = coverage.fields(tx, &Control::default()).unwrap();
        Fields {
            tiles: coverage.environment().tiles.clone(),
            fields,
        }
    }
}

/// Tiles and what falls on their sides.
struct Fields {
    tiles: Tiles,
    fields: Vec<[TileField; 2]>,
}

impl Fields {
    fn each(&self) -> impl Iterator<Item = (&Tile, &[TileField; 2])> {
        self.tiles.all().iter().zip(&self.fields)
    }

    /// Power on all of them over that of the transmitter.
    fn power(&self) -> f64 {
        self.fields.iter().flatten().map(|f| f.incident_power).sum()
    }
}

fn at(position: [f64; 3], antenna: Antenna) -> Transmitter {
    Transmitter {
        position: position.into(),
        antenna,
    }
}

fn corners(all: &[[f64; 3]]) -> Vec<DVec3> {
    all.iter().copied().map(DVec3::from).collect()
}

/// 20 m along x and 12 m high at y = 0.
fn add_wall(mesh: &mut Mesh, y: f64) {
    let wall = [[0., y, 0.], [20., y, 0.], [20., y, 12.], [0., y, 12.]];
    add_polygon(mesh, "wall", &corners(&wall));
}

fn specular(max_reflections: usize) -> Limits {
    Limits {
        max_interactions: max_reflections,
        max_reflections,
        ..Limits::default()
    }
}

fn scattered(max_scatterings: usize) -> Limits {
    Limits {
        max_interactions: max_scatterings,
        max_reflections: 0,
        max_scatterings,
        ..Limits::default()
    }
}

#[test]
fn free_space_reaches_a_wall_exactly_and_on_one_side() {
    let mut mesh = Mesh::default();
    add_wall(&mut mesh, 0.0);
    let place = Place::new(&mesh);
    let tx = at([7.3, -9.0, 4.1], Antenna::default());
    let fields = place.fields(&tx, &specular(2), 2.0);
    assert_eq!(fields.tiles.len(), 60);
    for (tile, sides) in fields.each() {
        let normal = place.scene.face_normal(tile.face);
        let lit = usize::from(normal.y > 0.0);
        assert_eq!(sides[1 - lit], TileField::default());
        let field = &sides[lit];
        let distance = tile.middle.distance(tx.position);
        let expected = free_space(distance);
        assert!((field.path_gain / expected - 1.0).abs() < 1e-12);
        let strongest = field.strongest.unwrap();
        let back = (tx.position - tile.middle).normalize();
        assert!(strongest.arrival.unit_vector().distance(back) < 1e-12);
        assert!((strongest.delay * SPEED_OF_LIGHT / distance - 1.0).abs() < 1e-12);
        // What passes through the area before it, of what passes through a sphere.
        let share = tile.area * 9.0 / distance / (4.0 * PI * distance * distance);
        assert!((field.incident_power / share - 1.0).abs() < 1e-9);
        assert_eq!((field.paths.num_paths, field.diffuse_gain), (1, 0.0));
    }
}

#[test]
fn a_wall_above_a_mirror_has_the_field_of_two_rays() {
    let mut mesh = Mesh::default();
    add_wall(&mut mesh, 0.0);
    let ground = [
        [-50., -50., -1.],
        [70., -50., -1.],
        [70., 0., -1.],
        [-50., 0., -1.],
    ];
    add_polygon(&mut mesh, "ground", &corners(&ground));
    let mirror = Material::HalfSpace(Medium::PerfectConductor);
    let place = Place::of(&mesh, &[mirror.clone(), mirror]);
    let tx = at(
        [6.0, -15.0, 3.0],
        Antenna {
            polarization: Polarization::H,
            ..Antenna::default()
        },
    );
    let image = DVec3::new(6.0, -15.0, -5.0);
    let fields = place.fields(&tx, &specular(1), 2.0);
    let mut count = 0;
    for (tile, sides) in fields
        .each()
        .filter(|(tile, _)| tile.middle.z > -1.0 + 1e-9)
    {
        let [r1, r2] = [tx.position, image].map(|from| from.distance(tile.middle));
        let ray = |r: f64| Complex64::from_polar(free_space(r).sqrt(), -TAU * r / wavelength());
        // Across the plane of incidence a conductor turns the field.
        let [coherent, incoherent] = [
            (ray(r1) - ray(r2)).norm_sqr(),
            free_space(r1) + free_space(r2),
        ];
        let field = sides.iter().find(|field| field.path_gain > 0.0).unwrap();
        assert!((field.path_gain / incoherent - 1.0).abs() < 1e-9);
        assert!((field.paths.coherent_gain - coherent).abs() < 1e-7 * incoherent);
        let (mean, spread) = (0.5 * (r1 + r2), 0.5 * (r2 - r1));
        assert!(field.mean_delay.unwrap() * SPEED_OF_LIGHT < mean);
        assert!(field.delay_spread.unwrap() * SPEED_OF_LIGHT < spread);
        count += 1;
    }
    assert_eq!(count, 60);
}

/// So far before a wall the path engine judges it, metres. Along lossy walls fields grow fast with the distance from them.
const HAIR: f64 = 2e-4;

/// Gain of the paths to a point a hair before a tile, but for what its own wall brings: its reflection, and half the field of what runs along it
/// from an edge of its own.
fn by_path_engine(place: &Place, tx: &Transmitter, tile: &Tile, paths: &[&Path]) -> f64 {
    let plane = place.scene.plane_of(tile.face);
    let is_in_plane = |face: FaceId| place.scene.plane_of(face) == plane;
    let gain = |path: &&Path| {
        let last = path.interactions.last();
        let from = last.map_or(path.tx_position, |i| i.point);
        let gain = transport(path, &place.scene, &place.surfaces).gain(&tx.antenna, &both());
        let share = match last.map(|i| (i.kind, i.object)) {
            Some((InteractionKind::Reflection, Object::Face(face))) if is_in_plane(face) => 0.0,
            _ if place.scene.plane(plane).distance(from).abs() > 2.0 * HAIR => 1.0,
            _ if is_along_own_wall(place, path, plane) => 0.25,
            _ => 0.0,
        };
        share * gain
    };
    paths.iter().map(gain).sum()
}

/// Whether a path's last edge bounds a face in this plane.
fn is_along_own_wall(place: &Place, path: &Path, plane: PlaneId) -> bool {
    let edges = path
        .interactions
        .iter()
        .rev()
        .filter_map(|i| match i.object {
            Object::Edge(edge) => Some(place.scene.edges()[edge.index()]),
            _ => None,
        });
    let faces = edges.take(1).flat_map(|edge| edge.faces).flatten();
    faces
        .map(|face| place.scene.plane_of(face))
        .any(|of_face| of_face == plane)
}

/// Median and 95th percentile of the error, dB, and the share of lit sides whose light is found, by the length of tiles.
#[test]
fn tiles_have_the_field_of_the_path_engine_at_their_middles() {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    for (side, p95, least) in [(8.0, 1.0, 0.95), (4.0, 0.3, 0.98), (2.0, 0.1, 0.99)] {
        let mut errors = Vec::new();
        let (mut num_found, mut num_lit) = (0_u32, 0_u32);
        for seed in 0..4 {
            let (mesh, [low, high]) = random_city(seed);
            let place = Place::new(&mesh);
            let mut random = Random(seed);
            let position = devices(&place.scene, &mut random, [low, high], 1)[0];
            let tx = at(position.to_array(), Antenna::default());
            let fields = place.fields(&tx, &limits, side);
            let chosen: Vec<usize> = (0..40).map(|_| random.below(fields.tiles.len())).collect();
            let sides = |number: usize| {
                let tile = fields.tiles.all()[number];
                let normal = place.scene.face_normal(tile.face);
                [HAIR, -HAIR].map(|before| tile.middle + before * normal)
            };
            let points: Vec<DVec3> = chosen.iter().flat_map(|tile| sides(*tile)).collect();
            let complete = Search::Complete;
            let finder = PathFinder::new(&place.scene, &limits, &place.transparency, complete);
            let control = Control::default();
            let from = finder.look_from(0, position, &control).unwrap();
            let paths = finder.paths(&from, &points, &control).unwrap();
            for k in 0..points.len() {
                let own: Vec<&Path> = paths.iter().filter(|path| path.rx == k).collect();
                let number = chosen[k / 2];
                let tile = fields.tiles.all()[number];
                let expected = by_path_engine(&place, &tx, &tile, &own);
                let found = fields.fields[number][k % 2].path_gain;
                if expected > 0.0 {
                    num_lit += 1;
                    num_found += u32::from(found > 0.0);
                }
                if expected > 0.0 && found > 0.0 {
                    errors.push((power_to_db(found) - power_to_db(expected)).abs());
                }
            }
        }
        errors.sort_by(f64::total_cmp);
        let [median, most] = [50, 95].map(|percent| errors[errors.len() * percent / 100]);
        let share = f64::from(num_found) / f64::from(num_lit);
        assert!(median < 0.01, "{side} m: {median} dB");
        assert!(most < p95, "{side} m: {most} dB");
        assert!(share >= least, "{side} m: {num_found} of {num_lit}");
    }
}

/// All faces of a box, from near the edges to far from them: half the field of the path engine, in the limit of no distance.
#[test]
fn along_its_own_wall_an_edge_sends_half_the_field_a_hair_before_it() {
    judge_along_walls(1, 3.0, 400);
    judge_along_walls(2, 12.0, 50);
}

/// The same behind so many edges, with tiles of this length, metres, and so many rays or more.
fn judge_along_walls(num_edges: usize, side: f64, least: usize) {
    let limits = Limits {
        max_interactions: num_edges,
        max_reflections: 0,
        max_diffractions: num_edges,
        ..Limits::default()
    };
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, DVec3::new(30.0, 20.0, 12.0));
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    let concrete = Material::from_name("concrete").unwrap();
    for (material, polarization) in [
        (&conductor, Polarization::V),
        (&conductor, Polarization::H),
        (&concrete, Polarization::V),
        (&concrete, Polarization::H),
    ] {
        let place = Place::of(&mesh, std::slice::from_ref(material));
        let antenna = Antenna {
            polarization,
            ..Antenna::default()
        };
        // Sees one side and the roof: their edges light all four walls and the roof.
        let tx = at([11.0, -17.0, 21.0], antenna);
        let coverage = place.coverage(&limits, side);
        let rays = coverage.rays(&tx, &Control::default()).unwrap();
        let along = |ray: &&TileRay| {
            let tile = coverage.environment().tiles.all()[ray.path.rx];
            is_along_own_wall(&place, &ray.path, place.scene.plane_of(tile.face))
        };
        let along: Vec<&TileRay> = rays.iter().filter(along).collect();
        assert!(along.len() > least, "{} rays along walls", along.len());
        // What vanishes on the wall has no limit in decibels.
        let strongest = along.iter().map(|r| r.gain).fold(0.0, f64::max);
        let mut last = f64::INFINITY;
        for hair in [1e-2, 1e-3, 1.5e-4] {
            let mut worst: f64 = 0.0;
            for ray in &along {
                let tile = coverage.environment().tiles.all()[ray.path.rx];
                let outwards = place.scene.face_normal(tile.face) * [1.0, -1.0][ray.side];
                let point = tile.middle + hair * outwards;
                let (scene, transparency) = (&place.scene, &place.transparency);
                let finder = PathFinder::new(scene, &limits, transparency, Search::Exhaustive);
                let from = finder
                    .look_from(0, tx.position, &Control::default())
                    .unwrap();
                let paths = finder.paths(&from, &[point], &Control::default()).unwrap();
                let edges =
                    |p: &Path| -> Vec<Object> { p.interactions.iter().map(|i| i.object).collect() };
                let same = |p: &&Path| edges(p) == edges(&ray.path);
                let path = paths.iter().find(same).unwrap();
                let field = transport(path, &place.scene, &place.surfaces);
                let expected = 0.25 * field.gain(&tx.antenna, &both());
                if ray.gain > 1e-6 * strongest {
                    let error = power_to_db(ray.gain) - power_to_db(expected);
                    worst = worst.max(error.abs());
                } else {
                    assert!(expected < 1e-3 * strongest, "{hair} m: {expected}");
                }
            }
            assert!(worst < last, "{hair} m: {worst} dB, {last} dB before");
            last = worst;
        }
        assert!(last < 0.1, "{last} dB");
    }
}

/// A field across a sheet does not notice it if its source lies in the sheet's plane: half of it falls on each side, and no step is met on the
/// way through the plane, where the direct ray leaves one side.
#[test]
fn a_sheet_seen_edge_on_has_half_the_free_field_on_each_side() {
    let mut mesh = Mesh::default();
    add_wall(&mut mesh, 0.0);
    let place = Place::of(&mesh, &[Material::HalfSpace(Medium::PerfectConductor)]);
    let across = Antenna {
        polarization: Polarization::H,
        ..Antenna::default()
    };
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 0,
        max_diffractions: 1,
        free_edges: true,
        ..Limits::default()
    };
    let coverage = place.coverage(&limits, 2.0);
    let wavenumber = TAU / wavelength();
    for y in [1e-3, 3e-4, -3e-4, -1e-3] {
        let tx = at([-10.0, y, 5.0], across.clone());
        let mut sums = vec![[Complex64::ZERO; 2]; coverage.environment().tiles.len()];
        for ray in coverage.rays(&tx, &Control::default()).unwrap() {
            let is_near_side = |p: DVec3| p.x.abs() < 1e-9;
            if ray.path.interactions.iter().all(|i| is_near_side(i.point)) {
                let phase = Complex64::from_polar(1.0, wavenumber * ray.path.length);
                sums[ray.path.rx][ray.side] += ray.field.coefficient[1][1] * phase;
            }
        }
        for (tile, sums) in coverage.environment().tiles.all().iter().zip(sums) {
            let free = free_space(tile.middle.distance(tx.position));
            for sum in sums {
                let ratio = sum.norm_sqr() / free;
                assert!((ratio - 0.25).abs() < 0.01, "{y} m: {ratio}");
            }
        }
    }
}

#[test]
fn what_a_tile_brings_to_another_comes_back() {
    let (mesh, _) = random_city(1);
    let place = Place::new(&mesh);
    let limits = specular(2);
    let coverage = place.coverage(&limits, 4.0);
    let tiles = coverage.environment().tiles.clone();
    let from_tile = |number: usize| {
        let tile = tiles.all()[number];
        let before = tile.middle + 1e-3 * place.scene.face_normal(tile.face);
        let tx = at(before.to_array(), both());
        coverage.fields(&tx, &Control::default()).unwrap()
    };
    let mut random = Random(3);
    let chosen: Vec<usize> = (0..12).map(|_| random.below(tiles.len())).collect();
    let fields: Vec<_> = chosen.iter().map(|tile| from_tile(*tile)).collect();
    let mut count = 0;
    for (a, of_a) in chosen.iter().zip(&fields) {
        for (b, of_b) in chosen.iter().zip(&fields) {
            // A sender before a mirror sends by it as well, a tile there does not hear of it: straight ways are the same.
            let [there, back] = [&of_a[*b][0], &of_b[*a][0]];
            if a < b && there.paths.has_line_of_sight && back.paths.has_line_of_sight {
                let ratio = there.paths.strongest_gain / back.paths.strongest_gain;
                assert!((ratio - 1.0).abs() < 1e-2, "{a} {b}: {ratio}");
                count += 1;
            }
        }
    }
    assert!(count > 0, "none sees another");
}

/// All that is sent falls on the walls, and again after every scattering.
#[test]
fn a_closed_white_room_keeps_its_power() {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, DVec3::new(10.0, 8.0, 6.0));
    let place = Place::conductor(&inside_out(&mesh), 1.0, Lobe::Lambertian);
    let tx = at([3.7, 4.4, 2.9], Antenna::default());
    // Middles stand for tiles: what is lost or won a bounce.
    for (side, most) in [(2.0, 0.04), (1.0, 0.02), (0.5, 0.01)] {
        let totals = [0, 1, 2, 3].map(|count| place.fields(&tx, &scattered(count), side).power());
        let mut last = totals[0];
        assert!((last - 1.0).abs() < most, "{side} m: {totals:?}");
        for pair in totals.windows(2) {
            let bounce = pair[1] - pair[0];
            assert!((bounce / last - 1.0).abs() < most, "{side} m: {totals:?}");
            last = bounce;
        }
    }
}

/// Power that one wall of a canyon scatters onto the other, by squares of 5 cm.
#[test]
fn a_canyon_scatters_what_the_patch_integral_says() {
    let mut mesh = Mesh::default();
    add_wall(&mut mesh, 0.0);
    add_wall(&mut mesh, 15.0);
    let lobes = [Lobe::Lambertian, Lobe::Directive { forward: 3 }];
    for (lobe, most) in lobes.into_iter().zip([0.02, 0.03]) {
        let place = Place::conductor(&mesh, 0.6, lobe);
        let tx = at([4.0, 6.0, 5.0], Antenna::default());
        let fields = place.fields(&tx, &scattered(1), 2.0);
        for (tile, sides) in fields.each().filter(|(tile, _)| tile.middle.y > 10.0) {
            let mut expected = 0.0;
            let step = 0.05;
            for k in 0..400 * 240 {
                let at = DVec3::new(f64::from(k % 400) + 0.5, 0.0, f64::from(k / 400) + 0.5);
                let at = step * at;
                let [into, out] = [tx.position - at, tile.middle - at];
                let (din, dout) = (into.length(), out.length());
                let (into, out) = (into / din, out / dout);
                let mirror = 2.0 * into.y * DVec3::Y - into;
                let lobe = keller::em::scattering::lobe(
                    lobe,
                    into.y,
                    out.y,
                    out.dot(mirror),
                    out.dot(into),
                );
                expected += 0.36 * free_space(din) * lobe * step * step / (dout * dout);
            }
            let found = sides[0].diffuse_gain + sides[1].diffuse_gain;
            assert!(
                (found / expected - 1.0).abs() < most,
                "{lobe:?}: {found} {expected}"
            );
        }
    }
}

/// A mirror before a rough wall: the mirrored path is scattered as well, if the limits have room for both.
#[test]
fn what_is_mirrored_first_is_scattered_too() {
    let (mesh, [low, high]) = random_city(2);
    let place = Place::conductor(&mesh, 0.5, Lobe::Lambertian);
    let position = devices(&place.scene, &mut Random(8), [low, high], 1)[0];
    let tx = at(position.to_array(), Antenna::default());
    let diffuse = |max_interactions: usize, max_reflections: usize| {
        let limits = Limits {
            max_interactions,
            max_reflections,
            max_scatterings: 1,
            ..Limits::default()
        };
        let fields = place.fields(&tx, &limits, 4.0);
        let all = fields.fields.iter().flatten();
        all.map(|f| f.diffuse_gain).sum::<f64>()
    };
    let (once, mirrored, too_deep) = (diffuse(1, 0), diffuse(2, 1), diffuse(1, 1));
    assert!(mirrored > 1.01 * once, "{mirrored} {once}");
    assert_eq!(once, too_deep);
}

#[test]
fn diffuse_power_comes_later_than_the_direct() {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, DVec3::new(10.0, 8.0, 6.0));
    let place = Place::conductor(&inside_out(&mesh), 0.7, Lobe::Lambertian);
    let tx = at([3.7, 4.4, 2.9], Antenna::default());
    let [direct, three] = [0, 3].map(|count| place.fields(&tx, &scattered(count), 1.0));
    for ((tile, direct), three) in direct.each().zip(&three.fields) {
        let distance = tile.middle.distance(tx.position);
        for (direct, three) in direct.iter().zip(three).filter(|(d, _)| d.path_gain > 0.0) {
            let mean = three.mean_delay.unwrap() * SPEED_OF_LIGHT;
            // Beyond the direct way, and within three crossings more.
            assert!(
                mean > distance && mean < distance + 3.0 * 14.2,
                "{mean} {distance}"
            );
            assert!(direct.delay_spread.unwrap() * SPEED_OF_LIGHT < 1e-6);
            assert!(three.delay_spread.unwrap() > 0.0);
        }
    }
}

#[test]
fn fields_do_not_depend_on_threads() {
    let (mesh, [low, high]) = random_city(0);
    let place = Place::conductor(&mesh, 0.4, Lobe::Directive { forward: 4 });
    let position = devices(&place.scene, &mut Random(1), [low, high], 1)[0];
    let tx = at(position.to_array(), Antenna::default());
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 2,
        max_diffractions: 1,
        max_scatterings: 2,
        ..Limits::default()
    };
    let [one, many] = [1, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| place.fields(&tx, &limits, 4.0).fields)
    });
    assert!(one == many, "the number of threads changes the result");
}

#[test]
fn one_search_gives_fields_and_the_rays_that_add_up_to_them_on_any_threads() {
    let (mesh, [low, high]) = random_city(3);
    let place = Place::new(&mesh);
    let position = devices(&place.scene, &mut Random(5), [low, high], 1)[0];
    let tx = at(position.to_array(), Antenna::default());
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let coverage = place.coverage(&limits, 4.0);
    let [one, many] = [1, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let find = || coverage.fields_and_rays(&tx, &Control::default()).unwrap();
        pool.build().unwrap().install(find)
    });
    assert!(one == many, "the number of threads changes the result");
    let (fields, rays) = one;
    let alone = coverage.fields(&tx, &Control::default()).unwrap();
    assert!(fields == alone, "fields alone differ");
    let alone = coverage.rays(&tx, &Control::default()).unwrap();
    assert!(rays == alone, "rays alone differ");
    let mut sums = vec![[0.0; 2]; fields.len()];
    for ray in &rays {
        sums[ray.path.rx][ray.side] += ray.gain;
    }
    for (sum, field) in sums.iter().flatten().zip(fields.iter().flatten()) {
        let error = sum - field.path_gain;
        assert!(error.abs() <= 1e-12 * sum, "{error} of {sum}");
    }
}
