//! The measured links: their paths, and the measurements of each.

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::sync::Arc;

use keller::antenna::Antenna;
use keller::calibration::{MaterialProperty, Observation, Quantity, TracedLink, TracedLinks};
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller_io::scenario::{Measurements, Scenario};
use keller_io::store::paths::PathBlock;

use super::parameters::Chosen;
use crate::{Error, Job, PathEnds, PathRunOptions};

/// The links that were measured.
#[derive(Debug)]
pub(super) struct Links {
    /// Tx and Rx of each.
    all: Vec<(usize, usize)>,
}

impl Links {
    /// The measured links with their paths.
    pub(super) fn new(
        job: &Job,
        measurements: &Measurements,
        blocks: &[PathBlock],
    ) -> (Self, TracedLinks) {
        let mut all: Vec<(usize, usize)> = measurements
            .rows
            .iter()
            .map(|row| (row.tx, row.rx))
            .collect();
        all.sort_unstable();
        all.dedup();
        let numbers: HashMap<(usize, usize), usize> = all
            .iter()
            .enumerate()
            .map(|(number, link)| (*link, number))
            .collect();
        let receivers = &job.scenario.receivers;
        let mut rx_antennas: Vec<Antenna> = Vec::new();
        let mut traced: Vec<TracedLink> = all
            .iter()
            .map(|(tx, rx)| {
                let antenna = receivers.antenna(*rx);
                let known = rx_antennas.iter().position(|known| known == antenna);
                let of_rx = known.unwrap_or_else(|| {
                    rx_antennas.push(antenna.clone());
                    rx_antennas.len() - 1
                });
                TracedLink {
                    antennas: [*tx, of_rx],
                    distance: job.positions.tx[*tx].distance(job.positions.rx[*rx]),
                    paths: Vec::new(),
                }
            })
            .collect();
        for block in blocks {
            for (rx, paths) in block.links() {
                if let Some(number) = numbers.get(&(block.tx, rx)) {
                    traced[*number].paths = paths.to_vec();
                }
            }
        }
        let tx = job
            .scenario
            .tx
            .iter()
            .map(|tx| tx.antenna.clone())
            .collect();
        let traced = TracedLinks::new(job.world.scene(), tx, rx_antennas, traced);
        (Self { all }, traced)
    }

    /// Tx and Rx of each link.
    pub(super) fn all(&self) -> &[(usize, usize)] {
        &self.all
    }

    /// The Tx and Rx of an observation.
    pub(super) fn of(&self, observation: &Observation) -> (usize, usize) {
        self.all[observation.prediction]
    }

    /// The measurements with their links.
    pub(super) fn observations(&self, measurements: &Measurements) -> Vec<Observation> {
        let rows = measurements.rows.iter();
        rows.map(|row| Observation {
            prediction: self
                .all
                .binary_search(&(row.tx, row.rx))
                .unwrap_or(usize::MAX),
            measured_db: row.gain_db,
            is_limit: row.is_limit,
            group: row.tx,
            deviation_db: row.uncertainty_db.unwrap_or(0.0),
        })
        .collect()
    }
}

/// The job whose walls are as open as the ranges allow, and whose paths have no threshold.
pub(super) fn open_job(job: &Arc<Job>, chosen: &Chosen) -> Result<Arc<Job>, Error> {
    let mut materials: Vec<Material> = job.world.materials().to_vec();
    for (quantity, parameter) in chosen.quantities.iter().zip(&chosen.parameters) {
        let Quantity::Material(ids, property) = quantity else {
            continue;
        };
        let value = match property {
            MaterialProperty::Scattering => parameter.max,
            _ => parameter.min,
        };
        for id in ids {
            let material = &mut materials[id.index()];
            *material = property.put(material, value, job.world.frequency())?;
        }
    }
    // The paths that exist depend on nothing else of materials and devices, so kept paths hold for other numbers too.
    let materials = materials.iter().map(plain).collect();
    let mut scenario = job.scenario.clone();
    scenario.text = String::new();
    scenario.paths.power_threshold_db = None;
    scenario.paths.relative_threshold_db = None;
    for tx in &mut scenario.tx {
        tx.antenna = Antenna::default();
        tx.power_dbm = 0.0;
        (tx.file, tx.line) = Default::default();
    }
    let world = job.world.with_each_material(materials)?;
    Ok(job.with_world(scenario, world))
}

/// A material that lets through and scatters where another one does.
fn plain(material: &Material) -> Material {
    let medium = Medium::Constant {
        relative_permittivity: 5.0,
        conductivity: 0.01,
    };
    let wall = if material.is_opaque() {
        Material::HalfSpace(medium)
    } else {
        Material::slab(medium, 0.1)
    };
    let scattering = material.texture().scattering.map(|_| Scattering {
        coefficient: 0.5,
        cross_polarization: 0.0,
        lobe: Lobe::Lambertian,
    });
    wall.with_texture(Texture {
        scattering,
        ..Texture::default()
    })
}

/// All paths of the job, kept in a file if there is one.
pub(super) fn trace(job: &Arc<Job>, cache: Option<&FilePath>) -> Result<Vec<PathBlock>, Error> {
    let mut blocks = job.paths(&PathRunOptions {
        points: PathEnds::Devices,
        ..PathRunOptions::default()
    })?;
    if let Some(name) = cache {
        blocks.keep_in(name, true)?;
    }
    blocks.collect()
}

/// Elements of arrays have no traced links of their own.
pub(super) fn refuse_arrays(scenario: &Scenario) -> Result<(), Error> {
    let fail = |what: &str, place: String| {
        Err(Error::Input(format!(
            "{place}: {what} array: calibration takes devices of one antenna; leave the array out"
        )))
    };
    if let Some(tx) = scenario.tx.iter().find(|tx| tx.array.is_some()) {
        return fail("[[tx]]", tx.origin());
    }
    let receivers = &scenario.receivers;
    let has_array = (0..receivers.rx.len()).any(|rx| receivers.array(rx).is_some());
    if has_array {
        return fail("[[rx]]", scenario.file.display().to_string());
    }
    Ok(())
}
