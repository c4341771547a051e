//! The figures of all paths of a cell together, by tubes, checked against closed forms, and by the channels of the path
//! engine at every cell.

use crate::common::{Random, add_polygon, by_name, random_city, world, world_of};
use glam::DVec2;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::points::Points;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::coverage::{AngleSpread, CellPaths, Levels, Multipath, Region};
use keller::materials::{Material, Medium};
use keller::paths::{Limits, PathFinder, Search};
use keller::scene::{Mesh, Scene};
use keller::units::SPEED_OF_LIGHT;
use keller::{Complex64, Control, DVec3, Direction, Tx, World};
use std::f64::consts::{PI, TAU};

const MIN_GAIN: f64 = 1e-17;

/// The place whose figures are compared.
struct Place(World);

impl Place {
    /// A place with all walls of `material`, or with the materials of the mesh.
    fn new(mesh: &Mesh, material: Option<&Material>, thickness: Option<f64>) -> Self {
        let world = by_name(mesh, thickness, 2e9);
        Self(material.map_or(world, |material| {
            world_of(Scene::new(mesh).unwrap(), material, 2e9)
        }))
    }

    /// Ground of a perfect conductor.
    fn open() -> Self {
        let mut mesh = Mesh::default();
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let corners = corners.map(|[x, y]| DVec3::new(500.0 * x, 500.0 * y, 0.0));
        add_polygon(&mut mesh, "ground", &corners);
        Self::new(&mesh, Material::from_name("pec").as_ref(), None)
    }

    fn by_tubes(&self, tx: &Tx, region: &Region, limits: &Limits, accuracy: Accuracy) -> Multipath {
        let tubes = self.tubes(region, limits, accuracy);
        let cells = 0..region.num_cells();
        tubes.multipath(tx, cells, &Control::default()).unwrap()
    }

    fn tubes(&self, region: &Region, limits: &Limits, accuracy: Accuracy) -> Tubes {
        let settings = Settings {
            limits: *limits,
            accuracy,
            min_gain: MIN_GAIN,
        };
        Tubes::new(&self.0, region, settings)
    }

    fn by_points(&self, tx: &Tx, region: &Region, limits: &Limits) -> Multipath {
        let (search, control) = (Search::Complete, Control::default());
        let finder = PathFinder::new(&self.0, limits, search, &control).unwrap();
        let points = Points::new(&self.0, region, finder);
        let cells = 0..region.num_cells();
        let multipath = points
            .multipath(tx, cells.clone(), &Control::default())
            .unwrap();
        let gains = points.gains(tx, cells, &Control::default()).unwrap();
        assert!(bits(&gains) == bits(&multipath.path_gain), "the same gains");
        multipath
    }

    /// The amplitude of free space, phase in it, and its wavelength: metres.
    fn free_space(&self, length: f64) -> Complex64 {
        let wavelength = self.0.frequency().wavelength();
        let amplitude = wavelength / (4.0 * PI * length);
        Complex64::from_polar(amplitude, -TAU * length / wavelength)
    }
}

fn bits(gains: &[f64]) -> Vec<u64> {
    gains.iter().map(|gain| gain.to_bits()).collect()
}

fn sender(position: DVec3, polarization: Polarization) -> Tx {
    let antenna = Antenna {
        polarization,
        ..Antenna::default()
    };
    Tx { position, antenna }
}

fn limits(reflections: usize, transmissions: usize) -> Limits {
    Limits {
        max_interactions: reflections,
        max_reflections: reflections,
        max_transmissions: transmissions,
        ..Limits::default()
    }
}

/// The difference of two angles, radians.
fn apart(a: f64, b: f64) -> f64 {
    (a - b + PI).rem_euclid(TAU) - PI
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} for {expected}"
    );
}

