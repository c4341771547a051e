//! Diffuse scattering in coverages by tubes, checked against closed forms, by the conservation of energy, and by the
//! path engine at every cell.

use crate::common::{Random, add_polygon, by_name, paths, random_city, world};
use glam::DVec2;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::coverage::{Levels, Region};
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{InteractionKind, Limits, Search, Vertex};
use keller::scene::Mesh;
use keller::units::SPEED_OF_LIGHT;
use keller::{Control, DVec3, Tx, World};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

const MIN_GAIN: f64 = 1e-14;

const LAMBERT: Scattering = Scattering {
    coefficient: 0.6,
    cross_polarization: 0.1,
    lobe: Lobe::Lambertian,
};

/// The place whose sums are compared.
struct Place(World);

impl Place {
    /// A place where all walls scatter: perfect conductors, or the materials of the mesh.
    fn new(mesh: &Mesh, is_conductor: bool, scattering: Scattering) -> Self {
        let smooth = by_name(mesh, None, 2e9);
        let mut materials = smooth.materials().to_vec();
        for (material, of_mesh) in materials.iter_mut().zip(&mesh.materials) {
            if is_conductor {
                *material = Material::HalfSpace(Medium::PerfectConductor);
            }
            if of_mesh.name == "mirror" {
                continue;
            }
            *material = material.clone().with_texture(Texture {
                scattering: Some(scattering),
                roughness: 0.0,
            });
        }
        Self(world(Arc::clone(smooth.shared_scene()), &materials, 2e9))
    }

    fn tubes(&self, region: &Region, limits: &Limits, accuracy: Accuracy) -> Tubes {
        let settings = Settings {
            limits: *limits,
            accuracy,
            min_gain: MIN_GAIN,
        };
        Tubes::new(&self.0, region, settings)
    }

    fn by_tubes(&self, tx: &Tx, region: &Region, limits: &Limits, accuracy: Accuracy) -> Vec<f64> {
        let tubes = self.tubes(region, limits, accuracy);
        let cells = 0..region.num_cells();
        tubes.gains(tx, cells, &Control::default()).unwrap()
    }

    /// The gain in every `step`-th cell of the paths that end behind their patch; NaN in the other cells.
    fn by_paths(&self, tx: &Tx, region: &Region, limits: &Limits, step: usize) -> Vec<f64> {
        let centre = |cell: usize| region.centre(region.cell(cell), &[]).unwrap();
        let is_free = |cell: &usize| !self.0.scene().any_face_near(centre(*cell), 1e-3, |_| true);
        let cells: Vec<usize> = (0..region.num_cells())
            .step_by(step)
            .filter(is_free)
            .collect();
        let centres: Vec<DVec3> = cells.iter().map(|cell| centre(*cell)).collect();
        let rx = Antenna {
            polarization: Polarization::VH,
            ..Antenna::default()
        };
        let mut gains = vec![f64::NAN; region.num_cells()];
        for cell in &cells {
            gains[*cell] = 0.0;
        }
        for path in paths(&self.0, tx.position, &centres, limits, Search::Complete) {
            let is_scattered = |i: &Vertex| i.interaction.kind() == InteractionKind::Scattering;
            let patch = path.vertices.iter().position(is_scattered);
            if patch.is_none_or(|patch| patch + 1 == path.vertices.len()) {
                let field = PathField::new(&path, &self.0);
                gains[cells[path.rx]] += field.gain(&tx.antenna, &rx);
            }
        }
        gains
    }

    /// The gain of free space at 1 m.
    fn at_one_metre(&self) -> f64 {
        (self.0.frequency().wavelength() / (4.0 * PI)).powi(2)
    }
}

fn sender(position: DVec3) -> Tx {
    Tx {
        position,
        antenna: Antenna::default(),
    }
}

/// A rectangle on the ground around the origin.
fn sheet(half: [f64; 2]) -> Mesh {
    let mut mesh = Mesh::default();
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corners = corners.map(|[x, y]| DVec3::new(half[0] * x, half[1] * y, 0.0));
    add_polygon(&mut mesh, "wall", &corners);
    mesh
}

