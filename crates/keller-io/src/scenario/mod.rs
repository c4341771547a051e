//! A scenario: the TOML file that describes a simulation, read into checked, plain values.
//!
//! Every key is in the table of `keys.rs`. Every fault is one [`ScenarioError`] with file, line, key, what was found
//! and what is accepted; nothing is ignored, so a misspelt key cannot change a result silently.

mod antennas;
mod background;
mod beams;
mod building;
mod calibrate;
mod calibrated;
mod channel;
mod clutter;
mod coverage;
mod delay_profiles;
mod devices;
mod diffuse;
mod document;
mod error;
mod invalid;
mod key_types;
mod keys;
mod materials;
mod measured_columns;
mod measured_ranges;
mod measurements;
mod mesh_options;
mod npz_rows;
mod opening;
mod parquet_rows;
mod path_settings;
mod place_columns;
mod positions;
mod python_types;
mod receivers;
mod reference;
mod rx_file;
mod scene_section;
mod schema;
mod site;
mod streets;
mod tiles;
mod tx;
mod tx_file;
mod tx_sections;
mod variants;

pub use building::{BuildingGround, BuildingReplaces, ScenarioBuilding};
pub use calibrate::{CalibrateRange, CalibrateSettings, Changing};
pub use calibrated::{CalibratedMaterial, CalibratedScenario};
pub use channel::{ChannelSettings, Dispersion, Moving};
pub use clutter::ScenarioClutter;
pub use coverage::{CellSettings, CoverageSettings, HeightAbove, SurfaceSettings};
pub use delay_profiles::{DelayProfiles, ProfileIndex};
pub use diffuse::DiffuseSettings;
pub use error::ScenarioError;
pub use keys::{EFFORT_NAMES, OFFSET_NAMES, RENAMED};
pub use materials::ScenarioMaterial;
pub use measurements::{Measured, Measurements};
pub use opening::ScenarioOpening;
pub use path_settings::{PathSettings, SearchChoice};
pub use positions::{LeftOut, NoPlace, Positions};
pub use python_types::python_types;
pub use receivers::{Receivers, Rx, RxGroup};
pub use reference::{all_keys, reference};
pub use scene_section::{OutOfRange, SceneSettings};
pub use schema::schema;
pub use site::{Coordinates, Height, Horizontal, Site};
pub use tiles::TileSettings;
pub use tx::ScenarioTx;
pub use variants::Variants;

use std::path::{Path, PathBuf};

use keller::Frequency;
use keller::calibration::Background;
use toml::de::DeTable;

use crate::formats::Warning;

use antennas::Antennas;
use document::{Section, Source};

/// The description of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The file it was read from.
    pub file: PathBuf,
    /// Its text, as it was: results carry it, so that they say how they were made.
    pub text: String,
    /// The number of the variant of `[variants]`, if it is one.
    pub variant: Option<usize>,
    /// The carrier frequency, `frequency_hz`.
    pub frequency: Frequency,
    /// The settings of `[scene]`.
    pub scene: SceneSettings,
    /// The materials of `[materials]`, in the order of the file.
    pub materials: Vec<ScenarioMaterial>,
    /// The transmitters of `[[tx]]`, at least one.
    pub tx: Vec<ScenarioTx>,
    /// The receivers of `[[rx]]`, at least one unless there is a `[coverage]`.
    pub receivers: Receivers,
    /// The settings of `[paths]`.
    pub paths: PathSettings,
    /// The files that antenna patterns came from.
    pub pattern_files: Vec<PathBuf>,
    /// The parts that look wrong but do not keep the scenario from being used.
    pub warnings: Vec<Warning>,
    /// The settings of `[channel]`.
    pub channel: ChannelSettings,
    /// The settings of `[coverage]`, if there is one.
    pub coverage: Option<CoverageSettings>,
    /// The settings of `[beams]`.
    pub beams: keller::coverage::beams::Settings,
    /// The settings of `[streets]`.
    pub streets: keller::models::Streets,
    /// The settings of `[tiles]`.
    pub tiles: TileSettings,
    /// The volumes of `[[clutter]]`.
    pub clutter: Vec<ScenarioClutter>,
    /// The moving objects of `[[moving]]`.
    pub moving: Vec<Moving>,
    /// The settings of `[diffuse]`, if it is there and on.
    pub diffuse: Option<DiffuseSettings>,
    /// The settings of `[background]`, if it is there and on.
    pub background: Option<Background>,
    /// The settings of `[calibrate]`, if it is there.
    pub calibrate: Option<CalibrateSettings>,
}

