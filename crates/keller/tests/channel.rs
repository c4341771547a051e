//! What must hold of a channel, whatever the paths it is made of.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::f64::consts::{PI, TAU};

use keller::antenna::{Antenna, Polarization};
use keller::channel::{
    Antennas, Band, ImpulseResponse, Motion, Tap, Window, binned_profile, delay_response,
    doppler_shift, length_rate, replay,
};
use keller::em::Surfaces;
use keller::field::Walls;
use keller::geometry::Plane;
use keller::materials::{ItuMaterial, Material, Medium};
use keller::paths::{Interaction, InteractionKind, Object, Path};
use keller::scene::{Edge, EdgeId, FaceId, MaterialId};
use keller::units::SPEED_OF_LIGHT;
use keller::{Complex64, DVec3, Direction, Frequency};

/// Planes without borders, plane `i` of material `i`, that move; and one edge of planes 0 and 1.
#[derive(Clone)]
struct World {
    planes: Vec<Plane>,
    materials: Vec<Material>,
    velocities: Vec<DVec3>,
    edge: [DVec3; 2],
}

impl Walls for World {
    fn normal(&self, face: FaceId) -> DVec3 {
        self.planes[face.index()].normal
    }

    fn material(&self, face: FaceId) -> MaterialId {
        MaterialId::from_index(face.index())
    }

    fn edge(&self, _: EdgeId) -> Edge {
        Edge {
            ends: self.edge,
            faces: [0, 1].map(|face| Some(FaceId::from_index(face))),
            exterior_angle: 1.5 * PI,
            inward: DVec3::X,
            outward: DVec3::Y,
            second_outward: -DVec3::X,
        }
    }
}

/// Everything that a moving link is made of.
#[derive(Clone)]
struct Link {
    world: World,
    tx: DVec3,
    rx: DVec3,
    tx_velocity: DVec3,
    rx_velocity: DVec3,
    /// Reflecting planes from Tx to Rx.
    mirrors: Vec<usize>,
}

impl Link {
    /// Four skew mirrors, three of them in the path, and everything in motion.
    fn skew(medium: Medium) -> Self {
        let plane = |x, y, z, offset| Plane {
            normal: DVec3::new(x, y, z).normalize(),
            offset,
        };
        Self {
            world: World {
                planes: vec![
                    plane(0.1, -0.2, 1.0, 0.0),
                    plane(1.0, 0.3, 0.1, -12.0),
                    plane(-0.2, 1.0, -0.1, -9.0),
                    plane(-1.0, 0.05, 0.02, -15.0),
                ],
                materials: vec![Material::HalfSpace(medium); 4],
                velocities: vec![
                    DVec3::new(0.3, -0.1, 0.7),
                    DVec3::new(-1.1, 0.2, 0.4),
                    DVec3::new(0.5, 0.9, -0.3),
                    DVec3::new(0.8, 0.0, 0.6),
                ],
                edge: [DVec3::ZERO; 2],
            },
            tx: DVec3::new(1.0, 2.0, 3.0),
            rx: DVec3::new(7.0, -1.0, 5.0),
            tx_velocity: DVec3::new(1.5, -0.5, 0.25),
            rx_velocity: DVec3::new(-0.75, 2.0, 1.0),
            mirrors: vec![0, 1, 2],
        }
    }

    fn at(&self, time: f64) -> Self {
        let mut moved = self.clone();
        moved.tx += self.tx_velocity * time;
        moved.rx += self.rx_velocity * time;
        for (plane, velocity) in moved.world.planes.iter_mut().zip(&self.world.velocities) {
            plane.offset += plane.normal.dot(*velocity) * time;
        }
        moved
    }

