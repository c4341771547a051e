#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers of tests are small"
)]

use super::*;

fn grid(columns: usize, rows: usize, height: impl Fn(f64, f64) -> f64) -> Vec<f32> {
    (0..rows)
        .flat_map(|row| (0..columns).map(move |column| (column, row)))
        .map(|(column, row)| height(column as f64, row as f64) as f32)
        .collect()
}

/// Largest error over all cells, found from the triangles alone. Checks that every cell lies in a triangle, that all are
/// counter-clockwise, and that together they cover the grid once.
fn check(columns: usize, values: &[f32], mesh: &GridTriangles) -> f64 {
    let rows = values.len() / columns;
    let mut errors = vec![f64::INFINITY; values.len()];
    let mut twice_area = 0.0;
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|v| mesh.vertices[v as usize]);
        let z = [a, b, c].map(|[x, y]| f64::from(values[y as usize * columns + x as usize]));
        let [a, b, c] = [a, b, c].map(|v| v.map(f64::from));
        let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
            (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        };
        let area = side(a, b, c);
        assert!(area > 0.0, "a triangle is not counter-clockwise");
        twice_area += area;
        let range = |k: usize| {
            (
                a[k].min(b[k]).min(c[k]) as usize,
                a[k].max(b[k]).max(c[k]) as usize,
            )
        };
        let ((left, right), (low, high)) = (range(0), range(1));
        for y in low..=high {
            for x in left..=right {
                let p = [x as f64, y as f64];
                let weights = [side(b, c, p), side(c, a, p), side(a, b, p)];
                if weights.iter().all(|w| *w >= 0.0) {
                    let surface =
                        (weights[0] * z[0] + weights[1] * z[1] + weights[2] * z[2]) / area;
                    let error = (surface - f64::from(values[y * columns + x])).abs();
                    let slot = &mut errors[y * columns + x];
                    *slot = if slot.is_finite() {
                        slot.max(error)
                    } else {
                        error
                    };
                }
            }
        }
    }
    assert_eq!(
        twice_area,
        2.0 * ((columns - 1) * (rows - 1)) as f64,
        "the triangles do not tile the grid"
    );
    errors.into_iter().fold(0.0, f64::max)
}

/// Heights of a random surface with detail at every scale, between roughly -`size` and `size`.
pub(in crate::terrain) fn fractal(columns: usize, rows: usize, size: f64) -> Vec<f32> {
    let lattice = |x: i64, y: i64, octave: u64| {
        let mut h = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
            ^ octave;
        h = (h ^ (h >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        h = (h ^ (h >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (h >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let noise = |x: f64, y: f64, octave: u64| {
        let (cx, cy) = (x.floor(), y.floor());
        let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
        let (u, v) = (smooth(x - cx), smooth(y - cy));
        let at = |dx, dy| lattice(cx as i64 + dx, cy as i64 + dy, octave);
        let (low, high) = (
            at(0, 0) * (1.0 - u) + at(1, 0) * u,
            at(0, 1) * (1.0 - u) + at(1, 1) * u,
        );
        low * (1.0 - v) + high * v
    };
    grid(columns, rows, |x, y| {
        let octaves = (0..8).map(|octave| {
            let scale = 0.5_f64.powi(octave);
            size * scale * noise(x / (200.0 * scale), y / (200.0 * scale), octave as u64)
        });
        octaves.sum::<f64>() / 2.0
    })
}

fn count(columns: usize, values: &[f32], max_error: f64) -> usize {
    let mesh = simplify(Heights { columns, values }, max_error);
    let error = check(columns, values, &mesh);
    assert!(error <= max_error, "{error} is more than {max_error}");
    mesh.triangles.len()
}

#[test]
fn a_tilted_plane_is_two_triangles() {
    let values = grid(64, 40, |x, y| 3.0 * x - 0.5 * y + 7.0);
    assert_eq!(count(64, &values, 1e-9), 2);
    assert_eq!(count(2, &[0.0, 1.0, 5.0, 6.0], 1e-9), 2);
}

#[test]
fn a_ridge_is_cut_along_it() {
    let values = grid(65, 33, |x, _| -(x - 32.0).abs());
    // Two ends and the diagonals of both slopes.
    assert_eq!(count(65, &values, 1e-9), 4);
}

#[test]
fn a_paraboloid_needs_fewer_triangles_the_larger_the_error() {
    let values = grid(101, 101, |x, y| {
        ((x - 50.0).powi(2) + (y - 50.0).powi(2)) / 100.0
    });
    let counts = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0].map(|error| count(101, &values, error));
    assert!(
        counts.windows(2).all(|pair| pair[0] >= pair[1]),
        "{counts:?}"
    );
    assert!(counts[0] < 2 * 100 * 100, "{counts:?}");
}

#[test]
fn random_terrain_keeps_the_error_at_every_cell() {
    for (columns, rows) in [(2, 300), (257, 129), (200, 311)] {
        let values = fractal(columns, rows, 100.0);
        let counts = [0.0, 0.2, 1.0, 5.0, 20.0].map(|error| count(columns, &values, error));
        assert!(
            counts.windows(2).all(|pair| pair[0] >= pair[1]),
            "{counts:?}"
        );
    }
}

#[test]
fn steps_and_spikes_are_kept() {
    let mut values = grid(50, 50, |x, _| if x < 20.0 { 0.0 } else { 30.0 });
    values[25 * 50 + 10] = 80.0;
    values[0] = -5.0;
    count(50, &values, 0.5);
}
