//! Arrays of which every element is traced: against closed forms, against the phase of a plane wave far away, and behind walls.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{add_box, add_polygon, links, world_of};
use keller::antenna::{Antenna, Array, Orientation, Pattern, Polarization};
use keller::channel::{Antennas, Band, ElementLink, FrequencyResponse, ImpulseResponse, Motion};
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Endpoints, Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::{Complex64, DVec3, Frequency, World};

/// A device: its position, its antenna, and its elements.
#[derive(Clone)]
struct Device {
    position: DVec3,
    antenna: Antenna,
    array: Array,
}

impl Device {
    /// Isotropic elements, metres in its own frame.
    fn isotropic(position: DVec3, elements: &[DVec3]) -> Self {
        Self {
            position,
            antenna: Antenna::default(),
            array: Array::from_elements(elements.to_vec()).unwrap(),
        }
    }

    /// A turned panel of crossed sector elements.
    fn panel(position: DVec3, orientation_deg: [f64; 3], [rows, columns]: [usize; 2]) -> Self {
        let half = 0.5 * frequency().wavelength();
        Self {
            position,
            antenna: Antenna {
                pattern: Pattern::Tr38901,
                polarization: Polarization::Cross,
                orientation: Orientation::from_degrees(orientation_deg),
                ..Antenna::default()
            },
            array: Array::planar(rows, columns, [half; 2]).unwrap(),
        }
    }

    fn elements(&self) -> Endpoints {
        let orientation = self.antenna.orientation;
        Endpoints::new([self.array.positions(self.position, orientation)])
    }
}

/// A world, and the limits of paths in it.
struct Place {
    world: World,
    limits: Limits,
}

impl Place {
    fn new(mesh: &Mesh, limits: Limits) -> Self {
        let scene = Scene::new(mesh).unwrap();
        let medium = Medium::Constant {
            relative_permittivity: 5.0,
            conductivity: 0.1,
        };
        Self {
            world: world_of(scene, &Material::HalfSpace(medium), frequency().hz()),
            limits,
        }
    }

    /// A place with nothing but the line of sight: a far plate that it never meets.
    fn free_space() -> Self {
        let mut mesh = Mesh::default();
        plate(&mut mesh, -50.0);
        let direct = Limits {
            max_interactions: 0,
            ..Limits::default()
        };
        Self::new(&mesh, direct)
    }

    /// A ground with two houses.
    fn town() -> Self {
        let mut mesh = Mesh::default();
        plate(&mut mesh, 0.0);
        for low in [DVec3::new(4.0, -8.0, 0.0), DVec3::new(5.0, 6.0, 0.0)] {
            add_box(&mut mesh, "stone", low, low + DVec3::new(5.0, 6.0, 9.0));
        }
        let limits = Limits {
            max_interactions: 2,
            max_reflections: 2,
            max_diffractions: 1,
            ..Limits::default()
        };
        Self::new(&mesh, limits)
    }

    fn paths(&self, tx: &[DVec3], rx: &[DVec3]) -> Vec<Path> {
        links(&self.world, tx, rx, &self.limits, Search::Exhaustive)
    }

    /// Every element traced.
    fn each(&self, tx: &Device, rx: &Device) -> ImpulseResponse {
        let paths = self.paths(tx.elements().positions(), rx.elements().positions());
        let antennas = Antennas::single(&tx.antenna, &rx.antenna);
        let motion = Motion::default();
        link(&paths, tx, rx).impulse_response(&self.world, antennas, &motion)
    }

    /// One trace, elements by the phase.
    fn phase(&self, tx: &Device, rx: &Device) -> ImpulseResponse {
        let paths = self.paths(&[tx.position], &[rx.position]);
        let antennas = Antennas {
            tx: &tx.antenna,
            rx: &rx.antenna,
            tx_array: Some(&tx.array),
            rx_array: Some(&rx.array),
        };
        ImpulseResponse::new(&paths, &self.world, antennas, &Motion::default())
    }
}

fn frequency() -> Frequency {
    Frequency::from_hz(3.5e9).unwrap()
}

fn link<'a>(paths: &'a [Path], tx: &Device, rx: &Device) -> ElementLink<'a> {
    ElementLink {
        paths,
        tx: tx.elements().of_device(0),
        rx: rx.elements().of_device(0),
    }
}

/// A square of 80 m at a height.
fn plate(mesh: &mut Mesh, z: f64) {
    let corners = [[-40.0, -40.0], [40.0, -40.0], [40.0, 40.0], [-40.0, 40.0]];
    add_polygon(mesh, "stone", &corners.map(|[x, y]| DVec3::new(x, y, z)));
}

