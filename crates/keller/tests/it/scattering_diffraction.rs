//! Paths that are scattered once and diffracted before or after: that they are found, and their power.

#![allow(clippy::cast_possible_truncation, reason = "seeds are small")]

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use crate::common::{Random, add_polygon, devices, paths, random_city, world, world_of};
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{InteractionKind, Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{Complex64, DVec3, World};

const COEFFICIENT: f64 = 0.4;

/// Walls of a rough perfect conductor.
struct Place(World);

impl Place {
    fn new(mesh: &Mesh) -> Self {
        let scene = Scene::new(mesh).unwrap();
        Self(world_of(scene, &rough(), 3e9))
    }

    fn paths(&self, tx: DVec3, rx: &[DVec3], limits: &Limits, search: Search) -> Vec<Path> {
        paths(&self.0, tx, rx, limits, search)
    }

    /// Received over radiated power, the mean of both polarisations of the Tx, both of the Rx taken.
    fn gain(&self, path: &Path) -> f64 {
        let field = PathField::new(path, &self.0);
        let cells = field.coefficient.as_flattened().iter();
        0.5 * cells.map(Complex64::norm_sqr).sum::<f64>()
    }
}

fn rough() -> Material {
    Material::HalfSpace(Medium::PerfectConductor).with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: COEFFICIENT,
            cross_polarization: 0.0,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    })
}

fn letters(path: &Path) -> String {
    path.interactions().map(|met| met.kind().letter()).collect()
}

fn is_bent_and_scattered(path: &Path) -> bool {
    let has = |kind| path.vertices.iter().any(|i| i.interaction.kind() == kind);
    has(InteractionKind::Scattering) && has(InteractionKind::Diffraction)
}

/// The same end, and the same interactions up to rounding.
fn is_same(a: &Path, b: &Path) -> bool {
    a.rx == b.rx
        && a.vertices.len() == b.vertices.len()
        && a.vertices.iter().zip(&b.vertices).all(|(i, j)| {
            i.interaction.kind() == j.interaction.kind()
                && i.interaction == j.interaction
                && i.point.distance(j.point) < 1e-6
        })
}

/// The scattered and diffracted paths of `all` that `found` has.
struct Comparison {
    /// Paths that should not be there.
    invented: usize,
    /// Paths at most 30 dB below the strongest scattered one, and those of them that are not found.
    strong: usize,
    missed_strong: Vec<String>,
    /// All paths by their letters.
    kinds: BTreeMap<String, usize>,
}

fn compare(place: &Place, all: &[Path], found: &[Path]) -> Comparison {
    let bent = |paths: &[Path]| -> Vec<Path> {
        let bent = paths.iter().filter(|p| is_bent_and_scattered(p));
        bent.cloned().collect()
    };
    let scattered = all.iter().filter(|p| letters(p).contains('S'));
    let most = scattered.map(|p| place.gain(p)).fold(0.0, f64::max);
    let (all, found) = (bent(all), bent(found));
    let mut kinds = BTreeMap::new();
    for path in &all {
        *kinds.entry(letters(path)).or_default() += 1;
    }
    let not_in = |these: &[Path], those: &[Path]| -> Vec<Path> {
        let lacking = these
            .iter()
            .filter(|p| !those.iter().any(|q| is_same(p, q)));
        lacking.cloned().collect()
    };
    let missed = not_in(&all, &found);
    let is_strong = |p: &&Path| place.gain(p) > 1e-3 * most;
    Comparison {
        invented: not_in(&found, &all).len(),
        strong: all.iter().filter(is_strong).count(),
        missed_strong: missed.iter().filter(is_strong).map(letters).collect(),
        kinds,
    }
}

