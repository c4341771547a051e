//! The polarisation of an antenna's ports.

use std::f64::consts::FRAC_1_SQRT_2;

use crate::Error;

/// Polarisation by the slant of each port: how far its field is turned from theta towards phi.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Polarization {
    /// One port along theta.
    #[default]
    V,
    /// One port along phi.
    H,
    /// Two ports, V then H.
    VH,
    /// Two ports, slanted by +45° then -45°.
    Cross,
    /// One port, slanted by this many radians.
    Slant(f64),
}

impl Polarization {
    const NAMES: &str = "`V`, `H`, `VH`, `cross` or a slant in degrees";

    /// The polarisation called `V`, `H`, `VH` or `cross`, in any case, or a slant in degrees as a number.
    ///
    /// # Errors
    /// [`Error::Antenna`] for anything else.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        match name.to_lowercase().as_str() {
            "v" => Ok(Self::V),
            "h" => Ok(Self::H),
            "vh" => Ok(Self::VH),
            "cross" => Ok(Self::Cross),
            other => other
                .parse::<f64>()
                .ok()
                .filter(|degrees| degrees.is_finite())
                .map(|degrees| Self::Slant(degrees.to_radians()))
                .ok_or_else(|| Error::Antenna {
                    parameter: "polarization",
                    value: name.to_owned(),
                    accepted: Self::NAMES,
                }),
        }
    }

    /// The slant of each port as `[cos, sin]`: the rotation of a pattern's field from theta towards phi.
    pub(super) fn ports(self) -> impl ExactSizeIterator<Item = [f64; 2]> + Clone {
        let (v, h) = ([1.0, 0.0], [0.0, 1.0]);
        let (plus, minus) = (
            [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
            [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
        );
        let (ports, num_ports) = match self {
            Self::V => ([v, h], 1),
            Self::H => ([h, v], 1),
            Self::VH => ([v, h], 2),
            Self::Cross => ([plus, minus], 2),
            Self::Slant(slant) => ([[slant.cos(), slant.sin()], v], 1),
        };
        ports.into_iter().take(num_ports)
    }
}
