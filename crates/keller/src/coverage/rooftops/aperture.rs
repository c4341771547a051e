//! The field over an edge, on the vertical line that starts at the edge, and how it goes on to the next edge.
//!
//! By Huygens and Kirchhoff the field over an edge is an integral of the field over the edge before. Both lines are
//! turned by 45° into the complex plane. There the oscillating kernel becomes a bell curve, and every integrand is
//! smooth and decays: some dozens of nodes carry a field that takes thousands of samples on the real line. The
//! integrals are exact for a row of any number of edges, near grazing or not, and need no series that may diverge.
//!
//! A field is kept on panels of Gauss-Legendre nodes, which are narrow near the edge. Between the nodes it is read from
//! the polynomial of its panel. **Cost:** ten to a hundred microseconds an edge. **Assumes** small angles between the
//! parts of a chain; the factors that callers hand in correct for large ones.
//!
//! # Source
//! L. E. Vogler, "An attenuation function for multiple knife-edge diffraction", Radio Sci. 17(6), 1982,
//! doi:10.1029/RS017i006p01541, equations (1) to (5), give this integral. Theory page: `rooftops`.

use num_complex::Complex64;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use super::fields::Fields;
use super::reflection::Roof;

/// Nodes of a panel on [0, 1], and their weights: Gauss-Legendre quadrature of order eight.
const NODES: [f64; 8] = [
    0.019_855_071_751_231_885,
    0.101_666_761_293_186_63,
    0.237_233_795_041_835_5,
    0.408_282_678_752_175_1,
    0.591_717_321_247_825,
    0.762_766_204_958_164_5,
    0.898_333_238_706_813_4,
    0.980_144_928_248_768_1,
];
const WEIGHTS: [f64; 8] = [
    0.050_614_268_145_188_13,
    0.111_190_517_226_687_24,
    0.156_853_322_938_943_64,
    0.181_341_891_689_181,
    0.181_341_891_689_181,
    0.156_853_322_938_943_64,
    0.111_190_517_226_687_24,
    0.050_614_268_145_188_13,
];

/// Bell curves are cut off at this many widths, where they are below 1e-6.
const REACH: f64 = 5.3;

/// Largest width of a panel, in widths of the bell curve that smoothed the field on it.
const PANEL: f64 = 1.3;

/// Values at the far end that are smaller than this part of the largest are left out.
const NEGLIGIBLE: f64 = 1e-8;

/// Largest change of an exponent along a panel, radians.
const TURN: f64 = 3.0;

/// The field over an edge, along the line turned by 45° that starts at the edge.
#[derive(Debug, Clone)]
pub(super) struct Aperture {
    /// Starts and ends of the panels, metres from the edge.
    breaks: Vec<f64>,
    /// The fields at the nodes of the panels: the one that arrived through free space, and the one that arrived along
    /// the roof that ends here.
    values: Vec<[Fields; 2]>,
    /// Exponent, per metre, of the part of the field that grows most along the line. A wave from above grows.
    growth: Complex64,
}

/// A field on its way to the next edge: places on the line and the fields there, multiplied by the weights of the
/// integral over them.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources {
    at: Vec<f64>,
    fields: Vec<Fields>,
    /// [`Aperture::growth`] of the field here.
    growth: Complex64,
}

/// A route from one edge to the next.
#[derive(Debug)]
pub(super) struct Link<'a> {
    pub(super) sources: Sources,
    /// The length of the route, metres.
    pub(super) length: f64,
    /// Share and phase of this route, relative to the others.
    pub(super) factor: Complex64,
    /// Exponent, per metre, for the difference between the direction in which this route arrives and the aperture's
    /// direction.
    pub(super) tilt: Complex64,
    /// The roof that the route runs along, for each of the fields.
    pub(super) roof: Option<&'a [Roof; 2]>,
}

