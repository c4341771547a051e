//! Measured ultra-wideband channels of an office, 1 to 9 GHz, beside those that keller predicts from its walls.
//!
//! Nothing is fitted but one delay a channel, for the cables: no gain, no material, no antenna. Antennas are taken as vertical and
//! isotropic, as nothing is said about them; furniture and people are not in the layout. The measured files do not say which channel
//! stood where; the first arrivals do (see [`ANCHOR`]).

mod layout;
mod mat;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use keller::antenna::Antenna;
use keller::channel::{Antennas, Motion, Window, delay_response, replay};
use keller::em::Surfaces;
use keller::materials::Material;
use keller::paths::{
    Interaction, InteractionKind, Limits, Object, Path as Ray, Search, Transparency, find_paths,
};
use keller::scene::Scene;
use keller::units::{SPEED_OF_LIGHT, power_to_db};
use keller::{Complex64, Control, DVec3, Frequency};
use keller_io::plot::ProfilePlot;
use rayon::prelude::*;

/// The measurements: file, number of the mobile's place, its height in metres.
const FILES: [(&str, usize, f64); 4] = [
    ("h1_P001.mat", 1, 1.2),
    ("h1_P002.mat", 2, 1.2),
    ("h2_P001.mat", 1, 1.5),
    ("h2_P002.mat", 2, 1.5),
];

/// The anchor of each channel. Of the 24 orders two let nothing arrive before light could. In this one channel 2 begins half a
/// nanosecond after light in all four files, as channel 4 does; in the other, which exchanges 2 and 3, it would be six or seven.
const ANCHOR: [usize; 4] = [3, 4, 1, 2];

/// Reflections, and walls passed, of a path.
const REFLECTIONS: usize = 3;
const TRANSMISSIONS: [usize; 2] = [3, 8];

/// Profiles are sampled this finely and as far as the measurement goes without repeating, s.
const STEP: f64 = 0.05e-9;
const END: f64 = 200e-9;

/// Delays tried for the cables of a channel, s.
const MAX_OFFSET: f64 = 4e-9;

/// The noise of a profile is the median of what comes before this, s: light needs 28 ns to the nearest anchor.
const QUIET: f64 = 25e-9;

/// An averaged sample that stands so far above the noise is signal, dB.
const CLEAR_DB: f64 = 10.0;

/// A single sample is so only from here, dB: noise is exponentially distributed and passes 15 dB above its median once in 3e9 samples.
const START_DB: f64 = 15.0;

/// Profiles are compared after averaging power over this, s: walls are not known to the centimetre.
const SMOOTHING: f64 = 2e-9;

/// One measured link with what is predicted of it.
struct Link {
    file: &'static str,
    channel: usize,
    line_of_sight: f64,
    /// Air that the walls of the direct path displace, as delay, s. A wall's transmission factor counts it, and the path's length
    /// does so too, hence predictions are late by this.
    displaced: f64,
    num_paths: usize,
    measured: Vec<f64>,
    predicted: Vec<f64>,
}

/// Compares all measured channels, and draws them into `pictures` if that is given.
pub(crate) fn check(data: &Path, pictures: Option<&Path>) -> Result<()> {
    let folder = data.join("where1");
    let middle = Frequency::from_hz(5e9)?;
    let office = layout::read(&folder, middle)?;
    let scene = Scene::new(&office.mesh)?;
    println!(
        "office: {} walls and slabs of {} materials",
        scene.faces().len(),
        scene.materials().len()
    );
    let anchors = layout::devices(&folder, "w2m1tx.ini")?;
    let places = layout::devices(&folder, "w2m1rx.ini")?;
    for transmissions in TRANSMISSIONS {
        println!("up to {REFLECTIONS} reflections, {transmissions} walls passed");
        let mut links = Vec::new();
        for (file, place, height) in FILES {
            let mobile = places[&place].with_z(height);
            let recorded = mat::read(&folder.join(file))?;
            links.extend(compute(
                &scene,
                &office,
                file,
                mobile,
                &ANCHOR.map(|a| anchors[&a]),
                transmissions,
                &recorded,
            )?);
        }
        report(&links);
        if let Some(pictures) = pictures {
            draw(&links, transmissions, pictures)?;
        }
    }
    Ok(())
}

