//! One trace for many materials and frequencies, with any antennas at one place: what-if studies, and calibration on
//! maps.
//!
//! The route of tubes does not depend on materials either, except that weak tubes are not followed. So one trace serves
//! several worlds if its walls keep as much of a wave as those of any of these worlds. It keeps the walls and edges of
//! each tube, and a replay carries the fields of the Tx along them once more.
//!
//! **Cost** of a replay: for each tube a reflection or transmission at each of its walls, and behind an edge one
//! diffraction for each cell, behind several edges one exact path. No rays are traced. **Loses** little: a trace in one
//! world may split tubes elsewhere, so gains differ within the error of tubes.

use std::ops::Range;

use super::accumulator::GainAccumulator;
use super::recorded_routes::{RoutePage, RouteSink};
use super::recording::{Recording, with_nan};
use crate::World;
use crate::antenna::Antenna;
use crate::coverage::tubes::settings::Accuracy;
use crate::coverage::tubes::waves::route::TracedWalls;
use crate::parallel;

/// All tubes of a place with their routes, to be replayed with other materials, frequencies and antennas:
/// [`Tubes::record_for`](crate::coverage::tubes::Tubes::record_for).
///
/// A recording takes 8 bytes for every cell of every tube and 16 for every tube. Behind an edge, with the accuracy
/// `exact`, and unless all antennas are known to be isotropic, it takes 24 bytes for every cell of every tube. Routes add to this, most where many of them reach few
/// cells: see [`Self::num_bytes`]. If a region would take too much memory, record one block of cells after the other.
///
/// ```
/// use glam::DVec2;
/// use keller::antenna::Antenna;
/// use keller::coverage::{Levels, Region, tubes};
/// use keller::materials::{Material, Materials, Medium};
/// use keller::paths::Limits;
/// use keller::scene::{Mesh, Scene};
/// use keller::{Control, DVec3, Frequency, World};
///
/// let mut mesh = Mesh::default();
/// let ground = [[0., 0.], [40., 0.], [40., 40.], [0., 40.]];
/// mesh.add_polygon("ground", &ground.map(|[x, y]| DVec3::new(x, y, 0.)));
/// let ground = |relative_permittivity| {
///     let medium = Medium::Constant { relative_permittivity, conductivity: 0.01 };
///     Materials::from([("ground", Material::HalfSpace(medium))])
/// };
/// let dry = World::new(Scene::new(&mesh)?, &ground(4.0), Frequency::from_ghz(2.0)?)?;
/// let wet = dry.with_materials(&ground(25.0))?;
///
/// let region = Region {
///     min: DVec2::ZERO,
///     axis: DVec2::X,
///     resolution: DVec2::splat(2.0),
///     num_columns: [20; 2],
///     levels: Levels::AboveSea(vec![1.5]),
/// };
/// let settings = tubes::Settings {
///     limits: Limits::default(),
///     accuracy: tubes::Accuracy::Default,
///     min_gain: 1e-12,
/// };
/// let tubes = tubes::Tubes::new(&dry, &region, settings);
/// let (tx, envelope) = (DVec3::new(11.0, 17.0, 6.0), tubes::Envelope::Gain(1.0));
/// let recording = tubes.record_for(tx, envelope, &[wet.clone()], 0..400, &Control::default())?;
/// let [dry, wet] = [&dry, &wet].map(|world| recording.gains_in(world, &Antenna::default()));
/// assert!(dry[0] > 0.0 && wet[0] != dry[0]);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug)]
pub struct RouteRecording {
    /// A world with the scene.
    world: World,
    accuracy: Accuracy,
    cells: Range<usize>,
    /// The cells in which no receiver can be.
    blocked: Vec<usize>,
    /// [`crate::coverage::tubes::Settings::min_gain`], and the smallest gain that counts as more than zero, linear.
    least: [f64; 2],
    pages: Vec<RoutePage>,
}

impl RouteRecording {
    /// The recording that a trace has left in a sink. `least` are the smallest gain of a path, and the smallest that
    /// counts as more than zero.
    pub(in crate::coverage::tubes) fn new(
        (world, accuracy): (&World, Accuracy),
        sink: RouteSink,
        blocked: Vec<usize>,
        least: [f64; 2],
    ) -> Self {
        let (cells, pages) = sink.into_pages();
        Self {
            world: world.clone(),
            accuracy,
            cells,
            blocked,
            least,
            pages,
        }
    }

    /// Linear path gains of an antenna in a world, in the cells that were recorded, in the order of their numbers, as
    /// [`Tubes::gains`](crate::coverage::tubes::Tubes::gains) has them. The recording must have been made for this
    /// world and antenna, or for stronger ones, or weak paths are missing.
    ///
    /// # Panics
    /// If the world does not [share the scene](World::shared_scene) of the recording. Worlds that are made from each
    /// other do.
    pub fn gains_in(&self, world: &World, antenna: &Antenna) -> Vec<f64> {
        let world = &self.for_its_paths(world);
        let walls = TracedWalls {
            world: &self.accuracy.world(world),
            exact: std::slice::from_ref(world),
        };
        let [min_gain, min_sum] = self.least;
        let sums = GainAccumulator::new(0..self.cells.len(), min_sum);
        parallel::each(self.pages.len(), |n| {
            let page = self.pages[n].between(walls);
            page.replay(antenna, min_gain, &sums);
        });
        with_nan(sums, &self.blocked, self.cells.start)
    }

    /// The recording of one world, for many antennas. Its gains are those of [`Self::gains_in`], bit for bit.
    ///
    /// # Panics
    /// In the cases of [`Self::gains_in`].
    pub fn in_world(&self, world: &World) -> Recording {
        let world = &self.for_its_paths(world);
        let walls = TracedWalls {
            world: &self.accuracy.world(world),
            exact: std::slice::from_ref(world),
        };
        let pages = parallel::map_slice(&self.pages, |page| {
            let mut page = page.between(walls);
            page.shrink();
            page
        });
        let (cells, blocked) = (self.cells.clone(), self.blocked.clone());
        Recording::of_pages((cells, pages), blocked, self.least)
    }

    /// Bytes of memory that the recording takes.
    pub fn num_bytes(&self) -> usize {
        self.pages.iter().map(RoutePage::num_bytes).sum()
    }

    /// The number of tubes, and the number of cells that they reach together. Every cell of a tube counts as a tube
    /// behind an edge, and with the accuracy `exact`.
    pub fn counts(&self) -> [usize; 2] {
        let counts = self.pages.iter().map(RoutePage::counts);
        counts.fold([0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
    }

    /// A world of its scene, for paths that may pass as many walls as those of the recording.
    fn for_its_paths(&self, world: &World) -> World {
        self.world.assert_same_scene(world);
        let passages = self.world.surfaces().passages();
        world.clone().with_passages(passages)
    }
}
