//! The field along paths that cross vegetation: weaker by the loss of the metres inside, and the same in all else.

use std::collections::BTreeSet;

use crate::common::{add_box, add_polygon};
use keller::antenna::Antenna;
use keller::channel::{Antennas, Motion, replay};
use keller::clutter::{Clutter, Volume};
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{InteractionKind, Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::units::db_to_amplitude;
use keller::{DVec3, Frequency, World};

/// Two woods, the second with a largest attenuation: corners, dB/m, dB.
const WOODS: [([DVec3; 2], f64, Option<f64>); 2] = [
    (
        [DVec3::new(-14.0, -20.0, 0.0), DVec3::new(-6.0, 20.0, 6.0)],
        0.35,
        None,
    ),
    (
        [DVec3::new(7.0, -3.0, 0.0), DVec3::new(20.0, 9.0, 11.0)],
        1.2,
        Some(8.0),
    ),
];

const TX: DVec3 = DVec3::new(-22.0, 1.5, 9.0);
const RX: [DVec3; 3] = [
    DVec3::new(17.0, 2.0, 1.5),
    DVec3::new(24.0, -6.0, 1.5),
    DVec3::new(-10.0, 3.0, 2.0),
];

/// A house on a ground, rough and translucent, so that waves do all that they can.
fn scene() -> Scene {
    let mut mesh = Mesh::default();
    let corners = [(-30., -30.), (30., -30.), (30., 30.), (-30., 30.)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, 0.0));
    add_polygon(&mut mesh, "wall", &corners);
    let (low, high) = (DVec3::new(-3., -4., 0.0), DVec3::new(3., 5., 7.));
    add_box(&mut mesh, "wall", low, high);
    Scene::new(&mesh).unwrap()
}

fn woods() -> Clutter {
    let wood = |([low, high], attenuation, max): ([DVec3; 2], f64, Option<f64>)| {
        let outline = [
            [low.x, low.y],
            [high.x, low.y],
            [high.x, high.y],
            [low.x, high.y],
        ];
        Volume::prism(&outline, [low.z, high.z], attenuation, max).unwrap()
    };
    Clutter::new(WOODS.map(wood).into())
}

/// The world of those walls.
fn world(scene: Scene, hz: f64) -> World {
    let concrete = Medium::Constant {
        relative_permittivity: 5.24,
        conductivity: 0.1,
    };
    let wall = Material::slab(concrete, 0.2).with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: 0.3,
            cross_polarization: 0.1,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    });
    crate::common::world(scene, &[wall], hz)
}

fn paths(world: &World, rx: &[DVec3]) -> Vec<Path> {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_transmissions: 2,
        max_diffractions: 1,
        max_scatterings: 1,
        ..Limits::default()
    };
    crate::common::paths(world, TX, rx, &limits, Search::Complete)
}

fn points(path: &Path) -> Vec<DVec3> {
    let mut points = vec![path.tx_position];
    points.extend(path.vertices.iter().map(|i| i.point));
    points.push(path.rx_position);
    points
}

/// The loss by hand: the chords of boxes, then P.833.
fn expected_loss_db(path: &Path) -> f64 {
    let of_wood = |([low, high], attenuation, max): ([DVec3; 2], f64, Option<f64>)| {
        let points = points(path);
        let chord = |a: DVec3, b: DVec3| {
            let (p, q) = ((low - a) / (b - a), (high - a) / (b - a));
            let (enter, leave) = (p.min(q).max_element(), p.max(q).min_element());
            (leave.min(1.0) - enter.max(0.0)).max(0.0) * a.distance(b)
        };
        let length: f64 = points.windows(2).map(|ab| chord(ab[0], ab[1])).sum();
        match max {
            None => attenuation * length,
            Some(max) => max * (1.0 - (-attenuation * length / max).exp()),
        }
    };
    WOODS.map(of_wood).iter().sum()
}

#[test]
fn every_kind_of_path_loses_what_the_woods_take_and_nothing_else_changes() {
    let bare = world(scene(), 2e9);
    let wooded = world(scene().with_clutter(woods()), 2e9);
    let without = paths(&bare, &RX);
    let with = paths(&wooded, &RX);
    assert_eq!(with, without, "paths do not depend on clutter");

    let mut kinds = BTreeSet::new();
    for path in &with {
        let (weak, strong) = (PathField::new(path, &wooded), PathField::new(path, &bare));
        assert_eq!(weak.delay, strong.delay);
        assert_eq!(weak.departure, strong.departure);
        assert_eq!(weak.arrival, strong.arrival);
        assert_eq!(strong.clutter_loss_db, 0.0);
        let expected = expected_loss_db(path);
        let found = weak.clutter_loss_db;
        assert!((found - expected).abs() < 1e-9, "{found} not {expected}");
        let factor = db_to_amplitude(-expected);
        let pairs = weak.coefficient.as_flattened().iter();
        for (a, b) in pairs.zip(strong.coefficient.as_flattened()) {
            assert!((a - b * factor).norm() <= 1e-9 * b.norm());
        }
        if expected > 0.0 {
            kinds.extend(path.vertices.iter().map(|i| i.interaction.kind().letter()));
        }
    }
    let all = [
        InteractionKind::Reflection,
        InteractionKind::Transmission,
        InteractionKind::Diffraction,
        InteractionKind::Scattering,
    ];
    assert_eq!(kinds, all.map(InteractionKind::letter).into());
}

#[test]
fn the_loss_is_the_same_from_rx_to_tx() {
    let wooded = world(scene().with_clutter(woods()), 2e9);
    let clutter = wooded.scene().clutter();
    for path in paths(&wooded, &RX) {
        let mut back = points(&path);
        back.reverse();
        let (there, back) = (clutter.loss_db(points(&path)), clutter.loss_db(back));
        assert!((there - back).abs() <= 1e-12 * there);
    }
}

#[test]
fn a_replay_over_frequency_keeps_the_loss() {
    let bare = world(scene(), 2e9);
    let wooded = scene().with_clutter(woods());
    let line_of_sight: Vec<Path> = paths(&bare, &RX[2..])
        .into_iter()
        .filter(Path::is_line_of_sight)
        .collect();
    assert_eq!(line_of_sight.len(), 1, "the Rx sees the Tx");
    let wooded = world(wooded, 2e9);
    let isotropic = Antenna::default();
    let response = |world: &World| {
        let band = [1e9, 2e9, 3e9].map(|hz| world.at(Frequency::from_hz(hz).unwrap()).unwrap());
        let motion = Motion {
            tx: DVec3::ZERO,
            rx: DVec3::ZERO,
            materials: &[DVec3::ZERO],
        };
        let antennas = Antennas::single(&isotropic, &isotropic);
        replay(&line_of_sight, &band, antennas, &motion, &[0.0])
    };
    let factor = db_to_amplitude(-expected_loss_db(&line_of_sight[0]));
    assert!(factor < 0.9, "the path crosses a wood");
    let (weak, strong) = (response(&wooded), response(&bare));
    for (a, b) in weak.values.iter().zip(&strong.values) {
        assert!((a - b * factor).norm() < 1e-12 * b.norm());
    }
}
