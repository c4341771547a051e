//! Closed opaque houses stay dark inside, and houses that stand in each other lose no path, however whole or odd the coordinates are.

use crate::common::engines::{ENGINES, Engine, Row, points, tubes};
use crate::common::place::{at, named};
use crate::common::turning::{all_aslant, aslant};
use crate::common::{Random, add_polygon, add_prism, by_name, inside_out};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::tubes::Accuracy;
use keller::coverage::{Levels, Region};
use keller::paths::{Limits, Search};
use keller::scene::Mesh;
use keller::{Control, DVec3, World};

/// A house: two corners of its plan, and its height. It has no bottom, and stands on the ground.
type House = ([f64; 2], [f64; 2], f64);

fn on_ground(houses: &[House], shift: DVec2) -> Mesh {
    let mut mesh = Mesh::default();
    let ground = [[-80., -80.], [80., -80.], [80., 80.], [-80., 80.]];
    let ground = ground.map(|[x, y]| DVec3::new(x, y, 0.0));
    add_polygon(&mut mesh, "ground", &ground);
    for (low, high, top) in houses {
        let [a, b] = [low, high].map(|corner| (DVec2::from(*corner) + shift).to_array());
        let plan = [[a[0], a[1]], [b[0], a[1]], [b[0], b[1]], [a[0], b[1]]];
        add_prism(&mut mesh, "concrete", &plan, 0.0, *top, false);
    }
    mesh
}

fn one_edge(interactions: usize) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: interactions,
        max_diffractions: 1,
        ..Limits::default()
    }
}

/// The centres of the cells inside houses that tubes give any gain, dB.
fn lit_inside(
    world: &World,
    tx: DVec3,
    (region, limits, accuracy): (&Region, &Limits, Accuracy),
    houses: &[House],
    shift: DVec2,
) -> Vec<(DVec3, f64)> {
    let tubes = tubes(world, region, limits, accuracy);
    let sender = at(tx.to_array(), Antenna::default());
    let gains = tubes.gains(&sender, 0..region.num_cells(), &Control::default());
    let is_inside = |centre: DVec3| {
        houses.iter().any(|(low, high, top)| {
            let at = centre.truncate() - shift;
            at.cmpgt(DVec2::from(*low)).all()
                && at.cmplt(DVec2::from(*high)).all()
                && centre.z < *top
        })
    };
    let cells = gains.unwrap().into_iter().enumerate();
    let lit = cells
        .filter(|(_, gain)| *gain > 0.0)
        .filter_map(|(cell, gain)| {
            let centre = region.centre(region.cell(cell), &[])?;
            is_inside(centre).then_some((centre, 10.0 * gain.log10()))
        });
    lit.collect()
}

/// Rays that leave the ground where a wall stands on it, and walls where they meet, may start on either side by rounding.
#[test]
fn tubes_bring_nothing_into_closed_houses() {
    let houses = [
        ([40., -10.], [54., 15.], 12.),
        ([8., -30.], [20., -20.], 14.),
        ([-12., 2.], [2., 18.], 10.),
    ];
    let tx = DVec3::new(26., -20., 13.);
    for (shift, is_inside_out) in [
        (DVec2::ZERO, false),
        (DVec2::ZERO, true),
        (DVec2::splat(0.013), false),
        (DVec2::new(7.0, -3.0), false),
    ] {
        let mesh = on_ground(&houses, shift);
        let world = named(&if is_inside_out {
            inside_out(&mesh)
        } else {
            mesh
        });
        let low = DVec2::new(-40.5, -60.5) + shift.floor();
        let levels = Levels::AboveSea(vec![2.0]);
        let region = Region::planes(low, low + DVec2::new(99.0, 84.0), DVec2::splat(3.0), levels);
        let region = region.unwrap();
        let asked = (&region, &one_edge(3), Accuracy::Exact);
        let lit = lit_inside(
            &world,
            tx + shift.floor().extend(0.0),
            asked,
            &houses,
            shift,
        );
        assert!(
            lit.is_empty(),
            "{shift}, inside out {is_inside_out}: {lit:?}"
        );
    }
}

