//! Carries the field of the Tx along a tube: through its walls and around its edge.
//!
//! Where the antenna is isotropic, one wave stands for the whole tube, that of its centre ray, and only the spreading
//! follows the exact distance to a cell. Other patterns may turn fast within a tube, as below a mast, so the wave is
//! computed to the centre of each cell. Behind an edge the diffraction coefficient changes much within a tube, so it is
//! interpolated across the angle around the edge, or computed for the cell itself where terms of it cancel. The accuracy
//! `exact` computes the wave to the centre of each cell, and so does every accuracy behind several edges
//! (`several_edges`).
//!
//! Cost: one wave a tube or, with a pattern, a cell; behind an edge three a tube, and an interpolation for each cell; with
//! `exact` one wave for each cell.

use glam::DVec3;

use super::route::WaveAtEdge;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::{Bundle, TubeInteraction, around_last_edge};
use crate::coverage::tubes::tube::clipped_cell::ClippedCell;
use crate::coverage::tubes::tube::direction_cells::DirectionCell;
use crate::coverage::tubes::tube::edge_image::{EdgeImage, EdgeLight};
use crate::coverage::tubes::tube::gain_by_distance::GainByDistance;
use crate::coverage::tubes::tube::tube_ray::LocatedPoint;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::field::{PlaneWave, Way};

/// Interpolation across a tube from an edge may have an error of this part of the power at the centre of the tube.
const FAIR: f64 = 0.03;

/// The range for tubes from an image of the Tx, whose wave does not depend on the distance.
pub(in crate::coverage::tubes) const NO_RANGE: [f64; 2] = [0.0; 2];

/// The wave of the centre ray of these directions, spreading left out, and the path gain by distance. Behind an edge
/// both hold for this range of distances from it, metres.
pub(in crate::coverage::tubes) fn wave(
    ctx: &Context<'_>,
    bundle: &Bundle,
    directions: &ClippedCell,
    range: [f64; 2],
) -> (PlaneWave, GainByDistance) {
    match &bundle.source {
        VirtualSource::Point(_) => {
            let wave = straight_wave(ctx, bundle, directions.centre());
            let path_gain = GainByDistance::of_point(power(ctx, &wave));
            (wave, path_gain)
        }
        VirtualSource::Edge(image) => {
            let [s, phi] = image.place(directions.cell.corners()[0]);
            if bundle.counts.diffractions > 1 {
                return several_times_diffracted(ctx, bundle, image, [s, phi], range);
            }
            let at_edge = wave_at_edge(ctx, bundle, image, s);
            diffracted_wave(ctx, bundle, &at_edge, phi, range)
        }
    }
}

/// The wave that leaves the Tx in a direction and meets only walls.
fn straight_wave(ctx: &Context<'_>, bundle: &Bundle, departure: DVec3) -> PlaneWave {
    let mut wave = ctx.tx_field.wave(departure.normalize());
    ctx.walls.pass(&mut wave, &bundle.interactions);
    wave
}

/// The wave that leaves an edge at the angle `phi`, at the geometric mean of the range.
pub(in crate::coverage::tubes) fn diffracted_wave(
    ctx: &Context<'_>,
    bundle: &Bundle,
    at_edge: &WaveAtEdge<'_, '_>,
    phi: f64,
    range: [f64; 2],
) -> (PlaneWave, GainByDistance) {
    let (diffracted, behind) = (at_edge.diffracted(phi), at_edge.behind());
    let (_, after) = bundle.interactions_around_edge();
    let distances = distances_within(ctx, range);
    let mut waves = diffracted.seen_from_each(behind, distances);
    for wave in &mut waves {
        ctx.walls.pass(wave, after);
    }
    let powers = waves.map(|wave| power(ctx, &wave));
    let known = [0, 1, 2].map(|k| (distances[k], powers[k]));
    (waves[1], GainByDistance::of_edge(behind, known))
}

