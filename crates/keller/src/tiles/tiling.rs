//! How faces are cut: the size of tiles, and the rectangle of cells around a face.

use glam::{DVec2, DVec3};

use crate::Error;
use crate::scene::Scene;

/// How faces are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tiling {
    /// Wanted side of a tile, metres: the square root of its area.
    pub side: f64,
    /// The same for level faces on the ground, metres. `side` if absent.
    pub ground_side: Option<f64>,
    /// Faces of smaller area get no tiles, m².
    pub min_face_area: f64,
}

impl Tiling {
    /// Tiles with this side on all faces, metres.
    pub fn of_side(side: f64) -> Self {
        Self {
            side,
            ground_side: None,
            min_face_area: 0.0,
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
        for side in [Some(self.side), self.ground_side].into_iter().flatten() {
            if !(side.is_finite() && side > 0.0) {
                return Err(Error::Tiles(format!(
                    "a tile's side must be a positive number of metres, not {side}"
                )));
            }
        }
        Ok(())
    }
}

/// Default side of a tile, metres (Lu et al. 2019, section IV: 100 m²).
const OUTDOOR_SIDE: f64 = 10.0;

/// So few tiles that all of them may see each other.
const FEW_TILES: f64 = 3000.0;

/// The rectangle around a face, in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Its first corner, metres.
    pub corner: DVec3,
    /// Unit vectors along its sides.
    pub axes: [DVec3; 2],
    /// Size of a cell along both sides, metres.
    pub cell: DVec2,
    /// Number of cells along both sides.
    pub num_cells: [u32; 2],
}

impl Frame {
    /// Coordinates of a point along the axes, metres.
    pub fn local(&self, point: DVec3) -> DVec2 {
        let from = point - self.corner;
        DVec2::new(self.axes[0].dot(from), self.axes[1].dot(from))
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
