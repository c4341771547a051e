//! Munich of COST 231 on a flat ground, with walls of four materials that the fit does not know.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use keller::calibration::{MaterialProperty, Parameter, Quantity};
use keller::coverage::Surroundings;
use keller::materials::{Material, Materials, Medium};
use keller::random::Random;
use keller::scene::{MaterialId, Scene};
use keller::{DVec3, Frequency, World};
use keller_geo::place;
use keller_geo::site::{SiteOptions, Sources, assemble};

/// Elevation of the ground, metres.
const GROUND: f64 = 515.0;

/// The transmitter of COST 231 Munich, metres east and north, and above the ground.
const TX: [f64; 3] = [1281.36, 1381.27, 13.0];

/// Seed of the draw that gives each building its material.
const SEED: u64 = 231;

/// The materials, with hidden permittivity and conductivity (S/m). The last is the ground, the others are walls and roofs.
const TRUTH: [(&str, [f64; 2]); 5] = [
    ("brick", [3.9, 0.02]),
    ("concrete", [7.0, 0.12]),
    ("stone", [5.6, 0.04]),
    ("panels", [2.4, 0.008]),
    ("ground", [9.0, 0.08]),
];

/// The values from which the fit starts: every wall as usual concrete, medium dry ground.
const STARTS: [[f64; 2]; 2] = [[5.24, 0.045], [15.0, 0.035]];

/// The bounds of the values that it searches.
const PERMITTIVITIES: [[f64; 2]; 2] = [[1.5, 12.0], [2.0, 30.0]];
const CONDUCTIVITIES: [f64; 2] = [1e-3, 1.0];

/// The place, and the parameters that may change.
pub(super) struct City {
    /// Its materials are those of the search: they reflect as much as the bounds allow.
    pub(super) world: World,
    pub(super) tx: DVec3,
    pub(super) parameters: Vec<Parameter>,
    pub(super) quantities: Vec<Quantity>,
    /// The hidden value of each parameter.
    pub(super) truth: Vec<f64>,
}

impl City {
    /// The city of the folder `data`.
    pub(super) fn load(data: &Path) -> Result<Self> {
        let file = data.join("cost231_munich/Munich_buildings.res");
        let sources = Sources {
            places: vec![(file.clone(), place::read(&file)?)],
            rasters: Vec::new(),
        };
        let options = SiteOptions {
            ground: Some(GROUND),
            ..SiteOptions::default()
        };
        let site = assemble(sources, &options)?;
        let mut mesh = site.mesh;
        let ids = TRUTH.map(|(name, _)| mesh.material_index(name));
        let mut random = Random(SEED);
        for (number, (_, triangles)) in site.parts.iter().enumerate() {
            let is_building = number < site.num_buildings;
            let drawn = random.below(ids.len() - 1);
            let id = ids[if is_building { drawn } else { ids.len() - 1 }];
            for triangle in &mut mesh.triangles[triangles.clone()] {
                triangle.material = id;
            }
        }
        let names = TRUTH.iter().map(|(name, _)| (*name).to_owned());
        let most = |index: usize| [PERMITTIVITIES[kind(index)][1], CONDUCTIVITIES[1]];
        let materials: Materials = names
            .enumerate()
            .map(|(index, name)| (name, half_space(most(index))))
            .collect();
        let frequency = Frequency::from_hz(947e6)?;
        let world = World::new(Scene::new(&mesh)?, &materials, frequency)?;
        let [x, y, height] = TX;
        let ground = world.scene().ground(DVec3::new(x, y, 0.0).truncate());
        let tx = DVec3::new(x, y, ground.context("ground under the Tx")? + height);
        ensure!(
            !Surroundings::is_enclosed(world.scene(), tx),
            "the Tx is in a building"
        );
        let (mut parameters, mut quantities, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (name, values)) in TRUTH.iter().enumerate() {
            let all = world.scene().materials();
            let id = all.iter().position(|known| known == name);
            let id = MaterialId::from_index(id.context("a material of the scene")?);
            let bounds = [PERMITTIVITIES[kind(index)], CONDUCTIVITIES];
            for (k, property) in PROPERTIES.into_iter().enumerate() {
                parameters.push(Parameter {
                    name: format!("{name} {}", property.name()),
                    start: STARTS[kind(index)][k],
                    min: bounds[k][0],
                    max: bounds[k][1],
                    prior: None,
                    is_logarithmic: property == MaterialProperty::Conductivity,
                });
                quantities.push(Quantity::Material(vec![id], property));
                truth.push(values[k]);
            }
        }
        Ok(Self {
            world,
            tx,
            parameters,
            quantities,
            truth,
        })
    }

    /// The values from which the fit starts.
    pub(super) fn starts(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.start).collect()
    }
}

const PROPERTIES: [MaterialProperty; 2] = [
    MaterialProperty::Permittivity,
    MaterialProperty::Conductivity,
];

/// 0 for walls, 1 for the ground.
fn kind(index: usize) -> usize {
    usize::from(index + 1 == TRUTH.len())
}

fn half_space([relative_permittivity, conductivity]: [f64; 2]) -> Material {
    Material::HalfSpace(Medium::Constant {
        relative_permittivity,
        conductivity,
    })
}
