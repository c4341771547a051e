//! Diffraction at two edges of one face, one after the other along the face.
//!
//! Each edge has two terms that count: the incident field, whose shadow boundary the face at its other end shadows or
//! lights, and the reflection in the edge's outer face. (The other two terms of an edge are the same again, reflected
//! in the face between both edges.) Each of the four pairs of terms has its own joint transition function, so nothing
//! is assumed about the distance between the edges or about the distance from a shadow boundary. In the limit of no
//! distance, both edges become the one edge that the outer faces form.
//!
//! The wave of each polarisation meets the face between the edges as a conductor, soft or hard, or as a surface of some
//! impedance; see [`Channel`]. **Assumes** parallel or nearly parallel edges. **Cost:** one to five microseconds.
//!
//! # Source
//! Theory page: `joint-edges`.

use num_complex::Complex64;
use std::cell::RefCell;
use std::f64::consts::PI;

use super::boundary::Boundary;
use super::growth::Growth;
use super::impedance::Channel;
use super::joint::{Jet, joint_transition, without_first};
use super::{Diffraction, EdgeAngles, LossyWedge, Matrix2, Wedge};

/// An edge of the face, as the wave meets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaceEdge<'a, 'b> {
    pub(crate) wedge: &'a Wedge<'b>,
    pub(crate) angles: EdgeAngles,
    /// Length of the ray before the first edge, or behind the second, if it runs along a face there too, metres.
    pub(crate) along: Option<f64>,
}

/// Two edges of one face, ready for any distances.
#[derive(Debug, Clone)]
pub(crate) struct DoubleDiffraction {
    edges: [OneEdge; 2],
    /// The face between them, for the field along `beta` and along `phi`, as seen at each edge.
    channels: [[Channel; 2]; 2],
    /// Distance along the ray, metres.
    length: f64,
    wavenumber: f64,
    factor: Complex64,
    /// The values that are computed already: field and slope ask for the same.
    known: RefCell<Vec<(OuterLengths, Jets)>>,
}

/// The values for each term of the first edge, each of the second, and each channel.
type Jets = [[[Jet; 2]; 2]; 2];

/// The contribution of one of both edges.
#[derive(Debug, Clone, Copy)]
struct OneEdge {
    terms: [Term; 2],
    sin_beta: f64,
    /// The share by which slopes of the outer ray count, along `beta` and `phi`.
    share: [Complex64; 2],
}

/// A term of an edge with its reflection in the face between the edges.
#[derive(Debug, Clone, Copy)]
struct Term {
    boundary: Boundary,
    /// Sign of its derivative as the ray between the edges rises from the face, and of that by the outer ray's angle.
    rising: f64,
    outer: f64,
    weight: Matrix2,
    /// The derivative of the weight by the outer ray's angle, where that ray runs along a face.
    growth: Matrix2,
    /// The part of the hard field along `beta` and `phi` that remains if the walls let waves through.
    kept: [Complex64; 2],
}

/// Distances from the last edge or the Tx to the first edge, and from the second edge to the next or the Rx, metres.
pub(crate) type OuterLengths = [f64; 2];

const ZERO: Matrix2 = [[Complex64::ZERO; 2]; 2];

impl DoubleDiffraction {
    /// The diffraction at two edges that are `length` metres apart along the ray. `same_sense` says whether the angles
    /// around both edges grow in the same direction at the face between them.
    pub(crate) fn new(
        edges: [FaceEdge; 2],
        length: f64,
        same_sense: bool,
        wavenumber: f64,
        form: LossyWedge,
    ) -> Self {
        let diffractions =
            edges.map(|edge| Diffraction::new(edge.wedge, edge.angles, wavenumber, form));
        let [first, second] = edges;
        // The face between the edges is the one nearer to the ray between them.
        let is_nth = |edge: FaceEdge, phi: f64| phi > 0.5 * edge.wedge.n * PI;
        let is_nth = [
            is_nth(first, first.angles.phi_out),
            is_nth(second, second.angles.phi_in),
        ];
        let channels = [0, 1].map(|i| {
            let face = edges[i].wedge.faces[usize::from(is_nth[i])];
            Channel::both(face, wavenumber * length)
        });
        let one = |i: usize| {
            OneEdge::new(
                i,
                &edges[i],
                &diffractions[i],
                is_nth[i],
                (length, wavenumber),
                &channels[i],
            )
        };
        // Half of a wave along a face is incident.
        let sign = if same_sense { 0.5 } else { -0.5 };
        Self {
            edges: [one(0), one(1)],
            channels,
            length,
            wavenumber,
            factor: sign * diffractions[0].factor * diffractions[1].factor,
            known: RefCell::default(),
        }
    }

    /// Diffracted field divided by the field that meets the first edge, in metres, before spreading.
    pub(crate) fn matrix(&self, lengths: OuterLengths) -> Matrix2 {
        self.sum(lengths, false, false)
    }

