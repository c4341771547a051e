//! Values as bytes, one after the other.

use std::path::{Path, PathBuf};

/// Values on their way out.
#[derive(Debug, Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn long(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn count(&mut self, value: usize) {
        self.long(value as u64);
    }

    pub(super) fn number(&mut self, value: f64) {
        self.long(value.to_bits());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }

    /// Fails for a name that is no text.
    pub(super) fn path(&mut self, path: &Path) -> Result<(), String> {
        let text = path.to_str();
        self.text(text.ok_or_else(|| format!("the name `{}` is no UTF-8", path.display()))?);
        Ok(())
    }
}

/// Values on their way in.
#[derive(Debug, Clone)]
pub(super) struct In<'a> {
    bytes: &'a [u8],
}

/// Why there is no such value.
const SHORT: &str = "it ends too early";

impl<'a> In<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(SHORT)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn long(&mut self) -> Result<u64, String> {
        let bytes = self.take(8)?.try_into().map_err(|_| SHORT)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// How many things follow, each of which takes `size` bytes or more.
    pub(super) fn count(&mut self, size: usize) -> Result<usize, String> {
        let count = usize::try_from(self.long()?).map_err(|_| SHORT)?;
        if count > self.bytes.len() / size {
            return Err(SHORT.to_owned());
        }
        Ok(count)
    }

    pub(super) fn number(&mut self) -> Result<f64, String> {
        Ok(f64::from_bits(self.long()?))
    }

    pub(super) fn text(&mut self) -> Result<String, String> {
        let count = self.count(1)?;
        let bytes = self.take(count)?.to_vec();
        String::from_utf8(bytes).map_err(|_| "a text is no UTF-8".to_owned())
    }

    pub(super) fn path(&mut self) -> Result<PathBuf, String> {
        Ok(self.text()?.into())
    }

    /// As many things as are said to follow.
    pub(super) fn list<T>(
        &mut self,
        size: usize,
        mut one: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let count = self.count(size)?;
        (0..count).map(|_| one(self)).collect()
    }
}
