//! Waves from wall to wall.
//!
//! A wave is all rays of one sequence of walls. Its rays are followed to their next walls, gaps between them are
//! filled, and the walls that its rays meet make the next waves.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use glam::{DVec3, UVec3};
use keller::geometry::bvh;
use keller::scene::{FaceId, PlaneId};
use keller::{Tx, World};
use rayon::prelude::*;

use super::collection::{OfWave, Sums};
use super::filling;
use super::grid::Grid;
use super::launch::Border;
use super::projection;
use super::raster::Raster;
use super::ray::{Kind, Ray, coefficients};
use super::{Collection, Settings, Statistics};

/// Large waves are followed in so many parts at once, whatever the number of threads.
const PARTS: usize = 16;

/// Waves of fewer rays are not parted.
const SMALLEST_PART: usize = 2048;

/// Data that does not change while waves are traced.
#[derive(Debug)]
pub(super) struct Tracer<'a> {
    world: &'a World,
    grid: &'a Grid,
    raster: Option<&'a Raster>,
    settings: Settings,
    wavelength: f64,
    perimeter: f64,
    sums: Sums,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    waves: AtomicU64,
    rays: AtomicU64,
    filled: AtomicU64,
    live: AtomicUsize,
    most_live: AtomicUsize,
}

/// All rays of one sequence of walls.
#[derive(Debug)]
struct Wave {
    rays: Vec<Ray>,
    /// The wall that it left last, in whose plane it meets nothing.
    last: Option<(FaceId, Kind)>,
    is_flat: bool,
    reflections: usize,
    transmissions: usize,
}

/// A wave's rays that meet a plane.
type Key = (PlaneId, Kind);

/// A ray of the next waves, and the wall that it left.
type Next = (Key, FaceId, Ray);

/// The results of the rays of a part of a wave.
#[derive(Debug, Default)]
struct Met {
    next: Vec<Next>,
    /// The distance that each ray goes, metres.
    reach: Vec<f64>,
    /// Parts of rays that were divided.
    divided: Vec<Ray>,
}

impl<'a> Tracer<'a> {
    pub(super) fn new(
        world: &'a World,
        grid: &'a Grid,
        raster: Option<&'a Raster>,
        settings: Settings,
    ) -> Self {
        Self {
            world,
            grid,
            raster,
            settings,
            wavelength: world.frequency().wavelength(),
            perimeter: 0.0,
            sums: Sums::new(grid.num_cells()),
            counts: Counts::default(),
        }
    }

    /// The gains of all cells.
    pub(super) fn run(mut self, tx: &Tx) -> (Vec<f64>, Statistics) {
        let border = Border::new(self.grid, self.settings.density);
        self.perimeter = border.perimeter();
        let rows = border.rows();
        let rays = rows
            .par_iter()
            .flat_map_iter(|row| border.row(tx, *row))
            .collect();
        self.trace(Wave {
            rays,
            last: None,
            is_flat: false,
            reflections: self.settings.max_reflections,
            transmissions: self.settings.max_transmissions,
        });
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let most_live = self.counts.most_live.load(Ordering::Relaxed);
        let statistics = Statistics {
            waves: load(&self.counts.waves),
            rays: load(&self.counts.rays),
            filled: load(&self.counts.filled),
            memory_bytes: most_live * size_of::<Ray>() + self.sums.memory_bytes(),
        };
        (self.sums.into_gains(), statistics)
    }

    fn trace(&self, wave: Wave) {
        let relaxed = Ordering::Relaxed;
        self.counts.waves.fetch_add(1, relaxed);
        let mut collected = self.sums.of_wave();
        let met = self.follow_all(&wave, &wave.rays, true, &mut collected);
        let mut next = met.next;
        let more = if wave.is_flat && self.settings.fills_gaps {
            let side = self.grid.side;
            filling::between(&wave.rays, &met.reach, self.perimeter, side)
        } else {
            met.divided
        };
        self.counts
            .rays
            .fetch_add((wave.rays.len() + more.len()) as u64, relaxed);
        self.counts.filled.fetch_add(more.len() as u64, relaxed);
        let held = wave.rays.len() + more.len();
        let live = self.counts.live.fetch_add(held, relaxed) + held;
        self.counts.most_live.fetch_max(live, relaxed);
        if !more.is_empty() {
            let of_more = self.follow_all(&wave, &more, false, &mut collected);
            next.extend(of_more.next);
        }
        drop(more);
        self.sums.add(collected);
        let waves = self.next_waves(wave, next);
        self.counts.live.fetch_sub(held, relaxed);
        waves.into_par_iter().for_each(|wave| self.trace(wave));
    }