    /// The derivative of [`Self::matrix`] with respect to the angle behind the second edge.
    pub(crate) fn slope_out(&self, lengths: OuterLengths) -> Matrix2 {
        self.sum(lengths, false, true)
    }

    /// The part of the diffracted field that a unit slope of the incident field adds, per metre across the ray.
    pub(crate) fn slope_in(&self, lengths: OuterLengths) -> Matrix2 {
        self.sum(lengths, true, false)
    }

    /// The derivative of [`Self::slope_in`] with respect to the angle behind the second edge.
    pub(crate) fn slope_in_out(&self, lengths: OuterLengths) -> Matrix2 {
        self.sum(lengths, true, true)
    }

    fn sum(&self, lengths: OuterLengths, by_in: bool, by_out: bool) -> Matrix2 {
        let [first, second] = &self.edges;
        let mut total = ZERO;
        let jets = self.jets(lengths);
        for (before, jets) in first.terms.iter().zip(&jets) {
            for (behind, jets) in second.terms.iter().zip(jets) {
                for (channel, jet) in jets.iter().enumerate() {
                    let mut add = |before: &Matrix2, behind: &Matrix2, value: Complex64| {
                        for (row, cells) in total.iter_mut().enumerate() {
                            for (column, cell) in cells.iter_mut().enumerate() {
                                *cell += behind[row][channel] * value * before[channel][column];
                            }
                        }
                    };
                    let derivative = match [by_in, by_out] {
                        [false, false] => jet.value,
                        [true, false] => jet.by_first,
                        [false, true] => jet.by_second,
                        [true, true] => jet.by_both,
                    };
                    add(&before.weight, &behind.weight, derivative);
                    if by_in && before.growth != ZERO {
                        let rest = if by_out { jet.by_second } else { jet.value };
                        add(&before.growth, &behind.weight, rest);
                    }
                    if by_out && behind.growth != ZERO {
                        let rest = if by_in { jet.by_first } else { jet.value };
                        add(&before.weight, &behind.growth, rest);
                        if by_in {
                            add(&before.growth, &behind.growth, jet.value);
                        }
                    }
                }
            }
        }
        let per_metre = if by_in {
            -Complex64::I / (self.wavenumber * first.sin_beta)
        } else {
            Complex64::ONE
        };
        let one = [Complex64::ONE; 2];
        let columns = if by_in { first.share } else { one };
        let rows = if by_out { second.share } else { one };
        let factor = self.factor * per_metre;
        [0, 1].map(|i| [0, 1].map(|j| factor * rows[i] * columns[j] * total[i][j]))
    }

    /// [`Self::pair`] for each term of the first edge with each of the second.
    fn jets(&self, lengths: OuterLengths) -> Jets {
        let mut known = self.known.borrow_mut();
        if let Some((_, jets)) = known.iter().find(|(of, _)| *of == lengths) {
            return *jets;
        }
        let [first, second] = &self.edges;
        let jets =
            [0, 1].map(|i| [0, 1].map(|j| self.pair([&first.terms[i], &second.terms[j]], lengths)));
        known.push((lengths, jets));
        jets
    }

    /// A term of the first edge with a term of the second, for the field along `beta` and along `phi`.
    fn pair(&self, terms: [&Term; 2], [before, behind]: OuterLengths) -> [Jet; 2] {
        let k = self.wavenumber;
        let d = self.length;
        let sines = self.edges.map(|edge| edge.sin_beta);
        let scale =
            |i: usize, outer: f64| (k * sines[i] * sines[i] * outer * d / (outer + d)).sqrt();
        let scales = [scale(0, before), scale(1, behind)];
        let whole = (before + d) * (behind + d);
        let (w, rest) = (
            (before * behind / whole).sqrt(),
            d * (before + d + behind) / whole,
        );
        let of = |f: fn(&Boundary, f64) -> [f64; 2]| {
            [0, 1].map(|i| {
                let [value, derivative] = f(&terms[i].boundary, scales[i]);
                [value, terms[i].outer * derivative]
            })
        };
        let [[a, by_first], [b, by_second]] = of(Boundary::joint_argument);
        let [soft, hard] = joint_transition([a, b], (w, rest));
        let by = [by_first, by_second];
        let values = of(Boundary::joint_value);
        let half = Complex64::from(0.5);
        let continued = self.continued(terms, [a, b], (w, rest), hard);
        let hard = times(values, chained(hard, by), -half);
        let continued = continued.map(|jet| times(values, chained(jet, by), -half));
        let rising = terms[0].rising * terms[1].rising;
        let per_slope = -rising / (2.0 * w * k * d * sines[0] * sines[1]);
        let soft = times(
            of(Boundary::joint_slope),
            chained(soft, by),
            Complex64::from(per_slope),
        );
        let heights =
            [0, 1].map(|i| terms[i].rising * sines[i] * terms[i].boundary.value_over_slope());
        [0, 1].map(|channel| {
            let kept = terms[0].kept[channel] * terms[1].kept[channel];
            let shares = [0, 1].map(|i| {
                let nearness = (soft.value.norm() / hard.value.norm()).min(1.0);
                self.channels[i][channel].shares(nearness, heights)
            });
            let mean = |f: usize| 0.5 * (shares[0][f] + shares[1][f]);
            let (of_soft, of_hard) = (mean(0), mean(1) * kept);
            let hard = match continued {
                Some(continued) if self.channels[0][channel].is_lossy() => continued,
                _ => hard,
            };
            let of = |f: fn(&Jet) -> Complex64| of_soft * f(&soft) + of_hard * f(&hard);
            Jet {
                value: of(|jet| jet.value),
                by_first: of(|jet| jet.by_first),
                by_second: of(|jet| jet.by_second),
                by_both: of(|jet| jet.by_both),
            }
        })
    }
}

