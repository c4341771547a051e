//! An upper bound of the power that a chain of reflecting planes and edges may bring to a place. Chains that are too
//! weak are not followed.
//!
//! A wave of reflections alone spreads over the unfolded length. It meets each reflecting plane at an angle that
//! follows from its direction, so the largest reflected share is known. The same holds behind one edge. Each of its
//! four diffraction terms is at most half of the field that is missing at the term's shadow boundary, and at most its
//! value for a transition function of 1. For a receiver nothing else matters, so the bound holds. A tile by which a
//! front continues counts for all its points ([`extent`]), and for the length that the wave has still to go.
//!
//! Behind a second edge the field is the product of both diffractions plus, where the first changes fast across the
//! second, a slope term. Twice the product is taken as a bound of both. That is an assumption; tests hold it.
//! Theory page: `tiles`.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

mod edge_bound;
mod extent;

use std::cmp::Ordering;

use glam::Vec3;
use rustc_hash::FxHashMap;

use self::edge_bound::{Arrival, EdgeBound};
pub(super) use self::extent::{Extent, Extents};
use super::beam::{BeamSource, EdgeSource, ReflectingPlane};
use super::lanes::{Blocks, Kernel, LANES, Lanes, Some16, run};
use crate::em::{ReflectionBound, Surfaces, max_transmitted};
use crate::geometry::bvh::Dispatch;
use crate::scene::{Edge, MaterialId, PlaneId, Scene};

/// Factor by which two successive edges may exceed the product of their diffractions.
const SLOPE: f32 = 2.0;

/// Share of a bound that f32 rounding may take away.
const ROUNDING: f32 = 1e-3;

/// Bounds the amplitude of a chain.
#[derive(Debug)]
pub(super) struct Power {
    /// The smallest path gain that counts, linear.
    pub(super) min_gain: f64,
    /// The smallest amplitude that counts, relative to that of free space at 1 m.
    min_amplitude: f32,
    wavenumber: f32,
    /// The largest norm of the field that is missing behind a shadow boundary of the incident wave: 1 if no wall lets
    /// waves pass.
    missing: f32,
    bounds: Vec<ReflectionBound>,
    /// The index of each plane's bound.
    bound_of: Vec<u16>,
}

/// The interactions of a front's wave so far, unfolded like its source.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// Amplitude times length before the reflecting planes below.
    scale: f32,
    /// Unit normals of the reflecting planes, and the index of each one's bound.
    planes: Vec<(Vec3, u16)>,
    /// The number of these planes before the edge.
    before: usize,
    edge: Option<Wedge>,
}

#[derive(Debug, Clone, Copy)]
struct Wedge {
    inward: Vec3,
    outward: Vec3,
    open: f32,
    arrival: Arrival,
}

/// A ball that the wave reaches, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub(super) centre: Vec3,
    pub(super) radius: f32,
}

impl Way {
    /// The way from a transmitter, before any interaction.
    pub(super) fn start() -> Self {
        Self {
            scale: 1.0,
            planes: Vec::new(),
            before: 0,
            edge: None,
        }
    }

    /// The way behind an edge, `source`, which the wave from `before` meets in a `segment` of it with at most the
    /// amplitude `arriving`. Segment and amplitude matter only if another edge came before.
    pub(super) fn diffracted(
        &self,
        before: &BeamSource,
        edge: &Edge,
        source: &EdgeSource,
        (segment, arriving): ([Vec3; 2], f32),
    ) -> Self {
        let axes = [edge.inward.as_vec3(), edge.outward.as_vec3()];
        #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
        let open = edge.exterior_angle as f32;
        let arrival = Arrival::new(before, source, axes, open, segment);
        let wedge = Wedge {
            inward: axes[0],
            outward: axes[1],
            open,
            arrival,
        };
        let Some(longest) = arrival.longest() else {
            return Self {
                before: self.planes.len(),
                edge: Some(wedge),
                ..self.clone()
            };
        };
        Self {
            scale: SLOPE * longest * arriving,
            planes: Vec::new(),
            before: 0,
            edge: Some(wedge),
        }
    }
}

