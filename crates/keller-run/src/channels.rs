//! Turns traced paths into the channel of every link.

use std::ops::Range;
use std::sync::Arc;

use keller::antenna::{Antenna, Array};
use keller::channel::{
    Antennas, ElementLink, FrequencyResponse, ImpulseResponse, Motion, binned_profile,
    delay_powers, replay,
};
use keller::comparison::DelayGrid;
use keller::em::Passages;
use keller::parallel;
use keller::paths::Path;
use keller::units::{SPEED_OF_LIGHT, power_to_db};
use keller::{DVec3, Frequency, World};
use keller_io::reports::channel::{Channels, ChannelsBeside, LinkChannel};
use keller_io::reports::table::{LinkColumns, LinkRow};
use keller_io::scenario::{Dispersion, Scenario};
use keller_io::store::paths::PathBlock;

use crate::ends::{Ends, PathEnds, rx_elements, tx_elements};
use crate::materials::velocities;
use crate::observer::Tell;
use crate::threshold::has_threshold;
use crate::{Error, Job, PowerBesidePaths};

/// The largest number of bins of delay; more are a mistake in the scenario: with 10 ns a bin, they span 30 000 km.
const MAX_BINS: usize = 10_000_000;

/// Turns the paths of a scenario into channels.
#[derive(Debug)]
pub struct Channeler {
    job: Arc<Job>,
    ends: Ends,
    /// Velocity of each material.
    velocities: Vec<DVec3>,
    /// The world at each frequency of the band; empty unless materials change over the band.
    over_band: Vec<World>,
    times: Vec<f64>,
    beside: Option<PowerBesidePaths>,
}

/// A link and its paths, which may be none. Where elements are traced, the paths of all pairs of elements.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    /// Index of the Tx.
    pub tx: usize,
    /// Index of the Rx.
    pub rx: usize,
    /// The paths of the link.
    pub paths: &'a [Path],
    /// The power of the paths that a threshold left out, linear, in the units of the incoherent gain of the link; `None`
    /// without a threshold, or if it is not known.
    pub omitted: Option<f64>,
}

impl<'a> Link<'a> {
    /// The links of a block of paths.
    pub fn of_block(block: &'a PathBlock) -> Vec<Self> {
        let link = |(index, (rx, paths)): (usize, _)| Self {
            tx: block.tx,
            rx,
            paths,
            omitted: block.omitted.as_ref().map(|gains| gains[index]),
        };
        block.links().enumerate().map(link).collect()
    }
}

/// The channels of links, on their way to arrays.
#[derive(Debug, Default)]
pub struct GatheredChannels {
    /// The channels of the links that have a path.
    reached: Vec<LinkChannel>,
    /// The power that a threshold left out of every link, with its Rx and Tx.
    omitted: Vec<([usize; 2], Option<f64>)>,
}

impl GatheredChannels {
    /// The power that a threshold left out, dB, of the first of the receivers from every Tx, then of the second.
    ///
    /// # Panics
    /// If a link is missing, or is of another receiver.
    fn omitted_db(&self, rx: &Range<usize>, num_tx: usize) -> Vec<f64> {
        let mut sorted = self.omitted.clone();
        sorted.sort_by_key(|(link, _)| *link);
        let all = rx
            .clone()
            .flat_map(|rx| (0..num_tx).map(move |tx| [rx, tx]));
        assert!(
            sorted.iter().map(|(link, _)| *link).eq(all),
            "the links are not those of {num_tx} Tx and the Rx {rx:?}"
        );
        let gains = sorted.into_iter().map(|(_, gain)| gain);
        gains
            .map(|gain| gain.map_or(f64::NAN, power_to_db))
            .collect()
    }
}

impl Job {
    /// Turns paths between [`PathEnds::Elements`] into channels, with the diffuse and background power.
    ///
    /// # Errors
    /// [`Error::Input`] for a moving material that is not in the scene, and for a band in which a material is not
    /// defined; the errors of [`Job::power_beside_paths`].
    pub fn channeler(self: &Arc<Self>) -> Result<Channeler, Error> {
        let channeler = self.channeler_of_paths()?;
        let beside = self.power_beside_paths()?;
        if let Some(beside) = &beside {
            // Rows are made in parallel, where one must not wait for another.
            beside.prepare_decay_times(&*self.observer)?;
        }
        Ok(Channeler {
            beside,
            ..channeler
        })
    }

