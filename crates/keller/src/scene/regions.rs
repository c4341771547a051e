//! Regions: triangles of one material that meet along edges and lie in one plane, independent of the triangulation of
//! the wall.
//!
//! Two triangles that share an edge belong together if their normals agree ([`COPLANAR_SINE`]). This criterion does not
//! change when a triangle is split. A region that deviates from a plane by more than [`COPLANAR_DISTANCE`] as a whole,
//! such as a finely tessellated cylinder, is grown again from its largest triangle, within that distance. **Cost:** one
//! sort of the triangles' edges.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::weld::Welded;
use crate::Error;
use crate::control::Part;
use crate::geometry::Plane;
use crate::geometry::tolerance::{COPLANAR_DISTANCE, COPLANAR_SINE, SAME_PLANE_SINE};
use crate::geometry::union_find::{SharedUnionFind, UnionFind};
use crate::parallel;

/// A connected planar patch of one material.
#[derive(Debug)]
pub(super) struct Region {
    /// Its first triangle.
    pub(super) first: u32,
    /// Material index.
    pub(super) material: u32,
    /// The plane of its area-weighted mean normal through its centroid.
    pub(super) plane: Plane,
    /// Centre of area, metres.
    pub(super) centroid: DVec3,
    /// m².
    pub(super) area: f64,
    /// Twice the vector area. It points to where most of the windings point.
    pub(super) facing: DVec3,
}

/// The regions of a mesh.
#[derive(Debug)]
pub(super) struct Regions {
    /// The regions in the order of their first triangles.
    pub(super) list: Vec<Region>,
    members: Members,
}

impl Regions {
    /// The triangles of a region, ascending.
    pub(super) fn triangles(&self, region: usize) -> &[u32] {
        self.members.of(region)
    }
}

/// Triangles in groups.
#[derive(Debug)]
struct Members {
    /// The index in `order` at which each group begins, and the end of the last.
    starts: Vec<u32>,
    /// The triangles, group by group, ascending in each.
    order: Vec<u32>,
}

impl Members {
    /// Makes groups from labels, in the order of their first triangles. The label of a triangle is the first triangle
    /// of its group.
    fn new(labels: &[u32]) -> Self {
        let mut starts = Vec::new();
        let mut number = vec![0; labels.len()];
        for (t, &label) in labels.iter().enumerate() {
            let label = label as usize;
            if label == t {
                number[t] = starts.len();
                starts.push(0);
            }
            starts[number[label]] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += std::mem::replace(start, end);
        }
        starts.push(end);
        let mut next = starts.clone();
        let mut order = vec![0; labels.len()];
        for (t, &label) in (0u32..).zip(labels) {
            let slot = &mut next[number[label as usize]];
            order[*slot as usize] = t;
            *slot += 1;
        }
        starts.shrink_to_fit();
        Self { starts, order }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn of(&self, group: usize) -> &[u32] {
        &self.order[self.starts[group] as usize..self.starts[group + 1] as usize]
    }
}

/// One side of a triangle: its two vertices (smaller first) and the triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    /// Vertex indices, smaller first.
    pub(super) ends: [u32; 2],
    /// Triangle index.
    pub(super) triangle: u32,
}

/// All sides of all triangles, sorted, so that the sides of one edge are neighbours.
#[derive(Debug)]
pub(super) struct Sides {
    /// The index in `list` at which the sides of each vertex begin that have it as their smaller end, and the end of
    /// the last.
    starts: Vec<u32>,
    /// The larger end, and the triangle.
    list: Vec<[u32; 2]>,
}

impl Sides {
    /// Number of vertices that are handled together.
    const BLOCK: usize = 1 << 12;

