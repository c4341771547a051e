//! Models in cities of boxes, tested against plane geometry.

use glam::{DVec2, DVec3};

use super::{City, Fit, Misfit, Placement, Replaces};
use crate::scene::Mesh;
use crate::{Control, Error};

/// Triangles of boxes, in axes of their own.
struct Block {
    mesh: Mesh,
    placement: Placement,
    objects: Vec<std::ops::Range<usize>>,
}

impl Block {
    fn new(rotation_deg: f64) -> Self {
        Self {
            mesh: Mesh::default(),
            placement: Placement {
                origin: DVec3::new(120.3, -40.7, 0.0),
                rotation: rotation_deg.to_radians(),
            },
            objects: Vec::new(),
        }
    }

    /// Adds a polygon given in the block's axes and gives its triangles.
    fn polygon(&mut self, material: &str, corners: &[DVec3]) {
        let corners: Vec<DVec3> = corners
            .iter()
            .map(|c| self.placement.to_scene(*c))
            .collect();
        self.mesh.add_polygon(material, &corners);
    }

    /// A box from `low` to `high`, with a floor, a roof, or both; its triangles.
    fn house(&mut self, low: [f64; 3], high: [f64; 3], lids: [bool; 2]) -> Vec<usize> {
        let start = self.mesh.triangles.len();
        let ring = [
            [low[0], low[1]],
            [high[0], low[1]],
            [high[0], high[1]],
            [low[0], high[1]],
        ];
        for k in 0..4 {
            let ([ax, ay], [bx, by]) = (ring[k], ring[(k + 1) % 4]);
            let wall = [
                [ax, ay, low[2]],
                [bx, by, low[2]],
                [bx, by, high[2]],
                [ax, ay, high[2]],
            ];
            self.polygon("brick", &wall.map(DVec3::from));
        }
        for (z, _) in [low[2], high[2]]
            .into_iter()
            .zip(lids)
            .filter(|(_, is)| *is)
        {
            self.polygon("tiles", &ring.map(|[x, y]| DVec3::new(x, y, z)));
        }
        self.objects.push(start..self.mesh.triangles.len());
        (start..self.mesh.triangles.len()).collect()
    }

    /// A square of ground around the block's origin.
    fn ground(&mut self, half: f64, height: impl Fn(DVec2) -> f64) {
        let start = self.mesh.triangles.len();
        let corners = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]].map(|corner| {
            let at = half * DVec2::from(corner);
            at.extend(height(at))
        });
        self.polygon("earth", &corners);
        self.objects.push(start..self.mesh.triangles.len());
    }

    fn fit(&self, model: &Mesh, replaces: &Replaces) -> Result<Fit, Error> {
        City::new(&self.mesh, &[], &Control::default())?.fit(model, &self.placement, replaces)
    }

    fn at(&self, x: f64, y: f64) -> DVec2 {
        self.placement.to_scene(DVec3::new(x, y, 0.0)).truncate()
    }
}

/// A house with rooms: storeys of 3 m, and walls across it.
fn model(low: [f64; 2], high: [f64; 2], storeys: u32) -> Mesh {
    let mut model = Mesh::default();
    let ring = [
        [low[0], low[1]],
        [high[0], low[1]],
        [high[0], high[1]],
        [low[0], high[1]],
    ];
    let top = 3.0 * f64::from(storeys);
    let mut wall = |material: &str, [ax, ay]: [f64; 2], [bx, by]: [f64; 2]| {
        let corners = [[ax, ay, 0.0], [bx, by, 0.0], [bx, by, top], [ax, ay, top]];
        model.add_polygon(material, &corners.map(DVec3::from));
    };
    for k in 0..4 {
        wall("facade", ring[k], ring[(k + 1) % 4]);
    }
    let half = 0.5 * (low[0] + high[0]);
    wall("plasterboard", [half, low[1]], [half, high[1]]);
    for storey in 0..=storeys {
        let z = 3.0 * f64::from(storey);
        model.add_polygon("slab", &ring.map(|[x, y]| DVec3::new(x, y, z)));
    }
    model
}

