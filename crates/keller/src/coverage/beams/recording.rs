//! Paths kept without their losses, so that other losses cost no map.

use glam::DVec2;

use super::departure::Departure;
use super::depth::num_walls;
use super::loss::{Bends, power};
use super::map::{Memory, Source};
use super::streets::{Sender, Streets};
use super::strings::Way;
use super::triangulation::NOTHING;
use super::{Beams, Combination, Kind, Losses};
use crate::{Control, Error, Tx};

/// A path to a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedPath {
    /// The gain of free space and the antenna, linear.
    pub gain: f64,
    /// The obstacles, which add losses.
    pub through: Through,
}

/// The obstacles of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Through {
    /// No obstacle: the transmitter is visible.
    Air,
    /// The number of walls on the straight line.
    Walls(u32),
    /// Corners in the street.
    Corners(Bends),
    /// Roofs.
    Roofs(Bends),
}

/// The paths of one transmitter to some cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Cell by cell, in the order in which they were asked for.
    paths: Vec<RecordedPath>,
    /// The end of each cell's paths.
    ends: Vec<usize>,
    combination: Combination,
}

impl Losses {
    /// The loss of a path's obstacles, dB.
    pub fn of(&self, through: Through) -> f64 {
        match through {
            Through::Air => 0.0,
            Through::Walls(count) => self.walls(count),
            Through::Corners(bends) => self.street(bends),
            Through::Roofs(bends) => self.roof(bends),
        }
    }
}

impl Recording {
    /// Number of cells.
    pub fn num_cells(&self) -> usize {
        self.ends.len()
    }

    /// All paths, cell by cell.
    pub fn paths(&self) -> &[RecordedPath] {
        &self.paths
    }

    /// The paths to a cell, by its place among those that were asked for.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn paths_to(&self, cell: usize) -> &[RecordedPath] {
        let start = cell.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.paths[start..self.ends[cell]]
    }

    /// The linear path gain of a cell with these losses; 0 where no path leads.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn gain(&self, cell: usize, losses: &Losses) -> f64 {
        let paths = self.paths_to(cell).iter();
        let gains = paths.map(|path| path.gain * power(losses.of(path.through)));
        match self.combination {
            Combination::Sum => gains.sum(),
            Combination::Strongest => gains.fold(0.0, f64::max),
        }
    }
}

impl Beams {
    /// The numbers of the cells that maps fill: those outdoors where a receiver can be, and those indoors if the settings
    /// say so.
    pub fn filled_cells(&self) -> Vec<usize> {
        let [nx, ny] = self.raster.count;
        let of_level = |level: usize| {
            let cells = (0..ny).flat_map(move |row| (0..nx).map(move |column| (column, row)));
            let filled = cells.filter(move |(column, row)| {
                self.is_filled(self.planes[level].kinds[column * ny + row])
            });
            filled.map(move |(column, row)| level * nx * ny + row * nx + column)
        };
        (0..self.planes.len()).flat_map(of_level).collect()
    }

    /// Records the paths of a Tx to the cells with these numbers. No path is left out because it is weak.
    ///
    /// # Errors
    /// The errors of [`Self::gains`].
    ///
    /// # Panics
    /// If the region has no such cell.
    pub fn record(
        &self,
        tx: &Tx,
        cells: &[usize],
        control: &Control<'_>,
    ) -> Result<Recording, Error> {
        let source = self.source(tx.position)?;
        let departure = Departure::new(&tx.antenna, self.region.rotation());
        let [nx, ny] = self.raster.count;
        let mut memory = Memory::default();
        let mut of_cells: Vec<Vec<RecordedPath>> = vec![Vec::new(); cells.len()];
        for level in 0..self.planes.len() {
            control.check()?;
            // The position among the wanted cells of each cell of the level, by columns.
            let mut numbers = vec![NOTHING; nx * ny];
            let of_level = cells.iter().enumerate();
            for (number, cell) in of_level.filter(|(_, cell)| *cell / (nx * ny) == level) {
                let (row, column) = (cell % (nx * ny) / nx, cell % nx);
                if self.is_filled(self.planes[level].kinds[column * ny + row]) {
                    numbers[column * ny + row] =
                        u32::try_from(number).expect("fewer than 2^32 cells");
                }
            }
            if numbers.iter().all(|number| *number == NOTHING) {
                continue;
            }
            let put = |number: u32, path| of_cells[number as usize].push(path);
            self.record_level((source, level), &departure, &numbers, &mut memory, put);
        }
        let ends = of_cells.iter().scan(0, |end, paths| {
            *end += paths.len();
            Some(*end)
        });
        Ok(Recording {
            ends: ends.collect(),
            paths: of_cells.concat(),
            combination: self.settings.combination,
        })
    }

