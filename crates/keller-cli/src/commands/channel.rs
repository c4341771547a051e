//! `keller channel`: what radios make of the paths of a scenario.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use keller::Frequency;
use keller::antenna::{Antenna, Array};
use keller_io::OutputFile;
use keller_io::channel::Channels;
use keller_io::scenario::Scenario;
use keller_io::table::{About, LinkRow, Table, TableFile};

use crate::args::ChannelArgs;
use crate::ends::Points;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::{self, Traced};
use crate::links::{Channeler, Link, each};
use crate::memory;
use crate::pictures::{self, picture};
use crate::progress::Progress;
use crate::report::{LINK_HEADER, link_cells, write_table};
use crate::summary::{Stage, Summary};

/// Of a complex number.
const COMPLEX_BYTES: u64 = 16;

/// Where the result goes.
enum Target<'w> {
    /// A table for people.
    Text(Vec<Vec<String>>),
    /// One row a link.
    Table(Table<'w, LinkRow>),
    /// Arrays.
    Npz(OutputFile),
}

/// A file for the result, with nothing in it yet.
enum TargetFile {
    Table(TableFile),
    Npz(OutputFile),
}

pub(crate) fn run(args: &ChannelArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--map", args.map.as_deref())
        .with("--plot", args.plot.as_deref());
    outputs.check(scenario.inputs())?;
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
    let [map, plot] = [&args.map, &args.plot].map(|name| picture(name.as_deref()));
    let (map, plot) = (map?, plot?);

    let traced = job::trace(
        &scenario,
        Points::Elements,
        args.machine,
        &outputs,
        &progress,
    )?;
    let about = job::about(&scenario, traced.georeference.as_ref());
    let target = match file {
        Some(TargetFile::Table(file)) => Target::Table(file.begin(&about)?),
        Some(TargetFile::Npz(file)) => Target::Npz(file),
        None if args.json => Target::Table(Table::json(&mut stdout, "standard output", &about)?),
        None => Target::Text(Vec::new()),
    };
    let channeler = Channeler::new(&scenario, &traced)?;
    let text = fill(target, &channeler, &scenario, &about, &progress)?;
    if let Some(file) = map {
        pictures::map(file, &scenario, &traced, args.all_paths)?;
    }
    if let Some(file) = plot {
        let link = pictured_link(args.link, &channeler.links())?;
        pictures::profile(file, &scenario, &channeler, &link)?;
    }
    let summary = summary(&scenario, &traced, &progress);

    progress.clear();
    if let Some(rows) = text {
        write_table(&mut stdout, &LINK_HEADER, &rows)?;
    }
    if args.out.is_some() && args.json {
        writeln!(stdout, "{:#}", summary.json())?;
    }
    stdout.flush()?;
    eprintln!("{summary}");
    Ok(())
}

/// What `h` of all links takes, bytes: most of what an archive of channels has.
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

/// The link that a picture shows.
fn pictured_link<'a>(
    wanted: Option<(usize, usize)>,
    links: &[Link<'a>],
) -> Result<Link<'a>, Failure> {
    let found = match wanted {
        Some(wanted) => links.iter().find(|l| (l.tx, l.rx) == wanted),
        None => links
            .iter()
            .find(|l| !l.paths.is_empty())
            .or_else(|| links.first()),
    };
    found.copied().ok_or_else(|| {
        let last = links.last().map_or((0, 0), |l| (l.tx, l.rx));
        Failure::Input(format!(
            "--link: there is no such link; accepted: 0,0 to {},{}",
            last.0, last.1
        ))
    })
}

/// The file `out`, opened.
fn target_file(out: &Path) -> Result<TargetFile, Failure> {
    let bad_place = |error: keller_io::table::TableError| Failure::Input(error.to_string());
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

/// Computes every link into `target`; gives back the rows of a table for people.
fn fill(
    target: Target<'_>,
    channeler: &Channeler<'_>,
    scenario: &Scenario,
    about: &About,
    progress: &Progress,
) -> Result<Option<Vec<Vec<String>>>, Failure> {
    let links = channeler.links();
    let row = |link: &Link<'_>| channeler.row(link);
    match target {
        Target::Text(mut rows) => {
            each(&links, progress, row, |row| {
                rows.push(link_cells(&row));
                Ok(())
            })?;
            Ok(Some(rows))
        }
        Target::Table(mut table) => {
            each(&links, progress, row, |row| Ok(table.write(&row)?))?;
            progress.report(Stage::Write, 1.0);
            table.finish()?;
            Ok(None)
        }
        Target::Npz(file) => {
            let mut channels = Channels {
                tx: channeler.devices().tx.clone(),
                rx: channeler.devices().rx.clone(),
                num_ports: num_ports(scenario),
                frequencies: scenario
                    .channel
                    .band
                    .frequencies()
                    .map(Frequency::hz)
                    .collect(),
                times: scenario.channel.times(),
                delay_resolution: scenario.channel.delay_resolution,
                links: Vec::new(),
            };
            let reached: Vec<_> = links.into_iter().filter(|l| !l.paths.is_empty()).collect();
            let compute = |link: &Link<'_>| channeler.channel(link);
            each(&reached, progress, compute, |channel| {
                channels.links.push(channel);
                Ok(())
            })?;
            progress.report(Stage::Write, 0.0);
            channels.write_npz(file, about)?;
            Ok(None)
        }
    }
}

/// The most ports of a receiver, and of a transmitter.
fn num_ports(scenario: &Scenario) -> [usize; 2] {
    let ports = |antenna: &Antenna, array: Option<&Array>| {
        antenna.num_ports() * array.map_or(1, |array| array.elements().len())
    };
    let groups = scenario.receivers.groups.iter();
    let of_rx = groups.map(|group| ports(&group.antenna, group.array.as_ref()));
    let tx = scenario.tx.iter();
    let of_tx = tx.map(|tx| ports(&tx.antenna, tx.array.as_ref()));
    [of_rx.max().unwrap_or(1), of_tx.max().unwrap_or(1)]
}

fn summary(scenario: &Scenario, traced: &Traced, progress: &Progress) -> Summary {
    let num_rx = scenario.receivers.rx.len();
    let mut is_reached = vec![false; num_rx];
    for path in &traced.paths {
        is_reached[traced.ends.link(path).1] = true;
    }
    Summary {
        search: scenario.paths.search(&traced.scene),
        num_paths: traced.paths.len(),
        num_rx,
        num_reached: is_reached.iter().filter(|reached| **reached).count(),
        threads: traced.threads,
        clock: progress.clock(),
    }
}