/// The triangles of `all` that no other triangles share a plane and place with: those without a common wall.
fn own_walls(fit: &Fit, all: &[usize]) -> Vec<usize> {
    all.iter()
        .copied()
        .filter(|t| fit.replaced.contains(t))
        .collect()
}

const OPEN: [bool; 2] = [false, true];

/// Angles of blocks, degrees.
const ANGLES: [f64; 3] = [0.0, 33.5, -117.2];

#[test]
fn of_three_houses_that_touch_the_one_in_the_middle_goes() {
    for angle in ANGLES {
        for heights in [[9.0, 9.0, 9.0], [12.0, 9.0, 6.5]] {
            let mut block = Block::new(angle);
            block.ground(60.0, |_| 0.0);
            let left = block.house([-10., 0., 0.], [0., 8., heights[0]], OPEN);
            let middle = block.house([0., 0., 0.], [10., 8., heights[1]], OPEN);
            let right = block.house([10., 0., 0.], [20., 8., heights[2]], OPEN);
            let model = model([0., 0.], [10., 8.], 3);
            let fit = block.fit(&model, &Replaces::Overlap).unwrap();
            // Front, back and roof; the walls that it has in common with its neighbours may stay.
            let gone = own_walls(&fit, &middle);
            assert_eq!(gone, fit.replaced, "nothing else is gone");
            let free = [0, 1, 4, 5, 8, 9].map(|k| middle[k]);
            assert!(
                free.iter().all(|t| gone.contains(t)),
                "{angle} {heights:?}: {fit:?}"
            );
            assert!(own_walls(&fit, &left).is_empty() && own_walls(&fit, &right).is_empty());
            assert_eq!(fit.hulls.len(), 1);
            assert!((fit.hulls[0].area - 80.0).abs() < 0.1, "{:?}", fit.hulls);
            assert!((fit.hulls[0].inside - 80.0).abs() < 0.1);
            assert!(fit.hulls[0].centre.distance(block.at(5.0, 4.0)) < 1e-9);
            assert!((fit.footprint - 80.0).abs() < 0.1);
            assert_eq!(fit.floors, [0.0, 3.0, 6.0]);
            assert!(fit.misfits.is_empty(), "{:?}", fit.misfits);
        }
    }
}

#[test]
fn fronts_and_the_order_of_triangles_do_not_matter() {
    let mut block = Block::new(33.5);
    block.ground(60.0, |_| 0.0);
    block.house([-10., 0., 0.], [0., 8., 9.], OPEN);
    block.house([0., 0., 0.], [10., 8., 9.], OPEN);
    let model = model([0., 0.], [10., 8.], 3);
    let wanted = block.fit(&model, &Replaces::Overlap).unwrap();
    let places = |block: &Block, fit: &Fit| {
        let centre = |t: &usize| {
            let corners = block.mesh.triangles[*t].vertices;
            let sum: DVec3 = corners
                .iter()
                .map(|v| block.mesh.vertices[*v as usize])
                .sum();
            (sum * 1e4).round().as_i64vec3().to_array()
        };
        let mut all: Vec<[i64; 3]> = fit.replaced.iter().map(centre).collect();
        all.sort_unstable();
        all
    };
    let wanted_places = places(&block, &wanted);
    let mut random = crate::random::Random(7);
    for _ in 0..5 {
        let triangles = &mut block.mesh.triangles;
        for k in (1..triangles.len()).rev() {
            triangles.swap(k, random.below(k + 1));
            triangles[k].vertices.rotate_left(random.below(3));
            if random.below(2) == 0 {
                triangles[k].vertices.swap(0, 1);
            }
        }
        let fit = block.fit(&model, &Replaces::Overlap).unwrap();
        assert_eq!(places(&block, &fit), wanted_places);
        assert_eq!(fit.misfits, wanted.misfits);
    }
}

