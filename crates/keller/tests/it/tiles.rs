//! Tiles and their visibility from each other, checked against areas, by rays between all pairs, and by other cuts of
//! the same place.

use crate::common::{
    Random, add_polygon, area_of_pieces, random_city, random_scene, shuffled, split_in_four,
};
use keller::geometry::bvh::{Dispatch, Ray};
use keller::scene::{Edge, FaceId, Mesh, Scene};
use keller::tiles::{
    Earlier, Segments, Tile, Tiles, Tiling, Visibility, VisibilityQuery, VisibilityRows, row_ids,
};
use keller::{Control, DVec3};
use std::sync::Arc;

fn tiles(scene: &Scene, side: f64) -> Tiles {
    Tiles::new(scene, Tiling::of_side(side)).unwrap()
}

fn rows(scene: &Arc<Scene>, tiles: &Tiles) -> Visibility {
    Visibility::new(scene, tiles, &Control::default()).unwrap()
}

fn row(rows: &Visibility, tile: usize) -> Vec<u32> {
    row_ids(rows.row(tile)).flatten().collect()
}

/// Every mesh with large tiles, some with small ones too.
fn places() -> impl Iterator<Item = (u64, Mesh, f64)> {
    let meshes = (0..10).map(|seed| (seed, random_scene(seed).0));
    let cities = (0..4).map(|seed| (seed, random_city(seed).0));
    meshes.chain(cities).flat_map(|(seed, mesh)| {
        let sides: &[f64] = if seed % 3 == 0 { &[1.5, 4.0] } else { &[4.0] };
        sides.iter().map(move |side| (seed, mesh.clone(), *side))
    })
}

#[test]
fn all_of_every_face_is_in_its_tiles() {
    for (seed, mesh, side) in places() {
        let scene = Scene::new(&mesh).unwrap();
        let tiling = Tiling {
            terrain_grid: false,
            under_buildings: true,
            ..Tiling::of_side(side)
        };
        let tiles = Tiles::new(&scene, tiling).unwrap();
        for (f, face) in scene.faces().iter().enumerate() {
            let mine = tiles.of_face(FaceId::from_index(f));
            let mine: Vec<Tile> = mine.map(|tile| tiles.all()[tile]).collect();
            let area: f64 = mine.iter().map(|tile| tile.area).sum();
            assert!(!mine.is_empty(), "{seed}");
            // Slivers of cells are dropped.
            assert!(
                (area - face.area).abs() < 2e-2 * face.area + 1e-9,
                "{seed}: {area} of {}",
                face.area
            );
            for tile in mine {
                let plane = scene.plane(face.plane);
                assert!(plane.distance(tile.centre).abs() < 1e-9);
                let is_near = scene.any_face_near(tile.centre, 1e-5, |id| id.index() == f);
                assert!(is_near, "{seed}: {} beside face {f}", tile.centre);
            }
        }
    }
}

#[test]
fn the_pieces_of_a_tile_make_its_area() {
    for (seed, mesh, side) in places() {
        let scene = Scene::new(&mesh).unwrap();
        let tiles = tiles(&scene, side);
        for (number, tile) in tiles.all().iter().enumerate() {
            let area = area_of_pieces(&scene, &tiles, number);
            assert!((area - tile.area).abs() < 1e-9 * (1.0 + area), "{seed}");
        }
    }
}

#[test]
fn a_wall_is_cut_as_the_paper_says() {
    let mut mesh = Mesh::default();
    let corner = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    // 47 m by 12 m: five and one.
    let wall = [(0., 0.), (47., 0.), (47., 12.), (0., 12.)].map(|(x, z)| corner(x, z));
    add_polygon(&mut mesh, "wall", &wall);
    let scene = Scene::new(&mesh).unwrap();
    let tiles = tiles(&scene, 10.0);
    assert_eq!(tiles.len(), 5);
    for (k, tile) in tiles.all().iter().enumerate() {
        assert!((tile.area - 9.4 * 12.0).abs() < 1e-9);
        let from_end = |x: f64| (x - (9.4 * k as f64 + 4.7)).abs();
        let x = tile.centre.x;
        assert!(from_end(x).min(from_end(47.0 - x)) < 1e-9);
        assert!((tile.centre.z - 6.0).abs() < 1e-9);
    }
}

#[test]
fn tiles_do_not_depend_on_triangles() {
    for (seed, mesh, side) in places() {
        let of = |mesh: &Mesh| {
            let scene = Scene::new(mesh).unwrap();
            let tiles = tiles(&scene, side);
            tiles.all().to_vec()
        };
        let plain = of(&mesh);
        for other in [split_in_four(&mesh), shuffled(&mesh, seed)] {
            let other = of(&other);
            assert_eq!(plain.len(), other.len(), "{seed}");
            for (a, b) in plain.iter().zip(&other) {
                assert_eq!(a.face, b.face, "{seed}");
                assert!(a.centre.distance(b.centre) < 1e-6, "{seed}: {a:?} {b:?}");
            }
        }
    }
}