impl Power {
    pub(super) fn new(scene: &Scene, surfaces: &Surfaces, min_gain: f64) -> Self {
        let frequency = surfaces.frequency();
        let free_space = frequency.wavelength() / (4.0 * std::f64::consts::PI);
        let mut materials: Vec<Vec<MaterialId>> = vec![Vec::new(); scene.planes().len()];
        for (index, face) in scene.faces().iter().enumerate() {
            let plane = scene.plane_of(crate::scene::FaceId::from_index(index));
            materials[plane.index()].push(face.material);
        }
        let mut known = FxHashMap::default();
        let mut bounds = Vec::new();
        let mut passes = 0.0_f64;
        let bound_of = materials.into_iter().map(|mut materials| {
            materials.sort_unstable();
            materials.dedup();
            *known.entry(materials).or_insert_with_key(|materials| {
                let surfaces = || materials.iter().map(|id| surfaces.surface(*id));
                passes = passes.max(max_transmitted(surfaces()));
                bounds.push(ReflectionBound::new(surfaces()));
                u16::try_from(bounds.len() - 1).expect("few combinations of materials")
            })
        });
        let bound_of = bound_of.collect();
        #[expect(clippy::cast_possible_truncation, reason = "a bound, with room")]
        let single = |value: f64| value as f32;
        Self {
            min_gain,
            min_amplitude: (1.0 - ROUNDING) * single(min_gain.sqrt() / free_space),
            wavenumber: single(frequency.wavenumber()),
            missing: 1.0 + single(passes),
            bounds,
            bound_of,
        }
    }

    /// `None` if a chain of this amplitude counts; else the share of the wanted power that it brings.
    pub(super) fn too_weak(&self, amplitude: f32) -> Option<f32> {
        // A bound that is not a number leaves nothing out.
        let is_weak = amplitude.partial_cmp(&self.min_amplitude) == Some(Ordering::Less);
        is_weak.then(|| (amplitude / self.min_amplitude).powi(2))
    }

    /// The bound for one chain.
    pub(super) fn bound<'a>(&'a self, way: &'a Way, source: &BeamSource) -> Bound<'a> {
        let edge = match (source, &way.edge) {
            (BeamSource::Edge(source), Some(wedge)) => {
                Some(EdgeBound::new(source, wedge, self.wavenumber, self.missing))
            }
            _ => None,
        };
        Bound {
            power: self,
            way,
            source: *source,
            edge,
        }
    }

    /// Upper bound of the amplitude of a wave on a segment of an edge.
    pub(super) fn arriving(&self, way: &Way, source: &BeamSource, segment: [Vec3; 2]) -> f32 {
        self.bound(way, source).on(&Extent::line(segment))
    }

    /// Upper bound of the share of the amplitude that one more reflection keeps, of a wave that reaches a ball.
    pub(super) fn share_of(
        &self,
        plane: PlaneId,
        normal: Vec3,
        source: &BeamSource,
        ball: Ball,
    ) -> f32 {
        let radius = match source {
            BeamSource::Point(_) => ball.radius,
            // The last point moves along the edge by less than the ball's radius.
            BeamSource::Edge(_) => 2.0 * ball.radius,
        };
        let to = ball.centre - source.last_point(ball.centre);
        self.mirrored(&[(normal, self.bound_of[plane.index()])], to, radius)
    }

    /// The way after another reflection, with everything replaced by its image.
    pub(super) fn reflected(&self, way: &Way, plane: PlaneId, mirror: &ReflectingPlane) -> Way {
        let mut planes = Vec::with_capacity(way.planes.len() + 1);
        let unfolded = way.planes.iter();
        planes.extend(unfolded.map(|(normal, bound)| (mirror.vector(*normal), *bound)));
        planes.push((mirror.normal, self.bound_of[plane.index()]));
        let edge = way.edge.map(|edge| Wedge {
            inward: mirror.vector(edge.inward),
            outward: mirror.vector(edge.outward),
            ..edge
        });
        Way {
            planes,
            edge,
            ..*way
        }
    }

