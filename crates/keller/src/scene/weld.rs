//! Welding: vertices that mean the same point become one, and the triangles get an order of their own.
//!
//! Vertices nearer than [`WELD_DISTANCE`] are joined through a grid whose cells are far larger than that distance, so that a vertex is in
//! one cell and only near a border in several; sorting by cell brings those of one together. Everything is then sorted by position: from here on
//! nothing depends on the order in which a file listed its triangles. Cost: two sorts of the vertices and one of the triangles.

use std::hash::BuildHasher;

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

use super::Mesh;
use crate::Error;
use crate::control::Part;
use crate::geometry::tolerance::WELD_DISTANCE;
use crate::geometry::union_find::UnionFind;

/// Cell size of the weld grid, in weld distances.
const CELL_PER_WELD: f64 = 64.0;

/// Triangles over shared vertices, sorted, without degenerate or repeated ones.
#[derive(Debug)]
pub(super) struct Welded {
    /// Distinct positions, sorted by x, then y, then z.
    pub(super) vertices: Vec<DVec3>,
    /// Vertex indices in winding order, smallest first; sorted.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Material index, one a triangle.
    pub(super) materials: Vec<u32>,
    /// How often each was there: touching houses have their wall twice.
    pub(super) copies: Vec<u32>,
    /// Vertices that had a near but not identical twin.
    pub(super) cracks: usize,
    /// Triangles dropped because they have no area.
    pub(super) zero_area: usize,
    /// Triangles dropped because another one has the same corners and material.
    pub(super) duplicates: usize,
}

/// Joins near vertices and drops triangles that say nothing.
pub(super) fn weld(mesh: &Mesh, part: Part<'_>) -> Result<Welded, Error> {
    let (positions, mut index) = sort_and_share(&mesh.vertices);
    let (vertices, joined, cracks) = join_near(&positions, part)?;
    drop(positions);
    index.par_iter_mut().for_each(|i| *i = joined[*i as usize]);
    drop(joined);

    let mut keyed: Vec<([u32; 3], u32)> = Vec::with_capacity(mesh.triangles.len());
    keyed.par_extend(mesh.triangles.par_iter().filter_map(|triangle| {
        let corners = triangle.vertices.map(|v| index[v as usize]);
        has_area(corners, &vertices).then(|| (smallest_first(corners), triangle.material))
    }));
    let zero_area = mesh.triangles.len() - keyed.len();
    drop(index);
    keyed.par_sort_unstable_by_key(|&(corners, material)| (sorted(corners), material, corners));
    let (mut triangles, mut materials, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    for same in keyed.chunk_by(|a, b| (sorted(a.0), a.1) == (sorted(b.0), b.1)) {
        triangles.push(same[0].0);
        materials.push(same[0].1);
        copies.push(u32::try_from(same.len()).expect("fewer than 2^32 triangles"));
    }
    let duplicates = keyed.len() - triangles.len();
    Ok(Welded {
        vertices,
        triangles,
        materials,
        copies,
        cracks,
        zero_area,
        duplicates,
    })
}

/// The distinct positions in sorted order, and for each vertex of the mesh which one it has.
fn sort_and_share(vertices: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    // Adding zero turns -0 into +0, so that the two are one position.
    let position = |i: u32| vertices[i as usize] + DVec3::ZERO;
    let mut order: Vec<(u64, u32)> = vertices
        .par_iter()
        .enumerate()
        .map(|(i, v)| {
            let number = u32::try_from(i).expect("meshes have fewer than 2^32 vertices");
            (in_order(v.x + 0.0), number)
        })
        .collect();
    order.par_sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| {
            let (a, b) = (position(a.1), position(b.1));
            a.y.total_cmp(&b.y).then(a.z.total_cmp(&b.z))
        })
    });
    let mut positions: Vec<DVec3> = Vec::new();
    let mut index = vec![0; vertices.len()];
    for &(_, i) in &order {
        let v = position(i);
        if positions.last() != Some(&v) {
            positions.push(v);
        }
        index[i as usize] = u32::try_from(positions.len() - 1).expect("fewer than 2^32 vertices");
    }
    (positions, index)
}

/// Bits that are in the order of the numbers.
fn in_order(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// Joins positions nearer than the weld distance; the smallest of a group stands for it.
fn join_near(positions: &[DVec3], part: Part<'_>) -> Result<(Vec<DVec3>, Vec<u32>, usize), Error> {
    let mut groups = UnionFind::new(positions.len());
    let cells = cells(positions);
    for (number, cell) in cells.chunk_by(|a, b| a.0 == b.0).enumerate() {
        part.at(number, cells.len())?;
        for (k, &(_, i)) in cell.iter().enumerate() {
            for &(_, j) in &cell[k + 1..] {
                if positions[i as usize].distance(positions[j as usize]) <= WELD_DISTANCE {
                    groups.join(i as usize, j as usize);
                }
            }
        }
    }
    drop(cells);
    let mut vertices = Vec::new();
    let mut joined = vec![0; positions.len()];
    let mut cracks = 0;
    for i in 0..positions.len() {
        let root = groups.root(i);
        if root == i {
            joined[i] = u32::try_from(vertices.len()).expect("fewer than 2^32 vertices");
            vertices.push(positions[i]);
        } else {
            joined[i] = joined[root];
            cracks += 1;
        }
    }
    Ok((vertices, joined, cracks))
}

/// Cells of a grid with the positions that are in them or within the weld distance of them, sorted: two positions that are nearer than that
/// are in one cell. A cell is named by a hash; that some have one name does no harm.
fn cells(positions: &[DVec3]) -> Vec<(u64, u32)> {
    /// So that the borders of cells are not where coordinates are round.
    const SHIFT: f64 = 0.381_966;
    let cell_size = CELL_PER_WELD * WELD_DISTANCE;
    let cell = |p: DVec3| (p / cell_size + SHIFT).floor().as_i64vec3();
    let mut cells: Vec<(u64, u32)> = Vec::with_capacity(positions.len() + positions.len() / 4);
    cells.par_extend(positions.par_iter().enumerate().flat_map_iter(|(i, &p)| {
        let i = u32::try_from(i).expect("fewer than 2^32 vertices");
        let (low, high) = (cell(p - WELD_DISTANCE), cell(p + WELD_DISTANCE));
        (low.x..=high.x).flat_map(move |x| {
            (low.y..=high.y).flat_map(move |y| {
                (low.z..=high.z).map(move |z| (FxBuildHasher.hash_one([x, y, z]), i))
            })
        })
    }));
    cells.par_sort_unstable();
    cells
}

/// Whether a triangle is wider than the weld distance everywhere that matters: it has three corners that are not in line.
fn has_area(corners: [u32; 3], vertices: &[DVec3]) -> bool {
    let [a, b, c] = corners.map(|i| vertices[i as usize]);
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    // Twice the area is the longest side times the height over it.
    longest > 0.0 && (b - a).cross(c - a).length() > longest * (0.1 * WELD_DISTANCE)
}

/// The same winding, starting at the smallest index.
fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}
