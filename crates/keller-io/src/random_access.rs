//! Reads and writes anywhere in a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The bytes from a place on; fewer than asked for where the file ends.
pub(crate) fn read_up_to(file: &mut File, at: u64, count: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes bytes from a place on.
pub(crate) fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}
