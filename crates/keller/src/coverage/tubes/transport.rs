//! Carries the field of the Tx along a tube: through its walls and around its edge.
//!
//! By default one wave stands for the whole tube, that of its centre ray, and only the spreading follows the exact
//! distance to a cell. Behind an edge the diffraction coefficient changes much within a tube, so it is interpolated
//! across the angle around the edge, or computed for the cell itself where terms of it cancel. The accuracy `exact`
//! computes the wave to the centre of each cell.
//!
//! Cost: one wave a tube; behind an edge three, and an interpolation for each cell; with `exact` one wave for each
//! cell.

use glam::DVec3;

use super::bundle::{Bundle, TubeInteraction};
use super::clipped_cell::ClippedCell;
use super::context::Context;
use super::direction_cells::DirectionCell;
use super::gain_by_distance::GainByDistance;
use super::route::WaveAtEdge;
use super::virtual_source::{EdgeImage, LocatedPoint, VirtualSource};
use crate::field::{PlaneWave, Way};

/// Interpolation across a tube from an edge may have an error of this part of the power at the centre of the tube.
const FAIR: f64 = 0.03;

/// The range for tubes from an image of the Tx, whose wave does not depend on the distance.
pub(super) const NO_RANGE: [f64; 2] = [0.0; 2];

/// The wave of the centre ray of these directions, spreading left out, and the path gain by distance. From an edge both
/// hold for this range of distances behind it, metres.
pub(super) fn wave(
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
            let at_edge = wave_at_edge(ctx, bundle, image, s);
            diffracted_wave(ctx, bundle, &at_edge, phi, range)
        }
    }
}

/// The wave that leaves the Tx in a direction and meets only walls.
fn straight_wave(ctx: &Context<'_>, bundle: &Bundle, departure: DVec3) -> PlaneWave {
    let mut wave = ctx.tx_field.wave(departure.normalize());
    ctx.walls().pass(&mut wave, &bundle.interactions);
    wave
}

/// The wave that leaves an edge at the angle `phi`, at the geometric mean of the range.
pub(super) fn diffracted_wave(
    ctx: &Context<'_>,
    bundle: &Bundle,
    at_edge: &WaveAtEdge<'_, '_>,
    phi: f64,
    [near, far]: [f64; 2],
) -> (PlaneWave, GainByDistance) {
    let (bent, behind) = (at_edge.bent(phi), at_edge.behind());
    let near = near.max(0.1 * ctx.cell_size);
    let far = far.max(1.1 * near);
    let between = (near * far).sqrt();
    let (_, after) = bundle.interactions_around_edge();
    let distances = [near, between, far];
    let mut waves = bent.seen_from_each(behind, distances);
    for wave in &mut waves {
        ctx.walls().pass(wave, after);
    }
    let powers = waves.map(|wave| power(ctx, &wave));
    let known = [0, 1, 2].map(|k| (distances[k], powers[k]));
    (waves[1], GainByDistance::of_edge(behind, known))
}

/// The wave where it meets an edge, `s` metres along the edge.
pub(super) fn wave_at_edge<'a, 'i>(
    ctx: &Context<'a>,
    bundle: &Bundle,
    image: &'i EdgeImage,
    s: f64,
) -> WaveAtEdge<'a, 'i> {
    let tx_wave = |departure| ctx.tx_field.wave(departure);
    ctx.walls().at_edge(tx_wave, &bundle.interactions, image, s)
}

/// The path gain of a tube at its points, as a function of the point, located and in metres, and of its distance from
/// the source.
pub(super) fn gain_at<'a>(
    ctx: &'a Context<'_>,
    bundle: &'a Bundle,
    cell: DirectionCell,
    path_gain: GainByDistance,
) -> impl Fn(&LocatedPoint, DVec3, f64) -> f64 + 'a {
    let (_, after) = bundle.interactions_around_edge();
    let bent = match &bundle.source {
        VirtualSource::Edge(image) if !ctx.fineness.is_thorough => {
            let [centre, low, _, high, _] = cell.corners().map(|corner| image.place(corner));
            let at_edge = wave_at_edge(ctx, bundle, image, centre[0]);
            let (bent, behind) = (at_edge.bent(centre[1]), at_edge.behind());
            let [from, to] = [low, high].map(|[_, phi]| at_edge.bent(phi));
            // What walls behind the edge leave of the power at the centre.
            let mut wave = bent.seen_from(behind, behind);
            let alone = wave.power();
            ctx.walls().pass(&mut wave, after);
            let fan = from.fan_to(&to);
            let found = fan.power_at(centre[1], image.away() / behind, behind, behind);
            // Where terms nearly cancel, interpolation between both ends is not good enough.
            let is_fair = (found - alone).abs() < FAIR * alone;
            is_fair.then(|| (fan, power(ctx, &wave) / alone))
        }
        VirtualSource::Edge(_) | VirtualSource::Point(_) => None,
    };
    move |at, point, ahead| {
        let exact = || power(ctx, &wave_to(ctx, bundle, at, point).1);
        match (&bundle.source, &bent) {
            (VirtualSource::Point(_), _) if ctx.fineness.is_thorough => exact() / (ahead * ahead),
            (VirtualSource::Point(_), _) => path_gain.at(ahead),
            (VirtualSource::Edge(image), bent) => {
                let power = if let Some((bent, scale)) = bent {
                    let sin_beta = image.away() / at.behind;
                    scale * bent.power_at(at.place[1], sin_beta, at.behind, ahead)
                } else {
                    exact()
                };
                power / (at.behind * ahead * (at.behind + ahead))
            }
        }
    }
}

/// The direction in which the path to a point leaves the Tx, and the wave at the point, spreading left out.
pub(super) fn wave_to(
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
            let interactions = &bundle.interactions;
            let walls = ctx.walls();
            let wave = walls.behind_edge(tx_wave, interactions, image, at.place, ahead);
            (image.departure_to(at.place[0]), wave)
        }
    }
}

/// How much the walls that it transmits through lengthen the path to a point, metres of air.
pub(super) fn excess_length(
    ctx: &Context<'_>,
    bundle: &Bundle,
    at: &LocatedPoint,
    point: DVec3,
) -> f64 {
    if bundle.transmissions == 0 {
        return 0.0;
    }
    let (before, after) = bundle.interactions_around_edge();
    match &bundle.source {
        VirtualSource::Point(image) => {
            let departure = image.turn.transpose() * (point - image.position);
            excess_along(ctx, departure.normalize(), &bundle.interactions)
        }
        VirtualSource::Edge(image) => {
            let line = image.unfolded_ray(at.place);
            let departure = image.departure(line.origin).normalize();
            excess_along(ctx, departure, before) + excess_along(ctx, line.direction, after)
        }
    }
}

/// [`excess_length`] along interactions, from a unit vector on.
fn excess_along(ctx: &Context<'_>, direction: DVec3, interactions: &[TubeInteraction]) -> f64 {
    let mut way = Way::new(direction);
    for interaction in interactions {
        if let TubeInteraction::Wall { kind, face } = *interaction {
            let surface = ctx.surfaces.surface(ctx.scene.face(face).material);
            way.meet(kind, ctx.scene.face_normal(face), surface);
        }
    }
    way.excess_length()
}

/// The path gain of a wave without spreading; for an envelope the largest of its antennas.
pub(super) fn power(ctx: &Context<'_>, wave: &PlaneWave) -> f64 {
    ctx.walls().wavelength_factor() * ctx.tx_field.power(wave)
}
