//! Step 7 of a ray's life (see `ARCHITECTURE.md`): the polarised field along an exact path.
//!
//! The two electric fields that unit sources in theta and phi radiate are carried along the path as vectors in space.
//! Each interaction acts on these vectors, so no polarisation basis is needed on the way and no angle of incidence is
//! special. Only the end points use theta and phi.
//!
//! `wave` holds the fields on their way, `face` reflection and transmission, `patch` scattering, `edge` diffraction,
//! `curved` the additions of curved surfaces, `incidences` the angles and polarisations at which a path meets its
//! faces, `fixed_ends` the part that no wall changes, `leg` the way from edge to edge, `thin` edges nearer to each
//! other than a wavelength, `vector` the arithmetic.
//!
//! Nothing here traces rays: the same paths can be evaluated again with other materials and other frequencies at the
//! cost of this module alone.

mod curved;
mod edge;
mod face;
mod fixed_ends;
mod frame;
mod incidences;
mod leg;
mod outgoing;
mod patch;
mod plane_wave;
mod power_matrix;
mod thin;
mod vector;
mod wave;

use glam::{DMat3, DVec3};
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use crate::World;
use crate::antenna::Antenna;
use crate::clutter::Clutter;
use crate::direction::{Direction, spherical_basis};
use crate::em::{Surface, Surfaces};
use crate::paths::{Interaction, PatchArea, Path, Vertex, ahead};
use crate::scene::{Edge, EdgeId, FaceId, MaterialId};
use crate::units::{SPEED_OF_LIGHT, db_to_amplitude};
pub(crate) use curved::FlatFacets;
use edge::Edges;
pub(crate) use face::{FaceInteraction, Way};
pub(crate) use fixed_ends::FixedEnds;
pub(crate) use frame::{Frame as EdgeFrame, wedge};
pub(crate) use incidences::{Incidence, incidences};
pub(crate) use plane_wave::{Bent, PlaneWave};
pub(crate) use power_matrix::PowerMatrix;
use thin::{Merging, ThinWall};
use vector::ComplexVector;
use wave::Wave;

/// The walls on which the field depends: a [`World`], or walls without borders where a test knows the answer.
///
/// For keller's own crates and tests; it may change at any time.
#[doc(hidden)]
pub trait Walls {
    /// The surface of each material at the frequency of the field.
    fn surfaces(&self) -> &Surfaces;
    /// The unit normal of `face`, pointing to its front.
    fn normal(&self, face: FaceId) -> DVec3;
    /// The material of `face`.
    fn material(&self, face: FaceId) -> MaterialId;
    /// The wedge or free edge with the id `edge`.
    fn edge(&self, edge: EdgeId) -> Edge;
    /// Whether `face` is a facet of a curved surface, which has other normals than its own at its borders.
    fn is_facet(&self, _face: FaceId) -> bool {
        false
    }
    /// The change along the surface of which `face` is a facet of its unit normal at `point`, where that is `normal`: a
    /// symmetric matrix, 1/m, of the convex part alone. `None` if the surface is flat or hollow.
    fn curvature(&self, _face: FaceId, _point: DVec3, _normal: DVec3) -> Option<DMat3> {
        None
    }
    /// The volumes that attenuate waves crossing them, if there are any.
    fn clutter(&self) -> Option<&Clutter> {
        None
    }
    /// The surface of `face`, at the frequency of the field.
    fn surface(&self, face: FaceId) -> &Surface {
        self.surfaces().surface(self.material(face))
    }
}

impl Walls for World {
    fn surfaces(&self) -> &Surfaces {
        self.surfaces()
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.scene().face_normal(face)
    }

    fn material(&self, face: FaceId) -> MaterialId {
        self.scene().face(face).material
    }

    fn edge(&self, edge: EdgeId) -> Edge {
        self.scene().edges()[edge.index()]
    }

    fn is_facet(&self, face: FaceId) -> bool {
        self.scene().joints().is_facet(face)
    }

    fn curvature(&self, face: FaceId, point: DVec3, normal: DVec3) -> Option<DMat3> {
        self.scene().convex_curvature(face, point, normal)
    }

    fn clutter(&self) -> Option<&Clutter> {
        Some(self.scene().clutter())
    }
}

