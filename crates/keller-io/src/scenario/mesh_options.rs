//! A scenario's statements about meshes that do not state their axes and unit.

use super::document::Section;
use super::error::ScenarioError;
use super::keys;
use crate::formats::import::{MeshOptions, Unit};

/// The `up` and `unit` of `[scene]` and `[[building]]`.
pub(super) fn mesh_options(section: &Section<'_>) -> Result<MeshOptions, ScenarioError> {
    Ok(MeshOptions {
        up: section.choice("up", &keys::UP_NAMES)?,
        unit: section.choice("unit", &Unit::NAMES)?,
    })
}
