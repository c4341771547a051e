//! TLARS: tubes that their rays fill by adaptive splitting (Hu 2020, sections 5.1 and 5.2).
//!
//! A tube is as wide as a voxel where its first ray ends. A ray that goes on is split in four there (eq. 5-1 to 5-3);
//! each part starts at the end of its parent, the third way of figure 5-3, unless a [`Splitting`] says otherwise. Rays
//! that were reflected at the same faces are a batch, and a batch gives each voxel its gain once. Eq. 5-3 as printed
//! lacks the source `P_0` as a summand; it is added here.
//!
//! A ray that meets a wall goes on behind it with the field that the wall lets through. In section 5.2 the rays behind
//! each polygon are a batch of their own. Then a voxel in which a wall ends has the direct path twice: in front of the
//! wall and through it. Here rays stay in their batch when they pass a wall, and those that passed the fewest walls
//! come first to a voxel.
//!
//! Virtual polygons catch rays near edges ([`Polygons`]). Of the rays of a batch that are caught at one segment of an
//! edge, the strongest starts diffracted rays (section 5.3.3); those of one edge are a batch. They leave the edge as if
//! it were a point source, turned step by step from the direction of the incident ray to the wall in the shadow, each
//! step as wide as their opening (figure 5-6). They are split where the incident tube would be, or as far behind the
//! edge as the source lies before it, if this is nearer: segments are half a voxel long, so that neighbours are a voxel
//! apart there; but no nearer than two voxels. Nothing is sent into the illuminated space.
//!
//! Loses places that a blocked parent hides, and gives a voxel a tube's gain though its centre is in shadow.

mod diffraction;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use glam::{DAffine3, DMat3, DVec3};
use keller::scene::FaceId;
use rayon::prelude::*;

use super::edges::Bend;
use super::wave::Wave;
use super::{End, Launch, Left, NO_PLANE, Polygons, VoxelGrid};
use diffraction::diffract;

/// The point from which the parts of a tube of the Tx start. Tubes behind a face always start at the end of their
/// parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Splitting {
    /// The end of their parents: the third way of figure 5-3, which the document builds.
    AtParents,
    /// The Tx: the second way of figure 5-3, the remedy of section 5.7.1.
    AtTx,
    /// The Tx; and a blocked tube is split too while its footprint on the face is longer than a voxel. Section 5.7.2
    /// proposes the like and leaves it to further work.
    Footprints,
}

/// A blocked tube that is narrower than this share of a voxel is not split, however long its footprint is.
const MIN_WIDTH: f64 = 1.0 / 32.0;

/// Diffracted waves are followed as if they were so many times as strong as in the direction of their ray.
const BESIDE: f64 = 4.0;

/// Sums are whole multiples of this gain, so that they do not depend on the order of threads.
const UNIT: f64 = 1.0 / (1_u64 << 60) as f64;

#[derive(Debug, Clone, Copy)]
struct TubeRay {
    origin: DVec3,
    direction: DVec3,
    /// Metres until it is split.
    remaining: f64,
    wave: Wave,
    /// The power of the wave at its start, if an edge is its source.
    unit: f64,
    /// Axis across the cross-section before all reflections, if the Tx is its source.
    axis: u8,
    left: Left,
    transmissions: u16,
    /// The number of its source in the batch.
    source: u32,
}

/// A point from which rays spread: the Tx, or a point of an edge.
#[derive(Debug, Clone, Copy)]
struct Source {
    at: DVec3,
    bend: Option<Bend>,
}

/// The rays of one path.
struct Batch {
    /// The sources before the reflections that follow.
    sources: Arc<Vec<Source>>,
    /// The images by these reflections: from places before them to those after them.
    image: DAffine3,
    reflections: usize,
    diffractions: usize,
    rays: Vec<TubeRay>,
}

impl Batch {
    /// The point from which a ray spreads, mirrored.
    fn source(&self, ray: &TubeRay) -> DVec3 {
        let source = &self.sources[ray.source as usize];
        self.image.transform_point3(source.at)
    }

