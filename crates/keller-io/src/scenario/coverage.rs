//! `[coverage]` and `[[coverage]]`: the places of the cells of coverages, and the results that are computed in them.

use glam::{DVec2, DVec3};
use keller::coverage::{Engine, Levels, Region};
use keller::models::Model;
use keller::scene::Scene;
use keller_geo::shown::shown;

use super::document::Section;
use super::error::ScenarioError;
use super::keys;
use super::site::check_lon_lat;

/// The coverage that a scenario's `[coverage]` asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum CoverageSettings {
    /// The field in the cells of these regions, at least one.
    Cells(Vec<CellSettings>),
    /// The field on the surfaces of the scene, by [`keller::coverage::tiles`].
    Surfaces(SurfaceSettings),
}

impl CoverageSettings {
    /// Whether [beams](keller::coverage::beams) fill a region.
    pub fn has_beams(&self) -> bool {
        match self {
            Self::Cells(regions) => regions.iter().any(CellSettings::is_of_beams),
            Self::Surfaces(_) => false,
        }
    }
}

/// The `[coverage]` of surfaces.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceSettings {
    /// The path loss above which nothing is received, dB.
    pub path_loss_limit_db: Option<f64>,
}

/// The reference of the heights of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeightAbove {
    /// The scene's zero.
    Sea,
    /// The ground of each cell.
    Ground,
    /// Every floor of a building.
    Floors,
}

/// A region of `[coverage]` or `[[coverage]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSettings {
    /// The name of the region; each of several has another one.
    pub name: Option<String>,
    /// The engine that fills the cells.
    pub engine: Engine,
    /// Whether the scenario leaves that choice to the program, which may still take points if scene and region are
    /// small.
    pub is_engine_auto: bool,
    /// The corner with the smallest coordinates, metres; absent: that of the bounds that [`Self::region`] is given.
    pub min: Option<DVec3>,
    /// The other corner.
    pub max: Option<DVec3>,
    /// West, south, east and north of the region, which replace `min` and `max`, degrees on WGS 84: see
    /// [`super::Scenario::coverage_bounds`].
    pub bounds_deg: Option<[f64; 4]>,
    /// The rotation of the region anticlockwise about its corner `min`, radians.
    pub rotation: f64,
    /// The sizes of a cell, metres; zero if there are no cells.
    pub resolution: DVec3,
    /// The size of cells for which tubes are split outside the region, metres; absent: that of the coarsest region.
    pub surroundings_resolution: Option<f64>,
    /// The heights of planes, which replace a volume, metres.
    pub heights: Option<Vec<f64>>,
    /// The reference of heights, if the scenario states it: see [`Self::height_above`].
    pub height_above: Option<HeightAbove>,
    /// The name of the `[[building]]` in which the region lies: corners count in its own axes.
    pub building: Option<String>,
    /// The noise in the band of a receiver, dBm; absent: no signal to interference and noise is given.
    pub noise_dbm: Option<f64>,
    /// The path loss above which nothing is received, dB.
    pub path_loss_limit_db: Option<f64>,
    /// Whether files hold the gains of every Tx, or only the power that cells receive from all.
    pub per_tx: bool,
    /// Whether files hold the combined properties of the paths of every Tx to every cell.
    pub multipath: bool,
    /// The line of `[coverage]`.
    pub line: usize,
}

impl CellSettings {
    /// Whether [beams](keller::coverage::beams) fill the region.
    pub fn is_of_beams(&self) -> bool {
        matches!(self.engine, Engine::Beams { .. })
    }

    /// The reference of heights in a scene. The default is the floors in a building, the ground over a terrain, and the
    /// scene's zero elsewhere.
    pub fn height_above(&self, scene: &Scene) -> HeightAbove {
        let absent = || {
            if self.building.is_some() {
                HeightAbove::Floors
            } else if scene.num_terrains() > 0 {
                HeightAbove::Ground
            } else {
                HeightAbove::Sea
            }
        };
        self.height_above.unwrap_or_else(absent)
    }

