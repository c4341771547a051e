//! `[[building]]`: a model with rooms that takes the place of a building of the scene files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use glam::DVec2;
use keller::DVec3;
use keller::scene::building::Placement;
use keller_geo::crs::{Frame, Georeference};
use keller_geo::input;
use keller_geo::shown::shown;
use toml::de::DeTable;

use super::document::{Section, Source};
use super::error::ScenarioError;
use super::invalid::invalid;
use super::keys;
use super::mesh_options::mesh_options;
use super::positions::{Surroundings, Unplaced};
use super::site::{self, Site};
use crate::formats::import::MeshOptions;

/// One `[[building]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioBuilding {
    /// The `name`, or the stem of the model's file.
    pub name: String,
    /// The `file` of the model, found from the folder of the scenario.
    pub model: PathBuf,
    /// The `up` axis and the `unit`.
    pub meshes: MeshOptions,
    /// The place of the model's (0, 0, 0). Absent: the place that its file states.
    pub site: Option<Site>,
    /// The angle `rotation_deg` in radians, anticlockwise about z.
    pub rotation: f64,
    /// The buildings that `replaces` names.
    pub replaces: BuildingReplaces,
    /// The materials and objects of the model that `leave_out` names.
    pub leave_out: Vec<String>,
    /// The scenario that defines it.
    pub file: PathBuf,
    /// The line of the scenario that defines it.
    pub line: usize,
    /// Its number among the buildings of the scenario.
    pub index: usize,
}

/// The values of `replaces` of a `[[building]]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum BuildingReplaces {
    /// The buildings of the scene files whose footprint overlaps the model's.
    #[default]
    Overlap,
    /// No building.
    Nothing,
    /// The buildings at these points of the scene, metres.
    Places(Vec<[f64; 2]>),
    /// The buildings at these longitudes and latitudes on WGS 84, degrees.
    LonLat(Vec<[f64; 2]>),
    /// Objects of the scene files, by name.
    Objects(Vec<String>),
}

/// The surroundings in which buildings are placed.
#[derive(Debug, Clone, Copy)]
pub struct BuildingGround<'a> {
    /// The scene files, for messages.
    pub files: &'a [PathBuf],
    /// The place of the scene on earth.
    pub georeference: Option<&'a Georeference>,
    /// Minimum and maximum coordinates of the scene, metres.
    pub bounds: [DVec3; 2],
}

impl ScenarioBuilding {
    /// Reads the buildings of a text that has nothing but `[[building]]`; `file` is its origin.
    ///
    /// # Errors
    /// [`ScenarioError`] for anything that is not accepted.
    pub fn parse(text: &str, file: &Path) -> Result<Vec<Self>, ScenarioError> {
        let source = Source::new(file, text);
        let table = DeTable::parse(text).map_err(|error| invalid(&source, text, &error))?;
        let top = Section::top(&source, table.get_ref(), keys::TOP)?;
        read(&top, file.parent().unwrap_or(Path::new("")))
    }

    /// The placement of the model in a scene whose ground at x and y has the height `ground`, metres. `own` is the
    /// place on earth that the model's file states.
    ///
    /// # Errors
    /// [`ScenarioError`] for a building without a place, and for the places that
    /// [`positions`](super::Scenario::positions) refuses for devices.
    pub fn placement(
        &self,
        scene: BuildingGround<'_>,
        ground: &(dyn Fn(DVec2) -> Option<f64> + Sync),
        own: Option<&Georeference>,
    ) -> Result<Placement, ScenarioError> {
        let Some(site) = self.site else {
            return self.stated_placement(scene, own);
        };
        let origin = self.surroundings(scene, ground)?.position(site);
        Ok(Placement {
            origin: origin.map_err(|Unplaced { key, problem }| self.error(key, problem))?,
            rotation: self.rotation,
        })
    }

    /// The positions in a scene of the points of [`BuildingReplaces::LonLat`], x and y in metres.
    ///
    /// # Errors
    /// [`ScenarioError`] for a scene that does not state its place on earth, and for points more than 100 km away from
    /// it.
    pub fn replaced_places(
        &self,
        scene: BuildingGround<'_>,
        lon_lat: &[[f64; 2]],
    ) -> Result<Vec<DVec2>, ScenarioError> {
        let surroundings = self.surroundings(scene, &|_| None)?;
        let places = lon_lat.iter().enumerate().map(|(number, at)| {
            let place = surroundings.local(DVec2::from(*at));
            place.map_err(|Unplaced { key, problem }| {
                self.error(&format!("replaces {number} {key}"), problem)
            })
        });
        places.collect()
    }

