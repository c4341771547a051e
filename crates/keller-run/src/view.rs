//! Scenes, scenarios and results become a view for browsers.
//!
//! Results belong to the scenario that was named last. Every scenario, and every further file of paths of one, is a snapshot of its
//! own.

use std::path::Path;
use std::sync::Arc;

use keller::DVec3;
use keller::antenna::{Antenna, Figures};
use keller::clutter::Clutter;
use keller::coverage::Engine;
use keller::geometry::bvh::Ray;
use keller::materials::Material;
use keller::parallel;
use keller::scene::{FaceId, Scene};
use keller::tiles::Tiles;
use keller_geo::crs::{Frame, Georeference};
use keller_io::reports::table::{Device, PathRow};
use keller_io::reports::view::{Earth, ShownDevices, ShownScene, View, ViewResult, ViewTx};
use keller_io::scenario::{CellSettings, CoverageSettings};
use keller_io::store::scene_cache::{CompiledScene, PlacedBuilding};

use crate::coverage::TUBES_LIMIT_DB;
use crate::plotted_tx::main_azimuth;
use crate::{Error, Job, PathRunOptions};

/// Rows and columns of the grid on which longitude and latitude are known.
const EARTH_GRID: usize = 17;

/// Roofs are level to this cosine between their normal and the vertical.
const LEVEL: f32 = 0.5;

/// Rays start so far above and below a face, as a part of the size of the scene.
const OFF: f32 = 1e-5;

/// A view that is being put together.
#[derive(Debug)]
pub struct Viewing {
    view: View,
    /// The label of the last scenario, and whether its snapshot has paths already.
    last: Option<(String, bool)>,
}

/// The scene of a scene file or a scenario, with its materials and place.
struct Known<'a> {
    source: &'a str,
    scene: &'a Scene,
    materials: &'a [Material],
    georeference: Option<&'a Georeference>,
    buildings: &'a [PlacedBuilding],
}

impl Viewing {
    /// A view of the scene of some files, which are called `source`, with the scene's clutter.
    ///
    /// # Errors
    /// [`Error::Input`] for a reference system that is not known.
    pub fn of_scene(title: &str, source: &str, compiled: CompiledScene) -> Result<Self, Error> {
        let scene = Arc::unwrap_or_clone(compiled.scene);
        let scene = scene.with_clutter(Clutter::new(compiled.volumes));
        Self::of(
            title,
            &Known {
                source,
                scene: &scene,
                materials: &[],
                georeference: compiled.georeference.as_ref(),
                buildings: &compiled.buildings,
            },
        )
    }

    /// A view of the scene of a job and of its devices.
    ///
    /// # Errors
    /// [`Error::Input`] for a reference system that is not known.
    pub fn of_job(title: &str, job: &Job) -> Result<Self, Error> {
        let source = label(job);
        let mut own = Self::of(
            title,
            &Known {
                source: &source,
                scene: job.world.scene(),
                materials: job.world.materials(),
                georeference: job.georeference.as_ref(),
                buildings: &job.buildings,
            },
        )?;
        own.add_job(job);
        Ok(own)
    }

    fn of(title: &str, known: &Known) -> Result<Self, Error> {
        let Known {
            source,
            scene,
            materials,
            georeference,
            buildings,
        } = *known;
        let mut view = View::new(title.to_owned(), scene.origin());
        let mut floors: Vec<f64> = buildings
            .iter()
            .flat_map(|building| {
                let floors = building.floors.iter();
                floors.map(|z| building.placement.to_scene(DVec3::new(0.0, 0.0, *z)).z)
            })
            .collect();
        floors.sort_by(f64::total_cmp);
        floors.dedup_by(|a, b| (*a - *b).abs() < 0.1);
        view.set_scene(ShownScene {
            source,
            scene,
            materials,
            roofs: &roofs(scene),
            floors: &floors,
        });
        if let Some(georeference) = georeference {
            let frame = Frame::new(georeference);
            let frame = frame.map_err(|error| Error::Input(error.to_string()))?;
            view.set_earth(earth(&frame, georeference, scene.bounds())?);
        }
        Ok(Self { view, last: None })
    }

