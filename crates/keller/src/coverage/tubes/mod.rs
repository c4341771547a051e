//! Coverage by ray tubes: bundles of directions that follow a sequence of interactions together, to the cells of a
//! region.
//!
//! A tube is a cell of directions at the Tx and a sequence of interactions. Seen from the image of the Tx behind its
//! last reflecting plane, a tube is a straight pyramid. So the centre of a cell of the region lies in a tube if its
//! direction from the image, turned back by all reflections, lies in the cell of directions. This test is exact,
//! compares the same numbers for all tubes of a sequence, and is true for exactly one of them: nothing has to remember
//! which cell has which path. The field in a cell is that of the tube's centre ray, spread over the exact distance to
//! the image.
//!
//! `propagation` follows the tubes through these stages, bundle by bundle. A bundle is all tubes of one sequence of
//! interactions that one launch of the Tx sends there: a launch is one cell of directions, so that memory holds few tubes.
//!
//! 1. `split`: five rays, the centre and the corners, show what a tube meets, and `overlooked_faces` what small faces
//!    lie between them. While it is wider than a cell of the region it is split into quarters. Where its rays disagree
//!    it is cut along the edge or the crossing of planes that lies between them (`boundary_cuts`).
//! 2. `deposit`: the cells whose centres lie in a tube get its gain. Cells of small tubes that still disagree are
//!    verified by rays of their own (`verification`), and those on borders in double precision (`border_validation`).
//! 3. `scatter`: what tubes illuminate of rough walls is collected, and scattered to the cells at the end.
//! 4. `wall_interaction`, `diffraction`: reflected and transmitted tubes leave each wall, diffracted ones each edge
//!    (`edge_visibility`), as new bundles.
//!
//! All stages read the same `Context` and none changes it. Results go to a `Sink`: sums of gains, or tubes recorded for
//! other antennas (`recording`), materials and frequencies (`route_recording`).
//!
//! **Cost:** in proportion to the number of tubes, some ten rays each. That number grows with the power that walls
//! reflect and transmit above the minimum gain. **May miss** behind edges and behind several walls what
//! lies between all rays of a tube.
//!
//! # Source
//! H. Hu, "The Study of a Universal High-performance Radio Propagation Model for 3D Coverage Prediction of Dense
//! Network in Indoor and Outdoor Environment", doctoral thesis, University of Sheffield, 2020, chapters 3 to 5:
//! adaptively split ray tubes. Here a cell belongs to the tube that has its direction, instead of to all tubes that
//! pierce it. Theory page: `tubes`.

mod all_tx;
mod cells;
mod context;
mod interactions;
mod propagation;
mod results;
mod scatter;
mod settings;
mod splitting;
mod tables;
mod tube;
mod waiting_edges;
mod waves;

use std::ops::Range;

use glam::DVec3;

use super::blocked::blocked;
use super::{CellPaths, Multipath, Region};
use crate::antenna::Antenna;
use crate::{Control, Error, Tx, World};
pub use all_tx::coverage;
pub use results::recording::Recording;
pub use results::route_recording::RouteRecording;
pub use settings::{Accuracy, Settings};
pub use splitting::cell_sizes::FineBox;
pub use splitting::ladder::{Ladder, Owner, Splitting};
pub use waves::tx_field::Envelope;

use cells::region_grid::RegionGrid;
use context::Context;
use results::accumulator::GainAccumulator;
use results::recorded_routes::RouteSink;
use results::recorded_tubes::{RecordingSink, ReplaySink};
use results::recording::with_nan;
use results::sink::Sink;
use splitting::cell_sizes::CellSizes;
use tables::edge_lists::EdgeLists;
use tables::edge_spans::EdgeSpans;
use tables::face_neighbours::FaceNeighbours;
use tables::overlaps::Overlaps;
use tables::seams::Seams;
use tables::small_faces::SmallFaces;
use tube::direction_cells::DEEPEST;
use waves::route::TracedWalls;
use waves::tx_field::TxField;

/// A world and a region, ready to be filled part by part.
#[derive(Debug)]
pub struct Tubes {
    world: World,
    /// The world with this accuracy.
    traced: World,
    region: Region,
    settings: Settings,
    ladder: Ladder,
    sizes: CellSizes,
    ground: Vec<f64>,
    /// The cells in which no receiver can be.
    blocked: Vec<usize>,
    face_edges: EdgeLists,
    overlaps: Overlaps,
    seams: Seams,
    small_faces: SmallFaces,
    /// The edges of planes; empty if nothing is diffracted twice.
    plane_edges: EdgeLists,
    /// The parts of edges; empty if nothing is diffracted.
    spans: EdgeSpans,
    /// The neighbours of faces; empty unless the accuracy is [`Accuracy::Exact`] and something is diffracted.
    neighbours: FaceNeighbours,
}

