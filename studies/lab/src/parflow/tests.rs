use std::f64::consts::{FRAC_PI_2, PI, TAU};

use keller::random::Random;

use super::equations::Equations;
use super::*;

/// The flows themselves, step by step until nothing changes: the model of `ParFlow` before anything is eliminated. In
/// each direction a flow leaves node p with the voltage there less the flow that arrived from that side, and arrives
/// turned by the time of a step; at a conductor it is thrown back with the other sign.
fn by_flows(plan: &Plan, source: [usize; 2]) -> Vec<Complex64> {
    let [nx, ny] = plan.size();
    let step = plan.wavenumber * plan.spacing;
    let cosine = Equations::cosine(step);
    let z = Complex64::from_polar(1.0, -cosine.acos());
    let sine = (1.0 - cosine * cosine).sqrt();
    let start = Complex64::new(0.0, -0.5 / sine);
    let neighbour = |node: usize, side: usize| {
        let (i, j) = (node % nx, node / nx);
        match side {
            0 => (i > 0).then(|| node - 1),
            1 => (i + 1 < nx).then(|| node + 1),
            2 => (j > 0).then(|| node - nx),
            _ => (j + 1 < ny).then(|| node + nx),
        }
    };
    let mut arriving = vec![[Complex64::ZERO; 4]; nx * ny];
    let mut stored = vec![Complex64::ZERO; nx * ny];
    let mut voltages = vec![Complex64::ZERO; nx * ny];
    for _ in 0..20_000 {
        let mut change = 0.0_f64;
        for node in 0..nx * ny {
            let voltage = match plan.nodes()[node] {
                Node::Conductor => Complex64::ZERO,
                Node::Filled(permittivity) => {
                    let own = if node == source[1] * nx + source[0] {
                        start
                    } else {
                        Complex64::ZERO
                    };
                    // The lost power flows through a conductance.
                    let stub = 4.0 * (permittivity.re - 1.0);
                    let loss = -4.0 * permittivity.im * (1.0 - cosine) / sine;
                    let sum = arriving[node].iter().sum::<Complex64>() + stub * stored[node];
                    let voltage = (sum + own) / (2.0 + 0.5 * (stub + loss));
                    // The flow that the stub holds meets an open end and is back after a step.
                    stored[node] = z * (voltage - stored[node]);
                    voltage
                }
            };
            change = change.max((voltage - voltages[node]).norm());
            voltages[node] = voltage;
        }
        let before = arriving.clone();
        for node in 0..nx * ny {
            for side in 0..4 {
                arriving[node][side] = match neighbour(node, side) {
                    Some(from) => z * (voltages[from] - before[from][side ^ 1]),
                    None => -z * z * (voltages[node] - before[node][side]),
                };
            }
        }
        if change < 1e-12 {
            return voltages;
        }
    }
    panic!("the flows do not come to rest");
}

/// A plan without absorbers of lossy stuff, with conductors here and there.
fn random_plan(random: &mut Random, size: [usize; 2]) -> Plan {
    let nodes: Vec<Node> = (0..size[0] * size[1])
        .map(|_| match random.below(8) {
            0 => Node::Conductor,
            1 => Node::Filled(Complex64::new(4.0, -1.5)),
            _ => Node::Filled(Complex64::new(1.0, -0.4)),
        })
        .collect();
    Plan {
        nodes,
        ..Plan::new(size, 0.1, 1.0, 0, |_| Node::AIR)
    }
}

#[test]
fn the_tree_solves_what_flows_come_to() {
    let mut random = Random(24);
    for size in [[7, 5], [19, 12], [8, 33]] {
        let plan = random_plan(&mut random, size);
        let source = [size[0] / 2, size[1] / 3];
        let is_open = plan.nodes()[source[1] * size[0] + source[0]] != Node::Conductor;
        let expected = by_flows(&plan, source);
        let found = Tree::new(&plan).field(source);
        let most = expected.iter().map(|v| v.norm()).fold(0.0, f64::max);
        assert_eq!(most > 1e-3, is_open);
        for (a, b) in expected.iter().zip(&found) {
            assert!((a - b).norm() < 1e-9 * most.max(1.0), "{size:?}: {a} {b}");
        }
    }
}

#[test]
fn source_and_place_may_change_sides() {
    let mut random = Random(25);
    let mut plan = random_plan(&mut random, [40, 30]);
    plan.absorber = 6;
    let tree = Tree::new(&plan);
    let of = |[x, y]: [usize; 2]| y * 40 + x;
    for _ in 0..20 {
        let [a, b] = [(); 2].map(|()| [random.below(40), random.below(30)]);
        let [there, back] = [tree.field(a)[of(b)], tree.field(b)[of(a)]];
        assert!((there - back).norm() < 1e-12, "{there} {back}");
    }
}