    /// Adds the devices of a job as a snapshot. Its scene is not looked at: that of the first scenario is shown.
    pub fn add_job(&mut self, job: &Job) {
        let label = label(job);
        self.add_snapshot(&label, job);
        self.view.set_path_loss_limit(path_loss_limit_db(job));
        self.last = Some((label, false));
    }

    fn add_snapshot(&mut self, label: &str, job: &Job) {
        let (scenario, positions) = (&job.scenario, &job.positions);
        let tx = positions.tx.iter().enumerate().map(|(index, at)| ViewTx {
            name: job.tx[index].name.to_string(),
            at: at.to_array(),
            power_dbm: scenario.tx[index].power_dbm,
            direction_deg: direction_deg(&scenario.tx[index].antenna),
        });
        let places = positions.rx.iter().enumerate();
        let place = |(index, at): (usize, &DVec3)| {
            if positions.has_rx(index) {
                *at
            } else {
                DVec3::NAN
            }
        };
        let is_named = |(index, device): (usize, &Device)| *device.name != *index.to_string();
        let has_names = job.rx.iter().enumerate().any(is_named);
        let names = || {
            job.rx
                .iter()
                .map(|device| device.name.to_string())
                .collect()
        };
        let devices = ShownDevices {
            tx: tx.collect(),
            rx: places.map(place).collect(),
            rx_names: has_names.then(names),
        };
        self.view.add_snapshot(label.to_owned(), &devices);
    }

    /// Adds a file of results of `job`, or of a scene alone.
    ///
    /// # Errors
    /// [`Error::Input`] for a file that cannot be read, does not fit the job, or needs one; [`Error::Stopped`].
    pub fn add_result(&mut self, job: Option<&Arc<Job>>, file: &Path) -> Result<(), Error> {
        if file
            .extension()
            .is_some_and(|own| own.eq_ignore_ascii_case("paths"))
        {
            let job = job.ok_or_else(|| without_scenario(file))?;
            return self.add_paths(job, file, rows_of(job, file)?);
        }
        let result = ViewResult::open(file).map_err(input)?;
        if (result.needs_devices() || result.needs_tiles()) && job.is_none() {
            return Err(without_scenario(file));
        }
        if let Some(job) = job.filter(|_| result.has_paths()) {
            self.begin_paths(job, file);
        }
        let cut = job
            .filter(|_| result.needs_tiles())
            .map(|job| {
                let scene = job.world.scene();
                let tiles = Tiles::new(scene, job.scenario.tiles.tiling(scene))?;
                Ok::<_, Error>((scene, tiles))
            })
            .transpose()?;
        let cut = cut.as_ref().map(|(scene, tiles)| (*scene, tiles));
        self.view.add(result, cut).map_err(input)
    }

    /// Adds paths of a job that are called `name`.
    ///
    /// # Errors
    /// [`Error::Input`] for paths of devices that the job lacks.
    pub fn add_paths(&mut self, job: &Job, name: &Path, rows: Vec<PathRow>) -> Result<(), Error> {
        self.begin_paths(job, name);
        self.view.add_path_rows(name, rows).map_err(input)
    }

    /// Begins a further snapshot where the last one has paths already.
    fn begin_paths(&mut self, job: &Job, file: &Path) {
        let Some((label, has_paths)) = self.last.take() else {
            return;
        };
        if has_paths {
            let name = file.file_name().unwrap_or(file.as_os_str());
            self.add_snapshot(&name.to_string_lossy(), job);
            self.view.repeat_links();
        }
        self.last = Some((label, true));
    }

    /// The view.
    pub fn into_view(mut self) -> View {
        if self.last.is_none() {
            self.view
                .add_snapshot(String::new(), &ShownDevices::default());
        }
        self.view
    }
}

/// The paths in a file of paths, with their fields.
fn rows_of(job: &Arc<Job>, file: &Path) -> Result<Vec<PathRow>, Error> {
    let options = PathRunOptions {
        from: Some(file.to_owned()),
        ..PathRunOptions::default()
    };
    let mut rows = Vec::new();
    for block in job.paths(&options)? {
        rows.extend(job.path_rows(&block?));
    }
    Ok(rows)
}