#[test]
fn one_path_is_all_there_is_in_free_space() {
    let place = Place::open();
    let (low, high) = (DVec3::new(-40.0, -35.0, 10.0), DVec3::new(45.0, 30.0, 60.0));
    let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
    let tx = sender(DVec3::new(1.3, 2.1, 31.7), Polarization::VH);
    let found = place.by_tubes(&tx, &region, &limits(0, 0), Accuracy::Default);
    for (number, cell) in found.cells.iter().enumerate() {
        let centre = region.centre(region.cell(number), &[]).unwrap();
        let length = centre.distance(tx.position);
        let gain = place.free_space(length).norm_sqr();
        assert_eq!((cell.num_paths, cell.has_line_of_sight), (1, true));
        for own in [
            cell.strongest_gain,
            cell.coherent_gain,
            found.path_gain[number],
        ] {
            assert_near(own / gain, 1.0, 1e-6, "gain");
        }
        let spreads = cell.spreads.unwrap();
        let delay = length / SPEED_OF_LIGHT;
        assert_near(spreads.mean_delay, delay, 1e-18, "delay");
        assert_eq!(spreads.delay_spread, 0.0);
        let ends = [
            (spreads.departure, centre - tx.position),
            (spreads.arrival, tx.position - centre),
        ];
        for (found, way) in ends {
            let expected = Direction::from_vector(way);
            for (found, expected) in found.iter().zip([expected.zenith, expected.azimuth]) {
                assert_near(apart(found.mean, expected), 0.0, 1e-6, "angle");
                assert_eq!(found.spread, 0.0);
            }
        }
    }
}

#[test]
fn two_rays_add_up_as_their_closed_form() {
    let place = Place::open();
    let (low, high) = (DVec3::new(-60.0, -50.0, 0.5), DVec3::new(60.0, 50.0, 20.5));
    let region = Region::volume(low, high, DVec3::splat(4.0)).unwrap();
    let position = DVec3::new(1.3, 2.1, 31.7);
    let image = DVec3::new(1.3, 2.1, -31.7);
    for (polarization, sign) in [(Polarization::V, 1.0), (Polarization::H, -1.0)] {
        let tx = sender(position, polarization);
        let found = place.by_tubes(&tx, &region, &limits(1, 0), Accuracy::Exact);
        for (number, cell) in found.cells.iter().enumerate() {
            let centre = region.centre(region.cell(number), &[]).unwrap();
            let lengths = [centre.distance(position), centre.distance(image)];
            let [a, b] = lengths.map(|length| place.free_space(length));
            // A perfect conductor keeps theta and turns phi.
            let coherent = (a + sign * b).norm_sqr();
            let incoherent = a.norm_sqr() + b.norm_sqr();
            assert_eq!((cell.num_paths, cell.has_line_of_sight), (2, true));
            assert_near(
                (cell.coherent_gain - coherent) / incoherent,
                0.0,
                1e-6,
                "coherent gain",
            );
            assert_near(cell.strongest_gain / a.norm_sqr(), 1.0, 1e-6, "strongest");
            let [p, q] = [a, b].map(|field| field.norm_sqr() / incoherent);
            let [early, late] = lengths.map(|length| length / SPEED_OF_LIGHT);
            let spreads = cell.spreads.unwrap();
            assert_near(spreads.mean_delay, p * early + q * late, 1e-14, "delay");
            let spread = (p * q).sqrt() * (late - early);
            assert_near(spreads.delay_spread, spread, 1e-14, "delay spread");
            // Both come from the same azimuth as seen from the cell, and the zeniths are those of the two.
            let zeniths =
                [position, image].map(|from| Direction::from_vector(from - centre).zenith);
            let resultant =
                Complex64::from_polar(p, zeniths[0]) + Complex64::from_polar(q, zeniths[1]);
            let [zenith, azimuth] = spreads.arrival;
            assert_near(zenith.mean, resultant.arg(), 1e-5, "zenith");
            let expected = (-2.0 * resultant.norm().ln()).sqrt();
            assert_near(zenith.spread, expected, 1e-5, "zenith spread");
            assert_near(azimuth.spread, 0.0, 2e-5, "azimuth spread");
        }
    }
}

/// Planes of cells over the ground of a random city.
fn streets(low: DVec3, high: DVec3) -> Region {
    let levels = Levels::AboveSea(vec![1.5, 6.0, 11.0]);
    let size = DVec2::splat(4.0);
    Region::planes(low.truncate(), high.truncate(), size, levels).unwrap()
}

