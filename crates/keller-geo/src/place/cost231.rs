//! The wall list of COST 231: one wall a line, `x1 y1 x2 y2 height building flag ground`, metres.
//!
//! The walls of a building stand together and close its outline; more than one ring is sorted into parts and courtyards. The height
//! counts from `ground`, which is an elevation above the sea. The flag is not used. Coordinates are of a local frame, so there is no
//! coordinate reference system.

use crate::shown::shown;
use std::path::Path;

use glam::DVec2;

use super::notes::Notes;
use super::{
    Building, Place, PlaceError, Prism, ReadOptions, Roof, Shape, bounds, read_file, rings,
};

/// Height or ground may differ by this much within a building before it is warned of, metres.
const SAME_HEIGHT: f64 = 1e-6;

/// The buildings in the file at `path`.
///
/// # Errors
/// [`PlaceError`], which names the file and the line.
pub fn read(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, _| parse(bytes, path, &ReadOptions::default()))
}

/// The buildings in the bytes of `file`.
///
/// # Errors
/// [`PlaceError::Malformed`] for a line that is not eight finite numbers.
pub fn parse(bytes: &[u8], file: &Path, options: &ReadOptions) -> Result<Place, PlaceError> {
    let mut notes = Notes::new(file);
    let text = String::from_utf8_lossy(bytes);
    let mut walls: Vec<Wall> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() {
            walls.push(wall(line, index + 1, file)?);
        }
    }
    let mut place = Place::default();
    for walls in walls.chunk_by(|a, b| a.building == b.building) {
        let first = &walls[0];
        let found_at = format!("line {} (building {})", first.line, first.building);
        let differs = |wall: &Wall| {
            (wall.height - first.height).abs() > SAME_HEIGHT
                || (wall.ground - first.ground).abs() > SAME_HEIGHT
        };
        let ends = bounds(walls.iter().flat_map(|wall| wall.ends));
        if walls.iter().any(differs) {
            let what =
                "walls of one building differ in height or ground; those of the first are used";
            notes.about(ends, |notes| notes.add(&found_at, what));
        }
        if first.height <= 0.0 {
            let place = format!("{found_at} ({} m)", first.height);
            let what = "the height is not above the ground; the building is left out";
            notes.about(ends, |notes| notes.add(&place, what));
            continue;
        }
        let rings = notes.about(ends, |notes| chain(walls, &found_at, notes));
        if rings.is_empty() {
            continue;
        }
        place.buildings.push(Building {
            id: first.building.clone(),
            found_at,
            shape: Shape::Prism(Prism {
                outline: rings::nest(rings),
                roof: Roof::Height(first.height),
                pitched: None,
                min_height: 0.0,
                ground: Some(first.ground),
            }),
            wall_material: None,
            roof_material: None,
        });
    }
    if options.leaves_crs_open() {
        notes.add(
            "",
            "the format has no coordinate reference system: coordinates are taken as metres, x east and y north",
        );
    }
    place.warnings = notes.finish();
    Ok(place)
}

#[derive(Debug)]
struct Wall {
    line: usize,
    ends: [DVec2; 2],
    height: f64,
    building: String,
    ground: f64,
}

fn wall(text: &str, line: usize, file: &Path) -> Result<Wall, PlaceError> {
    let words: Vec<&str> = text
        .split([' ', '\t', ',', ';'])
        .filter(|w| !w.is_empty())
        .collect();
    let wrong = |problem: String| PlaceError::malformed(file, format!("line {line}"), problem);
    let words: [&str; 8] = words.try_into().map_err(|words: Vec<&str>| {
        wrong(format!(
            "{} values where eight are expected: x1 y1 x2 y2 height building flag ground",
            words.len()
        ))
    })?;
    let number = |word: &str| {
        let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| {
            wrong(format!(
                "`{word}` is not a finite number",
                word = shown(word)
            ))
        })
    };
    let [x1, y1, x2, y2, height, building, _, ground] = words;
    Ok(Wall {
        line,
        ends: [
            DVec2::new(number(x1)?, number(y1)?),
            DVec2::new(number(x2)?, number(y2)?),
        ],
        height: number(height)?,
        building: building.to_owned(),
        ground: number(ground)?,
    })
}

/// The closed rings of walls that follow one another.
fn chain(walls: &[Wall], found_at: &str, notes: &mut Notes) -> Vec<Vec<DVec2>> {
    let mut rings = Vec::new();
    let mut ring: Vec<DVec2> = Vec::new();
    let mut end = None;
    for wall in walls {
        let [from, to] = wall.ends;
        if end.is_some_and(|end| end != from) {
            notes.add(
                &format!("line {}", wall.line),
                "a wall does not begin where the one before ends; the outline is closed by a straight wall",
            );
            rings.push(std::mem::take(&mut ring));
        }
        ring.push(from);
        end = Some(to);
        if ring.first() == Some(&to) {
            rings.push(std::mem::take(&mut ring));
            end = None;
        }
    }
    if let Some(end) = end {
        ring.push(end);
        notes.add(
            found_at,
            "the walls do not close the outline; a straight wall is added",
        );
        rings.push(ring);
    }
    rings.retain(|ring| ring.len() > 2);
    if rings.is_empty() {
        notes.add(
            found_at,
            "fewer than three walls make no building; it is left out",
        );
    }
    rings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<Place, PlaceError> {
        parse(text.as_bytes(), Path::new("m.res"), &ReadOptions::default())
    }

    #[test]
    fn walls_become_buildings_on_their_ground() {
        let text = "0 0 4 0 12 7 1 515\n4 0 4 3 12 7 1 515\n4 3 0 0 12 7 1 515\n\n\
                    9 0 10 0 5 8 1 510\n10 0 10 1 5 8 1 510\n10 1 9 0 5 8 1 510\n";
        let place = parse_text(text).unwrap();
        assert_eq!(place.buildings.len(), 2);
        assert_eq!(place.buildings[1].id, "8");
        let Shape::Prism(prism) = &place.buildings[0].shape else {
            panic!("{:?}", place.buildings[0])
        };
        assert_eq!(prism.outline[0].area(), 6.0);
        assert_eq!(prism.roof, Roof::Height(12.0));
        assert_eq!(prism.ground, Some(515.0));
        assert_eq!(place.warnings.len(), 1, "{:?}", place.warnings);
    }

    #[test]
    fn open_outlines_are_closed_and_named() {
        let place = parse_text("0 0 4 0 12 7 1 515\n4 0 4 3 12 7 1 515\n").unwrap();
        assert_eq!(place.buildings.len(), 1);
        assert!(
            place.warnings[0]
                .to_string()
                .starts_with("`m.res`, line 1 (building 7): the walls do not close"),
            "{:?}",
            place.warnings
        );
        let place = parse_text("0 0 4 0 12 7 1 515\n").unwrap();
        assert!(place.buildings.is_empty(), "{:?}", place.buildings);
    }

    #[test]
    fn bad_lines_are_errors_that_name_the_line() {
        let good = "0 0 4 0 12 7 1 515\n";
        for (bad, wanted) in [
            (
                "1 2 3\n",
                "`m.res`, line 2: 3 values where eight are expected",
            ),
            (
                "0 0 x 0 12 7 1 515\n",
                "`m.res`, line 2: `x` is not a finite number",
            ),
            ("0 0 inf 0 12 7 1 515\n", "`m.res`, line 2: `inf` is not"),
        ] {
            let error = parse_text(&format!("{good}{bad}")).unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
        assert!(parse_text("\u{0}\u{1}PK").is_err());
    }
}
