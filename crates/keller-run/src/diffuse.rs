//! Computes the power that reaches receivers beyond all paths: the diffuse field of each Tx, and the background.
//!
//! [`Job::power_beside_paths`] computes it once a run for all links. Places are evaluated in parallel; the visible
//! sides of a place serve all Tx. A place costs about a millisecond, whatever the number of Tx.

use std::sync::atomic::{AtomicUsize, Ordering};

use keller::antenna::Antenna;
use keller::diffuse::{DiffuseField, DiffuseOptions, DiffuseTx, ScatteredPaths};
use keller::parallel;
use keller::paths::Devices;
use keller::tiles::Tiles;
use keller::{Control, DVec3, Tx};

use crate::ends::{Ends, PathEnds};
use crate::observer::{RunStage, Tell};
use crate::{Error, Job, PowerBesidePaths};

impl Job {
    /// The diffuse and background power of all links of the scenario; `None` if it has neither `[diffuse]` nor
    /// `[background]`. It is computed once. Power that the limits of `[paths]` or of any of its alternatives leave to
    /// exact paths is not in the diffuse field.
    ///
    /// # Errors
    /// [`Error::Input`] for tiles that cannot be cut, for a Tx that cannot be used, and for a closed room that loses no
    /// power; [`Error::Memory`], [`Error::Stopped`].
    pub fn power_beside_paths(&self) -> Result<Option<PowerBesidePaths>, Error> {
        if let Some(known) = self.beside_paths.get() {
            return Ok(known.clone());
        }
        let found = self.find_power_beside_paths()?;
        Ok(self.beside_paths.get_or_init(|| found).clone())
    }

    fn find_power_beside_paths(&self) -> Result<Option<PowerBesidePaths>, Error> {
        let (num_tx, num_rx) = (self.positions.tx.len(), self.positions.rx.len());
        let Some(diffuse) = self.diffuse_of_tx(ScatteredPaths::ToDevices, num_rx)? else {
            let background = self.background_of_links();
            return Ok(background.map(|gains| PowerBesidePaths::new(num_rx, None, Some(gains))));
        };
        if (8 * num_tx * num_rx) as u64 > self.observer.memory_left() {
            return Err(Error::Memory(format!(
                "{}: [diffuse]: the diffuse field of {num_tx} Tx at {num_rx} receivers does not fit in memory",
                self.scenario.file.display()
            )));
        }
        let receivers = &self.scenario.receivers;
        let of_rx = |rx: usize| {
            let elements = receivers
                .array(rx)
                .map_or(1, |array| array.elements().len());
            let place = self.positions.has_rx(rx).then(|| self.positions.rx[rx]);
            (place, receivers.antenna(rx), elements as f64)
        };
        let gains = diffuse.gains(num_rx, of_rx, self)?;
        let diffuse = (diffuse.of_tx, gains);
        let background = self.background_of_links();
        Ok(Some(PowerBesidePaths::new(
            num_rx,
            Some(diffuse),
            background,
        )))
    }

    /// The links are in order: from the first Tx to every Rx, then from the second.
    fn background_of_links(&self) -> Option<Vec<f64>> {
        let background = self.scenario.background?;
        let positions = &self.positions;
        let of_tx = |tx: &DVec3| {
            let rx = positions.rx.iter().enumerate();
            let gain = |(rx, at): (usize, &DVec3)| {
                if positions.has_rx(rx) {
                    background.gain(tx.distance(*at))
                } else {
                    0.0
                }
            };
            rx.map(gain).collect::<Vec<f64>>()
        };
        Some(positions.tx.iter().flat_map(of_tx).collect())
    }

