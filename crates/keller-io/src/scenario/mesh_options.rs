//! What a scenario says of meshes that do not say it themselves.

use super::document::Section;
use super::error::ScenarioError;
use crate::formats::import::{MeshOptions, Unit, Up};

/// `up` and `unit` of `[scene]` and `[[building]]`.
pub(super) fn mesh_options(section: &Section<'_>) -> Result<MeshOptions, ScenarioError> {
    Ok(MeshOptions {
        up: section.choice("up", &[("y", Up::Y), ("z", Up::Z)])?,
        unit: section.choice("unit", &Unit::NAMES)?,
    })
}
