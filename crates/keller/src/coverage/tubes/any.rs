//! What tubes bring to cells of any antenna, to be hauled.

use glam::DVec3;

use super::bundle::Bundle;
use super::cells::Cell;
use super::haul::Haul;
use super::sent::Sent;
use super::source::{Located, Source};
use super::split::Leaf;
use super::tracer::{Sink, Tracer};
use crate::field::PowerMatrix;

/// What a tube brings to one cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
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
    pub(super) fn haul(&self) -> Option<Haul<'_>> {
        match self.sink {
            Sink::Sums(_) => None,
            Sink::Taker(taker) => Some(Haul::new(taker.cells())),
        }
    }

    /// To whom they are.
    pub(super) fn hand_over(&self, haul: Option<Haul<'_>>) {
        let haul = haul.filter(|haul| !haul.is_empty());
        if let (Sink::Taker(taker), Some(haul)) = (&self.sink, haul) {
            taker.take(haul);
        }
    }

    /// Whether cells of one tube differ in more than their distance.
    pub(super) fn has_own_matrices(&self, bundle: &Bundle) -> bool {
        self.fineness.is_thorough || matches!(bundle.source, Source::Edge(_))
    }

    /// Begins a tube with the wave of its middle.
    pub(super) fn begin(&self, bundle: &Bundle, leaf: &Leaf, haul: &mut Haul<'_>) -> u32 {
        let departure = match &bundle.source {
            Source::Point(_) => leaf.piece.middle().normalize(),
            Source::Edge(edge) => {
                let [s, _] = edge.place(leaf.piece.cell.corners()[0]);
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
        cell: Cell,
    ) -> impl Fn(&Located, DVec3, f64) -> Kept + 'a {
        let bent = match &bundle.source {
            Source::Edge(image) if !self.fineness.is_thorough => {
                let place = image.place(cell.corners()[0]);
                let (bent, _) = self.at_edge(bundle, image, place);
                let mut units = bent.unit_fields();
                self.meet(&mut units, bundle.met_around_edge().1);
                Some((image, image.departure_to(place[0]), bent, units))
            }
            Source::Edge(_) | Source::Point(_) => None,
        };
        move |at, point, ahead| {
            let (departure, sent) = if let Some((image, departure, bent, units)) = &bent {
                let angles = [at.place[1], image.away() / at.behind];
                let matrix = bent.power_matrix_at(angles, [at.behind, ahead], units);
                (*departure, matrix)
            } else {
                let (departure, wave) = self.wave_to(bundle, at, point);
                (departure.normalize(), wave.power_matrix())
            };
            let spreading = match &bundle.source {
                Source::Point(_) => 1.0 / (ahead * ahead),
                Source::Edge(_) => 1.0 / (at.behind * ahead * (at.behind + ahead)),
            };
            let power = match self.sent {
                Sent::By(_) => 0.0,
                Sent::ByAny(most) => self.wavelength_factor() * most.power(&sent),
            };
            Kept {
                departure,
                matrix: self.matrix(departure, sent),
                power,
                gain: spreading * power,
            }
        }
    }

    /// That of unit fields instead of those that were sent.
    fn matrix(&self, departure: DVec3, sent: PowerMatrix) -> PowerMatrix {
        let [theta, phi] = match self.sent {
            Sent::By(_) => [1.0; 2],
            Sent::ByAny(most) => most.gains(departure),
        };
        let factor = self.wavelength_factor();
        PowerMatrix {
            diagonal: [
                factor / theta * sent.diagonal[0],
                factor / phi * sent.diagonal[1],
            ],
            cross: factor / (theta * phi).sqrt() * sent.cross,
        }
    }
}