/// The four channels of one file.
fn compute(
    scene: &Scene,
    office: &layout::Office,
    file: &'static str,
    mobile: DVec3,
    anchors: &[DVec3; 4],
    transmissions: usize,
    recorded: &mat::Value,
) -> Result<Vec<Link>> {
    let at = |fields: &[&str]| {
        let path = [&["DECONV_DATA", "FREQ_DOMAIN"], fields].concat();
        recorded.array(&path).context(file)
    };
    let frequencies: Vec<f64> = at(&["Freq"])?.iter().map(|f| f.re).collect();
    let spacing = frequencies[1] - frequencies[0];
    let surfaces = frequencies
        .iter()
        .map(|hz| Surfaces::new(&office.materials, Frequency::from_hz(*hz)?))
        .collect::<Result<Vec<_>, keller::Error>>()?;
    let limits = Limits {
        max_interactions: REFLECTIONS,
        max_reflections: REFLECTIONS,
        max_transmissions: transmissions,
        ..Limits::default()
    };
    let middle = &surfaces[surfaces.len() / 2];
    let paths = find_paths(
        scene,
        &[mobile],
        anchors,
        &limits,
        &Transparency::of(scene, middle),
        Search::default(),
        &Control::default(),
    )?;
    let antenna = Antenna::default();
    let antennas = Antennas {
        tx: &antenna,
        rx: &antenna,
    };
    (0..4)
        .into_par_iter()
        .map(|channel| {
            let of_link: Vec<Ray> = paths.iter().filter(|p| p.rx == channel).cloned().collect();
            let response = replay(
                &of_link,
                scene,
                &surfaces,
                antennas,
                &Motion::default(),
                &[0.0],
            );
            let measured = at(&[&format!("CH{}", channel + 1)])?;
            ensure!(
                measured.len() == frequencies.len(),
                "{file}: channel {channel} is incomplete"
            );
            Ok(Link {
                file,
                channel,
                line_of_sight: mobile.distance(anchors[channel]) / SPEED_OF_LIGHT,
                displaced: displaced(scene, office, &of_link),
                num_paths: of_link.len(),
                measured: profile(measured, spacing),
                predicted: profile(&response.values, spacing),
            })
        })
        .collect()
}

/// The delay over the thickness of all walls of the path that goes straight through, along their normals, s.
fn displaced(scene: &Scene, office: &layout::Office, paths: &[Ray]) -> f64 {
    let is_straight = |p: &&Ray| {
        let mut kinds = p.interactions.iter().map(|i| i.kind);
        kinds.all(|kind| kind == InteractionKind::Transmission)
    };
    let Some(direct) = paths.iter().find(is_straight) else {
        return 0.0;
    };
    let along = (direct.rx_position - direct.tx_position).normalize();
    let thickness = |interaction: &Interaction| {
        let Object::Face(face) = interaction.object else {
            return 0.0;
        };
        let Material::Slab(layers) = &office.materials[scene.face(face).material.index()] else {
            return 0.0;
        };
        let cosine = along.dot(scene.face_normal(face)).abs();
        layers.iter().map(|l| l.thickness).sum::<f64>() * cosine
    };
    direct.interactions.iter().map(thickness).sum::<f64>() / SPEED_OF_LIGHT
}

/// Power over delay, the same for both.
fn profile(response: &[Complex64], spacing: f64) -> Vec<f64> {
    let mut delays = Vec::new();
    while (delays.len() as f64) * STEP < END {
        delays.push(delays.len() as f64 * STEP);
    }
    delay_response(response, spacing, Window::Hann, &delays)
        .iter()
        .map(Complex64::norm_sqr)
        .collect()
}

