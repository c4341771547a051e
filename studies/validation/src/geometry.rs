//! Paths that do not depend on the materials of walls, but for whether waves pass them.

use std::sync::Arc;

use anyhow::Result;
use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::paths::{Devices, Limits, Path, PathOptions, Search, find_paths};
use keller::scene::Scene;
use keller::{Control, DVec3, Frequency, World};

/// `scene` with walls that waves pass, but for those of the names that are opaque.
pub(crate) fn world(
    scene: impl Into<Arc<Scene>>,
    is_opaque: impl Fn(&str) -> bool,
) -> Result<World> {
    let scene = scene.into();
    let wall = |name: &String| {
        let wall = if is_opaque(name) {
            Material::HalfSpace(Medium::PerfectConductor)
        } else {
            Material::slab(Medium::Itu(ItuMaterial::Glass), 0.01)
        };
        (name.clone(), wall)
    };
    let materials: Materials = scene.materials().iter().map(wall).collect();
    Ok(World::new(scene, &materials, Frequency::from_ghz(3.5)?)?)
}

/// The paths from one transmitter.
pub(crate) fn paths(
    world: &World,
    tx: DVec3,
    rx: &[DVec3],
    limits: &Limits,
    search: Search,
) -> Result<Vec<Path>> {
    let tx = Devices::tx(world.scene(), [tx])?;
    let rx = Devices::rx(world.scene(), rx)?;
    let options = PathOptions {
        limits: *limits,
        search: Some(search),
    };
    Ok(find_paths(world, &tx, &rx, &options, &Control::default())?)
}
