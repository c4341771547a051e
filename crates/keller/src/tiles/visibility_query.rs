//! Finds the tiles visible from each tile, or from each device.
//!
//! Eight neighbouring tiles form a packet ([`super::viewpoint_packet`]), which descends through nested groups of tiles
//! ([`super::walk`]):
//!
//! 1. Viewpoints that look into their own building skip all groups outside of it ([`super::packet_sides`]).
//! 2. If one wall hides all of a group from some of the eight viewpoints, they skip the group. The walls that recently
//!    hid something in this direction are tried first, then the wall that a ray to the centre of the group hits.
//! 3. For each remaining tile, its own building may hide it. Then the wall that hid it from the eight viewpoints before
//!    is tried, and again the walls in its direction.
//! 4. One of the eight viewpoints sends a ray to the tile. A wall that blocks the ray often hides the tile from others
//!    of the eight too. After some rounds, all remaining viewpoints send a ray.
//!
//! The result is that of rays between all pairs, because a wall hides only tiles that a ray finds hidden too
//! ([`super::screens`]). Visibility is mutual: both tiles of a pair use the same ray, from the smaller number to the
//! larger. So the visibility of later tiles that earlier rows show ([`Earlier`]) is not computed again.
//!
//! **Cost.** About two rays for each visible pair in streets; five and more where roofs and slopes hide each other
//! piece by piece.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use glam::{DVec2, DVec3};

use super::accelerated::AcceleratedTiles;
use super::earlier::Earlier;
use super::first_order::{Asked, Blinds, Opening};
use super::groups::Groups;
use super::occluders::Occluders;
use super::rows::RowBuilder;
use super::runs::neighbours_first;
use super::scratch::Scratch;
use super::screens::EYES;
use super::set::Tiles;
use super::sides::TileSides;
use super::viewpoint_packet::{Viewpoint, ViewpointPacket};
use super::walk::Walk;
use crate::geometry::tolerance::COPLANAR_DISTANCE;
use crate::parallel;
use crate::scene::{EdgeId, PlaneId, Scene};
use crate::{Control, Error, Stage};

/// Finds the tiles that are visible from each tile, or from any point.
#[derive(Debug)]
pub struct VisibilityQuery {
    tiles: Tiles,
    walk: Walk,
    /// The groups of whole tiles, which are made when they are first asked for.
    whole_tiles: OnceLock<Groups>,
    /// Buffers that no thread uses at present.
    scratches: Mutex<Vec<Scratch>>,
}

/// Upper bound of the error of rays, as a part of the largest coordinate.
const ROUNDING: f64 = 4e-6;

/// Tiles that one thread handles before it reports progress.
const TILES_AT_ONCE: usize = 16 * EYES;

impl VisibilityQuery {
    /// Indexes the tiles, and the walls that may hide them.
    pub fn new(scene: &Arc<Scene>, tiles: &Tiles) -> Self {
        let [low, high] = scene.bounds().map(|corner| corner - scene.origin());
        let reach = low.abs().max(high.abs()).max_element();
        #[expect(clippy::cast_possible_truncation, reason = "a margin")]
        let margin = (reach * ROUNDING).max(2.0 * COPLANAR_DISTANCE) as f32;
        let groups = Groups::new(scene, tiles);
        Self {
            tiles: tiles.clone(),
            walk: Walk {
                scene: Arc::clone(scene),
                sides: TileSides::new(scene, tiles, &groups, margin.into()),
                groups,
                occluders: Occluders::new(scene),
                margin,
            },
            whole_tiles: OnceLock::new(),
            scratches: Mutex::default(),
        }
    }

    /// The rows of these tiles, in their order. They depend neither on the number of threads nor on which rows are
    /// computed together.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If a tile does not exist.
    pub fn rows(&self, tiles: Range<usize>, control: &Control) -> Result<RowBuilder, Error> {
        self.rows_from(tiles, None, control)
    }

    /// The rows of [`Self::rows`] for the tiles that follow those added to `earlier`: half the work on average.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If a tile does not exist.
    pub fn rows_after(&self, earlier: &Earlier, control: &Control) -> Result<RowBuilder, Error> {
        self.rows_from(earlier.tiles(), Some(earlier), control)
    }

