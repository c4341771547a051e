//! A plan cut in two again and again, whose blocks are joined once.

use nalgebra::{DMatrix, DVector, Dyn, LU};
use num_complex::Complex64;
use rayon::prelude::*;

use super::equations::Equations;
use super::{Node, Plan};

/// The largest number of nodes along a side of a block that is not cut.
const LEAF: usize = 8;

/// Right-hand sides that are solved together.
const COLUMNS: usize = 32;

/// A plan, prepared for any number of sources.
#[derive(Debug)]
pub struct Tree {
    size: [usize; 2],
    is_conductor: Vec<bool>,
    root: Block,
}

/// Nodes of a rectangle, of which all but those at the border to its neighbours are eliminated.
#[derive(Debug)]
struct Block {
    /// The ranges of nodes in x and in y.
    ranges: [[usize; 2]; 2],
    children: Option<Box<[Self; 2]>>,
    /// The nodes that are eliminated here, and not in the children.
    inside: Vec<usize>,
    border: Vec<usize>,
    /// The inverse of the equations between the nodes inside.
    inverse: LU<Complex64, Dyn, Dyn>,
    /// `[border, inside]`.
    coupling: DMatrix<Complex64>,
}

impl Tree {
    /// Joins all blocks of a plan.
    ///
    /// # Panics
    /// If a block within conductors resonates without losses.
    pub fn new(plan: &Plan) -> Self {
        let equations = Equations::new(plan);
        let [nx, ny] = plan.size();
        let (root, _) = Block::new(&equations, [[0, nx], [0, ny]]);
        Self {
            size: [nx, ny],
            is_conductor: plan
                .nodes()
                .iter()
                .map(|node| *node == Node::Conductor)
                .collect(),
            root,
        }
    }

    /// The field at all nodes of a line source at a node, row after row, x running fastest: the solution of
    /// `-(laplacian + k^2) E = delta`, in open space `-j / 4` times the Hankel function `H0(2)(k r)`. Zero in conductors,
    /// and everywhere for a source in one.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn field(&self, source: [usize; 2]) -> Vec<Complex64> {
        let [nx, ny] = self.size;
        assert!(source[0] < nx && source[1] < ny, "no node {source:?}");
        let mut field = DVector::from_element(nx * ny, Complex64::ZERO);
        let node = source[1] * nx + source[0];
        if !self.is_conductor[node] {
            field[node] = -Complex64::ONE;
        }
        self.root.rise(source, &mut field);
        self.root.fall(&mut field);
        field.as_slice().to_vec()
    }

    /// The memory of the blocks, bytes.
    pub fn memory_bytes(&self) -> usize {
        self.root.numbers() * size_of::<Complex64>()
    }
}