#[test]
fn fast_searches_find_what_every_sequence_gives() {
    let mut kinds = BTreeMap::<String, usize>::new();
    let (mut strong, mut missed) = (0, [0, 0]);
    for seed in 0..10 {
        let (mesh, room) = random_city(seed);
        let place = Place::new(&mesh);
        let mut random = Random(seed ^ 0x5ca7);
        let tx = devices(place.0.scene(), &mut random, room, 1)[0];
        let rx = devices(place.0.scene(), &mut random, room, 1);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 1,
            max_diffractions: 1,
            max_scatterings: 1,
            max_transmissions: seed as usize % 2,
            free_edges: seed % 2 == 1,
            ..Limits::default()
        };
        let all = place.paths(tx, &rx, &limits, Search::Exhaustive);
        for (k, search) in [Search::Complete, Search::default()]
            .into_iter()
            .enumerate()
        {
            let found = place.paths(tx, &rx, &limits, search);
            let compared = compare(&place, &all, &found);
            assert_eq!(compared.invented, 0, "seed {seed}, {search:?}");
            // The cells that an edge illuminates by a reflection, and the edges that a launch sees by reflections,
            // depend on rays.
            let by_rays = |kind: &&String| match search {
                Search::Complete => kind.contains("DRS") || kind.contains("SRD"),
                _ => kind.len() > 2,
            };
            let lost = &compared.missed_strong;
            assert!(
                lost.iter().all(|kind| by_rays(&kind)),
                "seed {seed}, {search:?}: {lost:?}"
            );
            missed[k] += lost.len();
            if k == 0 {
                strong += compared.strong;
                for (kind, count) in compared.kinds {
                    *kinds.entry(kind).or_default() += count;
                }
            }
        }
    }
    for kind in ["DS", "SD", "DSR", "RSD", "DRS", "SRD", "RDS", "SDR"] {
        assert!(kinds.contains_key(kind), "no {kind} among {kinds:?}");
    }
    assert!(strong >= 1000, "too few: {strong}");
    let [complete, launch] = missed;
    assert!(complete * 100 <= strong, "{complete} of {strong}");
    assert!(launch * 50 <= strong, "{launch} of {strong}");
}

#[test]
fn no_receiver_depends_on_another() {
    let (mesh, room) = random_city(5);
    let place = Place::new(&mesh);
    let mut random = Random(0xa10e);
    let tx = devices(place.0.scene(), &mut random, room, 1)[0];
    let rx = devices(place.0.scene(), &mut random, room, 3);
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 1,
        max_diffractions: 2,
        max_scatterings: 1,
        ..Limits::default()
    };
    let together = place.paths(tx, &rx, &limits, Search::default());
    for (index, one) in rx.iter().enumerate() {
        let of_one = together.iter().filter(|p| p.rx == index);
        let of_one: Vec<Path> = of_one.map(|p| Path { rx: 0, ..p.clone() }).collect();
        assert!(of_one.iter().any(is_bent_and_scattered), "receiver {index}");
        let alone = place.paths(tx, &[*one], &limits, Search::default());
        assert_eq!(alone, of_one, "receiver {index}");
    }
}

#[test]
fn several_edges_on_one_side_or_on_both() {
    let mut kinds = BTreeMap::<String, usize>::new();
    for seed in [0, 3, 7] {
        let (mesh, room) = random_city(seed);
        let place = Place::new(&mesh);
        let mut random = Random(seed ^ 0x2ed9e);
        let tx = devices(place.0.scene(), &mut random, room, 1)[0];
        let rx = devices(place.0.scene(), &mut random, room, 1);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 0,
            max_diffractions: 2,
            max_scatterings: 1,
            ..Limits::default()
        };
        let all = place.paths(tx, &rx, &limits, Search::Exhaustive);
        for search in [Search::Complete, Search::default()] {
            let found = place.paths(tx, &rx, &limits, search);
            let compared = compare(&place, &all, &found);
            assert_eq!(compared.invented, 0, "seed {seed}, {search:?}");
            assert_eq!(compared.missed_strong, [""; 0], "seed {seed}, {search:?}");
            kinds.extend(compared.kinds);
        }
    }
    for kind in ["DS", "SD", "DDS", "DSD", "SDD"] {
        assert!(kinds.contains_key(kind), "no {kind} among {kinds:?}");
    }
}

#[test]
fn patches_between_edges_are_reciprocal() {
    let mut kinds = BTreeMap::<String, usize>::new();
    for (seed, diffractions) in [(1, 1), (2, 1), (3, 2)] {
        let (mesh, room) = random_city(seed);
        let place = Place::new(&mesh);
        let mut random = Random(seed ^ 0x2ec1);
        let ends = devices(place.0.scene(), &mut random, room, 2);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 2 - diffractions,
            max_diffractions: diffractions,
            max_scatterings: 1,
            ..Limits::default()
        };
        let search = Search::Complete;
        let there = place.paths(ends[0], &ends[1..], &limits, search);
        let back = place.paths(ends[1], &ends[..1], &limits, search);
        let mut paired = 0.0;
        for path in there.iter().filter(|p| is_bent_and_scattered(p)) {
            let reversed = Path {
                tx_position: path.rx_position,
                rx_position: path.tx_position,
                vertices: path.vertices.iter().rev().copied().collect(),
                ..path.clone()
            };
            let Some(twin) = back.iter().find(|p| is_same(p, &reversed)) else {
                continue;
            };
            let [a, b] = [path, twin].map(|p| PathField::new(p, &place.0));
            let size = a.coefficient.as_flattened().iter().map(|c| c.norm());
            let size = size.fold(0.0, f64::max);
            for i in 0..2 {
                for j in 0..2 {
                    let error = (a.coefficient[i][j] - b.coefficient[j][i]).norm();
                    assert!(
                        error <= 1e-9 * size,
                        "seed {seed}, {}: {error} of {size}",
                        letters(path)
                    );
                }
            }
            paired += place.gain(path);
            *kinds.entry(letters(path)).or_default() += 1;
        }
        let bent = there.iter().filter(|p| is_bent_and_scattered(p));
        let total: f64 = bent.map(|p| place.gain(p)).sum();
        assert!(
            paired > 0.98 * total,
            "seed {seed}: {paired} of {total} both ways"
        );
    }
    for kind in ["DS", "SD", "RDS", "DDS", "DSD", "SDD"] {
        assert!(kinds.contains_key(kind), "no {kind} among {kinds:?}");
    }
}

