//! Finished coverages: their arrays, and the files that the program writes of them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use keller_io::coverage::Figures;
use keller_io::table::TableFile;
use keller_io::{OutputFile, OutputFolder};
use keller_run::{CoverageRun, Error, SurfaceOptions, SurfaceRun};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Arrays;
use crate::error::{bad_argument, bad_file};
use crate::paths::extension;
use crate::watch::Watch;

/// The coverage of a job.
#[pyclass(frozen, module = "keller._keller")]
#[derive(Debug)]
pub(crate) struct Coverage {
    job: Arc<keller_run::Job>,
    watch: Arc<Watch>,
    filled: Mutex<Filled>,
}

#[derive(Debug)]
enum Filled {
    Cells(Box<CoverageRun>),
    /// The arrays are all that surfaces have here.
    Surfaces(Arrays),
}

/// Fills the cells or the surfaces that the job asks for.
pub(crate) fn fill(
    py: Python<'_>,
    job: &Arc<keller_run::Job>,
    watch: &Arc<Watch>,
    tell: &Bound<'_, PyAny>,
) -> PyResult<Coverage> {
    let work = |_| {
        if is_of_surfaces(job) {
            return surfaces(job).map(Filled::Surfaces);
        }
        let mut run = job.coverage()?;
        while run.next_block()?.is_some() {}
        Ok(Filled::Cells(Box::new(run)))
    };
    Ok(Coverage {
        filled: Mutex::new(watch.run(py, tell, work)?),
        job: Arc::clone(job),
        watch: Arc::clone(watch),
    })
}

fn is_of_surfaces(job: &keller_run::Job) -> bool {
    use keller_io::scenario::CoverageSettings;
    matches!(job.scenario.coverage, Some(CoverageSettings::Surfaces(_)))
}

fn surfaces(job: &Arc<keller_run::Job>) -> Result<Arrays, Error> {
    let mut run: SurfaceRun = job.surfaces(&SurfaceOptions::default())?;
    let (mut fields, mut recalls) = (Vec::new(), Vec::new());
    while let Some(tx) = run.next_tx()? {
        fields.push(tx.fields);
        recalls.push(tx.recall);
    }
    let mut map = run.empty_map();
    (map.fields, map.recalls) = (fields, recalls);
    let mut arrays = Arrays::default();
    map.write_arrays(&job.about(), &mut arrays)?;
    Ok(arrays)
}

#[pymethods]
impl Coverage {
    /// The arrays that `keller coverage -o OUT.npz` writes.
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let work = |_| match &mut *self.filled.lock().unwrap_or_else(PoisonError::into_inner) {
            Filled::Cells(run) => {
                let mut arrays = Arrays::default();
                run.map().write_arrays(&self.job.about(), &mut arrays)?;
                Ok(arrays)
            }
            Filled::Surfaces(arrays) => Ok(std::mem::take(arrays)),
        };
        self.watch.run(py, tell, work)?.into_dict(py)
    }

    /// Writes the file that the program writes for a name with this extension.
    fn save(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        const ACCEPTED: &str = "accepted: a name that ends in .csv, .parquet, .json, .npz, .zarr, .tif, .geojson or .glb";
        py.detach(|| {
            let filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
            let Filled::Cells(run) = &*filled else {
                return Err(bad_argument(format!(
                    "{}: a coverage of surfaces has arrays only",
                    file.display()
                )));
            };
            let (map, about) = (run.map(), &self.job.about());
            let extension = extension(&file);
            let output = || OutputFile::create(&file);
            match extension.as_str() {
                "npz" => output().and_then(|out| map.write_npz(out, about)),
                "tif" | "tiff" => output().and_then(|out| map.write_geotiff(out, about)),
                "geojson" => output().and_then(|out| map.write_contours(out, about, &[])),
                "glb" => {
                    let world = &self.job.world;
                    output().and_then(|out| map.write_model(out, world.scene(), world.materials()))
                }
                "zarr" => OutputFolder::create(&file).and_then(|out| map.write_zarr(out, about)),
                "csv" | "json" | "parquet" => TableFile::create(&file).and_then(|table| {
                    if map.figures == Figures::Multipath {
                        map.write_multipath_rows(table.begin(about)?)
                    } else {
                        map.write_rows(table.begin(about)?)
                    }
                }),
                _ => {
                    let name = file.display();
                    return Err(bad_argument(format!(
                        "{name}: no format for the extension .{extension}; {ACCEPTED}"
                    )));
                }
            }
            .map_err(bad_file)
        })
    }
}
