//! Sweeps: the store of a result that many workers compute.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keller_io::store::SweepStore;
use keller_run::{PlanOptions, UnitDone, plan_sweep};
use pyo3::prelude::*;

use crate::error::{bad_argument, exception};
use crate::job::machine;
use crate::watch::Watch;

/// A sweep, ready to compute units.
#[pyclass(frozen, module = "keller._keller")]
#[derive(Debug)]
pub(crate) struct Sweep {
    sweep: Mutex<keller_run::Sweep>,
    watch: Arc<Watch>,
}

#[pymethods]
impl Sweep {
    /// The sweep in a store. Its scenario is that of the plan, unless a file is given.
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
            let sweep = keller_run::Sweep::open(&store, scenario.as_deref(), observer)?;
            Ok(sweep.on(machine))
        };
        let sweep = Mutex::new(watch.run(py, tell, work)?);
        Ok(Self { sweep, watch })
    }

    /// Plans a sweep and makes its store.
    #[staticmethod]
    fn plan(
        py: Python<'_>,
        scenario: PathBuf,
        store: PathBuf,
        command: Option<String>,
        items: Option<usize>,
        has_rays: bool,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let watch = Arc::new(Watch::default());
        let options = PlanOptions {
            command,
            items,
            has_rays,
        };
        let work = |observer| plan_sweep(&scenario, &store, &options, observer);
        let sweep = Mutex::new(watch.run(py, tell, work)?);
        Ok(Self { sweep, watch })
    }

    /// The number of units.
    fn __len__(&self) -> usize {
        self.sweep().plan().units.len()
    }

    /// The command that writes the result.
    #[getter]
    fn command(&self) -> &'static str {
        self.sweep().plan().kind.command()
    }

    /// What a unit computes, in words.
    fn describe(&self, unit: usize) -> PyResult<String> {
        let sweep = self.sweep();
        check(&sweep, unit)?;
        Ok(sweep.describe(unit))
    }

    /// The units that are missing.
    fn missing(&self) -> PyResult<Vec<usize>> {
        missing(self.sweep().store())
    }

    /// Computes a unit unless it is there. Whether it was not, and how many seconds it took.
    fn run(&self, py: Python<'_>, unit: usize, tell: &Bound<'_, PyAny>) -> PyResult<(bool, f64)> {
        check(&self.sweep(), unit)?;
        let work = |_| {
            let mut done = None;
            let mut tell = |unit: &UnitDone| done = Some((unit.is_new, unit.seconds));
            self.sweep().run_missing(&[unit], &mut tell)?;
            Ok(done.expect("it tells of every unit"))
        };
        self.watch.run(py, tell, work)
    }
}

impl Sweep {
    fn sweep(&self) -> MutexGuard<'_, keller_run::Sweep> {
        self.sweep.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of units of a store, and those that are missing.
#[pyfunction]
pub(crate) fn sweep_status(store: PathBuf) -> PyResult<(usize, Vec<usize>)> {
    let store = SweepStore::open(&store).map_err(|error| exception(error.into()))?;
    Ok((store.plan().units.len(), missing(&store)?))
}

fn missing(store: &SweepStore) -> PyResult<Vec<usize>> {
    let finished = store.finished().map_err(|error| exception(error.into()))?;
    Ok(finished.missing())
}

fn check(sweep: &keller_run::Sweep, unit: usize) -> PyResult<()> {
    let count = sweep.plan().units.len();
    if unit < count {
        return Ok(());
    }
    Err(bad_argument(format!(
        "unit: found {unit}; accepted: 0 to {}",
        count.saturating_sub(1)
    )))
}