    /// Follows rays of a wave; those in space may be divided.
    fn follow_all(
        &self,
        wave: &Wave,
        rays: &[Ray],
        may_divide: bool,
        collected: &mut OfWave,
    ) -> Met {
        let of_part = |rays: &[Ray], collected: &mut OfWave| {
            let mut met = Met::default();
            for ray in rays {
                self.follow(wave, ray, may_divide, collected, &mut met);
            }
            met
        };
        let part = rays.len().div_ceil(PARTS).max(SMALLEST_PART);
        if rays.len() <= part {
            return of_part(rays, collected);
        }
        let parts: Vec<(OfWave, Met)> = rays
            .par_chunks(part)
            .map(|rays| {
                let mut collected = self.sums.of_wave();
                let met = of_part(rays, &mut collected);
                (collected, met)
            })
            .collect();
        let mut all = Met::default();
        for (mut of_part, met) in parts {
            collected.join(&mut of_part);
            self.sums.add(of_part);
            all.next.extend(met.next);
            all.reach.extend(met.reach);
            all.divided.extend(met.divided);
        }
        all
    }

    fn follow(
        &self,
        wave: &Wave,
        ray: &Ray,
        may_divide: bool,
        collected: &mut OfWave,
        met: &mut Met,
    ) {
        let (reach, wall) = match self.raster {
            Some(raster) => self.through_raster(wave, raster, ray, collected),
            None => self.through_scene(wave, ray, collected),
        };
        met.reach.push(reach);
        if may_divide && self.divide(wave, ray, reach, &mut met.divided) {
            return;
        }
        if let Some(face) = wall {
            self.meet(wave, ray, reach, face, &mut met.next);
        }
    }

    /// Adds the parts of a ray in space that goes `reach` metres on, if it is wider than a voxel there.
    fn divide(&self, wave: &Wave, ray: &Ray, reach: f64, divided: &mut Vec<Ray>) -> bool {
        let Some((last, _)) = wave.last else {
            return false;
        };
        if !self.settings.fills_gaps || wave.is_flat {
            return false;
        }
        let divisions = filling::divisions(ray, reach, self.grid.side);
        if divisions == [1.0; 2] {
            return false;
        }
        let normal = self.world.scene().face_normal(last);
        let mut parts = Vec::new();
        filling::divided(ray, divisions, normal, &mut parts);
        parts.retain(|part| self.grid.contains(part.origin));
        divided.extend(parts);
        true
    }

    /// The next wall in voxels, and how far away the ray enters its voxel.
    fn through_raster(
        &self,
        wave: &Wave,
        raster: &Raster,
        ray: &Ray,
        collected: &mut OfWave,
    ) -> (f64, Option<FaceId>) {
        let scene = self.world.scene();
        let last = wave.last.map(|(face, _)| scene.plane_of(face));
        // A wave that passes a wall brings no power to the voxel of the wall: the wave before it does.
        let mut is_first = true;
        let is_behind = wave
            .last
            .is_some_and(|(_, kind)| kind == Kind::Transmission);
        let mut hit = None;
        let left = self.grid.walk(ray.origin, ray.direction, |passed| {
            let was_first = std::mem::replace(&mut is_first, false);
            if !(was_first && is_behind) {
                self.collect(wave, ray, passed.voxel, None, collected);
            }
            if was_first {
                return true;
            }
            match raster.wall(self.grid.index(passed.voxel)) {
                Some(face) if Some(scene.plane_of(face)) != last => {
                    hit = Some((passed.enters, face));
                    false
                }
                _ => true,
            }
        });
        match hit {
            Some((enters, face)) => (enters, Some(face)),
            None => (left.unwrap_or(0.0), None),
        }
    }

    /// The next wall of the scene.
    fn through_scene(
        &self,
        wave: &Wave,
        ray: &Ray,
        collected: &mut OfWave,
    ) -> (f64, Option<FaceId>) {
        let scene = self.world.scene();
        let start = (ray.origin - scene.origin()).as_vec3();
        let mut of_index = bvh::Ray::new(start, ray.direction.as_vec3());
        if let Some((face, _)) = wave.last {
            let plane = u32::try_from(scene.plane_of(face).index()).expect("ids have 32 bits");
            of_index = of_index.skipping([plane, bvh::Ray::NO_GROUP]);
        }
        let hit = scene.index().closest_hit(&of_index).map(|hit| {
            let face = scene.triangle_faces()[hit.triangle as usize];
            let plane = scene.plane(scene.plane_of(face));
            let t = -plane.distance(ray.origin) / plane.normal.dot(ray.direction);
            let is_sane = t.is_finite() && t > 0.0;
            (if is_sane { t } else { f64::from(hit.t) }, face)
        });
        let end = hit.map_or(f64::INFINITY, |(t, _)| t);
        // Only the part of the ray in the layer of the cells counts.
        let half = 0.5 * self.grid.side;
        let above = ray.origin.z - self.grid.height();
        let mut start = 0.0;
        if above.abs() >= half {
            let border = half.copysign(above);
            start = (border - above) / ray.direction.z;
            if !(start.is_finite() && start > 0.0 && start < end) {
                start = f64::INFINITY;
            }
        }
        let from = ray.origin + start * ray.direction;
        let mut left = None;
        if start.is_finite() && self.is_over_plan(from) {
            left = self.grid.walk(from, ray.direction, |passed| {
                let is_in_layer = passed.voxel.z == self.grid.layer;
                let goes_on = start + passed.enters <= end;
                if is_in_layer && goes_on {
                    self.collect(wave, ray, passed.voxel, Some(end), collected);
                }
                // The first voxel may be the neighbour of the layer, by rounding.
                goes_on && (is_in_layer || passed.enters == 0.0)
            });
        }
        match hit {
            Some((t, face)) => {
                // Walls beyond the grid are none of its.
                let is_in_grid = self.grid.contains(ray.origin + t * ray.direction);
                (t, is_in_grid.then_some(face))
            }
            None => (left.unwrap_or(0.0), None),
        }
    }

