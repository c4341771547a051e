//! The windows and doors that were cut into the walls of a scene.

use std::io::{self, Write};

use keller_run::OpeningFacts;

use crate::report::write_table;

pub(super) fn write(openings: &[OpeningFacts], out: &mut impl Write) -> io::Result<()> {
    if openings.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = openings.iter().enumerate().map(row).collect();
    let header = [
        "openings ",
        "of ",
        "number",
        "walls with them",
        "walls",
        "area m²",
        "share %",
    ];
    write_table(out, &header, &rows)?;
    writeln!(out)
}

fn row((index, facts): (usize, &OpeningFacts)) -> Vec<String> {
    vec![
        format!("[[opening]] {index}"),
        facts
            .material
            .clone()
            .unwrap_or_else(|| "nothing".to_owned()),
        facts.openings.to_string(),
        facts.opened_walls.to_string(),
        facts.walls.to_string(),
        format!("{:.1}", facts.area_m2),
        format!("{:.1}", facts.share_percent),
    ]
}
