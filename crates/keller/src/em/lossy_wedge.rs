//! Forms of diffraction at a wedge with lossy faces.

/// The choice of reflection coefficients in place of the exact solution, which lossy wedges lack. For perfect
/// conductors, all choices are the exact form of Kouyoumjian and Pathak. With all of them, the total field of a wave
/// across the edge is continuous at every shadow boundary.
///
/// Theory page: `lossy-wedge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LossyWedge {
    /// The angles of [`Self::ReciprocalFull`], with the reflection at both faces as the weight of the boundary that the
    /// incident field does not have, and with the wave that a dielectric lets through near the edge. The field vanishes
    /// in both faces, as it must. A sheet has one angle of incidence for all its terms.
    ///
    /// # Source
    /// P. D. Holm, "A new heuristic UTD diffraction coefficient for nonperfectly conducting wedges", IEEE Trans.
    /// Antennas Propag. 48(8), 2000, doi:10.1109/8.884489: the weight by both faces. Theory page: `tip`.
    #[default]
    ReciprocalGrazing,
    /// Takes the angle of the lower ray to the 0-face and the angle of the upper ray to the n-face, so the result is
    /// the same from Tx to Rx and back. The reflection acts in its own plane of incidence, so polarisations mix where a
    /// wave meets the edge obliquely.
    ReciprocalFull,
    /// The angles of [`Self::ReciprocalFull`], without mixing of polarisations.
    ReciprocalDiagonal,
    /// `R0` at `phi'` and `Rn` at `n pi - phi`, with the 0-face nearer to the incoming ray. Not reciprocal.
    ///
    /// # Source
    /// R. J. Luebbers, "Finite conductivity uniform GTD versus knife edge diffraction in prediction of propagation path
    /// loss", IEEE Trans. Antennas Propag. 32(1), 1984, doi:10.1109/TAP.1984.1143189.
    LuebbersFull,
    /// The angles of [`Self::LuebbersFull`], without mixing of polarisations.
    LuebbersDiagonal,
}

impl LossyWedge {
    /// Whether the diffraction at one edge is the same from Tx to Rx and back.
    pub(crate) fn is_reciprocal(self) -> bool {
        match self {
            Self::ReciprocalGrazing | Self::ReciprocalFull | Self::ReciprocalDiagonal => true,
            Self::LuebbersFull | Self::LuebbersDiagonal => false,
        }
    }
}
