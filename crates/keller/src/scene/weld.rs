//! Welding: vertices of the same point become one, and the triangles get a canonical order.
//!
//! Vertices nearer to each other than [`WELD_DISTANCE`] are joined by a grid. Its cells are much larger than that
//! distance, so a vertex is usually in one cell, and in several only near a border. Sorting by cell brings the vertices
//! of a cell together. Everything is then sorted by position, so that nothing depends on the order in which a file
//! lists its triangles. **Cost:** two sorts of the vertices and one of the triangles.

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
    /// The number of times that each triangle was there: touching houses have their wall twice.
    pub(super) copies: Vec<u32>,
    /// Vertices that had another one nearby, but not at the same place.
    pub(super) cracks: usize,
    /// Triangles dropped because they have no area.
    pub(super) zero_area: usize,
    /// Triangles dropped because another one has the same corners and material.
    pub(super) duplicates: usize,
}

/// Joins near vertices, and drops degenerate and repeated triangles.
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

/// The number that vertices of the same point have in common, for each vertex.
pub(super) fn same_vertices(vertices: &[DVec3], part: Part<'_>) -> Result<Vec<u32>, Error> {
    let (positions, mut index) = sort_and_share(vertices);
    let (_, joined, _) = join_near(&positions, part)?;
    for number in &mut index {
        *number = joined[*number as usize];
    }
    Ok(index)
}

/// The distinct positions in sorted order, and for each vertex of the mesh the index of its position.
fn sort_and_share(vertices: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    // Adding zero turns -0 into +0, so that both are one position.
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

/// Bits that sort in the order of the numbers.
fn in_order(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// Joins positions nearer to each other than the weld distance. The smallest of a group represents it.
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

/// Cells of a grid, with the positions in them or within the weld distance of them, sorted. Two positions nearer than
/// that distance share a cell. A cell is named by a hash; collisions do no harm.
fn cells(positions: &[DVec3]) -> Vec<(u64, u32)> {
    /// Shifts the grid, so that borders of cells do not lie at round coordinates.
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

/// Whether a triangle has an area: its height over the longest side exceeds a tenth of the weld distance.
fn has_area(corners: [u32; 3], vertices: &[DVec3]) -> bool {
    let [a, b, c] = corners.map(|i| vertices[i as usize]);
    let longest = (b - a).length().max((c - b).length()).max((a - c).length());
    // Twice the area is the longest side times the height over it.
    longest > 0.0 && (b - a).cross(c - a).length() > longest * (0.1 * WELD_DISTANCE)
}

/// The corners with the same winding, starting at the smallest index.
pub(super) fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
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
