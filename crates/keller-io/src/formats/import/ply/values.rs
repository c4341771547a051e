//! The data as a row of numbers, in any encoding.

use std::path::Path;

use super::header::{Element, Scalar};
use crate::formats::import::text::{self, Words};
use crate::formats::{ImportError, Place};

/// The data as a row of numbers. All types of the format fit into `f64` exactly.
pub(super) trait Values: Clone {
    /// The next number; `of` gives the element and its index, for the message when the data ends.
    fn value<'e>(
        &mut self,
        scalar: Scalar,
        of: impl FnOnce() -> (&'e Element, usize),
        file: &Path,
    ) -> Result<f64, ImportError>;

    /// The place of the number just read.
    fn place(&self) -> Place;

    /// The number of bytes left.
    fn left(&self) -> usize;

    /// The number of bytes that the last number may lack.
    const SLACK: u64;

    /// The smallest number of bytes of a number.
    fn size(scalar: Scalar) -> u64;

    /// Compares the header's count with the bytes that follow, before any memory is taken for it.
    fn check_room(&self, element: &Element, file: &Path) -> Result<(), ImportError> {
        let each = element.properties.iter().map(|property| {
            // A list may be empty, but not its length.
            Self::size(property.length.unwrap_or(property.value))
        });
        let needed = element.count.saturating_mul(each.sum());
        if needed > self.left() as u64 + Self::SLACK {
            return Err(ImportError::malformed(
                file,
                Place::File,
                format!(
                    "the header announces {} of `element {}`, but only {} bytes follow: the file is truncated or the header is wrong",
                    element.count,
                    element.name,
                    self.left()
                ),
            ));
        }
        Ok(())
    }
}

fn truncated(file: &Path, element: &Element, index: usize) -> ImportError {
    ImportError::malformed(
        file,
        Place::Item(element.name.clone(), index),
        format!(
            "the file ends too early: it is truncated (the header announces {} of `element {}`)",
            element.count, element.name
        ),
    )
}

#[derive(Clone)]
pub(super) struct Ascii<'a>(pub(super) Words<'a>);

impl Values for Ascii<'_> {
    /// The last number needs no space after it.
    const SLACK: u64 = 1;

    fn value<'e>(
        &mut self,
        _scalar: Scalar,
        of: impl FnOnce() -> (&'e Element, usize),
        file: &Path,
    ) -> Result<f64, ImportError> {
        let Some(word) = self.0.next() else {
            let (element, index) = of();
            return Err(truncated(file, element, index));
        };
        text::number(word).ok_or_else(|| text::not_a_number(file, self.0.line(), word))
    }

    fn place(&self) -> Place {
        Place::Line(self.0.line())
    }

    fn left(&self) -> usize {
        self.0.left()
    }

    fn size(_scalar: Scalar) -> u64 {
        2
    }
}

#[derive(Clone)]
pub(super) struct Binary<'a, const LITTLE: bool> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a, const LITTLE: bool> Binary<'a, LITTLE> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = *self.bytes.get(self.at..)?.first_chunk::<N>()?;
        self.at += N;
        if !LITTLE {
            bytes.reverse();
        }
        Some(bytes)
    }

    #[inline]
    fn read(&mut self, scalar: Scalar) -> Option<f64> {
        Some(match scalar {
            Scalar::I8 => i8::from_le_bytes(self.take()?).into(),
            Scalar::U8 => u8::from_le_bytes(self.take()?).into(),
            Scalar::I16 => i16::from_le_bytes(self.take()?).into(),
            Scalar::U16 => u16::from_le_bytes(self.take()?).into(),
            Scalar::I32 => i32::from_le_bytes(self.take()?).into(),
            Scalar::U32 => u32::from_le_bytes(self.take()?).into(),
            Scalar::F32 => f32::from_le_bytes(self.take()?).into(),
            Scalar::F64 => f64::from_le_bytes(self.take()?),
        })
    }
}

impl<const LITTLE: bool> Values for Binary<'_, LITTLE> {
    const SLACK: u64 = 0;

    #[inline]
    fn value<'e>(
        &mut self,
        scalar: Scalar,
        of: impl FnOnce() -> (&'e Element, usize),
        file: &Path,
    ) -> Result<f64, ImportError> {
        self.read(scalar).ok_or_else(|| {
            let (element, index) = of();
            truncated(file, element, index)
        })
    }

    fn place(&self) -> Place {
        Place::File
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn size(scalar: Scalar) -> u64 {
        match scalar {
            Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }
}