/// Limits of paths that are scattered at the first wall or behind reflecting planes, and of those that are reflected.
fn scattered(reflections: usize) -> Limits {
    Limits {
        line_of_sight: false,
        max_interactions: 1 + reflections,
        max_reflections: reflections,
        max_scatterings: 1,
        ..Limits::default()
    }
}

/// A point straight over a transmitter at the height a, b over a large wall of Lambert, gets
/// `2 S^2 (lambda / (4 pi (a + b)))^2`: the integral of `a b / pi / (r_i r_s)^3` over the plane is `2 / (a + b)^2`.
#[test]
fn a_large_wall_of_lambert_sends_what_its_integral_says() {
    let place = Place::new(&sheet([400.0, 400.0]), true, LAMBERT);
    let limits = scattered(0);
    for (a, accuracy, tolerance) in [
        (7.3, Accuracy::Quick, 0.06),
        (7.3, Accuracy::Default, 0.04),
        (0.8, Accuracy::Default, 0.04),
        (7.3, Accuracy::Exact, 0.025),
    ] {
        let heights = vec![1.0, 4.0, 13.0, 32.0, 90.0];
        let levels = Levels::AboveSea(heights.clone());
        let low = DVec2::new(-2.0, -2.0);
        let region = Region::planes(low, -low, DVec2::splat(4.0), levels).unwrap();
        let gains = place.by_tubes(&sender(DVec3::new(0.0, 0.0, a)), &region, &limits, accuracy);
        for (b, gain) in heights.into_iter().zip(gains) {
            let closed = place.at_one_metre() * 0.36 * 2.0 / (a + b).powi(2);
            assert!(
                (gain / closed - 1.0).abs() < tolerance,
                "{accuracy:?} {a} {b}: {}",
                gain / closed
            );
        }
    }
}

/// The power through a hemisphere far away is that which falls on the wall, of a unit density its solid angle, times
/// `S^2`: for every lobe.
#[test]
fn no_more_power_leaves_a_wall_than_comes() {
    let lobes = [
        Lobe::Lambertian,
        Lobe::Directive { forward: 6 },
        Lobe::Backscattering {
            forward: 4,
            back: 8,
            forward_share: 0.4,
        },
    ];
    let [x, y, z] = [6.0, 4.0, 5.0];
    // The solid angle of a rectangle with its centre below the transmitter.
    let solid_angle = 4.0 * (x * y / (z * f64::sqrt(x * x + y * y + z * z))).atan();
    for lobe in lobes {
        let scattering = Scattering { lobe, ..LAMBERT };
        let place = Place::new(&sheet([x, y]), true, scattering);
        let expected = place.at_one_metre() * 0.36 * solid_angle;
        let low = DVec3::new(-120.0, -120.0, 0.0);
        let region = Region::volume(low, DVec3::new(120.0, 120.0, 120.0), DVec3::splat(6.0));
        let region = region.unwrap();
        let limits = scattered(0);
        let tx = sender(DVec3::new(0.0, 0.0, z));
        let gains = place.by_tubes(&tx, &region, &limits, Accuracy::Default);
        let (mut sum, mut cells) = (0.0, 0.0);
        for (cell, gain) in gains.into_iter().enumerate() {
            let centre = region.centre(region.cell(cell), &[]).unwrap();
            let distance = centre.length();
            if (80.0..119.0).contains(&distance) {
                sum += gain * distance * distance;
                cells += 1.0;
            }
        }
        let power = TAU * sum / cells;
        assert!(
            (power / expected - 1.0).abs() < 0.03,
            "{lobe:?}: {}",
            power / expected
        );
    }
}