#[test]
fn a_block_under_one_roof_is_refused_unless_it_is_named() {
    let mut block = Block::new(33.5);
    block.ground(60.0, |_| 0.0);
    let all = block.house([-10., 0., 0.], [20., 8., 9.], OPEN);
    let model = model([0., 0.], [10., 8.], 3);
    let error = block
        .fit(&model, &Replaces::Overlap)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("240.0 m²") && error.contains("gap of 160.0 m²"),
        "{error}"
    );
    let fit = block
        .fit(&model, &Replaces::Places(vec![block.at(-9.0, 1.0)]))
        .unwrap();
    assert_eq!(fit.replaced, all);
    let Misfit::Uncovered { area } = fit.misfits[0] else {
        panic!("{:?}", fit.misfits);
    };
    assert!((area - 160.0).abs() < 1.0, "{area}");
    let city = City::new(&block.mesh, &block.objects, &Control::default()).unwrap();
    let named = city
        .fit(&model, &block.placement, &Replaces::Objects(vec![1]))
        .unwrap();
    assert_eq!(named.replaced, all);
    assert_eq!(named.hulls[0].object, Some(1));
    let error = block.fit(&model, &Replaces::Places(vec![block.at(-30.0, 1.0)]));
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("no building of the city stands at")
    );
    let fit = block.fit(&model, &Replaces::Nothing).unwrap();
    assert!(fit.replaced.is_empty());
    let Misfit::Neighbour { area, .. } = fit.misfits[0] else {
        panic!("{:?}", fit.misfits);
    };
    assert!((area - 80.0).abs() < 0.1);
}

#[test]
fn whatever_hulls_are_made_of_they_go_in_whole() {
    let model = model([0., 0.], [10., 8.], 2);
    for angle in ANGLES {
        // A closed box with a chimney, on a thick plate.
        let mut block = Block::new(angle);
        block.house([-30., -30., -0.5], [30., 30., 0.0], [true, true]);
        let mut all = block.house([0., 0., 0.], [10., 8., 6.], [true, true]);
        all.extend(block.house([2., 2., 6.], [3., 3., 8.], [true, true]));
        let fit = block.fit(&model, &Replaces::Overlap).unwrap();
        assert_eq!(fit.replaced, all, "a closed box with a chimney at {angle}");
        assert!(fit.misfits.is_empty(), "{:?}", fit.misfits);

        // Walls and roof that do not touch, as parts with names of their own; no ground.
        let mut block = Block::new(angle);
        let mut all = block.house([0., 0., 0.], [10., 8., 6.], [false, false]);
        let roof = block.mesh.triangles.len();
        let eaves = [[-0.1, -0.1], [10.1, -0.1], [10.1, 8.1], [-0.1, 8.1]];
        block.polygon("tiles", &eaves.map(|[x, y]| DVec3::new(x, y, 6.0)));
        all.extend([roof, roof + 1]);
        let city = City::new(&block.mesh, &[0..8, 8..10], &Control::default()).unwrap();
        let fit = city
            .fit(&model, &block.placement, &Replaces::Overlap)
            .unwrap();
        assert_eq!(fit.replaced, all, "walls and a roof at {angle}");
        assert_eq!(fit.misfits, [Misfit::NoGround]);

        // Walls alone.
        let mut block = Block::new(angle);
        block.ground(40.0, |_| 0.0);
        let all = block.house([0., 0., 0.], [10., 8., 6.], [false, false]);
        let fit = block.fit(&model, &Replaces::Overlap).unwrap();
        assert_eq!(fit.replaced, all, "walls at {angle}");
    }
}

#[test]
fn ground_that_ends_at_the_walls_stays() {
    let mut block = Block::new(33.5);
    let (outer, inner) = (
        [[-40., -40.], [50., -40.], [50., 50.], [-40., 50.]],
        [[0., 0.], [10., 0.], [10., 8.], [0., 8.]],
    );
    let at = |[x, y]: [f64; 2]| DVec3::new(x, y, 0.0);
    for k in 0..4 {
        let next = (k + 1) % 4;
        block.polygon(
            "stone",
            &[outer[k], outer[next], inner[next], inner[k]].map(at),
        );
    }
    let all = block.house([0., 0., 0.], [10., 8., 6.], OPEN);
    let fit = block
        .fit(&model([0., 0.], [10., 8.], 2), &Replaces::Overlap)
        .unwrap();
    assert_eq!(fit.replaced, all);
    // There was no ground in the house.
    assert_eq!(fit.misfits, [Misfit::NoGround]);
}

