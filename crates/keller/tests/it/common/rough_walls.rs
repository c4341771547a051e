//! Tools for sums over small parts of rough walls: lobes, their norms by brute force, and obstacles.

#![allow(clippy::cast_sign_loss, reason = "a place in a table")]

use std::f64::consts::TAU;

use keller::DVec3;
use keller::materials::Lobe;

/// The shape of a lobe, not normalised. All vectors are unit vectors away from the wall.
pub(crate) fn shape(lobe: Lobe, normal: DVec3, into: DVec3, out: DVec3) -> f64 {
    let mirror = 2.0 * normal.dot(into) * normal - into;
    let lobe_around = |axis: DVec3, n: u32| (0.5 * (1.0 + out.dot(axis))).powi(n.cast_signed());
    match lobe {
        Lobe::Lambertian => normal.dot(out),
        Lobe::Directive { forward } => lobe_around(mirror, forward),
        Lobe::Backscattering {
            forward,
            back,
            forward_share,
        } => {
            forward_share * lobe_around(mirror, forward)
                + (1.0 - forward_share) * lobe_around(into, back)
        }
    }
}

/// The power that a lobe sends into the half space, by brute force, for 101 cosines of incidence.
pub(crate) struct Norm(Vec<f64>);

impl Norm {
    pub(crate) fn new(lobe: Lobe) -> Self {
        if lobe == Lobe::Lambertian {
            return Self(Vec::new());
        }
        let of = |step: i32| {
            let cosine = f64::from(step) / 100.0;
            let into = DVec3::new((1.0 - cosine * cosine).sqrt(), 0.0, cosine);
            let n = 80;
            let mut sum = 0.0;
            for i in 0..n {
                let z = (f64::from(i) + 0.5) / f64::from(n);
                for j in 0..n {
                    let phi = TAU * (f64::from(j) + 0.5) / f64::from(n);
                    let across = (1.0 - z * z).sqrt();
                    let out = DVec3::new(across * phi.cos(), across * phi.sin(), z);
                    sum += shape(lobe, DVec3::Z, into, out);
                }
            }
            sum * TAU / f64::from(n * n)
        };
        Self((0..=100).map(of).collect())
    }

    pub(crate) fn at(&self, cosine: f64) -> f64 {
        let place = 100.0 * cosine.min(1.0);
        let k = (place.floor() as usize).min(99);
        let t = place - k as f64;
        self.0[k] * (1.0 - t) + self.0[k + 1] * t
    }
}

/// Whether a segment goes through a box, or through a sheet across x.
pub(crate) fn meets(&[low, high]: &[DVec3; 2], a: DVec3, b: DVec3) -> bool {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        let (from, way) = (a[k], b[k] - a[k]);
        if way == 0.0 {
            if from < low[k] || from > high[k] {
                return false;
            }
            continue;
        }
        let (s, t) = ((low[k] - from) / way, (high[k] - from) / way);
        first = first.max(s.min(t));
        last = last.min(s.max(t));
    }
    first <= last
}

/// An end, or its image in the plane z = 0.
pub(crate) fn image(end: DVec3, below: bool) -> DVec3 {
    if below { end.with_z(-end.z) } else { end }
}