    /// The diffuse field of every Tx beyond these paths, before `num_places` are evaluated; `None` without `[diffuse]`.
    ///
    /// # Errors
    /// The errors of [`Self::power_beside_paths`].
    pub(crate) fn diffuse_of_tx(
        &self,
        scattered: ScatteredPaths,
        num_places: usize,
    ) -> Result<Option<DiffuseOfTx>, Error> {
        let Some(settings) = &self.scenario.diffuse else {
            return Ok(None);
        };
        let in_scenario = |error: keller::Error| match error {
            keller::Error::Cancelled => Error::Stopped,
            error => Error::in_scenario(&self.scenario, &error),
        };
        let (scene, tx) = (self.world.scene(), &self.scenario.tx);
        let ends = Ends::new(PathEnds::Devices, &self.scenario, &self.positions)?;
        Devices::tx(scene, ends.tx.positions())
            .map_err(|error| ends.error(&self.scenario, error))?;
        let options = settings.options(scene);
        let tiles = Tiles::new(scene, options.tiling.clone()).map_err(in_scenario)?;
        let rays = RayCounts::new(&options, tiles.len(), tx.len(), num_places);
        let part = |from: f64, to: f64| {
            move |_: keller::Stage, done: f64| (RunStage::Diffuse, from + (to - from) * done)
        };
        self.observer.report(RunStage::Diffuse, 0.0);
        let build = |control: &Control<'_>| DiffuseField::new(&self.world, &options, control);
        let field = self
            .observer
            .watch_as(part(0.0, rays.exchange), build)
            .map_err(in_scenario)?;
        let mut of_tx = Vec::with_capacity(tx.len());
        for (tx, position) in tx.iter().zip(&self.positions.tx) {
            let tx = Tx {
                position: *position,
                antenna: tx.antenna.clone(),
            };
            let from = rays.tx * of_tx.len() as f64;
            self.observer
                .report(RunStage::Diffuse, rays.exchange + from);
            let limits = self.scenario.paths.all_limits();
            let solve = |control: &Control<'_>| field.of_tx_beside(&tx, limits, scattered, control);
            let solved = self.observer.watch(solve).map_err(in_scenario)?;
            of_tx.push(solved);
        }
        Ok(Some(DiffuseOfTx {
            field,
            of_tx,
            places_from: 1.0 - rays.places,
        }))
    }
}

/// The diffuse field of every Tx of a job.
#[derive(Debug)]
pub(crate) struct DiffuseOfTx {
    pub(crate) field: DiffuseField,
    pub(crate) of_tx: Vec<DiffuseTx>,
    /// The share of the stage that is done before places are looked at.
    places_from: f64,
}

/// Places that are looked at one after the other by a thread.
const PLACES: usize = 16;

impl DiffuseOfTx {
    /// Path gains from the first Tx to every place, then from the second. `of_place` gives a place, the antenna there,
    /// and the factor of its gain; places that are `None` receive nothing.
    ///
    /// # Errors
    /// [`Error::Stopped`]
    fn gains<'a>(
        &self,
        num_places: usize,
        of_place: impl Fn(usize) -> (Option<DVec3>, &'a Antenna, f64) + Sync,
        job: &Job,
    ) -> Result<Vec<f64>, Error> {
        let num_tx = self.of_tx.len();
        let done = AtomicUsize::new(0);
        let tell = |_, done: f64| {
            let share = self.places_from + (1.0 - self.places_from) * done;
            (RunStage::Diffuse, share)
        };
        let fill = |control: &Control<'_>| {
            let numbers: Vec<usize> = (0..num_places).collect();
            let parts: Vec<&[usize]> = numbers.chunks(PLACES).collect();
            parallel::try_map(parts.len(), |part| {
                control.check()?;
                let places = parts[part];
                let mut gains = Vec::with_capacity(places.len() * num_tx);
                for place in places {
                    let (at, antenna, factor) = of_place(*place);
                    let view = at.map(|at| self.field.view(at, antenna));
                    gains.extend(self.of_tx.iter().map(|tx| {
                        let gain = view.as_ref().map_or(0.0, |view| tx.gain_of(view));
                        factor * gain
                    }));
                }
                let done = done.fetch_add(places.len(), Ordering::Relaxed) + places.len();
                control.report(keller::Stage::Diffuse, done as f64 / num_places as f64);
                Ok::<_, keller::Error>(gains)
            })
        };
        let of_places = job.observer.watch_as(tell, fill)?;
        let mut gains = vec![0.0; num_tx * num_places];
        for (place, of_tx) in of_places
            .iter()
            .flat_map(|chunk| chunk.chunks_exact(num_tx))
            .enumerate()
        {
            for (tx, gain) in of_tx.iter().enumerate() {
                gains[tx * num_places + place] = *gain;
            }
        }
        Ok(gains)
    }
}

/// The numbers of rays of the steps, as shares of the work: rays take nearly all time.
#[derive(Debug, Clone, Copy)]
struct RayCounts {
    exchange: f64,
    /// The rays of each Tx.
    tx: f64,
    places: f64,
}

impl RayCounts {
    /// A ray of a Tx is split at walls and followed to the end; it and the balance of the Tx take the time of so many
    /// rays to the first wall.
    const OF_TX_RAY: f64 = 100.0;

    fn new(options: &DiffuseOptions, num_tiles: usize, num_tx: usize, num_places: usize) -> Self {
        let exchange = 2.0 * num_tiles as f64 * f64::from(options.tile_rays);
        let tx = Self::OF_TX_RAY * f64::from(options.tx_rays);
        let places = num_places as f64 * f64::from(options.rx_rays);
        let total = exchange + tx * num_tx as f64 + places;
        Self {
            exchange: exchange / total,
            tx: tx / total,
            places: places / total,
        }
    }
}
