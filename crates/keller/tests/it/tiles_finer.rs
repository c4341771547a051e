//! Smaller tiles near points: which cells are divided, and that all else stays.

use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::tiles::{TileCoverage, TileField};
use keller::paths::{Environment, Limits};
use keller::scene::{FaceId, Mesh, Scene};
use keller::tiles::{Finer, Segments, Tile, Tiles, Tiling};
use keller::{Control, DVec3};

use crate::common::place::{at, free_space, named};
use crate::common::{
    Random, add_polygon, area_of_pieces, random_city, random_scene, shuffled, split_in_four,
};

fn near(at: [f64; 2], z: Option<f64>, radius: f64, side: f64) -> Finer {
    Finer {
        at: DVec2::from(at),
        z,
        radius,
        side,
    }
}

/// Tiles of this side, smaller near some points.
fn tiles(scene: &Scene, side: f64, finer: &[Finer], has_grid: bool) -> Tiles {
    let tiling = Tiling {
        finer: finer.to_vec(),
        terrain_grid: has_grid,
        under_buildings: true,
        ..Tiling::of_side(side)
    };
    Tiles::new(scene, tiling).unwrap()
}

/// Hills of facets that are smaller than tiles in one part and larger in another, on a turned square of 120 m.
fn hills(seed: u64) -> Mesh {
    let mut mesh = Mesh::default();
    let mut random = Random(seed);
    let lines: Vec<f64> = [-60., -30., 0., 5., 10., 15., 30., 60.].into();
    let heights: Vec<Vec<f64>> = lines
        .iter()
        .map(|_| lines.iter().map(|_| random.range(0.0, 2.0)).collect())
        .collect();
    for i in 1..lines.len() {
        for j in 1..lines.len() {
            let corner = |i: usize, j: usize| {
                let turned = DVec2::from_angle(0.37).rotate(DVec2::new(lines[i], lines[j]));
                turned.extend(heights[i][j])
            };
            let [a, b, c, d] = [
                corner(i - 1, j - 1),
                corner(i, j - 1),
                corner(i, j),
                corner(i - 1, j),
            ];
            add_polygon(&mut mesh, "ground", &[a, b, c]);
            add_polygon(&mut mesh, "ground", &[a, c, d]);
        }
    }
    mesh
}

/// Scenes, the wanted side, and points near which tiles are smaller.
fn places() -> Vec<(String, Mesh, f64, Vec<Finer>)> {
    let mut all = Vec::new();
    for seed in 0..4 {
        let (mesh, [low, high]) = random_scene(seed);
        let centre = 0.5 * (low + high);
        let finer = vec![
            near([centre.x, centre.y], Some(centre.z), 5.0, 0.7),
            near([low.x, low.y], None, 3.0, 1.1),
        ];
        all.push((format!("scene {seed}"), mesh, 4.0, finer));
    }
    for seed in 0..2 {
        let (mesh, [low, high]) = random_city(seed);
        let centre = 0.5 * (low + high);
        let finer = vec![near([centre.x, centre.y], None, 8.0, 1.0)];
        all.push((format!("city {seed}"), mesh, 4.0, finer));
        let finer = vec![
            near([4.0, 3.0], Some(6.0), 17.0, 1.5),
            near([4.0, 3.0], None, 30.0, 4.0),
        ];
        all.push((format!("hills {seed}"), hills(seed), 10.0, finer));
    }
    all
}

#[test]
fn all_of_every_face_is_in_its_tiles_and_each_tile_is_at_its_centre() {
    for (name, mesh, side, finer) in places() {
        let scene = Scene::new(&mesh).unwrap();
        let tiles = tiles(&scene, side, &finer, true);
        let coarse = self::tiles(&scene, side, &[], true);
        assert!(tiles.len() > coarse.len() + 20, "{name}: {}", tiles.len());
        let area = |tiles: &Tiles| tiles.all().iter().map(|tile| tile.area).sum::<f64>();
        let whole: f64 = scene.faces().iter().map(|face| face.area).sum();
        assert!((area(&tiles) - whole).abs() < 1e-2 * whole, "{name}");
        assert!(
            (area(&tiles) - area(&coarse)).abs() < 1e-2 * whole,
            "{name}"
        );
        for (number, tile) in tiles.all().iter().enumerate() {
            assert_eq!(tiles.at(tile.face, tile.centre), Some(number), "{name}");
            let area = area_of_pieces(&scene, &tiles, number);
            assert!((area - tile.area).abs() < 1e-9 * (1.0 + area), "{name}");
        }
    }
}

