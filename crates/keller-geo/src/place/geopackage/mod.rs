//! GeoPackage: tables of features in a file of SQLite.
//!
//! All tables with polygons are read, and have to be in one coordinate reference system.
//!
//! # Source
//! OGC 12-128r18, GeoPackage Encoding Standard 1.3.1, clauses 1.1.2, 2.1.

mod columns;
mod sqlite;

use std::path::Path;

use crate::shown::shown;

use super::attributes::Attributes;
use super::features::{self, Features, ONLY_POLYGONS};
use super::notes::Notes;
use super::wkb::{self, Geometry};
use super::{Place, PlaceError, ReadFile, ReadOptions, read_file, sibling};
use sqlite::{Database, Row, Value};

/// The buildings in the file at `path`.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, read_file| {
        parse(bytes, path, &ReadOptions::default(), read_file)
    })
}

/// The buildings in the bytes of `file`; `read_file` shows whether there are changes in a file next to it.
///
/// # Errors
/// [`PlaceError::Malformed`] for what is no GeoPackage, ends too early, or has changes that are in no table yet.
pub fn parse(
    bytes: &[u8],
    file: &Path,
    options: &ReadOptions,
    read_file: &ReadFile<'_>,
) -> Result<Place, PlaceError> {
    let malformed = |problem: String| PlaceError::malformed(file, "", problem);
    let mut changes = file.as_os_str().to_owned();
    changes.push("-wal");
    let changes = Path::new(&changes);
    if sibling(changes, read_file)?.is_some_and(|bytes| !bytes.is_empty()) {
        return Err(malformed(format!(
            "another program has changes to it in `{}`; close that program and read it again",
            changes.display()
        )));
    }
    let database = Database::open(bytes).map_err(malformed)?;
    let layers = layers(&database).map_err(malformed)?;
    let mut notes = Notes::new(file);
    let mut features = Features::new(options);
    // The system of the first layer with polygons, and its name.
    let mut first: Option<(Option<String>, String)> = None;
    for layer in layers {
        let in_layer = |problem| {
            PlaceError::malformed(file, format!("layer `{}`", shown(&layer.table)), problem)
        };
        let mut has_polygons = false;
        let found = database.rows(&layer.table, |row| {
            has_polygons |= feature(&row, &layer, &mut features, &mut notes);
        });
        if !found.map_err(in_layer)? {
            notes.add(
                &format!("layer `{}`", shown(&layer.table)),
                "it is no table of the file (a view is none); it is left out",
            );
        }
        match &first {
            None if has_polygons => first = Some((layer.crs, layer.table)),
            Some((crs, other)) if has_polygons && *crs != layer.crs => {
                return Err(malformed(format!(
                    "the layers `{}` and `{}` are in different coordinate reference systems; export one of them",
                    shown(other),
                    shown(&layer.table)
                )));
            }
            _ => {}
        }
    }
    let mut place = features.place(first.and_then(|(crs, _)| crs));
    place.warnings = notes.finish();
    Ok(place)
}

/// A table of features.
struct Layer {
    table: String,
    geometry: String,
    crs: Option<String>,
}

/// The layers that the file lists.
fn layers(database: &Database<'_>) -> Result<Vec<Layer>, String> {
    let mut systems: Vec<(i64, String)> = Vec::new();
    database.rows("gpkg_spatial_ref_sys", |row| {
        let text = |name| row.text(name).unwrap_or_default();
        let code = row.integer("organization_coordsys_id");
        let system = match code {
            Some(code) if code > 0 && text("organization").eq_ignore_ascii_case("epsg") => {
                format!("EPSG:{code}")
            }
            _ => text("definition").to_owned(),
        };
        let is_known = !system.is_empty() && system != "undefined";
        systems.extend(
            row.integer("srs_id")
                .filter(|_| is_known)
                .map(|id| (id, system)),
        );
    })?;
    let mut layers = Vec::new();
    let is_listed = database.rows("gpkg_geometry_columns", |row| {
        let names = (row.text("table_name"), row.text("column_name"));
        let (Some(table), Some(geometry)) = names else {
            return;
        };
        let id = row.integer("srs_id");
        let system = systems.iter().find(|(known, _)| Some(*known) == id);
        layers.push(Layer {
            table: table.to_owned(),
            geometry: geometry.to_owned(),
            crs: system.map(|(_, system)| system.clone()),
        });
    })?;
    if !is_listed {
        return Err("not a GeoPackage: it has no table `gpkg_geometry_columns`".to_owned());
    }
    Ok(layers)
}

/// Adds the feature in a row; whether it has polygons.
fn feature(row: &Row<'_>, layer: &Layer, features: &mut Features<'_>, notes: &mut Notes) -> bool {
    let attributes = Attributes(row.texts().collect());
    let id = features::id(&attributes);
    let number = row.id.to_string();
    let found_at = match id {
        Some(id) if id != number => format!("feature {number} (`{}`)", shown(id)),
        _ => format!("feature {number}"),
    };
    let geometry = match row.get(&layer.geometry) {
        Some(Value::Blob(blob)) => geometry(blob),
        _ => Err("it has no geometry".to_owned()),
    };
    match geometry {
        Ok(Geometry::Polygons(outline)) if !outline.is_empty() => {
            let name = id.map_or(number, str::to_owned);
            features.add(name, &found_at, outline, &attributes, notes);
            return true;
        }
        Ok(Geometry::Polygons(_)) => notes.add(&found_at, "its geometry is empty; it is left out"),
        Ok(Geometry::Other(what)) => notes.add(&format!("{found_at} ({what})"), ONLY_POLYGONS),
        Err(problem) => notes.add(&found_at, format!("{problem}; it is left out")),
    }
    false
}

/// The geometry in a blob: a head of its own, then well-known binary.
fn geometry(blob: &[u8]) -> Result<Geometry, String> {
    const HEAD: usize = 8;
    const BOX_BYTES: [usize; 5] = [0, 32, 48, 48, 64];
    let &[b'G', b'P', _, flags, ..] = blob else {
        return Err("its geometry does not begin with GP".to_owned());
    };
    let box_bytes = BOX_BYTES.get(usize::from(flags >> 1 & 7));
    let box_bytes = box_bytes.ok_or("its geometry has a box of an unknown kind")?;
    wkb::parse(blob.get(HEAD + box_bytes..).unwrap_or_default())
}

#[cfg(test)]
mod tests;
