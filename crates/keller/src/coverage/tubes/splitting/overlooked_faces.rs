//! Small faces that lie between all rays of a tube: a chimney, a tower of many sides, a canopy that hangs free.
//!
//! A tube is about as wide as a cell of the region, or wider if it is weak. So points on the edges of small faces
//! (`small_faces`) are looked up in the tubes that come from the Tx or from its image behind one wall. One ray shows
//! whether such a point is visible. If no ray of its tube met a face that ends there, the tube is split as if its rays
//! disagreed, and in the end it follows these faces too.
//!
//! Cost: one ray for each point in front of the walls that its tube meets. Blocks of points outside the cone around all
//! tubes of the bundle are left out. **May miss** small faces behind several walls and behind edges.

use std::f64::consts::FRAC_1_SQRT_2;

use glam::DVec3;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ray_cache::RayCache;
use super::split::split;
use super::tube_width;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tables::wall::Wall;
use crate::coverage::tubes::tube::bundle::{Bundle, Tube};
use crate::coverage::tubes::tube::direction_cells::cube_point;
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::tube::segment_rays::{self, BEFORE_END, groups_at};
use crate::coverage::tubes::tube::tx_image::TxImage;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::geometry::bvh::Ray;
use crate::scene::{Edge, EdgeId, FaceId};

/// The number of walls behind which nothing is looked up any more: it would take more time than all rays there.
const MAX_WALLS: usize = 1;

/// The directions in which the tubes of a bundle leave their image: a cone.
struct Cone {
    axis: DVec3,
    cos: f64,
    sin: f64,
}

/// The leaves of [`split`], which are split until no tube overlooks a small face either.
pub(in crate::coverage::tubes) fn split_around(
    ctx: &Context<'_>,
    bundle: &Bundle,
    rays: &mut RayCache,
) -> Vec<Leaf> {
    let mut leaves = split(ctx, bundle, rays);
    let VirtualSource::Point(image) = &bundle.source else {
        return leaves;
    };
    let is_simplified = ctx.ladder.follows_centre_ray() || ctx.ladder.has_pierced_cells();
    if bundle.interactions.len() > MAX_WALLS || is_simplified {
        return leaves;
    }
    let mut settled = Vec::new();
    let mut points = points_near(ctx, bundle, image, &leaves);
    loop {
        let found = located(image, &leaves, &points);
        let overlooked = overlooked(ctx, bundle, image, &leaves, &found);
        let mut again = Vec::new();
        let mut is_split = vec![false; leaves.len()];
        for of_leaf in overlooked.chunk_by(|a, b| a.0 == b.0) {
            let index = of_leaf[0].0;
            let leaf = &mut leaves[index];
            let is_too_wide = of_leaf.iter().any(|(_, edge, distance)| {
                let cell = leaf.directions.cell;
                let allowed = tube_width::divided(ctx, &leaf.path_gain, *distance);
                let ends = ctx.scene.edges()[edge.index()].ends;
                let cell_size = ctx.sizes.within(ends[0].min(ends[1]), ends[0].max(ends[1]));
                cell.level() < bundle.deepest && cell.width() * distance > allowed * cell_size
            });
            if is_too_wide {
                is_split[index] = true;
                again.extend(leaf.directions.quarters().map(|directions| Tube {
                    directions,
                    uncertain: leaf.uncertain,
                    path_gain: leaf.path_gain,
                    wave: None,
                }));
            } else {
                for (_, edge, distance) in of_leaf {
                    follow(ctx, image, leaf, *edge, *distance);
                }
            }
        }
        if again.is_empty() && settled.is_empty() {
            return leaves;
        }
        let kept = leaves.iter().zip(&is_split).filter(|(_, is)| !**is);
        settled.extend(kept.map(|(leaf, _)| *leaf));
        if again.is_empty() {
            return settled;
        }
        let narrower = Bundle {
            tubes: again,
            ..bundle.without_tubes()
        };
        // Points in the new leaves lay in the leaves that were split.
        let again = found.into_iter().filter(|point| is_split[point.leaf]);
        points = again.map(|point| point.of).collect();
        leaves = split(ctx, &narrower, rays);
    }
}

