//! Welding: vertices that mean the same point become one, and the triangles get an order of their own.
//!
//! Vertices nearer than [`WELD_DISTANCE`] are joined through a hash grid whose cells are far larger than that distance, so that a
//! vertex looks into one cell and only near a border into its neighbours. Everything is then sorted by position: from here on
//! nothing depends on the order in which a file listed its triangles. Cost: one sort of the vertices and one of the triangles.

use glam::DVec3;
use rustc_hash::FxHashMap;

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
    for i in &mut index {
        *i = joined[*i as usize];
    }

    let mut keyed: Vec<([u32; 3], u32)> = Vec::with_capacity(mesh.triangles.len());
    let mut zero_area = 0;
    for triangle in &mesh.triangles {
        let corners = triangle.vertices.map(|v| index[v as usize]);
        if has_area(corners, &vertices) {
            keyed.push((smallest_first(corners), triangle.material));
        } else {
            zero_area += 1;
        }
    }
    keyed.sort_unstable_by_key(|&(corners, material)| (sorted(corners), material, corners));
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
    let mut order: Vec<u32> =
        (0..u32::try_from(vertices.len()).expect("meshes have fewer than 2^32 vertices")).collect();
    let key = |i: u32| {
        // Adding zero turns -0 into +0, so that the two compare equal below.
        let v = vertices[i as usize] + DVec3::ZERO;
        [v.x, v.y, v.z]
    };
    order.sort_unstable_by(|&a, &b| {
        let (a, b) = (key(a), key(b));
        a.partial_cmp(&b)
            .expect("coordinates were checked to be finite")
    });
    let mut positions: Vec<DVec3> = Vec::new();
    let mut index = vec![0; vertices.len()];
    for &i in &order {
        let v = vertices[i as usize] + DVec3::ZERO;
        if positions.last() != Some(&v) {
            positions.push(v);
        }
        index[i as usize] = u32::try_from(positions.len() - 1).expect("fewer than 2^32 vertices");
    }
    (positions, index)
}

/// Joins positions nearer than the weld distance; the smallest of a group stands for it.
fn join_near(positions: &[DVec3], part: Part<'_>) -> Result<(Vec<DVec3>, Vec<u32>, usize), Error> {
    let cell_size = CELL_PER_WELD * WELD_DISTANCE;
    let cell = |p: DVec3| (p / cell_size).floor().as_i64vec3();
    let mut grid: FxHashMap<_, Vec<u32>> = FxHashMap::default();
    let mut groups = UnionFind::new(positions.len());
    for (i, &p) in positions.iter().enumerate() {
        part.at(i, positions.len())?;
        let (low, high) = (cell(p - WELD_DISTANCE), cell(p + WELD_DISTANCE));
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let near = grid.get(&[x, y, z]).map_or(&[][..], Vec::as_slice);
                    for &j in near {
                        if positions[j as usize].distance(p) <= WELD_DISTANCE {
                            groups.join(i, j as usize);
                        }
                    }
                }
            }
        }
        let home = cell(p);
        grid.entry([home.x, home.y, home.z])
            .or_default()
            .push(u32::try_from(i).expect("fewer than 2^32 vertices"));
    }
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
