//! What can trace rays besides the processor.

use keller_gpu::adapters;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Name, kind, interface and driver of each graphics card, the best first.
#[pyfunction]
pub(crate) fn gpus(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let adapters = py.detach(adapters);
    let one = |adapter: keller_gpu::Adapter| {
        let dict = PyDict::new(py);
        dict.set_item("name", adapter.name)?;
        dict.set_item("kind", adapter.kind.to_string())?;
        dict.set_item("interface", adapter.backend)?;
        dict.set_item("driver", adapter.driver)?;
        Ok(dict)
    };
    adapters.into_iter().map(one).collect()
}