/// The rows by a ray between each pair.
pub(crate) fn rows_by_rays(scene: &Scene, tiles: &Tiles) -> Vec<Vec<u32>> {
    let local = |tile: usize| (tiles.all()[tile].centre - scene.origin()).as_vec3();
    let plane = |tile: usize| scene.plane_of(tiles.all()[tile].face);
    let group = |tile: usize| u32::try_from(plane(tile).index()).unwrap();
    // No tile of its own plane is visible.
    let is_before = |a: usize, b: usize| {
        let distance = scene.plane(plane(a)).distance(tiles.all()[b].centre);
        distance.abs() >= 1e-4
    };
    // Each ray speaks of both its ends.
    let mut expected = vec![Vec::new(); tiles.len()];
    for a in 0..tiles.len() {
        let others = (a + 1..tiles.len()).filter(|b| is_before(a, *b) && is_before(*b, a));
        let others: Vec<usize> = others.collect();
        let ray = |&b: &usize| Ray::between(local(a), local(b)).skipping([group(a), group(b)]);
        let rays: Vec<Ray> = others.iter().map(ray).collect();
        let mut free = vec![false; rays.len()];
        scene.index().are_free(&rays, &mut free);
        for (b, _) in others.into_iter().zip(free).filter(|(_, free)| *free) {
            expected[a].push(u32::try_from(b).unwrap());
            expected[b].push(u32::try_from(a).unwrap());
        }
    }
    expected
}

#[test]
fn a_tile_sees_what_rays_between_all_pairs_say() {
    for (seed, mesh, side) in places() {
        let scene = Arc::new(Scene::new(&mesh).unwrap());
        let tiles = tiles(&scene, side);
        let rows = rows(&scene, &tiles);
        let expected = rows_by_rays(&scene, &tiles);
        for (a, expected) in expected.iter().enumerate() {
            assert_eq!(
                row(&rows, a),
                *expected,
                "{seed}: tile {a} of {}",
                tiles.len()
            );
        }
        let pairs: usize = expected.iter().map(Vec::len).sum();
        let pairs = pairs as u64;
        assert_eq!(rows.num_pairs(), pairs);
    }
}

#[test]
fn rows_depend_neither_on_threads_nor_on_which_are_asked_for_together() {
    let scene = Arc::new(Scene::new(&random_city(2).0).unwrap());
    let tiles = tiles(&scene, 2.0);
    let all = rows(&scene, &tiles);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    assert_eq!(pool.install(|| rows(&scene, &tiles)), all);
    let query = VisibilityQuery::new(&scene, &tiles);
    let some = query.rows(17..40, &Control::default()).unwrap();
    let mut start = 0;
    for (tile, end) in (17..40).zip(some.ends) {
        let end = usize::try_from(end).unwrap();
        assert_eq!(&some.bytes[start..end], all.row(tile));
        start = end;
    }
}

#[test]
fn all_instructions_see_the_same() {
    for seed in 0..3 {
        let scene = || Scene::new(&random_city(seed).0).unwrap();
        let tiles = tiles(&scene(), 3.0);
        let all = rows(&Arc::new(scene()), &tiles);
        for dispatch in Dispatch::ALL.into_iter().filter(|d| d.is_available()) {
            let scene = Arc::new(scene().with_dispatch(dispatch));
            assert_eq!(rows(&scene, &tiles), all, "{seed}, {dispatch:?}");
        }
    }
}

/// Two triangles of a twisted wall, as real meshes have them: they overlap, leave a gap, and their areas add up to that of the wall.
#[test]
fn nothing_is_hidden_by_a_gap_in_a_wall() {
    let mut mesh = Mesh::default();
    let corner = |y: f64, z: f64| DVec3::new(0.0, y, z);
    let (low, high) = (corner(-5.0, 0.0), corner(-5.0, 8.0));
    let (low_end, high_end) = (corner(5.0, 0.0), corner(5.0, 8.0));
    add_polygon(&mut mesh, "wall", &[low, high_end, high]);
    add_polygon(&mut mesh, "wall", &[low, low_end, high]);
    for x in [-10.0, 10.0] {
        let around = [(-5., 0.), (5., 0.), (5., 8.), (-5., 8.)];
        let around = around.map(|(y, z)| DVec3::new(x, y, z));
        add_polygon(&mut mesh, "beside", &around);
    }
    let scene = Arc::new(Scene::new(&mesh).unwrap());
    let tiles = tiles(&scene, 1.0);
    let rows = rows(&scene, &tiles);
    let centre = |tile: usize| tiles.all()[tile].centre;
    let (mut through, mut hidden) = (0, 0);
    for a in (0..tiles.len()).filter(|a| centre(*a).x < -9.0) {
        for b in (0..tiles.len()).filter(|b| centre(*b).x > 9.0) {
            let at = 0.5 * (centre(a) + centre(b));
            // The gap is above the falling diagonal and below the rising one.
            let rising = at.z - 0.8 * (at.y + 5.0);
            let falling = at.z - 0.8 * (5.0 - at.y);
            if rising.abs().min(falling.abs()) > 0.01 {
                let is_gap = rising < 0.0 && falling > 0.0;
                let is_seen = row(&rows, a).contains(&u32::try_from(b).unwrap());
                assert_eq!(is_seen, is_gap, "{at}");
                *(if is_gap { &mut through } else { &mut hidden }) += 1;
            }
        }
    }
    assert!(through > 500 && hidden > 500, "{through} {hidden}");
}

