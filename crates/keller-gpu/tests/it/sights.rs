//! Which points see each other, on a card against rays on the processor.

use std::sync::{Arc, Mutex};

use crate::gpu;
use glam::{Vec3, Vec3A};
use keller::geometry::bvh::{
    Bvh, Ray, RayAccelerator, SightPlace, SightPoint, SightWall, Triangle,
};
use keller::random::Random;

use crate::random_rays::{Vectors, soup};
use keller_gpu::{Gpu, GpuIndex, Tuning};

const TUNING: Tuning = Tuning {
    fewest_rays: 1,
    rays_at_once: 1 << 17,
    fewest_pairs: 1,
    pairs_at_once: 1 << 20,
};

/// The group of points that lie on no wall.
const FREE: u32 = u32::MAX >> 1;

/// Points in a box, in runs of neighbours: the box is cut into 16 by 16 by 16 cells of two or more points.
fn points(random: &mut Vectors, size: f32, middle: Vec3) -> Vec<SightPoint> {
    let mut points = Vec::new();
    for cell in 0..16 * 16 * 16_u32 {
        // Along a Morton curve.
        let spread = |shift: u32| {
            (0..4)
                .map(|bit| (cell >> (3 * bit + shift) & 1) << bit)
                .sum()
        };
        let corner: [u32; 3] = [spread(0), spread(1), spread(2)];
        for _ in 0..2 {
            let inside = 0.5 * (random.vector() + 1.0);
            let [x, y, z] = corner.map(|k| k as f32);
            let share = (Vec3::new(x, y, z) + inside) / 8.0 - 1.0;
            points.push(SightPoint {
                at: (middle + size * share).to_array(),
                number: u32::try_from(points.len()).unwrap(),
                normal: Vec3A::from(random.vector()).normalize_or(Vec3A::Z).into(),
                group: FREE,
                is_in_plane: false,
            });
        }
    }
    points
}

/// Each triangle is a wall.
fn numbers(triangles: &[Triangle]) -> Vec<u32> {
    (0..).zip(triangles).map(|(number, _)| number).collect()
}

/// The triangles as walls.
fn walls(triangles: &[Triangle]) -> Vec<SightWall> {
    let wall = |triangle: &Triangle| {
        let [a, b, c] = triangle.vertices;
        SightWall {
            corners: [a, b, c, c].map(|corner| corner.to_array()),
            normal: (b - a).cross(c - a).normalize_or_zero().to_array(),
        }
    };
    triangles.iter().map(wall).collect()
}

fn index(gpu: &Gpu, bvh: &Bvh) -> GpuIndex {
    let index = gpu.index_with(bvh, TUNING, |error| panic!("{error}"));
    index.unwrap()
}

/// For each viewpoint, 0 for points that it does not see, 1 for those it sees, 2 for those in doubt.
fn looked(index: &GpuIndex, place: &SightPlace<'_>, eyes: &[SightPoint]) -> Vec<Vec<u8>> {
    let sights = index.sights(place).unwrap();
    let mut rows = Vec::new();
    let mut tell = |row, sight: keller::geometry::bvh::Sight<'_>| {
        assert_eq!(row, rows.len(), "rows come in order");
        let bit = |k: usize| (sight.seen[k / 32] >> (k % 32) & 1) as u8;
        let mut answers: Vec<u8> = (0..place.points.len()).map(bit).collect();
        for doubt in sight.doubts {
            assert_eq!(answers[*doubt as usize], 0, "a doubt has no bit");
            answers[*doubt as usize] = 2;
        }
        rows.push(answers);
    };
    sights.look(eyes, &mut tell).unwrap();
    rows
}

