//! The end points of the paths of several devices: one point for each device, or one for each element of its array.

use std::ops::Range;

use glam::DVec3;

/// The points of all transmitters, or of all receivers, as [`super::find_paths`] takes them and [`super::Path`] numbers
/// them.
///
/// ```
/// use keller::antenna::{Array, Orientation};
/// use keller::{DVec3, paths::Endpoints};
///
/// let pair = Array::from_elements(vec![DVec3::ZERO, DVec3::Y])?;
/// let upright = Orientation::default();
/// let tx = Endpoints::new([
///     pair.positions(DVec3::ZERO, upright).collect(),
///     vec![DVec3::new(9.0, 0.0, 0.0)],
/// ]);
/// assert_eq!(tx.positions().len(), 3);
/// assert_eq!(tx.of_device(0), 0..2);
/// assert_eq!(tx.device(2), 1);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoints {
    positions: Vec<DVec3>,
    /// The index in `positions` at which the points of each device begin, and the end of the last.
    starts: Vec<usize>,
}

impl Endpoints {
    /// The points of each device in turn, metres.
    pub fn new<D: IntoIterator<Item = DVec3>>(devices: impl IntoIterator<Item = D>) -> Self {
        let mut endpoints = Self {
            positions: Vec::new(),
            starts: vec![0],
        };
        for device in devices {
            endpoints.positions.extend(device);
            endpoints.starts.push(endpoints.positions.len());
        }
        endpoints
    }

    /// All points, metres.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The indices of the points of `device`.
    ///
    /// # Panics
    /// If there is no such device.
    pub fn of_device(&self, device: usize) -> Range<usize> {
        self.starts[device]..self.starts[device + 1]
    }

    /// The indices of the points of the devices `devices`.
    ///
    /// # Panics
    /// If there are no such devices.
    pub fn of_devices(&self, devices: Range<usize>) -> Range<usize> {
        self.starts[devices.start]..self.starts[devices.end]
    }

    /// The device to which the point `endpoint` belongs.
    ///
    /// # Panics
    /// If there is no such point.
    pub fn device(&self, endpoint: usize) -> usize {
        assert!(
            endpoint < self.positions.len(),
            "point {endpoint} of {}",
            self.positions.len()
        );
        self.starts.partition_point(|start| *start <= endpoint) - 1
    }
}
