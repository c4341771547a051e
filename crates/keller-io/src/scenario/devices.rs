//! The common rules of `[[tx]]` and `[[rx]]`: the velocity of a device, and that there must be one.

use keller::DVec3;

use super::document::Section;
use super::error::ScenarioError;

/// The error that a scenario has no device of this kind.
pub(super) fn none(top: &Section<'_>, key: &str, device: &str) -> ScenarioError {
    top.refuse(key, format!("there is no {device}"))
}

/// The `velocity` of anything that moves.
pub(super) fn velocity(section: &Section<'_>) -> Result<Option<DVec3>, ScenarioError> {
    let velocity = section.vector("velocity")?;
    Ok(velocity.map(DVec3::from_array))
}
