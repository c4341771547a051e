//! The scene as voxels that hold one wall each.

use glam::{DVec3, UVec3};
use keller::scene::{FaceId, Scene};
use rayon::prelude::*;

use super::grid::Grid;

/// Walls along a border of voxels, to this part of a voxel, belong to the voxel above it.
const ROUNDING: f64 = 1e-9;

/// The wall that each voxel holds.
///
/// Of several walls in a voxel, the one whose plane passes nearest to the centre stays, and of those the one with the lowest
/// number. The others are lost there. Hu 2020, section 3.2.2, says that some have to be discarded, but not which.
#[derive(Debug, Clone, PartialEq)]
pub struct Raster {
    /// The number of the wall plus one; zero in free voxels.
    walls: Vec<u32>,
    /// Pairs of a wall and a voxel that the voxel does not hold.
    num_lost: usize,
}

impl Raster {
    /// The walls of a scene in the voxels that they cut.
    pub fn new(grid: &Grid, scene: &Scene) -> Self {
        let [_, _, nz] = grid.count.to_array();
        let layer = grid.count.x as usize * grid.count.y as usize;
        let mut walls = vec![0_u32; grid.num_voxels()];
        // Each layer by itself, all triangles in their order: the same for any number of threads.
        let lost = walls
            .par_chunks_mut(layer)
            .zip(0..nz)
            .map(|(walls, k)| of_layer(grid, scene, k, walls));
        let num_lost = lost.sum();
        Self { walls, num_lost }
    }

    /// The wall in a voxel.
    #[inline]
    pub fn wall(&self, index: usize) -> Option<FaceId> {
        match self.walls[index] {
            0 => None,
            number => Some(FaceId::from_index(number as usize - 1)),
        }
    }

    /// Pairs of a wall and a voxel cut by it that holds another wall.
    pub fn num_lost(&self) -> usize {
        self.num_lost
    }

    /// Voxels that hold a wall.
    pub fn num_filled(&self) -> usize {
        self.walls.iter().filter(|wall| **wall != 0).count()
    }

    /// Memory, bytes.
    pub fn memory_bytes(&self) -> usize {
        4 * self.walls.len()
    }
}

/// Fills a layer and returns how many walls were lost in its voxels.
fn of_layer(grid: &Grid, scene: &Scene, k: u32, walls: &mut [u32]) -> usize {
    let low = grid.low.z + grid.side * f64::from(k);
    let mut lost = std::collections::BTreeSet::new();
    for (triangle, &face) in scene.triangle_faces().iter().enumerate() {
        let corners = scene.corners(triangle);
        let [a, b, c] = corners;
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        let slack = ROUNDING * grid.side;
        if most.z < low - slack || least.z >= low + grid.side - slack {
            continue;
        }
        if least.cmpgt(grid.high()).any() || most.cmplt(grid.low).any() {
            continue;
        }
        // One more on either side, as places on borders may be rounded either way.
        let first = grid.voxel(least).saturating_sub(UVec3::ONE);
        let last = (grid.voxel(most) + UVec3::ONE).min(grid.count - UVec3::ONE);
        for j in first.y..=last.y {
            for i in first.x..=last.x {
                let voxel = UVec3::new(i, j, k);
                let centre = grid.centre(voxel);
                if !cuts(&corners, centre, 0.5 * grid.side) {
                    continue;
                }
                let held = &mut walls[(j * grid.count.x + i) as usize];
                let number = u32::try_from(face.index() + 1).expect("ids of faces have 32 bits");
                if *held == 0 {
                    *held = number;
                } else if *held != number {
                    let of = |number: u32| {
                        let face = FaceId::from_index(number as usize - 1);
                        scene.plane(scene.plane_of(face)).distance(centre).abs()
                    };
                    let nearness = of(number).total_cmp(&of(*held));
                    let loser = if nearness.then(number.cmp(held)).is_lt() {
                        std::mem::replace(held, number)
                    } else {
                        number
                    };
                    lost.insert((i, j, loser));
                }
            }
        }
    }
    // A wall of several triangles may lose with one and win with none, never both.
    lost.len()
}

