//! Tests of how trees are built.

use super::*;

#[test]
fn the_same_triangles_give_the_same_index() {
    let triangles = soup(&mut Vectors(Random(6)), 3000, 10.0, Vec3::ZERO);
    let [a, b] = [0, 1].map(|_| format!("{:?}", Bvh::build(&triangles)));
    assert!(a == b, "two builds differ");
}

#[test]
fn a_tree_that_would_be_too_deep_is_balanced() {
    let triangles: Vec<_> = (1..3000)
        .map(|i| {
            let size = 1.0 + i as f32 * 0.01;
            let corner = |x: f32, y: f32| Vec3::new(x * size, y * size, 0.001 * size);
            triangle([corner(-1.0, -1.0), corner(1.0, -1.0), corner(0.0, 1.0)], i)
        })
        .collect();
    let bvh = Bvh::build(&triangles);
    let ray = Ray::new(Vec3::new(0.0, 0.0, 10.0), -Vec3::Z);
    assert_eq!(
        bvh.closest_hit(&ray),
        first_by_definition(&bvh, &triangles, &ray)
    );
    let ray = Ray::new(Vec3::new(0.0, 0.0, -10.0), Vec3::Z);
    assert_eq!(
        bvh.closest_hit(&ray),
        first_by_definition(&bvh, &triangles, &ray)
    );
}

#[test]
fn parts_answer_as_the_whole() {
    let mut random = Vectors(Random(11));
    let mut triangles = soup(&mut random, 3000, 10.0, Vec3::ZERO);
    // Triangles without an area, in one place, and with all centres in a line.
    triangles.extend((0..40).map(|i| triangle([Vec3::ONE; 3], i)));
    triangles.extend([triangles[7]; 60]);
    let strip = |i: u16| {
        let x = Vec3::X * f32::from(i);
        triangle([x, x + Vec3::Y, x + Vec3::Z], 9000)
    };
    triangles.extend((0..200).map(strip));
    let whole = Bvh::build(&triangles);
    for max_triangles in [1, 7, 100, 1500, 3100] {
        let (nodes, leaves) =
            build::build_in_parts(triangles.len(), &|i| triangles[i], max_triangles);
        let mut names: Vec<u32> = leaves.names.iter().map(|name| name.triangle).collect();
        names.sort_unstable();
        let sound = (0..).zip(&triangles).filter(|(_, t)| build::has_area(t));
        assert!(
            names.into_iter().eq(sound.map(|(i, _)| i)),
            "{max_triangles} a part"
        );
        let parts = Bvh::from_parts(nodes, leaves);
        assert_eq!(parts.bounds(), whole.bounds(), "{max_triangles} a part");
        for _ in 0..2000 {
            let ray = Ray::new(12.0 * random.vector(), random.vector());
            assert_eq!(
                parts.closest_hit(&ray),
                whole.closest_hit(&ray),
                "{max_triangles} a part"
            );
        }
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let (nodes, leaves) = one
            .unwrap()
            .install(|| build::build_in_parts(triangles.len(), &|i| triangles[i], max_triangles));
        let alone = Bvh::from_parts(nodes, leaves);
        assert!(
            format!("{alone:?}") == format!("{parts:?}"),
            "{max_triangles} a part: threads"
        );
    }
}
