//! GORL: discrete rays and the strongest of each voxel (Hu 2020, chapter 4).
//!
//! One ray goes to every voxel on the border of the grid, or of a grid `over` times as long (section 4.9.3). A voxel
//! gets the distance at which the ray enters it (eq. 4-12), half a voxel at least. Cost: rays times reflections times
//! voxels a ray. In addition to the gaps between rays it loses all but the strongest path.

use std::sync::atomic::{AtomicU32, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::wave::Wave;
use super::{Launch, Left, NO_PLANE};

/// Rays that a thread follows together.
const AT_ONCE: usize = 1 << 14;

#[derive(Debug, Clone, Copy)]
struct GorlRay {
    origin: DVec3,
    direction: DVec3,
    travelled: f64,
    wave: Wave,
    left: Left,
    reflections: usize,
    transmissions: usize,
}

/// The largest path gain of every voxel, linear, zero where no ray comes. `over` is 1, or 11 for over-launching.
pub fn strongest(launch: &Launch<'_>, over: usize) -> Vec<f64> {
    let border = launch.grid.enlarged(over);
    let (count, position) = (border.num_on_border(), launch.tx.position);
    let gains: Vec<AtomicU32> = (0..launch.grid.len()).map(|_| AtomicU32::new(0)).collect();
    (0..count.div_ceil(AT_ONCE))
        .into_par_iter()
        .for_each(|chunk| {
            let numbers = chunk * AT_ONCE..count.min((chunk + 1) * AT_ONCE);
            let start = |number| {
                let direction = (border.on_border(number).0 - position).try_normalize()?;
                let wave = Wave::leaving(&launch.tx.antenna, direction);
                Some(GorlRay {
                    origin: position,
                    direction,
                    travelled: 0.0,
                    wave,
                    left: [NO_PLANE; 2],
                    reflections: 0,
                    transmissions: 0,
                })
            };
            let mut rays: Vec<GorlRay> = numbers.filter_map(start).collect();
            while !rays.is_empty() {
                rays = collect(launch, &gains, &rays);
            }
        });
    gains
        .into_iter()
        .map(|bits| f64::from(f32::from_bits(bits.into_inner())))
        .collect()
}

/// Collects rays and gives those that they become at the faces they meet.
fn collect(launch: &Launch<'_>, gains: &[AtomicU32], rays: &[GorlRay]) -> Vec<GorlRay> {
    let queries: Vec<_> = rays
        .iter()
        .map(|ray| (ray.origin, ray.direction, ray.left))
        .collect();
    let nearest = 0.5 * launch.grid.size().min_element();
    let mut next = Vec::new();
    for (ray, end) in rays.iter().zip(launch.ends(&queries)) {
        let power = ray.wave.power();
        let reach = launch.reach(power) - ray.travelled;
        launch.grid.traverse(
            ray.origin,
            ray.direction,
            end.t.min(reach),
            |voxel, entry| {
                let gain = launch.gain(power, (ray.travelled + entry).max(nearest));
                #[expect(clippy::cast_possible_truncation, reason = "seven digits are enough")]
                // Positive floats are ordered as their bits.
                let bits = (gain as f32).to_bits();
                // Reading is much cheaper than the maximum of several threads.
                if bits > gains[voxel].load(Ordering::Relaxed) {
                    gains[voxel].fetch_max(bits, Ordering::Relaxed);
                }
            },
        );
        if let Some(triangle) = end.triangle.filter(|_| end.t < reach) {
            let travelled = ray.travelled + end.t;
            let origin = ray.origin + end.t * ray.direction;
            let mut go_on = |ray: GorlRay| {
                if launch.reach(ray.wave.power()) > travelled {
                    next.push(ray);
                }
            };
            if ray.reflections < launch.max_reflections {
                let (wave, direction, left, _) = launch.reflect(ray.wave, ray.direction, triangle);
                go_on(GorlRay {
                    origin,
                    direction,
                    travelled,
                    wave,
                    left,
                    reflections: ray.reflections + 1,
                    ..*ray
                });
            }
            if ray.transmissions < launch.max_transmissions
                && let Some((wave, left)) = launch.transmit(ray.wave, ray.direction, triangle)
            {
                go_on(GorlRay {
                    origin,
                    travelled,
                    wave,
                    left,
                    transmissions: ray.transmissions + 1,
                    ..*ray
                });
            }
        }
    }
    next
}
