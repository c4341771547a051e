//! From traced paths to the channel of every link.

use keller::DVec3;
use keller::channel::{
    Antennas, ElementLink, FrequencyResponse, ImpulseResponse, Motion, binned_profile, replay,
};
use keller::em::Surfaces;
use keller::materials::canonical_name;
use keller::paths::Path;
use keller_io::channel::LinkChannel;
use keller_io::scenario::{Dispersion, Scenario};
use keller_io::table::LinkRow;
use rayon::prelude::*;

use crate::ends::{rx_elements, tx_elements};
use crate::failure::Failure;
use crate::job::{Devices, Traced};
use crate::progress::Progress;
use crate::stop;
use crate::summary::Stage;

/// Links that are computed together before they are handed on.
const CHUNK: usize = 4096;

/// More bins of delay than this are a slip of the pen: with 10 ns a bin they are 30 000 km.
const MAX_BINS: usize = 10_000_000;

/// What turns the paths of a scenario into channels.
pub(crate) struct Channeler<'a> {
    scenario: &'a Scenario,
    traced: &'a Traced,
    /// Velocity of each material.
    velocities: Vec<DVec3>,
    /// The surfaces at each frequency of the band, where they are wanted.
    over_band: Vec<Surfaces>,
    times: Vec<f64>,
    num_bins: usize,
}

/// One link and the paths it has, maybe none: of all its pairs of elements, where those are traced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link<'a> {
    pub(crate) tx: usize,
    pub(crate) rx: usize,
    pub(crate) paths: &'a [Path],
}

impl<'a> Channeler<'a> {
    pub(crate) fn new(scenario: &'a Scenario, traced: &'a Traced) -> Result<Self, Failure> {
        let longest = traced.paths.iter().map(|p| p.length).fold(0.0, f64::max);
        let delay = longest / keller::units::SPEED_OF_LIGHT;
        let bins = (delay / scenario.channel.delay_resolution).floor() + 1.0;
        if bins > MAX_BINS as f64 {
            return Err(Failure::Input(format!(
                "{}: [channel] delay_resolution_s: a delay of {delay:.3e} s in steps of {:.3e} s makes {bins:.0} bins; accepted: at most {MAX_BINS}",
                scenario.file.display(),
                scenario.channel.delay_resolution,
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 1 and MAX_BINS"
        )]
        let num_bins = bins as usize;
        Ok(Self {
            scenario,
            traced,
            velocities: velocities(scenario, traced)?,
            over_band: over_band(scenario, traced)?,
            times: scenario.channel.times(),
            num_bins,
        })
    }

    /// The devices at the ends of the links.
    pub(crate) fn devices(&self) -> &'a Devices {
        &self.traced.devices
    }

    /// Every link, sorted by (tx, rx), those without a path among them.
    pub(crate) fn links(&self) -> Vec<Link<'a>> {
        let mut left = &self.traced.paths[..];
        let (num_tx, num_rx) = (self.scenario.tx.len(), self.scenario.receivers.rx.len());
        (0..num_tx)
            .flat_map(|tx| (0..num_rx).map(move |rx| (tx, rx)))
            .map(|(tx, rx)| {
                let of_link = left.partition_point(|p| self.traced.ends.link(p) <= (tx, rx));
                let (paths, rest) = left.split_at(of_link);
                left = rest;
                Link { tx, rx, paths }
            })
            .collect()
    }

    /// The impulse response of a link.
    pub(crate) fn impulse(&self, link: &Link<'_>) -> ImpulseResponse {
        let (scene, surfaces) = (&self.traced.scene, &self.traced.surfaces);
        let (antennas, motion) = (self.antennas(link), self.motion(link));
        match self.elements(link) {
            None => ImpulseResponse::new(link.paths, scene, surfaces, antennas, &motion),
            Some(elements) => elements.impulse_response(scene, surfaces, antennas, &motion),
        }
    }

    /// A link in a few numbers.
    pub(crate) fn row(&self, link: &Link<'_>) -> LinkRow {
        let power_dbm = self.scenario.tx[link.tx].power_dbm;
        let impulse = self.impulse(link);
        let devices = &self.traced.devices;
        LinkRow {
            has_line_of_sight: impulse.taps.iter().any(|tap| tap.is_line_of_sight),
            tx_device: devices.tx[link.tx].clone(),
            rx_device: devices.rx[link.rx].clone(),
            ..LinkRow::new(link.tx, link.rx, power_dbm, &impulse.statistics())
        }
    }

    /// Everything about a link.
    pub(crate) fn channel(&self, link: &Link<'_>) -> LinkChannel {
        let impulse = self.impulse(link);
        let settings = &self.scenario.channel;
        let response = self.response(link, &impulse);
        let delays: Vec<f64> = impulse.taps.iter().map(|tap| tap.delay).collect();
        let powers: Vec<f64> = impulse.powers().collect();
        LinkChannel {
            tx: link.tx,
            rx: link.rx,
            profile: binned_profile(&delays, &powers, settings.delay_resolution, self.num_bins),
            response,
            vertices: impulse
                .taps
                .iter()
                .map(|tap| link.paths[tap.path].vertices.clone())
                .collect(),
            impulse,
        }
    }

