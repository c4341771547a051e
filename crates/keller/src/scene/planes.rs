//! Planes and faces: regions that touch or overlap in one plane share that plane, and those of them with the same
//! material are one face.
//!
//! Regions are handled from the largest to the smallest. Each joins the plane of a region whose box it overlaps if all
//! its own vertices lie within [`COPLANAR_DISTANCE`] of that plane. So a decal on a wall, the twin walls of touching
//! buildings, and a wall cut by a T-junction each have one plane, hence one image, hence one path.
//!
//! All threads search for the pairs of regions whose boxes overlap and whose tilts allow a common plane, which are few.
//! A single thread then handles these in order. **Cost:** one box query a region.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::near::{Nearby, outwards};
use super::regions::{Region, Regions, is_within, larger_first};
use super::weld::Welded;
use crate::Error;
use crate::control::Part;
use crate::geometry::Plane;
use crate::geometry::tolerance::{COPLANAR_DISTANCE, SHARED_PLANE_DISTANCE, WELD_DISTANCE};
use crate::geometry::union_find::UnionFind;
use crate::parallel;

/// The plane and the face of every region.
#[derive(Debug)]
pub(super) struct Grouping {
    /// The planes, each fitted to all its regions.
    pub(super) planes: Vec<Plane>,
    /// Plane index of each region.
    pub(super) plane_of: Vec<u32>,
    /// A label for the face of each region. Regions with the same label are one face.
    pub(super) face_of: Vec<u32>,
}

/// Groups regions into planes and faces.
pub(super) fn group(regions: &Regions, mesh: &Welded, part: Part<'_>) -> Result<Grouping, Error> {
    let list = &regions.list;
    let num = u32::try_from(list.len()).expect("fewer regions than triangles");
    let order = largest_first(list);
    let mut rank = vec![0; list.len()];
    for (number, &r) in (0u32..).zip(&order) {
        rank[r as usize] = number;
    }

    // The plane of the first and largest region decides whether others join.
    let mut leader: Vec<u32> = (0..num).collect();
    let mut faces = UnionFind::new(list.len());
    let mut leaders: Vec<u32> = Vec::new();
    let pairs = pairs(regions, mesh, &rank, part)?;
    for (number, of_one) in pairs.chunk_by(|a, b| a.0 == b.0).enumerate() {
        part.at(number, pairs.len())?;
        let r = order[of_one[0].0 as usize] as usize;
        leaders.clear();
        leaders.extend(
            of_one
                .iter()
                .map(|&(_, m)| rank[leader[m as usize] as usize]),
        );
        leaders.sort_unstable();
        leaders.dedup();
        let found = leaders.iter().map(|&l| order[l as usize]).find(|&l| {
            let plane = &list[l as usize].plane;
            is_within(regions.triangles(r), plane, COPLANAR_DISTANCE, mesh)
        });
        let Some(found) = found else {
            continue;
        };
        leader[r] = found;
        for &(_, other) in of_one {
            let other = other as usize;
            if leader[other] == found && list[other].material == list[r].material {
                faces.join(r, other);
            }
        }
    }
    drop(pairs);

    let (planes, plane_of) = fit(list, &leader);
    let root = |r| u32::try_from(faces.root(r)).expect("fewer regions than triangles");
    let face_of = (0..list.len()).map(root).collect();
    Ok(Grouping {
        planes,
        plane_of,
        face_of,
    })
}

/// The indices of the regions in the order of [`larger_first`].
fn largest_first(list: &[Region]) -> Vec<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "areas count to f32, whose bits are in the order of positive numbers"
    )]
    let key = |region: &Region| !(region.area as f32).to_bits();
    let keyed = (0u32..).zip(list).map(|(r, region)| (key(region), r));
    let mut keyed: Vec<(u32, u32)> = keyed.collect();
    keyed.par_sort_unstable_by(|a, b| {
        let region = |r: u32| &list[r as usize];
        let by_place = || larger_first(region(a.1), region(b.1)).then(a.1.cmp(&b.1));
        a.0.cmp(&b.0).then_with(by_place)
    });
    keyed.into_iter().map(|(_, r)| r).collect()
}

/// Pairs of regions whose boxes overlap and that may share a plane: each region, by its rank, with a larger one;
/// sorted.
fn pairs(
    regions: &Regions,
    mesh: &Welded,
    rank: &[u32],
    part: Part<'_>,
) -> Result<Vec<(u32, u32)>, Error> {
    /// Regions that one thread handles between two checks for cancellation.
    const BLOCK: usize = 1 << 10;
    let num = regions.list.len();
    let of_each = (0..num).into_par_iter().map(|r| {
        let triangles = regions.triangles(r);
        (bounds(triangles, mesh), Tilt::of(triangles, mesh))
    });
    let (boxes, tilts): (Vec<[DVec3; 2]>, Vec<Tilt>) = of_each.unzip();
    let near = Nearby::new(num, |r| outwards(boxes[r], 0.0));
    let blocks: Vec<&[u32]> = near.in_order().chunks(BLOCK).collect();
    let found: Vec<Vec<(u32, u32)>> = parallel::try_map(blocks.len(), |number| {
        part.at(number * BLOCK, num)?;
        let mut found = Vec::new();
        for &r in blocks[number] {
            let (mine, r) = (rank[r as usize], r as usize);
            let [low, high] = boxes[r];
            near.each_meeting(outwards(boxes[r], 0.0), &mut |other| {
                let [l, h] = boxes[other];
                if rank[other] < mine
                    && low.cmple(h).all()
                    && l.cmple(high).all()
                    && tilts[r].may_share_plane(&tilts[other])
                {
                    let other = u32::try_from(other).expect("fewer regions than triangles");
                    found.push((mine, other));
                }
            });
        }
        Ok::<_, Error>(found)
    })?;
    let mut pairs = found.concat();
    drop(found);
    pairs.par_sort_unstable();
    Ok(pairs)
}