/// Whether a triangle and a cube share a point. Cubes do not hold their upper borders where the triangle lies along one.
///
/// # Source
/// T. Akenine-Möller, "Fast 3D triangle-box overlap testing", 2001: separating axes.
fn cuts(corners: &[DVec3; 3], centre: DVec3, half: f64) -> bool {
    let slack = 2.0 * ROUNDING * half;
    let [a, b, c] = corners.map(|corner| corner - centre);
    for k in 0..3 {
        let (least, most) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
        if least >= half - slack || most < -half - slack {
            return false;
        }
    }
    let edges = [b - a, c - b, a - c];
    let normal = edges[0].cross(edges[1]);
    let separates = |axis: DVec3| {
        let reach = (half + slack) * axis.abs().element_sum();
        let along = [a, b, c].map(|corner| axis.dot(corner));
        let least = along[0].min(along[1]).min(along[2]);
        let most = along[0].max(along[1]).max(along[2]);
        least > reach || most < -reach
    };
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let crossed = edges
        .iter()
        .flat_map(|edge| axes.iter().map(|axis| axis.cross(*edge)));
    !separates(normal) && !crossed.into_iter().any(separates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::random::Random;
    use keller::scene::Mesh;

    fn grid() -> Grid {
        Grid {
            low: DVec3::new(-0.11, -0.07, -0.13),
            side: 0.5,
            count: UVec3::new(12, 11, 10),
            layer: 4,
        }
    }

    /// Triangles at random: every point of one lies in a voxel that holds a wall, and walls keep to their voxels.
    #[test]
    fn voxels_with_a_point_of_a_wall_hold_a_wall_and_others_do_not() {
        let grid = grid();
        let mut random = Random(3);
        for case in 0..20 {
            let corners = [0; 3].map(|_| random.point(DVec3::ZERO, DVec3::new(5.6, 5.2, 4.7)));
            let mut mesh = Mesh::default();
            mesh.add_polygon("wall", &corners);
            let scene = Scene::new(&mesh).unwrap();
            let raster = Raster::new(&grid, &scene);
            let [a, b, c] = corners;
            let mut touched = vec![false; grid.num_voxels()];
            for _ in 0..20_000 {
                let (mut u, mut v) = (random.range(0.0, 1.0), random.range(0.0, 1.0));
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let at = grid.index(grid.voxel(a + u * (b - a) + v * (c - a)));
                assert!(raster.wall(at).is_some(), "case {case}");
                touched[at] = true;
            }
            // So many points touch all voxels but those of which next to nothing is cut.
            let touched = touched.iter().filter(|is| **is).count();
            assert!(
                raster.num_filled() <= touched + touched / 4 + 12,
                "case {case}"
            );
            assert_eq!(raster.num_lost(), 0, "case {case}");
        }
    }

    #[test]
    fn a_wall_along_the_grid_is_one_voxel_thick() {
        let grid = grid();
        let mut mesh = Mesh::default();
        let wall = [[1.0, 0.1], [1.0, 5.0]];
        let [low, high] = wall.map(|[x, y]| DVec3::new(x, y, 0.0));
        mesh.add_polygon("wall", &[low, high, high.with_z(4.0), low.with_z(4.0)]);
        let raster = Raster::new(&grid, &Scene::new(&mesh).unwrap());
        // The wall is from 0.1 to 5 m along y and from 0 to 4 m along z: 11 by 9 voxels of half a metre.
        assert_eq!(raster.num_filled(), 11 * 9);
    }

    /// Such borders may be rounded either way; the wall is in one layer of voxels all the same.
    #[test]
    fn a_wall_along_borders_of_voxels_is_in_one_layer() {
        for (low, side) in [
            (1.5 - 8.5 * 0.2, 0.2),
            (1.5 - 15.5 * 0.1, 0.1),
            (0.1 - 0.7, 0.7),
        ] {
            let grid = Grid {
                low: DVec3::splat(low),
                side,
                count: UVec3::splat(20),
                layer: 7,
            };
            for border in 1..18_u32 {
                let z = low + side * f64::from(border);
                let [from, to] = [low + 2.3 * side, low + 6.7 * side];
                let mut mesh = Mesh::default();
                let corners = [[from, from], [to, from], [to, to], [from, to]];
                mesh.add_polygon("floor", &corners.map(|[x, y]| DVec3::new(x, y, z)));
                let raster = Raster::new(&grid, &Scene::new(&mesh).unwrap());
                assert_eq!(raster.num_filled(), 5 * 5, "side {side}, border {border}");
            }
        }
    }

    #[test]
    fn of_two_walls_in_a_voxel_the_nearer_to_its_centre_stays() {
        let grid = grid();
        let mut mesh = Mesh::default();
        for (name, x) in [("near", 1.12), ("far", 1.02)] {
            let at = |y, z| DVec3::new(x, y, z);
            mesh.add_polygon(
                name,
                &[at(0.2, 0.2), at(4.0, 0.2), at(4.0, 3.0), at(0.2, 3.0)],
            );
        }
        let scene = Scene::new(&mesh).unwrap();
        let raster = Raster::new(&grid, &scene);
        // Voxels from 0.89 to 1.39 m have their centre at 1.14 m.
        let voxel = grid.index(grid.voxel(DVec3::new(1.1, 2.0, 1.0)));
        let face = raster.wall(voxel).unwrap();
        let plane = scene.plane(scene.plane_of(face));
        assert!(plane.distance(DVec3::new(1.12, 0.0, 0.0)).abs() < 1e-9);
        assert_eq!(raster.num_lost(), raster.num_filled());
    }
}