    fn motion(&self) -> Motion<'_> {
        Motion {
            tx: self.tx_velocity,
            rx: self.rx_velocity,
            materials: &self.world.velocities,
        }
    }

    fn surfaces(&self, frequency: Frequency) -> Surfaces {
        Surfaces::new(&self.world.materials, frequency).unwrap()
    }

    /// The path by images, and one straight line beside it.
    fn paths(&self) -> Vec<Path> {
        let mut images = vec![self.tx];
        for plane in &self.mirrors {
            images.push(self.world.planes[*plane].mirror(images[images.len() - 1]));
        }
        let length = images[images.len() - 1].distance(self.rx);
        let mut point = self.rx;
        let mut interactions = Vec::new();
        for (i, &plane) in self.mirrors.iter().enumerate().rev() {
            let of = &self.world.planes[plane];
            let (here, there) = (of.distance(point), of.distance(images[i + 1]));
            point += here / (here - there) * (images[i + 1] - point);
            interactions.insert(
                0,
                Interaction {
                    kind: InteractionKind::Reflection,
                    point,
                    object: Object::Face(FaceId::from_index(plane)),
                },
            );
        }
        let path = |interactions, length| Path {
            tx: 0,
            rx: 0,
            tx_position: self.tx,
            rx_position: self.rx,
            interactions,
            length,
        };
        vec![
            path(Vec::new(), self.tx.distance(self.rx)),
            path(interactions, length),
        ]
    }
}

fn frequency(hz: f64) -> Frequency {
    Frequency::from_hz(hz).unwrap()
}

const V: Antenna = Antenna {
    pattern: keller::antenna::Pattern::Isotropic,
    polarization: Polarization::V,
    orientation: keller::antenna::Orientation {
        bearing: 0.0,
        downtilt: 0.0,
        slant: 0.0,
    },
    electrical_tilt: 0.0,
    peak_gain: None,
};
const BOTH_V: Antennas<'_> = Antennas {
    tx: &V,
    rx: &V,
    tx_array: None,
    rx_array: None,
};

/// A flat ground with the Tx and the Rx 10 m and 3 m above it, 100 m apart.
fn two_ray(medium: Medium) -> Link {
    Link {
        world: World {
            planes: vec![Plane {
                normal: DVec3::Z,
                offset: 0.0,
            }],
            materials: vec![Material::HalfSpace(medium)],
            velocities: vec![DVec3::ZERO],
            edge: [DVec3::ZERO; 2],
        },
        tx: DVec3::new(0.0, 0.0, 10.0),
        rx: DVec3::new(100.0, 0.0, 3.0),
        tx_velocity: DVec3::ZERO,
        rx_velocity: DVec3::ZERO,
        mirrors: vec![0],
    }
}

fn all_surfaces(link: &Link, band: &Band) -> Vec<Surfaces> {
    band.frequencies().map(|f| link.surfaces(f)).collect()
}

#[test]
fn two_rays_interfere_over_the_band_as_in_the_closed_form() {
    let link = two_ray(Medium::PerfectConductor);
    let band = Band::new(frequency(3e9), 4e9, 257).unwrap();
    let h = replay(
        &link.paths(),
        &link.world,
        &all_surfaces(&link, &band),
        BOTH_V,
        &link.motion(),
        &[0.0],
    );
    let (direct, reflected) = (100.0_f64.hypot(7.0), 100.0_f64.hypot(13.0));
    for (f, h) in band.frequencies().zip(&h.values) {
        // Vertical fields keep their sign at a conductor below.
        let k = f.wavenumber();
        let sum = Complex64::cis(-k * direct) / direct + Complex64::cis(-k * reflected) / reflected;
        let expected = sum * f.wavelength() / (4.0 * PI);
        // Phases of some 1e4 radians are known to 1e-12.
        assert!(
            (h - expected).norm() < 1e-10 * expected.norm().max(1e-4),
            "{h}"
        );
    }
}

