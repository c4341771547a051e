use keller::geometry::tolerance::WELD_DISTANCE;
use keller::scene::{Defects, Scene};

use super::super::simplify::tests::fractal;
use super::*;

fn rough(columns: usize, rows: usize) -> HeightGrid {
    HeightGrid {
        origin: DVec2::new(-300.0, 120.0),
        spacing: DVec2::new(2.0, 3.0),
        columns,
        heights: fractal(columns, rows, 60.0),
    }
}

fn with_error(max_error: f64) -> TerrainOptions {
    TerrainOptions {
        max_error,
        ..TerrainOptions::default()
    }
}

/// Largest distance of the surface from the nodes that have a height and are on it, and how many are.
fn worst(grid: &HeightGrid, terrain: &Terrain) -> (f64, usize) {
    let (mut error, mut count) = (0.0_f64, 0);
    for row in 0..grid.rows() {
        for column in 0..grid.columns {
            let height = grid.heights[row * grid.columns + column];
            if let (false, Some(surface)) =
                (height.is_nan(), terrain.height(grid.node(column, row)))
            {
                error = error.max((surface - f64::from(height)).abs());
                count += 1;
            }
        }
    }
    (error, count)
}

fn area(terrain: &Terrain) -> f64 {
    let plan = |t: &[u32; 3]| t.map(|v| terrain.vertices()[v as usize].truncate());
    terrain
        .triangles()
        .iter()
        .map(plan)
        .map(|[a, b, c]| 0.5 * (b - a).perp_dot(c - a))
        .sum()
}

#[test]
fn the_surface_keeps_the_error_at_every_node() {
    let grid = rough(150, 90);
    for max_error in [0.1, 1.0, 10.0] {
        let (terrain, warnings) = Terrain::from_grid(grid.clone(), with_error(max_error)).unwrap();
        let (error, count) = worst(&grid, &terrain);
        assert_eq!((count, warnings.len()), (150 * 90, 0));
        assert!(error <= max_error + 1e-9, "{error}");
    }
}

#[test]
fn a_scene_of_terrain_has_no_defects_and_faces_up() {
    let grid = rough(60, 50);
    let (terrain, _) = Terrain::from_grid(grid, with_error(1.0)).unwrap();
    let mesh = terrain.mesh();
    assert_eq!(mesh.materials[0].name, "ground");
    assert_eq!(
        mesh.materials[0].definition,
        Material::from_name("itu_medium_dry_ground")
    );
    for t in &mesh.triangles {
        let [a, b, c] = t.vertices.map(|v| mesh.vertices[v as usize]);
        assert!((b - a).cross(c - a).z > 0.0, "a triangle looks down");
    }
    assert_eq!(Scene::new(&mesh).unwrap().defects(), Defects::default());
}

#[test]
fn heights_are_those_of_the_triangles() {
    let (terrain, _) = Terrain::from_grid(rough(40, 40), with_error(2.0)).unwrap();
    for t in terrain.triangles() {
        let [a, b, c] = t.map(|v| terrain.vertices()[v as usize]);
        let centre = (a + b + c) / 3.0;
        assert!(
            (terrain.height(centre.truncate()).unwrap() - centre.z).abs() < 1e-9,
            "{centre}"
        );
        assert!(
            (terrain.height(a.truncate()).unwrap() - a.z).abs() < 1e-9,
            "{a}"
        );
        let side = 0.25 * a + 0.75 * b;
        assert!(
            (terrain.height(side.truncate()).unwrap() - side.z).abs() < 1e-6,
            "{side}"
        );
    }
    assert_eq!(terrain.height(DVec2::new(-300.1, 130.0)), None);
    assert_eq!(terrain.height(DVec2::NAN), None);
}

