//! The parts of edges that the tubes of a bundle see, where waves may be diffracted.
//!
//! From the Tx itself, all edges within reach are tested, in parts about as long as a cell of the region. An edge that
//! is visible from an image of the Tx ends a visible face. So it lies on the boundary along which a tube was cut, or
//! within a tube whose rays disagree. Each such tube has a part of the edge. Parts that overlap are joined, so that
//! none counts twice. The stretches just next to them, which tubes may have missed, are added as uncertain. The parts
//! that the tubes of another edge see are found in `behind_edge`.
//!
//! Cost: five rays for each part. May miss: parts of edges between five rays that are all blocked.

mod behind_edge;

use super::interaction_budget;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::direction_cells::{DirectionCell, clip_above};
use crate::coverage::tubes::tube::edge_image::{EdgeImage, EdgeLight, oriented};
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::tube::segment_rays::{self, BEFORE_END, groups_at};
use crate::coverage::tubes::tube::tx_image::TxImage;
use crate::coverage::tubes::tube::uncertain_segments::UncertainSegments;
use crate::geometry::bvh::Ray;
use crate::geometry::tolerance::{IN_PLANE_DISTANCE, ON_FACE_DISTANCE};
use crate::scene::EdgeId;

use glam::DVec3;

/// A source this close to the line of an edge does not see the edge, metres.
const ON_LINE: f64 = 1e-3;

/// A part of an edge that tubes see.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct EdgePart {
    pub(in crate::coverage::tubes) edge: EdgeId,
    /// The number of the edge's stretch in which it lies.
    pub(super) span: u32,
    /// Start and end along the stretch, metres.
    pub(in crate::coverage::tubes) range: [f64; 2],
    pub(in crate::coverage::tubes) uncertain: UncertainSegments,
    /// The length on both sides that tubes may have missed, metres.
    slack: f64,
}

/// The parts of edges to which leaves of a bundle may come, in no order; none if it may not be diffracted. All edges
/// count as visible from the Tx itself: [`parts_from_tx`] has these at once for all its leaves.
pub(in crate::coverage::tubes) fn parts_in_leaves(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaves: &[Leaf],
) -> Vec<EdgePart> {
    if is_from_tx(ctx, bundle) || !interaction_budget::may_diffract(ctx.limits, bundle) {
        return Vec::new();
    }
    match &bundle.source.light() {
        EdgeLight::Tx(image) => parts_at_borders(ctx, bundle, image, leaves),
        EdgeLight::Edge(before) => behind_edge::parts(ctx, bundle, before, leaves),
    }
}

/// Whether all edges count as visible from a bundle.
fn is_from_tx(ctx: &Context<'_>, bundle: &Bundle) -> bool {
    bundle.interactions.is_empty() && !ctx.ladder.follows_centre_ray()
}

/// The parts, of some parts of edges, that the tubes of a bundle see, joined where they overlap, sorted by edge.
pub(in crate::coverage::tubes) fn visible_parts(
    ctx: &Context<'_>,
    bundle: &Bundle,
    mut parts: Vec<EdgePart>,
) -> Vec<EdgePart> {
    parts.sort_by(|a, b| {
        let by_place = a.range[0].total_cmp(&b.range[0]);
        (a.edge, a.span).cmp(&(b.edge, b.span)).then(by_place)
    });
    retain_visible(ctx, bundle, &bundle.source.light(), &mut parts);
    joined(ctx, bundle.interactions.len(), &parts)
}

/// Whether the stretch of an edge in which a part lies is seen in directions inside a cell alone, and not on its border.
pub(in crate::coverage::tubes) fn is_inside(
    ctx: &Context<'_>,
    image: &TxImage,
    part: &EdgePart,
    cell: DirectionCell,
) -> bool {
    let [first, last] = oriented(&ctx.scene.edges()[part.edge.index()]);
    let along = (last - first).normalize();
    let ends = ctx.edge_spans.of(part.edge)[part.span as usize];
    let back = image.turn.transpose();
    let direction = |s: f64| back * (first + s * along - image.position);
    ends.iter().all(|s| cell.has_inside(direction(*s)))
}

/// Parts of the edges of those faces that tubes with a boundary meet.
fn parts_at_borders(
    ctx: &Context<'_>,
    bundle: &Bundle,
    image: &TxImage,
    leaves: &[Leaf],
) -> Vec<EdgePart> {
    let mut parts = Vec::new();
    let mut edges = Vec::new();
    let has_border = |leaf: &&Leaf| !leaf.is_clear || !leaf.directions.is_whole();
    for leaf in leaves.iter().filter(has_border) {
        edges.clear();
        let faces = leaf.ray_ends().iter().filter_map(|end| end.face);
        edges.extend(faces.flat_map(|face| ctx.face_edges.of(face.index())));
        edges.sort_unstable();
        edges.dedup();
        let own = edges
            .iter()
            .flat_map(|&edge| stretches_seen(ctx, edge, image))
            .filter_map(|(span, seen)| part_in_leaf(ctx, bundle, image, leaf, span, &seen));
        parts.extend(own);
    }
    parts
}

