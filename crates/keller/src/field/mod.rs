//! Step 7 of a ray's life: the polarised field along an exact path.
//!
//! The two electric fields that unit sources in theta and phi radiate are carried along the path as vectors in space: each
//! interaction acts on them as they are, so that no polarisation basis has to be chosen on the way and no angle of incidence is
//! special. Only the end points know theta and phi.
//!
//! `wave` has the fields on their way, `face` reflection and transmission, `edge` diffraction, `vector` the arithmetic.
//!
//! Nothing here traces: the same paths can be replayed with other materials and other frequencies at the cost of this module alone.

mod edge;
mod face;
mod frame;
mod vector;
mod wave;

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use crate::antenna::Antenna;
use crate::direction::{Direction, spherical_basis};
use crate::em::Surfaces;
use crate::paths::{InteractionKind, Object, Path};
use crate::scene::{Edge, EdgeId, FaceId, MaterialId, Scene};
use crate::units::SPEED_OF_LIGHT;
use edge::Edges;
use wave::Wave;

/// What the field has to know of a scene.
pub trait Walls {
    /// The unit normal of `face`, pointing to its front.
    fn normal(&self, face: FaceId) -> DVec3;
    /// What `face` is made of.
    fn material(&self, face: FaceId) -> MaterialId;
    /// The wedge or free edge called `edge`.
    fn edge(&self, edge: EdgeId) -> Edge;
}

impl Walls for Scene {
    fn normal(&self, face: FaceId) -> DVec3 {
        self.face_normal(face)
    }

    fn material(&self, face: FaceId) -> MaterialId {
        self.face(face).material
    }

    fn edge(&self, edge: EdgeId) -> Edge {
        self.edges()[edge.index()]
    }
}

/// The field along one path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathField {
    /// Complex amplitude between unit theta and phi fields, carrier phase and spreading in it, antennas not: row theta, phi at the Rx
    /// (unit vectors of the arrival direction), column theta, phi at the Tx.
    pub coefficient: [[Complex64; 2]; 2],
    /// Absolute delay, s.
    pub delay: f64,
    /// Where the path leaves the Tx.
    pub departure: Direction,
    /// Where the wave comes from, seen from the Rx.
    pub arrival: Direction,
}

impl PathField {
    /// Path gain with antennas, linear. A Tx of two ports shares its power equally between them, an Rx of two adds up what both take.
    ///
    /// # Source
    /// 3GPP TR 38.901, equation (7.5-29) for one ray. Theory page: `gain`.
    pub fn gain(&self, tx: &Antenna, rx: &Antenna) -> f64 {
        let tx_fields = tx.fields(self.departure);
        let mut total = 0.0;
        for f_rx in rx.fields(self.arrival) {
            for f_tx in tx_fields.clone() {
                total += self.amplitude(f_tx, f_rx).norm_sqr();
            }
        }
        total / tx_fields.len() as f64
    }

    /// Amplitude between two antenna ports with the fields `(F_theta, F_phi)`: `f_rx^T coefficient f_tx`.
    pub fn amplitude(&self, f_tx: [Complex64; 2], f_rx: [Complex64; 2]) -> Complex64 {
        let [[tt, tp], [pt, pp]] = self.coefficient;
        f_rx[0] * (tt * f_tx[0] + tp * f_tx[1]) + f_rx[1] * (pt * f_tx[0] + pp * f_tx[1])
    }
}