fn report(links: &[Link]) {
    println!(
        "  file         ch  paths  light ns  walls ns  cable ns  measured ns  predicted ns  error ns  compared ns  corr   mean dB  rms dB"
    );
    let mut all = Vec::new();
    for channel in 0..4 {
        let of_channel: Vec<&Link> = links.iter().filter(|l| l.channel == channel).collect();
        let offset = best_offset(&of_channel);
        for link in of_channel {
            let c = Comparison::of(link, offset);
            let ns = |delay: Option<f64>| {
                delay.map_or_else(|| "none".to_owned(), |d| format!("{:.2}", d * 1e9))
            };
            let number =
                |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}"));
            println!(
                "  {:11}  {:2}  {:5}  {:8.2}  {:8.2}  {:8.2}  {:>11}  {:>12}  {:>8}  {:11.1}  {:>5}  {:>7}  {:>6}",
                link.file,
                link.channel + 1,
                link.num_paths,
                link.line_of_sight * 1e9,
                link.displaced * 1e9,
                seconds(offset) * 1e9,
                ns(c.measured_start),
                ns(c.predicted_start),
                ns(c.start_error()),
                c.num_samples as f64 * STEP * 1e9,
                number(c.correlation),
                number(c.mean_db),
                number(c.rms_db),
            );
            all.push(c);
        }
    }
    let mean = |value: fn(&Comparison) -> Option<f64>| {
        let values: Vec<f64> = all.iter().filter_map(value).collect();
        values.iter().sum::<f64>() / values.len().max(1) as f64
    };
    println!(
        "  all: first arrivals off by {:.2} ns on average, correlation {:.2}, {:+.1} dB, rms {:.1} dB",
        mean(|c| c.start_error().map(f64::abs)) * 1e9,
        mean(|c| c.correlation),
        mean(|c| c.mean_db),
        mean(|c| c.rms_db),
    );
}

/// Samples as seconds.
fn seconds(samples: isize) -> f64 {
    samples as f64 * STEP
}

/// The delay, in samples, by which predictions have to be late for their amplitudes to correlate best with all measured ones.
fn best_offset(links: &[&Link]) -> isize {
    #[expect(clippy::cast_possible_truncation, reason = "a small whole number")]
    let most = (MAX_OFFSET / STEP).round() as isize;
    let likeness = |offset: isize| -> f64 {
        let of_link = |link: &&Link| {
            let shifted = shifted(&link.predicted, offset);
            let pairs = link.measured.iter().zip(shifted);
            let product: f64 = pairs.map(|(m, p)| (m * p).sqrt()).sum();
            let norm = link.measured.iter().sum::<f64>() * link.predicted.iter().sum::<f64>();
            if norm > 0.0 {
                product / norm.sqrt()
            } else {
                0.0
            }
        };
        links.iter().map(of_link).sum()
    };
    (-most..=most)
        .max_by(|a, b| likeness(*a).total_cmp(&likeness(*b)))
        .unwrap_or(0)
}

/// `values` later by `offset` samples; what comes in from beyond the ends repeats.
fn shifted(values: &[f64], offset: isize) -> impl Iterator<Item = f64> {
    let n = values.len().cast_signed();
    (0..n).map(move |i| values[(i - offset).rem_euclid(n).cast_unsigned()])
}

/// How a prediction compares with a measurement.
struct Comparison {
    /// When each first rises clear above the measured noise, s.
    measured_start: Option<f64>,
    predicted_start: Option<f64>,
    /// Samples at which the measurement is clear above its noise: only those are compared.
    num_samples: usize,
    /// Of decibels.
    correlation: Option<f64>,
    /// Predicted over measured.
    mean_db: Option<f64>,
    rms_db: Option<f64>,
}