/// All edges within `reach` of the Tx, metres, in parts about as long as a cell: tubes from the Tx are too wide to find
/// every small edge. The list is empty if its bundle may not be diffracted.
pub(in crate::coverage::tubes) fn parts_from_tx(
    ctx: &Context<'_>,
    bundle: &Bundle,
    reach: f64,
) -> Vec<EdgePart> {
    let EdgeLight::Tx(image) = &bundle.source.light() else {
        return Vec::new();
    };
    if !is_from_tx(ctx, bundle) || !interaction_budget::may_diffract(ctx.limits, bundle) {
        return Vec::new();
    }
    let parts = |(span, seen): (u32, EdgeImage)| {
        let ends = ctx.scene.edges()[seen.edge.index()].ends;
        let cell_size = ctx.sizes.within(ends[0].min(ends[1]), ends[0].max(ends[1]));
        let num = (seen.length() / cell_size).ceil().max(1.0);
        let step = seen.length() / num;
        let ranges = (0_u32..)
            .map(f64::from)
            .take_while(move |k| *k < num)
            .map(move |k| [k * step, (k + 1.0) * step]);
        ranges.filter_map(move |range| {
            let centre = usable_centre(ctx, image, &seen, range)?;
            (image.position.distance(centre) < reach).then_some(EdgePart {
                edge: seen.edge,
                span,
                range,
                uncertain: UncertainSegments::default(),
                slack: 0.0,
            })
        })
    };
    let all = (0..ctx.scene.edges().len()).map(EdgeId::from_index);
    let all = all.flat_map(|id| stretches_seen(ctx, id, image));
    all.flat_map(parts).collect()
}

/// The numbered stretches of an edge as an image of the Tx sees them; none if the edge cannot diffract waves from
/// there, as in the concave corner of a house.
fn stretches_seen(
    ctx: &Context<'_>,
    id: EdgeId,
    image: &TxImage,
) -> impl Iterator<Item = (u32, EdgeImage)> {
    let edge = &ctx.scene.edges()[id.index()];
    let can_diffract = (edge.is_wedge() || ctx.limits.free_edges)
        && edge.is_open_towards(image.position - edge.ends[0], ON_FACE_DISTANCE);
    let spans = if can_diffract {
        ctx.edge_spans.of(id)
    } else {
        &[]
    };
    let spans = (0..).zip(spans);
    let light = EdgeLight::Tx(*image);
    spans.map(move |(span, &range)| (span, EdgeImage::new(id, edge, range, &light)))
}

/// The centre of a part of an edge, if waves from the image may be diffracted there.
fn usable_centre(
    ctx: &Context<'_>,
    image: &TxImage,
    seen: &EdgeImage,
    range: [f64; 2],
) -> Option<DVec3> {
    let edge = &ctx.scene.edges()[seen.edge.index()];
    let centre = seen.start() + 0.5 * (range[0] + range[1]) * seen.along();
    let is_usable = (edge.is_wedge() || ctx.limits.free_edges)
        && !is_on_line(image.position - centre, seen.along())
        && edge.is_open_towards(image.position - centre, 0.0);
    is_usable.then_some(centre)
}

/// Whether a source in this direction lies on the line along a unit vector.
fn is_on_line(to: DVec3, along: DVec3) -> bool {
    to.cross(along).length() <= ON_LINE
}

/// The part of a stretch that lies within a leaf, if a wave strong enough may come there.
fn part_in_leaf(
    ctx: &Context<'_>,
    bundle: &Bundle,
    image: &TxImage,
    leaf: &Leaf,
    span: u32,
    seen: &EdgeImage,
) -> Option<EdgePart> {
    let from = image.position;
    let start = seen.start();
    let back = image.turn.transpose();
    // An edge may pierce the wall that the tube leaves, as that of a house pierces the ground.
    let behind_wall = match bundle.start {
        None => [0.0, seen.length()],
        Some(plane) => {
            let plane = ctx.scene.plane(plane);
            let side = -plane.distance(from).signum();
            let above = side * plane.distance(start) - IN_PLANE_DISTANCE;
            let slope = side * plane.normal.dot(seen.along());
            clip_above(above, slope, [0.0, seen.length()])?
        }
    };
    let range = leaf
        .directions
        .clip(back * (start - from), back * seen.along(), behind_wall)?;
    let centre = usable_centre(ctx, image, seen, range)?;
    let is_usable = leaf.path_gain.at(from.distance(centre)) >= ctx.min_gain;
    is_usable.then_some(EdgePart {
        edge: seen.edge,
        span,
        range,
        uncertain: leaf.uncertain,
        slack: bundle
            .source
            .width(leaf.directions.cell, from.distance(centre)),
    })
}