/// The differences of cells from those of the reference, where both have power.
#[derive(Default)]
struct Errors {
    cells: usize,
    /// The numbers of cells with another number of paths, and of cells where the line of sight differs.
    wrong: [usize; 2],
    strongest_db: Vec<f64>,
    coherent_db: Vec<f64>,
    mean_delay: Vec<f64>,
    delay_spread: Vec<f64>,
    mean_angle: Vec<f64>,
    angle_spread: Vec<f64>,
}

impl Errors {
    fn add(&mut self, found: &CellPaths, reference: &CellPaths) {
        self.cells += 1;
        self.wrong[0] += usize::from(found.num_paths != reference.num_paths);
        self.wrong[1] += usize::from(found.has_line_of_sight != reference.has_line_of_sight);
        let (Some(own), Some(right)) = (found.spreads, reference.spreads) else {
            return;
        };
        let db = |a: f64, b: f64| (10.0 * (a / b).log10()).abs();
        self.strongest_db
            .push(db(found.strongest_gain, reference.strongest_gain));
        self.coherent_db
            .push(db(found.coherent_gain, reference.coherent_gain));
        self.mean_delay
            .push((own.mean_delay - right.mean_delay).abs());
        self.delay_spread
            .push((own.delay_spread - right.delay_spread).abs());
        let angles = |s: keller::coverage::CellSpreads| [s.departure, s.arrival].concat();
        for (a, b) in angles(own).iter().zip::<Vec<AngleSpread>>(angles(right)) {
            self.mean_angle.push(apart(a.mean, b.mean).abs());
            self.angle_spread.push((a.spread - b.spread).abs());
        }
    }

    /// Refuses medians and 95 % quantiles of more than `most`: in the order of the fields.
    fn check(self, most: [[f64; 2]; 6]) {
        let figures = [
            ("strongest path, dB", self.strongest_db),
            ("coherent sum, dB", self.coherent_db),
            ("mean delay, s", self.mean_delay),
            ("delay spread, s", self.delay_spread),
            ("mean angle, rad", self.mean_angle),
            ("angular spread, rad", self.angle_spread),
        ];
        for ((what, mut errors), most) in figures.into_iter().zip(most) {
            errors.sort_by(f64::total_cmp);
            let found = [errors[errors.len() / 2], errors[errors.len() * 95 / 100]];
            let is_near = found[0] < most[0] && found[1] < most[1];
            assert!(is_near, "{what}: {found:?}, more than {most:?}");
        }
    }
}

#[test]
fn cities_have_the_statistics_of_their_channels() {
    let mut all = [Errors::default(), Errors::default()];
    for seed in 0..12 {
        let (mesh, [low, high]) = random_city(seed);
        let is_thin = seed % 2 == 0;
        let place = Place::new(&mesh, None, is_thin.then_some(0.1));
        let limits = limits(3, if is_thin { 2 } else { 0 });
        let polarization = [Polarization::V, Polarization::VH][usize::from(seed % 3 == 0)];
        let position =
            crate::common::devices(place.0.scene(), &mut Random(seed + 9), [low, high], 1)[0];
        let tx = sender(position, polarization);
        let region = streets(low, high);
        let reference = place.by_points(&tx, &region, &limits);
        for (errors, accuracy) in all.iter_mut().zip([Accuracy::Default, Accuracy::Exact]) {
            let found = place.by_tubes(&tx, &region, &limits, accuracy);
            for (cell, gain) in reference.path_gain.iter().enumerate() {
                let reached = *gain > 0.0 || found.path_gain[cell] > 0.0;
                if !gain.is_nan() && reached {
                    errors.add(&found.cells[cell], &reference.cells[cell]);
                }
            }
        }
    }
    let [default, exact] = all;
    assert!(default.wrong[0] * 5 < default.cells, "{:?}", default.wrong);
    assert!(exact.wrong[0] * 10 < exact.cells, "{:?}", exact.wrong);
    assert_eq!([default.wrong[1], exact.wrong[1]], [0, 0]);
    default.check([
        [0.01, 0.2],
        [0.1, 1.5],
        [5e-11, 1e-9],
        [1e-10, 2.5e-9],
        [5e-4, 0.01],
        [1e-3, 0.02],
    ]);
    exact.check([
        [0.01, 0.15],
        [0.05, 0.9],
        [3e-11, 5e-10],
        [5e-11, 1e-9],
        [3e-4, 0.005],
        [6e-4, 0.01],
    ]);
}