impl DoubleDiffraction {
    /// The hard transition function, with both terms continued from the dark sides of their boundaries, if that makes a
    /// difference: beyond its boundary a wave grazes a lossy face and hardly meets the other edge directly.
    fn continued(
        &self,
        terms: [&Term; 2],
        [a, b]: [f64; 2],
        (w, rest): (f64, f64),
        hard: Jet,
    ) -> Option<Jet> {
        if !self.channels[0].iter().any(Channel::is_lossy) {
            return None;
        }
        let shares = terms.map(|term| term.boundary.share_of_dark_side());
        let mut total = None;
        for (place, share) in shares.into_iter().enumerate() {
            if share == 0.0 {
                continue;
            }
            let alone = if place == 0 {
                without_first([a, b], (w, rest))
            } else {
                without_first([b, a], (w, rest)).swapped()
            };
            total = Some(total.unwrap_or(hard).plus(alone, -share));
        }
        total
    }
}

/// `jet` as a function of angles, on which its arguments depend with the derivatives `by`.
fn chained(jet: Jet, by: [f64; 2]) -> Jet {
    Jet {
        value: jet.value,
        by_first: by[0] * jet.by_first,
        by_second: by[1] * jet.by_second,
        by_both: by[0] * by[1] * jet.by_both,
    }
}

/// The product of a function of the first angle, of one of the second, each with its derivative, and of `jet`.
fn times([[f, df], [g, dg]]: [[f64; 2]; 2], jet: Jet, factor: Complex64) -> Jet {
    Jet {
        value: factor * f * g * jet.value,
        by_first: factor * g * (df * jet.value + f * jet.by_first),
        by_second: factor * f * (dg * jet.value + g * jet.by_second),
        by_both: factor
            * (df * dg * jet.value
                + f * dg * jet.by_first
                + df * g * jet.by_second
                + f * g * jet.by_both),
    }
}

impl OneEdge {
    fn new(
        place: usize,
        edge: &FaceEdge,
        diffraction: &Diffraction,
        is_nth: bool,
        (length, wavenumber): (f64, f64),
        channels: &[Channel; 2],
    ) -> Self {
        let EdgeAngles {
            phi_in,
            phi_out,
            sin_beta,
            ..
        } = edge.angles;
        // The boundary of the incident field, and that of the reflection in the outer face.
        let incident = usize::from(phi_in <= phi_out);
        let outer = if is_nth { 3 } else { 2 };
        let along = if place == 0 {
            [edge.along, Some(length)]
        } else {
            [Some(length), edge.along]
        };
        let lets_through = !edge.wedge.is_opaque();
        let growth = (lets_through || edge.along.is_some())
            .then(|| Growth::new(edge.wedge, edge.angles, along, wavenumber))
            .flatten();
        let (by_inner, by_outer, share) = match (&growth, place) {
            (None, _) => (None, None, [Complex64::ONE; 2]),
            (Some(growth), 0) => (Some(&growth.by_out), Some(&growth.by_in), growth.share_in),
            (Some(growth), _) => (Some(&growth.by_in), Some(&growth.by_out), growth.share_out),
        };
        let away = if is_nth { -1.0 } else { 1.0 };
        let is_difference = |i: usize| i < 2;
        let term = |index: usize| {
            let (inner_sign, outer_sign) = match (is_difference(index), place) {
                (true, 0) => (1.0, -1.0),
                (true, _) => (-1.0, 1.0),
                (false, _) => (1.0, 1.0),
            };
            let kept = [0, 1].map(|i| {
                let passed = by_inner
                    .filter(|_| is_difference(index))
                    .map_or(Complex64::ZERO, |by| by.terms[index][i][i]);
                1.0 + channels[i].per_growth() * (away / sin_beta) * passed
            });
            Term {
                boundary: diffraction.boundaries[index],
                rising: inner_sign * away,
                outer: outer_sign,
                weight: diffraction.weights.terms[index],
                growth: by_outer.map_or(ZERO, |by| by.terms[index]),
                kept,
            }
        };
        Self {
            terms: [term(incident), term(outer)],
            sin_beta,
            share,
        }
    }
}
