//! Calibration on measurements that keller makes up: hidden materials come back, and come back as surely as is said.

mod certainty;
mod replays;
mod searches;

use keller::antenna::Antenna;
use keller::calibration::{
    Calibrated, MaterialProperty, Model, Observation, Parameter, Quantity, Settings, TracedLink,
    TracedLinks, calibrate,
};
use keller::materials::{Material, Medium};
use keller::paths::Search;
use keller::scene::{MaterialId, Mesh, Scene};
use keller::{Control, DVec3, World};

use crate::common::{Random, add_box, add_polygon, links, world};
use crate::laws::limits;

pub(super) const HZ: f64 = 947e6;
pub(super) const NUM_RX: usize = 40;

pub(super) fn slab(relative_permittivity: f64, conductivity: f64, thickness: f64) -> Material {
    Material::slab(
        Medium::Constant {
            relative_permittivity,
            conductivity,
        },
        thickness,
    )
}

/// Two houses and a sheet at odd angles on the ground, with receivers between and behind them.
pub(super) struct Street {
    pub(super) world: World,
    pub(super) traced: TracedLinks,
}

pub(super) const NAMES: [&str; 3] = ["ground", "house", "sheet"];

pub(super) fn street() -> Street {
    let mut mesh = Mesh::default();
    let ground = [[-60., -60.], [60., -60.], [60., 60.], [-60., 60.]];
    add_polygon(
        &mut mesh,
        "ground",
        &ground.map(|[x, y]| DVec3::new(x, y, 0.0)),
    );
    add_box(
        &mut mesh,
        "house",
        DVec3::new(-20.0, 6.0, 0.0),
        DVec3::new(15.0, 16.0, 9.0),
    );
    add_box(
        &mut mesh,
        "house",
        DVec3::new(-18.0, -19.0, 0.0),
        DVec3::new(12.0, -7.0, 12.0),
    );
    let sheet = [
        [20.0, -4.0, 0.0],
        [26.0, 9.0, 0.0],
        [26.0, 9.0, 8.0],
        [20.0, -4.0, 8.0],
    ];
    add_polygon(&mut mesh, "sheet", &sheet.map(DVec3::from_array));
    let scene = Scene::new(&mesh).unwrap();
    let names: Vec<_> = scene.materials().to_vec();
    assert_eq!(names, NAMES, "ids follow the mesh");
    let materials = [
        Material::HalfSpace(Medium::Constant {
            relative_permittivity: 8.0,
            conductivity: 0.02,
        }),
        slab(4.0, 0.03, 0.25),
        slab(3.0, 0.01, 0.08),
    ];
    let world = world(scene, &materials, HZ);
    let tx = [DVec3::new(-31.0, 1.3, 5.2), DVec3::new(33.0, -11.0, 14.0)];
    let mut random = Random(5);
    let rx: Vec<DVec3> = (0..NUM_RX)
        .map(|_| random.point(DVec3::new(-45.0, -40.0, 1.5), DVec3::new(45.0, 45.0, 1.5)))
        .collect();
    let found = links(&world, &tx, &rx, &limits(2, [2, 2, 1, 0]), Search::Complete);
    let traced = (0..2)
        .flat_map(|t| (0..rx.len()).map(move |r| (t, r)))
        .map(|(t, r)| TracedLink {
            antennas: [0, 0],
            distance: tx[t].distance(rx[r]),
            paths: found
                .iter()
                .filter(|path| (path.tx, path.rx) == (t, r))
                .cloned()
                .collect(),
        });
    let antenna = || vec![Antenna::default()];
    let traced = TracedLinks::new(
        world.scene(),
        antenna(),
        antenna(),
        traced.collect::<Vec<_>>(),
    );
    Street { world, traced }
}

pub(super) fn parameter(name: &str, [start, min, max]: [f64; 3]) -> Parameter {
    Parameter {
        name: name.to_owned(),
        start,
        min,
        max,
        prior: None,
        is_logarithmic: name.ends_with("conductivity"),
    }
}

pub(super) fn material(name: &str, property: MaterialProperty) -> Quantity {
    let index = NAMES.iter().position(|known| *known == name).unwrap();
    Quantity::Material(vec![MaterialId::from_index(index)], property)
}

/// Three parameters, their quantities, and the truth.
pub(super) fn three() -> (Vec<Parameter>, Vec<Quantity>, [f64; 3]) {
    let parameters = vec![
        parameter("ground permittivity", [8.0, 2.0, 20.0]),
        parameter("house permittivity", [3.0, 2.0, 9.0]),
        parameter("house conductivity", [0.01, 0.001, 0.3]),
    ];
    let quantities = vec![
        material("ground", MaterialProperty::Permittivity),
        material("house", MaterialProperty::Permittivity),
        material("house", MaterialProperty::Conductivity),
    ];
    (parameters, quantities, [14.0, 5.3, 0.06])
}

/// Measurements that a model would give, with an error of so many dB, and an offset for each Tx.
pub(super) fn measured(
    model: &impl Model,
    truth: &[f64],
    error_db: f64,
    offsets: [f64; 2],
) -> Vec<Observation> {
    let (levels, _) = model.predict(truth).unwrap();
    let mut random = Random(99);
    let half = levels.len() / 2;
    let all = levels
        .iter()
        .enumerate()
        .filter(|(_, level)| level.is_finite());
    all.map(|(prediction, level)| {
        let group = prediction / half;
        Observation {
            prediction,
            measured_db: level + offsets[group] + error_db * random.normal(),
            is_limit: false,
            group,
            deviation_db: 0.0,
        }
    })
    .collect()
}

pub(super) fn found(
    model: &impl Model,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: Settings,
) -> Calibrated {
    calibrate(
        model,
        parameters,
        observations,
        &settings,
        &Control::default(),
    )
    .unwrap()
}

/// A level and nothing else: everything is known in closed form.
pub(super) struct Level(pub(super) usize);

impl Model for Level {
    type State = ();
    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), keller::Error> {
        Ok((vec![values[0]; self.0], ()))
    }
}

pub(super) fn observation(prediction: usize, measured_db: f64) -> Observation {
    Observation {
        prediction,
        measured_db,
        is_limit: false,
        group: 0,
        deviation_db: 0.0,
    }
}
