//! Scenarios made ready, and what they are asked for.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller::antenna::ArrayTracing;
use keller::materials::{Material, Medium};
use keller::scene::MeshMaterial;
use keller::units::VACUUM_PERMITTIVITY;
use keller_io::scenario::{CoverageSettings, Scenario};
use keller_io::store::scene_cache::CompiledScene;
use keller_run::{Error, Machine, PathBlock, PathEnds, PathRunOptions};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::coverage::{self, Coverage};
use crate::error::{bad_argument, exception};
use crate::paths::Paths;
use crate::scene::{Scene, points, rows};
use crate::watch::Watch;

/// How the machine is used where `gpu` traces rays.
pub(crate) fn machine(gpu: &str) -> Machine {
    let Ok(gpu) = gpu.parse();
    Machine {
        gpu,
        ..Machine::default()
    }
}

/// A scenario in a scene, ready to be run.
#[pyclass(frozen, module = "keller._keller")]
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) job: Arc<keller_run::Job>,
    pub(crate) watch: Arc<Watch>,
}

#[pymethods]
impl Job {
    /// The scenario `text` in `scene`, with receivers in place of those of some `[[rx]]`: `(number, (n, 3) array)`. Errors name
    /// `file`, and files that the text names are found from its folder.
    #[new]
    #[pyo3(signature = (scene, text, file, receivers, gpu, tell))]
    fn new(
        py: Python<'_>,
        scene: &Scene,
        text: &str,
        file: &str,
        receivers: Vec<(usize, PyReadonlyArray2<'_, f64>)>,
        gpu: &str,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let mut scenario = Scenario::parse_for_scene(text, Path::new(file))
            .map_err(|error| exception(error.into()))?;
        // From the last on: those before keep their numbers.
        for (group, array) in receivers.iter().rev() {
            let points = points(array, "rx")?;
            scenario.receivers.set_points(*group, &points);
        }
        let watch = Arc::new(Watch::default());
        let mut compiled = scene.0.clone();
        if scenario.clutter.is_empty() {
            // The scene has that of its files already.
            compiled.volumes.clear();
        }
        let machine = machine(gpu);
        let work = |observer| keller_run::Job::new(scenario, compiled, &machine, observer);
        let job = watch.run(py, tell, work)?;
        Ok(Self { job, watch })
    }

    /// The scenario in a file.
    #[staticmethod]
    fn open(py: Python<'_>, file: PathBuf, gpu: &str, tell: &Bound<'_, PyAny>) -> PyResult<Self> {
        let watch = Arc::new(Watch::default());
        let machine = machine(gpu);
        let work = |observer| keller_run::Job::open_on(&file, &machine, observer);
        let job = watch.run(py, tell, work)?;
        Ok(Self { job, watch })
    }

    /// The names of the regions in `[[coverage]]`; one without a name for `[coverage]`, also of surfaces; empty without
    /// either.
    #[getter]
    fn regions(&self) -> Vec<Option<&str>> {
        match &self.job.scenario.coverage {
            None => Vec::new(),
            Some(CoverageSettings::Surfaces(_)) => vec![None],
            Some(CoverageSettings::Cells(regions)) => regions
                .iter()
                .map(|region| region.name.as_deref())
                .collect(),
        }
    }

    /// Whether the elements of an array are traced one by one.
    #[getter]
    fn has_elements(&self) -> bool {
        let scenario = &self.job.scenario;
        let tx = scenario.tx.iter().map(|tx| tx.array_tracing);
        let rx = scenario.receivers.groups.iter().map(|rx| rx.array_tracing);
        tx.chain(rx).any(|tracing| tracing == ArrayTracing::Each)
    }

    /// The carrier, Hz.
    #[getter]
    fn frequency(&self) -> f64 {
        self.job.scenario.frequency.hz()
    }

    /// The scene, with what it is made of.
    #[getter]
    fn scene(&self) -> Scene {
        let (world, georeference) = (&self.job.world, &self.job.georeference);
        let made = world.scene().materials().iter().zip(world.materials());
        let materials = made.map(|(name, material)| MeshMaterial {
            name: name.clone(),
            definition: Some(material.clone()),
        });
        let scene = Arc::clone(world.shared_scene());
        Scene(CompiledScene {
            volumes: scene.clutter().volumes().to_vec(),
            georeference: georeference.clone(),
            buildings: self.job.buildings.clone(),
            openings: self.job.openings.clone(),
            ..CompiledScene::new(scene, materials.collect())
        })
    }

    /// The layers of each material of the scene at the carrier, from front to back: relative permittivity, conductivity
    /// in S/m, and thickness in metres. A half space is infinitely thick, a perfect conductor conducts infinitely well.
    #[getter]
    fn layers(&self) -> PyResult<Vec<Vec<[f64; 3]>>> {
        let world = &self.job.world;
        let of = world.materials().iter().map(|material| {
            let frequency = world.frequency();
            let layer = |medium: Medium, thickness| {
                let permittivity = medium.relative_permittivity(frequency)?;
                Ok(permittivity.map_or([1.0, f64::INFINITY, thickness], |eta| {
                    let omega = TAU * frequency.hz();
                    [eta.re, -eta.im * omega * VACUUM_PERMITTIVITY, thickness]
                }))
            };
            let thickness = match material.wall() {
                Material::Slab(layers) => layers.iter().map(|layer| layer.thickness).collect(),
                _ => vec![f64::INFINITY],
            };
            material
                .media()
                .zip(thickness)
                .map(|(medium, thickness)| layer(medium, thickness))
                .collect()
        });
        of.collect::<Result<_, keller::Error>>()
            .map_err(|error| exception(error.into()))
    }

    /// The text of the scenario.
    #[getter]
    fn text(&self) -> &str {
        &self.job.scenario.text
    }

    /// Names of the Tx, and of the Rx.
    #[getter]
    fn names(&self) -> [Vec<String>; 2] {
        [&self.job.tx, &self.job.rx].map(|devices| {
            let names = devices.iter().map(|device| device.name.to_string());
            names.collect()
        })
    }

    /// Where the Tx stand, `(n, 3)`, metres.
    #[getter]
    fn tx_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.job.positions.tx.iter().copied())
    }

    /// Where the Rx stand, `(n, 3)`, metres.
    #[getter]
    fn rx_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.job.positions.rx.iter().copied())
    }

    /// The paths to the receivers `rx`, or to all. `by_element`: those between the elements of arrays that say
    /// `array_tracing = "each"`. Those of `file`, if there is one, instead of a search.
    #[pyo3(signature = (by_element, rx, tell, file = None))]
    fn paths(
        &self,
        py: Python<'_>,
        by_element: bool,
        rx: Option<(usize, usize)>,
        tell: &Bound<'_, PyAny>,
        file: Option<PathBuf>,
    ) -> PyResult<Paths> {
        let rx = rx.map_or(0..self.job.rx.len(), |(first, end)| first..end);
        let options = PathRunOptions {
            rx: Some(rx.clone()),
            points: if by_element {
                PathEnds::Elements
            } else {
                PathEnds::Devices
            },
            from: file,
            ..PathRunOptions::default()
        };
        let work = |_| self.job.paths(&options)?.collect::<Result<Vec<_>, Error>>();
        let blocks = self.watch.run(py, tell, work)?;
        Ok(Paths {
            job: Arc::clone(&self.job),
            watch: Arc::clone(&self.watch),
            blocks: blocks.into(),
            rx,
        })
    }

    /// The paths of another job with the fields of this one, whose devices stand where those of the other do.
    fn replay(&self, paths: &Paths) -> PyResult<Paths> {
        if paths.job.positions != self.job.positions {
            return Err(bad_argument(
                "replay: devices stand elsewhere; accepted: the same scene and positions, with other frequencies, materials, antennas",
            ));
        }
        let is_known = |block: &PathBlock| block.omitted.is_some();
        let blocks = if paths.blocks.iter().any(is_known) {
            // The paths that were too weak are not there to be replayed.
            let forgetting = |block: &PathBlock| PathBlock {
                omitted: None,
                ..block.clone()
            };
            paths.blocks.iter().map(forgetting).collect()
        } else {
            Arc::clone(&paths.blocks)
        };
        Ok(Paths {
            job: Arc::clone(&self.job),
            watch: Arc::clone(&self.watch),
            blocks,
            rx: paths.rx.clone(),
        })
    }

    /// The coverage of the surfaces that the scenario asks for, or of the cells of one of its `regions`.
    fn coverage(
        &self,
        py: Python<'_>,
        region: usize,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Coverage> {
        coverage::fill(py, &self.job, region, &self.watch, tell)
    }
}
