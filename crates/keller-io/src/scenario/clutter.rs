//! `[[clutter]]`: vegetation and the like as upright prisms.

use keller::clutter::Volume;

use super::document::Section;
use super::error::ScenarioError;

/// One `[[clutter]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioClutter {
    /// The `name`, for messages.
    pub name: Option<String>,
    /// The `polygon` of its outline, x and y, metres.
    pub outline: Vec<[f64; 2]>,
    /// The `base`: z of its foot, metres; absent: the lowest place of the scene.
    pub base: Option<f64>,
    /// The `height` above the foot, metres.
    pub height: f64,
    /// The value of `attenuation_db_per_m`.
    pub attenuation_db_per_m: f64,
    /// The value of `max_attenuation_db`.
    pub max_attenuation_db: Option<f64>,
    /// The line that defines it.
    pub line: usize,
}

impl ScenarioClutter {
    /// The volume in a scene whose lowest place is at `lowest`, metres.
    ///
    /// # Errors
    /// [`keller::Error::VertexPosition`] if that takes it too far from the origin.
    pub fn volume(&self, lowest: f64) -> Result<Volume, keller::Error> {
        let base = self.base.unwrap_or(lowest);
        Volume::prism(
            &self.outline,
            [base, base + self.height],
            self.attenuation_db_per_m,
            self.max_attenuation_db,
        )
    }
}

/// Reads all of `[[clutter]]`.
pub(super) fn read(top: &Section<'_>) -> Result<Vec<ScenarioClutter>, ScenarioError> {
    let sections = top.sections("clutter")?;
    sections.iter().map(read_one).collect()
}

fn read_one(section: &Section<'_>) -> Result<ScenarioClutter, ScenarioError> {
    let missing = |key| section.missing(key);
    let clutter = ScenarioClutter {
        name: section.text("name")?.map(str::to_owned),
        outline: section
            .vectors("polygon")?
            .ok_or_else(|| missing("polygon"))?,
        base: section.number("base")?,
        height: section.number("height")?.ok_or_else(|| missing("height"))?,
        attenuation_db_per_m: section
            .number("attenuation_db_per_m")?
            .ok_or_else(|| missing("attenuation_db_per_m"))?,
        max_attenuation_db: section.number("max_attenuation_db")?,
        line: section.line.unwrap_or(1),
    };
    match clutter.volume(0.0) {
        Ok(_) => Ok(clutter),
        Err(problem) => Err(section.refuse("polygon", problem.to_string())),
    }
}