    fn surroundings<'a>(
        &self,
        scene: BuildingGround<'a>,
        ground: &'a (dyn Fn(DVec2) -> Option<f64> + Sync),
    ) -> Result<Surroundings<'a>, ScenarioError> {
        let frame = scene.georeference.map(Frame::new).transpose();
        Ok(Surroundings {
            files: scene.files,
            bounds: scene.bounds,
            ground,
            frame: frame.map_err(|error| self.error("", error.to_string()))?,
        })
    }

    /// The placement that the model's file states.
    fn stated_placement(
        &self,
        scene: BuildingGround<'_>,
        own: Option<&Georeference>,
    ) -> Result<Placement, ScenarioError> {
        let (Some(city), Some(own)) = (scene.georeference, own) else {
            let accepted = keys::find(keys::BUILDING, "position").accepted();
            let who = match own {
                None => "the model's file does not",
                Some(_) => "the scene files do not",
            };
            let problem =
                format!("missing, and {who} say where on earth it lies; accepted: {accepted}");
            return Err(self.error("position", problem));
        };
        if city.crs != own.crs {
            let problem = format!(
                "missing, and the model's file is in {}, the scene files in {}; accepted: a place in the scene",
                own.crs, city.crs
            );
            return Err(self.error("position", problem));
        }
        Ok(Placement {
            origin: DVec3::from(own.origin) - DVec3::from(city.origin),
            rotation: self.rotation,
        })
    }

    /// An error about a key of this section.
    pub fn error(&self, key: &str, problem: impl Into<String>) -> ScenarioError {
        let key = format!("[[building]] {} {key}", self.index);
        ScenarioError::new(&self.file, Some(self.line), key.trim_end(), problem)
    }

    /// Everything about it that shapes the scene, in words: a scene cache fits only the same.
    pub fn digest(&self) -> String {
        let Self {
            name,
            model,
            meshes,
            site,
            rotation,
            replaces,
            leave_out,
            ..
        } = self;
        let model = model.display();
        format!("{name:?} `{model}` {meshes:?} {site:?} {rotation:?} {replaces:?} {leave_out:?}")
    }
}

/// Reads all of `[[building]]`.
pub(super) fn read(
    top: &Section<'_>,
    folder: &Path,
) -> Result<Vec<ScenarioBuilding>, ScenarioError> {
    let sections = top.sections("building")?;
    let mut buildings: Vec<ScenarioBuilding> = Vec::with_capacity(sections.len());
    let mut names = HashSet::with_capacity(sections.len());
    for (index, section) in sections.iter().enumerate() {
        let building = read_one(index, section, folder)?;
        if !names.insert(building.name.clone()) {
            let problem = format!(
                "there is a building called `{}` before",
                shown(&building.name)
            );
            return Err(section.refuse("name", problem));
        }
        buildings.push(building);
    }
    Ok(buildings)
}

fn read_one(
    index: usize,
    section: &Section<'_>,
    folder: &Path,
) -> Result<ScenarioBuilding, ScenarioError> {
    let named = section
        .text("file")?
        .ok_or_else(|| section.missing("file"))?;
    let model = folder.join(named);
    if let Some(problem) = input::why_no_file(&model) {
        return Err(section.refuse("file", problem));
    }
    let stem = model.file_stem().unwrap_or_default().to_string_lossy();
    Ok(ScenarioBuilding {
        name: section.text("name")?.unwrap_or(&stem).to_owned(),
        meshes: mesh_options(section)?,
        site: site::read(section)?,
        rotation: section.number("rotation_deg")?.unwrap_or(0.0).to_radians(),
        replaces: replaces(section)?,
        leave_out: leave_out(section)?,
        file: section.source.file.to_owned(),
        line: section.line.unwrap_or(1),
        index,
        model,
    })
}

fn replaces(section: &Section<'_>) -> Result<BuildingReplaces, ScenarioError> {
    /// The key.
    const KEY: &str = "replaces";
    if !section.has(KEY) {
        return Ok(BuildingReplaces::default());
    }
    if section.is_text(KEY) {
        let choices = [
            ("overlap", BuildingReplaces::Overlap),
            ("nothing", BuildingReplaces::Nothing),
        ];
        return Ok(section.choice(KEY, &choices)?.unwrap_or_default());
    }
    if let Ok(Some(names)) = section.texts(KEY) {
        if names.is_empty() {
            return Err(section.refuse(KEY, "found an empty list"));
        }
        let names = names.into_iter().map(str::to_owned);
        return Ok(BuildingReplaces::Objects(names.collect()));
    }
    if let Ok(Some(places)) = section.vectors(KEY) {
        return Ok(BuildingReplaces::Places(places));
    }
    let places = section.sections(KEY)?;
    let places = places.iter().map(|place| {
        let at = site::lon_lat(place)?;
        at.ok_or_else(|| place.missing("longitude"))
    });
    Ok(BuildingReplaces::LonLat(places.collect::<Result<_, _>>()?))
}

fn leave_out(section: &Section<'_>) -> Result<Vec<String>, ScenarioError> {
    let names = section.texts("leave_out")?.unwrap_or_default();
    Ok(names.into_iter().map(str::to_owned).collect())
}
