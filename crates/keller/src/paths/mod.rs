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
mod refine;
mod scatter;
pub mod search;
mod solve;
mod to_tiles;
mod tree;
mod validate;

pub(crate) use along::AlongWall;
pub use coarse::{CoarsePaths, Environment};
pub use devices::{check_devices, has_room};
pub use endpoints::Endpoints;
pub use finder::{PathFinder, Viewpoint};
pub use refine::{CoarseReport, Refiner, Starts};
pub use search::tiles::{Aim, Order, PowerThreshold, Rays};
pub use search::{Effort, Search};
pub use to_tiles::TileChains;
pub use tree::{SequenceTree, TreeNode};
pub(crate) use validate::{Judge, Via};

use glam::DVec3;

use self::finder::{Job, Transmitter};
use self::solve::Step;
use crate::em::Surfaces;
use crate::materials::Lobe;
use crate::scene::{EdgeId, FaceId, MaterialId, Scene};
use crate::{Control, Error};

/// How deep paths may go and of what they may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whether the direct path (and the path straight through walls) is wanted.
    pub line_of_sight: bool,
    /// Reflections, diffractions and scatterings together.
    pub max_interactions: usize,
    /// Reflections alone.
    pub max_reflections: usize,
    /// Walls that a whole path may pass straight through, counted apart from the interactions.
    pub max_transmissions: usize,
    /// Diffractions alone.
    pub max_diffractions: usize,
    /// Diffuse scatterings alone.
    pub max_scatterings: usize,
    /// Interactions and transmissions together, as peers count their depth; `usize::MAX` for no such limit.
    pub max_depth: usize,
    /// Whether waves diffract at the borders of open sheets too, not only at wedges.
    pub free_edges: bool,
    /// Whether mirrors may come between two edges, and more than two edges follow each other. In a city those are tens of millions of
    /// sequences, nearly all of them weak.
    pub edge_chains: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_of_sight: true,
            max_interactions: 3,
            max_reflections: 3,
            max_transmissions: 0,
            max_diffractions: 0,
            max_scatterings: 0,
            max_depth: usize::MAX,
            free_edges: false,
            edge_chains: true,
        }
    }
}

impl Limits {
    /// Reflections that a path may really have.
    pub fn reflections(&self) -> usize {
        self.max_reflections
            .min(self.max_interactions)
            .min(self.max_depth)
    }

    /// Interactions that a path may really have.
    pub(crate) fn interactions(&self) -> usize {
        self.max_interactions.min(self.max_depth)
    }

    /// Whether a path may be by these steps, scatterings aside.
    fn allow(&self, steps: &[Step]) -> bool {
        let is_edge = |step: &Step| matches!(step, Step::Diffraction(_));
        let edges = steps.iter().filter(|step| is_edge(step)).count();
        let first = steps.iter().position(is_edge);
        let last = steps.iter().rposition(is_edge);
        let is_chain = edges > 2 || first.zip(last).is_some_and(|(a, b)| b - a >= edges);
        steps.len() <= self.interactions()
            && steps.len() - edges <= self.max_reflections
            && edges <= self.max_diffractions
            && (!is_chain || self.edge_chains)
            && steps.windows(2).all(|pair| pair[0] != pair[1])
    }

    /// Reflections that a path with a diffraction may have; `None` where waves do not diffract.
    pub(crate) fn reflections_beside_diffraction(&self) -> Option<usize> {
        let interactions = self.interactions();
        (self.max_diffractions > 0 && interactions > 0)
            .then(|| self.max_reflections.min(interactions - 1))
    }

    /// Walls that a path of so many interactions may pass.
    pub fn transmissions_beside(&self, interactions: usize) -> usize {
        self.max_transmissions
            .min(self.max_depth.saturating_sub(interactions))
    }
}

/// What happens to a wave at one point of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InteractionKind {
    /// Specular reflection at a face.
    Reflection,
    /// Straight through a face.
    Transmission,
    /// At an edge, onto the Keller cone.
    Diffraction,
    /// Diffusely, at a patch of a rough face.
    Scattering,
}

impl InteractionKind {
    /// The letter used in path tables: `R`, `T`, `D`, `S`.
    pub fn letter(self) -> char {
        match self {
            Self::Reflection => 'R',
            Self::Transmission => 'T',
            Self::Diffraction => 'D',
            Self::Scattering => 'S',
        }
    }
}

