//! The equations of the flows of a plan at one frequency.
//!
//! At each node four flows arrive, one from each neighbour, and a stub stores what permittivity stores. The node's voltage is
//! `V = (sum of the four + 4 (n^2 - 1) stub) / (2 n^2)`, and `V` less what arrived leaves in each direction (the shunt node of
//! transmission lines; n is the refractive index). A step takes the time t, so at one frequency a flow is multiplied by
//! `z = exp(-j omega t)` on its way (Hu 2020, eq. 3-16; its exponent is printed with a factor of 2 pi too many). Two flows run
//! between two nodes p and q. Without them:
//!
//! `sum over the neighbours of (V_q - V_p) + 4 n^2 (1 - cos(omega t)) V_p = -2 j sin(omega t) S_p`
//!
//! for a source S that adds to the node. This is the five-point form of Helmholtz' equation, and `omega t` sets the wavelength on
//! the grid. Waves along an axis have the right one if `1 - cos(omega t) = 1 - cos(k d)` over 2, those along a diagonal
//! for another value; in the mean over all directions `cos(omega t) = J0(k d)`, which is taken. The usual step `t = d / (c sqrt 2)`
//! makes all waves too short.
//!
//! Layers at the borders absorb: lengths in them are stretched by a complex factor (Berenger's perfectly matched layer in the
//! coordinates of Chew and Weedon 1994).

use complex_bessel::besselj;
use num_complex::Complex64;

use super::{Node, Plan};

/// The amplitude that an absorber reflects of a wave at normal incidence, before errors of the grid.
const REFLECTION: f64 = 1e-6;

/// A symmetric system of equations, one for each node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Equations {
    pub(super) size: [usize; 2],
    /// The coefficients between each node and the next in x, and in y; zero at conductors and at the last ones.
    pub(super) links: [Vec<Complex64>; 2],
    pub(super) diagonal: Vec<Complex64>,
}

impl Equations {
    pub(super) fn new(plan: &Plan) -> Self {
        let [nx, ny] = plan.size;
        let step = plan.wavenumber * plan.spacing;
        let phase = 4.0 * (1.0 - Self::cosine(step));
        // Half steps from -1/2 on: between nodes, and at them.
        let stretch = |count: usize, twice: usize| {
            let at = 0.5 * twice as f64 - 0.5;
            let depth = plan.absorber as f64;
            let from_border = at.min(count as f64 - 1.0 - at).max(0.0);
            let inside = (depth - from_border).max(0.0) / depth.max(1.0);
            let loss = -1.5 * REFLECTION.ln() / (step * depth.max(1.0)) * inside * inside;
            Complex64::new(1.0, -loss)
        };
        let x: Vec<Complex64> = (0..=2 * nx).map(|k| stretch(nx, k)).collect();
        let y: Vec<Complex64> = (0..=2 * ny).map(|k| stretch(ny, k)).collect();
        let mut links = [(); 2].map(|()| vec![Complex64::ZERO; nx * ny]);
        let mut diagonal = vec![Complex64::ONE; nx * ny];
        for j in 0..ny {
            for i in 0..nx {
                let node = j * nx + i;
                let Node::Filled(permittivity) = plan.nodes[node] else {
                    continue;
                };
                let [sx, sy] = [x[2 * i + 1], y[2 * j + 1]];
                // The links lead to the west, east, south and north. Beyond the plan is a conductor.
                let around = [
                    sy / x[2 * i],
                    sy / x[2 * i + 2],
                    sx / y[2 * j],
                    sx / y[2 * j + 2],
                ];
                diagonal[node] = phase * permittivity * sx * sy - around.iter().sum::<Complex64>();
                let is_open = |node: usize| plan.nodes[node] != Node::Conductor;
                if i + 1 < nx && is_open(node + 1) {
                    links[0][node] = around[1];
                }
                if j + 1 < ny && is_open(node + nx) {
                    links[1][node] = around[3];
                }
            }
        }
        Self {
            size: plan.size,
            links,
            diagonal,
        }
    }

    /// `cos(omega t)` for nodes that are `step` radians apart in open space.
    pub(super) fn cosine(step: f64) -> f64 {
        besselj(0.0, step.into()).map_or(1.0, |value| value.re)
    }

    /// The coefficient between two nodes.
    pub(super) fn between(&self, a: usize, b: usize) -> Complex64 {
        let (low, high) = (a.min(b), a.max(b));
        let nx = self.size[0];
        match high - low {
            0 => self.diagonal[low],
            gap if gap == nx => self.links[1][low],
            1 if high % nx > 0 => self.links[0][low],
            _ => Complex64::ZERO,
        }
    }
}
