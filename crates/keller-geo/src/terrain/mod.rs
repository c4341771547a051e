//! Terrain: rasters of heights become few triangles in the local frame, on which buildings stand.
//!
//! [`Raster::read`] takes what a file says, [`HeightGrid::from_rasters`] brings it to the frame, [`Terrain::from_grid`] makes the triangles:
//! within a stated vertical error at every node of the grid, watertight within themselves, and without corners in the middle of
//! sides. Heights for everything else are asked of the triangles ([`Terrain::height`]), because these are what rays will hit.

mod asc;
mod clip;
mod error;
mod formats;
pub mod geotiff;
mod grid;
mod hgt;
mod holes;
mod number;
mod raster;
mod search;
mod simplify;

use glam::{DVec2, DVec3};
use keller::materials::Material;
use keller::scene::{Mesh, MeshTriangle};

pub use error::TerrainError;
pub use grid::HeightGrid;
pub use raster::{Raster, RasterRead};

use number::{narrow, whole};
use search::Search;
use simplify::Heights;

/// The name of the ground's material in meshes. Its definition there is the medium-dry ground of ITU-R P.2040-3; a scenario's
/// `[materials.ground]` overrides it.
pub const GROUND: &str = "ground";

/// The definition behind [`GROUND`].
const GROUND_MATERIAL: &str = "medium_dry_ground";

/// The options for triangles that follow a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TerrainOptions {
    /// The largest distance of a node above or below the triangles, metres: 0.001 or more.
    pub max_error: f64,
    /// The largest area of holes in the data that are filled from their surroundings, m²; larger ones stay open, with a
    /// warning unless they lie at the border.
    pub max_hole: f64,
}

impl Default for TerrainOptions {
    /// 0.5 m, and holes of up to a hectare.
    fn default() -> Self {
        Self {
            max_error: 0.5,
            max_hole: 1e4,
        }
    }
}

/// The ground as triangles in the local frame.
///
/// ```
/// use glam::DVec2;
/// use keller_geo::terrain::{HeightGrid, Terrain, TerrainOptions};
///
/// // A slope, 3 nodes by 2.
/// let grid = HeightGrid {
///     origin: DVec2::ZERO,
///     spacing: DVec2::splat(10.0),
///     columns: 3,
///     heights: vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0],
/// };
/// let (terrain, warnings) = Terrain::from_grid(grid, TerrainOptions::default())?;
/// assert_eq!((terrain.triangles().len(), warnings.len()), (2, 0));
/// assert_eq!(terrain.height(DVec2::new(5.0, 5.0)), Some(0.5));
/// assert_eq!(terrain.height(DVec2::new(25.0, 5.0)), None);
/// # Ok::<(), keller_geo::terrain::TerrainError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Terrain {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    search: Search,
}

