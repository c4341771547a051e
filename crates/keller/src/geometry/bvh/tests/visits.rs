//! Tests of the triangles that visits of a segment's neighbourhood and of a volume reach.

use super::*;

#[test]
fn candidates_are_all_that_a_segment_may_touch_once() {
    let mut random = Vectors(Random(5));
    let triangles = soup(&mut random, 600, 50.0, Vec3::new(100.0, 0.0, 0.0));
    let bvh = Bvh::build(&triangles);
    let indices = available().map(|dispatch| bvh.clone().with_dispatch(dispatch));
    let indices: Vec<_> = indices.collect();
    for i in 0..4000 {
        let bvh = &indices[i % indices.len()];
        let a = (random.vector() * 60.0).as_dvec3() + DVec3::X * 100.0;
        let mut b = (random.vector() * 60.0).as_dvec3() + DVec3::X * 100.0;
        match i % 4 {
            0 => b = DVec3::new(b.x, a.y, a.z),
            1 => b = a + (b - a) * [1e-9, 1e-30, 0.0][random.below(3)],
            _ => {}
        }
        let margin = [0.0, 1e-3, 2.0][i % 3];
        let mut seen = vec![0; triangles.len()];
        bvh.candidates(a, b, margin, |triangle| {
            seen[triangle as usize] += 1;
            true
        });
        for (triangle, &seen) in triangles.iter().zip(&seen) {
            let near = (0..=64).any(|k| {
                let point = a.lerp(b, f64::from(k) / 64.0);
                let min = triangle
                    .vertices
                    .iter()
                    .fold(DVec3::INFINITY, |m, v| m.min(v.as_dvec3()));
                let max = triangle
                    .vertices
                    .iter()
                    .fold(DVec3::NEG_INFINITY, |m, v| m.max(v.as_dvec3()));
                let margin = DVec3::splat(f64::from(margin));
                point.cmpge(min - margin).all() && point.cmple(max + margin).all()
            });
            if near && build::has_area(triangle) {
                assert_eq!(seen, 1, "segment {a} {b}, margin {margin}, {triangle:?}");
            }
            assert!(seen <= 1, "visited twice");
        }
    }
}

#[test]
fn visits_are_ranked_and_reach_everything_kept() {
    let triangles = closed_box(Vec3::ONE, 20, |v| v);
    let bvh = Bvh::build(&triangles);
    let mut seen = Vec::new();
    bvh.visit(|_, max| max.x >= 0.999, |triangle| seen.push(triangle));
    seen.sort_unstable();
    for (index, triangle) in (0..).zip(&triangles) {
        let reaches = triangle.vertices.iter().any(|v| v.x >= 0.999);
        assert!(
            !reaches || seen.binary_search(&index).is_ok(),
            "triangle {index} is missing"
        );
    }
    let mut first = None;
    let rank = |_: Vec3, max: Vec3| Some(-max.z);
    bvh.visit_ordered(rank, |triangle| {
        first.get_or_insert(triangle);
    });
    let first = triangles[first.unwrap() as usize];
    assert!(
        first.vertices.iter().any(|v| v.z == 1.0),
        "{first:?} is not at the top"
    );
}