    /// The same without the diffuse and background power.
    pub(crate) fn channeler_of_paths(self: &Arc<Self>) -> Result<Channeler, Error> {
        Ok(Channeler {
            ends: Ends::new(PathEnds::Elements, &self.scenario, &self.positions)?,
            velocities: velocities(&self.scenario, self.world.scene())?,
            over_band: over_band(&self.scenario, &self.world)?,
            times: self.scenario.channel.times(),
            job: Arc::clone(self),
            beside: None,
        })
    }
}

impl Channeler {
    /// Adds the channels of links to `gathered`.
    ///
    /// # Errors
    /// The errors of [`Self::channel`], [`Error::Stopped`].
    pub fn gather(&self, links: &[Link<'_>], gathered: &mut GatheredChannels) -> Result<(), Error> {
        let omitted = links.iter().map(|link| ([link.rx, link.tx], link.omitted));
        gathered.omitted.extend(omitted);
        let reached = links.iter().filter(|link| !link.paths.is_empty());
        let reached: Vec<&Link<'_>> = reached.collect();
        let channels = parallel::try_map(reached.len(), |n| {
            self.job.observer.check()?;
            self.channel(reached[n])
        })?;
        gathered.reached.extend(channels);
        Ok(())
    }

    /// The channels of all links of the receivers `rx`, ready to become arrays, in which the first of these has index 0.
    ///
    /// # Panics
    /// If a link is missing, or is of another receiver.
    pub fn channels(&self, rx: Range<usize>, gathered: GatheredChannels) -> Channels {
        let job = &self.job;
        let settings = &job.scenario.channel;
        let omitted_db = gathered.omitted_db(&rx, job.tx.len());
        let mut links = gathered.reached;
        for link in &mut links {
            link.rx -= rx.start;
        }
        Channels {
            tx: job.tx.clone(),
            rx: job.rx[rx.clone()].to_vec(),
            num_ports: num_ports(&job.scenario),
            frequencies: settings.band.frequencies().map(Frequency::hz).collect(),
            times: settings.times(),
            delay_resolution: settings.delay_resolution,
            links,
            beside: ChannelsBeside {
                omitted_db: has_threshold(&job.scenario).then_some(omitted_db),
                ..self.channels_beside(rx)
            },
        }
    }

    /// The diffuse and background power at the receivers `rx`.
    fn channels_beside(&self, rx: Range<usize>) -> ChannelsBeside {
        let Some(beside) = &self.beside else {
            return ChannelsBeside::default();
        };
        let num_tx = self.job.tx.len();
        let of_links = |gain: &dyn Fn(usize, usize) -> Option<f64>| {
            let links = rx
                .clone()
                .flat_map(|rx| (0..num_tx).map(move |tx| (tx, rx)));
            links
                .map(|(tx, rx)| gain(tx, rx).map(power_to_db))
                .collect::<Option<Vec<f64>>>()
        };
        let has_diffuse = self.job.scenario.diffuse.is_some();
        let has_background = self.job.scenario.background.is_some();
        let times = beside.decay_times().iter();
        let times = times.map(|time| time.unwrap_or(f64::NAN)).collect();
        ChannelsBeside {
            diffuse_gain_db: of_links(&|tx, rx| beside.diffuse_gain(tx, rx))
                .filter(|_| has_diffuse),
            diffuse_decay_times: has_diffuse.then_some(times),
            background_gain_db: of_links(&|tx, rx| beside.background_gain(tx, rx))
                .filter(|_| has_background),
            omitted_db: None,
        }
    }

    /// The impulse response of a link.
    pub fn impulse(&self, link: &Link<'_>) -> ImpulseResponse {
        let world = &self.job.world;
        let (antennas, motion) = (self.antennas(link), self.motion(link));
        match self.elements(link) {
            None => ImpulseResponse::new(link.paths, world, antennas, &motion),
            Some(elements) => elements.impulse_response(world, antennas, &motion),
        }
    }

    /// The columns of a table of [`Self::row`]s.
    pub fn columns(&self) -> LinkColumns {
        LinkColumns {
            has_beside: self.beside.is_some(),
            has_omitted: has_threshold(&self.job.scenario),
        }
    }

    /// The row of a link in a table. Its incoherent gain holds the diffuse and background power too.
    pub fn row(&self, link: &Link<'_>) -> LinkRow {
        let (tx, rx) = (link.tx, link.rx);
        let power_dbm = self.job.scenario.tx[tx].power_dbm;
        let impulse = self.impulse(link);
        let mut statistics = impulse.statistics();
        let beside = self.beside.as_ref();
        if let Some(beside) = beside {
            statistics.incoherent_gain += beside.gain(tx, rx);
        }
        let in_db = |gain: Option<f64>| gain.map(power_to_db);
        LinkRow {
            has_line_of_sight: impulse.taps.iter().any(|tap| tap.is_line_of_sight),
            tx_device: self.job.tx[tx].clone(),
            rx_device: self.job.rx[rx].clone(),
            diffuse_gain_db: in_db(beside.and_then(|beside| beside.diffuse_gain(tx, rx))),
            diffuse_decay_time: beside
                .and_then(|beside| beside.decay_times().get(tx).copied().flatten()),
            background_gain_db: in_db(beside.and_then(|beside| beside.background_gain(tx, rx))),
            omitted_db: in_db(link.omitted),
            ..LinkRow::new(tx, rx, power_dbm, &statistics)
        }
    }

    /// The complete channel of a link.
    ///
    /// # Errors
    /// [`Error::Input`] if the delays need too many bins.
    pub fn channel(&self, link: &Link<'_>) -> Result<LinkChannel, Error> {
        let impulse = self.impulse(link);
        let settings = &self.job.scenario.channel;
        let response = self.response(link, &impulse);
        let delays: Vec<f64> = impulse.taps.iter().map(|tap| tap.delay).collect();
        let powers: Vec<f64> = impulse.powers().collect();
        // Where elements are traced, a tap has the mean delay of its paths.
        let straight = link.paths.iter().map(|path| path.length / SPEED_OF_LIGHT);
        let longest = straight.chain(delays.iter().copied()).fold(0.0, f64::max);
        let num_bins = self.num_bins(longest)?;
        Ok(LinkChannel {
            tx: link.tx,
            rx: link.rx,
            profile: binned_profile(&delays, &powers, settings.delay_resolution, num_bins),
            response,
            vertices: impulse
                .taps
                .iter()
                .map(|tap| link.paths[tap.path].vertices.clone())
                .collect(),
            impulse,
        })
    }

    /// The power in the bins of each of `grids` as a radio of the scenario's band and window sees it at the first time: path
    /// gain, linear, `[grids][count]`. The bins over a whole period add up to the path gain, but for interference.
    pub fn delay_powers(&self, link: &Link<'_>, grids: &[DelayGrid]) -> Vec<Vec<f64>> {
        let channel = &self.job.scenario.channel;
        let response = self.response(link, &self.impulse(link));
        let [rx_ports, tx_ports, ..] = response.shape;
        let ports = || (0..rx_ports).flat_map(|rx| (0..tx_ports).map(move |tx| (rx, tx)));
        let of_grid = |grid: &DelayGrid| {
            let delays: Vec<f64> = grid.delays().collect();
            let mut powers = vec![0.0; grid.count];
            for (rx, tx) in ports() {
                let over_frequency = response.over_frequency(rx, tx, 0);
                let (spacing, window) = (channel.band.spacing(), channel.window);
                let own = delay_powers(over_frequency, spacing, window, &delays, grid.step);
                for (power, own) in powers.iter_mut().zip(own) {
                    *power += own / tx_ports as f64;
                }
            }
            powers
        };
        grids.iter().map(of_grid).collect()
    }

    /// The number of delay bins of a profile.
    fn num_bins(&self, delay: f64) -> Result<usize, Error> {
        let resolution = self.job.scenario.channel.delay_resolution;
        let bins = (delay / resolution).floor() + 1.0;
        if bins > MAX_BINS as f64 {
            return Err(Error::Input(format!(
                "{}: [channel] delay_resolution_s: a delay of {delay:.3e} s at a resolution of {resolution:.3e} s needs {bins:.0} bins; accepted: at most {MAX_BINS}",
                self.job.scenario.file.display(),
            )));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 1 and MAX_BINS"
        )]
        let num_bins = bins as usize;
        Ok(num_bins)
    }