/// Makes a leaf follow those faces at an edge that its image illuminates.
fn follow(ctx: &Context<'_>, image: &TxImage, leaf: &mut Leaf, id: EdgeId, distance: f64) {
    let edge = &ctx.scene.edges()[id.index()];
    #[expect(clippy::cast_possible_truncation, reason = "metres")]
    let (reach, farthest) = (distance as f32, farthest_end(ctx, image, leaf) as f32);
    leaf.make_uncertain(farthest);
    for face in illuminated(edge, image) {
        let wall = Wall::of(ctx.scene, face);
        let is_same =
            |known: Option<FaceId>| known.map(|face| Wall::of(ctx.scene, face)) == Some(wall);
        leaf.add_or_extend(Some(face), reach, is_same);
    }
}

/// The faces at an edge that are illuminated from an image.
fn illuminated(edge: &Edge, image: &TxImage) -> impl Iterator<Item = FaceId> {
    let to = image.position - edge.ends[0];
    let illuminated = [
        to.dot(edge.outward) > 0.0,
        to.dot(edge.second_outward) > 0.0,
    ];
    let is_sheet = edge.faces[1].is_none();
    let illuminated = edge.faces.into_iter().zip(illuminated);
    illuminated
        .filter_map(move |(face, is_illuminated)| face.filter(|_| is_illuminated || is_sheet))
}

/// The length of the longest border ray of a leaf to the plane that its centre ray meets, metres.
fn farthest_end(ctx: &Context<'_>, image: &TxImage, leaf: &Leaf) -> f64 {
    let end = leaf.ray_ends()[0];
    let Some(face) = end.face else {
        return f64::from(end.reach);
    };
    let plane = ctx.scene.plane(ctx.scene.plane_of(face));
    let cell = leaf.directions.cell;
    let outline = leaf.directions.outline();
    let ends = outline.points().iter().map(|at| {
        let line = image.line(cell.direction(*at));
        line.meets(plane) * line.direction.length()
    });
    let ends = ends.filter(|end| end.is_finite());
    ends.fold(f64::from(end.reach), f64::max)
}

/// The points of small faces that may lie in some leaves.
fn points_near(
    ctx: &Context<'_>,
    bundle: &Bundle,
    image: &TxImage,
    leaves: &[Leaf],
) -> Vec<(DVec3, EdgeId)> {
    let Some(cone) = Cone::around(image, leaves) else {
        return Vec::new();
    };
    let start = bundle.start.map(|plane| ctx.scene.plane(plane));
    let side = start.map_or(0.0, |plane| -plane.distance(image.position).signum());
    let ahead = |at: DVec3| start.map_or(f64::INFINITY, |plane| side * plane.distance(at));
    let reaches = leaves.iter().map(|leaf| leaf.path_gain.reach(ctx.min_gain));
    let reach = reaches.fold(0.0, f64::max);
    let is_near = |centre: DVec3, radius: f64| {
        let to = centre - image.position;
        cone.touches(to, radius) && ahead(centre) >= -radius && to.length() - radius <= reach
    };
    let near = ctx.small_faces.points_near(is_near);
    near.filter(|(at, _)| ahead(*at) > 0.0 && is_near(*at, 0.0))
        .copied()
        .collect()
}

/// A point of a small face, and the leaf that it lies in.
struct LocatedSmall {
    leaf: usize,
    of: (DVec3, EdgeId),
}

/// The given points that lie in leaves.
fn located(image: &TxImage, leaves: &[Leaf], points: &[(DVec3, EdgeId)]) -> Vec<LocatedSmall> {
    if points.is_empty() {
        return Vec::new();
    }
    let mut by_cell: FxHashMap<(u32, u64), SmallVec<[u32; 2]>> = FxHashMap::default();
    let mut levels = 0_u32;
    for (index, leaf) in (0..).zip(leaves) {
        let cell = leaf.directions.cell;
        levels |= 1 << cell.level();
        let same = by_cell.entry((cell.level(), cell.place())).or_default();
        same.push(index);
    }
    let levels: SmallVec<[u32; 8]> = (0..u32::BITS).filter(|k| levels >> k & 1 == 1).collect();
    let locate = |of: &(DVec3, EdgeId)| {
        let on = cube_point(image.turn.transpose() * (of.0 - image.position));
        let cells = levels.iter();
        let leaf = cells.filter_map(|&level| by_cell.get(&(level, on.cell(level).place())));
        let mut leaf = leaf.flatten().map(|leaf| *leaf as usize);
        let leaf = leaf.find(|&leaf| leaves[leaf].directions.contains(on))?;
        Some(LocatedSmall { leaf, of: *of })
    };
    points.iter().filter_map(locate).collect()
}

