//! What may be computed by itself.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::formats::bytes::{ByteReader, ByteWriter};

/// A part of some work that is computed by itself, with the same result wherever and whenever that is. It takes seconds to a minute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The number of the family of variants, in a plan.
    pub family: usize,
    /// The number of the region, of a coverage with several.
    pub region: usize,
    /// Numbers of the Tx; none of visibility.
    pub tx: Vec<usize>,
    /// The cells, receivers or tiles.
    pub range: Range<usize>,
}

/// A unit, or its beginning, with what it came to.
pub type Part = (Unit, Vec<u8>);

impl Unit {
    /// How many items it has, each with each Tx.
    pub fn num_items(&self) -> usize {
        self.range.len() * self.tx.len().max(1)
    }

    /// Whether `part` is the beginning of this unit: of the first of its Tx, or all, the first of the range, or all.
    pub fn begins_with(&self, part: &Self) -> bool {
        self.region == part.region
            && self.tx.starts_with(&part.tx)
            && (self.tx.is_empty() || !part.tx.is_empty())
            && self.range.start == part.range.start
            && part.range.end <= self.range.end
            && (!part.range.is_empty() || self.range.is_empty())
    }

    /// What is left after its beginning: for the same Tx the rest of the range, and then all of it for the others.
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

    /// Whether parts are all of this unit, each the beginning of what the ones before it leave.
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

    /// What [`Self::write`] wrote, of the first family; `None` if it makes no sense.
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
