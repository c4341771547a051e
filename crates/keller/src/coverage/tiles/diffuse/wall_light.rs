//! Estimates the power that arrives at walls in one scattering, by which tiles aim rays at the mirror images of bright
//! tiles.

use std::ops::Range;

use glam::DVec3;

use super::aims::{Aim, HIDDEN, MIN_COSINE, Way};
use super::emission::Emission;
use super::place::Places;
use crate::parallel;
use crate::paths::Environment;
use crate::power::sides::Side;
use crate::scene::{MaterialId, PlaneId};
use crate::tiles::{RowBuilder, row_ids};

/// The largest number of tiles of a block.
const TILES: u32 = 16;

/// Sides of tiles that are kept for each side of a block, the strongest.
const SOURCES: usize = 24;

/// Sides of tiles at which rays are aimed through walls, the strongest.
const THROUGH_WALLS: usize = 64;

/// The cosine of incidence at which walls reflect and pass as much as they do on average.
const MEAN_COSINE: f64 = 0.5;

/// Neighbouring tiles of one material in one plane.
#[derive(Debug)]
struct Block {
    tiles: Range<u32>,
    plane: PlaneId,
    material: MaterialId,
    centre: DVec3,
    radius: f64,
    normal: DVec3,
    /// Share of power that its front and its back reflect.
    reflected: [f64; 2],
}

/// All tiles in blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    all: Vec<Block>,
    of_tile: Vec<u32>,
    /// The blocks that the tiles of each block see.
    seen: RowBuilder,
    /// The largest share of power that any wall passes on.
    transmitted: f64,
}

/// The strongest sources before the walls.
#[derive(Debug, Default)]
pub(super) struct WallLight {
    /// The strongest sources before both sides of each block.
    sources: Vec<[Sources; 2]>,
    /// The strongest of all.
    brightest: Vec<Source>,
}

/// The strongest sources before one side of a block.
#[derive(Debug, Default)]
struct Sources {
    all: Vec<Source>,
    /// The largest power that one of them sends.
    most: f64,
}

/// A side of a tile that may bring much.
#[derive(Debug, Clone, Copy)]
struct Source {
    side: Side,
    centre: DVec3,
    normal: DVec3,
    area: f64,
    /// The gain of the power that its whole area sends at 1 m, over the cosine to its normal.
    sent: f64,
    /// One bit for each tile of the block: whether it sees this centre.
    seen_by: u16,
}

impl Source {
    fn new(places: &Places, emission: &Emission, side: Side) -> Self {
        let place = places.tile(side.tile());
        Self {
            side,
            centre: place.centre,
            normal: places.normal(side),
            area: place.area,
            sent: emission.strength(side) * place.area,
            seen_by: 0,
        }
    }

    fn tile(&self) -> u32 {
        u32::try_from(self.side.tile()).expect("tiles fit in 32 bits")
    }

    /// The power that may come from here to a point, or to its mirror image.
    fn power(&self, to: DVec3) -> f64 {
        let way = to - self.centre;
        let squared = way.length_squared();
        let cosine = way.dot(self.normal) / squared.sqrt();
        // A part of a large tile may look to where its centre does not.
        if cosine < -MIN_COSINE {
            return 0.0;
        }
        self.sent * cosine.max(MIN_COSINE) / (squared + self.area)
    }
}