/// The wave that leaves the last of several edges at a place, at the geometric mean of the range. It stands for all
/// distances, because it costs much and changes little apart from its spreading.
fn several_times_diffracted(
    ctx: &Context<'_>,
    bundle: &Bundle,
    image: &EdgeImage,
    place: [f64; 2],
    range: [f64; 2],
) -> (PlaneWave, GainByDistance) {
    let behind = image.arrival(place[0]).behind;
    let [_, ahead, _] = distances_within(ctx, range);
    let wave = wave_behind_several(ctx, bundle, image, place, ahead, true);
    let unspread = power(ctx, &wave) / GainByDistance::spreading_of_edge(behind, ahead);
    (wave, GainByDistance::flat(behind, unspread))
}

/// The wave `ahead` metres behind a place of the last of several edges, with its spreading.
pub(in crate::coverage::tubes) fn wave_behind_several(
    ctx: &Context<'_>,
    bundle: &Bundle,
    image: &EdgeImage,
    place: [f64; 2],
    ahead: f64,
    is_rough: bool,
) -> PlaneWave {
    let tx_wave = |departure| ctx.tx_field.wave(departure);
    let interactions = &bundle.interactions;
    ctx.walls
        .behind_several(tx_wave, interactions, image, place, ahead, is_rough)
}

/// Three distances from the shortest to the longest of a range, metres.
fn distances_within(ctx: &Context<'_>, [near, far]: [f64; 2]) -> [f64; 3] {
    let near = near.max(0.1 * ctx.sizes.finest());
    let far = far.max(1.1 * near);
    [near, (near * far).sqrt(), far]
}

/// The wave where it meets an edge, `s` metres along the edge.
pub(in crate::coverage::tubes) fn wave_at_edge<'a, 'i>(
    ctx: &Context<'a>,
    bundle: &Bundle,
    image: &'i EdgeImage,
    s: f64,
) -> WaveAtEdge<'a, 'i> {
    let tx_wave = |departure| ctx.tx_field.wave(departure);
    ctx.walls.at_edge(tx_wave, &bundle.interactions, image, s)
}

/// The path gain of a tube at its points, as a function of the point, located and in metres, and of its distance from
/// the source.
pub(in crate::coverage::tubes) fn gain_at<'a>(
    ctx: &'a Context<'_>,
    bundle: &'a Bundle,
    cell: DirectionCell,
    path_gain: GainByDistance,
) -> impl Fn(&LocatedPoint, DVec3, f64) -> f64 + 'a {
    let (_, after) = bundle.interactions_around_edge();
    let diffracted = match &bundle.source {
        VirtualSource::Edge(image)
            if bundle.counts.diffractions == 1 && !ctx.fineness.is_thorough =>
        {
            let [centre, low, _, high, _] = cell.corners().map(|corner| image.place(corner));
            let at_edge = wave_at_edge(ctx, bundle, image, centre[0]);
            let (diffracted, behind) = (at_edge.diffracted(centre[1]), at_edge.behind());
            let [from, to] = [low, high].map(|[_, phi]| at_edge.diffracted(phi));
            // The part of the power at the centre that walls behind the edge leave.
            let mut wave = diffracted.seen_from(behind, behind);
            let alone = wave.power();
            ctx.walls.pass(&mut wave, after);
            let fan = from.fan_to(&to);
            let sin_beta = image.arrival(centre[0]).sin_beta;
            let found = fan.power_at(centre[1], sin_beta, behind, behind);
            // If terms nearly cancel, interpolation between both ends is not good enough.
            let is_fair = (found - alone).abs() < FAIR * alone;
            is_fair.then(|| (fan, power(ctx, &wave) / alone))
        }
        VirtualSource::Edge(_) | VirtualSource::Point(_) => None,
    };
    move |at, point, ahead| {
        let exact = || power(ctx, &wave_to(ctx, bundle, at, point).1);
        match (&bundle.source, &diffracted) {
            (VirtualSource::Point(_), _) if cells_differ(ctx) => exact() / (ahead * ahead),
            (VirtualSource::Point(_), _) => path_gain.at(ahead),
            (VirtualSource::Edge(_), diffracted) => {
                let power = if let Some((diffracted, scale)) = diffracted {
                    scale * diffracted.power_at(at.place[1], at.sin_beta, at.behind, ahead)
                } else {
                    exact()
                };
                power * spreading(bundle, at.behind, ahead)
            }
        }
    }
}

