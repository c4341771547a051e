//! `[scene]`: the files that make up the scene, and the properties that they do not state.

use std::path::{Component, Path, PathBuf};

use keller::materials::ItuEdition;

use super::building::{self, ScenarioBuilding};
use super::document::Section;
use super::error::ScenarioError;
use super::mesh_options::mesh_options;
use super::opening::{self, ScenarioOpening};
use crate::formats::import::MeshOptions;

/// The settings of `[scene]`: the files that make up the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneSettings {
    /// The files, at least one, each found from the folder of the scenario.
    pub files: Vec<PathBuf>,
    /// The material of surfaces without a known one.
    pub default_material: Option<String>,
    /// The thickness of walls that state none, metres. Absent: half spaces.
    pub default_thickness: Option<f64>,
    /// The axes and units of meshes that do not state them.
    pub meshes: MeshOptions,
    /// The treatment of materials of ITU-R P.2040 below their frequency range.
    pub itu_below_range: OutOfRange,
    /// The edition of ITU-R P.2040 whose materials and frequencies count.
    pub itu_edition: ItuEdition,
    /// The file in which the scene is kept from run to run.
    pub cache: Option<PathBuf>,
    /// The models of `[[building]]` that replace buildings of the files.
    pub buildings: Vec<ScenarioBuilding>,
    /// The windows and doors of `[[opening]]` in walls of the files and of buildings.
    pub openings: Vec<ScenarioOpening>,
    /// The angle `terrain_wedge_deg` between facets of terrain below which their edge is no wedge, degrees. Absent: the
    /// same as for all edges.
    pub terrain_wedge_deg: Option<f64>,
    /// The largest distance `terrain_error_m` in height of simplified terrain from the given facets, metres. Absent:
    /// the terrain stays as it is.
    pub terrain_error_m: Option<f64>,
}

/// The treatment of a material at frequencies for which its source states nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutOfRange {
    /// The values are extrapolated, with a warning.
    #[default]
    Warn,
    /// The values are extrapolated.
    Allow,
    /// The scenario is refused.
    Forbid,
}

impl OutOfRange {
    /// Every choice, by the name that a scenario uses.
    const NAMES: [(&'static str, Self); 3] = [
        ("warn", Self::Warn),
        ("allow", Self::Allow),
        ("forbid", Self::Forbid),
    ];
}

/// Reads the section of a scenario; one without scene files only if it needs none.
pub(super) fn read(
    top: &Section<'_>,
    folder: &Path,
    has_scene: bool,
) -> Result<SceneSettings, ScenarioError> {
    let section = top.section("scene")?.ok_or_else(|| top.missing("scene"))?;
    let (key, names) = match (section.text("file")?, section.texts("files")?) {
        (Some(name), None) => ("file", vec![name]),
        (None, Some(names)) if names.is_empty() => {
            return Err(section.refuse("files", "found none"));
        }
        (None, Some(names)) => ("files", names),
        (None, None) if has_scene => ("files", Vec::new()),
        (None, None) => return Err(section.missing("file")),
        (Some(_), Some(_)) => {
            return Err(section.problem("files", "cannot stand beside `file`: give one of them"));
        }
    };
    let files: Vec<PathBuf> = names.into_iter().map(|name| folder.join(name)).collect();
    let absent = |file: &PathBuf| Some((file.clone(), keller_geo::input::why_no_file(file)?));
    if let Some((absent, problem)) = files.iter().find_map(absent) {
        let how = how_made(&absent).unwrap_or_default();
        return Err(section.refuse(key, problem + &how));
    }
    Ok(SceneSettings {
        files,
        default_material: section.text("default_material")?.map(str::to_owned),
        default_thickness: section.number("default_thickness")?,
        meshes: mesh_options(&section)?,
        itu_below_range: section
            .choice("itu_below_range", &OutOfRange::NAMES)?
            .unwrap_or_default(),
        itu_edition: section
            .choice("itu_edition", &ItuEdition::NAMES)?
            .unwrap_or_default(),
        cache: cache(&section, folder)?,
        buildings: building::read(top, folder)?,
        openings: opening::read(top)?,
        terrain_wedge_deg: section.number("terrain_wedge_deg")?,
        terrain_error_m: section.number("terrain_error_m")?,
    })
}

/// The file of `[scene] cache`: in the folder of the scenario or one below, under a name that nothing else has. So a
/// scenario of somebody else writes nowhere else.
fn cache(section: &Section<'_>, folder: &Path) -> Result<Option<PathBuf>, ScenarioError> {
    let Some(name) = section.text("cache")? else {
        return Ok(None);
    };
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(part) => !part.as_encoded_bytes().starts_with(b"."),
        _ => false,
    };
    let is_plain = Path::new(name).components().all(is_plain);
    let has_ending = Path::new(name).extension() == Some("keller".as_ref());
    let file = folder.join(name);
    let root = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    // A link may lead out of the folder.
    let leads_away = match (file.parent().map(Path::canonicalize), root.canonicalize()) {
        (Some(Ok(parent)), Ok(root)) => !parent.starts_with(root),
        _ => false,
    };
    if !is_plain || !has_ending || leads_away {
        return Err(section.refuse("cache", format!("found {name:?}")));
    }
    Ok(Some(file))
}

/// The command that would make a scene file out of the maps in its folder, if there are any.
fn how_made(scene: &Path) -> Option<String> {
    const MAPS: [&str; 8] = ["geojson", "osm", "pbf", "shp", "jsonl", "tif", "asc", "hgt"];
    let is_glb = scene
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("glb"));
    let folder = scene.parent().filter(|_| is_glb)?;
    let listed = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let mut maps: Vec<String> = std::fs::read_dir(listed)
        .ok()?
        .filter_map(|entry| Some(folder.join(entry.ok()?.file_name())))
        .filter(|file| {
            let extension = file.extension().unwrap_or_default();
            MAPS.iter().any(|map| extension.eq_ignore_ascii_case(map))
        })
        .map(|file| file.display().to_string())
        .collect();
    maps.sort();
    (!maps.is_empty()).then(|| {
        format!(
            "; from the maps beside it `keller import {} -o {}` makes it",
            maps.join(" "),
            scene.display()
        )
    })
}
