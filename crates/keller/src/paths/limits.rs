//! The limits of paths, and the interactions that may follow those that a path already has.

use super::path::{Interaction, InteractionKind, Path};
use super::sequence::Step;
use crate::World;
use crate::em::Passages;
use crate::scene::{EdgeId, Scene};

/// The largest numbers of interactions that paths may have, and the kinds that are wanted.
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
    pub reflections_between_edges: bool,
}

/// The interactions that a path has so far, as far as [`Limits`] ask for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct InteractionCounts {
    /// Reflections, diffractions and scatterings.
    pub(crate) interactions: usize,
    pub(crate) reflections: usize,
    pub(crate) diffractions: usize,
    pub(crate) transmissions: usize,
    pub(crate) scatterings: usize,
    /// Whether a reflection follows the last diffraction.
    pub(crate) is_reflected_behind_edge: bool,
}

impl InteractionCounts {
    /// The interactions of the direct path.
    pub(crate) const NONE: Self = Self {
        interactions: 0,
        reflections: 0,
        diffractions: 0,
        transmissions: 0,
        scatterings: 0,
        is_reflected_behind_edge: false,
    };

    /// The interactions of a whole path.
    pub(crate) fn of_path(path: &Path) -> Self {
        let kinds = path.interactions().map(Interaction::kind);
        kinds.fold(Self::NONE, Self::with)
    }

    /// These interactions and so many more reflections and diffractions, in whatever order.
    pub(crate) const fn plus(self, reflections: usize, diffractions: usize) -> Self {
        let more = reflections.saturating_add(diffractions);
        Self {
            interactions: self.interactions.saturating_add(more),
            reflections: self.reflections.saturating_add(reflections),
            diffractions: self.diffractions.saturating_add(diffractions),
            ..self
        }
    }

    /// These interactions followed by one more.
    pub(crate) const fn with(mut self, next: InteractionKind) -> Self {
        match next {
            InteractionKind::Reflection => {
                self.reflections += 1;
                self.is_reflected_behind_edge = self.diffractions > 0;
            }
            InteractionKind::Transmission => {
                self.transmissions += 1;
                return self;
            }
            InteractionKind::Diffraction => {
                self.diffractions += 1;
                self.is_reflected_behind_edge = false;
            }
            InteractionKind::Scattering => self.scatterings += 1,
        }
        self.interactions += 1;
        self
    }
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
            reflections_between_edges: true,
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

    /// Whether a path may have these interactions, in some order.
    pub(crate) fn allow(&self, counts: &InteractionCounts) -> bool {
        counts.interactions <= self.interactions()
            && counts.reflections <= self.max_reflections
            && counts.diffractions <= self.max_diffractions
            && counts.scatterings <= self.max_scatterings
            && counts.transmissions <= self.transmissions_beside(counts.interactions)
    }

    /// The interactions of a path after one more; `None` if that may not follow.
    pub(crate) fn after(
        &self,
        counts: &InteractionCounts,
        next: InteractionKind,
    ) -> Option<InteractionCounts> {
        let is_chain = counts.diffractions > 1 || counts.is_reflected_behind_edge;
        let is_barred =
            next == InteractionKind::Diffraction && is_chain && !self.reflections_between_edges;
        let after = counts.with(next);
        (!is_barred && self.allow(&after)).then_some(after)
    }

    /// The number of further reflections that a path may have in addition to these interactions; `None` if it may not
    /// have these.
    pub(crate) fn reflections_beside(&self, counts: &InteractionCounts) -> Option<usize> {
        let left = || self.max_reflections - counts.reflections;
        self.allow(counts)
            .then(|| left().min(self.num_more(counts)))
    }

    /// The number of further diffractions that a path may have in addition to these interactions; none if it may not
    /// have these.
    pub(crate) fn diffractions_beside(&self, counts: &InteractionCounts) -> usize {
        let left = self.max_diffractions.saturating_sub(counts.diffractions);
        left.min(self.num_more(counts))
    }

    /// The number of further reflections, diffractions and scatterings together that a path may have in addition to
    /// these interactions.
    pub(crate) fn num_more(&self, counts: &InteractionCounts) -> usize {
        self.interactions().saturating_sub(counts.interactions)
    }