#[test]
fn a_dispersive_wall_reflects_each_frequency_as_its_permittivity_there_says() {
    // Straight down and up again: R = (1 - sqrt eta) / (1 + sqrt eta) across the plane of incidence, with the ITU's eta(f).
    let mut link = two_ray(Medium::Itu(ItuMaterial::WetGround));
    link.rx = DVec3::new(1e-3, 0.0, 10.0);
    let paths = &link.paths()[1..];
    let band = Band::new(frequency(5.5e9), 9e9, 10).unwrap();
    let across = Antenna {
        polarization: Polarization::H,
        ..V
    };
    let antennas = Antennas::single(&across, &across);
    let surfaces = all_surfaces(&link, &band);
    let h = replay(
        paths,
        &link.world,
        &surfaces,
        antennas,
        &link.motion(),
        &[0.0],
    );
    for (f, h) in band.frequencies().zip(&h.values) {
        let eta = Complex64::new(
            30.0 * f.ghz().powf(-0.4),
            -17.98 * 0.15 * f.ghz().powf(1.3) / f.ghz(),
        );
        let r = (1.0 - eta.sqrt()) / (1.0 + eta.sqrt());
        let gain = (r.norm() * f.wavelength() / (4.0 * PI * 20.0)).powi(2);
        // 17.98 is rounded, and the incidence not quite normal.
        assert!((h.norm_sqr() / gain - 1.0).abs() < 2e-4, "{} GHz", f.ghz());
    }
}

#[test]
fn without_dispersion_both_ways_to_a_response_agree() {
    let link = Link::skew(Medium::PerfectConductor);
    let (carrier, times) = (frequency(5e9), [0.0, 1e-3, 7e-3]);
    let band = Band::new(carrier, 2e9, 31).unwrap();
    let paths = link.paths();
    let at_carrier = ImpulseResponse::new(
        &paths,
        &link.world,
        &link.surfaces(carrier),
        BOTH_V,
        &link.motion(),
    );
    let quick = at_carrier.over(&band, &times);
    let surfaces = all_surfaces(&link, &band);
    let full = replay(
        &paths,
        &link.world,
        &surfaces,
        BOTH_V,
        &link.motion(),
        &times,
    );
    assert_eq!(quick.shape, [1, 1, 3, 31]);
    assert_eq!(full.shape, quick.shape);
    for time in 0..times.len() {
        let pairs = quick.over_frequency(0, 0, time).iter();
        let pairs = pairs.zip(full.over_frequency(0, 0, time));
        for (f, (quick, full)) in band.frequencies().zip(pairs) {
            // An isotropic antenna takes less at a shorter wavelength; that alone is left.
            let scaled = quick * (carrier.hz() / f.hz());
            assert!((scaled - full).norm() < 1e-9 * full.norm(), "{time} {f:?}");
        }
    }
}

#[test]
fn other_walls_are_a_replay_of_the_same_paths() {
    let mut link = two_ray(Medium::PerfectConductor);
    let (carrier, paths) = (frequency(2e9), link.paths());
    let before = link.surfaces(carrier);
    link.world.materials = vec![Material::HalfSpace(Medium::Itu(ItuMaterial::Concrete))];
    let after = link.surfaces(carrier);
    let h = replay(
        &paths[1..],
        &link.world,
        &[before, after.clone()],
        BOTH_V,
        &link.motion(),
        &[0.0],
    );
    let sine = 13.0 / 100.0_f64.hypot(13.0);
    let r = after
        .surface(MaterialId::from_index(0))
        .reflection(sine, true);
    assert!((h.values[1] / h.values[0] - r.tm).norm() < 1e-9, "{h:?}");
}

/// Taps at the given delays, one port at each end.
fn taps(carrier: Frequency, delays: &[f64], amplitudes: &[Complex64]) -> ImpulseResponse {
    let up = Direction {
        zenith: 0.0,
        azimuth: 0.0,
    };
    ImpulseResponse {
        carrier,
        num_ports: [1, 1],
        taps: delays
            .iter()
            .map(|&delay| Tap {
                delay,
                doppler_shift: 0.0,
                departure: up,
                arrival: up,
                is_line_of_sight: false,
            })
            .collect(),
        amplitudes: amplitudes.to_vec(),
    }
}