#[test]
fn tiles_of_a_face_have_its_area() {
    for (name, mesh, side, finer) in places() {
        let scene = Scene::new(&mesh).unwrap();
        let tiles = tiles(&scene, side, &finer, false);
        for (f, face) in scene.faces().iter().enumerate() {
            let mine = tiles.of_face(FaceId::from_index(f));
            let area: f64 = mine.map(|tile| tiles.all()[tile].area).sum();
            // Slivers of cells are dropped.
            assert!(
                (area - face.area).abs() < 2e-2 * face.area + 1e-9,
                "{name}: {area} of {}",
                face.area
            );
        }
    }
}

/// The distance of a tile from a point of [`Finer`].
fn distance(tile: &Tile, finer: &Finer) -> f64 {
    match finer.z {
        Some(z) => tile.centre.distance(finer.at.extend(z)),
        None => tile.centre.truncate().distance(finer.at),
    }
}

#[test]
fn tiles_within_the_radius_have_the_side_and_those_far_away_stay() {
    for (name, mesh, side, finer) in places() {
        for has_grid in [true, false] {
            let scene = Scene::new(&mesh).unwrap();
            let tiles = tiles(&scene, side, &finer, has_grid);
            let coarse = self::tiles(&scene, side, &[], has_grid);
            for tile in tiles.all() {
                let wanted = finer
                    .iter()
                    .filter(|finer| distance(tile, finer) < finer.radius - 1e-3)
                    .map(|finer| finer.side)
                    .fold(f64::INFINITY, f64::min);
                let size = tile.high - tile.low;
                assert!(size.max_element() <= wanted + 1e-9, "{name}: {tile:?}");
            }
            // A cell that reaches into the radius may reach this far out of it; that of steep facets farther.
            let is_far = |tile: &Tile| {
                let beyond = |finer: &Finer| distance(tile, finer) - finer.radius;
                finer.iter().all(|finer| beyond(finer) > 4.0 * side)
            };
            let mut num_far = 0;
            for tile in coarse.all().iter().filter(|tile| is_far(tile)) {
                num_far += 1;
                let same = tiles.at(tile.face, tile.centre);
                let same = same.map(|number| tiles.all()[number]);
                assert_eq!(same, Some(*tile), "{name}");
            }
            let is_wide = name.starts_with("hills") || name.starts_with("city");
            assert!(num_far > 0 || !is_wide, "{name}");
        }
    }
}

#[test]
fn a_wall_is_finer_only_where_it_is_near() {
    let mut mesh = Mesh::default();
    let wall = [(0., 0.), (100., 0.), (100., 10.), (0., 10.)];
    let wall = wall.map(|(x, z)| DVec3::new(x, 0.0, z));
    add_polygon(&mut mesh, "wall", &wall);
    let scene = Scene::new(&mesh).unwrap();
    // The point is 3 m away from above, and more than 6 m in space.
    let finer = |z| near([35.0, 3.0], z, 6.0, 2.5);
    let sides = |finer: Finer| -> Vec<f64> {
        let tiles = tiles(&scene, 10.0, &[finer], true);
        let mut all: Vec<(f64, f64)> = tiles
            .all()
            .iter()
            .map(|tile| (tile.centre.x, tile.area.sqrt()))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.into_iter().map(|(_, side)| side).collect()
    };
    let finer_cells = sides(finer(None));
    // 35 ± 5.2 m lie in three cells, which have 4 by 4 parts each.
    assert_eq!(finer_cells.len(), 7 + 3 * 16);
    assert!(
        finer_cells[..2]
            .iter()
            .all(|side| (side - 10.0).abs() < 1e-9)
    );
    assert!(
        finer_cells[2..50]
            .iter()
            .all(|side| (side - 2.5).abs() < 1e-9)
    );
    assert_eq!(sides(finer(Some(20.0))).len(), 10);
    assert_eq!(sides(finer(Some(14.0))).len(), 9 + 16);
    // A cell that the radius only touches stays whole.
    let beside = near([40.0, 0.0], None, 10.0, 5.0);
    assert_eq!(sides(beside).len(), 8 + 2 * 4);
}

