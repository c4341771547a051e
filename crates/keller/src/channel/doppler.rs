//! The rate of change of a path's length, and the Doppler shift that follows.
//!
//! A path is shortest (or stationary) among its neighbours, so to first order its length does not care that its points
//! slide over walls and along edges: only the motion of the devices, and of the surfaces on which the points lie,
//! counts.

use glam::DVec3;

use crate::field::Walls;
use crate::paths::{Interaction, Path, ahead};
use crate::scene::FaceId;

/// The velocities of devices and surfaces, m/s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion<'a> {
    /// Velocity of the Tx.
    pub tx: DVec3,
    /// Velocity of the Rx.
    pub rx: DVec3,
    /// Velocity of everything made of each material, by [`crate::scene::MaterialId`]; what lies beyond the end stands still.
    pub materials: &'a [DVec3],
}

impl Motion<'_> {
    fn of_face(&self, face: FaceId, world: &impl Walls) -> DVec3 {
        let material = world.material(face).index();
        self.materials.get(material).copied().unwrap_or_default()
    }

    /// An edge goes with whichever of its faces moves.
    fn of_object(&self, interaction: Interaction, world: &impl Walls) -> DVec3 {
        match interaction {
            Interaction::Reflection(face)
            | Interaction::Transmission(face)
            | Interaction::Scattering(face, _) => self.of_face(face, world),
            Interaction::Diffraction(edge) => {
                let faces = world.edge(edge).faces.into_iter().flatten();
                faces
                    .map(|face| self.of_face(face, world))
                    .find(|velocity| *velocity != DVec3::ZERO)
                    .unwrap_or_default()
            }
        }
    }
}

/// Doppler shift of `path` at the frequency of `world`, Hz: positive where the path grows shorter.
///
/// ```
/// use keller::channel::{Motion, doppler_shift};
/// # use keller::{materials::Materials, paths::Path, scene::{Mesh, Scene}};
/// # use keller::{DVec3, Frequency, World};
/// # let mut mesh = Mesh::default();
/// # mesh.add_polygon("concrete", &[DVec3::ZERO, DVec3::X, DVec3::Y].map(|corner| corner - 9.0 * DVec3::Z));
/// let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_hz(299_792_458.0)?)?;
/// let (tx_position, rx_position) = (DVec3::ZERO, DVec3::new(100.0, 0.0, 0.0));
/// let path = Path { tx: 0, rx: 0, tx_position, rx_position, vertices: vec![], length: 100.0 };
/// let nearing = Motion { rx: DVec3::new(-3.0, 0.0, 0.0), ..Motion::default() };
/// let shift = doppler_shift(&path, &world, &nearing);
/// assert!((shift - 3.0).abs() < 1e-12);
/// # Ok::<(), keller::Error>(())
/// ```
///
/// # Source
/// 3GPP TR 38.901, equation (7.5-22), with moving walls. Theory page: `doppler`.
pub fn doppler_shift(path: &Path, world: &impl Walls, motion: &Motion<'_>) -> f64 {
    // The difference is not written as a negation: a resting path is shifted by 0, not by -0.
    (0.0 - length_rate(path, world, motion)) / world.surfaces().frequency().wavelength()
}

/// The rate at which the length of `path` grows, m/s: `v_rx . k_n - v_tx . k_0 + sum v_i . (k_{i-1} - k_i)`, with `k_i`
/// the unit vector of the segment after point `i` and `v_i` the velocity of the surface of point `i`.
///
/// # Source
/// Theory page: `doppler`.
pub fn length_rate(path: &Path, world: &impl Walls, motion: &Motion<'_>) -> f64 {
    let onward = |from, passed: usize| {
        ahead(from, &path.vertices[passed..], path.rx_position).unwrap_or(DVec3::ZERO)
    };
    let mut direction = onward(path.tx_position, 0);
    let mut at_start = motion.tx;
    let mut rate = 0.0;
    for (k, vertex) in path.vertices.iter().enumerate() {
        // The two ends of a segment, each with its own velocity.
        let at_end = motion.of_object(vertex.interaction, world);
        rate += (at_end - at_start).dot(direction);
        at_start = at_end;
        if vertex.turns() {
            direction = onward(vertex.point, k + 1);
        }
    }
    rate + (motion.rx - at_start).dot(direction)
}