impl Tubes {
    /// Prepares a world and a region.
    pub fn new(world: &World, region: &Region, settings: Settings) -> Self {
        let world = settings.limits.world(world);
        let scene = world.scene();
        let ground = region.ground(scene);
        let blocked = blocked(scene, region, &ground);
        let (spans, neighbours) = if settings.limits.max_diffractions > 0 {
            // Neighbouring faces take a quarter more time behind edges.
            let is_exact = settings.accuracy == Accuracy::Exact;
            let neighbours = is_exact.then(|| FaceNeighbours::new(scene));
            (EdgeSpans::new(scene), neighbours.unwrap_or_default())
        } else {
            Default::default()
        };
        let plane_edges = if settings.limits.max_diffractions > 1 {
            EdgeLists::of_planes(scene)
        } else {
            EdgeLists::default()
        };
        let face_edges = EdgeLists::of_faces(scene);
        let cell_size = region.resolution.min_element();
        Self {
            overlaps: Overlaps::new(scene),
            seams: Seams::new(scene, &face_edges),
            small_faces: SmallFaces::new(scene, &face_edges, settings.accuracy, cell_size),
            traced: settings.accuracy.world(&world),
            world: world.clone(),
            region: region.clone(),
            settings,
            ladder: Ladder::default(),
            sizes: CellSizes::uniform(cell_size),
            ground,
            blocked,
            face_edges,
            plane_edges,
            spans,
            neighbours,
        }
    }

    /// These tubes with a simpler way of splitting, for comparison.
    ///
    /// # Panics
    /// If a fixed level is deeper than 20, where tubes are 2e-6 rad wide.
    ///
    /// # Source
    /// H. Hu, doctoral thesis, University of Sheffield, 2020, chapters 4 and 5.
    #[must_use]
    pub fn with_ladder(mut self, ladder: Ladder) -> Self {
        let level = ladder.first_level().unwrap_or(0);
        assert!(
            level <= DEEPEST,
            "tubes of level {level}, but the deepest is {DEEPEST}"
        );
        self.ladder = ladder;
        self
    }

    /// The region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Whether waves may be scattered, which [`Recording`] leaves out.
    pub fn scatters(&self) -> bool {
        self.settings.limits.max_scatterings > 0
    }

    /// Heights as [`Coverage::ground`](super::Coverage::ground) has them.
    pub fn ground(&self) -> &[f64] {
        &self.ground
    }