    /// The response over frequency and time; `impulse` is the impulse response of the same link.
    fn response(&self, link: &Link<'_>, impulse: &ImpulseResponse) -> FrequencyResponse {
        let (scene, times) = (&self.traced.scene, &self.times[..]);
        let (surfaces, over_band) = (&self.traced.surfaces, &self.over_band[..]);
        let (antennas, motion) = (self.antennas(link), self.motion(link));
        let (band, dispersion) = (
            &self.scenario.channel.band,
            self.scenario.channel.dispersion,
        );
        match (dispersion, self.elements(link)) {
            (Dispersion::Carrier, None) => impulse.over(band, times),
            (Dispersion::Carrier, Some(elements)) => {
                elements.over(scene, surfaces, antennas, &motion, band, times)
            }
            (Dispersion::Full, None) => {
                replay(link.paths, scene, over_band, antennas, &motion, times)
            }
            (Dispersion::Full, Some(elements)) => {
                elements.replay(scene, over_band, antennas, &motion, times)
            }
        }
    }

    /// The link by its elements, where those of either end are traced.
    fn elements<'l>(&self, link: &Link<'l>) -> Option<ElementLink<'l>> {
        let is_each = tx_elements(self.scenario, link.tx).is_some()
            || rx_elements(self.scenario, link.rx).is_some();
        is_each.then(|| ElementLink {
            paths: link.paths,
            tx: self.traced.ends.tx.of_device(link.tx),
            rx: self.traced.ends.rx.of_device(link.rx),
        })
    }

    fn motion(&self, link: &Link<'_>) -> Motion<'_> {
        Motion {
            tx: self.scenario.tx[link.tx].velocity,
            rx: self.scenario.receivers.velocity(link.rx),
            materials: &self.velocities,
        }
    }

    /// What is at the two ends of a path: an array where its elements differ by phase alone.
    fn antennas(&self, link: &Link<'_>) -> Antennas<'a> {
        let tx_array = self.scenario.tx[link.tx].array.as_ref();
        let rx_array = self.scenario.receivers.array(link.rx);
        Antennas {
            tx: &self.scenario.tx[link.tx].antenna,
            rx: self.scenario.receivers.antenna(link.rx),
            tx_array: tx_array.filter(|_| tx_elements(self.scenario, link.tx).is_none()),
            rx_array: rx_array.filter(|_| rx_elements(self.scenario, link.rx).is_none()),
        }
    }
}

/// Gives what `compute` makes of each of `links` to `take`, in their order.
pub(crate) fn each<'l, T: Send>(
    links: &[Link<'l>],
    progress: &Progress,
    compute: impl Fn(&Link<'l>) -> T + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for (i, chunk) in links.chunks(CHUNK).enumerate() {
        progress.report(Stage::Field, (i * CHUNK) as f64 / links.len() as f64);
        let computed: Vec<Option<T>> = chunk
            .par_iter()
            .map(|link| stop::check().is_ok().then(|| compute(link)))
            .collect();
        stop::check()?;
        for result in computed {
            // None only after an interrupt.
            take(result.ok_or(Failure::Interrupted)?)?;
        }
    }
    Ok(())
}

/// The velocity of each material of the scene.
fn velocities(scenario: &Scenario, traced: &Traced) -> Result<Vec<DVec3>, Failure> {
    let names = traced.scene.materials();
    let mut velocities = vec![DVec3::ZERO; names.len()];
    for moving in &scenario.moving {
        let exact = names.iter().position(|name| *name == moving.material);
        let wanted = canonical_name(&moving.material);
        let found = exact.or_else(|| names.iter().position(|n| canonical_name(n) == wanted));
        let Some(material) = found else {
            return Err(Failure::Input(format!(
                "{}:{}: [[moving]] material: found \"{}\"; the scene has {}",
                scenario.file.display(),
                moving.line,
                moving.material,
                names.join(", ")
            )));
        };
        velocities[material] = moving.velocity;
    }
    Ok(velocities)
}

/// The surfaces at every frequency of the band, if materials are to change over it.
fn over_band(scenario: &Scenario, traced: &Traced) -> Result<Vec<Surfaces>, Failure> {
    let settings = &scenario.channel;
    if settings.dispersion == Dispersion::Carrier {
        return Ok(Vec::new());
    }
    let surfaces = settings
        .band
        .frequencies()
        .map(|frequency| Surfaces::new(&traced.materials, frequency));
    surfaces.collect::<Result<_, _>>().map_err(|error| {
        match settings.bandwidth_line {
            None => Failure::in_scenario(scenario, &error),
            Some(line) => Failure::Input(format!(
                "{}:{line}: [channel] bandwidth_hz: the band leaves what is known of a material: {error}; accepted: a narrower band, or dispersion = \"carrier\"",
                scenario.file.display(),
            )),
        }
    })
}
