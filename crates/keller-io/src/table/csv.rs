//! Path tables as CSV: a header, then one line a path. No value needs quoting.

use std::io::{self, Write};

use super::{COLUMNS, PathRow, Sink};

pub(super) struct CsvSink<W> {
    writer: W,
    line: String,
}

impl<W: Write> CsvSink<W> {
    pub(super) fn new(mut writer: W) -> io::Result<Self> {
        let names = COLUMNS.map(|column| column.name);
        writeln!(writer, "{}", names.join(","))?;
        Ok(Self {
            writer,
            line: String::new(),
        })
    }
}

impl<W: Write> Sink for CsvSink<W> {
    fn write(&mut self, row: &PathRow) -> io::Result<()> {
        self.line.clear();
        for (i, column) in COLUMNS.iter().enumerate() {
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
