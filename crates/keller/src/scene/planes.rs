//! Planes and faces: regions that touch or overlap in one plane share that plane, and those of one material there are one face.
//!
//! Regions are taken from the largest to the smallest; each joins the plane of a region whose box it meets if all its own vertices
//! lie within [`COPLANAR_DISTANCE`] of it. So a decal on a wall, the twin walls of touching buildings, and a wall cut by a
//! T-junction each have one plane, hence one image, hence one path. Cost: one box query a region.

use glam::DVec3;
use obvhs::{
    BvhBuildParams,
    aabb::Aabb,
    bvh2::{Bvh2, builder::build_bvh2},
};

use super::regions::{Region, larger_first, spread};
use super::weld::Welded;
use crate::Error;
use crate::control::Part;
use crate::geometry::Plane;
use crate::geometry::tolerance::{COPLANAR_DISTANCE, WELD_DISTANCE};
use crate::geometry::union_find::UnionFind;

/// Which plane and which face every region belongs to.
#[derive(Debug)]
pub(super) struct Grouping {
    /// The planes, each fitted to all its regions.
    pub(super) planes: Vec<Plane>,
    /// Plane index of each region.
    pub(super) plane_of: Vec<u32>,
    /// A label of the face of each region: regions with one label are one face.
    pub(super) face_of: Vec<usize>,
}

/// Groups regions into planes and faces.
pub(super) fn group(regions: &[Region], mesh: &Welded, part: Part<'_>) -> Result<Grouping, Error> {
    let boxes: Vec<(DVec3, DVec3)> = regions.iter().map(|r| bounds(r, mesh)).collect();
    let tree = box_tree(&boxes);
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by(|&a, &b| larger_first(&regions[a], &regions[b]));

    // The plane that decides about joining is that of its first and largest region.
    let mut leader: Vec<Option<usize>> = vec![None; regions.len()];
    let mut faces = UnionFind::new(regions.len());
    let mut meeting = Vec::new();
    for (number, &r) in order.iter().enumerate() {
        part.at(number, order.len())?;
        meeting.clear();
        for_each_meeting(&tree, &boxes, r, |other| meeting.push(other));
        meeting.sort_unstable();
        let mut leaders: Vec<usize> = meeting.iter().filter_map(|&m| leader[m]).collect();
        leaders.sort_unstable();
        leaders.dedup();
        let found = leaders
            .into_iter()
            .filter(|&l| {
                spread(&regions[r].triangles, &regions[l].plane, mesh) <= COPLANAR_DISTANCE
            })
            .min_by(|&a, &b| larger_first(&regions[a], &regions[b]));
        leader[r] = Some(found.unwrap_or(r));
        for &other in &meeting {
            if leader[other] == leader[r] && regions[other].material == regions[r].material {
                faces.join(r, other);
            }
        }
    }

    let leader: Vec<usize> = leader
        .into_iter()
        .map(|l| l.expect("every region was visited"))
        .collect();
    let (planes, plane_of) = fit(regions, &leader);
    let face_of = (0..regions.len()).map(|r| faces.root(r)).collect();
    Ok(Grouping {
        planes,
        plane_of,
        face_of,
    })
}

/// One plane a leader, fitted to all its regions by area. Planes are numbered by their first region.
fn fit(regions: &[Region], leader: &[usize]) -> (Vec<Plane>, Vec<u32>) {
    let mut number = vec![u32::MAX; regions.len()];
    let mut sums: Vec<(DVec3, DVec3, f64)> = Vec::new();
    let mut plane_of = Vec::with_capacity(regions.len());
    for (region, &l) in regions.iter().zip(leader) {
        if number[l] == u32::MAX {
            number[l] = u32::try_from(sums.len()).expect("fewer planes than regions");
            sums.push((DVec3::ZERO, DVec3::ZERO, 0.0));
        }
        plane_of.push(number[l]);
        let (normal, point, area) = &mut sums[number[l] as usize];
        let own = region.plane.normal;
        let sign = own.dot(regions[l].plane.normal).signum();
        *normal += region.area * sign * own;
        *point += region.area * region.centroid;
        *area += region.area;
    }
    let planes = sums
        .into_iter()
        .map(|(normal, point, area)| Plane::new(point / area, normal))
        .collect();
    (planes, plane_of)
}

fn bounds(region: &Region, mesh: &Welded) -> (DVec3, DVec3) {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for v in region
        .triangles
        .iter()
        .flat_map(|&t| mesh.triangles[t as usize])
    {
        low = low.min(mesh.vertices[v as usize]);
        high = high.max(mesh.vertices[v as usize]);
    }
    (low - WELD_DISTANCE, high + WELD_DISTANCE)
}

fn box_tree(boxes: &[(DVec3, DVec3)]) -> Bvh2 {
    let boxes: Vec<Aabb> = boxes.iter().map(|&b| as_f32_box(b)).collect();
    let mut time = std::time::Duration::ZERO;
    build_bvh2(&boxes, BvhBuildParams::very_fast_build(), &mut time)
}

/// The f32 box around an f64 one, rounded outwards.
fn as_f32_box((low, high): (DVec3, DVec3)) -> Aabb {
    let pad = DVec3::splat(f64::from(f32::EPSILON)) * low.abs().max(high.abs());
    Aabb::new(
        (low - pad).as_vec3().to_vec3a(),
        (high + pad).as_vec3().to_vec3a(),
    )
}

/// Calls `visit` with every other region whose box meets that of `r`.
fn for_each_meeting(tree: &Bvh2, boxes: &[(DVec3, DVec3)], r: usize, mut visit: impl FnMut(usize)) {
    let (low, high) = boxes[r];
    tree.aabb_traverse(as_f32_box(boxes[r]), |tree, node| {
        let node = &tree.nodes[node as usize];
        let first = node.first_index as usize;
        for &other in &tree.primitive_indices[first..first + node.prim_count as usize] {
            let other = other as usize;
            let (l, h) = boxes[other];
            if other != r && low.cmple(h).all() && l.cmple(high).all() {
                visit(other);
            }
        }
        true
    });
}