#[test]
fn the_response_over_delay_has_the_taps_where_and_as_large_as_they_are() {
    let band = Band::new(frequency(5e9), 1e9, 128).unwrap();
    let amplitudes = [
        Complex64::new(0.3, -0.4),
        Complex64::new(-1.0, 0.1),
        Complex64::new(0.0, 0.02),
    ];
    let response = taps(band.carrier(), &[3e-9, 17e-9, 100e-9], &amplitudes);
    let h = response.over(&band, &[0.0]);
    let delays: Vec<f64> = (0..128).map(|i| f64::from(i) * 1e-9).collect();
    let over_delay = delay_response(&h.values, band.spacing(), Window::Rectangular, &delays);
    for (i, found) in over_delay.iter().enumerate() {
        let expected = match i {
            3 => amplitudes[0].norm(),
            17 => amplitudes[1].norm(),
            100 => amplitudes[2].norm(),
            _ => 0.0,
        };
        assert!((found.norm() - expected).abs() < 1e-11, "{i}: {found}");
    }
}

#[test]
fn a_window_keeps_peaks_and_lowers_sidelobes() {
    let band = Band::new(frequency(5e9), 1e9, 256).unwrap();
    let h = taps(band.carrier(), &[50e-9], &[Complex64::I]).over(&band, &[0.0]);
    let delays: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.1e-9).collect();
    // Harris 1978, Table I: highest sidelobe, and the bins from the peak to the first zero.
    for (window, sidelobe_db, first_zero) in [
        (Window::Rectangular, -13.2, 1.0),
        (Window::Hann, -31.4, 2.0),
        (Window::Blackman, -58.0, 3.0),
    ] {
        let over_delay = delay_response(&h.values, band.spacing(), window, &delays);
        let powers: Vec<f64> = over_delay.iter().map(Complex64::norm_sqr).collect();
        assert!((powers[500] - 1.0).abs() < 1e-11, "{window:?}");
        let outside = delays.iter().zip(&powers);
        let highest = outside
            .filter(|(delay, _)| (*delay - 50e-9).abs() > (first_zero - 0.05) * 1e-9)
            .map(|(_, power)| *power)
            .fold(0.0, f64::max);
        let found_db = 10.0 * highest.log10();
        assert!(
            (found_db - sidelobe_db).abs() < 0.3,
            "{window:?}: {found_db} dB"
        );
    }
}

#[test]
fn power_over_delay_is_power_over_frequency() {
    let band = Band::new(frequency(5e9), 1e9, 100).unwrap();
    let amplitudes = [Complex64::new(0.3, -0.4), Complex64::new(-1.0, 0.1)];
    let h = taps(band.carrier(), &[3.21e-9, 17.7e-9], &amplitudes).over(&band, &[0.0]);
    let delays: Vec<f64> = (0..100).map(|i| f64::from(i) * 1e-9).collect();
    let over_delay = delay_response(&h.values, band.spacing(), Window::Rectangular, &delays);
    let power = |values: &[Complex64]| values.iter().map(Complex64::norm_sqr).sum::<f64>();
    let mean_over_band = power(&h.values) / 100.0;
    assert!((power(&over_delay) - mean_over_band).abs() < 1e-11);
}

#[test]
fn bins_hold_all_the_power_there_is() {
    let (delays, powers) = ([0.0, 9.9e-9, 10.1e-9, 29e-9], [1.0, 2.0, 4.0, 8.0]);
    assert_eq!(binned_profile(&delays, &powers, 10e-9, 3), [3.0, 4.0, 8.0]);
    assert_eq!(binned_profile(&delays, &powers, 1.0, 1), [15.0]);
}

