//! The power matrix of a tube. It gives the gain of any antenna at the Tx without another trace.
//!
//! A recording trace carries fields along theta and phi as strong as its envelope allows. Here they are scaled back to
//! unit fields.

use glam::DVec3;

use super::transport::{self, NO_RANGE};
use super::tx_field::TxField;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::direction_cells::DirectionCell;
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::tube::tube_ray::LocatedPoint;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::field::PowerMatrix;

/// The contribution of a tube, or of one cell of it, for any antenna.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct TubeMatrix {
    /// The unit vector in which the path leaves the Tx.
    pub(in crate::coverage::tubes) departure: DVec3,
    /// The place at which the path leaves the edge, if it has one.
    pub(in crate::coverage::tubes) at_edge: Option<AtEdge>,
    /// The matrix for unit fields, without spreading.
    pub(in crate::coverage::tubes) power_matrix: PowerMatrix,
    /// The largest power of any antenna of the envelope, without spreading.
    pub(in crate::coverage::tubes) power: f64,
}

/// The place at which a path to a cell leaves an edge.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct AtEdge {
    /// The distance along the edge, metres, and the angle around it, radians.
    pub(in crate::coverage::tubes) place: [f64; 2],
    /// The distance of the cell from there, metres.
    pub(in crate::coverage::tubes) ahead: f64,
    /// The place of the centre ray of the tube, where that ray stands for the cell in all but angle and distance.
    pub(in crate::coverage::tubes) centre: Option<[f64; 2]>,
}

/// Whether the cells of one tube differ in more than their distance, so that each needs a matrix of its own.
pub(in crate::coverage::tubes) fn cells_have_own_matrices(
    ctx: &Context<'_>,
    bundle: &Bundle,
) -> bool {
    matches!(bundle.source, VirtualSource::Edge(_)) || transport::cells_differ(ctx)
}

/// The contribution of a tube to all its cells, from the wave of its centre ray.
pub(in crate::coverage::tubes) fn matrix_of(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaf: &Leaf,
) -> TubeMatrix {
    let departure = match &bundle.source {
        VirtualSource::Point(_) => leaf.directions.centre().normalize(),
        VirtualSource::Edge(edge) => {
            let [s, _] = edge.place(leaf.directions.cell.corners()[0]);
            edge.departure_to(s)
        }
    };
    let wave = leaf.wave.unwrap_or_else(|| {
        let (wave, _) = transport::wave(ctx, bundle, &leaf.directions, NO_RANGE);
        wave
    });
    TubeMatrix {
        departure,
        at_edge: None,
        power_matrix: for_unit_fields(ctx, departure, wave.power_matrix()),
        power: transport::power(ctx, &wave),
    }
}

/// The contribution of a tube to each of its cells, and its gain there, with the arguments of [`transport::gain_at`].
pub(in crate::coverage::tubes) fn matrix_at<'a>(
    ctx: &'a Context<'_>,
    bundle: &'a Bundle,
    cell: DirectionCell,
) -> impl Fn(&LocatedPoint, DVec3, f64) -> (TubeMatrix, f64) + 'a {
    let centre = match &bundle.source {
        VirtualSource::Edge(image)
            if bundle.counts.diffractions == 1 && !ctx.fineness.is_thorough =>
        {
            let place = image.place(cell.corners()[0]);
            let tx_wave = |departure| ctx.tx_field.wave(departure);
            let interactions = &bundle.interactions;
            let centre = ctx
                .walls
                .centre_at_edge(tx_wave, interactions, image, place);
            Some((place, image.departure_to(place[0]), centre))
        }
        VirtualSource::Edge(_) | VirtualSource::Point(_) => None,
    };
    move |at, point, ahead| {
        let (departure, received) = if let Some((_, departure, centre)) = &centre {
            let matrix = centre.power_matrix([at.place[1], at.sin_beta], [at.behind, ahead]);
            (*departure, matrix)
        } else {
            let (departure, wave) = transport::wave_to(ctx, bundle, at, point);
            (departure.normalize(), wave.power_matrix())
        };
        let spreading = transport::spreading(bundle, at.behind, ahead);
        let power = match ctx.tx_field {
            TxField::Antenna(_) => 0.0,
            TxField::Envelope(max) => ctx.walls.wavelength_factor() * max.power(&received),
        };
        let at_edge = AtEdge {
            place: at.place,
            ahead,
            centre: centre.as_ref().map(|(place, ..)| *place),
        };
        let matrix = TubeMatrix {
            departure,
            at_edge: matches!(bundle.source, VirtualSource::Edge(_)).then_some(at_edge),
            power_matrix: for_unit_fields(ctx, departure, received),
            power,
        };
        (matrix, spreading * power)
    }
}

/// Scales the matrix of the fields of the envelope in this direction to one of unit fields.
fn for_unit_fields(ctx: &Context<'_>, departure: DVec3, matrix: PowerMatrix) -> PowerMatrix {
    let [theta, phi] = match ctx.tx_field {
        TxField::Antenna(_) => [1.0; 2],
        TxField::Envelope(max) => max.gains(departure),
    };
    let factor = ctx.walls.wavelength_factor();
    PowerMatrix {
        diagonal: [
            factor / theta * matrix.diagonal[0],
            factor / phi * matrix.diagonal[1],
        ],
        cross: factor / (theta * phi).sqrt() * matrix.cross,
    }
}
