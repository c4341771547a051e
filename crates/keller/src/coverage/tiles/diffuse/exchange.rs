//! The exchange of power between tiles: the share of the power of one tile that arrives at another, and which tiles are
//! out of reach of each other. Computed once for a scene.
//!
//! A centre stands for its tile, so the shares of all tiles that one tile sees do not add up to its view exactly: in a
//! room of tiles, they are a few percent off. Rays from points all over each side show which sides lie in closed rooms.
//! Each of these gets a factor, such that the products of both sides' factors with their exchange add up to the whole
//! view. So a closed room loses and wins no power, and the exchange stays reciprocal. In the open, all factors are 1.
//!
//! **Source.** [`crate::power::reciprocity`] for the factors; J. R. Wallace et al., "A ray tracing algorithm for progressive
//! radiosity", SIGGRAPH 1989, doi:10.1145/74333.74366, for the disc in [`sight`].

use std::f64::consts::PI;

use glam::DVec3;

use super::directions::along_z_curve;
use super::place::Places;
use crate::geometry::sampling::{Points, evenly_around};
use crate::geometry::union_find::SharedUnionFind;
use crate::parallel;
use crate::paths::Environment;
use crate::power::rays::{RayStart, WallHit, cast};
use crate::power::reciprocity::factors;
use crate::power::sides::Side;
use crate::scene::Scene;
use crate::tiles::row_ids;
use crate::{Control, Error, Stage};

/// Rays from each side.
const RAYS: u32 = 64;

/// Passes over all pairs of tiles that see each other.
const PASSES: usize = 3;

/// A room is closed if no more than this share of rays from its walls ends in the open. Rays that start in a corner may
/// slip through.
const CRACKS: f64 = 1e-2;

/// A side of which at least so many rays end in the open belongs to no room.
const OUTSIDE: u32 = RAYS - RAYS / 8;

/// Rays start at this share of the way from the centre of a tile to points all over it, so that none starts behind a
/// wall that stands at its border.
const INSIDE: f64 = 0.99;

/// Factors beyond these would mean that a centre does not stand for its tile at all.
const FACTORS: [f64; 2] = [0.5, 2.0];

/// Factors and components, by side.
#[derive(Debug)]
pub(super) struct Exchange {
    factors: Vec<f32>,
    /// Sides between which rays may pass, however often they are reflected, have the same number.
    components: Vec<u32>,
    /// For each side, whether rays from it end in the open.
    sees_open: Vec<bool>,
}

/// One tile as another sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    pub(super) here: Side,
    pub(super) there: Side,
    /// Unit vector from here to there.
    pub(super) into: DVec3,
    pub(super) distance: f64,
    pub(super) cos_here: f64,
    pub(super) cos_there: f64,
    /// Gain at the centre here of 1 W per steradian and m² that leaves the tile there in this direction, if it falls as
    /// the cosine to its normal.
    pub(super) share: f64,
    /// The same, if it does not depend on the direction.
    pub(super) even_share: f64,
}

/// The view of the tile `there` from the tile `here`; the centre of `there` is visible.
pub(super) fn sight(places: &Places, here: usize, there: usize) -> Sight {
    let [own, other] = [here, there].map(|tile| places.tile(tile));
    let way = other.centre - own.centre;
    let squared = way.length_squared();
    let distance = squared.sqrt();
    let into = way / distance;
    let [cos_here, cos_there] = [own.normal.dot(into), -other.normal.dot(into)];
    let area = own.area.max(other.area);
    let relative = area / (PI * squared) * narrowing(area / squared, [cos_here, cos_there]);
    let far = other.area / squared;
    let solid_angle = if relative.abs() < 1e-6 {
        1.0
    } else {
        2.0 * (1.0 - 1.0 / (1.0 + relative).sqrt()) / relative
    };
    Sight {
        here: Side::new(here, cos_here < 0.0),
        there: Side::new(there, cos_there < 0.0),
        into,
        distance,
        cos_here: cos_here.abs().min(1.0),
        cos_there: cos_there.abs().min(1.0),
        share: far / (1.0 + relative),
        even_share: far * solid_angle,
    }
}

/// The part by which a tile's extent reduces its exchange with another, relative to the reduction of a disc in front of
/// the other's centre. `near` is the area over the squared distance.
///
/// Near tiles count as discs. Far ones count by the second derivatives of `cos / d²` over their area, which make tiles
/// that are seen at grazing angles count for more than their centres. The mean of both sides keeps this reciprocal.
fn narrowing(near: f64, cosines: [f64; 2]) -> f64 {
    /// Area over the squared distance at which both count alike.
    const BORDER: f64 = 0.25;
    let of_disc = (near / BORDER).powi(2);
    let of_disc = of_disc / (1.0 + of_disc);
    let squares = 0.5 * (cosines[0].powi(2) + cosines[1].powi(2));
    let by_derivatives = PI * (15.0 * squares - 9.0) / 24.0;
    of_disc + (1.0 - of_disc) * by_derivatives
}

