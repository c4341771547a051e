//! Triangles for the benchmark: a folder of PLY meshes, or a generated city.

use std::{fs, path::Path};

use glam::Vec3;
use keller::geometry::bvh::Triangle;
use keller::random::Random;

/// Repeatable random numbers.
pub(crate) struct Uniform(Random);

impl Uniform {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random(seed))
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f32 {
        (self.0.bits() >> 40) as f32 / (1 << 24) as f32
    }
}

/// 60 x 60 blocks of turned boxes with courtyard-like annexes on flat ground: 43 000 triangles.
pub(crate) fn city() -> Vec<[Vec3; 3]> {
    let mut random = Uniform::new(1);
    let mut corners = Vec::new();
    for i in 0..60_u8 {
        for j in 0..60_u8 {
            let centre = Vec3::new(
                f32::from(i) * 40.0 - 1200.0,
                f32::from(j) * 40.0 - 1200.0,
                0.0,
            );
            let turn = glam::Quat::from_rotation_z(random.unit() * 0.3);
            let height = 6.0 + 30.0 * random.unit() * random.unit();
            let annex = Vec3::new(12.0, 4.0, 0.5 * height) * (0.7 + 0.5 * random.unit());
            for (offset, half, height) in [
                (
                    Vec3::ZERO,
                    Vec3::new(10.0 + 4.0 * random.unit(), 12.0, 0.0),
                    height,
                ),
                (Vec3::Y * 14.0, annex * Vec3::new(1.0, 1.0, 0.0), annex.z),
            ] {
                let corner = |x: f32, y: f32, z: f32| {
                    centre + turn * (offset + half * Vec3::new(x, y, 0.0)) + Vec3::Z * z
                };
                let base = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
                let roof = base.map(|(x, y)| corner(x, y, height));
                corners.extend([[roof[0], roof[1], roof[2]], [roof[0], roof[2], roof[3]]]);
                for k in 0..4 {
                    let (a, b) = (base[k], base[(k + 1) % 4]);
                    let wall = [
                        corner(a.0, a.1, 0.0),
                        corner(b.0, b.1, 0.0),
                        corner(b.0, b.1, height),
                        corner(a.0, a.1, height),
                    ];
                    corners.extend([[wall[0], wall[1], wall[2]], [wall[0], wall[2], wall[3]]]);
                }
            }
        }
    }
    let ground = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| Vec3::new(x, y, 0.0) * 1300.0);
    corners.extend([
        [ground[0], ground[1], ground[2]],
        [ground[0], ground[2], ground[3]],
    ]);
    corners
}

/// All triangles of a folder's PLY files (binary little endian, vertices of floats, faces of one list), in the order of
/// their names.
pub(crate) fn load(folder: &Path) -> Vec<[Vec3; 3]> {
    let entries = fs::read_dir(folder).expect("the argument is a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ply"));
    paths.sort();
    paths
        .iter()
        .flat_map(|path| parse_ply(&fs::read(path).expect("the mesh can be read")))
        .collect()
}

fn parse_ply(bytes: &[u8]) -> Vec<[Vec3; 3]> {
    let mark = b"end_header\n";
    let end = bytes
        .windows(mark.len())
        .position(|w| w == mark)
        .expect("a PLY header")
        + mark.len();
    let header = String::from_utf8_lossy(&bytes[..end]);
    assert!(
        header.contains("binary_little_endian"),
        "only binary PLY is read here"
    );
    let count = |element: &str| -> usize {
        let line = header
            .lines()
            .find_map(|line| line.strip_prefix(element))
            .expect("vertices and faces");
        line.trim().parse().expect("a count")
    };
    let (num_vertices, num_faces) = (count("element vertex"), count("element face"));
    let stride = 4 * header
        .lines()
        .filter(|line| line.starts_with("property float"))
        .count();
    let word = |at: usize| -> [u8; 4] { bytes[at..at + 4].try_into().expect("four bytes") };
    let vertex = |index: u32| {
        let at = end + index as usize * stride;
        Vec3::from_array([0, 4, 8].map(|offset| f32::from_le_bytes(word(at + offset))))
    };
    let mut at = end + num_vertices * stride;
    let mut corners = Vec::new();
    for _ in 0..num_faces {
        let length = usize::from(bytes[at]);
        let index = |k: usize| u32::from_le_bytes(word(at + 1 + 4 * k));
        for k in 2..length {
            corners.push([vertex(index(0)), vertex(index(k - 1)), vertex(index(k))]);
        }
        at += 1 + 4 * length;
    }
    corners
}

/// Each triangle as `parts` x `parts` ones.
pub(crate) fn split(corners: &[[Vec3; 3]], parts: u16) -> Vec<[Vec3; 3]> {
    let mut pieces = Vec::with_capacity(corners.len() * usize::from(parts) * usize::from(parts));
    for [a, b, c] in corners {
        let at = |i: u16, j: u16| {
            *a + (*b - *a) * (f32::from(i) / f32::from(parts))
                + (*c - *a) * (f32::from(j) / f32::from(parts))
        };
        for i in 0..parts {
            for j in 0..parts - i {
                pieces.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < parts {
                    pieces.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    pieces
}

/// Every triangle a group of its own.
pub(crate) fn triangles(corners: &[[Vec3; 3]]) -> Vec<Triangle> {
    (0..)
        .zip(corners)
        .map(|(group, &vertices)| Triangle { vertices, group })
        .collect()
}
