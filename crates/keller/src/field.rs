//! Step 7 of a ray's life: the polarised field along an exact path.
//!
//! The two electric fields that unit sources in theta and phi radiate are carried along the path as vectors in space: each
//! interaction acts on them as they are, so that no polarisation basis has to be chosen on the way and no angle of incidence is
//! special. Only the end points know theta and phi.
//!
//! Nothing here traces: the same paths can be replayed with other materials and other frequencies at the cost of this module alone.

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use crate::antenna::Antenna;
use crate::direction::{Direction, spherical_basis};
use crate::em::{Surfaces, TeTm};
use crate::paths::{InteractionKind, Object, Path};
use crate::scene::{Edge, EdgeId, FaceId, MaterialId, Scene};
use crate::units::SPEED_OF_LIGHT;

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
    let points = || path.interactions.iter().map(|i| i.point);
    let starts = std::iter::once(path.tx_position).chain(points());
    let ends = points().chain([path.rx_position]);
    let mut segments = starts.zip(ends).map(|(a, b)| (b - a).normalize());

    let departure = segments.next().expect("a path has one segment or more");
    let mut fields = spherical_basis(departure).map(ComplexVector::from_real);
    let mut direction = departure;
    for (interaction, next) in path.interactions.iter().zip(segments) {
        let Object::Face(face) = interaction.object else {
            unreachable!("no search proposes diffraction yet");
        };
        let normal = walls.normal(face);
        let surface = surfaces.surface(walls.material(face));
        let cosine = direction.dot(normal);
        let (cos_theta, from_front) = (cosine.abs().min(1.0), cosine < 0.0);
        fields = match interaction.kind {
            InteractionKind::Reflection => {
                let r = surface.reflection(cos_theta, from_front);
                fields.map(|e| reflect(e, direction, normal, r))
            }
            InteractionKind::Transmission => {
                let t = surface.transmission(cos_theta, from_front);
                fields.map(|e| transmit(e, direction, normal, t))
            }
            InteractionKind::Diffraction | InteractionKind::Scattering => {
                unreachable!("no search proposes these yet")
            }
        };
        direction = next;
    }

    let arrival = -direction;
    let rx_basis = spherical_basis(arrival);
    let scalar = free_space(path.length, surfaces.frequency().wavelength());
    PathField {
        coefficient: rx_basis.map(|e_rx| fields.map(|e| scalar * e.dot(e_rx))),
        delay: path.length / SPEED_OF_LIGHT,
        departure: Direction::from_vector(departure),
        arrival: Direction::from_vector(arrival),
    }
}

/// Amplitude and phase of free space over `length`: `lambda / (4 pi L) e^{-j k L}`.
///
/// # Source
/// H. T. Friis, "A Note on a Simple Transmission Formula", 1946, doi:10.1109/JRPROC.1946.234568. Theory page: `transport`.
fn free_space(length: f64, wavelength: f64) -> Complex64 {
    let cycles = length / wavelength;
    Complex64::from_polar(1.0 / (4.0 * PI * cycles), -TAU * cycles.fract())
}

/// The field `e` after reflection at a face: `-r_tm M e + (r_te + r_tm) (e . s) s`, where `M` mirrors at the face and `s` is the unit
/// vector perpendicular to the plane of incidence. Towards normal incidence, where `s` loses its meaning, so does its term.
///
/// # Source
/// Theory page: `transport`.
fn reflect(e: ComplexVector, direction: DVec3, normal: DVec3, r: TeTm<Complex64>) -> ComplexVector {
    let mirrored = e - ComplexVector::from_real(normal) * (2.0 * e.dot(normal));
    mirrored * -r.tm + perpendicular_part(e, direction, normal) * (r.te + r.tm)
}

/// The field `e` after passing through a face: `t_tm e + (t_te - t_tm) (e . s) s`.
///
/// # Source
/// Theory page: `transport`.
fn transmit(
    e: ComplexVector,
    direction: DVec3,
    normal: DVec3,
    t: TeTm<Complex64>,
) -> ComplexVector {
    e * t.tm + perpendicular_part(e, direction, normal) * (t.te - t.tm)
}

/// The part of `e` that is perpendicular to the plane of incidence; nothing where there is no such plane.
fn perpendicular_part(e: ComplexVector, direction: DVec3, normal: DVec3) -> ComplexVector {
    match direction.cross(normal).try_normalize() {
        Some(s) => ComplexVector::from_real(s) * e.dot(s),
        None => ComplexVector::ZERO,
    }
}

/// A phasor vector in the global frame.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ComplexVector {
    re: DVec3,
    im: DVec3,
}

impl ComplexVector {
    const ZERO: Self = Self {
        re: DVec3::ZERO,
        im: DVec3::ZERO,
    };

    fn from_real(re: DVec3) -> Self {
        Self {
            re,
            im: DVec3::ZERO,
        }
    }

    fn dot(self, v: DVec3) -> Complex64 {
        Complex64::new(self.re.dot(v), self.im.dot(v))
    }
}

impl std::ops::Add for ComplexVector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl std::ops::Sub for ComplexVector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl std::ops::Mul<Complex64> for ComplexVector {
    type Output = Self;

    fn mul(self, factor: Complex64) -> Self {
        Self {
            re: self.re * factor.re - self.im * factor.im,
            im: self.re * factor.im + self.im * factor.re,
        }
    }
}