#[test]
fn a_floor_on_a_slope_is_below_the_ground_on_one_side_and_above_it_on_the_other() {
    let mut block = Block::new(33.5);
    block.ground(60.0, |at| 0.2 * (at.x - 5.0));
    block.house([0., 0., -2.], [10., 8., 9.], OPEN);
    let fit = block
        .fit(&model([0., 0.], [10., 8.], 3), &Replaces::Overlap)
        .unwrap();
    let [
        Misfit::BelowGround { area: below, depth },
        Misfit::AboveGround { area: above, gap },
    ] = fit.misfits[..]
    else {
        panic!("{:?}", fit.misfits);
    };
    // The ground is 1 m higher at one end and 1 m lower at the other, and 0.3 m do not count.
    let wanted = 8.0 * (5.0 - 0.3 / 0.2);
    assert!(
        (below - wanted).abs() < 0.5 && (above - wanted).abs() < 0.5,
        "{below} {above}"
    );
    assert!(
        (depth - 1.0).abs() < 0.02 && (gap - 1.0).abs() < 0.02,
        "{depth} {gap}"
    );
}

#[test]
fn the_distance_of_a_misplaced_model_is_reported() {
    for angle in ANGLES {
        let mut block = Block::new(angle);
        block.ground(60.0, |_| 0.0);
        let left = block.house([-10., 0., 0.], [0., 8., 9.], OPEN);
        block.house([0., 0., 0.], [10., 8., 9.], OPEN);
        // Two metres too far to the left.
        let fit = block
            .fit(&model([-2., 0.], [8., 8.], 3), &Replaces::Overlap)
            .unwrap();
        assert!(own_walls(&fit, &left).is_empty());
        let mut areas = [0.0; 3];
        for misfit in &fit.misfits {
            match *misfit {
                Misfit::Uncovered { area } => areas[0] = area,
                Misfit::Beyond { area } => areas[1] = area,
                Misfit::Neighbour { area, centre, .. } => {
                    areas[2] = area;
                    assert!(centre.distance(block.at(-5.0, 4.0)) < 1e-9);
                }
                Misfit::WallsInside { area } => assert!(area > 8.0 * 9.0),
                _ => panic!("{misfit:?}"),
            }
        }
        assert!(
            areas.iter().all(|area| (area - 16.0).abs() < 0.5),
            "{areas:?}"
        );
    }
}

#[test]
fn nothing_is_there_to_be_replaced() {
    let mut block = Block::new(10.0);
    block.ground(60.0, |_| 0.0);
    // The place has a bridge over it, and a house next to it.
    block.polygon(
        "road",
        &[
            [-9., 2., 20.],
            [20., 2., 20.],
            [20., 6., 20.],
            [-9., 6., 20.],
        ]
        .map(DVec3::from),
    );
    block.house([30., 0., 0.], [40., 8., 9.], OPEN);
    let fit = block
        .fit(&model([0., 0.], [10., 8.], 3), &Replaces::Overlap)
        .unwrap();
    assert_eq!(fit.misfits, [Misfit::NothingReplaced]);
    assert!(fit.replaced.is_empty() && fit.hulls.is_empty());
    let fit = block
        .fit(&model([0., 0.], [10., 8.], 3), &Replaces::Nothing)
        .unwrap();
    assert!(fit.misfits.is_empty());
}

#[test]
fn the_ground_is_the_lowest_sheet() {
    let mut block = Block::new(33.5);
    block.ground(60.0, |at| 100.0 + 0.1 * at.x);
    block.house([0., 0., 99.0], [10., 8., 112.], OPEN);
    let city = City::new(&block.mesh, &[], &Control::default()).unwrap();
    for x in [-20.0, 3.0, 9.9, 40.0] {
        let height = city.ground(block.at(x, 4.0)).unwrap();
        assert!((height - (100.0 + 0.1 * x)).abs() < 0.01, "{x}: {height}");
    }
    assert_eq!(city.ground(block.at(90.0, 0.0)), None);
}

