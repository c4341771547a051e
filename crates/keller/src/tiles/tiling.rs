//! The cut of faces into tiles: the size of tiles, and the rectangle of cells around a face.

use glam::{DVec2, DVec3};

use crate::Error;
use crate::scene::{FaceId, Scene};

/// The sizes and rules by which faces are cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Tiling {
    /// Wanted side of a tile, metres: the square root of its area.
    pub side: f64,
    /// The wanted side of tiles of level faces on the ground, metres. `side` if absent.
    pub ground_side: Option<f64>,
    /// Faces of smaller area get no tiles, m². Terrain counts as one face.
    pub min_face_area: f64,
    /// Whether terrain is cut by one horizontal grid, so that a tile spans several facets. Otherwise each facet is cut
    /// by itself.
    pub terrain_grid: bool,
    /// Whether ground under buildings has tiles, and the undersides of buildings that stand in the ground.
    pub under_buildings: bool,
    /// The places at which tiles are smaller, such as around a Tx.
    pub finer: Vec<Finer>,
}

/// A place around which tiles are smaller. Cells of which any part is nearer to the point than the radius are divided
/// into equal parts. Where several apply, the smallest side counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Finer {
    /// The point, metres.
    pub at: DVec2,
    /// Its height, metres. Without one, distances are those seen from above.
    pub z: Option<f64>,
    /// The distance from the point within which tiles are smaller, metres.
    pub radius: f64,
    /// Longest side of the cells there, metres. For terrain that one grid cuts, the side is that seen from above.
    pub side: f64,
}

impl Tiling {
    /// Tiles with this side on all faces, metres.
    pub fn of_side(side: f64) -> Self {
        Self {
            side,
            ground_side: None,
            min_face_area: 0.0,
            terrain_grid: true,
            under_buildings: false,
            finer: Vec::new(),
        }
    }

    /// Tiles of 10 m, which Lu et al. use for cities. In smaller places, where most tiles see each other, about 3 000
    /// tiles.
    pub fn of_scene(scene: &Scene) -> Self {
        let area: f64 = scene.faces().iter().map(|face| face.area).sum();
        let side = (area / FEW_TILES).sqrt().min(OUTDOOR_SIDE);
        // Whole centimetres, because the side is printed and typed.
        Self::of_side((side * 100.0).floor().max(1.0) / 100.0)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let finer = self.finer.iter().map(|finer| Some(finer.side));
        let sides = [Some(self.side), self.ground_side].into_iter().chain(finer);
        for side in sides.flatten() {
            if !(side.is_finite() && side > 0.0) {
                return Err(Error::Tiles(format!(
                    "a tile's side must be a positive number of metres, not {side}"
                )));
            }
        }
        for Finer { at, z, radius, .. } in &self.finer {
            if !(radius.is_finite() && *radius > 0.0) {
                return Err(Error::Tiles(format!(
                    "the radius of finer tiles must be a positive number of metres, not {radius}"
                )));
            }
            if !(at.is_finite() && z.is_none_or(f64::is_finite)) {
                return Err(Error::Tiles(
                    "finer tiles must be around a finite point".to_owned(),
                ));
            }
        }
        Ok(())
    }
}

/// Default side of a tile, metres (Lu et al. 2019, section IV: 100 m²).
const OUTDOOR_SIDE: f64 = 10.0;

/// The number of tiles up to which all of them may see each other.
const FEW_TILES: f64 = 3000.0;

/// Coordinates in the plane of a face, and the cells that they divide it into. Those of a face by itself are metres along
/// the sides of the smallest rectangle around it. Those of a facet of terrain are metres in plan, so all facets of one
/// terrain have the same cells, which are oblique in the facet's plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The point of the plane at the coordinates 0, 0, metres.
    pub corner: DVec3,
    /// Unit vectors along which coordinates are measured.
    pub axes: [DVec3; 2],
    /// The steps in the plane that change one coordinate by a metre and leave the other. They are the axes where these
    /// lie in the plane.
    pub steps: [DVec3; 2],
    /// Size of a cell along both axes, metres.
    pub cell: DVec2,
    /// Number of cells along both axes.
    pub num_cells: [u32; 2],
}

/// The part of one face that belongs to a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Part {
    /// The face.
    pub face: FaceId,
    /// Lowest corner of a box around it in the [`Frame`] of the face, metres.
    pub low: DVec2,
    /// Highest corner of that box.
    pub high: DVec2,
}

impl Frame {
    /// Coordinates of a point along the axes, metres.
    pub fn local(&self, point: DVec3) -> DVec2 {
        let from = point - self.corner;
        DVec2::new(self.axes[0].dot(from), self.axes[1].dot(from))
    }

    /// The point of the plane at some coordinates, metres.
    pub fn in_space(&self, local: DVec2) -> DVec3 {
        self.corner + local.x * self.steps[0] + local.y * self.steps[1]
    }

    /// Whether coordinates are those of the plan, as for facets of terrain and level faces.
    pub(super) fn is_plan(&self) -> bool {
        self.axes.iter().all(|axis| axis.z == 0.0)
    }

    /// Area in the plane for each m² of coordinates.
    pub fn stretch(&self) -> f64 {
        self.steps[0].cross(self.steps[1]).length()
    }

    /// The lowest corner of a cell.
    pub(super) fn low(&self, cell: [u32; 2]) -> DVec2 {
        self.cell * DVec2::from(cell.map(f64::from))
    }

    /// The cell of a point; for a point outside the rectangle, the nearest cell.
    pub(super) fn cell_of(&self, local: DVec2) -> [u32; 2] {
        [0, 1].map(|k| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cast of floats saturates"
            )]
            let cell = (local[k] / self.cell[k]).floor().max(0.0) as u32;
            cell.min(self.num_cells[k] - 1)
        })
    }
}
