//! Coarse paths over tiles, as proposed by [`crate::paths::search::tiles`]; [`super::refine`] makes them exact.

use std::sync::Arc;

use glam::DVec3;

use crate::paths::Limits;
use crate::paths::search::tiles::{CoarseChain, Keep, TileSearch, Unfollowed};
use crate::paths::sequence::Step;
use crate::scene::Scene;
use crate::tiles::{Tiles, Tiling, Visibility, VisibilityRows};
use crate::{Control, Error, World};

/// The discrete environment in which coarse paths are searched for.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Its tiles.
    pub tiles: Tiles,
    /// The tiles that are visible from each tile.
    pub rows: Arc<dyn VisibilityRows>,
    /// Leaves out paths that surely have less path gain than this (linear, between isotropic antennas), and does not
    /// follow them; keeps all paths if absent. [`TileWaves`](crate::paths::TileWaves) ignore it.
    pub min_gain: Option<f64>,
    /// Whether chains to tiles are also looked for from each tile, by the search
    /// [`Complete`](crate::paths::Search::Complete). None of at most one diffraction is then lost, and each tile takes
    /// as long as a receiver of that search. It concerns coverage of surfaces alone.
    pub is_complete: bool,
    /// Like [`Self::is_complete`], but only for chains without a diffraction, and also if walls may be passed: pairs of
    /// tiles lose some of these.
    #[doc(hidden)]
    pub is_complete_through_walls: bool,
}

impl Environment {
    /// Cuts a scene into tiles and computes their visibility.
    ///
    /// # Errors
    /// [`Error::Tiles`], [`Error::Cancelled`].
    pub fn new(scene: &Arc<Scene>, tiling: Tiling, control: &Control) -> Result<Self, Error> {
        let tiles = Tiles::new(scene, tiling)?;
        let rows = Arc::new(Visibility::new(scene, &tiles, control)?);
        Ok(Self::with_rows(tiles, rows))
    }

    /// Tiles and their visibility, from memory or from a file.
    pub fn with_rows(tiles: Tiles, rows: Arc<dyn VisibilityRows>) -> Self {
        Self {
            tiles,
            rows,
            min_gain: None,
            is_complete: false,
            is_complete_through_walls: false,
        }
    }

    /// The largest number of edges up to which chains are looked for from each tile; `None` if none are.
    pub(super) fn complete_up_to(&self, limits: &Limits) -> Option<usize> {
        if self.is_complete {
            return Some(1);
        }
        (self.is_complete_through_walls && limits.max_transmissions > 0).then_some(0)
    }
}

/// Searches for coarse paths.
#[derive(Debug)]
pub(super) struct Coarse(TileSearch);

impl Coarse {
    pub(super) fn new(
        world: &World,
        limits: &Limits,
        environment: Environment,
    ) -> Result<Self, Error> {
        let complete_up_to = environment.complete_up_to(limits);
        let Environment {
            tiles,
            rows,
            min_gain,
            ..
        } = environment;
        let mut search = TileSearch::new(world, limits, &tiles, rows)?;
        if let Some(min_gain) = min_gain {
            search = search.with_threshold(world.surfaces(), min_gain);
        }
        Ok(Self(search.without_complete(complete_up_to)))
    }

    pub(super) fn set_margin(&mut self, margin: f32) {
        self.0.margin = margin;
    }

    pub(super) fn search(&self) -> &TileSearch {
        &self.0
    }

    /// The coarse paths from a transmitter to receivers, including the direct paths to all of them.
    pub(super) fn paths(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<CoarsePaths, Error> {
        let chains = self.0.chains(tx, rx, control)?;
        Ok(self.with_direct(chains, rx.len()))
    }

    /// The coarse paths of at most one interaction, none of which is lost.
    pub(super) fn first_order_paths(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<CoarsePaths, Error> {
        let chains = self.0.single_to(tx, rx, control)?;
        Ok(self.with_direct(chains, rx.len()))
    }

    fn with_direct(&self, mut chains: Vec<CoarseChain>, num_rx: usize) -> CoarsePaths {
        if self.0.limits().line_of_sight {
            let all = 0..u32::try_from(num_rx).expect("fewer than 2^32 receivers");
            chains.push(CoarseChain {
                steps: Vec::new(),
                rx: all.collect(),
            });
        }
        CoarsePaths(chains)
    }

    pub(super) fn tiles(&self) -> &Tiles {
        self.0.tiles()
    }

    /// The chains to the centres of all tiles, and the sums of those that the threshold leaves out.
    pub(super) fn chains_to_tiles(
        &self,
        tx: DVec3,
        single: &[CoarseChain],
        keep: &Keep,
        control: &Control,
    ) -> Result<(Vec<CoarseChain>, Unfollowed), Error> {
        self.0.chains_to_tiles(tx, single, keep, control)
    }
}

/// Chains of reflecting planes and edges from a transmitter, and the receivers to which each may lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoarsePaths(pub(in crate::paths) Vec<CoarseChain>);

impl CoarsePaths {
    /// Number of coarse paths: pairs of a chain and a receiver.
    pub fn len(&self) -> usize {
        self.0.iter().map(|chain| chain.rx.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Chains of a search of one's own: the steps from the Tx on, and the numbers of the receivers to which they may
    /// lead. Each pair of a chain and a receiver is made exact as often as it is given.
    pub fn from_chains(chains: impl IntoIterator<Item = (Vec<Step>, Vec<u32>)>) -> Self {
        let chains = chains.into_iter();
        Self(
            chains
                .map(|(steps, rx)| CoarseChain { steps, rx })
                .collect(),
        )
    }

    /// The steps of each chain from the Tx on, and the numbers of the receivers to which it may lead.
    pub fn chains(&self) -> impl ExactSizeIterator<Item = (&[Step], &[u32])> {
        self.0.iter().map(|chain| (&chain.steps[..], &chain.rx[..]))
    }

    pub(super) fn all(&self) -> &[CoarseChain] {
        &self.0
    }
}
