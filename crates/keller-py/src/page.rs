//! Pages for browsers: what `keller view` writes.

use std::path::Path;
use std::sync::Arc;

use keller_io::reports::table::PathRow;
use keller_io::store::scene_cache::CompiledScene;
use keller_run::{Error, Job, Viewing};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{bad_file, exception};

/// What scenes are called that come from Python.
const SCENE: &str = "scene";

/// The page of a scene.
pub(crate) fn of_scene(compiled: &CompiledScene) -> PyResult<Vec<u8>> {
    let viewing = Viewing::of_scene(SCENE, SCENE, compiled.clone()).map_err(exception)?;
    written(viewing)
}

/// The page of a job with its paths.
pub(crate) fn of_paths(job: &Job, rows: Vec<PathRow>) -> PyResult<Vec<u8>> {
    let make = || -> Result<Viewing, Error> {
        let mut viewing = Viewing::of_job("paths", job)?;
        viewing.add_paths(job, Path::new("paths"), rows)?;
        Ok(viewing)
    };
    written(make().map_err(exception)?)
}

/// The page of a job with the coverage in a file.
pub(crate) fn of_coverage(job: &Arc<Job>, file: &Path) -> PyResult<Vec<u8>> {
    let make = || -> Result<Viewing, Error> {
        let mut viewing = Viewing::of_job("coverage", job)?;
        viewing.add_result(Some(job), file)?;
        Ok(viewing)
    };
    written(make().map_err(exception)?)
}

/// The bytes of a page for Python.
pub(crate) fn bytes(py: Python<'_>, page: PyResult<Vec<u8>>) -> PyResult<Bound<'_, PyBytes>> {
    Ok(PyBytes::new(py, &page?))
}

fn written(viewing: Viewing) -> PyResult<Vec<u8>> {
    let mut page = Vec::new();
    let view = viewing.into_view();
    view.page(&mut page).map_err(bad_file)?;
    Ok(page)
}
