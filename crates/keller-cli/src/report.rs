//! Aligned tables for people.

use std::io::{self, Write};

use keller_io::reports::table::{LinkColumns, LinkRow, PathRow};

/// Writes rows of cells in aligned columns: the first row is the header, columns whose header ends in a blank are text and align
/// left, the others right.
pub(crate) fn write_table(
    out: &mut impl Write,
    header: &[&str],
    rows: &[Vec<String>],
) -> io::Result<()> {
    let mut widths: Vec<usize> = header
        .iter()
        .map(|h| h.trim_end().chars().count())
        .collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut write_row = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::new();
        for ((cell, width), name) in cells.zip(&widths).zip(header) {
            let separator = if line.is_empty() { "" } else { "  " };
            let padding = " ".repeat(width - cell.chars().count());
            line.push_str(separator);
            if name.ends_with(' ') {
                line.extend([cell, &padding]);
            } else {
                line.extend([&padding, cell]);
            }
        }
        writeln!(out, "{}", line.trim_end())
    };
    write_row(&mut header.iter().map(|name| name.trim_end()))?;
    rows.iter()
        .try_for_each(|row| write_row(&mut row.iter().map(String::as_str)))
}

/// The header of [`path_cells`].
pub(crate) const PATH_HEADER: [&str; 10] = [
    "tx", "rx", "path ", "length m", "delay ns", "gain dB", "zod °", "aod °", "zoa °", "aoa °",
];

/// A path as people read it: nanoseconds and degrees.
pub(crate) fn path_cells(row: &PathRow) -> Vec<String> {
    let degrees = |angle: f64| format!("{:.1}", angle.to_degrees());
    vec![
        row.tx.to_string(),
        row.rx.to_string(),
        row.types.clone(),
        format!("{:.2}", row.length),
        format!("{:.2}", row.delay * 1e9),
        format!("{:.1}", row.gain_db),
        degrees(row.departure[0]),
        degrees(row.departure[1]),
        degrees(row.arrival[0]),
        degrees(row.arrival[1]),
    ]
}

/// The header of the cells of every link.
const LINK_HEADER: [&str; 14] = [
    "tx",
    "rx",
    "paths",
    "coherent dB",
    "incoherent dB",
    "received dBm",
    "K dB",
    "delay ns",
    "spread ns",
    "ZSD °",
    "ASD °",
    "ZSA °",
    "ASA °",
    "Doppler Hz",
];

/// The header of [`link_cells`].
pub(crate) fn link_header(columns: LinkColumns) -> Vec<&'static str> {
    let mut header = LINK_HEADER.to_vec();
    if columns.has_beside {
        header.extend(["diffuse dB", "decay ns", "background dB"]);
    }
    if columns.has_omitted {
        header.push("omitted dB");
    }
    header
}

/// A link as people read it: nanoseconds and degrees, `-` for quantities that are undefined without received power.
pub(crate) fn link_cells(row: &LinkRow, columns: LinkColumns) -> Vec<String> {
    let mut cells = vec![
        row.tx.to_string(),
        row.rx.to_string(),
        row.num_paths.to_string(),
        format!("{:.1}", row.gain_coherent_db),
        format!("{:.1}", row.gain_incoherent_db),
        format!("{:.1}", row.received_power_dbm),
    ];
    if let Some(spreads) = row.spreads {
        let k_factor_db = row.k_factor_db().unwrap_or(f64::INFINITY);
        cells.push(format!("{k_factor_db:.1}"));
        for delay in [spreads.mean_delay, spreads.delay_spread] {
            cells.push(format!("{:.2}", delay * 1e9));
        }
        for angle in [spreads.departure, spreads.arrival].as_flattened() {
            cells.push(format!("{:.1}", angle.to_degrees()));
        }
        cells.push(format!("{:.2}", spreads.doppler_spread));
    } else {
        cells.resize(LINK_HEADER.len(), "-".to_owned());
    }
    let known = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    if columns.has_beside {
        cells.push(known(row.diffuse_gain_db));
        cells.push(known(row.diffuse_decay_time.map(|time| time * 1e9)));
        cells.push(known(row.background_gain_db));
    }
    if columns.has_omitted {
        cells.push(known(row.omitted_db));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_align_right_and_text_left() {
        let mut out = Vec::new();
        let rows = [["1", "R"], ["20", "RRT"]].map(|row| row.map(str::to_owned).to_vec());
        write_table(&mut out, &["rx", "path ", "°"], &rows).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "rx  path  °\n 1  R\n20  RRT\n"
        );
    }
}
