//! Tests both solvers for edges against the law of diffraction and against each other.

use super::super::edge_pair::Pair;
use super::*;

/// Numbers in [-1, 1), the same on every run.
fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn random_point(state: &mut u64, reach: f64) -> DVec3 {
    reach * DVec3::new(random(state), random(state), random(state))
}

fn edge(ends: [DVec3; 2]) -> Edge {
    Edge {
        ends,
        faces: [None, None],
        exterior_angle: 6.0,
        inward: DVec3::X,
        outward: DVec3::Y,
        second_outward: DVec3::Z,
    }
}

/// The largest difference of the cosines on both sides of an edge.
fn worst_cosine(points: &[DVec3], edges: &[Edge]) -> f64 {
    let cosines = points.windows(3).zip(edges).map(|(p, edge)| {
        let (before, after) = ((p[1] - p[0]).normalize(), (p[2] - p[1]).normalize());
        (before - after).dot(edge.along()).abs()
    });
    cosines.fold(0.0, f64::max)
}

#[test]
fn both_solvers_meet_two_edges_at_equal_angles() {
    let mut state = 1;
    let mut within = 0;
    for case in 0..20_000 {
        let (tx, rx) = (
            random_point(&mut state, 30.0),
            random_point(&mut state, 30.0),
        );
        let mut starts = [
            random_point(&mut state, 10.0),
            random_point(&mut state, 10.0),
        ];
        // Every fourth pair shares a corner, by which the shortest path may lead.
        let is_corner = case % 4 == 0;
        if is_corner {
            starts[1] = starts[0];
        }
        let ways = [random_point(&mut state, 8.0), random_point(&mut state, 8.0)];
        // Every third pair is parallel, as the edges of roofs are.
        let second = if case % 3 == 0 { ways[0] } else { ways[1] };
        let edges = [
            edge([starts[0], starts[0] + ways[0]]),
            edge([starts[1], starts[1] + second]),
        ];
        let mut legs = vec![
            Leg::from_point(tx),
            Leg::from_edge(&edges[0]),
            Leg::from_edge(&edges[1]),
        ];
        legs[0].to = legs[1].from;
        legs[1].to = legs[2].from;
        legs[2].reach_point(rx);
        let mut t = Vec::new();
        let is_solved = diffraction_points(&legs, &mut t, &mut System::default());
        let is_on = |k: usize| (0.0..=edges[k].length()).contains(&t[k]);
        if is_corner && !(is_solved && is_on(0) && is_on(1)) {
            // The path around the corner, or by the extensions of the edges beyond it.
            continue;
        }
        assert!(is_solved, "case {case} is not solved");
        let path = |t: [f64; 2]| {
            let at = |k: usize| edges[k].ends[0] + t[k] * edges[k].along();
            [tx, at(0), at(1), rx]
        };
        let worst = worst_cosine(&path([t[0], t[1]]), &edges);
        assert!(worst < 1e-9, "case {case}: {worst}");

        let outside =
            |point, k: usize| EdgeCoordinates::new(point, edges[k].ends[0], edges[k].along());
        let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
        let found = Pair::new(&EdgeLine::of(&edges[0]), &EdgeLine::of(&edges[1])).solve(
            outside(tx, 0),
            outside(rx, 1),
            everywhere,
            everywhere,
        );
        let [_, first, second, _] = path([t[0], t[1]]);
        if first.distance(second) < 1e-3 {
            // If edges almost touch, the distance of the pair is mere rounding.
            continue;
        }
        let found = found.unwrap_or_else(|| {
            panic!(
                "case {case} is not solved for a pair {t:?} {}",
                first.distance(second)
            )
        });
        let difference = (found[0] - t[0]).abs().max((found[1] - t[1]).abs());
        assert!(difference < 1e-6, "case {case}: {found:?} and {t:?}");
        within += usize::from((0.0..edges[0].length()).contains(&t[0]));
    }
    assert!(within > 1000, "{within} cases are of use");
}

#[test]
fn a_pair_is_given_up_only_where_its_path_misses_an_edge() {
    let mut state = 11;
    let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
    let (mut within, mut outside) = (0, 0);
    for case in 0..20_000 {
        let starts = [30.0; 2].map(|reach| random_point(&mut state, reach));
        let way = random_point(&mut state, 12.0);
        // Some pairs are parallel.
        let other = if case % 4 == 0 {
            -0.7 * way
        } else {
            random_point(&mut state, 20.0)
        };
        let edges = [
            edge([starts[0], starts[0] + way]),
            edge([starts[1], starts[1] + other]),
        ];
        let [tx, rx] = [(); 2].map(|()| random_point(&mut state, 60.0));
        let at_edge =
            |point, k: usize| EdgeCoordinates::new(point, edges[k].ends[0], edges[k].along());
        let pair = Pair::new(&EdgeLine::of(&edges[0]), &EdgeLine::of(&edges[1]));
        let ends = [at_edge(tx, 0), at_edge(rx, 1)];
        let Some(t) = pair.solve(ends[0], ends[1], everywhere, everywhere) else {
            continue;
        };
        for _ in 0..4 {
            let intervals = t.map(|t| {
                let low = t + 6.0 * random(&mut state) - 3.0;
                [low, low + 6.0 * random(&mut state).abs()]
            });
            let is_within = (0..2).all(|k| intervals[k][0] <= t[k] && t[k] <= intervals[k][1]);
            let found = pair.solve(ends[0], ends[1], intervals[0], intervals[1]);
            assert_eq!(
                found,
                is_within.then_some(t),
                "case {case}: {t:?}, {intervals:?}"
            );
            if is_within {
                within += 1;
            } else {
                outside += 1;
            }
        }
    }
    assert!(within > 4_000 && outside > 40_000, "{within}, {outside}");
}

/// `cargo test --release -p keller --lib -- --ignored --nocapture rates` prints them.
#[test]
#[ignore = "a measurement, for release builds"]
#[expect(clippy::print_stdout, reason = "a report is what it is for")]
fn rates_of_the_solvers() {
    const COUNT: usize = 1000;
    let mut state = 5;
    let mut ends = |reach: f64| -> Vec<EdgeCoordinates> {
        (0..COUNT)
            .map(|_| EdgeCoordinates::new(random_point(&mut state, reach), DVec3::ZERO, DVec3::Z))
            .collect()
    };
    let (tx, rx) = (ends(50.0), ends(30.0));
    let start = std::time::Instant::now();
    let mut on_edge = 0_usize;
    for a in &rx {
        for b in &tx {
            let t = a.meet(*b);
            on_edge += usize::from((-3.0..=3.0).contains(&t));
        }
    }
    let rate = (COUNT * COUNT) as f64 / start.elapsed().as_secs_f64();
    println!(
        "one edge: {:.0} million a second ({on_edge} on it)",
        rate * 1e-6
    );

    let edges = [
        edge([DVec3::new(4.0, -5.0, 8.0), DVec3::new(6.0, 9.0, 8.0)]),
        edge([DVec3::new(15.0, -5.0, 9.0), DVec3::new(13.0, 9.0, 9.5)]),
    ];
    let pair = Pair::new(&EdgeLine::of(&edges[0]), &EdgeLine::of(&edges[1]));
    let start = std::time::Instant::now();
    let mut solved = 0_usize;
    let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
    for a in &rx {
        for b in &tx {
            solved += usize::from(pair.solve(*a, *b, everywhere, everywhere).is_some());
        }
    }
    let rate = (COUNT * COUNT) as f64 / start.elapsed().as_secs_f64();
    println!(
        "two edges: {:.1} million a second ({solved} solved)",
        rate * 1e-6
    );
}
