//! Finds paths by the search `tubes`: first the strongest, then all that are not too weak beside them.
//!
//! A threshold that is a share of all power needs to know this power. So paths of one interaction are looked for first.
//! The others are then searched for down to that share. Around the strongest of all paths, similar ones are tried
//! (`variations`).

use std::f64::consts::PI;

use super::by_tiles::{CoarsePaths, refine};
use super::by_views::by_views;
use super::job::{Job, Transmitter};
use super::search::tubes::TubeSearch;
use super::search::{Effort, Search, Searcher};
use super::variations::search_variations;
use super::{Limits, Path};
use crate::antenna::Antenna;
use crate::field::PathField;
use crate::{Error, World, parallel};

use glam::DVec3;

/// The weakest paths that are wanted, by their path gain between isotropic antennas.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Thresholds {
    /// The smallest path gain, linear; 0 for none.
    pub min_gain: f64,
    /// The smallest share of the sum of all paths of a link; 0 for none.
    pub min_share: f64,
}

/// A path may be stronger than its tube by this factor: tubes know no polarisation.
const MARGIN: f64 = 4.0;

/// Paths weaker than free space by this factor are not looked for.
const FLOOR: f64 = 1e-9;

/// Paths with at least this share of the power of their link are varied.
const VARIED: f64 = 0.01;

/// Finds paths by tubes.
#[derive(Debug)]
pub(super) struct TubeFinder {
    world: World,
    /// The search for paths of one interaction.
    first: TubeSearch,
    all: TubeSearch,
    /// The search for receivers outside the scene.
    outside: Searcher,
    thresholds: Thresholds,
    /// The distance from a path within which its variations are tried, metres.
    reach: f64,
}

impl TubeFinder {
    /// # Errors
    /// [`Error::SearchTooLarge`] for several diffractions.
    pub(super) fn new(effort: Effort, world: &World, limits: &Limits) -> Result<Self, Error> {
        if limits.max_diffractions > 1 {
            return Err(Error::SearchTooLarge(format!(
                "the search `tubes` follows paths around one edge, and the limits allow {} diffractions; use the search `launch` or \
                 `complete` for these",
                limits.max_diffractions
            )));
        }
        let short = Limits {
            max_interactions: limits.max_interactions.min(1),
            ..*limits
        };
        let mut finder = Self {
            world: world.clone(),
            first: TubeSearch::new(effort, world, &short),
            all: TubeSearch::new(effort, world, limits),
            outside: Searcher::new(Search::Launch(effort), world, limits),
            thresholds: Thresholds::default(),
            reach: TubeSearch::reach_of_variations(world.scene()),
        };
        finder.set_thresholds(Thresholds::default());
        Ok(finder)
    }

    pub(super) fn set_thresholds(&mut self, thresholds: Thresholds) {
        self.thresholds = thresholds;
        let [low, high] = self.world.scene().bounds();
        let weakest = narrow(thresholds.min_gain.max(self.floor(low.distance(high))));
        self.first.set_weakest(weakest);
        self.all.set_weakest(weakest);
    }

    /// The gain at a distance, metres, below which nothing is looked for, linear.
    fn floor(&self, distance: f64) -> f64 {
        let free = self.world.frequency().wavelength() / (4.0 * PI * distance.max(1.0));
        FLOOR * free * free
    }

    /// The paths to receivers, each once. Tubes end where the scene ends: for receivers outside, rays are launched.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn paths(
        &self,
        job: &Job,
        tx: &Transmitter,
        rx: &[DVec3],
    ) -> Result<Vec<Path>, Error> {
        let [low, high] = job.scene.bounds();
        let is_inside = |at: &DVec3| at.cmpge(low).all() && at.cmple(high).all();
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            (0..rx.len()).partition(|index| is_inside(&rx[*index]));
        let at = |list: &[usize]| list.iter().map(|index| rx[*index]).collect::<Vec<_>>();
        let mut paths = Vec::new();
        if !inside.is_empty() {
            let found = self.paths_inside(job, tx, &at(&inside))?;
            paths.extend(found.into_iter().map(|path| Path {
                rx: inside[path.rx],
                ..path
            }));
        }
        if !outside.is_empty() {
            let views = self.outside.tx_views(tx.position, job.control)?;
            let from = Transmitter {
                views: &views,
                ..*tx
            };
            let found = by_views(job, &self.outside, &from, &at(&outside))?;
            paths.extend(found.into_iter().map(|path| Path {
                rx: outside[path.rx],
                ..path
            }));
        }
        Ok(paths)
    }

    fn paths_inside(&self, job: &Job, tx: &Transmitter, rx: &[DVec3]) -> Result<Vec<Path>, Error> {
        let chains = self
            .all
            .chains(tx.position, rx, &self.least(job, tx, rx)?, job.control)?;
        let (mut paths, _) = refine(job, tx, rx, &CoarsePaths(chains))?;
        paths.sort_by_key(|path| path.rx);
        let (gains, sums) = self.gains(&paths, rx.len());
        let is_strong = paths
            .iter()
            .zip(gains)
            .map(|(path, gain)| gain >= VARIED * sums[path.rx]);
        let is_strong: Vec<bool> = is_strong.collect();
        let more = search_variations(job, tx, rx, &paths, self.reach, |index| is_strong[index])?;
        paths.extend(more);
        Ok(paths)
    }

    /// The smallest gain of a tube that may bring a wanted path, for each receiver.
    fn least(&self, job: &Job, tx: &Transmitter, rx: &[DVec3]) -> Result<Vec<f32>, Error> {
        let Thresholds {
            min_gain,
            min_share,
        } = self.thresholds;
        let floor = |rx: &DVec3| min_gain.max(self.floor(tx.position.distance(*rx)));
        let floors: Vec<f32> = rx.iter().map(|rx| narrow(floor(rx))).collect();
        if min_share == 0.0 {
            return Ok(floors);
        }
        let chains = self.first.chains(tx.position, rx, &floors, job.control)?;
        let (paths, _) = refine(job, tx, rx, &CoarsePaths(chains))?;
        let (_, sums) = self.gains(&paths, rx.len());
        let least = sums.iter().zip(floors);
        Ok(least
            .map(|(sum, floor)| narrow(min_share * sum).max(floor))
            .collect())
    }

    /// The gain of each path between isotropic antennas, and the sum of each receiver, linear.
    fn gains(&self, paths: &[Path], num_rx: usize) -> (Vec<f64>, Vec<f64>) {
        let isotropic = Antenna::default();
        let gains = parallel::map_slice(paths, |path| {
            PathField::new(path, &self.world).gain(&isotropic, &isotropic)
        });
        let mut sums = vec![0.0; num_rx];
        for (path, gain) in paths.iter().zip(&gains) {
            sums[path.rx] += gain;
        }
        (gains, sums)
    }
}

/// The gain of a tube that may bring a path of this gain.
#[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
fn narrow(gain: f64) -> f32 {
    (gain / MARGIN) as f32
}
