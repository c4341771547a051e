//! `[beams]`: the paths that the engine `beams` follows, and their losses.

use keller::coverage::beams::{Losses, Settings};

use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// Reads `[beams]`, or its defaults; roofs and the limit of losses are those of `[coverage]`.
pub(super) fn read(top: &Section<'_>) -> Result<Settings, ScenarioError> {
    let default = Settings::default();
    let Some(section) = top.section("beams")? else {
        return Ok(default);
    };
    let losses = Losses {
        street_bend: section
            .vector("corner_loss_db")?
            .unwrap_or(default.losses.street_bend),
        roof_bend: section
            .vector("roof_loss_db")?
            .unwrap_or(default.losses.roof_bend),
        wall: section
            .vector("wall_loss_db")?
            .unwrap_or(default.losses.wall),
    };
    if let Some(key) = losses.wrong_way() {
        let problem = "a loss is below zero, or falls as the angle or the number of walls grows; accepted: losses of at least 0 that grow from no bend to half a turn";
        return Err(section.problem(key, problem));
    }
    Ok(Settings {
        max_bends: section.whole("corners")?.unwrap_or(default.max_bends),
        has_walls: section.flag("through_walls")?.unwrap_or(default.has_walls),
        has_indoors: section.flag("indoors")?.unwrap_or(default.has_indoors),
        combination: section
            .choice("combine", &keys::COMBINATIONS)?
            .unwrap_or(default.combination),
        losses,
        ..default
    })
}
