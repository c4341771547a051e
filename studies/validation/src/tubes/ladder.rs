//! Measures time and error of each step from launched rays to split tubes.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use keller::Control;
use keller::coverage::tubes::{Accuracy, Ladder, Owner, Settings, Splitting, Tubes};
use keller::units::db_to_power;

use super::place::{self, Place};
use super::reference::{Figures, Reference};
use super::{CELLS, LIMIT_DB, RESOLUTION, limits, search};

/// A launch without splitting: 24 576 tubes of 2 degrees.
const FEW: u32 = 6;

/// Reflections of all paths.
const REFLECTIONS: usize = 5;

/// Climbs on every place in the folder `data`, or on one of them.
pub(crate) fn ladder(data: &Path, only: Option<&str>) -> Result<()> {
    for name in place::names(only)? {
        let place = Place::load(name, data, RESOLUTION)?;
        let limits = limits(REFLECTIONS, 0);
        let reference = Reference::new(
            &place,
            &limits,
            search(&limits),
            db_to_power(-LIMIT_DB),
            CELLS,
        )?;
        println!(
            "\n{name}, {REFLECTIONS} reflections, {LIMIT_DB} dB, cells of {RESOLUTION} m\n{:30}{}",
            "",
            Figures::HEAD
        );
        for (title, splitting, owner) in steps(&place) {
            let settings = Settings {
                limits,
                accuracy: Accuracy::Default,
                min_gain: reference.min_gain,
            };
            let start = Instant::now();
            let ladder = Ladder { splitting, owner };
            let tubes = Tubes::new(&place.world, &place.region, settings).with_ladder(ladder);
            let all = 0..place.region.num_cells();
            let gains = tubes.gains(&place.tx, all, &Control::default())?;
            let seconds = start.elapsed().as_secs_f64();
            println!("{title:30}{}", reference.figures(&gains).row("", seconds));
        }
    }
    Ok(())
}

/// The steps that are compared, from the first model of Hu 2020 to the engine as it is.
fn steps(place: &Place) -> [(&'static str, Splitting, Owner); 6] {
    let few = Splitting::Fixed { level: FEW };
    let many = Splitting::Fixed {
        level: finest(place),
    };
    let behind = Splitting::BehindMiddle;
    [
        ("few rays, pierced", few, Owner::Pierced),
        ("over-launched, pierced", many, Owner::Pierced),
        ("split behind centre, pierced", behind, Owner::Pierced),
        ("split behind centre, owned", behind, Owner::Direction),
        ("split, pierced", Splitting::Adaptive, Owner::Pierced),
        ("split, owned", Splitting::Adaptive, Owner::Direction),
    ]
}

/// The level at which a tube is no wider than a cell at the region's far end.
fn finest(place: &Place) -> u32 {
    let [nx, ny] = place.region.num_columns.map(|n| n as f64);
    let cells = nx.hypot(ny);
    let mut level = 0;
    while 2.0 * cells > f64::from(1_u32 << level) {
        level += 1;
    }
    level
}