/// The largest difference of two lists of amplitudes against the largest amplitude.
fn difference(a: &[Complex64], b: &[Complex64]) -> f64 {
    assert_eq!(a.len(), b.len(), "as many amplitudes");
    let largest = a.iter().map(|a| a.norm()).fold(0.0, f64::max);
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).norm());
    differences.fold(0.0, f64::max) / largest
}

#[test]
fn near_elements_have_the_spherical_wave_of_their_own_distance() {
    let place = Place::free_space();
    let tx = Device::isotropic(DVec3::ZERO, &[DVec3::new(0.0, 0.4, 0.0), -DVec3::Y]);
    let rx = Device::isotropic(
        DVec3::new(0.7, 0.0, 0.1),
        &[DVec3::ZERO, DVec3::Z, -DVec3::X],
    );
    let response = place.each(&tx, &rx);
    assert_eq!((response.taps.len(), response.num_ports), (1, [3, 2]));
    let (lambda, k) = (frequency().wavelength(), frequency().wavenumber());
    let mut mean = 0.0;
    for (i, to) in rx.elements().positions().iter().enumerate() {
        for (j, from) in tx.elements().positions().iter().enumerate() {
            let r = from.distance(*to);
            let expected = Complex64::from_polar(lambda / (4.0 * std::f64::consts::PI * r), -k * r);
            let found = response.amplitudes[i * 2 + j];
            assert!((found - expected).norm() < 1e-12, "{i} {j}: {found}");
            mean += r / keller::units::SPEED_OF_LIGHT / 6.0;
        }
    }
    assert!((response.taps[0].delay - mean).abs() < 1e-20);
    assert!(response.taps[0].is_line_of_sight);
}

#[test]
fn far_away_elements_differ_by_the_phase_of_a_plane_wave_up_to_the_square_of_the_aperture_over_the_distance()
 {
    let place = Place::free_space();
    // Broadside, so that the first order is nothing; directive, turned and polarised elements at both ends.
    let error = |distance: f64, scale: f64| {
        let axis = DVec3::new(0.6, 0.64, 0.48);
        let bearing = f64::atan2(axis.y, axis.x).to_degrees();
        let downtilt = -axis.z.asin().to_degrees();
        let mut tx = Device::panel(DVec3::ZERO, [bearing, downtilt, 20.0], [2, 4]);
        let larger = tx.array.elements().iter().map(|e| *e * scale).collect();
        tx.array = Array::from_elements(larger).unwrap();
        let mut rx = Device::panel(axis * distance, [bearing + 180.0, -downtilt, -35.0], [1, 1]);
        rx.antenna.polarization = Polarization::VH;
        let (each, phase) = (place.each(&tx, &rx), place.phase(&tx, &rx));
        assert_eq!((each.taps.len(), each.num_ports), (1, phase.num_ports));
        difference(&each.amplitudes, &phase.amplitudes)
    };
    let near = error(50.0, 1.0);
    assert!(near < 0.02, "{near}");
    for (farther, wider, ratio) in [(2.0, 1.0, 0.5), (8.0, 1.0, 0.125), (1.0, 2.0, 4.0)] {
        let found = error(50.0 * farther, wider) / near;
        assert!((found / ratio - 1.0).abs() < 0.03, "{ratio}: {found}");
    }
}

#[test]
fn one_end_may_be_traced_by_its_elements_and_the_other_have_their_phases() {
    let place = Place::free_space();
    let tx = Device::panel(DVec3::ZERO, [10.0, 5.0, 0.0], [2, 2]);
    let rx = Device::panel(
        DVec3::new(2000.0, 300.0, -100.0),
        [170.0, 0.0, 40.0],
        [1, 3],
    );
    let paths = place.paths(tx.elements().positions(), &[rx.position]);
    let mixed = ElementLink {
        paths: &paths,
        tx: 0..4,
        rx: 0..1,
    };
    let antennas = Antennas {
        tx: &tx.antenna,
        rx: &rx.antenna,
        tx_array: None,
        rx_array: Some(&rx.array),
    };
    let motion = Motion::default();
    let mixed = mixed.impulse_response(&place.world, antennas, &motion);
    assert_eq!(mixed.num_ports, [6, 8]);
    for whole in [place.each(&tx, &rx), place.phase(&tx, &rx)] {
        let found = difference(&mixed.amplitudes, &whole.amplitudes);
        assert!(found < 1e-3, "{found}");
    }
}