fn without_scenario(file: &Path) -> Error {
    Error::Input(format!(
        "{}: it does not say where its devices are; accepted: the scenario (.toml) that it is of, named before it",
        file.display()
    ))
}

fn input(error: impl std::fmt::Display) -> Error {
    Error::Input(error.to_string())
}

/// The azimuth in which an antenna sends most, as maps show it, and the downtilt of its strongest direction, degrees. `None` if it
/// sends much the same all round.
fn direction_deg(antenna: &Antenna) -> Option<[f64; 2]> {
    let azimuth = main_azimuth(antenna)?;
    let peak = Figures::of(&antenna.pattern).peak.unit_vector();
    let ahead = antenna.orientation.global_from_local() * peak;
    let downtilt = -ahead.z.clamp(-1.0, 1.0).asin() + antenna.electrical_tilt;
    Some([azimuth.to_degrees(), downtilt.to_degrees()])
}

/// The path loss beyond which the coverage of a job counts gains as nothing, if it is the same for all regions.
fn path_loss_limit_db(job: &Job) -> Option<f64> {
    let Some(CoverageSettings::Cells(regions)) = &job.scenario.coverage else {
        return None;
    };
    let limit = |region: &CellSettings| {
        let is_of_tubes = matches!(region.engine, Engine::Tubes { .. }) && !region.is_engine_auto;
        let own = region.path_loss_limit_db;
        own.or(is_of_tubes.then_some(TUBES_LIMIT_DB))
    };
    let first = limit(regions.first()?)?;
    let is_same = regions.iter().all(|region| limit(region) == Some(first));
    is_same.then_some(first)
}

/// The name of a job's scenario, with its variant.
fn label(job: &Job) -> String {
    let scenario = &job.scenario;
    let file = scenario
        .file
        .file_name()
        .unwrap_or(scenario.file.as_os_str());
    let variant = scenario
        .variant
        .map_or(String::new(), |number| format!("#{number}"));
    format!("{}{variant}", file.to_string_lossy())
}

/// For each face, whether it is a roof: level, not on the ground, something below it and nothing above.
fn roofs(scene: &Scene) -> Vec<bool> {
    let [low, high] = scene.bounds();
    #[expect(clippy::cast_possible_truncation, reason = "a picture needs no more")]
    let off = (OFF * (high - low).length() as f32).max(1e-3);
    let roof = |index: usize| {
        let face = FaceId::from_index(index);
        let normal = scene.face_normal(face).as_vec3();
        if normal.z.abs() < LEVEL || scene.is_ground(face) {
            return false;
        }
        let triangle = scene.face(face).triangles.start;
        let centre = scene.corners(triangle).iter().sum::<DVec3>() / 3.0 - scene.origin();
        let is_free = |up: f32| {
            let direction = up * glam::Vec3::Z;
            let origin = centre.as_vec3() + off * direction;
            scene.index().is_free(&Ray::new(origin, direction))
        };
        is_free(1.0) && !is_free(-1.0)
    };
    parallel::map(scene.faces().len(), roof)
}

/// Longitudes and latitudes around a box.
fn earth(
    frame: &Frame,
    georeference: &Georeference,
    [low, high]: [DVec3; 2],
) -> Result<Earth, Error> {
    let at =
        |k: usize, low: f64, high: f64| low + (high - low) * k as f64 / (EARTH_GRID - 1) as f64;
    let row = |j: usize| {
        let places = (0..EARTH_GRID).map(|i| {
            let place = glam::DVec2::new(at(i, low.x, high.x), at(j, low.y, high.y));
            frame.to_lon_lat(place).map_err(input)
        });
        places.collect::<Result<Vec<_>, Error>>()
    };
    let rows = (0..EARTH_GRID)
        .map(row)
        .collect::<Result<Vec<_>, Error>>()?;
    let of = |axis: usize| {
        rows.iter()
            .map(|row| row.iter().map(|at| at[axis]).collect())
            .collect()
    };
    Ok(Earth {
        crs: georeference.crs.clone(),
        x: [low.x, high.x],
        y: [low.y, high.y],
        longitude: of(0),
        latitude: of(1),
    })
}
