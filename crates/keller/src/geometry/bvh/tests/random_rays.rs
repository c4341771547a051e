//! Random triangles and rays that try an index, for its tests. Those of cards in `keller-gpu` include this file by
//! its path, so it takes `Random`, `Ray` and `Triangle` from the module around it.

use glam::Vec3;

use super::{Random, Ray, Triangle};

/// Vectors of single precision from the random generator.
#[derive(Debug)]
pub(crate) struct Vectors(pub(crate) Random);

impl Vectors {
    /// A whole number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.below(end)
    }

    /// A number in [-1, 1).
    pub(crate) fn signed(&mut self) -> f32 {
        (self.0.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Each coordinate in [-1, 1).
    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Random triangles of many shapes: compact, slivers, shared edges, copies, axis-parallel, zero area.
pub(crate) fn soup(random: &mut Vectors, count: usize, size: f32, offset: Vec3) -> Vec<Triangle> {
    let group_of = |random: &mut Vectors| {
        u32::try_from(random.below(count / 4 + 1)).expect("fewer than 2^32 triangles")
    };
    let mut triangles: Vec<Triangle> = Vec::new();
    while triangles.len() < count {
        let a = random.vector() * size;
        let reach = size * [0.02, 0.2, 1.0][random.below(3)];
        let mut b = a + random.vector() * reach;
        let mut c = a + random.vector() * reach;
        match random.below(8) {
            0 => c = a + (b - a) * 0.7 + random.vector() * (size * 1e-6),
            1 => {
                b.z = a.z;
                c.z = a.z;
            }
            2 => c = b,
            3 => b = a + (c - a) * 0.5,
            _ => {}
        }
        let group = group_of(random);
        let vertices = [a + offset, b + offset, c + offset];
        triangles.push(Triangle { vertices, group });
        if random.below(3) == 0 {
            let last = triangles[triangles.len() - 1];
            let apex = last.vertices[random.below(3)] + random.vector() * reach;
            let vertices = [last.vertices[1], last.vertices[0], apex];
            triangles.push(Triangle { vertices, group });
        }
        if random.below(20) == 0 {
            let mut last = triangles[triangles.len() - 1];
            last.group = group_of(random);
            triangles.push(last);
        }
    }
    triangles
}

/// Rays from anywhere, along axes, along edges, from and at vertices, bounded or not, skipping or not.
pub(crate) fn rays(
    random: &mut Vectors,
    triangles: &[Triangle],
    count: usize,
    size: f32,
    offset: Vec3,
) -> Vec<Ray> {
    (0..count)
        .map(|_| {
            let some = triangles[random.below(triangles.len())];
            let origin = match random.below(4) {
                0 => some.vertices[random.below(3)],
                1 => (some.vertices[0] + some.vertices[1]) * 0.5,
                _ => random.vector() * size * 1.5 + offset,
            };
            let other = triangles[random.below(triangles.len())];
            let direction = match random.below(6) {
                0 => Vec3::AXES[random.below(3)] * if random.below(2) == 0 { 1.0 } else { -1.0 },
                1 => some.vertices[1] - some.vertices[0],
                2 => other.vertices[0] - origin,
                3 => other.vertices[0] * 0.3 + other.vertices[1] * 0.7 - origin,
                4 => (random.vector() * Vec3::new(1.0, 1.0, 0.0)) * 3.0,
                _ => random.vector(),
            };
            let mut ray = Ray::new(origin, direction);
            if random.below(3) == 0 {
                ray.t_max = random.signed().abs() * 2.0;
            }
            if random.below(2) == 0 {
                ray.skip[random.below(2)] = some.group;
            }
            ray
        })
        .collect()
}

/// Rays in bundles of about sixteen that start near each other and go much the same way, as a launch makes them.
pub(crate) fn bundles(
    random: &mut Vectors,
    triangles: &[Triangle],
    count: usize,
    size: f32,
    offset: Vec3,
) -> Vec<Ray> {
    let mut all = Vec::new();
    while all.len() < count {
        let leader = rays(random, triangles, 1, size, offset)[0];
        let width = [0.0, 1e-3, 0.03][random.below(3)];
        for _ in 0..16 + random.below(3) * 8 {
            let mut ray = leader;
            ray.origin += random.vector() * (size * 1e-3 * [0.0, 1.0][random.below(2)]);
            ray.direction += random.vector() * (width * leader.direction.length());
            all.push(ray);
        }
    }
    all
}