#[test]
fn finer_tiles_do_not_depend_on_triangles() {
    for (name, mesh, side, finer) in places() {
        let of = |mesh: &Mesh| {
            let scene = Scene::new(mesh).unwrap();
            tiles(&scene, side, &finer, true).all().to_vec()
        };
        let plain = of(&mesh);
        for other in [split_in_four(&mesh), shuffled(&mesh, 7)] {
            let other = of(&other);
            assert_eq!(plain.len(), other.len(), "{name}");
            for (a, b) in plain.iter().zip(&other) {
                assert_eq!(a.face, b.face, "{name}");
                assert!(a.centre.distance(b.centre) < 1e-6, "{name}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn segments_end_at_the_borders_of_finer_tiles() {
    for (name, mesh, side, finer) in places() {
        let scene = Scene::new(&mesh).unwrap();
        let tiles = tiles(&scene, side, &finer, true);
        let coarse = self::tiles(&scene, side, &[], true);
        let segments = Segments::new(&scene, &tiles, |_| true);
        let before = Segments::new(&scene, &coarse, |_| true);
        let is_wide = name.starts_with("hills") || name.starts_with("city");
        let num_more = segments.all().len() - before.all().len();
        assert!(num_more > 0 || !is_wide, "{name}");
        let mut covered = vec![0.0; scene.edges().len()];
        for segment in segments.all() {
            let edge = &scene.edges()[segment.edge.index()];
            let [from, to] = segment.interval;
            assert_eq!(from, covered[segment.edge.index()], "{name}");
            covered[segment.edge.index()] = to;
            for share in [0.01, 0.5, 0.99] {
                let point = edge.ends[0] + (from + share * (to - from)) * edge.along();
                for (face, parent) in edge.faces.iter().zip(segment.parents) {
                    let Some(parent) = parent else { continue };
                    let tile = tiles.all()[parent as usize];
                    let local = tiles.frame(face.unwrap()).unwrap().local(point);
                    let is_at =
                        local.cmpge(tile.low - 2e-3).all() && local.cmple(tile.high + 2e-3).all();
                    assert!(is_at, "{name}: {local} {tile:?}");
                }
            }
        }
        for (edge, covered) in scene.edges().iter().zip(covered) {
            assert!((covered - edge.length()).abs() < 1e-9, "{name}");
        }
    }
}

/// Power that falls on a wall near a Tx, by the tiles' centres, against the exact integral of free space.
#[test]
fn the_power_on_a_wall_near_a_tx_is_closer_to_the_truth() {
    let mut mesh = Mesh::default();
    let wall = [(-40., -40.), (40., -40.), (40., 40.), (-40., 40.)];
    let wall = wall.map(|(x, z)| DVec3::new(x, 0.0, z));
    add_polygon(&mut mesh, "concrete", &wall);
    let world = named(&mesh);
    let tx = DVec3::new(0.7, 3.0, 0.4);
    let limits = Limits {
        max_interactions: 0,
        max_reflections: 0,
        ..Limits::default()
    };
    // The sum is over patches of 10 cm.
    let along = || (0..800).map(|k| 0.1 * f64::from(k) - 39.95);
    let exact: f64 = along()
        .flat_map(|x| along().map(move |z| DVec3::new(x, 0.0, z)))
        .map(|point| 0.01 * free_space(point.distance(tx)))
        .sum();
    let control = Control::default();
    let error = |finer: &[Finer]| {
        let tiling = Tiling {
            finer: finer.to_vec(),
            ..Tiling::of_side(10.0)
        };
        let environment = Environment::new(world.shared_scene(), tiling, &control).unwrap();
        let coverage = TileCoverage::new(&world, &limits, environment).unwrap();
        let fields = coverage.fields(&at(tx.to_array(), Antenna::default()), &control);
        let fields = fields.unwrap();
        let gain = |(tile, sides): (&Tile, &[TileField; 2])| {
            tile.area * (sides[0].path_gain + sides[1].path_gain)
        };
        let all = coverage.environment().tiles.all().iter();
        let found: f64 = all.zip(&fields).map(gain).sum();
        (found / exact).log10().abs() * 10.0
    };
    let coarse = error(&[]);
    let finer = error(&[near([0.7, 3.0], Some(0.4), 25.0, 0.8)]);
    assert!(coarse > 0.4 && finer < 0.02, "{coarse} dB, {finer} dB");
}

#[test]
fn finer_tiles_that_are_none_are_refused() {
    let scene = Scene::new(&random_city(0).0).unwrap();
    let refused = |finer: Finer| {
        let tiling = Tiling {
            finer: vec![finer],
            ..Tiling::of_side(4.0)
        };
        Tiles::new(&scene, tiling).unwrap_err().to_string()
    };
    for (radius, side, part) in [
        (-1.0, 1.0, "the radius"),
        (f64::NAN, 1.0, "the radius"),
        (5.0, 0.0, "a tile's side"),
        (5.0, f64::INFINITY, "a tile's side"),
        (5.0, 1e-5, "finer sides of 0.00001 m within 5 m"),
    ] {
        let error = refused(near([0.0, 0.0], None, radius, side));
        assert!(error.contains(part), "{error}");
    }
    let error = refused(near([f64::NAN, 0.0], None, 1.0, 1.0));
    assert!(error.contains("finite point"), "{error}");
}