    /// `None` if the part of a wave that a segment diffracts may count, if the wave arrives with at most this
    /// amplitude; else the share of the wanted power that it brings.
    pub(super) fn too_weak_behind(&self, arriving: f32) -> Option<f32> {
        self.too_weak(SLOPE * (1.0 + self.missing) * arriving)
    }

    /// Upper bound of the share of the amplitude that reflections keep, for a wave along `to` whose end is known within
    /// `radius`.
    fn mirrored(&self, planes: &[(Vec3, u16)], to: Vec3, radius: f32) -> f32 {
        let length = to.length();
        let direction = to / nonzero(length);
        let off = radius / nonzero(length - radius) + ROUNDING;
        let share = planes.iter().map(|(normal, bound)| {
            let cosine = normal.dot(direction).abs();
            self.bounds[usize::from(*bound)].between(cosine - off, cosine + off)
        });
        share.product()
    }
}

/// Bounds the amplitude of one chain, relative to that of free space at 1 m.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    power: &'a Power,
    way: &'a Way,
    source: BeamSource,
    /// The bound of the diffraction, behind an edge.
    edge: Option<EdgeBound>,
}

impl Bound<'_> {
    /// The bound in a ball.
    pub(super) fn amplitude(&self, ball: Ball) -> f32 {
        self.without_reflections(ball.centre.to_array(), ball.radius) * self.reflected(ball)
    }

    /// The bound for all waves that continue by an extent.
    pub(super) fn on(&self, extent: &Extent) -> f32 {
        let without = self.without_reflections_on(
            extent.centre.to_array(),
            extent.halves.map(|half| half.to_array()),
            extent.radius,
            extent.onward,
        );
        without * self.reflected(extent.ball())
    }

    /// Passes the number of each of some points, and the bound there, to `report`.
    pub(super) fn each_point(
        &self,
        blocks: &Blocks,
        some: &[Some16],
        dispatch: Dispatch,
        report: impl FnMut(u32, f32),
    ) {
        let mut found = Vec::with_capacity(some.len());
        let kernel = AtPoints {
            bound: self,
            blocks,
            some,
            found: &mut found,
        };
        run(kernel, dispatch);
        let ball = |id| Ball {
            centre: blocks.point(id),
            radius: 0.0,
        };
        self.report(some, &found, ball, report);
    }

    /// Passes the number of each of some extents to `report`, with the bound for all waves that continue by it to
    /// centres of other tiles, or to any points.
    pub(super) fn each_extent(
        &self,
        extents: &Extents,
        (some, to_tiles): (&[Some16], bool),
        dispatch: Dispatch,
        report: impl FnMut(u32, f32),
    ) {
        let mut found = Vec::with_capacity(some.len());
        let kernel = OnExtents {
            bound: self,
            extents,
            some,
            onward: if to_tiles { 1.0 } else { 0.0 },
            found: &mut found,
        };
        run(kernel, dispatch);
        self.report(some, &found, |id| extents.of(id).ball(), report);
    }

    fn report(
        &self,
        some: &[Some16],
        found: &[Lanes],
        ball: impl Fn(u32) -> Ball,
        mut report: impl FnMut(u32, f32),
    ) {
        for (some, found) in some.iter().zip(found) {
            for id in some.ids() {
                let lane = id as usize % LANES;
                let ball = || ball(id);
                let reflected = if self.way.planes.is_empty() {
                    1.0
                } else {
                    self.reflected(ball())
                };
                report(id, found[lane] * reflected);
            }
        }
    }

    /// The bound for perfectly reflecting planes.
    #[inline(always)]
    fn without_reflections(&self, centre: [f32; 3], radius: f32) -> f32 {
        let amplitude = match (&self.source, &self.edge) {
            (_, Some(edge)) => edge.at(centre, radius),
            (BeamSource::Point(from), None) => {
                let [x, y, z] = [centre[0] - from.x, centre[1] - from.y, centre[2] - from.z];
                1.0 / nonzero((x * x + y * y + z * z).sqrt() - radius)
            }
            (BeamSource::Edge(_), None) => f32::INFINITY,
        };
        self.way.scale * amplitude
    }

    /// The bound for perfectly reflecting planes on an extent, for all waves that continue by it.
    #[inline(always)]
    fn without_reflections_on(
        &self,
        centre: [f32; 3],
        halves: [[f32; 3]; 2],
        radius: f32,
        onward: f32,
    ) -> f32 {
        let amplitude = match (&self.source, &self.edge) {
            (_, Some(edge)) => edge.behind(centre, halves, radius, onward),
            (BeamSource::Point(from), None) => {
                let [x, y, z] = [centre[0] - from.x, centre[1] - from.y, centre[2] - from.z];
                let [a, b] = halves.map(|[x, y, z]| (x * x + y * y + z * z).sqrt());
                let nearest = (x * x + y * y + z * z).sqrt() - (a + b + radius);
                1.0 / nonzero(nearest.max(0.0) + onward)
            }
            (BeamSource::Edge(_), None) => f32::INFINITY,
        };
        self.way.scale * amplitude
    }

    /// The share of the amplitude that reflections keep.
    fn reflected(&self, ball: Ball) -> f32 {
        let (power, planes) = (self.power, &self.way.planes);
        match (&self.source, self.way.edge) {
            (BeamSource::Point(from), _) => power.mirrored(planes, ball.centre - from, ball.radius),
            (BeamSource::Edge(source), Some(_)) => {
                let t = source.meets(ball.centre).clamp(0.0, source.length);
                let point = source.start + t * source.along;
                let (before, behind) = planes.split_at(self.way.before);
                // The point moves along the edge by less than the ball's radius.
                power.mirrored(before, point - source.from, ball.radius)
                    * power.mirrored(behind, ball.centre - point, 2.0 * ball.radius)
            }
            (BeamSource::Edge(_), None) => 1.0,
        }
    }
}

