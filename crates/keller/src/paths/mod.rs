//! Paths: steps 4 to 6 of a ray's life (see `ARCHITECTURE.md`), from two points to exact, validated paths.
//!
//! [`find_paths`] performs these steps in order. A search proposes sequences of reflecting planes and edges. Each is
//! solved and validated for every receiver: chains of planes in `connect`, those with edges in `diffract`. Walls that a
//! path passes straight through follow from its segments, and no search proposes them. Searches only propose, so all of
//! them give the same paths for the same sequences.
//!
//! Two kinds of paths are built from the results of a search: a reflection of a curved surface in a gap between its
//! facets (`joints`), and paths that are scattered at one or two patches of rough walls (`scatter`).

mod by_tiles;
mod by_tubes;
mod by_views;
mod connect;
mod corners;
mod devices;
mod diffract;
mod endpoints;
mod finder;
mod grazing;
mod job;
mod joints;
mod limits;
mod path;
mod scatter;
pub mod search;
mod sequence;
mod solve;
mod tree;
mod union;
mod validate;
mod variations;

pub use by_tiles::{CoarsePaths, CoarseReport, Environment, TileChains, TileFinder};
pub use by_tubes::Thresholds;
pub use devices::{Devices, has_room};
pub use endpoints::Endpoints;
pub use finder::{PathFinder, Viewpoint};
pub(crate) use grazing::{AlongWall, is_on_one_side};
pub(crate) use limits::InteractionCounts;
pub use limits::Limits;
pub(crate) use path::ahead;
pub use path::{Interaction, InteractionKind, Path, Vertex};
pub use search::tiles::{Steps, TileWave, TileWaves};
pub use search::{Effort, Search};
pub use sequence::{PatchArea, Sequence, Step};
pub use solve::{Unfolded, Waypoint};
pub use tree::{SequenceTree, TreeNode};
pub(crate) use validate::PathCheck;

use crate::{Control, Error, World};

/// The limits of the wanted paths, and the search that proposes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathOptions {
    /// The largest numbers of interactions that paths may have, and the kinds that are wanted.
    pub limits: Limits,
    /// The search that proposes the paths; [`Search::auto`] if absent.
    pub search: Option<Search>,
}

impl PathOptions {
    /// The chosen search, or that of [`Search::auto`] for the scene of `world`.
    pub fn search(&self, world: &World) -> Search {
        self.search
            .unwrap_or_else(|| Search::auto(world.scene(), &self.limits))
    }
}

/// Every valid path from every Tx to every Rx that the search proposes, sorted by (tx, rx, length).
///
/// The result depends neither on the number of threads nor on which receivers are asked for together.
///
/// ```
/// use keller::paths::{Devices, PathOptions, find_paths};
/// use keller::{Control, DVec3, Frequency, World, materials::Materials, scene::{Mesh, Scene}};
///
/// let mut ground = Mesh::default();
/// ground.add_polygon("concrete", &[[-9., -9.], [9., -9.], [9., 9.], [-9., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
/// let world = World::new(Scene::new(&ground)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
/// let tx = Devices::tx(world.scene(), [DVec3::new(-4., 0., 3.)])?;
/// let rx = Devices::rx(world.scene(), [DVec3::new(4., 0., 3.)])?;
/// let paths = find_paths(&world, &tx, &rx, &PathOptions::default(), &Control::default())?;
/// let lengths: Vec<f64> = paths.iter().map(|p| p.length).collect();
/// assert_eq!(lengths, [8.0, 10.0]); // direct, and by the ground
/// # Ok::<(), keller::Error>(())
/// ```
///
/// # Errors
/// [`Error::SearchTooLarge`] from the exhaustive search, [`Error::Cancelled`]; for [`Search::Tiles`] those of
/// [`PathFinder::new`].
pub fn find_paths(
    world: &World,
    tx: &Devices,
    rx: &Devices,
    options: &PathOptions,
    control: &Control,
) -> Result<Vec<Path>, Error> {
    let finder = PathFinder::new(world, &options.limits, options.search(world), control)?;
    let mut paths = Vec::new();
    for index in 0..tx.len() {
        let seen = finder.views_from(tx, index, control)?;
        paths.extend(finder.paths(&seen, rx, control)?);
    }
    Ok(paths)
}