/// The field along one path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathField {
    /// Complex amplitude between unit theta and phi fields, including carrier phase and spreading, without antennas:
    /// row theta, phi at the Rx (unit vectors of the arrival direction), column theta, phi at the Tx.
    pub coefficient: [[Complex64; 2]; 2],
    /// Absolute delay, s: that of the path's length, plus the additions of the walls that it passes.
    pub delay: f64,
    /// The direction in which the path leaves the Tx.
    pub departure: Direction,
    /// The direction from which the wave comes, as seen from the Rx.
    pub arrival: Direction,
    /// Loss in the volumes of clutter on the way, dB. The coefficient includes it.
    pub clutter_loss_db: f64,
}

impl PathField {
    /// The field along a path of `world`.
    ///
    /// The path's points must be exact, and each reflection specular. If a wave would have to turn twice at one point, no
    /// direction leads from one turn to the other, and the field is zero. Several walls may be passed at one point.
    ///
    /// ```
    /// use keller::field::PathField;
    /// use keller::materials::Materials;
    /// use keller::paths::Path;
    /// use keller::scene::{Mesh, Scene};
    /// use keller::{DVec3, Frequency, World};
    ///
    /// let mut mesh = Mesh::default();
    /// mesh.add_polygon("concrete", &[DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner - 9.0 * DVec3::Z));
    /// let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_hz(3e9)?)?;
    /// let line_of_sight = Path {
    ///     tx: 0,
    ///     rx: 0,
    ///     tx_position: DVec3::ZERO,
    ///     rx_position: DVec3::new(100.0, 0.0, 0.0),
    ///     vertices: vec![],
    ///     length: 100.0,
    /// };
    /// let [[vv, vh], [hv, hh]] = PathField::new(&line_of_sight, &world).coefficient;
    /// assert!((vv.norm() - 0.1 / (4.0 * std::f64::consts::PI * 100.0)).abs() < 1e-7);
    /// assert!((vv + hh).norm() < 1e-20 && vh.norm() + hv.norm() < 1e-20);
    /// # Ok::<(), keller::Error>(())
    /// ```
    ///
    /// # Source
    /// Theory page: `transport`.
    pub fn new(path: &Path, world: &World) -> Self {
        transport(path, world)
    }

    /// Path gain with antennas, linear. A Tx with two ports shares its power equally between them, an Rx with two ports
    /// adds up the power of both.
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
        Self::between_ports(self.coefficient, f_tx, f_rx)
    }

    fn between_ports(coefficient: Matrix, f_tx: [Complex64; 2], f_rx: [Complex64; 2]) -> Complex64 {
        let [[tt, tp], [pt, pp]] = coefficient;
        f_rx[0] * (tt * f_tx[0] + tp * f_tx[1]) + f_rx[1] * (pt * f_tx[0] + pp * f_tx[1])
    }
}

/// The field along `path` between `walls`, which [`PathField::new`] has for a [`World`].
///
/// For keller's own crates and tests; it may change at any time.
///
/// # Source
/// Theory page: `transport`.
#[doc(hidden)]
pub fn transport(path: &Path, walls: &impl Walls) -> PathField {
    let (matrix, arrival) = carried(path, walls);
    let (scalar, clutter_loss_db) = scalar(path, walls);
    PathField {
        coefficient: matrix.map(|row| row.map(|a| scalar * a)),
        delay: (path.length + excess_length(path, walls)) / SPEED_OF_LIGHT,
        departure: Direction::from_vector(Section::first(path).departure()),
        arrival: Direction::from_vector(arrival),
        clutter_loss_db,
    }
}

/// The field at the end for unit theta and phi fields at the start, including spreading, without phase and clutter; and the
/// direction from which it comes.
fn carried(path: &Path, walls: &impl Walls) -> (Matrix, DVec3) {
    let mut section = Section::first(path);
    let mut matrix = section.matrix(walls);
    while let Some(((face, area, at), next)) = section.beyond(path) {
        let arrival = section.arrival();
        let [e_theta, e_phi] = spherical_basis(arrival).map(ComplexVector::from_real);
        let fields = [0, 1].map(|q| e_theta * matrix[0][q] + e_phi * matrix[1][q]);
        let mut wave = Wave::of(-arrival, fields);
        wave.scatter(
            walls.surface(face),
            walls.normal(face),
            next.departure(),
            area,
            at,
            walls.surfaces().scattering_phase(),
        );
        let scattered = spherical_basis(next.departure()).map(|e| wave.fields().map(|f| f.dot(e)));
        matrix = product(next.matrix(walls), scattered);
        section = next;
    }
    (matrix, section.arrival())
}

