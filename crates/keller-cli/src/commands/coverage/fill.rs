//! Fills the cells block by block, and keeps what is finished.

use std::io;
use std::ops::Range;

use bytesize::ByteSize;
use keller::Control;
use keller::antenna::Antenna;
use keller::coverage::Region;
use keller::coverage::points::{Points, Transmitter};
use keller::coverage::rooftops::Rooftops;
use keller::coverage::tubes::Tubes;
use keller_io::coverage::{Figures, Fingerprint, MANY_TX, Part, Store, rows, rows_of};
use keller_io::scenario::Scenario;

use super::memory;
use crate::args::CoverageArgs;
use crate::ending;
use crate::failure::Failure;
use crate::files::Outputs as Files;
use crate::job::Place;
use crate::progress::Progress;
use crate::stop;
use crate::summary::Stage;

/// Cells that the paths are found for at a time: what a Tx sees is looked for once for all of them, and this is what Ctrl-C may cost.
const POINTS_AT_ONCE: usize = 1 << 15;

/// Who fills, and with what.
#[derive(Debug)]
pub(super) struct Filler<'a> {
    pub(super) engine: Engine<'a>,
    pub(super) figures: Figures,
}

#[derive(Debug)]
pub(super) enum Engine<'a> {
    Points(Points<'a>),
    Tubes {
        tubes: Box<Tubes<'a>>,
        /// Chains of edges over the rooftops beside them, if they are asked for.
        rooftops: Option<Rooftops<'a>>,
    },
}

