//! Steps 3 to 6 of a ray's life: from two points to exact, validated paths.
//!
//! [`find_paths`] reads as those steps: a search proposes sequences of mirror planes, and each is solved and validated for every
//! receiver. No search decides anything, so all of them give the same paths where they propose the same sequences.

mod along;
mod beside;
mod coarse;
mod connect;
mod devices;
mod diffract;
mod endpoints;
mod finder;
mod limits;
mod path;
mod refine;
mod scatter;
pub mod search;
mod sequence;
mod solve;
mod to_tiles;
mod transparency;
mod tree;
mod validate;

pub(crate) use along::AlongWall;
pub use coarse::{CoarsePaths, Environment};
pub use devices::{check_devices, has_room};
pub use endpoints::Endpoints;
pub use finder::{PathFinder, Viewpoint};
pub use limits::Limits;
pub(crate) use path::ahead;
pub use path::{Interaction, InteractionKind, Path, Vertex};
pub use refine::{CoarseReport, Refiner, Starts};
pub use search::tiles::{Aim, Order, PowerThreshold, Rays};
pub use search::{Effort, Search};
pub use sequence::{PatchArea, Sequence, Step};
pub use to_tiles::TileChains;
pub use transparency::Transparency;
pub use tree::{SequenceTree, TreeNode};
pub(crate) use validate::Judge;

use glam::DVec3;

use self::finder::{Job, Transmitter};
use crate::scene::Scene;
use crate::{Control, Error};

/// Every path from every Tx to every Rx that the search proposes and that is really there, sorted by (tx, rx, length).
///
/// The result depends on neither the number of threads nor on which receivers are asked for together.
///
/// ```
/// use keller::{Control, DVec3, paths::*, scene::{Mesh, MeshTriangle, Scene}};
/// let mut ground = Mesh::default();
/// let material = ground.material_index("concrete");
/// ground.vertices = [[-9., -9.], [9., -9.], [9., 9.], [-9., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)).into();
/// ground.triangles = [[0, 1, 2], [0, 2, 3]].map(|vertices| MeshTriangle { vertices, material }).into();
/// let scene = Scene::new(&ground)?;
/// let (tx, rx) = (DVec3::new(-4., 0., 3.), DVec3::new(4., 0., 3.));
/// let paths = find_paths(
///     &scene, &[tx], &[rx], &Limits::default(), &Transparency::all(&scene), Search::Exhaustive, &Control::default(),
/// )?;
/// let lengths: Vec<f64> = paths.iter().map(|p| p.length).collect();
/// assert_eq!(lengths, [8.0, 10.0]); // direct, and by the ground
/// # Ok::<(), keller::Error>(())
/// ```
///
/// # Errors
/// [`Error::NoDevice`], [`Error::DevicePosition`] for devices that cannot be used, [`Error::SearchTooLarge`] from the exhaustive
/// search, [`Error::Cancelled`].
pub fn find_paths(
    scene: &Scene,
    tx: &[DVec3],
    rx: &[DVec3],
    limits: &Limits,
    transparency: &Transparency,
    search: Search,
    control: &Control,
) -> Result<Vec<Path>, Error> {
    check_devices(scene, tx, rx)?;
    let finder = PathFinder::new(scene, limits, transparency, search);
    let mut paths = Vec::new();
    for (index, &position) in tx.iter().enumerate() {
        let tx = finder.look_from(index, position, control)?;
        paths.extend(finder.paths(&tx, rx, control)?);
    }
    Ok(paths)
}