/// Houses on whole numbers, receivers inside on whole and half numbers.
#[test]
fn no_engine_brings_power_into_closed_houses() {
    let mut failures = Vec::new();
    let limits = Limits {
        max_diffractions: 2,
        ..one_edge(2)
    };
    // Tiles of a metre over all of the ground would take minutes.
    let is_asked = |engine: &Engine| {
        *engine != Engine::Link(Search::Tiles)
            && (engine.follows(&limits) || matches!(engine, Engine::Rooftops { .. }))
    };
    let engines: Vec<Engine> = ENGINES.into_iter().filter(is_asked).collect();
    for is_turned in [false, true] {
        let mut random = Random(0xc105 + u64::from(is_turned));
        let mut whole = |low: u8, count: usize| f64::from(low) + random.below(count) as f64;
        let houses: Vec<House> = [[0, 0], [12, 1], [3, 13]]
            .map(|[x, y]: [u8; 2]| {
                let low = [whole(x, 3), whole(y, 3)];
                let high = [low[0] + whole(4, 4), low[1] + whole(4, 4)];
                (low, high, whole(4, 4))
            })
            .to_vec();
        let tx = DVec3::new(whole(10, 2), whole(9, 3), whole(3, 6));
        let mesh = on_ground(&houses, DVec2::ZERO);
        let world = named(&if is_turned { all_aslant(&mesh) } else { mesh });
        let put = |p: DVec3| if is_turned { aslant(p) } else { p };
        let sender = at(put(tx).to_array(), Antenna::default());
        for (low, _, _) in &houses {
            let centre = put(DVec3::new(low[0] + 2.0, low[1] + 2.0, 2.0));
            let row = Row::new((centre - DVec3::ONE).to_array(), [0.5; 3], 5);
            for engine in engines.iter().filter(|engine| engine.follows(&limits)) {
                let received = engine.received(&world, &sender, &row, &limits);
                if received.iter().any(|received| received.gain > 0.0) {
                    failures.push(format!(
                        "turned {is_turned}, {tx}, {low:?}, {engine:?}: {received:?}"
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn over_roofs() -> Limits {
    Limits {
        max_interactions: 2,
        max_reflections: 0,
        max_diffractions: 2,
        ..Limits::default()
    }
}

/// Gains in cells of 8 m near the ground that points and tubes find, dB.
fn both_find(world: &World, tx: DVec3, accuracy: Accuracy) -> Vec<(DVec3, [f64; 2])> {
    let levels = Levels::AboveSea(vec![1.5]);
    let region = Region::planes(
        DVec2::splat(-32.0),
        DVec2::splat(32.0),
        DVec2::splat(8.0),
        levels,
    );
    let region = region.unwrap();
    let (limits, control) = (over_roofs(), Control::default());
    let all = 0..region.num_cells();
    let sender = at(tx.to_array(), Antenna::default());
    let exact = points(world, &region, &limits, Search::Complete);
    let exact = exact.gains(&sender, all.clone(), &control).unwrap();
    let found = tubes(world, &region, &limits, accuracy);
    let found = found.gains(&sender, all.clone(), &control).unwrap();
    let db = |gain: f64| 10.0 * gain.max(1e-14).log10();
    all.map(|cell| {
        let centre = region.centre(region.cell(cell), &[]).unwrap();
        (centre, [db(exact[cell]), db(found[cell])])
    })
    .collect()
}

/// One roof stands 0.2 m above the other: a path from edge to edge is 0.3 m long there.
#[test]
fn a_low_step_between_two_roofs_hides_no_path() {
    let mut mesh = Mesh::default();
    let ground = [[-60., -60.], [60., -60.], [60., 60.], [-60., 60.]];
    add_polygon(
        &mut mesh,
        "concrete",
        &ground.map(|[x, y]| DVec3::new(x, y, 0.0)),
    );
    let mut b = [
        [-7.031, 7.485],
        [-0.322, 13.797],
        [6.865, 6.160],
        [0.155, -0.153],
    ];
    let mut w = [
        [1.084, 14.007],
        [16.753, 16.652],
        [18.561, 5.941],
        [2.892, 3.296],
    ];
    b.reverse();
    w.reverse();
    add_prism(&mut mesh, "brick", &b, 0.0, 17.805, true);
    add_prism(&mut mesh, "concrete", &w, 0.0, 17.596, true);
    let world = by_name(&mesh, None, 1e9);
    let tx = DVec3::new(-4.22985, 19.03908, 23.0);
    for accuracy in [Accuracy::Default, Accuracy::Exact] {
        for (centre, [exact, found]) in both_find(&world, tx, accuracy) {
            let is_lost = exact.max(found) > -115.0 && (exact - found).abs() > 0.3;
            assert!(!is_lost, "{accuracy:?}, {centre}: {exact} and {found} dB");
        }
    }
}

/// Random pairs of houses that stand in each other, with roofs up to half a metre apart.
#[test]
fn houses_in_each_other_lose_no_path_over_their_roofs() {
    let (mut cells, mut lost) = (0, Vec::new());
    for seed in 0..8 {
        let mut random = Random(seed ^ 0x2007);
        let mut mesh = Mesh::default();
        let ground = [[-60., -60.], [60., -60.], [60., 60.], [-60., 60.]];
        add_polygon(
            &mut mesh,
            "concrete",
            &ground.map(|[x, y]| DVec3::new(x, y, 0.0)),
        );
        let top = random.range(8.0, 18.0);
        for (k, material) in ["brick", "concrete"].into_iter().enumerate() {
            let centre = DVec2::new(6.0 * k as f64, 0.0) + random.range(-2.0, 2.0);
            let axis = DVec2::from_angle(random.range(0.0, 1.5));
            let (a, b) = (random.range(4.0, 8.0), random.range(4.0, 8.0));
            let corner = |u: f64, v: f64| (centre + axis.rotate(DVec2::new(u, v))).to_array();
            let plan = [corner(-a, -b), corner(a, -b), corner(a, b), corner(-a, b)];
            let top = top + k as f64 * random.range(0.02, 0.5);
            add_prism(&mut mesh, material, &plan, 0.0, top, true);
        }
        let world = by_name(&mesh, None, 1e9);
        let tx = DVec3::new(
            random.range(-6., 6.),
            random.range(16., 20.),
            top + random.range(2., 6.),
        );
        for (centre, [exact, found]) in both_find(&world, tx, Accuracy::Exact) {
            if exact.max(found) > -110.0 {
                cells += 1;
                if (exact - found).abs() > 1.0 {
                    lost.push((seed, centre, exact, found));
                }
            }
        }
    }
    assert!(
        cells > 200 && lost.len() * 100 < cells,
        "of {cells}: {lost:#?}"
    );
}
