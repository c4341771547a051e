//! The orientation of a device.

use glam::DMat3;

/// Orientation of a device, radians: its own frame is turned by `R = Rz(bearing) Ry(downtilt) Rx(slant)`.
///
/// # Source
/// 3GPP TR 38.901, equation (7.1-2). Theory page: `antennas`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Orientation {
    /// α: the antenna looks to this azimuth.
    pub bearing: f64,
    /// β: the antenna looks down by this angle.
    pub downtilt: f64,
    /// γ: the antenna is turned by this angle around where it looks.
    pub slant: f64,
}

impl Orientation {
    /// The orientation `[bearing, downtilt, slant]` in degrees.
    pub fn from_degrees(angles_deg: [f64; 3]) -> Self {
        let [bearing, downtilt, slant] = angles_deg.map(f64::to_radians);
        Self {
            bearing,
            downtilt,
            slant,
        }
    }

    /// The rotation that takes vectors of the device's own frame to the global one.
    pub fn global_from_local(self) -> DMat3 {
        if self == Self::default() {
            return DMat3::IDENTITY;
        }
        DMat3::from_rotation_z(self.bearing)
            * DMat3::from_rotation_y(self.downtilt)
            * DMat3::from_rotation_x(self.slant)
    }
}
