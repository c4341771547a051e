//! Random towns with a Tx, covered by tubes and by points.

use glam::DVec2;
use keller::antenna::{Antenna, Orientation, Pattern, Polarization};
use keller::coverage::points;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::coverage::{Levels, Region};
use keller::paths::{Limits, PathOptions, Search};
use keller::{Control, DVec3, Tx, World};

use super::{Random, by_name, devices, random_city};

pub(crate) const MIN_GAIN: f64 = 1e-13;

pub(crate) struct Town {
    pub(crate) world: World,
    pub(crate) region: Region,
    pub(crate) tx: DVec3,
}

impl Town {
    pub(crate) fn random(seed: u64) -> Self {
        let (mesh, [low, high]) = random_city(seed);
        let world = by_name(&mesh, None, 2e9);
        let tx = devices(world.scene(), &mut Random(seed + 9), [low, high], 1)[0];
        let region = Region {
            min: low.truncate(),
            axis: DVec2::X,
            resolution: DVec2::splat(2.0),
            num_columns: ((high - low).truncate() / 2.0)
                .as_uvec2()
                .to_array()
                .map(|n| n as usize),
            levels: Levels::AboveSea(vec![low.z + 1.5, low.z + 4.5]),
        };
        Self { world, region, tx }
    }

    /// The same place in another world.
    pub(crate) fn within(&self, world: &World) -> Self {
        Self {
            world: world.clone(),
            region: self.region.clone(),
            tx: self.tx,
        }
    }

    pub(crate) fn tubes(&self, limits: &Limits, accuracy: Accuracy) -> Tubes {
        let settings = Settings {
            limits: *limits,
            accuracy,
            min_gain: MIN_GAIN,
        };
        Tubes::new(&self.world, &self.region, settings)
    }

    pub(crate) fn all(&self) -> std::ops::Range<usize> {
        0..self.region.num_cells()
    }

    pub(crate) fn fresh(&self, tubes: &Tubes, antenna: &Antenna) -> Vec<f64> {
        let sender = Tx {
            position: self.tx,
            antenna: antenna.clone(),
        };
        let gains = tubes.gains(&sender, self.all(), &Control::default());
        gains.unwrap()
    }

    pub(crate) fn by_points(&self, limits: &Limits, antenna: &Antenna) -> Vec<f64> {
        let options = PathOptions {
            limits: *limits,
            search: Some(Search::Complete),
        };
        let sender = Tx {
            position: self.tx,
            antenna: antenna.clone(),
        };
        let map = points::coverage(
            &self.world,
            &[sender],
            self.region.clone(),
            &options,
            &Control::default(),
        );
        map.unwrap().path_gain
    }
}

/// A sector of a mast.
pub(crate) fn sector(bearing: f64, downtilt: f64, polarization: Polarization) -> Antenna {
    Antenna {
        pattern: Pattern::Tr38901,
        polarization,
        orientation: Orientation {
            bearing,
            downtilt,
            ..Orientation::default()
        },
        ..Antenna::default()
    }
}

pub(crate) fn reflections(most: usize) -> Limits {
    Limits {
        max_interactions: most,
        max_reflections: most,
        ..Limits::default()
    }
}

pub(crate) fn one_edge() -> Limits {
    Limits {
        max_diffractions: 1,
        ..reflections(2)
    }
}

/// The largest differences of half of the cells that either has, and of nineteen of twenty, dB; infinite where one has
/// none.
pub(crate) fn errors(pairs: impl Iterator<Item = (f64, f64)>) -> [f64; 2] {
    let has_any = |(a, b): &(f64, f64)| !b.is_nan() && (*a > 0.0 || *b > MIN_GAIN);
    let difference = |(a, b): (f64, f64)| (10.0 * (a / b).log10()).abs();
    let mut errors: Vec<f64> = pairs.filter(has_any).map(difference).collect();
    errors.sort_by(f64::total_cmp);
    assert!(errors.len() > 1000, "{} cells", errors.len());
    [2, 20].map(|part| errors[errors.len() - 1 - (errors.len() - 1) / part])
}

pub(crate) fn bits(gains: &[f64]) -> Vec<u64> {
    gains.iter().map(|gain| gain.to_bits()).collect()
}
