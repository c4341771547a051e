//! Diffraction along a path: the effect of each edge on the wave, and the spreading of the wave between edges.
//!
//! For one edge the theory of [`crate::em::utd`] applies unchanged. Where a second edge lies in the shadow boundary of
//! a first, the product of two such diffractions is wrong, because the wave that meets the second edge is not plane.
//! Between edges the slope of the field is therefore carried along too, and the distance parameters follow from the
//! condition that the field is continuous across every shadow boundary. Between two edges of one sheet a wave travels
//! along each side of the sheet (`leg`), and the second edge diffracts the waves of both sides. Cost: the square of the
//! number of edges.

use glam::DVec3;
use num_complex::Complex64;

use super::Walls;
use super::frame::{Frame, Ray, wedge};
use super::leg::Leg;
use super::vector::ComplexVector;
use super::wave::{Slope, Strand, Wave};
use crate::em::utd::{Diffraction, EdgeAngles, Growth, LossyWedge, Matrix2};
use crate::em::{PathCounts, Surfaces};
use crate::paths::{InteractionKind, Vertex};
use crate::scene::Edge;

/// The edges of one path, filled in while the wave passes them.
#[derive(Debug)]
pub(super) struct Edges {
    /// Unfolded lengths from the start of the wave to the first edge, from edge to edge, and from the last edge to the
    /// end, metres.
    lengths: Vec<f64>,
    /// The ways from edge to edge.
    legs: Vec<Leg>,
    /// What the path consists of, from end to end or from patch to patch.
    counts: PathCounts,
    /// The edges that the wave has passed.
    passed: Vec<Passed>,
}

/// Components along `beta` and `phi` of the fields of both sources.
type Components = [[Complex64; 2]; 2];

/// An edge that the wave has passed.
#[derive(Debug)]
struct Passed {
    sin_beta: f64,
    /// The outgoing wave of each strand.
    outgoing: [Option<Outgoing>; 2],
}

/// A wave that leaves an edge: the sum of the contributions of each strand that meets it.
#[derive(Debug)]
struct Outgoing {
    arms: [Option<Arm>; 2],
    /// The field, and its derivative by the angle around the edge.
    field: Components,
    slope: Components,
}

/// The diffraction of one strand at an edge.
#[derive(Debug)]
struct Arm {
    diffraction: Diffraction,
    /// How the diffraction terms grow as the rays rise from lossy faces along which they travel.
    growth: Option<Box<Growth>>,
    /// The incident field, and its change per metre across the ray.
    incident: Components,
    incident_slope: Option<Components>,
}

/// A ray with a smaller sine of its angle to the edge runs along the edge and is not diffracted.
const ALONG_EDGE: f64 = 1e-9;

impl Edges {
    /// The edges among `vertices` between `start` and `end`. None of the vertices scatters.
    pub(super) fn along(start: DVec3, vertices: &[Vertex], end: DVec3, walls: &impl Walls) -> Self {
        let (mut lengths, mut edges) = (Vec::new(), Vec::new());
        let (mut length, mut last) = (0.0, start);
        for (index, vertex) in vertices.iter().enumerate() {
            length += last.distance(vertex.point);
            last = vertex.point;
            if let Some(edge) = vertex.interaction.edge() {
                lengths.push(length);
                length = 0.0;
                edges.push((index, walls.edge(edge)));
            }
        }
        lengths.push(length + last.distance(end));
        let leg = |pair: &[(usize, Edge)]| {
            let ((from, first), (to, second)) = (&pair[0], &pair[1]);
            Leg::between([first, second], &vertices[*from..=*to], walls)
        };
        let passes = |vertex: &&Vertex| vertex.interaction.kind() == InteractionKind::Transmission;
        let transmissions = vertices.iter().filter(passes).count();
        Self {
            lengths,
            counts: PathCounts {
                interactions: vertices.len() - transmissions,
                transmissions,
            },
            legs: edges.windows(2).map(leg).collect(),
            passed: Vec::new(),
        }
    }

    /// The spreading factor for a unit source, 1 over metres times the square root of metres for each edge:
    /// `1 / sqrt(S s_0 s_1 ... s_N)` with the whole length `S`, which is `1 / S` without an edge.
    pub(super) fn spreading(&self) -> f64 {
        if let [whole] = self.lengths[..] {
            return 1.0 / whole;
        }
        let whole: f64 = self.lengths.iter().sum();
        1.0 / (whole * self.lengths.iter().product::<f64>()).sqrt()
    }