/// [`carried`] for paths without scattering, as the theory has it from one end: it depends slightly on which.
fn carried_roughly(path: &Path, walls: &impl Walls) -> (Matrix, DVec3) {
    let section = Section::first(path);
    let Section {
        start,
        vertices,
        end,
        ..
    } = section;
    let matrix = march(start, vertices, end, walls);
    (matrix, section.arrival())
}

/// Phase, amplitude of free space at 1 m, and clutter of a path; the loss in clutter alone, dB.
fn scalar(path: &Path, walls: &impl Walls) -> (Complex64, f64) {
    let wavelength = walls.surfaces().frequency().wavelength();
    let clutter_loss_db = walls.clutter().map_or(0.0, |c| c.loss_db(path.points()));
    let scalar = db_to_amplitude(-clutter_loss_db) * carrier(path.length, wavelength);
    (scalar, clutter_loss_db)
}

/// The length of air that the walls it passes add to a path, metres.
///
/// # Source
/// Theory page: `transport`.
fn excess_length(path: &Path, walls: &impl Walls) -> f64 {
    let way_from = |point: DVec3, first: usize| {
        let direction = ahead(point, &path.vertices[first..], path.rx_position);
        Way::new(direction.unwrap_or(DVec3::ZERO))
    };
    let mut way = way_from(path.tx_position, 0);
    let mut length = 0.0;
    for (k, vertex) in path.vertices.iter().enumerate() {
        if let Interaction::Transmission(face) = vertex.interaction {
            let surface = walls.surface(face);
            way.meet(FaceInteraction::Transmission, walls.normal(face), surface);
        } else {
            length += way.excess_length();
            way = way_from(vertex.point, k + 1);
        }
    }
    length + way.excess_length()
}

/// Rows theta, phi at the end of a wave, columns theta, phi at its start.
type Matrix = [[Complex64; 2]; 2];

fn product(a: Matrix, b: Matrix) -> Matrix {
    a.map(|[x, y]| [0, 1].map(|q| x * b[0][q] + y * b[1][q]))
}

/// A part of a path, from an end or a scattering patch to the next. The wave spreads in it as from a source at its
/// start.
#[derive(Debug, Clone, Copy)]
struct Section<'a> {
    start: DVec3,
    vertices: &'a [Vertex],
    end: DVec3,
    /// Number of the path's vertices before the end of this section.
    num_before_end: usize,
}

impl<'a> Section<'a> {
    fn first(path: &'a Path) -> Self {
        Self::new(path, 0, path.tx_position)
    }

    /// The section from vertex `first` of `path` on.
    fn new(path: &'a Path, first: usize, start: DVec3) -> Self {
        let rest = &path.vertices[first..];
        let patch = rest
            .iter()
            .position(|v| matches!(v.interaction, Interaction::Scattering(..)));
        let len = patch.unwrap_or(rest.len());
        Self {
            start,
            vertices: &rest[..len],
            end: patch.map_or(path.rx_position, |k| rest[k].point),
            num_before_end: first + len,
        }
    }

    /// The patch at which the section ends, its area and point, and the next section; `None` at the end of the path.
    fn beyond(&self, path: &'a Path) -> Option<((FaceId, PatchArea, DVec3), Self)> {
        let Vertex { interaction, point } = *path.vertices.get(self.num_before_end)?;
        let Interaction::Scattering(face, area) = interaction else {
            return None;
        };
        let next = Self::new(path, self.num_before_end + 1, point);
        Some(((face, area, point), next))
    }

    /// The direction of the wave at its start; zero if it ends there.
    fn departure(&self) -> DVec3 {
        ahead(self.start, self.vertices, self.end).unwrap_or(DVec3::ZERO)
    }

    /// The direction from which the wave comes at its end; zero if it starts there.
    fn arrival(&self) -> DVec3 {
        let turns = self.vertices.iter().rev().find(|i| i.turns());
        let last = turns.map_or(self.start, |i| i.point);
        -(self.end - last).normalize_or_zero()
    }

    /// The field at its end for unit theta and phi fields at its start, including spreading, without the phase.
    fn matrix(&self, walls: &impl Walls) -> Matrix {
        if num_edges(self.vertices) < 2 {
            return march(self.start, self.vertices, self.end, walls);
        }
        let walls = Merging::none(walls);
        between(self.start, self.vertices, self.end, &walls)
    }
}

