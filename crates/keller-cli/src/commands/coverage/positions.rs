//! `keller coverage --positions`: a map by beams for every position of a Tx that a file or standard input names.
//!
//! The city is prepared once. From standard input to standard output this is a conversation: each line is answered by
//! one array, whole and flushed, before the next line is read. The first line that cannot be answered ends it, with an
//! error that names the line.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::Path;

use keller::DVec3;
use keller_io::formats::{NpyWriter, OutputFile};
use keller_io::scenario::Scenario;
use keller_run::{BeamMaps, Error, RunStage};

use super::outputs::{bad_place, extension};
use crate::args::CoverageArgs;
use crate::failure::Failure;
use crate::files::Outputs as Files;
use crate::job::prepare;
use crate::memory;
use crate::messages::summarize;
use crate::progress::Progress;
use crate::summary::Workers;

/// The name that stands for standard input.
const STDIN: &str = "-";

pub(super) fn run(
    args: &CoverageArgs,
    positions: &Path,
    scenario: Scenario,
) -> Result<(), Failure> {
    BeamMaps::check_scenario(&scenario)?;
    let files = Files::default().with("-o", args.out.as_deref());
    let is_stdin = positions == Path::new(STDIN);
    let read = (!is_stdin).then_some(positions);
    files.check(scenario.inputs().into_iter().chain(read))?;
    let file = args.out.as_deref().map(create).transpose()?;
    if file.is_none() && io::stdout().is_terminal() {
        let problem = "--positions: arrays are not for a terminal to show; name a file with -o, or send standard output elsewhere";
        return Err(Failure::Input(problem.to_owned()));
    }
    let lines = Lines::open(positions)?;
    let progress = Progress::new();
    let job = prepare(scenario, &args.machine, &files, &progress)?;
    let mut maps = job.beam_maps()?;
    let num_bytes = 4 * maps.region().num_cells() as u64;
    memory::need(num_bytes, "one map")?;
    progress.report(RunStage::Coverage, 0.0);
    // It would not know how many maps are still to come.
    progress.clear();
    let num_maps = match file {
        Some(file) => {
            let asked: Vec<Asked> = lines
                .map(|line| Asked::of(line?, &maps))
                .collect::<Result<_, _>>()?;
            files.check_room(num_bytes * asked.len() as u64, "the result")?;
            stack(file, &asked, &mut maps)?;
            asked.len()
        }
        None => answer(lines, &mut maps)?,
    };
    summarize!(
        "{num_maps} maps of {} cells; {} {}",
        maps.region().num_cells(),
        progress.clock(),
        Workers::threads()
    );
    Ok(())
}

/// Writes a map for each line before the next one is read. Returns how many they were.
fn answer(lines: Lines, maps: &mut BeamMaps) -> Result<usize, Failure> {
    let mut stdout = io::stdout().lock();
    let mut num_maps = 0;
    for line in lines {
        let asked = Asked::of(line?, maps)?;
        let gains = asked.gains(maps)?;
        let mut array = NpyWriter::begin(&mut stdout, &maps.shape())?;
        array.put(&gains)?;
        stdout.flush()?;
        num_maps += 1;
    }
    Ok(num_maps)
}

/// Writes all maps into one file.
fn stack(file: OutputFile, asked: &[Asked], maps: &mut BeamMaps) -> Result<(), Failure> {
    let [nz, ny, nx] = maps.shape();
    let mut failure = None;
    let written = file.write(|writer| {
        let mut array = NpyWriter::begin(writer, &[asked.len(), nz, ny, nx])?;
        for one in asked {
            match one.gains(maps) {
                Ok(gains) => array.put(&gains)?,
                Err(error) => {
                    failure = Some(error);
                    return Err(io::Error::other("a map is missing"));
                }
            }
        }
        Ok(())
    });
    match failure {
        Some(failure) => Err(failure),
        None => Ok(written?),
    }
}

/// The file for all maps.
fn create(out: &Path) -> Result<OutputFile, Failure> {
    let extension = extension(out);
    if extension != "npy" {
        return Err(Failure::Input(format!(
            "{}: no format of --positions for the extension .{extension}; accepted: a name that ends in .npy",
            out.display()
        )));
    }
    OutputFile::create(out).map_err(bad_place)
}

/// A line that asks for a map.
struct Line {
    /// File and number, for errors.
    origin: String,
    text: String,
}

/// The lines of a file or of standard input, without blank ones and comments.
struct Lines {
    name: String,
    reader: Box<dyn BufRead>,
    number: usize,
}

impl Lines {
    fn open(positions: &Path) -> Result<Self, Failure> {
        let (name, reader): (String, Box<dyn BufRead>) = if positions == Path::new(STDIN) {
            ("standard input".to_owned(), Box::new(io::stdin().lock()))
        } else {
            let name = positions.display().to_string();
            let file = keller_geo::input::open_stream(positions);
            let file = file.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
            (name, Box::new(BufReader::new(file)))
        };
        Ok(Self {
            name,
            reader,
            number: 0,
        })
    }
}

impl Iterator for Lines {
    type Item = Result<Line, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut bytes = Vec::new();
            self.number += 1;
            let origin = format!("{}:{}", self.name, self.number);
            match self.reader.read_until(b'\n', &mut bytes) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(Failure::Input(format!("{origin}: {error}")))),
            }
            let text = String::from_utf8_lossy(&bytes).trim().to_owned();
            if !text.is_empty() && !text.starts_with('#') {
                return Some(Ok(Line { origin, text }));
            }
        }
    }
}

/// A Tx, by its index, and a position that it can have.
struct Asked {
    origin: String,
    tx: usize,
    position: DVec3,
}

impl Asked {
    /// The request of a line: three numbers, with the name of a Tx before them or that of the first.
    fn of(line: Line, maps: &BeamMaps) -> Result<Self, Failure> {
        let Line { origin, text } = line;
        let words: Vec<&str> = text.split_whitespace().collect();
        let (name, numbers) = words.split_at(words.len().saturating_sub(3));
        let numbers: Vec<f64> = numbers.iter().flat_map(|word| word.parse()).collect();
        let &[x, y, z] = &numbers[..] else {
            return Err(Failure::Input(format!(
                "{origin}: found \"{}\"; accepted: x y z in metres, such as 10 20.5 15, with the name of a Tx before them or without",
                keller_geo::shown::shown(&text)
            )));
        };
        let position = DVec3::new(x, y, z);
        let tx = match name {
            [] => Ok(0),
            name => maps.tx_called(&name.join(" ")),
        };
        let checked = tx.and_then(|tx| maps.check_position(position).and(Ok(tx)));
        let tx = checked.map_err(|error| at(&origin, error))?;
        Ok(Self {
            origin,
            tx,
            position,
        })
    }

    fn gains(&self, maps: &mut BeamMaps) -> Result<Vec<f32>, Failure> {
        let gains = maps.path_gain_db(self.tx, self.position);
        gains.map_err(|error| at(&self.origin, error))
    }
}

/// An error with the line that it comes from.
fn at(origin: &str, error: Error) -> Failure {
    match error {
        Error::Input(problem) => Failure::Input(format!("{origin}: {problem}")),
        error => error.into(),
    }
}
