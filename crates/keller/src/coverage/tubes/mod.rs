//! Coverage by tubes: bundles of directions that follow a sequence of walls together, and the cells whose centres lie in them.
//!
//! A tube is a cell of directions of the transmitter and a sequence of mirrors. Seen from the last image of the transmitter it is a
//! straight pyramid, so a cell's centre lies in it if its direction from there, turned back by all mirrors, lies in the cell of
//! directions: exact, the same for all tubes of a sequence, and true for exactly one of them. So no table of who has which path is
//! kept. The field is that of the tube's centre ray but for the distance, which is the exact one to the image.
//!
//! Five rays, the centre and the corners, say what a tube meets. While it is wider than a cell it is split and its quarters start again
//! at the last wall, from the image; where its rays disagree, or an edge of
//! what they see comes between them, it is cut along that edge. Tubes that still disagree when
//! they are small go all the ways of their rays, and every cell that they then reach is looked at by itself.
//!
//! # Source
//! H. Hu, "The Study of a Universal High-performance Radio Propagation Model for 3D Coverage Prediction of Dense Network in Indoor and
//! Outdoor Environment", doctoral thesis, University of Sheffield, 2020, chapters 3 to 5: adaptively split ray tubes. Ownership
//! by direction stands in place of the cells that a tube pierces. Theory page: `tubes`.

mod accumulator;
mod adjacent_walls;
mod border_validation;
mod boundary_cuts;
mod bundle;
mod cell_candidate;
mod clipped_cell;
mod context;
mod contribution;
mod deposit;
mod diffraction;
mod direction_cells;
mod edge_spans;
mod edge_visibility;
mod face_edges;
mod face_neighbours;
mod fineness;
mod gain_by_distance;
mod interaction_budget;
mod ladder;
mod leaf;
mod path_accumulator;
mod pierced_cells;
mod propagation;
mod quarter_merge;
mod ray_cache;
mod ray_reach;
mod recorded_tubes;
mod recording;
mod region_grid;
mod scatter;
mod segment_rays;
mod sink;
mod split;
mod transport;
mod tube_matrix;
mod tube_width;
mod tx_field;
mod uncertain_segments;
mod unfolding;
mod verification;
mod virtual_source;
mod wall;
mod wall_interaction;

use std::ops::Range;

use glam::DVec3;

use super::blocked::blocked;
use super::points::Transmitter;
use super::{CellPaths, Coverage, Multipath, Region};
use crate::em::Surfaces;
use crate::paths::{Limits, Transparency, check_devices};
use crate::scene::Scene;
use crate::{Control, Error, Stage};
pub use ladder::{Ladder, Owner, Splitting};
pub use recording::Recording;
pub use tx_field::Envelope;

use accumulator::GainAccumulator;
use context::Context;
use edge_spans::EdgeSpans;
use face_edges::FaceEdges;
use face_neighbours::FaceNeighbours;
use fineness::Fineness;
use region_grid::RegionGrid;
use sink::Sink;
use tx_field::TxField;

/// What a coverage by tubes may be.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// How deep and of what kinds: of diffractions one is followed, and a path ends with what it is scattered to.
    pub limits: &'a Limits,
    /// How finely tubes are split.
    pub accuracy: Accuracy,
    /// Paths of less gain than this are not followed, linear.
    pub least_gain: f64,
    /// How tubes are split, and whose cells they are; the default but for comparisons.
    pub ladder: Ladder,
}

/// How finely tubes are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accuracy {
    /// Rough and fast.
    Quick,
    /// What a planner needs.
    #[default]
    Default,
    /// Slow, and as right as tubes get.
    Exact,
}

impl Accuracy {
    fn fineness(self) -> Fineness {
        match self {
            Self::Quick => Fineness {
                widest: 2.0,
                finest: 1.0,
                is_thorough: false,
                patch: 0.7,
                whole_patch: f64::INFINITY,
            },
            Self::Default => Fineness {
                widest: 1.0,
                finest: 0.25,
                is_thorough: false,
                patch: 0.5,
                whole_patch: 0.3,
            },
            Self::Exact => Fineness {
                widest: 1.0,
                finest: 0.0625,
                is_thorough: true,
                patch: 0.25,
                whole_patch: 0.03,
            },
        }
    }
}

