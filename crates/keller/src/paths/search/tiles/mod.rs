//! Search `tiles`: coarse paths over the discrete environment (Lu et al. 2019; Vaara 2022, chapter 4).
//!
//! A [`Front`](front::Front) is one chain of reflecting planes and edges, the point or edge from which its waves seem
//! to come, and all tiles whose centres they reach. Each plane among these tiles makes a front that is longer by a
//! reflection; each edge at their borders makes one that is longer by an edge. The longer front reaches the tiles that
//! are visible from its own tiles ([`crate::tiles`]) and lie on a straight line from its source through one of them.
//! Every chain is therefore followed once, depth first, and needs the memory of one chain. Receivers are points visible
//! from tiles and are reached in the same way. Without receivers, chains lead to the tiles themselves.
//!
//! Vaara 2022 follows rays from tile to tile ([`waves`] has their steps, for comparison). It follows a chain once for
//! every tile on it. It takes the previous tile as the source, so that two walls can pass a ray back and forth for ever
//! (figure 16). It removes double paths by hashes afterwards. Images of the Tx solve the second problem, fronts the
//! other two. Only behind two edges, where the source is known no better than the segments of the edges, a chain may be
//! found twice. A hash table ([`known`]) then joins the two.
//!
//! Chains of one interaction need no pairs of tiles, and none of them is lost ([`single`]). On surfaces the same holds
//! for reflections alone ([`reflection_chains`]) and for reflections followed by one edge ([`first_edges`]).
//!
//! **May miss** longer chains that are visible only from small parts of tiles; smaller tiles miss fewer. No walls are
//! passed.

mod beam;
mod cull;
mod first_edges;
mod front;
mod gate;
mod known;
mod lanes;
mod left_out;
mod marks;
mod places;
mod power;
mod receivers;
mod reflection_chains;
mod single;
mod strength;
mod visible_tiles;
mod waves;
mod window;

use std::sync::{Arc, Mutex, PoisonError};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

pub use self::beam::Steps;
use self::beam::{BeamSource, EdgeDiffraction, EdgeSource, MAX_STEPS, ReflectingPlane};
pub(in crate::paths) use self::front::Keep;
use self::front::Spread;
use self::known::Known;
use self::lanes::Blocks;
use self::left_out::LeftOut;
use self::places::Places;
use self::power::{Extents, Power};
use self::receivers::Receivers;
use self::reflection_chains::ReflectionChains;
use self::visible_tiles::VisibleTiles;
pub use self::waves::{TileWave, TileWaves};
use self::window::Window;
use crate::em::Surfaces;
use crate::geometry::bvh::Dispatch;
use crate::geometry::tolerance::SHARED_PLANE_DISTANCE;
use crate::paths::search::views::Views;
use crate::paths::{Limits, Step};
use crate::scene::{EdgeId, PlaneId, Scene};
use crate::tiles::{Part, Segment, Segments, Tiles, VisibilityQuery, VisibilityRows};
use crate::{Control, Error, Stage, World};

/// A chain of reflecting planes and edges that may lead to some receivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::paths) struct CoarseChain {
    pub(in crate::paths) steps: Vec<Step>,
    /// Numbers of the receivers, or of tiles, in ascending order.
    pub(in crate::paths) rx: Vec<u32>,
}

/// The amounts that a threshold leaves out of the chains to tiles, for isotropic antennas.
#[derive(Debug, Clone, Default)]
pub(in crate::paths) struct Unfollowed {
    /// Upper bound of the path gain of chains that were found and are too weak, by tile; empty without a threshold.
    pub(in crate::paths) gains: Vec<f64>,
    /// Path gain times area, m²: as much as all waves that are not followed may bring to all tiles together, if no
    /// interaction adds power.
    pub(in crate::paths) gain_area: f64,
}

