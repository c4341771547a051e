//! The main job: a ray's life from the scenario to table rows, as the list of its steps. [`trace`] are those that every command on
//! paths has in common.

use keller::clutter::{Clutter, Volume};
use keller::em::Surfaces;
use keller::field::transport;
use keller::geometry::bvh::Dispatch;
use keller::materials::Material;
use keller::paths::{Path, Transparency, check_devices};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3};
use keller_geo::crs::{Frame, Georeference};
use keller_io::Imported;
use keller_io::scenario::{Positions, Scenario, SceneSettings};
use keller_io::table::{About, Device, PathRow};
use rayon::prelude::*;

use crate::args::{DispatchArg, MachineArgs};
use crate::ends::{Ends, Points};
use crate::environment::finder;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::hints;
use crate::interrupt;
use crate::materials::{materials, surfaces};
use crate::prepared::prepare;
use crate::progress::Progress;
use crate::summary::{Stage, Summary};
use crate::threshold::{for_search, keep_strong};

/// Rows that are computed together before they are written.
const CHUNK: usize = 16_384;

/// A scene with its paths, ready for fields.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) scene: Scene,
    /// What every face is made of, by [`keller::scene::MaterialId`].
    pub(crate) materials: Vec<Material>,
    /// The same at the carrier.
    pub(crate) surfaces: Surfaces,
    /// Where on earth its coordinates are, if a scene file says so.
    pub(crate) georeference: Option<Georeference>,
    /// Where the devices stand.
    pub(crate) positions: Positions,
    /// What tables tell of the devices.
    pub(crate) devices: Devices,
    /// The points that paths run between.
    pub(crate) ends: Ends,
    /// Sorted by (tx, rx) of the scenario, then by their points, then by length.
    pub(crate) paths: Vec<Path>,
    pub(crate) threads: usize,
}

/// What tables tell of the devices of a scenario beside their numbers.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) tx: Vec<Device>,
    pub(crate) rx: Vec<Device>,
}

/// A scene, ready for paths.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) scene: Scene,
    /// What every face is made of, by [`keller::scene::MaterialId`].
    pub(crate) materials: Vec<Material>,
    /// The same at the carrier.
    pub(crate) surfaces: Surfaces,
    /// Where on earth its coordinates are, if a scene file says so.
    pub(crate) georeference: Option<Georeference>,
    /// Where the devices stand in it.
    pub(crate) positions: Positions,
    pub(crate) threads: usize,
}

/// Steps 1 to 6: from the scenario to its paths between `points`.
pub(crate) fn trace(
    scenario: &Scenario,
    points: Points,
    machine: MachineArgs,
    outputs: &Outputs,
    progress: &Progress,
) -> Result<Traced, Failure> {
    let Place {
        scene,
        materials,
        surfaces,
        georeference,
        positions,
        threads,
    } = place(scenario, machine, outputs, progress)?;
    let ends = Ends::new(points, scenario, &positions)?;
    let devices = devices(scenario, &positions, georeference.as_ref())?;

    progress.report(Stage::Search, 0.0);
    hints::coinciding(scenario, &positions, progress);
    let paths = paths(scenario, &ends, &scene, &surfaces, progress)?;
    hints::unreached(
        scenario, &scene, &materials, &positions, &ends, &paths, progress,
    );
    let mut paths = keep_strong(scenario, &ends, &scene, &surfaces, paths);
    // Those of one pair of points stay in their order.
    paths.par_sort_by_key(|path| ends.link(path));
    Ok(Traced {
        scene,
        materials,
        surfaces,
        georeference,
        positions,
        devices,
        ends,
        paths,
        threads,
    })
}

/// The devices of a scenario, by name and by where on earth they stand.
fn devices(
    scenario: &Scenario,
    positions: &Positions,
    georeference: Option<&Georeference>,
) -> Result<Devices, Failure> {
    let frame = georeference.map(Frame::new).transpose();
    let frame = frame.map_err(|error| Failure::Input(error.to_string()))?;
    let device = |name: Option<&str>, index: usize, position: DVec3| {
        let frame = frame.as_ref();
        let lon_lat = frame.and_then(|frame| frame.to_lon_lat(position.truncate()).ok());
        Device::new(name, index, lon_lat.map(|at| at.to_array()))
    };
    let tx = positions.tx.par_iter().enumerate();
    let tx = tx.map(|(index, at)| device(scenario.tx[index].name.as_deref(), index, *at));
    let rx = positions.rx.par_iter().enumerate();
    let rx = rx.map(|(index, at)| {
        let name = scenario.receivers.rx[index].name.as_deref();
        let device = device(name, index, *at);
        // One without a place in the scene has none on earth.
        let lon_lat = device.lon_lat.filter(|_| positions.has_rx(index));
        Device { lon_lat, ..device }
    });
    Ok(Devices {
        tx: tx.collect(),
        rx: rx.collect(),
    })
}

