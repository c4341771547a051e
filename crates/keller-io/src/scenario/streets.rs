//! `[streets]`: rows of houses in the terms of the model `walfisch-ikegami`.

use keller::models::{City, Streets};

use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// Reads `[streets]`, or its defaults.
pub(super) fn read(top: &Section<'_>) -> Result<Streets, ScenarioError> {
    let Some(section) = top.section("streets")? else {
        return Ok(Streets::default());
    };
    let roof_height = section.number("roof_height")?;
    let separation = section.number("building_separation")?;
    let width = section.number("street_width")?;
    let angle_deg = section.number("street_angle_deg")?;
    let city = section
        .choice("city", &keys::CITIES)?
        .unwrap_or(City::Medium);
    let separation = separation.unwrap_or(30.0);
    // COST 231 takes half of the separation if the width is unknown.
    let width = width.unwrap_or(0.5 * separation).max(Streets::WIDTHS[0]);
    Streets::new(
        roof_height.unwrap_or(15.0),
        width,
        separation,
        angle_deg.unwrap_or(90.0),
        city,
    )
    .map_err(|error| top.problem("streets", error.to_string()))
}