    fn rows_from(
        &self,
        tiles: Range<usize>,
        earlier: Option<&Earlier>,
        control: &Control,
    ) -> Result<RowBuilder, Error> {
        let first = earlier.map_or(0, Earlier::end);
        let num = tiles.len();
        // Neighbours in space form packets.
        let is_wanted = |tile: &usize| tiles.contains(tile);
        let all = self.walk.groups.targets.iter();
        let order: Vec<usize> = all.map(|t| t.tile as usize).filter(is_wanted).collect();
        let accelerator = AcceleratedTiles::new(&self.walk, order.len(), first);
        let accelerator =
            accelerator.filter(|accelerator| self.is_right(accelerator, &order, first));
        let at_once = accelerator
            .as_ref()
            .map_or(TILES_AT_ONCE, AcceleratedTiles::rows_at_once);
        let done = AtomicUsize::new(0);
        let blocks: Vec<&[usize]> = order.chunks(at_once).collect();
        let blocks: Vec<RowBuilder> = parallel::try_map(blocks.len(), |number| {
            control.check()?;
            let block = blocks[number];
            let from: Vec<Viewpoint> = block.iter().map(|tile| self.viewpoint(*tile)).collect();
            let mut rows = RowBuilder::default();
            let add = |rows: &mut RowBuilder, seen: &[u32]| {
                let tile = block[rows.ends.len()];
                let before = earlier.iter().flat_map(|earlier| earlier.of(tile));
                let row: Vec<u32> = before.chain(seen.iter().copied()).collect();
                rows.push(&row);
            };
            let accelerated = accelerator.as_ref();
            if !accelerated.is_some_and(|it| it.see_all(&from, |seen| add(&mut rows, seen))) {
                rows = RowBuilder::default();
                self.see_all(&from, first, |seen| add(&mut rows, seen));
            }
            let done = done.fetch_add(block.len(), Ordering::Relaxed) + block.len();
            control.report(Stage::Visibility, done as f64 / num as f64);
            Ok::<_, Error>(rows)
        })?;
        let mut place = vec![(0, 0); num];
        for (at, tile) in order.iter().enumerate() {
            place[tile - tiles.start] = (at / at_once, at % at_once);
        }
        let mut rows = RowBuilder::default();
        for (block, row) in place {
            rows.push_row(&blocks[block], row);
        }
        Ok(rows)
    }

    /// Whether the accelerator and the processor agree about some viewpoints. Else the accelerator is refused.
    fn is_right(&self, accelerator: &AcceleratedTiles<'_>, tiles: &[usize], first: u32) -> bool {
        let step = tiles.len().div_ceil(EYES).max(1);
        let some = tiles.iter().step_by(step);
        let from: Vec<Viewpoint> = some.map(|tile| self.viewpoint(*tile)).collect();
        let (mut here, mut there) = (Vec::new(), Vec::new());
        if !accelerator.see_all(&from, |seen| there.push(seen.to_vec())) {
            return false;
        }
        self.see_all(&from, first, |seen| here.push(seen.to_vec()));
        let wrong = here.iter().zip(&there).filter(|(a, b)| a != b).count();
        if wrong > 0 {
            accelerator.refuse(wrong, from.len());
        }
        wrong == 0
    }

    /// The tiles visible from a point, in ascending order. Walls at the point itself hide tiles too.
    pub fn seen_from(&self, point: DVec3) -> Vec<u32> {
        let mut all = Vec::new();
        self.see_all(&[Viewpoint::free(point)], 0, |seen| {
            all.extend_from_slice(seen);
        });
        all
    }

