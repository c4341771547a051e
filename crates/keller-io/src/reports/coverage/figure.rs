//! Quantities of a Tx and a cell other than the gain: of their paths, or of the chains over rooftops.

use std::io;
use std::ops::Range;

use keller::coverage::{AngleSpread, CellPaths, CellSpreads, Multipath};
use keller::units::power_to_db;

use super::{CoverageMap, pieces};

/// A quantity of every Tx and cell, named as in tables of paths and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// The value of [`CellPaths::num_paths`].
    NumPaths,
    /// The value of [`CellPaths::has_line_of_sight`].
    LineOfSight,
    /// The value of [`CellPaths::strongest_gain`].
    StrongestGain,
    /// The value of [`CellPaths::coherent_gain`].
    CoherentGain,
    /// The value of [`CellSpreads::mean_delay`].
    MeanDelay,
    /// The value of [`CellSpreads::delay_spread`].
    DelaySpread,
    /// The mean zenith of departure.
    Zod,
    /// The mean azimuth of departure.
    Aod,
    /// The mean zenith of arrival.
    Zoa,
    /// The mean azimuth of arrival.
    Aoa,
    /// The zenith spread of departure.
    Zsd,
    /// The azimuth spread of departure.
    Asd,
    /// The zenith spread of arrival.
    Zsa,
    /// The azimuth spread of arrival.
    Asa,
    /// The value of [`Filled::is_doubtful`](keller::coverage::rooftops::Filled::is_doubtful).
    DoubtfulRooftops,
}

/// The figures of a coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Figures {
    /// No figures: gains alone.
    #[default]
    Nothing,
    /// The figures of [`Figure::MULTIPATH`].
    Multipath,
    /// The figure [`Figure::DoubtfulRooftops`].
    Rooftops,
}

impl Figures {
    /// The figures in the order of files.
    pub fn list(self) -> &'static [Figure] {
        match self {
            Self::Nothing => &[],
            Self::Multipath => &Figure::MULTIPATH,
            Self::Rooftops => &[Figure::DoubtfulRooftops],
        }
    }
}

impl Figure {
    /// All figures of the paths, in the order of files.
    pub const MULTIPATH: [Self; 14] = [
        Self::NumPaths,
        Self::LineOfSight,
        Self::StrongestGain,
        Self::CoherentGain,
        Self::MeanDelay,
        Self::DelaySpread,
        Self::Zod,
        Self::Aod,
        Self::Zoa,
        Self::Aoa,
        Self::Zsd,
        Self::Asd,
        Self::Zsa,
        Self::Asa,
    ];

    /// The name, the unit, and the description.
    pub(crate) const fn names(self) -> [&'static str; 3] {
        match self {
            Self::NumPaths => ["num_paths", "1", "number of paths"],
            Self::LineOfSight => ["line_of_sight", "1", "line of sight (1 free, 0 not)"],
            Self::StrongestGain => ["strongest_gain_db", "dB", "gain of the strongest path"],
            Self::CoherentGain => [
                "coherent_gain_db",
                "dB",
                "gain of all paths added with their phases at the carrier",
            ],
            Self::MeanDelay => ["mean_delay_s", "s", "mean absolute delay"],
            Self::DelaySpread => ["delay_spread_s", "s", "rms delay spread"],
            Self::Zod => ["zod", "rad", "mean zenith of departure"],
            Self::Aod => ["aod", "rad", "mean azimuth of departure"],
            Self::Zoa => ["zoa", "rad", "mean zenith of arrival"],
            Self::Aoa => ["aoa", "rad", "mean azimuth of arrival"],
            Self::Zsd => ["zsd", "rad", "zenith spread of departure"],
            Self::Asd => ["asd", "rad", "azimuth spread of departure"],
            Self::Zsa => ["zsa", "rad", "zenith spread of arrival"],
            Self::Asa => ["asa", "rad", "azimuth spread of arrival"],
            Self::DoubtfulRooftops => [
                "doubtful_rooftops",
                "1",
                "chain over rooftops beyond the theory (1 yes, 0 no)",
            ],
        }
    }

    /// Whether its values are whole numbers: -1 where no receiver can be.
    pub(crate) fn is_whole(self) -> bool {
        matches!(
            self,
            Self::NumPaths | Self::LineOfSight | Self::DoubtfulRooftops
        )
    }

