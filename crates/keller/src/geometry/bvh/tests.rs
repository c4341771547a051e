//! The index against a loop over all triangles, against itself on other instructions, and against leaks.

mod accelerators;
mod random_rays;
mod trees;
mod visits;

use glam::{DVec3, Quat, Vec3, Vec3A};

use self::random_rays::{Vectors, bundles, rays, soup};
use super::{Bvh, Dispatch, Hit, Ray, Triangle, build, node::Name, ray::Prepared};
use crate::random::Random;

fn triangle(vertices: [Vec3; 3], group: u32) -> Triangle {
    Triangle { vertices, group }
}

/// The definition of a hit, one triangle and one operation at a time.
fn hit_by_definition(bvh: &Bvh, triangle: &Triangle, ray: &Ray) -> Option<f32> {
    if ray.skip.contains(&triangle.group) || !build::has_area(triangle) {
        return None;
    }
    let prepared = Prepared::new(ray, bvh.corners);
    let [x, y, z] = prepared.axes;
    let [a, b, c] = triangle.vertices.map(|vertex| {
        let moved = vertex - ray.origin;
        let [slope_x, slope_y] = prepared.slope.map(|slope| slope * moved[z]);
        [moved[x] - slope_x, moved[y] - slope_y, moved[z]]
    });
    let u = c[0] * b[1] - c[1] * b[0];
    let v = a[0] * c[1] - a[1] * c[0];
    let w = b[0] * a[1] - b[1] * a[0];
    let inside = [u, v, w].iter().all(|&e| e >= 0.0) || [u, v, w].iter().all(|&e| e <= 0.0);
    let t = (u * a[2] + v * b[2] + w * c[2]) / (u + v + w) * prepared.scale;

    let vertices = triangle.vertices.map(Vec3A::from);
    let min = vertices[0].min(vertices[1]).min(vertices[2]);
    let max = vertices[0].max(vertices[1]).max(vertices[2]);
    let to_min = (min - prepared.own_min) * prepared.inverse;
    let to_max = (max - prepared.own_max) * prepared.inverse;
    let entry = to_min.min(to_max).max_element().max(0.0);
    let exit = to_min.max(to_max).min_element();
    let hit = inside && t > 0.0 && entry <= exit && t.max(entry) < ray.t_max;
    hit.then_some(t.max(entry))
}

/// The first hit by a loop over all triangles.
fn first_by_definition(bvh: &Bvh, triangles: &[Triangle], ray: &Ray) -> Option<Hit> {
    (0..)
        .zip(triangles)
        .filter_map(|(index, triangle)| {
            let t = hit_by_definition(bvh, triangle, ray)?;
            let name = Name {
                group: triangle.group,
                triangle: index,
            };
            Some((t, name))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
        .map(|(t, name)| Hit {
            t,
            triangle: name.triangle,
            group: name.group,
        })
}

fn available() -> impl Iterator<Item = Dispatch> {
    Dispatch::ALL
        .into_iter()
        .filter(|dispatch| dispatch.is_available())
}

#[test]
fn every_dispatch_single_or_batched_equals_the_loop_over_all_triangles() {
    let mut random = Vectors(Random(1));
    for (count, size, offset) in [
        (1, 1.0, Vec3::ZERO),
        (9, 1.0, Vec3::ZERO),
        (60, 10.0, Vec3::ZERO),
        (400, 100.0, Vec3::new(3000.0, -1000.0, 5.0)),
        (400, 1e7, Vec3::ZERO),
        (400, 1.0, Vec3::new(1e6, 1e6, 0.0)),
        (2000, 1000.0, Vec3::ZERO),
    ] {
        let triangles = soup(&mut random, count, size, offset);
        let bvh = Bvh::build(&triangles);
        let mut rays = rays(&mut random, &triangles, 3000, size, offset);
        rays.extend(bundles(&mut random, &triangles, 3000, size, offset));
        let expected: Vec<_> = rays
            .iter()
            .map(|ray| first_by_definition(&bvh, &triangles, ray))
            .collect();
        let hits = expected.iter().flatten().count();
        assert!(
            hits > rays.len() / 100,
            "{hits} hits of {count} triangles mean little"
        );
        for dispatch in available() {
            let bvh = bvh.clone().with_dispatch(dispatch);
            let mut batched = vec![None; rays.len()];
            let mut free = vec![false; rays.len()];
            bvh.closest_hits(&rays, &mut batched);
            bvh.are_free(&rays, &mut free);
            for (i, ray) in rays.iter().enumerate() {
                let context = || format!("{dispatch:?}, {count} triangles, ray {i} {ray:?}");
                assert_eq!(bvh.closest_hit(ray), expected[i], "{}", context());
                assert_eq!(batched[i], expected[i], "batched, {}", context());
                assert_eq!(bvh.is_free(ray), expected[i].is_none(), "{}", context());
                assert_eq!(free[i], expected[i].is_none(), "batched, {}", context());
            }
        }
    }
}

#[test]
fn a_hit_lies_on_its_triangle() {
    let mut random = Vectors(Random(2));
    let triangles: Vec<_> = (0..500)
        .map(|group| {
            let a = random.vector() * 100.0;
            triangle(
                [a, a + random.vector() * 20.0, a + random.vector() * 20.0],
                group,
            )
        })
        .collect();
    let bvh = Bvh::build(&triangles);
    let mut hits = 0;
    for _ in 0..20_000 {
        let ray = Ray::new(random.vector() * 100.0, random.vector());
        let Some(hit) = bvh.closest_hit(&ray) else {
            continue;
        };
        let [a, b, c] = triangles[hit.triangle as usize]
            .vertices
            .map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a).normalize();
        let direction = ray.direction.as_dvec3();
        let slant = normal.dot(direction.normalize()).abs();
        if slant < 0.01 {
            continue;
        }
        hits += 1;
        let point = ray.origin.as_dvec3() + f64::from(hit.t) * direction;
        assert!(
            (point - a).dot(normal).abs() < 1e-4,
            "{hit:?} is off its plane"
        );
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let inwards = normal.cross(to - from).normalize();
            assert!(
                (point - from).dot(inwards) > -1e-4 / slant,
                "{hit:?} is outside its triangle"
            );
        }
    }
    assert!(hits > 2000, "only {hits} hits");
}

