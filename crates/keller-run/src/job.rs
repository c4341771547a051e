//! Prepares a scenario to be run: builds its scene, finds its materials and places its devices.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use keller::clutter::{Clutter, Volume};
use keller::parallel;
use keller::scene::Scene;
use keller::{DVec3, World};
use keller_geo::crs::{Frame, Georeference};
use keller_gpu::GpuIndex;
use keller_io::formats::About;
use keller_io::reports::table::Device;
use keller_io::scenario::{LeftOut, Positions, Receivers, Scenario, ScenarioTx};
use keller_io::store::Digest;
use keller_io::store::scene_cache::{CompiledScene, CutOpenings, PlacedBuilding};

use crate::machine::Machine;
use crate::observer::{Observer, Tell};
use crate::power_beside_paths::PowerBesidePaths;
use crate::scene::prepare_scene;
use crate::{Error, hints, materials};

/// A scenario that is ready to run. Paths, channels and coverages start from here.
///
/// ```no_run
/// use std::sync::{Arc, OnceLock};
/// use keller_run::{Job, PathRunOptions};
///
/// let job = Job::open("scenario.toml".as_ref(), Arc::new(()))?;
/// for block in job.paths(&PathRunOptions::default())? {
///     for row in job.path_rows(&block?) {
///         println!("{} {} {} {:.1} dB", row.tx, row.rx, row.types, row.gain_db);
///     }
/// }
/// # Ok::<(), keller_run::Error>(())
/// ```
pub struct Job {
    /// The scenario.
    pub scenario: Scenario,
    /// The scene and its materials at the carrier.
    pub world: World,
    /// The position of the scene's coordinates on earth, if a scene file contains it.
    pub georeference: Option<Georeference>,
    /// The conversion that follows from it.
    pub frame: Option<Frame>,
    /// The buildings with an inside that stand in the scene, in the order of the scenario.
    pub buildings: Vec<PlacedBuilding>,
    /// The openings that each `[[opening]]` has cut, in the order of the scenario.
    pub openings: Vec<CutOpenings>,
    /// The positions of the devices.
    pub positions: Positions,
    /// Columns of tables for each Tx.
    pub tx: Vec<Device>,
    /// Columns of tables for each Rx.
    pub rx: Vec<Device>,
    /// The graphics card that answers large batches of rays, if there is one.
    pub gpu: Option<Arc<GpuIndex>>,
    pub(crate) machine: Machine,
    pub(crate) observer: Arc<dyn Observer>,
    /// The diffuse and background power, once it is asked for.
    pub(crate) beside_paths: OnceLock<Option<PowerBesidePaths>>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let file = &self.scenario.file;
        f.debug_struct("Job")
            .field("scenario", file)
            .finish_non_exhaustive()
    }
}

impl Job {
    /// Loads and prepares the scenario in a file.
    ///
    /// # Errors
    /// The errors of [`Scenario::load`], [`prepare_scene`] and [`Self::new`].
    pub fn open(file: &Path, observer: Arc<dyn Observer>) -> Result<Arc<Self>, Error> {
        Self::open_on(file, &Machine::default(), observer)
    }

    /// [`Self::open`], using the machine as `machine` says.
    ///
    /// # Errors
    /// The same.
    pub fn open_on(
        file: &Path,
        machine: &Machine,
        observer: Arc<dyn Observer>,
    ) -> Result<Arc<Self>, Error> {
        let scenario = Scenario::load(file)?;
        let compiled = prepare_scene(&scenario.scene, &*observer, &|_| Ok(()))?;
        Self::new(scenario, compiled, machine, observer)
    }

    /// Prepares a scenario with its scene, and uses the machine as `machine` says.
    ///
    /// # Errors
    /// [`Error::Input`] and [`Error::Scenario`] for a scenario that cannot be run, [`Error::Stopped`].
    ///
    /// # Panics
    /// If the machine does not have these instructions.
    pub fn new(
        scenario: Scenario,
        compiled: CompiledScene,
        machine: &Machine,
        observer: Arc<dyn Observer>,
    ) -> Result<Arc<Self>, Error> {
        for warning in &scenario.warnings {
            observer.warn(warning.to_string());
        }
        let CompiledScene {
            scene,
            volumes,
            georeference,
            buildings,
            openings,
            ..
        } = compiled;
        let (scene, gpu) = machine.prepare(scene, &observer)?;
        let scene = with_clutter(&scenario, volumes, scene)?;
        let positions = scenario.positions(&scene, georeference.as_ref())?;
        hints::left_out(&scenario, &positions, &*observer);
        hints::free_edges(&scenario, &scene, &*observer);
        // A material that does not move would else do so in silence.
        materials::velocities(&scenario, &scene)?;
        let world = materials::world(&scenario, scene, &*observer)?;
        observer.check()?;
        let frame = georeference.as_ref().map(Frame::new).transpose();
        let frame = frame.map_err(|error| Error::Input(error.to_string()))?;
        let [tx, rx] = devices(&scenario, &positions, frame.as_ref());
        Ok(Arc::new(Self {
            scenario,
            world,
            georeference,
            frame,
            buildings,
            openings,
            positions,
            tx,
            rx,
            machine: machine.clone(),
            gpu,
            observer,
            beside_paths: OnceLock::new(),
        }))
    }

