//! Writes a scene to a file, under a temporary name until it is whole.

use std::io::{self, Write};
use std::path::Path;

use keller::scene::Numbers;

use super::head::Head;
use super::{CompiledScene, KIND, Wanted, unit};
use crate::formats::pending::Pending;
use crate::store::records;

/// Writes a scene to `file`, in place of a file that may be there.
///
/// # Errors
/// The system's error; also an error for names of files that are not UTF-8.
pub fn write(file: &Path, wanted: &Wanted<'_>, compiled: &CompiledScene) -> io::Result<()> {
    let (pending, mut out) = Pending::file(file)?;
    write_to(&mut out, wanted, compiled)?;
    out.flush()?;
    drop(out);
    pending.keep()
}

/// Writes the same to any writer.
pub(super) fn write_to(
    out: &mut impl Write,
    wanted: &Wanted<'_>,
    compiled: &CompiledScene,
) -> io::Result<()> {
    let head = Head::bytes(wanted, compiled).map_err(io::Error::other)?;
    out.write_all(&records::header(KIND, [0; 16], &head))?;
    let mut num_lists = 0;
    compiled.scene.each_list(&mut |numbers| {
        let (kind, bytes) = match numbers {
            Numbers::Whole(list) => (0, bytes(list, u32::to_le_bytes)),
            Numbers::Single(list) => (1, bytes(list, f32::to_le_bytes)),
            Numbers::Double(list) => (2, bytes(list, f64::to_le_bytes)),
        };
        out.write_all(&records::record(&unit(num_lists, kind), &bytes))?;
        num_lists += 1;
        out.write_all(&bytes)
    })?;
    out.write_all(&records::end(num_lists))
}

fn bytes<T: Copy, const N: usize>(list: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    let bytes = list.iter().map(|&number| bytes(number));
    bytes.collect::<Vec<_>>().into_flattened()
}
