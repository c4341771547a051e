//! Finished coverages: their arrays, and the files that the program writes of them.

use std::io::Write;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keller::coverage::tiles::{Recall, TileField};
use keller_io::formats::{OutputFile, OutputFolder};
use keller_io::reports::coverage::{CoverageMap, Figures, PicturedLayer};
use keller_io::reports::surfaces::SurfaceMap;
use keller_io::reports::table::TableFile;
use keller_run::{CoverageRun, Error, SurfaceRun, cells_in_buildings};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::Arrays;
use crate::error::{bad_file, no_format};
use crate::page;
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
    Surfaces(Box<Surfaces>),
}

/// The field on the surfaces of a scene.
#[derive(Debug)]
struct Surfaces {
    run: SurfaceRun,
    fields: Vec<Vec<[TileField; 2]>>,
    recalls: Vec<Recall>,
}

/// Fills the surfaces that the job asks for, or the cells of one of its regions.
pub(crate) fn fill(
    py: Python<'_>,
    job: &Arc<keller_run::Job>,
    region: usize,
    watch: &Arc<Watch>,
    tell: &Bound<'_, PyAny>,
) -> PyResult<Coverage> {
    let work = |_| {
        if is_of_surfaces(job) {
            return Ok(Filled::Surfaces(Box::new(surfaces(job)?)));
        }
        Ok(Filled::Cells(Box::new(all_blocks(job.coverage(region)?)?)))
    };
    Ok(Coverage {
        filled: Mutex::new(watch.run(py, tell, work)?),
        job: Arc::clone(job),
        watch: Arc::clone(watch),
    })
}

/// A coverage with all its cells filled.
pub(crate) fn all_blocks(mut run: CoverageRun) -> Result<CoverageRun, Error> {
    run.complete()?;
    Ok(run)
}

fn is_of_surfaces(job: &keller_run::Job) -> bool {
    use keller_io::scenario::CoverageSettings;
    matches!(job.scenario.coverage, Some(CoverageSettings::Surfaces(_)))
}

fn surfaces(job: &Arc<keller_run::Job>) -> Result<Surfaces, Error> {
    let mut run = job.surfaces(false)?;
    let (mut fields, mut recalls) = (Vec::new(), Vec::new());
    for tx in &mut run {
        let tx = tx?;
        fields.push(tx.fields);
        recalls.push(tx.recall);
    }
    Ok(Surfaces {
        run,
        fields,
        recalls,
    })
}

impl Surfaces {
    /// What `work` makes of the map.
    fn with_map<T>(&mut self, work: impl FnOnce(&SurfaceMap<'_>) -> T) -> T {
        let mut map = self.run.empty_map();
        map.fields = mem::take(&mut self.fields);
        map.recalls = mem::take(&mut self.recalls);
        let made = work(&map);
        (self.fields, self.recalls) = (map.fields, map.recalls);
        made
    }
}

#[pymethods]
impl Coverage {
    /// The arrays that `keller coverage -o OUT.npz` writes.
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let work = |_| {
            let (mut arrays, about) = (Arrays::default(), self.job.about());
            match &mut *self.filled() {
                Filled::Cells(run) => run.filled_map().write_arrays(&about, &mut arrays)?,
                Filled::Surfaces(all) => {
                    all.with_map(|map| map.write_arrays(&about, &mut arrays))?;
                }
            }
            Ok(arrays)
        };
        self.watch.run(py, tell, work)?.into_dict(py)
    }

    /// Writes the file that the program writes for a name with this extension.
    fn save(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        py.detach(|| self.save_to(&file))
    }

    /// Which cells of a level lie in buildings that no power enters, row by row; none of surfaces.
    fn buildings(&self, py: Python<'_>, level: usize) -> PyResult<Vec<bool>> {
        py.detach(|| match &*self.filled() {
            Filled::Cells(run) => {
                let map = run.filled_map();
                let values = map.strongest_gain_db(level).map_err(bad_file)?;
                let scene = self.job.world.scene();
                Ok(cells_in_buildings(
                    scene, map.region, map.ground, level, &values,
                ))
            }
            Filled::Surfaces(_) => Ok(Vec::new()),
        })
    }

    /// The coverage in its scene, as a page for browsers.
    fn page<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let made = py.detach(|| {
            let folder = tempfile::tempdir().map_err(bad_file)?;
            let file = folder.path().join("coverage.npz");
            self.save_to(&file)?;
            page::of_coverage(&self.job, &file)
        });
        page::bytes(py, made)
    }
}

impl Coverage {
    fn save_to(&self, file: &Path) -> PyResult<()> {
        match &mut *self.filled() {
            Filled::Cells(run) => save_cells(&run.filled_map(), &self.job, file),
            Filled::Surfaces(all) => all.with_map(|map| save_surfaces(map, &self.job, file)),
        }
    }

    /// Of cells that are filled.
    pub(crate) fn of_cells(job: Arc<keller_run::Job>, watch: Arc<Watch>, run: CoverageRun) -> Self {
        let filled = Mutex::new(Filled::Cells(Box::new(run)));
        Self { job, watch, filled }
    }

    fn filled(&self) -> MutexGuard<'_, Filled> {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What contours and models show.
const GAIN: PicturedLayer = PicturedLayer::Gain;

fn save_cells(map: &CoverageMap<'_>, job: &keller_run::Job, file: &Path) -> PyResult<()> {
    let (extension, about) = (extension(file), &job.about());
    let output = || OutputFile::create(file);
    match extension.as_str() {
        "npz" => output().and_then(|out| map.write_npz(out, about)),
        "tif" | "tiff" => output().and_then(|out| map.write_geotiff(out, about)),
        "geojson" => output().and_then(|out| map.write_contours(out, about, GAIN, &[])),
        "glb" => {
            let world = &job.world;
            output().and_then(|out| map.write_model(out, world.scene(), world.materials(), GAIN))
        }
        "zarr" => OutputFolder::create(file).and_then(|out| map.write_zarr(out, about)),
        "csv" | "json" | "parquet" => TableFile::create(file).and_then(|table| {
            if map.figures == Figures::Multipath {
                map.write_multipath_rows(table.begin(about)?)
            } else {
                map.write_rows(table.begin(about)?)
            }
        }),
        _ => {
            return Err(no_format(
                file,
                ".csv, .parquet, .json, .npz, .zarr, .tif, .geojson or .glb",
            ));
        }
    }
    .map_err(bad_file)
}

fn save_surfaces(map: &SurfaceMap<'_>, job: &keller_run::Job, file: &Path) -> PyResult<()> {
    let (extension, about) = (extension(file), &job.about());
    let output = || OutputFile::create(file);
    let ghz = job.scenario.frequency.ghz();
    match extension.as_str() {
        "npz" => output().and_then(|out| map.write_npz(out, about)),
        "glb" => output().and_then(|out| map.write_model(out, job.world.materials())),
        "png" => {
            let title = format!(
                "{}; {ghz} GHz, on surfaces",
                GAIN.title(job.scenario.tx.len())
            );
            let png = map.view_png(&title, &job.plot_tx());
            return output()
                .map_err(bad_file)?
                .write(|writer| writer.write_all(&png))
                .map_err(bad_file);
        }
        "csv" | "json" | "parquet" => {
            TableFile::create(file).and_then(|table| map.write_rows(table.begin(about)?))
        }
        _ => {
            return Err(no_format(
                file,
                ".csv, .parquet, .json, .npz, .png or .glb (of surfaces)",
            ));
        }
    }
    .map_err(bad_file)
}
