//! The image space of a room in the plane: where a ray is after some length, by length and first direction.
//!
//! **Source.** Key et al. 2020, section IV, figure 6, and equation (9) with the area and length of the plane instead of the
//! volume.

use std::f64::consts::{PI, TAU};

use glam::DVec2;

/// A straight reflector between two points.
pub type Mirror = [DVec2; 2];

/// The place at which a ray from the origin is after `length`, launched at `angle`.
pub fn place(mirrors: &[Mirror], length: f64, angle: f64) -> DVec2 {
    let (mut at, mut direction) = (DVec2::ZERO, DVec2::from_angle(angle));
    let (mut left, mut last) = (length, None);
    loop {
        let meets = mirrors.iter().enumerate().filter(|(k, _)| Some(*k) != last);
        let meets = meets.filter_map(|(k, mirror)| Some((meet(at, direction, mirror)?, k)));
        let next = meets.min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((way, number)) = next.filter(|(way, _)| *way < left) else {
            return at + left * direction;
        };
        let [a, b] = mirrors[number];
        let normal = (b - a).perp().normalize();
        at += way * direction;
        direction -= 2.0 * direction.dot(normal) * normal;
        left -= way;
        last = Some(number);
    }
}

/// The mean distance between where points of image space are and where the nearest of `num_rays` evenly spaced rays is after
/// the same length, over the largest length: a midpoint rule with `parts` lengths and at least as many angles between two
/// rays.
pub fn geometric_error(mirrors: &[Mirror], max_length: f64, num_rays: usize, parts: usize) -> f64 {
    const BETWEEN: usize = 8;
    let mut sum = 0.0;
    for ray in 0..num_rays {
        let middle = TAU * ray as f64 / num_rays as f64;
        for part in 0..parts {
            let length = max_length * (part as f64 + 0.5) / parts as f64;
            let of_ray = place(mirrors, length, middle);
            for k in 0..BETWEEN {
                let off = ((k as f64 + 0.5) / BETWEEN as f64 - 0.5) * TAU / num_rays as f64;
                sum += length * of_ray.distance(place(mirrors, length, middle + off));
            }
        }
    }
    let cell = (max_length / parts as f64) * TAU / (num_rays * BETWEEN) as f64;
    sum * cell / (PI * max_length.powi(3))
}

/// The distance along a ray to a reflector, if it meets it.
fn meet(at: DVec2, direction: DVec2, [a, b]: &Mirror) -> Option<f64> {
    let along = *b - *a;
    let cross = direction.perp_dot(along);
    let (way, part) = (
        (*a - at).perp_dot(along) / cross,
        (*a - at).perp_dot(direction) / cross,
    );
    (way > 0.0 && (0.0..=1.0).contains(&part)).then_some(way)
}
