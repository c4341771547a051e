//! OpenStreetMap: buildings, parts of buildings and woods from closed ways and multipolygon relations, as XML (`.osm`) or PBF (`.pbf`).
//!
//! A file is read three times, for relations, then ways, then nodes, so that only the needed elements are kept. Parts
//! (`building:part`) replace the outline of their building where they stand (`osm/parts.rs`). Multipolygons may have
//! their tags on the relation or, as was usual until 2017, on their outer ways.
//!
//! # Source
//! OpenStreetMap wiki, Simple 3D Buildings, Key:building:levels and Relation:multipolygon, 2026.

mod assemble;
mod candidate;
mod parts;
mod pbf;
mod xml;

use std::path::Path;

use glam::DVec2;

use super::{Place, PlaceError, ReadOptions, read_file};

/// The buildings in the XML file at `path`, in longitude and latitude.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read_xml(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, _| {
        parse_xml(bytes, path, &ReadOptions::default())
    })
}

/// The buildings in the PBF file at `path`, in longitude and latitude.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read_pbf(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, _| {
        parse_pbf(bytes, path, &ReadOptions::default())
    })
}

/// The buildings in the bytes of an XML file.
///
/// # Errors
/// [`PlaceError::Malformed`] for what is no OpenStreetMap XML.
pub fn parse_xml(bytes: &[u8], file: &Path, options: &ReadOptions) -> Result<Place, PlaceError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = format!("byte {}", error.valid_up_to());
        PlaceError::malformed(file, at, "not UTF-8 text")
    })?;
    let document = roxmltree::Document::parse(text)
        .map_err(|error| PlaceError::malformed(file, "", format!("not valid XML: {error}")))?;
    let root = document.root_element();
    if root.tag_name().name() != "osm" {
        return Err(PlaceError::malformed(
            file,
            "",
            format!(
                "the root element is <{}>; expected is <osm>",
                root.tag_name().name()
            ),
        ));
    }
    assemble::place(file, options, &|want, visit| {
        xml::visit(root, file, want, visit)
    })
}

/// The buildings in the bytes of a PBF file.
///
/// # Errors
/// [`PlaceError::Malformed`] for what is no OpenStreetMap PBF, ends too early or is compressed otherwise than by zlib.
pub fn parse_pbf(bytes: &[u8], file: &Path, options: &ReadOptions) -> Result<Place, PlaceError> {
    assemble::place(file, options, &|want, visit| {
        pbf::visit(bytes, file, want, visit)
    })
}

/// One kind of element, of which there are three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Want {
    Nodes,
    Ways,
    Relations,
}

/// One element of a file.
#[derive(Debug)]
enum Element<'a> {
    Node {
        id: i64,
        /// Longitude, latitude, degrees.
        at: DVec2,
    },
    Way {
        id: i64,
        nodes: Vec<i64>,
        tags: Tags<'a>,
    },
    Relation {
        id: i64,
        /// The ways among the members, each with its role.
        ways: Vec<(i64, &'a str)>,
        tags: Tags<'a>,
    },
}

type Tags<'a> = Vec<(&'a str, &'a str)>;

/// Calls its second argument with every element of the wanted kind.
type Visit<'a> = dyn Fn(Want, &mut dyn FnMut(Element<'_>)) -> Result<(), PlaceError> + 'a;

#[cfg(test)]
mod tests;