impl Aperture {
    /// The aperture over an edge that the wave reaches by `links`, and perhaps straight from a point source (length,
    /// factor and tilt of that route as in [`Link`]). The edge is `whole` metres from the start.
    pub(super) fn behind(
        links: &[Link<'_>],
        point: Option<(f64, Complex64, Complex64)>,
        whole: f64,
        wavenumber: f64,
    ) -> Self {
        let width_of = |length: f64| (length / wavenumber).sqrt();
        let width = |link: &Link<'_>| width_of(link.length);
        let straight = point.map(|(length, ..)| width_of(length));
        let widths = links.iter().map(width).chain(straight);
        let narrowest = widths.fold(f64::INFINITY, f64::min);
        let far = |link: &Link<'_>| link.sources.last() + REACH * width(link);
        let far = links
            .iter()
            .map(far)
            .chain(straight.map(|width| REACH * width));
        let of_links = links.iter().map(|link| link.sources.growth - link.tilt);
        let growth = of_links
            .chain(point.map(|(.., tilt)| -tilt))
            .fold(Complex64::ZERO, |a, b| if b.re > a.re { b } else { a });
        let far = far.fold(0.0, f64::max).min(MAX_GROWTH / growth.re);
        let widest = width_of(whole).min(TURN / (PANEL * growth.norm()));
        let breaks = panels(narrowest, widest, far);
        let mut values = vec![[[Complex64::ZERO; 2]; 2]; ORDER * (breaks.len() - 1)];
        if let Some((length, factor, tilt)) = point {
            let width = width_of(length);
            for (t, value) in nodes(&breaks).zip(&mut values) {
                let exponent = -tilt * t - 0.5 * (t / width).powi(2);
                value[0] = [factor * exponent.exp() / length.sqrt(); 2];
            }
        }
        for link in links {
            let width = width(link);
            let factor = link.factor * (wavenumber / (TAU * link.length)).sqrt();
            let part = usize::from(link.roof.is_some());
            for (ends, values) in breaks.windows(2).zip(values.chunks_exact_mut(ORDER)) {
                let at = nodes_of(ends);
                let received = link.sources.received(&at, width, link.roof);
                for ((t, value), fields) in at.into_iter().zip(values).zip(received) {
                    let factor = if link.tilt == Complex64::ZERO {
                        factor
                    } else {
                        factor * (-link.tilt * t).exp()
                    };
                    for (sum, field) in value[part].iter_mut().zip(fields) {
                        *sum += factor * field;
                    }
                }
            }
        }
        Self {
            breaks,
            values,
            growth,
        }
    }

    /// The largest field on the aperture.
    pub(super) fn largest(&self) -> f64 {
        let size = |[free, roof]: &[Fields; 2]| {
            let sizes = [0, 1].map(|k| (free[k] + roof[k]).norm_sqr());
            sizes[0].max(sizes[1])
        };
        self.values.iter().map(size).fold(0.0, f64::max).sqrt()
    }

    /// The field next to the edge.
    pub(super) fn at_edge(&self) -> Fields {
        let [free, roof] = self.values[0];
        [0, 1].map(|k| free[k] + roof[k])
    }

    /// The field that continues from this aperture over `length` metres. `slant` is the exponent per metre of the
    /// diffraction at the edge. `factors` multiply the fields that arrived through free space and along a roof.
    pub(super) fn sources(
        &self,
        slant: Complex64,
        factors: [Fields; 2],
        length: f64,
        wavenumber: f64,
    ) -> Sources {
        let width = (length / wavenumber).sqrt();
        let mut sources = Sources {
            growth: self.growth - slant,
            ..Sources::default()
        };
        let mut add = |t: f64, weight: f64, value: &[Fields; 2]| {
            let weight = weight * (-slant * t).exp();
            let sum = |k: usize| factors[0][k] * value[0][k] + factors[1][k] * value[1][k];
            sources.at.push(t);
            sources.fields.push([0, 1].map(|k| weight * sum(k)));
        };
        let sources_growth = (self.growth - slant).re;
        for (i, ends) in self.breaks.windows(2).enumerate() {
            let (start, size) = (ends[0], ends[1] - ends[0]);
            if slant.re * start > MAX_DECAY || sources_growth * start > MAX_GROWTH {
                break;
            }
            let values = &self.values[ORDER * i..ORDER * (i + 1)];
            let num_parts = (size / (1.5 * width))
                .max(slant.norm() * size / TURN)
                .ceil();
            if num_parts <= 1.0 {
                for (k, value) in values.iter().enumerate() {
                    add(start + NODES[k] * size, WEIGHTS[k] * size, value);
                }
                continue;
            }
            let part = 1.0 / num_parts;
            let mut first = 0.0;
            while first < 1.0 - 0.5 * part && slant.re * (start + first * size) <= MAX_DECAY {
                for k in 0..ORDER {
                    let x = first + NODES[k] * part;
                    let value = between(values, x);
                    add(start + x * size, WEIGHTS[k] * part * size, &value);
                }
                first += part;
            }
        }
        sources.trim();
        sources
    }
}

const ORDER: usize = NODES.len();

/// A field that has decayed by this exponent is zero.
const MAX_DECAY: f64 = 25.0;

/// The field is cut off where its exponent has grown by more. Edges so far under a line that they reach this are not
/// close to it. For closer edges the exponent is at most 34 at the end of the line, out to [`REACH`] around the place
/// where the product with the bell curve is largest.
const MAX_GROWTH: f64 = 40.0;

impl Sources {
    /// The field at a point `length` metres away, relative to the field one metre from a point source.
    pub(super) fn at_point(&self, length: f64, wavenumber: f64) -> Fields {
        let width = (length / wavenumber).sqrt();
        let factor = (wavenumber / (TAU * length)).sqrt();
        let [received] = self.received(&[0.0], width, None);
        received.map(|field| factor * field)
    }

