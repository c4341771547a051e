//! A calibrated scenario says what changed, and nothing else.

use keller::calibration::{Background, MaterialProperty};
use keller::materials::{FlatLosses, Layer, Material, Medium};

use crate::scenario::{CalibratedMaterial, CalibratedScenario, Needs, Scenario};

const TEXT: &str = "# A street.
frequency_hz = 1e9 # the carrier

[scene]
file = \"Cargo.toml\"

[materials.brick]
itu = \"brick\" # from the table
thickness = 0.2 # measured

[materials.\"my wall\"]
layers = [{ itu = \"wood\", thickness = 0.02 }]
transmission_loss_db = 3 # a guess

[[tx]] # the mast
name = \"mast\"
position = [0, 0, 10]
offset_db = 1

[[tx]]
position = [5, 0, 10]
";

fn parsed(text: &str) -> Scenario {
    let needs = Needs {
        rx: false,
        ..Needs::default()
    };
    Scenario::parse_as(text, "./s.toml".as_ref(), needs).unwrap()
}

fn constant(relative_permittivity: f64, conductivity: f64) -> Medium {
    Medium::Constant {
        relative_permittivity,
        conductivity,
    }
}

#[test]
fn numbers_change_and_comments_stay() {
    let scenario = parsed(TEXT);
    let wall = Material::slab(
        scenario.materials[1].definition.media().next().unwrap(),
        0.02,
    );
    let changes = CalibratedScenario {
        comments: vec!["made by a test".to_owned()],
        materials: vec![
            CalibratedMaterial {
                name: "itu_brick".to_owned(),
                properties: vec![MaterialProperty::Permittivity],
                material: Material::slab(constant(5.25, 0.125), 0.2),
            },
            CalibratedMaterial {
                name: "my wall".to_owned(),
                properties: vec![MaterialProperty::TransmissionLoss],
                material: wall.with_flat_losses(FlatLosses {
                    transmission_db: Some(7.5),
                    ..FlatLosses::default()
                }),
            },
            CalibratedMaterial {
                name: "glass".to_owned(),
                properties: vec![MaterialProperty::ReflectionLoss],
                material: Material::HalfSpace(constant(6.0, 0.0)).with_flat_losses(FlatLosses {
                    reflection_db: Some(4.0),
                    ..FlatLosses::default()
                }),
            },
        ],
        background: Some(Background {
            level_db: -52.5,
            exponent: 3.5,
        }),
        losses: None,
        offsets_db: vec![2.5, -1.0],
    };
    let (text, warnings) = changes.text(&scenario).unwrap();
    assert!(warnings.is_empty());
    for line in [
        "# made by a test",
        "# A street.",
        "frequency_hz = 1e9 # the carrier",
        "thickness = 0.2 # measured",
        "transmission_loss_db = 7.5 # a guess",
        "[[tx]] # the mast",
        "[materials.glass]",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    let after = parsed(&text);
    let named = |name: &str| {
        let found = after
            .materials
            .iter()
            .find(|material| material.name == name);
        found.unwrap().definition.clone()
    };
    assert_eq!(named("brick"), changes.materials[0].material);
    assert_eq!(named("my wall"), changes.materials[1].material);
    assert_eq!(named("glass"), changes.materials[2].material);
    assert_eq!(after.background, changes.background);
    let gains: Vec<f64> = after
        .tx
        .iter()
        .map(|tx| tx.antenna.largest_gain())
        .collect();
    let before: Vec<f64> = scenario
        .tx
        .iter()
        .map(|tx| tx.antenna.largest_gain())
        .collect();
    for (index, offset) in [2.5_f64, -1.0].into_iter().enumerate() {
        let expected = before[index] * 10.0_f64.powf(offset / 10.0);
        assert!((gains[index] / expected - 1.0).abs() < 1e-9);
    }
    // A second calibration adds to the first.
    let again = CalibratedScenario {
        offsets_db: vec![0.5, 0.0],
        ..CalibratedScenario::default()
    };
    let (text, _) = again.text(&after).unwrap();
    assert!(
        text.contains("offset_db = 4.0") && text.contains("offset_db = -1.0"),
        "{text}"
    );
}

#[test]
fn layers_that_change_are_written_out_and_others_stay() {
    let scenario = parsed(TEXT);
    let two = Material::Slab(vec![
        Layer {
            medium: constant(2.0, 0.5),
            thickness: 0.01,
        },
        Layer {
            medium: Medium::PerfectConductor,
            thickness: 0.001,
        },
    ]);
    let text = |material: Material| {
        let changes = CalibratedScenario {
            materials: vec![CalibratedMaterial {
                name: "my wall".to_owned(),
                properties: vec![MaterialProperty::Thickness],
                material,
            }],
            ..CalibratedScenario::default()
        };
        changes.text(&scenario).unwrap().0
    };
    for wall in [two, Material::slab(constant(3.0, 0.0), 0.5)] {
        let losses = scenario.materials[1].definition.flat_losses();
        let wall = wall.with_flat_losses(losses);
        let after = parsed(&text(wall.clone()));
        assert_eq!(after.materials[1].definition, wall);
        assert_eq!(after.materials[0], scenario.materials[0]);
    }
}

#[test]
fn what_one_section_cannot_say_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sites.csv"), "x,y,z\n0,0,10\n5,0,10\n").unwrap();
    std::fs::write(folder.path().join("scene.obj"), "").unwrap();
    let text = "frequency_hz = 1e9\n[scene]\nfile = \"scene.obj\"\n[[tx]]\nfile = \"sites.csv\"\n[[tx]]\nposition = [0, 0, 0]\n";
    let needs = Needs {
        rx: false,
        ..Needs::default()
    };
    let file = folder.path().join("s.toml");
    let scenario = Scenario::parse_as(text, &file, needs).unwrap();
    let with = |offsets: [f64; 3]| {
        let changes = CalibratedScenario {
            offsets_db: offsets.to_vec(),
            ..CalibratedScenario::default()
        };
        changes.text(&scenario)
    };
    let (same, warnings) = with([2.0, 2.0, 3.0]).unwrap();
    assert!(
        warnings.is_empty() && same.contains("offset_db = 2.0") && same.contains("offset_db = 3.0"),
        "{same}"
    );
    let (other, warnings) = with([2.0, 1.0, 3.0]).unwrap();
    assert!(warnings[0].message.contains("offsets of their own"));
    assert!(!other.contains("offset_db = 2.0") && other.contains("offset_db = 3.0"));
    let error = with([2.0, 2.0, 300.0]).unwrap_err().to_string();
    assert!(error.contains("offset_db"), "{error}");
}
