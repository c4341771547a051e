//! The compiled half of the Python package `keller`: converts what Python hands over, calls `keller-run`, and converts back.
//!
//! The other half is in `python/keller`: it puts together the text of a scenario, which this half runs as the program would.
//! So every key of a scenario works from Python, and results are those of the program, bit for bit.
#![allow(
    clippy::needless_pass_by_value,
    reason = "Python hands arguments over by value"
)]

mod arrays;
mod batch;
mod beam_maps;
mod coverage;
mod error;
mod gpus;
mod job;
mod page;
mod paths;
mod scene;
mod watch;

use std::path::PathBuf;

use pyo3::prelude::*;

/// Lets this process read scenarios, scenes, stores and tables in a folder and below alone from now on, over links and ``..`` too: for
/// files of others. It holds until the process ends.
/// A folder that there is not is a ``ScenarioError``, and so is a second one.
#[pyfunction]
fn read_only_from(folder: PathBuf) -> PyResult<()> {
    let refused =
        |problem| error::bad_argument(format!("read_only_from: {}: {problem}", folder.display()));
    keller_geo::input::only_from(&folder).map_err(refused)
}

/// The compiled half of the package `keller`.
#[pymodule]
fn _keller(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<job::Job>()?;
    module.add_class::<paths::Paths>()?;
    module.add_class::<coverage::Coverage>()?;
    module.add_class::<beam_maps::BeamMaps>()?;
    module.add_class::<batch::Batch>()?;
    module.add_function(wrap_pyfunction!(batch::batch_status, module)?)?;
    module.add_function(wrap_pyfunction!(gpus::gpus, module)?)?;
    module.add_function(wrap_pyfunction!(read_only_from, module)?)?;
    module.add("PALETTE", keller_io::reports::palette::JSON)?;
    let keys: Vec<[String; 5]> = keller_io::scenario::all_keys().collect();
    module.add("KEYS", keys)?;
    module.add("RENAMED", keller_io::scenario::RENAMED.to_vec())?;
    error::add(module)
}
