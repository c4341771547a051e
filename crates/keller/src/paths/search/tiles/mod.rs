//! Search `tiles`: coarse paths over the discrete environment (Lu et al. 2019; Vaara 2022, chapter 4).
//!
//! A [`Front`](front::Front) is one chain of reflecting planes and edges, the point or edge that its waves seem to come
//! from, and all tiles whose centres they reach. Each plane among these tiles makes a front that is longer by a
//! reflection, each edge at their borders one that is longer by an edge: it reaches what its own tiles see
//! ([`crate::tiles`]) and what lies on a straight line with its source through one of them. So every chain is followed
//! once, depth first, and needs the memory of one. Receivers are points that tiles see, reached in the same way;
//! without any, tiles themselves are what chains lead to.
//!
//! Vaara 2022 follows rays from tile to tile. It follows a chain as often as there are tiles for it; it takes the previous tile for the
//! source, so that two walls can pass a ray back and forth for ever (figure 16); and it removes double paths by hashes afterwards. Images
//! of the Tx solve the second problem, fronts the other two. Only behind two edges, whose source is known no better than their segments,
//! a chain may come twice, and a hash table ([`known`]) joins the two.
//!
//! Chains of one interaction need no pairs of tiles, and none is lost ([`single`]).
//!
//! **May miss** of longer chains what only small parts of tiles see; smaller tiles miss less. Walls are passed nowhere.

mod beam;
mod cull;
mod front;
mod gate;
mod known;
mod lanes;
mod places;
mod power;
#[cfg_attr(
    not(feature = "lab"),
    allow(dead_code, unreachable_pub, reason = "the lab alone uses all of it")
)]
mod rays;
mod receivers;
mod sight;
mod single;
mod window;

use std::sync::{Arc, Mutex, PoisonError};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use self::beam::{BeamSource, EdgeSource, MAX_STEPS, ReflectingPlane};
use self::front::Spread;
use self::gate::Bend;
use self::known::Known;
use self::lanes::Blocks;
use self::places::Places;
use self::power::{Ball, Power};
#[cfg_attr(
    not(feature = "lab"),
    allow(unreachable_pub, reason = "the lab alone uses it from outside")
)]
pub use self::rays::Rays;
use self::rays::Tracer;
#[cfg(feature = "lab")]
pub use self::rays::{Aim, Order};
use self::receivers::Receivers;
use self::sight::Sight;
use self::window::Window;
use crate::em::Surfaces;
use crate::geometry::bvh::Dispatch;
use crate::paths::Limits;
use crate::paths::Step;
use crate::scene::{PlaneId, Scene};
use crate::tiles::{Segment, Segments, Tiles, VisibilityQuery, VisibilityRows};
use crate::{Control, Error, Stage};

/// A chain of reflecting planes and edges that may lead to some receivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::paths) struct CoarseChain {
    pub(in crate::paths) steps: Vec<Step>,
    /// Numbers of the receivers, or of tiles, in ascending order.
    pub(in crate::paths) rx: Vec<u32>,
}

/// A scene with its tiles, ready to search from any point.
#[derive(Debug)]
pub(in crate::paths) struct TileSearch {
    scene: Arc<Scene>,
    limits: Limits,
    tiles: Tiles,
    visibility: VisibilityQuery,
    sight: Sight,
    places: Places,
    /// Of tiles, place by place.
    blocks: Blocks,
    windows: Vec<Window>,
    planes: Vec<PlaneId>,
    /// How much of a tile may lie beside what is lit for the tile to count; 0 asks for its centre, as Vaara 2022 does, 1 takes all tiles of
    /// which some may be lit.
    pub(in crate::paths) margin: f32,
    /// The rays of Vaara 2022 instead of fronts.
    pub(in crate::paths) rays: Option<Rays>,
    /// What is too weak to be followed by fronts; nothing if absent.
    power: Option<Power>,
    /// The receivers of the last transmitter.
    last: Mutex<Option<Arc<Receivers>>>,
    dispatch: Dispatch,
}

/// What comes along a face is so near to its plane, metres: both ends may be a weld off, and f32 rounds.
const FLAT: f32 = 4e-4;

/// All tiles of which some may be lit.
const MARGIN: f32 = 1.0;

