//! The edges that a bundle comes to, and the tubes that leave them.
//!
//! From the transmitter itself all edges are looked at. An edge that is seen from an image ends a face that is seen, so it lies on a border of cut pieces, or in tubes whose rays do not
//! agree. Each such tube has a part of it; parts that overlap are joined, so that none counts twice.

use super::bundle::{Bundle, Tube, TubeInteraction, groups_at};
use super::direction_cells::{DirectionCell, clip_above};
use super::ladder::Splitting;
use super::propagation::Tracer;
use super::split::Leaf;
use super::verification::UncertainSegments;
use super::virtual_source::{EdgeImage, TxImage, VirtualSource};
use crate::geometry::bvh::{Hit, Ray};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::scene::{EdgeId, PlaneId};

use glam::DVec3;

/// A source so near to the line of an edge does not see it, metres.
const ON_LINE: f64 = 1e-3;

/// An edge so near to the wall that a tube leaves ends there, metres.
const ON_WALL: f64 = 1e-4;

/// A ray to an edge ends so far before what it comes from, in parts of its length.
const ALMOST: f32 = 1.0 - 1e-5;

/// The level of the cells that say how far an edge shines, and the least that tubes start with.
const PROBES: u32 = 3;
const MIN_LEVEL: u32 = 3;

/// What a tube sees of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgePart {
    pub(super) edge: EdgeId,
    /// Which of the edge's stretches it lies in.
    span: u32,
    /// From where to where along that, metres.
    range: [f64; 2],
    uncertain: UncertainSegments,
    /// So much beside it tubes may have overlooked, metres.
    slack: f64,
}

