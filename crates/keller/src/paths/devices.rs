//! The door: positions at which no device can be.

use glam::DVec3;

use crate::Error;
use crate::geometry::tolerance::DEVICE_CLEARANCE;
use crate::scene::Scene;

/// A device farther from the scene than this many of its diagonals (and [`FAR_DISTANCE`]) is a mistake of units or axes.
const FAR_DIAGONALS: f64 = 10.0;

/// Metres.
const FAR_DISTANCE: f64 = 10_000.0;

/// Checks that there are devices, and that each has room and is somewhere near the scene.
///
/// # Errors
/// [`Error::NoDevice`], [`Error::DevicePosition`].
pub fn check_devices(scene: &Scene, tx: &[DVec3], rx: &[DVec3]) -> Result<(), Error> {
    for (devices, name, kind) in [(tx, "transmitter", "tx"), (rx, "receiver", "rx")] {
        if devices.is_empty() {
            return Err(Error::NoDevice(name));
        }
        for (i, &position) in devices.iter().enumerate() {
            if let Some(reason) = objection(scene, position) {
                return Err(Error::DevicePosition {
                    device: format!("{kind} {i}"),
                    position: position.to_array(),
                    reason,
                });
            }
        }
    }
    Ok(())
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
