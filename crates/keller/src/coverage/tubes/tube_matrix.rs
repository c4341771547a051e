//! What tubes bring to cells of any antenna, to be hauled.

use glam::DVec3;

use super::bundle::Bundle;
use super::direction_cells::DirectionCell;
use super::propagation::{Sink, Tracer};
use super::recorded_tubes::TubeBatch;
use super::split::Leaf;
use super::tx_field::TxField;
use super::virtual_source::{LocatedPoint, VirtualSource};
use crate::field::PowerMatrix;

/// What a tube brings to one cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellMatrix {
    /// A unit vector.
    pub(super) departure: DVec3,
    /// Spreading left out.
    pub(super) matrix: PowerMatrix,
    /// The most power of an antenna that the trace is for, spreading left out.
    pub(super) power: f64,
    /// That with spreading.
    pub(super) gain: f64,
}

impl Tracer<'_> {
    /// Where tubes are hauled.
    pub(super) fn haul(&self) -> Option<TubeBatch<'_>> {
        match self.sink {
            Sink::Gains(_) => None,
            Sink::Tubes(taker) => Some(TubeBatch::new(taker.cells())),
        }
    }

    /// To whom they are.
    pub(super) fn hand_over(&self, haul: Option<TubeBatch<'_>>) {
        let haul = haul.filter(|haul| !haul.is_empty());
        if let (Sink::Tubes(taker), Some(haul)) = (&self.sink, haul) {
            taker.take(haul);
        }
    }

    /// Whether cells of one tube differ in more than their distance.
    pub(super) fn has_own_matrices(&self, bundle: &Bundle) -> bool {
        self.fineness.is_thorough || matches!(bundle.source, VirtualSource::Edge(_))
    }

    /// Begins a tube with the wave of its centre.
    pub(super) fn begin(&self, bundle: &Bundle, leaf: &Leaf, haul: &mut TubeBatch<'_>) -> u32 {
        let departure = match &bundle.source {
            VirtualSource::Point(_) => leaf.directions.centre().normalize(),
            VirtualSource::Edge(edge) => {
                let [s, _] = edge.place(leaf.directions.cell.corners()[0]);
                edge.departure_to(s)
            }
        };
        let matrix = self.matrix(departure, leaf.wave.power_matrix());
        haul.begin(departure, &matrix, self.power(&leaf.wave))
    }

    /// What a tube brings to each of its cells, as [`Self::gain_in`] has it for one antenna.
    pub(super) fn kept_in<'a>(
        &'a self,
        bundle: &'a Bundle,
        cell: DirectionCell,
    ) -> impl Fn(&LocatedPoint, DVec3, f64) -> CellMatrix + 'a {
        let bent = match &bundle.source {
            VirtualSource::Edge(image) if !self.fineness.is_thorough => {
                let place = image.place(cell.corners()[0]);
                let (bent, _) = self.at_edge(bundle, image, place);
                let mut units = bent.unit_fields();
                self.meet(&mut units, bundle.interactions_around_edge().1);
                Some((image, image.departure_to(place[0]), bent, units))
            }
            VirtualSource::Edge(_) | VirtualSource::Point(_) => None,
        };
        move |at, point, ahead| {
            let (departure, tx_field) = if let Some((image, departure, bent, units)) = &bent {
                let angles = [at.place[1], image.away() / at.behind];
                let matrix = bent.power_matrix_at(angles, [at.behind, ahead], units);
                (*departure, matrix)
            } else {
                let (departure, wave) = self.wave_to(bundle, at, point);
                (departure.normalize(), wave.power_matrix())
            };
            let spreading = match &bundle.source {
                VirtualSource::Point(_) => 1.0 / (ahead * ahead),
                VirtualSource::Edge(_) => 1.0 / (at.behind * ahead * (at.behind + ahead)),
            };
            let power = match self.tx_field {
                TxField::By(_) => 0.0,
                TxField::ByAny(most) => self.wavelength_factor() * most.power(&tx_field),
            };
            CellMatrix {
                departure,
                matrix: self.matrix(departure, tx_field),
                power,
                gain: spreading * power,
            }
        }
    }

    /// That of unit fields instead of those that were sent.
    fn matrix(&self, departure: DVec3, tx_field: PowerMatrix) -> PowerMatrix {
        let [theta, phi] = match self.tx_field {
            TxField::By(_) => [1.0; 2],
            TxField::ByAny(most) => most.gains(departure),
        };
        let factor = self.wavelength_factor();
        PowerMatrix {
            diagonal: [
                factor / theta * tx_field.diagonal[0],
                factor / phi * tx_field.diagonal[1],
            ],
            cross: factor / (theta * phi).sqrt() * tx_field.cross,
        }
    }
}
