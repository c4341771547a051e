//! The parts of tables: rows, their columns, and values.

use keller::DVec3;

/// A row of a table.
pub trait Row: Default + 'static {
    /// The name of a table of such rows, for formats that need one.
    const TABLE: &'static str;
    /// Every column, in its order.
    const COLUMNS: &'static [Column<Self>];
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub struct Column<R> {
    /// Its name.
    pub name: &'static str,
    /// Its unit or meaning, in words.
    pub unit: &'static str,
    /// Its value in a row.
    pub value: fn(&R) -> Value<'_>,
}

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A 0-based index.
    Index(u32),
    /// A number.
    Number(f64),
    /// A number that may not be known: empty in CSV, null in JSON, NaN in Parquet.
    Maybe(Option<f64>),
    /// Letters that need no quoting anywhere.
    Letters(&'a str),
    /// Any text.
    Name(&'a str),
    /// Points, metres.
    Points(&'a [DVec3]),
    /// Ids of faces and edges.
    Ids(&'a [u32]),
}

pub(super) const fn column<R>(
    name: &'static str,
    unit: &'static str,
    value: fn(&R) -> Value<'_>,
) -> Column<R> {
    Column { name, unit, value }
}

impl Value<'_> {
    /// Appends the value as CSV writes it: numbers with the fewest digits that read back to the same number, points as
    /// `x y z;x y z`, ids as `3;14`, names in quotes if they need them.
    pub(super) fn write_text(&self, text: &mut String) {
        use std::fmt::Write;
        // A String takes everything.
        let written = match self {
            Self::Index(index) => write!(text, "{index}"),
            Self::Number(number) | Self::Maybe(Some(number)) => write!(text, "{number:?}"),
            Self::Maybe(None) => Ok(()),
            Self::Letters(letters) => text.write_str(letters),
            Self::Name(name) if name.contains([',', '"', '\n', '\r']) => {
                write!(text, "\"{}\"", name.replace('"', "\"\""))
            }
            Self::Name(name) => text.write_str(name),
            Self::Points(points) => points.iter().enumerate().try_for_each(|(i, p)| {
                let separator = if i == 0 { "" } else { ";" };
                write!(text, "{separator}{:?} {:?} {:?}", p.x, p.y, p.z)
            }),
            Self::Ids(ids) => ids.iter().enumerate().try_for_each(|(i, id)| {
                let separator = if i == 0 { "" } else { ";" };
                write!(text, "{separator}{id}")
            }),
        };
        written.expect("writing to a String does not fail");
    }
}