fn num_edges(vertices: &[Vertex]) -> usize {
    let edges = vertices.iter().filter_map(|v| v.interaction.edge());
    edges.count()
}

/// The mean of [`march`] from both ends, with thin walls treated as in [`ThinWall`].
fn between(
    start: DVec3,
    vertices: &[Vertex],
    end: DVec3,
    walls: &Merging<'_, impl Walls>,
) -> Matrix {
    let forward = march(start, vertices, end, walls);
    if num_edges(vertices) < 2 {
        return forward;
    }
    let is_symmetric = walls.surfaces().lossy_wedge().is_reciprocal()
        && Edges::along(start, vertices, end, walls).are_one_pair();
    let apart = if is_symmetric {
        forward
    } else {
        // Behind several edges the theory depends slightly on the end from which it starts. The mean of both does not.
        let reversed: Vec<Vertex> = vertices.iter().rev().copied().collect();
        let [[a, b], [c, d]] = forward;
        let [[e, f], [g, h]] = march(end, &reversed, start, walls);
        [
            [0.5 * (a + e), 0.5 * (b + g)],
            [0.5 * (c + f), 0.5 * (d + h)],
        ]
    };
    match ThinWall::find(start, vertices, end, walls) {
        Some(thin) => thin.field(start, vertices, end, walls, apart),
        None => apart,
    }
}

/// Carries the field from `start` by `vertices`, none of which scatters, to `end`. The field is zero if the wave would
/// have to turn twice at one point.
fn march(start: DVec3, vertices: &[Vertex], end: DVec3, walls: &impl Walls) -> Matrix {
    march_past(start, vertices, end, walls, |_, _, _| ())
}

/// [`march`], which shows `at` every vertex by its index, the wave before it, and the normal of its face.
fn march_past(
    start: DVec3,
    vertices: &[Vertex],
    end: DVec3,
    walls: &impl Walls,
    mut at: impl FnMut(usize, &Wave, Option<DVec3>),
) -> Matrix {
    let Some(departure) = ahead(start, vertices, end) else {
        return [[Complex64::ZERO; 2]; 2];
    };
    let mut wave = Wave::new(departure);
    let mut edges = Edges::along(start, vertices, end, walls);
    for (k, vertex) in vertices.iter().enumerate() {
        // A wall that is passed does not turn the wave, however near it is to the next wall.
        let next = if vertex.turns() {
            ahead(vertex.point, &vertices[k + 1..], end)
        } else {
            Some(wave.direction)
        };
        let Some(next) = next else {
            return [[Complex64::ZERO; 2]; 2];
        };
        let normal = (vertex.interaction.face())
            .map(|face| curved::normal(vertex, face, [wave.direction, next], walls));
        at(k, &wave, normal);
        match vertex.interaction {
            Interaction::Diffraction(edge) => {
                edges.diffract(&mut wave, &walls.edge(edge), next, walls);
            }
            Interaction::Reflection(face) => {
                let surface = walls.surface(face);
                wave.meet(
                    FaceInteraction::Reflection,
                    normal.expect("of a face"),
                    surface,
                );
            }
            Interaction::Transmission(face) => {
                let surface = walls.surface(face);
                wave.meet(FaceInteraction::Transmission, walls.normal(face), surface);
            }
            Interaction::Scattering(..) => return [[Complex64::ZERO; 2]; 2],
        }
        wave.direction = next;
    }
    let mut spreading = edges.spreading();
    if let Some(factor) = curved::spreading(start, vertices, end, walls) {
        spreading *= factor;
    }
    let fields = wave.fields();
    spherical_basis(-wave.direction).map(|e_rx| fields.map(|e| spreading * e.dot(e_rx)))
}

/// The amplitude of free space at 1 m, `lambda / (4 pi)`, and the phase `e^{-j k L}` over `length`.
///
/// # Source
/// H. T. Friis, "A Note on a Simple Transmission Formula", 1946, doi:10.1109/JRPROC.1946.234568.
/// Theory page: `transport`.
fn carrier(length: f64, wavelength: f64) -> Complex64 {
    Complex64::from_polar(wavelength / (4.0 * PI), -phase(length, wavelength))
}

/// The phase lag of a wave after `length`, radians, without whole turns.
pub(crate) fn phase(length: f64, wavelength: f64) -> f64 {
    TAU * (length / wavelength).fract()
}
