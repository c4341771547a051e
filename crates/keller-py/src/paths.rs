//! Found paths, and what follows from them without tracing: tables and channels, also of another scenario.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller_io::formats::OutputFile;
use keller_io::reports::channel::Channels;
use keller_io::reports::table::{TableFile, chosen_columns, columns};
use keller_io::store::paths::PathFileWriter;
use keller_run::{Channeler, Error, GatheredChannels, Link, PathBlock, PathEnds};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::prelude::*;

use crate::arrays::{self, Arrays};
use crate::error::{bad_argument, bad_file, exception, no_format};
use crate::page;
use crate::watch::Watch;

/// The paths of a job.
#[pyclass(frozen, module = "keller._keller")]
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) job: Arc<keller_run::Job>,
    pub(crate) watch: Arc<Watch>,
    pub(crate) blocks: Arc<[PathBlock]>,
    /// The receivers that were asked for.
    pub(crate) rx: Range<usize>,
}

#[pymethods]
impl Paths {
    fn __len__(&self) -> usize {
        self.blocks.iter().map(|block| block.paths.len()).sum()
    }

    /// The columns of a table of paths: `name: (unit, values)`.
    fn table<'py>(&self, py: Python<'py>, tell: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let work = |_| {
            let blocks = self
                .blocks
                .iter()
                .take_while(|_| self.watch.check().is_ok());
            let columns = columns(blocks.map(|block| self.job.path_rows(block)));
            self.watch.check()?;
            Ok(columns)
        };
        arrays::columns(py, self.watch.run(py, tell, work)?)
    }

    /// The paths in their scene, as a page for browsers.
    fn page<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let made = py.detach(|| {
            let rows = self
                .blocks
                .iter()
                .flat_map(|block| self.job.path_rows(block));
            page::of_paths(&self.job, rows.collect())
        });
        page::bytes(py, made)
    }

    /// Writes the file that the program writes for a name with this extension: a table of paths, the paths themselves, or
    /// the arrays of all channels.
    fn save(&self, py: Python<'_>, file: PathBuf, tell: &Bound<'_, PyAny>) -> PyResult<()> {
        let extension = extension(&file);
        match extension.as_str() {
            "npz" => {
                let out = OutputFile::create(&file).map_err(bad_file)?;
                let channels = self.watch.run(py, tell, |_| self.all_channels())?;
                channels.write_npz(out, &self.job.about()).map_err(bad_file)
            }
            "csv" | "json" | "parquet" => py.detach(|| {
                let table = TableFile::create(&file).map_err(bad_file)?;
                let mut table = table.begin(&self.job.about()).map_err(bad_file)?;
                for row in self
                    .blocks
                    .iter()
                    .flat_map(|block| self.job.path_rows(block))
                {
                    table.write(&row).map_err(bad_file)?;
                }
                table.finish().map_err(bad_file)
            }),
            "paths" => self.save_paths(py, &file),
            _ => Err(no_format(&file, ".csv, .parquet, .json, .paths or .npz")),
        }
    }

    /// The columns of a table of links: `name: (unit, values)`.
    fn links<'py>(&self, py: Python<'py>, tell: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let work = |_| {
            let channeler = self.job.channeler()?;
            let blocks = self
                .blocks
                .iter()
                .take_while(|_| self.watch.check().is_ok());
            let links = blocks.map(|block| Link::of_block(block).into_par_iter());
            let rows = links.map(|links| links.map(|link| channeler.row(&link)).collect());
            let columns = chosen_columns(&channeler.columns().columns(), rows);
            self.watch.check()?;
            Ok(columns)
        };
        arrays::columns(py, self.watch.run(py, tell, work)?)
    }

    /// The arrays of all channels, as `keller channel -o OUT.npz` writes them.
    fn channels<'py>(
        &self,
        py: Python<'py>,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let work = |_| {
            let mut arrays = Arrays::default();
            self.all_channels()?
                .write_arrays(&self.job.about(), &mut arrays)?;
            Ok(arrays)
        };
        self.watch.run(py, tell, work)?.into_dict(py)
    }
}

impl Paths {
    /// Writes a file of paths: those between devices, to all receivers.
    fn save_paths(&self, py: Python<'_>, file: &Path) -> PyResult<()> {
        if self.rx != (0..self.job.rx.len()) {
            return Err(bad_argument(
                "save: these are the paths to some receivers; accepted for .paths: those to all of them",
            ));
        }
        let digests = self
            .job
            .path_digests(PathEnds::Devices)
            .map_err(exception)?;
        py.detach(|| {
            let mut writer = PathFileWriter::create(file).map_err(bad_file)?;
            let begun = writer.begin(&digests, &self.job.about());
            begun.map_err(bad_file)?;
            for block in &*self.blocks {
                writer.put(block).map_err(bad_file)?;
            }
            writer.finish().map_err(bad_file)
        })
    }

    fn all_channels(&self) -> Result<Channels, Error> {
        let channeler: Channeler = self.job.channeler()?;
        let links: Vec<_> = self.blocks.iter().flat_map(Link::of_block).collect();
        let mut gathered = GatheredChannels::default();
        channeler.gather(&links, &mut gathered)?;
        Ok(channeler.channels(self.rx.clone(), gathered))
    }
}

/// The extension of a name, in small letters.
pub(crate) fn extension(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}
