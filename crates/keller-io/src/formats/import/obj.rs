//! Wavefront OBJ: polygons of any shape, negative indices, `usemtl`, and objects by `o` or `g`. Axes and units stay as
//! they are: `axes.rs` settles them.
//!
//! The reader is our own. `tobj` 4 forgets a material's name when the MTL file is missing, `obj` keeps coordinates in
//! `f32`, and neither says in which line a file is wrong. An MTL file says nothing about radio, so the reader only
//! checks that it is there.

use std::borrow::Cow;
use std::path::Path;

use glam::DVec3;

use super::soup::Soup;
use super::text;
use super::{DEFAULT_MATERIAL, Imported, Object, ReadFile, Warning, plain_name};
use crate::formats::{ImportError, Place};

/// The triangles of an OBJ file, with the materials that `usemtl` names.
///
/// `read` is asked for the files that `mtllib` names; a missing one is a warning.
///
/// # Errors
/// [`ImportError`] with the line that breaks the format.
pub fn parse(bytes: &[u8], file: &Path, read: &ReadFile<'_>) -> Result<Imported, ImportError> {
    let (mut imported, libraries) = parse_shape(bytes, file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    for library in libraries {
        if let Err(error) = read(&folder.join(&library)) {
            let message = format!("material library `{library}` cannot be read: {error}");
            imported.warnings.push(Warning::new(file, message));
        }
    }
    Ok(imported)
}

/// The triangles, and the material libraries that are named.
pub(super) fn parse_shape(
    bytes: &[u8],
    file: &Path,
) -> Result<(Imported, Vec<String>), ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::Empty {
            file: file.to_owned(),
        });
    }
    let mut soup = Soup::new(file);
    let mut faces = Faces::default();
    let mut libraries: Vec<String> = Vec::new();
    let mut material = None;
    let mut free_forms = 0;
    for (line, statement) in Statements::new(bytes) {
        let mut words = statement
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => {
                let position = read_position(&mut words, file, line)?;
                soup.vertex(position, || Place::Line(line))?;
            }
            Some(b"f") => {
                let material =
                    *material.get_or_insert_with(|| soup.mesh.material_index(DEFAULT_MATERIAL));
                for word in words {
                    faces.corners.push(read_corner(word, &soup, file, line)?);
                }
                faces.ends.push((faces.corners.len(), material, line));
            }
            Some(b"o" | b"g") => faces.names.push((faces.ends.len(), rest_of(&statement))),
            Some(b"usemtl") => {
                let name = rest_of(&statement);
                let name = if name.is_empty() {
                    DEFAULT_MATERIAL
                } else {
                    plain_name(&name)
                };
                material = Some(soup.mesh.material_index(name));
            }
            Some(b"mtllib") => {
                let name = rest_of(&statement);
                if !name.is_empty() && !libraries.contains(&name) {
                    libraries.push(name);
                }
            }
            Some(b"surf") => free_forms += 1,
            // Normals, texture coordinates, lines, points and comments say nothing about surfaces.
            _ => {}
        }
    }
    // A face may name vertices that come after it, so faces are resolved at the end.
    let mut start = 0;
    let mut objects = Objects::default();
    let mut names = faces.names.into_iter().peekable();
    for (face, &(end, material, line)) in faces.ends.iter().enumerate() {
        while let Some((_, name)) = names.next_if(|(first, _)| *first <= face) {
            objects.begin(name, soup.mesh.triangles.len());
        }
        let corners = &faces.corners[start..end];
        start = end;
        let count = soup.mesh.vertices.len();
        if let Some(&index) = corners.iter().find(|&&corner| corner as usize >= count) {
            return Err(soup.out_of_range(&(u64::from(index) + 1), Place::Line(line)));
        }
        soup.polygon(corners, material, || Place::Line(line))?;
    }
    if free_forms > 0 {
        let message = format!("{free_forms} free-form surfaces (`surf`) are left out");
        soup.warnings.push(Warning::new(file, message));
    }
    let objects = objects.finish(soup.mesh.triangles.len());
    let imported = Imported {
        objects,
        ..soup.finish()
    };
    Ok((imported, libraries))
}