/// The ground receives the power of the transmitter and that of its image behind a reflecting plane.
#[test]
fn a_mirror_lights_the_ground_once_more() {
    let mut mesh = Mesh::default();
    let half = [(0.0, -200.0), (200.0, -200.0), (200.0, 200.0), (0.0, 200.0)];
    add_polygon(
        &mut mesh,
        "ground",
        &half.map(|(x, y)| DVec3::new(x, y, 0.0)),
    );
    let upright = [(-200.0, 0.0), (200.0, 0.0), (200.0, 200.0), (-200.0, 200.0)];
    add_polygon(
        &mut mesh,
        "mirror",
        &upright.map(|(y, z)| DVec3::new(0.0, y, z)),
    );
    let place = Place::new(&mesh, true, LAMBERT);
    let tx = DVec3::new(9.0, 0.0, 7.0);
    let (low, high) = (DVec2::new(4.0, -12.0), DVec2::new(28.0, 12.0));
    let levels = Levels::AboveSea(vec![5.0, 20.0]);
    let region = Region::planes(low, high, DVec2::splat(4.0), levels).unwrap();
    let limits = scattered(1);
    let smooth = Limits {
        max_scatterings: 0,
        ..limits
    };
    let [gains, reflected] = [&limits, &smooth]
        .map(|limits| place.by_tubes(&sender(tx), &region, limits, Accuracy::Default));
    for (cell, (gain, reflected)) in gains.into_iter().zip(reflected).enumerate() {
        let at = region.centre(region.cell(cell), &[]).unwrap();
        let mut sum = 0.0;
        for i in 0..300 {
            for j in -300..300 {
                let spot = 0.5 * DVec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, 0.0);
                for x in [tx.x, -tx.x] {
                    let product = spot.distance(tx.with_x(x)) * spot.distance(at);
                    sum += 0.25 * tx.z * at.z / (PI * product.powi(3));
                }
            }
        }
        let ratio = (gain - reflected) / (place.at_one_metre() * 0.36 * sum);
        assert!((ratio - 1.0).abs() < 0.06, "{at}: {ratio}");
    }
}

/// The value at `share` of sorted numbers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index"
)]
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

/// The path engine cuts patches of its own, along shadows.
#[test]
fn cities_scatter_as_the_path_engine_says() {
    for (reflections, lobe) in [(0, Lobe::Directive { forward: 4 }), (1, Lobe::Lambertian)] {
        let (mut all, mut lost, mut cells) = (Vec::new(), 0, 0);
        for seed in 0..3 {
            let (mesh, [low, high]) = random_city(seed);
            let scattering = Scattering { lobe, ..LAMBERT };
            let place = Place::new(&mesh, false, scattering);
            let mut random = Random(seed);
            let tx =
                sender(crate::common::devices(place.0.scene(), &mut random, [low, high], 1)[0]);
            let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
            let limits = scattered(reflections);
            let tubes = place.by_tubes(&tx, &region, &limits, Accuracy::Default);
            let points = place.by_paths(&tx, &region, &limits, 3);
            for (t, p) in tubes.iter().zip(points).filter(|(_, p)| !p.is_nan()) {
                if t.max(p) > 1e-12 {
                    cells += 1;
                    let error = 10.0 * (t / p).log10();
                    if error.is_finite() {
                        all.push(error);
                    } else {
                        lost += 1;
                    }
                }
            }
        }
        all.sort_by(f64::total_cmp);
        let [low, quarter, median, high] = [0.05, 0.25, 0.5, 0.95].map(|q| quantile(&all, q));
        let found = format!("{reflections} {lobe:?}: {low} {quarter} {median} {high}");
        assert!(median.abs() < 0.05 && quarter > -0.15, "{found}");
        assert!(low > -0.6 && high < 0.4, "{found}");
        assert!(
            lost * 100 < cells,
            "{reflections} {lobe:?}: {lost} of {cells}"
        );
    }
}