    /// Linear path gains of a Tx in the cells with the numbers `cells`, as [`Coverage::path_gain`](super::Coverage::path_gain) has them. They are
    /// the same, bit for bit, whichever other cells are asked for. [`Devices::tx`](crate::paths::Devices::tx) must accept `tx`.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn gains(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<f64>, Error> {
        let sums = GainAccumulator::new(cells.clone(), self.min_sum());
        let from = (tx.position, TxField::Antenna(&tx.antenna));
        self.trace(self.walls(), from, Sink::Gains(&sums), control)?;
        let mut gains = sums.into_gains();
        for cell in self.blocked_in(&cells) {
            gains[cell - cells.start] = f64::NAN;
        }
        Ok(gains)
    }

    /// Gains and further figures of the paths of a Tx to the cells with the numbers `cells`, for paths of
    /// [`Settings::min_gain`] or more. As with [`Self::gains`], they are the same whichever other cells are asked for.
    /// They need some 30 times its memory.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    ///
    /// # Source
    /// H. Hu, as above, section 5.6.5. Theory page: `tubes`.
    pub fn multipath(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Multipath, Error> {
        let sums = GainAccumulator::with_paths(cells.clone(), self.min_sum());
        let from = (tx.position, TxField::Antenna(&tx.antenna));
        self.trace(self.walls(), from, Sink::Gains(&sums), control)?;
        let distance = |cell| {
            let centre = self.region.centre(self.region.cell(cell), &self.ground)?;
            Some(centre.distance(tx.position))
        };
        let mut multipath = sums.into_multipath(distance);
        for cell in self.blocked_in(&cells) {
            multipath.path_gain[cell - cells.start] = f64::NAN;
            multipath.cells[cell - cells.start] = CellPaths::default();
        }
        Ok(multipath)
    }

    /// Traces the contributions of any antenna of `envelope` at `position` to the cells with the numbers `cells`.
    /// [`Devices::tx`](crate::paths::Devices::tx) must accept `position`.
    ///
    /// Diffuse scattering is left out.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells, or more than 2^32 are asked for.
    pub fn record(
        &self,
        position: DVec3,
        envelope: Envelope<'_>,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Recording, Error> {
        let sink = RecordingSink::new(cells.clone());
        let blocked = self.blocked_in(&cells).to_vec();
        self.trace_any(
            self.walls(),
            position,
            envelope,
            Sink::Tubes(&sink),
            control,
        )?;
        let least = [self.settings.min_gain, self.min_sum()];
        Ok(Recording::of_pages(sink.into_pages(), blocked, least))
    }

    /// The recording of [`Self::record`] for several worlds: the same scene with other materials, or at another
    /// frequency.
    ///
    /// The trace leaves out paths that are weaker than [`Settings::min_gain`] in all of them and in its own world, with
    /// the gain that a trace of one computes. It follows more than such a trace, because it counts both polarisations
    /// as the stronger one.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// In the cases of [`Self::record`]; also if a world does not [share the scene](World::shared_scene), and if the
    /// tubes deposit in [pierced cells](Owner::Pierced).
    pub fn record_for(
        &self,
        position: DVec3,
        envelope: Envelope<'_>,
        worlds: &[World],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<RouteRecording, Error> {
        assert!(
            !self.ladder.has_pierced_cells(),
            "tubes that deposit in pierced cells have no routes"
        );
        let limits = &self.settings.limits;
        let worlds: Vec<World> = worlds.iter().map(|world| limits.world(world)).collect();
        let all: Vec<&World> = std::iter::once(&self.world).chain(&worlds).collect();
        let strongest = World::strongest(&all);
        let sink = RouteSink::new(cells.clone());
        let blocked = self.blocked_in(&cells).to_vec();
        let accuracy = self.settings.accuracy;
        let exact: Vec<World> = if strongest.surfaces().variants().is_empty() {
            vec![strongest.clone()]
        } else {
            all.into_iter().cloned().collect()
        };
        let walls = TracedWalls {
            world: &accuracy.world(&strongest),
            exact: &exact,
        };
        self.trace_any(walls, position, envelope, Sink::Routes(&sink), control)?;
        let least = [self.settings.min_gain, self.min_sum()];
        let of_world = (&self.world, self.settings.accuracy);
        Ok(RouteRecording::new(of_world, sink, blocked, least))
    }

    /// Linear path gains of several antennas at one place, antenna by antenna, in the cells with the numbers `cells`.
    /// One trace serves all antennas, and none of it is kept. The gains are those of a [`Recording`] with these
    /// antennas as its envelope, bit for bit.
    ///
    /// Diffuse scattering is left out.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells, or more than 2^32 are asked for.
    pub fn gains_of_antennas(
        &self,
        position: DVec3,
        antennas: &[Antenna],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let min_gain = self.settings.min_gain;
        let sink = ReplaySink::new(antennas, cells.clone(), min_gain, self.min_sum());
        let envelope = Envelope::Antennas(antennas);
        self.trace_any(
            self.walls(),
            position,
            envelope,
            Sink::Tubes(&sink),
            control,
        )?;
        let blocked = self.blocked_in(&cells);
        let gains = |sums| with_nan(sums, blocked, cells.start);
        Ok(sink.into_sums().map(gains).collect())
    }

    fn trace_any(
        &self,
        walls: TracedWalls<'_>,
        position: DVec3,
        envelope: Envelope<'_>,
        sink: Sink<'_>,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        let max_gains = envelope.max_gains();
        let from = (position, TxField::Envelope(&max_gains));
        self.trace(walls, from, sink, control)
    }

    fn walls(&self) -> TracedWalls<'_> {
        TracedWalls {
            world: &self.traced,
            exact: std::slice::from_ref(&self.world),
        }
    }

    /// The smallest gain for which a cell counts as more than zero, linear.
    fn min_sum(&self) -> f64 {
        self.settings.min_gain.max(1e-20)
    }

    /// Passes all paths from a position with a field to a sink, between walls of its own scene.
    fn trace(
        &self,
        walls: TracedWalls<'_>,
        (position, tx_field): (DVec3, TxField<'_>),
        sink: Sink<'_>,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        control.check()?;
        let grid = RegionGrid::new(&self.region, &self.ground);
        let context = Context {
            scene: self.world.scene(),
            walls,
            transparency: walls.world.transparency(),
            face_edges: &self.face_edges,
            overlaps: &self.overlaps,
            seams: &self.seams,
            small_faces: &self.small_faces,
            plane_edges: &self.plane_edges,
            edge_spans: &self.spans,
            face_neighbours: &self.neighbours,
            grid: &grid,
            sizes: &self.sizes,
            limits: &self.settings.limits,
            fineness: self.settings.accuracy.fineness(),
            ladder: self.ladder,
            min_gain: self.settings.min_gain,
            tx_position: position,
            tx_field,
        };
        propagation::trace(&context, sink, control)
    }

    /// The cells among `cells` in which no receiver can be.
    fn blocked_in(&self, cells: &Range<usize>) -> &[usize] {
        assert!(
            cells.end <= self.region.num_cells(),
            "the region has {} cells",
            self.region.num_cells()
        );
        let from = self.blocked.partition_point(|cell| *cell < cells.start);
        let to = self.blocked.partition_point(|cell| *cell < cells.end);
        &self.blocked[from..to]
    }
}