    /// The cells of a region of a scene outside buildings, where [`super::Scenario::coverage_bounds`] are `bounds`.
    ///
    /// # Errors
    /// [`keller::Error::Region`]
    pub fn region(&self, scene: &Scene, bounds: [DVec3; 2]) -> Result<Region, keller::Error> {
        let [low, high] = bounds;
        let (min, max) = (self.min.unwrap_or(low), self.max.unwrap_or(high));
        let region = match &self.heights {
            None => Region::volume(min, max, self.resolution)?,
            Some(heights) => Region::planes(
                min.truncate(),
                max.truncate(),
                self.resolution.truncate(),
                if self.height_above(scene) == HeightAbove::Ground {
                    Levels::AboveGround(heights.clone())
                } else {
                    Levels::AboveSea(heights.clone())
                },
            )?,
        };
        // A rotation by zero is left out, to the last bit.
        Ok(if self.rotation == 0.0 {
            region
        } else {
            region.turned(self.rotation)
        })
    }
}

/// An engine, without its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Auto,
    Points,
    Tubes,
    Beams,
    Model,
    Surfaces,
}

/// Reads the `[coverage]` of surfaces, which has none of the keys of cells.
fn read_surfaces(section: &Section<'_>) -> Result<SurfaceSettings, ScenarioError> {
    const OF_SURFACES: [&str; 2] = ["engine", "path_loss_limit_db"];
    let others = keys::COVERAGE.iter().map(|key| key.name);
    for key in others.filter(|name| !OF_SURFACES.contains(name)) {
        if section.has(key) {
            let problem = "means nothing with the engine \"surfaces\", which fills surfaces and not cells: leave it out; [tiles] says how surfaces are cut";
            return Err(section.problem(key, problem));
        }
    }
    Ok(SurfaceSettings {
        path_loss_limit_db: section.number("path_loss_limit_db")?,
    })
}

/// Reads `[coverage]` or every `[[coverage]]`, if there is one.
pub(super) fn read(top: &Section<'_>) -> Result<Option<CoverageSettings>, ScenarioError> {
    if !top.is_list("coverage") {
        let section = top.section("coverage")?;
        return section.map(|section| read_one(&section, top)).transpose();
    }
    let mut all: Vec<CellSettings> = Vec::new();
    for (number, section) in top.sections("coverage")?.iter().enumerate() {
        let CoverageSettings::Cells(regions) = read_one(section, top)? else {
            let problem = "surfaces have no regions: write [coverage] instead of [[coverage]]";
            return Err(section.problem("engine", problem));
        };
        for mut region in regions {
            let name = region.name.get_or_insert_with(|| (number + 1).to_string());
            if let Some(other) = all.iter().find(|other| other.name.as_ref() == Some(name)) {
                let problem = format!(
                    "the region of line {} is called \"{name}\" too: give each another name",
                    other.line,
                    name = shown(name)
                );
                return Err(section.problem("name", problem));
            }
            all.push(region);
        }
    }
    if all.is_empty() {
        return Err(top.refuse("coverage", "found none"));
    }
    Ok(Some(CoverageSettings::Cells(all)))
}

/// The requested engine, and whether keys that only tubes have ask for them.
fn read_kind(section: &Section<'_>) -> Result<(Kind, bool), ScenarioError> {
    const ENGINES: [(&str, Kind); 6] = [
        ("auto", Kind::Auto),
        ("points", Kind::Points),
        ("tubes", Kind::Tubes),
        ("beams", Kind::Beams),
        ("model", Kind::Model),
        ("surfaces", Kind::Surfaces),
    ];
    let kind = section.choice("engine", &ENGINES)?.unwrap_or(Kind::Auto);
    if section.has("model") && kind != Kind::Model {
        let problem =
            "means something with engine = \"model\" alone: leave it out, or ask for that engine";
        return Err(section.problem("model", problem));
    }
    Ok((kind, section.has("accuracy") || section.has("rooftops")))
}