/// Whether the mirrors are met in their order: only then the segments are as long as the line from the image.
fn is_specular(path: &Path) -> bool {
    let mut points = vec![path.tx_position];
    points.extend(path.interactions.iter().map(|i| i.point));
    points.push(path.rx_position);
    let sum: f64 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
    (sum - path.length).abs() < 1e-12 * sum
}

/// Metres per second: a difference of lengths over half a millisecond, whose rounding and curvature stay below this.
const RATE_TOLERANCE: f64 = 1e-6;
const STEP: f64 = 5e-4;

#[test]
fn a_path_grows_as_fast_as_the_exact_length_between_moving_mirrors() {
    for mirrors in [vec![], vec![0], vec![1, 2], vec![0, 1, 2], vec![1, 3, 1]] {
        let link = Link {
            mirrors: mirrors.clone(),
            ..Link::skew(Medium::PerfectConductor)
        };
        let length = |time| link.at(time).paths()[1].length;
        assert!(is_specular(&link.paths()[1]), "{mirrors:?}");
        let expected = (length(STEP) - length(-STEP)) / (2.0 * STEP);
        let found = length_rate(&link.paths()[1], &link.world, &link.motion());
        assert!(
            (found - expected).abs() < RATE_TOLERANCE,
            "{mirrors:?}: {found} {expected}"
        );
    }
}

#[test]
fn a_path_round_a_moving_edge_grows_as_its_exact_length_does() {
    // Unfolded around the edge, Tx and Rx lie in one plane.
    let along = DVec3::new(0.2, -0.3, 1.0).normalize();
    let link = Link::skew(Medium::PerfectConductor);
    let (edge, edge_velocity) = (DVec3::new(3.0, 4.0, 0.0), DVec3::new(-2.0, 0.5, 1.0));
    let parts = |point: DVec3, edge: DVec3| {
        let axial = (point - edge).dot(along);
        (axial, (point - edge - axial * along).length())
    };
    let length = |time: f64| {
        let edge = edge + edge_velocity * time;
        let ((z_tx, r_tx), (z_rx, r_rx)) =
            (parts(link.at(time).tx, edge), parts(link.at(time).rx, edge));
        (r_tx + r_rx).hypot(z_rx - z_tx)
    };
    let ((z_tx, r_tx), (z_rx, r_rx)) = (parts(link.tx, edge), parts(link.rx, edge));
    let point = edge + along * (z_tx + (z_rx - z_tx) * r_tx / (r_tx + r_rx));
    let path = Path {
        interactions: vec![Interaction {
            kind: InteractionKind::Diffraction,
            point,
            object: Object::Edge(EdgeId::from_index(0)),
        }],
        length: length(0.0),
        ..link.paths().remove(0)
    };
    // The second face moves, the first stands still.
    let motion = Motion {
        materials: &[DVec3::ZERO, edge_velocity],
        ..link.motion()
    };
    let expected = (length(STEP) - length(-STEP)) / (2.0 * STEP);
    let found = length_rate(&path, &link.world, &motion);
    assert!(
        (found - expected).abs() < RATE_TOLERANCE,
        "{found} {expected}"
    );
}

#[test]
fn a_mirror_that_comes_nearer_shifts_by_twice_its_speed() {
    let mut link = two_ray(Medium::PerfectConductor);
    link.rx = link.tx + DVec3::new(1e-6, 0.0, 0.0);
    link.world.velocities = vec![DVec3::new(5.0, -7.0, 2.0)];
    let f = frequency(SPEED_OF_LIGHT);
    let [direct, reflected] =
        [0, 1].map(|i| doppler_shift(&link.paths()[i], &link.world, &link.motion(), f));
    // The wavelength is 1 m; only the motion across the mirror counts.
    assert!((reflected - 4.0).abs() < 1e-6, "{reflected}");
    assert_eq!(direct, 0.0);
}

