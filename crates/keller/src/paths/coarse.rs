//! From coarse paths over tiles to exact ones: step 3 by [`super::search::tiles`], then solved and validated like all others.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;

use super::finder::{Job, Transmitter};
use super::search::tiles::{CoarseChain, Rays, TileSearch};
use super::solve::{SolveScratch, solve};
use super::validate::Validator;
use super::{Limits, Path};
use crate::scene::Scene;
use crate::tiles::{Sees, Tiles, Tiling, Visibility};
use crate::{Control, Error};

/// The discrete environment that coarse paths are looked for in.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Its tiles.
    pub tiles: Tiles,
    /// What they see of each other.
    pub rows: Arc<dyn Sees>,
    /// Follows rays as the seeds do, for comparison; chains by fronts if absent.
    pub rays: Option<Rays>,
    /// How much of a tile may lie beside what is lit for the tile to count, for comparison: 0 asks for its middle as the seeds do, 1 (if absent)
    /// takes all tiles of which some may be lit.
    pub margin: Option<f32>,
}

impl Environment {
    /// Cuts a scene into tiles and finds what they see.
    ///
    /// # Errors
    /// [`Error::Tiles`], [`Error::Cancelled`].
    pub fn new(scene: &Scene, tiling: Tiling, control: &Control) -> Result<Self, Error> {
        let tiles = Tiles::new(scene, tiling)?;
        let rows = Arc::new(Visibility::new(scene, &tiles, control)?);
        Ok(Self::with_rows(tiles, rows))
    }

    /// Tiles and what they see, from memory or from a file.
    pub fn with_rows(tiles: Tiles, rows: Arc<dyn Sees>) -> Self {
        Self {
            tiles,
            rows,
            rays: None,
            margin: None,
        }
    }
}

/// What became of the coarse paths of a transmitter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoarseReport {
    /// Chains of mirrors and edges.
    pub num_chains: usize,
    /// Coarse paths: chains and receivers.
    pub num_coarse: usize,
    /// Those whose points are where Fermat's principle has them, on their edges and in the order of their mirrors.
    pub num_converged: usize,
    /// Those that are really there.
    pub num_valid: usize,
}

/// Looks for coarse paths.
#[derive(Debug)]
pub(super) struct Coarse<'a>(TileSearch<'a>);

impl<'a> Coarse<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        limits: &Limits,
        environment: Environment,
    ) -> Result<Self, Error> {
        let Environment {
            tiles,
            rows,
            rays,
            margin,
        } = environment;
        let mut search = TileSearch::new(scene, limits, &tiles, rows)?;
        search.margin = margin.unwrap_or(search.margin);
        search.rays = rays;
        Ok(Self(search))
    }

    /// Those from a transmitter to receivers, the direct ways to all of them among them.
    pub(super) fn paths(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<CoarsePaths, Error> {
        let mut chains = self.0.chains(tx, rx, control)?;
        if self.0.limits().line_of_sight {
            let all = 0..u32::try_from(rx.len()).expect("fewer than 2^32 receivers");
            chains.push(CoarseChain {
                steps: Vec::new(),
                rx: all.collect(),
            });
        }
        Ok(CoarsePaths(chains))
    }

    pub(super) fn tiles(&self) -> &Tiles {
        self.0.tiles()
    }

    /// The chains to the middles of all tiles.
    pub(super) fn chains_to_tiles(
        &self,
        tx: DVec3,
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        self.0.chains_to_tiles(tx, control)
    }
}

/// Chains of mirrors and edges from a transmitter, and the receivers that each may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoarsePaths(Vec<CoarseChain>);

impl CoarsePaths {
    /// How many there are: chains and receivers.
    pub fn len(&self) -> usize {
        self.0.iter().map(|chain| chain.rx.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Makes coarse paths exact, and keeps those that are there.
pub(super) fn refine(
    job: &Job,
    tx: &Transmitter,
    rx: &[DVec3],
    coarse: &CoarsePaths,
) -> Result<(Vec<Path>, CoarseReport), Error> {
    let refined: Result<Vec<_>, Error> = coarse
        .0
        .par_iter()
        .map_init(
            || (Validator::new(job), SolveScratch::default(), Vec::new()),
            |(validator, scratch, waypoints), chain| {
                job.control.check()?;
                let mut paths = Vec::new();
                let mut num_converged = 0;
                for &r in &chain.rx {
                    let r = r as usize;
                    let (from, steps) = (tx.position, &chain.steps);
                    if solve(job.scene, from, steps, rx[r], scratch, waypoints) {
                        num_converged += 1;
                        paths.extend(validator.path(tx, waypoints, r, rx[r]));
                    }
                }
                Ok((paths, num_converged))
            },
        )
        .collect();
    let refined = refined?;
    let mut report = CoarseReport {
        num_chains: coarse.0.len(),
        num_coarse: coarse.len(),
        ..CoarseReport::default()
    };
    let mut all = Vec::new();
    for (paths, num_converged) in refined {
        report.num_converged += num_converged;
        report.num_valid += paths.len();
        all.extend(paths);
    }
    Ok((all, report))
}