/// Whether the cells of one tube from an image of the Tx differ in more than their distance.
pub(super) fn cells_differ(ctx: &Context<'_>) -> bool {
    ctx.fineness.is_thorough || ctx.tx_field.varies()
}

/// The decrease of a wave's power with the distance from its source, if the wave leaves it out.
pub(super) fn spreading(bundle: &Bundle, behind: f64, ahead: f64) -> f64 {
    match bundle.counts.diffractions {
        0 => 1.0 / (ahead * ahead),
        1 => GainByDistance::spreading_of_edge(behind, ahead),
        // The wave behind several edges includes it.
        _ => 1.0,
    }
}

/// The direction in which the path to a point leaves the Tx, and the wave at the point, without its
/// [`spreading`].
pub(in crate::coverage::tubes) fn wave_to(
    ctx: &Context<'_>,
    bundle: &Bundle,
    at: &LocatedPoint,
    point: DVec3,
) -> (DVec3, PlaneWave) {
    match &bundle.source {
        VirtualSource::Point(image) => {
            let departure = image.turn.transpose() * (point - image.position);
            (departure, straight_wave(ctx, bundle, departure))
        }
        VirtualSource::Edge(image) => {
            let tx_wave = |departure| ctx.tx_field.wave(departure);
            let ahead = point.distance(at.origin);
            let departure = image.departure_to(at.place[0]);
            if bundle.counts.diffractions > 1 {
                let wave = wave_behind_several(ctx, bundle, image, at.place, ahead, false);
                return (departure, wave);
            }
            let interactions = &bundle.interactions;
            let walls = ctx.walls;
            let wave = walls.behind_edge(tx_wave, interactions, image, at.place, ahead);
            (departure, wave)
        }
    }
}

/// The length by which the walls that it passes extend the path to a point, metres of air.
pub(in crate::coverage::tubes) fn excess_length(
    ctx: &Context<'_>,
    bundle: &Bundle,
    at: &LocatedPoint,
    point: DVec3,
) -> f64 {
    if bundle.counts.transmissions == 0 {
        return 0.0;
    }
    match &bundle.source {
        VirtualSource::Point(image) => {
            let departure = image.turn.transpose() * (point - image.position);
            excess_along(ctx, departure.normalize(), &bundle.interactions)
        }
        VirtualSource::Edge(image) => excess_around(ctx, &bundle.interactions, image, at.place),
    }
}

/// [`excess_length`] of the path that leaves an edge at a place.
fn excess_around(
    ctx: &Context<'_>,
    interactions: &[TubeInteraction],
    image: &EdgeImage,
    place: [f64; 2],
) -> f64 {
    let (before, after) = around_last_edge(interactions);
    let line = image.unfolded_ray(place);
    let behind = excess_along(ctx, line.direction, after);
    behind
        + match image.light() {
            EdgeLight::Tx(_) => excess_along(ctx, image.departure_to(place[0]), before),
            EdgeLight::Edge(first) => {
                excess_around(ctx, before, first, first.locate(line.origin).place)
            }
        }
}

/// [`excess_length`] along interactions, from a unit vector on.
fn excess_along(ctx: &Context<'_>, direction: DVec3, interactions: &[TubeInteraction]) -> f64 {
    let mut way = Way::new(direction);
    for interaction in interactions {
        if let TubeInteraction::Wall { kind, face } = *interaction {
            let surface = ctx.walls.world.surface(face);
            way.meet(kind, ctx.scene.face_normal(face), surface);
        }
    }
    way.excess_length()
}

/// The path gain of a wave without spreading; for an envelope the largest of its antennas.
pub(in crate::coverage::tubes) fn power(ctx: &Context<'_>, wave: &PlaneWave) -> f64 {
    ctx.walls.wavelength_factor() * ctx.tx_field.power(wave)
}
