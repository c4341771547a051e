//! Maps of a place: power of the waves and of the paths, and how far they are apart.

use std::path::Path;

use anyhow::Result;
use glam::DVec2;
use keller::coverage::{Levels, Region};
use keller_io::reports::plot::{CoveragePlot, PlotTx, Quantity, Scale, Slice};

use super::errors::{Fields, by_patches};
use super::places::{NODES, Place, STRIDE};
use crate::lab::irla::write_picture;

/// Writes `parflow-NAME.png` and `parflow-NAME-error.png`.
pub(super) fn draw(folder: &Path, place: &Place, waves: &Fields, paths: &Fields) -> Result<()> {
    let world = place.world()?;
    let db = |fields: &Fields| -> Vec<f64> {
        let of = |field: &Option<_>| {
            field.map_or(f64::NAN, |field: keller::Complex64| {
                keller::units::power_to_db(field.norm_sqr())
            })
        };
        fields.iter().map(of).collect()
    };
    let [of_waves, of_paths] = [waves, paths].map(by_patches);
    let apart = of_paths.iter().zip(&of_waves).map(|(a, b)| a - b).collect();
    let region = Region::planes(
        DVec2::ZERO,
        DVec2::splat(place.side as f64),
        DVec2::splat(STRIDE as f64 / NODES as f64),
        Levels::AboveSea(vec![0.0]),
    )?;
    let name = place.name.replace(' ', "-");
    let slice = |title: &str, values| Slice {
        title: title.to_owned(),
        values,
        buildings: Vec::new(),
    };
    let both = vec![
        slice("waves (MR-FDPF)", db(waves)),
        slice("keller's paths", db(paths)),
    ];
    let apart = vec![slice(
        "paths less waves, mean power of a square wavelength",
        apart,
    )];
    for (end, quantity, range, scale, slices) in [
        ("", "power / dB", [-90.0, -20.0], Scale::Gain, both),
        (
            "-error",
            "difference / dB",
            [-6.0, 6.0],
            Scale::Difference,
            apart,
        ),
    ] {
        let plot = CoveragePlot {
            title: format!("{}, lengths in wavelengths", place.name),
            quantity: Quantity::Numbers {
                name: quantity,
                range,
                scale,
            },
            nothing: "no path",
            scene: world.scene(),
            tx: vec![PlotTx {
                position: place.source_position().extend(0.0),
                name: String::new(),
                azimuth: None,
            }],
            marks: Vec::new(),
            region: &region,
            slices,
        };
        write_picture(
            &folder.join(format!("parflow-{name}{end}.png")),
            &plot.svg(),
        )?;
    }
    Ok(())
}