impl Comparison {
    fn of(link: &Link, offset: isize) -> Self {
        let predicted: Vec<f64> = shifted(&link.predicted, offset).collect();
        let noise = noise(&link.measured);
        let clear = noise * keller::units::db_to_power(CLEAR_DB);
        let begins = noise * keller::units::db_to_power(START_DB);
        let start = |profile: &[f64]| {
            let first = profile.iter().position(|p| *p > begins);
            first.map(|i| i as f64 * STEP)
        };
        // Averaging evens out noise too, so its level stays what it was.
        let (measured, smooth) = (smoothed(&link.measured), smoothed(&predicted));
        let pairs: Vec<(f64, f64)> = measured
            .iter()
            .zip(&smooth)
            .filter(|(m, _)| **m > clear)
            .map(|(m, p)| (power_to_db(*m), power_to_db(p.max(noise))))
            .collect();
        let n = pairs.len() as f64;
        let mean = |value: &dyn Fn(&(f64, f64)) -> f64| -> Option<f64> {
            (!pairs.is_empty()).then(|| pairs.iter().map(value).sum::<f64>() / n)
        };
        let (mean_m, mean_p) = (mean(&|p| p.0).unwrap_or(0.0), mean(&|p| p.1).unwrap_or(0.0));
        let covariance = mean(&|p| (p.0 - mean_m) * (p.1 - mean_p));
        let variances = [
            mean(&|p| (p.0 - mean_m).powi(2)),
            mean(&|p| (p.1 - mean_p).powi(2)),
        ];
        let correlation = match (covariance, variances) {
            (Some(c), [Some(a), Some(b)]) if a > 0.0 && b > 0.0 => Some(c / (a * b).sqrt()),
            _ => None,
        };
        Self {
            measured_start: start(&link.measured),
            predicted_start: start(&predicted),
            num_samples: pairs.len(),
            correlation,
            mean_db: mean(&|p| p.1 - p.0),
            rms_db: mean(&|p| (p.1 - p.0).powi(2)).map(f64::sqrt),
        }
    }

    /// How much later the measurement begins.
    fn start_error(&self) -> Option<f64> {
        Some(self.measured_start? - self.predicted_start?)
    }
}

/// The level before anything can have arrived.
fn noise(measured: &[f64]) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small whole number"
    )]
    let mut quiet = measured[..(QUIET / STEP) as usize].to_vec();
    quiet.sort_by(f64::total_cmp);
    quiet[quiet.len() / 2]
}

/// The mean of power over [`SMOOTHING`] around each sample.
fn smoothed(profile: &[f64]) -> Vec<f64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small whole number"
    )]
    let half = (0.5 * SMOOTHING / STEP) as usize;
    (0..profile.len())
        .map(|i| {
            let around = &profile[i.saturating_sub(half)..(i + half + 1).min(profile.len())];
            around.iter().sum::<f64>() / around.len() as f64
        })
        .collect()
}

fn draw(links: &[Link], transmissions: usize, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for channel in 0..4 {
        let of_channel: Vec<&Link> = links.iter().filter(|l| l.channel == channel).collect();
        let offset = best_offset(&of_channel);
        for link in of_channel {
            let curve = |profile: Vec<f64>| -> Vec<(f64, f64)> {
                let smooth = smoothed(&profile).into_iter().enumerate();
                smooth
                    .step_by(4)
                    .map(|(i, p)| (i as f64 * STEP, power_to_db(p)))
                    .collect()
            };
            let place = link.file.trim_end_matches(".mat");
            let title = format!(
                "{place}, channel {}: 1 to 9 GHz, up to {REFLECTIONS} reflections, {transmissions} walls",
                channel + 1
            );
            let picture = ProfilePlot {
                title,
                curve_name: "keller".to_owned(),
                curve: curve(shifted(&link.predicted, offset).collect()),
                second_name: "measured".to_owned(),
                second: curve(link.measured.clone()),
                ..ProfilePlot::default()
            };
            let name = format!("{place}_ch{}_t{transmissions}.svg", channel + 1);
            std::fs::write(folder.join(name), picture.svg())?;
        }
    }
    Ok(())
}
