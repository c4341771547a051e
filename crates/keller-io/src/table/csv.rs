//! Tables as CSV: a header, then one line a row. Names are quoted where they need it (RFC 4180).

use std::io::{self, Write};

use super::{Row, Sink};

pub(super) struct CsvSink<W> {
    writer: W,
    line: String,
}

impl<W: Write> CsvSink<W> {
    pub(super) fn new<R: Row>(mut writer: W) -> io::Result<Self> {
        let names: Vec<&str> = R::COLUMNS.iter().map(|column| column.name).collect();
        writeln!(writer, "{}", names.join(","))?;
        Ok(Self {
            writer,
            line: String::new(),
        })
    }
}

impl<R: Row, W: Write> Sink<R> for CsvSink<W> {
    fn write(&mut self, row: &R) -> io::Result<()> {
        self.line.clear();
        for (i, column) in R::COLUMNS.iter().enumerate() {
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