/// Steps 1 and 2: the scene of a scenario, what it is made of, and where the devices stand in it. No file that the scene is read from may be
/// one of `outputs`.
pub(crate) fn place(
    scenario: &Scenario,
    machine: MachineArgs,
    outputs: &Outputs,
    progress: &Progress,
) -> Result<Place, Failure> {
    let threads = use_threads(machine.threads)?;
    for warning in &scenario.warnings {
        progress.warn(warning);
    }

    let prepared = prepare(&scenario.scene, outputs, progress, Failure::from)?;
    let georeference = prepared.georeference;
    let scene = prepared.scene;
    let scene = with_dispatch(scene, machine.dispatch)?;
    let scene = with_clutter(scenario, prepared.volumes, scene)?;
    let positions = scenario.positions(&scene, georeference.as_ref())?;
    hints::left_out(scenario, &positions, progress);
    hints::free_edges(scenario, &scene, progress);
    let materials = materials(scenario, &prepared.materials, &scene, progress)?;
    let surfaces = surfaces(scenario, &materials, progress)?;
    interrupt::check()?;
    Ok(Place {
        scene,
        materials,
        surfaces,
        georeference,
        positions,
        threads,
    })
}

/// What goes into the files of results beside them.
pub(crate) fn about(scenario: &Scenario, georeference: Option<&Georeference>) -> About {
    About {
        scenario: scenario.text.clone(),
        georeference: georeference.cloned(),
    }
}

/// Step 2: the scene of a mesh.
pub(crate) fn scene(mesh: &Mesh, progress: &Progress) -> Result<Scene, keller::Error> {
    progress.report(Stage::Scene, 0.0);
    let report = |_, done| progress.report(Stage::Scene, done);
    let control = Control {
        cancelled: Some(interrupt::flag()),
        progress: Some(&report),
    };
    Scene::with_control(mesh, &control)
}

/// Step 7, and rows to `write`: paths between devices, not between elements.
pub(crate) fn write_rows(
    scenario: &Scenario,
    traced: &Traced,
    progress: &Progress,
    write: &mut dyn FnMut(PathRow) -> Result<(), Failure>,
) -> Result<Summary, Failure> {
    let paths = &traced.paths;
    let mut summary = Summary {
        search: scenario.paths.search(&traced.scene),
        num_paths: 0,
        num_rx: scenario.receivers.rx.len(),
        num_reached: 0,
        threads: traced.threads,
        clock: progress.clock(),
    };
    let mut is_reached = vec![false; summary.num_rx];
    for (i, chunk) in paths.chunks(CHUNK).enumerate() {
        interrupt::check()?;
        let done = (i * CHUNK) as f64 / paths.len() as f64;
        progress.report(Stage::Field, done);
        let rows: Vec<PathRow> = chunk
            .par_iter()
            .map(|path| row(scenario, traced, path))
            .collect();
        progress.report(Stage::Write, done);
        for row in rows {
            summary.num_paths += 1;
            is_reached[row.rx as usize] = true;
            write(row)?;
        }
    }
    summary.num_reached = is_reached.iter().filter(|reached| **reached).count();
    summary.clock = progress.clock();
    Ok(summary)
}

/// The triangles of all scene files; what importers found odd goes to standard error.
pub(crate) fn import(settings: &SceneSettings, progress: &Progress) -> Result<Imported, Failure> {
    let imported = keller_io::import::import_many_with(&settings.files, settings.meshes)?;
    for warning in &imported.warnings {
        progress.warn(warning);
    }
    Ok(imported)
}