    /// The sides of triangles over `num_vertices` vertices.
    pub(super) fn new(triangles: &[[u32; 3]], num_vertices: usize) -> Self {
        let mut starts = vec![0; num_vertices + 1];
        let ends =
            |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]);
        for [small, _] in triangles.iter().flat_map(ends) {
            starts[small as usize] += 1;
        }
        let mut end: u32 = 0;
        for start in &mut starts {
            let count = std::mem::replace(start, end);
            end = end.checked_add(count).expect("fewer than 2^32 sides");
        }
        // Each start moves to its end while its list is filled. That is where the next list starts.
        let mut list = vec![[0; 2]; end as usize];
        for (triangle, corners) in (0u32..).zip(triangles) {
            for [small, large] in ends(corners) {
                let slot = &mut starts[small as usize];
                list[*slot as usize] = [large, triangle];
                *slot += 1;
            }
        }
        starts.rotate_right(1);
        starts[0] = 0;
        let mut sides = Self {
            starts,
            list: Vec::new(),
        };
        let mut blocks = Vec::new();
        let mut rest = &mut list[..];
        for vertices in sides.blocks() {
            let (first, end) = (sides.starts[vertices.start], sides.starts[vertices.end]);
            let block;
            (block, rest) = rest.split_at_mut((end - first) as usize);
            blocks.push((vertices, block));
        }
        blocks.into_par_iter().for_each(|(vertices, block)| {
            let first = sides.starts[vertices.start];
            for v in vertices {
                let [from, to] = [v, v + 1].map(|v| (sides.starts[v] - first) as usize);
                block[from..to].sort_unstable();
            }
        });
        sides.list = list;
        sides
    }

    /// Ranges of vertices, each for one thread.
    fn blocks(&self) -> impl ExactSizeIterator<Item = Range<usize>> + Clone + use<> {
        let num = self.starts.len() - 1;
        let count = num.div_ceil(Self::BLOCK);
        (0..count).map(move |k| k * Self::BLOCK..num.min((k + 1) * Self::BLOCK))
    }

    /// Calls `visit` with the sides of every edge, in many threads that each fill a list of their own. Returns the
    /// lists in the order of the edges.
    pub(super) fn by_edge<T: Default + Send>(
        &self,
        part: Part<'_>,
        visit: impl Fn(&[Side], &mut T) + Sync,
    ) -> Result<Vec<T>, Error> {
        let blocks: Vec<Range<usize>> = self.blocks().collect();
        parallel::try_map(blocks.len(), |number| {
            let vertices = blocks[number].clone();
            part.at(vertices.start, self.starts.len())?;
            let mut found = T::default();
            self.each_edge_from(vertices, |edge| visit(edge, &mut found));
            Ok(found)
        })
    }

    /// Calls `visit` with the sides of every edge, in order.
    pub(super) fn each_edge(&self, visit: impl FnMut(&[Side])) {
        self.each_edge_from(0..self.starts.len() - 1, visit);
    }

    /// Visits the edges whose smaller ends are these vertices.
    fn each_edge_from(&self, vertices: Range<usize>, mut visit: impl FnMut(&[Side])) {
        let mut edge = Vec::new();
        for v in vertices {
            let [from, to] = [v, v + 1].map(|v| self.starts[v] as usize);
            let small = u32::try_from(v).expect("fewer than 2^32 vertices");
            for same in self.list[from..to].chunk_by(|a, b| a[0] == b[0]) {
                edge.clear();
                edge.extend(same.iter().map(|&[large, triangle]| Side {
                    ends: [small, large],
                    triangle,
                }));
                visit(&edge);
            }
        }
    }
}

/// The planar regions of a welded mesh.
pub(super) fn regions(mesh: &Welded, sides: &Sides, part: Part<'_>) -> Result<Regions, Error> {
    let cross: Vec<DVec3> = mesh
        .triangles
        .par_iter()
        .map(|&corners| double_area(corners, &mesh.vertices))
        .collect();
    let groups = SharedUnionFind::new(mesh.triangles.len());
    let is_linked = |a: &Side, b: &Side| {
        let (a, b) = (a.triangle as usize, b.triangle as usize);
        mesh.materials[a] == mesh.materials[b] && is_parallel(cross[a], cross[b], COPLANAR_SINE)
    };
    sides.by_edge(part, |edge, (): &mut ()| {
        for (a, b) in pairs(edge).filter(|(a, b)| is_linked(a, b)) {
            groups.join(a.triangle, b.triangle);
        }
    })?;
    let num = u32::try_from(mesh.triangles.len()).expect("fewer than 2^32 triangles");
    let mut labels: Vec<u32> = (0..num).into_par_iter().map(|t| groups.root(t)).collect();
    drop(groups);
    let members = Members::new(&labels);
    let described: Vec<(Region, bool)> = parallel::try_map(members.len(), |group| {
        part.control_at(group)?;
        let triangles = members.of(group);
        let region = describe(triangles, mesh, &cross);
        let is_flat = spread(triangles, &region.plane, mesh) <= COPLANAR_DISTANCE;
        Ok::<_, Error>((region, is_flat))
    })?;
    if described.iter().all(|(_, is_flat)| *is_flat) {
        let list = described
            .into_par_iter()
            .map(|(region, _)| region)
            .collect();
        return Ok(Regions { list, members });
    }
    let mut curved: Vec<u32> = Vec::new();
    let mut list = Vec::with_capacity(described.len());
    for (group, (region, is_flat)) in described.into_iter().enumerate() {
        if is_flat {
            list.push(region);
        } else {
            curved.extend_from_slice(members.of(group));
        }
    }
    drop(members);
    let mut slot: Vec<u32> = vec![u32::MAX; mesh.triangles.len()];
    for (i, &t) in (0u32..).zip(&curved) {
        slot[t as usize] = i;
    }
    let links: Vec<Vec<(u32, u32)>> = sides.by_edge(part, |edge, links: &mut Vec<_>| {
        let of = |side: &Side| slot[side.triangle as usize];
        let linked = pairs(edge).filter(|(a, b)| of(a) != u32::MAX && of(b) != u32::MAX);
        links.extend(
            linked
                .filter(|(a, b)| is_linked(a, b))
                .map(|(a, b)| (of(a), of(b))),
        );
    })?;
    drop(slot);
    let patches = regrow(&curved, &links.concat(), mesh, &cross, part)?;
    for patch in &patches {
        for &t in patch {
            labels[t as usize] = patch[0];
        }
    }
    list.extend(parallel::map_slice(&patches, |patch| {
        describe(patch, mesh, &cross)
    }));
    list.par_sort_unstable_by_key(|region| region.first);
    Ok(Regions {
        list,
        members: Members::new(&labels),
    })
}

