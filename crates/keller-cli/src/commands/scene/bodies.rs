//! The closed bodies of a scene that are inside out, or have some faces turned.

use std::io::{self, Write};

use keller_run::{BodyFacts, BoxFacts};

use crate::report::write_table;

/// The largest number of bodies that are written for people.
const MOST: usize = 20;

pub(super) fn write(bodies: &[BodyFacts], out: &mut impl Write) -> io::Result<()> {
    if bodies.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = bodies
        .iter()
        .take(MOST)
        .map(|body| {
            let BoxFacts { min, max } = body.bounds;
            let [min, max] = [min, max].map(|[x, y, z]| format!("{x:.2} {y:.2} {z:.2}"));
            let (fronts, face) = (body.fronts.to_owned(), body.face.to_string());
            vec![fronts, face, body.material.clone(), min, max]
        })
        .collect();
    writeln!(out)?;
    let header = [
        "body with fronts ",
        "first face",
        "material ",
        "min m",
        "max m",
    ];
    write_table(out, &header, &rows)?;
    let more = bodies.len() - rows.len();
    if more > 0 {
        writeln!(out, "and {more} more; --json has them all")?;
    }
    writeln!(
        out,
        "Diffraction does not depend on fronts; the order of layers does, and the sides of tiles."
    )
}
