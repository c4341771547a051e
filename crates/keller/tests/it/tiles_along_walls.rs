//! Waves along the walls of an edge to their tiles, checked against the path engine a hair before them, and by energy
//! at a sheet.

use std::f64::consts::TAU;

use crate::common::place::{self, add_wall, at, both, free_space, is_along_own_wall, wavelength};
use crate::common::{add_box, paths};
use keller::antenna::{Antenna, Polarization};
use keller::coverage::tiles::TileRay;
use keller::field::PathField;
use keller::materials::{Material, Medium};
use keller::paths::{Interaction, Limits, Path, Search};
use keller::scene::Mesh;
use keller::units::power_to_db;
use keller::{Complex64, Control, DVec3};

/// Each face of a box, from near the edges to far from them, gets half the field of the path engine, in the limit of no
/// distance.
#[test]
fn along_its_own_wall_an_edge_sends_half_the_field_a_hair_before_it() {
    check_along_walls(1, 3.0, 400);
    check_along_walls(2, 12.0, 50);
}

/// The share of free space below which a gain counts as nothing.
///
/// So weak are, besides vanishing waves, those by two edges of the tile's own wall and back along it: the lossy form
/// has a kink there.
const VANISHING: f64 = 1e-6;

/// The same behind so many edges, with tiles of this length, metres, and so many rays or more.
fn check_along_walls(num_edges: usize, side: f64, least: usize) {
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
        let place = place::of(&mesh, std::slice::from_ref(material));
        let antenna = Antenna {
            polarization,
            ..Antenna::default()
        };
        // Sees one side and the roof: their edges light all four walls and the roof.
        let tx = at([11.0, -17.0, 21.0], antenna);
        let coverage = place::coverage(&place, &limits, side);
        let rays = coverage.rays(&tx, &Control::default()).unwrap();
        let along = |ray: &&TileRay| {
            let tile = coverage.environment().tiles.all()[ray.path.rx];
            is_along_own_wall(&place, &ray.path, place.scene().plane_of(tile.face))
        };
        let along: Vec<&TileRay> = rays.iter().filter(along).collect();
        assert!(along.len() > least, "{} rays along walls", along.len());
        // The ratio in decibels has no limit for waves that vanish on the wall, as all do on a lossy one.
        let mut last = f64::INFINITY;
        let mut last_vanishing = f64::INFINITY;
        for hair in [1e-2, 1e-3, 1.5e-4] {
            let (mut worst, mut vanishing): (f64, f64) = (0.0, 0.0);
            for ray in &along {
                let tile = coverage.environment().tiles.all()[ray.path.rx];
                let outwards = place.scene().face_normal(tile.face) * [1.0, -1.0][ray.side];
                let point = tile.centre + hair * outwards;
                let paths = paths(&place, tx.position, &[point], &limits, Search::Exhaustive);
                let edges = |p: &Path| -> Vec<Interaction> { p.interactions().collect() };
                let same = |p: &&Path| edges(p) == edges(&ray.path);
                let path = paths.iter().find(same).unwrap();
                let field = PathField::new(path, &place);
                let expected = 0.25 * field.gain(&tx.antenna, &both());
                let free = free_space(ray.path.length);
                if ray.gain > VANISHING * free {
                    let error = power_to_db(ray.gain) - power_to_db(expected);
                    worst = worst.max(error.abs());
                } else {
                    vanishing = vanishing.max((expected - ray.gain).abs() / free);
                }
            }
            assert!(
                worst < last || worst == 0.0,
                "{hair} m: {worst} dB, {last} dB before"
            );
            (last, last_vanishing) = (worst, vanishing);
        }
        assert!(last < 0.1, "{last} dB");
        assert!(last_vanishing < VANISHING, "{last_vanishing} of free space");
    }
}

/// A field across a sheet does not notice it if its source lies in the sheet's plane: half of it falls on each side, and no step is met on the
/// way through the plane, where the direct ray leaves one side.
#[test]
fn a_sheet_seen_edge_on_has_half_the_free_field_on_each_side() {
    let mut mesh = Mesh::default();
    add_wall(&mut mesh, 0.0);
    let place = place::of(&mesh, &[Material::HalfSpace(Medium::PerfectConductor)]);
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
    let coverage = place::coverage(&place, &limits, 2.0);
    let wavenumber = TAU / wavelength();
    for y in [1e-3, 3e-4, -3e-4, -1e-3] {
        let tx = at([-10.0, y, 5.0], across.clone());
        let mut sums = vec![[Complex64::ZERO; 2]; coverage.environment().tiles.len()];
        for ray in coverage.rays(&tx, &Control::default()).unwrap() {
            let is_near_side = |p: DVec3| p.x.abs() < 1e-9;
            if ray.path.vertices.iter().all(|i| is_near_side(i.point)) {
                let phase = Complex64::from_polar(1.0, wavenumber * ray.path.length);
                sums[ray.path.rx][ray.side] += ray.field.coefficient[1][1] * phase;
            }
        }
        for (tile, sums) in coverage.environment().tiles.all().iter().zip(sums) {
            let free = free_space(tile.centre.distance(tx.position));
            for sum in sums {
                let ratio = sum.norm_sqr() / free;
                assert!((ratio - 0.25).abs() < 0.01, "{y} m: {ratio}");
            }
        }
    }
}