    /// The distance from its source at which a ray has the least gain, metres.
    fn reach(&self, launch: &Launch<'_>, ray: &TubeRay) -> f64 {
        let power = ray.wave.power();
        let reach = launch.reach(power);
        let Some(bend) = &self.sources[ray.source as usize].bend else {
            return reach;
        };
        // The spreading behind the edge is `reach` squared there. Next to the ray the wave may be stronger.
        let half = 0.5 * bend.legs.sum;
        let room = BESIDE * reach * reach / bend.legs.product;
        (half * half + room).sqrt() - half
    }

    /// The power that a ray brings to a place, and what spreading divides it by, square metres. The place is given as
    /// The power that a ray brings to a place, and the divisor of it by spreading, square metres. The place is given as
    /// it was before the reflections of the batch.
    fn power(&self, launch: &Launch<'_>, ray: &TubeRay, at: DVec3) -> (f64, f64) {
        let source = &self.sources[ray.source as usize];
        let way = at - source.at;
        let power = ray.wave.power();
        match &source.bend {
            None => (power, way.length_squared()),
            Some(bend) => (
                power / ray.unit * bend.power(launch.world, way),
                bend.spreading(way.length()),
            ),
        }
    }
}

/// A ray to its end, and the triangle there if it is reflected.
type Segment = (TubeRay, f64, Option<usize>);

/// The sum of path gains of every voxel, linear. The first tubes are as wide as a voxel on the border of a grid: the
/// launch's own as the document has it, or a smaller one about the Tx. Nothing is diffracted.
pub fn total(launch: &Launch<'_>, border: &VoxelGrid, splitting: Splitting) -> Vec<f64> {
    total_with_edges(launch, border, splitting, None)
}

/// [`total`] with diffraction at the edges of these polygons.
pub fn total_with_edges(
    launch: &Launch<'_>,
    border: &VoxelGrid,
    splitting: Splitting,
    polygons: Option<&Polygons>,
) -> Vec<f64> {
    let (grid, source) = (launch.grid, launch.tx.position);
    let start = |number| {
        let (end, axis) = border.on_border(number);
        let direction = (end - source).try_normalize()?;
        let wave = Wave::leaving(&launch.tx.antenna, direction);
        Some(TubeRay {
            origin: source,
            direction,
            remaining: source.distance(end),
            wave,
            unit: 1.0,
            axis: u8::try_from(axis).unwrap_or(2),
            left: [NO_PLANE; 2],
            transmissions: 0,
            source: 0,
        })
    };
    let rays = (0..border.num_on_border()).filter_map(start).collect();
    let voxels = Voxels {
        sums: (0..grid.len()).map(|_| AtomicU64::new(0)).collect(),
        seen: Mutex::default(),
    };
    let first = Batch {
        sources: Arc::new(vec![Source {
            at: source,
            bend: None,
        }]),
        image: DAffine3::IDENTITY,
        reflections: 0,
        diffractions: 0,
        rays,
    };
    follow(launch, &voxels, polygons, &first, splitting);
    voxels
        .sums
        .into_iter()
        .map(|sum| sum.into_inner() as f64 * UNIT)
        .collect()
}

fn follow(
    launch: &Launch<'_>,
    voxels: &Voxels,
    polygons: Option<&Polygons>,
    batch: &Batch,
    splitting: Splitting,
) {
    let segments = trace(launch, batch, splitting);
    let mut children = if batch.reflections < launch.max_reflections {
        reflect(launch, batch, &segments)
    } else {
        Vec::new()
    };
    if let Some(polygons) = polygons.filter(|p| batch.diffractions < p.max_diffractions) {
        children.extend(diffract(launch, polygons, batch, &segments));
    }
    rayon::join(
        || collect(launch, voxels, batch, &segments),
        || {
            children
                .par_iter()
                .for_each(|child| follow(launch, voxels, polygons, child, Splitting::AtParents));
        },
    );
}