/// The power that small squares of walls bring to a point, square by square: seen from both ends or not.
fn by_squares(place: &Place, tx: DVec3, at: DVec3) -> f64 {
    /// Metres.
    const WIDTH: f64 = 0.4;
    let scene = place.0.scene();
    let mut crossings = Vec::new();
    let mut is_free = |from: DVec3, to: DVec3| {
        crossings.clear();
        // Any number of faces is within the limit.
        let _ = scene.crossings(from, to, &[], usize::MAX, &mut crossings);
        crossings.is_empty()
    };
    let mut sum = 0.0;
    for triangle in 0..scene.triangles().len() {
        let [a, b, c] = scene.corners(triangle);
        let normal = (b - a).cross(c - a);
        let area = 0.5 * normal.length();
        let normal = normal.normalize();
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let num = (longest / WIDTH).ceil();
        let steps = || (0_u32..).map(f64::from).take_while(|k| *k < num);
        // The two triangles of every small parallelogram.
        for (i, j) in steps().flat_map(|i| steps().map(move |j| (i, j))) {
            for third in [1.0 / 3.0, 2.0 / 3.0] {
                let (u, v) = ((i + third) / num, (j + third) / num);
                if u + v >= 1.0 {
                    continue;
                }
                let spot = a + u * (b - a) + v * (c - a);
                let (into, out) = (tx - spot, at - spot);
                let side = normal * normal.dot(into).signum();
                let cosines = side.dot(into) * side.dot(out);
                let before = spot + 1e-3 * side;
                if cosines > 0.0 && is_free(before, tx) && is_free(before, at) {
                    let product = into.length() * out.length();
                    sum += area / (num * num) * cosines / (PI * product.powi(3));
                }
            }
        }
    }
    place.at_one_metre() * 0.36 * sum
}

/// The visible part of patches that a cell sees in part counts. Quantiles of 5, 25, 50, 75, 95 %.
#[test]
fn cities_scatter_as_small_squares_do() {
    let mut errors = [Vec::new(), Vec::new()];
    for seed in 0..3 {
        let (mesh, [low, high]) = random_city(seed);
        let place = Place::new(&mesh, true, LAMBERT);
        let mut random = Random(seed);
        let tx = sender(crate::common::devices(place.0.scene(), &mut random, [low, high], 1)[0]);
        let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
        let expected: Vec<(usize, f64)> = (0..region.num_cells())
            .step_by(29)
            .map(|cell| {
                let at = region.centre(region.cell(cell), &[]).unwrap();
                (cell, by_squares(&place, tx.position, at))
            })
            .filter(|(_, expected)| *expected > 1e-12)
            .collect();
        let accuracies = [Accuracy::Default, Accuracy::Exact];
        for (accuracy, errors) in accuracies.into_iter().zip(&mut errors) {
            let tubes = place.by_tubes(&tx, &region, &scattered(0), accuracy);
            let known = expected.iter().filter(|(cell, _)| !tubes[*cell].is_nan());
            let error = |(cell, expected): &(usize, f64)| 10.0 * (tubes[*cell] / expected).log10();
            errors.extend(known.map(error));
        }
    }
    let bounds = [
        ([-0.25, -0.08, -0.04], [0.03, 0.15]),
        ([-0.25, -0.04, -0.02], [0.03, 0.15]),
    ];
    for (mut errors, (lowest, highest)) in errors.into_iter().zip(bounds) {
        errors.sort_by(f64::total_cmp);
        let found = [0.05, 0.25, 0.5, 0.75, 0.95].map(|q| quantile(&errors, q));
        let [low, high] = [&found[..3], &found[3..]];
        let is_near = low.iter().zip(lowest).all(|(a, b)| (b..-b).contains(a))
            && high.iter().zip(highest).all(|(a, b)| (-b..b).contains(a));
        assert!(errors.len() > 50 && is_near, "{found:.2?}");
    }
}

