//! Results as arrays of numpy.

use std::io::{self, Write};

use keller_io::formats::arrays::ArraySink;
use keller_io::reports::table::{ColumnValues, NamedColumn};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Named arrays, before Python has them: built without the interpreter.
#[derive(Debug, Default)]
pub(crate) struct Arrays(Vec<RawArray>);

#[derive(Debug)]
struct RawArray {
    name: String,
    kind: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl ArraySink for Arrays {
    fn array(
        &mut self,
        name: &str,
        kind: &str,
        size: usize,
        shape: &[usize],
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(size * shape.iter().product::<usize>());
        write(&mut bytes)?;
        self.0.push(RawArray {
            name: name.to_owned(),
            kind: kind.to_owned(),
            shape: shape.to_vec(),
            bytes,
        });
        Ok(())
    }
}

impl Arrays {
    /// A dictionary of arrays, which take over the memory.
    pub(crate) fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let all = PyDict::new(py);
        for array in self.0 {
            let bytes: Bound<'_, PyArray1<u8>> = array.bytes.into_pyarray(py);
            let typed = bytes.call_method1("view", (array.kind,))?;
            all.set_item(array.name, typed.call_method1("reshape", (array.shape,))?)?;
        }
        Ok(all)
    }
}

/// A dictionary of columns: `name: (unit, values)`. Lists are `(offsets, values)`.
pub(crate) fn columns(py: Python<'_>, columns: Vec<NamedColumn>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for column in columns {
        let values = match column.values {
            ColumnValues::Indices(values) => values.into_pyarray(py).into_any(),
            ColumnValues::Numbers(values) => values.into_pyarray(py).into_any(),
            ColumnValues::Texts(values) => values.into_pyobject(py)?.into_any(),
            ColumnValues::Points { offsets, points } => {
                let flat = points.into_flattened().into_pyarray(py);
                let num = flat.len()? / 3;
                let points = flat.reshape([num, 3])?;
                (offsets.into_pyarray(py), points)
                    .into_pyobject(py)?
                    .into_any()
            }
            ColumnValues::Ids { offsets, ids } => {
                let ids = ids.into_pyarray(py);
                (offsets.into_pyarray(py), ids)
                    .into_pyobject(py)?
                    .into_any()
            }
        };
        all.set_item(column.name, (column.unit, values))?;
    }
    Ok(all)
}
