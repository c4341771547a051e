//! The one reader of CSV: receivers, sites, measurements, variants, patterns and tables of results all come through
//! here.
//!
//! A row is a line, so that a quote that is never closed costs an error in its line and not all lines after it. All
//! rows have as many fields as the first. Commas separate fields, blanks around them do not count, and a field in
//! quotes may hold commas and doubled quotes.

use std::path::Path;

use csv::StringRecord;
use keller_geo::other_formats;
use keller_geo::shown::shown;

/// The beginnings of files that are given for CSV by mistake, and the names of their formats.
const OTHERS: [(&[u8], &str); 8] = [
    (b"PK\x03\x04", "a ZIP archive, as .xlsx and .ods files are"),
    (b"\xd0\xcf\x11\xe0", "an .xls workbook"),
    (b"PAR1", "a Parquet table"),
    (b"\x93NUMPY", "an array of numpy"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"%PDF", "a PDF document"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

const ACCEPTED: &str = "accepted: CSV, which programs for tables export";

/// The text of a file, or what is wrong with it.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    let bytes = keller_geo::input::read(file).map_err(|error| error.to_string())?;
    if let Some(what) = other_formats::name_of(file) {
        return Err(format!("this is {what}; {ACCEPTED}"));
    }
    check_text(&bytes)?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count();
        format!("line {line} is not UTF-8; accepted: CSV in UTF-8")
    })
}

/// Refuses bytes that are no text at all.
pub(crate) fn check_text(bytes: &[u8]) -> Result<(), String> {
    if bytes.trim_ascii_start().starts_with(b"<") {
        return Err(format!(
            "this is XML, as .kml and .gpx files are; {ACCEPTED}"
        ));
    }
    if let Some((_, what)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Err(format!("this is {what}, not text; {ACCEPTED}"));
    }
    match bytes.iter().position(|byte| *byte == 0) {
        Some(at) => Err(format!("this is not text: byte {at} is zero; {ACCEPTED}")),
        None => Ok(()),
    }
}

/// Gives every row of `text` to `take` with its line. Empty lines are passed over, and with `has_comments` those that
/// begin with `#`. A faulty row goes through `refuse`, which is given its line and the end of a sentence about it.
pub(crate) fn each_row<E>(
    text: &str,
    has_comments: bool,
    refuse: impl Fn(usize, String) -> E,
    mut take: impl FnMut(usize, &StringRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut record = StringRecord::new();
    let mut num_fields = None;
    for (number, line) in lines(text.trim_start_matches('\u{feff}')).enumerate() {
        let number = number + 1;
        if line.trim().is_empty() || has_comments && line.starts_with('#') {
            continue;
        }
        split(line, &mut record).map_err(|problem| refuse(number, problem))?;
        let expected = *num_fields.get_or_insert(record.len());
        if record.len() != expected {
            let found = record.len();
            return Err(refuse(
                number,
                format!(
                    "has {found} values for {expected} columns; accepted: as many in every row"
                ),
            ));
        }
        take(number, &record)?;
    }
    Ok(())
}

/// Refuses a header that names a column twice, in any case.
pub(crate) fn check_names(header: &StringRecord) -> Result<(), String> {
    let mut names: Vec<String> = header.iter().map(str::to_ascii_lowercase).collect();
    names.sort_unstable();
    let twice = names
        .windows(2)
        .find(|pair| pair[0] == pair[1] && !pair[0].is_empty());
    twice.map_or(Ok(()), |pair| {
        Err(format!("the column {} is there twice", shown(&pair[0])))
    })
}

/// The lines of a text, whichever way they end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        let (line, after) = text.split_at(end);
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some(line)
    })
}

/// Cuts a line into its fields, or says what is wrong with it.
fn split(line: &str, record: &mut StringRecord) -> Result<(), String> {
    let is_foreign = |c: char| c.is_control() && c != '\t';
    if let Some(found) = line.chars().find(|c| is_foreign(*c)) {
        return Err(format!(
            "has the control character {}; accepted: text without any",
            found.escape_default()
        ));
    }
    record.clear();
    let mut rest = line;
    let mut unquoted = String::new();
    loop {
        let start = rest.trim_start();
        let (field, end) = match start.strip_prefix('"') {
            Some(quoted) => {
                let end = take_quoted(quoted, &mut unquoted)?;
                (unquoted.as_str(), end)
            }
            None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
        };
        record.push_field(field.trim());
        match end.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok(()),
        }
    }
}