#[test]
fn long_thin_triangles_are_found() {
    // A fan of needles all across the plan.
    let tips = (0..200).map(|k| DVec3::new(1000.0, f64::from(k) * 0.5, f64::from(k)));
    let vertices: Vec<DVec3> = [DVec3::ZERO].into_iter().chain(tips).collect();
    let terrain = Terrain::new(&vertices, (1..200).map(|k| [0, k, k + 1]).collect());
    for k in 0..199 {
        let at = DVec2::new(500.0, 0.25 * (f64::from(k) + 0.5));
        let height = terrain.height(at).unwrap();
        assert!(
            (height - 0.5 * (f64::from(k) + 0.5)).abs() < 1e-9,
            "{at}: {height}"
        );
    }
    assert!(
        terrain
            .search
            .in_box(DVec2::new(2000.0, 0.0), DVec2::new(3000.0, 1.0))
            .is_empty()
    );
}

#[test]
fn small_holes_are_filled_and_large_ones_left_open() {
    let mut grid = rough(80, 80);
    let (whole, _) = Terrain::from_grid(grid.clone(), with_error(0.5)).unwrap();
    let mut dig = |columns: std::ops::Range<usize>, rows: std::ops::Range<usize>| {
        for row in rows {
            grid.heights[row * 80..][columns.clone()].fill(f32::NAN);
        }
    };
    // 4 cells of 6 m², and 400 cells; one at the border.
    dig(3..5, 3..5);
    dig(30..50, 40..60);
    dig(70..80, 0..40);
    let options = TerrainOptions {
        max_error: 0.5,
        max_hole: 100.0,
    };
    let (terrain, warnings) = Terrain::from_grid(grid.clone(), options).unwrap();
    assert!(
        warnings[0].ends_with("nearest cell: 4 (holes: 1)")
            && warnings[1].contains("stay open: 1, of 0.0024 km²"),
        "{warnings:?}"
    );
    assert!(terrain.height(grid.node(3, 4)).is_some());
    assert_eq!(terrain.height(grid.node(40, 50)), None);
    assert_eq!(terrain.height(grid.node(75, 20)), None);
    let (error, count) = worst(&grid, &terrain);
    assert!(error <= 0.5 + 1e-6, "{error}");
    assert_eq!(count, 80 * 80 - 4 - 400 - 400);
    // The area is that between the nodes around a hole of n by n cells, and from the border to one at it.
    assert!((area(&whole) - area(&terrain) - 6.0 * (21.0 * 21.0 + 10.0 * 40.0)).abs() < 1e-6);
    assert_eq!(
        Scene::new(&terrain.mesh()).unwrap().defects(),
        Defects::default()
    );
}

#[test]
fn ragged_holes_lose_no_nodes_but_points() {
    let mut grid = rough(70, 60);
    for row in 0..60 {
        for column in 0..70 {
            let at = DVec2::new(column as f64 - 35.0, 1.3 * (row as f64 - 30.0));
            if at.length() > 30.0 || at.length() < 9.0 {
                grid.heights[row * 70 + column] = f32::NAN;
            }
        }
    }
    let options = TerrainOptions {
        max_error: 0.3,
        max_hole: 0.0,
    };
    let (terrain, _) = Terrain::from_grid(grid.clone(), options).unwrap();
    let (error, count) = worst(&grid, &terrain);
    assert!(error <= 0.3 + 1e-6, "{error}");
    let heights = grid
        .heights
        .iter()
        .filter(|height| !height.is_nan())
        .count();
    assert!(
        count <= heights && heights - count <= 4,
        "{count} of {heights}"
    );
    assert_eq!(
        Scene::new(&terrain.mesh()).unwrap().defects(),
        Defects::default()
    );
}

#[test]
fn options_and_empty_grids_are_refused() {
    let error = |options| {
        Terrain::from_grid(rough(5, 5), options)
            .unwrap_err()
            .to_string()
    };
    assert!(error(with_error(0.0)).contains("0.001 m or more"));
    assert!(error(with_error(f64::NAN)).contains("0.001 m or more"));
    assert!(
        error(TerrainOptions {
            max_hole: -1.0,
            ..with_error(1.0)
        })
        .contains("0 m² or more")
    );
    let empty = HeightGrid {
        heights: vec![f32::NAN; 25],
        ..rough(5, 5)
    };
    assert!(matches!(
        Terrain::from_grid(empty, with_error(1.0)),
        Err(TerrainError::NoHeights(_))
    ));
    let row = HeightGrid {
        heights: vec![1.0; 5],
        ..rough(5, 1)
    };
    assert!(matches!(
        Terrain::from_grid(row, with_error(1.0)),
        Err(TerrainError::NoHeights(_))
    ));
}