/// Keeps the parts that are visible from the wall that the bundle leaves: five rays are traced to each, and where only
/// some of them are free the part is uncertain.
fn retain_visible(
    ctx: &Context<'_>,
    bundle: &Bundle,
    light: &EdgeLight,
    parts: &mut Vec<EdgePart>,
) {
    /// The points of a part to which rays are traced, as shares of its length.
    const AT: [f64; 5] = [0.02, 0.26, 0.5, 0.74, 0.98];
    let origin = ctx.scene.origin();
    let start = bundle.start.map(|plane| ctx.scene.plane(plane));
    let ray = |part: &EdgePart, share: f64| {
        let edge = &ctx.scene.edges()[part.edge.index()];
        let [first, last] = oriented(edge);
        let [low, _] = ctx.edge_spans.of(part.edge)[part.span as usize];
        let s = low + part.range[0] + share * (part.range[1] - part.range[0]);
        let at = first + s * (last - first).normalize();
        let from = light.origin(at);
        let to = start.map_or(from, |plane| plane.between(at, from));
        let ray = Ray::between((at - origin).as_vec3(), (to - origin).as_vec3());
        Ray {
            t_max: BEFORE_END,
            ..ray.skipping(groups_at(ctx.scene, part.edge))
        }
    };
    let rays: Vec<Ray> = parts
        .iter()
        .flat_map(|part| AT.map(|share| ray(part, share)))
        .collect();
    let mut free = vec![false; rays.len()];
    if bundle.start.is_none() {
        ctx.scene.index().are_free(&rays, &mut free);
    } else {
        let mut hits = vec![None; rays.len()];
        ctx.scene.index().closest_hits(&rays, &mut hits);
        for (free, hit) in free.iter_mut().zip(hits) {
            *free = segment_rays::ends_at(ctx.scene, bundle.start, hit);
        }
    }
    let mut free = free.chunks_exact(AT.len());
    parts.retain_mut(|part| {
        let free = free.next().unwrap_or_default();
        if !free.iter().all(|is_free| *is_free) {
            part.uncertain = part.uncertain.with(bundle.interactions.len());
        }
        free.contains(&true)
    });
}

/// Joins parts that overlap, and adds the stretches just next to them as uncertain.
fn joined(ctx: &Context<'_>, segment: usize, parts: &[EdgePart]) -> Vec<EdgePart> {
    let mut joined: Vec<EdgePart> = Vec::new();
    for parts in parts.chunk_by(EdgePart::shares_edge) {
        let [from, to] = ctx.edge_spans.of(parts[0].edge)[parts[0].span as usize];
        let length = to - from;
        let mut end = 0.0;
        for part in parts {
            let last = joined.last_mut().filter(|last| last.shares_edge(part));
            if let Some(last) = last.filter(|last| part.range[0] <= last.range[1]) {
                last.range[1] = last.range[1].max(part.range[1]);
                last.uncertain = last.uncertain.union(part.uncertain);
                last.slack = last.slack.max(part.slack);
                end = last.range[1];
                continue;
            }
            let before = joined.last().filter(|last| last.shares_edge(part));
            let neighbour = before
                .map(|last| last.neighbour([end, (end + last.slack).min(part.range[0])], segment));
            joined.extend(neighbour);
            end = neighbour.map_or(0.0, |neighbour| neighbour.range[1]);
            joined.push(part.neighbour(
                [(part.range[0] - part.slack).max(end), part.range[0]],
                segment,
            ));
            joined.push(*part);
            end = part.range[1];
        }
        let last = joined[joined.len() - 1];
        joined.push(last.neighbour([end, (end + last.slack).min(length)], segment));
    }
    joined.retain(|part| part.range[1] > part.range[0]);
    joined
}

impl EdgePart {
    /// Whether both lie in the same stretch of the same edge.
    pub(in crate::coverage::tubes) fn shares_edge(&self, other: &Self) -> bool {
        (self.edge, self.span) == (other.edge, other.span)
    }

    /// A part next to it that is uncertain on all segments of the path up to the edge.
    fn neighbour(&self, range: [f64; 2], segment: usize) -> Self {
        Self {
            range,
            uncertain: (0..=segment).fold(self.uncertain, UncertainSegments::with),
            ..*self
        }
    }
}