#[test]
fn a_moving_wall_that_is_passed_straight_through_shifts_nothing() {
    let mut link = two_ray(Medium::PerfectConductor);
    link.world.velocities = vec![DVec3::new(5.0, -7.0, 2.0)];
    let middle = Interaction {
        kind: InteractionKind::Transmission,
        point: 0.5 * (link.tx + link.rx),
        object: Object::Face(FaceId::from_index(0)),
    };
    let mut path = link.paths().remove(0);
    path.interactions.push(middle);
    let rate = length_rate(&path, &link.world, &link.motion());
    assert!(rate.abs() < 1e-14, "{rate}");
}

#[test]
fn the_response_after_a_while_is_that_of_the_scene_that_has_moved() {
    let link = Link::skew(Medium::Itu(ItuMaterial::Concrete));
    let band = Band::new(frequency(5e9), 2e9, 5).unwrap();
    let surfaces = all_surfaces(&link, &band);
    // Everything moves by a few wavelengths' hundredths.
    let time = 1e-4;
    let respond = |link: &Link, time| {
        let motion = link.motion();
        replay(
            &link.paths(),
            &link.world,
            &surfaces,
            BOTH_V,
            &motion,
            &[time],
        )
        .values
    };
    let (before, predicted, moved) = (
        respond(&link, 0.0),
        respond(&link, time),
        respond(&link.at(time), 0.0),
    );
    for i in 0..5 {
        let (error, change) = (
            (predicted[i] - moved[i]).norm(),
            (before[i] - moved[i]).norm(),
        );
        // What is left: gains and angles, which change by the path's relative length, 1e-5.
        assert!(error < 2e-3 * change, "{i}: {error} of {change}");
    }
}

#[test]
fn statistics_of_two_known_paths_are_known() {
    let link = two_ray(Medium::PerfectConductor);
    let surfaces = link.surfaces(frequency(1e9));
    let paths = link.paths();
    let response = ImpulseResponse::new(&paths, &link.world, &surfaces, BOTH_V, &link.motion());
    let found = response.statistics();
    let (d1, d2) = (100.0_f64.hypot(7.0), 100.0_f64.hypot(13.0));
    let (p1, p2) = (d1.powi(-2), d2.powi(-2));
    let gain = (frequency(1e9).wavelength() / (4.0 * PI)).powi(2);
    assert!((found.incoherent_gain / (gain * (p1 + p2)) - 1.0).abs() < 1e-12);
    let phase = TAU * (d2 - d1) / frequency(1e9).wavelength();
    let coherent = gain * (p1 + p2 + 2.0 * (p1 * p2).sqrt() * phase.cos());
    assert!((found.coherent_gain / coherent - 1.0).abs() < 1e-9);
    let spreads = found.spreads.unwrap();
    assert!((spreads.k_factor / (p1 / p2) - 1.0).abs() < 1e-12);
    let share = p2 / (p1 + p2);
    let gap = (d2 - d1) / SPEED_OF_LIGHT;
    assert!((spreads.mean_delay - (d1 / SPEED_OF_LIGHT + share * gap)).abs() < 1e-20);
    let expected = gap * (share * (1.0 - share)).sqrt();
    assert!((spreads.delay_spread - expected).abs() < 1e-20);
    // Both rays lie in one vertical plane.
    assert!(spreads.departure[1] < 1e-7 && spreads.arrival[1] < 1e-7);
    let (down1, down2) = ((7.0_f64 / 100.0).atan(), (13.0_f64 / 100.0).atan());
    let resultant = (1.0 - 2.0 * share * (1.0 - share) * (1.0 - (down2 - down1).cos())).sqrt();
    let expected = (-2.0 * resultant.ln()).sqrt();
    assert!((spreads.departure[0] - expected).abs() < 1e-9);
    assert_eq!(spreads.doppler_spread, 0.0);
}

