//! Entry losses of the building: free space over the power on its floors.
//!
//! The engine is the path search: one search finds the paths, which hold for all materials and frequencies, and the diffuse
//! field has the power beyond them. Tubes would trace each material anew.

use std::f64::consts::{PI, TAU};

use anyhow::Result;
use keller::antenna::{Antenna, Polarization};
use keller::diffuse::{DiffuseField, DiffuseOptions};
use keller::field::PathField;
use keller::paths::{Devices, Limits, Path, PathOptions, Search, find_paths, has_room};
use keller::units::power_to_db;
use keller::{Control, DVec3, Frequency, Tx, World};
use rayon::prelude::*;

use super::building::{FABRICS, Fabric, Windowed, centre, places};

/// Horizontal distance from every Tx to the middle of the building, metres: about 20 times its depth. Losses count from free
/// space at the receiver itself, so the distance cancels.
const DISTANCE: f64 = 150.0;

/// Elevation of the Tx seen from the middle of the building, radians.
pub(super) const ELEVATION: f64 = 5.0 * PI / 180.0;

/// Number of azimuths, and the first, radians. None is along a wall.
pub(super) const NUM_TX: u32 = 8;
const FIRST_AZIMUTH: f64 = 0.302;

/// Walls and floors that a path may pass: more than most lines through the building cross.
const MAX_TRANSMISSIONS: usize = 12;

/// Rays from each Tx for the diffuse field. Some 3 000 of them meet the building.
const TX_RAYS: u32 = 1 << 21;

/// Receivers, and the paths to them.
pub(super) struct Links {
    world: World,
    tx: Vec<Tx>,
    rx: Vec<DVec3>,
    limits: Limits,
    pub(super) paths: Vec<Path>,
}

/// Entry losses over all links, dB.
pub(super) struct Losses {
    /// The losses in order, the smallest first.
    pub(super) all: Vec<f64>,
    /// The losses without the diffuse field.
    pub(super) of_paths: Vec<f64>,
}

impl Links {
    /// The links of a building and their paths: straight through the walls, and with a reflection.
    ///
    /// # Errors
    /// The errors of the search.
    pub(super) fn new(building: Windowed) -> Result<Self> {
        let world = World::new(
            building.scene,
            &FABRICS[0].materials(),
            Frequency::from_ghz(3.5)?,
        )?;
        let tx = (0..NUM_TX).map(|k| {
            let azimuth = FIRST_AZIMUTH + TAU * f64::from(k) / f64::from(NUM_TX);
            let away = DVec3::new(azimuth.cos(), azimuth.sin(), ELEVATION.tan());
            Tx {
                position: centre() + DISTANCE * away,
                antenna: Antenna::default(),
            }
        });
        let tx: Vec<Tx> = tx.collect();
        let mut rx = places();
        rx.retain(|position| has_room(world.scene(), *position));
        let limits = Limits {
            max_interactions: 1,
            max_reflections: 1,
            max_transmissions: MAX_TRANSMISSIONS,
            ..Limits::default()
        };
        let options = PathOptions {
            limits,
            search: Some(Search::Complete),
        };
        let positions: Vec<DVec3> = tx.iter().map(|tx| tx.position).collect();
        let senders = Devices::tx(world.scene(), positions)?;
        let receivers = Devices::rx(world.scene(), rx.clone())?;
        let paths = find_paths(&world, &senders, &receivers, &options, &Control::default())?;
        Ok(Self {
            world,
            tx,
            rx,
            limits,
            paths,
        })
    }

    /// Number of links.
    pub(super) fn count(&self) -> usize {
        self.tx.len() * self.rx.len()
    }

    /// The losses with other materials at another frequency.
    ///
    /// # Errors
    /// For materials that are not defined there, and those of the diffuse field.
    pub(super) fn losses(&self, fabric: &Fabric, frequency: Frequency) -> Result<Losses> {
        let world = self.world.with_materials(&fabric.materials())?;
        let world = world.at(frequency)?;
        let antenna = Antenna {
            polarization: Polarization::VH,
            ..Antenna::default()
        };
        let mut of_paths = vec![0.0; self.count()];
        let gains: Vec<f64> = self
            .paths
            .par_iter()
            .map(|path| PathField::new(path, &world).gain(&self.tx[path.tx].antenna, &antenna))
            .collect();
        for (path, gain) in self.paths.iter().zip(gains) {
            of_paths[path.tx * self.rx.len() + path.rx] += gain;
        }
        let options = DiffuseOptions {
            tx_rays: TX_RAYS,
            ..DiffuseOptions::of_scene(world.scene())
        };
        let control = Control::default();
        let field = DiffuseField::new(&world, &options, &control)?;
        let views: Vec<_> = self
            .rx
            .par_iter()
            .map(|position| field.view(*position, &antenna))
            .collect();
        let mut all = of_paths.clone();
        for (tx, gains) in self.tx.iter().zip(all.chunks_mut(self.rx.len())) {
            let of_tx = field.of_tx(tx, &self.limits, &control)?;
            for (gain, view) in gains.iter_mut().zip(&views) {
                *gain += of_tx.gain_of(view);
            }
        }
        let losses = |gains: &[f64]| {
            let links = gains.iter().enumerate().map(|(link, gain)| {
                let tx = self.tx[link / self.rx.len()].position;
                let distance = tx.distance(self.rx[link % self.rx.len()]);
                let free_space = (frequency.wavelength() / (4.0 * PI * distance)).powi(2);
                power_to_db(free_space) - power_to_db(*gain)
            });
            let mut losses: Vec<f64> = links.collect();
            losses.sort_by(f64::total_cmp);
            losses
        };
        Ok(Losses {
            all: losses(&all),
            of_paths: losses(&of_paths),
        })
    }
}