/// The small faces that leaves overlook, leaf by leaf: the number of the leaf, an edge of the face, and the distance of
/// a visible point of this edge from the image, metres.
fn overlooked(
    ctx: &Context<'_>,
    bundle: &Bundle,
    image: &TxImage,
    leaves: &[Leaf],
    located: &[LocatedSmall],
) -> Vec<(usize, EdgeId, f64)> {
    let may_overlook = |point: &&LocatedSmall| {
        let (at, edge) = point.of;
        may_overlook(ctx, image, &leaves[point.leaf], at, edge)
    };
    let found: Vec<&LocatedSmall> = located.iter().filter(may_overlook).collect();
    let start = bundle.start.map(|plane| ctx.scene.plane(plane));
    let origin = ctx.scene.origin();
    let rays: Vec<Ray> = found
        .iter()
        .map(|point| {
            let (at, edge) = point.of;
            let to = start.map_or(image.position, |plane| plane.between(at, image.position));
            let ray = Ray::between((at - origin).as_vec3(), (to - origin).as_vec3());
            Ray {
                t_max: BEFORE_END,
                ..ray.skipping(groups_at(ctx.scene, edge))
            }
        })
        .collect();
    let mut hits = vec![None; rays.len()];
    ctx.scene.index().closest_hits(&rays, &mut hits);
    let seen = found.into_iter().zip(hits);
    let seen = seen.filter(|(_, hit)| segment_rays::ends_at(ctx.scene, bundle.start, *hit));
    let mut seen: Vec<_> = seen
        .map(|(point, _)| {
            let (at, edge) = point.of;
            (point.leaf, edge, at.distance(image.position))
        })
        .collect();
    seen.sort_by_key(|(leaf, edge, _)| (*leaf, *edge));
    seen
}

/// Whether a leaf meets none of the faces at a point of an edge, which lies in front of the faces that it meets.
fn may_overlook(ctx: &Context<'_>, image: &TxImage, leaf: &Leaf, at: DVec3, id: EdgeId) -> bool {
    let edge = &ctx.scene.edges()[id.index()];
    let to = at - image.position;
    let end = leaf.ray_ends()[0].face.filter(|_| leaf.is_clear);
    let is_hidden = end.is_some_and(|face| {
        let plane = ctx.scene.plane(ctx.scene.plane_of(face));
        plane.distance(at) * plane.normal.dot(to) > 0.0
    });
    if is_hidden || leaf.path_gain.at(to.length()) < ctx.min_gain {
        return false;
    }
    let plane = |face: FaceId| ctx.scene.plane_of(face);
    let is_met = |face: FaceId| {
        let ends = leaf.ray_ends().iter().filter_map(|end| end.face);
        ends.into_iter().any(|met| plane(met) == plane(face))
    };
    let mut faces = illuminated(edge, image).peekable();
    faces.peek().is_some() && !edge.faces.into_iter().flatten().any(is_met)
}

impl Cone {
    /// One that encloses some leaves; none if there are none.
    fn around(image: &TxImage, leaves: &[Leaf]) -> Option<Self> {
        let direction = |leaf: &Leaf| leaf.directions.cell.corners()[0].direction().normalize();
        let sum: DVec3 = leaves.iter().map(direction).sum();
        let axis = sum.try_normalize().unwrap_or(DVec3::Z);
        // The sum is an upper bound by the triangle inequality.
        let chords = leaves.iter().map(|leaf| {
            direction(leaf).distance(axis) + FRAC_1_SQRT_2 * leaf.directions.cell.width()
        });
        let chord = chords.reduce(f64::max)?.min(2.0);
        let cos = 1.0 - 0.5 * chord * chord;
        Some(Self {
            axis: image.turn * axis,
            cos,
            sin: (1.0 - cos * cos).max(0.0).sqrt(),
        })
    }

    /// Whether a sphere touches it whose centre lies in this direction, metres from its apex.
    fn touches(&self, to: DVec3, radius: f64) -> bool {
        let along = to.dot(self.axis);
        let aside = (to - along * self.axis).length();
        self.cos <= 0.0 || aside * self.cos - along * self.sin <= radius
    }
}
