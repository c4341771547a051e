//! Directions evenly spread over the sphere. Neighbours on the grid are neighbours on the sphere.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4};

use glam::{DVec2, DVec3, UVec2, Vec3};

/// The direction of a cell of the square of directions, and the sides of that cell on the sphere. The square has `side`
/// cells along each side. The cell has the number `index` on a Morton curve that starts at `corner`.
pub(in super::super) fn grid_cell(corner: UVec2, index: u32, side: u32) -> (Vec3, [Vec3; 2]) {
    let at = |x: f64, y: f64| direction(corner, index, side, DVec2::new(x, y));
    let sides = [at(0.5, 0.0) - at(-0.5, 0.0), at(0.0, 0.5) - at(0.0, -0.5)];
    (at(0.0, 0.0), sides)
}

/// The direction of a cell without its sides.
pub(super) fn grid_direction(corner: UVec2, index: u32, side: u32) -> Vec3 {
    direction(corner, index, side, DVec2::ZERO)
}

/// The direction at an offset from the centre of a cell, in cells.
fn direction(corner: UVec2, index: u32, side: u32, off: DVec2) -> Vec3 {
    let centre = (corner + morton(index)).as_dvec2() + 0.5;
    equal_area_direction((centre + off) / f64::from(side)).as_vec3()
}

/// The cell with this number on a Morton curve.
fn morton(index: u32) -> UVec2 {
    /// Every second bit, moved together.
    fn even_bits(mut x: u32) -> u32 {
        x &= 0x5555_5555;
        x = (x | (x >> 1)) & 0x3333_3333;
        x = (x | (x >> 2)) & 0x0f0f_0f0f;
        x = (x | (x >> 4)) & 0x00ff_00ff;
        (x | (x >> 8)) & 0x0000_ffff
    }
    UVec2::new(even_bits(index), even_bits(index >> 1))
}

/// The unit vector of a point of the unit square. Equal areas on the square are equal solid angles, and neighbours stay
/// neighbours.
///
/// # Source
/// P. Clarberg, "Fast Equal-Area Mapping of the (Hemi)Sphere using SIMD", Journal of Graphics Tools 13(3), 2008.
fn equal_area_direction(on_square: DVec2) -> DVec3 {
    let p = 2.0 * on_square - 1.0;
    let a = p.abs();
    // Signed distance inside the diagonal that separates the hemispheres.
    let inside = 1.0 - (a.x + a.y);
    let radius = 1.0 - inside.abs();
    // From the middle of the quadrant, -pi/4 to pi/4.
    let turn = if radius == 0.0 {
        0.0
    } else {
        (a.y - a.x) / radius * FRAC_PI_4
    };
    let (sine, cosine) = small_sin_cos(turn);
    let [x, y] = [cosine - sine, cosine + sine].map(|part| part * FRAC_1_SQRT_2);
    let z = (1.0 - radius * radius).copysign(inside);
    let horizontal = radius * (2.0 - radius * radius).sqrt();
    DVec3::new(
        (horizontal * x).copysign(p.x),
        (horizontal * y).copysign(p.y),
        z,
    )
}

/// Sine and cosine from -pi/4 to pi/4, to 3e-14, with the same bits on every system.
fn small_sin_cos(x: f64) -> (f64, f64) {
    /// The coefficients of Taylor's series.
    const SINE: [f64; 7] = [
        1.0,
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
    ];
    const COSINE: [f64; 8] = [
        1.0,
        -1.0 / 2.0,
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40_320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
        -1.0 / 87_178_291_200.0,
    ];
    let square = x * x;
    let sum = |terms: &[f64]| {
        terms
            .iter()
            .rev()
            .fold(0.0, |sum, term| sum * square + term)
    };
    (x * sum(&SINE), sum(&COSINE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_of_small_angles_are_those_of_the_library() {
        for k in -1000..=1000 {
            let x = f64::from(k) * 1e-3 * FRAC_PI_4;
            let (sine, cosine) = small_sin_cos(x);
            let error = (sine - x.sin()).abs().max((cosine - x.cos()).abs());
            assert!(error < 3e-14, "{x}: {error}");
        }
    }

    #[test]
    fn directions_are_unit_and_evenly_spread() {
        let side = 64;
        let mut octants = [0; 8];
        let mut caps = [0; 4];
        for i in 0..side * side {
            let cell = morton(i);
            let d = equal_area_direction((cell.as_dvec2() + 0.5) / f64::from(side));
            assert!((d.length() - 1.0).abs() < 1e-12, "length {}", d.length());
            // The diagonals of the square are the horizon, which belongs to neither half.
            if d.z == 0.0 {
                continue;
            }
            let octant = [d.x, d.y, d.z].map(|c| usize::from(c > 0.0));
            octants[octant[0] + 2 * octant[1] + 4 * octant[2]] += 1;
            let cap = [-0.5, 0.0, 0.5, 1.1].iter().position(|&z| d.z < z);
            caps[cap.unwrap()] += 1;
        }
        assert_eq!(octants, [(side * side - 2 * side) / 8; 8]);
        // Archimedes: zones of equal height have equal area.
        for count in caps {
            assert!((f64::from(count) / 992.0 - 1.0).abs() < 0.05, "{caps:?}");
        }
    }
}
