//! A peer's radio map, as `benches/peer/munich_plane.py` writes it.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use keller::coverage::Region;
use zip::ZipArchive;

/// Centres of the same cell are this near to each other in f32, metres.
const SAME_MIDDLE: f64 = 1e-3;

/// The peer's gain of every cell of a plane, and how it was asked.
pub(super) struct RadioMap {
    /// Linear, x running fastest.
    pub(super) gains: Vec<f64>,
    /// Warm.
    pub(super) seconds: f64,
    pub(super) depth: usize,
    pub(super) has_transmissions: bool,
    pub(super) has_diffraction: bool,
}

impl RadioMap {
    /// Reads the map of the plane `region`.
    pub(super) fn read(file: &Path, region: &Region) -> Result<Self> {
        let opened = File::open(file).with_context(|| format!("{}", file.display()))?;
        let mut archive = ZipArchive::new(BufReader::new(opened))?;
        let mut array = |name: &str| -> Result<Vec<f64>> {
            let mut bytes = Vec::new();
            let entry = archive.by_name(&format!("{name}.npy"));
            let read = entry.map(|mut entry| entry.read_to_end(&mut bytes));
            read?.with_context(|| format!("{}: array {name}", file.display()))?;
            values(&bytes).with_context(|| format!("{}: array {name}", file.display()))
        };
        let gains = array("path_gain")?;
        let [x, y] = [array("x")?, array("y")?];
        ensure!(
            [gains.len(), x.len(), y.len()] == [region.num_cells(); 3],
            "{}: {} cells, not {}",
            file.display(),
            gains.len(),
            region.num_cells()
        );
        for (number, (x, y)) in x.into_iter().zip(y).enumerate() {
            let [i, j, _] = region.cell(number);
            let own = region.column(i, j);
            ensure!(
                (own.x - x).abs() < SAME_MIDDLE && (own.y - y).abs() < SAME_MIDDLE,
                "{}: cell {number} is at {x}, {y}, not at {own}",
                file.display()
            );
        }
        let mut number = |name: &str| -> Result<f64> {
            let values = array(name)?;
            values.first().copied().context("an empty array")
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small count"
        )]
        let depth = number("depth")? as usize;
        Ok(Self {
            gains,
            seconds: number("seconds")?,
            depth,
            has_transmissions: number("refraction")? > 0.0,
            has_diffraction: number("diffraction")? > 0.0,
        })
    }
}

/// The values of an array of `float64` in the first version of numpy's format, the one that `munich_plane.py` writes.
fn values(bytes: &[u8]) -> Result<Vec<f64>> {
    let short = "shorter than its header";
    let (head, rest) = bytes.split_first_chunk::<10>().context(short)?;
    ensure!(head.starts_with(b"\x93NUMPY\x01"), "not of version 1");
    let length = usize::from(u16::from_le_bytes([head[8], head[9]]));
    let (header, data) = rest.split_at_checked(length).context(short)?;
    let header = String::from_utf8_lossy(header);
    ensure!(
        header.contains("'<f8'") && header.contains("'fortran_order': False"),
        "{header} instead of float64, rows first"
    );
    let (values, left) = data.as_chunks();
    ensure!(left.is_empty(), "half a number at the end");
    Ok(values
        .iter()
        .map(|bytes| f64::from_le_bytes(*bytes))
        .collect())
}
