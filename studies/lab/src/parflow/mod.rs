//! Waves in a floor plan without any rays: `ParFlow` in the frequency domain with its tree of blocks (MR-FDPF).
//!
//! Gorce, Jaffres-Runser and de la Roche (2007) let flows run along the lines between the nodes of a grid and scatter at the nodes;
//! Hu 2020 sums it up in section 3.2.1. It solves Maxwell's equations for a line source, a current across the plan, so it needs
//! no theory of edges. keller's paths are held against it.
//!
//! **Algorithm.** `equations` has the equations of the flows at one frequency, with the flows between two nodes
//! eliminated: each node is tied to its four neighbours. `tree` cuts the plan in two again and again. It eliminates all
//! nodes of a block but those that touch its neighbours, from the smallest blocks up, once for a plan. A source then
//! costs one way up and one way down the tree.
//!
//! **Cost** for N by N nodes: of the order of N^3 for the plan, N^2 log N for each source. **Errors:** a wave's length depends on
//! its direction by a share of about (pi d / wavelength)^2 / 12 for nodes a distance d apart, half of it to either side; oblique
//! walls are stairs; the borders absorb but for a reflection of below -50 dB.
//!
//! **Not said in the document, and chosen here:** the scattering at a node, that of the shunt node of transmission lines with a
//! stub; the borders, which are perfectly matched layers; and the frequency of the flows (`equations`).

mod equations;
#[cfg(test)]
mod tests;
mod tree;
pub mod wedge;

pub use tree::Tree;

use glam::DVec2;
use num_complex::Complex64;

/// The medium at a node of a plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node {
    /// A medium of this complex relative permittivity: 1 for air, with a negative imaginary part where waves are lost.
    Filled(Complex64),
    /// A perfect conductor.
    Conductor,
}

impl Node {
    /// Air.
    pub const AIR: Self = Self::Filled(Complex64::ONE);
}

/// The nodes of a square grid and their media.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Numbers of nodes along x and y.
    size: [usize; 2],
    /// Metres between neighbours.
    spacing: f64,
    /// The wavenumber in free space, radians a metre.
    wavenumber: f64,
    /// Row after row, x running fastest.
    nodes: Vec<Node>,
    /// The number of nodes from each border over which waves are absorbed; none for borders that conduct.
    absorber: usize,
}

impl Plan {
    /// A plan of `size` nodes in x and y, `spacing` metres apart, with the media that `at` gives each place; the first
    /// node is at the origin. Waves are absorbed within `absorber` nodes of the borders.
    ///
    /// ```
    /// use keller_lab::parflow::{Node, Plan, Tree};
    ///
    /// // Open space at a wavelength of 1 m, ten nodes a wavelength.
    /// let plan = Plan::new([80, 60], 0.1, 1.0, 15, |_| Node::AIR);
    /// let field = Tree::new(&plan).field([25, 30]);
    /// let at = |x: usize| field[30 * 80 + x].norm();
    /// // Cylindrical waves lose 3 dB each time the distance doubles.
    /// assert!((at(35) / at(45) - 2.0_f64.sqrt()).abs() < 0.05);
    /// ```
    ///
    /// # Panics
    /// Without nodes, or for a spacing or a wavelength that is not positive.
    pub fn new(
        size: [usize; 2],
        spacing: f64,
        wavelength: f64,
        absorber: usize,
        at: impl Fn(DVec2) -> Node,
    ) -> Self {
        assert!(size[0] > 0 && size[1] > 0, "a plan without nodes");
        assert!(
            spacing > 0.0 && wavelength > 0.0,
            "nodes {spacing} m apart at a wavelength of {wavelength} m"
        );
        let place = |k: usize| spacing * DVec2::new((k % size[0]) as f64, (k / size[0]) as f64);
        Self {
            size,
            spacing,
            wavenumber: std::f64::consts::TAU / wavelength,
            nodes: (0..size[0] * size[1]).map(|k| at(place(k))).collect(),
            absorber,
        }
    }

    /// Numbers of nodes along x and y.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The media at the nodes, row after row, x running fastest.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}
