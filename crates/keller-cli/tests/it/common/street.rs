//! A small city.

use std::fmt::Write as _;

/// A street of houses without floors: boxes, side by side, on both sides of a ground.
pub(crate) fn street() -> String {
    let mut obj =
        "usemtl concrete\nv -5 -40 0\nv 160 -40 0\nv 160 40 0\nv -5 40 0\nf 1 2 3 4\n".to_owned();
    for k in 0..20 {
        let (x, y) = (f64::from(k / 2) * 15.0, f64::from(k % 2) * 25.0 - 20.0);
        let height = 8.0 + f64::from(k % 5);
        for (z, dx, dy) in (0..8).map(|c| (c / 4, [0, 1, 1, 0][c % 4], [0, 0, 1, 1][c % 4])) {
            let [dx, dy] = [dx, dy].map(|d| 10.0 * f64::from(d));
            writeln!(obj, "v {} {} {}", x + dx, y + dy, height * z as f64).unwrap();
        }
        for face in [
            [5, 6, 7, 8],
            [1, 2, 6, 5],
            [2, 3, 7, 6],
            [3, 4, 8, 7],
            [4, 1, 5, 8],
        ] {
            let [a, b, c, d] = face.map(|corner| corner + 4 + 8 * k);
            writeln!(obj, "f {a} {b} {c} {d}").unwrap();
        }
    }
    obj
}
