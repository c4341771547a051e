//! Every search and every engine behind one question: the power of receivers of both polarisations from a transmitter.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::DVec2;
use keller::channel::{Antennas, ImpulseResponse, Motion};
use keller::coverage::points::Points;
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::tiles::{TileCoverage, TileField};
use keller::coverage::tubes::{self, Accuracy, Tubes};
use keller::coverage::{Levels, Multipath, Region};
use keller::paths::{Effort, Environment, Limits, Path, PathFinder, Search};
use keller::scene::Scene;
use keller::tiles::Tiling;
use keller::{Control, DVec3, Tx, World};

use super::paths_of;
use super::place::both;

/// Smaller gains are not followed by tubes.
pub(crate) const MIN_GAIN: f64 = 1e-13;

/// The engines that find waves at points. Fields on surfaces have tiles instead of points, see [`tile_fields`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Engine {
    Link(Search),
    Points,
    Tubes(Accuracy),
    Rooftops { is_exact: bool },
}

pub(crate) const ENGINES: [Engine; 10] = [
    Engine::Link(Search::Exhaustive),
    Engine::Link(Search::Complete),
    Engine::Link(Search::Launch(Effort::Default)),
    Engine::Link(Search::Tiles),
    Engine::Link(Search::Tubes(Effort::Default)),
    Engine::Points,
    Engine::Tubes(Accuracy::Default),
    Engine::Tubes(Accuracy::Exact),
    Engine::Rooftops { is_exact: true },
    Engine::Rooftops { is_exact: false },
];

/// The reception of a receiver: the sum of powers, and the power of the sum of fields where an engine has phases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Received {
    pub(crate) gain: f64,
    pub(crate) coherent: Option<f64>,
}

impl Engine {
    /// Whether it follows paths of these kinds. Rooftops follow chains of edges alone, and tubes between devices one edge.
    pub(crate) fn follows(self, limits: &Limits) -> bool {
        match self {
            Self::Link(Search::Tubes(_)) => limits.max_diffractions <= 1,
            Self::Link(_) | Self::Points | Self::Tubes(_) => true,
            Self::Rooftops { .. } => {
                let others =
                    limits.max_reflections + limits.max_transmissions + limits.max_scatterings;
                others == 0 && limits.max_diffractions > 0
            }
        }
    }

    /// The reception of each receiver of a row.
    pub(crate) fn received(
        self,
        place: &World,
        tx: &Tx,
        row: &Row,
        limits: &Limits,
    ) -> Vec<Received> {
        let control = Control::default();
        let (region, cells) = row.region(place.scene());
        let all = 0..region.num_cells();
        let of_cells = |found: Multipath, which: &[usize]| {
            let of_cell = |&cell: &usize| Received {
                gain: found.path_gain[cell],
                coherent: Some(found.cells[cell].coherent_gain),
            };
            which.iter().map(of_cell).collect::<Vec<_>>()
        };
        match self {
            Self::Link(search) => link_received(place, tx, &row.points(), limits, search),
            Self::Points => {
                let points = points(place, &region, limits, Search::Complete);
                let of_one = |&cell: &usize| {
                    of_cells(
                        points.multipath(tx, cell..cell + 1, &control).unwrap(),
                        &[0],
                    )
                };
                cells.iter().flat_map(of_one).collect()
            }
            Self::Tubes(accuracy) => {
                let tubes = tubes(place, &region, limits, accuracy);
                of_cells(tubes.multipath(tx, all, &control).unwrap(), &cells)
            }
            Self::Rooftops { is_exact } => {
                let found = rooftops(place, &region, is_exact)
                    .fill(tx, all, &control)
                    .unwrap();
                let of_cell = |&cell: &usize| Received {
                    gain: found.gains[cell],
                    coherent: None,
                };
                cells.iter().map(of_cell).collect()
            }
        }
    }
}

pub(crate) fn points(place: &World, region: &Region, limits: &Limits, search: Search) -> Points {
    let finder = PathFinder::new(place, limits, search, &Control::default()).unwrap();
    Points::new(place, region, finder)
}

pub(crate) fn tubes(place: &World, region: &Region, limits: &Limits, accuracy: Accuracy) -> Tubes {
    let settings = tubes::Settings {
        limits: *limits,
        accuracy,
        min_gain: MIN_GAIN,
    };
    Tubes::new(place, region, settings)
}

/// Chains of one edge and more.
pub(crate) fn rooftops(place: &World, region: &Region, is_exact: bool) -> Rooftops {
    let settings = rooftops::Settings {
        min_edges: 1,
        is_exact,
        ..rooftops::Settings::default()
    };
    Rooftops::new(place, region, settings).unwrap()
}

/// Receivers in a line, equally far apart: one grid of cells has them all on its diagonal, wherever the line leads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) first: DVec3,
    /// The step from one to the next, metres.
    pub(crate) step: DVec3,
    pub(crate) count: usize,
    /// Whether the levels of the grid are counted from the ground.
    pub(crate) is_above_ground: bool,
}