/// The surface of a box, each face cut into `cuts` times `cuts` squares of two triangles, moved by `place`.
fn closed_box(half: Vec3, cuts: usize, place: impl Fn(Vec3) -> Vec3) -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for face in 0..6_u32 {
        let axis = face as usize % 3;
        let side = if face < 3 { 1.0 } else { -1.0 };
        let corner = |i: usize, j: usize| {
            let step = |k: usize| 2.0 * k as f32 / cuts as f32 - 1.0;
            let mut unit = Vec3::ZERO;
            unit[axis] = side;
            unit[(axis + 1) % 3] = step(i);
            unit[(axis + 2) % 3] = step(j);
            place(unit * half)
        };
        for i in 0..cuts {
            for j in 0..cuts {
                let [a, b, c, d] = [
                    corner(i, j),
                    corner(i + 1, j),
                    corner(i + 1, j + 1),
                    corner(i, j + 1),
                ];
                triangles.push(triangle([a, b, c], face));
                triangles.push(triangle([a, c, d], face));
            }
        }
    }
    triangles
}

/// Rays from inside closed boxes, aimed at their edges and vertices, that leave without a hit.
fn leaks(rays_a_box: usize, dispatch: Dispatch) -> usize {
    let mut random = Vectors(Random(3));
    let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -0.8, 1.1);
    let boxes = [
        closed_box(Vec3::ONE, 1, |v| v),
        closed_box(Vec3::new(10.0, 3.0, 0.1), 1, |v| turn * v),
        closed_box(Vec3::new(50.0, 20.0, 7.0), 5, |v| {
            v + Vec3::new(1000.0, -300.0, 20.0)
        }),
        closed_box(Vec3::new(50.0, 20.0, 7.0), 7, |v| {
            turn * v + Vec3::new(-700.0, 300.0, 20.0)
        }),
    ];
    let mut leaks = 0;
    for triangles in &boxes {
        let bvh = Bvh::build(triangles).with_dispatch(dispatch);
        let centre =
            triangles.iter().flat_map(|t| t.vertices).sum::<Vec3>() / (3 * triangles.len()) as f32;
        for i in 0..rays_a_box {
            // Any point of a convex body mixed with its centre lies inside.
            let pick = triangles[random.below(triangles.len())].vertices;
            let inside = centre + (pick[0] - centre) * (0.9 * random.signed());
            let [a, b, _] = triangles[random.below(triangles.len())].vertices;
            let target = if i % 4 == 0 {
                a
            } else {
                a + (b - a) * (0.5 + 0.5 * random.signed())
            };
            let ray = Ray::new(inside, target - inside);
            leaks += usize::from(bvh.closest_hit(&ray).is_none());
            leaks += usize::from(bvh.is_free(&ray));
        }
    }
    leaks
}