    /// The tiles of [`Self::seen_from`] for each of some points, in their order.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn seen_from_all(
        &self,
        points: &[DVec3],
        control: &Control,
    ) -> Result<Vec<Vec<u32>>, Error> {
        let mut order: Vec<usize> = (0..points.len()).collect();
        neighbours_first(points, &mut order, EYES);
        let blocks: Vec<&[usize]> = order.chunks(EYES).collect();
        let found: Vec<Vec<Vec<u32>>> = parallel::try_map(blocks.len(), |number| {
            control.check()?;
            let block = blocks[number].iter();
            let from: Vec<Viewpoint> = block.map(|k| Viewpoint::free(points[*k])).collect();
            let mut all = Vec::with_capacity(EYES);
            self.see_all(&from, 0, |seen| all.push(seen.to_vec()));
            Ok::<_, Error>(all)
        })?;
        let mut all = vec![Vec::new(); points.len()];
        for (k, seen) in order.into_iter().zip(found.into_iter().flatten()) {
            all[k] = seen;
        }
        Ok(all)
    }

    /// Openings at the planes (if `with_reflections`) and at those of `edges` that may be visible from a point.
    pub(crate) fn openings(
        &self,
        point: DVec3,
        with_reflections: bool,
        edges: &[EdgeId],
    ) -> Vec<Opening> {
        self.blinds().openings(point, with_reflections, edges)
    }

    /// The part of a plane between two corners, in coordinates of [`Plane::axes`](crate::geometry::Plane::axes), as a
    /// reflector for the wave from an image. `None` if that lies in the plane.
    pub(crate) fn mirror(&self, image: DVec3, plane: PlaneId, part: [DVec2; 2]) -> Option<Opening> {
        self.blinds().mirror(image, plane, part)
    }

    /// A part of an edge, metres along it, that an image illuminates. `None` if no wave leaves it.
    pub(crate) fn diffracted(&self, image: DVec3, edge: EdgeId, part: [f64; 2]) -> Option<Opening> {
        self.blinds().diffracted(image, edge, part)
    }

    /// The tiles of which the wave from an opening may reach any part, in ascending order. Tiles and groups are skipped
    /// unless `is_strong` holds for them.
    pub(crate) fn illuminated_by(
        &self,
        opening: &Opening,
        is_strong: impl Fn(&Asked) -> bool,
    ) -> Vec<u32> {
        let groups = || Groups::of_whole(&self.walk.scene, &self.tiles);
        let groups = self.whole_tiles.get_or_init(groups);
        self.points_reached_by(opening, groups, is_strong)
    }

    /// The tiles whose centres the wave from an opening may reach, in ascending order. Tiles and groups are skipped
    /// unless `is_strong` holds for them.
    pub(crate) fn reached_by(
        &self,
        opening: &Opening,
        is_strong: impl Fn(&Asked) -> bool,
    ) -> Vec<u32> {
        self.points_reached_by(opening, &self.walk.groups, is_strong)
    }

    /// The points of [`Self::reached_by`] among other points than those of tiles.
    pub(crate) fn points_reached_by(
        &self,
        opening: &Opening,
        points: &Groups,
        is_strong: impl Fn(&Asked) -> bool,
    ) -> Vec<u32> {
        self.blinds().reached(opening, points, is_strong)
    }

    fn blinds(&self) -> Blinds<'_> {
        Blinds {
            scene: &self.walk.scene,
            occluders: &self.walk.occluders,
            margin: self.walk.margin.into(),
        }
    }

    fn viewpoint(&self, tile: usize) -> Viewpoint {
        let of = &self.tiles.all()[tile];
        Viewpoint {
            at: of.centre,
            plane: Some(self.walk.scene.plane_of(of.face)),
            tile: u32::try_from(tile).expect("fewer than 2^32 tiles"),
        }
    }

    /// Passes the tiles from `first` on that each viewpoint sees to `report`, in the order of the viewpoints.
    fn see_all(&self, from: &[Viewpoint], first: u32, mut report: impl FnMut(&[u32])) {
        let lock = || {
            self.scratches
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let scratch = lock().pop();
        let mut scratch = scratch.unwrap_or_default();
        for from in from.chunks(EYES) {
            let packet = ViewpointPacket::new(&self.walk.scene, from);
            self.walk.see(&packet, first, &mut scratch);
            for seen in &mut scratch.seen[..from.len()] {
                seen.sort_unstable();
                report(seen);
            }
        }
        lock().push(scratch);
    }
}
