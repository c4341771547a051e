//! The field of exact paths at a tile, and the power of it that the tile scatters.

use std::f64::consts::{PI, TAU};
use std::ops::{Add, AddAssign, Mul};

use glam::DVec3;

use super::super::points::receiver;
use super::arrival::TileWave;
use super::{CellPaths, StrongestPath, TileField};
use crate::channel::{Antennas, ImpulseResponse};
use crate::em::Surface;
use crate::em::scattering::{lobe_scale, scattered_share};
use crate::paths::InteractionCounts;
use crate::spherical_basis;
use crate::tiles::Tile;
use crate::{Frequency, Tx, World};

/// One side of a tile.
#[derive(Debug, Clone, Default)]
pub(super) struct TileSide {
    pub(super) field: TileField,
    /// The power that its wall scatters of each path.
    pub(super) scattered: Vec<Scattered>,
}

/// The power that a wall scatters of one path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scattered {
    /// The interactions of the path before the tile, which count against the limits.
    pub(super) used: InteractionCounts,
    /// Direction from which the path arrives.
    pub(super) into: DVec3,
    /// Gain in each direction divided by [`crate::em::scattering::lobe_shape`], for 1 m² at 1 m.
    pub(super) strength: Moments,
}

/// Power and its moments over delay: power times seconds, and power times seconds squared.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Moments {
    pub(super) power: f64,
    pub(super) first: f64,
    pub(super) second: f64,
}

impl Moments {
    /// The moments of all power of a field.
    pub(super) fn of(field: &TileField) -> Self {
        let power = field.path_gain;
        match (field.mean_delay, field.delay_spread) {
            (Some(mean), Some(spread)) => Self {
                power,
                first: power * mean,
                second: power * (mean * mean + spread * spread),
            },
            _ => Self::at(power, 0.0),
        }
    }

    /// The moments of power at a single delay, s.
    pub(super) fn at(power: f64, delay: f64) -> Self {
        Self {
            power,
            first: power * delay,
            second: power * delay * delay,
        }
    }

    /// The same power, later by `by`, s.
    pub(super) fn later(self, by: f64) -> Self {
        Self {
            power: self.power,
            first: self.first + by * self.power,
            second: self.second + by * (2.0 * self.first + by * self.power),
        }
    }

    /// Mean delay and rms delay spread, s.
    pub(super) fn mean_and_spread(self) -> (Option<f64>, Option<f64>) {
        if self.power <= 0.0 {
            return (None, None);
        }
        let mean = self.first / self.power;
        let spread = (self.second / self.power - mean * mean).max(0.0).sqrt();
        (Some(mean), Some(spread))
    }
}

impl Add for Moments {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            power: self.power + other.power,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
}

impl AddAssign for Moments {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<f64> for Moments {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        Self {
            power: by * self.power,
            first: by * self.first,
            second: by * self.second,
        }
    }
}

/// The power through 1 m² per path gain and cosine of incidence, 1/m²: the inverse of the effective area of an
/// isotropic antenna.
///
/// # Source
/// `4 pi / lambda^2`. Theory page: `gain`.
pub(super) fn density(wavelength: f64) -> f64 {
    2.0 * TAU / (wavelength * wavelength)
}

/// Both sides of a tile with these arrivals.
pub(super) fn lit(world: &World, tx: &Tx, tile: &Tile, arrivals: &[TileWave]) -> [TileSide; 2] {
    let normal = world.scene().face_normal(tile.face);
    let surface = world.surface(tile.face);
    [normal, -normal].map(|outwards| {
        let is_front = outwards == normal;
        let of_side = |arrival: &&TileWave| (arrival.side == 0) == is_front;
        let here: Vec<&TileWave> = arrivals.iter().filter(of_side).collect();
        let mut lit = on_side(world.frequency(), tx, outwards, tile.area, &here);
        let scattered = |arrival| scattered(surface, tx, outwards, is_front, arrival);
        lit.scattered = here.into_iter().filter_map(scattered).collect();
        lit
    })
}

/// The field of the arrivals on the side with the normal `outwards`.
fn on_side(
    carrier: Frequency,
    tx: &Tx,
    outwards: DVec3,
    area: f64,
    arrivals: &[&TileWave],
) -> TileSide {
    if arrivals.is_empty() {
        return TileSide::default();
    }
    let rx = receiver();
    let antennas = Antennas::single(&tx.antenna, &rx);
    let fields = arrivals.iter().map(|a| (a.field, 0.0, a.is_direct));
    let channel = ImpulseResponse::from_fields(carrier, fields, antennas);
    let (mut path_gain, mut flux) = (0.0, 0.0);
    let mut strongest: Option<(f64, StrongestPath)> = None;
    for TileWave {
        field,
        gain,
        is_along,
        ..
    } in arrivals
    {
        let gain = *gain;
        path_gain += gain;
        if !is_along {
            flux += gain * outwards.dot(field.arrival.unit_vector()).max(0.0);
        }
        if gain > 0.0 && strongest.is_none_or(|(most, _)| gain > most) {
            let path = StrongestPath {
                delay: field.delay,
                arrival: field.arrival,
            };
            strongest = Some((gain, path));
        }
    }
    let paths = CellPaths::new(&channel);
    let field = TileField {
        path_gain,
        diffuse_gain: 0.0,
        sampled_gain: 0.0,
        incident_power: flux * area * density(carrier.wavelength()),
        paths,
        strongest: strongest.map(|(_, path)| path),
        mean_delay: paths.spreads.map(|s| s.mean_delay),
        delay_spread: paths.spreads.map(|s| s.delay_spread),
        omitted_gain: 0.0,
    };
    TileSide {
        field,
        scattered: Vec::new(),
    }
}

/// The power that a wall with the normal `outwards` scatters of one arrival.
///
/// # Source
/// [`scattered_share`], for the components of the arriving field.
fn scattered(
    surface: &Surface,
    tx: &Tx,
    outwards: DVec3,
    is_front: bool,
    arrival: &TileWave,
) -> Option<Scattered> {
    let field = &arrival.field;
    let lobe = surface.texture().scattering?.lobe;
    let into = field.arrival.unit_vector();
    let cos_in = into.dot(outwards).min(1.0);
    if arrival.is_along || cos_in <= 0.0 {
        return None;
    }
    let [theta, phi] = spherical_basis(into);
    // Any direction is perpendicular to the plane of incidence at normal incidence.
    let across = outwards.cross(into).try_normalize().unwrap_or(theta);
    let (across_theta, across_phi) = (across.dot(theta), across.dot(phi));
    let [[tt, tp], [pt, pp]] = field.coefficient;
    let share = scattered_share(surface, cos_in, is_front);
    let fields = tx.antenna.fields(field.departure);
    let mut power = 0.0;
    let num_ports = fields.len() as f64;
    for f in fields {
        let e = [tt * f[0] + tp * f[1], pt * f[0] + pp * f[1]];
        let te = (e[0] * across_theta + e[1] * across_phi).norm_sqr();
        let tm = (e[0].norm_sqr() + e[1].norm_sqr() - te).max(0.0);
        power += te * share.te + tm * share.tm;
    }
    power /= num_ports;
    (power > 0.0).then(|| Scattered {
        used: arrival.used,
        into,
        strength: Moments::at(power * lobe_scale(lobe, cos_in), field.delay),
    })
}

/// Power per steradian and square metre of a Lambertian wall, relative to the incident power.
pub(super) const LAMBERT: f64 = 1.0 / PI;
