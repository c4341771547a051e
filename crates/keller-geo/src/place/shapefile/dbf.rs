//! The attributes of a Shapefile: a dBASE table of rows of fixed length.
//!
//! Text is taken as UTF-8 if it is that, else as ISO 8859-1, which gets the letters of western Europe right.

use std::path::Path;

use crate::place::PlaceError;
use crate::place::attributes::Attributes;

/// Bytes of the head before the fields, and of each field's description.
const HEAD: usize = 32;
const FIELD: usize = 32;

/// The byte that ends the list of fields.
const END_OF_FIELDS: u8 = 0x0d;

struct Field {
    name: String,
    kind: u8,
    length: usize,
}

/// All rows of `bytes`, deleted ones too: they keep the place of their shape.
pub(super) fn parse(bytes: &[u8], file: &Path) -> Result<Vec<Attributes>, PlaceError> {
    let malformed = |place: &str, problem: String| PlaceError::malformed(file, place, problem);
    let Some(head) = bytes.first_chunk::<HEAD>() else {
        return Err(malformed("", "the file ends within its head".to_owned()));
    };
    let rows = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
    let start = usize::from(u16::from_le_bytes([head[8], head[9]]));
    let length = usize::from(u16::from_le_bytes([head[10], head[11]]));
    let Some(descriptions) = bytes.get(HEAD..start) else {
        return Err(malformed("", "the file ends within its head".to_owned()));
    };
    let fields: Vec<Field> = descriptions
        .as_chunks::<FIELD>()
        .0
        .iter()
        .take_while(|field| field[0] != END_OF_FIELDS)
        .map(|field| Field {
            name: text(field[..11].split(|&b| b == 0).next().unwrap_or_default()),
            kind: field[11],
            length: usize::from(field[16]),
        })
        .collect();
    let used: usize = 1 + fields.iter().map(|field| field.length).sum::<usize>();
    if length < used {
        return Err(malformed(
            "",
            format!("a row has {length} bytes, but its fields take {used}"),
        ));
    }
    let end = rows.saturating_mul(length).saturating_add(start);
    let Some(table) = bytes.get(start..end) else {
        let whole = (bytes.len() - start) / length;
        return Err(malformed(
            &format!("row {}", whole + 1),
            format!("the file ends here, but its head says {rows} rows"),
        ));
    };
    let row = |row: &[u8]| {
        let mut rest = &row[1..];
        let pair = |field: &Field| {
            let (value, behind) = rest.split_at(field.length);
            rest = behind;
            (field.name.clone(), value_of(field.kind, value))
        };
        Attributes(fields.iter().map(pair).collect())
    };
    Ok(table.chunks_exact(length).map(row).collect())
}

/// A value as text; binary numbers are turned into it. Asterisks stand for a number that did not fit.
fn value_of(kind: u8, bytes: &[u8]) -> String {
    match (kind, bytes) {
        (b'I', &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]).to_string(),
        (b'B' | b'O', _) if bytes.len() == 8 => bytes
            .first_chunk()
            .map_or(String::new(), |&b| f64::from_le_bytes(b).to_string()),
        _ if bytes.contains(&b'*') && bytes.iter().all(|b| matches!(b, b'*' | b' ')) => {
            String::new()
        }
        _ => text(bytes).trim_matches(['\0', ' ']).to_owned(),
    }
}

fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A table; each row is the text of its fields, one after the other.
    pub(in crate::place::shapefile) fn table(fields: &[(&str, u8, u8)], rows: &[&str]) -> Vec<u8> {
        let start = HEAD + FIELD * fields.len() + 1;
        let length = 1 + fields.iter().map(|f| usize::from(f.2)).sum::<usize>();
        let mut bytes = vec![0; HEAD];
        bytes[0] = 3;
        bytes[4..8].copy_from_slice(&u32::try_from(rows.len()).unwrap().to_le_bytes());
        bytes[8..10].copy_from_slice(&u16::try_from(start).unwrap().to_le_bytes());
        bytes[10..12].copy_from_slice(&u16::try_from(length).unwrap().to_le_bytes());
        for &(name, kind, length) in fields {
            let mut field = [0; FIELD];
            field[..name.len()].copy_from_slice(name.as_bytes());
            field[11] = kind;
            field[16] = length;
            bytes.extend(field);
        }
        bytes.push(END_OF_FIELDS);
        for row in rows {
            assert_eq!(row.len() + 1, length, "`{row}`");
            bytes.push(b' ');
            bytes.extend(row.as_bytes());
        }
        bytes
    }

    #[test]
    fn rows_are_text_by_field() {
        let bytes = table(
            &[("H", b'N', 5), ("NAME", b'C', 4)],
            &[" 12.5hall", "*****    "],
        );
        let rows = parse(&bytes, Path::new("a.dbf")).unwrap();
        assert_eq!(rows[0].get("h"), Some("12.5"));
        assert_eq!(rows[0].get("NAME"), Some("hall"));
        assert_eq!(rows[1].get("h"), None);
        assert_eq!(rows[1].get("name"), None);
    }

    #[test]
    fn letters_of_western_europe_survive() {
        assert_eq!(text("Höhe".as_bytes()), "Höhe");
        assert_eq!(text(b"H\xf6he"), "Höhe");
    }
}