#[test]
fn waves_in_open_space_are_hankel_functions() {
    // Errors fall with the square of the spacing; the absorber sends back less than they are.
    let worst = [10, 20].map(|nodes| {
        let side = 6 * nodes + 1;
        let spacing = 1.0 / nodes as f64;
        let plan = Plan::new([side; 2], spacing, 1.0, nodes, |_| Node::AIR);
        let source = [side / 4; 2];
        let field = Tree::new(&plan).field(source);
        let mut worst = 0.0_f64;
        for (k, value) in field.iter().enumerate() {
            let (i, j) = (k % side, k / side);
            let inside = |at: usize| at > nodes && at + nodes < side - 1;
            let apart = spacing * (DVec2::new(i as f64, j as f64) - source[0] as f64);
            if inside(i) && inside(j) && apart.length() > 0.5 {
                let exact = wedge::open_space(TAU, apart.length());
                worst = worst.max((value - exact).norm() / exact.norm());
            }
        }
        worst
    });
    assert!(worst[0] < 0.25, "{worst:?}");
    assert!(worst[1] < worst[0] / 3.0, "{worst:?}");
}

#[test]
fn a_room_of_conductors_has_its_modes() {
    // A rectangle whose walls conduct, a little lossy: the sum over its sines is exact, but for the grid.
    let [a, b] = [2.0, 1.3];
    let permittivity = Complex64::new(1.0, -0.1);
    let spacing = 0.025;
    let size = [79, 51];
    let plan = Plan::new(size, spacing, 1.0, 0, |_| Node::Filled(permittivity));
    let source = [20, 15];
    let field = Tree::new(&plan).field(source);
    let at = |[i, j]: [usize; 2]| [(i + 1) as f64 * spacing, (j + 1) as f64 * spacing];
    let exact = |rx: [usize; 2]| {
        let ([x, y], [u, v]) = (at(rx), at(source));
        let mut sum = Complex64::ZERO;
        for m in 1..100 {
            // The response in y has a closed form: that of a line with shorts at its ends.
            let p = f64::from(m) * PI / a;
            let across = (permittivity * TAU * TAU - p * p).sqrt();
            let low = (across * y.min(v)).sin() * (across * (b - y.max(v))).sin();
            sum += 2.0 / a * (p * x).sin() * (p * u).sin() * low / (across * (across * b).sin());
        }
        sum
    };
    for rx in [[50, 30], [70, 8], [5, 45]] {
        let (found, expected) = (field[rx[1] * size[0] + rx[0]], exact(rx));
        assert!(
            (found - expected).norm() < 0.02 * expected.norm().max(0.05),
            "{found} {expected}"
        );
    }
}

#[test]
fn waves_around_a_corner_are_those_of_the_exact_wedge() {
    // The building is where x and y are above the edge; the angle runs from its face along x.
    let nodes = 20.0;
    let side = 161;
    let edge = 80;
    let middle = f64::from(edge);
    let plan = Plan::new([side; 2], 1.0 / nodes, 1.0, 20, |at| {
        let inside = |x: f64| x > middle / nodes - 1e-9;
        if inside(at.x) && inside(at.y) {
            Node::Conductor
        } else {
            Node::AIR
        }
    });
    let source = [110, 40];
    let field = Tree::new(&plan).field(source);
    let polar = |[i, j]: [usize; 2]| {
        let at = DVec2::new(i as f64 - middle, j as f64 - middle) / nodes;
        [at.length(), (-at.y).atan2(at.x).rem_euclid(TAU)]
    };
    // The receivers are in the line of sight, near the shadow's border, and in the shadow.
    for rx in [[60, 50], [40, 90], [75, 130], [60, 120]] {
        let exact = wedge::field(TAU, 3.0 * FRAC_PI_2, polar(source), polar(rx));
        let found = field[rx[1] * side + rx[0]];
        let open = wedge::open_space(TAU, 1.0);
        assert!(
            (found - exact).norm() < 0.03 * open.norm(),
            "{rx:?}: {found} {exact}"
        );
    }
}

#[test]
fn the_exact_wedge_has_its_limits() {
    // Opened by half a turn it is a plane: the source and its image. The field may change sides, and vanishes on the faces.
    let at = |[r, angle]: [f64; 2]| DVec2::from_angle(angle) * r;
    let (source, rx) = ([3.0, 0.7], [5.0, 2.1]);
    let image = at([source[0], -source[1]]);
    let expected = wedge::open_space(TAU, at(source).distance(at(rx)))
        - wedge::open_space(TAU, image.distance(at(rx)));
    assert!((wedge::field(TAU, PI, source, rx) - expected).norm() < 1e-10);
    for open in [1.5 * PI, TAU, 4.0] {
        let field = |source, rx| wedge::field(TAU, open, source, rx);
        assert!((field(source, rx) - field(rx, source)).norm() < 1e-12);
        assert!(field(source, [5.0, open]).norm() < 1e-12);
    }
}
