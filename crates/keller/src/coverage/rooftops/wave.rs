//! Follows the wave from edge to edge in one vertical plane, with one aperture for each edge.
//!
//! From each edge the wave goes on to the next. An edge that only reaches into the first Fresnel zone counts with a
//! weight that falls to zero at the border of the zone, so part of the wave passes over such an edge unchanged. The
//! aperture of an edge therefore sums all routes that lead to the edge.
//!
//! The aperture integral holds for small angles. The effect of an edge at larger angles (its wedge, its other face, a
//! steep departure) is a factor for each route through the edge: the UTD coefficient far from its shadow boundary,
//! divided by that of a black screen. The factor is 1 where the wave goes straight on.

use std::rc::Rc;

use glam::DVec2;
use num_complex::Complex64;

use super::aperture::{Aperture, Link, Sources};
use super::fields::{EIGHTH_TURN, Fields};
use super::reflection::Roof;
use super::wedge::Section;
use crate::World;
use crate::field::Walls;

/// An edge of a chain, and its place in the plane: horizontal distance and height, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeSection<'a> {
    pub(super) at: DVec2,
    pub(super) section: Section<'a>,
}

/// An edge that the wave crosses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing<'a> {
    pub(super) place: EdgeSection<'a>,
    /// Share of the wave below the edge that the edge takes away, from 0 to 1.
    pub(super) weight: f64,
}

/// An edge that the wave has reached, with the field over it.
#[derive(Debug)]
pub(super) struct Reached<'a> {
    pub(super) crossing: Crossing<'a>,
    aperture: Aperture,
    /// Length of the route that its phase is relative to, metres from the start.
    reference: f64,
    /// Directions in which the wave arrives: through free space, and along a roof.
    into: [DVec2; 2],
    /// Angle of the direction of arrival for which the field has no tilt along the aperture, radians.
    straight: f64,
    /// Whether part of the wave arrived along a roof.
    has_roof: bool,
    /// The largest field over the edge, relative to free space.
    pub(super) largest: f64,
    /// Whether the wave has met something outside the range of this theory.
    pub(super) is_doubtful: bool,
}

/// The start of a wave, or the edge from which it goes on.
#[derive(Debug, Clone)]
pub(super) enum Origin<'a> {
    Start(DVec2),
    Edge(Rc<Reached<'a>>),
}

/// The world through which waves travel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Medium<'a> {
    pub(super) world: &'a World,
}

/// Routes with a smaller share of the wave are left out.
const MIN_SHARE: f64 = 1e-3;

/// An edge is oblique if the sine of the angle between ray and edge is smaller. There polarisations turn, and the path
/// leaves the vertical plane by far.
const ASLANT: f64 = 0.5;

/// The largest angle of diffraction, radians, at a ridge between two roofs that both carry the wave, for which the
/// theory holds.
const RIDGE: f64 = 0.3;

/// The largest possible field, relative to free space.
const LARGEST_FIELD: f64 = 2.5;

/// Sine of the grazing angle at which the surface impedance of a roof is taken.
const GRAZING_SINE: f64 = 0.02;

impl Reached<'_> {
    /// Whether the field at the edge is one that can be. Between edges close under one another that lie at steep angles the
    /// integrals may lose all digits.
    pub(super) fn is_sound(&self) -> bool {
        is_sound(self.aperture.at_edge(), self.reference.sqrt())
    }
}

/// Whether fields, multiplied by `scale` relative to free space, can be: a wave and its image in a roof, and what an edge
/// adds near its shadow boundary.
pub(super) fn is_sound(fields: Fields, scale: f64) -> bool {
    fields
        .iter()
        .all(|field| field.norm() * scale <= LARGEST_FIELD)
}

impl Crossing<'_> {
    /// Whether it takes away enough of the wave to be followed.
    pub(super) fn counts(&self) -> bool {
        self.weight > MIN_SHARE
    }
}

impl Origin<'_> {
    pub(super) fn at(&self) -> DVec2 {
        match self {
            Self::Start(at) => *at,
            Self::Edge(edge) => edge.crossing.place.at,
        }
    }

    fn reference(&self) -> f64 {
        match self {
            Self::Start(_) => 0.0,
            Self::Edge(edge) => edge.reference,
        }
    }
}