    fn is_over_plan(&self, at: DVec3) -> bool {
        let (low, high) = (self.grid.low, self.grid.high());
        (low.x..high.x).contains(&at.x) && (low.y..high.y).contains(&at.y)
    }

    /// Takes the power that a ray brings to the cell in a voxel. If it ends at a wall of the scene, the foot of the
    /// perpendicular from the centre must lie before the wall.
    #[inline]
    fn collect(
        &self,
        wave: &Wave,
        ray: &Ray,
        voxel: UVec3,
        end: Option<f64>,
        collected: &mut OfWave,
    ) {
        let Some(cell) = self.grid.cell(voxel) else {
            return;
        };
        let centre = self.grid.centre(voxel);
        let away = centre - ray.origin;
        let along = away.dot(ray.direction);
        if end.is_some_and(|end| along < 0.0 || along > end) {
            return;
        }
        let distance = centre.distance(ray.image());
        let apart = away - along.max(0.0) * ray.direction;
        let has_owner = self.settings.collection == Collection::Owned && !wave.is_flat;
        if has_owner && !ray.owns(apart, distance) {
            return;
        }
        let gain = ray.gain(distance, self.wavelength);
        if gain >= self.settings.min_gain {
            collected.put(cell, apart.length_squared(), gain);
        }
    }

    /// The rays behind the wall that a ray meets `t` metres on.
    fn meet(&self, wave: &Wave, ray: &Ray, t: f64, face: FaceId, next: &mut Vec<Next>) {
        if ray.gain(ray.length + t, self.wavelength) < self.settings.min_gain {
            return;
        }
        let scene = self.world.scene();
        let mut normal = scene.face_normal(face);
        if wave.is_flat {
            let Some(level) = projection::normal_in_plan(normal) else {
                return;
            };
            normal = level;
        }
        let coefficients = coefficients(ray.direction, normal, self.world.surface(face));
        for (kind, coefficient) in [Kind::Reflection, Kind::Transmission]
            .into_iter()
            .zip(coefficients)
        {
            let budget = match kind {
                Kind::Reflection => wave.reflections,
                Kind::Transmission => wave.transmissions,
            };
            if budget == 0 {
                continue;
            }
            let behind = ray.behind(t, normal, kind, coefficient);
            let gain = behind.gain(behind.length, self.wavelength);
            if gain.is_nan() || gain < self.settings.min_gain {
                continue;
            }
            let behind = if self.settings.is_projected && !wave.is_flat {
                projection::projected(&behind, self.grid.height())
            } else {
                Some(behind)
            };
            next.extend(behind.map(|ray| ((scene.plane_of(face), kind), face, ray)));
        }
    }

    /// The rays behind walls, wave by wave.
    fn next_waves(&self, wave: Wave, mut next: Vec<Next>) -> Vec<Wave> {
        let (was_flat, reflections, transmissions) =
            (wave.is_flat, wave.reflections, wave.transmissions);
        drop(wave);
        next.sort_by_key(|(key, _, _)| *key);
        let of_key = |next: &[Next]| {
            let ((_, kind), face, _) = next[0];
            let mut rays: Vec<Ray> = next.iter().map(|(_, _, ray)| *ray).collect();
            if was_flat {
                rays.sort_by(|a, b| a.column.total_cmp(&b.column));
            } else if self.settings.is_projected {
                rays = projection::strongest_of_columns(rays);
            }
            let is_reflection = kind == Kind::Reflection;
            Wave {
                rays,
                last: Some((face, kind)),
                is_flat: was_flat || self.settings.is_projected,
                reflections: reflections - usize::from(is_reflection),
                transmissions: transmissions - usize::from(!is_reflection),
            }
        };
        next.chunk_by(|a, b| a.0 == b.0).map(of_key).collect()
    }
}