/// A scene with its tiles, ready for a search from any point.
#[derive(Debug)]
pub(in crate::paths) struct TileSearch {
    scene: Arc<Scene>,
    limits: Limits,
    tiles: Tiles,
    visibility: VisibilityQuery,
    visible_tiles: VisibleTiles,
    places: Places,
    /// Blocks of tiles, in the order of `places`.
    blocks: Blocks,
    /// The windows of the parts of tiles: most tiles have one, terrain has one for each of its facets.
    windows: Vec<Window>,
    planes: Vec<PlaneId>,
    /// The first part of each tile, and the end of the last.
    part_starts: Vec<u32>,
    /// The tile of each part.
    part_tiles: Vec<u32>,
    /// The distance from a tile's centre, as a part of the tile, within which the illuminated part must begin for the
    /// tile to count. 0 requires the centre to be illuminated, as in Vaara 2022; 1 takes all tiles of which any part
    /// may be illuminated.
    pub(in crate::paths) margin: f32,
    /// The bound below which fronts are too weak to be followed; `None` follows all.
    power: Option<Power>,
    /// The extents where waves may meet tiles, in the order of `places`; none without a bound.
    extents: Extents,
    reflection_chains: ReflectionChains,
    /// Whether chains to tiles are looked for from the tiles too.
    complete_up_to: Option<usize>,
    /// The receivers of the last transmitter.
    last: Mutex<Option<Arc<Receivers>>>,
    dispatch: Dispatch,
}

/// The targets of chains.
#[derive(Debug, Clone, Copy)]
enum To<'a> {
    Receivers(&'a Receivers),
    /// All tiles, with the chains of one interaction and the views by reflections that are known for them.
    Tiles {
        single: &'a [CoarseChain],
        views: Option<&'a Views>,
    },
}

/// A wave within this distance of a face's plane counts as travelling along the face, metres.
#[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
const FLAT: f32 = SHARED_PLANE_DISTANCE as f32;

/// Takes all tiles of which any part may be illuminated.
const MARGIN: f32 = 1.0;

impl TileSearch {
    /// The search for these limits.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for chains of more than twelve interactions.
    pub(in crate::paths) fn new(
        world: &World,
        limits: &Limits,
        tiles: &Tiles,
        rows: Arc<dyn VisibilityRows>,
    ) -> Result<Self, Error> {
        let limits = Limits {
            max_interactions: limits.interactions(),
            ..*limits
        };
        let longest = limits
            .max_interactions
            .min(limits.max_reflections + limits.max_diffractions);
        if longest > MAX_STEPS {
            return Err(Error::SearchTooLarge(format!(
                "the search `tiles` follows chains of up to {MAX_STEPS} interactions, not {longest}"
            )));
        }
        let scene = world.shared_scene();
        let origin = scene.origin();
        let places = Places::new(tiles);
        let all = 0..tiles.len();
        let reaches = places.tiles.iter().map(|tile| {
            let number = *tile as usize;
            (tiles.all()[number].centre, reach(tiles, number))
        });
        let parts: Vec<(u32, Part)> = (0..)
            .zip(all.clone())
            .flat_map(|(number, tile)| tiles.parts(tile).iter().map(move |part| (number, *part)))
            .collect();
        let count = |n: usize| u32::try_from(n).expect("fewer than 2^32 parts");
        let mut part_starts = vec![0];
        for tile in all {
            part_starts.push(part_starts[tile] + count(tiles.parts(tile).len()));
        }
        let window = |(_, part): &(u32, Part)| {
            let frame = tiles.frame(part.face).expect("it has a tile");
            Window::around(
                frame,
                [part.low, part.high],
                scene.face_normal(part.face),
                origin,
            )
        };
        let plane = |(_, part): &(u32, Part)| scene.plane_of(part.face);
        let segments = Segments::new(scene, tiles, |edge| limits.free_edges || edge.is_wedge());
        Ok(Self {
            scene: Arc::clone(scene),
            limits,
            tiles: tiles.clone(),
            visibility: VisibilityQuery::new(scene, tiles),
            visible_tiles: VisibleTiles::new(rows, segments, tiles.len()),
            blocks: Blocks::new(origin, reaches),
            places,
            windows: parts.iter().map(window).collect(),
            planes: parts.iter().map(plane).collect(),
            part_starts,
            part_tiles: parts.iter().map(|(tile, _)| *tile).collect(),
            margin: MARGIN,
            power: None,
            extents: Extents::default(),
            reflection_chains: ReflectionChains::new(world, &limits),
            complete_up_to: None,
            last: Mutex::default(),
            dispatch: scene.index().dispatch(),
        })
    }

    /// This search, which follows only chains that may have at least the gain `min_gain`.
    pub(in crate::paths) fn with_threshold(mut self, surfaces: &Surfaces, min_gain: f64) -> Self {
        self.power = Some(Power::new(&self.scene, surfaces, min_gain));
        let (tiles, order, rows) = (&self.tiles, &self.places.tiles, self.visible_tiles.rows());
        self.extents = Extents::new(tiles, order, &**rows, self.scene.origin());
        self
    }

