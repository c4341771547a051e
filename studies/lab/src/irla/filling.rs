//! Fills gaps with rays between rays, where neighbours part by more than a voxel.
//!
//! In the plan, rays are interpolated between neighbours, as Hu 2020, section 3.2.2, describes it; whether there is a wall
//! between them is not asked. In space, where the document has no filling, a ray is divided over the part of the wave that
//! it stands for.

use glam::{DVec3, Vec3};

use super::ray::Ray;

/// Rays between two neighbours are no more than this.
const MAX_BETWEEN: f64 = 512.0;

/// Rays in space are divided into no more than this along either side.
const MAX_DIVISION: f64 = 16.0;

/// Rays of one wave launched to columns farther apart than this are no neighbours: there was another wall between them.
const NEIGHBOURS: f64 = 2.0;

/// The rays between neighbours of a wave in the plan. `rays` are in the order of their columns, of which there are
/// `perimeter` in all, and `reach` says how far each goes, metres.
pub(super) fn between(rays: &[Ray], reach: &[f64], perimeter: f64, side: f64) -> Vec<Ray> {
    let count = rays.len();
    let mut more = Vec::new();
    for k in 0..count {
        let next = (k + 1) % count;
        let (a, b) = (&rays[k], &rays[next]);
        // The last and the first are neighbours as well.
        let turn = if next == 0 { perimeter } else { 0.0 };
        let apart = b.column + turn - a.column;
        if next == k || apart > NEIGHBOURS {
            continue;
        }
        let far = reach[k].max(reach[next]);
        let at = |ray: &Ray| ray.origin + far * ray.direction;
        let width = a.origin.distance(b.origin).max(at(a).distance(at(b)));
        let parts = (width / side).ceil().min(MAX_BETWEEN);
        let mut part = 1.0;
        while part < parts {
            more.extend(interpolated(a, b, part / parts, turn, perimeter));
            part += 1.0;
        }
    }
    more
}

fn interpolated(a: &Ray, b: &Ray, share: f64, turn: f64, perimeter: f64) -> Option<Ray> {
    let mix = |a: f64, b: f64| a + share * (b - a);
    Some(Ray {
        origin: a.origin.lerp(b.origin, share),
        direction: a.direction.lerp(b.direction, share).try_normalize()?,
        length: mix(a.length, b.length),
        field: a.field.lerp(&b.field, share),
        spread: a.spread,
        column: mix(a.column, b.column + turn) % perimeter,
    })
}

/// The number of times that a ray in space that goes `reach` metres on is divided along both sides of the part of the
/// wave that it stands for, so that no part is wider than a voxel.
pub(super) fn divisions(ray: &Ray, reach: f64, side: f64) -> [f64; 2] {
    let length = ray.length + reach;
    ray.spread.map(|spread| {
        let width = f64::from(spread.length()) * length;
        (width / side).ceil().clamp(1.0, MAX_DIVISION)
    })
}

/// The parts of a ray in space, which start on the plane across `normal` through its origin.
pub(super) fn divided(ray: &Ray, [nu, nv]: [f64; 2], normal: DVec3, more: &mut Vec<Ray>) {
    let image = ray.image();
    let spread = ray.spread.map(Vec3::as_dvec3);
    let depth = normal.dot(ray.origin - image);
    let shift = |part: f64, parts: f64| (part + 0.5) / parts - 0.5;
    let mut u = 0.0;
    while u < nu {
        let mut v = 0.0;
        while v < nv {
            let direction = ray.direction + shift(u, nu) * spread[0] + shift(v, nv) * spread[1];
            let direction = direction.normalize();
            let length = depth / normal.dot(direction);
            if length.is_finite() && length > 0.0 {
                more.push(Ray {
                    origin: image + length * direction,
                    direction,
                    length,
                    field: ray.field,
                    spread: [(spread[0] / nu).as_vec3(), (spread[1] / nv).as_vec3()],
                    column: ray.column,
                });
            }
            v += 1.0;
        }
        u += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irla::ray::Field;
    use num_complex::Complex64;

    /// A ray from an image at the origin through the wall x = 2.
    fn behind_wall(direction: DVec3, column: f64) -> Ray {
        let direction = direction.normalize();
        let length = 2.0 / direction.x;
        Ray {
            origin: length * direction,
            direction,
            length,
            field: Field::of_components(direction, [Complex64::ONE, Complex64::ZERO]),
            spread: [Vec3::Y * 0.1, Vec3::Z * 0.1],
            column,
        }
    }

    #[test]
    fn neighbours_in_the_plan_are_no_more_than_a_voxel_apart_after_filling() {
        let rays: Vec<Ray> = [0.0, 0.1, 0.2, 0.5]
            .into_iter()
            .zip([10.0, 11.0, 12.0, 15.0])
            .map(|(y, column)| behind_wall(DVec3::new(1.0, y, 0.0), column))
            .collect();
        let reach = [20.0, 18.0, 20.0, 20.0];
        let mut all = between(&rays, &reach, 100.0, 0.25);
        assert!(
            all.iter().all(|ray| ray.column < 12.0),
            "no ray where a wall was between"
        );
        all.extend(&rays[..3]);
        all.sort_by(|a, b| a.column.total_cmp(&b.column));
        for pair in all.windows(2) {
            let end = |ray: &Ray| ray.origin + 20.0 * ray.direction;
            assert!(end(&pair[0]).distance(end(&pair[1])) < 0.26);
            // Interpolated rays come from nearly the same image.
            assert!(pair[0].image().length() < 0.02, "{}", pair[0].image());
        }
    }

    #[test]
    fn the_last_column_is_beside_the_first() {
        let [a, b] = [(0.0, 99.5), (0.1, 0.5)]
            .map(|(y, column)| behind_wall(DVec3::new(1.0, y, 0.0), column));
        // The rays are in the order of their columns.
        let more = between(&[b, a], &[20.0; 2], 100.0, 0.5);
        assert!(!more.is_empty());
        assert!(more.iter().all(|ray| !(0.5..=99.5).contains(&ray.column)));
    }

    #[test]
    fn parts_of_a_ray_start_on_the_wall_and_come_from_its_image() {
        let ray = behind_wall(DVec3::new(1.0, 0.3, -0.2), 0.0);
        let divisions = divisions(&ray, 7.0, 0.3);
        let width = 0.1 * (ray.length + 7.0);
        assert_eq!(divisions, [(width / 0.3).ceil(); 2]);
        let mut parts = Vec::new();
        divided(&ray, divisions, DVec3::X, &mut parts);
        assert_eq!(parts.len() as f64, divisions[0] * divisions[1]);
        for part in &parts {
            assert!((part.origin.x - 2.0).abs() < 1e-9);
            assert!(part.image().length() < 1e-9);
        }
    }
}