#[test]
fn no_ray_leaks_through_the_edges_and_vertices_of_closed_boxes() {
    for dispatch in available() {
        assert_eq!(leaks(25_000, dispatch), 0, "{dispatch:?}");
    }
}

#[test]
#[ignore = "ten million rays; run it in release"]
fn no_ray_of_ten_million_leaks() {
    for dispatch in available() {
        assert_eq!(leaks(2_500_000, dispatch), 0, "{dispatch:?}");
    }
}

#[test]
fn a_ray_that_leaves_a_plane_ignores_all_of_it_and_nothing_else() {
    let triangles = closed_box(Vec3::ONE, 4, |v| v);
    let bvh = Bvh::build(&triangles);
    let mut random = Vectors(Random(4));
    for _ in 0..1000 {
        let on_floor = Vec3::new(random.signed(), random.signed(), -1.0);
        let up = Ray::new(
            on_floor,
            Vec3::new(random.signed(), random.signed(), random.signed().abs()),
        );
        let hit = bvh.closest_hit(&up.skipping([5, Ray::NO_GROUP]));
        assert!(
            hit.is_some_and(|hit| hit.group != 5),
            "{hit:?} from {on_floor}"
        );
    }
}

#[test]
fn the_interval_of_a_ray_is_open() {
    let bvh = Bvh::build(&[triangle([Vec3::ZERO, Vec3::X, Vec3::Y], 0)]);
    let above = Vec3::new(0.25, 0.25, 2.0);
    let on = Vec3::new(0.25, 0.25, 0.0);
    assert!(bvh.is_free(&Ray::between(above, on)), "the far end counts");
    assert!(bvh.is_free(&Ray::between(on, above)), "the near end counts");
    assert!(
        !bvh.is_free(&Ray::between(above, on - Vec3::Z * 1e-3)),
        "just across is free"
    );
}

/// Alone, and sixteen of them, which go through the tree together.
fn hits_nothing(bvh: &Bvh, ray: Ray) {
    for dispatch in available() {
        let bvh = bvh.clone().with_dispatch(dispatch);
        assert_eq!(bvh.closest_hit(&ray), None, "{dispatch:?}, {ray:?}");
        let (mut hits, mut free) = ([None; 16], [false; 16]);
        bvh.closest_hits(&[ray; 16], &mut hits);
        bvh.are_free(&[ray; 16], &mut free);
        assert_eq!(hits, [None; 16], "{dispatch:?}, {ray:?}");
        assert_eq!(free, [true; 16], "{dispatch:?}, {ray:?}");
    }
}

#[test]
fn impossible_rays_and_empty_scenes_hit_nothing() {
    let empty = Bvh::build(&[triangle([Vec3::ZERO; 3], 0)]);
    let full = Bvh::build(&closed_box(Vec3::ONE, 3, |v| v));
    let mut visited = 0;
    empty.candidates(DVec3::ZERO, DVec3::ONE, 1.0, |_| {
        visited += 1;
        true
    });
    empty.visit(|_, _| true, |_| visited += 1);
    full.candidates(DVec3::NAN, DVec3::ONE, 1.0, |_| {
        visited += 1;
        true
    });
    assert_eq!(visited, 0, "triangles where there are none");
    for bad in [
        Vec3::ZERO,
        Vec3::NAN,
        Vec3::INFINITY,
        Vec3::X * f32::NEG_INFINITY,
        Vec3::new(f32::NAN, 0.9, 0.4),
        Vec3::new(0.9, 0.4, f32::NAN),
        Vec3::new(0.9, f32::INFINITY, 0.4),
    ] {
        hits_nothing(&full, Ray::new(Vec3::ZERO, bad));
    }
    for bad in [
        Vec3::NAN,
        Vec3::INFINITY,
        Vec3::splat(1e30),
        Vec3::new(f32::NAN, 0.1, 0.2),
        Vec3::new(0.1, 0.2, f32::NAN),
        Vec3::new(0.1, f32::NEG_INFINITY, 0.2),
    ] {
        hits_nothing(&full, Ray::new(bad, Vec3::new(0.9, 0.4, -0.1)));
    }
    let ray = Ray {
        t_max: f32::NAN,
        ..Ray::new(Vec3::ZERO, Vec3::X)
    };
    assert_eq!(full.closest_hit(&ray), None, "t_max is NaN");
    assert_eq!(
        empty.closest_hit(&Ray::new(Vec3::ZERO, Vec3::X)),
        None,
        "nothing is there"
    );
    assert_eq!(empty.bounds(), None, "nothing is there");
}
