//! The work of a batch, and the units into which it is cut.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Unit;
use crate::formats::VERSION;
use crate::store::Digest;

/// The version of the format of stores.
pub(super) const FORMAT: u32 = 3;

/// The kind of result that units have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The gains in the cells of a coverage. A unit is some Tx and a range of cells.
    Cells,
    /// The fields on the surfaces of a scene. A unit is one Tx.
    Surfaces,
    /// Paths. A unit is one Tx and a range of receivers.
    Paths,
    /// Paths for channels, between elements where those are traced. A unit is one Tx and a range of receivers.
    Channels,
    /// The visibility between tiles. A unit is a range of tiles.
    Visibility,
}

impl Kind {
    /// The command that writes the result.
    pub fn command(self) -> &'static str {
        match self {
            Self::Cells | Self::Surfaces => "coverage",
            Self::Paths => "paths",
            Self::Channels => "channel",
            Self::Visibility => "visibility",
        }
    }

    /// The items of which a unit has a range.
    pub fn items(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Surfaces | Self::Visibility => "tiles",
            Self::Paths | Self::Channels => "receivers",
        }
    }
}

/// Variants of a scenario whose results are computed together: they differ in their Tx alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Family {
    /// Their numbers; none for a scenario without variants.
    pub variants: Vec<usize>,
    /// The digest of everything that their results follow from, as 32 hexadecimal digits.
    pub digest: String,
}

impl Family {
    /// The family of these variants, whose run has this digest.
    pub fn new(variants: Vec<usize>, run: [u8; 16]) -> Self {
        Self {
            variants,
            digest: hex(run),
        }
    }

    /// Whether results of a run with this digest are those of the family.
    pub fn is_of(&self, run: [u8; 16]) -> bool {
        self.digest == hex(run)
    }
}

/// The plan of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the format of stores.
    pub format: u32,
    /// The version of keller that made the plan. Another one does not go on with it.
    pub keller: String,
    /// The kind of result.
    pub kind: Kind,
    /// The scenario file. Workers read it again.
    pub scenario: PathBuf,
    /// The digest of the whole plan, as 32 hexadecimal digits.
    pub hash: String,
    /// The variants of the scenario that are computed together.
    pub families: Vec<Family>,
    /// Whether surfaces keep the rays to every tile.
    pub has_rays: bool,
    /// The approximate number of items that a unit was asked to have.
    pub items: Option<usize>,
    /// The units, in the order of the result.
    pub units: Vec<Unit>,
}

impl Plan {
    /// A plan of this version.
    pub fn new(
        kind: Kind,
        scenario: PathBuf,
        families: Vec<Family>,
        has_rays: bool,
        items: Option<usize>,
        units: Vec<Unit>,
    ) -> Self {
        Self {
            format: FORMAT,
            keller: VERSION.to_owned(),
            kind,
            scenario,
            hash: hash(kind, &families, &units),
            families,
            has_rays,
            items,
            units,
        }
    }

    /// Fails if the plan is not as it was made, and says why. It does not check whether its units are those of the
    /// scenario.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let count = self.families.len();
        if self.hash != hash(self.kind, &self.families, &self.units) {
            Err("its contents do not agree with its hash")
        } else if count == 0 || self.units.iter().any(|unit| unit.family >= count) {
            Err("a unit is of no family")
        } else {
            Ok(())
        }
    }

    /// The family of a variant, or of the scenario itself; `None` if it has no such variant.
    pub fn family_of(&self, variant: Option<usize>) -> Option<usize> {
        let is_its = |family: &Family| match variant {
            Some(variant) => family.variants.contains(&variant),
            None => family.variants.is_empty(),
        };
        self.families.iter().position(is_its)
    }

    /// The variants of the scenario, in order; none for a scenario without variants.
    pub fn variants(&self) -> Vec<usize> {
        let families = self.families.iter();
        let mut all: Vec<usize> = families
            .flat_map(|family| &family.variants)
            .copied()
            .collect();
        all.sort_unstable();
        all
    }
}

fn hash(kind: Kind, families: &[Family], units: &[Unit]) -> String {
    let mut digest = Digest::new();
    digest.add(&FORMAT);
    digest.add(&kind);
    digest.add(&families);
    digest.add(&units);
    hex(digest.finish())
}

fn hex(digest: [u8; 16]) -> String {
    let byte = |byte: &u8| format!("{byte:02x}");
    digest.iter().map(byte).collect()
}