/// The largest size of a scenario, whose text results carry, bytes. A hundred thousand sections have some ten million.
const MAX_BYTES: u64 = 1 << 28;

/// The parts that a scenario must have.
#[derive(Debug, Clone, Copy)]
struct Needs {
    /// A scene file.
    scene: bool,
    /// An `[[rx]]`, unless there is a `[coverage]`.
    rx: bool,
}

impl Default for Needs {
    fn default() -> Self {
        Self {
            scene: true,
            rx: true,
        }
    }
}

impl Scenario {
    /// Reads the scenario in `file`, or with `FILE#N` its variant number N of `[variants]`. Files it names are found
    /// from its own folder; receiver and pattern files are read, scene files are not.
    ///
    /// # Errors
    /// [`ScenarioError`] for a file that cannot be read or says anything that is not accepted, and for a scenario with
    /// `[variants]` without the number of a variant.
    pub fn load(file: &Path) -> Result<Self, ScenarioError> {
        Self::load_as(file, Needs::default())
    }

    fn load_as(file: &Path, needs: Needs) -> Result<Self, ScenarioError> {
        let (file, variant) = variant_of(file);
        let text = read_text(&file)?;
        let fail = |problem| Err(ScenarioError::new(&file, None, "", problem));
        let text = match (Variants::of(&text, &file)?, variant) {
            (None, None) => text,
            (None, Some(number)) => {
                // Any other fault is reported first, such as an old name of the section.
                Self::parse_as(&text, &file, needs)?;
                return fail(format!(
                    "found #{number}; accepted: the file alone, because it has no [variants]"
                ));
            }
            (Some(variants), Some(number)) if number < variants.count() => variants.text(number)?,
            (Some(variants), _) => {
                let (name, last) = (file.display(), variants.count() - 1);
                return fail(format!(
                    "[variants] makes {} variants of it; accepted: one of them, '{name}#0' to '{name}#{last}', or `keller batch plan` for all",
                    variants.count()
                ));
            }
        };
        let read = Self::parse_as(&text, &file, needs);
        let scenario = match variant {
            Some(number) => read.map_err(|error| error.of_variant(&file, number))?,
            None => read?,
        };
        Ok(Self {
            variant,
            ..scenario
        })
    }

    /// Reads the variants of the scenario in `file`; `None` without `[variants]`.
    ///
    /// # Errors
    /// [`ScenarioError`]
    pub fn variants(file: &Path) -> Result<Option<Variants>, ScenarioError> {
        Variants::of(&read_text(file)?, file)
    }

