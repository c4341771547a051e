//! The angles and polarisations at which a path meets its faces.

use num_complex::Complex64;

use super::face::incidence;
use super::vector::ComplexVector;
use super::{Section, Walls, march_past};
use crate::paths::Path;

/// The incidence of a path on a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Incidence {
    /// Cosine of incidence, 0 to 1.
    pub(crate) cosine: f64,
    /// Whether the wave comes from the side to which the face's normal points.
    pub(crate) from_front: bool,
    /// The part of the incident power that is TE, 0 to 1; a half where there is no plane of incidence, and behind a
    /// scattering.
    pub(crate) te_share: f64,
}

/// The incidence at each vertex of a path; `None` at edges. `ports` are the fields `(F_theta, F_phi)` of the Tx in the
/// direction in which the path leaves it.
pub(crate) fn incidences(
    path: &Path,
    walls: &impl Walls,
    ports: &[[Complex64; 2]],
) -> Vec<Option<Incidence>> {
    let mut all = vec![None; path.vertices.len()];
    let mut section = Section::first(path);
    let mut first = 0;
    loop {
        let known = (first == 0).then_some(ports);
        let (start, vertices, end) = (section.start, section.vertices, section.end);
        march_past(start, vertices, end, walls, |k, wave, normal| {
            let Some(normal) = normal else {
                return;
            };
            let (cosine, from_front) = incidence(wave.direction, normal);
            let across = wave.direction.cross(normal).try_normalize();
            let te_share = across.zip(known).map_or(0.5, |(across, ports)| {
                let [theta, phi] = wave.fields();
                let fields = ports.iter().map(|[a, b]| theta * *a + phi * *b);
                let [te, all] = fields.fold([0.0; 2], |[te, all], field: ComplexVector| {
                    let power = field.re.length_squared() + field.im.length_squared();
                    [te + field.dot(across).norm_sqr(), all + power]
                });
                if all > 0.0 { (te / all).min(1.0) } else { 0.5 }
            });
            all[first + k] = Some(Incidence {
                cosine,
                from_front,
                te_share,
            });
        });
        let arrival = section.arrival();
        let Some(((face, ..), next)) = section.beyond(path) else {
            return all;
        };
        let (cosine, from_front) = incidence(-arrival, walls.normal(face));
        all[section.num_before_end] = Some(Incidence {
            cosine,
            from_front,
            te_share: 0.5,
        });
        first = section.num_before_end + 1;
        section = next;
    }
}