impl Blocks {
    /// `met` has for each side the tiles that rays from all over it meet.
    pub(super) fn new((environment, places): (&Environment, &Places), met: &[Vec<u32>]) -> Self {
        let mut all: Vec<Block> = Vec::new();
        let mut of_tile = Vec::with_capacity(places.len());
        for tile in 0..places.len() {
            let place = places.tile(tile);
            let number = u32::try_from(tile).expect("tiles fit in 32 bits");
            match all.last_mut() {
                Some(block)
                    if (block.plane, block.material) == (place.plane, place.material)
                        && block.tiles.len() < TILES as usize =>
                {
                    block.tiles.end = number + 1;
                }
                _ => all.push(Block {
                    tiles: number..number + 1,
                    plane: place.plane,
                    material: place.material,
                    centre: DVec3::ZERO,
                    radius: 0.0,
                    normal: place.normal,
                    reflected: [false, true].map(|is_back| {
                        let power = places.power(place.material, is_back);
                        power.split(MEAN_COSINE).reflected
                    }),
                }),
            }
            of_tile.push(u32::try_from(all.len() - 1).expect("no more blocks than tiles"));
        }
        let mut seen = RowBuilder::default();
        for block in &mut all {
            let own = || block.tiles.clone().map(|tile| places.tile(tile as usize));
            let sum: DVec3 = own().map(|place| place.centre).sum();
            block.centre = sum / f64::from(block.tiles.end - block.tiles.start);
            let reach = own().map(|place| place.centre.distance(block.centre) + place.area.sqrt());
            block.radius = reach.fold(0.0, f64::max);
            // Parts of tiles may be visible where their centres are not.
            let tiles = block.tiles.clone().flat_map(|tile| {
                let met = both_sides(tile as usize).map(|side| &met[side.index()]);
                let seen = seen_by(environment, tile as usize).into_iter();
                seen.chain(met.into_iter().flatten().copied())
            });
            let mut numbers: Vec<u32> = tiles.map(|tile| of_tile[tile as usize]).collect();
            numbers.sort_unstable();
            numbers.dedup();
            seen.push(&numbers);
        }
        let transmitted = all.iter().flat_map(|block| {
            let powers = [false, true].map(|is_back| places.power(block.material, is_back));
            powers.map(|power| power.split(MEAN_COSINE).transmitted)
        });
        Self {
            transmitted: transmitted.fold(0.0, f64::max),
            all,
            of_tile,
            seen,
        }
    }

    /// The blocks that the tiles of one see, in ascending order.
    fn seen(&self, block: usize) -> impl Iterator<Item = usize> {
        row_ids(self.seen.row(block))
            .flatten()
            .map(|number| number as usize)
    }
}

impl Block {
    fn height(&self, point: DVec3) -> f64 {
        (point - self.centre).dot(self.normal)
    }
}

impl WallLight {
    /// The power at walls when all sides send what `emission` says.
    pub(super) fn new(
        blocks: &Blocks,
        (environment, places): (&Environment, &Places),
        emission: &Emission,
    ) -> Self {
        let of_block = |number: usize| -> [Sources; 2] {
            let block = &blocks.all[number];
            if block.reflected == [0.0; 2] {
                return Default::default();
            }
            // Parts of a tile may be visible where its centre is not.
            let near = blocks
                .seen(number)
                .map(|seen| blocks.all[seen].tiles.clone());
            let sides = near.flatten().flat_map(|tile| both_sides(tile as usize));
            let mut found: [Vec<(Source, f64)>; 2] = Default::default();
            for side in sides.filter(|side| !emission.is_dark(*side)) {
                let source = Source::new(places, emission, side);
                let is_behind = block.height(source.centre) < 0.0;
                let power = source.power(block.centre);
                if power > 0.0 {
                    found[usize::from(is_behind)].push((source, power));
                }
            }
            let mut found = found.map(|found| strongest(found, SOURCES));
            for (place, tile) in block.tiles.clone().enumerate() {
                let seen = seen_by(environment, tile as usize);
                for source in found.iter_mut().flatten() {
                    if seen.binary_search(&source.tile()).is_ok() {
                        source.seen_by |= 1 << place;
                    }
                }
            }
            found.map(|all| Sources {
                most: all.iter().map(|source| source.sent).fold(0.0, f64::max),
                all,
            })
        };
        let sources = parallel::map(blocks.all.len(), of_block);
        let sides = (0..2 * places.len()).map(Side::from_index);
        let bright = sides.filter(|side| !emission.is_dark(*side)).map(|side| {
            let source = Source::new(places, emission, side);
            (source, source.sent)
        });
        Self {
            sources,
            brightest: strongest(bright.collect(), THROUGH_WALLS),
        }
    }