/// Visibility that earlier rows show need not be asked for again; and devices see the same together and alone.
#[test]
fn rows_know_of_earlier_rows() {
    let scene = Arc::new(Scene::new(&random_city(4).0).unwrap());
    let tiles = tiles(&scene, 2.0);
    let all = rows(&scene, &tiles);
    let query = VisibilityQuery::new(&scene, &tiles);
    for range in [0..40, 17..400, tiles.len() - 9..tiles.len()] {
        let mut earlier = Earlier::new(range.clone());
        for tile in 0..range.start {
            earlier.add(u32::try_from(tile).unwrap(), all.row(tile));
        }
        let after = query.rows_after(&earlier, &Control::default()).unwrap();
        assert_eq!(after, query.rows(range, &Control::default()).unwrap());
    }
    let centres = tiles.all().iter().step_by(7);
    let points: Vec<DVec3> = centres.map(|tile| tile.centre + DVec3::Z).collect();
    let together = query.seen_from_all(&points, &Control::default()).unwrap();
    let alone: Vec<Vec<u32>> = points.iter().map(|point| query.seen_from(*point)).collect();
    assert!(together == alone && together.iter().any(|seen| seen.len() > 9));
}

/// A device a hair before a tile's centre sees the same as the tile on that side.
#[test]
fn a_point_sees_what_a_tile_there_sees() {
    let scene = Arc::new(Scene::new(&random_city(3).0).unwrap());
    let tiles = tiles(&scene, 3.0);
    let rows = rows(&scene, &tiles);
    let query = VisibilityQuery::new(&scene, &tiles);
    let mut random = Random(5);
    let (mut same, mut all) = (0, 0);
    for _ in 0..60 {
        let tile = random.below(tiles.len());
        let of = tiles.all()[tile];
        let normal = scene.face_normal(of.face);
        let seen = query.seen_from(of.centre + 1e-3 * normal);
        let before =
            |other: &u32| normal.dot(tiles.all()[*other as usize].centre - of.centre) > 0.1;
        let expected: Vec<u32> = row(&rows, tile).into_iter().filter(before).collect();
        let found: Vec<u32> = seen.into_iter().filter(before).collect();
        same += expected.iter().filter(|t| found.contains(t)).count();
        all += expected.len().max(found.len());
    }
    // Rays along edges differ.
    assert!(same * 1000 > all * 995 && all > 1000, "{same} of {all}");
}

#[test]
fn segments_cover_their_edges_and_end_at_their_parents() {
    for (seed, mesh, side) in places() {
        let scene = Scene::new(&mesh).unwrap();
        let tiles = tiles(&scene, side);
        let segments = Segments::new(&scene, &tiles, |_| true);
        let mut covered = vec![0.0; scene.edges().len()];
        for (s, segment) in segments.all().iter().enumerate() {
            let edge: &Edge = &scene.edges()[segment.edge.index()];
            let [from, to] = segment.interval;
            assert_eq!(from, covered[segment.edge.index()], "{seed}");
            covered[segment.edge.index()] = to;
            let centre = edge.ends[0] + 0.5 * (from + to) * edge.along();
            for (face, parent) in edge.faces.iter().zip(segment.parents) {
                let Some(parent) = parent else { continue };
                let tile = tiles.all()[parent as usize];
                let parts = tiles.parts(parent as usize).iter();
                assert!(parts.clone().any(|part| Some(part.face) == *face), "{seed}");
                let frame = tiles.frame(face.unwrap()).unwrap();
                let local = frame.local(centre);
                let is_at =
                    local.cmpge(tile.low - 2e-3).all() && local.cmple(tile.high + 2e-3).all();
                assert!(is_at, "{seed}: {local} {tile:?}");
                let number = u32::try_from(s).unwrap();
                assert!(segments.of_tile(parent as usize).contains(&number));
            }
        }
        for (edge, covered) in scene.edges().iter().zip(covered) {
            assert!((covered - edge.length()).abs() < 1e-9, "{seed}");
        }
    }
}

#[test]
fn sides_that_are_no_lengths_are_refused() {
    let scene = Scene::new(&random_city(0).0).unwrap();
    for side in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-4] {
        let error = Tiles::new(&scene, Tiling::of_side(side)).unwrap_err();
        assert!(error.to_string().contains("tiles"), "{error}");
    }
    let no_small = Tiling {
        min_face_area: f64::INFINITY,
        ..Tiling::of_side(1.0)
    };
    assert!(Tiles::new(&scene, no_small).unwrap().is_empty());
}
