//! The scene as columns of cubes: one height over the ground for each cell.

use glam::{DVec2, DVec3, UVec3, Vec3};
use keller::World;
use keller::coverage::{Levels, Region};
use keller::geometry::bvh::Ray;
use rayon::prelude::*;

use crate::irla::Grid;

/// The least height over the ground of a building, metres.
const MIN_HEIGHT: f64 = 0.5;

/// Heights of buildings, cell by cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Heights {
    pub(super) grid: Grid,
    /// The height over the ground at each cell's centre, metres; zero where there is no building.
    pub(super) of_cells: Vec<f64>,
    /// The height of the cells over the ground, metres.
    pub(super) plane: f64,
}

impl Heights {
    /// The heights over the centres of the cells of `region`; `None` unless the region has one level over the ground,
    /// square cells and the axes of the scene.
    pub fn new(world: &World, region: &Region) -> Option<Self> {
        let Levels::AboveGround(levels) = &region.levels else {
            return None;
        };
        let &[plane] = &levels[..] else {
            return None;
        };
        let side = region.resolution.x;
        if region.resolution.y != side || region.is_turned() {
            return None;
        }
        let [nx, ny] = region.num_columns;
        let grid = Grid {
            low: DVec3::ZERO,
            side,
            count: UVec3::new(u32::try_from(nx).ok()?, u32::try_from(ny).ok()?, 1),
            layer: 0,
        };
        let cells = (0..nx * ny).into_par_iter();
        let roofs = level_roofs(world);
        let heights = cells.map(|cell| height(world, &roofs, region.column(cell % nx, cell / nx)));
        Some(Self {
            grid,
            of_cells: heights.collect(),
            plane,
        })
    }

    /// Heights of buildings over the ground, metres, `[ny, nx]`.
    pub fn of_cells(&self) -> &[f64] {
        &self.of_cells
    }

    /// Whether a receiver can be in a cell: no building there reaches up to it.
    #[inline]
    pub fn is_free(&self, cell: usize) -> bool {
        self.of_cells[cell] <= self.plane
    }

    /// The centre of a cell in the region's own axes, metres.
    pub(super) fn centre(&self, cell: u32) -> DVec2 {
        let (column, row) = (cell % self.grid.count.x, cell / self.grid.count.x);
        self.grid.side * (DVec2::new(f64::from(column), f64::from(row)) + 0.5)
    }

    /// The cells in which rays end: those of the border.
    pub(super) fn border(&self) -> Vec<u32> {
        let [nx, ny, _] = self.grid.count.to_array();
        let cells = 0..nx * ny;
        let is_border = |cell: &u32| {
            let (i, j) = (cell % nx, cell / nx);
            i == 0 || j == 0 || i + 1 == nx || j + 1 == ny
        };
        cells.filter(is_border).collect()
    }
}

/// The height of the highest surface at a place over the ground, metres. A level roof has one height, over the ground
/// under its first triangle: otherwise every cube on it would have another height over sloping ground, and each a
/// diffraction.
fn height(world: &World, roofs: &[Option<f64>], at: DVec2) -> f64 {
    let scene = world.scene();
    let [_, high] = scene.bounds();
    let start = at.extend(high.z + 1.0) - scene.origin();
    let down = Ray::new(start.as_vec3(), Vec3::NEG_Z);
    let (Some(hit), Some(ground)) = (scene.index().closest_hit(&down), scene.ground(at)) else {
        return 0.0;
    };
    let height = high.z + 1.0 - f64::from(hit.t) - ground;
    if height < MIN_HEIGHT {
        return 0.0;
    }
    let roof = scene.triangle_faces()[hit.triangle as usize];
    roofs[roof.index()].unwrap_or(height)
}

/// The heights of level faces over the ground under their first triangles, metres; `None` for others.
fn level_roofs(world: &World) -> Vec<Option<f64>> {
    let scene = world.scene();
    let mut roofs: Vec<Option<f64>> = vec![None; scene.faces().len()];
    for (triangle, face) in scene.triangle_faces().iter().enumerate() {
        let roof = &mut roofs[face.index()];
        if roof.is_none() && scene.face_normal(*face).z.abs() > 1.0 - 1e-9 {
            let centre = scene.corners(triangle).iter().sum::<DVec3>() / 3.0;
            *roof = scene
                .ground(centre.truncate())
                .map(|ground| centre.z - ground);
        }
    }
    roofs
}
