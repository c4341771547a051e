//! Values as bytes, little-endian, every number to its last bit.

/// Bytes in the making.
#[derive(Debug, Default)]
pub(crate) struct ByteWriter(Vec<u8>);

impl ByteWriter {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.raw(text.as_bytes());
    }

    pub(crate) fn list<T>(&mut self, values: &[T], mut one: impl FnMut(&mut Self, &T)) {
        self.count(values.len());
        for value in values {
            one(self, value);
        }
    }

    pub(crate) fn reals(&mut self, values: &[f64]) {
        for value in values {
            self.0.extend_from_slice(&value.to_le_bytes());
        }
    }

    pub(crate) fn maybe(&mut self, value: Option<f64>) {
        self.option(value.as_ref(), |out, value| out.reals(&[*value]));
    }

    pub(crate) fn option<T>(&mut self, value: Option<&T>, one: impl FnOnce(&mut Self, &T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            one(self, value);
        }
    }

    pub(crate) fn whole(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn count(&mut self, value: usize) {
        self.0.extend_from_slice(&(value as u64).to_le_bytes());
    }

    pub(crate) fn flag(&mut self, value: bool) {
        self.byte(value.into());
    }

    pub(crate) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }
}

/// The same bytes read again; `None` if they end too early.
#[derive(Debug)]
pub(crate) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of bytes left.
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    /// A list: as many values as its count says, each of one byte or more.
    pub(crate) fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| one(self)).collect()
    }

    pub(crate) fn real(&mut self) -> Option<f64> {
        self.reals().map(|[value]| value)
    }

    pub(crate) fn reals<const N: usize>(&mut self) -> Option<[f64; N]> {
        let bytes = self.take(8 * N)?;
        let values: &[[u8; 8]; N] = bytes.as_chunks().0.try_into().ok()?;
        Some(values.map(f64::from_le_bytes))
    }

    #[expect(
        clippy::option_option,
        reason = "bytes that end too early, and a value that is not there"
    )]
    pub(crate) fn maybe(&mut self) -> Option<Option<f64>> {
        self.option(Self::real)
    }

    #[expect(
        clippy::option_option,
        reason = "bytes that end too early, and a value that is not there"
    )]
    pub(crate) fn option<T>(
        &mut self,
        one: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        if self.flag()? {
            one(self).map(Some)
        } else {
            Some(None)
        }
    }

    /// Numbers of a physical quantity: none of them is NaN or infinite.
    pub(crate) fn finite<const N: usize>(&mut self) -> Option<[f64; N]> {
        self.reals()
            .filter(|values| values.iter().all(|value| value.is_finite()))
    }

    pub(crate) fn whole(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(crate) fn count(&mut self) -> Option<usize> {
        let value = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        usize::try_from(value).ok()
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        self.byte().map(|byte| byte != 0)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }
}