    /// Whether a path may consist of these steps.
    pub(super) fn allow_steps(&self, steps: &[Step]) -> bool {
        let next = |counts: InteractionCounts, step: &Step| self.after(&counts, (*step).into());
        steps.windows(2).all(|pair| pair[0] != pair[1])
            && (steps.iter().try_fold(InteractionCounts::NONE, next)).is_some()
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
            && (edges < 2
                || interactions < 3
                || !self.reflections_between_edges
                || other.reflections_between_edges)
    }

    /// Whether these limits allow a scattered path.
    pub(super) fn allow_scattered(&self, scene: &Scene, path: &Path) -> bool {
        let is_wedge = |edge: EdgeId| scene.edges()[edge.index()].is_wedge();
        let mut edges = path.interactions().filter_map(Interaction::edge);
        self.allow(&InteractionCounts::of_path(path)) && (self.free_edges || edges.all(is_wedge))
    }

    /// Largest number of reflections of a path with a diffraction; `None` where waves do not diffract.
    pub(crate) fn reflections_beside_diffraction(&self) -> Option<usize> {
        self.reflections_beside(&InteractionCounts::NONE.plus(0, 1))
    }

    /// Largest number of walls that a path with this number of interactions may pass.
    pub fn transmissions_beside(&self, interactions: usize) -> usize {
        self.passages().beside(interactions)
    }

    /// The largest number of walls that paths may pass.
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

#[cfg(test)]
mod tests {
    use super::InteractionKind::{Diffraction, Reflection, Scattering, Transmission};
    use super::*;

    /// Whether the limits allow a path of these interactions, one after the other.
    fn allows(limits: &Limits, kinds: &[InteractionKind]) -> bool {
        let next = |counts: InteractionCounts, kind: &InteractionKind| limits.after(&counts, *kind);
        let counts = kinds.iter().try_fold(InteractionCounts::NONE, next);
        counts.is_some()
    }

    #[test]
    fn each_limit_ends_a_path() {
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 2,
            max_transmissions: 2,
            max_diffractions: 1,
            max_scatterings: 1,
            max_depth: 4,
            ..Limits::default()
        };
        assert!(allows(&limits, &[Reflection, Reflection, Diffraction]));
        assert!(!allows(&limits, &[Reflection, Reflection, Reflection]));
        assert!(!allows(&limits, &[Diffraction, Diffraction]));
        assert!(!allows(&limits, &[Scattering, Scattering]));
        let four = [Reflection, Reflection, Diffraction, Scattering];
        assert!(!allows(&limits, &four), "four interactions are too many");
        assert!(allows(&limits, &[Reflection, Transmission, Transmission]));
        let deep = [
            Reflection,
            Reflection,
            Diffraction,
            Transmission,
            Transmission,
        ];
        assert!(allows(&limits, &deep[..4]));
        assert!(!allows(&limits, &deep), "a depth of five is too much");
        assert!(!allows(&limits, &[Transmission; 3]));
    }

    #[test]
    fn without_reflections_between_edges_two_edges_follow_each_other_at_once() {
        let limits = Limits {
            max_interactions: 9,
            max_reflections: 9,
            max_transmissions: 9,
            max_diffractions: 9,
            reflections_between_edges: false,
            ..Limits::default()
        };
        let pair = [
            Reflection,
            Diffraction,
            Transmission,
            Diffraction,
            Reflection,
        ];
        assert!(allows(&limits, &pair));
        assert!(!allows(&limits, &[Diffraction, Reflection, Diffraction]));
        assert!(!allows(&limits, &[Diffraction; 3]));
        let chains = Limits {
            reflections_between_edges: true,
            ..limits
        };
        assert!(allows(&chains, &[Diffraction, Reflection, Diffraction]));
        assert!(allows(&chains, &[Diffraction; 3]));
    }

    #[test]
    fn further_interactions_end_where_one_more_is_not_allowed() {
        let limits = Limits {
            max_interactions: 4,
            max_reflections: 3,
            max_diffractions: 2,
            ..Limits::default()
        };
        for (edges, max_reflections) in [(0, Some(3)), (1, Some(3)), (2, Some(2)), (3, None)] {
            let counts = InteractionCounts::NONE.plus(0, edges);
            assert_eq!(limits.reflections_beside(&counts), max_reflections);
            let max_reflections = max_reflections.unwrap_or(0);
            assert!(!limits.allow(&counts.plus(max_reflections + 1, 0)));
            assert_eq!(
                limits.diffractions_beside(&counts),
                2_usize.saturating_sub(edges)
            );
        }
    }
}
