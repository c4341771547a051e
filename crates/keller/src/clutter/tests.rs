use super::*;
use crate::random::Random;

/// A point of the grid of half metres in a cube.
fn lattice(random: &mut Random, low: f64, high: f64) -> DVec3 {
    (2.0 * random.point(DVec3::splat(low), DVec3::splat(high))).round() / 2.0
}

fn length(volume: &Volume, a: DVec3, b: DVec3) -> f64 {
    let mut lengths = BTreeMap::new();
    Clutter::new(vec![volume.clone()]).add_lengths(a, b, &mut lengths);
    lengths.get(&0).copied().unwrap_or_default()
}

fn cuboid(low: DVec3, high: DVec3, attenuation: f64) -> Volume {
    let outline = [
        [low.x, low.y],
        [high.x, low.y],
        [high.x, high.y],
        [low.x, high.y],
    ];
    Volume::prism(&outline, [low.z, high.z], attenuation, None).unwrap()
}

/// The slow twin: the part of a segment that is on the inner side of all of a convex body's triangles.
fn convex_part(volume: &Volume, a: DVec3, b: DVec3) -> (f64, f64) {
    let vertices = volume.vertices();
    let centre = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for triangle in volume.triangles() {
        let [p, q, r] = triangle.map(|v| vertices[v as usize]);
        let normal = (q - p).cross(r - p);
        let normal = normal * normal.dot(p - centre).signum();
        let (from, along) = (normal.dot(a - p), normal.dot(b - a));
        match along.total_cmp(&0.0) {
            std::cmp::Ordering::Less => enter = enter.max(-from / along),
            std::cmp::Ordering::Greater => leave = leave.min(-from / along),
            std::cmp::Ordering::Equal if from > 0.0 => return (0.0, 0.0),
            std::cmp::Ordering::Equal => {}
        }
    }
    (enter, leave.max(enter))
}

fn convex_length(volume: &Volume, a: DVec3, b: DVec3) -> f64 {
    let (enter, leave) = convex_part(volume, a, b);
    (leave - enter) * a.distance(b)
}

/// The body with every triangle cut in three at a point of its own.
fn finer(volume: &Volume, random: &mut Random) -> Volume {
    let mut vertices = volume.vertices().to_vec();
    let mut triangles = Vec::new();
    for &[a, b, c] in volume.triangles() {
        let centre = u32::try_from(vertices.len()).unwrap();
        let [p, q, r] = [a, b, c].map(|v| vertices[v as usize]);
        let (u, v) = (random.range(0.1, 0.4), random.range(0.1, 0.4));
        vertices.push(p + u * (q - p) + v * (r - p));
        triangles.extend([[a, b, centre], [b, c, centre], [c, a, centre]]);
    }
    let (attenuation, max) = (volume.attenuation_db_per_m(), volume.max_attenuation_db());
    Volume::new(&vertices, &triangles, attenuation, max).unwrap()
}

fn tetrahedron(corners: [DVec3; 4]) -> Volume {
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    Volume::new(&corners, &faces, 1.0, None).unwrap()
}

#[test]
fn lengths_are_those_between_half_spaces() {
    let mut random = Random(1);
    for round in 0..3000 {
        let mut corner = || random.point(DVec3::splat(-10.0), DVec3::splat(10.0));
        let body = if round % 2 == 0 {
            tetrahedron([corner(), corner(), corner(), corner()])
        } else {
            let (p, q) = (corner(), corner());
            cuboid(p.min(q), p.max(q), 1.0)
        };
        let (a, b) = (
            random.point(DVec3::splat(-15.0), DVec3::splat(15.0)),
            random.point(DVec3::splat(-15.0), DVec3::splat(15.0)),
        );
        let (found, expected) = (length(&body, a, b), convex_length(&body, a, b));
        assert!((found - expected).abs() < 1e-9, "{found} not {expected}");
        assert_eq!(found, length(&body, b, a), "not the same there and back");
        let finer = length(&finer(&body, &mut random), a, b);
        assert!((found - finer).abs() < 1e-9, "{finer} once cut finer");
    }
}