/// The field along `path` between `walls` with the given `surfaces`.
///
/// The path's points must be exact: successive ones apart, and each reflection specular.
///
/// ```
/// use keller::field::{Walls, transport};
/// use keller::paths::Path;
/// use keller::scene::{Edge, EdgeId, FaceId, MaterialId};
/// use keller::{DVec3, Frequency, em::Surfaces};
///
/// struct FreeSpace;
/// impl Walls for FreeSpace {
///     fn normal(&self, _: FaceId) -> DVec3 { unreachable!("no faces") }
///     fn material(&self, _: FaceId) -> MaterialId { unreachable!("no faces") }
///     fn edge(&self, _: EdgeId) -> Edge { unreachable!("no edges") }
/// }
///
/// let line_of_sight = Path {
///     tx: 0,
///     rx: 0,
///     tx_position: DVec3::ZERO,
///     rx_position: DVec3::new(100.0, 0.0, 0.0),
///     interactions: vec![],
///     length: 100.0,
/// };
/// let surfaces = Surfaces::new(&[], Frequency::from_hz(3e9)?)?;
/// let field = transport(&line_of_sight, &FreeSpace, &surfaces);
/// let [[vv, vh], [hv, hh]] = field.coefficient;
/// assert!((vv.norm() - 0.1 / (4.0 * std::f64::consts::PI * 100.0)).abs() < 1e-7);
/// assert!((vv + hh).norm() < 1e-20 && vh.norm() + hv.norm() < 1e-20);
/// # Ok::<(), keller::Error>(())
/// ```
///
/// # Panics
/// If a face's material has no surface in `surfaces`.
///
/// # Source
/// Theory page: `transport`.
pub fn transport(path: &Path, walls: &impl Walls, surfaces: &Surfaces) -> PathField {
    let forward = march(path, walls, surfaces);
    let count = |kind| path.interactions.iter().filter(|i| i.kind == kind).count();
    let is_one_way = count(InteractionKind::Scattering) > 0;
    let coefficient = if count(InteractionKind::Diffraction) < 2 || is_one_way {
        forward.coefficient
    } else {
        // Beyond one edge the theory depends, a little, on which end one starts from: the mean of both does not.
        let [[a, b], [c, d]] = forward.coefficient;
        let [[e, f], [g, h]] = march(&reversed(path), walls, surfaces).coefficient;
        [
            [0.5 * (a + e), 0.5 * (b + g)],
            [0.5 * (c + f), 0.5 * (d + h)],
        ]
    };
    PathField {
        coefficient,
        ..forward
    }
}

/// The same path from Rx to Tx.
fn reversed(path: &Path) -> Path {
    Path {
        tx_position: path.rx_position,
        rx_position: path.tx_position,
        interactions: path.interactions.iter().rev().copied().collect(),
        ..*path
    }
}

/// Carries the field from the Tx on.
fn march(path: &Path, walls: &impl Walls, surfaces: &Surfaces) -> PathField {
    let points = || path.interactions.iter().map(|i| i.point);
    let starts = std::iter::once(path.tx_position).chain(points());
    let ends = points().chain([path.rx_position]);
    let mut segments = starts.zip(ends).map(|(a, b)| (b - a).normalize());

    let departure = segments.next().expect("a path has one segment or more");
    let mut wave = Wave::new(departure);
    let mut edges = Edges::along(path, 0);
    // Of what lies before the last patch that scattered, if there is one.
    let mut up_to_patch: Option<f64> = None;
    for (i, (interaction, next)) in path.interactions.iter().zip(segments).enumerate() {
        match (interaction.kind, interaction.object) {
            (InteractionKind::Diffraction, Object::Edge(edge)) => {
                edges.diffract(&mut wave, &walls.edge(edge), next, walls, surfaces);
            }
            (InteractionKind::Scattering, Object::Patch(face, area)) => {
                up_to_patch = Some(up_to_patch.unwrap_or(1.0) * edges.spreading());
                edges = Edges::along(path, i + 1);
                let rough = surfaces.surface(walls.material(face));
                let phase = surfaces.scattering_phase();
                wave.scatter(
                    rough,
                    walls.normal(face),
                    next,
                    area,
                    interaction.point,
                    phase,
                );
            }
            (kind, Object::Face(face)) => {
                let surface = surfaces.surface(walls.material(face));
                wave.meet(kind, walls.normal(face), surface);
            }
            (kind, object) => unreachable!("{kind:?} at {object:?}"),
        }
        wave.direction = next;
    }

    let arrival = -wave.direction;
    let rx_basis = spherical_basis(arrival);
    let spreading = match up_to_patch {
        None if edges.is_empty() => 1.0 / path.length,
        before => before.unwrap_or(1.0) * edges.spreading(),
    };
    let scalar = carrier(path.length, surfaces.frequency().wavelength()) * spreading;
    PathField {
        coefficient: rx_basis.map(|e_rx| wave.fields.map(|e| scalar * e.dot(e_rx))),
        delay: path.length / SPEED_OF_LIGHT,
        departure: Direction::from_vector(departure),
        arrival: Direction::from_vector(arrival),
    }
}

/// The amplitude of free space at 1 m, `lambda / (4 pi)`, and the phase `e^{-j k L}` over `length`.
///
/// # Source
/// H. T. Friis, "A Note on a Simple Transmission Formula", 1946, doi:10.1109/JRPROC.1946.234568. Theory page: `transport`.
fn carrier(length: f64, wavelength: f64) -> Complex64 {
    Complex64::from_polar(
        wavelength / (4.0 * PI),
        -TAU * (length / wavelength).fract(),
    )
}
