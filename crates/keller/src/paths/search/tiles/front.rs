//! Follows one chain after the other: from the tiles that its waves reach to all chains that are longer by one.

use glam::DVec3;
use rustc_hash::{FxHashMap, FxHashSet};

use super::TileSearch;
use super::beam::{BeamSource, Steps};
use super::gate::Gate;
use super::known::Known;
use super::lanes::Some16;
use super::left_out::LeftOut;
use super::marks::Marks;
use super::power::Way;
use super::receivers::Receivers;
use super::visible_tiles::blocks;
use crate::paths::{InteractionKind, Step};
use crate::scene::{EdgeId, PlaneId};
use crate::{Control, parallel};

/// Leaves some of the tiles to which a chain leads.
pub(in crate::paths) type Keep<'a> = dyn Fn(&[Step], &mut Vec<u32>) + Sync + 'a;

/// A chain, the source from which its wave seems to come, and the interactions that bound its power.
pub(super) type Wave<'a> = (&'a Steps, &'a BeamSource, Option<&'a Way>);

/// The part of a search that all fronts of a transmitter share.
pub(super) struct Spread<'a> {
    pub(super) search: &'a TileSearch,
    pub(super) tx: DVec3,
    /// The receivers to which chains lead; `None` for the tiles themselves.
    pub(super) receivers: Option<&'a Receivers>,
    /// Chains of one interaction and all tiles that they reach, as far as these are known. Longer chains begin with
    /// them.
    pub(super) single: FxHashMap<Step, &'a [u32]>,
    pub(super) known: &'a Known,
    /// Leaves those tiles to whose centres a chain may have a path.
    pub(super) keep: &'a Keep<'a>,
    /// The sums of what the threshold leaves out, if chains lead to tiles.
    pub(super) left_out: &'a LeftOut,
    pub(super) control: &'a Control<'a>,
}

/// The waves of one chain of interactions.
#[derive(Debug)]
pub(super) struct Front {
    steps: Steps,
    source: BeamSource,
    way: Way,
    /// The tiles that they reach with enough power to be reflected.
    tiles: Vec<IlluminatedTile>,
    /// All tiles that they reach, if edges at their borders may be next.
    bordering: Vec<u32>,
}

/// A tile that a wave reaches.
#[derive(Debug, Clone, Copy)]
pub(super) struct IlluminatedTile {
    pub(super) tile: u32,
    /// Upper bound of the wave's amplitude on the next tile, before that reflection takes its share; relative to free
    /// space at 1 m. Infinite without a threshold.
    pub(super) amplitude: f32,
}

/// A part of a tile, in one plane, that a wave reaches with at most this amplitude.
#[derive(Debug, Clone, Copy)]
struct IlluminatedPart {
    part: u32,
    amplitude: f32,
}

/// A front of at least this many tiles is shared among threads.
const WORTH_SHARING: usize = 32;

/// Buffers that are reused.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    reached: Vec<Some16>,
    pub(super) tiles: Marks,
    rx: Marks,
}

