//! Puts a scene into a file: under a temporary name until it is whole.

use std::hash::Hasher;
use std::io::{self, Write};
use std::path::Path;

use keller::scene::Numbers;
use twox_hash::XxHash3_64;
use twox_hash::xxhash3_64;

use super::head::Head;
use super::{MAGIC, Prepared, VERSION, Wanted};
use crate::formats::pending::Pending;

/// Writes a scene to `file`, in place of what was there.
///
/// # Errors
/// What the system says; and for names of files that are not UTF-8.
pub fn write(file: &Path, wanted: &Wanted<'_>, prepared: &Prepared) -> io::Result<()> {
    let (pending, mut out) = Pending::file(file)?;
    write_to(&mut out, wanted, prepared)?;
    out.flush()?;
    drop(out);
    pending.keep()
}

/// The same to anything.
pub(super) fn write_to(
    out: &mut impl Write,
    wanted: &Wanted<'_>,
    prepared: &Prepared,
) -> io::Result<()> {
    let head = Head::bytes(wanted, prepared).map_err(io::Error::other)?;
    let length = (head.len() as u64).to_le_bytes();
    let start = [&MAGIC[..], &VERSION.to_le_bytes(), &[0; 4], &length].concat();
    let head = [start, head].concat();
    out.write_all(&head)?;
    out.write_all(&XxHash3_64::oneshot(&head).to_le_bytes())?;
    prepared.scene.each_list(&mut |numbers| match numbers {
        Numbers::Whole(list) => put(out, 0, list, u32::to_le_bytes),
        Numbers::Single(list) => put(out, 1, list, f32::to_le_bytes),
        Numbers::Double(list) => put(out, 2, list, f64::to_le_bytes),
    })
}

fn put<T: Copy, const N: usize>(
    out: &mut impl Write,
    kind: u64,
    list: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    /// Numbers that are turned into bytes together.
    const TOGETHER: usize = 1 << 14;
    let mut sum = xxhash3_64::Hasher::new();
    let mut put = |bytes: &[u8]| {
        sum.write(bytes);
        out.write_all(bytes)
    };
    put(&[kind.to_le_bytes(), (list.len() as u64).to_le_bytes()].concat())?;
    let mut together = Vec::with_capacity(TOGETHER * N);
    for part in list.chunks(TOGETHER) {
        together.clear();
        together.extend(part.iter().flat_map(|&number| bytes(number)));
        put(&together)?;
    }
    put(&[0; 8][..(8 - list.len() * N % 8) % 8])?;
    let sum = sum.finish();
    out.write_all(&sum.to_le_bytes())
}
