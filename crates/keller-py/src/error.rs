//! Errors as exceptions, in the words of the program.

use std::path::Path;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

create_exception!(
    keller,
    KellerError,
    PyException,
    "Something cannot be run: the message says where, what was found and what is accepted."
);
create_exception!(
    keller,
    ScenarioError,
    KellerError,
    "An argument, a key of a scenario or a graphics card that is not accepted."
);
create_exception!(
    keller,
    ImportError,
    KellerError,
    "A scene file that cannot be read."
);

/// The exceptions, as names of the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("KellerError", py.get_type::<KellerError>())?;
    module.add("ScenarioError", py.get_type::<ScenarioError>())?;
    module.add("ImportError", py.get_type::<ImportError>())
}

/// The exception for an error of a run.
pub(crate) fn exception(error: keller_run::Error) -> PyErr {
    use keller_run::Error;
    let message = error.to_string();
    match error {
        Error::Scenario(_) | Error::Input(_) => ScenarioError::new_err(message),
        Error::Import(_) => ImportError::new_err(message),
        Error::Stopped => PyKeyboardInterrupt::new_err(message),
        _ => KellerError::new_err(message),
    }
}

/// The exception for a file that cannot be written.
pub(crate) fn bad_file(error: impl std::fmt::Display) -> PyErr {
    KellerError::new_err(error.to_string())
}

/// The exception for an argument that is not accepted.
pub(crate) fn bad_argument(message: impl Into<String>) -> PyErr {
    ScenarioError::new_err(message.into())
}

/// The exception for a name with an extension that stands for no format.
pub(crate) fn no_format(file: &Path, accepted: &str) -> PyErr {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    bad_argument(format!(
        "{}: no format for the extension .{extension}; accepted: a name that ends in {accepted}",
        file.display()
    ))
}
