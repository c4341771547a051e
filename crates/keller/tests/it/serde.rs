//! Values that are written down come back as they were, and wrong ones are refused.

use std::f64::consts::PI;

use keller::antenna::{Antenna, Orientation, Pattern, PatternTable, Polarization};
use keller::coverage::{Levels, Region};
use keller::glam::DVec2;
use keller::materials::{ItuMaterial, Lobe, Material, Materials, Medium, Scattering, Texture};
use keller::paths::{Effort, Limits, Path, PathOptions, Search};
use keller::{DVec3, Frequency, Tx};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::common::{devices, paths, random_city, see_through};
use keller::scene::Scene;

/// `value`, written and read.
fn again<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn options_materials_and_antennas_come_back() {
    let options = PathOptions {
        limits: Limits {
            max_diffractions: 2,
            ..Limits::default()
        },
        search: Some(Search::Launch(Effort::Thorough)),
    };
    assert_eq!(again(&options), options);
    let levels = Levels::AboveGround(vec![1.5, 1.0 / 3.0]);
    let region = Region::planes(DVec2::ZERO, DVec2::ONE, DVec2::splat(0.1), levels).unwrap();
    assert_eq!(again(&region), region);

    let scattering = Scattering {
        coefficient: 0.3,
        cross_polarization: 0.1,
        lobe: Lobe::Directive { forward: 4 },
    };
    let wall = Material::slab(Medium::Itu(ItuMaterial::Brick), 0.24).with_texture(Texture {
        scattering: Some(scattering),
        roughness: 0.01,
    });
    let materials = Materials::from([("wall", wall.with_displaced_air_ignored(true))]);
    assert_eq!(again(&materials), materials);

    let zeniths: Vec<f64> = (0..=36).map(|k| PI * f64::from(k) / 36.0).collect();
    let azimuths: Vec<f64> = (0..72).map(|k| PI * f64::from(k) / 36.0).collect();
    let gain = |zenith: &f64| vec![1.0 + 0.1 * zenith.cos(); azimuths.len()];
    let gains: Vec<f64> = zeniths.iter().flat_map(gain).collect();
    let table = PatternTable::from_gains(&zeniths, &azimuths, &gains);
    let tx = Tx {
        position: DVec3::new(0.1, -2.0, 1e-9),
        antenna: Antenna {
            pattern: Pattern::Table(table.unwrap().into()),
            polarization: Polarization::VH,
            orientation: Orientation::from_degrees([10.0, 20.0, 30.0]),
            ..Antenna::default()
        },
    };
    assert_eq!(again(&tx), tx);
    let frequency = Frequency::from_ghz(3.5).unwrap();
    assert_eq!(again(&frequency), frequency);
}

#[test]
fn paths_and_their_sequences_come_back() {
    let (mesh, room) = random_city(3);
    let world = see_through(Scene::new(&mesh).unwrap());
    let ends = devices(world.scene(), &mut crate::common::Random(7), room, 4);
    let limits = Limits {
        max_interactions: 2,
        max_transmissions: 1,
        max_diffractions: 1,
        ..Limits::default()
    };
    let found: Vec<Path> = paths(&world, ends[0], &ends[1..], &limits, Search::Complete);
    assert!(found.len() > 20, "{} paths", found.len());
    assert!(again(&found) == found, "paths differ");
    let sequences: Vec<_> = found
        .iter()
        .map(|path| path.sequence(world.scene()))
        .collect();
    assert!(again(&sequences) == sequences, "sequences differ");
}

#[test]
fn values_that_cannot_be_are_refused() {
    fn refused<T: DeserializeOwned>(text: &str) -> String {
        serde_json::from_str::<T>(text)
            .map(drop)
            .unwrap_err()
            .to_string()
    }
    assert!(refused::<Frequency>("-1.0").contains("not a positive finite number"));
    let table = r#"{ "zeniths": [0.0, 3.0], "azimuths": [0.0], "gains_db": [1.0] }"#;
    assert!(
        refused::<PatternTable>(table).contains("antenna pattern"),
        "{}",
        refused::<PatternTable>(table)
    );
    let area = r#"{ "Scattering": [3, -0.5] }"#;
    assert!(
        refused::<keller::paths::Step>(area).contains("positive"),
        "{}",
        refused::<keller::paths::Step>(area)
    );
}