    /// The same job with other receivers at these points, metres. Each takes the antenna and the name of one of this
    /// job's receivers.
    pub(crate) fn with_receivers(self: &Arc<Self>, points: &[(usize, DVec3)]) -> Arc<Self> {
        let mut scenario = self.scenario.clone();
        let receivers = &mut scenario.receivers;
        receivers.rx = points
            .iter()
            .map(|(rx, _)| receivers.rx[*rx].clone())
            .collect();
        // A receiver without a place has no points around it either.
        let left_out = points.iter().enumerate().filter_map(|(index, (rx, _))| {
            let reason = self.positions.reason(*rx)?;
            Some(LeftOut { rx: index, reason })
        });
        Arc::new(Self {
            scenario,
            positions: Positions {
                tx: self.positions.tx.clone(),
                rx: points.iter().map(|(_, at)| *at).collect(),
                left_out: left_out.collect(),
            },
            rx: points.iter().map(|(rx, _)| self.rx[*rx].clone()).collect(),
            ..self.copy()
        })
    }

    /// The same job with other receivers, which stand at these places, metres.
    pub(crate) fn at_places(&self, receivers: Receivers, places: &[DVec3]) -> Arc<Self> {
        let mut scenario = self.scenario.clone();
        scenario.receivers = receivers;
        let positions = Positions {
            tx: self.positions.tx.clone(),
            rx: places.to_vec(),
            left_out: Vec::new(),
        };
        let [_, rx] = devices(&scenario, &positions, self.frame.as_ref());
        Arc::new(Self {
            scenario,
            positions,
            rx,
            ..self.copy()
        })
    }

    /// The same job with another scenario, which differs from this one in its Tx alone.
    pub(crate) fn with_tx(&self, scenario: Scenario) -> Result<Arc<Self>, Error> {
        let scene = self.world.scene();
        let positions = scenario.positions(scene, self.georeference.as_ref())?;
        let [tx, rx] = devices(&scenario, &positions, self.frame.as_ref());
        Ok(Arc::new(Self {
            scenario,
            positions,
            tx,
            rx,
            ..self.copy()
        }))
    }

    /// The same job with another scenario of the same devices, in a world of the same scene.
    pub(crate) fn with_world(&self, scenario: Scenario, world: World) -> Arc<Self> {
        Arc::new(Self {
            scenario,
            world,
            ..self.copy()
        })
    }

    /// The same job, of which nothing is computed yet.
    fn copy(&self) -> Self {
        Self {
            scenario: self.scenario.clone(),
            world: self.world.clone(),
            georeference: self.georeference.clone(),
            frame: self.frame.clone(),
            buildings: self.buildings.clone(),
            openings: self.openings.clone(),
            positions: self.positions.clone(),
            tx: self.tx.clone(),
            rx: self.rx.clone(),
            machine: self.machine.clone(),
            gpu: self.gpu.clone(),
            observer: Arc::clone(&self.observer),
            beside_paths: OnceLock::new(),
        }
    }

    /// The facts that files of results record about their run.
    pub fn about(&self) -> About {
        About {
            scenario: self.scenario.text.clone(),
            georeference: self.georeference.clone(),
        }
    }

    /// A digest of everything that determines the results, and of `more`. Finished blocks of a run with another digest
    /// are not resumed.
    pub fn digest(&self, more: &[&dyn std::fmt::Debug]) -> [u8; 16] {
        let mut digest = Digest::new();
        // Antenna patterns come from files of their own, and the command line may override the search.
        digest.add(&self.scenario.text);
        self.add_devices(&mut digest);
        digest.add(&self.scenario.paths);
        digest.add(&self.world.materials());
        digest.add(&self.positions);
        digest.add_scene(self.world.scene());
        for value in more {
            digest.add(value);
        }
        digest.finish()
    }
}

impl Job {
    /// Adds all that the scenario says of its devices, wherever its files lie.
    pub(crate) fn add_devices(&self, digest: &mut Digest) {
        for tx in &self.scenario.tx {
            digest.add(&ScenarioTx {
                file: PathBuf::new(),
                ..tx.clone()
            });
        }
        for group in &self.scenario.receivers.groups {
            let mut group = group.clone();
            group.file = PathBuf::new();
            digest.add(&group);
        }
    }
}

/// The devices of a scenario, with their names and positions on earth.
fn devices(scenario: &Scenario, positions: &Positions, frame: Option<&Frame>) -> [Vec<Device>; 2] {
    let device = |name: Option<&str>, index: usize, position: DVec3| {
        let lon_lat = frame.and_then(|frame| frame.to_lon_lat(position.truncate()).ok());
        Device::new(name, index, lon_lat.map(|at| at.to_array()))
    };
    let tx = parallel::map(positions.tx.len(), |index| {
        let name = scenario.tx[index].name.as_deref();
        device(name, index, positions.tx[index])
    });
    let rx = parallel::map(positions.rx.len(), |index| {
        let name = scenario.receivers.rx[index].name.as_deref();
        let device = device(name, index, positions.rx[index]);
        // A receiver without a place in the scene has none on earth.
        let lon_lat = device.lon_lat.filter(|_| positions.has_rx(index));
        Device { lon_lat, ..device }
    });
    [tx, rx]
}

/// `scene` with the clutter of its files and of the scenario.
fn with_clutter(
    scenario: &Scenario,
    mut volumes: Vec<Volume>,
    scene: Arc<Scene>,
) -> Result<Arc<Scene>, Error> {
    let lowest = scene.bounds()[0].z;
    for clutter in &scenario.clutter {
        let volume = clutter.volume(lowest).map_err(|error| {
            let (file, line) = (scenario.file.display(), clutter.line);
            let name = clutter.name.as_ref();
            let name = name.map_or(String::new(), |name| format!(" `{name}`"));
            Error::Input(format!("{file}:{line}: [[clutter]]{name}: {error}"))
        })?;
        volumes.push(volume);
    }
    if volumes.is_empty() {
        return Ok(scene);
    }
    // A scene that others share is copied.
    let scene = Arc::unwrap_or_clone(scene);
    Ok(Arc::new(scene.with_clutter(Clutter::new(volumes))))
}