/// The largest tilt of a region against a plane in which it lies.
#[derive(Debug, Clone, Copy)]
struct Tilt {
    /// Unit normal of its widest triangle.
    normal: Vec3,
    /// Maximum sine between that triangle and a plane in which the region lies; above 1 for slivers.
    sine: f32,
}

impl Tilt {
    /// Maximum distance, metres, of a region from a plane in which it lies: the distance from the plane of the largest
    /// region, or of a curved region from its own plane.
    const DISTANCE: f64 = SHARED_PLANE_DISTANCE;
    /// Exceeds f32 rounding.
    const ROUNDING: f32 = 1e-5;

    /// The tilt follows from a triangle that is `height` wide everywhere: if it lies within `d` of a plane, its sine to
    /// that plane is at most `2 d / height`.
    fn of(triangles: &[u32], mesh: &Welded) -> Self {
        let (mut widest, mut normal) = (0.0, DVec3::ZERO);
        for &t in triangles {
            let [a, b, c] = mesh.triangles[t as usize].map(|v| mesh.vertices[v as usize]);
            let cross = (b - a).cross(c - a);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let height = cross.length() / longest;
            if height > widest {
                (widest, normal) = (height, cross.normalize_or_zero());
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rounding is allowed for, and too much is infinite"
        )]
        let sine = (2.0 * Self::DISTANCE / widest) as f32;
        Self {
            normal: normal.as_vec3(),
            sine,
        }
    }

    fn may_share_plane(&self, other: &Self) -> bool {
        /// The value up to which the sum of two sines exceeds the sine of the sum of their angles.
        const SMALL: f32 = 0.5;
        let sum = self.sine + other.sine;
        let between = self.normal.cross(other.normal).length();
        // True also if one of them is not a number.
        !(sum < SMALL && between > 1.01 * sum + Self::ROUNDING)
    }
}

/// One plane for each leader, fitted to all its regions by area. Planes are numbered by their first region.
fn fit(regions: &[Region], leader: &[u32]) -> (Vec<Plane>, Vec<u32>) {
    let mut number = vec![u32::MAX; regions.len()];
    let mut sums: Vec<(DVec3, DVec3, f64)> = Vec::new();
    let mut plane_of = Vec::with_capacity(regions.len());
    for (region, &l) in regions.iter().zip(leader) {
        let l = l as usize;
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

fn bounds(triangles: &[u32], mesh: &Welded) -> [DVec3; 2] {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for v in triangles.iter().flat_map(|&t| mesh.triangles[t as usize]) {
        low = low.min(mesh.vertices[v as usize]);
        high = high.max(mesh.vertices[v as usize]);
    }
    [low - WELD_DISTANCE, high + WELD_DISTANCE]
}

#[cfg(test)]
mod tests {
    use super::super::regions::{Sides, regions};
    use super::super::tests::hard_mesh;
    use super::super::weld::weld;
    use super::*;
    use crate::{Control, Stage};

    #[test]
    fn no_pair_that_shares_a_plane_is_left_out() {
        let mut num_shared = 0;
        for seed in 0..4 {
            let control = Control::default();
            let part = Part::new(&control, Stage::Scene, 0.0, 1.0);
            let welded = weld(&hard_mesh(seed), part).unwrap();
            let sides = Sides::new(&welded.triangles, welded.vertices.len());
            let regions = regions(&welded, &sides, part).unwrap();
            let order = largest_first(&regions.list);
            let rank: Vec<u32> = {
                let mut rank = vec![0; order.len()];
                for (number, &r) in (0u32..).zip(&order) {
                    rank[r as usize] = number;
                }
                rank
            };
            let found = pairs(&regions, &welded, &rank, part).unwrap();
            let boxes: Vec<[DVec3; 2]> = (0..order.len())
                .map(|r| bounds(regions.triangles(r), &welded))
                .collect();
            for (r, [low, high]) in boxes.iter().enumerate() {
                for (m, [l, h]) in boxes.iter().enumerate() {
                    let meet = low.cmple(*h).all() && l.cmple(*high).all();
                    if rank[m] >= rank[r] || !meet {
                        continue;
                    }
                    // Any common plane is enough, such as that of a third region.
                    let is_shared = regions.list.iter().any(|third| {
                        [r, m].iter().all(|&of| {
                            let triangles = regions.triangles(of);
                            is_within(triangles, &third.plane, COPLANAR_DISTANCE, &welded)
                        })
                    });
                    if is_shared {
                        num_shared += 1;
                        let pair = (rank[r], u32::try_from(m).unwrap());
                        assert!(found.binary_search(&pair).is_ok(), "{seed}: {r} and {m}");
                    }
                }
            }
        }
        assert!(num_shared > 100, "{num_shared} pairs share a plane");
    }
}
