//! What a sweep computes, and the units into which it is cut.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::coverage::Digest;
use crate::table::VERSION;

/// The version of the format of stores.
pub(super) const FORMAT: u32 = 1;

/// The kind of result that a sweep computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// The gains in the cells of a coverage. A unit is some Tx and a range of cells.
    Cells,
    /// The fields on the surfaces of a scene. A unit is one Tx.
    Surfaces,
    /// Paths. A unit is one Tx and a range of receivers.
    Paths,
    /// Paths for channels, between elements where those are traced. A unit is one Tx and a range of receivers.
    Channels,
    /// What tiles see. A unit is a range of tiles.
    Visibility,
}

impl Work {
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

/// A part of the work that one worker does at a time. It takes seconds to a minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The number of the region, of a coverage with several.
    pub region: usize,
    /// Numbers of the Tx; none of visibility.
    pub tx: Vec<usize>,
    /// The cells, receivers or tiles.
    pub range: Range<usize>,
}

/// The plan of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The version of the format of stores.
    pub format: u32,
    /// The version of keller that made the plan. Another one does not go on with it.
    pub keller: String,
    /// The kind of result.
    pub work: Work,
    /// The scenario file. Workers read it again.
    pub scenario: PathBuf,
    /// Of everything that results follow from, as 32 hexadecimal digits.
    pub hash: String,
    /// Whether surfaces keep the rays to every tile.
    pub has_rays: bool,
    /// The units, in the order of the result.
    pub units: Vec<Unit>,
}

impl Plan {
    /// A plan of this version. `run` is the digest of all that the results follow from.
    pub fn new(
        work: Work,
        scenario: PathBuf,
        run: [u8; 16],
        has_rays: bool,
        units: Vec<Unit>,
    ) -> Self {
        Self {
            format: FORMAT,
            keller: VERSION.to_owned(),
            work,
            scenario,
            hash: hash(work, run, &units),
            has_rays,
            units,
        }
    }

    /// Whether results of a run with this digest are those of the plan.
    pub fn is_of(&self, run: [u8; 16]) -> bool {
        self.hash == hash(self.work, run, &self.units)
    }
}

fn hash(work: Work, run: [u8; 16], units: &[Unit]) -> String {
    let mut digest = Digest::new();
    digest.add(&FORMAT);
    digest.add(&work);
    digest.add(&run);
    digest.add(&units);
    let hex = |byte: &u8| format!("{byte:02x}");
    digest.finish().iter().map(hex).collect()
}
