//! The statements about axes and units in comments at the head of OBJ and PLY files.

use super::{Stated, Unit, Up};

/// The largest number of lines of a head.
const MAX_LINES: usize = 100;

/// The statements in the bytes of an OBJ or PLY file, of which at least the head is text.
pub(in super::super) fn stated(bytes: &[u8]) -> Stated {
    let mut stated = Stated::default();
    for line in bytes.split(|byte| *byte == b'\n').take(MAX_LINES) {
        let Some(comment) = comment(line) else {
            if line.starts_with(b"end_header") {
                break;
            }
            continue;
        };
        let words = words(&comment);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        stated.up = stated.up.or_else(|| up(&words));
        stated.unit = stated.unit.or_else(|| unit(&words));
    }
    stated
}

/// The text of a comment, in lower case.
fn comment(line: &[u8]) -> Option<String> {
    let text = line
        .strip_prefix(b"#")
        .or_else(|| line.strip_prefix(b"comment "))
        .or_else(|| line.strip_prefix(b"obj_info "))?;
    Some(String::from_utf8_lossy(text).trim().to_lowercase())
}

/// The words and equals signs of a text.
fn words(text: &str) -> Vec<String> {
    let text = text.replace(['=', ':'], " = ").replace('_', "-");
    let split = text.split(|c: char| !(c.is_alphanumeric() || c == '=' || c == '-'));
    let words = split.map(|word| word.trim_matches('-').to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// The axis in `y-up`, `up axis: y`, `y axis is up` and the like.
fn up(words: &[&str]) -> Option<Up> {
    let axes = [("y", Up::Y), ("z", Up::Z)];
    axes.into_iter().find_map(|(axis, up)| {
        let (joined, run) = (format!("{axis}-up"), format!("{axis}up"));
        let is_said = words.contains(&&*joined)
            || words.contains(&&*run)
            || *words == [axis, "up"]
            || [
                &[axis, "is", "up"][..],
                &[axis, "axis", "up"],
                &[axis, "axis", "is", "up"],
                &["up", "=", axis],
                &["up", "axis", axis],
                &["up", "axis", "=", axis],
                &["up-axis", "=", axis],
                &["upaxis", "=", axis],
                &["upaxis", axis],
            ]
            .into_iter()
            .any(|said| words.windows(said.len()).any(|window| window == said));
        is_said.then_some(up)
    })
}

/// The unit in `File units = inches`, `unit: mm` and the like.
fn unit(words: &[&str]) -> Option<Unit> {
    let names: [(Unit, &[&str]); 6] = [
        (
            Unit::Millimetre,
            &[
                "mm",
                "millimeter",
                "millimeters",
                "millimetre",
                "millimetres",
            ],
        ),
        (
            Unit::Centimetre,
            &[
                "cm",
                "centimeter",
                "centimeters",
                "centimetre",
                "centimetres",
            ],
        ),
        (Unit::Metre, &["m", "meter", "meters", "metre", "metres"]),
        (
            Unit::Kilometre,
            &["km", "kilometer", "kilometers", "kilometre", "kilometres"],
        ),
        (Unit::Inch, &["in", "inch", "inches"]),
        (Unit::Foot, &["ft", "foot", "feet"]),
    ];
    let said = words.windows(3).find_map(|window| match window {
        ["unit" | "units", "=", name] => Some(*name),
        _ => None,
    })?;
    let found = names.into_iter().find(|(_, known)| known.contains(&said));
    found.map(|(unit, _)| unit)
}
