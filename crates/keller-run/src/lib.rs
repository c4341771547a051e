//! Runs a scenario as a library: a scenario in, finished blocks of results and progress out.
//!
//! It prints nothing, chooses no exit code, and writes no files except those of finished blocks, scene caches and
//! visibility. The program `keller` is a shell around this crate, as are bindings to other languages.

/// The program in README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod batch;
mod buildings;
mod calibrate;
mod channels;
mod compare;
mod coverage;
mod diffuse;
mod ends;
mod error;
mod facts;
mod fingerprint;
mod hints;
mod job;
mod machine;
mod materials;
mod observer;
mod openings;
mod path_file;
mod paths;
mod plotted_tx;
mod power_beside_paths;
mod scene;
mod search;
mod surfaces;
mod terrain;
mod threshold;
mod view;
mod visibility;
mod work;

pub use batch::{Batch, PlanOptions, UnitDone, plan_batch};
pub use calibrate::{
    Calibration, CalibrationOptions, CalibrationResult, Folds, LossCalibration, Reference,
};
pub use channels::{Channeler, GatheredChannels, Link};
pub use compare::{Average, CableDelay, Predictions, ProfileOptions, suspicion};
pub use coverage::{
    BeamMaps, CellEngine, Cells, CoverageBlock, CoverageRun, Rows, Together, cells_in_buildings,
};
pub use ends::PathEnds;
pub use error::Error;
pub use facts::{
    BodyFacts, BoxFacts, BuildingFacts, LonLat, MaterialFacts, OpeningFacts, PlaceFacts,
    ReplacedFacts, SceneFacts,
};
pub use fingerprint::Located;
pub use job::Job;
pub use keller_io::store::paths::PathBlock;
pub use keller_io::store::scene_cache::{CutOpenings, PlacedBuilding, ReplacedBuilding};
pub use machine::{GpuChoice, Machine};
pub use observer::{Event, Observer, RunStage};
pub use paths::{PathBlocks, PathRunOptions, Paths};
pub use power_beside_paths::PowerBesidePaths;
pub use scene::{build_scene, open_scene, prepare_scene};
pub use surfaces::{SurfaceRun, Surfaces};
pub use view::Viewing;
pub use visibility::VisibilityRun;
pub use work::{Run, Work};
