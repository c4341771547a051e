//! TLARS: tubes that their rays fill by adaptive splitting (Hu 2020, sections 5.1 and 5.2).
//!
//! A tube is as wide as a voxel where its first ray ends. A ray that goes on is split in four there (eq. 5-1 to 5-3);
//! each part starts at the end of its parent, the third way of figure 5-3. Rays that met the same faces are a batch,
//! and a batch gives each voxel its gain once. Eq. 5-3 as printed lacks the source `P_0` as a summand; it is added here.
//!
//! Loses what a blocked parent hides, and gives a voxel a tube's gain though its centre is in shadow.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DMat3, DVec3};
use keller::scene::FaceId;
use rayon::prelude::*;

use super::wave::Wave;
use super::{Launch, NO_PLANE};

/// Sums are whole multiples of this gain, so that they do not depend on the order of threads.
const UNIT: f64 = 1.0 / (1_u64 << 60) as f64;

#[derive(Debug, Clone, Copy)]
struct TubeRay {
    origin: DVec3,
    direction: DVec3,
    /// Metres until it is split.
    remaining: f64,
    wave: Wave,
    /// Axis across the cross-section before all reflections.
    axis: usize,
}

/// The rays of one path.
struct Batch {
    source: DVec3,
    mirror: DMat3,
    left: u32,
    reflections: usize,
    rays: Vec<TubeRay>,
}

/// A ray to its end, and the triangle there if it is reflected.
type Segment = (TubeRay, f64, Option<usize>);

/// The sum of path gains of every voxel, linear.
pub fn total(launch: &Launch<'_>) -> Vec<f64> {
    let (grid, source) = (launch.grid, launch.tx.position);
    let start = |number| {
        let (end, axis) = grid.on_border(number);
        let direction = (end - source).try_normalize()?;
        let wave = Wave::leaving(&launch.tx.antenna, direction);
        Some(TubeRay {
            origin: source,
            direction,
            remaining: source.distance(end),
            wave,
            axis,
        })
    };
    let rays = (0..grid.num_on_border()).filter_map(start).collect();
    let sums: Vec<AtomicU64> = (0..grid.len()).map(|_| AtomicU64::new(0)).collect();
    let first = Batch {
        source,
        mirror: DMat3::IDENTITY,
        left: NO_PLANE,
        reflections: 0,
        rays,
    };
    follow(launch, &sums, &first);
    sums.into_iter()
        .map(|sum| sum.into_inner() as f64 * UNIT)
        .collect()
}

fn follow(launch: &Launch<'_>, sums: &[AtomicU64], batch: &Batch) {
    let segments = trace(launch, batch);
    let children = if batch.reflections < launch.max_reflections {
        reflect(launch, batch, &segments)
    } else {
        Vec::new()
    };
    rayon::join(
        || collect(launch, sums, batch, &segments),
        || {
            children
                .par_iter()
                .for_each(|child| follow(launch, sums, child));
        },
    );
}

/// Splits the rays of a batch until all have met a face or left.
fn trace(launch: &Launch<'_>, batch: &Batch) -> Vec<Segment> {
    let half = 0.5 * launch.grid.size();
    let mut pending = batch.rays.clone();
    let mut done = Vec::new();
    while !pending.is_empty() {
        let queries: Vec<_> = pending
            .iter()
            .map(|ray| (ray.origin, ray.direction, batch.left))
            .collect();
        let mut split = Vec::new();
        for (ray, end) in pending.iter().zip(launch.ends(&queries)) {
            let reach = launch.reach(ray.wave.power()) - ray.origin.distance(batch.source);
            if end.t.min(reach) <= ray.remaining {
                done.push((
                    *ray,
                    end.t.min(reach),
                    end.triangle.filter(|_| end.t < reach),
                ));
                continue;
            }
            done.push((*ray, ray.remaining, None));
            let origin = ray.origin + ray.remaining * ray.direction;
            // Eq. 5-3, from the source.
            let centre = batch.source + 2.0 * (origin - batch.source);
            let across =
                [(ray.axis + 1) % 3, (ray.axis + 2) % 3].map(|k| half[k] * batch.mirror.col(k));
            for [a, b] in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]] {
                let way = centre + a * across[0] + b * across[1] - origin;
                if let Some(direction) = way.try_normalize() {
                    split.push(TubeRay {
                        origin,
                        direction,
                        remaining: way.length(),
                        ..*ray
                    });
                }
            }
        }
        pending = split;
    }
    done
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
            let height = plane.normal.dot(batch.source) - plane.offset;
            let mirror = DMat3::from_cols_array_2d(
                &[DVec3::X, DVec3::Y, DVec3::Z]
                    .map(|e| (e - 2.0 * e.dot(normal) * normal).to_array()),
            );
            Batch {
                source: batch.source - 2.0 * height * plane.normal,
                mirror: mirror * batch.mirror,
                left,
                reflections: batch.reflections + 1,
                rays: Vec::new(),
            }
        });
        let origin = ray.origin + *t * ray.direction;
        if launch.reach(wave.power()) > origin.distance(child.source) {
            child.rays.push(TubeRay {
                origin,
                direction,
                remaining: ray.remaining - t,
                wave,
                axis: ray.axis,
            });
        }
    }
    batches
        .into_values()
        .filter(|batch| !batch.rays.is_empty())
        .collect()
}

/// Gives each voxel that a batch pierces the gain from the source to its centre, once.
fn collect(launch: &Launch<'_>, sums: &[AtomicU64], batch: &Batch, segments: &[Segment]) {
    let mut known = std::collections::HashSet::new();
    for (ray, end, _) in segments {
        let power = ray.wave.power();
        launch
            .grid
            .traverse(ray.origin, ray.direction, *end, |voxel, _| {
                if known.insert(voxel) {
                    let distance = launch.grid.centre(voxel).distance(batch.source);
                    let gain = launch.gain(power, distance);
                    if gain >= launch.min_gain && gain.is_finite() {
                        #[expect(
                            clippy::cast_possible_truncation,
                            clippy::cast_sign_loss,
                            reason = "a gain below one"
                        )]
                        sums[voxel].fetch_add((gain / UNIT).round() as u64, Ordering::Relaxed);
                    }
                }
            });
    }
}
