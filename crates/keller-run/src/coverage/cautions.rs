//! Warnings about a coverage that looks wrong but can be filled.

use glam::DVec2;
use keller::coverage::beams::Beams;
use keller::coverage::{Levels, Region, Surroundings};
use keller::paths::Limits;
use keller::scene::Scene;
use keller_io::scenario::CellSettings;

use crate::observer::Tell;
use crate::{Error, Job};

/// Warns of a region, and of every Tx in it.
pub(super) fn warn(job: &Job, settings: &CellSettings, region: &Region) {
    let surroundings = of_region(job, settings, region);
    of_tx(job, settings, region, &surroundings);
}

/// Warns of an array, which a coverage leaves out.
pub(super) fn of_arrays(job: &Job) {
    if let Some(tx) = job.scenario.tx.iter().find(|tx| tx.array.is_some()) {
        job.observer.warn(format!(
            "{}: a coverage treats an array as a single element at its centre",
            tx.origin()
        ));
    }
}

/// Warns of an engine that reflects waves at the facets of curved surfaces alone, where a scene has many.
pub(crate) fn of_curved_surfaces(job: &Job, engine: &str, limits: &Limits) {
    /// Number of faces for each joint from which on joints are few.
    const FEW: usize = 2;
    let scene = job.world.scene();
    if limits.reflections() == 0 {
        return;
    }
    let count = scene.num_joints();
    if count.saturating_mul(FEW) > scene.faces().len() {
        job.observer.warn(format!(
            "{}: [coverage] engine = \"{engine}\": the scene has curved surfaces, with {count} places where facets meet gently; this engine reflects waves at facets alone and leaves \
             out what curved surfaces reflect between them, which `points` and `keller paths` find",
            job.scenario.file.display()
        ));
    }
}

/// Warns of a region. Returns the surroundings of its cells.
pub(super) fn of_region(job: &Job, settings: &CellSettings, region: &Region) -> Surroundings {
    let observer = &job.observer;
    let scene = job.world.scene();
    let file = job.scenario.file.display();
    let [min, max] = region.bounds();
    let corners = corners(region);
    let [low, high] = scene.bounds();
    if min.cmpgt(high.truncate()).any() || max.cmplt(low.truncate()).any() {
        observer.warn(format!(
            "{file}:{}: [coverage]: the region {corners} does not overlap the scene, which spans ({:.1}, {:.1}) to ({:.1}, {:.1})",
            settings.line, low.x, low.y, high.x, high.y
        ));
    }
    if let Some((what, lowest)) = below(scene, region) {
        observer.warn(format!(
            "{file}:{}: [coverage]: all cells lie below {what}, whose lowest point is at {lowest:.1} m: heights are measured from z = 0 of the scene; height_above = \"ground\" measures them from the ground",
            settings.line
        ));
    }
    let surroundings = Surroundings::of(scene, region);
    let coarsest = region.resolution.max_element();
    if let Some(gap) = surroundings.typical_gap
        && coarsest > gap
    {
        observer.warn(format!(
            "{file}:{}: [coverage] resolution: cells of {coarsest} m are wider than the streets, which are about {gap:.0} m from wall to wall: many cell centres lie inside buildings, and one value cannot represent such a cell; use a resolution of a few metres to resolve streets",
            settings.line
        ));
    }
    surroundings
}

/// The top that all cells of a region lie below, the scene's or its terrain's, and the height of its lowest point
/// there, metres.
fn below(scene: &Scene, region: &Region) -> Option<(&'static str, f64)> {
    /// Columns of cells along each axis under which the ground is sought.
    const SAMPLES: usize = 64;
    let Levels::AboveSea(heights) = &region.levels else {
        return None;
    };
    let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = scene.bounds()[0].z;
    if highest < lowest {
        return Some(("the scene", lowest));
    }
    if scene.num_terrains() == 0 {
        return None;
    }
    let [nx, ny] = region.num_columns;
    let [columns, rows] = [nx, ny].map(|n| (0..n).step_by(n.div_ceil(SAMPLES)));
    let places = rows.flat_map(|j| columns.clone().map(move |i| region.column(i, j)));
    let grounds = places.filter_map(|at| scene.ground(at));
    let ground = grounds.reduce(f64::min)?;
    (highest < ground).then_some(("the terrain", ground))
}

/// Warns of Tx that stand where nobody expects them.
fn of_tx(job: &Job, settings: &CellSettings, region: &Region, surroundings: &Surroundings) {
    let (scenario, observer) = (&job.scenario, &job.observer);
    let scene = job.world.scene();
    let corners = corners(region);
    // If most of the region is indoors, an indoor Tx is intended.
    let is_outdoors = surroundings.share_enclosed < 0.5;
    for (index, (tx, at)) in scenario.tx.iter().zip(&job.positions.tx).enumerate() {
        let name = tx.name.clone().unwrap_or_else(|| index.to_string());
        let told = format!(
            "{}: Tx {name} at ({:.1}, {:.1}, {:.1})",
            tx.origin(),
            at.x,
            at.y,
            at.z
        );
        let own = region.to_own(at.truncate());
        let is_outside = own.cmplt(DVec2::ZERO).any() || own.cmpgt(region.extent()).any();
        // Waves come into a building from outside.
        if is_outside && settings.building.is_none() {
            observer.warn(format!("{told} stands outside the region, {corners}"));
        }
        if is_outdoors && Surroundings::is_enclosed(scene, *at) {
            observer.warn(format!(
                "{told} is inside a building, below its roof: its signal must pass through the walls"
            ));
        }
    }
}

/// Warns of the parts of a scene that `beams` leave out.
pub(super) fn of_plan(job: &Job, beams: &Beams) {
    /// The share of a scene below which no warning is given.
    const MUCH: f64 = 0.01;
    let (scenario, observer) = (&job.scenario, &job.observer);
    let num_volumes = job.world.scene().clutter().volumes().len();
    if num_volumes > 0 {
        let volumes = if num_volumes == 1 {
            "volume"
        } else {
            "volumes"
        };
        observer.warn(format!(
            "{}: [coverage] engine = \"beams\": vegetation and other clutter is left out ({num_volumes} {volumes}, of [[clutter]] or of scene files); tubes and points follow it",
            scenario.file.display(),
        ));
    }
    let share = beams.walls().share_left_out;
    if share > MUCH {
        observer.warn(format!(
            "{}: [coverage] engine = \"beams\": {:.0} % of the scene's area is neither an upright wall on the ground nor level, such as pitched roofs and what hangs over streets, and is left out; tubes and points follow all of it",
            scenario.file.display(),
            100.0 * share
        ));
    }
}

/// Refuses a Tx that `beams` cannot place.
///
/// # Errors
/// [`Error::Input`] for a Tx below the ground.
pub(super) fn below_ground(job: &Job, beams: &Beams) -> Result<(), Error> {
    let tx = job.scenario.tx.iter().zip(&job.positions.tx);
    for (index, (tx, at)) in tx.enumerate() {
        let name = tx.name.clone().unwrap_or_else(|| index.to_string());
        beams
            .place(*at)
            .map_err(|error| Error::Input(format!("{}: Tx {name}: {error}", tx.origin())))?;
    }
    Ok(())
}

/// Two opposite corners of a region.
fn corners(region: &Region) -> String {
    let [min, max] = region.bounds();
    format!(
        "({}, {}) to ({}, {})",
        round(min.x),
        round(min.y),
        round(max.x),
        round(max.y)
    )
}

/// Removes the digits that multiplication leaves behind.
fn round(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
