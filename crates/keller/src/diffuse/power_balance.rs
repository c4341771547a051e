//! The balance of power: the power that leaves every side, from that of its source and that which it reflects and
//! transmits.
//!
//! The power `B` that leaves the sides solves `B = source + M B`. Where walls lose little, simple repetition converges
//! slowly, so the system is solved by GMRES. It needs a few dozen products with `M`, also for a room with little loss.
//!
//! **Source.** Y. Saad, M. H. Schultz, "GMRES: A generalized minimal residual algorithm for solving nonsymmetric linear
//! systems", SIAM J. Sci. Stat. Comput. 7(3), 1986, doi:10.1137/0907058.

use rayon::prelude::*;

use super::exchange::Exchange;
use super::patches::Patches;
use crate::power::sides::Side;
use crate::{Control, Error};

/// The exchange, and the effects of the walls on the power that falls on them.
#[derive(Debug)]
pub(super) struct Balance {
    pub(super) exchange: Exchange,
    /// Share of diffuse power that each side reflects.
    reflectances: Vec<f64>,
    /// Share of the power on each side that passes to the other side.
    transmittances: Vec<f64>,
}

/// The powers of all sides when source and losses are in balance, W.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    /// The power that leaves each side.
    pub(super) sent: Vec<f64>,
    /// The power that falls on each side.
    pub(super) incident: Vec<f64>,
}

/// The residual may be this share of the source.
const TOLERANCE: f64 = 1e-12;

/// Directions that are kept before the solver starts again.
const DIRECTIONS: usize = 40;

/// Starts of the solver.
const MAX_STARTS: usize = 25;

/// Rooms whose walls reflect power more often than this on average have no usable balance.
const MAX_REFLECTIONS: f64 = 1e6;

impl Balance {
    pub(super) fn new(exchange: Exchange, patches: &Patches) -> Self {
        let sides = || (0..exchange.len()).map(|side| patches.power(Side::from_index(side)));
        Self {
            reflectances: sides().map(|power| power.reflectance).collect(),
            transmittances: sides().map(|power| power.transmittance).collect(),
            exchange,
        }
    }

    /// The power that leaves each side after one exchange and one interaction with the wall.
    pub(super) fn passed_on(&self, sent: &[f64]) -> Vec<f64> {
        self.after_walls(&self.incident(sent))
    }

    /// The power that leaves each side when this incident power falls on the walls.
    pub(super) fn after_walls(&self, incident: &[f64]) -> Vec<f64> {
        let of_side = |side: usize| {
            let other = side ^ 1;
            self.reflectances[side] * incident[side] + self.transmittances[other] * incident[other]
        };
        (0..incident.len()).map(of_side).collect()
    }

    /// The share of the power on a side that the wall neither reflects nor transmits.
    pub(super) fn absorptance(&self, side: usize) -> f64 {
        (1.0 - self.reflectances[side] - self.transmittances[side]).max(0.0)
    }

    /// The power that falls on each side.
    fn incident(&self, sent: &[f64]) -> Vec<f64> {
        let areas = &self.exchange.side_areas;
        let radiosity: Vec<f64> = sent.iter().zip(areas).map(|(b, a)| b / a).collect();
        self.exchange.incident(&radiosity)
    }

    /// The balance for a source, W.
    pub(super) fn solve(&self, source: &[f64], control: &Control) -> Result<Solution, Error> {
        let scale = norm(source);
        let mut sent = source.to_vec();
        for _ in 0..MAX_STARTS {
            let residual = self.residual(source, &sent);
            if norm(&residual) <= TOLERANCE * scale {
                return self.finish(source, &sent);
            }
            let step = self.correction(&residual, TOLERANCE * scale, control)?;
            for (b, more) in sent.iter_mut().zip(step) {
                *b += more;
            }
        }
        Err(undamped())
    }

    /// The powers that follow from those that leave the sides.
    fn finish(&self, source: &[f64], sent: &[f64]) -> Result<Solution, Error> {
        let positive: Vec<f64> = sent.iter().map(|b| b.max(0.0)).collect();
        let incident = self.incident(&positive);
        let after = self.after_walls(&incident);
        let sent: Vec<f64> = source.iter().zip(after).map(|(s, b)| s + b).collect();
        let is_usable = sent.iter().sum::<f64>() <= MAX_REFLECTIONS * source.iter().sum::<f64>();
        if is_usable {
            Ok(Solution { sent, incident })
        } else {
            Err(undamped())
        }
    }

    fn residual(&self, source: &[f64], sent: &[f64]) -> Vec<f64> {
        let after = self.passed_on(sent);
        let each = source.iter().zip(sent).zip(after);
        each.map(|((s, b), m)| s - b + m).collect()
    }

    /// The correction that makes the residual smallest, in the space of the first products of `1 - M` with it.
    fn correction(
        &self,
        residual: &[f64],
        wanted: f64,
        control: &Control,
    ) -> Result<Vec<f64>, Error> {
        let size = norm(residual);
        let mut basis = vec![residual.iter().map(|r| r / size).collect::<Vec<f64>>()];
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut turns: Vec<[f64; 2]> = Vec::new();
        let mut rest = vec![size];
        for k in 0..DIRECTIONS {
            control.check()?;
            let last = &basis[k];
            let after = self.passed_on(last);
            let mut next: Vec<f64> = last.iter().zip(after).map(|(b, m)| b - m).collect();
            let mut column = Vec::with_capacity(k + 2);
            for known in &basis {
                let along = dot(known, &next);
                next.par_iter_mut()
                    .zip(known)
                    .with_min_len(1024)
                    .for_each(|(n, q)| *n -= along * q);
                column.push(along);
            }
            let length = norm(&next);
            // Givens rotations keep the small system triangular.
            for (j, [cos, sin]) in turns.iter().enumerate() {
                let (a, b) = (column[j], column[j + 1]);
                column[j] = cos * a + sin * b;
                column[j + 1] = cos * b - sin * a;
            }
            let diagonal = column[k].hypot(length);
            if diagonal == 0.0 {
                break;
            }
            let [cos, sin] = [column[k] / diagonal, length / diagonal];
            column[k] = diagonal;
            columns.push(column);
            turns.push([cos, sin]);
            rest.push(-sin * rest[k]);
            rest[k] *= cos;
            if rest[k + 1].abs() <= 0.5 * wanted || length <= f64::EPSILON * diagonal {
                break;
            }
            basis.push(next.iter().map(|n| n / length).collect());
        }
        let mut weights = vec![0.0; columns.len()];
        for k in (0..columns.len()).rev() {
            let known: f64 = (k + 1..columns.len())
                .map(|j| columns[j][k] * weights[j])
                .sum();
            weights[k] = (rest[k] - known) / columns[k][k];
        }
        let mut sum = vec![0.0; residual.len()];
        for (weight, direction) in weights.iter().zip(&basis) {
            for (s, d) in sum.iter_mut().zip(direction) {
                *s += weight * d;
            }
        }
        Ok(sum)
    }
}

fn undamped() -> Error {
    Error::Diffuse(
        "the walls of a closed room keep all power, so that it never decays; at least one millionth of what falls on them must be absorbed or leave"
            .into(),
    )
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
