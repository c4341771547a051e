//! `[[opening]]`: windows and doors in the upright walls of a scene.

use std::path::{Path, PathBuf};

use keller::scene::openings::Openings;
use toml::de::DeTable;

use super::document::{Section, Source};
use super::error::ScenarioError;
use super::invalid::invalid;
use super::keys;

/// The smallest width and height of an opening, metres: its sides are farther apart than vertices that are merged.
const MIN_SIZE: f64 = 0.01;

/// One `[[opening]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioOpening {
    /// The materials of the walls that get openings, `walls`. Empty: all.
    pub walls: Vec<String>,
    /// The names of `[[building]]` or of objects of the scene files, `buildings`. Empty: all.
    pub buildings: Vec<String>,
    /// The `material` of the panes. Absent: the openings are empty.
    pub material: Option<String>,
    /// The values of `width`, `height`, `sill`, `spacing`, `storey`, `margin`.
    pub openings: Openings,
    /// The scenario that defines it.
    pub file: PathBuf,
    /// The line of the scenario that defines it.
    pub line: usize,
    /// Its number among the openings of the scenario.
    pub index: usize,
}

impl ScenarioOpening {
    /// Reads the openings of a text that has only sections of the scene; `file` is its origin.
    ///
    /// # Errors
    /// [`ScenarioError`] for anything that is not accepted.
    pub fn parse(text: &str, file: &Path) -> Result<Vec<Self>, ScenarioError> {
        let source = Source::new(file, text);
        let table = DeTable::parse(text).map_err(|error| invalid(&source, text, &error))?;
        read(&Section::top(&source, table.get_ref(), keys::TOP)?)
    }

    /// The name in messages.
    pub fn label(&self) -> String {
        format!("[[opening]] {}", self.index)
    }

    /// Everything about it that shapes the scene, in words: a scene cache fits only the same.
    pub fn digest(&self) -> String {
        let Self {
            walls,
            buildings,
            material,
            openings,
            ..
        } = self;
        format!("{walls:?} {buildings:?} {material:?} {openings:?}")
    }
}

/// Reads all of `[[opening]]`.
pub(super) fn read(top: &Section<'_>) -> Result<Vec<ScenarioOpening>, ScenarioError> {
    let sections = top.sections("opening")?;
    let sections = sections.iter().enumerate();
    sections.map(|(i, section)| read_one(i, section)).collect()
}

fn read_one(index: usize, section: &Section<'_>) -> Result<ScenarioOpening, ScenarioError> {
    let walls = names(section, "walls")?;
    let buildings = names(section, "buildings")?;
    if walls.is_empty() && buildings.is_empty() {
        return Err(section.missing("walls"));
    }
    let is_open = section.flag("open")?.unwrap_or(false);
    let material = section.text("material")?.map(str::to_owned);
    match (&material, is_open) {
        (None, false) => return Err(section.missing("material")),
        (Some(_), true) => {
            return Err(section.problem("open", "cannot stand beside `material`: give one of them"));
        }
        _ => {}
    }
    let needed = |key: &str| {
        let number = section.number(key)?;
        number.ok_or_else(|| section.missing(key))
    };
    let width = needed("width")?;
    let height = needed("height")?;
    let spacing = needed("spacing")?;
    if spacing < width + MIN_SIZE {
        let problem = format!("found {spacing}, and openings are {width} m wide");
        return Err(section.refuse("spacing", problem));
    }
    let storey = section.number("storey")?;
    if let Some(storey) = storey.filter(|storey| *storey < height + MIN_SIZE) {
        let problem = format!("found {storey}, and openings are {height} m high");
        return Err(section.refuse("storey", problem));
    }
    Ok(ScenarioOpening {
        walls,
        buildings,
        material,
        openings: Openings {
            width,
            height,
            sill: section.number("sill")?.unwrap_or(0.0),
            spacing,
            storey,
            margin: section.number("margin")?.unwrap_or(0.3),
        },
        file: section.source.file.to_owned(),
        line: section.line.unwrap_or(1),
        index,
    })
}

/// One name or a list of names; empty if the key is absent.
fn names(section: &Section<'_>, key: &str) -> Result<Vec<String>, ScenarioError> {
    if !section.has(key) {
        return Ok(Vec::new());
    }
    let names = if section.is_text(key) {
        section.text(key)?.into_iter().collect()
    } else {
        section.texts(key)?.unwrap_or_default()
    };
    if names.is_empty() {
        return Err(section.refuse(key, "found an empty list"));
    }
    Ok(names.into_iter().map(str::to_owned).collect())
}
