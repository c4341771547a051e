//! The tiles and receivers to which a chain may bring the wanted power, and the tiles that may reflect it.

use super::front::{IlluminatedTile, Spread, Wave};
use super::lanes::{Blocks, Some16};
use super::visible_tiles::{blocks, union};
use crate::paths::Step;

impl Spread<'_> {
    /// The tiles that may reflect the wanted power of a chain.
    pub(super) fn illuminated(
        &self,
        (steps, source, way): Wave,
        tiles: &[Some16],
    ) -> Vec<IlluminatedTile> {
        if !self.may_reflect(steps) {
            return Vec::new();
        }
        let search = self.search;
        let mut illuminated = Vec::new();
        let (Some(power), Some(way)) = (&search.power, way) else {
            let amplitude = f32::INFINITY;
            let tiles = search.places.tiles_at(tiles);
            return tiles
                .map(|tile| IlluminatedTile { tile, amplitude })
                .collect();
        };
        let bound = power.bound(way, source);
        let report = |place, amplitude| {
            let tile = search.places.tiles[place as usize];
            match power.too_weak(amplitude) {
                None => illuminated.push(IlluminatedTile { tile, amplitude }),
                Some(share) => self.do_not_follow(tile, share, self.num_more(steps)),
            }
        };
        let wanted = (tiles, self.receivers.is_none());
        bound.each_extent(&search.extents, wanted, search.dispatch, report);
        illuminated
    }

    /// The tiles to which a chain may bring the wanted power, of those that it reaches and, behind an edge, of the tiles
    /// on the edge's own faces: along these runs a wave, although none of them is visible from the edge.
    pub(super) fn wanted(&self, wave: Wave, reached: Vec<Some16>) -> Vec<Some16> {
        let search = self.search;
        let (steps, ..) = wave;
        let own = match steps.last() {
            Some(Step::Diffraction(edge)) => {
                let faces = search.scene.edges()[edge.index()].faces;
                let tiles = faces.into_iter().flatten();
                let tiles = tiles.flat_map(|face| search.tiles.of_face(face));
                let tiles = tiles.map(|tile| u32::try_from(tile).expect("fewer than 2^32 tiles"));
                let mut places = search.places.of(tiles);
                places.dedup();
                blocks(places.into_iter())
            }
            _ => return self.strong(wave, &search.blocks, reached),
        };
        self.strong(wave, &search.blocks, union(&reached, &own))
    }

    /// The points to which a chain may bring the wanted power.
    pub(super) fn strong(
        &self,
        (steps, source, way): Wave,
        blocks: &Blocks,
        points: Vec<Some16>,
    ) -> Vec<Some16> {
        let (Some(power), Some(way)) = (&self.search.power, way) else {
            return points;
        };
        // Chains of one interaction are found apart, without a threshold.
        let counts = self.receivers.is_none() && steps.len() > 1;
        let mut kept: Vec<Some16> = Vec::with_capacity(points.len());
        let bound = power.bound(way, source);
        let report = |id, amplitude| match power.too_weak(amplitude) {
            None => Some16::add(&mut kept, id),
            Some(share) if counts => self.left_out.leave_out(id, share),
            Some(_) => {}
        };
        bound.each_point(blocks, &points, self.search.dispatch, report);
        kept
    }
}