/// Delays and coherent sums behind a thick wall at an odd angle, straight through it, reflected at the ground and
/// diffracted around its edges.
#[test]
fn walls_that_waves_pass_delay_them_as_paths_are_delayed() {
    let mut mesh = Mesh::default();
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let ground = corners.map(|[x, y]| DVec3::new(50.0 * x, 50.0 * y, 0.0));
    add_polygon(&mut mesh, "ground", &ground);
    let wall = [[-3.1, -1.7], [4.3, 1.9]].map(|[x, y]| DVec3::new(x, y, 1.0));
    let wall = [
        wall[0],
        wall[1],
        wall[1] + 4.0 * DVec3::Z,
        wall[0] + 4.0 * DVec3::Z,
    ];
    add_polygon(&mut mesh, "wall", &wall);
    let medium = Medium::Constant {
        relative_permittivity: 4.1,
        conductivity: 0.02,
    };
    let materials = [Material::HalfSpace(medium), Material::slab(medium, 0.33)];
    let place = Place(world(Scene::new(&mesh).unwrap(), &materials, 2e9));
    let tx = sender(DVec3::new(1.2, -4.1, 2.3), Polarization::VH);
    let (low, high) = (DVec3::new(-4.0, 3.0, 0.4), DVec3::new(4.0, 8.0, 5.2));
    let region = Region::volume(low, high, DVec3::splat(0.8)).unwrap();
    let limits = Limits {
        max_diffractions: 1,
        free_edges: true,
        ..limits(1, 1)
    };
    let reference = place.by_points(&tx, &region, &limits);
    let found = place.by_tubes(&tx, &region, &limits, Accuracy::Exact);
    let (mut delays, mut sums) = (Vec::new(), Vec::new());
    for (found, reference) in found.cells.iter().zip(&reference.cells) {
        let (Some(own), Some(right)) = (found.spreads, reference.spreads) else {
            continue;
        };
        sums.push((found.coherent_gain / reference.coherent_gain - 1.0).abs());
        // Diffracted waves that graze the wall are too weak for tubes to follow.
        if found.num_paths == reference.num_paths {
            delays.push((own.mean_delay - right.mean_delay).abs());
        }
    }
    assert_eq!(sums.len(), found.cells.len());
    assert!(10 * delays.len() > 6 * sums.len(), "{}", delays.len());
    let [delay, sum] = [delays, sums].map(|mut errors| {
        errors.sort_by(f64::total_cmp);
        errors[errors.len() * 95 / 100]
    });
    assert!(delay < 1e-13 && sum < 1e-3, "{delay} s, {sum}");
}

#[test]
fn neither_threads_nor_parts_change_a_bit() {
    let (mesh, [low, high]) = random_city(4);
    let place = Place::new(&mesh, None, Some(0.1));
    let limits = limits(3, 1);
    let position = crate::common::devices(place.0.scene(), &mut Random(1), [low, high], 1)[0];
    let tx = sender(position, Polarization::V);
    let region = streets(low, high);
    let tubes = place.tubes(&region, &limits, Accuracy::Quick);
    let by = |threads: usize, cells| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let multipath = || tubes.multipath(&tx, cells, &Control::default());
        pool.build().unwrap().install(multipath).unwrap()
    };
    let num_cells = region.num_cells();
    let one = by(1, 0..num_cells);
    let gains = tubes.gains(&tx, 0..num_cells, &Control::default());
    assert_eq!(bits(&one.path_gain), bits(&gains.unwrap()));
    let five = by(5, 0..num_cells);
    assert_eq!(one.cells, five.cells);
    let part = num_cells / 7;
    for first in (0..num_cells).step_by(part) {
        let cells = first..num_cells.min(first + part);
        assert_eq!(by(2, cells.clone()).cells, one.cells[cells]);
    }
}
