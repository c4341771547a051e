//! Regions: triangles of one material that meet along edges and lie in one plane, however the wall was triangulated.
//!
//! Two triangles that share an edge belong together if their normals agree ([`COPLANAR_SINE`]); that criterion does not change
//! when a triangle is split. A region that bends more than [`COPLANAR_DISTANCE`] as a whole (a finely tessellated cylinder) is
//! grown again from its largest triangle, within that distance. Cost: one sort of the triangles' edges.

use glam::DVec3;
use rayon::prelude::*;

use super::weld::Welded;
use crate::Error;
use crate::control::Part;
use crate::geometry::Plane;
use crate::geometry::tolerance::{COPLANAR_DISTANCE, COPLANAR_SINE, SAME_PLANE_SINE};
use crate::geometry::union_find::UnionFind;

/// A connected planar patch of one material.
#[derive(Debug)]
pub(super) struct Region {
    /// Its triangles, ascending.
    pub(super) triangles: Vec<u32>,
    /// Material index.
    pub(super) material: u32,
    /// The plane of its area-weighted mean normal through its centroid.
    pub(super) plane: Plane,
    /// Centre of area, metres.
    pub(super) centroid: DVec3,
    /// m².
    pub(super) area: f64,
    /// Twice the vector area: points where most of the windings point.
    pub(super) facing: DVec3,
}

/// One side of a triangle: its two vertices (smaller first) and the triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    /// Vertex indices, smaller first.
    pub(super) ends: [u32; 2],
    /// Triangle index.
    pub(super) triangle: u32,
}

/// All sides of all triangles, sorted, so that those of one edge are neighbours.
pub(super) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides: Vec<Side> = triangles
        .par_iter()
        .enumerate()
        .flat_map_iter(|(t, &[a, b, c])| {
            let triangle = u32::try_from(t).expect("fewer than 2^32 triangles");
            [[a, b], [b, c], [c, a]].map(|[p, q]| Side {
                ends: [p.min(q), p.max(q)],
                triangle,
            })
        })
        .collect();
    sides.par_sort_unstable();
    sides
}

/// The planar regions of a welded mesh, in the order of their first triangles.
pub(super) fn regions(mesh: &Welded, sides: &[Side], part: Part<'_>) -> Result<Vec<Region>, Error> {
    let cross: Vec<DVec3> = mesh
        .triangles
        .par_iter()
        .map(|&corners| double_area(corners, &mesh.vertices))
        .collect();
    let mut groups = UnionFind::new(mesh.triangles.len());
    let mut links = Vec::new();
    for (number, edge) in sides.chunk_by(|a, b| a.ends == b.ends).enumerate() {
        part.at(number, sides.len())?;
        for (i, first) in edge.iter().enumerate() {
            for second in &edge[i + 1..] {
                let (a, b) = (first.triangle as usize, second.triangle as usize);
                if mesh.materials[a] == mesh.materials[b]
                    && is_parallel(cross[a], cross[b], COPLANAR_SINE)
                {
                    groups.join(a, b);
                    links.push((first.triangle, second.triangle));
                }
            }
        }
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); mesh.triangles.len()];
    for t in 0..mesh.triangles.len() {
        members[groups.root(t)].push(u32::try_from(t).expect("fewer than 2^32 triangles"));
    }
    members.retain(|m| !m.is_empty());

    let mut bent: Vec<Vec<u32>> = Vec::new();
    let mut regions = Vec::new();
    let count = members.len();
    for (number, triangles) in members.into_iter().enumerate() {
        part.at(number, count)?;
        let region = describe(triangles, mesh, &cross);
        if spread(&region.triangles, &region.plane, mesh) <= COPLANAR_DISTANCE {
            regions.push(region);
        } else {
            bent.push(region.triangles);
        }
    }
    if !bent.is_empty() {
        regions.extend(
            regrow(&bent, &links, mesh, &cross, part)?
                .into_iter()
                .map(|triangles| describe(triangles, mesh, &cross)),
        );
        regions.sort_unstable_by_key(|r| r.triangles[0]);
    }
    Ok(regions)
}

/// Largest distance of the triangles' vertices from `plane`.
pub(super) fn spread(triangles: &[u32], plane: &Plane, mesh: &Welded) -> f64 {
    triangles
        .iter()
        .flat_map(|&t| mesh.triangles[t as usize])
        .map(|v| plane.distance(mesh.vertices[v as usize]).abs())
        .fold(0.0, f64::max)
}

