//! A unit of work that may be computed by itself.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::formats::bytes::{ByteReader, ByteWriter};

/// A part of some work that is computed by itself, with the same result in any place and at any time. It takes seconds
/// to a minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The number of the family of variants, in a plan.
    pub family: usize,
    /// The number of the region, for a coverage with several.
    pub region: usize,
    /// The numbers of the Tx; none for visibility.
    pub tx: Vec<usize>,
    /// The cells, receivers or tiles.
    pub range: Range<usize>,
}

/// A unit, or its beginning, with its result.
pub type Part = (Unit, Vec<u8>);

impl Unit {
    /// The number of its items, each with each Tx.
    pub fn num_items(&self) -> usize {
        self.range.len() * self.tx.len().max(1)
    }

    /// Whether `part` is the beginning of this unit: it has the first or all of its Tx, and the first or all of the
    /// range.
    pub fn begins_with(&self, part: &Self) -> bool {
        self.region == part.region
            && self.tx.starts_with(&part.tx)
            && (self.tx.is_empty() || !part.tx.is_empty())
            && self.range.start == part.range.start
            && part.range.end <= self.range.end
            && (!part.range.is_empty() || self.range.is_empty())
    }

    /// The rest of the unit after its beginning `part`: for the same Tx the rest of the range, and then all of it for
    /// the others.
    pub fn after(&self, part: &Self) -> impl Iterator<Item = Self> {
        let of = |tx: &[usize], range: Range<usize>| Self {
            tx: tx.to_vec(),
            range,
            ..*self
        };
        let same =
            (part.range.end < self.range.end).then(|| of(&part.tx, part.range.end..self.range.end));
        let others = &self.tx[part.tx.len()..];
        let others = (!others.is_empty()).then(|| of(others, self.range.clone()));
        [same, others].into_iter().flatten()
    }

    /// Whether parts are all of this unit, each the beginning of the rest that the ones before it leave.
    pub fn consists_of<'u>(&self, parts: impl IntoIterator<Item = &'u Self>) -> bool {
        let mut left = vec![self.clone()];
        for part in parts {
            match left.pop() {
                Some(next) if next.begins_with(part) => push_all(&mut left, next.after(part)),
                _ => return false,
            }
        }
        left.is_empty()
    }

    pub(super) fn write(&self, writer: &mut ByteWriter) {
        for count in [self.tx.len(), self.region, self.range.start, self.range.end] {
            writer.count(count);
        }
        self.tx.iter().for_each(|tx| writer.count(*tx));
    }

    /// The unit of the first family that [`Self::write`] wrote; `None` if it is invalid.
    pub(super) fn read(reader: &mut ByteReader) -> Option<Self> {
        let (num_tx, region) = (reader.count()?, reader.count()?);
        let range = reader.count()?..reader.count()?;
        let mut tx = ByteReader::new(reader.take(num_tx.checked_mul(8)?)?);
        let tx = (0..num_tx).map(|_| tx.count()).collect::<Option<_>>()?;
        (range.start <= range.end).then_some(Self {
            family: 0,
            region,
            tx,
            range,
        })
    }
}

/// Puts units onto a stack of which the last is next.
pub fn push_all(stack: &mut Vec<Unit>, units: impl Iterator<Item = Unit>) {
    let at = stack.len();
    stack.extend(units);
    stack[at..].reverse();
}
