//! Coverage: the path gain from every transmitter to the centre of every cell of a region.
//!
//! A [`Region`] is a plane, several planes, or a volume of cells, over the sea's level or over the ground. An engine fills it: [`points`]
//! finds the exact paths to every cell's centre, and is the reference for all others. [`rooftops`] has the part of the
//! field that comes over several roofs. [`layers`] turns gains into what radio
//! planners ask for: received power, best server, signal to interference and noise. [`tiles`] fills no region but the surfaces themselves.

pub mod beams;
mod blocked;
mod engine;
pub mod layers;
pub mod models;
mod multipath;
mod plan;
pub mod points;
mod region;
pub mod rooftops;
mod surroundings;
pub mod tiles;
pub mod tubes;

pub use engine::Engine;
pub use multipath::{AngleSpread, CellPaths, CellSpreads, Multipath};
pub use region::{Levels, Region};
pub use surroundings::Surroundings;

/// Path gains of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// The region of the cells.
    pub region: Region,
    /// Height of the ground under each column of cells, metres, `[ny, nx]`, x running fastest; NaN where there is none. Empty where
    /// levels do not follow the ground.
    pub ground: Vec<f64>,
    /// Linear path gain with the transmitter's antenna, an isotropic receiver that takes both polarisations, and powers of paths added:
    /// `[num_tx, nz, ny, nx]`, x running fastest. Zero where no path leads; NaN where no receiver can be: inside a wall, or over no
    /// ground.
    pub path_gain: Vec<f64>,
    /// Number of transmitters.
    pub num_tx: usize,
}

impl Coverage {
    /// The gains of one transmitter, `[nz, ny, nx]`.
    pub fn of_tx(&self, tx: usize) -> &[f64] {
        let cells = self.region.num_cells();
        &self.path_gain[tx * cells..(tx + 1) * cells]
    }

    /// The centre of a cell, metres; `None` over no ground.
    pub fn centre(&self, cell: [usize; 3]) -> Option<glam::DVec3> {
        self.region.centre(cell, &self.ground)
    }
}