    /// Lets `wave` pass the next edge, into the direction `out`.
    pub(super) fn diffract(
        &mut self,
        wave: &mut Wave,
        edge: &Edge,
        out: DVec3,
        walls: &impl Walls,
        surfaces: &Surfaces,
    ) {
        let index = self.passed.len();
        let frame = Frame::new(edge);
        let (into, out) = (frame.ray(-wave.direction), frame.ray(out));
        let before = std::mem::take(&mut wave.strands);
        let mut passed = Passed {
            sin_beta: into.sin_beta.max(ALONG_EDGE),
            outgoing: [None, None],
        };
        if into.sin_beta >= ALONG_EDGE && out.sin_beta >= ALONG_EDGE {
            let last_leg = index.checked_sub(1).map(|before| &self.legs[before]);
            let coming = last_leg.map_or([Some((into.phi, 1.0)), None], Leg::arrivals);
            let next_leg = self.legs.get(index);
            let leaving = next_leg.map_or([Some(out.phi), None], Leg::departures);
            let wedge = wedge(edge, walls, surfaces, self.counts);
            let ahead = self.lengths[index + 1];
            for (strand, phi_out) in leaving.into_iter().enumerate() {
                let Some(phi_out) = phi_out else { continue };
                let out = frame.at(out, phi_out);
                let arm = |side: usize| {
                    let ((phi_in, share), strand) = (coming[side]?, before[side].as_ref()?);
                    let angles = EdgeAngles {
                        sin_beta: passed.sin_beta,
                        cos_beta: -into.cos_beta,
                        phi_in,
                        phi_out,
                    };
                    let wavenumber = surfaces.frequency().wavenumber();
                    let form = surfaces.lossy_wedge();
                    let phi_hat = frame.at(into, phi_in).phi_hat;
                    let (incident, incident_slope) =
                        self.incident(index, (strand, share), [wave.direction, phi_hat]);
                    let along = [
                        last_leg
                            .filter(|leg| leg.is_along_face())
                            .map(|_| self.lengths[index]),
                        next_leg.filter(|leg| leg.is_along_face()).map(|_| ahead),
                    ];
                    let growth = (form == LossyWedge::ReciprocalGrazing)
                        .then(|| Growth::new(&wedge, angles, along, wavenumber));
                    Some(Arm {
                        diffraction: Diffraction::new(&wedge, angles, wavenumber, form),
                        growth: growth.flatten().map(Box::new),
                        incident,
                        incident_slope,
                    })
                };
                let mut outgoing = Outgoing {
                    arms: [arm(0), arm(1)],
                    field: [[Complex64::ZERO; 2]; 2],
                    slope: [[Complex64::ZERO; 2]; 2],
                };
                let distances =
                    [0, 1].map(|side| self.distances(index, side, passed.sin_beta, ahead));
                outgoing.field = outgoing.field_behind(distances);
                if next_leg.is_some() {
                    outgoing.slope = outgoing.slope_behind(distances);
                }
                wave.strands[strand] = Some(outgoing.strand(out, next_leg.is_some()));
                passed.outgoing[strand] = Some(outgoing);
            }
        }
        if index < self.legs.len() {
            self.passed.push(passed);
        }
    }

    /// The field of a share of a strand, and its change per metre across the ray. The strand meets edge `index` in
    /// `direction`; `phi_hat` is the unit vector of growing angle.
    fn incident(
        &self,
        index: usize,
        (strand, share): (&Strand, f64),
        [direction, phi_hat]: [DVec3; 2],
    ) -> (Components, Option<Components>) {
        let basis = [phi_hat.cross(direction), phi_hat];
        let slope = strand.slope.map(|slope| {
            let radius = self.lengths[index] * self.passed[index - 1].sin_beta;
            let per_metre = share * slope.across.dot(phi_hat) / radius;
            slope.fields.map(|e| basis.map(|b| per_metre * e.dot(b)))
        });
        let field = strand.fields.map(|e| basis.map(|b| share * e.dot(b)));
        (field, slope)
    }

