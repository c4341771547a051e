//! Measured ultra-wideband channels of an office, 1 to 9 GHz, beside those that keller predicts from its walls.
//!
//! Nothing is fitted but one delay a channel, for the cables: no gain, no material, no antenna. Antennas are taken as vertical and
//! isotropic, as nothing is said about them; furniture and people are not in the layout. The measured files do not say which channel
//! stood where; the first arrivals do (see [`ANCHOR`]).

mod compare;
mod layout;
mod mat;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use keller::antenna::Antenna;
use keller::channel::{Antennas, Motion, Window, delay_response, replay};
use keller::em::Surfaces;
use keller::materials::{Material, Materials};
use keller::paths::{Interaction, InteractionKind, Limits, Path as Ray, Search};
use keller::scene::Scene;
use keller::units::{SPEED_OF_LIGHT, power_to_db};
use keller::{Complex64, DVec3, Frequency, World};
use keller_io::plot::ProfilePlot;
use rayon::prelude::*;

use crate::geometry;
use compare::{Comparison, Link, best_offset, seconds, shifted, smoothed};

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
pub(crate) const STEP: f64 = 0.05e-9;
const END: f64 = 200e-9;

/// Compares all measured channels, and draws them into `pictures` if that is given.
pub(crate) fn check(data: &Path, pictures: Option<&Path>) -> Result<()> {
    let folder = data.join("where1");
    let centre = Frequency::from_hz(5e9)?;
    let office = layout::read(&folder, centre)?;
    let scene = Arc::new(Scene::new(&office.mesh)?);
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
    scene: &Arc<Scene>,
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
    let names = scene.materials().iter().cloned();
    let materials: Materials = names.zip(office.materials.iter().cloned()).collect();
    let centre = surfaces[surfaces.len() / 2].frequency();
    let world = World::new(Arc::clone(scene), &materials, centre)?;
    let paths = geometry::paths(&world, mobile, anchors, &limits, Search::default())?;
    let antenna = Antenna::default();
    let antennas = Antennas::single(&antenna, &antenna);
    (0..4)
        .into_par_iter()
        .map(|channel| {
            let of_link: Vec<Ray> = paths.iter().filter(|p| p.rx == channel).cloned().collect();
            let response = replay(
                &of_link,
                world.scene(),
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
        let mut kinds = p.vertices.iter().map(|i| i.interaction.kind());
        kinds.all(|kind| kind == InteractionKind::Transmission)
    };
    let Some(direct) = paths.iter().find(is_straight) else {
        return 0.0;
    };
    let along = (direct.rx_position - direct.tx_position).normalize();
    let thickness = |interaction: Interaction| {
        let Interaction::Transmission(face) = interaction else {
            return 0.0;
        };
        let Material::Slab(layers) = &office.materials[scene.face(face).material.index()] else {
            return 0.0;
        };
        let cosine = along.dot(scene.face_normal(face)).abs();
        layers.iter().map(|l| l.thickness).sum::<f64>() * cosine
    };
    direct.interactions().map(thickness).sum::<f64>() / SPEED_OF_LIGHT
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