/// The bounds for perfectly reflecting planes at points, sixteen at a time.
struct AtPoints<'a> {
    bound: &'a Bound<'a>,
    blocks: &'a Blocks,
    some: &'a [Some16],
    found: &'a mut Vec<Lanes>,
}

impl Kernel for AtPoints<'_> {
    #[inline(always)]
    fn run(self) {
        for some in self.some {
            let block = self.blocks.block(some.block);
            let mut found = [0.0; LANES];
            for (k, found) in found.iter_mut().enumerate() {
                let centre = [block.at[0][k], block.at[1][k], block.at[2][k]];
                *found = self.bound.without_reflections(centre, 0.0);
            }
            self.found.push(found);
        }
    }
}

/// The bounds for perfectly reflecting planes on extents, sixteen at a time.
struct OnExtents<'a> {
    bound: &'a Bound<'a>,
    extents: &'a Extents,
    some: &'a [Some16],
    /// The part that counts of the length that waves have to go on.
    onward: f32,
    found: &'a mut Vec<Lanes>,
}

impl Kernel for OnExtents<'_> {
    #[inline(always)]
    fn run(self) {
        for some in self.some {
            let block = self.extents.block(some.block);
            let mut found = [0.0; LANES];
            for (k, found) in found.iter_mut().enumerate() {
                let at = |axes: &[Lanes; 3]| [axes[0][k], axes[1][k], axes[2][k]];
                let halves = [at(&block.halves[0]), at(&block.halves[1])];
                let (radius, onward) = (block.radius[k], self.onward * block.onward[k]);
                let centre = at(&block.centre);
                *found = self
                    .bound
                    .without_reflections_on(centre, halves, radius, onward);
            }
            self.found.push(found);
        }
    }
}

/// A length or angle that is safe to divide by.
fn nonzero(value: f32) -> f32 {
    value.max(1e-6)
}
