//! Diffraction along a path: the effect of each edge on the wave, and the spreading of the wave between edges.
//!
//! For one edge the theory of [`crate::em::utd`] applies unchanged. Two edges in a row that one face joins act as one:
//! their joint diffraction ([`DoubleDiffraction`]) takes the field that meets the first to the field behind the second.
//! Where another edge lies in the shadow boundary of the one before, the product of two such diffractions is wrong,
//! because the wave that meets the second is not plane. Between edges the slope of the field is therefore carried along
//! too, and the distance parameters follow from the condition that the field is continuous across every shadow
//! boundary. Between two edges of one sheet a wave travels along each side of the sheet (`leg`), and the second edge
//! diffracts the waves of both sides. Cost: the square of the number of edges.

use glam::DVec3;
use num_complex::Complex64;

use super::Walls;
use super::frame::{Frame, Ray, wedge};
use super::leg::Leg;
use super::outgoing::{Arm, Components, Distances, EdgeTerms, Outgoing, size};
use super::wave::{Strand, Wave};
use crate::em::PathCounts;
use crate::em::utd::{Diffraction, DoubleDiffraction, EdgeAngles, FaceEdge, Growth, LossyWedge};
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
    /// Whether the edges at both ends of a leg act as one.
    is_joint: Vec<bool>,
    /// The interactions of the path, from end to end or from patch to patch.
    counts: PathCounts,
    /// The edges that the wave has passed.
    passed: Vec<Passed>,
    /// The first of two joint edges, if the wave is between them.
    pending: Option<Meeting>,
}

/// An edge that the wave has passed.
#[derive(Debug)]
struct Passed {
    /// Number of the edge at which the diffraction begins: the one before, for the second of two joint edges.
    first: usize,
    sin_beta: f64,
    /// The outgoing wave of each strand.
    outgoing: [Option<Outgoing>; 2],
}

