//! `[channel]` and `[[moving]]`: the band and the times of a channel, and the objects that move during them.

use keller::channel::{Band, Window};
use keller::{DVec3, Frequency};

use super::devices;
use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// The settings of `[channel]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChannelSettings {
    /// The `bandwidth_hz` and `num_frequencies` around the carrier; the carrier alone without a bandwidth.
    pub band: Band,
    /// The line of `bandwidth_hz`, if there is one.
    pub bandwidth_line: Option<usize>,
    /// Whether materials change over the band.
    pub dispersion: Dispersion,
    /// The weights over the band of a band-limited profile.
    pub window: Window,
    /// The width of the bins of power-delay profiles, s.
    pub delay_resolution: f64,
    /// The number of times at which the response is wanted.
    pub num_snapshots: usize,
    /// The interval between two of them, s.
    pub snapshot_interval: f64,
}

/// The quantities that change over a band in addition to the phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dispersion {
    /// No quantity changes: amplitudes are those of the carrier.
    #[default]
    Carrier,
    /// Materials, antennas and spreading change with the frequency.
    Full,
}

/// One `[[moving]]`: everything made of one material moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Moving {
    /// The material, as the scene calls it.
    pub material: String,
    /// The velocity, m/s.
    pub velocity: DVec3,
    /// The line that defines it.
    pub line: usize,
}

/// The width of bins if neither a resolution nor a bandwidth is given, s: 3 m.
const DELAY_RESOLUTION: f64 = 10e-9;

impl ChannelSettings {
    /// The settings of a scenario without `[channel]`: `carrier` alone, once.
    fn at(carrier: Frequency) -> Result<Self, keller::Error> {
        Ok(Self {
            band: Band::new(carrier, 0.0, 1)?,
            bandwidth_line: None,
            dispersion: Dispersion::default(),
            window: Window::default(),
            delay_resolution: DELAY_RESOLUTION,
            num_snapshots: 1,
            snapshot_interval: 0.0,
        })
    }

    /// The times of all snapshots, s, the first 0.
    pub fn times(&self) -> Vec<f64> {
        (0..self.num_snapshots)
            .map(|i| i as f64 * self.snapshot_interval)
            .collect()
    }
}

/// Reads `[channel]`, or its defaults.
pub(super) fn read(
    top: &Section<'_>,
    carrier: Frequency,
) -> Result<ChannelSettings, ScenarioError> {
    /// The number of frequencies in a band if none is given.
    const NUM_FREQUENCIES: usize = 64;
    const DISPERSIONS: [(&str, Dispersion); 2] =
        [("carrier", Dispersion::Carrier), ("full", Dispersion::Full)];
    let Some(section) = top.section("channel")? else {
        return ChannelSettings::at(carrier)
            .map_err(|error| top.problem("frequency_hz", error.to_string()));
    };
    let bandwidth = section.number("bandwidth_hz")?;
    if bandwidth.is_some_and(|v| v > 2.0 * carrier.hz()) {
        return Err(section.unexpected("bandwidth_hz"));
    }
    let num_frequencies = section.whole("num_frequencies")?;
    if bandwidth.is_none() && num_frequencies.is_some_and(|n| n > 1) {
        let problem = "more than one frequency, but no `bandwidth_hz`: give one";
        return Err(section.problem("num_frequencies", problem));
    }
    let absent = if bandwidth.is_some() {
        NUM_FREQUENCIES
    } else {
        1
    };
    let band = Band::new(
        carrier,
        bandwidth.unwrap_or(0.0),
        num_frequencies.unwrap_or(absent),
    )
    .map_err(|error| section.problem("bandwidth_hz", error.to_string()))?;
    let num_snapshots = section.whole("snapshots")?.unwrap_or(1);
    let interval = section.number("snapshot_interval_s")?;
    if num_snapshots > 1 && interval.is_none() {
        let problem = "more than one, but no `snapshot_interval_s` says how far apart: give it";
        return Err(section.problem("snapshots", problem));
    }
    if interval.is_some() && !section.has("snapshots") {
        let problem = "stands without `snapshots`, so there is nothing to space: give both";
        return Err(section.problem("snapshot_interval_s", problem));
    }
    Ok(ChannelSettings {
        band,
        bandwidth_line: section.line_of("bandwidth_hz"),
        dispersion: section
            .choice("dispersion", &DISPERSIONS)?
            .unwrap_or_default(),
        window: section
            .choice("window", &keys::WINDOWS)?
            .unwrap_or_default(),
        delay_resolution: section
            .number("delay_resolution_s")?
            .unwrap_or(bandwidth.map_or(DELAY_RESOLUTION, f64::recip)),
        num_snapshots,
        snapshot_interval: interval.unwrap_or(0.0),
    })
}

/// Reads all of `[[moving]]`.
pub(super) fn read_moving(top: &Section<'_>) -> Result<Vec<Moving>, ScenarioError> {
    let mut all: Vec<Moving> = Vec::new();
    for section in top.sections("moving")? {
        let material = section
            .text("material")?
            .ok_or_else(|| section.missing("material"))?;
        if all.iter().any(|m| m.material == material) {
            let problem = format!("found \"{material}\" a second time: it moves one way");
            return Err(section.refuse("material", problem));
        }
        all.push(Moving {
            material: material.to_owned(),
            velocity: devices::velocity(&section)?.ok_or_else(|| section.missing("velocity"))?,
            line: section.line.unwrap_or(1),
        });
    }
    Ok(all)
}