/// What an interaction happens at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// A face: reflections, transmissions.
    Face(FaceId),
    /// A patch of a face: scatterings.
    Patch(FaceId, PatchArea),
    /// An edge: diffractions.
    Edge(EdgeId),
}

impl Object {
    /// The number of the face or edge, as scenes list them.
    pub fn index(self) -> usize {
        match self {
            Self::Face(face) | Self::Patch(face, _) => face.index(),
            Self::Edge(edge) => edge.index(),
        }
    }
}

/// The area of a patch, positive and finite; ordered by size.
///
/// ```
/// # use keller::paths::PatchArea;
/// assert_eq!(PatchArea::from_square_metres(0.25).square_metres(), 0.25);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchArea(u64);

impl PatchArea {
    /// A patch of so many m².
    ///
    /// # Panics
    /// If `area` is not positive and finite.
    pub fn from_square_metres(area: f64) -> Self {
        assert!(area > 0.0 && area.is_finite(), "a patch of {area} m²");
        // The bits of positive numbers are in the order of the numbers.
        Self(area.to_bits())
    }

    /// In m².
    pub fn square_metres(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// One interaction of a [`Path`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// What happens.
    pub kind: InteractionKind,
    /// Where, metres.
    pub point: DVec3,
    /// At which face or edge.
    pub object: Object,
}

impl Interaction {
    /// Whether the path goes on in another direction.
    pub(crate) fn turns(&self) -> bool {
        self.kind != InteractionKind::Transmission
    }
}

/// The unit vector in which a path goes from `from` on by the interactions `rest` to `end`; `None` if it turns again where it is. Walls
/// that are passed in one point, as where two of them cross, have no direction between them: that to the next turn is theirs.
pub(crate) fn ahead(from: DVec3, rest: &[Interaction], end: DVec3) -> Option<DVec3> {
    let turn = rest.iter().find(|i| i.turns());
    (turn.map_or(end, |i| i.point) - from).try_normalize()
}

/// One exact path from a Tx to an Rx. Geometry only: the field along it is [`crate::field`]'s.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Index of the transmitter.
    pub tx: usize,
    /// Index of the receiver.
    pub rx: usize,
    /// Where the transmitter stands, metres.
    pub tx_position: DVec3,
    /// Where the receiver stands, metres.
    pub rx_position: DVec3,
    /// The interactions from Tx to Rx, transmissions among them.
    pub interactions: Vec<Interaction>,
    /// Unfolded length, metres.
    pub length: f64,
}

/// Which walls let a wave through, and which scatter it, by [`crate::scene::MaterialId`]. Geometry does not know materials, but a path through a metal
/// wall is none, and how finely a rough wall is cut depends on how narrow a lobe it has.
#[derive(Debug, Clone, PartialEq)]
pub struct Transparency {
    /// Whether a wave goes through.
    pub passes: Vec<bool>,
    /// Whether a wave is scattered diffusely.
    pub scatters: Vec<bool>,
    /// Where to, if it is.
    pub lobes: Vec<Lobe>,
}

/// A wall that lets less than this amplitude through is opaque: 200 dB.
const MIN_TRANSMISSION: f64 = 1e-10;

impl Transparency {
    /// Every wall of `scene` lets waves through, and none scatters them.
    pub fn all(scene: &Scene) -> Self {
        let count = scene.materials().len();
        Self {
            passes: vec![true; count],
            scatters: vec![false; count],
            lobes: vec![Lobe::Lambertian; count],
        }
    }

    /// As the walls of `scene` have it: half spaces, perfect conductors and metal let nothing through.
    pub fn of(scene: &Scene, surfaces: &Surfaces) -> Self {
        let materials = || (0..scene.materials().len()).map(MaterialId::from_index);
        let passes = |id| {
            let through = surfaces.surface(id).transmission(1.0, true);
            through.te.norm().max(through.tm.norm()) >= MIN_TRANSMISSION
        };
        let scatters = |id| surfaces.surface(id).texture().scattering.is_some();
        let lobe = |id| {
            let scattering = surfaces.surface(id).texture().scattering;
            scattering.map_or(Lobe::Lambertian, |scattering| scattering.lobe)
        };
        Self {
            passes: materials().map(passes).collect(),
            scatters: materials().map(scatters).collect(),
            lobes: materials().map(lobe).collect(),
        }
    }

    /// Whether waves pass a face.
    pub fn passes(&self, scene: &Scene, face: FaceId) -> bool {
        self.passes[scene.face(face).material.index()]
    }
}

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