/// The arrival of the wave at an edge.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    edge: Edge,
    into: Ray,
    /// The angle around the edge of each strand, its field, and the field's change per metre across the ray.
    sides: [Option<(f64, Components, Option<Components>)>; 2],
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
        let legs: Vec<Leg> = edges.windows(2).map(leg).collect();
        let may_join =
            |leg: usize| legs[leg].is_along_face() && edges[leg].0 + 1 == edges[leg + 1].0;
        Self {
            is_joint: joint_legs(&lengths, may_join),
            lengths,
            counts: PathCounts {
                interactions: vertices.len() - transmissions,
                transmissions,
            },
            legs,
            passed: Vec::new(),
            pending: None,
        }
    }

    /// Whether the path has two edges, which act as one.
    pub(super) fn are_one_pair(&self) -> bool {
        self.is_joint[..] == [true]
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
    ) {
        let index = self.passed.len();
        let frame = Frame::new(edge);
        let (into, out) = (frame.ray(-wave.direction), frame.ray(out));
        let before = std::mem::take(&mut wave.strands);
        let last_leg = index.checked_sub(1).map(|before| &self.legs[before]);
        let next_leg = self.legs.get(index);
        let coming = last_leg.map_or([Some((into.phi, 1.0)), None], Leg::arrivals);
        let leaving = next_leg.map_or([Some(out.phi), None], Leg::departures);
        let is_diffracted = into.sin_beta >= ALONG_EDGE && out.sin_beta >= ALONG_EDGE;
        let first = self.pending.take();
        let mut passed = Passed {
            first: index - usize::from(first.is_some()),
            sin_beta: into.sin_beta.max(ALONG_EDGE),
            outgoing: [None, None],
        };
        let met = Meeting {
            edge: *edge,
            into,
            sides: [0, 1].map(|side| {
                let ((phi, share), strand) = (coming[side]?, before[side].as_ref()?);
                let phi_hat = frame.at(into, phi).phi_hat;
                let (field, slope) =
                    self.incident(index, (strand, share), [wave.direction, phi_hat]);
                Some((phi, field, slope))
            }),
        };
        if is_diffracted && self.is_joint.get(index) == Some(&true) {
            self.pending = Some(met);
        } else if is_diffracted {
            for (strand, phi_out) in leaving.into_iter().enumerate() {
                let Some(phi_out) = phi_out else { continue };
                let out = frame.at(out, phi_out);
                let arms = match &first {
                    Some(first) => self.joint_arms([first, &met], out, walls),
                    None => self.arms(&met, out, walls),
                };
                let mut outgoing = Outgoing {
                    arms,
                    field: [[Complex64::ZERO; 2]; 2],
                    slope: [[Complex64::ZERO; 2]; 2],
                };
                let ahead = self.lengths[index + 1];
                let distances = [0, 1].map(|side| self.distances(passed.first, side, ahead));
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

    /// Lengths of the legs before and behind edge `index`, if the wave runs along a face there.
    fn along_faces(&self, index: usize) -> [Option<f64>; 2] {
        let along = |leg: usize| {
            self.legs
                .get(leg)?
                .is_along_face()
                .then(|| self.lengths[leg + 1])
        };
        [index.checked_sub(1).and_then(along), along(index)]
    }

    /// The diffraction at one edge of each strand that meets it.
    fn arms(&self, met: &Meeting, out: Ray, walls: &impl Walls) -> Vec<Arm> {
        let wedge = wedge(&met.edge, walls, self.counts);
        let wavenumber = walls.surfaces().frequency().wavenumber();
        let form = walls.surfaces().lossy_wedge();
        let along = self.along_faces(self.passed.len());
        let arm = |side: usize| {
            let (phi, incident, incident_slope) = met.sides[side]?;
            let angles = angles(met.into, [phi, out.phi]);
            let growth = (form == LossyWedge::ReciprocalGrazing)
                .then(|| Growth::new(&wedge, angles, along, wavenumber));
            Some(Arm {
                side,
                terms: EdgeTerms::One {
                    diffraction: Diffraction::new(&wedge, angles, wavenumber, form),
                    growth: growth.flatten().map(Box::new),
                },
                incident,
                incident_slope,
            })
        };
        [0, 1].into_iter().filter_map(arm).collect()
    }

    /// The diffraction at two joint edges, for each strand that meets the first and each that goes on to the second.
    fn joint_arms(&self, [first, second]: [&Meeting; 2], out: Ray, walls: &impl Walls) -> Vec<Arm> {
        let index = self.passed.len();
        let wedges = [first, second].map(|met| wedge(&met.edge, walls, self.counts));
        let frames = [first, second].map(|met| Frame::new(&met.edge));
        let leg = &self.legs[index - 1];
        let mut arms = Vec::with_capacity(1);
        let legs = leg.departures().into_iter().zip(leg.arrivals());
        for (departure, arrival) in legs.filter_map(|(from, to)| Some((from?, to?.0))) {
            let hats = [
                frames[0].at(first.into, departure).phi_hat,
                frames[1].at(second.into, arrival).phi_hat,
            ];
            for (side, met) in first.sides.iter().enumerate() {
                let Some((phi, incident, incident_slope)) = *met else {
                    continue;
                };
                let edges = [
                    FaceEdge {
                        wedge: &wedges[0],
                        angles: angles(first.into, [phi, departure]),
                        along: self.along_faces(index - 1)[0],
                    },
                    FaceEdge {
                        wedge: &wedges[1],
                        angles: angles(second.into, [arrival, out.phi]),
                        along: self.along_faces(index)[1],
                    },
                ];
                let joint = DoubleDiffraction::new(
                    edges,
                    self.lengths[index],
                    hats[0].dot(hats[1]) > 0.0,
                    walls.surfaces().frequency().wavenumber(),
                    walls.surfaces().lossy_wedge(),
                );
                arms.push(Arm {
                    side,
                    terms: EdgeTerms::Joint(Box::new(joint)),
                    incident,
                    incident_slope,
                });
            }
        }
        arms
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

    /// The quantities from which the distance parameters of field and slope at edge `index` follow, for the strand that
    /// comes along `side` and an observer `ahead` metres behind the edge, or behind the second of two joint edges.
    ///
    /// # Source
    /// J. B. Andersen, "UTD multiple-edge transition zone diffraction", IEEE Trans. Antennas Propag. 45(7), 1997,
    /// doi:10.1109/8.596898: parameters from the continuity of field and slope. Theory page: `slope`.
    fn distances(&self, index: usize, side: usize, ahead: f64) -> Distances {
        let behind = self.lengths[index];
        let last = index
            .checked_sub(1)
            .and_then(|before| Some((before, self.passed[before].outgoing[side].as_ref()?)));
        let Some((before, last)) = last else {
            return Distances {
                behind,
                ahead,
                field: 1.0,
                slope: 1.0,
            };
        };
        // Without this edge, the wave of the previous edge would continue.
        let first = self.passed[before].first;
        let beyond = [0, 1].map(|side| self.distances(first, side, behind + ahead));
        let whole: f64 = self.lengths[..=index].iter().sum();
        // The growth has no meaning where the field vanishes at an edge. This limit exceeds any growth along a straight
        // row of edges.
        let max_growth = ((1.0 + ahead / behind) * whole / (whole + ahead)).max(1.0);
        let max_growth = max_growth.powi(4);
        let growth = |near: Components, far: Components| {
            let (near, far) = (size(near), size(far));
            if near > 0.0 { far / near } else { 1.0 }
        };
        let field = growth(last.field, last.field_behind(beyond)).powi(2);
        let slope = growth(last.slope, last.slope_behind(beyond));
        Distances {
            behind,
            ahead,
            field: field.clamp(1.0, max_growth),
            slope: slope.clamp(1.0, max_growth).powf(2.0 / 3.0),
        }
    }
}

/// The angles of rays around an edge: of `into` at the first angle, and behind the edge at the second.
fn angles(into: Ray, [phi_in, phi_out]: [f64; 2]) -> EdgeAngles {
    EdgeAngles {
        sin_beta: into.sin_beta.max(ALONG_EDGE),
        cos_beta: -into.cos_beta,
        phi_in,
        phi_out,
    }
}

/// Whether each leg joins its edges: shorter legs come first, and no edge is joined to both sides.
fn joint_legs(lengths: &[f64], may_join: impl Fn(usize) -> bool) -> Vec<bool> {
    let num_legs = lengths.len().saturating_sub(2);
    let mut is_joint = vec![false; num_legs];
    let mut legs: Vec<usize> = (0..num_legs).filter(|&leg| may_join(leg)).collect();
    legs.sort_by(|&a, &b| lengths[a + 1].total_cmp(&lengths[b + 1]));
    for leg in legs {
        let is_free = |other: Option<usize>| other.is_none_or(|i| is_joint.get(i) != Some(&true));
        if is_free(leg.checked_sub(1)) && is_free(Some(leg + 1)) {
            is_joint[leg] = true;
        }
    }
    is_joint
}
