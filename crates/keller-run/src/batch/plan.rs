//! Plans the batch of a scenario and makes its store.

use std::path::Path;
use std::sync::Arc;

use keller_io::scenario::{CoverageSettings, Scenario};
use keller_io::store::{BatchStore, Family, Kind, Plan};

use super::Batch;
use super::check::digest;
use super::jobs::{self, Jobs};
use super::work::units_of;
use crate::observer::{Observer, Tell};
use crate::scene::keep_scene;
use crate::{Error, Job, PathEnds, PathRunOptions};

/// Options of the plan of a batch.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// The command whose work is planned: `paths`, `channel`, `coverage` or `visibility`. Without it, `coverage` of a
    /// scenario that has one, else `paths`.
    pub result: Option<String>,
    /// The approximate number of cells, receivers or tiles in a unit. Cells become whole chunks of 16 384, tiles whole
    /// blocks of 1024. Tubes and beams fill a whole region together, and surfaces all tiles of a Tx.
    pub unit_size: Option<usize>,
    /// Whether surfaces keep the rays to every tile.
    pub has_rays: bool,
}

/// Plans the batch of a scenario and makes its store in the folder `place`. The same plan may be made again: units that
/// are there stay.
///
/// # Errors
/// [`Error::Input`] and [`Error::Scenario`] for a scenario that cannot be run, [`Error::Store`], also for a store with
/// another plan, [`Error::Stopped`].
pub fn plan_batch(
    scenario: &Path,
    place: &Path,
    options: &PlanOptions,
    observer: Arc<dyn Observer>,
) -> Result<Batch, Error> {
    let file = std::path::absolute(scenario)?;
    let first = match Scenario::variants(&file)? {
        None => Vec::new(),
        Some(_) => vec![0],
    };
    let kind = kind(&jobs::family(&file, &first)?, options)?;
    let mut jobs = Jobs::new(file.clone(), observer);
    let (mut families, mut units) = (Vec::new(), Vec::new());
    let mut scene = None;
    for variants in jobs::families(&file, kind)? {
        let job = jobs.of(&variants, None)?;
        job.observer.check()?;
        let number = families.len();
        try_out(&job, kind)?;
        units.extend(units_of(&job, kind, number, options.unit_size)?);
        families.push(Family::new(variants, digest(&job, kind, options.has_rays)?));
        scene = scene.or_else(|| jobs.scene().cloned());
    }
    let plan = Plan::new(
        kind,
        file,
        families,
        options.has_rays,
        options.unit_size,
        units,
    );
    let store = BatchStore::create(place, plan)?;
    if let Some((settings, compiled)) = scene {
        store.put_scene(&|file| keep_scene(file, &settings, &compiled))?;
    }
    Ok(Batch::new(jobs, store))
}

/// The kind of result that is wanted.
fn kind(scenario: &Scenario, options: &PlanOptions) -> Result<Kind, Error> {
    let command = match (&options.result, &scenario.coverage) {
        (Some(command), _) => command.as_str(),
        (None, Some(_)) => "coverage",
        (None, None) => "paths",
    };
    let kind = match (command, &scenario.coverage) {
        ("coverage", Some(CoverageSettings::Surfaces(_))) => Kind::Surfaces,
        ("coverage", _) => Kind::Cells,
        ("paths", _) => Kind::Paths,
        ("channel", _) => Kind::Channels,
        ("visibility", _) => Kind::Visibility,
        _ => {
            return Err(Error::Input(format!(
                "a batch for `{command}`; accepted: paths, channel, coverage, visibility"
            )));
        }
    };
    if options.has_rays && kind != Kind::Surfaces {
        return Err(Error::Input(
            "rays are kept of surfaces alone: [coverage] engine = \"surfaces\"".to_owned(),
        ));
    }
    Ok(kind)
}

/// Reports now what cannot be run, so that not every worker has to.
fn try_out(job: &Arc<Job>, kind: Kind) -> Result<(), Error> {
    let paths = |points| {
        let options = PathRunOptions {
            points,
            ..PathRunOptions::default()
        };
        job.paths(&options).map(drop)
    };
    match kind {
        // Their engines say how cells are cut into units.
        Kind::Cells | Kind::Visibility => Ok(()),
        Kind::Surfaces => {
            job.transmitters()?;
            job.surface_limits().map(drop)
        }
        Kind::Paths => paths(PathEnds::Devices),
        Kind::Channels => {
            job.channeler_of_paths()?;
            paths(PathEnds::Elements)
        }
    }
}