impl TileSearch {
    /// For these limits.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for chains of more than twelve.
    pub(in crate::paths) fn new(
        scene: &Arc<Scene>,
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
        let origin = scene.origin();
        let places = Places::new(tiles);
        let reaches = places.tiles.iter().map(|tile| {
            let tile = &tiles.all()[*tile as usize];
            let half = 0.5 * (tile.high - tile.low);
            (tile.centre, half.length())
        });
        let local = |v: DVec3| (v - origin).as_vec3();
        let window = |tile: &crate::tiles::Tile| {
            let frame = tiles.frame(tile.face).expect("it has a tile");
            let [u, v] = frame.axes;
            let centre = 0.5 * (tile.low + tile.high);
            Window {
                centre: local(frame.corner + centre.x * u + centre.y * v),
                axes: [u.as_vec3(), v.as_vec3()],
                normal: scene.face_normal(tile.face).as_vec3(),
                half: (0.5 * (tile.high - tile.low)).as_vec2().to_array(),
            }
        };
        let segments = Segments::new(scene, tiles, |edge| limits.free_edges || edge.is_wedge());
        Ok(Self {
            scene: Arc::clone(scene),
            limits,
            tiles: tiles.clone(),
            visibility: VisibilityQuery::new(scene, tiles),
            sight: Sight::new(rows, segments, tiles.len()),
            blocks: Blocks::new(origin, reaches),
            places,
            windows: tiles.all().iter().map(window).collect(),
            planes: tiles.all().iter().map(|t| scene.plane_of(t.face)).collect(),
            margin: MARGIN,
            rays: None,
            power: None,
            last: Mutex::default(),
            dispatch: scene.index().dispatch(),
        })
    }

    /// The same, which follows only what may bring as much power as is wanted.
    pub(in crate::paths) fn with_threshold(mut self, surfaces: &Surfaces, min_gain: f64) -> Self {
        self.power = Some(Power::new(&self.scene, surfaces, min_gain));
        self
    }

    /// The chains that may lead from `tx` to some of `rx`, without that of no interaction; in order, none twice.
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
            self.follow(tx, Some(&receivers), control)?
        } else {
            Vec::new()
        };
        let single = self.single_to(tx, rx, control)?;
        self.put_single(&mut chains, single);
        Ok(chains)
    }

    /// Those at `rx`, and what they see: looked for again only if the last were others, as one transmitter follows the other.
    fn receivers(&self, rx: &[DVec3], control: &Control) -> Result<Arc<Receivers>, Error> {
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = lock().clone();
        if let Some(receivers) = last.filter(|receivers| receivers.are_at(rx)) {
            return Ok(receivers);
        }
        // Not while others wait: what is shared among threads must not hold a lock.
        let reach = 0.5 * self.tiles.tiling().side * std::f64::consts::SQRT_2;
        let (scene, num_tiles) = (&self.scene, self.tiles.len());
        let receivers = Receivers::new(scene, num_tiles, &self.visibility, rx, reach, control)?;
        let receivers = Arc::new(receivers);
        *lock() = Some(Arc::clone(&receivers));
        Ok(receivers)
    }

    /// The chains that pairs of tiles lead to from `tx` to the centres of tiles, that of no interaction among them; in
    /// order, none twice. Their `rx` are numbers of tiles.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn chains_to_tiles(
        &self,
        tx: DVec3,
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        control.report(Stage::Search, 0.0);
        let mut chains = if self.needs_pairs() {
            self.follow(tx, None, control)?
        } else {
            Vec::new()
        };
        if self.limits.line_of_sight {
            // What is straight behind walls is seen by nobody.
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
        Ok(chains)
    }

    fn follow(
        &self,
        tx: DVec3,
        receivers: Option<&Receivers>,
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        let known = Known::default();
        let spread = Spread {
            search: self,
            receivers,
            known: &known,
            control,
        };
        let seen = self.visibility.seen_from(tx);
        let source = BeamSource::Point(self.local(tx));
        if let (Some(Rays { order, aim }), Some(receivers)) = (self.rays, receivers) {
            let tracer = Tracer {
                search: self,
                receivers,
                known: &known,
                aim,
            };
            tracer.trace(source, &seen, order);
        } else {
            spread.all(source, seen);
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
        Ok(chains)
    }

    pub(in crate::paths) fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    pub(in crate::paths) fn tiles(&self) -> &Tiles {
        &self.tiles
    }

    pub(in crate::paths) fn segments(&self) -> &Segments {
        &self.sight.segments
    }

    pub(in crate::paths) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What a segment does to what comes from a source, and its centre; `None` if that comes from inside its wedge.
    /// What comes along one of its faces is outside.
    fn bend(&self, segment: &Segment, source: &BeamSource) -> Option<(Bend, Vec3)> {
        let edge = &self.scene.edges()[segment.edge.index()];
        let [from, to] = segment.interval;
        let centre = self.local(edge.ends[0] + 0.5 * (from + to) * edge.along());
        let last = source.last_point(centre) - centre;
        let outwards = [edge.outward.as_vec3(), edge.second_outward.as_vec3()];
        let is_open = outwards.iter().any(|outward| last.dot(*outward) >= -FLAT);
        #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
        let bend = || Bend {
            edge: EdgeSource {
                from: source.straightened(centre),
                start: self.local(edge.ends[0]),
                along: edge.along().as_vec3(),
                length: edge.length() as f32,
            },
            interval: segment.interval.map(|t| t as f32),
            outwards,
        };
        is_open.then(|| (bend(), centre))
    }

    /// All that a front may go on from by a tile.
    fn ball(&self, tile: u32) -> Ball {
        let window = &self.windows[tile as usize];
        Ball::around_tile(window.centre, window.half[0].hypot(window.half[1]))
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