/// The lines run along sides, through corners and in faces of a grid of boxes: no metre is lost and none counted twice.
#[test]
fn boxes_side_by_side_are_as_good_as_one() {
    let mut random = Random(2);
    let cells: Vec<Volume> = (0..27)
        .map(|k| {
            let low = DVec3::new(f64::from(k % 3), f64::from(k / 3 % 3), f64::from(k / 9));
            let cell = cuboid(low, low + 1.0, 1.0);
            if k % 2 == 0 {
                finer(&cell, &mut random)
            } else {
                cell
            }
        })
        .collect();
    let all = cuboid(DVec3::ZERO, DVec3::splat(3.0), 1.0);
    for _ in 0..6000 {
        let (a, b) = (
            lattice(&mut random, -1.0, 4.0),
            lattice(&mut random, -1.0, 4.0),
        );
        let whole = length(&all, a, b);
        let parts: f64 = cells.iter().map(|cell| length(cell, a, b)).sum();
        assert!(
            (whole - parts).abs() < 1e-9,
            "{a} to {b}: {parts} of {whole}"
        );
        // Strictly within, the border has no say.
        let (low, high) = (DVec3::splat(0.1), DVec3::splat(2.9));
        if a.cmpgt(low).all() && b.cmpgt(low).all() && a.cmplt(high).all() && b.cmplt(high).all() {
            assert!((parts - a.distance(b)).abs() < 1e-9, "{a} to {b}: {parts}");
        }
    }
}

#[test]
fn a_corner_edge_is_crossed_once() {
    let all = cuboid(DVec3::ZERO, DVec3::splat(2.0), 1.0);
    let at = |x: f64, y: f64| DVec3::new(x, y, 1.0);
    let through = length(&all, at(-1.0, -1.0), at(3.0, 3.0));
    assert!((through - 8.0_f64.sqrt()).abs() < 1e-12, "{through}");
    let touching = length(&all, at(-1.0, 1.0), at(1.0, -1.0));
    assert!(touching.abs() < 1e-12, "it only touches: {touching}");
    let diagonal = length(&all, DVec3::splat(-1.0), DVec3::splat(3.0));
    assert!((diagonal - 12.0_f64.sqrt()).abs() < 1e-12, "{diagonal}");
}

#[test]
fn a_line_in_a_face_is_on_one_side_of_it() {
    let low = cuboid(DVec3::ZERO, DVec3::new(4.0, 1.0, 1.0), 1.0);
    let high = cuboid(DVec3::new(0.0, 1.0, 0.0), DVec3::new(4.0, 2.0, 1.0), 1.0);
    for z in [0.25, 0.5] {
        let (a, b) = (DVec3::new(-1.0, 1.0, z), DVec3::new(9.0, 1.0, z));
        let lengths = [length(&low, a, b), length(&high, a, b)];
        assert_eq!(lengths[0] + lengths[1], 4.0, "{lengths:?}");
        assert_eq!(lengths[0] * lengths[1], 0.0, "{lengths:?}");
    }
}

#[test]
fn outlines_need_not_be_convex() {
    // A U: two arms and what joins them.
    let outline = [
        [0., 0.],
        [9., 0.],
        [9., 6.],
        [6., 6.],
        [6., 2.],
        [3., 2.],
        [3., 6.],
        [0., 6.],
    ];
    for start in 0..outline.len() {
        let mut turned = outline;
        turned.rotate_left(start);
        for _ in 0..2 {
            turned.reverse();
            let body = Volume::prism(&turned, [0.0, 5.0], 1.0, None).unwrap();
            for (y, expected) in [(1.0, 9.0), (4.0, 6.0)] {
                let found = length(&body, DVec3::new(-5., y, 1.), DVec3::new(15., y, 2.));
                let slant = (1.0_f64 + (1.0 / 20.0_f64).powi(2)).sqrt();
                assert!((found - expected * slant).abs() < 1e-12, "{found}");
            }
            let down = length(&body, DVec3::new(4.5, 4., 9.), DVec3::new(4.5, 4., -9.));
            assert!(down.abs() < 1e-12, "between the arms: {down}");
            let down = length(&body, DVec3::new(1.5, 4., 9.), DVec3::new(1.5, 4., -9.));
            assert!((down - 5.0).abs() < 1e-12, "{down}");
        }
    }
}

#[test]
fn ends_inside_count_from_there() {
    let all = cuboid(DVec3::ZERO, DVec3::splat(10.0), 1.0);
    let (inside, outside) = (DVec3::splat(4.0), DVec3::new(4.0, 4.0, 30.0));
    assert!((length(&all, inside, outside) - 6.0).abs() < 1e-12);
    assert!((length(&all, inside, inside + 1.0) - 3.0_f64.sqrt()).abs() < 1e-12);
    assert_eq!(length(&all, inside, inside), 0.0);
}

#[test]
fn the_densest_of_overlapping_volumes_counts() {
    let wide = cuboid(DVec3::ZERO, DVec3::new(10.0, 1.0, 1.0), 0.2);
    let dense = cuboid(DVec3::new(4.0, 0.0, 0.0), DVec3::new(12.0, 1.0, 1.0), 0.5);
    let (a, b) = (DVec3::new(-5.0, 0.5, 0.5), DVec3::new(50.0, 0.5, 0.5));
    for volumes in [[&wide, &dense], [&dense, &wide]] {
        let clutter = Clutter::new(volumes.map(Clone::clone).into());
        let loss = clutter.loss_db([a, b]);
        assert!((loss - (4.0 * 0.2 + 8.0 * 0.5)).abs() < 1e-12, "{loss}");
    }
    let twice = Clutter::new(vec![wide.clone(), wide]);
    assert!((twice.loss_db([a, b]) - 2.0).abs() < 1e-12);
}