    /// Calls `put` with every path to the cells of a level that have a number.
    fn record_level(
        &self,
        (source, level): (Source, usize),
        departure: &Departure,
        numbers: &[u32],
        memory: &mut Memory,
        mut put: impl FnMut(u32, RecordedPath),
    ) {
        let plane = &self.planes[level];
        let num_rows = self.raster.count[1];
        let at_a_metre = self.at_a_metre();
        self.look_through(source, level, memory);
        let visible = &memory.visible;
        let is_visible = |cell: usize| visible.has(cell / num_rows, cell % num_rows);
        let rise = plane.height - source.height;
        let straight = |away: DVec2| {
            departure.gain(away, rise) * at_a_metre
                / (away.length_squared() + rise * rise).max(1e-6)
        };
        for (cell, number) in numbers.iter().enumerate() {
            if *number == NOTHING {
                continue;
            }
            let away = self.raster.centre(cell / num_rows, cell % num_rows) - source.place;
            let through = if is_visible(cell) {
                Through::Air
            } else if self.settings.has_walls {
                Through::Walls(u32::from(num_walls(memory.depth.counts()[cell])))
            } else {
                continue;
            };
            let gain = straight(away);
            put(*number, RecordedPath { gain, through });
        }
        if self.settings.max_bends > 0 {
            let corners = self.visible_corners(source, level, &memory.visibility.points);
            let free = Losses {
                street_bend: [0.0; 3],
                ..self.settings.losses
            };
            let streets = Streets {
                losses: &free,
                min_gain: 0.0,
                ..self.streets(level)
            };
            let sender = Sender {
                place: source.place,
                rise: -rise,
                departure,
                visibility: visible,
                corners: &corners,
            };
            streets.each_cell(&sender, &mut memory.masks, |beam, cell, away| {
                if numbers[cell] != NOTHING && !is_visible(cell) {
                    let length = beam.length + away.length();
                    let angle = beam.direction.angle_to(away).abs();
                    let of_tx = departure.gain(length * beam.departure, rise);
                    let gain = of_tx * at_a_metre / (length * length + rise * rise);
                    let through = Through::Corners(beam.bends.and(angle));
                    put(numbers[cell], RecordedPath { gain, through });
                }
            });
        }
        if self.settings.has_roofs {
            let is_asked = |cell: usize| numbers[cell] != NOTHING && !is_visible(cell);
            let of = |way: &Way| RecordedPath {
                gain: departure.gain(way.departure, way.rise) * at_a_metre
                    / (way.length * way.length),
                through: Through::Roofs(way.bends),
            };
            let from = (source.place, source.height);
            for (cell, path) in self.roofs(level).each(from, is_asked, of) {
                put(numbers[cell as usize], path);
            }
        }
    }

    /// Whether maps have such cells.
    pub(super) fn is_filled(&self, kind: Kind) -> bool {
        match kind {
            Kind::Outdoors => true,
            Kind::Indoors => self.settings.has_indoors,
            Kind::Blocked => false,
        }
    }
}
