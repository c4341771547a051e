//! Single waves from tile to tile, as the rays of Vaara 2022 (chapter 4.3) go, for search orders of one's own.
//!
//! A front ([`super::front`]) is all waves of one chain at once; a wave here is that part of it that reaches one tile.
//! A chain is therefore found once for every chain of tiles that leads to it, so fronts are faster.

use std::sync::Arc;

use glam::DVec3;

use super::TileSearch;
use super::beam::{BeamSource, Steps};
use super::gate::Gate;
use super::lanes::{Blocks, Some16};
use super::receivers::Receivers;
use crate::paths::{InteractionKind, Step};
use crate::{Control, Error};

/// A wave that reaches the centre of a tile.
#[derive(Debug, Clone, Copy)]
pub struct TileWave {
    steps: Steps,
    tile: u32,
    source: BeamSource,
}

/// The waves from a transmitter: from each, those that follow from it, and the receivers that these reach. A threshold
/// of [`Environment::min_gain`](crate::paths::Environment::min_gain) is ignored.
///
/// ```
/// use keller::paths::{CoarsePaths, Environment, Limits, TileFinder};
/// use keller::tiles::Tiling;
/// use keller::{Control, DVec3, Frequency, World, materials::Materials, scene::{Mesh, Scene}};
///
/// let mut ground = Mesh::default();
/// ground.add_polygon("concrete", &[[-9., -9.], [9., -9.], [9., 9.], [-9., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
/// let world = World::new(Scene::new(&ground)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
/// let control = Control::default();
/// let environment = Environment::new(world.shared_scene(), Tiling::of_side(2.0), &control)?;
/// let finder = TileFinder::new(&world, &Limits::default(), environment)?;
/// let (tx, rx) = (DVec3::new(-4., 0., 3.), [DVec3::new(4., 0., 3.)]);
/// let waves = finder.waves(tx, &rx, &control)?;
/// let (mut next, mut found) = (Vec::new(), Vec::new());
/// for wave in waves.first() {
///     waves.reflect(&wave, &mut next, &mut found);
/// }
/// assert!(next.is_empty()); // the ground does not see itself
/// let coarse = CoarsePaths::from_chains(found.iter().take(1).map(|(steps, rx)| (steps.to_vec(), rx.clone())));
/// assert_eq!(finder.refine(tx, &rx, &coarse, &control)?.0[0].length, 10.0);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug)]
pub struct TileWaves<'a> {
    search: &'a TileSearch,
    receivers: Arc<Receivers>,
    tx: DVec3,
    is_from_centres: bool,
}

impl<'a> TileWaves<'a> {
    pub(in crate::paths) fn new(
        search: &'a TileSearch,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<Self, Error> {
        Ok(Self {
            search,
            receivers: search.receivers(rx, control)?,
            tx,
            is_from_centres: false,
        })
    }

    /// These waves, but each seems to come from the centre of the previous tile or of the piece of an edge, as in Vaara
    /// 2022, and not from the image of the transmitter or edge. Two walls may then pass it back and forth for ever
    /// (figure 16).
    #[must_use]
    pub fn from_centres(mut self) -> Self {
        self.is_from_centres = true;
        self
    }

    /// The waves from the transmitter to the tiles that it sees.
    pub fn first(&self) -> Vec<TileWave> {
        let source = BeamSource::Point(self.search.local(self.tx));
        let mut waves = Vec::new();
        let seen = self.search.visibility.seen_from(self.tx);
        send(Steps::NONE, source, seen.into_iter(), &mut waves);
        waves
    }

    /// Adds the waves that the tile of `wave` reflects to `next`, and the chains that reach receivers, with the numbers
    /// of these in ascending order, to `found`. Nothing is added beyond the limits of the search.
    pub fn reflect(
        &self,
        wave: &TileWave,
        next: &mut Vec<TileWave>,
        found: &mut Vec<(Steps, Vec<u32>)>,
    ) {
        for part in self.search.parts(wave.tile) {
            self.reflect_at(wave, part, next, found);
        }
    }

