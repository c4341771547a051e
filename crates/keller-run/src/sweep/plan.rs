//! Cuts the work of a scenario into units.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use keller::tiles::Tiles;
use keller_io::scenario::{CoverageSettings, Scenario};
use keller_io::sweep::{Plan, SweepStore, Unit, Work};
use keller_io::visibility::BLOCK;

use super::{Sweep, digest};
use crate::observer::Observer;
use crate::scene::{keep_scene, prepare_scene};
use crate::{Error, Job, PathOptions, Points};

/// Receivers of a unit.
const UNIT_RX: usize = 1 << 12;

/// Tiles of a unit of visibility.
const UNIT_TILES: usize = 4 * BLOCK;

/// How a sweep is planned.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// The command whose work is planned: `paths`, `channel`, `coverage` or `visibility`. Without it, `coverage` of a
    /// scenario that has one, else `paths`.
    pub command: Option<String>,
    /// About so many cells, receivers or tiles in a unit. Cells become whole chunks of 16 384, tiles whole blocks of 1024.
    /// Tubes and beams fill a whole region together, and surfaces all tiles of a Tx.
    pub items: Option<usize>,
    /// Whether surfaces keep the rays to every tile.
    pub has_rays: bool,
}

/// Plans the sweep of a scenario and makes its store in the folder `place`. The same plan may be made again: units that
/// are there stay.
///
/// # Errors
/// [`Error::Input`] and [`Error::Scenario`] for a scenario that cannot be run, [`Error::Sweep`], also for a store with
/// another plan, [`Error::Stopped`].
pub fn plan_sweep(
    scenario: &Path,
    place: &Path,
    options: &PlanOptions,
    observer: Arc<dyn Observer>,
) -> Result<Sweep, Error> {
    let file = std::path::absolute(scenario)?;
    let scenario = Scenario::load(&file)?;
    let work = work(&scenario, options)?;
    let settings = scenario.scene.clone();
    let prepared = prepare_scene(&settings, &*observer, &|_| Ok(()))?;
    let job = Job::new(scenario, prepared.clone(), None, observer)?;
    let units = units(&job, work, options)?;
    let digest = digest(&job, work, options.has_rays)?;
    let plan = Plan::new(work, file, digest, options.has_rays, units);
    let store = SweepStore::create(place, plan)?;
    let kept = store.scene();
    if !kept.exists() {
        keep_scene(&kept, &settings, &prepared)
            .map_err(|source| keller_io::sweep::SweepError::System { file: kept, source })?;
    }
    Sweep::new(job, store)
}

/// The kind of result that is wanted.
fn work(scenario: &Scenario, options: &PlanOptions) -> Result<Work, Error> {
    let command = match (&options.command, &scenario.coverage) {
        (Some(command), _) => command.as_str(),
        (None, Some(_)) => "coverage",
        (None, None) => "paths",
    };
    let work = match (command, &scenario.coverage) {
        ("coverage", Some(CoverageSettings::Surfaces(_))) => Work::Surfaces,
        ("coverage", _) => Work::Cells,
        ("paths", _) => Work::Paths,
        ("channel", _) => Work::Channels,
        ("visibility", _) => Work::Visibility,
        _ => {
            return Err(Error::Input(format!(
                "a sweep for `{command}`; accepted: paths, channel, coverage, visibility"
            )));
        }
    };
    if options.has_rays && work != Work::Surfaces {
        return Err(Error::Input(
            "rays are kept of surfaces alone: [coverage] engine = \"tiles\"".to_owned(),
        ));
    }
    Ok(work)
}

fn units(job: &Arc<Job>, work: Work, options: &PlanOptions) -> Result<Vec<Unit>, Error> {
    let all_tx = 0..job.scenario.tx.len();
    let each_tx = |range: Range<usize>| {
        let range = range.clone();
        all_tx.clone().map(move |tx| Unit {
            region: 0,
            tx: vec![tx],
            range: range.clone(),
        })
    };
    Ok(match work {
        Work::Cells => {
            let mut units = Vec::new();
            for region in 0..job.regions()?.len() {
                let run = job.coverage(region)?;
                let of_region = run.units(options.items).into_iter();
                units.extend(of_region.map(|(tx, range)| Unit { region, tx, range }));
            }
            units
        }
        Work::Surfaces => {
            let scene = job.world.scene();
            let tiles = Tiles::new(scene, job.scenario.tiles.tiling(scene))?;
            job.transmitters()?;
            each_tx(0..tiles.len()).collect()
        }
        Work::Paths | Work::Channels => {
            // What cannot be run is told now, and not by every worker.
            let points = match work {
                Work::Paths => Points::Devices,
                _ => Points::Elements,
            };
            job.paths(&PathOptions {
                points,
                ..PathOptions::default()
            })?;
            let num_rx = job.scenario.receivers.rx.len();
            let most = options.items.unwrap_or(UNIT_RX).max(1);
            let ranges = ranges(num_rx, most);
            let of_tx = |tx| {
                let ranges = ranges.clone().into_iter();
                ranges.map(move |range| Unit {
                    region: 0,
                    tx: vec![tx],
                    range,
                })
            };
            all_tx.flat_map(of_tx).collect()
        }
        Work::Visibility => {
            let scene = job.world.scene();
            let tiles = Tiles::new(scene, job.scenario.tiles.tiling(scene))?;
            let most = options.items.unwrap_or(UNIT_TILES).div_ceil(BLOCK).max(1) * BLOCK;
            let ranges = ranges(tiles.len(), most).into_iter();
            let unit = |range| Unit {
                region: 0,
                tx: Vec::new(),
                range,
            };
            ranges.map(unit).collect()
        }
    })
}

/// `0..count` in ranges of `most`.
fn ranges(count: usize, most: usize) -> Vec<Range<usize>> {
    let starts = (0..count).step_by(most);
    starts.map(|first| first..count.min(first + most)).collect()
}
