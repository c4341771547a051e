//! `keller channel`: the channels of radios along the paths of a scenario.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use keller::antenna::Array;
use keller::parallel;
use keller_io::formats::{About, OutputFile};
use keller_io::reports::channel::LinkChannel;
use keller_io::reports::plot::MapPaths;
use keller_io::reports::table::{LinkRow, Table, TableFile};
use keller_io::scenario::Scenario;
use keller_run::{Channeler, GatheredChannels, Job, Link, PathEnds, PathRunOptions, RunStage};

use super::paths::each_block;
use crate::args::ChannelArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::{kept, prepare};
use crate::memory;
use crate::messages::summarize;
use crate::pictures::{self, picture};
use crate::progress::Progress;
use crate::report::{link_cells, link_header, write_table};
use crate::summary::Summary;

/// Bytes of a complex number.
const COMPLEX_BYTES: u64 = 16;

/// Standard output, in messages.
const STDOUT: &str = "standard output";

/// The destination of the result.
enum Target<'w> {
    /// A table for people.
    Text(Vec<Vec<String>>),
    /// One row a link.
    Table(Table<'w, LinkRow>),
    /// Arrays, of the links so far.
    Npz(OutputFile, GatheredChannels),
}

/// A file for the result, with nothing in it yet.
enum TargetFile {
    Table(TableFile),
    Npz(OutputFile),
}

pub(crate) fn run(args: &ChannelArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    check_link(args.link, &scenario)?;
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--picture", args.picture.as_deref())
        .with("--profile", args.profile.as_deref())
        .with_part();
    outputs.check(scenario.inputs().into_iter().chain(args.paths.as_deref()))?;
    outputs.check_resume(args.resume)?;
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let file = args.out.as_deref().map(target_file).transpose()?;

    if let Some(TargetFile::Npz(_)) = file {
        let bytes = array_bytes(&scenario);
        // They are held, and again on the disk.
        memory::need(bytes, "the transfer function of all links")?;
        outputs.check_room(bytes, "the transfer function of all links")?;
    }
    let [map, plot] = [&args.picture, &args.profile].map(|name| picture(name.as_deref()));
    let (map, plot) = (map?, plot?);

    let job = prepare(scenario, &args.machine, &outputs, &progress)?;
    let about = job.about();
    let channeler = job.channeler()?;
    let columns = channeler.columns();
    let mut target = match file {
        Some(TargetFile::Table(file)) => Target::Table(file.begin_with(columns.columns(), &about)?),
        Some(TargetFile::Npz(file)) => Target::Npz(file, GatheredChannels::default()),
        None if args.json => Target::Table(Table::json_with(
            columns.columns(),
            &mut stdout,
            STDOUT,
            &about,
        )?),
        None => Target::Text(Vec::new()),
    };
    let mut drawn = map.is_some().then(|| MapPaths::new(args.all_paths));
    let mut pictured = plot.is_some().then(|| Pictured::new(args.link));
    let blocks = job.paths(&PathRunOptions {
        points: PathEnds::Elements,
        from: args.paths.clone(),
        ..PathRunOptions::default()
    })?;
    // Paths that come from a file are kept there already.
    let part = outputs.part().filter(|_| args.paths.is_none());
    let mut blocks = kept(blocks, part, args.resume, args.batch.as_deref())?;
    let mut summary = Summary::new(&job);
    each_block(&mut blocks, |block| {
        summary.add(block);
        let links = Link::of_block(block);
        progress.report(RunStage::Field, 0.0);
        target.add(&links, &channeler)?;
        if let Some(pictured) = &mut pictured {
            pictured.look_at(&links, &channeler)?;
        }
        if let Some(drawn) = &mut drawn {
            pictures::add_paths(drawn, &job, block);
        }
        Ok(())
    })?;
    progress.report(RunStage::Write, 0.0);
    let text = target.finish(&job, &channeler, &about)?;
    if let (Some(map), Some(drawn)) = (map, drawn) {
        pictures::map(map, &job, drawn)?;
    }
    if let (Some(plot), Some(channel)) = (plot, pictured.and_then(|pictured| pictured.channel)) {
        pictures::profile(plot, &job.scenario, &channel)?;
    }
    summary.clock = progress.clock();

    progress.clear();
    if let Some(rows) = text {
        write_table(&mut stdout, &link_header(columns), &rows)?;
    }
    if args.out.is_some() && args.json {
        writeln!(stdout, "{:#}", summary.json())?;
    }
    stdout.flush()?;
    blocks.finish()?;
    summarize!("{summary}");
    Ok(())
}