impl Tracer<'_> {
    /// Whether it may still be diffracted.
    pub(super) fn may_bend(&self, bundle: &Bundle) -> bool {
        let bends = bundle.reflections + 1;
        let most = self.limits.reflections_beside_diffraction();
        bundle.diffractions == 0
            && most.is_some_and(|most| bundle.reflections <= most)
            && bundle.transmissions <= self.limits.transmissions_beside(bends)
    }

    /// What the tubes of a bundle see of edges, edge by edge, where waves may still be diffracted.
    pub(super) fn edge_parts(&self, bundle: &Bundle, leaves: &[Leaf]) -> Vec<EdgePart> {
        let (true, VirtualSource::Point(image)) = (self.may_bend(bundle), &bundle.source) else {
            return Vec::new();
        };
        let is_direct =
            bundle.interactions.is_empty() && self.ladder.splitting == Splitting::Adaptive;
        let mut parts = if is_direct {
            self.parts_of_all(image, leaves)
        } else {
            self.parts_at_borders(bundle, image, leaves)
        };
        parts.sort_by(|a, b| {
            let by_place = a.range[0].total_cmp(&b.range[0]);
            (a.edge, a.span).cmp(&(b.edge, b.span)).then(by_place)
        });
        self.keep_seen(bundle, image, &mut parts);
        self.joined(bundle.interactions.len(), &parts)
    }

    /// What tubes see of edges of the faces on whose borders they lie.
    fn parts_at_borders(&self, bundle: &Bundle, image: &TxImage, leaves: &[Leaf]) -> Vec<EdgePart> {
        let mut parts = Vec::new();
        let mut edges = Vec::new();
        let has_border = |leaf: &&Leaf| !leaf.is_clear || !leaf.directions.is_whole();
        for leaf in leaves.iter().filter(has_border) {
            edges.clear();
            let faces = leaf.ray_ends().iter().filter_map(|end| end.face);
            edges.extend(faces.flat_map(|face| self.edges_of_faces.of(face)));
            edges.sort_unstable();
            edges.dedup();
            let own = edges
                .iter()
                .flat_map(|&edge| self.seen_from(edge, image))
                .filter_map(|(span, seen)| self.part(bundle, image, leaf, span, &seen));
            parts.extend(own);
        }
        parts
    }

    /// All edges within reach of the transmitter, cut in parts about as long as a cell: tubes are too wide to see all small ones.
    fn parts_of_all(&self, image: &TxImage, leaves: &[Leaf]) -> Vec<EdgePart> {
        let reaches = leaves
            .iter()
            .map(|leaf| leaf.path_gain.reach(self.min_gain));
        let reach = reaches.fold(0.0, f64::max);
        let parts = |(span, seen): (u32, EdgeImage)| {
            let num = (seen.length() / self.size).ceil().max(1.0);
            let step = seen.length() / num;
            let ranges = (0_u32..)
                .map(f64::from)
                .take_while(move |k| *k < num)
                .map(move |k| [k * step, (k + 1.0) * step]);
            ranges.filter_map(move |range| {
                let centre = self.usable_centre(image, &seen, range)?;
                (image.position.distance(centre) < reach).then_some(EdgePart {
                    edge: seen.edge,
                    span,
                    range,
                    uncertain: UncertainSegments::default(),
                    slack: 0.0,
                })
            })
        };
        let all = (0..self.scene.edges().len()).map(EdgeId::from_index);
        let all = all.flat_map(|id| self.seen_from(id, image));
        all.flat_map(parts).collect()
    }

    /// The stretches of an edge as an image sees them; none of one that no wave from there is diffracted at, as at the concave corners
    /// of houses.
    fn seen_from(&self, id: EdgeId, image: &TxImage) -> impl Iterator<Item = (u32, EdgeImage)> {
        let edge = &self.scene.edges()[id.index()];
        let may_bend = (edge.is_wedge() || self.limits.free_edges)
            && edge.is_open_towards(image.position - edge.ends[0], ON_FACE_DISTANCE);
        let spans = if may_bend { self.spans.of(id) } else { &[] };
        let spans = (0..).zip(spans);
        let image = *image;
        spans.map(move |(span, &range)| (span, EdgeImage::new(id, edge, range, image)))
    }

    /// The centre of a part of an edge, if waves from the image may be diffracted there.
    fn usable_centre(&self, image: &TxImage, seen: &EdgeImage, range: [f64; 2]) -> Option<DVec3> {
        let edge = &self.scene.edges()[seen.edge.index()];
        let centre = seen.start() + 0.5 * (range[0] + range[1]) * seen.along();
        let is_usable = (edge.is_wedge() || self.limits.free_edges)
            && seen.away() > ON_LINE
            && edge.is_open_towards(image.position - centre, 0.0);
        is_usable.then_some(centre)
    }

    /// Parts that do not overlap, with what lies beside them as doubtful ones.
    fn joined(&self, segment: usize, parts: &[EdgePart]) -> Vec<EdgePart> {
        let mut joined: Vec<EdgePart> = Vec::new();
        for parts in parts.chunk_by(EdgePart::shares_edge) {
            let [from, to] = self.spans.of(parts[0].edge)[parts[0].span as usize];
            let length = to - from;
            let mut end = 0.0;
            for part in parts {
                let last = joined.last_mut().filter(|last| last.shares_edge(part));
                if let Some(last) = last.filter(|last| part.range[0] <= last.range[1]) {
                    last.range[1] = last.range[1].max(part.range[1]);
                    last.uncertain = last.uncertain.both(part.uncertain);
                    last.slack = last.slack.max(part.slack);
                    end = last.range[1];
                    continue;
                }
                let before = joined.last().filter(|last| last.shares_edge(part));
                let beside = before
                    .map(|last| last.beside([end, (end + last.slack).min(part.range[0])], segment));
                joined.extend(beside);
                end = beside.map_or(0.0, |beside| beside.range[1]);
                joined.push(part.beside(
                    [(part.range[0] - part.slack).max(end), part.range[0]],
                    segment,
                ));
                joined.push(*part);
                end = part.range[1];
            }
            let last = joined[joined.len() - 1];
            joined.push(last.beside([end, (end + last.slack).min(length)], segment));
        }
        joined.retain(|part| part.range[1] > part.range[0]);
        joined
    }

    /// What lies of an edge in a tube, if the tube may come to it.
    fn part(
        &self,
        bundle: &Bundle,
        image: &TxImage,
        leaf: &Leaf,
        span: u32,
        seen: &EdgeImage,
    ) -> Option<EdgePart> {
        let from = image.position;
        let start = seen.start();
        let back = image.turn.transpose();
        // An edge may pierce the wall that the tube leaves, as one of a terrain does below a house.
        let behind_wall = match bundle.start {
            None => [0.0, seen.length()],
            Some(plane) => {
                let plane = self.scene.plane(plane);
                let side = -plane.distance(from).signum();
                let above = side * plane.distance(start) - ON_WALL;
                let slope = side * plane.normal.dot(seen.along());
                clip_above(above, slope, [0.0, seen.length()])?
            }
        };
        let range =
            leaf.directions
                .clip(back * (start - from), back * seen.along(), behind_wall)?;
        let centre = self.usable_centre(image, seen, range)?;
        let is_usable = leaf.path_gain.at(from.distance(centre)) >= self.min_gain;
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

    /// Keeps the parts that are seen from the wall that the bundle leaves: doubtful where only some of the points looked at are.
    fn keep_seen(&self, bundle: &Bundle, image: &TxImage, parts: &mut Vec<EdgePart>) {
        /// Where a part is looked at, in parts of it.
        const AT: [f64; 5] = [0.02, 0.26, 0.5, 0.74, 0.98];
        let origin = self.scene.origin();
        let start = bundle.start.map(|plane| self.scene.plane(plane));
        let ray = |part: &EdgePart, share: f64| {
            let edge = &self.scene.edges()[part.edge.index()];
            let span = self.spans.of(part.edge)[part.span as usize];
            let seen = EdgeImage::new(part.edge, edge, span, *image);
            let at = seen.start()
                + (part.range[0] + share * (part.range[1] - part.range[0])) * seen.along();
            let to = start.map_or(image.position, |plane| plane.between(at, image.position));
            let ray = Ray::between((at - origin).as_vec3(), (to - origin).as_vec3());
            Ray {
                t_max: ALMOST,
                ..ray.skipping(groups_at(self.scene, part.edge))
            }
        };
        let rays: Vec<Ray> = parts
            .iter()
            .flat_map(|part| AT.map(|share| ray(part, share)))
            .collect();
        let mut free = vec![false; rays.len()];
        if bundle.start.is_none() {
            self.scene.index().are_free(&rays, &mut free);
        } else {
            let mut hits = vec![None; rays.len()];
            self.scene.index().closest_hits(&rays, &mut hits);
            for (free, hit) in free.iter_mut().zip(hits) {
                *free = self.ends_at(bundle.start, hit);
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

    /// Whether a ray from an edge back to a plane meets nothing before: the plane itself, which rounding may put before the ray's end,
    /// is nothing.
    pub(super) fn ends_at(&self, plane: Option<PlaneId>, hit: Option<Hit>) -> bool {
        hit.is_none_or(|hit| {
            let face = self.scene.triangle_faces()[hit.triangle as usize];
            plane == Some(self.scene.plane_of(face))
        })
    }

    /// The tubes that leave an edge, of which these parts are seen.
    pub(super) fn bent(&self, bundle: &Bundle, parts: &[EdgePart]) -> Option<Bundle> {
        let VirtualSource::Point(image) = bundle.source else {
            return None;
        };
        let EdgePart { edge: id, span, .. } = *parts.first()?;
        let span = self.spans.of(id)[span as usize];
        let source = EdgeImage::new(id, &self.scene.edges()[id.index()], span, image);
        let mut interactions = bundle.interactions.clone();
        interactions.push(TubeInteraction::Edge(id));
        let mut bent = Bundle {
            source: VirtualSource::Edge(source),
            start: None,
            diffractions: 1,
            interactions,
            tubes: Vec::new(),
            ..*bundle
        };
        let [low, high] = self.grid.bounds();
        let range = [0.0, low.distance(high)];
        // As far as the strongest of it counts.
        let probes = DirectionCell::all_of_first(PROBES).map(|cell| {
            let (_, path_gain) = self.wave(&bent, &cell.into(), range);
            path_gain.reach(self.min_gain)
        });
        let reach = probes.fold(0.0, f64::max).min(range[1]);
        let (source, times) = source.stretched(0.5 * reach);
        bent.source = VirtualSource::Edge(source);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "1 to 4"
        )]
        let along = (source.length() / self.size).log2().ceil().clamp(1.0, 4.0) as u32;
        let level = (along + times).max(MIN_LEVEL);
        let mut tubes = Vec::new();
        for cell in DirectionCell::all_of_first(level) {
            let Some(uncertain) = seen_of(&source, cell, parts, bundle.interactions.len()) else {
                continue;
            };
            let (_, path_gain) = self.wave(&bent, &cell.into(), range);
            if path_gain.reach(self.min_gain) > 0.25 * self.size {
                tubes.push(Tube {
                    directions: cell.into(),
                    uncertain,
                    path_gain,
                    wave: None,
                });
            }
        }
        bent.tubes = tubes;
        (!bent.tubes.is_empty()).then_some(bent)
    }
}

impl EdgePart {
    /// Whether both lie in the same stretch of the same edge.
    pub(super) fn shares_edge(&self, other: &Self) -> bool {
        (self.edge, self.span) == (other.edge, other.span)
    }

    /// What lies beside it, doubtful on all pieces of the path to the edge.
    fn beside(&self, range: [f64; 2], segment: usize) -> Self {
        Self {
            range,
            uncertain: (0..=segment).fold(self.uncertain, UncertainSegments::with),
            ..*self
        }
    }
}

/// What is doubtful of a cell of an edge; none if nothing of it is seen.
fn seen_of(
    source: &EdgeImage,
    cell: DirectionCell,
    parts: &[EdgePart],
    segment: usize,
) -> Option<UncertainSegments> {
    /// So much of a cell may go unseen, in parts of it.
    const NOTHING: f64 = 1e-6;
    let [_, low, _, high, _] = cell.corners().map(|corner| source.place(corner)[0]);
    let overlaps = parts.iter().filter_map(|part| {
        let length = part.range[1].min(high) - part.range[0].max(low);
        (length > 0.0).then_some((length, part.uncertain))
    });
    let (mut seen, mut uncertain) = (0.0, UncertainSegments::default());
    for (length, more) in overlaps {
        seen += length;
        uncertain = uncertain.both(more);
    }
    let whole = high - low;
    if seen <= NOTHING * whole {
        None
    } else if seen < (1.0 - NOTHING) * whole {
        Some(uncertain.with(segment))
    } else {
        Some(uncertain)
    }
}