    /// This search of chains to tiles, without those that the complete search finds from tiles: all of at most so many
    /// edges, if any.
    pub(in crate::paths) fn without_complete(mut self, num_edges: Option<usize>) -> Self {
        self.complete_up_to = num_edges;
        self
    }

    /// The chains of at least one interaction that may lead from `tx` to some of `rx`; in order, each once.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn chains(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        control.report(Stage::Search, 0.0);
        let mut chains = if self.needs_pairs() {
            let receivers = self.receivers(rx, control)?;
            self.follow(tx, To::Receivers(&receivers), &|_, _| {}, control)?
                .0
        } else {
            Vec::new()
        };
        let single = self.single_to(tx, rx, control)?;
        self.put_single(&mut chains, single);
        Ok(chains)
    }

    /// The receivers at `rx`, with the tiles visible from them. They are computed again only if `rx` differs from the
    /// last call, because successive transmitters mostly share their receivers.
    fn receivers(&self, rx: &[DVec3], control: &Control) -> Result<Arc<Receivers>, Error> {
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = lock().clone();
        if let Some(receivers) = last.filter(|receivers| receivers.are_at(rx)) {
            return Ok(receivers);
        }
        // The lock is not held here: work that threads share must not hold a lock.
        let reach = 0.5 * self.tiles.tiling().side * std::f64::consts::SQRT_2;
        let (scene, num_tiles) = (&self.scene, self.tiles.len());
        let receivers = Receivers::new(scene, num_tiles, &self.visibility, rx, reach, control)?;
        let receivers = Arc::new(receivers);
        *lock() = Some(Arc::clone(&receivers));
        Ok(receivers)
    }

    /// The chains to which pairs of tiles lead from `tx` to the centres of tiles, including the chain of no
    /// interaction; in order, each once. Their `rx` are numbers of tiles. The second result is the sums of those that
    /// the threshold leaves out.
    ///
    /// `single` are the chains of one interaction ([`Self::single_to_tiles`]). Longer chains begin with them, so that
    /// none is lost by the first pair of tiles. For chains to which no edge can be added, only the tiles that `keep`
    /// leaves are returned.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn chains_to_tiles(
        &self,
        tx: DVec3,
        single: &[CoarseChain],
        keep: &Keep,
        control: &Control,
    ) -> Result<(Vec<CoarseChain>, Unfollowed), Error> {
        control.report(Stage::Search, 0.0);
        let views = self.mirror_views(tx, control)?;
        let (mut chains, mut unfollowed) = if self.needs_pairs_to_tiles() {
            let to = To::Tiles {
                single,
                views: views.as_ref(),
            };
            self.follow(tx, to, keep, control)?
        } else {
            Default::default()
        };
        if let Some(views) = &views {
            let (mirrored, share_area) = self.reflections_to_tiles(views, keep, control)?;
            chains.extend(mirrored);
            let min_gain = self.power.as_ref().map_or(0.0, |power| power.min_gain);
            unfollowed.gain_area += min_gain * share_area;
        }
        if self.limits.line_of_sight {
            // Visibility ends at walls, so where walls may be passed every tile counts.
            let tiles = if self.limits.max_transmissions > 0 {
                (0..u32::try_from(self.tiles.len()).expect("fewer than 2^32 tiles")).collect()
            } else {
                self.visibility.seen_from(tx)
            };
            chains.push(CoarseChain {
                steps: Vec::new(),
                rx: tiles,
            });
        }
        Ok((chains, unfollowed))
    }

    fn follow(
        &self,
        tx: DVec3,
        to: To,
        keep: &Keep,
        control: &Control,
    ) -> Result<(Vec<CoarseChain>, Unfollowed), Error> {
        let known = Known::default();
        let (receivers, single, views) = match to {
            To::Receivers(receivers) => (Some(receivers), &[][..], None),
            To::Tiles { single, views } => (None, single, views),
        };
        let counts = receivers.is_none() && self.power.is_some();
        let left_out = LeftOut::new(if counts { self.tiles.len() } else { 0 });
        let spread = Spread {
            search: self,
            tx,
            receivers,
            single: single
                .iter()
                .map(|chain| (chain.steps[0], &chain.rx[..]))
                .collect(),
            known: &known,
            keep,
            left_out: &left_out,
            control,
        };
        let seen = self.visibility.seen_from(tx);
        let source = BeamSource::Point(self.local(tx));
        spread.all(source, seen);
        if let Some(views) = views {
            spread.after_reflections(views);
        }
        control.check()?;
        control.report(Stage::Search, 1.0);
        let mut chains = known.into_chains();
        if receivers.is_none() {
            chains.par_iter_mut().for_each(|chain| {
                for place in &mut chain.rx {
                    *place = self.places.tiles[*place as usize];
                }
                chain.rx.sort_unstable();
            });
        }
        Ok((chains, self.unfollowed(left_out)))
    }

    /// The gains that are left out, by tile.
    fn unfollowed(&self, left_out: LeftOut) -> Unfollowed {
        let Some(power) = &self.power else {
            return Unfollowed::default();
        };
        let (of_places, gain_area) = left_out.sums();
        let mut gains = vec![0.0; of_places.len()];
        for (gain, tile) in of_places.into_iter().zip(&self.places.tiles) {
            gains[*tile as usize] = power.min_gain * gain;
        }
        Unfollowed {
            gains,
            gain_area: power.min_gain * gain_area,
        }
    }

    pub(in crate::paths) fn tiles(&self) -> &Tiles {
        &self.tiles
    }

    pub(in crate::paths) fn rows(&self) -> &Arc<dyn VisibilityRows> {
        self.visible_tiles.rows()
    }

    pub(in crate::paths) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The diffraction of the wave from a source by a segment, and the segment's ends; `None` if the wave comes from
    /// inside its wedge. A wave along one of its faces comes from outside.
    fn diffraction(
        &self,
        segment: &Segment,
        source: &BeamSource,
    ) -> Option<(EdgeDiffraction, [Vec3; 2])> {
        let edge = &self.scene.edges()[segment.edge.index()];
        let [from, to] = segment.interval;
        let centre = self.local(edge.ends[0] + 0.5 * (from + to) * edge.along());
        let last = source.last_point(centre) - centre;
        let outwards = [edge.outward.as_vec3(), edge.second_outward.as_vec3()];
        let is_open = outwards.iter().any(|outward| last.dot(*outward) >= -FLAT);
        #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
        let diffraction = || EdgeDiffraction {
            edge: EdgeSource {
                from: source.straightened(centre),
                start: self.local(edge.ends[0]),
                along: edge.along().as_vec3(),
                length: edge.length() as f32,
            },
            interval: segment.interval.map(|t| t as f32),
            outwards,
        };
        let ends = segment.interval.map(|t| edge.ends[0] + t * edge.along());
        is_open.then(|| (diffraction(), ends.map(|end| self.local(end))))
    }

    /// An edge as a source of the wave from a point, over its whole length.
    fn edge_source(&self, id: EdgeId, from: Vec3) -> EdgeSource {
        let edge = &self.scene.edges()[id.index()];
        #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
        let length = edge.length() as f32;
        EdgeSource {
            from,
            start: self.local(edge.ends[0]),
            along: edge.along().as_vec3(),
            length,
        }
    }

    /// The parts of a tile, each with a reflecting plane.
    fn parts(&self, tile: u32) -> std::ops::Range<u32> {
        self.part_starts[tile as usize]..self.part_starts[tile as usize + 1]
    }

    fn local(&self, point: DVec3) -> Vec3 {
        (point - self.scene.origin()).as_vec3()
    }

    fn mirror(&self, plane: PlaneId) -> ReflectingPlane {
        let plane = self.scene.plane(plane);
        #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
        let offset = (plane.offset - plane.normal.dot(self.scene.origin())) as f32;
        ReflectingPlane {
            normal: plane.normal.as_vec3(),
            offset,
        }
    }
}

/// The radius of a ball around the part of a tile's face in its cell.
fn reach(tiles: &Tiles, number: usize) -> f64 {
    let tile = &tiles.all()[number];
    let frame = tiles.frame(tile.face).expect("it has a tile");
    let centre = frame.in_space(0.5 * (tile.low + tile.high));
    let corners = [tile.low, tile.low.with_x(tile.high.x)];
    let radii = corners.map(|corner| frame.in_space(corner).distance(centre));
    radii[0].max(radii[1])
}
