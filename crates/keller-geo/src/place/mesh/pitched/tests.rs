use glam::DVec3;
use keller::scene::{Defects, Mesh, Scene};

use super::*;
use crate::place::mesh::{Built, MeshOptions, build};
use crate::place::tests::{building, ring, square};
use crate::place::{Building, Prism, Shape};

fn roof(form: RoofForm, rise: f64) -> PitchedRoof {
    PitchedRoof {
        form,
        rise: RoofRise::Height(rise),
        direction_deg: None,
        is_across: false,
        is_on_top: false,
    }
}

fn prism(building: &mut Building) -> &mut Prism {
    match &mut building.shape {
        Shape::Prism(prism) => prism,
        other @ Shape::Surfaces(_) => panic!("{other:?}"),
    }
}

fn house(outer: Vec<DVec2>, height: f64, roof: PitchedRoof) -> Building {
    let mut house = building("1", outer, height);
    prism(&mut house).pitched = Some(roof);
    house
}

/// The house on a foundation of 1 m.
fn built(house: &Building) -> Built {
    let options = MeshOptions::default();
    build(std::slice::from_ref(house), &|_| Some(0.0), &options)
}

/// The number of times that sides are used more in one direction than in the other: zero in a closed body.
fn num_open_sides(mesh: &Mesh) -> usize {
    let mut sides = std::collections::BTreeMap::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.vertices;
        for (a, b) in [(a, b), (b, c), (c, a)] {
            *sides.entry((a.min(b), a.max(b))).or_insert(0) += if a < b { 1 } else { -1 };
        }
    }
    sides.values().filter(|count| **count != 0).count()
}

/// The volume that triangles enclose.
fn volume(mesh: &Mesh) -> f64 {
    let six = mesh.triangles.iter().map(|t| {
        let [a, b, c] = t.vertices.map(|v| mesh.vertices[v as usize]);
        a.dot(b.cross(c))
    });
    six.sum::<f64>() / 6.0
}

/// The roof above a point.
fn height(mesh: &Mesh, at: DVec2) -> Option<f64> {
    let heights = mesh.triangles.iter().filter_map(|triangle| {
        let [a, b, c] = triangle.vertices.map(|v| mesh.vertices[v as usize]);
        let part = |p: DVec2, q: DVec2| (q - p).perp_dot(at - p);
        let [p, q, r] = [a, b, c].map(DVec3::truncate);
        let parts = [part(q, r), part(r, p), part(p, q)];
        let whole: f64 = parts.iter().sum();
        let is_over = parts.iter().all(|part| *part >= -1e-9);
        (is_over && whole > 1e-9)
            .then(|| (parts[0] * a.z + parts[1] * b.z + parts[2] * c.z) / whole)
    });
    heights.reduce(f64::max)
}

fn check_closed(built: &Built, what: &str) {
    assert_eq!(num_open_sides(&built.mesh), 0, "{what}");
    let scene = Scene::new(&built.mesh).unwrap();
    assert_eq!(scene.defects(), Defects::default(), "{what}");
    let free = scene.edges().iter().filter(|edge| !edge.is_wedge()).count();
    assert_eq!(free, 0, "{what}");
}

/// A rectangle about a centre, turned.
fn rectangle(length: f64, width: f64, turned_deg: f64) -> Vec<DVec2> {
    let turn = DVec2::from_angle(turned_deg.to_radians());
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(DVec2::from);
    corners
        .map(|corner| DVec2::new(100.0, -40.0) + turn.rotate(DVec2::new(length, width) * corner))
        .into()
}

