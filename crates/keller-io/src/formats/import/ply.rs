//! PLY: ascii, binary little endian and binary big endian; polygons of any size; extra elements and properties are
//! skipped.
//!
//! The reader is our own. `ply-rs-bw` 4, the best maintained of the crates, was measured on five million triangles: it
//! needs about twice as long (it allocates a list for each face), says of a bad binary file only that it ended, and its
//! ascii grammar accepts neither `nan`, which has to be named in the message, nor `1.`, which some exporters write.
//!
//! If the faces of a file stand before the vertices, they are read in a second pass.

mod header;
mod values;

use std::path::Path;

use glam::DVec3;

use self::header::{Element, Encoding, Header, Property, Scalar};
use self::values::{Ascii, Binary, Values};
use super::soup::Soup;
use super::text::Words;
use super::{Imported, material_from_name};
use crate::formats::{ImportError, Place};

/// The triangles of a PLY file. All have one material, which the file's name gives (`ground-itu_wet_ground.ply`), or
/// else `default`.
///
/// # Errors
/// [`ImportError`] where the bytes are not a whole PLY file with vertices.
pub fn parse(bytes: &[u8], file: &Path) -> Result<Imported, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::Empty {
            file: file.to_owned(),
        });
    }
    let header = Header::parse(bytes, file)?;
    let mut soup = Soup::new(file);
    let material = soup.mesh.material_index(&material_from_name(file));
    match header.encoding {
        Encoding::Ascii => {
            let values = Ascii(Words::new(bytes, header.body));
            header.read_body(values, &mut soup, material, file)?;
        }
        Encoding::Little => {
            let values = Binary::<true>::new(bytes, header.body);
            header.read_body(values, &mut soup, material, file)?;
        }
        Encoding::Big => {
            let values = Binary::<false>::new(bytes, header.body);
            header.read_body(values, &mut soup, material, file)?;
        }
    }
    Ok(soup.finish())
}

/// The positions of the coordinates among a vertex's properties.
struct VertexLayout {
    xyz: [usize; 3],
}

impl Header {
    fn read_body<V: Values>(
        &self,
        mut values: V,
        soup: &mut Soup<'_>,
        material: u32,
        file: &Path,
    ) -> Result<(), ImportError> {
        let vertex_layout = self.vertex_layout(file)?;
        let indices = self.face_indices(file)?;
        let mut early_faces = None;
        let mut has_vertices = false;
        for element in &self.elements {
            values.check_room(element, file)?;
            match element.name.as_str() {
                "vertex" => {
                    read_vertices(element, &vertex_layout, &mut values, soup, file)?;
                    has_vertices = true;
                }
                "face" if has_vertices => {
                    read_faces(element, indices, &mut values, soup, material, file)?;
                }
                name => {
                    if name == "face" {
                        early_faces = Some((element, values.clone()));
                    }
                    skip(element, &mut values, file)?;
                }
            }
        }
        if let Some((element, mut values)) = early_faces {
            read_faces(element, indices, &mut values, soup, material, file)?;
        }
        Ok(())
    }

    fn vertex_layout(&self, file: &Path) -> Result<VertexLayout, ImportError> {
        let bad = |problem: &str| {
            let place = Place::Named("header".to_owned());
            Err(ImportError::malformed(file, place, problem))
        };
        let Some(vertex) = self.element("vertex") else {
            return bad("there is no `element vertex`");
        };
        let mut xyz = [0; 3];
        for (slot, name) in xyz.iter_mut().zip(["x", "y", "z"]) {
            let is_it = |property: &Property| property.name == name && property.length.is_none();
            let Some(index) = vertex.properties.iter().position(is_it) else {
                return bad(&format!("`element vertex` has no number called `{name}`"));
            };
            *slot = index;
        }
        Ok(VertexLayout { xyz })
    }