impl Filler<'_> {
    pub(super) fn ground(&self) -> &[f64] {
        match &self.engine {
            Engine::Points(points) => points.ground(),
            Engine::Tubes { tubes, .. } => tubes.ground(),
        }
    }

    fn num_cells(&self) -> usize {
        match &self.engine {
            Engine::Points(points) => points.region().num_cells(),
            Engine::Tubes { tubes, .. } => tubes.region().num_cells(),
        }
    }

    /// A part of each of [`rows_of`] these Tx, which are a [group](Self::groups).
    fn rows(
        &self,
        tx: &[&Transmitter],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Box<dyn Iterator<Item = Vec<f64>>>, keller::Error> {
        if let ([tx], Figures::Multipath) = (tx, self.figures) {
            let multipath = match &self.engine {
                Engine::Points(points) => points.multipath(tx, cells, control),
                Engine::Tubes { tubes, .. } => tubes.multipath(tx, cells, control),
            };
            return Ok(Box::new(rows(multipath?)));
        }
        let gains = match &self.engine {
            Engine::Points(points) => {
                let each = tx.iter();
                let gains = each.map(|tx| points.gains(tx, cells.clone(), control));
                gains.collect::<Result<Vec<_>, _>>()?
            }
            Engine::Tubes { tubes, rooftops } => {
                let gains = match tx {
                    [tx] => vec![tubes.gains(tx, cells.clone(), control)?],
                    of_place => {
                        let antennas: Vec<Antenna> =
                            of_place.iter().map(|tx| tx.antenna.clone()).collect();
                        let position = of_place[0].position;
                        tubes.gains_of_antennas(position, &antennas, cells.clone(), control)?
                    }
                };
                if let Some(rooftops) = rooftops {
                    let mut rows = Vec::with_capacity(2 * tx.len());
                    for (mut gains, tx) in gains.into_iter().zip(tx) {
                        let chains = rooftops.fill(tx, cells.clone(), control)?;
                        chains.add_to(&mut gains);
                        let number = |is: &bool| f64::from(u8::from(*is));
                        let doubtful = chains.is_doubtful.iter().map(number).collect();
                        rows.extend([gains, doubtful]);
                    }
                    return Ok(Box::new(rows.into_iter()));
                }
                gains
            }
        };
        Ok(Box::new(gains.into_iter()))
    }

    /// Which Tx are filled together: tubes trace all at one place once. Memory and blocks do not decide it, for they change no byte.
    fn groups(&self, tx: &[Transmitter]) -> Vec<Vec<usize>> {
        let is_shared = match &self.engine {
            Engine::Tubes { tubes, .. } => !tubes.scatters() && self.figures != Figures::Multipath,
            Engine::Points(_) => false,
        };
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, sender) in tx.iter().enumerate() {
            let same = groups
                .iter_mut()
                .find(|group| is_shared && tx[group[0]].position == sender.position);
            match same {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    /// What takes the memory, in words.
    fn takes_memory(&self) -> String {
        /// At least, of the tubes of all directions, which are as narrow as a column is wide.
        const COLUMN_BYTES: u64 = 300;
        match &self.engine {
            Engine::Points(_) => "blocks of cells and the paths to them".to_owned(),
            Engine::Tubes { tubes, .. } => {
                let [nx, ny, _] = tubes.region().shape();
                let bytes = ByteSize(COLUMN_BYTES * (nx * ny) as u64);
                format!("tubes over {nx} x {ny} columns, which take {bytes} or more at once")
            }
        }
    }

    /// The largest block where so many cells may be held.
    fn most_cells(&self, most: usize) -> usize {
        match self.engine {
            Engine::Points(_) => most.min(POINTS_AT_ONCE),
            // Every block costs the tubes of the whole region again.
            Engine::Tubes { .. } => most,
        }
    }
}

/// Where the gains go, and the figures of paths beside them.
#[derive(Debug)]
pub(super) enum Gains {
    /// Without a file to write there is none to put them beside.
    Held(Held),
    Part(Part),
}

/// Rows in memory.
#[derive(Debug)]
pub(super) struct Held(Vec<Vec<f64>>);

impl Gains {
    /// The part file beside what `args` ask for, or memory if they ask for no file.
    pub(super) fn open(
        args: &CoverageArgs,
        scenario: &Scenario,
        place: &Place,
        region: &Region,
        figures: Figures,
        files: &Files,
    ) -> Result<Self, Failure> {
        let (num_tx, num_cells) = (scenario.tx.len(), region.num_cells());
        let num_rows = num_tx * rows_of(0, num_tx, figures).len();
        let Some(name) = files.part() else {
            let bytes = 8 * num_rows as u64 * num_cells as u64;
            if crate::memory::left() < bytes {
                return Err(Failure::Input(format!(
                    "{num_cells} cells of {num_tx} Tx take {}, more than memory may hold: name a file with -o, beside which they are kept, or raise --memory",
                    bytesize::ByteSize(bytes)
                )));
            }
            return Ok(Self::Held(Held(vec![Vec::new(); num_rows])));
        };
        let run = fingerprint(scenario, place, &[]);
        let part = if args.resume && name.exists() {
            Part::resume(&name, run, num_rows, num_cells)
        } else {
            let bytes = Part::num_bytes(num_rows, num_cells, num_tx >= MANY_TX);
            files.check_room(
                bytes + output_bytes(files, num_rows, num_cells),
                "the result",
            )?;
            Part::create(&name, run, num_rows, num_cells)
        };
        Ok(Self::Part(part?))
    }

    /// Where they are read from.
    pub(super) fn store(&self) -> &dyn Store {
        match self {
            Self::Held(held) => held,
            Self::Part(part) => part,
        }
    }

    pub(super) fn part(&self) -> Option<&Part> {
        match self {
            Self::Held(_) => None,
            Self::Part(part) => Some(part),
        }
    }

    /// Leaves nothing behind, once everything is written.
    pub(super) fn remove(self) -> Result<(), Failure> {
        match self {
            Self::Held(_) => Ok(()),
            Self::Part(part) => Ok(part.remove()?),
        }
    }

    /// Fills what is missing, at most `most` cells at a time, and fewer where memory runs short.
    pub(super) fn fill(
        mut self,
        filler: &Filler<'_>,
        tx: &[Transmitter],
        most: usize,
        progress: &Progress,
    ) -> Result<Self, Failure> {
        let _watch = crate::memory::Watch::new(filler.takes_memory());
        let mut most = filler.most_cells(most);
        let num_cells = filler.num_cells();
        let total = (num_cells * tx.len()) as f64;
        for group in filler.groups(tx) {
            let senders: Vec<&Transmitter> = group.iter().map(|index| &tx[*index]).collect();
            let of_group: Vec<usize> = group
                .iter()
                .flat_map(|&index| rows_of(index, tx.len(), filler.figures))
                .collect();
            while let Some(block) = self.next(&of_group, num_cells, most / group.len()) {
                let before = self.done(num_cells);
                let share = (block.len() * group.len()) as f64 / total;
                let report = |_, done: f64| progress.report(Stage::Coverage, before + share * done);
                let control = Control {
                    cancelled: Some(stop::flag()),
                    progress: Some(&report),
                };
                report(keller::Stage::Coverage, 0.0);
                let rows = match filler.rows(&senders, block.clone(), &control) {
                    Ok(rows) => rows,
                    Err(keller::Error::Cancelled) if stop::go_on() => {
                        most = fewer(&block, group.len())?;
                        continue;
                    }
                    Err(keller::Error::Cancelled) => return Err(self.stop()),
                    Err(error) => return Err(error.into()),
                };
                for (&row, values) in of_group.iter().zip(rows) {
                    match &mut self {
                        Self::Held(held) => held.0[row].extend(values),
                        Self::Part(part) => {
                            part.put(row, block.clone(), &values)?;
                        }
                    }
                }
                if let Self::Part(part) = &self {
                    ending::keep(kept(part));
                }
            }
        }
        // The last block may have run short when it was done.
        stop::go_on();
        stop::check()?;
        Ok(self)
    }

    /// The next cells that are missing of these rows, at most `most` or as few as there may be.
    fn next(&self, rows: &[usize], num_cells: usize, most: usize) -> Option<Range<usize>> {
        match self {
            Self::Part(part) => part.missing(rows, most).into_iter().next(),
            Self::Held(held) => {
                let first = held.0[rows[0]].len();
                let block = first..first.saturating_add(most.max(1)).min(num_cells);
                Some(block).filter(|block| !block.is_empty())
            }
        }
    }

    /// How much is filled, 0 to 1.
    fn done(&self, num_cells: usize) -> f64 {
        match self {
            Self::Part(part) => part.done(),
            Self::Held(held) => {
                let filled: usize = held.0.iter().map(Vec::len).sum();
                filled as f64 / (held.0.len() * num_cells) as f64
            }
        }
    }

    /// Ctrl-C was pressed.
    fn stop(self) -> Failure {
        match self {
            Self::Part(part) if part.done() > 0.0 => {
                Failure::Kept(format!("stopped; {}", kept(&part)))
            }
            Self::Part(part) => part
                .remove()
                .map_or_else(Failure::from, |()| Failure::Interrupted),
            Self::Held(_) => Failure::Interrupted,
        }
    }
}

impl Store for Held {
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()> {
        values.clear();
        values.extend_from_slice(&self.0[row][cells]);
        Ok(())
    }
}

/// How many cells of all Tx are filled at a time, where `block` of so many Tx was too much.
fn fewer(block: &Range<usize>, num_tx: usize) -> Result<usize, Failure> {
    let least = usize::try_from(memory::LEAST_CELLS).unwrap_or(usize::MAX);
    if block.len() <= least {
        return Err(crate::memory::short());
    }
    Ok(block.len().div_ceil(2) * num_tx)
}

/// What is kept of a coverage.
fn kept(part: &Part) -> String {
    format!(
        "{:.1} % of the coverage is kept in {}: the same command with --resume goes on",
        100.0 * part.done(),
        part.name().display()
    )
}

/// What the files of arrays and maps take at least, bytes: tables and pictures depend on what is in them.
fn output_bytes(files: &Files, num_rows: usize, num_cells: usize) -> u64 {
    let value_bytes = match files.first_extension().as_str() {
        // Those of `zarr` and `tif` are compressed.
        "npz" => 4,
        _ => 0,
    };
    (num_rows as u64).saturating_mul(num_cells as u64 * value_bytes)
}

/// Of all that the gains follow from, and of `more`.
pub(super) fn fingerprint(
    scenario: &Scenario,
    place: &Place,
    more: &[&dyn std::fmt::Debug],
) -> [u8; 16] {
    let mut fingerprint = Fingerprint::new();
    // The antennas' patterns come from files of their own, and the command line may overrule the search.
    fingerprint.add(&scenario.text);
    fingerprint.add(&scenario.tx);
    fingerprint.add(&scenario.paths);
    fingerprint.add(&place.materials);
    fingerprint.add(&place.positions);
    fingerprint.add_scene(&place.scene);
    for value in more {
        fingerprint.add(value);
    }
    fingerprint.finish()
}