/// A smooth conducting screen across the way, 10 m high, and rough ground behind it.
fn screen() -> Place {
    let mut mesh = Mesh::default();
    let corners = [(-40., 0.), (40., 0.), (40., 10.), (-40., 10.)];
    add_polygon(
        &mut mesh,
        "screen",
        &corners.map(|(y, z)| DVec3::new(0.0, y, z)),
    );
    let corners = [(1., -20.), (30., -20.), (30., 20.), (1., 20.)];
    add_polygon(
        &mut mesh,
        "ground",
        &corners.map(|(x, y)| DVec3::new(x, y, 0.0)),
    );
    let scene = Scene::new(&mesh).unwrap();
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    let materials = scene.materials().iter().map(|name| match name.as_str() {
        "ground" => rough(),
        _ => conductor.clone(),
    });
    let materials: Vec<Material> = materials.collect();
    Place(world(scene, &materials, 3e9))
}

/// `(lambda / 4 pi)^2` times the integral over that ground of `S^2 cos cos / pi / d^2` times the power density that the screen's upper
/// edge sends there by Keller's coefficients for a conducting half plane, the mean of both polarisations; by the midpoint rule.
fn integral_behind_screen(tx: DVec3, rx: DVec3, wavelength: f64) -> f64 {
    let step = 0.1;
    let (mut total, mut x) = (0.0, 1.0 + 0.5 * step);
    while x < 30.0 {
        let mut y = -20.0 + 0.5 * step;
        while y < 20.0 {
            let point = DVec3::new(x, y, 0.0);
            let [r_tx, r_point] = [tx, point].map(|p| p.x.hypot(p.z - 10.0));
            let edge = (tx.y * r_point + y * r_tx) / (r_tx + r_point);
            let edge = DVec3::new(0.0, edge, 10.0);
            let (s_in, s_out) = (tx.distance(edge), point.distance(edge));
            let sin_beta = r_tx / s_in;
            // The angle is from the side of the screen that the Tx sees.
            let phi_in = (-tx.x).atan2(10.0 - tx.z);
            let phi_out = TAU - point.x.atan2(10.0);
            let [a, b] = [phi_out - phi_in, phi_out + phi_in].map(|phi| 1.0 / (0.5 * phi).cos());
            let keller = wavelength / (16.0 * PI * PI) * (a * a + b * b) / (sin_beta * sin_beta);
            let incident = keller / (s_in * s_out * (s_in + s_out));
            let d = rx.distance(point);
            total += incident * (10.0 / s_out) * (rx.z / d) / (PI * d * d) * step * step;
            y += step;
        }
        x += step;
    }
    total * (COEFFICIENT * wavelength / (4.0 * PI)).powi(2)
}

#[test]
fn the_power_from_rough_ground_behind_a_screen_is_that_of_the_integral() {
    let place = screen();
    let (tx, rx) = (DVec3::new(-8.0, 0.0, 2.0), DVec3::new(11.0, 3.0, 2.0));
    let wavelength = place.0.frequency().wavelength();
    let expected = integral_behind_screen(tx, rx, wavelength);
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 0,
        max_diffractions: 1,
        max_scatterings: 1,
        free_edges: true,
        ..Limits::default()
    };
    for search in [Search::Exhaustive, Search::default(), Search::Complete] {
        for (ends, letter) in [([tx, rx], "DS"), ([rx, tx], "SD")] {
            let paths = place.paths(ends[0], &ends[1..], &limits, search);
            let over = paths.iter().filter(|p| {
                let is_upper = |z: f64| (z - 10.0).abs() < 1e-6;
                letters(p) == letter && p.vertices.iter().any(|i| is_upper(i.point.z))
            });
            let gain: f64 = over.map(|p| place.gain(p)).sum();
            let off = power_to_db(gain / expected);
            assert!(off.abs() < 0.3, "{search:?} {letter}: off by {off} dB");
        }
    }
}