#[test]
fn long_ways_come_to_the_largest_attenuation() {
    let outline = [[0.0, 0.0], [1e6, 0.0], [1e6, 1.0], [0.0, 1.0]];
    let (gamma, max) = (0.3, 25.0);
    let wood = Volume::prism(&outline, [0.0, 1.0], gamma, Some(max)).unwrap();
    let loss = |length: f64| {
        let at = |x: f64| DVec3::new(x, 0.5, 0.5);
        Clutter::new(vec![wood.clone()]).loss_db([at(-1.0), at(length)])
    };
    assert!((loss(1e-3) / (gamma * 1e-3) - 1.0).abs() < 1e-5);
    assert!((loss(1e5) - max).abs() < 1e-9);
    // The loss is all but 1/e of A_m where gamma d is A_m.
    let expected = max * (1.0 - (-1.0_f64).exp());
    assert!((loss(max / gamma) - expected).abs() < 1e-9);
}

#[test]
fn legs_in_one_wood_are_one_way() {
    let wood = Volume::prism(
        &[[0., 0.], [10., 0.], [10., 10.], [0., 10.]],
        [0.0, 9.0],
        1.0,
        Some(10.0),
    )
    .unwrap();
    let expected = wood.loss_db(20.0);
    let points = [[-1., 5.], [20., 5.], [20., 2.], [-1., 2.]].map(|[x, y]| DVec3::new(x, y, 1.0));
    let loss = Clutter::new(vec![wood]).loss_db(points);
    assert!((loss - expected).abs() < 1e-12, "{loss} not {expected}");
}

#[test]
fn many_volumes_are_found_by_their_boxes() {
    let mut random = Random(3);
    let volumes: Vec<Volume> = (0..400)
        .map(|_| {
            let low = random.point(DVec3::splat(-100.0), DVec3::splat(100.0));
            cuboid(
                low,
                low + random.point(DVec3::splat(1.0), DVec3::splat(20.0)),
                1.0,
            )
        })
        .collect();
    let all = Clutter::new(volumes.clone());
    for _ in 0..200 {
        let (a, b) = (
            random.point(DVec3::splat(-120.0), DVec3::splat(120.0)),
            random.point(DVec3::splat(-120.0), DVec3::splat(120.0)),
        );
        let mut lengths = BTreeMap::new();
        all.add_lengths(a, b, &mut lengths);
        let total: f64 = lengths.values().sum();
        let mut parts: Vec<_> = volumes.iter().map(|v| convex_part(v, a, b)).collect();
        parts.sort_by(|p, q| p.0.total_cmp(&q.0));
        let (mut covered, mut end) = (0.0, 0.0_f64);
        for (enter, leave) in parts {
            covered += (leave - enter.max(end)).max(0.0);
            end = end.max(leave);
        }
        let expected = covered * a.distance(b);
        assert!((total - expected).abs() < 1e-9, "{total} not {expected}");
    }
}

#[test]
fn what_is_no_volume_is_refused() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let refused = |faces: &[[u32; 3]], attenuation, max| {
        let error = Volume::new(&corners, faces, attenuation, max).unwrap_err();
        error.to_string()
    };
    let open = refused(&faces[..3], 1.0, None);
    assert!(open.contains("not closed at the side from"), "{open}");
    let mut turned = faces;
    turned[0].swap(0, 1);
    assert!(refused(&turned, 1.0, None).contains("face different ways"));
    assert!(refused(&[], 1.0, None).contains("no triangles"));
    assert!(refused(&faces, -1.0, None).contains("-1 dB/m"));
    assert!(refused(&faces, f64::NAN, None).contains("NaN dB/m"));
    assert!(refused(&faces, 1.0, Some(0.0)).contains("0 dB"));
    assert!(refused(&[[0, 1, 9]], 1.0, None).contains("vertex 9"));
    let bad = Volume::new(&[DVec3::NAN], &[], 1.0, None).unwrap_err();
    assert!(matches!(bad, Error::VertexPosition { index: 0, .. }));
    let flat = Volume::prism(&[[0., 0.], [1., 0.], [0., 1.]], [2.0, 2.0], 1.0, None);
    assert!(flat.unwrap_err().to_string().contains("from 2 m to 2 m"));
    let line = Volume::prism(&[[0., 0.], [1., 0.]], [0.0, 2.0], 1.0, None);
    assert!(line.unwrap_err().to_string().contains("2 corners"));
}
