//! The contribution of one path to a cell in addition to its gain: phase, polarisation, delay and angles.
//!
//! The gain is that of the tube. Phase and polarisation are those of the path to the centre of the cell itself, since
//! sums of fields are more sensitive to errors than sums of powers.

use glam::DVec3;
use num_complex::Complex64;

use crate::Direction;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::results::path_accumulator::PathContribution;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::waves::transport;
use crate::field::{PlaneWave, phase};

/// The contribution of the path by the interactions of a bundle to a cell with this centre.
pub(super) fn of_tube(
    ctx: &Context<'_>,
    bundle: &Bundle,
    centre: DVec3,
    gain: f64,
) -> PathContribution {
    let located = bundle.source.locate(centre);
    let way = centre - located.origin;
    let length = located.behind + way.length();
    let excess = transport::excess_length(ctx, bundle, &located, centre);
    let (departure, wave) = transport::wave_to(ctx, bundle, &located, centre);
    PathContribution {
        is_line_of_sight: bundle.interactions.is_empty(),
        ..of_wave(ctx, &wave, gain, [length, excess], [departure, way, centre])
    }
}

/// The contribution of a path of this gain, from the wave at its end. The path is `length` metres long, the walls that
/// it transmits through add `excess` metres, and its last segment runs along `way` to `end`.
pub(in crate::coverage::tubes) fn of_wave(
    ctx: &Context<'_>,
    wave: &PlaneWave,
    gain: f64,
    [length, excess]: [f64; 2],
    [departure, way, end]: [DVec3; 3],
) -> PathContribution {
    let scale = (gain / wave.power().max(f64::MIN_POSITIVE)).sqrt();
    let wavelength = ctx.walls.world.frequency().wavelength();
    let scalar = Complex64::from_polar(scale, -phase(length, wavelength));
    let mut amplitudes = [[Complex64::ZERO; 2]; 2];
    for (amplitudes, received) in amplitudes.iter_mut().zip(wave.received()) {
        *amplitudes = received.map(|field| scalar * field);
    }
    PathContribution {
        detour: (length - end.distance(ctx.tx_position)).max(0.0) + excess,
        amplitudes,
        departure: Direction::from_vector(departure),
        arrival: Direction::from_vector(-way),
        is_line_of_sight: false,
    }
}