#[test]
fn blocks_and_threads_change_no_bit() {
    let (mesh, [low, high]) = random_city(1);
    let place = Place::new(&mesh, false, LAMBERT);
    let region = Region::volume(low, high, DVec3::splat(6.0)).unwrap();
    let limits = scattered(1);
    let tubes = place.tubes(&region, &limits, Accuracy::Quick);
    let mut random = Random(5);
    let tx = sender(crate::common::devices(place.0.scene(), &mut random, [low, high], 1)[0]);
    let control = Control::default();
    let count = region.num_cells();
    let whole = tubes.gains(&tx, 0..count, &control).unwrap();
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let parts = one.install(|| {
        let centre = count / 3 + 7;
        let mut parts = tubes.gains(&tx, 0..centre, &control).unwrap();
        parts.extend(tubes.gains(&tx, centre..count, &control).unwrap());
        parts
    });
    let bits = |gains: &[f64]| gains.iter().map(|gain| gain.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&whole), bits(&parts));
    assert!(whole.iter().filter(|gain| **gain > 0.0).count() > count / 4);
}

/// Every scattered path over a large wall takes the way over its patch.
#[test]
fn scattered_paths_have_delays_and_angles() {
    let place = Place::new(&sheet([60.0, 60.0]), true, LAMBERT);
    let low = DVec2::new(10.0, -2.0);
    let levels = Levels::AboveSea(vec![9.0]);
    let region = Region::planes(low, low + DVec2::new(20.0, 4.0), DVec2::splat(4.0), levels);
    let region = region.unwrap();
    let limits = scattered(0);
    let tx = sender(DVec3::new(0.0, 0.0, 6.0));
    let tubes = place.tubes(&region, &limits, Accuracy::Exact);
    let control = Control::default();
    let multipath = tubes
        .multipath(&tx, 0..region.num_cells(), &control)
        .unwrap();
    let gains = tubes.gains(&tx, 0..region.num_cells(), &control).unwrap();
    assert_eq!(multipath.path_gain, gains);
    for (number, cell) in multipath.cells.iter().enumerate() {
        let at = region.centre(region.cell(number), &[]).unwrap();
        // The same integrals over small squares.
        let (mut power, mut delay) = (0.0, 0.0);
        for i in -120..120 {
            for j in -120..120 {
                let spot = 0.5 * DVec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, 0.0);
                let (a, b) = (spot.distance(tx.position), spot.distance(at));
                let share = tx.position.z * at.z / (a * b).powi(3);
                power += share;
                delay += share * (a + b) / SPEED_OF_LIGHT;
            }
        }
        let spreads = cell.spreads.unwrap();
        let mean = spreads.mean_delay * power / delay;
        assert!((mean - 1.0).abs() < 0.02, "{at}: {mean}");
        assert!(spreads.arrival[0].mean > PI / 2.0, "{at}: from below");
        assert!(spreads.departure[0].mean > PI / 2.0, "{at}: downwards");
        assert!(!cell.has_line_of_sight && cell.num_paths > 10, "{at}");
    }
}

/// The path engine cuts patches along shadows, square by square far finer than the squares of the reference.
#[test]
fn paths_scatter_as_small_squares_do_in_cities() {
    let mut errors = Vec::new();
    for seed in 0..3 {
        let (mesh, [low, high]) = random_city(seed);
        let place = Place::new(&mesh, true, LAMBERT);
        let mut random = Random(seed);
        let tx = sender(crate::common::devices(place.0.scene(), &mut random, [low, high], 1)[0]);
        let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
        let points = place.by_paths(&tx, &region, &scattered(0), 29);
        for (cell, gain) in points.into_iter().enumerate().step_by(29) {
            let at = region.centre(region.cell(cell), &[]).unwrap();
            let expected = by_squares(&place, tx.position, at);
            if !gain.is_nan() && expected > 1e-12 {
                errors.push(10.0 * (gain / expected).log10());
            }
        }
    }
    errors.sort_by(f64::total_cmp);
    let found = [0.0, 0.05, 0.5, 0.95, 1.0].map(|q| quantile(&errors, q));
    assert!(errors.len() > 50, "{} cells", errors.len());
    assert!(
        found[2].abs() < 0.1 && found[1] > -0.4 && found[3] < 0.4,
        "{found:.2?}"
    );
}