#[test]
fn an_array_of_one_is_the_link_between_its_points() {
    let place = Place::town();
    let tx = Device::panel(DVec3::new(-6.0, 1.0, 7.0), [10.0, 5.0, 0.0], [1, 1]);
    let rx = Device::panel(DVec3::new(14.0, 2.0, 1.5), [170.0, 0.0, 40.0], [1, 1]);
    let (each, one) = (place.each(&tx, &rx), place.phase(&tx, &rx));
    assert!(one.taps.len() > 4, "{}", one.taps.len());
    assert_eq!(each.amplitudes, one.amplitudes);
    for (a, b) in each.taps.iter().zip(&one.taps) {
        assert_eq!((a.delay, a.doppler_shift), (b.delay, b.doppler_shift));
        let turn = a.departure.unit_vector() - b.departure.unit_vector();
        assert!(turn.length() < 1e-14);
    }
}

#[test]
fn swapping_tx_and_rx_transposes_the_channel() {
    let place = Place::town();
    let tx = Device::panel(DVec3::new(-6.0, 1.0, 7.0), [10.0, 5.0, 0.0], [2, 2]);
    let rx = Device::panel(DVec3::new(14.0, 2.0, 1.5), [170.0, 0.0, 40.0], [1, 3]);
    let (there, back) = (place.each(&tx, &rx), place.each(&rx, &tx));
    assert_eq!(there.num_ports, [6, 8]);
    assert_eq!(back.num_ports, [8, 6]);
    assert_eq!(there.taps.len(), back.taps.len());
    assert!(there.taps.len() > 4, "{}", there.taps.len());
    for ((a, b), (there, back)) in there
        .taps
        .iter()
        .zip(&back.taps)
        .zip(there.tap_amplitudes().zip(back.tap_amplitudes()))
    {
        assert!((a.delay - b.delay).abs() < 1e-18);
        let turned: Vec<Complex64> = (0..6)
            .flat_map(|i| (0..8).map(move |j| back[j * 6 + i]))
            .collect();
        assert!(difference(there, &turned) < 1e-6, "{}", a.delay);
    }
}

#[test]
fn a_wall_that_shades_half_of_an_array_takes_the_direct_path_of_that_half_alone() {
    let mut mesh = Mesh::default();
    plate(&mut mesh, 0.0);
    // The wall is between Tx and Rx, and ends half way between the elements.
    let [low, high] = [DVec3::new(-0.2, -6.0, 0.0), DVec3::new(0.2, 0.05, 20.0)];
    add_box(&mut mesh, "wall", low, high);
    let limits = Limits {
        max_interactions: 1,
        ..Limits::default()
    };
    let place = Place::new(&mesh, limits);
    let tx = Device::isotropic(DVec3::new(-5.0, 0.1, 10.0), &[DVec3::ZERO]);
    let columns: Vec<DVec3> = (-4..4)
        .map(|i| DVec3::new(0.0, 0.3 * (f64::from(i) + 0.5), 0.0))
        .collect();
    let rx = Device::isotropic(DVec3::new(5.0, 0.0, 10.0), &columns);
    let response = place.each(&tx, &rx);
    let direct = response
        .taps
        .iter()
        .position(|tap| tap.is_line_of_sight)
        .unwrap();
    let of_elements = response.tap_amplitudes().nth(direct).unwrap();
    for (element, amplitude) in rx.elements().positions().iter().zip(of_elements) {
        // The line to the element passes the wall's face nearer to the Tx and the other one at these points.
        let is_free = [-0.2, 0.2].iter().all(|x| {
            let share = (x + 5.0) / 10.0;
            0.1 + share * (element.y - 0.1) > 0.05
        });
        assert_eq!(amplitude.norm() > 0.0, is_free, "{element}");
        if is_free {
            let r = element.distance(tx.position);
            let expected = frequency().wavelength() / (4.0 * std::f64::consts::PI * r);
            assert!((amplitude.norm() / expected - 1.0).abs() < 1e-12);
        }
    }
    let lit = of_elements.iter().filter(|a| a.norm() > 0.0).count();
    assert_eq!(lit, 4);
    // The wall stands on the ground: the path by the ground has the same half.
    let ground = response.tap_amplitudes().nth(1 - direct).unwrap();
    assert_eq!(response.taps.len(), 2);
    assert_eq!(ground.iter().filter(|a| a.norm() > 0.0).count(), 4);
    // The centre is in the shadow: one trace to it loses all elements.
    assert_eq!(place.phase(&tx, &rx).taps, []);
}