#[test]
fn roofs_over_rectangles_have_their_volumes_and_are_closed() {
    let (l, w, r) = (20.0, 10.0, 3.0);
    let strips = 4;
    let arc = |k: i32| {
        let (sin, cos) = (std::f64::consts::FRAC_PI_2 * f64::from(k) / f64::from(strips)).sin_cos();
        [1.0 - cos, sin]
    };
    let under_arc: f64 = (0..strips)
        .map(|k| 0.5 * (arc(k + 1)[0] - arc(k)[0]) * (arc(k)[1] + arc(k + 1)[1]))
        .sum();
    let wanted = [
        (RoofForm::Gabled, l * w * r / 2.0),
        (RoofForm::Skillion, l * w * r / 2.0),
        (RoofForm::Pyramidal, l * w * r / 3.0),
        (RoofForm::Hipped, w * r * (3.0 * l - w) / 6.0),
        (RoofForm::HalfHipped, l * w * r / 2.0 - w * w * r / 48.0),
        (RoofForm::Gambrel, l * w * r * 0.62),
        (RoofForm::Round, l * w * r * under_arc),
    ];
    for turned in [0.0, 90.0, 45.0, 13.7, -61.3] {
        for (form, wanted) in wanted {
            let built = built(&house(rectangle(l, w, turned), 9.0, roof(form, r)));
            assert!(built.warnings.is_empty(), "{form:?}: {:?}", built.warnings);
            let found = volume(&built.mesh) - l * w * (1.0 + 6.0);
            assert!(
                (found - wanted).abs() < 1e-6,
                "{form:?}: {found}, not {wanted}"
            );
            let top = built.mesh.vertices.iter().map(|v| v.z);
            assert!((top.fold(0.0, f64::max) - 9.0).abs() < 1e-9, "{form:?}");
            check_closed(&built, &format!("{form:?} turned by {turned}"));
        }
    }
}

#[test]
fn hips_over_convex_outlines_rise_with_the_distance_from_the_nearest_side() {
    let mut state = 7_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    for count in [3, 4, 5, 6, 9, 16, 24] {
        let part = std::f64::consts::TAU / f64::from(count);
        let corners = (0..count).map(|k| {
            let angle = part * (f64::from(k) + 0.6 * random());
            DVec2::from_angle(angle) * DVec2::new(14.0, 9.0)
        });
        let corners: Vec<DVec2> = corners.collect();
        for form in [RoofForm::Hipped, RoofForm::Mansard, RoofForm::Dome] {
            let built = built(&house(corners.clone(), 12.0, roof(form, 4.0)));
            assert!(built.warnings.is_empty(), "{form:?}: {:?}", built.warnings);
            check_closed(&built, &format!("{form:?} over {count} sides"));
            if form != RoofForm::Hipped {
                continue;
            }
            let near = |at: DVec2| {
                let sides = rings::sides(&corners);
                let all = sides.map(|(a, b)| (b - a).perp_dot(at - a) / a.distance(b));
                all.fold(f64::INFINITY, f64::min)
            };
            let looks = (0..40_000).map(|k| {
                let (i, j) = (f64::from(k % 200), f64::from(k / 200));
                DVec2::new(-14.0 + 0.14 * i, -9.0 + 0.09 * j)
            });
            let inside: Vec<DVec2> = looks.filter(|at| near(*at) > 0.05).collect();
            let largest = inside.iter().map(|at| near(*at)).fold(0.0, f64::max);
            for &at in inside.iter().step_by(37) {
                let found = (height(&built.mesh, at).unwrap() - 8.0) / 4.0;
                let wanted = near(at) / largest;
                assert!(
                    (found - wanted).abs() < 0.04,
                    "{count} at {at}: {found}, {wanted}"
                );
            }
        }
    }
}

#[test]
fn ridges_and_slopes_go_where_the_tags_say() {
    let outer = || rectangle(20.0, 10.0, 0.0);
    let at = |built: &Built, x: f64, y: f64| {
        height(&built.mesh, DVec2::new(100.0 + x, -40.0 + y)).unwrap()
    };
    let along = built(&house(outer(), 9.0, roof(RoofForm::Gabled, 3.0)));
    assert!((at(&along, 8.0, 0.001) - 9.0).abs() < 1e-2);
    assert!((at(&along, 0.3, -2.5) - 7.5).abs() < 1e-6);
    let mut across = roof(RoofForm::Gabled, 3.0);
    across.is_across = true;
    let turned = built(&house(outer(), 9.0, across));
    assert!((at(&turned, 0.001, 4.0) - 9.0).abs() < 1e-2);
    assert!((at(&turned, 5.0, 1.0) - 7.5).abs() < 1e-6);
    // The main sides look east and west, so the ridge runs north.
    across.is_across = false;
    across.direction_deg = Some(97.0);
    let east = built(&house(outer(), 9.0, across));
    assert!((at(&east, 5.0, 1.0) - 7.5).abs() < 1e-6);
    for (direction, low, high) in [
        (0.0, [0.1, 4.0], [0.1, -4.0]),
        (170.0, [0.1, -4.0], [0.1, 4.0]),
        (90.0, [9.0, 0.1], [-9.0, 0.1]),
        (45.0, [9.0, 4.0], [-9.0, -4.0]),
    ] {
        let mut slope = roof(RoofForm::Skillion, 3.0);
        slope.direction_deg = Some(direction);
        let built = built(&house(outer(), 9.0, slope));
        let [low, high] = [low, high].map(|[x, y]| at(&built, x, y));
        assert!(low < 6.9 && high > 8.1, "{direction}: {low} to {high}");
        check_closed(&built, "a skillion");
    }
}

