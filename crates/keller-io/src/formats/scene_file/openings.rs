//! Windows and doors that were cut into a kept scene.

use super::bytes::{In, Out};

/// What an `[[opening]]` has cut.
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

pub(super) fn put(out: &mut Out, cut: &CutOpenings) {
    out.byte(cut.material.is_some().into());
    out.text(cut.material.as_deref().unwrap_or_default());
    for count in [cut.walls, cut.opened, cut.openings] {
        out.count(count);
    }
    out.number(cut.area);
    out.number(cut.wall_area);
}

pub(super) fn openings(from: &mut In<'_>) -> Result<CutOpenings, String> {
    let has_material = from.byte()? != 0;
    let material = Some(from.text()?).filter(|_| has_material);
    let count = |from: &mut In<'_>| {
        usize::try_from(from.long()?).map_err(|_| "a number of openings is none".to_owned())
    };
    Ok(CutOpenings {
        material,
        walls: count(from)?,
        opened: count(from)?,
        openings: count(from)?,
        area: from.number()?,
        wall_area: from.number()?,
    })
}