    /// Distance parameters of field and slope at edge `index`, for the strand that comes along `side` and an observer
    /// `ahead` metres behind the edge.
    ///
    /// # Source
    /// J. B. Andersen, "UTD multiple-edge transition zone diffraction", IEEE Trans. Antennas Propag. 45(7), 1997,
    /// doi:10.1109/8.596898: parameters from the continuity of field and slope. Theory page: `slope`.
    fn distances(&self, index: usize, side: usize, sin_beta: f64, ahead: f64) -> Distances {
        let behind = self.lengths[index];
        let between = sin_beta * sin_beta * behind * ahead / (behind + ahead);
        let last = index
            .checked_sub(1)
            .and_then(|before| Some((before, self.passed[before].outgoing[side].as_ref()?)));
        let Some((before, last)) = last else {
            return Distances {
                field: between,
                slope: between,
            };
        };
        // Without this edge, the wave of the previous edge would continue.
        let sin_before = self.passed[before].sin_beta;
        let beyond = [0, 1].map(|side| self.distances(before, side, sin_before, behind + ahead));
        let whole: f64 = self.lengths[..=index].iter().sum();
        // Where the field vanishes at an edge its growth has no meaning. This limit exceeds any growth along a straight
        // row of edges.
        let most = ((1.0 + ahead / behind) * whole / (whole + ahead)).max(1.0);
        let most = most.powi(4);
        let growth = |near: Components, far: Components| {
            let (near, far) = (size(near), size(far));
            if near > 0.0 { far / near } else { 1.0 }
        };
        let field = growth(last.field, last.field_behind(beyond)).powi(2);
        let slope = growth(last.slope, last.slope_behind(beyond));
        Distances {
            field: between * field.clamp(1.0, most),
            slope: between * slope.clamp(1.0, most).powf(2.0 / 3.0),
        }
    }
}

/// Distance parameters, metres.
#[derive(Debug, Clone, Copy)]
struct Distances {
    field: f64,
    slope: f64,
}

impl Outgoing {
    fn field_behind(&self, distances: [Distances; 2]) -> Components {
        self.sum(distances, |arm, distances| {
            let by_field = || arm.diffraction.matrix(distances.field);
            let by_slope = || match &arm.growth {
                Some(growth) => arm.diffraction.grown_slope_in(growth, distances.slope),
                None => arm.diffraction.slope_in(distances.slope),
            };
            arm.behind(by_field, by_slope)
        })
    }

    fn slope_behind(&self, distances: [Distances; 2]) -> Components {
        self.sum(distances, |arm, Distances { field, slope }| {
            let by_field = || match &arm.growth {
                Some(growth) => arm.diffraction.grown_slope_out(growth, field),
                None => arm.diffraction.slope_out(field),
            };
            let by_slope = || match &arm.growth {
                Some(growth) => arm.diffraction.grown_slope_in_out(growth, slope),
                None => arm.diffraction.slope_in_out(slope),
            };
            arm.behind(by_field, by_slope)
        })
    }

    fn sum(
        &self,
        distances: [Distances; 2],
        behind: impl Fn(&Arm, Distances) -> Components,
    ) -> Components {
        let mut total = [[Complex64::ZERO; 2]; 2];
        for (arm, distances) in self.arms.iter().zip(distances) {
            if let Some(arm) = arm {
                let [theta, phi] = behind(arm, distances);
                total = [added(total[0], theta), added(total[1], phi)];
            }
        }
        total
    }

    /// The strand in space along the ray `out`, with its slope if another edge follows.
    fn strand(&self, out: Ray, has_slope: bool) -> Strand {
        let [along_beta, along_phi] = [out.phi_hat.cross(out.direction), out.phi_hat];
        let in_space = |components: Components| {
            components.map(|[beta, phi]| {
                ComplexVector::from_real(along_beta) * beta
                    + ComplexVector::from_real(along_phi) * phi
            })
        };
        Strand {
            fields: in_space(self.field),
            slope: has_slope.then(|| Slope {
                across: out.phi_hat,
                fields: in_space(self.slope),
            }),
        }
    }
}

impl Arm {
    fn behind(&self, by_field: impl Fn() -> Matrix2, by_slope: impl Fn() -> Matrix2) -> Components {
        let by_field = by_field();
        let fields = self.incident.map(|e| applied(by_field, e));
        let Some(slopes) = self.incident_slope else {
            return fields;
        };
        let by_slope = by_slope();
        let [more_theta, more_phi] = slopes.map(|e| applied(by_slope, e));
        let [theta, phi] = fields;
        [added(theta, more_theta), added(phi, more_phi)]
    }
}

fn applied(m: Matrix2, [a, b]: [Complex64; 2]) -> [Complex64; 2] {
    m.map(|[x, y]| x * a + y * b)
}

fn added([a, b]: [Complex64; 2], [c, d]: [Complex64; 2]) -> [Complex64; 2] {
    [a + c, b + d]
}

fn size(components: Components) -> f64 {
    let squares = components.as_flattened().iter().map(Complex64::norm_sqr);
    squares.sum::<f64>().sqrt()
}