#[test]
fn the_strongest_path_takes_the_part_of_a_missing_line_of_sight() {
    let amplitudes = [1.0, 3.0, 2.0].map(|a| Complex64::new(a, 0.0));
    let mut response = taps(frequency(1e9), &[1.0, 2.0, 3.0], &amplitudes);
    let k = |r: &ImpulseResponse| r.statistics().spreads.unwrap().k_factor;
    assert!((k(&response) - 9.0 / 5.0).abs() < 1e-15);
    response.taps[0].is_line_of_sight = true;
    assert!((k(&response) - 1.0 / 13.0).abs() < 1e-15);
    assert_eq!(
        k(&taps(frequency(1e9), &[1.0], &amplitudes[..1])),
        f64::INFINITY
    );
}

#[test]
fn ports_share_power_as_gains_do() {
    let link = two_ray(Medium::Itu(ItuMaterial::Concrete));
    let surfaces = link.surfaces(frequency(2e9));
    let cross = Antenna {
        polarization: Polarization::Cross,
        ..V
    };
    let both = Antenna {
        polarization: Polarization::VH,
        ..V
    };
    let antennas = Antennas::single(&cross, &both);
    let paths = link.paths();
    let response = ImpulseResponse::new(&paths, &link.world, &surfaces, antennas, &link.motion());
    assert_eq!((response.num_ports, response.amplitudes.len()), ([2, 2], 8));
    for (path, power) in paths.iter().zip(response.powers()) {
        let field = keller::field::transport(path, &link.world, &surfaces);
        let gain = field.gain(&cross, &both);
        assert!((power / gain - 1.0).abs() < 1e-13);
    }
}

#[test]
fn nothing_received_is_zero_and_not_a_number_less() {
    let empty = taps(frequency(1e9), &[], &[]);
    let statistics = empty.statistics();
    assert_eq!(statistics.coherent_gain, 0.0);
    assert_eq!(statistics.spreads, None);
    let silent = taps(frequency(1e9), &[1.0], &[Complex64::ZERO]).statistics();
    assert_eq!((silent.num_paths, silent.spreads), (1, None));
    let band = Band::new(frequency(1e9), 1e6, 3).unwrap();
    assert_eq!(empty.over(&band, &[0.0]).values, [Complex64::ZERO; 3]);
}

#[test]
fn an_array_at_the_rx_sees_the_phase_of_its_elements() {
    // Free space: the amplitude of each element is that of a receiver of its own, but for the curvature of the wave.
    let wavelength = 0.1;
    let array = keller::antenna::Array::planar(2, 3, [0.5 * wavelength, 0.5 * wavelength]).unwrap();
    let frequency = Frequency::from_hz(keller::units::SPEED_OF_LIGHT / wavelength).unwrap();
    let surfaces = Surfaces::new(&[], frequency).unwrap();
    let link = |rx_position: DVec3| Path {
        tx: 0,
        rx: 0,
        tx_position: DVec3::ZERO,
        rx_position,
        interactions: vec![],
        length: rx_position.length(),
    };
    let center = DVec3::new(300.0, 400.0, 120.0);
    let antennas = Antennas {
        rx_array: Some(&array),
        ..BOTH_V
    };
    assert_eq!(antennas.num_ports(), [6, 1]);
    let world = World {
        planes: Vec::new(),
        materials: Vec::new(),
        velocities: Vec::new(),
        edge: [DVec3::ZERO, DVec3::Z],
    };
    let field = keller::field::transport(&link(center), &world, &surfaces);
    let found = antennas.amplitudes(&field, frequency);
    for (element, amplitude) in array
        .positions(center, keller::antenna::Orientation::default())
        .zip(&found)
    {
        let alone = keller::field::transport(&link(element), &world, &surfaces);
        let alone = BOTH_V.amplitudes(&alone, frequency)[0];
        let phase = (amplitude / alone).arg().abs();
        assert!(phase < 2e-3, "element at {element}: {phase} rad");
    }
}
