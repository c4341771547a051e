//! Tables as CSV: a header, then one line a row. Names are quoted where they need it (RFC 4180).

use std::io::{self, Write};

use super::{Column, Row, Sink};

pub(super) struct CsvSink<R: Row, W> {
    writer: W,
    columns: Vec<&'static Column<R>>,
    line: String,
}

impl<R: Row, W: Write> CsvSink<R, W> {
    pub(super) fn new(mut writer: W, columns: Vec<&'static Column<R>>) -> io::Result<Self> {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        writeln!(writer, "{}", names.join(","))?;
        Ok(Self {
            writer,
            columns,
            line: String::new(),
        })
    }
}

impl<R: Row, W: Write> Sink<R> for CsvSink<R, W> {
    fn write(&mut self, row: &R) -> io::Result<()> {
        self.line.clear();
        for (i, column) in self.columns.iter().enumerate() {
            if i > 0 {
                self.line.push(',');
            }
            (column.value)(row).write_text(&mut self.line);
        }
        self.line.push('\n');
        self.writer.write_all(self.line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
