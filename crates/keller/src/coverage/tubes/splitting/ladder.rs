//! Simpler ways to split tubes, for comparison with the engine: each step of Hu 2020 shows what the next one gains.
//!
//! This file holds the settings. They take effect where `Context::ladder` is used: the first cells of directions and
//! who owns cells of the region (`propagation`), whether quarters are joined (`wall_interaction`), whether tubes are
//! split and which walls they follow (`split`), whether all edges are tested from the Tx (`edge_visibility`), and
//! whether ties on borders are validated (`deposit`). `pierced_cells` and `RegionGrid::pierced` serve these steps
//! alone.
//!
//! # Source
//! H. Hu, doctoral thesis, University of Sheffield, 2020: launched rays without splitting (chapter 4), tubes split
//! behind their centre ray, and cells that the centre ray pierces (sections 5.1 and 5.2).

/// The splitting of tubes, and the cells that get their field. The default is the engine itself; all other settings are
/// less accurate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ladder {
    /// The splitting of tubes.
    pub splitting: Splitting,
    /// The cells that get the field of a tube.
    pub owner: Owner,
}

/// The splitting of tubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Splitting {
    /// Tubes are split from the last wall on, both if their rays disagree and if they are too wide.
    #[default]
    Adaptive,
    /// Tubes are split if they are too wide, as far as their centre ray goes. An obstacle that hides the centre hides
    /// all parts.
    BehindMiddle,
    /// Tubes are not split: each of `6 * 4^level` tubes follows its centre ray.
    Fixed {
        /// The number of times that the faces of the cube of directions are cut in four, up to 20. All cells are in
        /// memory at once, 16 bytes each.
        level: u32,
    },
}

/// The cells that get the field of a tube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Owner {
    /// The cells whose centres lie in it.
    #[default]
    Direction,
    /// The cells that its centre ray pierces, each once for all tubes of a sequence of walls. Only in regions whose
    /// levels lie at even steps above sea level; elsewhere none. Such tubes have no routes, so
    /// [`Tubes::record_for`](crate::coverage::tubes::Tubes::record_for) panics.
    Pierced,
}

impl Ladder {
    /// Whether tubes follow their centre rays.
    pub(in crate::coverage::tubes) fn follows_centre_ray(self) -> bool {
        self.splitting != Splitting::Adaptive
    }

    /// Whether a tube follows one wall even if its rays meet several, and gives its gain to the cells that its centre
    /// ray pierces.
    pub(in crate::coverage::tubes) fn has_pierced_cells(self) -> bool {
        self.owner == Owner::Pierced
    }

    /// Whether quarters that came to one wall become one tube again.
    pub(in crate::coverage::tubes) fn joins_quarters(self) -> bool {
        !matches!(self.splitting, Splitting::Fixed { .. })
    }

    /// The number of times that the faces of the cube of directions are cut in four at first, if that is fixed.
    pub(in crate::coverage::tubes) fn first_level(self) -> Option<u32> {
        match self.splitting {
            Splitting::Fixed { level } => Some(level),
            Splitting::Adaptive | Splitting::BehindMiddle => None,
        }
    }
}
