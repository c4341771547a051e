//! The points between which the paths of a scenario are traced: its devices, or the elements of their arrays.

use keller::antenna::{Antenna, Array, ArrayTracing};
use keller::paths::{Endpoints, Path};
use keller::{DVec3, End};
use keller_io::scenario::{Positions, Scenario};

use crate::Error;

/// The largest number of points; more are a mistake in the scenario, and would not fit in memory.
const MAX_POINTS: usize = 100_000_000;

/// The points that are traced.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) tx: Endpoints,
    pub(crate) rx: Endpoints,
}

/// The kind of points between which paths run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathEnds {
    /// One point for each device, whatever its array.
    #[default]
    Devices,
    /// One point for each element where a device has `array_tracing = "each"`, else one for each device.
    Elements,
}

impl Ends {
    /// The points of devices at `positions`.
    pub(crate) fn new(
        points: PathEnds,
        scenario: &Scenario,
        positions: &Positions,
    ) -> Result<Self, Error> {
        match points {
            PathEnds::Devices => Ok(Self::devices(positions)),
            PathEnds::Elements => Self::elements(scenario, positions),
        }
    }

    fn devices(positions: &Positions) -> Self {
        let rx = positions.rx.iter().enumerate();
        Self {
            tx: Endpoints::new(positions.tx.iter().map(|at| [*at])),
            rx: Endpoints::new(rx.map(|(i, at)| positions.has_rx(i).then_some(*at))),
        }
    }

    fn elements(scenario: &Scenario, positions: &Positions) -> Result<Self, Error> {
        let receivers = &scenario.receivers;
        let num_rx = (0..receivers.rx.len())
            .map(|rx| rx_elements(scenario, rx).map_or(1, |array| array.elements().len()))
            .sum::<usize>();
        if num_rx > MAX_POINTS {
            return Err(Error::Input(format!(
                "{}: [[rx]] array_tracing: with \"each\", the receivers have {num_rx} elements in total; accepted: at most {MAX_POINTS}",
                scenario.file.display()
            )));
        }
        let points = |centre: DVec3, array: Option<&Array>, antenna: &Antenna| match array {
            None => vec![centre],
            Some(array) => array.positions(centre, antenna.orientation).collect(),
        };
        let tx = positions.tx.iter().enumerate();
        let rx = positions.rx.iter().enumerate();
        Ok(Self {
            tx: Endpoints::new(
                tx.map(|(i, at)| points(*at, tx_elements(scenario, i), &scenario.tx[i].antenna)),
            ),
            rx: Endpoints::new(rx.map(|(i, at)| {
                if positions.has_rx(i) {
                    points(*at, rx_elements(scenario, i), receivers.antenna(i))
                } else {
                    Vec::new()
                }
            })),
        })
    }

    /// The indices of the Tx and the Rx between which a path runs.
    pub(crate) fn link(&self, path: &Path) -> (usize, usize) {
        (self.tx.device(path.tx), self.rx.device(path.rx))
    }

    /// Restates `error` in terms of the user's devices. An error about a position names the place in the scenario where
    /// the device is defined.
    pub(crate) fn error(&self, scenario: &Scenario, error: keller::Error) -> Error {
        let keller::Error::DevicePosition {
            end,
            index,
            position: [x, y, z],
            reason,
        } = error
        else {
            return error.into();
        };
        let (points, origin): (_, &dyn Fn(usize) -> String) = match end {
            End::Tx => (&self.tx, &|tx| scenario.tx[tx].origin()),
            End::Rx => (&self.rx, &|rx| scenario.receivers.origin(rx)),
        };
        let device = points.device(index);
        let elements = points.of_device(device);
        let name = if elements.len() == 1 {
            format!("{end} {device}")
        } else {
            format!("{end} {device} element {}", index - elements.start)
        };
        let origin = origin(device);
        Error::Input(format!("{origin}: {name} at ({x}, {y}, {z}): {reason}"))
    }
}

/// The array of a Tx whose elements are traced.
pub(crate) fn tx_elements(scenario: &Scenario, tx: usize) -> Option<&Array> {
    let tx = &scenario.tx[tx];
    let is_each = tx.array_tracing == ArrayTracing::Each;
    tx.array.as_ref().filter(|_| is_each)
}

/// The array of an Rx whose elements are traced.
pub(crate) fn rx_elements(scenario: &Scenario, rx: usize) -> Option<&Array> {
    let is_each = scenario.receivers.array_tracing(rx) == ArrayTracing::Each;
    scenario.receivers.array(rx).filter(|_| is_each)
}