impl Block {
    /// Joins a rectangle, and returns the equations between the nodes of its border as well.
    fn new(equations: &Equations, ranges: [[usize; 2]; 2]) -> (Self, DMatrix<Complex64>) {
        let [nx, ny] = equations.size;
        let lengths = ranges.map(|[from, to]| to - from);
        let (children, nodes, matrix) = if lengths.iter().all(|length| *length <= LEAF) {
            let [[x0, x1], [y0, y1]] = ranges;
            let nodes: Vec<usize> = (y0..y1)
                .flat_map(|j| (x0..x1).map(move |i| j * nx + i))
                .collect();
            let matrix = DMatrix::from_fn(nodes.len(), nodes.len(), |a, b| {
                equations.between(nodes[a], nodes[b])
            });
            (None, nodes, matrix)
        } else {
            let axis = usize::from(lengths[1] > lengths[0]);
            let [from, to] = ranges[axis];
            let half = |range| {
                let mut of_half = ranges;
                of_half[axis] = range;
                Self::new(equations, of_half)
            };
            let cut = from.midpoint(to);
            let ((a, of_a), (b, of_b)) = rayon::join(|| half([from, cut]), || half([cut, to]));
            let nodes = [a.border.clone(), b.border.clone()].concat();
            let count = a.border.len();
            let mut matrix = DMatrix::zeros(nodes.len(), nodes.len());
            matrix.view_mut((0, 0), of_a.shape()).copy_from(&of_a);
            matrix
                .view_mut((count, count), of_b.shape())
                .copy_from(&of_b);
            for (k, node) in a.border.iter().enumerate() {
                let beyond = node + [1, nx][axis];
                if let Some(found) = b.border.iter().position(|other| *other == beyond) {
                    let link = equations.between(*node, beyond);
                    matrix[(k, count + found)] = link;
                    matrix[(count + found, k)] = link;
                }
            }
            (Some(Box::new([a, b])), nodes, matrix)
        };
        let is_border = |node: usize| {
            let at = [node % nx, node / nx];
            (0..2).any(|axis| {
                let [from, to] = ranges[axis];
                (at[axis] == from && from > 0) || (at[axis] + 1 == to && to < [nx, ny][axis])
            })
        };
        let (outer, inner): (Vec<usize>, Vec<usize>) =
            (0..nodes.len()).partition(|k| is_border(nodes[*k]));
        let part = |rows: &[usize], columns: &[usize]| {
            DMatrix::from_fn(rows.len(), columns.len(), |a, b| {
                matrix[(rows[a], columns[b])]
            })
        };
        let coupling = part(&outer, &inner);
        let inverse = part(&inner, &inner).lu();
        let block = Self {
            ranges,
            children,
            inside: inner.iter().map(|k| nodes[*k]).collect(),
            border: outer.iter().map(|k| nodes[*k]).collect(),
            inverse,
            coupling,
        };
        let columns: Vec<&[usize]> = outer.chunks(COLUMNS).collect();
        let parts: Vec<DMatrix<Complex64>> = columns
            .par_iter()
            .map(|columns| {
                let mut through = part(&inner, columns);
                block.solve(through.as_mut_slice(), columns.len());
                part(&outer, columns) - &block.coupling * through
            })
            .collect();
        let mut left = DMatrix::zeros(outer.len(), outer.len());
        for (k, part) in parts.iter().enumerate() {
            left.columns_mut(k * COLUMNS, part.ncols()).copy_from(part);
        }
        (block, left)
    }

    /// Solves the equations of the nodes inside for some right-hand sides, one behind the other.
    fn solve(&self, sides: &mut [Complex64], count: usize) {
        let rows = self.inside.len();
        let mut matrix = DMatrix::from_column_slice(rows, count, sides);
        let is_regular = rows == 0 || self.inverse.solve_mut(&mut matrix);
        assert!(is_regular, "a block resonates without losses");
        sides.copy_from_slice(matrix.as_slice());
    }

    fn contains(&self, [x, y]: [usize; 2]) -> bool {
        let [[x0, x1], [y0, y1]] = self.ranges;
        (x0..x1).contains(&x) && (y0..y1).contains(&y)
    }

    /// Eliminates the nodes inside for a source in the block: their values are then those for a border without any.
    fn rise(&self, source: [usize; 2], field: &mut DVector<Complex64>) {
        if !self.contains(source) {
            return;
        }
        for child in self.children.iter().flat_map(|children| children.iter()) {
            child.rise(source, field);
        }
        let mut inside = field.select_rows(&self.inside);
        self.solve(inside.as_mut_slice(), 1);
        let at_border = &self.coupling * &inside;
        for (node, value) in self.border.iter().zip(at_border.iter()) {
            field[*node] -= value;
        }
        for (node, value) in self.inside.iter().zip(inside.iter()) {
            field[*node] = *value;
        }
    }

    /// Adds the flows from the border to the values inside, from the whole plan down.
    fn fall(&self, field: &mut DVector<Complex64>) {
        let border = field.select_rows(&self.border);
        let mut inside = self.coupling.tr_mul(&border);
        self.solve(inside.as_mut_slice(), 1);
        for (node, value) in self.inside.iter().zip(inside.iter()) {
            field[*node] -= value;
        }
        for child in self.children.iter().flat_map(|children| children.iter()) {
            child.fall(field);
        }
    }

    fn numbers(&self) -> usize {
        let children = self.children.iter().flat_map(|children| children.iter());
        let own = self.inside.len() * (self.inside.len() + self.border.len());
        own + children.map(Self::numbers).sum::<usize>()
    }
}
