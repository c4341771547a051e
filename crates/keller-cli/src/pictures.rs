//! Pictures that commands draw on request.

use std::io::Write;
use std::path::Path;

use keller::channel::{Tap, delay_response};
use keller::field::PathField;
use keller::scene::Scene;
use keller::units::power_to_db;
use keller_io::formats::OutputFile;
use keller_io::reports::channel::LinkChannel;
use keller_io::reports::plot::{Map, MapPath, MapPaths, ProfilePlot, Stem, View};
use keller_io::scenario::Scenario;

use keller_run::{Job, PathBlock};

use crate::failure::Failure;

/// The number of samples of a curve within one over the bandwidth, and the largest number of a whole curve.
const OVERSAMPLING: f64 = 16.0;
const MAX_SAMPLES: f64 = 20_000.0;

/// A picture that will be written.
#[derive(Debug)]
pub(crate) struct Picture {
    file: OutputFile,
    is_png: bool,
}

/// The picture `name`, opened; none if none is wanted.
pub(crate) fn picture(name: Option<&Path>) -> Result<Option<Picture>, Failure> {
    let Some(name) = name else {
        return Ok(None);
    };
    let is = |extension: &str| {
        let own = name.extension();
        own.is_some_and(|own| own.eq_ignore_ascii_case(extension))
    };
    if !is("svg") && !is("png") {
        return Err(Failure::Input(format!(
            "{}: pictures are SVG or PNG; accepted: a name that ends in .svg or .png",
            name.display()
        )));
    }
    let file = OutputFile::create(name).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(Some(Picture {
        file,
        is_png: is("png"),
    }))
}

/// A view of a scene that will be written.
#[derive(Debug)]
pub(crate) struct ViewPicture(OutputFile);

/// The view `name`, opened; none if none is wanted.
pub(crate) fn view(name: Option<&Path>) -> Result<Option<ViewPicture>, Failure> {
    match picture(name)? {
        None => Ok(None),
        Some(Picture { file, is_png: true }) => Ok(Some(ViewPicture(file))),
        Some(_) => Err(Failure::Input(format!(
            "{}: views are PNG; accepted: a name that ends in .png",
            name.unwrap_or(Path::new("")).display()
        ))),
    }
}

impl ViewPicture {
    /// Fills it with a scene as it looks from the air.
    pub(crate) fn write(self, scene: &Scene) -> Result<(), Failure> {
        let png = View::new(scene).png();
        Ok(self.0.write(|writer| writer.write_all(&png))?)
    }
}

impl Picture {
    /// Fills it with a drawing.
    pub(crate) fn write(self, svg: &str) -> Result<(), Failure> {
        let painted = self.is_png.then(|| keller_io::reports::plot::png(svg));
        let bytes = match &painted {
            None => svg.as_bytes(),
            Some(Some(png)) => png,
            Some(None) => {
                let problem = anyhow::anyhow!("a drawing that cannot be painted");
                return Err(Failure::Internal(problem));
            }
        };
        Ok(self.file.write(|writer| writer.write_all(bytes))?)
    }
}

/// The paths of a block as a plan shows them, added to those before.
pub(crate) fn add_paths(paths: &mut MapPaths, job: &Job, block: &PathBlock) {
    let tx = &job.scenario.tx[block.tx].antenna;
    for (rx, of_link) in block.links() {
        let rx = job.scenario.receivers.antenna(rx);
        paths.add(of_link.iter().map(|path| MapPath {
            points: path.points().collect(),
            gain_db: power_to_db(PathField::new(path, &job.world).gain(tx, rx)),
        }));
    }
}

/// A plan with all devices and these paths.
pub(crate) fn map(file: Picture, job: &Job, paths: MapPaths) -> Result<(), Failure> {
    let (scenario, positions) = (&job.scenario, &job.positions);
    let rx = positions.rx.iter().enumerate();
    let rx = rx.filter_map(|(i, at)| positions.has_rx(i).then_some(*at));
    let picture = Map {
        title: format!("{}, {} GHz", name_of(scenario), scenario.frequency.ghz()),
        scene: job.world.scene(),
        tx: job.plot_tx(),
        rx: rx.collect(),
        paths,
    };
    file.write(&picture.svg())
}

/// Power over delay of one link.
pub(crate) fn profile(
    file: Picture,
    scenario: &Scenario,
    channel: &LinkChannel,
) -> Result<(), Failure> {
    let impulse = &channel.impulse;
    let stems = impulse.taps.iter().zip(impulse.powers());
    let stem = |(tap, power): (&Tap, f64)| Stem {
        delay: tap.delay,
        gain_db: power_to_db(power),
        is_line_of_sight: tap.is_line_of_sight,
    };
    let mhz = scenario.channel.band.bandwidth() / 1e6;
    let picture = ProfilePlot {
        title: format!(
            "{}: Tx {} to Rx {}",
            name_of(scenario),
            channel.tx,
            channel.rx
        ),
        stems: stems.map(stem).collect(),
        curve_name: format!("in a band of {} MHz", (mhz * 1e3).round() / 1e3),
        curve: curve(scenario, channel),
        ..ProfilePlot::default()
    };
    file.write(&picture.svg())
}

/// The band-limited profile around the paths, at the first snapshot; nothing without a band.
fn curve(scenario: &Scenario, channel: &LinkChannel) -> Vec<(f64, f64)> {
    let band = &scenario.channel.band;
    let delays = || channel.impulse.taps.iter().map(|tap| tap.delay);
    let (first, last) = (
        delays().fold(f64::INFINITY, f64::min),
        delays().fold(0.0, f64::max),
    );
    if band.num_frequencies() < 2 || first > last {
        return Vec::new();
    }
    // A few widths of a peak to either side.
    let width = band.bandwidth().recip();
    let from = (first - 4.0 * width).max(0.0);
    let to = last + 4.0 * width;
    let step = (width / OVERSAMPLING).max((to - from) / MAX_SAMPLES);
    let mut at = Vec::new();
    while from + at.len() as f64 * step <= to {
        at.push(from + at.len() as f64 * step);
    }
    let [rx_ports, tx_ports, ..] = channel.response.shape;
    let mut powers = vec![0.0; at.len()];
    for (i, j) in (0..rx_ports).flat_map(|i| (0..tx_ports).map(move |j| (i, j))) {
        let h = channel.response.over_frequency(i, j, 0);
        let over_delay = delay_response(h, band.spacing(), scenario.channel.window, &at);
        for (power, value) in powers.iter_mut().zip(over_delay) {
            *power += value.norm_sqr() / tx_ports as f64;
        }
    }
    at.into_iter()
        .zip(powers.into_iter().map(power_to_db))
        .collect()
}

/// The name of a scenario: its file without folder and extension.
pub(crate) fn name_of(scenario: &Scenario) -> String {
    let stem = scenario.file.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}
