//! How faces are cut: the size of tiles, and the rectangle of cells around a face.

use glam::{DVec2, DVec3};

use crate::Error;
use crate::scene::Scene;

/// How faces are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tiling {
    /// Wanted length of a tile's side, metres; the square root of its area.
    pub side: f64,
    /// The same for faces that look up or down and lie on the ground, metres; as `side` if absent.
    pub ground_side: Option<f64>,
    /// Faces of less area get no tiles, m².
    pub min_face_area: f64,
}

impl Tiling {
    /// Tiles about so long, on all faces; metres.
    pub fn of_side(side: f64) -> Self {
        Self {
            side,
            ground_side: None,
            min_face_area: 0.0,
        }
    }

    /// Tiles of 10 m, as Lu et al. take for cities; in smaller places, where most tiles see each other, about 3 000 of them.
    pub fn of_scene(scene: &Scene) -> Self {
        let area: f64 = scene.faces().iter().map(|face| face.area).sum();
        let side = (area / FEW_TILES).sqrt().min(OUTDOOR_SIDE);
        // Whole centimetres are told and typed.
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

/// Of tiles where nothing is said, metres (Lu et al. 2019, section IV: 100 m²).
const OUTDOOR_SIDE: f64 = 10.0;

/// Of so many all may see each other.
const FEW_TILES: f64 = 3000.0;

/// The rectangle around a face, in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Its first corner, metres.
    pub corner: DVec3,
    /// Unit vectors along its sides.
    pub axes: [DVec3; 2],
    /// Sizes of a cell along both, metres.
    pub cell: DVec2,
    /// How many cells lie along both.
    pub num_cells: [u32; 2],
}

impl Frame {
    /// Coordinates of a point along the axes, metres.
    pub fn local(&self, point: DVec3) -> DVec2 {
        let from = point - self.corner;
        DVec2::new(self.axes[0].dot(from), self.axes[1].dot(from))
    }

    /// The cell of a point, or the next one.
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
