//! The cities, each with a transmitter and the volume over it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use keller::antenna::Antenna;
use keller::coverage::{Region, Surroundings};
use keller::materials::{Material, Materials, Medium};
use keller::paths::{Effort, Search};
use keller::scene::{Mesh, Scene};
use keller::{DVec3, Frequency, Tx, World};
use keller_geo::place;
use keller_geo::site::{SiteOptions, Sources, assemble};

/// The search that finds nearly all paths where waves pass walls.
pub(super) const DENSEST: Search = Search::Launch(Effort::Thorough);

/// Walls are this thick, metres.
const WALL_THICKNESS: f64 = 0.3;

/// Cells reach so far above the lowest ground, metres.
pub(super) const HEIGHT: f64 = 100.0;

/// The length of COST 231 Munich from the south to the north, metres.
const COST_LENGTH: f64 = 3400.0;

/// The height above the ground, metres, of the transmitter of COST 231 Munich.
const MUNICH_TX_HEIGHT: f64 = 13.0;

const COST: &str = "cost231_munich";

/// A city to be covered.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) world: World,
    pub(crate) tx: Tx,
    pub(crate) region: Region,
}

/// The places that are asked for.
pub(crate) fn names(only: Option<&str>) -> Result<Vec<&'static str>> {
    let all = ["munich", "etoile", COST];
    let names: Vec<&str> = all
        .into_iter()
        .filter(|name| only.is_none_or(|only| only == *name))
        .collect();
    ensure!(!names.is_empty(), "no scene {only:?}; there are {all:?}");
    Ok(names)
}

impl Place {
    /// One of [`names`], from a folder that has `NAME/NAME.xml` of the peer's scenes and `cost231_munich/Munich_buildings.res`.
    pub(crate) fn load(name: &'static str, data: &Path, resolution: f64) -> Result<Self> {
        if name == COST {
            return Self::cost(data, resolution);
        }
        Self::of_peer(name, data, resolution, WALL_THICKNESS)
    }

    /// A scene of the peer with walls of a thickness, metres.
    pub(crate) fn of_peer(
        name: &'static str,
        data: &Path,
        resolution: f64,
        thickness: f64,
    ) -> Result<Self> {
        let file = data.join(name).join(name).with_extension("xml");
        let scene = keller_run::open_scene(&file)
            .with_context(|| format!("{} of the peer's scenes", file.display()))?;
        let frequency = Frequency::from_hz(3.5e9)?;
        let world = World::new(scene, &Materials::default(), frequency)?;
        let slab = |material: &Material| match material.media().next() {
            Some(medium) => Material::slab(medium, thickness),
            None => material.clone(),
        };
        let names = world.scene().materials().iter().cloned();
        let slabs: Materials = names.zip(world.materials().iter().map(slab)).collect();
        let world = world.with_materials(&slabs)?;
        let tx = if name == "munich" {
            crate::city::TX
        } else {
            DVec3::new(-160.0, 70.0, 40.0)
        };
        let [low, high] = world.scene().bounds();
        let region = Region::volume(low, high.with_z(low.z + HEIGHT), DVec3::splat(resolution))?;
        Self::checked(name, world, tx, region)
    }

    fn cost(data: &Path, resolution: f64) -> Result<Self> {
        Self::cost_share(data, resolution, 1.0)
    }

    /// Munich as COST 231 has it, on the terrain through the feet of its buildings; of these the southern `share` in length.
    pub(crate) fn cost_share(data: &Path, resolution: f64, share: f64) -> Result<Self> {
        let file = data.join(COST).join("Munich_buildings.res");
        let sources = Sources {
            places: vec![(file.clone(), place::read(&file)?)],
            rasters: Vec::new(),
        };
        let mut mesh = assemble(sources, &SiteOptions::default())?.mesh;
        let Mesh {
            vertices,
            triangles,
            materials,
        } = &mut mesh;
        triangles.retain(|triangle| {
            let is_kept = |vertex: u32| vertices[vertex as usize].y <= share * COST_LENGTH;
            materials[triangle.material as usize].name == "ground"
                || triangle.vertices.into_iter().all(is_kept)
        });
        let frequency = Frequency::from_hz(947e6)?;
        let world = World::new(Scene::new(&mesh)?, &cost_materials(&mesh), frequency)?;
        let at = DVec3::new(1281.36, 1381.27, 0.0);
        let ground = world
            .scene()
            .ground(at.truncate())
            .context("ground under the transmitter")?;
        let region = Region::volume(
            DVec3::new(0.0, 0.0, 505.0),
            DVec3::new(2400.0, COST_LENGTH, 505.0 + HEIGHT),
            DVec3::splat(resolution),
        )?;
        let tx = at.with_z(ground + MUNICH_TX_HEIGHT);
        Self::checked(COST, world, tx, region)
    }

    fn checked(name: &'static str, world: World, position: DVec3, region: Region) -> Result<Self> {
        ensure!(
            !Surroundings::is_enclosed(world.scene(), position),
            "{name}: the transmitter is in a building"
        );
        Ok(Self {
            name,
            world,
            tx: Tx {
                position,
                antenna: Antenna::default(),
            },
            region,
        })
    }
}

/// Walls and roofs that waves pass, ground that they do not.
fn cost_materials(mesh: &Mesh) -> Materials {
    let medium = |relative_permittivity, conductivity| Medium::Constant {
        relative_permittivity,
        conductivity,
    };
    let of = |name: &str| match name {
        "ground" => Material::HalfSpace(medium(15.0, 0.035)),
        _ => Material::slab(medium(5.24, 0.045), WALL_THICKNESS),
    };
    let materials = mesh.materials.iter();
    materials.map(|m| (m.name.clone(), of(&m.name))).collect()
}
