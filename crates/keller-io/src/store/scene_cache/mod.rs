//! Compiled scenes in files, so that a run need not read and build them anew.
//!
//! A file holds the [`Scene`] that a scene file's triangles became, and the rest of its contents: materials with their
//! definitions, volumes of clutter, the georeference, warnings. It fits if this version of keller made it from the same
//! names with the same settings, and every file that was read has the bytes that it had then. A file that does not fit
//! is not used; nor is a damaged one.
//!
//! It has the form of [stores](crate::store). The head has the origin of the scene, and everything but the scene, one
//! value after the other. Each record has one of the lists of [`Scene::each_list`], as it lies in memory of
//! little-endian machines.

mod buildings;
mod head;
mod openings;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::path::PathBuf;
use std::sync::Arc;

use keller::clutter::Volume;
use keller::scene::{MeshMaterial, Scene, SimplifiedTerrain};
use keller_geo::crs::Georeference;

use crate::formats::Warning;
use crate::formats::import::{Content, MeshOptions};
use crate::store::{Unit, records};

pub use buildings::{PlacedBuilding, ReplacedBuilding};
pub use openings::CutOpenings;
pub use read::{SceneCacheError, parse, read};
pub use write::write;

const KIND: records::Kind = *b"scene   ";

/// The version of the format, and of the rules by which scenes are built from files: a change of either takes the next
/// number.
const VERSION: u32 = 7;

/// A scene, and the other contents of its files.
#[derive(Debug, Clone)]
pub struct CompiledScene {
    /// The scene, without clutter.
    pub scene: Arc<Scene>,
    /// The materials by [`keller::scene::MaterialId`], with the definitions that files carry.
    pub materials: Vec<MeshMaterial>,
    /// See [`crate::formats::Imported::volumes`].
    pub volumes: Vec<Volume>,
    /// See [`crate::formats::Imported::georeference`].
    pub georeference: Option<Georeference>,
    /// See [`crate::formats::Imported::warnings`].
    pub warnings: Vec<Warning>,
    /// See [`crate::formats::Imported::sources`].
    pub sources: Vec<PathBuf>,
    /// See [`crate::formats::Imported::contents`].
    pub contents: Vec<Content>,
    /// The buildings with an inside that stand in the scene, in the order of the scenario.
    pub buildings: Vec<PlacedBuilding>,
    /// The openings that each `[[opening]]` has cut, in the order of the scenario.
    pub openings: Vec<CutOpenings>,
    /// The simplification of its terrain, if that was asked for.
    pub terrain: Option<SimplifiedTerrain>,
}

impl CompiledScene {
    /// A scene that comes from no file, with the materials that it names.
    pub fn new(scene: Arc<Scene>, materials: Vec<MeshMaterial>) -> Self {
        Self {
            scene,
            materials,
            volumes: Vec::new(),
            georeference: None,
            warnings: Vec::new(),
            sources: Vec::new(),
            contents: Vec::new(),
            buildings: Vec::new(),
            openings: Vec::new(),
            terrain: None,
        }
    }
}

/// Everything that shapes a scene apart from the contents of its files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted<'a> {
    /// The scene files.
    pub files: &'a [PathBuf],
    /// The user's statements about their meshes.
    pub options: MeshOptions,
    /// The settings of the buildings that stand in it: [`ScenarioBuilding::digest`] of each.
    ///
    /// [`ScenarioBuilding::digest`]: crate::scenario::ScenarioBuilding::digest
    pub buildings: &'a [String],
    /// The settings of the openings in its walls: [`ScenarioOpening::digest`] of each.
    ///
    /// [`ScenarioOpening::digest`]: crate::scenario::ScenarioOpening::digest
    pub openings: &'a [String],
    /// The angle below which edges of terrain are no wedges, degrees.
    pub terrain_wedge_deg: Option<f64>,
    /// The largest distance of simplified terrain from the given one, metres.
    pub terrain_error_m: Option<f64>,
}

/// The state of a scene file.
#[derive(Debug)]
pub enum Found {
    /// There is no file.
    Nothing,
    /// The file has the wanted scene.
    Fitting(Box<CompiledScene>),
    /// The file has another scene, and how it differs.
    Stale(String),
    /// The file is broken, and how.
    Damaged(String),
}

/// The unit of the list with this number, whose numbers have this kind: 0 for `u32`, 1 for `f32`, 2 for `f64`.
fn unit(list: usize, kind: usize) -> Unit {
    Unit {
        family: 0,
        region: kind,
        tx: Vec::new(),
        range: list..list + 1,
    }
}