/// The path gains of every transmitter in every cell of `region`.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::DevicePosition`] for transmitters that cannot be used, [`Error::Cancelled`].
pub fn coverage(
    scene: &Scene,
    surfaces: &Surfaces,
    tx: &[Transmitter],
    region: Region,
    settings: &Settings<'_>,
    control: &Control<'_>,
) -> Result<Coverage, Error> {
    let positions: Vec<DVec3> = tx.iter().map(|tx| tx.position).collect();
    check_devices(scene, &positions, &positions)?;
    let tubes = Tubes::new(scene, surfaces, &region, *settings);
    let num_cells = region.num_cells();
    let mut path_gain = Vec::with_capacity(tx.len() * num_cells);
    for (index, sender) in tx.iter().enumerate() {
        let report = |stage, done: f64| {
            control.report(stage, (index as f64 + done) / tx.len() as f64);
        };
        let of_tx = Control {
            progress: Some(&report),
            ..*control
        };
        path_gain.extend(tubes.gains(sender, 0..num_cells, &of_tx)?);
    }
    control.report(Stage::Coverage, 1.0);
    let ground = tubes.ground;
    Ok(Coverage {
        region,
        ground,
        path_gain,
        num_tx: tx.len(),
    })
}

/// A scene and a region, ready to be filled part by part.
#[derive(Debug)]
pub struct Tubes<'a> {
    scene: &'a Scene,
    surfaces: &'a Surfaces,
    region: &'a Region,
    settings: Settings<'a>,
    ground: Vec<f64>,
    /// Where no receiver can be.
    blocked: Vec<usize>,
    /// Of the walls.
    transparency: Transparency,
    edges_of_faces: FaceEdges,
    /// Empty where nothing is diffracted.
    spans: EdgeSpans,
    /// Empty but with [`Accuracy::Exact`] where something is.
    neighbours: FaceNeighbours,
}

impl<'a> Tubes<'a> {
    /// Of a scene, over a region.
    pub fn new(
        scene: &'a Scene,
        surfaces: &'a Surfaces,
        region: &'a Region,
        settings: Settings<'a>,
    ) -> Self {
        let ground = region.ground(scene);
        let blocked = blocked(scene, region, &ground);
        let (spans, neighbours) = if settings.limits.max_diffractions > 0 {
            // Looking around takes a quarter of the time again behind edges.
            let is_exact = settings.accuracy == Accuracy::Exact;
            let neighbours = is_exact.then(|| FaceNeighbours::new(scene));
            (EdgeSpans::new(scene), neighbours.unwrap_or_default())
        } else {
            Default::default()
        };
        Self {
            scene,
            surfaces,
            region,
            settings,
            ground,
            blocked,
            transparency: Transparency::of(scene, surfaces),
            edges_of_faces: FaceEdges::new(scene),
            spans,
            neighbours,
        }
    }

    /// The region.
    pub fn region(&self) -> &'a Region {
        self.region
    }

    /// Whether waves may be scattered, which [`Recording`] leaves out.
    pub fn scatters(&self) -> bool {
        self.settings.limits.max_scatterings > 0
    }

    /// [`Coverage::ground`]
    pub fn ground(&self) -> &[f64] {
        &self.ground
    }

    /// Linear path gains of a transmitter in the cells with the numbers `cells`, as [`Coverage::path_gain`] has them. They are the
    /// same whatever other cells are asked for, bit by bit. `tx` must have passed [`check_devices`].
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn gains(
        &self,
        tx: &Transmitter,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<f64>, Error> {
        let sums = GainAccumulator::new(cells.clone(), self.least());
        let tx_field = TxField::By(&tx.antenna);
        self.trace(tx.position, tx_field, Sink::Gains(&sums), control)?;
        let mut gains = sums.into_gains();
        for cell in self.blocked_in(&cells) {
            gains[cell - cells.start] = f64::NAN;
        }
        Ok(gains)
    }

    /// What the paths of a transmitter to the cells with the numbers `cells` are together: paths of [`Settings::least_gain`] or more.
    /// As [`Self::gains`] they are the same whatever other cells are asked for, and need some 30 times its memory.
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
        tx: &Transmitter,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Multipath, Error> {
        let sums = GainAccumulator::with_paths(cells.clone(), self.least());
        let tx_field = TxField::By(&tx.antenna);
        self.trace(tx.position, tx_field, Sink::Gains(&sums), control)?;
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

    /// The least gain that is told from none, linear.
    fn least(&self) -> f64 {
        self.settings.least_gain.max(1e-20)
    }

    /// Hands over all paths of a transmitter.
    fn trace(
        &self,
        position: DVec3,
        tx_field: TxField<'_>,
        sink: Sink<'_>,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        control.check()?;
        let grid = RegionGrid::new(self.region, &self.ground);
        let context = Context {
            scene: self.scene,
            surfaces: self.surfaces,
            transparency: &self.transparency,
            face_edges: &self.edges_of_faces,
            edge_spans: &self.spans,
            face_neighbours: &self.neighbours,
            grid: &grid,
            cell_size: self.region.resolution.min_element(),
            limits: self.settings.limits,
            fineness: self.settings.accuracy.fineness(),
            ladder: self.settings.ladder,
            min_gain: self.settings.least_gain,
            tx_position: position,
            tx_field,
        };
        propagation::trace(&context, sink, control)
    }

    /// Those of `cells` where no receiver can be.
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