/// Puts the text before the closing quote into `field`. Returns the text after it: a comma, or nothing.
fn take_quoted<'a>(text: &'a str, field: &mut String) -> Result<&'a str, String> {
    field.clear();
    let mut rest = text;
    loop {
        let Some((before, after)) = rest.split_once('"') else {
            return Err(format!(
                "has a quote that does not end in it: `\"{}`; accepted: a closed quote, and rows of one line",
                shown(text)
            ));
        };
        field.push_str(before);
        if let Some(next) = after.strip_prefix('"') {
            field.push('"');
            rest = next;
            continue;
        }
        let end = after.trim_start();
        if end.is_empty() || end.starts_with(',') {
            return Ok(end);
        }
        return Err(format!(
            "has `{}` behind a closed quote; accepted: a comma, or the end of the line",
            shown(end)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with their lines, or what is wrong.
    fn rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, String> {
        let mut rows = Vec::new();
        let refuse = |line: usize, problem: String| format!("line {line} {problem}");
        each_row(text, true, refuse, |line, record| {
            rows.push((line, record.iter().map(str::to_owned).collect()));
            Ok(())
        })?;
        Ok(rows)
    }

    #[test]
    fn rows_are_lines_however_they_end() {
        let wanted = |lines: [usize; 2]| {
            let row = |line: usize, fields: [&str; 2]| (line, fields.map(str::to_owned).to_vec());
            Ok(vec![
                row(lines[0], ["a", "b \"c\", d"]),
                row(lines[1], ["1", ""]),
            ])
        };
        for end in ["\n", "\r\n", "\r"] {
            let text = ["\u{feff}# said", "a , \"b \"\"c\"\", d\" ", "", " 1\t,"].join(end);
            assert_eq!(rows(&text), wanted([2, 4]));
            assert_eq!(rows(&(text + end)), wanted([2, 4]));
        }
        // A quote within a field is a letter.
        assert_eq!(rows("5\" pipe,1").unwrap()[0].1, ["5\" pipe", "1"]);
        assert_eq!(rows(",,").unwrap()[0].1, ["", "", ""]);
        assert_eq!(rows(""), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_row_is_refused_in_its_line() {
        for (text, told) in [
            (
                "a,b\n1,\"2\n3,4\n",
                "line 2 has a quote that does not end in it: `\"2`",
            ),
            ("a,b\n\"1\"2,3\n", "line 2 has `2,3` behind a closed quote"),
            ("a,b\n1,2,3\n", "line 2 has 3 values for 2 columns"),
            ("a,b\n1,2\n\n4\n", "line 4 has 1 values for 2 columns"),
            ("a\u{1b}[2J,b\n", "line 1 has the control character \\u{1b}"),
        ] {
            let found = rows(text).unwrap_err();
            assert!(found.starts_with(told), "{found}");
        }
        let long = format!("\"{}", "x".repeat(1 << 20));
        assert!(rows(&long).unwrap_err().len() < 300, "it is shortened");
    }

    /// The library for CSV reads the same from what it wrote.
    #[test]
    fn what_was_written_is_read() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let mut field = || {
                let letters = ["a", " b", "\"", ",", "\"\"", "#", "ä", "'"];
                let chosen = (0..random.usize(0..6)).map(|_| letters[random.usize(0..8)]);
                format!("x{}", chosen.collect::<String>())
            };
            let row: Vec<String> = (0..3).map(|_| field()).collect();
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&row).unwrap();
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let wanted: Vec<&str> = row.iter().map(|field| field.trim()).collect();
            assert_eq!(rows(&text).unwrap()[0].1, wanted);
        }
    }

    #[test]
    fn names_come_once() {
        let header = |names: &[&str]| check_names(&names.iter().collect());
        assert_eq!(header(&["x", "y", "", ""]), Ok(()));
        let told = header(&["x", "y", "X"]).unwrap_err();
        assert_eq!(told, "the column x is there twice");
    }

    #[test]
    fn workbooks_and_archives_are_no_text() {
        for (bytes, told) in [
            (&b"PK\x03\x04rest"[..], "this is a ZIP archive, as .xlsx"),
            (b"a,b\n1,\x002\n", "byte 6 is zero"),
            (b"\xff\xfea\x00", "this is text in UTF-16"),
        ] {
            let found = check_text(bytes).unwrap_err();
            assert!(found.contains(told), "{found}");
        }
    }
}
