//! The arrays of a view: little-endian numbers, each array compressed by itself.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use keller::DVec3;

use super::format::ArrayRef;

/// The codes for no value and for minus infinity, and the number of those that are left for numbers.
const NO_VALUE: u16 = 0;
const MINUS_INFINITY: u16 = 1;
const FIRST: u16 = 2;
const LARGEST: f64 = (u16::MAX - FIRST) as f64;

/// All parts of a view.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The parts as gzip.
    pub(super) packed: Vec<Vec<u8>>,
    /// Their sizes before, bytes.
    pub(super) sizes: Vec<usize>,
    /// The point to which points are relative.
    pub(super) origin: DVec3,
}

impl Parts {
    /// Adds points, metres of the scene.
    pub(super) fn points(&mut self, points: impl IntoIterator<Item = DVec3>) -> ArrayRef {
        let origin = self.origin;
        let local = points.into_iter().flat_map(|p| (p - origin).to_array());
        let values: Vec<f64> = local.collect();
        self.reals(&values, vec![values.len() / 3, 3])
    }

    /// Adds numbers in single precision.
    pub(super) fn reals(&mut self, values: &[f64], shape: Vec<usize>) -> ArrayRef {
        #[expect(clippy::cast_possible_truncation, reason = "screens need no more")]
        let bytes = values.iter().flat_map(|v| (*v as f32).to_le_bytes());
        self.add("f32", shape, &bytes.collect::<Vec<u8>>())
    }

    pub(super) fn wholes(&mut self, values: &[u32], shape: Vec<usize>) -> ArrayRef {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.add("u32", shape, &bytes)
    }

    pub(super) fn shorts(&mut self, values: &[u16], shape: Vec<usize>) -> ArrayRef {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.add("u16", shape, &bytes)
    }

    pub(super) fn bytes(&mut self, values: &[u8], shape: Vec<usize>) -> ArrayRef {
        self.add("u8", shape, values)
    }

    /// Adds numbers as codes of two bytes, off by at most a 131 066th of `range`. NaN is no value.
    pub(super) fn coded(&mut self, values: &[f64], shape: Vec<usize>, range: [f64; 2]) -> ArrayRef {
        let [low, high] = range;
        let scale = if high > low {
            (high - low) / LARGEST
        } else {
            1.0
        };
        let code = |value: &f64| {
            if value.is_nan() {
                NO_VALUE
            } else if *value == f64::NEG_INFINITY {
                MINUS_INFINITY
            } else {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "within the codes"
                )]
                let code = ((value - low) / scale).round().clamp(0.0, LARGEST) as u16;
                FIRST + code
            }
        };
        let codes: Vec<u16> = values.iter().map(code).collect();
        ArrayRef {
            scale: Some(scale),
            offset: Some(low),
            ..self.shorts(&codes, shape)
        }
    }

    fn add(&mut self, kind: &'static str, shape: Vec<usize>, bytes: &[u8]) -> ArrayRef {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        // Writing to a Vec does not fail.
        let packed = packer.write_all(bytes).and_then(|()| packer.finish());
        self.packed.push(packed.expect("memory can be written"));
        self.sizes.push(bytes.len());
        ArrayRef {
            part: self.packed.len() - 1,
            kind,
            shape,
            scale: None,
            offset: None,
        }
    }
}

/// The smallest and largest finite value; zeros without any.
pub(super) fn range(values: &[f64]) -> [f64; 2] {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    if low <= high { [low, high] } else { [0.0, 0.0] }
}
