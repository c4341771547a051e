//! Laws of a field that a rough wall has scattered.
use std::f64::consts::PI;

use keller::em::{ScatteringPhase, Surfaces};
use keller::field::{PathField, Walls, transport};
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Interaction, PatchArea, Path, Vertex};
use keller::scene::{Edge, EdgeId, FaceId, MaterialId};
use keller::{Complex64, DVec3, Frequency};

const ROUNDING: f64 = 1e-12;

/// One wall on the ground.
struct Ground<'a>(&'a Surfaces);

impl Walls for Ground<'_> {
    fn surfaces(&self) -> &Surfaces {
        self.0
    }

    fn normal(&self, _: FaceId) -> DVec3 {
        DVec3::Z
    }

    fn material(&self, _: FaceId) -> MaterialId {
        MaterialId::from_index(0)
    }

    fn edge(&self, _: EdgeId) -> Edge {
        unreachable!("no edges")
    }
}

fn conductor(scattering: Scattering) -> Surfaces {
    let texture = Texture {
        scattering: Some(scattering),
        roughness: 0.0,
    };
    let material = Material::HalfSpace(Medium::PerfectConductor).with_texture(texture);
    Surfaces::new(&[material], Frequency::from_hz(3e9).unwrap()).unwrap()
}

fn lambertian(coefficient: f64, cross_polarization: f64) -> Scattering {
    Scattering {
        coefficient,
        cross_polarization,
        lobe: Lobe::Lambertian,
    }
}

fn path(tx: DVec3, rx: DVec3, point: DVec3, area: f64) -> Path {
    Path {
        tx: 0,
        rx: 0,
        tx_position: tx,
        rx_position: rx,
        vertices: vec![Vertex {
            interaction: Interaction::Scattering(
                FaceId::from_index(0),
                PatchArea::from_square_metres(area),
            ),
            point,
        }],
        length: tx.distance(point) + point.distance(rx),
    }
}

fn field(surfaces: &Surfaces, tx: DVec3, rx: DVec3, point: DVec3, area: f64) -> PathField {
    transport(&path(tx, rx, point, area), &Ground(surfaces))
}

/// The powers of both Rx polarisations, from a theta source and from a phi source.
fn powers(a: [[Complex64; 2]; 2]) -> [f64; 2] {
    [0, 1].map(|j| a[0][j].norm_sqr() + a[1][j].norm_sqr())
}

fn ends() -> (DVec3, DVec3) {
    (DVec3::new(-7.0, 2.0, 5.0), DVec3::new(3.0, 9.0, 4.0))
}

#[test]
fn a_small_patch_of_lambert_obeys_the_bistatic_radar_equation() {
    let surfaces = conductor(lambertian(0.7, 0.1));
    let (tx, rx) = ends();
    let found = powers(field(&surfaces, tx, rx, DVec3::ZERO, 0.04).coefficient);
    let (r_in, r_out) = (tx.length(), rx.length());
    let cross_section = 0.7 * 0.7 * 4.0 * 0.04 * (tx.z / r_in) * (rx.z / r_out);
    let wavelength = surfaces.frequency().wavelength();
    let expected =
        wavelength.powi(2) * cross_section / ((4.0 * PI).powi(3) * (r_in * r_out).powi(2));
    for power in found {
        assert!(
            (power / expected - 1.0).abs() < ROUNDING,
            "{power} {expected}"
        );
    }
}

#[test]
fn how_a_wall_is_cut_into_patches_does_not_matter() {
    let surfaces = conductor(lambertian(0.5, 0.0));
    let (tx, rx) = (DVec3::new(-70.0, 20.0, 50.0), DVec3::new(30.0, 90.0, 40.0));
    let total = |n: i32| -> f64 {
        let size = 4.0 / f64::from(n);
        let mut total = 0.0;
        for i in 0..n {
            for j in 0..n {
                let centre = [i, j].map(|i| size * (f64::from(i) + 0.5) - 2.0);
                let centre = DVec3::new(centre[0], centre[1], 0.0);
                let field = field(&surfaces, tx, rx, centre, size * size);
                total += powers(field.coefficient)[0];
            }
        }
        total
    };
    assert!(
        (total(1) / total(20) - 1.0).abs() < 1e-2,
        "{}",
        total(1) / total(20)
    );
    assert!(
        (total(10) / total(20) - 1.0).abs() < 1e-4,
        "{}",
        total(10) / total(20)
    );
}

#[test]
fn cross_polarisation_moves_power_and_makes_none() {
    // Theta and phi are TM and TE in the plane of incidence.
    let (tx, rx) = (DVec3::new(-7.0, 0.0, 5.0), DVec3::new(3.0, 0.0, 4.0));
    for share in [0.0, 0.3, 1.0] {
        let surfaces = conductor(lambertian(1.0, share));
        let a = field(&surfaces, tx, rx, DVec3::ZERO, 1.0).coefficient;
        for (j, power) in powers(a).into_iter().enumerate() {
            let crossed = a[1 - j][j].norm_sqr() / power;
            assert!((crossed - share).abs() < ROUNDING, "{share}: {crossed}");
        }
    }
}

#[test]
fn lambert_on_a_conductor_is_reciprocal() {
    let surfaces = conductor(lambertian(0.7, 0.0));
    let (tx, rx) = ends();
    let there = field(&surfaces, tx, rx, DVec3::ZERO, 1.0).coefficient;
    let back = field(&surfaces, rx, tx, DVec3::ZERO, 1.0).coefficient;
    for i in 0..2 {
        for j in 0..2 {
            let error = (there[i][j] - back[j][i]).norm();
            assert!(error < ROUNDING * there[0][0].norm(), "{i} {j}: {error}");
        }
    }
}

#[test]
fn random_phases_are_the_same_on_every_run_and_change_nothing_else() {
    let (tx, rx) = ends();
    let plain = conductor(lambertian(0.7, 0.2));
    let seeded = |seed| {
        plain
            .clone()
            .with_scattering_phase(ScatteringPhase::Random { seed })
    };
    let one = |surfaces: &Surfaces, x: f64| {
        field(surfaces, tx, rx, DVec3::new(x, 0.0, 0.0), 1.0).coefficient[0][0]
    };
    assert_eq!(one(&seeded(1), 0.0), one(&seeded(1), 0.0));
    assert!(
        (one(&seeded(1), 0.0) - one(&seeded(2), 0.0)).norm() > 0.0,
        "seeds"
    );
    let mut mean = Complex64::ZERO;
    for i in 0..1000 {
        let x = 0.001 * f64::from(i);
        let turn = one(&seeded(7), x) / one(&plain, x);
        assert!((turn.norm() - 1.0).abs() < ROUNDING, "{turn}");
        mean += turn / 1000.0;
    }
    // The mean of a thousand unit phasors has the standard deviation 0.03.
    assert!(mean.norm() < 0.1, "{mean}");
}
