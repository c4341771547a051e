//! What arrives at walls in one scattering: an estimate, by which tiles aim rays at the mirror images of bright tiles.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::super::edge_rays::group;
use super::aims::{Aim, Way};
use super::emission::Emission;
use super::exchange::Exchange;
use super::place::{Places, Side};
use crate::paths::Environment;
use crate::scene::PlaneId;
use crate::tiles::row_ids;

/// Tiles of a block, at most.
const TILES: u32 = 16;

/// Sides of tiles that are kept for each side of a block, the strongest.
const SOURCES: usize = 32;

/// Sides of tiles at which rays are aimed through walls, the strongest.
const THROUGH_WALLS: usize = 64;

/// A source at a smaller cosine counts as if it had this one: a tile is larger than a point.
const MIN_COSINE: f64 = 0.05;

/// The cosine of incidence at which walls reflect as much as they do on average.
const MEAN_COSINE: f64 = 0.5;

/// The estimate of what a wall reflects falls by this factor where the centre of the tile that reflects it does not see
/// the source, again where it is not seen, and again where the way passes beside the tiles: parts of all three may still
/// do.
pub(super) const HIDDEN: f64 = 0.3;

/// Neighbouring tiles in one plane.
#[derive(Debug)]
struct Block {
    tiles: Range<u32>,
    plane: PlaneId,
    centre: DVec3,
    radius: f64,
    normal: DVec3,
    /// Share of power that its front and its back reflect.
    reflected: [f64; 2],
    /// The blocks that its tiles see.
    seen: Vec<u32>,
}

/// All tiles in blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    all: Vec<Block>,
    of_tile: Vec<u32>,
}

/// The strongest sources before the walls.
#[derive(Debug)]
pub(super) struct WallLight {
    /// By block and side of it.
    sources: Vec<[Vec<Source>; 2]>,
    /// The strongest of all.
    brightest: Vec<Side>,
}

/// A side of a tile that may bring much.
#[derive(Debug, Clone, Copy)]
struct Source {
    side: Side,
    /// The tiles of the block, by their place in it, that see its centre.
    seen_by: u16,
}

impl Blocks {
    pub(super) fn new(environment: &Environment, places: &Places, exchange: &Exchange) -> Self {
        let mut all: Vec<Block> = Vec::new();
        let mut of_tile = Vec::with_capacity(places.len());
        for tile in 0..places.len() {
            let place = places.tile(tile);
            let number = u32::try_from(tile).expect("tiles fit in 32 bits");
            match all.last_mut() {
                Some(block) if block.plane == place.plane && block.tiles.len() < TILES as usize => {
                    block.tiles.end = number + 1;
                }
                _ => all.push(Block {
                    tiles: number..number + 1,
                    plane: place.plane,
                    centre: DVec3::ZERO,
                    radius: 0.0,
                    normal: place.normal,
                    reflected: [false, true].map(|is_back| {
                        let power = places.power(place.material, is_back);
                        power.split(MEAN_COSINE).reflected
                    }),
                    seen: Vec::new(),
                }),
            }
            of_tile.push(u32::try_from(all.len() - 1).expect("no more blocks than tiles"));
        }
        for block in &mut all {
            let own = || block.tiles.clone().map(|tile| places.tile(tile as usize));
            let sum: DVec3 = own().map(|place| place.centre).sum();
            block.centre = sum / f64::from(block.tiles.end - block.tiles.start);
            let reach = own().map(|place| place.centre.distance(block.centre) + place.area.sqrt());
            block.radius = reach.fold(0.0, f64::max);
            // Parts of tiles may be in sight where their centres are not.
            let seen = block.tiles.clone().flat_map(|tile| {
                let met = both_sides(tile as usize).map(|side| exchange.met(side));
                seen_by(environment, tile).chain(met.into_iter().flatten().copied())
            });
            block.seen = seen.map(|tile| of_tile[tile as usize]).collect();
            block.seen.sort_unstable();
            block.seen.dedup();
        }
        for number in 0..all.len() {
            for seen in all[number].seen.clone() {
                let seen = &mut all[seen as usize].seen;
                seen.push(u32::try_from(number).expect("no more blocks than tiles"));
            }
        }
        for block in &mut all {
            block.seen.sort_unstable();
            block.seen.dedup();
        }
        Self { all, of_tile }
    }
}

impl Block {
    fn height(&self, point: DVec3) -> f64 {
        (point - self.centre).dot(self.normal)
    }
}

impl WallLight {
    /// What arrives at walls when all sides send what `emission` says.
    pub(super) fn new(
        blocks: &Blocks,
        environment: &Environment,
        places: &Places,
        emission: &Emission,
    ) -> Self {
        let of_block = |block: &Block| -> [Vec<Source>; 2] {
            if block.reflected == [0.0; 2] {
                return Default::default();
            }
            // Parts of a tile may be in sight where its centre is not.
            let near = block
                .seen
                .iter()
                .map(|seen| blocks.all[*seen as usize].tiles.clone());
            let sides = near.flatten().flat_map(|tile| both_sides(tile as usize));
            let mut found: [Vec<(Side, f64)>; 2] = Default::default();
            for side in sides.filter(|side| !emission.is_dark(*side)) {
                let is_behind = block.height(places.tile(side.tile()).centre) < 0.0;
                let power = from_there(places, emission, side, block.centre);
                found[usize::from(is_behind)].push((side, power));
            }
            let mut found = found.map(|found| {
                let sides = strongest(found, SOURCES).into_iter();
                let sources = sides.map(|side| Source { side, seen_by: 0 });
                sources.collect::<Vec<Source>>()
            });
            for (place, tile) in block.tiles.clone().enumerate() {
                let seen: Vec<u32> = seen_by(environment, tile).collect();
                for source in found.iter_mut().flatten() {
                    let number = u32::try_from(source.side.tile()).expect("tiles fit in 32 bits");
                    if seen.binary_search(&number).is_ok() {
                        source.seen_by |= 1 << place;
                    }
                }
            }
            found
        };
        let sources = blocks.all.par_iter().map(of_block);
        let sides = (0..2 * places.len()).map(Side::from_index);
        let bright = sides.filter(|side| !emission.is_dark(*side)).map(|side| {
            (
                side,
                emission.strength(side) * places.tile(side.tile()).area,
            )
        });
        Self {
            sources: sources.collect(),
            brightest: strongest(bright.collect(), THROUGH_WALLS),
        }
    }

