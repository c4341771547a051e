//! The field on tiles of surfaces, checked against closed forms, by energy, by reciprocity and by the path engine at
//! their centres.

use std::f64::consts::{PI, TAU};

use crate::common::place::{
    self, add_wall, at, both, corners, free_space, is_along_own_wall, wavelength,
};
use crate::common::{Random, add_box, add_polygon, devices, inside_out, paths, random_city};
use keller::antenna::{Antenna, Polarization};
use keller::coverage::tiles::TileField;
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium};
use keller::paths::{Interaction, Limits, Path, Search};
use keller::scene::{FaceId, Mesh};
use keller::tiles::{Tile, Tiles};
use keller::units::{SPEED_OF_LIGHT, power_to_db};
use keller::{Complex64, Control, DVec3, Tx, World};

/// Tiles and the power on their sides.
struct Fields {
    tiles: Tiles,
    fields: Vec<[TileField; 2]>,
}

fn fields(place: &World, tx: &Tx, limits: &Limits, side: f64) -> Fields {
    let coverage = place::coverage(place, limits, side);
    let fields = coverage.fields(tx, &Control::default()).unwrap();
    Fields {
        tiles: coverage.environment().tiles.clone(),
        fields,
    }
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
    let place = place::named(&mesh);
    let tx = at([7.3, -9.0, 4.1], Antenna::default());
    let fields = fields(&place, &tx, &specular(2), 2.0);
    assert_eq!(fields.tiles.len(), 60);
    for (tile, sides) in fields.each() {
        let normal = place.scene().face_normal(tile.face);
        let lit = usize::from(normal.y > 0.0);
        assert_eq!(sides[1 - lit], TileField::default());
        let field = &sides[lit];
        let distance = tile.centre.distance(tx.position);
        let expected = free_space(distance);
        assert!((field.path_gain / expected - 1.0).abs() < 1e-12);
        let strongest = field.strongest.unwrap();
        let back = (tx.position - tile.centre).normalize();
        assert!(strongest.arrival.unit_vector().distance(back) < 1e-12);
        assert!((strongest.delay * SPEED_OF_LIGHT / distance - 1.0).abs() < 1e-12);
        // The share of the power through a sphere that passes through the area before it.
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
    let place = place::of(&mesh, &[mirror.clone(), mirror]);
    let tx = at(
        [6.0, -15.0, 3.0],
        Antenna {
            polarization: Polarization::H,
            ..Antenna::default()
        },
    );
    let image = DVec3::new(6.0, -15.0, -5.0);
    let fields = fields(&place, &tx, &specular(1), 2.0);
    let mut count = 0;
    for (tile, sides) in fields
        .each()
        .filter(|(tile, _)| tile.centre.z > -1.0 + 1e-9)
    {
        let [r1, r2] = [tx.position, image].map(|from| from.distance(tile.centre));
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

/// The distance before a wall at which the path engine is the reference, metres. Along lossy walls fields grow fast
/// with the distance from them.
const HAIR: f64 = 2e-4;

/// Gain of the paths to a point a hair before a tile, without waves by its own wall: its reflection, and half the field
/// of waves along it from an edge of its own.
fn by_path_engine(place: &World, tx: &Tx, tile: &Tile, paths: &[&Path]) -> f64 {
    let plane = place.scene().plane_of(tile.face);
    let is_in_plane = |face: FaceId| place.scene().plane_of(face) == plane;
    let gain = |path: &&Path| {
        let last = path.vertices.last();
        let from = last.map_or(path.tx_position, |i| i.point);
        let gain = PathField::new(path, place).gain(&tx.antenna, &both());
        let share = match last.map(|i| i.interaction) {
            Some(Interaction::Reflection(face)) if is_in_plane(face) => 0.0,
            _ if place.scene().plane(plane).distance(from).abs() > 2.0 * HAIR => 1.0,
            _ if is_along_own_wall(place, path, plane) => 0.25,
            _ => 0.0,
        };
        share * gain
    };
    paths.iter().map(gain).sum()
}

/// A gain that is zero compared with those of illuminated tiles, as on a lossy wall that waves run along.
const ZERO: f64 = 1e-16;

/// The gain that is left a hair before a wall on which it is zero.
const VANISHING: f64 = 1e-14;

/// Median and 95th percentile of the error, dB, and the share of illuminated sides that are found, by the length of
/// tiles.
#[test]
fn tiles_have_the_field_of_the_path_engine_at_their_centres() {
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
            let place = place::named(&mesh);
            let mut random = Random(seed);
            let position = devices(place.scene(), &mut random, [low, high], 1)[0];
            let tx = at(position.to_array(), Antenna::default());
            let fields = fields(&place, &tx, &limits, side);
            let chosen: Vec<usize> = (0..40).map(|_| random.below(fields.tiles.len())).collect();
            let sides = |number: usize| {
                let tile = fields.tiles.all()[number];
                let normal = place.scene().face_normal(tile.face);
                [HAIR, -HAIR].map(|before| tile.centre + before * normal)
            };
            let points: Vec<DVec3> = chosen.iter().flat_map(|tile| sides(*tile)).collect();
            let paths = paths(&place, position, &points, &limits, Search::Complete);
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
                // A wave along a lossy wall vanishes on it, and not quite a hair before it.
                let floor = if found < ZERO { VANISHING } else { 0.0 };
                let [expected, found] =
                    [expected, found].map(|gain| if gain > 0.0 { gain.max(floor) } else { 0.0 });
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

#[test]
fn what_a_tile_brings_to_another_comes_back() {
    let (mesh, _) = random_city(1);
    let place = place::named(&mesh);
    let limits = specular(2);
    let coverage = place::coverage(&place, &limits, 4.0);
    let tiles = coverage.environment().tiles.clone();
    let from_tile = |number: usize| {
        let tile = tiles.all()[number];
        let before = tile.centre + 1e-3 * place.scene().face_normal(tile.face);
        let tx = at(before.to_array(), both());
        coverage.fields(&tx, &Control::default()).unwrap()
    };
    let mut random = Random(3);
    let chosen: Vec<usize> = (0..12).map(|_| random.below(tiles.len())).collect();
    let fields: Vec<_> = chosen.iter().map(|tile| from_tile(*tile)).collect();
    let mut count = 0;
    for (a, of_a) in chosen.iter().zip(&fields) {
        for (b, of_b) in chosen.iter().zip(&fields) {
            // A sender before a reflecting plane sends by it as well, a tile there does not hear of it: straight ways
            // are the same.
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
    let place = place::conductor(&inside_out(&mesh), 1.0, Lobe::Lambertian);
    let tx = at([3.7, 4.4, 2.9], Antenna::default());
    // Centres stand for tiles: the share of power that is lost or won a bounce.
    for (side, most) in [(2.0, 0.04), (1.0, 0.02), (0.5, 0.01)] {
        let totals = [0, 1, 2, 3].map(|count| fields(&place, &tx, &scattered(count), side).power());
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
        let place = place::conductor(&mesh, 0.6, lobe);
        let tx = at([4.0, 6.0, 5.0], Antenna::default());
        let fields = fields(&place, &tx, &scattered(1), 2.0);
        for (tile, sides) in fields.each().filter(|(tile, _)| tile.centre.y > 10.0) {
            let mut expected = 0.0;
            let step = 0.05;
            for k in 0..400 * 240 {
                let at = DVec3::new(f64::from(k % 400) + 0.5, 0.0, f64::from(k / 400) + 0.5);
                let at = step * at;
                let [into, out] = [tx.position - at, tile.centre - at];
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

/// A path that is reflected at a plane before it meets a rough wall is scattered as well, if the limits have room for
/// both.
#[test]
fn what_is_mirrored_first_is_scattered_too() {
    let (mesh, [low, high]) = random_city(2);
    let place = place::conductor(&mesh, 0.5, Lobe::Lambertian);
    let position = devices(place.scene(), &mut Random(8), [low, high], 1)[0];
    let tx = at(position.to_array(), Antenna::default());
    let diffuse = |max_interactions: usize, max_reflections: usize| {
        let limits = Limits {
            max_interactions,
            max_reflections,
            max_scatterings: 1,
            ..Limits::default()
        };
        let fields = fields(&place, &tx, &limits, 4.0);
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
    let place = place::conductor(&inside_out(&mesh), 0.7, Lobe::Lambertian);
    let tx = at([3.7, 4.4, 2.9], Antenna::default());
    let [direct, three] = [0, 3].map(|count| fields(&place, &tx, &scattered(count), 1.0));
    for ((tile, direct), three) in direct.each().zip(&three.fields) {
        let distance = tile.centre.distance(tx.position);
        for (direct, three) in direct.iter().zip(three).filter(|(d, _)| d.path_gain > 0.0) {
            let mean = three.mean_delay.unwrap() * SPEED_OF_LIGHT;
            // The mean way is longer than the direct one, by three crossings at most.
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
    let place = place::conductor(&mesh, 0.4, Lobe::Directive { forward: 4 });
    let position = devices(place.scene(), &mut Random(1), [low, high], 1)[0];
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
        pool.install(|| fields(&place, &tx, &limits, 4.0).fields)
    });
    assert!(one == many, "the number of threads changes the result");
}

#[test]
fn one_search_gives_fields_and_the_rays_that_add_up_to_them_on_any_threads() {
    let (mesh, [low, high]) = random_city(3);
    let place = place::named(&mesh);
    let position = devices(place.scene(), &mut Random(5), [low, high], 1)[0];
    let tx = at(position.to_array(), Antenna::default());
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let coverage = place::coverage(&place, &limits, 4.0);
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
