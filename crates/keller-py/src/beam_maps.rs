//! Regions that are prepared for beams once, and their maps of any position of a Tx.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glam::DVec3;
use keller_io::scenario::Scenario;
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Arrays;
use crate::coverage::{Coverage, all_blocks};
use crate::error::exception;
use crate::job::Job;
use crate::watch::Watch;

/// The region of a job, prepared.
#[pyclass(frozen, module = "keller._keller")]
#[derive(Debug)]
pub(crate) struct BeamMaps {
    maps: Mutex<keller_run::BeamMaps>,
    watch: Arc<Watch>,
}

#[pymethods]
impl BeamMaps {
    /// The region that a job asks for, prepared.
    #[new]
    fn new(py: Python<'_>, job: &Job, tell: &Bound<'_, PyAny>) -> PyResult<Self> {
        let maps = job.watch.run(py, tell, |_| job.job.beam_maps())?;
        Ok(Self {
            maps: Mutex::new(maps),
            watch: Arc::clone(&job.watch),
        })
    }

    /// The arrays of a coverage that say where the cells lie.
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = py.detach(|| {
            let mut arrays = Arrays::default();
            self.maps().coordinates().write_arrays(&mut arrays)?;
            Ok(arrays)
        });
        arrays
            .map_err(|error: std::io::Error| exception(error.into()))?
            .into_dict(py)
    }

    /// Path gains of the only Tx at `position`, metres, in dB: `(z, y, x)`.
    fn path_gain_db<'py>(
        &self,
        py: Python<'py>,
        position: [f64; 3],
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let work = |_| {
            let mut maps = self.maps();
            let gains = maps.path_gain_db(0, DVec3::from_array(position))?;
            Ok((gains, maps.shape()))
        };
        let (gains, shape) = self.watch.run(py, tell, work)?;
        gains.into_pyarray(py).reshape(shape)
    }

    /// The coverage of the scenario `text`, which has the Tx elsewhere and nothing else changed, and its job.
    fn coverage(
        &self,
        py: Python<'_>,
        text: &str,
        file: &str,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<(Job, Coverage)> {
        let scenario = Scenario::parse_for_scene(text, Path::new(file))
            .map_err(|error| exception(error.into()))?;
        let work = |_| {
            let maps = self.maps();
            let job = maps.job_at(scenario)?;
            let run = all_blocks(job.coverage_from(&maps)?)?;
            Ok((job, run))
        };
        let (job, run) = self.watch.run(py, tell, work)?;
        let watch = &self.watch;
        let coverage = Coverage::of_cells(Arc::clone(&job), Arc::clone(watch), run);
        let watch = Arc::clone(watch);
        Ok((Job { job, watch }, coverage))
    }
}

impl BeamMaps {
    fn maps(&self) -> MutexGuard<'_, keller_run::BeamMaps> {
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
