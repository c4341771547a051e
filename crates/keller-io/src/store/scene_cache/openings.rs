//! Windows and doors that were cut into a scene cache.

use crate::formats::bytes::{ByteReader, ByteWriter};

/// The openings that an `[[opening]]` has cut.
#[derive(Debug, Clone, PartialEq)]
pub struct CutOpenings {
    /// The material of the panes. Absent: the openings are empty.
    pub material: Option<String>,
    /// The number of upright walls that were asked for.
    pub walls: usize,
    /// The number of those that have openings.
    pub opened: usize,
    /// The number of openings.
    pub openings: usize,
    /// The area of the openings, m².
    pub area: f64,
    /// The area of the walls before, m².
    pub wall_area: f64,
}

pub(super) fn put(out: &mut ByteWriter, cut: &CutOpenings) {
    out.option(cut.material.as_ref(), |out, name| out.text(name));
    for count in [cut.walls, cut.opened, cut.openings] {
        out.count(count);
    }
    out.reals(&[cut.area, cut.wall_area]);
}

pub(super) fn openings(from: &mut ByteReader) -> Option<CutOpenings> {
    Some(CutOpenings {
        material: from.option(ByteReader::text)?,
        walls: from.count()?,
        opened: from.count()?,
        openings: from.count()?,
        area: from.real()?,
        wall_area: from.real()?,
    })
}
