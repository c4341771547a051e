//! How much the pairing of tiles may have missed of paths of several interactions.
//!
//! Paths of one interaction are all found, without pairs of tiles; pairs of tiles find most of them too. So the share
//! that they find is known for each transmitter, of reflections and of diffractions apart, and every interaction of a
//! longer path is taken to be found with that share.
//!
//! Theory page: `surfaces`.

use std::collections::BTreeMap;

use super::arrival::TileWave;
use crate::paths::{InteractionKind, Path, TileChains};
use crate::scene::Scene;

/// What pairs of tiles find of paths of one interaction, which are all known, and what they may thus have missed of
/// those of more. An estimate, not a bound: a single tile may lack its strongest path. Gains are means over the area of
/// both sides of all tiles, diffuse power aside.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Recall {
    /// The share of paths of one reflection that pairs of tiles find; none without any such path.
    pub reflections: Option<f64>,
    /// The same of one diffraction.
    pub diffractions: Option<f64>,
    /// Of paths of several interactions, path gain.
    pub longer_gain: f64,
    /// What these lack, as estimated.
    pub missing_gain: f64,
    /// Of all paths that were found.
    pub all_gain: f64,
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

/// What pairs of tiles found of something, of how much.
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

    /// The smaller share, of number or of power: a few strong paths say little about many.
    fn share(&self) -> Option<f64> {
        let [all, found] = self.num;
        (all > 0.0).then(|| (found / all).min(self.gain[1] / self.gain[0]))
    }
}

/// What a tile adds to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// One reflection, and one diffraction.
    single: [Part; 2],
    /// By number of reflections and of diffractions.
    longer: BTreeMap<[usize; 2], f64>,
    all: f64,
    area: f64,
}

impl Tally {
    /// Of the paths to a tile and what they bring.
    pub(super) fn of(
        scene: &Scene,
        chains: &TileChains,
        area: f64,
        paths: &[Path],
        arrivals: &[TileWave],
    ) -> Self {
        let mut tally = Self {
            area: 2.0 * area,
            ..Self::default()
        };
        for (path, arrival) in paths.iter().zip(arrivals) {
            let gain = area * arrival.gain;
            tally.all += gain;
            if gain <= 0.0 {
                continue;
            }
            let count = |kind| path.interactions().filter(|i| i.kind() == kind).count();
            let kinds = [InteractionKind::Reflection, InteractionKind::Diffraction].map(count);
            if kinds[0] + kinds[1] > 1 {
                *tally.longer.entry(kinds).or_default() += gain;
            } else if path.vertices.len() == 1 && kinds != [0, 0] {
                tally.single[kinds[1]].add(gain, chains.is_paired(scene, path));
            }
        }
        tally
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (own, other) in self.single.iter_mut().zip(&other.single) {
            own.add_all(other);
        }
        for (kinds, gain) in &other.longer {
            *self.longer.entry(*kinds).or_default() += gain;
        }
        self.all += other.all;
        self.area += other.area;
    }

    pub(super) fn recall(&self) -> Recall {
        let [reflections, diffractions] = self.single.map(|part| part.share());
        // Of a kind that no single path has, what is known of the other.
        let known = |own: Option<f64>, other: Option<f64>| own.or(other).unwrap_or(1.0);
        let shares = [
            known(reflections, diffractions),
            known(diffractions, reflections),
        ]
        .map(|share| share.max(MIN_SHARE));
        let mut recall = Recall {
            reflections,
            diffractions,
            ..Recall::default()
        };
        for (kinds, gain) in &self.longer {
            let found: f64 = std::iter::zip(shares, kinds)
                .map(|(share, count)| (0..*count).map(|_| share).product::<f64>())
                .product();
            recall.longer_gain += gain;
            recall.missing_gain += gain * (1.0 / found - 1.0);
        }
        recall.all_gain = self.all;
        if self.area > 0.0 {
            for gain in [
                &mut recall.longer_gain,
                &mut recall.missing_gain,
                &mut recall.all_gain,
            ] {
                *gain /= self.area;
            }
        }
        recall
    }
}

/// Where pairs of tiles find next to nothing, the estimate ends.
const MIN_SHARE: f64 = 0.1;
