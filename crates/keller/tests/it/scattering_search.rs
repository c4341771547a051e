//! Diffusely scattered paths: their power against an integral over the walls, and that nothing but the link decides on them.

use crate::common::{add_box, add_polygon, paths, shuffled, split_in_four, world_of};
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Effort, InteractionKind, Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{Complex64, DVec3, World};
use std::f64::consts::PI;

const COEFFICIENT: f64 = 0.4;

struct Place(World);

impl Place {
    /// Walls of a rough perfect conductor.
    fn new(mesh: &Mesh) -> Self {
        let scene = Scene::new(mesh).unwrap();
        let rough = Material::HalfSpace(Medium::PerfectConductor).with_texture(Texture {
            scattering: Some(Scattering {
                coefficient: COEFFICIENT,
                cross_polarization: 0.0,
                lobe: Lobe::Lambertian,
            }),
            roughness: 0.0,
        });
        Self(world_of(scene, &rough, 3e9))
    }

    fn paths(&self, tx: DVec3, rx: &[DVec3], depth: usize, search: Search) -> Vec<Path> {
        let limits = Limits {
            max_interactions: depth,
            max_reflections: depth,
            max_scatterings: 1,
            ..Limits::default()
        };
        paths(&self.0, tx, rx, &limits, search)
    }

    /// Scattered power over radiated power, the mean of both polarisations of the Tx, both of the Rx taken.
    fn scattered_gain(&self, paths: &[Path]) -> f64 {
        let scattered = paths.iter().filter(|p| {
            p.vertices
                .iter()
                .any(|i| i.interaction.kind() == InteractionKind::Scattering)
        });
        scattered
            .map(|path| {
                let field = PathField::new(path, &self.0);
                let cells = field.coefficient.as_flattened().iter();
                0.5 * cells.map(Complex64::norm_sqr).sum::<f64>()
            })
            .sum()
    }
}

fn ground() -> Mesh {
    let mut mesh = Mesh::default();
    let corners = [(-25., -20.), (30., -20.), (30., 25.), (-25., 25.)];
    add_polygon(
        &mut mesh,
        "ground",
        &corners.map(|(x, y)| DVec3::new(x, y, 0.0)),
    );
    mesh
}

/// `(lambda / 4 pi)^2` times the integral of `S^2 cos cos / pi / (d1 d2)^2` over the ground, by the midpoint rule.
fn integral(tx: DVec3, rx: DVec3, wavelength: f64) -> f64 {
    let step = 0.05;
    let mut total = 0.0;
    let mut x = -25.0 + 0.5 * step;
    while x < 30.0 {
        let mut y = -20.0 + 0.5 * step;
        while y < 25.0 {
            let to = [tx, rx].map(|end| end - DVec3::new(x, y, 0.0));
            let [d1, d2] = to.map(DVec3::length);
            let cosines = to[0].z / d1 * to[1].z / d2;
            total += cosines / (PI * d1 * d1 * d2 * d2) * step * step;
            y += step;
        }
        x += step;
    }
    total * (COEFFICIENT * wavelength / (4.0 * PI)).powi(2)
}

#[test]
fn the_power_from_a_rough_ground_is_that_of_the_integral() {
    let place = Place::new(&ground());
    for (tx, rx) in [
        (DVec3::new(-6.0, 1.0, 8.0), DVec3::new(7.0, -2.0, 1.5)),
        (DVec3::new(0.3, 0.2, 3.0), DVec3::new(1.1, 5.7, 12.0)),
        (DVec3::new(-14.0, 6.0, 1.0), DVec3::new(12.0, 9.0, 1.0)),
    ] {
        let wavelength = place.0.frequency().wavelength();
        let expected = integral(tx, rx, wavelength);
        for search in [Search::Exhaustive, Search::default(), Search::Complete] {
            let paths = place.paths(tx, &[rx], 1, search);
            let off = power_to_db(place.scattered_gain(&paths) / expected);
            assert!(
                off.abs() < 0.2,
                "{search:?} from {tx} to {rx}: off by {off} dB"
            );
        }
    }
}

#[test]
fn patches_do_not_depend_on_triangles_threads_or_other_receivers() {
    let mut mesh = ground();
    add_box(
        &mut mesh,
        "wall",
        DVec3::new(3.0, 3.0, 0.0),
        DVec3::new(9.0, 8.0, 6.0),
    );
    let tx = DVec3::new(-6.0, 1.0, 8.0);
    let rx = [DVec3::new(7.0, -2.0, 1.5), DVec3::new(-1.0, 12.0, 2.5)];
    let key = |paths: &[Path]| -> Vec<(usize, i64, usize)> {
        let micrometres = |p: &Path| (p.length * 1e6).round();
        #[allow(clippy::cast_possible_truncation, reason = "lengths are small")]
        let mut keys: Vec<_> = paths
            .iter()
            .map(|p| (p.rx, micrometres(p) as i64, p.vertices.len()))
            .collect();
        keys.sort_unstable();
        keys
    };
    let search = Search::default();
    let expected = Place::new(&mesh).paths(tx, &rx, 2, search);
    assert!(expected.len() > 200, "{} paths", expected.len());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let found = pool
            .build()
            .unwrap()
            .install(|| Place::new(&mesh).paths(tx, &rx, 2, search));
        assert_eq!(found, expected, "{threads} threads");
    }
    let alone = Place::new(&mesh).paths(tx, &rx[..1], 2, search);
    let first: Vec<Path> = expected.iter().filter(|p| p.rx == 0).cloned().collect();
    assert_eq!(alone, first, "one receiver alone");
    for other in [split_in_four(&mesh), shuffled(&mesh, 3)] {
        let found = Place::new(&other).paths(tx, &rx, 2, search);
        let (found, expected) = (key(&found), key(&expected));
        let extra = found.iter().filter(|k| !expected.contains(k)).count();
        assert_eq!((found.len(), extra), (expected.len(), 0), "other triangles");
    }
}

#[test]
fn rays_light_what_every_sequence_lights() {
    let mut mesh = ground();
    add_box(
        &mut mesh,
        "wall",
        DVec3::new(3.0, 3.0, 0.0),
        DVec3::new(9.0, 8.0, 6.0),
    );
    let place = Place::new(&mesh);
    let (tx, rx) = (DVec3::new(-6.0, 1.0, 8.0), [DVec3::new(7.0, -2.0, 1.5)]);
    let gain = |search| place.scattered_gain(&place.paths(tx, &rx, 3, search));
    let (all, lit) = (
        gain(Search::Exhaustive),
        gain(Search::Launch(Effort::Default)),
    );
    let off = power_to_db(lit / all);
    assert!(off.abs() < 0.05, "off by {off} dB");
}