    /// Reads the scenario that `text` describes; `file` is its origin.
    ///
    /// # Errors
    /// [`ScenarioError`] for anything that is not accepted.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ScenarioError> {
        Self::parse_as(text, file, Needs::default())
    }

    /// Reads the scenario in `file`, whose receivers come from elsewhere: it needs no `[[rx]]`.
    ///
    /// # Errors
    /// The errors of [`Self::load`].
    pub fn load_without_rx(file: &Path) -> Result<Self, ScenarioError> {
        let needs = Needs {
            rx: false,
            ..Needs::default()
        };
        Self::load_as(file, needs)
    }

    /// Reads the scenario that `text` describes, for a scene that is built already: `[scene]` may name no file.
    ///
    /// # Errors
    /// The errors of [`Self::parse`].
    pub fn parse_for_scene(text: &str, file: &Path) -> Result<Self, ScenarioError> {
        let needs = Needs {
            scene: false,
            ..Needs::default()
        };
        Self::parse_as(text, file, needs)
    }

    fn parse_as(text: &str, file: &Path, needs: Needs) -> Result<Self, ScenarioError> {
        let source = Source::new(file, text);
        let table =
            DeTable::parse(text).map_err(|error| invalid::invalid(&source, text, &error))?;
        let top = Section::top(&source, table.get_ref(), keys::TOP)?;
        if table.get_ref().contains_key("variants") {
            let problem =
                "accepted in the file of a scenario alone, whose variants are run one by one";
            return Err(top.problem("variants", problem));
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        let frequency = frequency(&top)?;
        let antennas = Antennas::new(folder, frequency);
        let coverage = coverage::read(&top)?;
        let has_beams = coverage.as_ref().is_some_and(CoverageSettings::has_beams);
        let is_of_surfaces = matches!(coverage, Some(CoverageSettings::Surfaces(_)));
        let (tx, mut warnings) = tx_sections::read(&top, folder, &antennas)?;
        let (receivers, of_receivers) = receivers::read(&top, folder, &antennas, needs.rx)?;
        warnings.extend(of_receivers);
        let pattern_files = antennas.file_names();
        warnings.extend(antennas.warnings());
        Ok(Self {
            frequency,
            scene: scene_section::read(&top, folder, !needs.scene)?,
            materials: materials::read(&top)?,
            tx,
            receivers,
            paths: path_settings::read(&top, is_of_surfaces)?,
            pattern_files,
            warnings,
            channel: channel::read(&top, frequency)?,
            beams: beams::read(&top)?,
            streets: streets::read(&top)?,
            tiles: tiles::read(&top, folder)?,
            coverage,
            clutter: clutter::read(&top)?,
            moving: channel::read_moving(&top)?,
            diffuse: diffuse::read(&top)?,
            background: background::read(&top)?,
            calibrate: calibrate::read(&top, has_beams)?,
            file: file.to_owned(),
            text: text.to_owned(),
            variant: None,
        })
    }
}

/// The name of a scenario's file, and the number of the variant that follows `#`.
fn variant_of(file: &Path) -> (PathBuf, Option<usize>) {
    let name = file.file_name().and_then(|name| name.to_str());
    let split = name.and_then(|name| name.rsplit_once('#'));
    let numbered = split.and_then(|(name, number)| Some((name, number.parse().ok()?)));
    match numbered {
        // A file may have such a name itself.
        Some((name, number)) if !file.exists() => (file.with_file_name(name), Some(number)),
        _ => (file.to_owned(), None),
    }
}

fn read_text(file: &Path) -> Result<String, ScenarioError> {
    let fail = |problem: String| ScenarioError::new(file, None, "", problem);
    let bytes = keller_geo::input::read_at_most(file, MAX_BYTES);
    let bytes = bytes.map_err(|error| fail(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let line =
            Source::new(file, &String::from_utf8_lossy(&error.as_bytes()[..place])).line(place);
        ScenarioError::new(
            file,
            Some(line),
            "",
            "this is not UTF-8; accepted: TOML in UTF-8",
        )
    })
}

impl Scenario {
    /// Every file that the scenario is read from or names, itself first. Files to which its scene files refer are in
    /// [`Imported::sources`](crate::formats::Imported::sources).
    pub fn inputs(&self) -> Vec<&Path> {
        let receivers = self.receivers.groups.iter().map(|group| &group.file);
        let models = self.scene.buildings.iter().map(|building| &building.model);
        let named = self.scene.files.iter().chain(models).chain(receivers);
        let named = named.chain(self.tx.iter().map(|tx| &tx.file));
        let named = named
            .chain(&self.pattern_files)
            .chain(&self.tiles.visibility)
            .chain(&self.scene.cache);
        let mut all: Vec<&Path> = vec![&self.file];
        for file in named {
            if !all.contains(&file.as_path()) {
                all.push(file);
            }
        }
        all
    }
}

fn frequency(top: &Section<'_>) -> Result<Frequency, ScenarioError> {
    // A number in GHz or MHz is more likely than one in Hz.
    let too_low = top.number_found("frequency_hz");
    if let Some(hz) = too_low.filter(|hz| *hz > 0.0 && *hz < keys::MIN_HZ) {
        // A larger number in GHz is a band that nobody uses.
        let likely = hz * if hz <= 1000.0 / 3.0 { 1e9 } else { 1e6 };
        let problem = format!("found {hz}, did you mean {likely:e}?");
        return Err(top.refuse("frequency_hz", problem));
    }
    let hz = top
        .number("frequency_hz")?
        .ok_or_else(|| top.missing("frequency_hz"))?;
    Frequency::from_hz(hz).map_err(|error| top.problem("frequency_hz", error.to_string()))
}

#[cfg(test)]
mod tests;