#[test]
fn a_rectangle_is_cut_out_whole() {
    let (terrain, _) = Terrain::from_grid(rough(60, 50), with_error(1.0)).unwrap();
    let (low, high) = (DVec2::new(-271.3, 141.7), DVec2::new(-233.1, 201.9));
    let part = terrain.clip_rectangle(low, high).unwrap();
    let size = high - low;
    assert!(
        (area(&part) - size.x * size.y).abs() < 2.0 * WELD_DISTANCE * (size.x + size.y),
        "{}",
        area(&part)
    );
    for vertex in part.vertices() {
        assert!(
            (terrain.height(vertex.truncate()).unwrap() - vertex.z).abs() < 1e-6,
            "{vertex}"
        );
    }
    assert_eq!(
        Scene::new(&part.mesh()).unwrap().defects(),
        Defects::default()
    );
    // There is nothing to cut beyond the terrain.
    let (low, high) = (DVec2::splat(-1e4), DVec2::splat(1e4));
    assert_eq!(
        terrain.clip_rectangle(low, high).unwrap().triangles().len(),
        terrain.triangles().len()
    );
    assert!(
        terrain
            .clip_rectangle(high, 2.0 * high)
            .unwrap()
            .triangles()
            .is_empty()
    );
}

#[test]
fn a_region_of_any_form_and_sense_is_cut_out() {
    let (terrain, _) = Terrain::from_grid(rough(60, 50), with_error(1.0)).unwrap();
    let l = [
        [-280.0, 140.0],
        [-220.0, 140.0],
        [-220.0, 170.0],
        [-250.5, 170.0],
        [-250.5, 230.0],
        [-280.0, 230.0],
    ];
    let mut region: Vec<DVec2> = l.into_iter().map(DVec2::from).collect();
    for _ in 0..2 {
        let part = terrain.clip(&region).unwrap();
        assert!(
            (area(&part) - (60.0 * 30.0 + 29.5 * 60.0)).abs() < 0.1,
            "{}",
            area(&part)
        );
        assert!(part.height(DVec2::new(-240.0, 200.0)).is_none());
        assert_eq!(
            Scene::new(&part.mesh()).unwrap().defects(),
            Defects::default()
        );
        region.reverse();
    }
    let error = |region: &[DVec2]| terrain.clip(region).unwrap_err().to_string();
    assert!(error(&region[..2]).contains("2 corners"));
    assert!(error(&[]).contains("0 corners"));
    assert!(error(&[DVec2::ZERO, DVec2::NAN, DVec2::X]).contains("finite"));
}

#[test]
fn the_ground_under_a_footprint_has_a_lowest_and_a_highest_point() {
    let (terrain, _) = Terrain::from_grid(rough(60, 50), with_error(1.0)).unwrap();
    let l = [
        [-280.0, 140.0],
        [-220.0, 140.0],
        [-220.0, 170.0],
        [-250.5, 170.0],
        [-250.5, 230.0],
        [-280.0, 230.0],
    ];
    let ring: Vec<DVec2> = l.into_iter().map(DVec2::from).collect();
    let part = terrain.clip(&ring).unwrap();
    let heights = part.vertices().iter().map(|v| v.z);
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| {
        (l.min(z), h.max(z))
    });
    let range = terrain.height_range(&ring).unwrap();
    assert!(
        (range[0] - low).abs() < 1e-3 && (range[1] - high).abs() < 1e-3,
        "{range:?} {low} {high}"
    );
    assert_eq!(
        terrain.height_range(&ring.iter().map(|p| *p + 1e5).collect::<Vec<_>>()),
        None
    );
    assert_eq!(terrain.height_range(&[]), None);
}