    /// The strongest sources straight through walls, for the power that comes to the centre of a side.
    pub(super) fn through_walls(
        &self,
        places: &Places,
        emission: &Emission,
        side: Side,
    ) -> impl Iterator<Item = Aim> {
        let (here, normal) = (places.tile(side.tile()).centre, places.normal(side));
        let aim = move |there: &Side| {
            let centre = places.tile(there.tile()).centre;
            let is_before = (centre - here).dot(normal) > 0.0;
            let power = is_before.then(|| from_there(places, emission, *there, here))?;
            (power > 0.0).then_some(Aim {
                way: Way::Straight,
                side: *there,
                power,
            })
        };
        self.brightest.iter().filter_map(aim)
    }

    /// The strongest sources that walls in sight reflect to the centre of a side.
    pub(super) fn reflected(
        &self,
        blocks: &Blocks,
        (environment, places): (&Environment, &Places),
        emission: &Emission,
        side: Side,
    ) -> Vec<Aim> {
        let (here, normal) = (places.tile(side.tile()).centre, places.normal(side));
        let seen: Vec<u32> = seen_by(environment, side.tile() as u32).collect();
        let mut aims = Vec::new();
        for number in &blocks.all[blocks.of_tile[side.tile()] as usize].seen {
            let block = &blocks.all[*number as usize];
            let height = block.height(here);
            let is_back = height < 0.0;
            let reflected = block.reflected[usize::from(is_back)];
            if reflected <= 0.0 || (block.centre - here).dot(normal) < -block.radius {
                continue;
            }
            let image = here - 2.0 * height * block.normal;
            for source in &self.sources[*number as usize][usize::from(is_back)] {
                let place = places.tile(source.side.tile());
                let above = block.height(place.centre);
                // Where the straight way between the image and the source passes the wall.
                let part = above / (above + height);
                let at = place.centre + part * (image - place.centre);
                let reach = block.radius + place.area.sqrt();
                if part.is_nan() || at.distance_squared(block.centre) > reach * reach {
                    continue;
                }
                let tiles = block.tiles.clone().enumerate();
                let squared = |tile: u32| places.tile(tile as usize).centre.distance_squared(at);
                let nearest = tiles.min_by(|(_, a), (_, b)| squared(*a).total_cmp(&squared(*b)));
                let (place_in_block, tile) = nearest.expect("a block has tiles");
                let hidden = [
                    source.seen_by >> place_in_block & 1 == 0,
                    seen.binary_search(&tile).is_err(),
                    squared(tile) > places.tile(tile as usize).area,
                ];
                let power = hidden.iter().filter(|is_hidden| **is_hidden).fold(
                    reflected * from_there(places, emission, source.side, image),
                    |power, _| power * HIDDEN,
                );
                if power > 0.0 {
                    aims.push(Aim {
                        way: by_plane(block.plane),
                        side: source.side,
                        power,
                    });
                }
            }
        }
        aims
    }
}

/// The way by a reflection at a plane.
pub(super) fn by_plane(plane: PlaneId) -> Way {
    Way::By(group(plane))
}

/// The tiles that a tile sees, in ascending order.
fn seen_by(environment: &Environment, tile: u32) -> impl Iterator<Item = u32> {
    row_ids(environment.rows.row(tile as usize)).flatten()
}

fn both_sides(tile: usize) -> [Side; 2] {
    [false, true].map(|is_back| Side::new(tile, is_back))
}

/// What may come from a side to a point, or to its mirror image.
pub(super) fn from_there(places: &Places, emission: &Emission, side: Side, to: DVec3) -> f64 {
    let place = places.tile(side.tile());
    let way = to - place.centre;
    let squared = way.length_squared();
    let cosine = way.dot(places.normal(side)) / squared.sqrt();
    // A part of a large tile may look to where its centre does not.
    if cosine < -MIN_COSINE {
        return 0.0;
    }
    emission.strength(side) * cosine.max(MIN_COSINE) * place.area / (squared + place.area)
}

/// The strongest sides, each once, in ascending order.
fn strongest(mut all: Vec<(Side, f64)>, most: usize) -> Vec<Side> {
    all.sort_unstable_by(|(a, p), (b, q)| a.index().cmp(&b.index()).then(q.total_cmp(p)));
    all.dedup_by_key(|(side, _)| *side);
    if all.len() > most {
        let by_power = |a: &(Side, f64), b: &(Side, f64)| {
            b.1.total_cmp(&a.1).then(a.0.index().cmp(&b.0.index()))
        };
        all.select_nth_unstable_by(most, by_power);
        all.truncate(most);
        all.sort_unstable_by_key(|(side, _)| side.index());
    }
    all.into_iter().map(|(side, _)| side).collect()
}