/// The objects, as far as they have triangles.
#[derive(Default)]
struct Objects {
    ended: Vec<Object>,
    /// The name of the object that has not ended, and its first triangle.
    open: Option<(String, usize)>,
}

impl Objects {
    fn begin(&mut self, name: String, first: usize) {
        self.end(first);
        // An empty name ends the object before it.
        self.open = Some((name, first)).filter(|(name, _)| !name.is_empty());
    }

    fn end(&mut self, end: usize) {
        if let Some((name, first)) = self.open.take()
            && first < end
        {
            let triangles = first..end;
            self.ended.push(Object { name, triangles });
        }
    }

    fn finish(mut self, end: usize) -> Vec<Object> {
        self.end(end);
        self.ended
    }
}

/// The corners of all faces in a row, and for each face the end of its corners, its material and its line.
#[derive(Default)]
struct Faces {
    corners: Vec<u32>,
    ends: Vec<(usize, u32, usize)>,
    /// The names of objects, with the numbers of their first faces.
    names: Vec<(usize, String)>,
}

fn read_position<'w>(
    words: &mut impl Iterator<Item = &'w [u8]>,
    file: &Path,
    line: usize,
) -> Result<DVec3, ImportError> {
    let mut position = DVec3::ZERO;
    for axis in 0..3 {
        let Some(word) = words.next() else {
            let problem = format!("a vertex needs 3 coordinates, but there are {axis}");
            return Err(ImportError::malformed(file, Place::Line(line), problem));
        };
        position[axis] = text::number(word).ok_or_else(|| text::not_a_number(file, line, word))?;
    }
    Ok(position)
}

/// The vertex of `12`, `12/3`, `12//4`, `12/3/4` or, counted back from the last one, `-1`.
fn read_corner(word: &[u8], soup: &Soup<'_>, file: &Path, line: usize) -> Result<u32, ImportError> {
    let digits = word.split(|&byte| byte == b'/').next().unwrap_or(word);
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse::<i64>().ok());
    let Some(number) = number else {
        let problem = format!("{} is not a corner of a face", text::quoted(word));
        return Err(ImportError::malformed(file, Place::Line(line), problem));
    };
    let index = match number {
        1.. => Some(number - 1),
        0 => None,
        _ => i64::try_from(soup.mesh.vertices.len())
            .ok()
            .map(|count| count + number),
    };
    index
        .and_then(|index| u32::try_from(index).ok())
        .ok_or_else(|| soup.out_of_range(&number, Place::Line(line)))
}

/// The text after the first word, without the space around it.
fn rest_of(statement: &[u8]) -> String {
    let text = String::from_utf8_lossy(statement);
    let rest = text.trim().split_once(char::is_whitespace);
    rest.map_or(String::new(), |(_, rest)| rest.trim().to_owned())
}

/// The statements with the lines they start in: a `\` before the end of a line joins it to the next.
struct Statements<'a> {
    bytes: &'a [u8],
    line: usize,
}

impl<'a> Statements<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, line: 0 }
    }

    fn next_line(&mut self) -> Option<&'a [u8]> {
        if self.bytes.is_empty() {
            return None;
        }
        self.line += 1;
        let end = self.bytes.iter().position(|&byte| byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.bytes[..end], &self.bytes[end + 1..]),
            None => (self.bytes, &[][..]),
        };
        self.bytes = rest;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

impl<'a> Iterator for Statements<'a> {
    type Item = (usize, Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_line()?;
        let number = self.line;
        let Some(part) = line.strip_suffix(b"\\") else {
            return Some((number, Cow::Borrowed(line)));
        };
        let mut joined = part.to_vec();
        while let Some(line) = self.next_line() {
            joined.push(b' ');
            let Some(part) = line.strip_suffix(b"\\") else {
                joined.extend_from_slice(line);
                break;
            };
            joined.extend_from_slice(part);
        }
        Some((number, Cow::Owned(joined)))
    }
}
