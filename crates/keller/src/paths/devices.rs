//! Positions of devices, checked for a scene.

use std::ops::{Index, Range};

use glam::DVec3;

use crate::geometry::tolerance::DEVICE_CLEARANCE;
use crate::scene::Scene;
use crate::{End, Error};

/// A device farther from the scene than this many of its diagonals, and than [`FAR_DISTANCE`], is a mistake of units or
/// axes.
const FAR_DIAGONALS: f64 = 10.0;

/// Smallest distance from the scene that may be such a mistake, metres.
const FAR_DISTANCE: f64 = 10_000.0;

/// Checked positions of transmitters or of receivers. Each keeps clear of every face and is not too far from the scene.
///
/// ```
/// use keller::paths::Devices;
/// use keller::{DVec3, End, Error, scene::{Mesh, Scene}};
///
/// let mut ground = Mesh::default();
/// ground.add_polygon("concrete", &[[0., 0.], [9., 0.], [9., 9.], [0., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
/// let scene = Scene::new(&ground)?;
/// let rx = Devices::rx(&scene, [DVec3::new(4.0, 4.0, 1.5)])?;
/// assert_eq!((rx.len(), rx[0].z), (1, 1.5));
///
/// let on_the_ground = Devices::rx(&scene, [DVec3::new(4.0, 4.0, 1.5), DVec3::new(4.0, 4.0, 0.0)]);
/// assert!(matches!(on_the_ground, Err(Error::DevicePosition { end: End::Rx, index: 1, .. })));
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Devices(Vec<DVec3>);

impl Devices {
    /// Transmitters at `positions`, metres.
    ///
    /// # Errors
    /// [`Error::NoDevice`] without any, [`Error::DevicePosition`] for the first that cannot be used.
    pub fn tx(scene: &Scene, positions: impl Into<Vec<DVec3>>) -> Result<Self, Error> {
        Self::checked(scene, End::Tx, positions.into())
    }

    /// Receivers at `positions`, metres.
    ///
    /// # Errors
    /// [`Error::NoDevice`] without any, [`Error::DevicePosition`] for the first that cannot be used.
    pub fn rx(scene: &Scene, positions: impl Into<Vec<DVec3>>) -> Result<Self, Error> {
        Self::checked(scene, End::Rx, positions.into())
    }

    fn checked(scene: &Scene, end: End, positions: Vec<DVec3>) -> Result<Self, Error> {
        if positions.is_empty() {
            return Err(Error::NoDevice(end));
        }
        for (index, &position) in positions.iter().enumerate() {
            if let Some(reason) = objection(scene, position) {
                return Err(Error::DevicePosition {
                    end,
                    index,
                    position: position.to_array(),
                    reason,
                });
            }
        }
        Ok(Self(positions))
    }

    /// Positions without any check. Next to a wall they have paths that no device could have.
    #[doc(hidden)]
    pub fn unchecked(positions: Vec<DVec3>) -> Self {
        Self(positions)
    }

    /// The positions, metres.
    pub fn positions(&self) -> &[DVec3] {
        &self.0
    }

    /// The number of devices.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A part of the devices. Paths to the part number its devices from zero.
    ///
    /// # Panics
    /// If the range exceeds the devices.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        Self(self.0[range].to_vec())
    }
}

impl Index<usize> for Devices {
    type Output = DVec3;

    fn index(&self, index: usize) -> &DVec3 {
        &self.0[index]
    }
}

/// Whether a device at `position` keeps [`DEVICE_CLEARANCE`] away from every face, as all devices must.
pub fn has_room(scene: &Scene, position: DVec3) -> bool {
    let face = scene.face_near(position, DEVICE_CLEARANCE, |_| true);
    position.is_finite() && face.is_none()
}

fn objection(scene: &Scene, position: DVec3) -> Option<String> {
    if !position.is_finite() {
        return Some("coordinates must be finite".to_owned());
    }
    let [low, high] = scene.bounds();
    let away = (low - position)
        .max(position - high)
        .max(DVec3::ZERO)
        .length();
    let reach = (FAR_DIAGONALS * low.distance(high)).max(FAR_DISTANCE);
    if away > reach {
        return Some(format!(
            "{away:.0} m outside the scene, which spans ({:.1}, {:.1}, {:.1}) to ({:.1}, {:.1}, {:.1}); at most {reach:.0} m is \
             accepted. Are the axes or the units mixed up?",
            low.x, low.y, low.z, high.x, high.y, high.z
        ));
    }
    let (face, _) = scene.face_near(position, DEVICE_CLEARANCE, |_| true)?;
    let material = &scene.materials()[scene.face(face).material.index()];
    Some(format!(
        "it is inside the wall of face {} (`{material}`); devices must keep {DEVICE_CLEARANCE} m away from every face",
        face.index()
    ))
}
