//! Chooses the engine that fills the cells where a scenario leaves it open.

use keller::coverage::{Engine, Region};
use keller_io::scenario::CellSettings;

use crate::Job;

/// Chooses points where `auto` allows them and they cost less. Returns a message that names the engine, the reason, and
/// the cost of the other.
pub(super) fn choose(job: &Job, settings: &mut CellSettings, region: &Region) -> String {
    /// Up to this number of faces times cells, the exact paths to every cell take about a second or less.
    const SMALL: usize = 20_000;

    let file = job.scenario.file.display();
    let said = format!("{file}: [coverage] engine = \"auto\"");
    let (num_cells, num_faces) = (region.num_cells(), job.world.scene().faces().len());
    let limits = &job.scenario.paths.limits;
    if settings.engine == Engine::Points {
        return format!(
            "{said} takes points, which cost as much as {num_cells} receivers a Tx: max_diffractions = {} is beyond tubes, which take {} and with rooftops = true add chains of several edges over the roofs",
            limits.max_diffractions,
            Engine::MAX_EDGES_OF_TUBES
        );
    }
    if num_cells.saturating_mul(num_faces) <= SMALL {
        settings.engine = Engine::Points;
        return format!(
            "{said} takes points, the exact paths to the centre of each of the {num_cells} cells, because the scene is small; \"tubes\" would fill millions of cells"
        );
    }
    let left_out = if limits.max_scatterings > 0 {
        "; tubes leave out what is reflected after it was scattered"
    } else {
        ""
    };
    format!(
        "{said} takes tubes; \"points\" would find the exact paths to the centre of each of the {num_cells} cells, at the cost of {num_cells} receivers a Tx{left_out}"
    )
}