    /// The response over frequency and time. `impulse` is the impulse response of the same link.
    fn response(&self, link: &Link<'_>, impulse: &ImpulseResponse) -> FrequencyResponse {
        let (over_band, times) = (&self.over_band[..], &self.times[..]);
        let (antennas, motion) = (self.antennas(link), self.motion(link));
        let (band, dispersion) = (
            &self.job.scenario.channel.band,
            self.job.scenario.channel.dispersion,
        );
        match (dispersion, self.elements(link)) {
            (Dispersion::Carrier, None) => impulse.over(band, times),
            (Dispersion::Carrier, Some(elements)) => {
                elements.over(&self.job.world, antennas, &motion, band, times)
            }
            (Dispersion::Full, None) => replay(link.paths, over_band, antennas, &motion, times),
            (Dispersion::Full, Some(elements)) => {
                elements.replay(over_band, antennas, &motion, times)
            }
        }
    }

    /// The link with the paths of its elements, if the elements of either end are traced.
    fn elements<'l>(&self, link: &Link<'l>) -> Option<ElementLink<'l>> {
        let is_each = tx_elements(&self.job.scenario, link.tx).is_some()
            || rx_elements(&self.job.scenario, link.rx).is_some();
        is_each.then(|| ElementLink {
            paths: link.paths,
            tx: self.ends.tx.of_device(link.tx),
            rx: self.ends.rx.of_device(link.rx),
        })
    }

    fn motion(&self, link: &Link<'_>) -> Motion<'_> {
        Motion {
            tx: self.job.scenario.tx[link.tx].velocity,
            rx: self.job.scenario.receivers.velocity(link.rx),
            materials: &self.velocities,
        }
    }

    /// The antennas at both ends of a path. An array counts here if its elements differ only by phase.
    fn antennas(&self, link: &Link<'_>) -> Antennas<'_> {
        let tx_array = self.job.scenario.tx[link.tx].array.as_ref();
        let rx_array = self.job.scenario.receivers.array(link.rx);
        Antennas {
            tx: &self.job.scenario.tx[link.tx].antenna,
            rx: self.job.scenario.receivers.antenna(link.rx),
            tx_array: tx_array.filter(|_| tx_elements(&self.job.scenario, link.tx).is_none()),
            rx_array: rx_array.filter(|_| rx_elements(&self.job.scenario, link.rx).is_none()),
        }
    }
}

/// The world at every frequency of the band, if materials are to change over it.
fn over_band(scenario: &Scenario, world: &World) -> Result<Vec<World>, Error> {
    let settings = &scenario.channel;
    if settings.dispersion == Dispersion::Carrier {
        return Ok(Vec::new());
    }
    let world = world.clone().with_passages(Passages::default());
    let worlds = settings.band.frequencies();
    let worlds = worlds.map(|frequency| world.at(frequency));
    worlds.collect::<Result<_, _>>().map_err(|error| {
        match settings.bandwidth_line {
            None => Error::in_scenario(scenario, &error),
            Some(line) => Error::Input(format!(
                "{}:{line}: [channel] bandwidth_hz: the band exceeds the frequency range of a material: {error}; accepted: a narrower band, or dispersion = \"carrier\"",
                scenario.file.display(),
            )),
        }
    })
}

/// The largest number of ports of a receiver, and of a transmitter.
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
