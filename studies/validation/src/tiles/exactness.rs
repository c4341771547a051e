//! Compares the field on tiles drawn by lot with exact paths to a point just before them.

use std::time::Instant;

use anyhow::{Result, ensure};
use keller::antenna::{Antenna, Polarization};
use keller::coverage::tiles::{TileCoverage, TileField, TileRay};
use keller::field::PathField;
use keller::paths::{
    Devices, Environment, Interaction, Limits, Path, PathOptions, Search, Vertex, find_paths,
};
use keller::random::Random;
use keller::tiles::Tile;
use keller::units::power_to_db;
use keller::{Control, DVec3, Tx, World};

/// The largest numbers of interactions, reflections and diffractions of a path, whether tiles look for them as
/// receivers of the complete search, and the number of tiles drawn by lot.
const CHECKS: [([usize; 3], bool, usize); 4] = [
    ([1, 1, 1], false, 2000),
    ([3, 3, 0], false, 2000),
    ([2, 2, 1], false, 2000),
    ([2, 2, 1], true, 2000),
];

/// The distance before a tile at which the exact paths end, metres.
const BEFORE: f64 = 2e-4;

/// Sides on which less arrives do not count, linear: next to nothing arrives along lossy walls.
const MIN_GAIN: f64 = 1e-15;

/// Paths to a tile and to a point before it differ by less than this, metres.
const SAME_LENGTH: f64 = 2e-3;

/// The length of tiles above which more of the field may be missing, metres.
const SMALL: f64 = 5.0;

/// Prints the errors. Fails if a path of one interaction is missing, or fewer than 95 % of the sides of small tiles are
/// within 1 dB.
pub(super) fn check(world: &World, environment: &Environment, site: DVec3) -> Result<()> {
    println!(
        "bounces, R, D, search | tiles | exact paths | s | paths missing, by order | error dB median, 95 %, 99 % | within 1 dB % | dark %"
    );
    let (mut lacks_first, mut is_off) = (false, false);
    for ([bounces, reflections, diffractions], is_complete, count) in CHECKS {
        let limits = Limits {
            max_interactions: bounces,
            max_reflections: reflections,
            max_diffractions: diffractions,
            ..Limits::default()
        };
        let tx = Tx {
            position: site,
            antenna: Antenna::default(),
        };
        let environment = Environment {
            is_complete,
            ..environment.clone()
        };
        let coverage = TileCoverage::new(world, &limits, environment.clone())?;
        let (fields, rays) = coverage.fields_and_rays(&tx, &Control::default())?;
        let tiles = environment.tiles.all();
        let mut lot = Random(7);
        let chosen: Vec<usize> = (0..count).map(|_| lot.below(tiles.len())).collect();
        let start = Instant::now();
        let paths = exact(world, &limits, tiles, &chosen, site)?;
        let seconds = start.elapsed().as_secs_f64();
        let mut errors = Errors::new(bounces);
        for (k, paths) in paths.iter().enumerate() {
            let Some(paths) = paths else {
                continue;
            };
            let (number, side) = (chosen[k / 2], k % 2);
            let first = rays.partition_point(|ray| ray.path.rx < number);
            let mine = rays[first..].iter().take_while(|ray| ray.path.rx == number);
            let mine: Vec<&TileRay> = mine.filter(|ray| ray.side == side).collect();
            errors.add(
                world,
                (number, &tiles[number]),
                paths,
                (&fields[number][side], &mine),
            );
        }
        let search = if is_complete { "complete" } else { "pairs" };
        let num_paths: usize = paths.iter().flatten().map(Vec::len).sum();
        println!(
            "{bounces}, {reflections}, {diffractions}, {search} | {count} | {num_paths} | {seconds:.1} | {}",
            errors.row()
        );
        lacks_first |= errors.missing[..2].iter().any(|[_, missing]| *missing > 0);
        let is_small = environment.tiles.tiling().side <= SMALL;
        is_off |= is_small && errors.share_within(1.0) < 0.95;
    }
    ensure!(!lacks_first, "paths of the first order are missing");
    ensure!(!is_off, "fewer than 95 % of the sides are within 1 dB");
    Ok(())
}

/// The exact paths to both sides of some tiles, one side after the other. `None` for sides that lie on another face.
fn exact(
    world: &World,
    limits: &Limits,
    tiles: &[Tile],
    chosen: &[usize],
    site: DVec3,
) -> Result<Vec<Option<Vec<Path>>>> {
    let sides = |tile: &usize| {
        let normal = world.scene().face_normal(tiles[*tile].face);
        [BEFORE, -BEFORE].map(|before| tiles[*tile].centre + before * normal)
    };
    let points: Vec<DVec3> = chosen.iter().flat_map(sides).collect();
    let options = PathOptions {
        limits: *limits,
        search: Some(Search::Complete),
    };
    let scene = world.scene();
    let is_clear = |k: &usize| Devices::rx(scene, [points[*k]]).is_ok();
    let clear: Vec<usize> = (0..points.len()).filter(is_clear).collect();
    let mut paths = vec![None; points.len()];
    for k in &clear {
        paths[*k] = Some(Vec::new());
    }
    let tx = Devices::tx(scene, [site])?;
    let rx = Devices::rx(scene, clear.iter().map(|k| points[*k]).collect::<Vec<_>>())?;
    for path in find_paths(world, &tx, &rx, &options, &Control::default())? {
        let side = &mut paths[clear[path.rx]];
        side.get_or_insert_default().push(path);
    }
    Ok(paths)
}