/// All pairs of the sides of an edge.
fn pairs(edge: &[Side]) -> impl Iterator<Item = (&Side, &Side)> {
    let rest = |(i, first)| edge[i + 1..].iter().map(move |second| (first, second));
    edge.iter().enumerate().flat_map(rest)
}

/// Maximum distance of the triangles' vertices from `plane`.
fn spread(triangles: &[u32], plane: &Plane, mesh: &Welded) -> f64 {
    triangles
        .iter()
        .flat_map(|&t| mesh.triangles[t as usize])
        .map(|v| plane.distance(mesh.vertices[v as usize]).abs())
        .fold(0.0, f64::max)
}

/// Whether no vertex of the triangles is farther than `distance` from `plane`.
pub(super) fn is_within(triangles: &[u32], plane: &Plane, distance: f64, mesh: &Welded) -> bool {
    let mut vertices = triangles.iter().flat_map(|&t| mesh.triangles[t as usize]);
    vertices.all(|v| plane.distance(mesh.vertices[v as usize]).abs() <= distance)
}

/// Splits curved patches into flat ones. The patches are given by all their triangles and the connected pairs of these.
/// The largest part takes every neighbour within reach of its own plane, then the next largest part does, and so on.
///
/// Parts are triangles that are coplanar apart from rounding, so that cutting a triangle in four changes no part.
fn regrow(
    members: &[u32],
    links: &[(u32, u32)],
    mesh: &Welded,
    cross: &[DVec3],
    watch: Part<'_>,
) -> Result<Vec<Vec<u32>>, Error> {
    let links = || links.iter().map(|&(i, j)| (i as usize, j as usize));
    let mut parts = UnionFind::new(members.len());
    for (i, j) in links() {
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
    for (i, j) in links() {
        let (i, j) = (parts.root(i), parts.root(j));
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let described: Vec<Option<Region>> = parallel::map_slice(&triangles, |part| {
        (!part.is_empty()).then(|| describe(part, mesh, cross))
    });
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
            patch.extend_from_slice(&triangles[i]);
            for &j in &neighbours[i] {
                // Half the distance on either side of the seed keeps the fitted plane within the whole distance.
                if !taken[j] && is_within(&triangles[j], &plane, 0.5 * COPLANAR_DISTANCE, mesh) {
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

/// The order of regions: larger ones first, and equally large ones by position. Areas and positions are compared in
/// f32, so that rounding does not decide.
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
fn describe(triangles: &[u32], mesh: &Welded, cross: &[DVec3]) -> Region {
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
    for &t in triangles {
        let double = cross[t as usize];
        let weight = double.length();
        normal += if double.dot(reference) < 0.0 {
            -double
        } else {
            double
        };
        facing += double;
        let corners = mesh.triangles[t as usize].map(|v| mesh.vertices[v as usize]);
        // The corners start at the same one for every winding, so the result is the same to the last bit.
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
        first: triangles[0],
    }
}

fn double_area([a, b, c]: [u32; 3], vertices: &[DVec3]) -> DVec3 {
    let [a, b, c] = [a, b, c].map(|i| vertices[i as usize]);
    (b - a).cross(c - a)
}

/// Whether two normals of any length are parallel or antiparallel, up to an angle of this sine.
fn is_parallel(a: DVec3, b: DVec3, sine: f64) -> bool {
    a.cross(b).length() <= sine * a.length() * b.length()
}