impl Terrain {
    /// The triangles that follow a grid, with warnings of holes in it.
    ///
    /// Every node that has a height and lies on the triangles is within [`TerrainOptions::max_error`] of them. All nodes with a height
    /// do, but for single ones where the border of an open hole comes to a point.
    ///
    /// # Errors
    /// [`TerrainError::Option`]; [`TerrainError::NoHeights`] if no node has a height, or there are fewer than two rows or columns.
    ///
    /// # Panics
    /// If the number of heights is no multiple of the columns.
    pub fn from_grid(
        mut grid: HeightGrid,
        options: TerrainOptions,
    ) -> Result<(Self, Vec<String>), TerrainError> {
        let option = |name, value, accepted| {
            Err(TerrainError::Option {
                name,
                value,
                accepted,
            })
        };
        if !(options.max_error >= 1e-3 && options.max_error.is_finite()) {
            return option(
                "the terrain's height error",
                options.max_error,
                "it must be 0.001 m or more",
            );
        }
        if options.max_hole.is_nan() || options.max_hole < 0.0 {
            return option(
                "the area of holes to fill",
                options.max_hole,
                "it must be 0 m² or more",
            );
        }
        let rows = grid.rows();
        assert_eq!(
            grid.heights.len(),
            rows * grid.columns,
            "every row has a height for each column"
        );
        if grid.columns < 2 || rows < 2 {
            return Err(TerrainError::NoHeights(
                "a grid of fewer than two rows or columns".to_owned(),
            ));
        }
        if grid.heights.iter().all(|height| height.is_nan()) {
            return Err(TerrainError::NoHeights("the terrain".to_owned()));
        }
        let cell = grid.spacing.x * grid.spacing.y;
        let holes = holes::fill(&mut grid, whole(options.max_hole / cell));
        let mut warnings = Vec::new();
        if holes.filled > 0 {
            warnings.push(format!(
                "cells of the terrain without a height that were given that of the nearest cell: {} (holes: {})",
                holes.filled_cells, holes.filled
            ));
        }
        if holes.open > 0 {
            warnings.push(format!(
                "holes in the terrain of more than {} m², which stay open: {}, of {:.4} km² together",
                options.max_hole,
                holes.open,
                holes.open_cells as f64 * cell * 1e-6
            ));
        }
        let is_open = holes.open_cells + holes.beyond_cells > 0;
        let pit = is_open.then(|| dig(&mut grid, options.max_error));
        let found = simplify::simplify(
            Heights {
                columns: grid.columns,
                values: &grid.heights,
            },
            options.max_error,
        );
        let height = |[x, y]: [u32; 2]| grid.heights[y as usize * grid.columns + x as usize];
        let is_ground = |t: &[u32; 3]| {
            !t.iter()
                .any(|&v| Some(height(found.vertices[v as usize])) == pit)
        };
        let triangles: Vec<[u32; 3]> = found.triangles.into_iter().filter(is_ground).collect();
        let vertices = found.vertices.iter().map(|&[x, y]| {
            grid.node(x as usize, y as usize)
                .extend(f64::from(height([x, y])))
        });
        Ok((
            Self::new(&vertices.collect::<Vec<_>>(), triangles),
            warnings,
        ))
    }

    /// Terrain of given triangles, counter-clockwise from above; vertices that none of them names are left out.
    ///
    /// # Panics
    /// If a triangle names a vertex that is not there.
    pub fn new(vertices: &[DVec3], mut triangles: Vec<[u32; 3]>) -> Self {
        let mut order = vec![u32::MAX; vertices.len()];
        let mut kept = Vec::new();
        for vertex in triangles.iter_mut().flatten() {
            let slot = &mut order[*vertex as usize];
            if *slot == u32::MAX {
                *slot = u32::try_from(kept.len()).expect("fewer than 2^32 vertices");
                kept.push(vertices[*vertex as usize]);
            }
            *vertex = *slot;
        }
        let search = Search::new(&kept, &triangles);
        Self {
            vertices: kept,
            triangles,
            search,
        }
    }

    /// The vertices, metres.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles, counter-clockwise from above.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The height of the triangles at a local position; nothing where there are none.
    pub fn height(&self, at: DVec2) -> Option<f64> {
        let (triangle, weights) = self.search.find(&self.vertices, &self.triangles, at)?;
        let heights = self.triangles[triangle].map(|v| self.vertices[v as usize].z);
        Some(weights.dot(DVec3::from(heights)))
    }

    /// The triangles as a mesh of the material [`GROUND`].
    pub fn mesh(&self) -> Mesh {
        let mut mesh = Mesh {
            vertices: self.vertices.clone(),
            ..Mesh::default()
        };
        let material = mesh.material_index(GROUND);
        mesh.materials[material as usize].definition = Material::from_name(GROUND_MATERIAL);
        mesh.triangles = self
            .triangles
            .iter()
            .map(|&vertices| MeshTriangle { vertices, material })
            .collect();
        mesh
    }
}

/// Puts cells without a height so far down that a triangle with one of them as a corner comes within the error of no cell above, except
/// at its other corners and on the side between them. Gives their height.
fn dig(grid: &mut HeightGrid, max_error: f64) -> f32 {
    let mut range = [f32::INFINITY, f32::NEG_INFINITY];
    for &height in grid.heights.iter().filter(|height| !height.is_nan()) {
        range = [range[0].min(height), range[1].max(height)];
    }
    // A node that is not on a line between nodes is at least 1 / length from it, and the triangle at most a length
    // high.
    let lengths = (grid.columns * grid.columns + grid.rows() * grid.rows()) as f64;
    let depth = (f64::from(range[1] - range[0]) + 2.0 * max_error) * lengths;
    let pit = narrow(f64::from(range[0]) - depth);
    for height in grid.heights.iter_mut().filter(|height| height.is_nan()) {
        *height = pit;
    }
    pit
}

#[cfg(test)]
mod tests;
