//! The power matrix of a tube. It gives the gain of any antenna at the Tx without another trace.
//!
//! A recording trace carries fields along theta and phi as strong as its envelope allows. Here they are scaled back to
//! unit fields.

use glam::DVec3;

use super::bundle::Bundle;
use super::context::Context;
use super::direction_cells::DirectionCell;
use super::leaf::Leaf;
use super::recorded_tubes::TubeBatch;
use super::transport;
use super::tx_field::TxField;
use super::virtual_source::{LocatedPoint, VirtualSource};
use crate::field::PowerMatrix;

/// What a tube contributes to one cell for any antenna.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellMatrix {
    /// The unit vector in which the path leaves the Tx.
    pub(super) departure: DVec3,
    /// The matrix for unit fields, without spreading.
    pub(super) power_matrix: PowerMatrix,
    /// The largest power of any antenna of the envelope, without spreading.
    pub(super) power: f64,
    /// `power` with spreading.
    pub(super) gain: f64,
}

/// Whether the cells of one tube differ in more than their distance, so that each needs a matrix of its own.
pub(super) fn cells_have_own_matrices(ctx: &Context<'_>, bundle: &Bundle) -> bool {
    ctx.fineness.is_thorough || matches!(bundle.source, VirtualSource::Edge(_))
}

/// Adds a tube to a batch, with the wave of its centre ray; returns its number there.
pub(super) fn begin_record(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaf: &Leaf,
    batch: &mut TubeBatch<'_>,
) -> u32 {
    let departure = match &bundle.source {
        VirtualSource::Point(_) => leaf.directions.centre().normalize(),
        VirtualSource::Edge(edge) => {
            let [s, _] = edge.place(leaf.directions.cell.corners()[0]);
            edge.departure_to(s)
        }
    };
    let matrix = for_unit_fields(ctx, departure, leaf.wave.power_matrix());
    batch.begin(departure, &matrix, transport::power(ctx, &leaf.wave))
}

/// What a tube contributes to each of its cells, with arguments as in [`transport::gain_at`].
pub(super) fn matrix_at<'a>(
    ctx: &'a Context<'_>,
    bundle: &'a Bundle,
    cell: DirectionCell,
) -> impl Fn(&LocatedPoint, DVec3, f64) -> CellMatrix + 'a {
    let bent = match &bundle.source {
        VirtualSource::Edge(image) if !ctx.fineness.is_thorough => {
            let place = image.place(cell.corners()[0]);
            let (bent, _) = transport::wave_at_edge(ctx, bundle, image, place);
            let mut units = bent.unit_fields();
            transport::apply_interactions(ctx, &mut units, bundle.interactions_around_edge().1);
            Some((image, image.departure_to(place[0]), bent, units))
        }
        VirtualSource::Edge(_) | VirtualSource::Point(_) => None,
    };
    move |at, point, ahead| {
        let (departure, received) = if let Some((image, departure, bent, units)) = &bent {
            let angles = [at.place[1], image.away() / at.behind];
            let matrix = bent.power_matrix_at(angles, [at.behind, ahead], units);
            (*departure, matrix)
        } else {
            let (departure, wave) = transport::wave_to(ctx, bundle, at, point);
            (departure.normalize(), wave.power_matrix())
        };
        let spreading = match &bundle.source {
            VirtualSource::Point(_) => 1.0 / (ahead * ahead),
            VirtualSource::Edge(_) => 1.0 / (at.behind * ahead * (at.behind + ahead)),
        };
        let power = match ctx.tx_field {
            TxField::Antenna(_) => 0.0,
            TxField::Envelope(max) => transport::wavelength_factor(ctx) * max.power(&received),
        };
        CellMatrix {
            departure,
            power_matrix: for_unit_fields(ctx, departure, received),
            power,
            gain: spreading * power,
        }
    }
}

/// Scales the matrix of the fields of the envelope in this direction to one of unit fields.
fn for_unit_fields(ctx: &Context<'_>, departure: DVec3, matrix: PowerMatrix) -> PowerMatrix {
    let [theta, phi] = match ctx.tx_field {
        TxField::Antenna(_) => [1.0; 2],
        TxField::Envelope(max) => max.gains(departure),
    };
    let factor = transport::wavelength_factor(ctx);
    PowerMatrix {
        diagonal: [
            factor / theta * matrix.diagonal[0],
            factor / phi * matrix.diagonal[1],
        ],
        cross: factor / (theta * phi).sqrt() * matrix.cross,
    }
}