impl<'a> Medium<'a> {
    fn wavenumber(self) -> f64 {
        self.world.frequency().wavenumber()
    }

    /// The wave at each of `crossings`, edges in a row after `from`.
    pub(super) fn pass(
        self,
        from: &Origin<'a>,
        crossings: &[Crossing<'a>],
    ) -> Vec<Rc<Reached<'a>>> {
        let mut reached: Vec<Rc<Reached<'a>>> = Vec::with_capacity(crossings.len());
        for crossing in crossings.iter().filter(|crossing| crossing.counts()) {
            let next = self.reach(from, &reached, *crossing);
            reached.push(Rc::new(next));
        }
        reached
    }

    /// The routes to a place after `from` and the edges `between`: the origin of each, and its share of the wave.
    fn ways(from: &Origin<'a>, between: &[Rc<Reached<'a>>]) -> Vec<(Origin<'a>, f64)> {
        let mut ways = Vec::new();
        let mut past = 1.0;
        for edge in between.iter().rev() {
            let weight = edge.crossing.weight;
            if past * weight > MIN_SHARE {
                ways.push((Origin::Edge(Rc::clone(edge)), past * weight));
            }
            past *= 1.0 - weight;
            if past < MIN_SHARE {
                return ways;
            }
        }
        ways.push((from.clone(), past));
        ways
    }

    fn reach(
        self,
        from: &Origin<'a>,
        between: &[Rc<Reached<'a>>],
        crossing: Crossing<'a>,
    ) -> Reached<'a> {
        let k = self.wavenumber();
        let at = crossing.place.at;
        let ways = Self::ways(from, between);
        let first = at - ways[0].0.at();
        let reference = ways[0].0.reference() + first.length();
        let straight = first.to_angle();
        let mut into = [first.normalize(); 2];
        let mut roofs = Vec::with_capacity(ways.len());
        let mut links = Vec::with_capacity(ways.len());
        let mut point = None;
        let mut is_doubtful = crossing.place.section.square_sine(first) < ASLANT.powi(2);
        for (origin, share) in &ways {
            let way = at - origin.at();
            let length = way.length();
            let phase = -k * (origin.reference() + length - reference);
            let factor = share * Complex64::cis(phase);
            let tilt = self.slant(way.to_angle(), straight);
            match origin {
                Origin::Start(_) => {
                    into[0] = way / length;
                    point = Some((length, factor, tilt));
                }
                Origin::Edge(edge) => {
                    let roof = self.roof(edge, &crossing, way);
                    // The wave passes from one roof to the next over their common ridge.
                    let is_ridge = edge.has_roof && roof.is_some();
                    let diffraction_angle = edge.straight - way.to_angle();
                    let is_near = length < self.world.frequency().wavelength();
                    is_doubtful |=
                        edge.is_doubtful || is_near || is_ridge && diffraction_angle > RIDGE;
                    into[usize::from(roof.is_some())] = way / length;
                    links.push((self.leave(edge, way, roof.is_some()), length, factor, tilt));
                    roofs.push(roof);
                }
            }
        }
        let links: Vec<Link<'_>> = links
            .into_iter()
            .zip(&roofs)
            .map(|((sources, length, factor, tilt), roof)| Link {
                sources,
                length,
                factor,
                tilt,
                roof: roof.as_ref(),
            })
            .collect();
        let aperture = Aperture::behind(&links, point, reference, k);
        let largest = aperture.largest() * reference.sqrt();
        Reached {
            crossing,
            aperture,
            reference,
            into,
            straight,
            has_roof: roofs.iter().any(Option::is_some),
            largest,
            is_doubtful,
        }
    }

    /// Amplitudes at `end`, after `from` and the edges `between`, relative to free space at `whole` metres from the
    /// start.
    pub(super) fn at_end(
        self,
        from: &Origin<'a>,
        between: &[Rc<Reached<'a>>],
        end: DVec2,
        whole: f64,
    ) -> Fields {
        let k = self.wavenumber();
        let mut sum = [Complex64::ZERO; 2];
        for (origin, share) in Self::ways(from, between) {
            let way = end - origin.at();
            let length = way.length();
            let phase = -k * (origin.reference() + length - whole);
            let factor = share * whole.sqrt() * Complex64::cis(phase);
            let fields = match &origin {
                Origin::Start(_) => [Complex64::from(length.sqrt().recip()); 2],
                Origin::Edge(edge) => self.leave(edge, way, false).at_point(length, k),
            };
            for (sum, field) in sum.iter_mut().zip(fields) {
                *sum += factor * field;
            }
        }
        sum
    }

    /// Amplitudes after a single edge, relative to free space at the same length. This is the UTD as paths use it.
    pub(super) fn by_one(self, start: DVec2, place: &EdgeSection<'_>, end: DVec2) -> Fields {
        let (into, out) = (place.at - start, end - place.at);
        let (behind, ahead) = (into.length(), out.length());
        let entry = place.section.enter(into / behind);
        let passage = place
            .section
            .pass(&entry, out / ahead, self.world.surfaces());
        let whole = behind + ahead;
        let between = passage.sin_beta.powi(2) * behind * ahead / whole;
        let spreading = (whole / (behind * ahead)).sqrt();
        let fields = passage.diffraction.outgoing_field(between);
        fields.map(|field| spreading * field)
    }

    /// The field of [`Self::by_one`] behind the edge. In a plane that differs a little from the column's, `end` may lie
    /// outside the shadow of the edge. It is then moved to the shadow boundary.
    pub(super) fn behind_one(self, start: DVec2, place: &EdgeSection<'_>, end: DVec2) -> Fields {
        let (into, out) = (place.at - start, end - place.at);
        if out.perp_dot(into) > 0.0 {
            self.by_one(start, place, end)
        } else {
            let boundary = place.at + out.length() / into.length() * into;
            self.by_one(start, place, boundary)
        }
    }

    /// The reflection by the roof between two edges from `start` to `end`: its point and the amplitudes. `None` if no
    /// roof joins the edges or no point of the roof reflects.
    pub(super) fn by_roof(
        self,
        start: DVec2,
        edges: [&EdgeSection<'_>; 2],
        end: DVec2,
    ) -> Option<(DVec2, Fields)> {
        let along = edges[1].at - edges[0].at;
        let face = edges[0].section.face_along(along)?;
        edges[1].section.face_along(-along)?;
        let up = along.perp().normalize();
        let [before, behind] = [start, end].map(|place| (place - edges[0].at).dot(up));
        if before <= 0.0 || behind <= 0.0 {
            return None;
        }
        let point = start.lerp(end - 2.0 * behind * up, before / (before + behind));
        let share = (point - edges[0].at).dot(along) / along.length_squared();
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        let sine = before / start.distance(point);
        let is_front = self.world.normal(face).z > 0.0;
        let surface = self.world.surface(face);
        let reflection = surface.smooth_reflection(sine, is_front);
        Some((point, [reflection.te, reflection.tm]))
    }

    /// The field that continues from an edge along `way`; `is_along` says whether that is along a roof.
    fn leave(self, edge: &Reached<'a>, way: DVec2, is_along: bool) -> Sources {
        let length = way.length();
        let section = &edge.crossing.place.section;
        let out = way / length;
        let factors = [0, 1].map(|part| {
            if part == 1 && !edge.has_roof {
                return [Complex64::ONE; 2];
            }
            section.wide_angle_factor(
                edge.into[part],
                out,
                [part == 1, is_along],
                self.world.surfaces(),
            )
        });
        let slant = self.slant(edge.straight, way.to_angle());
        edge.aperture
            .sources(slant, factors, length, self.wavenumber())
    }

    /// The exponent per metre of aperture if the wave is diffracted down from one angle to another.
    fn slant(self, from: f64, to: f64) -> Complex64 {
        2.0 * self.wavenumber() * (0.5 * (from - to)).sin() * EIGHTH_TURN
    }

    /// The roof along which the route between two edges runs, if there is one.
    fn roof(self, from: &Reached<'a>, to: &Crossing<'a>, way: DVec2) -> Option<[Roof; 2]> {
        let face = from.crossing.place.section.face_along(way)?;
        to.place.section.face_along(-way)?;
        let is_front = self.world.normal(face).z > 0.0;
        let surface = self.world.surface(face);
        let reflection = surface.smooth_reflection(GRAZING_SINE, is_front);
        let k = self.wavenumber();
        Some(Roof::both(reflection, GRAZING_SINE, way.length(), k))
    }
}
