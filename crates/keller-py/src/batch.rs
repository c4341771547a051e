//! Batches: the store of a result that many workers compute.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keller_io::store::BatchStore;
use keller_run::{PlanOptions, UnitDone, plan_batch};
use pyo3::prelude::*;

use crate::error::{bad_argument, exception};
use crate::job::machine;
use crate::watch::Watch;

/// A batch, ready to compute units.
#[pyclass(frozen, module = "keller._keller")]
#[derive(Debug)]
pub(crate) struct Batch {
    batch: Mutex<keller_run::Batch>,
    watch: Arc<Watch>,
}

#[pymethods]
impl Batch {
    /// The batch in a store. Its scenario is that of the plan, unless a file is given.
    #[new]
    fn new(
        py: Python<'_>,
        store: PathBuf,
        scenario: Option<PathBuf>,
        gpu: &str,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let watch = Arc::new(Watch::default());
        let machine = machine(gpu);
        let work = |observer| {
            let batch = keller_run::Batch::open(&store, scenario.as_deref(), observer)?;
            Ok(batch.on(machine))
        };
        let batch = Mutex::new(watch.run(py, tell, work)?);
        Ok(Self { batch, watch })
    }

    /// Plans a batch and makes its store.
    #[staticmethod]
    fn plan(
        py: Python<'_>,
        scenario: PathBuf,
        store: PathBuf,
        result: Option<String>,
        unit_size: Option<usize>,
        has_rays: bool,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let watch = Arc::new(Watch::default());
        let options = PlanOptions {
            result,
            unit_size,
            has_rays,
        };
        let work = |observer| plan_batch(&scenario, &store, &options, observer);
        let batch = Mutex::new(watch.run(py, tell, work)?);
        Ok(Self { batch, watch })
    }

    /// The number of units.
    fn __len__(&self) -> usize {
        self.batch().plan().units.len()
    }

    /// The command that writes the result.
    #[getter]
    fn command(&self) -> &'static str {
        self.batch().plan().kind.command()
    }

    /// What a unit computes, in words.
    fn describe(&self, unit: usize) -> PyResult<String> {
        let batch = self.batch();
        check(&batch, unit)?;
        Ok(batch.describe(unit))
    }

    /// The units that are missing.
    fn missing(&self) -> PyResult<Vec<usize>> {
        missing(self.batch().store())
    }

    /// Computes a unit unless it is there. Whether it was not, and how many seconds it took.
    fn run(&self, py: Python<'_>, unit: usize, tell: &Bound<'_, PyAny>) -> PyResult<(bool, f64)> {
        check(&self.batch(), unit)?;
        let work = |_| {
            let mut done = None;
            let mut tell = |unit: &UnitDone| done = Some((unit.is_new, unit.seconds));
            self.batch().run_missing(&[unit], &mut tell)?;
            Ok(done.expect("it tells of every unit"))
        };
        self.watch.run(py, tell, work)
    }
}

impl Batch {
    fn batch(&self) -> MutexGuard<'_, keller_run::Batch> {
        self.batch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of units of a store, and those that are missing.
#[pyfunction]
pub(crate) fn batch_status(store: PathBuf) -> PyResult<(usize, Vec<usize>)> {
    let store = BatchStore::open(&store).map_err(|error| exception(error.into()))?;
    Ok((store.plan().units.len(), missing(&store)?))
}

fn missing(store: &BatchStore) -> PyResult<Vec<usize>> {
    let finished = store.finished().map_err(|error| exception(error.into()))?;
    Ok(finished.missing())
}

fn check(batch: &keller_run::Batch, unit: usize) -> PyResult<()> {
    let count = batch.plan().units.len();
    if unit < count {
        return Ok(());
    }
    Err(bad_argument(format!(
        "unit: found {unit}; accepted: 0 to {}",
        count.saturating_sub(1)
    )))
}
