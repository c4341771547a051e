//! The cells that are most wrong, with the paths that might explain it.

use anyhow::Result;
use keller::DVec3;
use keller::units::{db_to_power, power_to_db};
use keller_io::reports::table::PathRow;
use keller_run::PathRunOptions;

use super::figures::error;
use super::filled::Cell;
use super::place::{LIMIT_DB, Place, Question};

/// Cells shown of a run, and paths of a cell.
const CELLS: usize = 2;
const PATHS: usize = 6;

/// The least error that is looked into, dB.
const WRONG_DB: f64 = 1.0;

/// The largest relative difference between the missing power and that of a path that explains it.
const SAME: f64 = 0.1;

/// Prints the cells that are wrong by more than a decibel, and the paths to them by the search that misses none.
pub(super) fn show(
    place: &Place,
    tx: DVec3,
    limits: &str,
    cells: &[Option<Cell>],
    [tubes, exact]: [&[f64]; 2],
) -> Result<()> {
    let all = cells.iter().zip(tubes).zip(exact);
    let mut wrong: Vec<(f64, Cell, [f64; 2])> = all
        .filter_map(|((cell, tubes), exact)| {
            Some((error(*tubes, *exact)?.abs(), (*cell)?, [*tubes, *exact]))
        })
        .filter(|(error, ..)| *error > WRONG_DB)
        .collect();
    wrong.sort_by(|a, b| b.0.total_cmp(&a.0));
    if wrong.is_empty() {
        return Ok(());
    }
    println!(
        "    {} cells are wrong by more than {WRONG_DB} dB",
        wrong.len()
    );
    wrong.truncate(CELLS);
    let rx: Vec<DVec3> = wrong.iter().map(|(_, cell, _)| cell.centre).collect();
    let job = place.job(Question {
        tx: &[tx],
        rx: &rx,
        are_rx_cells: true,
        limits: &format!("search = \"complete\"\n{limits}"),
        engine: None,
    })?;
    let mut rows: Vec<PathRow> = Vec::new();
    for block in job.paths(&PathRunOptions::default())? {
        rows.extend(job.path_rows(&block?));
    }
    rows.sort_by(|a, b| b.gain_db.total_cmp(&a.gain_db));
    for (number, (_, cell, [tubes, exact])) in wrong.iter().enumerate() {
        let of_cell: Vec<&PathRow> = rows
            .iter()
            .filter(|row| row.rx as usize == number)
            .collect();
        let sum = |weakest: f64| -> f64 {
            let gains = of_cell.iter().map(|row| row.gain_db);
            gains.filter(|gain| *gain >= weakest).map(db_to_power).sum()
        };
        println!(
            "    {:?} {:?}: tubes {:.2}, points {:.2}, complete {:.2}, of it above the limit {:.2} dB",
            cell.centre.to_array(),
            cell.side,
            power_to_db(*tubes),
            power_to_db(*exact),
            power_to_db(sum(f64::NEG_INFINITY)),
            power_to_db(sum(-LIMIT_DB)),
        );
        for row in of_cell.iter().take(PATHS) {
            let gain = db_to_power(row.gain_db);
            let note = if (exact - tubes - gain).abs() < SAME * gain {
                " <- as much is missed"
            } else if (tubes - exact - gain).abs() < SAME * gain {
                " <- as much is too much"
            } else {
                ""
            };
            println!(
                "      {:8.2} dB {} {:?}{note}",
                row.gain_db, row.types, row.objects
            );
        }
    }
    Ok(())
}
