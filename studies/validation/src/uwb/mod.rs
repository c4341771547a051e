//! Compares measured ultra-wideband channels of an office, 1 to 9 GHz, with those that keller predicts from its walls.
//!
//! The data becomes the files that a user of `keller compare` has, and everything else is the code of that command.
//! Nothing is fitted but one delay a channel, for the cables: no gain, no material, no antenna. Antennas are taken as
//! vertical and isotropic, as nothing is said about them; furniture and people are not in the layout. The measured
//! files do not say which channel stood where; the first arrivals do (see `convert.rs`).

mod convert;
pub(crate) mod layout;
mod mat;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use keller::comparison::OffsetKind;
use keller::materials::Material;
use keller::paths::{Interaction, InteractionKind, Path as Ray};
use keller::scene::Scene;
use keller::units::SPEED_OF_LIGHT;
use keller_io::reports::comparison::{Compared, ComparedProfile};
use keller_io::scenario::{Measurements, Scenario};
use keller_run::{
    Average, Job, Link, Machine, PathEnds, PathRunOptions, Predictions, ProfileOptions,
};

/// Reflections, and walls passed, of a path.
const REFLECTIONS: usize = 3;
const TRANSMISSIONS: [usize; 2] = [3, 8];

/// The time before which there is only noise, s: the first 499 samples. Light needs 28 ns to the nearest anchor.
const QUIET: f64 = 24.93e-9;

/// Compares all measured channels. The files for `keller compare`, and pictures, stay in `folder` if that is given.
pub(crate) fn check(data: &Path, folder: Option<&Path>) -> Result<()> {
    let temporary = std::env::temp_dir().join(format!("keller-uwb-{}", std::process::id()));
    let to = folder.unwrap_or(&temporary);
    fs::create_dir_all(to)?;
    let result = compare_in(data, to, folder.is_some());
    if folder.is_none() {
        fs::remove_dir_all(to)?;
    }
    result
}

fn compare_in(data: &Path, to: &Path, has_pictures: bool) -> Result<()> {
    let converted = convert::convert(data, to, REFLECTIONS, &TRANSMISSIONS)?;
    for (scenario, transmissions) in converted.scenarios.iter().zip(TRANSMISSIONS) {
        let scenario = Scenario::load_without_rx(scenario)?;
        let files = [converted.profiles.clone()];
        let measurements = Measurements::load(&files, &scenario)?;
        let scenario = Scenario {
            receivers: measurements.receivers.clone(),
            ..scenario
        };
        let prepared = keller_run::prepare_scene(&scenario.scene, &(), &|_| Ok(()))?;
        let job = Job::new(scenario, prepared, &Machine::default(), Arc::new(()))?;
        let scene = job.world.scene();
        if transmissions == TRANSMISSIONS[0] {
            println!(
                "office: {} walls and slabs of {} materials",
                scene.faces().len(),
                scene.materials().len()
            );
        }
        println!("up to {REFLECTIONS} reflections, {transmissions} walls passed");
        let options = ProfileOptions {
            noise_until: Some(QUIET),
            ..ProfileOptions::default()
        };
        let predictions = Predictions::new(&job, Average::Incoherent)?;
        let mut predictions = predictions.with_profiles(&measurements, options);
        let mut walls = HashMap::new();
        for block in job.paths(&PathRunOptions {
            points: PathEnds::Elements,
            ..PathRunOptions::default()
        })? {
            let block = block?;
            for link in Link::of_block(&block) {
                let delay = displaced(scene, &converted.office, link.paths);
                walls.insert((link.tx, link.rx), delay);
            }
            predictions.add(&block);
        }
        let compared = predictions.compare(&measurements, OffsetKind::None);
        report(&compared, &walls)?;
        if has_pictures {
            draw(&compared, transmissions, to)?;
        }
    }
    Ok(())
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
        let name = &scene.materials()[scene.face(face).material.index()];
        let mut materials = office.mesh.materials.iter().zip(&office.materials);
        let Some((_, Material::Slab(layers))) = materials.find(|(own, _)| own.name == *name) else {
            return 0.0;
        };
        let cosine = along.dot(scene.face_normal(face)).abs();
        layers.iter().map(|l| l.thickness).sum::<f64>() * cosine
    };
    direct.interactions().map(thickness).sum::<f64>() / SPEED_OF_LIGHT
}

fn report(compared: &Compared, walls: &HashMap<(usize, usize), f64>) -> Result<()> {
    println!(
        "  file         ch  paths  light ns  walls ns  cable ns  measured ns  predicted ns  error ns  compared ns  corr   mean dB  rms dB"
    );
    let profiles = compared.profiles.as_ref().context("no profiles")?;
    // One channel after the other.
    let mut links: Vec<&ComparedProfile> = profiles.links.iter().collect();
    links.sort_by_key(|link| compared.rows[link.row].tx);
    for link in links {
        let (row, c) = (&compared.rows[link.row], &link.comparison);
        let ns = |delay: Option<f64>| {
            delay.map_or_else(|| "none".to_owned(), |d| format!("{:.2}", d * 1e9))
        };
        let number =
            |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}"));
        println!(
            "  {:11}  {:2}  {:5}  {:8.2}  {:8.2}  {:8.2}  {:>11}  {:>12}  {:>8}  {:11.1}  {:>5}  {:>7}  {:>6}",
            format!("{}.mat", row.set),
            row.tx + 1,
            row.num_paths,
            link.light * 1e9,
            walls
                .get(&(row.tx as usize, row.rx as usize))
                .unwrap_or(&0.0)
                * 1e9,
            c.cable_delay * 1e9,
            ns(c.measured_start),
            ns(c.predicted_start),
            ns(c.start_error()),
            c.duration * 1e9,
            number(c.correlation),
            number(c.mean_db),
            number(c.rms_db),
        );
    }
    let all = &profiles.parts.first().context("no profile")?.summary;
    let [late, correlation, mean, rms] =
        [all.start_error, all.correlation, all.mean_db, all.rms_db]
            .map(|value| value.unwrap_or(0.0));
    println!(
        "  all: first arrivals off by {:.2} ns on average, correlation {correlation:.2}, {mean:+.1} dB, rms {rms:.1} dB",
        late * 1e9,
    );
    Ok(())
}

fn draw(compared: &Compared, transmissions: usize, folder: &Path) -> Result<()> {
    let profiles = compared
        .profiles
        .iter()
        .flat_map(|profiles| &profiles.links);
    for link in profiles {
        let row = &compared.rows[link.row];
        if let Some(picture) = link.picture(row) {
            let name = format!("{}_ch{}_t{transmissions}.svg", row.set, row.tx + 1);
            fs::write(folder.join(name), picture)?;
        }
    }
    Ok(())
}