#[test]
fn floors_of_hulls_below_the_ground_are_no_ground() {
    for angle in ANGLES {
        let mut block = Block::new(angle);
        block.ground(60.0, |at| 100.0 + 0.02 * at.x);
        // Closed boxes, whose floors lie up to 7 m below the ground.
        let left = block.house([-10., 0., 95.], [0., 8., 109.], [true, true]);
        let middle = block.house([0., 0., 93.], [10., 8., 112.], [true, true]);
        let city = City::new(&block.mesh, &[], &Control::default()).unwrap();
        for [x, y] in [[3.0, 4.0], [-4.0, 2.0], [30.0, 4.0]] {
            let height = city.ground(block.at(x, y)).unwrap();
            assert!((height - (100.0 + 0.02 * x)).abs() < 0.01, "{height}");
        }
        block.placement.origin.z = 100.1;
        let model = model([0., 0.], [10., 8.], 4);
        let fit = block.fit(&model, &Replaces::Overlap).unwrap();
        assert_eq!(fit.hulls.len(), 1, "{:?}", fit.hulls);
        assert!(own_walls(&fit, &left).is_empty());
        assert!(
            [0, 1, 4, 5, 8, 9, 10, 11]
                .iter()
                .all(|k| fit.replaced.contains(&middle[*k]))
        );
        assert!(fit.misfits.is_empty(), "{:?}", fit.misfits);
        let objects = Replaces::Places(vec![block.at(9.0, 7.0)]);
        assert_eq!(block.fit(&model, &objects).unwrap().replaced, fit.replaced);
    }
}

#[test]
fn bad_meshes_are_refused() {
    let empty = Mesh::default();
    let fail = City::new(&empty, &[], &Control::default()).unwrap_err();
    assert_eq!(fail, Error::EmptyScene);
    let mut block = Block::new(0.0);
    block.house([0., 0., 0.], [10., 8., 9.], OPEN);
    assert_eq!(
        block.fit(&empty, &Replaces::Overlap).unwrap_err(),
        Error::EmptyScene
    );
}

#[test]
fn a_mesh_without_triangles_has_only_the_vertices_of_the_others() {
    let mut block = Block::new(20.0);
    let first = block.house([0., 0., 0.], [10., 8., 9.], OPEN);
    let rest = block.house([20., 0., 0.], [30., 8., 9.], OPEN);
    let mut wanted = Block::new(20.0);
    wanted.house([20., 0., 0.], [30., 8., 9.], OPEN);
    let left = block.mesh.clone().without(&first);
    assert_eq!(left, wanted.mesh);
    assert_eq!(block.mesh.clone().without(&[]), block.mesh);
    assert_eq!(block.mesh.without(&rest).triangles.len(), first.len());
}

#[test]
fn ground_that_a_model_brings_replaces_no_neighbours() {
    let mut block = Block::new(33.5);
    block.ground(60.0, |_| 0.0);
    let left = block.house([-10., 0., 0.], [0., 8., 9.], OPEN);
    let middle = block.house([0., 0., 0.], [10., 8., 9.], OPEN);
    let mut model = model([0., 0.], [10., 8.], 3);
    let plain = block.fit(&model, &Replaces::Overlap).unwrap();
    let lawn = [[-20., -20.], [30., -20.], [30., 28.], [-20., 28.]];
    model.add_polygon("lawn", &lawn.map(|[x, y]| DVec3::new(x, y, -0.01)));
    let fit = block.fit(&model, &Replaces::Overlap).unwrap();
    assert_eq!(fit.replaced, plain.replaced);
    assert!(own_walls(&fit, &left).is_empty() && !own_walls(&fit, &middle).is_empty());
    let material = model
        .materials
        .iter()
        .position(|m| m.name == "lawn")
        .unwrap();
    let area = 50.0 * 48.0;
    assert_eq!(fit.misfits, [Misfit::OwnGround { material, area }]);
    assert_eq!(fit.floors, plain.floors);
}