#[test]
fn how_far_a_roof_rises_follows_from_its_angle_and_is_at_most_the_building() {
    let top_of = |rise: RoofRise, is_on_top: bool| {
        let mut roof = roof(RoofForm::Gabled, 0.0);
        roof.rise = rise;
        roof.is_on_top = is_on_top;
        let built = built(&house(rectangle(20.0, 10.0, 30.0), 9.0, roof));
        check_closed(&built, "a gabled house");
        let heights = built.mesh.vertices.iter().map(|v| v.z);
        let top = heights.clone().fold(0.0, f64::max);
        let eaves = heights.filter(|z| *z > -0.5).fold(top, f64::min);
        (eaves, top, built.warnings.len())
    };
    let near = |(a, b, c): (f64, f64, usize), (d, e, f): (f64, f64, usize)| {
        assert!(
            (a - d).abs() < 1e-9 && (b - e).abs() < 1e-9 && c == f,
            "{a} {b} {c}"
        );
    };
    near(top_of(RoofRise::AngleDeg(45.0), false), (4.0, 9.0, 0));
    near(top_of(RoofRise::AngleDeg(45.0), true), (9.0, 14.0, 0));
    let slope = 5.0 * 30_f64.to_radians().tan();
    near(top_of(RoofRise::Assumed(3.0), false), (9.0 - slope, 9.0, 0));
    near(top_of(RoofRise::Assumed(2.0), true), (9.0, 11.0, 0));
    // A tent: the roof begins at the foot.
    near(top_of(RoofRise::Height(9.0), false), (0.0, 9.0, 0));
    near(top_of(RoofRise::Height(50.0), false), (0.0, 9.0, 1));
    near(top_of(RoofRise::AngleDeg(89.999), false), (0.0, 9.0, 1));
    let mut tent = house(rectangle(20.0, 10.0, 0.0), 9.0, roof(RoofForm::Gabled, 9.0));
    let flat = MeshOptions {
        foundation: 0.0,
        ..MeshOptions::default()
    };
    let without_floor = build(&[tent.clone()], &|_| Some(0.0), &flat);
    assert!((volume(&without_floor.mesh) - 900.0).abs() < 1e-6);
    prism(&mut tent).min_height = 2.0;
    let raised = built(&tent);
    assert!((volume(&raised.mesh) - 700.0).abs() < 1e-6);
    check_closed(&raised, "a raised tent");
}