    /// Its value in a cell, gains linear: NaN if it is undefined.
    fn value(self, cell: &CellPaths) -> f64 {
        let spread = |value: fn(&CellSpreads) -> f64| cell.spreads.as_ref().map_or(f64::NAN, value);
        let angle = |angle: fn(&CellSpreads) -> AngleSpread| {
            let nothing = [f64::NAN; 2];
            let both = |s: &CellSpreads| [angle(s).mean, angle(s).spread];
            cell.spreads.as_ref().map_or(nothing, both)
        };
        match self {
            Self::NumPaths => f64::from(cell.num_paths),
            Self::LineOfSight => f64::from(u8::from(cell.has_line_of_sight)),
            Self::StrongestGain => cell.strongest_gain,
            Self::CoherentGain => cell.coherent_gain,
            Self::MeanDelay => spread(|s| s.mean_delay),
            Self::DelaySpread => spread(|s| s.delay_spread),
            Self::Zod => angle(|s| s.departure[0])[0],
            Self::Aod => angle(|s| s.departure[1])[0],
            Self::Zoa => angle(|s| s.arrival[0])[0],
            Self::Aoa => angle(|s| s.arrival[1])[0],
            Self::Zsd => angle(|s| s.departure[0])[1],
            Self::Asd => angle(|s| s.departure[1])[1],
            Self::Zsa => angle(|s| s.arrival[0])[1],
            Self::Asa => angle(|s| s.arrival[1])[1],
            // The figure is none of paths.
            Self::DoubtfulRooftops => f64::NAN,
        }
    }

    /// The value in files for a cell with a path gain: that of a cell without paths if the gain does not count.
    fn shown(self, value: f64, path_gain: f64) -> f64 {
        let is_gain = matches!(self, Self::StrongestGain | Self::CoherentGain);
        if path_gain.is_nan() {
            f64::NAN
        } else if is_gain {
            power_to_db(if path_gain > 0.0 { value } else { 0.0 })
        } else if path_gain > 0.0 {
            value
        } else if self.is_whole() {
            0.0
        } else {
            f64::NAN
        }
    }

    /// The row of a [`super::CellValues`] that holds it, if there is such a row.
    fn row(self, tx: usize, num_tx: usize) -> usize {
        let before = Self::MULTIPATH.iter().take_while(|figure| **figure != self);
        // A figure that is none of paths is the only one.
        let place = match self {
            Self::DoubtfulRooftops => 0,
            _ => before.count(),
        };
        (1 + place) * num_tx + tx
    }
}

/// The rows that a [`super::CellValues`] has for a Tx: its gains, and then every figure.
pub fn rows_of(tx: usize, num_tx: usize, figures: Figures) -> Vec<usize> {
    let figures = figures.list().iter();
    let figures = figures.map(|figure| figure.row(tx, num_tx));
    [tx].into_iter().chain(figures).collect()
}

/// The contents of these rows for [`Figures::Multipath`].
pub fn rows(multipath: Multipath) -> impl Iterator<Item = Vec<f64>> {
    let Multipath { path_gain, cells } = multipath;
    let figures = Figure::MULTIPATH.into_iter().map(move |figure| {
        let values = cells.iter().map(|cell| figure.value(cell));
        values.collect()
    });
    [path_gain].into_iter().chain(figures)
}

impl CoverageMap<'_> {
    /// The number of cells and Tx with a chain over rooftops beyond the theory; zero if there is no such figure.
    ///
    /// # Errors
    /// If figures cannot be read.
    pub fn num_doubtful_rooftops(&self) -> io::Result<usize> {
        if self.figures != Figures::Rooftops {
            return Ok(0);
        }
        let mut values = Vec::new();
        let mut count = 0;
        for tx in 0..self.tx.len() {
            for piece in pieces(0..self.region.num_cells()) {
                self.read_figure(Figure::DoubtfulRooftops, tx, piece, &mut values)?;
                count += values.iter().filter(|value| **value > 0.0).count();
            }
        }
        Ok(count)
    }

    /// Makes `values` a figure of a Tx in some cells, gains in dB: minus infinity where no path leads, NaN where it is
    /// undefined.
    pub(super) fn read_figure(
        &self,
        figure: Figure,
        tx: usize,
        cells: Range<usize>,
        values: &mut Vec<f64>,
    ) -> io::Result<()> {
        let row = figure.row(tx, self.tx.len());
        self.gains.row(row, cells.clone(), values)?;
        let mut gains = Vec::new();
        self.read(tx, cells, &mut gains)?;
        for (value, gain) in values.iter_mut().zip(gains) {
            *value = figure.shown(*value, gain);
        }
        Ok(())
    }
}
