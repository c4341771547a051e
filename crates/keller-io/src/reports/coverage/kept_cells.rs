//! The numbers of a coverage in the finished units of its run.

use std::io;
use std::ops::Range;
use std::sync::OnceLock;

use keller::coverage::layers::Servers;

use super::CellValues;
use super::servers_bytes::{SERVERS_BYTES, servers_bytes, servers_of};
use crate::store::{Beside, UnitStore};

/// The number of cells of a chunk. The cells of a unit are whole chunks, or end with the region.
pub const CHUNK: usize = 1 << 14;

const VALUE_BYTES: usize = 8;

/// The rows of each Tx in units of cells. The payload of a unit has, for each of the unit's Tx in turn, each of its
/// rows: 8 bytes a cell.
#[derive(Debug)]
pub struct KeptCells<'a> {
    store: &'a UnitStore,
    num_tx: usize,
    num_cells: usize,
    /// The place of each chunk of each row: the number of a record, and the offset of the chunk in its payload.
    chunks: Vec<Vec<Option<(usize, u64)>>>,
    /// The places of the powers that chunks receive from all Tx, once these are stored after the units.
    servers: OnceLock<Vec<Beside>>,
}

impl<'a> KeptCells<'a> {
    /// Each `tx` is the number of a Tx in the units, and has so many rows there.
    pub fn new(store: &'a UnitStore, tx: &[usize], rows_of_tx: usize, num_cells: usize) -> Self {
        let num_chunks = num_cells.div_ceil(CHUNK);
        let mut chunks = vec![vec![None; num_chunks]; tx.len() * rows_of_tx];
        for (number, unit) in store.units() {
            let range = unit.range.start..unit.range.end.min(num_cells);
            for (in_unit, of_unit) in unit.tx.iter().enumerate() {
                let own = tx.iter().enumerate().filter(|(_, of)| *of == of_unit);
                for ((own, _), row) in
                    own.flat_map(|own| (0..rows_of_tx).map(move |row| (own, row)))
                {
                    // The gains of all Tx come first, and then each figure of all.
                    let places = &mut chunks[row * tx.len() + own];
                    let first = (in_unit * rows_of_tx + row) * unit.range.len();
                    for cell in range.clone().step_by(CHUNK) {
                        let at = VALUE_BYTES * (first + cell - range.start);
                        places[cell / CHUNK] = Some((number, at as u64));
                    }
                }
            }
        }
        Self {
            store,
            num_tx: tx.len(),
            num_cells,
            chunks,
            servers: OnceLock::new(),
        }
    }

    /// The payload of a unit with these rows.
    pub fn payload(rows: impl Iterator<Item = Vec<f64>>, num_bytes: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(num_bytes);
        for row in rows {
            bytes.extend(row.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes
    }

    /// Whether a payload has so many rows of so many cells.
    pub fn is_payload(bytes: &[u8], num_rows: usize, num_cells: usize) -> bool {
        bytes.len() == VALUE_BYTES * num_rows * num_cells
    }

    fn cells(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK..((chunk + 1) * CHUNK).min(self.num_cells)
    }
}

impl CellValues for KeptCells<'_> {
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()> {
        values.clear();
        let mut bytes = Vec::new();
        let mut next = cells.start;
        while next < cells.end {
            let chunk = self.cells(next / CHUNK);
            let end = chunk.end.min(cells.end);
            let place = self.chunks[row][next / CHUNK];
            let (number, at) = place.ok_or_else(|| io::Error::other("a cell is missing"))?;
            let at = at + (VALUE_BYTES * (next - chunk.start)) as u64;
            let count = (VALUE_BYTES * (end - next)) as u64;
            self.store.bytes(number, at, count, &mut bytes)?;
            values.extend(bytes.as_chunks().0.iter().copied().map(f64::from_le_bytes));
            next = end;
        }
        Ok(())
    }

    fn servers(&self, cells: Range<usize>) -> io::Result<Option<Vec<Servers>>> {
        let Some(places) = self.servers.get() else {
            return Ok(None);
        };
        let mut servers = Vec::with_capacity(cells.len());
        let chunks = cells.start / CHUNK..cells.end.div_ceil(CHUNK);
        for (chunk, place) in chunks.clone().zip(&places[chunks]) {
            let bytes = self.store.beside(*place)?;
            let of_chunk = self.cells(chunk);
            let wanted = cells.start.max(of_chunk.start)..cells.end.min(of_chunk.end);
            let wanted = wanted.start - of_chunk.start..wanted.end - of_chunk.start;
            let all = &bytes.as_chunks::<SERVERS_BYTES>().0[wanted];
            servers.extend(all.iter().map(servers_of));
        }
        Ok(Some(servers))
    }

    fn keep_servers(
        &self,
        servers: &mut dyn FnMut(Range<usize>) -> io::Result<Vec<Servers>>,
    ) -> io::Result<()> {
        if self.store.name().is_none() || self.num_tx < super::MANY_TX {
            return Ok(());
        }
        let mut places = Vec::new();
        for chunk in 0..self.num_cells.div_ceil(CHUNK) {
            let cells = self.cells(chunk);
            let done = (SERVERS_BYTES * cells.start) as u64;
            let bytes: Vec<u8> = servers(cells)?.iter().flat_map(servers_bytes).collect();
            places.extend(self.store.put_beside(done, &bytes)?);
        }
        self.servers.set(places).ok();
        Ok(())
    }
}
