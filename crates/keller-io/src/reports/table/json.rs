//! Tables as JSON: an object with the origin of the table, and a list, `paths` or `links`, with one object a row, one
//! line each.
//!
//! `points` is a list of `[x, y, z]`, `objects` a list of numbers; infinity, which JSON cannot express, and unknown
//! values are `null`.

use std::fmt::Write as _;
use std::io::{self, Write};

use keller_geo::crs::Georeference;

use super::{Column, Row, Sink, Value};
use crate::formats::{About, VERSION};

pub(super) struct JsonSink<R: Row, W> {
    writer: W,
    columns: Vec<&'static Column<R>>,
    line: String,
    is_first: bool,
}

impl<R: Row, W: Write> JsonSink<R, W> {
    pub(super) fn new(
        mut writer: W,
        columns: Vec<&'static Column<R>>,
        about: &About,
    ) -> io::Result<Self> {
        writer.write_all(b"{\n")?;
        write_about_entries(&mut writer, &columns, about)?;
        write!(writer, ",\n\"{}\": [", R::TABLE)?;
        Ok(Self {
            writer,
            columns,
            line: String::new(),
            is_first: true,
        })
    }
}

impl<R: Row, W: Write> Sink<R> for JsonSink<R, W> {
    fn write(&mut self, row: &R) -> io::Result<()> {
        self.line.clear();
        self.line
            .push_str(if self.is_first { "\n{" } else { ",\n{" });
        self.is_first = false;
        for (i, column) in self.columns.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(self.line, "{separator}\"{}\": ", column.name)
                .and_then(|()| write_value(&mut self.line, (column.value)(row)))
                .map_err(io::Error::other)?;
        }
        self.line.push('}');
        self.writer.write_all(self.line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.write_all(b"\n]\n}\n")?;
        self.writer.flush()
    }
}

/// Writes the origin of a table, as a JSON object of its own.
pub(super) fn write_about<R: Row>(
    writer: &mut impl Write,
    columns: &[&Column<R>],
    about: &About,
) -> io::Result<()> {
    writer.write_all(b"{\n")?;
    write_about_entries(writer, columns, about)?;
    writer.write_all(b"\n}\n")
}

/// The units of the columns as a JSON object.
pub(super) fn units<R>(columns: &[&Column<R>]) -> serde_json::Value {
    let units = columns.iter().map(|c| (c.name.to_owned(), c.unit.into()));
    serde_json::Value::Object(units.collect())
}

fn write_about_entries<R>(
    writer: &mut impl Write,
    columns: &[&Column<R>],
    about: &About,
) -> io::Result<()> {
    let scenario = serde_json::Value::from(about.scenario.as_str());
    write!(
        writer,
        "\"keller\": \"{VERSION}\",\n\"scenario\": {scenario},\n"
    )?;
    if let Some(Georeference { crs, origin }) = &about.georeference {
        let (crs, origin) = (serde_json::json!(crs), serde_json::json!(origin));
        write!(writer, "\"crs\": {crs},\n\"origin\": {origin},\n")?;
    }
    write!(writer, "\"units\": {}", units(columns))
}

fn write_value(line: &mut String, value: Value<'_>) -> std::fmt::Result {
    match value {
        Value::Index(index) => write!(line, "{index}"),
        Value::Number(number) | Value::Maybe(Some(number)) => write_number(line, number),
        Value::Maybe(None) => line.write_str("null"),
        Value::Letters(letters) => write!(line, "\"{letters}\""),
        Value::Name(name) => write!(line, "{}", serde_json::Value::from(name)),
        Value::Points(points) => write_list(line, points, |line, p| {
            write_list(line, &p.to_array(), |line, x| write_number(line, *x))
        }),
        Value::Ids(ids) => write_list(line, ids, |line, id| write!(line, "{id}")),
    }
}

fn write_number(line: &mut String, number: f64) -> std::fmt::Result {
    if number.is_finite() {
        write!(line, "{number:?}")
    } else {
        line.write_str("null")
    }
}

fn write_list<T>(
    line: &mut String,
    items: &[T],
    write_item: impl Fn(&mut String, &T) -> std::fmt::Result,
) -> std::fmt::Result {
    line.write_char('[')?;
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            line.write_str(", ")?;
        }
        write_item(line, item)?;
    }
    line.write_char(']')
}