    /// The index of the property of a face that lists its vertices; 0 if there are no faces.
    fn face_indices(&self, file: &Path) -> Result<usize, ImportError> {
        let place = || Place::Named("header".to_owned());
        let Some(face) = self.element("face") else {
            if self.element("tristrips").is_some() {
                return Err(ImportError::Unsupported {
                    file: file.to_owned(),
                    place: place(),
                    what: "`element tristrips`".to_owned(),
                    accepted: "write the triangles as `element face`".to_owned(),
                });
            }
            return Ok(0);
        };
        let is_it = |p: &Property| matches!(p.name.as_str(), "vertex_indices" | "vertex_index");
        let index = face.properties.iter().position(is_it);
        let listed = index.filter(|&index| {
            let property = &face.properties[index];
            property.length.is_some() && property.value.is_integer()
        });
        listed.ok_or_else(|| {
            ImportError::malformed(
                file,
                place(),
                "`element face` has no list of integers called `vertex_indices` or `vertex_index`",
            )
        })
    }

    fn element(&self, name: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.name == name)
    }
}

fn read_vertices<V: Values>(
    element: &Element,
    layout: &VertexLayout,
    values: &mut V,
    soup: &mut Soup<'_>,
    file: &Path,
) -> Result<(), ImportError> {
    // `check_room` has compared the count with the bytes that follow.
    let count = usize::try_from(element.count).unwrap_or(usize::MAX);
    soup.mesh.vertices.reserve_exact(count);
    for index in 0..count {
        let mut position = DVec3::ZERO;
        for (at, property) in element.properties.iter().enumerate() {
            if property.length.is_some() {
                skip_property(property, values, element, index, file)?;
                continue;
            }
            let value = values.value(property.value, || (element, index), file)?;
            if let Some(axis) = layout.xyz.iter().position(|&slot| slot == at) {
                position[axis] = value;
            }
        }
        soup.vertex(position, || values.place())?;
    }
    Ok(())
}

fn read_faces<V: Values>(
    element: &Element,
    indices: usize,
    values: &mut V,
    soup: &mut Soup<'_>,
    material: u32,
    file: &Path,
) -> Result<(), ImportError> {
    let count = usize::try_from(element.count).unwrap_or(usize::MAX);
    soup.mesh.triangles.reserve(count);
    let num_vertices = soup.mesh.vertices.len() as f64;
    let mut corners = Vec::new();
    for index in 0..count {
        for (at, property) in element.properties.iter().enumerate() {
            if at != indices {
                skip_property(property, values, element, index, file)?;
                continue;
            }
            let length = property
                .length
                .expect("`face_indices` takes nothing but a list");
            let length = read_length(length, values, element, index, file)?;
            corners.clear();
            for _ in 0..length {
                let corner = values.value(property.value, || (element, index), file)?;
                if !(0.0..num_vertices).contains(&corner) || corner.fract() != 0.0 {
                    return Err(soup.out_of_range(&corner, Place::Item("face".to_owned(), index)));
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a whole number below the vertex count, which fits in 32 bits"
                )]
                corners.push(corner as u32);
            }
            soup.polygon(&corners, material, || Place::Item("face".to_owned(), index))?;
        }
    }
    Ok(())
}

fn skip<V: Values>(element: &Element, values: &mut V, file: &Path) -> Result<(), ImportError> {
    if element.properties.is_empty() {
        return Ok(());
    }
    let count = usize::try_from(element.count).unwrap_or(usize::MAX);
    for index in 0..count {
        for property in &element.properties {
            skip_property(property, values, element, index, file)?;
        }
    }
    Ok(())
}

fn skip_property<V: Values>(
    property: &Property,
    values: &mut V,
    element: &Element,
    index: usize,
    file: &Path,
) -> Result<(), ImportError> {
    let count = match property.length {
        Some(length) => read_length(length, values, element, index, file)?,
        None => 1,
    };
    for _ in 0..count {
        values.value(property.value, || (element, index), file)?;
    }
    Ok(())
}

/// The length of a list. Lists are read value by value, so a false length ends at the end of the file.
fn read_length<V: Values>(
    scalar: Scalar,
    values: &mut V,
    element: &Element,
    index: usize,
    file: &Path,
) -> Result<u64, ImportError> {
    let length = values.value(scalar, || (element, index), file)?;
    if length < 0.0 || length.fract() != 0.0 || length > f64::from(u32::MAX) {
        return Err(ImportError::malformed(
            file,
            Place::Item(element.name.clone(), index),
            format!("a list cannot have {length} values"),
        ));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 2^32 - 1"
    )]
    Ok(length as u64)
}