impl Spread<'_> {
    /// Follows the waves from a source that reach these tiles.
    pub(super) fn all(&self, source: BeamSource, tiles: Vec<u32>) {
        let amplitude = f32::INFINITY;
        let illuminated = tiles.iter().map(|tile| IlluminatedTile {
            tile: *tile,
            amplitude,
        });
        let front = Front {
            steps: Steps::NONE,
            source,
            way: Way::start(),
            tiles: illuminated.collect(),
            bordering: tiles,
        };
        self.follow(&front, &mut Scratch::default());
        self.follow_unseen(&front);
    }

    /// Follows the chains of one interaction whose plane or edge no tile of the first front has.
    fn follow_unseen(&self, front: &Front) {
        let search = self.search;
        let segments = &search.visible_tiles.segments;
        let mut seen: FxHashSet<Step> = FxHashSet::default();
        for IlluminatedTile { tile, .. } in &front.tiles {
            let planes = search.parts(*tile).map(|part| search.planes[part as usize]);
            seen.extend(planes.map(Step::Reflection));
            let of_tile = segments.of_tile(*tile as usize).iter();
            seen.extend(of_tile.map(|s| Step::Diffraction(segments.all()[*s as usize].edge)));
        }
        let unseen = self.single.keys().filter(|step| !seen.contains(step));
        let unseen: Vec<Step> = unseen.copied().collect();
        parallel::each_with(unseen.len(), Scratch::default, |scratch, n| {
            match unseen[n] {
                Step::Reflection(plane) => self.reflect(front, plane, &[], scratch),
                Step::Diffraction(edge) => {
                    let segments: Vec<u32> = segments.of_edge(edge).collect();
                    self.diffract(front, edge, &segments, scratch);
                }
                Step::Scattering(..) => {}
            }
        });
    }

    /// Follows every chain that is longer by one.
    fn follow(&self, front: &Front, scratch: &mut Scratch) {
        if self.control.is_cancelled() {
            return;
        }
        let reflections = self.reflections(front);
        let edges = self.edges(front);
        if front.tiles.len().max(front.bordering.len()) < WORTH_SHARING {
            for group in reflections {
                self.reflect(front, self.plane(&group), &group, scratch);
            }
            for segments in edges {
                self.diffract(front, self.edge(&segments), &segments, scratch);
            }
        } else {
            parallel::each_with(reflections.len(), Scratch::default, |scratch, n| {
                self.reflect(front, self.plane(&reflections[n]), &reflections[n], scratch);
            });
            parallel::each_with(edges.len(), Scratch::default, |scratch, n| {
                self.diffract(front, self.edge(&edges[n]), &edges[n], scratch);
            });
        }
    }

    /// The plane of parts of tiles that all lie in one.
    fn plane(&self, parts: &[IlluminatedPart]) -> PlaneId {
        self.search.planes[parts[0].part as usize]
    }

    /// The edge of segments that are all parts of one.
    fn edge(&self, segments: &[u32]) -> EdgeId {
        self.search.visible_tiles.segments.all()[segments[0] as usize].edge
    }

    /// The parts of a front's tiles that may reflect it, grouped by plane.
    fn reflections(&self, front: &Front) -> Vec<Vec<IlluminatedPart>> {
        if !self.may_reflect(&front.steps) {
            return Vec::new();
        }
        let plane = |illuminated: &IlluminatedPart| self.search.planes[illuminated.part as usize];
        let last = front.steps.last();
        let parts = front.tiles.iter().flat_map(|illuminated| {
            let amplitude = illuminated.amplitude;
            let parts = self.search.parts(illuminated.tile);
            parts.map(move |part| IlluminatedPart { part, amplitude })
        });
        let mut parts: Vec<IlluminatedPart> = parts.collect();
        parts.retain(|part| last != Some(Step::Reflection(plane(part))));
        parts.sort_by_key(plane);
        parts
            .chunk_by(|a, b| plane(a) == plane(b))
            .map(<[IlluminatedPart]>::to_vec)
            .collect()
    }

    /// The segments at the borders of a front's tiles, grouped by edge. Behind another edge each segment is its own
    /// group.
    fn edges(&self, front: &Front) -> Vec<Vec<u32>> {
        if !self.may_diffract(&front.steps) {
            return Vec::new();
        }
        let last = front.steps.last();
        let segments = &self.search.visible_tiles.segments;
        let edge = |segment: &u32| segments.all()[*segment as usize].edge;
        let of_tile = |tile: &u32| segments.of_tile(*tile as usize);
        let mut numbers: Vec<u32> = front.bordering.iter().flat_map(of_tile).copied().collect();
        if let Some(Step::Diffraction(edge)) = last {
            // A wave along the edge's own faces meets their other edges, although no tile there is visible.
            let faces = self.search.scene.edges()[edge.index()].faces;
            let own = faces.into_iter().flatten();
            let own = own.flat_map(|face| self.search.tiles.of_face(face));
            numbers.extend(own.flat_map(|tile| segments.of_tile(tile)));
        }
        numbers.retain(|segment| last != Some(Step::Diffraction(edge(segment))));
        numbers.sort_unstable();
        numbers.dedup();
        let is_known_well = matches!(front.source, BeamSource::Point(_));
        numbers
            .chunk_by(|a, b| is_known_well && edge(a) == edge(b))
            .map(<[u32]>::to_vec)
            .collect()
    }

    /// Follows the waves that parts of tiles in one plane reflect.
    fn reflect(
        &self,
        front: &Front,
        plane: PlaneId,
        parts: &[IlluminatedPart],
        scratch: &mut Scratch,
    ) {
        let search = self.search;
        let mirror = search.mirror(plane);
        let source = front.source.mirrored(&mirror);
        let steps = front.steps.with_mirror(plane);
        let wants_tiles = self.wants_tiles(&steps);
        for IlluminatedPart { part, amplitude } in parts {
            let tile = &search.part_tiles[*part as usize];
            if let Some(power) = &search.power {
                let ball = search.extents.of(search.places.place(*tile)).ball();
                let kept = power.share_of(plane, mirror.normal, &front.source, ball);
                if let Some(share) = power.too_weak(amplitude * kept) {
                    // Also the waves that would continue from this tile are not followed.
                    self.do_not_follow(*tile, share, 1 + self.num_more(&steps));
                    continue;
                }
            }
            let gate = Gate::Window(source, search.windows[*part as usize]);
            if let Some(receivers) = self.receivers {
                self.receive(&gate, receivers, receivers.of_tile(*tile), scratch);
            }
            if wants_tiles {
                search
                    .visible_tiles
                    .of_tile(*tile, &search.places, |row| self.reach(&gate, row, scratch));
            }
        }
        let way = search
            .power
            .as_ref()
            .map(|power| power.reflected(&front.way, plane, &mirror));
        self.go_on(steps, source, way, scratch);
    }

    /// Follows the waves that segments of one edge diffract.
    fn diffract(&self, front: &Front, id: EdgeId, segments: &[u32], scratch: &mut Scratch) {
        let search = self.search;
        let of = |number: &u32| search.visible_tiles.segments.all()[*number as usize];
        let steps = front.steps.with_edge(id);
        let wants_tiles = self.wants_tiles(&steps);
        let edge = &search.scene.edges()[id.index()];
        let mut source = front.source;
        let mut way = None;
        let mut is_weak = false;
        for number in segments {
            let segment = of(number);
            let Some((diffraction, ends)) = search.diffraction(&segment, &front.source) else {
                continue;
            };
            if let Some(power) = &search.power {
                let arriving = power.arriving(&front.way, &front.source, ends);
                if let Some(share) = power.too_weak_behind(arriving) {
                    for tile in segment.parents.into_iter().flatten() {
                        self.do_not_follow(tile, share, 1 + self.num_more(&steps));
                    }
                    is_weak = true;
                    continue;
                }
                let on = (ends, arriving);
                way = Some(
                    front
                        .way
                        .diffracted(&front.source, edge, &diffraction.edge, on),
                );
            }
            source = BeamSource::Edge(diffraction.edge);
            let gate = Gate::EdgeDiffraction(diffraction);
            if let Some(receivers) = self.receivers {
                self.receive(&gate, receivers, &receivers.of_segment(&segment), scratch);
            }
            if wants_tiles {
                search
                    .visible_tiles
                    .of_segment(*number, &search.places, |row| {
                        self.reach(&gate, row, scratch);
                    });
            }
        }
        if let BeamSource::Point(from) = source {
            if is_weak {
                return;
            }
            // No segment between tiles is illuminated, but some part of the edge may be.
            let diffracted = search.edge_source(id, from);
            way = search.power.as_ref().map(|_| {
                let ends = edge.ends.map(|end| search.local(end));
                let on = (ends, f32::INFINITY);
                front.way.diffracted(&front.source, edge, &diffracted, on)
            });
            source = BeamSource::Edge(diffracted);
        } else if is_weak && way.is_none() {
            return;
        }
        self.go_on(steps, source, way, scratch);
    }

    pub(super) fn may_reflect(&self, steps: &Steps) -> bool {
        let limits = &self.search.limits;
        limits
            .after(&steps.counts(), InteractionKind::Reflection)
            .is_some()
    }

    pub(super) fn may_diffract(&self, steps: &Steps) -> bool {
        let limits = &self.search.limits;
        limits
            .after(&steps.counts(), InteractionKind::Diffraction)
            .is_some()
    }

    /// Whether a chain may continue.
    pub(super) fn goes_on(&self, steps: &Steps) -> bool {
        self.may_reflect(steps) || self.search.has_edge_left(steps)
    }

    /// The number of further interactions that a chain may have.
    pub(super) fn num_more(&self, steps: &Steps) -> usize {
        self.search.limits.num_more(&steps.counts())
    }

    /// Notes that a wave on a tile is not followed, where chains lead to tiles.
    pub(super) fn do_not_follow(&self, tile: u32, share: f32, num_more: usize) {
        if self.receivers.is_none() {
            let area = self.search.tiles.all()[tile as usize].area;
            self.left_out.do_not_follow(share, area, num_more);
        }
    }

    /// Whether the tiles that a chain reaches are needed.
    fn wants_tiles(&self, steps: &Steps) -> bool {
        self.receivers.is_none() || self.goes_on(steps)
    }

    pub(super) fn reach(&self, gate: &Gate, row: &[Some16], scratch: &mut Scratch) {
        let search = self.search;
        gate.reached(
            &search.blocks,
            row,
            search.margin,
            search.dispatch,
            &mut scratch.reached,
        );
        scratch.tiles.add(&scratch.reached);
    }

    fn receive(&self, gate: &Gate, receivers: &Receivers, row: &[Some16], scratch: &mut Scratch) {
        let search = self.search;
        gate.reached(
            &receivers.blocks,
            row,
            search.margin,
            search.dispatch,
            &mut scratch.reached,
        );
        scratch.rx.add(&scratch.reached);
    }

    /// Notes the receivers or tiles that a chain reaches, and follows the chain.
    fn go_on(&self, steps: Steps, source: BeamSource, way: Option<Way>, scratch: &mut Scratch) {
        let tiles = scratch.tiles.take();
        if let Some(receivers) = self.receivers {
            let rx = scratch.rx.take();
            let wave = (&steps, &source, way.as_ref());
            let rx = self.strong(wave, &receivers.blocks, rx);
            self.known.add(steps, rx);
        } else if !self.search.is_mirrored(&steps) {
            let wave = (&steps, &source, way.as_ref());
            let wanted = self.wanted(wave, tiles.clone());
            self.known.add(steps, self.kept(&steps, wanted));
        }
        if self.search.is_seen_by_reflections(&steps) && self.receivers.is_none() {
            // Longer chains are those of `after_reflections`.
            return;
        }
        let tiles = self.with_single(&steps, tiles, scratch);
        let openings = self.openings_of_first(&steps);
        let in_part = self.illuminated_in_part(&openings, (&steps, &source, way.as_ref()), &tiles);
        self.continue_from(steps, source, way, (&tiles, in_part), scratch);
    }

    /// Follows a chain that reaches some tiles if it is not too weak. It illuminates others only in part.
    pub(super) fn continue_from(
        &self,
        steps: Steps,
        source: BeamSource,
        way: Option<Way>,
        (tiles, in_part): (&[Some16], Vec<IlluminatedTile>),
        scratch: &mut Scratch,
    ) {
        // Behind an edge lie its own faces, whose tiles are not visible from it.
        let is_edge = matches!(steps.last(), Some(Step::Diffraction(_)));
        if (tiles.is_empty() && !is_edge) || !self.goes_on(&steps) {
            return;
        }
        let bordering = if self.may_diffract(&steps) {
            self.search.places.tiles_at(tiles).collect()
        } else {
            Vec::new()
        };
        let mut illuminated = self.illuminated((&steps, &source, way.as_ref()), tiles);
        illuminated.extend(in_part);
        let front = Front {
            steps,
            source,
            tiles: illuminated,
            way: way.unwrap_or_else(Way::start),
            bordering,
        };
        self.follow(&front, scratch);
    }

    /// The tiles to whose centres a chain may have a path. All of them, if edges at their borders may still be added to
    /// the chain.
    pub(super) fn kept(&self, steps: &Steps, places: Vec<Some16>) -> Vec<Some16> {
        if self.search.has_edge_left(steps) || places.is_empty() {
            return places;
        }
        let of = &self.search.places;
        let mut tiles: Vec<u32> = of.tiles_at(&places).collect();
        (self.keep)(&steps.to_vec(), &mut tiles);
        blocks(of.of(tiles.into_iter()).into_iter()).into_vec()
    }

    /// The tiles that a chain reaches: those to which pairs of tiles lead, and all others if it has one interaction.
    fn with_single(&self, steps: &Steps, tiles: Vec<Some16>, scratch: &mut Scratch) -> Vec<Some16> {
        if steps.len() != 1 {
            return tiles;
        }
        let found = steps.last().and_then(|step| self.single.get(&step));
        let Some(all) = found else {
            return tiles;
        };
        scratch.tiles.add(&tiles);
        let places = self.search.places.of(all.iter().copied());
        let some = places.into_iter().map(Some16::one);
        scratch.tiles.add(&some.collect::<Vec<_>>());
        scratch.tiles.take()
    }
}