/// Fails if there is no such link.
fn check_link(wanted: Option<(usize, usize)>, scenario: &Scenario) -> Result<(), Failure> {
    let (num_tx, num_rx) = (scenario.tx.len(), scenario.receivers.rx.len());
    match wanted {
        Some((tx, rx)) if tx >= num_tx || rx >= num_rx => Err(Failure::Input(format!(
            "--link: there is no such link; accepted: 0,0 to {},{}",
            num_tx.saturating_sub(1),
            num_rx.saturating_sub(1)
        ))),
        _ => Ok(()),
    }
}

/// The link that a picture shows: the wanted one, else the first that has a path, else the first.
#[derive(Debug)]
struct Pictured {
    wanted: Option<(usize, usize)>,
    channel: Option<LinkChannel>,
}

impl Pictured {
    fn new(wanted: Option<(usize, usize)>) -> Self {
        Self {
            wanted,
            channel: None,
        }
    }

    /// Takes the link if it is among these.
    fn look_at(&mut self, links: &[Link<'_>], channeler: &Channeler) -> Result<(), Failure> {
        let found = match self.wanted {
            Some(wanted) => links.iter().find(|link| (link.tx, link.rx) == wanted),
            None if self
                .channel
                .as_ref()
                .is_some_and(|c| !c.impulse.taps.is_empty()) =>
            {
                None
            }
            None => {
                let reached = links.iter().find(|link| !link.paths.is_empty());
                reached.or_else(|| links.first().filter(|_| self.channel.is_none()))
            }
        };
        if let Some(link) = found {
            self.channel = Some(channeler.channel(link)?);
        }
        Ok(())
    }
}

/// Bytes of `h` of all links, the largest part of an archive of channels.
fn array_bytes(scenario: &Scenario) -> u64 {
    let elements = |array: Option<&Array>| array.map_or(1, |array| array.elements().len());
    let receivers = &scenario.receivers;
    let of_tx = scenario
        .tx
        .iter()
        .map(|tx| tx.antenna.num_ports() * elements(tx.array.as_ref()));
    let of_rx = (0..receivers.rx.len())
        .map(|rx| receivers.antenna(rx).num_ports() * elements(receivers.array(rx)));
    let ports = |most: Option<usize>| most.unwrap_or(1) as u64;
    let shape = [
        scenario.tx.len() as u64,
        ports(of_tx.max()),
        receivers.rx.len() as u64,
        ports(of_rx.max()),
        scenario.channel.band.num_frequencies() as u64,
        scenario.channel.times().len() as u64,
        COMPLEX_BYTES,
    ];
    shape.into_iter().fold(1, u64::saturating_mul)
}

/// The file `out`, opened.
fn target_file(out: &Path) -> Result<TargetFile, Failure> {
    let bad_place = |error: keller_io::formats::OutputError| Failure::Input(error.to_string());
    let extension = out.extension().and_then(OsStr::to_str).unwrap_or_default();
    match extension.to_lowercase().as_str() {
        "npz" => OutputFile::create(out)
            .map(TargetFile::Npz)
            .map_err(bad_place),
        "csv" | "json" | "parquet" => TableFile::create(out)
            .map(TargetFile::Table)
            .map_err(bad_place),
        _ => Err(Failure::Input(format!(
            "{}: no format for the extension .{extension}; accepted: a name that ends in .csv, .parquet, .json or .npz",
            out.display()
        ))),
    }
}

impl Target<'_> {
    /// Adds the channels of these links.
    fn add(&mut self, links: &[Link<'_>], channeler: &Channeler) -> Result<(), Failure> {
        let rows = || -> Vec<LinkRow> { parallel::map_slice(links, |link| channeler.row(link)) };
        match self {
            Self::Text(cells) => {
                let columns = channeler.columns();
                cells.extend(rows().iter().map(|row| link_cells(row, columns)));
            }
            Self::Table(table) => rows().iter().try_for_each(|row| table.write(row))?,
            Self::Npz(_, gathered) => channeler.gather(links, gathered)?,
        }
        Ok(())
    }

    /// Writes the rest of the result; gives back the rows of a table for people.
    fn finish(
        self,
        job: &Job,
        channeler: &Channeler,
        about: &About,
    ) -> Result<Option<Vec<Vec<String>>>, Failure> {
        match self {
            Self::Text(cells) => return Ok(Some(cells)),
            Self::Table(table) => table.finish()?,
            Self::Npz(file, gathered) => {
                channeler
                    .channels(0..job.rx.len(), gathered)
                    .write_npz(file, about)?;
            }
        }
        Ok(None)
    }
}