impl Exchange {
    /// The exchange, and by side the tiles that rays from all over it meet, in ascending order.
    pub(super) fn new(
        scene: &Scene,
        places: &Places,
        environment: &Environment,
        control: &Control,
    ) -> Result<(Self, Vec<Vec<u32>>), Error> {
        control.report(Stage::Scatter, 0.0);
        let num_sides = 2 * places.len();
        let joined = SharedUnionFind::new(num_sides);
        let rays: Vec<(u32, Vec<u32>)> = parallel::try_map(num_sides, |side| {
            control.check()?;
            let side = Side::from_index(side);
            Ok::<_, Error>(num_into_open(scene, places, environment, side, &joined))
        })?;
        let (into_open, met): (Vec<u32>, Vec<Vec<u32>>) = rays.into_iter().unzip();
        let number = |side: usize| joined.root(u32::try_from(side).expect("sides fit in 32 bits"));
        let components: Vec<u32> = (0..num_sides).map(number).collect();
        let sees_open = into_open.iter().map(|num| *num > 0).collect();
        let mut rays = vec![[0.0; 2]; num_sides];
        for (component, into_open) in components.iter().zip(into_open) {
            // The outside of a wall may meet its inside at a corner. It is no part of the room.
            if into_open < OUTSIDE {
                let [all, open] = &mut rays[*component as usize];
                *all += f64::from(RAYS);
                *open += f64::from(into_open);
            }
        }
        let are_open: Vec<bool> = rays
            .iter()
            .map(|[all, open]| *open > CRACKS * all || *all == 0.0)
            .collect();
        let is_open = |side: usize| are_open[components[side] as usize];
        let factors = factors(num_sides, PASSES, FACTORS, |factors| {
            let seen: Vec<[f64; 2]> = parallel::try_map(places.len(), |tile| {
                control.check()?;
                let is_open = [0, 1].map(|side| is_open(2 * tile + side));
                if is_open == [true; 2] {
                    return Ok([0.0; 2]);
                }
                let seen = seen_share(places, environment, tile, factors);
                Ok::<_, Error>([0, 1].map(|side| if is_open[side] { 0.0 } else { seen[side] }))
            })?;
            Ok(seen.into_flattened())
        })?;
        #[expect(clippy::cast_possible_truncation, reason = "factors have few digits")]
        let factors = factors.into_iter().map(|factor| factor as f32).collect();
        let exchange = Self {
            factors,
            components,
            sees_open,
        };
        Ok((exchange, met))
    }

    /// The factor of the exchange between two sides.
    pub(super) fn factor(&self, a: Side, b: Side) -> f64 {
        f64::from(self.factors[a.index()]) * f64::from(self.factors[b.index()])
    }

    /// The number of the open space before each side.
    pub(super) fn components(&self) -> &[u32] {
        &self.components
    }

    /// Whether a side looks into the open.
    pub(super) fn sees_open(&self, side: Side) -> bool {
        self.sees_open[side.index()]
    }
}

/// The number of rays from a side that meet nothing, and the tiles that the others meet. Joins the side with theirs.
fn num_into_open(
    scene: &Scene,
    places: &Places,
    environment: &Environment,
    side: Side,
    joined: &SharedUnionFind,
) -> (u32, Vec<u32>) {
    let tile = &environment.tiles.all()[side.tile()];
    let Some(frame) = environment.tiles.frame(tile.face) else {
        return (RAYS, Vec::new());
    };
    let place = places.tile(side.tile());
    let normal = places.normal(side);
    let points = Points::new(side.index() as u64);
    let mut starts = Vec::with_capacity(RAYS as usize);
    let mut samples: Vec<[f64; 4]> = (0..RAYS).map(|k| points.at(k)).collect();
    samples.sort_by_key(|[_, _, c, d]| along_z_curve([*c, *d]));
    for [a, b, c, d] in samples {
        let at = tile.low + glam::DVec2::new(a, b) * (tile.high - tile.low);
        let at = frame.corner + at.x * frame.axes[0] + at.y * frame.axes[1];
        // If a tile fills a part of its cell, only points on it count; where none does, its centre.
        let is_own = scene.is_on_face(tile.face, at);
        let origin = if is_own {
            place.centre.lerp(at, INSIDE)
        } else {
            place.centre
        };
        let direction = evenly_around(normal, [c, d]);
        starts.push(RayStart::new(origin, direction, Some(place.plane)));
    }
    let hits = cast(scene, &starts);
    let (mut into_open, mut all_met) = (0, Vec::new());
    for (hit, start) in hits.iter().zip(&starts) {
        let Some(WallHit { face, point, .. }) = *hit else {
            into_open += 1;
            continue;
        };
        let Some(met) = environment.tiles.at(face, point) else {
            continue;
        };
        all_met.push(u32::try_from(met).expect("tiles fit in 32 bits"));
        let met = places.side_met(met, scene.face_normal(face), start.direction);
        joined.join(side.id(), met.id());
    }
    all_met.sort_unstable();
    all_met.dedup();
    (into_open, all_met)
}

/// The share of Lambertian power from both sides of a tile that arrives at visible tiles.
fn seen_share(
    places: &Places,
    environment: &Environment,
    tile: usize,
    factors: &[f64],
) -> [f64; 2] {
    let mut seen = [0.0; 2];
    for other in row_ids(environment.rows.row(tile)).flatten() {
        let sight = sight(places, tile, other as usize);
        let factor = factors[sight.here.index()] * factors[sight.there.index()];
        seen[usize::from(sight.here.is_back())] +=
            factor * sight.cos_here * sight.cos_there * sight.share / PI;
    }
    seen
}
