//! Path tables as JSON: an object with what made them, and `paths`, a list with one object a path, one line each.
//!
//! `points` is a list of `[x, y, z]`, `objects` a list of numbers; a gain of minus infinity, which JSON cannot say, is `null`.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{About, COLUMNS, PathRow, Sink, Value};

pub(super) struct JsonSink<W> {
    writer: W,
    line: String,
    is_first: bool,
}

impl<W: Write> JsonSink<W> {
    pub(super) fn new(mut writer: W, about: &About) -> io::Result<Self> {
        writer.write_all(b"{\n")?;
        write_about_entries(&mut writer, about)?;
        writer.write_all(b",\n\"paths\": [")?;
        Ok(Self {
            writer,
            line: String::new(),
            is_first: true,
        })
    }
}

impl<W: Write> Sink for JsonSink<W> {
    fn write(&mut self, row: &PathRow) -> io::Result<()> {
        self.line.clear();
        self.line
            .push_str(if self.is_first { "\n{" } else { ",\n{" });
        self.is_first = false;
        for (i, column) in COLUMNS.iter().enumerate() {
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

/// What made a table, as a JSON object of its own.
pub(super) fn write_about(writer: &mut impl Write, about: &About) -> io::Result<()> {
    writer.write_all(b"{\n")?;
    write_about_entries(writer, about)?;
    writer.write_all(b"\n}\n")
}

/// The units of the columns as a JSON object.
pub(super) fn units() -> serde_json::Value {
    let units = COLUMNS.iter().map(|c| (c.name.to_owned(), c.unit.into()));
    serde_json::Value::Object(units.collect())
}

fn write_about_entries(writer: &mut impl Write, about: &About) -> io::Result<()> {
    let scenario = serde_json::Value::from(about.scenario.as_str());
    write!(
        writer,
        "\"keller\": \"{}\",\n\"scenario\": {scenario},\n\"units\": {}",
        super::VERSION,
        units()
    )
}

fn write_value(line: &mut String, value: Value<'_>) -> std::fmt::Result {
    match value {
        Value::Index(index) => write!(line, "{index}"),
        Value::Number(number) => write_number(line, number),
        Value::Letters(letters) => write!(line, "\"{letters}\""),
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
