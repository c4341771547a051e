//! ESRI Shapefile: polygons (`.shp`), their attributes (`.dbf`) and their coordinate reference system (`.prj`), three files of one
//! stem.
//!
//! Rings are sorted into outer ones and holes by which lies in which, since not all programs keep the rule of orientation. Without a
//! `.dbf` heights are the default ones; without a `.prj` the coordinate reference system is unknown. Both are warned of.
//!
//! # Source
//! ESRI Shapefile Technical Description, July 1998.

mod dbf;
mod shp;

use crate::shown::shown;
use std::path::Path;

use super::attributes::Attributes;
use super::features::{self, Features, ONLY_POLYGONS};
use super::notes::Notes;
use super::{
    Place, PlaceError, ReadFile, ReadOptions, geojson::strip_mark, read_file, rings, sibling,
};

/// The buildings in the Shapefile at `path`.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, read_file| {
        parse(bytes, path, &ReadOptions::default(), read_file)
    })
}

/// The buildings in the bytes of `file`; `read_file` gives the `.dbf` and the `.prj` next to it.
///
/// # Errors
/// [`PlaceError::Malformed`] for what is no Shapefile or ends too early, [`PlaceError::Read`] for a `.dbf` that is there but
/// cannot be read.
pub fn parse(
    bytes: &[u8],
    file: &Path,
    options: &ReadOptions,
    read_file: &ReadFile<'_>,
) -> Result<Place, PlaceError> {
    let mut notes = Notes::new(file);
    let records = shp::parse(bytes, file, &mut notes)?;
    let find = |extension: &str| -> Result<Option<Vec<u8>>, PlaceError> {
        let small = sibling(&file.with_extension(extension), read_file)?;
        let large = || sibling(&file.with_extension(extension.to_uppercase()), read_file);
        small.map_or_else(large, |bytes| Ok(Some(bytes)))
    };
    let stated = || {
        let text = find("prj").ok().flatten();
        let text = text.map(|text| String::from_utf8_lossy(strip_mark(&text)).trim().to_owned());
        text.filter(|text| !text.is_empty())
    };
    let crs = stated();
    if crs.is_none() && options.leaves_crs_open() {
        notes.add(
            "",
            "there is no .prj beside it: the coordinate reference system is unknown; state it",
        );
    }
    let mut table = if let Some(table) = find("dbf")? {
        dbf::parse(&table, &file.with_extension("dbf"))?
    } else {
        notes.add("", "there is no .dbf beside it: no heights are known");
        Vec::new()
    };
    if !table.is_empty() && table.len() != records.len() {
        notes.add(
            "",
            format!(
                "there are {} shapes but {} rows in the .dbf; rows are taken in order",
                records.len(),
                table.len()
            ),
        );
    }
    let mut features = Features::new(options);
    for row in &mut table {
        restore_names(row, options);
    }
    let empty = Attributes::default();
    for (index, rings) in records.into_iter().enumerate() {
        let attributes = table.get(index).unwrap_or(&empty);
        let id = features::id(attributes);
        let number = index + 1;
        let found_at = match id {
            Some(id) => format!("record {number} (`{id}`)", id = shown(id)),
            None => format!("record {number}"),
        };
        let rings = match rings {
            shp::Record::Rings(rings) => rings,
            shp::Record::Other(what) => {
                notes.add(&format!("{found_at} ({what})"), ONLY_POLYGONS);
                continue;
            }
        };
        let outline = rings::nest(rings);
        let name = id.map_or_else(|| number.to_string(), str::to_owned);
        features.add(name, &found_at, outline, attributes, &mut notes);
    }
    let mut place = features.place(crs);
    place.warnings = notes.finish();
    Ok(place)
}