    /// The field received at each of some places, in ascending order.
    fn received<const N: usize>(
        &self,
        to: &[f64; N],
        width: f64,
        roof: Option<&[Roof; 2]>,
    ) -> [Fields; N] {
        let reach = REACH * width;
        let scale = FRAC_1_SQRT_2 / width;
        // Real and imaginary parts are separate, so that the loops over the places vectorise.
        let mut sum = [[0.0; N]; 4];
        let first = self.at.partition_point(|&at| at < to[0] - reach);
        for (&at, [one, other]) in self.at[first..].iter().zip(&self.fields[first..]) {
            if at > to[N - 1] + reach {
                break;
            }
            let mut bells = [0.0; N];
            for (bell, t) in bells.iter_mut().zip(to) {
                *bell = bell_curve(scale * (at - t));
            }
            let parts = [one.re, one.im, other.re, other.im];
            for (sum, part) in sum.iter_mut().zip(parts) {
                for (sum, bell) in sum.iter_mut().zip(bells) {
                    *sum += part * bell;
                }
            }
        }
        let mut sum: [Fields; N] = std::array::from_fn(|k| {
            [0, 2].map(|part| Complex64::new(sum[part][k], sum[part + 1][k]))
        });
        if let Some(roof) = roof {
            for (&at, field) in self.at.iter().zip(&self.fields) {
                if at > reach - to[0] {
                    break;
                }
                for (sum, t) in sum.iter_mut().zip(to) {
                    if at > reach - t {
                        break;
                    }
                    let away = scale * (at + t);
                    let bell = bell_curve(away);
                    let reflected = Roof::reflected(roof, away);
                    for i in 0..2 {
                        sum[i] += bell * reflected[i] * field[i];
                    }
                }
            }
        }
        sum
    }

    /// The farthest place, metres.
    fn last(&self) -> f64 {
        self.at.last().copied().unwrap_or(0.0)
    }

