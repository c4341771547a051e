//! STL, ascii and binary: three vertices a triangle, not welded. Axes and units stay as they are: `axes.rs` settles
//! them.
//!
//! The reader is our own. `stl_io` rounds the numbers of an ascii file to `f32`, half a metre at map coordinates, and
//! does not say in which line a file is wrong.

use std::path::Path;

use glam::DVec3;

use super::soup::Soup;
use super::text::{self, Words};
use super::{Imported, material_from_name};
use crate::formats::{ImportError, Place};

/// The size of the part before the triangles of a binary file: 80 bytes of anything, and their number.
const HEADER: usize = 84;

/// The size of a triangle of a binary file: its normal and three vertices as `f32`, and two bytes of anything.
const RECORD: usize = 50;

/// The triangles of an STL file. All have one material, which the file's name gives (`roof-itu_metal.stl`), or else
/// `default`.
///
/// # Errors
/// [`ImportError`] where the bytes are neither a whole binary nor a whole ascii STL file.
pub fn parse(bytes: &[u8], file: &Path) -> Result<Imported, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::Empty {
            file: file.to_owned(),
        });
    }
    let mut soup = Soup::new(file);
    let material = soup.mesh.material_index(&material_from_name(file));
    if is_ascii(bytes) {
        read_ascii(bytes, &mut soup, material, file)?;
    } else {
        read_binary(bytes, &mut soup, material, file)?;
    }
    Ok(soup.finish())
}

/// Whether this is text: it begins with `solid`, as some binary files do too, and the length does not fit a binary
/// file.
fn is_ascii(bytes: &[u8]) -> bool {
    let fits_binary = announced(bytes)
        .is_some_and(|count| bytes.len() as u64 == HEADER as u64 + count * RECORD as u64);
    let is_solid = Words::new(bytes, 0).next() == Some(b"solid");
    is_solid && !fits_binary && !bytes.contains(&0)
}

/// The number of triangles in a binary file's header.
fn announced(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(80..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*count).into())
}

fn read_binary(
    bytes: &[u8],
    soup: &mut Soup<'_>,
    material: u32,
    file: &Path,
) -> Result<(), ImportError> {
    let Some(count) = announced(bytes) else {
        let problem = format!(
            "the file has {} bytes: neither an ascii STL, which begins with `solid`, nor a binary one, which has {HEADER} before its triangles",
            bytes.len()
        );
        return Err(ImportError::malformed(file, Place::File, problem));
    };
    let body = &bytes[HEADER..];
    let records = body.as_chunks::<RECORD>().0;
    let Some(records) = usize::try_from(count)
        .ok()
        .and_then(|count| records.get(..count))
    else {
        let problem = format!(
            "{count} triangles are announced, but only {} follow: the file is truncated, or no STL",
            records.len()
        );
        return Err(ImportError::malformed(file, Place::File, problem));
    };
    soup.mesh.vertices.reserve_exact(3 * records.len());
    soup.mesh.triangles.reserve_exact(records.len());
    for (index, record) in records.iter().enumerate() {
        let place = || Place::Item("triangle".to_owned(), index);
        let floats = record.as_chunks::<4>().0;
        let float = |at: usize| f64::from(f32::from_le_bytes(floats[at]));
        for corner in [3, 6, 9] {
            let position = DVec3::new(float(corner), float(corner + 1), float(corner + 2));
            soup.vertex(position, place)?;
        }
        add_last_triangle(soup, material, place)?;
    }
    Ok(())
}

/// Reads the words alone: where lines end does not matter, and normals are found anew from the corners.
fn read_ascii(
    bytes: &[u8],
    soup: &mut Soup<'_>,
    material: u32,
    file: &Path,
) -> Result<(), ImportError> {
    let name_end = bytes.iter().position(|&byte| byte == b'\n');
    let mut words = Words::new(bytes, name_end.unwrap_or(bytes.len()));
    let mut in_solid = true;
    loop {
        let Some(word) = words.next() else {
            return if in_solid {
                Err(ends_early(&words, file))
            } else {
                Ok(())
            };
        };
        match word {
            b"facet" => {
                expect(&mut words, &["normal"], file)?;
                for _ in 0..3 {
                    // Some writers put `nan` here for a triangle without area.
                    number(&mut words, file)?;
                }
                expect(&mut words, &["outer", "loop"], file)?;
                for _ in 0..3 {
                    expect(&mut words, &["vertex"], file)?;
                    let mut position = DVec3::ZERO;
                    for axis in 0..3 {
                        position[axis] = number(&mut words, file)?;
                    }
                    soup.vertex(position, || Place::Line(words.line()))?;
                }
                expect(&mut words, &["endloop", "endfacet"], file)?;
                add_last_triangle(soup, material, || Place::Line(words.line()))?;
            }
            b"endsolid" | b"solid" => {
                // A name may follow, and another solid after that.
                in_solid = word == b"solid";
                words.skip_line();
            }
            word => return Err(unexpected(&words, word, "facet` or `endsolid", file)),
        }
    }
}

/// Adds the triangle of the three vertices added last.
fn add_last_triangle(
    soup: &mut Soup<'_>,
    material: u32,
    place: impl FnOnce() -> Place,
) -> Result<(), ImportError> {
    // `Soup::vertex` has made sure that indices fit.
    let end = u32::try_from(soup.mesh.vertices.len()).unwrap_or(u32::MAX);
    soup.triangle([end - 3, end - 2, end - 1], material, place)
}

fn expect(words: &mut Words<'_>, expected: &[&str], file: &Path) -> Result<(), ImportError> {
    for expected in expected {
        match words.next() {
            Some(word) if word == expected.as_bytes() => {}
            Some(word) => return Err(unexpected(words, word, expected, file)),
            None => return Err(ends_early(words, file)),
        }
    }
    Ok(())
}

fn number(words: &mut Words<'_>, file: &Path) -> Result<f64, ImportError> {
    let Some(word) = words.next() else {
        return Err(ends_early(words, file));
    };
    text::number(word).ok_or_else(|| text::not_a_number(file, words.line(), word))
}

fn unexpected(words: &Words<'_>, word: &[u8], expected: &str, file: &Path) -> ImportError {
    let problem = format!("found {}, expected `{expected}`", text::quoted(word));
    ImportError::malformed(file, Place::Line(words.line()), problem)
}

fn ends_early(words: &Words<'_>, file: &Path) -> ImportError {
    let problem = "the file ends too early: it is truncated";
    ImportError::malformed(file, Place::Line(words.line()), problem)
}
