//! Edges of walls that let waves through, where the limits of the search leave out the passing wave.

use std::f64::consts::PI;

use glam::DVec2;
use keller::coverage::tubes::{self, Accuracy, Tubes};
use keller::coverage::{Levels, Region, points};
use keller::field::PathField;
use keller::materials::{ItuMaterial, Material, Medium};
use keller::paths::{Limits, PathOptions, Search};
use keller::scene::Mesh;
use keller::{Complex64, Control, DVec3, World};

use crate::common::place::{self, at};
use crate::common::{add_polygon, paths, world};

const HZ: f64 = 3.5e9;

fn concrete() -> Material {
    Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.1)
}

/// A wall upwards of an edge at the origin towards `to`.
fn add_wall(mesh: &mut Mesh, material: &str, to: [f64; 2]) {
    let corners = [[0.0, 0.0], to].map(|[x, y]| [-15.0, 15.0].map(|z| DVec3::new(x, y, z)));
    let [[a, b], [c, d]] = corners;
    add_polygon(mesh, material, &[a, c, d, b]);
}

/// Two walls that meet in a right angle of 270 degrees to the air, or one alone.
fn corner(has_both: bool) -> World {
    let mut mesh = Mesh::default();
    add_wall(&mut mesh, "wall", [30.0, 0.0]);
    if has_both {
        add_wall(&mut mesh, "wall", [0.0, -30.0]);
    }
    place_of(&mesh)
}

fn place_of(mesh: &Mesh) -> World {
    let materials = vec![concrete(); mesh.materials.len()];
    world(keller::scene::Scene::new(mesh).unwrap(), &materials, HZ)
}

fn limits(max_transmissions: usize) -> Limits {
    Limits {
        max_interactions: 1,
        max_reflections: 1,
        max_transmissions,
        max_diffractions: 1,
        free_edges: true,
        ..Limits::default()
    }
}

/// The places at one metre from the edge, around these angles, radians.
fn around(centre: f64) -> impl Iterator<Item = DVec3> {
    (-20..=20).map(move |k| {
        let angle = centre + f64::from(k) * (1.0_f64 / 30.0).to_radians();
        DVec3::new(angle.cos(), angle.sin(), 0.0)
    })
}

/// The largest change of the power of both fields together from one place to the next, as a share of it.
fn largest_step(place: &World, tx: DVec3, limits: &Limits, centre: f64) -> f64 {
    let bound = limits.world(place);
    let powers: Vec<f64> = around(centre)
        .map(|rx| {
            let found = paths(place, tx, &[rx], limits, Search::Exhaustive);
            let near = |path: &&keller::paths::Path| {
                // The far ends of the walls are not asked about.
                path.vertices
                    .iter()
                    .all(|vertex| vertex.point.z.abs() < 14.0 && vertex.point.length() < 29.0)
            };
            let mut sum = [[Complex64::ZERO; 2]; 2];
            for path in found.iter().filter(near) {
                let field = PathField::new(path, &bound).coefficient;
                for (row, more) in sum.iter_mut().zip(field) {
                    for (cell, more) in row.iter_mut().zip(more) {
                        *cell += more;
                    }
                }
            }
            sum.as_flattened().iter().map(Complex64::norm_sqr).sum()
        })
        .collect();
    let steps = powers
        .windows(2)
        .map(|pair| (pair[1] / pair[0] - 1.0).abs());
    steps.fold(0.0, f64::max)
}

/// The condition is that of a peer's test: the powers of two places 0.033 degrees from each other differ by less than 1
/// %.
#[test]
fn no_limit_of_transmissions_makes_a_step_at_a_shadow_boundary() {
    let tx = DVec3::new(5.0, 5.0, 0.0);
    let oblique = DVec3::new(5.0, 5.0, 3.0);
    for has_both in [true, false] {
        let place = corner(has_both);
        for max_transmissions in 0..=3 {
            for max_depth in [usize::MAX, 1, 2] {
                for tx in [tx, oblique] {
                    let limits = Limits {
                        max_depth,
                        ..limits(max_transmissions)
                    };
                    // The shadow of the corner, and where the reflection ends.
                    for centre in [1.25 * PI, 0.75 * PI] {
                        let step = largest_step(&place, tx, &limits, centre);
                        assert!(
                            step < 0.01,
                            "both walls {has_both}, {max_transmissions} transmissions, depth {max_depth}, tx {tx}: {step}"
                        );
                    }
                }
            }
        }
    }
}

