//! Rays on a card against the same rays on the processor: the same bits, whatever the rays and triangles.

use std::sync::Arc;

use crate::gpu;
use glam::Vec3;
use keller::geometry::bvh::{Answer, Bvh, Question, Ray, RayAccelerator, Triangle};
use keller::random::Random;

use crate::random_rays::{Vectors, bundles, rays, soup};
use keller_gpu::{Gpu, Tuning};

/// Every batch goes to the card, in parts.
const TUNING: Tuning = Tuning {
    fewest_rays: 1,
    rays_at_once: 4000,
    fewest_pairs: 1,
    pairs_at_once: 1 << 16,
};

/// Compares all answers, and returns the share of rays that the card leaves to the processor.
fn compare(gpu: &Gpu, triangles: &[Triangle], rays: &[Ray], context: &str) -> f64 {
    let here = Bvh::build(triangles);
    let index = gpu.index_with(&here, TUNING, |error| panic!("{error}"));
    let index = Arc::new(index.unwrap());
    let there = here.clone().with_accelerator(index.clone());
    let num = rays.len();
    let (mut a, mut b) = (vec![None; num], vec![None; num]);
    here.closest_hits(rays, &mut a);
    there.closest_hits(rays, &mut b);
    for ((a, b), ray) in a.iter().zip(&b).zip(rays) {
        let bits = |hit: &Option<keller::geometry::bvh::Hit>| {
            hit.map(|hit| (hit.t.to_bits(), hit.triangle, hit.group))
        };
        assert_eq!(bits(a), bits(b), "{context}: {ray:?}");
    }
    let (mut free, mut free_there) = (vec![false; num], vec![false; num]);
    here.are_free(rays, &mut free);
    there.are_free(rays, &mut free_there);
    let mut blockers = vec![None; num];
    there.blockers(rays, &mut blockers);
    for i in 0..num {
        let ray = rays[i];
        assert_eq!(free[i], free_there[i], "{context}: {ray:?}");
        assert_eq!(free[i], blockers[i].is_none(), "{context}: {ray:?}");
        if let Some(blocker) = blockers[i] {
            // What is named does block the ray.
            let alone = Bvh::build(&[triangles[blocker as usize]]);
            assert!(!alone.is_free(&ray), "{context}: {ray:?}");
            assert!(
                !ray.skip.contains(&triangles[blocker as usize].group),
                "{context}"
            );
        }
    }
    let mut unknown = 0;
    let count = &mut |_, answer| unknown += usize::from(answer == Answer::Unknown);
    index.answer(rays, Question::First, count).unwrap();
    unknown as f64 / num as f64
}

#[test]
fn triangles_of_all_shapes_and_rays_at_their_borders() {
    let Some(gpu) = gpu() else { return };
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
        let mut all = rays(&mut random, &triangles, 6000, size, offset);
        all.extend(bundles(&mut random, &triangles, 6000, size, offset));
        let unknown = compare(
            &gpu,
            &triangles,
            &all,
            &format!("{count} triangles of {size}"),
        );
        assert!(
            unknown < 0.2,
            "{count} triangles of {size}: {unknown} unknown"
        );
    }
}

#[test]
fn impossible_rays_empty_scenes_and_numbers_near_zero() {
    let Some(gpu) = gpu() else { return };
    let mut random = Vectors(Random(2));
    let triangles = soup(&mut random, 200, 10.0, Vec3::ZERO);
    let mut odd = Vec::new();
    for ray in rays(&mut random, &triangles, 500, 10.0, Vec3::ZERO) {
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0][random.below(5)];
        let tiny = [1e-45, 1e-38, 1e-30, 1e-20, 1e-12, -1e-40][random.below(6)];
        let axis = random.below(3);
        for value in [bad, tiny] {
            let mut from = ray;
            from.origin[axis] = value;
            let mut to = ray;
            to.direction[axis] = value;
            let mut nowhere = ray;
            nowhere.direction = Vec3::splat(0.0).with_x(bad);
            let mut end = ray;
            end.t_max = value;
            odd.extend([from, to, nowhere, end]);
        }
        for scale in [1e-18, 1e-9, 1e9, 1e17] {
            odd.push(Ray {
                direction: ray.direction * scale,
                t_max: ray.t_max / scale,
                ..ray
            });
        }
    }
    compare(&gpu, &triangles, &odd, "odd rays");
    compare(&gpu, &[], &odd, "no triangles");
}

#[test]
fn a_city_leaves_almost_nothing_to_the_processor() {
    let Some(gpu) = gpu() else { return };
    let mut random = Vectors(Random(3));
    // Houses on a grid, whose walls touch, and rays that start on walls and in streets.
    let mut triangles = Vec::new();
    let mut quad = |corners: [Vec3; 4]| {
        let group = u32::try_from(triangles.len() / 2).unwrap();
        for vertices in [[0, 1, 2], [0, 2, 3]].map(|c| c.map(|i| corners[i])) {
            triangles.push(Triangle { vertices, group });
        }
    };
    let size = 1000.0;
    quad([[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]].map(|[x, y]| Vec3::new(x, y, 0.0) * size));
    for _ in 0..600 {
        let at = (random.vector() * size / 20.0).round() * 20.0 * Vec3::new(1.0, 1.0, 0.0);
        let height = 8.0 + 4.0 * random.signed();
        let foot =
            [[0., 0.], [20., 0.], [20., 15.], [0., 15.]].map(|[x, y]| at + Vec3::new(x, y, 0.0));
        let roof = foot.map(|p| p + Vec3::Z * height);
        quad(roof);
        for i in 0..4 {
            quad([foot[i], foot[(i + 1) % 4], roof[(i + 1) % 4], roof[i]]);
        }
    }
    let mut all = Vec::new();
    for _ in 0..30_000 {
        let from = random.vector() * Vec3::new(size, size, 5.0) + Vec3::Z * 6.0;
        all.push(Ray::new(from, random.vector()));
        let some = triangles[random.below(triangles.len())];
        let on = some.vertices[0] + 0.3 * (some.vertices[1] - some.vertices[0]);
        all.push(Ray::between(from, on).skipping([some.group, Ray::NO_GROUP]));
    }
    let unknown = compare(&gpu, &triangles, &all, "city");
    assert!(
        unknown < 1e-3,
        "{unknown} of the rays are left to the processor"
    );
}