#[test]
fn other_outlines_get_a_closed_roof_and_a_warning() {
    let l = ring(&[
        (0.0, 0.0),
        (20.0, 0.0),
        (20.0, 8.0),
        (14.0, 8.0),
        (14.0, 14.0),
        (0.0, 14.0),
    ]);
    let t = ring(&[
        (0.0, 0.0),
        (30.0, 0.0),
        (30.0, 4.0),
        (17.0, 4.0),
        (17.0, 20.0),
        (13.0, 20.0),
        (13.0, 4.0),
        (0.0, 4.0),
    ]);
    let forms = [
        RoofForm::Gabled,
        RoofForm::HalfHipped,
        RoofForm::Gambrel,
        RoofForm::Round,
        RoofForm::Hipped,
        RoofForm::Mansard,
        RoofForm::Dome,
        RoofForm::Pyramidal,
        RoofForm::Skillion,
    ];
    for form in forms {
        for (outline, is_near) in [(&l, true), (&t, false)] {
            let built = built(&house(outline.clone(), 9.0, roof(form, 3.0)));
            check_closed(&built, &format!("{form:?}"));
            let top = built.mesh.vertices.iter().map(|v| v.z).fold(0.0, f64::max);
            let is_exact = form == RoofForm::Skillion || (form == RoofForm::Pyramidal && is_near);
            match (is_exact, is_near) {
                (true, _) => assert!(built.warnings.is_empty(), "{:?}", built.warnings),
                (false, true) => {
                    assert!(
                        built.warnings[0].contains("smallest rectangle"),
                        "{:?}",
                        built.warnings
                    );
                }
                (false, false) => {
                    assert!(
                        built.warnings[0].contains("halfway"),
                        "{:?}",
                        built.warnings
                    );
                    assert!((top - 7.5).abs() < 1e-9, "{form:?}: {top}");
                }
            }
        }
        let mut yard = house(square(0.0, 0.0, 30.0), 9.0, roof(form, 3.0));
        let hole = square(10.0, 10.0, 10.0).into_iter().rev().collect();
        prism(&mut yard).outline[0].holes.push(hole);
        let built = built(&yard);
        check_closed(&built, &format!("{form:?} around a courtyard"));
        assert_eq!(height(&built.mesh, DVec2::new(15.0, 15.1)), None);
        let is_slope = form == RoofForm::Skillion;
        assert_eq!(built.warnings.len(), usize::from(!is_slope), "{form:?}");
        let half = 800.0 * (1.0 + 7.5);
        assert!((volume(&built.mesh) - half).abs() < 1e-6, "{form:?}");
    }
}

#[test]
fn nothing_panics_and_all_is_closed_over_random_outlines() {
    let mut state = 3_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let forms = [
        RoofForm::Gabled,
        RoofForm::HalfHipped,
        RoofForm::Round,
        RoofForm::Hipped,
        RoofForm::Dome,
        RoofForm::Pyramidal,
        RoofForm::Skillion,
    ];
    let (mut num_built, mut num_pitched) = (0, 0);
    for round in 0..1500 {
        let grid = 3 + random(12);
        let count = 3 + random(6);
        let jitter = if round % 2 == 0 { 0.0 } else { 1e-4 };
        let outer = (0..count).map(|_| {
            let [x, y] = [0, 0].map(|_: u8| random(grid) as f64 + jitter * random(9) as f64);
            DVec2::new(x, y)
        });
        let outer: Vec<DVec2> = outer.collect();
        let form = forms[usize::try_from(random(7)).unwrap()];
        let mut roof = roof(form, 1.0 + random(12) as f64);
        if random(2) == 0 {
            roof.direction_deg = Some(random(360) as f64);
        }
        let house = house(outer, 10.0, roof);
        let before = format!("{house:?}");
        let mut place = crate::place::Place {
            buildings: vec![house],
            ..crate::place::Place::default()
        };
        let options = crate::place::repair::RepairOptions::default();
        crate::place::repair::repair(&mut place, &options);
        let Some(house) = place.buildings.first() else {
            continue;
        };
        let built = built(house);
        // A corner that touches another side of its outline has triangles on both sides of it under a flat roof.
        let is_flat = built.warnings.iter().any(|text| text.contains("halfway"));
        assert!(is_flat || num_open_sides(&built.mesh) == 0, "{before}");
        num_pitched += usize::from(!is_flat);
        assert!(
            built.mesh.vertices.iter().all(|v| v.is_finite()),
            "{before}"
        );
        let top = built.mesh.vertices.iter().map(|v| v.z).fold(0.0, f64::max);
        assert!(top < 10.0 + 1e-6, "{before}: {top}");
        let Shape::Prism(prism) = &house.shape else {
            panic!("{house:?}")
        };
        let area: f64 = prism.outline.iter().map(Polygon::area).sum();
        let volume = volume(&built.mesh);
        assert!(
            volume > 0.99 * area && volume < 11.0 * area + 1e-6,
            "{before}: {volume}"
        );
        num_built += 1;
    }
    assert!(
        num_built > 1000 && num_pitched > 500,
        "{num_built}, {num_pitched}"
    );
}
