//! What a tube carries: the wave of its middle ray, behind all that it has met.

use std::f64::consts::PI;

use glam::DVec3;

use super::bundle::{Bundle, Met};
use super::cells::Cell;
use super::piece::Piece;
use super::source::{EdgeImage, Located, Source};
use super::strength::Strength;
use super::tracer::Tracer;
use crate::field::{Bent, PlaneWave, Way};

/// How much the power between the ends of a tube may be off in its middle, in parts of it.
const FAIR: f64 = 0.03;

/// Where a tube from a point need not say how far it goes.
pub(super) const NO_RANGE: [f64; 2] = [0.0; 2];

impl Tracer<'_> {
    /// The wave of the middle of a piece, and how strong it is; from an edge, between these distances from it, metres.
    pub(super) fn wave(
        &self,
        bundle: &Bundle,
        piece: &Piece,
        range: [f64; 2],
    ) -> (PlaneWave, Strength) {
        match &bundle.source {
            Source::Point(_) => {
                let wave = self.straight_wave(bundle, piece.middle());
                let strength = Strength::of_point(self.power(&wave));
                (wave, strength)
            }
            Source::Edge(edge) => self.bent_wave(bundle, edge, piece.cell, range),
        }
    }

    /// That of a direction at the transmitter, without an edge.
    fn straight_wave(&self, bundle: &Bundle, departure: DVec3) -> PlaneWave {
        let mut wave = self.sent.wave(departure.normalize());
        self.meet(&mut wave, &bundle.met);
        wave
    }

    /// The same behind an edge.
    fn bent_wave(
        &self,
        bundle: &Bundle,
        image: &EdgeImage,
        cell: Cell,
        [near, far]: [f64; 2],
    ) -> (PlaneWave, Strength) {
        let place = image.place(cell.corners()[0]);
        let (bent, behind) = self.at_edge(bundle, image, place);
        let near = near.max(0.1 * self.size);
        let far = far.max(1.1 * near);
        let between = (near * far).sqrt();
        let (_, after) = bundle.met_around_edge();
        let waves = [near, between, far].map(|ahead| {
            let mut wave = bent.seen_from(behind, ahead);
            self.meet(&mut wave, after);
            (ahead, wave)
        });
        let known = waves.map(|(ahead, wave)| (ahead, self.power(&wave)));
        (waves[1].1, Strength::of_edge(behind, known))
    }

    /// The wave at a place of an edge, and how far it has come, metres.
    pub(super) fn at_edge(
        &self,
        bundle: &Bundle,
        image: &EdgeImage,
        place: [f64; 2],
    ) -> (Bent<'_>, f64) {
        let line = image.unfolded_ray(place);
        let (before, _) = bundle.met_around_edge();
        let mut wave = self.sent.wave(image.departure(line.origin));
        self.meet(&mut wave, before);
        let edge = &self.scene.edges()[image.edge.index()];
        let bent = wave.bend(edge, line.direction, self.scene, self.surfaces);
        (bent, image.behind(place[0]))
    }

    /// The gain of a tube at any point of it, so far from where its rays come from.
    ///
    /// Where tubes are to be exact it is that of the path to the point. Else it is that of the tube's middle, but for the distance and
    /// for diffraction, which changes much within a tube.
    pub(super) fn gain_in<'a>(
        &'a self,
        bundle: &'a Bundle,
        cell: Cell,
        strength: Strength,
    ) -> impl Fn(&Located, DVec3, f64) -> f64 + 'a {
        let (_, after) = bundle.met_around_edge();
        let bent = match &bundle.source {
            Source::Edge(image) if !self.fineness.is_thorough => {
                let [middle, low, _, high, _] = cell.corners().map(|corner| image.place(corner));
                let (bent, behind) = self.at_edge(bundle, image, middle);
                let [from, to] = [low, high].map(|[_, phi]| {
                    let (end, _) = self.at_edge(bundle, image, [middle[0], phi]);
                    end
                });
                // What walls behind the edge leave of the middle.
                let mut wave = bent.seen_from(behind, behind);
                let alone = wave.power();
                self.meet(&mut wave, after);
                let fan = from.fan_to(&to);
                let found = fan.power_at(middle[1], image.away() / behind, behind, behind);
                // Where terms nearly cancel, a straight line between both ends is not good enough.
                let is_fair = (found - alone).abs() < FAIR * alone;
                is_fair.then(|| (fan, self.power(&wave) / alone))
            }
            Source::Edge(_) | Source::Point(_) => None,
        };
        move |at, point, ahead| {
            let exact = || self.power(&self.wave_to(bundle, at, point).1);
            match (&bundle.source, &bent) {
                (Source::Point(_), _) if self.fineness.is_thorough => exact() / (ahead * ahead),
                (Source::Point(_), _) => strength.gain(ahead),
                (Source::Edge(image), bent) => {
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

    /// The direction in which the path to a point leaves the transmitter, and its wave there, spreading left out.
    pub(super) fn wave_to(
        &self,
        bundle: &Bundle,
        at: &Located,
        point: DVec3,
    ) -> (DVec3, PlaneWave) {
        match &bundle.source {
            Source::Point(image) => {
                let departure = image.turn.transpose() * (point - image.position);
                (departure, self.straight_wave(bundle, departure))
            }
            Source::Edge(image) => {
                let (bent, behind) = self.at_edge(bundle, image, at.place);
                let mut wave = bent.seen_from(behind, point.distance(at.origin));
                self.meet(&mut wave, bundle.met_around_edge().1);
                let line = image.unfolded_ray(at.place);
                (image.departure(line.origin), wave)
            }
        }
    }

    /// How much longer the walls that it passes make the path to a point, metres of air.
    pub(super) fn excess_length(&self, bundle: &Bundle, at: &Located, point: DVec3) -> f64 {
        if bundle.transmissions == 0 {
            return 0.0;
        }
        let (before, after) = bundle.met_around_edge();
        match &bundle.source {
            Source::Point(image) => {
                let departure = image.turn.transpose() * (point - image.position);
                self.excess_along(departure.normalize(), &bundle.met)
            }
            Source::Edge(image) => {
                let line = image.unfolded_ray(at.place);
                let departure = image.departure(line.origin).normalize();
                self.excess_along(departure, before) + self.excess_along(line.direction, after)
            }
        }
    }

    /// Of what a wave meets that sets out in a unit vector.
    fn excess_along(&self, direction: DVec3, met: &[Met]) -> f64 {
        let mut way = Way::new(direction);
        for met in met {
            if let Met::Wall { kind, face } = *met {
                let surface = self.surfaces.surface(self.scene.face(face).material);
                way.meet(kind, self.scene.face_normal(face), surface);
            }
        }
        way.excess_length()
    }

    pub(super) fn meet(&self, wave: &mut PlaneWave, met: &[Met]) {
        for met in met {
            if let Met::Wall { kind, face } = *met {
                let surface = self.surfaces.surface(self.scene.face(face).material);
                wave.meet(kind, self.scene.face_normal(face), surface);
            }
        }
    }

    /// Its gain but for spreading.
    pub(super) fn power(&self, wave: &PlaneWave) -> f64 {
        self.wavelength_factor() * self.sent.power(wave)
    }

    /// Of what is sent, so much is received at one metre.
    pub(super) fn wavelength_factor(&self) -> f64 {
        (self.surfaces.frequency().wavelength() / (4.0 * PI)).powi(2)
    }
}