/// The errors of tiles relative to exact paths.
struct Errors {
    /// The error of each side that is reached, dB; infinite for those without power.
    of_sides: Vec<f64>,
    /// The numbers of paths by the number of interactions: all paths, and those that are missing.
    missing: Vec<[usize; 2]>,
}

impl Errors {
    fn new(bounces: usize) -> Self {
        Self {
            of_sides: Vec::new(),
            missing: vec![[0; 2]; bounces + 1],
        }
    }

    fn add(
        &mut self,
        world: &World,
        (number, tile): (usize, &Tile),
        paths: &[Path],
        of: (&TileField, &[&TileRay]),
    ) {
        let (field, rays) = of;
        let both = Antenna {
            polarization: Polarization::VH,
            ..Antenna::default()
        };
        let gain = |path: &&Path| PathField::new(path, world).gain(&Antenna::default(), &both);
        let is_other = |path: &&Path| {
            !is_of_own_wall(world, path, tile) && !path.vertices.iter().any(|v| is_at_end(world, v))
        };
        let own: Vec<&Path> = paths.iter().filter(is_other).collect();
        for path in &own {
            let kinds = |path: &Path| {
                path.interactions()
                    .map(Interaction::kind)
                    .collect::<Vec<_>>()
            };
            let is_found = rays.iter().any(|ray| {
                (ray.path.length - path.length).abs() < SAME_LENGTH
                    && kinds(&ray.path) == kinds(path)
            });
            let of_order = &mut self.missing[path.interactions().count()];
            of_order[0] += 1;
            let mut is_missing = gain(path) >= MIN_GAIN && !is_found;
            let is_first = path.interactions().count() <= 1;
            if is_missing && is_first {
                is_missing = ends_nearer(world, path, tile);
            }
            of_order[1] += usize::from(is_missing);
            if is_missing && is_first {
                println!(
                    "missing on tile {number} at {}: {:.1} dB by {:?}, at {:?}",
                    tile.centre,
                    power_to_db(gain(path)),
                    path.interactions().collect::<Vec<_>>(),
                    path.vertices.first().map(|vertex| vertex.point),
                );
            }
        }
        let along = rays
            .iter()
            .filter(|ray| is_of_own_wall(world, &ray.path, tile));
        let found = field.path_gain - along.map(|ray| ray.gain).sum::<f64>();
        let expected: f64 = own.iter().map(gain).sum();
        if expected >= MIN_GAIN {
            self.of_sides.push(if found >= 0.1 * MIN_GAIN {
                (power_to_db(found) - power_to_db(expected)).abs()
            } else {
                f64::INFINITY
            });
        }
    }

    fn share_within(&self, db: f64) -> f64 {
        let within = self.of_sides.iter().filter(|error| **error < db).count();
        within as f64 / self.of_sides.len().max(1) as f64
    }

    fn row(&self) -> String {
        let mut errors = self.of_sides.clone();
        errors.sort_by(f64::total_cmp);
        let at = |percent: usize| {
            errors
                .get(errors.len() * percent / 100)
                .copied()
                .unwrap_or(0.0)
        };
        let by_order = self
            .missing
            .iter()
            .map(|[all, lost]| format!("{lost} of {all}"));
        format!(
            "{} | {:.3}, {:.2}, {:.2} | {:.2} | {:.2}",
            by_order.collect::<Vec<_>>().join(", "),
            at(50),
            at(95),
            at(99),
            100.0 * self.share_within(1.0),
            100.0 * (1.0 - self.share_within(f64::INFINITY)),
        )
    }
}

/// Whether a path's last part lies in the tile's own plane or is reflected there: half of it falls on the tile, or none.
fn is_of_own_wall(world: &World, path: &Path, tile: &Tile) -> bool {
    let plane = world.scene().plane_of(tile.face);
    let last = path.vertices.last();
    let from = last.map_or(path.tx_position, |vertex| vertex.point);
    let is_reflected = last.is_some_and(|vertex| match vertex.interaction {
        Interaction::Reflection(face) => world.scene().plane_of(face) == plane,
        _ => false,
    });
    let normal = world.scene().face_normal(tile.face);
    is_reflected || (from - tile.centre).dot(normal).abs() < 2.0 * BEFORE + 1e-4
}

/// Whether a path of one interaction at most is there a hundredth as far before its tile too. A wall that stands out from the tile's
/// own by less than [`BEFORE`] hides the tile, and not the point before it.
fn ends_nearer(world: &World, path: &Path, tile: &Tile) -> bool {
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 1,
        max_diffractions: 1,
        ..Limits::default()
    };
    let options = PathOptions {
        limits,
        search: Some(Search::Complete),
    };
    let nearer = tile.centre + 0.01 * (path.rx_position - tile.centre);
    let (tx, rx) = (
        Devices::unchecked(vec![path.tx_position]),
        Devices::unchecked(vec![nearer]),
    );
    let found = find_paths(world, &tx, &rx, &options, &Control::default()).unwrap_or_default();
    let interactions = |path: &Path| path.interactions().collect::<Vec<_>>();
    found
        .iter()
        .any(|other| interactions(other) == interactions(path))
}

/// Whether a path passes the end of an edge so near that the path to the tile's centre may miss the edge.
fn is_at_end(world: &World, vertex: &Vertex) -> bool {
    vertex.interaction.edge().is_some_and(|edge| {
        let ends = world.scene().edges()[edge.index()].ends;
        ends.iter()
            .any(|end| end.distance(vertex.point) < 5.0 * BEFORE)
    })
}
