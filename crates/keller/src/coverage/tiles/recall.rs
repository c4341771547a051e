//! Estimates how much the search by pairs of tiles may have missed of paths of several interactions.
//!
//! Paths of one interaction are all found, without pairs of tiles. Pairs of tiles find most of these paths too. So the
//! share that pairs find is known for each Tx, separately for reflections and diffractions. Every interaction of a
//! longer path but the first is assumed to be found with that share: longer paths begin with the known paths of one
//! interaction. Where no walls are passed, paths of reflections alone are all found, and longer paths begin with all
//! paths that end at their first diffraction. With two interactions, a reflection behind that is lost only where the tile
//! that reflects it does not see the other: the share for this comes from the paths of one reflection too. Paths of up
//! to one diffraction are all found where they are looked for from the tiles
//! ([`Environment::is_complete`](crate::paths::Environment::is_complete)).
//!
//! Theory page: `surfaces`.

use std::collections::BTreeMap;

use super::arrival::TileWave;
use crate::paths::{Interaction, InteractionKind, Path, TileChains};
use crate::scene::Scene;

/// The share of paths of one interaction that pairs of tiles find, and an estimate of the longer paths that they
/// missed. All paths of one interaction are known, so that share is exact. The estimate is not a bound: a single tile
/// may lack its strongest path. Gains are means over the area of both sides of all tiles, without diffuse power.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Recall {
    /// The share of paths of one reflection that pairs of tiles find; `None` without any such path.
    pub reflections: Option<f64>,
    /// The same share for paths of one diffraction.
    pub diffractions: Option<f64>,
    /// Path gain of the paths of several interactions that were found.
    pub longer_gain: f64,
    /// Estimated path gain of the paths of several interactions that are missing.
    pub missing_gain: f64,
    /// Path gain of all paths that were found.
    pub all_gain: f64,
    /// Upper bound of the power, relative to that of the Tx, that all tiles together lack of waves that were too weak
    /// to be followed or scattered again; 0 without a threshold ([`super::TileCoverage::with_min_gain`]). It assumes
    /// that no interaction adds power, which holds for reflections and only about for diffraction.
    pub unfollowed_power: f64,
}

impl Recall {
    /// The estimated share of the power of all paths that is missing.
    pub fn missing_share(&self) -> f64 {
        let all = self.all_gain + self.missing_gain;
        if all > 0.0 {
            self.missing_gain / all
        } else {
            0.0
        }
    }
}

/// Number and gain of one kind of paths: of all, and of those that pairs of tiles find.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    num: [f64; 2],
    gain: [f64; 2],
}

impl Part {
    fn add(&mut self, gain: f64, is_paired: bool) {
        for k in 0..=usize::from(is_paired) {
            self.num[k] += 1.0;
            self.gain[k] += gain;
        }
    }

    fn add_all(&mut self, other: &Self) {
        for k in 0..2 {
            self.num[k] += other.num[k];
            self.gain[k] += other.gain[k];
        }
    }

    /// The smaller of the shares of number and of power, because a few strong paths say little about many.
    fn share(&self) -> Option<f64> {
        let [all, found] = self.num;
        (all > 0.0).then(|| (found / all).min(self.gain[1] / self.gain[0]))
    }
}

/// The contribution of a tile to the estimate.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Paths of one reflection, and of one diffraction.
    single: [Part; 2],
    /// Paths of one reflection, of which pairs find those whose reflecting tile sees the other.
    behind: Part,
    /// Gain by the numbers of reflections and of diffractions that pairs of tiles find, and of reflections by tiles
    /// that are all known.
    longer: BTreeMap<[usize; 3], f64>,
    all: f64,
}

impl Tally {
    /// The contribution of the paths to a tile and their waves.
    pub(super) fn of(
        scene: &Scene,
        chains: &TileChains,
        area: f64,
        paths: &[Path],
        arrivals: &[TileWave],
    ) -> Self {
        let mut tally = Self::default();
        for (path, arrival) in paths.iter().zip(arrivals) {
            let gain = area * arrival.gain;
            tally.all += gain;
            if gain <= 0.0 {
                continue;
            }
            let count = |kind| path.interactions().filter(|i| i.kind() == kind).count();
            let kinds = [InteractionKind::Reflection, InteractionKind::Diffraction];
            let first = path.interactions().find(|i| kinds.contains(&i.kind()));
            let mut kinds = kinds.map(count);
            if kinds[0] + kinds[1] > 1 {
                let mut behind = 0;
                if chains.has_all(kinds[1]) {
                    // No path of it is found by chance.
                    kinds = [0, 0];
                } else if chains.have_first_edges() {
                    // All up to the first edge is known.
                    let is_bent = |i: &Interaction| i.kind() == InteractionKind::Diffraction;
                    let before = path.interactions().take_while(|i| !is_bent(i));
                    let mirrors = before.filter(|i| i.kind() == InteractionKind::Reflection);
                    kinds = [kinds[0] - mirrors.count(), kinds[1] - 1];
                    if kinds == [1, 0] && chains.are_lit_in_part() {
                        (kinds, behind) = ([0, 0], 1);
                    }
                } else {
                    let is_bent = first.is_some_and(|i| i.kind() == InteractionKind::Diffraction);
                    kinds[usize::from(is_bent)] -= 1;
                }
                *tally
                    .longer
                    .entry([kinds[0], kinds[1], behind])
                    .or_default() += gain;
            } else if path.vertices.len() == 1
                && kinds != [0, 0]
                && let Some(is_paired) = chains.is_paired(scene, path)
            {
                tally.single[kinds[1]].add(gain, is_paired);
                if let Some(is_paired) = chains.is_paired_behind(scene, path) {
                    tally.behind.add(gain, is_paired);
                }
            }
        }
        tally
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (own, other) in self.single.iter_mut().zip(&other.single) {
            own.add_all(other);
        }
        self.behind.add_all(&other.behind);
        for (kinds, gain) in &other.longer {
            *self.longer.entry(*kinds).or_default() += gain;
        }
        self.all += other.all;
    }

    /// The estimate for tiles of this area together, m².
    pub(super) fn recall(&self, area: f64) -> Recall {
        let [reflections, diffractions] = self.single.map(|part| part.share());
        // The share of the other kind stands in if there are no single paths of one kind.
        let known = |own: Option<f64>, other: Option<f64>| own.or(other).unwrap_or(1.0);
        let shares = [
            known(reflections, diffractions),
            known(diffractions, reflections),
        ]
        .map(|share| share.max(MIN_SHARE));
        let behind = self.behind.share().unwrap_or(1.0).max(shares[0]);
        let mut recall = Recall {
            reflections,
            diffractions,
            ..Recall::default()
        };
        for (kinds, gain) in &self.longer {
            let shares = [shares[0], shares[1], behind];
            let found: f64 = std::iter::zip(shares, kinds)
                .map(|(share, count)| (0..*count).map(|_| share).product::<f64>())
                .product();
            recall.longer_gain += gain;
            recall.missing_gain += gain * (1.0 / found - 1.0);
        }
        recall.all_gain = self.all;
        if area > 0.0 {
            for gain in [
                &mut recall.longer_gain,
                &mut recall.missing_gain,
                &mut recall.all_gain,
            ] {
                *gain /= 2.0 * area;
            }
        }
        recall
    }
}

/// Smaller shares count as this one, because the estimate fails where pairs of tiles find nearly nothing.
const MIN_SHARE: f64 = 0.1;
