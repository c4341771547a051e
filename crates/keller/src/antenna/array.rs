//! Arrays: several like elements on one device.

use glam::DVec3;
use num_complex::Complex64;

use super::Orientation;
use crate::Error;
use crate::direction::Direction;

/// The largest number of elements: more are a slip of the pen.
const MAX_ELEMENTS: usize = 65_536;

/// The positions of the elements of a device in its own frame (+x ahead, +z up), relative to the device's position.
///
/// All elements have the antenna of the device: its pattern, its ports, its orientation.
///
/// ```
/// use keller::antenna::{Array, Orientation};
/// use keller::{Direction, DVec3, Frequency};
///
/// let frequency = Frequency::from_hz(3.5e9)?;
/// let half = 0.5 * frequency.wavelength();
/// let array = Array::planar(4, 8, [half, half])?;
/// let ahead = Direction::from_vector(DVec3::X);
/// let sum: keller::Complex64 = array
///     .responses(ahead, frequency.wavenumber(), Orientation::default())
///     .sum();
/// assert!((sum.norm() - 32.0).abs() < 1e-9);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    elements: Vec<DVec3>,
}

/// The part of an array's elements in tracing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArrayTracing {
    /// One trace to the device's position; each element's phase follows from the direction of the path there. For arrays that are
    /// small against `sqrt(L λ)`, `L` being the path's length.
    #[default]
    Phase,
    /// Each element is traced as a point of its own: right at any distance, at the cost of as many traces.
    Each,
}

impl ArrayTracing {
    /// Both ways, by name.
    pub const NAMES: [(&'static str, Self); 2] = [("phase", Self::Phase), ("each", Self::Each)];
}

impl Array {
    /// `rows` by `columns` elements in the device's y-z plane, centred at its position; `spacing` is metres between rows (along z)
    /// and between columns (along y).
    ///
    /// Element `row * columns + column`; rows count upwards, columns towards +y, which is left as the antenna looks.
    ///
    /// # Errors
    /// [`Error::Array`] for no elements or too many, and for spacings that are not positive numbers.
    ///
    /// # Source
    /// 3GPP TR 38.901, clause 7.3: the panel of M rows and N columns.
    pub fn planar(rows: usize, columns: usize, spacing: [f64; 2]) -> Result<Self, Error> {
        let count = rows.saturating_mul(columns);
        check_count(count)?;
        if let Some(bad) = spacing.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
            return Err(Error::Array(format!(
                "a spacing of {bad} m; accepted: a positive number"
            )));
        }
        let centre = |n: usize| 0.5 * (n as f64 - 1.0);
        let elements = (0..count).map(|i| {
            let (row, column) = ((i / columns) as f64, (i % columns) as f64);
            DVec3::new(
                0.0,
                (column - centre(columns)) * spacing[1],
                (row - centre(rows)) * spacing[0],
            )
        });
        Ok(Self {
            elements: elements.collect(),
        })
    }

    /// An array of `elements`, metres in the device's own frame.
    ///
    /// # Errors
    /// [`Error::Array`] for no elements or too many, and for coordinates that are not finite.
    pub fn from_elements(elements: Vec<DVec3>) -> Result<Self, Error> {
        check_count(elements.len())?;
        match elements.iter().position(|e| !e.is_finite()) {
            None => Ok(Self { elements }),
            Some(i) => Err(Error::Array(format!(
                "element {i} is at {}; accepted: three finite numbers",
                elements[i]
            ))),
        }
    }

    /// The elements, metres in the device's own frame.
    pub fn elements(&self) -> &[DVec3] {
        &self.elements
    }

    /// The positions of the elements of a device at `centre` with `orientation`, metres in the global frame, which
    /// [`ArrayTracing::Each`] traces.
    pub fn positions(
        &self,
        centre: DVec3,
        orientation: Orientation,
    ) -> impl ExactSizeIterator<Item = DVec3> + Clone {
        let global_from_local = orientation.global_from_local();
        self.elements
            .iter()
            .map(move |element| centre + global_from_local * *element)
    }

    /// The phasor `e^{+j k r.d}` of every element against the device's position, for a path that leaves the Tx in, or reaches the Rx
    /// from, `direction` (global); `wavenumber` is in rad/m.
    ///
    /// The path of an element that is ahead by `r.d` metres is as much shorter. Exact for a plane wave; over a path of length `L` the
    /// phase is off by about `k d² / 2L`.
    ///
    /// # Source
    /// 3GPP TR 38.901, equation (7.5-22), location vectors. Theory page: `arrays`.
    pub fn responses(
        &self,
        direction: Direction,
        wavenumber: f64,
        orientation: Orientation,
    ) -> impl ExactSizeIterator<Item = Complex64> + Clone {
        let global_from_local = orientation.global_from_local();
        let local_direction = global_from_local.transpose() * direction.unit_vector();
        self.elements
            .iter()
            .map(move |element| Complex64::cis(wavenumber * local_direction.dot(*element)))
    }
}

fn check_count(count: usize) -> Result<(), Error> {
    if (1..=MAX_ELEMENTS).contains(&count) {
        Ok(())
    } else {
        Err(Error::Array(format!(
            "{count} elements; accepted: 1 to {MAX_ELEMENTS}"
        )))
    }
}
