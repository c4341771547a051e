//! `[background]`: power that falls with the distance alone, in addition to that of all paths.

use keller::calibration::Background;

use super::document::Section;
use super::error::ScenarioError;

/// Reads `[background]`, unless it is switched off.
pub(super) fn read(top: &Section<'_>) -> Result<Option<Background>, ScenarioError> {
    let Some(section) = top.section("background")? else {
        return Ok(None);
    };
    let background = Background {
        level_db: section
            .number("level_db")?
            .ok_or_else(|| section.missing("level_db"))?,
        exponent: section.number("exponent")?.unwrap_or(2.0),
    };
    let is_on = section.flag("enabled")?.unwrap_or(true);
    Ok(Some(background).filter(|_| is_on))
}
