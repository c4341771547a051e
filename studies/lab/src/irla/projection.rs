//! Projects rays from space to the plan: they go on level after their first interaction.
//!
//! # Source
//! Hu 2020, section 3.2.2. What follows is not said there: the ray goes on at the height of the cells, from the place of its
//! interaction and with its length so far; the part of its field in the upright plane becomes the upright part; and of all
//! rays of a wave that were launched to one column of the border the strongest stands for the column.

use glam::DVec3;
use keller::spherical_basis;

use super::ray::{Field, Ray};

/// Rays that are steeper than this have no direction in the plan: the sine of the angle from the upright.
const UPRIGHT: f64 = 1e-9;

/// The ray in the plan at a height, metres; `None` if it is upright.
pub(super) fn projected(ray: &Ray, height: f64) -> Option<Ray> {
    let level = ray.direction.with_z(0.0);
    if level.length() < UPRIGHT {
        return None;
    }
    let direction = level.normalize();
    let components = spherical_basis(ray.direction).map(|unit| ray.field.dot(unit));
    Some(Ray {
        origin: ray.origin.with_z(height),
        direction,
        field: Field::of_components(direction, components),
        ..*ray
    })
}

/// The strongest ray of each column, by columns.
pub(super) fn strongest_of_columns(mut rays: Vec<Ray>) -> Vec<Ray> {
    let strength = |ray: &Ray| ray.field.power() / (ray.length * ray.length);
    rays.sort_by(|a, b| {
        let columns = a.column.floor().total_cmp(&b.column.floor());
        columns.then(strength(b).total_cmp(&strength(a)))
    });
    rays.dedup_by_key(|ray| ray.column.floor());
    rays
}

/// The normal of a wall in the plan; `None` for level walls, which no level ray meets.
pub(super) fn normal_in_plan(normal: DVec3) -> Option<DVec3> {
    /// Slabs and roofs of less slope than this count as level, as the sine of the angle to the level.
    const LEVEL: f64 = 1e-3;
    let level = normal.with_z(0.0);
    (level.length() > LEVEL).then(|| level.normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use keller::random::Random;
    use num_complex::Complex64;

    fn ray(random: &mut Random) -> Ray {
        let direction = random.point(DVec3::splat(-1.0), DVec3::ONE).normalize();
        let part =
            |random: &mut Random| Complex64::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
        Ray {
            origin: random.point(DVec3::ZERO, DVec3::ONE),
            direction,
            length: 2.0,
            field: Field::of_components(direction, [part(random), part(random)]),
            spread: [Vec3::ZERO; 2],
            column: 0.0,
        }
    }

    #[test]
    fn a_projected_ray_keeps_its_azimuth_and_power_and_its_field_stays_transverse() {
        let mut random = Random(11);
        for _ in 0..100 {
            let ray = ray(&mut random);
            let flat = projected(&ray, 1.5).unwrap();
            assert_eq!(flat.origin, ray.origin.with_z(1.5));
            assert!(flat.direction.z == 0.0 && (flat.direction.length() - 1.0).abs() < 1e-12);
            assert!(flat.direction.perp_dot_xy(ray.direction).abs() < 1e-12);
            assert!((flat.field.power() - ray.field.power()).abs() < 1e-12);
            assert!(flat.field.dot(flat.direction).norm() < 1e-12);
        }
        let upright = Ray {
            direction: DVec3::Z,
            ..ray(&mut random)
        };
        assert_eq!(projected(&upright, 1.5), None);
    }

    /// The part of a cross product along z.
    trait Plan {
        fn perp_dot_xy(self, other: Self) -> f64;
    }

    impl Plan for DVec3 {
        fn perp_dot_xy(self, other: Self) -> f64 {
            self.truncate().perp_dot(other.truncate())
        }
    }

    #[test]
    fn of_each_column_the_strongest_ray_stays() {
        let mut random = Random(5);
        let of = |column: f64, length: f64, random: &mut Random| Ray {
            column,
            length,
            field: Field::of_components(DVec3::X, [Complex64::ONE, Complex64::ZERO]),
            ..ray(random)
        };
        let rays = [(3.2, 4.0), (3.9, 2.0), (0.5, 9.0), (3.5, 3.0), (7.0, 1.0)];
        let rays = rays.map(|(column, length)| of(column, length, &mut random));
        let kept = strongest_of_columns(rays.to_vec());
        let kept: Vec<[f64; 2]> = kept.iter().map(|ray| [ray.column, ray.length]).collect();
        assert_eq!(kept, [[0.5, 9.0], [3.9, 2.0], [7.0, 1.0]]);
    }
}