/// Steps 3 to 6.
fn paths(
    scenario: &Scenario,
    ends: &Ends,
    scene: &Scene,
    surfaces: &Surfaces,
    progress: &Progress,
) -> Result<Vec<Path>, Failure> {
    let transparency = Transparency::of(scene, surfaces);
    if scenario.paths.limits.max_scatterings > 0 && !transparency.scatters.contains(&true) {
        progress.warn(format!(
            "{}: [paths] max_scatterings has no effect: no material of the scene has `scattering`",
            scenario.file.display()
        ));
    }
    if scenario.paths.limits.max_scatterings > 1 {
        progress.warn(format!(
            "{}: [paths] max_scatterings = {}: paths are scattered once; only coverages of surfaces (engine = \"tiles\") take more",
            scenario.file.display(),
            scenario.paths.limits.max_scatterings
        ));
    }
    let report = |stage, done| match stage {
        keller::Stage::Scene => progress.report(Stage::Scene, done),
        keller::Stage::Search => progress.report(Stage::Search, done),
        keller::Stage::Connect => progress.report(Stage::Connect, done),
        keller::Stage::Diffract => progress.report(Stage::Diffract, done),
        keller::Stage::Scatter => progress.report(Stage::Scatter, done),
        keller::Stage::Coverage => progress.report(Stage::Coverage, done),
        keller::Stage::Visibility => progress.report(Stage::Visibility, done),
    };
    let control = Control {
        cancelled: Some(interrupt::flag()),
        progress: Some(&report),
    };
    let failure = |error| ends.failure(scenario, error);
    let (tx, rx) = (ends.tx.positions(), ends.rx.positions());
    check_devices(scene, tx, rx).map_err(failure)?;
    let threshold = for_search(scenario, surfaces);
    let finder = finder(scenario, scene, &transparency, threshold, progress)?;
    let mut paths = Vec::new();
    for (index, position) in tx.iter().enumerate() {
        let from = finder
            .look_from(index, *position, &control)
            .map_err(failure)?;
        paths.extend(finder.paths(&from, rx, &control).map_err(failure)?);
    }
    Ok(paths)
}

/// Step 7: the row of a path.
fn row(scenario: &Scenario, traced: &Traced, path: &Path) -> PathRow {
    let field = transport(path, &traced.scene, &traced.surfaces);
    let (tx, rx) = traced.ends.link(path);
    let gain = field.gain(&scenario.tx[tx].antenna, scenario.receivers.antenna(rx));
    // Devices without a place have no point: the numbers of points are not those of devices.
    let number = |device| u32::try_from(device).expect("tables number devices in 32 bits");
    PathRow {
        tx: number(tx),
        rx: number(rx),
        tx_device: traced.devices.tx[tx].clone(),
        rx_device: traced.devices.rx[rx].clone(),
        ..PathRow::new(path, &field, gain)
    }
}

/// `scene` with the clutter of its files and of the scenario.
fn with_clutter(
    scenario: &Scenario,
    mut volumes: Vec<Volume>,
    scene: Scene,
) -> Result<Scene, Failure> {
    let lowest = scene.bounds()[0].z;
    for clutter in &scenario.clutter {
        let volume = clutter.volume(lowest).map_err(|error| {
            let (file, line) = (scenario.file.display(), clutter.line);
            let name = clutter.name.as_ref();
            let name = name.map_or(String::new(), |name| format!(" `{name}`"));
            Failure::Input(format!("{file}:{line}: [[clutter]]{name}: {error}"))
        })?;
        volumes.push(volume);
    }
    Ok(scene.with_clutter(Clutter::new(volumes)))
}

/// Uses `threads` threads, or one a core, and says how many that are.
pub(crate) fn use_threads(threads: Option<u16>) -> Result<usize, Failure> {
    if let Some(threads) = threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(|error| Failure::Internal(error.into()))?;
    }
    Ok(rayon::current_num_threads())
}

/// `scene` with ray intersection in the instructions asked for.
pub(crate) fn with_dispatch(scene: Scene, dispatch: Option<DispatchArg>) -> Result<Scene, Failure> {
    let dispatch = match dispatch {
        None => return Ok(scene),
        Some(DispatchArg::Portable) => Dispatch::Portable,
        Some(DispatchArg::Avx2) => Dispatch::Avx2,
        Some(DispatchArg::Avx512) => Dispatch::Avx512,
    };
    if !dispatch.is_available() {
        return Err(Failure::Input(format!(
            "--dispatch: this machine has no {dispatch:?}"
        )));
    }
    Ok(scene.with_dispatch(dispatch))
}