/// A pane before the corner takes one of the transmissions.
#[test]
fn a_wall_that_is_passed_before_counts_too() {
    let mut mesh = Mesh::default();
    add_wall(&mut mesh, "wall", [30.0, 0.0]);
    add_wall(&mut mesh, "wall", [0.0, -30.0]);
    let pane = [
        [1.0, 4.0, -15.0],
        [4.0, 1.0, -15.0],
        [4.0, 1.0, 15.0],
        [1.0, 4.0, 15.0],
    ];
    add_polygon(&mut mesh, "pane", &place::corners(&pane));
    let place = place_of(&mesh);
    for max_transmissions in 1..=3 {
        let limits = Limits {
            free_edges: false,
            ..limits(max_transmissions)
        };
        let step = largest_step(&place, DVec3::new(5.0, 5.0, 0.0), &limits, 1.25 * PI);
        assert!(step < 0.01, "{max_transmissions} transmissions: {step}");
    }
}

/// The shadow of a slab that nothing may pass is as dark as that of the same reflection on an opaque wall: half of the
/// field in line with the edge.
#[test]
fn in_line_with_an_opaque_edge_half_of_the_field_arrives() {
    let place = corner(false);
    let (tx, rx) = (DVec3::new(-1e-9, 5.0, 0.0), DVec3::new(-1e-9, -5.0, 0.0));
    for (max_transmissions, expected) in [(0, 0.5), (1, 0.6)] {
        let limits = limits(max_transmissions);
        let bound = limits.world(&place);
        let found = paths(&place, tx, &[rx], &limits, Search::Exhaustive);
        let is_of_edge = |path: &&keller::paths::Path| {
            path.vertices.len() == 1 && path.vertices[0].point.length() < 1e-3
        };
        let path = found.iter().find(is_of_edge).unwrap();
        let field = PathField::new(path, &bound);
        let free = bound.frequency().wavelength() / (4.0 * PI * 10.0);
        let share = field.coefficient[0][0].norm() / free;
        let is_expected = if max_transmissions == 0 {
            (share - expected).abs() < 0.03
        } else {
            (share - 0.5).abs() > 0.03
        };
        assert!(is_expected, "{max_transmissions} transmissions: {share}");
    }
}

/// Points, tubes of every accuracy, their recordings and routes, and the paths to tiles have one field.
#[test]
fn every_engine_has_the_same_edges() {
    let control = Control::default();
    for has_both in [true, false] {
        let place = corner(has_both);
        let sender = at([5.0, 4.6, 0.3], place::both());
        let (min, max) = (DVec2::new(-3.0, -3.0), DVec2::new(3.0, 3.0));
        let region =
            Region::planes(min, max, DVec2::splat(0.5), Levels::AboveSea(vec![0.1])).unwrap();
        for max_transmissions in 0..=2 {
            let limits = Limits {
                max_reflections: 0,
                ..limits(max_transmissions)
            };
            let options = PathOptions {
                limits,
                search: Some(Search::Complete),
            };
            let expected = points::coverage(
                &place,
                std::slice::from_ref(&sender),
                region.clone(),
                &options,
                &control,
            )
            .unwrap();
            let all = 0..region.num_cells();
            let compare = |found: &[f64], what: &str, tolerance: f64| {
                let mut compared = 0;
                for (cell, (found, expected)) in found.iter().zip(&expected.path_gain).enumerate() {
                    // Tubes follow nothing below 1e-15, and this is the sum of a few waves.
                    if expected.is_nan() || *expected < 1e-14 {
                        continue;
                    }
                    compared += 1;
                    let error = (10.0 * (found / expected).log10()).abs();
                    assert!(
                        error < tolerance,
                        "{what}, both walls {has_both}, {max_transmissions} transmissions, cell {cell}: {error} dB"
                    );
                }
                assert!(compared > 100, "{compared} cells");
            };
            // The step was 1.4 dB. In the corner behind both walls, all power comes by far edges.
            for (accuracy, tolerance) in [(Accuracy::Default, 0.3), (Accuracy::Exact, 0.2)] {
                let settings = tubes::Settings {
                    limits,
                    accuracy,
                    min_gain: 1e-15,
                };
                let tubes = Tubes::new(&place, &region, settings);
                let gains = tubes.gains(&sender, all.clone(), &control).unwrap();
                compare(&gains, "tubes", tolerance);
                let envelope = tubes::Envelope::Gain(1.0);
                let recording = tubes
                    .record(sender.position, envelope, all.clone(), &control)
                    .unwrap();
                compare(&recording.gains(&sender.antenna), "recording", tolerance);
                let routes = tubes
                    .record_for(sender.position, envelope, &[], all.clone(), &control)
                    .unwrap();
                compare(
                    &routes.gains_in(&place, &sender.antenna),
                    "routes",
                    tolerance,
                );
            }
            let tiles = place::coverage(&place, &limits, 4.0);
            let bound = limits.world(&place);
            for ray in tiles.rays(&sender, &control).unwrap() {
                let own = PathField::new(&ray.path, &bound);
                let difference = (own.coefficient[0][0] - ray.field.coefficient[0][0]).norm();
                assert!(difference <= 1e-7, "{difference}");
            }
        }
    }
}
