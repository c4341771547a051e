//! Coarse paths over tiles, as proposed by [`super::search::tiles`]; [`super::refine`] makes them exact.

use std::sync::Arc;

use glam::DVec3;

use super::Limits;
use super::search::tiles::{CoarseChain, Keep, TileSearch, Unfollowed};
#[cfg(feature = "lab")]
use super::search::tiles::{Hit, Rays, Streaming, chains_of, hits_of};
use crate::scene::Scene;
use crate::tiles::{Tiles, Tiling, Visibility, VisibilityRows};
use crate::{Control, Error, World};

/// The discrete environment in which coarse paths are searched for.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Its tiles.
    pub tiles: Tiles,
    /// Which tiles are visible from each other.
    pub rows: Arc<dyn VisibilityRows>,
    /// Leaves out paths that surely have less path gain than this (linear, between isotropic antennas), and does not
    /// follow them; keeps all paths if absent. The rays of Vaara 2022 ignore it.
    pub min_gain: Option<f64>,
    /// Whether chains to tiles are also looked for from each tile, by the search
    /// [`Complete`](super::Search::Complete). None of at most one diffraction is then lost, and each tile takes as long
    /// as a receiver of that search. It concerns coverage of surfaces alone.
    pub is_complete: bool,
    /// The same for chains without a diffraction alone, where walls may be passed: pairs of tiles lose some of these.
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
        Ok(Self(search.beside_complete(complete_up_to)))
    }

    /// The same search, following rays from tile to tile instead of fronts.
    #[cfg(feature = "lab")]
    pub(super) fn follow_rays(&mut self, rays: Rays) {
        self.0.rays = Some(rays);
    }

    /// Hands coarse paths on while it searches.
    #[cfg(feature = "lab")]
    pub(super) fn stream(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        streaming: &Streaming,
        deliver: &(dyn Fn(&[Hit]) + Sync),
        control: &Control,
    ) -> Result<(), Error> {
        self.0.stream(tx, rx, streaming, deliver, control)
    }

    /// Sets how much of a tile may lie beside the illuminated part for the tile to count. 0 requires the centre to be
    /// illuminated, as in Vaara 2022; 1, the value of keller, takes all tiles of which any part may be illuminated.
    #[cfg(feature = "lab")]
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

    /// The chains to the centres of all tiles, and what the threshold leaves out of them.
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
pub struct CoarsePaths(Vec<CoarseChain>);

impl CoarsePaths {
    /// Number of coarse paths: pairs of a chain and a receiver.
    pub fn len(&self) -> usize {
        self.0.iter().map(|chain| chain.rx.len()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn chains(&self) -> &[CoarseChain] {
        &self.0
    }

    /// Number of chains.
    #[cfg(feature = "lab")]
    pub fn num_chains(&self) -> usize {
        self.0.len()
    }

    /// These coarse paths by chain, doubles joined.
    #[cfg(feature = "lab")]
    pub fn from_hits(hits: Vec<Hit>) -> Self {
        Self(chains_of(hits))
    }

    /// All of them, in order.
    #[cfg(feature = "lab")]
    pub fn to_hits(&self) -> Vec<Hit> {
        let mut hits: Vec<Hit> = self.0.iter().flat_map(hits_of).collect();
        hits.sort_unstable();
        hits
    }
}