/// Splits the rays of a batch until all have met a face or left.
fn trace(launch: &Launch<'_>, batch: &Batch, splitting: Splitting) -> Vec<Segment> {
    let mut pending = batch.rays.clone();
    let mut done = Vec::new();
    while !pending.is_empty() {
        let queries: Vec<_> = pending
            .iter()
            .map(|ray| (ray.origin, ray.direction, ray.left))
            .collect();
        let mut next = Vec::new();
        for (ray, end) in pending.iter().zip(launch.ends(&queries)) {
            let reach = batch.reach(launch, ray) - ray.origin.distance(batch.source(ray));
            let is_done = end.t.min(reach) <= ray.remaining;
            if is_done {
                let triangle = end.triangle.filter(|_| end.t < reach);
                done.push((*ray, end.t.min(reach), triangle));
            } else {
                done.push((*ray, ray.remaining, None));
            }
            let is_split = !is_done
                || end.t < reach
                    && splitting == Splitting::Footprints
                    && ray.transmissions == 0
                    && has_long_footprint(launch, ray, end);
            if is_split {
                split(launch, batch, ray, splitting, &mut next);
            } else if end.t < reach {
                next.extend(behind_wall(launch, ray, end));
            }
        }
        pending = next;
    }
    done.sort_by_key(|(ray, ..)| ray.transmissions);
    done
}

/// The ray that goes on behind the wall at which a ray ends.
fn behind_wall(launch: &Launch<'_>, ray: &TubeRay, end: End) -> Option<TubeRay> {
    if usize::from(ray.transmissions) >= launch.max_transmissions {
        return None;
    }
    let (wave, left) = launch.transmit(ray.wave, ray.direction, end.triangle?)?;
    Some(TubeRay {
        origin: ray.origin + end.t * ray.direction,
        remaining: ray.remaining - end.t,
        wave,
        left,
        transmissions: ray.transmissions.saturating_add(1),
        ..*ray
    })
}

/// Adds the four parts of a tube (eq. 5-3, from the source).
fn split(
    launch: &Launch<'_>,
    batch: &Batch,
    ray: &TubeRay,
    splitting: Splitting,
    next: &mut Vec<TubeRay>,
) {
    let end = ray.origin + ray.remaining * ray.direction;
    let source = batch.source(ray);
    let (origin, left, transmissions) = match splitting {
        Splitting::AtParents => (end, ray.left, ray.transmissions),
        Splitting::AtTx | Splitting::Footprints => (source, [NO_PLANE; 2], 0),
    };
    let centre = source + 2.0 * (end - source);
    let across = across(launch, batch, ray, end - source);
    for [a, b] in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]] {
        let way = centre + a * across[0] + b * across[1] - origin;
        if let Some(direction) = way.try_normalize() {
            let wave = match splitting {
                Splitting::AtParents => ray.wave,
                // The part starts at the Tx itself.
                Splitting::AtTx | Splitting::Footprints => {
                    Wave::leaving(&launch.tx.antenna, direction)
                }
            };
            next.push(TubeRay {
                origin,
                direction,
                remaining: way.length(),
                wave,
                left,
                transmissions,
                ..*ray
            });
        }
    }
}

/// Half the sides of the cross-section of a tube that has gone `way` from its source.
fn across(launch: &Launch<'_>, batch: &Batch, ray: &TubeRay, way: DVec3) -> [DVec3; 2] {
    let mirror = batch.image.matrix3;
    let size = launch.grid.size();
    if let Some(bend) = &batch.sources[ray.source as usize].bend {
        let edge = launch.world.scene().edges()[bend.edge.index()].along();
        let around = way.cross(mirror * edge).normalize_or_zero();
        let half = 0.5 * size.min_element();
        return [half * around, half * around.cross(way).normalize_or_zero()];
    }
    let axis = usize::from(ray.axis);
    [(axis + 1) % 3, (axis + 2) % 3].map(|k| 0.5 * size[k] * mirror.col(k))
}