    /// Adds the waves that a part of the wave's tile reflects.
    fn reflect_at(
        &self,
        wave: &TileWave,
        part: u32,
        next: &mut Vec<TileWave>,
        found: &mut Vec<(Steps, Vec<u32>)>,
    ) {
        let search = self.search;
        let plane = search.planes[part as usize];
        let limits = &search.limits;
        let reflected = limits.after(&wave.steps.counts(), InteractionKind::Reflection);
        if reflected.is_none() || wave.steps.last() == Some(Step::Reflection(plane)) {
            return;
        }
        let source = wave.source.mirrored(&search.mirror(plane));
        let steps = wave.steps.with_mirror(plane);
        let window = search.windows[part as usize];
        let gate = Gate::Window(source, window);
        self.arrive(steps, &gate, self.receivers.of_tile(wave.tile), found);
        if limits.num_more(&steps.counts()) > 0 {
            let tiles = search
                .visible_tiles
                .of_tile(wave.tile, &search.places, |row| {
                    self.reached(&gate, row, &search.blocks)
                });
            let source = if self.is_from_centres {
                BeamSource::Point(window.centre)
            } else {
                source
            };
            send(steps, source, search.places.tiles_at(&tiles), next);
        }
    }

    /// Adds the waves that the edges at the tile of `wave` diffract, like [`Self::reflect`].
    pub fn diffract(
        &self,
        wave: &TileWave,
        next: &mut Vec<TileWave>,
        found: &mut Vec<(Steps, Vec<u32>)>,
    ) {
        let search = self.search;
        let limits = &search.limits;
        if !search.has_edge_left(&wave.steps) {
            return;
        }
        for number in search.visible_tiles.segments.of_tile(wave.tile as usize) {
            let segment = search.visible_tiles.segments.all()[*number as usize];
            if wave.steps.last() == Some(Step::Diffraction(segment.edge)) {
                continue;
            }
            let Some((diffraction, ends)) = search.diffraction(&segment, &wave.source) else {
                continue;
            };
            let steps = wave.steps.with_edge(segment.edge);
            let gate = Gate::EdgeDiffraction(diffraction);
            self.arrive(steps, &gate, &self.receivers.of_segment(&segment), found);
            if limits.num_more(&steps.counts()) > 0 {
                let tiles = search
                    .visible_tiles
                    .of_segment(*number, &search.places, |row| {
                        self.reached(&gate, row, &search.blocks)
                    });
                let source = if self.is_from_centres {
                    BeamSource::Point(ends[0].midpoint(ends[1]))
                } else {
                    BeamSource::Edge(diffraction.edge)
                };
                send(steps, source, search.places.tiles_at(&tiles), next);
            }
        }
    }

    /// Adds a chain to `found` if its wave reaches some of these receivers.
    fn arrive(
        &self,
        steps: Steps,
        gate: &Gate,
        row: &[Some16],
        found: &mut Vec<(Steps, Vec<u32>)>,
    ) {
        let rx = self.reached(gate, row, &self.receivers.blocks);
        if !rx.is_empty() {
            found.push((steps, rx.iter().flat_map(|some| some.ids()).collect()));
        }
    }

    fn reached(&self, gate: &Gate, row: &[Some16], blocks: &Blocks) -> Vec<Some16> {
        let (margin, dispatch) = (self.search.margin, self.search.dispatch);
        let mut reached = Vec::new();
        gate.reached(blocks, row, margin, dispatch, &mut reached);
        reached
    }
}

fn send(
    steps: Steps,
    source: BeamSource,
    tiles: impl Iterator<Item = u32>,
    next: &mut Vec<TileWave>,
) {
    next.extend(tiles.map(|tile| TileWave {
        steps,
        tile,
        source,
    }));
}