    /// Removes the negligible values at the far end.
    fn trim(&mut self) {
        let size = |fields: &Fields| fields[0].norm_sqr() + fields[1].norm_sqr();
        let max_size = self.fields.iter().map(size).fold(0.0, f64::max);
        let is_some = |fields: &Fields| size(fields) > NEGLIGIBLE * NEGLIGIBLE * max_size;
        let kept = self.fields.iter().rposition(is_some).map_or(0, |i| i + 1);
        self.at.truncate(kept);
        self.fields.truncate(kept);
    }
}

/// Panels from the edge to `end`: as wide as the bell curve at the edge, wider farther out, and at most as wide as
/// `widest` allows.
fn panels(narrowest: f64, widest: f64, end: f64) -> Vec<f64> {
    let mut breaks = vec![0.0];
    let mut last = 0.0;
    while last < end {
        let size = (0.6 * last).clamp(PANEL * narrowest, PANEL * widest.max(narrowest));
        last += size;
        breaks.push(last);
    }
    breaks
}

fn nodes(breaks: &[f64]) -> impl Iterator<Item = f64> + '_ {
    breaks.windows(2).flat_map(nodes_of)
}

/// The nodes of the panel between two places.
fn nodes_of(ends: &[f64]) -> [f64; ORDER] {
    NODES.map(|node| ends[0] + node * (ends[1] - ends[0]))
}

/// `e^{-x^2}` with a relative error below 1e-9, or less than 1e-290 where the curve is negligible. It has no branches,
/// so that several values are computed at once.
#[inline(always)]
fn bell_curve(x: f64) -> f64 {
    /// Adding it rounds to a whole number, which stands in the last bits of the sum.
    const ROUND: f64 = 1.5 * (1_u64 << 52) as f64;
    /// The reciprocals of the factorials.
    const TAYLOR: [f64; 9] = {
        let mut all = [1.0; 9];
        let mut k = 1;
        while k < 9 {
            all[k] = all[k - 1] / k as f64;
            k += 1;
        }
        all
    };
    let exponent = (-x * x).max(MIN_EXPONENT);
    let rounded = exponent * std::f64::consts::LOG2_E + ROUND;
    let rest = exponent - (rounded - ROUND) * std::f64::consts::LN_2;
    let power = TAYLOR.iter().rev().fold(0.0, |sum, a| sum * rest + a);
    // Multiplies by a power of two.
    f64::from_bits(power.to_bits().wrapping_add(rounded.to_bits() << 52))
}

/// The smallest exponent, which takes the place of smaller ones.
const MIN_EXPONENT: f64 = -690.0;

/// The polynomial through the values of a panel, at `x` from 0 to 1.
fn between(values: &[[Fields; 2]], x: f64) -> [Fields; 2] {
    // Each weight is multiplied by the distances of `x` to the nodes before its own and to those after.
    let mut weights = LAGRANGE;
    let (mut before, mut behind) = (1.0, 1.0);
    for k in 0..ORDER {
        let back = ORDER - 1 - k;
        weights[k] *= before;
        weights[back] *= behind;
        before *= x - NODES[k];
        behind *= x - NODES[back];
    }
    let mut sum = [[Complex64::ZERO; 2]; 2];
    for (value, weight) in values.iter().zip(weights) {
        for (sum, value) in sum.iter_mut().zip(value) {
            for (sum, value) in sum.iter_mut().zip(value) {
                *sum += weight * value;
            }
        }
    }
    sum
}

/// The reciprocal of the product of the distances of each node to all others.
const LAGRANGE: [f64; ORDER] = {
    let mut weights = [1.0; ORDER];
    let mut k = 0;
    while k < ORDER {
        let mut i = 0;
        while i < ORDER {
            if i != k {
                weights[k] /= NODES[k] - NODES[i];
            }
            i += 1;
        }
        k += 1;
    }
    weights
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bell_curve_is_that_of_the_library() {
        for i in 0..2_600 {
            let x = 0.01 * f64::from(i) + 1e-3;
            for x in [x, -x] {
                let expected = (-x * x).exp();
                assert!(
                    (bell_curve(x) / expected - 1.0).abs() < 1e-9,
                    "{x}: {}",
                    bell_curve(x)
                );
            }
        }
        assert_eq!(bell_curve(0.0), 1.0);
        assert!(bell_curve(1e9) < 1e-290);
    }
}