/// Reads one region, or the surfaces.
fn read_one(section: &Section<'_>, top: &Section<'_>) -> Result<CoverageSettings, ScenarioError> {
    const ABOVE: [(&str, HeightAbove); 3] = [
        ("ground", HeightAbove::Ground),
        ("sea", HeightAbove::Sea),
        ("floors", HeightAbove::Floors),
    ];
    let (kind, is_asked) = read_kind(section)?;
    let engine = match kind {
        Kind::Surfaces => return Ok(CoverageSettings::Surfaces(read_surfaces(section)?)),
        Kind::Beams => read_beams(section)?,
        Kind::Model => read_model(section)?,
        Kind::Tubes => read_engine(section, true)?,
        Kind::Points => read_engine(section, false)?,
        Kind::Auto => {
            let is_tubes = is_asked || suits_tubes(top)?;
            read_engine(section, is_tubes)?
        }
    };
    let has_rooftops = matches!(
        engine,
        Engine::Tubes {
            has_rooftops: true,
            ..
        }
    );
    let heights = section.numbers("heights")?;
    let above = section.choice("height_above", &ABOVE)?;
    if matches!(above, Some(HeightAbove::Ground | HeightAbove::Floors)) && heights.is_none() {
        let problem = "stands without `heights`, so a volume is asked for, and that is over the scene's zero: give heights";
        return Err(section.problem("height_above", problem));
    }
    let building = section.text("building")?;
    if above == Some(HeightAbove::Floors) && building.is_none() {
        let problem = "asks for the floors of a building: name it with `building`";
        return Err(section.problem("height_above", problem));
    }
    for key in ["bounds_deg", "rotation_deg"] {
        if building.is_some() && section.has(key) {
            let problem =
                "stands beside `building`, whose axes the region has: give one of the two";
            return Err(section.problem(key, problem));
        }
    }
    let resolution = match section.numbers("resolution")? {
        None => return Err(section.missing("resolution")),
        Some(r) => match r[..] {
            [all] => DVec3::splat(all),
            [x, y] if heights.is_some() => DVec2::new(x, y).extend(1.0),
            [x, y, z] => DVec3::new(x, y, z),
            _ => return Err(section.refuse("resolution", format!("found {} numbers", r.len()))),
        },
    };
    let is_flat = heights.is_some();
    let corner = |key| match section.numbers(key)? {
        None => Ok(None),
        Some(v) => match v[..] {
            [x, y] if is_flat => Ok(Some(DVec3::new(x, y, 0.0))),
            [x, y, z] => Ok(Some(DVec3::new(x, y, z))),
            _ => Err(section.refuse(key, format!("found {} numbers", v.len()))),
        },
    };
    let bounds_deg = read_bounds(section)?;
    let rotation = section.number("rotation_deg")?;
    if rotation.is_some() && bounds_deg.is_some() {
        let problem = "stands beside `bounds_deg`, which run along parallels and meridians: give `min` and `max`";
        return Err(section.problem("rotation_deg", problem));
    }
    let per_tx = section.flag("per_tx")?.unwrap_or(true);
    let multipath = section.flag("multipath")?.unwrap_or(false);
    if multipath && has_rooftops {
        let problem = "stands beside `rooftops = true`, whose chains bring gains only: leave out one of the two";
        return Err(section.problem("multipath", problem));
    }
    if multipath && !per_tx {
        let problem = "stands beside `per_tx = false`, which leaves out what it is of: leave out one of the two";
        return Err(section.problem("multipath", problem));
    }
    Ok(CoverageSettings::Cells(vec![CellSettings {
        name: read_name(section)?,
        engine,
        is_engine_auto: kind == Kind::Auto && !is_asked,
        bounds_deg,
        min: corner("min")?,
        max: corner("max")?,
        rotation: rotation.unwrap_or(0.0).to_radians(),
        resolution,
        surroundings_resolution: section.number("surroundings_resolution")?,
        height_above: above,
        building: building.map(str::to_owned),
        heights,
        noise_dbm: section.number("noise_dbm")?,
        path_loss_limit_db: section.number("path_loss_limit_db")?,
        per_tx,
        multipath,
        line: section.line.unwrap_or(1),
    }]))
}

