//! The buildings with an inside that stand in a scene: what they replace, their floors, and how they misfit.

use std::io::{self, Write};

use keller_run::{BuildingFacts, ReplacedFacts};

use crate::report::write_table;

pub(super) fn write(buildings: &[BuildingFacts], out: &mut impl Write) -> io::Result<()> {
    if buildings.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = buildings.iter().map(row).collect();
    let header = [
        "building ",
        "at x y z m ",
        "turned °",
        "footprint m²",
        "floors at m ",
    ];
    write_table(out, &header, &rows)?;
    writeln!(out)?;
    let replaced: Vec<_> = buildings.iter().flat_map(replaced_rows).collect();
    if !replaced.is_empty() {
        let header = [
            "building ",
            "replaces ",
            "around x y m ",
            "footprint m²",
            "under it m²",
        ];
        write_table(out, &header, &replaced)?;
        writeln!(out)?;
    }
    let misfits = buildings.iter().flat_map(|building| {
        let misfits = building.misfits.iter();
        misfits.map(|misfit| vec![building.name.clone(), misfit.clone()])
    });
    let misfits: Vec<_> = misfits.collect();
    if !misfits.is_empty() {
        write_table(out, &["building ", "does not fit "], &misfits)?;
        writeln!(out)?;
    }
    Ok(())
}

fn row(building: &BuildingFacts) -> Vec<String> {
    let [x, y, z] = building.origin;
    let floors: Vec<_> = building.floors.iter().map(|z| format!("{z:.2}")).collect();
    vec![
        building.name.clone(),
        format!("{x:.2} {y:.2} {z:.2}"),
        format!("{:.2}", building.rotation_deg),
        format!("{:.1}", building.footprint_m2),
        floors.join(" "),
    ]
}

fn replaced_rows(building: &BuildingFacts) -> impl Iterator<Item = Vec<String>> {
    building.replaced.iter().map(|replaced: &ReplacedFacts| {
        let [x, y] = replaced.centre;
        vec![
            building.name.clone(),
            replaced.object.clone().unwrap_or_default(),
            format!("{x:.2} {y:.2}"),
            format!("{:.1}", replaced.footprint_m2),
            format!("{:.1}", replaced.inside_m2),
        ]
    })
}
