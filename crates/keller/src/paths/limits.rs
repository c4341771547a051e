//! How deep paths may be.

use super::path::{Interaction, InteractionKind, Path};
use super::sequence::Step;
use crate::World;
use crate::em::Passages;
use crate::scene::Scene;

/// How deep paths may be and which interactions they may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// Whether the direct path (and the path straight through walls) is wanted.
    pub line_of_sight: bool,
    /// Largest number of reflections, diffractions and scatterings together.
    pub max_interactions: usize,
    /// Largest number of reflections.
    pub max_reflections: usize,
    /// Largest number of walls that a whole path may pass straight through, counted apart from the interactions. Fields
    /// at edges depend on it: see [`Self::world`].
    pub max_transmissions: usize,
    /// Largest number of diffractions.
    pub max_diffractions: usize,
    /// Largest number of diffuse scatterings. Paths between devices are scattered at most twice.
    pub max_scatterings: usize,
    /// Largest number of interactions and transmissions together, as other ray tracers count depth; `usize::MAX` for no
    /// such limit.
    pub max_depth: usize,
    /// Whether waves also diffract at the borders of open sheets, not only at wedges.
    pub free_edges: bool,
    /// Whether reflecting planes may lie between two edges, and whether more than two edges may follow each other. In a
    /// city these are tens of millions of sequences, nearly all of them weak.
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
    /// Largest number of reflections that a path can have under all limits.
    pub fn reflections(&self) -> usize {
        self.max_reflections
            .min(self.max_interactions)
            .min(self.max_depth)
    }

    /// Largest number of interactions that a path can have under all limits.
    pub(crate) fn interactions(&self) -> usize {
        self.max_interactions.min(self.max_depth)
    }

    /// Whether a path may consist of these steps, apart from scatterings.
    pub(super) fn allow(&self, steps: &[Step]) -> bool {
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

    /// Whether every path that these limits allow is allowed by `other` too.
    pub fn is_within(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|limits| {
            let interactions = limits.interactions();
            [
                interactions,
                limits.max_reflections.min(interactions),
                limits.max_diffractions.min(interactions),
                limits.max_scatterings.min(interactions),
                limits.max_transmissions.min(limits.max_depth),
            ]
        });
        let [interactions, _, edges, _, transmissions] = own;
        let deepest = interactions
            .saturating_add(transmissions)
            .min(self.max_depth);
        own.iter().zip(others).all(|(own, other)| *own <= other)
            && deepest <= other.max_depth
            && (!self.line_of_sight || other.line_of_sight)
            && (edges == 0 || !self.free_edges || other.free_edges)
            && (edges < 2 || interactions < 3 || !self.edge_chains || other.edge_chains)
    }

    /// Whether these limits allow a scattered path.
    pub(super) fn allow_scattered(&self, scene: &Scene, path: &Path) -> bool {
        let count = |kind| path.interactions().filter(|i| i.kind() == kind).count();
        let transmissions = count(InteractionKind::Transmission);
        let interactions = path.vertices.len() - transmissions;
        interactions <= self.interactions()
            && count(InteractionKind::Reflection) <= self.max_reflections
            && count(InteractionKind::Diffraction) <= self.max_diffractions
            && count(InteractionKind::Scattering) <= self.max_scatterings
            && transmissions <= self.transmissions_beside(interactions)
            && (self.free_edges
                || path
                    .interactions()
                    .filter_map(Interaction::edge)
                    .all(|edge| scene.edges()[edge.index()].is_wedge()))
    }

    /// Largest number of reflections of a path with a diffraction; `None` where waves do not diffract.
    pub(crate) fn reflections_beside_diffraction(&self) -> Option<usize> {
        let interactions = self.interactions();
        (self.max_diffractions > 0 && interactions > 0)
            .then(|| self.max_reflections.min(interactions - 1))
    }

    /// Largest number of walls that a path with this number of interactions may pass.
    pub fn transmissions_beside(&self, interactions: usize) -> usize {
        self.passages().beside(interactions)
    }

    /// How many walls paths may pass.
    pub fn passages(&self) -> Passages {
        Passages {
            max_transmissions: self.max_transmissions,
            max_depth: self.max_depth,
        }
    }

    /// The world for fields along paths within these limits: its edges are opaque where the limits let no path pass
    /// straight through their walls, so that the field has no step at their shadow boundaries.
    ///
    /// ```
    /// use keller::materials::{ItuMaterial, Material, Materials, Medium};
    /// use keller::paths::{Devices, Limits, PathOptions, find_paths};
    /// use keller::scene::{Mesh, Scene};
    /// use keller::{Control, DVec3, Frequency, World, field::PathField};
    ///
    /// let mut mesh = Mesh::default();
    /// mesh.add_polygon("wall", &[[-9., 0.], [0., 0.], [0., 9.], [-9., 9.]].map(|[x, z]| DVec3::new(x, 0., z)));
    /// let wall = Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.1);
    /// let world = World::new(Scene::new(&mesh)?, &Materials::from([("wall", wall)]), Frequency::from_ghz(3.5)?)?;
    /// let limits = Limits { max_reflections: 0, max_diffractions: 1, free_edges: true, ..Limits::default() };
    ///
    /// // In line with the edge of the wall, half of the field arrives: none of it passes the wall.
    /// let tx = Devices::tx(world.scene(), [DVec3::new(-1e-6, -5., 4.)])?;
    /// let rx = Devices::rx(world.scene(), [DVec3::new(-1e-6, 5., 4.)])?;
    /// let options = PathOptions { limits, search: None };
    /// let paths = find_paths(&world, &tx, &rx, &options, &Control::default())?;
    /// let world = limits.world(&world);
    /// let path = paths.iter().find(|path| (path.length - 10.).abs() < 1e-6).expect("by the upright edge at 0");
    /// let field = PathField::new(path, &world).coefficient[0][0].norm();
    /// let free = world.frequency().wavelength() / (4.0 * std::f64::consts::PI * 10.0);
    /// assert!((field / free - 0.5).abs() < 0.05, "{}", field / free);
    /// # Ok::<(), keller::Error>(())
    /// ```
    pub fn world(&self, world: &World) -> World {
        world.clone().with_passages(self.passages())
    }
}