impl Row {
    pub(crate) fn new(first: [f64; 3], step: [f64; 3], count: usize) -> Self {
        Self {
            first: first.into(),
            step: step.into(),
            count,
            is_above_ground: false,
        }
    }

    pub(crate) fn of_one(first: DVec3) -> Self {
        Self {
            first,
            step: DVec3::ONE,
            count: 1,
            is_above_ground: false,
        }
    }

    pub(crate) fn points(&self) -> Vec<DVec3> {
        let at = |k: usize| self.first + k as f64 * self.step;
        (0..self.count).map(at).collect()
    }

    /// A grid, and which of its cells the receivers are.
    fn region(&self, scene: &Scene) -> (Region, Vec<usize>) {
        let (step, n) = (self.step.truncate(), self.count);
        let last = self.first.truncate() + (n - 1) as f64 * step;
        let size = step.abs();
        let low = self.first.truncate().min(last) - 0.5 * size;
        let high = self.first.truncate().max(last) + 0.5 * size;
        // A receiver's column, and its number.
        let column = |k: usize| {
            let [i, j] = [step.x, step.y].map(|d| if d < 0.0 { n - 1 - k } else { k });
            j * n + i
        };
        let height = |(k, at): (usize, DVec3)| {
            let ground = |at: DVec2| scene.ground(at).unwrap();
            let level = if self.is_above_ground {
                at.z - ground(at.truncate())
            } else {
                at.z
            };
            (level, k)
        };
        let mut levels: Vec<(f64, usize)> =
            self.points().into_iter().enumerate().map(height).collect();
        levels.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut cells = vec![0; n];
        for (level, &(_, k)) in levels.iter().enumerate() {
            cells[k] = level * n * n + column(k);
        }
        let heights = levels.into_iter().map(|(height, _)| height).collect();
        let levels = if self.is_above_ground {
            Levels::AboveGround(heights)
        } else {
            Levels::AboveSea(heights)
        };
        let region = Region::planes(low, high, size, levels).unwrap();
        let ground = region.ground(scene);
        for (cell, at) in cells.iter().zip(self.points()) {
            let centre = region.centre(region.cell(*cell), &ground).unwrap();
            assert!(centre.distance(at) < 1e-8, "{centre} and {at}");
        }
        (region, cells)
    }
}

/// Searches by tiles have tiles of so many metres, which are looked at in time.
const TILE_SIDE: f64 = 1.0;

pub(crate) fn link_paths(
    place: &World,
    tx: DVec3,
    rx: &[DVec3],
    limits: &Limits,
    search: Search,
) -> Vec<Path> {
    let control = Control::default();
    let finder = if search == Search::Tiles {
        let tiling = Tiling::of_side(TILE_SIDE);
        let environment = Environment::new(place.shared_scene(), tiling, &control).unwrap();
        PathFinder::over_tiles(place, limits, environment).unwrap()
    } else {
        PathFinder::new(place, limits, search, &control).unwrap()
    };
    paths_of(&finder, place, tx, rx)
}

fn link_received(
    place: &World,
    tx: &Tx,
    rx: &[DVec3],
    limits: &Limits,
    search: Search,
) -> Vec<Received> {
    let paths = link_paths(place, tx.position, rx, limits, search);
    let receiving = both();
    let antennas = Antennas::single(&tx.antenna, &receiving);
    let motion = Motion::default();
    let of_one = |k: usize| {
        let own: Vec<Path> = paths.iter().filter(|path| path.rx == k).cloned().collect();
        let response = ImpulseResponse::new(&own, place, antennas, &motion);
        let statistics = response.statistics();
        Received {
            gain: statistics.incoherent_gain,
            coherent: Some(statistics.coherent_gain),
        }
    };
    (0..rx.len()).map(of_one).collect()
}

/// The centre of every tile of so many metres, and the fields of its two sides. With `exact`, rays sample paths with a
/// diffraction that have more interactions.
pub(crate) fn tile_fields(
    place: &World,
    tx: &Tx,
    (limits, exact): (&Limits, Option<usize>),
    side: f64,
) -> Vec<(DVec3, [TileField; 2])> {
    // Faces by themselves turn with the world; the ground and the places under a building depend on which way is up.
    let tiling = Tiling {
        terrain_grid: false,
        under_buildings: true,
        ..Tiling::of_side(side)
    };
    let control = Control::default();
    let environment = Environment::new(place.shared_scene(), tiling, &control).unwrap();
    let mut coverage = TileCoverage::new(place, limits, environment).unwrap();
    if let Some(most) = exact {
        coverage = coverage.with_exact(most).unwrap();
    }
    let fields = coverage.fields(tx, &control).unwrap();
    let tiles = coverage.environment().tiles.all();
    tiles.iter().map(|tile| tile.centre).zip(fields).collect()
}
