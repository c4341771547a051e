//! The exact waves of any scene: images of the Tx from keller's own paths.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use glam::DVec3;
use keller::World;
use keller::paths::{Limits, Search};
use keller_lab::ray_classes::image_key;

use crate::geometry;

use super::tally::Truth;

/// The images of the Tx behind all exact paths of reflections, and the seconds of the search.
pub(super) fn exact(
    world: &World,
    tx: DVec3,
    rx: &[DVec3],
    num_reflections: usize,
    search: Search,
) -> Result<(Truth, f64)> {
    let limits = Limits {
        max_interactions: num_reflections,
        max_reflections: num_reflections,
        max_transmissions: 0,
        max_diffractions: 0,
        ..Limits::default()
    };
    let start = Instant::now();
    let paths = geometry::paths(world, tx, rx, &limits, search)?;
    let seconds = start.elapsed().as_secs_f64();
    let mut images = vec![BTreeMap::new(); num_reflections + 1];
    for path in &paths {
        let planes = path
            .interactions()
            .filter_map(keller::paths::Interaction::face);
        let mut image = tx;
        let mut order = 0;
        for face in planes {
            let plane = world.scene().plane(world.scene().plane_of(face));
            image += 2.0 * (plane.offset - plane.normal.dot(image)) * plane.normal;
            order += 1;
        }
        let rx = u32::try_from(path.rx)?;
        images[order].insert((rx, image_key(image)), image);
    }
    Ok((
        Truth {
            rx: rx.to_vec(),
            images,
        },
        seconds,
    ))
}