    /// The strongest sources that come to the centre of a side straight through walls, if they may bring more than
    /// `floor`.
    pub(super) fn through_walls(
        &self,
        blocks: &Blocks,
        (environment, places): (&Environment, &Places),
        side: Side,
        floor: f64,
    ) -> impl Iterator<Item = Aim> {
        let (here, normal) = (places.tile(side.tile()).centre, places.normal(side));
        let seen = seen_by(environment, side.tile());
        let is_hidden = move |there: &&Source| {
            let is_seen = seen.binary_search(&there.tile()).is_ok();
            !is_seen && (there.centre - here).dot(normal) > 0.0
        };
        let hidden = self.brightest.iter().filter(is_hidden);
        let aims = hidden.map(move |there| Aim {
            way: Way::Straight,
            side: there.side,
            power: blocks.transmitted * there.power(here),
        });
        aims.filter(move |aim| aim.power > floor)
    }

    /// The strongest sources that visible walls reflect to the centre of a side, if they may bring more than `floor`.
    pub(super) fn reflected(
        &self,
        blocks: &Blocks,
        (environment, places): (&Environment, &Places),
        side: Side,
        floor: f64,
    ) -> Vec<Aim> {
        let (here, normal) = (places.tile(side.tile()).centre, places.normal(side));
        let seen = seen_by(environment, side.tile());
        let mut aims = Vec::new();
        for number in blocks.seen(blocks.of_tile[side.tile()] as usize) {
            let block = &blocks.all[number];
            let height = block.height(here);
            let is_back = height < 0.0;
            let reflected = block.reflected[usize::from(is_back)];
            if reflected <= 0.0 || (block.centre - here).dot(normal) < -block.radius {
                continue;
            }
            let sources = &self.sources[number][usize::from(is_back)];
            let nearest = (block.centre.distance(here) - block.radius).max(0.0);
            if reflected * sources.most <= floor * nearest * nearest {
                continue;
            }
            let image = here - 2.0 * height * block.normal;
            for source in &sources.all {
                let above = block.height(source.centre);
                // The point where the straight line between the image and the source passes the wall.
                let part = above / (above + height);
                let at = source.centre + part * (image - source.centre);
                let reach = block.radius + source.area.sqrt();
                if part.is_nan() || at.distance_squared(block.centre) > reach * reach {
                    continue;
                }
                let mut power = reflected * source.power(image);
                if power <= floor {
                    continue;
                }
                let tiles = block.tiles.clone().enumerate();
                let squared = |tile: u32| places.tile(tile as usize).centre.distance_squared(at);
                let nearest = tiles.min_by(|(_, a), (_, b)| squared(*a).total_cmp(&squared(*b)));
                let (place, tile) = nearest.expect("a block has tiles");
                for is_hidden in [
                    source.seen_by >> place & 1 == 0,
                    seen.binary_search(&tile).is_err(),
                    squared(tile) > places.tile(tile as usize).area,
                ] {
                    if is_hidden {
                        power *= HIDDEN;
                    }
                }
                if power > floor {
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
    Way::By(plane.group())
}

/// The tiles whose centres a tile sees, in ascending order.
fn seen_by(environment: &Environment, tile: usize) -> Vec<u32> {
    row_ids(environment.rows.row(tile)).flatten().collect()
}

fn both_sides(tile: usize) -> [Side; 2] {
    [false, true].map(|is_back| Side::new(tile, is_back))
}

/// The strongest sources, in ascending order of their sides.
fn strongest(mut all: Vec<(Source, f64)>, most: usize) -> Vec<Source> {
    if all.len() > most {
        let by_power = |(a, p): &(Source, f64), (b, q): &(Source, f64)| {
            q.total_cmp(p).then(a.side.index().cmp(&b.side.index()))
        };
        all.select_nth_unstable_by(most, by_power);
        all.truncate(most);
    }
    all.sort_unstable_by_key(|(source, _)| source.side.index());
    all.into_iter().map(|(source, _)| source).collect()
}
