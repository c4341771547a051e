//! Chooses the engine that fills the cells where a scenario leaves it open.

use keller::coverage::{Engine, Region};
use keller_io::scenario::CellSettings;

use crate::Job;

/// Chooses points where `auto` allows them and they cost less. Returns a message that names the engine, the reason, and
/// the cost of the other.
pub(super) fn choose(job: &Job, settings: &mut CellSettings, region: &Region) -> String {
    /// The number of faces times cells up to which the exact paths to every cell take about a second or less.
    const SMALL: usize = 20_000;

    let file = job.scenario.file.display();
    let said = format!("{file}: [coverage] engine = \"auto\"");
    let (num_cells, num_faces) = (region.num_cells(), job.world.scene().faces().len());
    let limits = &job.scenario.paths.limits;
    if settings.engine == Engine::Points {
        return format!(
            "{said} chooses points, at the cost of {num_cells} receivers for each Tx: tubes follow one set of limits, and [paths] has alternatives"
        );
    }
    if num_cells.saturating_mul(num_faces) <= SMALL {
        settings.engine = Engine::Points;
        return format!(
            "{said} chooses points (exact paths to the centre of each of the {num_cells} cells), because the scene is small; \"tubes\" suits millions of cells"
        );
    }
    let left_out = if limits.max_scatterings > 0 {
        "; tubes ignore what follows a scattering"
    } else {
        ""
    };
    format!(
        "{said} chooses tubes; \"points\" would find the exact paths to the centre of each of the {num_cells} cells, at the cost of {num_cells} receivers for each Tx{left_out}"
    )
}