/// Splits patches that bend into flat ones: the largest part takes every neighbour within reach of its own plane, and so on.
///
/// Parts are triangles that are coplanar but for rounding, so that cutting a triangle in four changes no part.
fn regrow(
    bent: &[Vec<u32>],
    links: &[(u32, u32)],
    mesh: &Welded,
    cross: &[DVec3],
    watch: Part<'_>,
) -> Result<Vec<Vec<u32>>, Error> {
    let members: Vec<u32> = bent.iter().flatten().copied().collect();
    let mut slot: Vec<Option<usize>> = vec![None; mesh.triangles.len()];
    for (i, &t) in members.iter().enumerate() {
        slot[t as usize] = Some(i);
    }
    let links: Vec<(usize, usize)> = links
        .iter()
        .filter_map(|&(a, b)| Some((slot[a as usize]?, slot[b as usize]?)))
        .collect();
    let mut parts = UnionFind::new(members.len());
    for &(i, j) in &links {
        let (a, b) = (members[i] as usize, members[j] as usize);
        if is_parallel(cross[a], cross[b], SAME_PLANE_SINE) {
            parts.join(i, j);
        }
    }
    let mut triangles: Vec<Vec<u32>> = vec![Vec::new(); members.len()];
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    for (i, &t) in members.iter().enumerate() {
        triangles[parts.root(i)].push(t);
    }
    for (i, j) in links {
        let (i, j) = (parts.root(i), parts.root(j));
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let described: Vec<Option<Region>> = triangles
        .into_iter()
        .map(|part| (!part.is_empty()).then(|| describe(part, mesh, cross)))
        .collect();
    let mut seeds: Vec<usize> = (0..members.len())
        .filter(|&i| described[i].is_some())
        .collect();
    let part = |i: usize| described[i].as_ref().expect("only roots are asked for");
    seeds.sort_by(|&a, &b| larger_first(part(a), part(b)));

    let mut taken = vec![false; members.len()];
    let mut patches = Vec::new();
    let count = seeds.len();
    for (number, seed) in seeds.into_iter().enumerate() {
        watch.at(number, count)?;
        if taken[seed] {
            continue;
        }
        let plane = part(seed).plane;
        let mut patch = Vec::new();
        let mut front = vec![seed];
        taken[seed] = true;
        while let Some(i) = front.pop() {
            patch.extend_from_slice(&part(i).triangles);
            for &j in &neighbours[i] {
                // Half the distance on either side of the seed leaves the fitted plane within the whole distance.
                if !taken[j] && spread(&part(j).triangles, &plane, mesh) <= 0.5 * COPLANAR_DISTANCE
                {
                    taken[j] = true;
                    front.push(j);
                }
            }
        }
        patch.sort_unstable();
        patches.push(patch);
    }
    Ok(patches)
}

/// Larger regions first; equally large ones by place. Areas and places count to f32, so that rounding does not decide.
#[expect(
    clippy::cast_possible_truncation,
    reason = "f32 is meant: it is coarser than rounding"
)]
pub(super) fn larger_first(a: &Region, b: &Region) -> std::cmp::Ordering {
    let place = |r: &Region| r.centroid.as_vec3().to_array();
    let (a_area, b_area) = (a.area as f32, b.area as f32);
    b_area.total_cmp(&a_area).then_with(|| {
        let (a, b) = (place(a), place(b));
        a.partial_cmp(&b)
            .expect("coordinates were checked to be finite")
    })
}

/// Plane, area and facing of a patch.
fn describe(triangles: Vec<u32>, mesh: &Welded, cross: &[DVec3]) -> Region {
    let seed = triangles
        .iter()
        .copied()
        .max_by(|&a, &b| {
            let area = |t: u32| cross[t as usize].length_squared();
            area(a).total_cmp(&area(b)).then(b.cmp(&a))
        })
        .expect("a region has triangles");
    let reference = cross[seed as usize];
    let (mut normal, mut facing, mut centroid, mut area) =
        (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, 0.0);
    for &t in &triangles {
        let double = cross[t as usize];
        let weight = double.length();
        normal += if double.dot(reference) < 0.0 {
            -double
        } else {
            double
        };
        facing += double;
        let corners = mesh.triangles[t as usize].map(|v| mesh.vertices[v as usize]);
        // The same to the last bit whichever way the triangle is wound: its first corner is always the same.
        centroid += weight * (corners[0] + (corners[1] + corners[2])) / 3.0;
        area += weight;
    }
    let centroid = centroid / area;
    Region {
        material: mesh.materials[triangles[0] as usize],
        plane: Plane::new(centroid, normal),
        centroid,
        area: 0.5 * area,
        facing,
        triangles,
    }
}

fn double_area([a, b, c]: [u32; 3], vertices: &[DVec3]) -> DVec3 {
    let [a, b, c] = [a, b, c].map(|i| vertices[i as usize]);
    (b - a).cross(c - a)
}

/// Whether two normals of any length point the same or the opposite way, up to an angle of this sine.
fn is_parallel(a: DVec3, b: DVec3, sine: f64) -> bool {
    a.cross(b).length() <= sine * a.length() * b.length()
}