#[test]
fn every_pair_has_the_response_of_a_link_between_two_points() {
    let place = Place::town();
    let tx = Device::panel(DVec3::new(-6.0, 1.0, 7.0), [10.0, 5.0, 0.0], [2, 1]);
    let rx = Device::panel(DVec3::new(14.0, 2.0, 1.5), [170.0, 0.0, 40.0], [1, 2]);
    let band = Band::new(frequency(), 200e6, 5).unwrap();
    let (times, moving) = ([0.0, 0.01], DVec3::new(1.0, -3.0, 0.5));
    let motion = Motion {
        rx: moving,
        ..Motion::default()
    };
    let (from, to) = (tx.elements(), rx.elements());
    let paths = place.paths(from.positions(), to.positions());
    let of_arrays = link(&paths, &tx, &rx);
    let antennas = Antennas::single(&tx.antenna, &rx.antenna);
    let world = &place.world;
    let over = of_arrays.over(world, antennas, &motion, &band, &times);
    let over_band = [world.clone(), world.clone()];
    let replayed = of_arrays.replay(&over_band, antennas, &motion, &times);
    assert_eq!((over.shape, replayed.shape), ([4, 4, 2, 5], [4, 4, 2, 2]));
    let same = |whole: &FrequencyResponse, part: &FrequencyResponse, [i, j]: [usize; 2]| {
        for (p, q, t) in [(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 0)] {
            let whole = whole.over_frequency(2 * i + p, 2 * j + q, t);
            assert_eq!(whole, part.over_frequency(p, q, t), "{i} {j}");
        }
    };
    for (i, to) in to.positions().iter().enumerate() {
        for (j, from) in from.positions().iter().enumerate() {
            let paths = place.paths(&[*from], &[*to]);
            let impulse = ImpulseResponse::new(&paths, world, antennas, &motion);
            same(&over, &impulse.over(&band, &times), [i, j]);
            let alone = keller::channel::replay(&paths, &over_band, antennas, &motion, &times);
            same(&replayed, &alone, [i, j]);
        }
    }
    // The taps add up to the response at the carrier and the start.
    let impulse = of_arrays.impulse_response(world, antennas, &motion);
    for (ports, h) in replayed.values.chunks_exact(4).enumerate() {
        let sum: Complex64 = impulse.tap_amplitudes().map(|a| a[ports]).sum();
        assert!((sum - h[0]).norm() < 1e-12 * h[0].norm().max(1e-6));
    }
}

#[test]
fn patches_of_a_rough_wall_bring_each_element_its_own_power() {
    let mut place = Place::town();
    place.limits = Limits {
        max_interactions: 1,
        max_reflections: 0,
        max_scatterings: 1,
        ..Limits::default()
    };
    let rough = Material::HalfSpace(Medium::PerfectConductor).with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: 0.5,
            cross_polarization: 0.1,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    });
    let scene = Arc::clone(place.world.shared_scene());
    place.world = world_of(scene, &rough, frequency().hz());
    let tx = Device::panel(DVec3::new(-6.0, 1.0, 7.0), [10.0, 5.0, 0.0], [1, 2]);
    let rx = Device::isotropic(DVec3::new(2.0, 2.0, 1.5), &[DVec3::ZERO]);
    let paths = place.paths(tx.elements().positions(), rx.elements().positions());
    let response = place.each(&tx, &rx);
    // One tap for each patch, whether one element lights it or both do, and one for the direct path: no path is lost or counted twice.
    let of_patch = |path: &Path| {
        let patch = path.vertices.first()?;
        Some(format!("{:?} {}", patch.interaction, patch.point))
    };
    let of_patches: Vec<String> = paths.iter().filter_map(of_patch).collect();
    let patches: BTreeSet<&String> = of_patches.iter().collect();
    let (num_paths, num_patches) = (of_patches.len(), patches.len());
    assert!(num_paths > 200, "{num_paths}");
    assert_eq!(response.taps.len(), num_patches + 1);
    assert_eq!(paths.len(), num_paths + 2);
    let powers = response.powers().sum::<f64>();
    let alone = |path: &Path| {
        keller::field::PathField::new(path, &place.world).gain(&tx.antenna, &rx.antenna)
    };
    // Power is shared among the elements as among ports.
    let expected = paths.iter().map(alone).sum::<f64>() / 2.0;
    assert!((powers / expected - 1.0).abs() < 1e-12);
}

#[test]
fn results_do_not_depend_on_threads() {
    let place = Place::town();
    let tx = Device::panel(DVec3::new(-6.0, 1.0, 7.0), [10.0, 5.0, 0.0], [2, 2]);
    let rx = Device::panel(DVec3::new(14.0, 2.0, 1.5), [170.0, 0.0, 40.0], [1, 3]);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| place.each(&tx, &rx))
    };
    assert_eq!(with(1), with(3));
}
