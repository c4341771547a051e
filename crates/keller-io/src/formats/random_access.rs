//! Reads and writes anywhere in a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The bytes from a place on; fewer than asked for if the file ends before.
pub(crate) fn read_up_to(file: &mut File, at: u64, count: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // No file is so long, and systems refuse to read there.
    if i64::try_from(at).is_err() {
        return Ok(bytes);
    }
    file.seek(SeekFrom::Start(at))?;
    file.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes bytes from a place on.
pub(crate) fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}