/// Gives attributes their names back where a `.dbf`, which has room for ten characters and no colons, has cut them:
/// `building:levels` comes as `building_l`. The value decides between several that begin alike: materials are no
/// numbers.
fn restore_names(row: &mut Attributes, options: &ReadOptions) {
    const ROOM: usize = 10;
    let cut = |key: &str| -> String {
        key.to_lowercase()
            .replace(':', "_")
            .chars()
            .take(ROOM)
            .collect()
    };
    let numbers = [
        &options.height_keys,
        &options.level_keys,
        &options.elevation_keys,
        &options.ground_keys,
        &options.min_height_keys,
        &options.min_level_keys,
    ];
    let materials = [&options.wall_material_keys, &options.roof_material_keys];
    for (name, value) in &mut row.0 {
        if name.chars().count() != ROOM {
            continue;
        }
        let is_number = value.trim().starts_with(|c: char| c.is_ascii_digit());
        let keys: &[&Vec<String>] = if is_number { &numbers } else { &materials };
        let mut keys = keys.iter().flat_map(|keys| keys.iter());
        let found = keys.find(|key| cut(key) == cut(name));
        if let Some(key) = found {
            name.clone_from(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use glam::DVec2;

    use super::*;
    use crate::place::{Building, Prism, Roof, Shape};

    fn ring(corners: &[(f64, f64)]) -> Vec<DVec2> {
        corners.iter().copied().map(DVec2::from).collect()
    }

    fn rows() -> Vec<u8> {
        dbf::tests::table(
            &[("ID", b'N', 4), ("HOEHE", b'C', 8)],
            &["   1    12 m", "   2   tall "],
        )
    }

    fn shapes() -> Vec<u8> {
        // A courtyard, both rings in one sense of rotation as some programs write them, and a triangle.
        shp::tests::file(&[
            vec![
                ring(&[(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0), (0.0, 0.0)]),
                ring(&[(3.0, 3.0), (6.0, 3.0), (6.0, 6.0), (3.0, 6.0), (3.0, 3.0)]),
            ],
            vec![ring(&[(20.0, 0.0), (29.0, 0.0), (20.0, 9.0), (20.0, 0.0)])],
        ])
    }

    fn parse_with(files: &[(&str, Vec<u8>)]) -> Result<Place, PlaceError> {
        let read_file = |path: &Path| {
            let found = files.iter().find(|(name, _)| path == Path::new(name));
            found
                .map(|(_, bytes)| bytes.clone())
                .ok_or(io::ErrorKind::NotFound.into())
        };
        let bytes = &files[0].1;
        parse(
            bytes,
            Path::new("a.shp"),
            &ReadOptions::default(),
            &read_file,
        )
    }

    fn prism(building: &Building) -> &Prism {
        match &building.shape {
            Shape::Prism(prism) => prism,
            other @ Shape::Surfaces(_) => panic!("{other:?}"),
        }
    }

    #[test]
    fn names_that_a_dbf_has_cut_are_known() {
        let given = [
            ("building_l", "4"),
            ("building_m", "brick"),
            ("roof_mater", "metal"),
            ("min_height", "2"),
            ("building", "4"),
        ];
        let mut row = Attributes(given.map(|(n, v)| (n.to_owned(), v.to_owned())).into());
        restore_names(&mut row, &ReadOptions::default());
        let names: Vec<&str> = row.0.iter().map(|(name, _)| name.as_str()).collect();
        let whole = [
            "building:levels",
            "building:material",
            "roof:material",
            "min_height",
            "building",
        ];
        assert_eq!(names, whole);
    }

    #[test]
    fn shapes_take_their_attributes_and_reference_system() {
        let place = parse_with(&[
            ("a.shp", shapes()),
            ("a.DBF", rows()),
            ("a.prj", b"PROJCS[\"x\"]\n".to_vec()),
        ])
        .unwrap();
        assert_eq!(place.crs.as_deref(), Some("PROJCS[\"x\"]"));
        assert_eq!(place.buildings[0].id, "1");
        let (first, second) = (prism(&place.buildings[0]), prism(&place.buildings[1]));
        assert_eq!(first.roof, Roof::Height(12.0));
        assert_eq!(first.outline[0].area(), 72.0);
        assert_eq!(second.roof, Roof::Height(10.0));
        assert!(
            place.warnings[0]
                .to_string()
                .starts_with("`a.shp`, record 2 (`2`) (hoehe `tall`): this is not a number"),
            "{:?}",
            place.warnings
        );
    }

    #[test]
    fn missing_companions_are_warned_of() {
        let place = parse_with(&[("a.shp", shapes())]).unwrap();
        assert_eq!(place.crs, None);
        assert!(
            place.warnings[0].to_string().contains("no .prj"),
            "{:?}",
            place.warnings
        );
        assert!(
            place.warnings[1].to_string().contains("no .dbf"),
            "{:?}",
            place.warnings
        );
        assert_eq!(place.buildings.len(), 2);
    }

    #[test]
    fn cut_files_are_errors_or_whole_records() {
        let whole = shapes();
        for length in 0..whole.len() {
            let result = parse_with(&[("a.shp", whole[..length].to_vec())]);
            let error = result.unwrap_err().to_string();
            assert!(error.starts_with("`a.shp`"), "{error}");
        }
        let table = rows();
        for length in 0..table.len() {
            let files = [
                ("a.shp", whole.clone()),
                ("a.dbf", table[..length].to_vec()),
            ];
            let error = parse_with(&files).unwrap_err().to_string();
            assert!(error.starts_with("`a.dbf`"), "{length}: {error}");
        }
    }

    #[test]
    fn any_changed_byte_gives_a_place_or_an_error() {
        let (whole, table) = (shapes(), rows());
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                let _ = parse_with(&[("a.shp", bytes)]);
            }
        }
        for at in 0..table.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = table.clone();
                bytes[at] = value;
                let _ = parse_with(&[("a.shp", whole.clone()), ("a.dbf", bytes)]);
            }
        }
    }
}
