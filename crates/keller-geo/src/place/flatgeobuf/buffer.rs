//! Tables of FlatBuffers, each field looked up by its number. Whatever lies beyond the bytes is not there.
//!
//! # Source
//! "FlatBuffers internals", flatbuffers.dev: tables, their lists of fields, vectors, texts.

/// A table in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The position of the list of its fields, and the length of that list.
    fields: usize,
    fields_bytes: usize,
}

impl<'a> Table<'a> {
    /// The table that the bytes begin with.
    pub(super) fn root(bytes: &'a [u8]) -> Option<Self> {
        Self::new(bytes, follow(bytes, 0)?)
    }

    /// The length of the whole buffer.
    pub(super) fn num_bytes(self) -> usize {
        self.bytes.len()
    }

    fn new(bytes: &'a [u8], at: usize) -> Option<Self> {
        let back = i32::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
        let fields = i64::try_from(at).ok()?.checked_sub(i64::from(back))?;
        let fields = usize::try_from(fields).ok()?;
        Some(Self {
            bytes,
            at,
            fields,
            fields_bytes: usize::try_from(number(bytes, fields, 2)?).ok()?,
        })
    }

    /// The position of a field; `None` if it has its default.
    fn field(self, index: usize) -> Option<usize> {
        let entry = 4 + 2 * index;
        if entry + 2 > self.fields_bytes {
            return None;
        }
        let offset =
            usize::try_from(number(self.bytes, self.fields.checked_add(entry)?, 2)?).ok()?;
        (offset > 0).then(|| self.at.checked_add(offset))?
    }

    /// A number of so many bytes; `None` if it has its default.
    pub(super) fn number(self, index: usize, length: usize) -> Option<u64> {
        number(self.bytes, self.field(index)?, length)
    }

    /// A byte whose default is 0.
    pub(super) fn byte(self, index: usize) -> u8 {
        let at = self.field(index);
        at.and_then(|at| self.bytes.get(at)).copied().unwrap_or(0)
    }

    pub(super) fn table(self, index: usize) -> Option<Self> {
        Self::new(self.bytes, follow(self.bytes, self.field(index)?)?)
    }

    pub(super) fn text(self, index: usize) -> Option<String> {
        self.field(index)?;
        Some(String::from_utf8_lossy(self.bytes(index)?).into_owned())
    }

    /// The bytes of a vector, empty if there is none; `None` if it does not lie in the buffer.
    pub(super) fn bytes(self, index: usize) -> Option<&'a [u8]> {
        self.vector(index, 1)
    }

    /// The numbers of a vector, of so many bytes each.
    pub(super) fn numbers(
        self,
        index: usize,
        length: usize,
    ) -> Option<impl Iterator<Item = u64> + 'a> {
        let content = self.vector(index, length)?;
        Some(content.chunks_exact(length).map(little))
    }

    /// The tables of a vector, each `None` if it does not lie in the buffer.
    pub(super) fn tables(self, index: usize) -> Option<impl Iterator<Item = Option<Self>>> {
        let length = self.vector(index, 4)?.len();
        let start = match self.field(index) {
            Some(field) => follow(self.bytes, field)? + 4,
            None => 0,
        };
        let places = (start..start + length).step_by(4);
        Some(places.map(move |place| Self::new(self.bytes, follow(self.bytes, place)?)))
    }

    fn vector(self, index: usize, length: usize) -> Option<&'a [u8]> {
        let Some(field) = self.field(index) else {
            return Some(&[]);
        };
        let at = follow(self.bytes, field)?;
        let count = usize::try_from(number(self.bytes, at, 4)?).ok()?;
        let start = at.checked_add(4)?;
        self.bytes
            .get(start..start.checked_add(count.checked_mul(length)?)?)
    }
}

/// The target of the offset at a place.
fn follow(bytes: &[u8], at: usize) -> Option<usize> {
    at.checked_add(usize::try_from(number(bytes, at, 4)?).ok()?)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(length)?).map(little)
}

/// The number of up to eight bytes, the lowest first.
fn little(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