/// The name of a region, which is valid in names of files.
fn read_name(section: &Section<'_>) -> Result<Option<String>, ScenarioError> {
    let name = section.text("name")?;
    let is_usable = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if let Some(name) = name
        && (name.is_empty() || !name.chars().all(is_usable))
    {
        return Err(section.refuse("name", format!("found \"{}\"", shown(name))));
    }
    Ok(name.map(str::to_owned))
}

/// West, south, east and north of a region.
fn read_bounds(section: &Section<'_>) -> Result<Option<[f64; 4]>, ScenarioError> {
    let bounds_deg = section.vector("bounds_deg")?;
    if let Some([west, south, east, north]) = bounds_deg {
        if section.has("min") || section.has("max") {
            let problem = "stands beside `min` or `max`: give one of the two";
            return Err(section.problem("bounds_deg", problem));
        }
        for corner in [[west, south], [east, north]] {
            check_lon_lat(corner).map_err(|(_, problem)| section.refuse("bounds_deg", problem))?;
        }
        let are_ordered = west < east && south < north;
        if !are_ordered {
            let problem = format!(
                "found {:?}, which is not from west to east and from south to north",
                [west, south, east, north]
            );
            return Err(section.refuse("bounds_deg", problem));
        }
    }
    Ok(bounds_deg)
}

/// Whether tubes can follow the paths that `[paths]` asks for.
fn suits_tubes(top: &Section<'_>) -> Result<bool, ScenarioError> {
    let Some(paths) = top.section("paths")? else {
        return Ok(true);
    };
    Ok(!paths.has("alternatives"))
}

/// The engine `beams`, without the keys of others.
fn read_beams(section: &Section<'_>) -> Result<Engine, ScenarioError> {
    for key in ["accuracy", "multipath", "surroundings_resolution"] {
        if section.has(key) {
            let problem = "means nothing with the engine \"beams\": leave it out; [beams] says what it follows";
            return Err(section.problem(key, problem));
        }
    }
    if !section.has("heights") {
        return Err(section.missing("heights"));
    }
    Ok(Engine::Beams {
        has_rooftops: section.flag("rooftops")?.unwrap_or(true),
    })
}

/// The engine `model`, without the keys of others.
fn read_model(section: &Section<'_>) -> Result<Engine, ScenarioError> {
    for key in [
        "accuracy",
        "multipath",
        "rooftops",
        "surroundings_resolution",
    ] {
        if section.has(key) {
            let problem = "means nothing with the engine \"model\": leave it out; `model` names a formula, which follows no waves";
            return Err(section.problem(key, problem));
        }
    }
    let model = section.choice("model", &Model::NAMES)?;
    Ok(Engine::Model(
        model.ok_or_else(|| section.missing("model"))?,
    ))
}

/// The engine of cells, with its settings.
fn read_engine(section: &Section<'_>, is_tubes: bool) -> Result<Engine, ScenarioError> {
    let accuracy = section.choice("accuracy", &keys::ACCURACIES)?;
    if accuracy.is_some() && !is_tubes {
        let problem = "means nothing with the engine \"points\", which is exact";
        return Err(section.problem("accuracy", problem));
    }
    let has_rooftops = section.flag("rooftops")?.unwrap_or(false);
    if has_rooftops && !is_tubes {
        let problem = "means nothing with the engine \"points\": there max_diffractions asks for several edges";
        return Err(section.problem("rooftops", problem));
    }
    Ok(if is_tubes {
        Engine::Tubes {
            accuracy: accuracy.unwrap_or_default(),
            has_rooftops,
        }
    } else {
        Engine::Points
    })
}