/// Whether a tube that ends at a face covers more than a voxel of it, lengthwise. The tube starts at the source.
fn has_long_footprint(launch: &Launch<'_>, ray: &TubeRay, end: End) -> bool {
    let Some(triangle) = end.triangle else {
        return false;
    };
    let scene = launch.world.scene();
    let normal = scene.face_normal(scene.triangle_faces()[triangle]);
    let width = end.t / ray.remaining;
    width > MIN_WIDTH && width > ray.direction.dot(normal).abs()
}

/// The batches behind the faces that rays meet, one a face.
fn reflect(launch: &Launch<'_>, batch: &Batch, segments: &[Segment]) -> Vec<Batch> {
    let scene = launch.world.scene();
    let mut batches: BTreeMap<FaceId, Batch> = BTreeMap::new();
    for (ray, t, triangle) in segments {
        let Some(triangle) = *triangle else { continue };
        let (wave, direction, left, normal) = launch.reflect(ray.wave, ray.direction, triangle);
        let face = scene.triangle_faces()[triangle];
        let child = batches.entry(face).or_insert_with(|| {
            let plane = scene.plane(scene.plane_of(face));
            let matrix = DMat3::from_cols_array_2d(
                &[DVec3::X, DVec3::Y, DVec3::Z]
                    .map(|e| (e - 2.0 * e.dot(normal) * normal).to_array()),
            );
            let mirror = DAffine3::from_mat3_translation(matrix, plane.mirror(DVec3::ZERO));
            Batch {
                sources: Arc::clone(&batch.sources),
                image: mirror * batch.image,
                reflections: batch.reflections + 1,
                diffractions: batch.diffractions,
                rays: Vec::new(),
            }
        });
        let origin = ray.origin + *t * ray.direction;
        let reflected = TubeRay {
            origin,
            direction,
            remaining: ray.remaining - t,
            wave,
            left,
            ..*ray
        };
        if child.reach(launch, &reflected) > origin.distance(child.source(&reflected)) {
            child.rays.push(reflected);
        }
    }
    batches
        .into_values()
        .filter(|batch| !batch.rays.is_empty())
        .collect()
}

/// The sums of the voxels so far.
struct Voxels {
    sums: Vec<AtomicU64>,
    /// Lists that no thread uses at the moment: one a thread, instead of one a batch.
    seen: Mutex<Vec<Seen>>,
}

/// The batch that came last to each voxel, by its number in this list.
#[derive(Default)]
struct Seen {
    batch: u32,
    last: Vec<u32>,
}

/// Gives each voxel that a batch pierces the gain from the source to its centre, once.
fn collect(launch: &Launch<'_>, voxels: &Voxels, batch: &Batch, segments: &[Segment]) {
    let free = || voxels.seen.lock().unwrap_or_else(PoisonError::into_inner);
    let mut seen = free().pop().unwrap_or_default();
    if seen.last.is_empty() || seen.batch == u32::MAX {
        seen = Seen {
            batch: 0,
            last: vec![0; launch.grid.len()],
        };
    }
    seen.batch += 1;
    let back = batch.image.inverse();
    for (ray, end, _) in segments {
        launch
            .grid
            .traverse(ray.origin, ray.direction, *end, |voxel, _| {
                if std::mem::replace(&mut seen.last[voxel], seen.batch) == seen.batch {
                    return;
                }
                let centre = back.transform_point3(launch.grid.centre(voxel));
                let (power, spreading) = batch.power(launch, ray, centre);
                let gain = launch.gain(power, spreading.sqrt());
                if gain >= launch.min_gain && gain.is_finite() {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a gain below one"
                    )]
                    voxels.sums[voxel].fetch_add((gain / UNIT).round() as u64, Ordering::Relaxed);
                }
            });
    }
    free().push(seen);
}
