//! Chains to tiles, looked for from each tile as from a receiver, by the search
//! [`complete`](crate::paths::Search::Complete).
//!
//! Pairs of tiles lose chains of several interactions that pass through a small part of a tile. Here every side of
//! every tile looks for the edges that it sees by reflections, and these meet the edges that the transmitter sees. So
//! no chain of at most one edge is lost. With two interactions in a city it takes about 20 processor milliseconds a
//! tile.

use glam::DVec3;
use rustc_hash::FxHashMap;

use crate::geometry::tolerance::IN_PLANE_DISTANCE;
use crate::paths::connect::connect;
use crate::paths::diffract::diffract;
use crate::paths::job::{Job, Transmitter};
use crate::paths::search::Searcher;
use crate::paths::search::tiles::CoarseChain;
use crate::paths::sequence::Step;
use crate::paths::{Limits, Search};
use crate::tiles::{Tile, Tiles};
use crate::{Control, Error, Stage, World};

/// Paths to this many sides of tiles, an even number, are in memory at once.
const SIDES_AT_ONCE: usize = 1 << 14;

/// The search from tiles.
#[derive(Debug)]
pub(super) struct FromTiles {
    searcher: Searcher,
    limits: Limits,
}

impl FromTiles {
    pub(super) fn new(world: &World, limits: &Limits) -> Self {
        let limits = Limits {
            max_scatterings: 0,
            ..*limits
        };
        Self {
            searcher: Searcher::new(Search::Complete, world, &limits),
            limits,
        }
    }

    /// The chains that lead to the centres of tiles: those of several interactions with edges and, where walls may be
    /// passed, all of at least one interaction. In order, each once.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn chains(
        &self,
        job: &Job,
        tx: DVec3,
        tiles: &Tiles,
    ) -> Result<Vec<CoarseChain>, Error> {
        let passes_walls = self.limits.max_transmissions > 0;
        let shortest = if passes_walls { 1 } else { 2 };
        let may_diffract = self.limits.max_diffractions > 0;
        if self.limits.interactions() < shortest || !(may_diffract || passes_walls) {
            return Ok(Vec::new());
        }
        let views = self.searcher.tx_views(tx, job.control)?;
        let tx = Transmitter {
            index: 0,
            position: tx,
            views: &views,
        };
        let sides = |tile: &Tile| {
            let normal = job.scene.face_normal(tile.face);
            [IN_PLANE_DISTANCE, -IN_PLANE_DISTANCE].map(|before| tile.centre + before * normal)
        };
        let points: Vec<DVec3> = tiles.all().iter().flat_map(sides).collect();
        let mut known: FxHashMap<Vec<Step>, Vec<u32>> = FxHashMap::default();
        for (block, some) in points.chunks(SIDES_AT_ONCE).enumerate() {
            let first = block * SIDES_AT_ONCE;
            let report = |_, done: f64| {
                let done = first as f64 + done * some.len() as f64;
                let share = done / points.len() as f64;
                job.control.report(Stage::Search, share);
            };
            let control = Control {
                progress: Some(&report),
                ..*job.control
            };
            let job = Job {
                limits: &self.limits,
                control: &control,
                ..*job
            };
            let mut paths = Vec::new();
            if may_diffract {
                paths.extend(diffract(&job, &self.searcher, &tx, some)?);
            }
            if passes_walls {
                paths.extend(connect(&job, &tx, (&tx.views.tree, 0), some)?);
            }
            for path in paths {
                let number = first / 2 + path.rx / 2;
                let wall = job.scene.plane_of(tiles.all()[number].face);
                let sequence = path.sequence(job.scene);
                let steps = sequence.steps();
                // The reflection by the tile's own wall is no part of its field.
                let is_own = steps.last() == Some(&Step::Reflection(wall));
                if steps.len() >= shortest && !is_own {
                    let number = u32::try_from(number).expect("fewer than 2^32 tiles");
                    known.entry(steps.to_vec()).or_default().push(number);
                }
            }
        }
        let chain = |(steps, mut rx): (Vec<Step>, Vec<u32>)| {
            // Both sides of a tile may find one chain.
            rx.sort_unstable();
            rx.dedup();
            CoarseChain { steps, rx }
        };
        let mut chains: Vec<CoarseChain> = known.into_iter().map(chain).collect();
        chains.sort_unstable_by(|a, b| a.steps.cmp(&b.steps));
        Ok(chains)
    }
}