/// Walls of all shapes, through each other and with shared edges: what is left out because a wall hides it, no ray would have found.
#[test]
fn a_card_sees_what_rays_say() {
    let Some(gpu) = gpu() else { return };
    for (seed, (num, middle)) in
        (0..).zip([(100, Vec3::ZERO), (500, Vec3::new(900.0, -700.0, 30.0))])
    {
        let mut random = Vectors(Random(seed));
        let size = 50.0;
        let triangles = soup(&mut random, num, size, middle);
        let bvh = Bvh::build(&triangles);
        let points = points(&mut random, size, middle);
        let reach = middle.abs().max_element() + 2.0 * size;
        let place = SightPlace {
            points: &points,
            wall_of: &numbers(&triangles),
            walls: &walls(&triangles),
            margin: 4e-6 * reach,
            beside: 4e-6 * reach,
        };
        // A viewpoint on a wall, whose plane hides nothing from it, and free ones.
        let mut eyes: Vec<SightPoint> = points.iter().step_by(400).copied().collect();
        eyes[0].group = triangles[0].group;
        let rows = looked(&index(&gpu, &bvh), &place, &eyes);
        assert_eq!(rows.len(), eyes.len());
        let (mut seen, mut hidden, mut doubts) = (0, 0, 0);
        for (eye, row) in eyes.iter().zip(&rows) {
            for (point, answer) in points.iter().zip(row) {
                let (from, to) = if point.number < eye.number {
                    (point, eye)
                } else {
                    (eye, point)
                };
                let [a, b] = [from, to].map(|end| Vec3::from_array(end.at));
                let is_free = bvh.is_free(&Ray::between(a, b).skipping([eye.group, point.group]));
                match answer {
                    0 => hidden += 1,
                    1 => seen += 1,
                    _ => doubts += 1,
                }
                let agrees = *answer == 2 || is_free == (*answer == 1);
                assert!(agrees, "{seed}: {eye:?} {point:?}: {answer}, {is_free}");
            }
        }
        assert!(seen > 10_000 && hidden > 10_000, "{seen} {hidden}");
        assert!(doubts < 100, "{doubts}");
    }
}

/// Near a plane only the processor can say who lies in it: all of it comes back, in batches that have room for it.
#[test]
fn doubts_come_back_however_many_there_are() {
    let Some(gpu) = gpu() else { return };
    let triangles = soup(&mut Vectors(Random(4)), 4, 1.0, Vec3::new(0.0, 0.0, 1000.0));
    let bvh = Bvh::build(&triangles);
    let points = points(&mut Vectors(Random(5)), 50.0, Vec3::ZERO);
    let place = SightPlace {
        points: &points,
        wall_of: &numbers(&triangles),
        walls: &walls(&triangles),
        margin: 5e-3,
        beside: 1e6,
    };
    let mut eyes: Vec<SightPoint> = points.iter().step_by(300).copied().collect();
    for eye in &mut eyes {
        eye.group = 0;
    }
    let num = points.len();
    assert!(eyes.len() * num > 1 << 17, "more than there is room for");
    let rows = looked(&index(&gpu, &bvh), &place, &eyes);
    for row in rows {
        assert_eq!(row, vec![2; num]);
    }
}

/// A small place on a card of which every warning is kept.
fn with_warnings(gpu: &Gpu, test: impl FnOnce(&GpuIndex, &SightPlace<'_>)) -> Vec<String> {
    let triangles = soup(&mut Vectors(Random(6)), 20, 50.0, Vec3::ZERO);
    let bvh = Bvh::build(&triangles);
    let points = points(&mut Vectors(Random(7)), 50.0, Vec3::ZERO);
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let warn = move |error: keller_gpu::Error| tell.lock().unwrap().push(error.to_string());
    let index = gpu.index_with(&bvh, TUNING, warn).unwrap();
    let place = SightPlace {
        points: &points,
        wall_of: &numbers(&triangles),
        walls: &walls(&triangles),
        margin: 1e-3,
        beside: 1e-3,
    };
    test(&index, &place);
    assert_eq!(index.fewest_pairs(), usize::MAX, "it is asked no more");
    assert!(index.sights(&place).is_none(), "it is asked no more");
    let told = told.lock().unwrap();
    told.clone()
}

#[test]
fn a_card_that_is_lost_sees_nothing_and_says_so_once() {
    let Some(gpu) = gpu() else { return };
    let told = with_warnings(&gpu, |index, place| {
        let sights = index.sights(place).unwrap();
        gpu.lose();
        for _ in 0..2 {
            let from = &place.points[..8];
            let looked = sights.look(from, &mut |_, _| panic!("it is lost"));
            looked.unwrap_err();
        }
    });
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(gpu.name()), "{told:?}");
}

#[test]
fn a_card_that_sees_otherwise_is_refused_once() {
    let Some(gpu) = gpu() else { return };
    let told = with_warnings(&gpu, |index, place| {
        for _ in 0..2 {
            if let Some(sights) = index.sights(place) {
                sights.refuse(3, 8);
            }
        }
    });
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("3 of 8"), "{told:?}");
}
