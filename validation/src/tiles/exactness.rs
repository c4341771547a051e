//! The field on tiles drawn by lot beside exact paths to a point just before them.

use std::time::Instant;

use anyhow::{Result, ensure};
use keller::antenna::{Antenna, Polarization};
use keller::coverage::tiles::TileCoverage;
use keller::field::transport;
use keller::lab::Random;
use keller::paths::{
    Devices, Environment, Interaction, Limits, Path, PathOptions, Search, find_paths,
};
use keller::scene::PlaneId;
use keller::tiles::Tile;
use keller::units::power_to_db;
use keller::{Control, DVec3, Tx, World};

/// Tiles drawn by lot, by reflections and diffractions of a path at most.
const CHECKS: [([usize; 3], usize); 3] = [([1, 1, 1], 2000), ([3, 3, 0], 2000), ([2, 2, 1], 200)];

/// So far before a tile the exact paths end, metres.
const BEFORE: f64 = 2e-4;

/// Sides on which less arrives do not count, linear: next to nothing arrives along lossy walls.
const MIN_GAIN: f64 = 1e-15;

/// Prints the errors. Fails if a path of one interaction is missing, or fewer than 95 % of the sides are within 1 dB.
pub(super) fn check(world: &World, environment: &Environment, site: DVec3) -> Result<()> {
    let tx = Tx {
        position: site,
        antenna: Antenna::default(),
    };
    let tiles = environment.tiles.all();
    println!(
        "bounces, R, D | tiles | exact paths | s | paths missing % | by order | error dB median, 95 %, 99 %, worst | within 1 dB % | lit and dark %"
    );
    for ([bounces, reflections, diffractions], count) in CHECKS {
        let limits = Limits {
            max_interactions: bounces,
            max_reflections: reflections,
            max_diffractions: diffractions,
            ..Limits::default()
        };
        let coverage = TileCoverage::new(world, &limits, environment.clone())?;
        let (fields, rays) = coverage.fields_and_rays(&tx, &Control::default())?;
        let mut lot = Random(7);
        let chosen: Vec<usize> = (0..count).map(|_| lot.below(tiles.len())).collect();
        let points: Vec<DVec3> = chosen
            .iter()
            .flat_map(|tile| {
                let normal = world.scene().face_normal(tiles[*tile].face);
                [BEFORE, -BEFORE].map(|before| tiles[*tile].centre + before * normal)
            })
            .collect();
        let options = PathOptions {
            limits,
            search: Some(Search::Complete),
        };
        let start = Instant::now();
        let tx_devices = Devices::tx(world.scene(), [site])?;
        let mut paths: Vec<Vec<Path>> = vec![Vec::new(); points.len()];
        let rx = Devices::rx(world.scene(), points.clone())?;
        let mut num_paths = 0;
        for path in find_paths(world, &tx_devices, &rx, &options, &Control::default())? {
            num_paths += 1;
            let rx = path.rx;
            paths[rx].push(path);
        }
        let seconds = start.elapsed().as_secs_f64();
        let mut errors = Vec::new();
        let (mut dark, mut missing) = (0, vec![[0_usize; 2]; bounces + 1]);
        for (k, paths) in paths.iter().enumerate() {
            let (number, side) = (chosen[k / 2], k % 2);
            let tile = &tiles[number];
            let plane = world.scene().plane_of(tile.face);
            let own: Vec<&Path> = paths
                .iter()
                .filter(|path| !is_of_own_wall(world, path, tile, plane))
                .collect();
            let gain = |path: &&Path| {
                transport(path, world.scene(), world.surfaces()).gain(&tx.antenna, &both())
            };
            let expected: f64 = own.iter().map(gain).sum();
            let start = rays.partition_point(|ray| ray.path.rx < number);
            let mine = rays[start..].iter().take_while(|ray| ray.path.rx == number);
            let mine: Vec<_> = mine.filter(|ray| ray.side == side).collect();
            for path in &own {
                let order = path.interactions().count();
                missing[order][0] += 1;
                let is_same = |ray: &&keller::coverage::tiles::TileRay| {
                    (ray.path.length - path.length).abs() < 2e-3
                        && ray
                            .path
                            .interactions()
                            .map(Interaction::kind)
                            .eq(path.interactions().map(Interaction::kind))
                };
                missing[order][1] +=
                    usize::from(gain(path) >= MIN_GAIN && !mine.iter().any(|ray| is_same(ray)));
            }
            let along: f64 = mine
                .iter()
                .filter(|ray| is_of_own_wall(world, &ray.path, tile, plane))
                .map(|ray| ray.gain)
                .sum();
            let found = fields[number][side].path_gain - along;
            if expected >= MIN_GAIN {
                if found >= 0.1 * MIN_GAIN {
                    errors.push((power_to_db(found) - power_to_db(expected)).abs());
                } else {
                    dark += 1;
                    errors.push(f64::INFINITY);
                }
            }
        }
        errors.sort_by(f64::total_cmp);
        let at = |share: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "an index"
            )]
            let index = (share * errors.len() as f64) as usize;
            errors
                .get(index.min(errors.len().saturating_sub(1)))
                .copied()
                .unwrap_or(0.0)
        };
        let within =
            errors.iter().filter(|error| **error < 1.0).count() as f64 / errors.len().max(1) as f64;
        let [all, lost] = [0, 1].map(|k| missing.iter().map(|of| of[k]).sum::<usize>());
        let by_order: Vec<String> = missing
            .iter()
            .map(|[all, lost]| format!("{lost} of {all}"))
            .collect();
        println!(
            "{bounces}, {reflections}, {diffractions} | {count} | {num_paths} | {seconds:.1} | {:.2} | {} | {:.3}, {:.2}, {:.2}, {:.1} | {:.2} | {:.2}",
            100.0 * lost as f64 / all.max(1) as f64,
            by_order.join(", "),
            at(0.5),
            at(0.95),
            at(0.99),
            at(1.0),
            100.0 * within,
            100.0 * f64::from(dark) / errors.len().max(1) as f64,
        );
        ensure!(
            missing[0][1] + missing[1][1] == 0,
            "paths of the first order are missing"
        );
        ensure!(
            within >= 0.95 || environment.tiles.tiling().side > 5.0,
            "{within} of the sides are within 1 dB"
        );
    }
    Ok(())
}

/// Whether a path's last part lies in the tile's own plane, or is reflected there: it falls on no side, or half of it does.
fn is_of_own_wall(world: &World, path: &Path, tile: &Tile, plane: PlaneId) -> bool {
    let last = path.vertices.last();
    let from = last.map_or(path.tx_position, |vertex| vertex.point);
    let is_reflected = last.is_some_and(|vertex| match vertex.interaction {
        Interaction::Reflection(face) => world.scene().plane_of(face) == plane,
        _ => false,
    });
    let normal = world.scene().face_normal(tile.face);
    is_reflected || (from - tile.centre).dot(normal).abs() < 2.0 * BEFORE + 1e-4
}

fn both() -> Antenna {
    Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    }
}
