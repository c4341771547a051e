//! The short way from positions to gains has the bits of the long one.

use crate::common::{add_box, add_polygon};
use keller::antenna::{Antenna, Polarization};
use keller::field::PathField;
use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::paths::{Devices, Limits, Path, PathOptions, find_paths};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, End, Error, Frequency, World};

const TX: [DVec3; 2] = [DVec3::new(-8.0, -6.0, 4.0), DVec3::new(9.0, 7.0, 12.0)];
/// The last is inside of the house, which nothing enters.
const RX: [DVec3; 4] = [
    DVec3::new(8.0, 6.0, 1.5),
    DVec3::new(-9.0, 7.0, 2.0),
    DVec3::new(7.0, -8.0, 1.0),
    DVec3::new(0.5, 0.5, 3.0),
];

/// A house on the ground, next to a thin fence.
fn world(wall: Material) -> World {
    let mut mesh = Mesh::default();
    let ground = [[-20., -20.], [20., -20.], [20., 20.], [-20., 20.]];
    let ground = ground.map(|[x, y]| DVec3::new(x, y, 0.0));
    add_polygon(&mut mesh, "concrete", &ground);
    let low = DVec3::new(-3.0, -2.0, 0.0);
    add_box(&mut mesh, "metal", low, DVec3::new(3.0, 2.0, 6.0));
    let fence = [[4., 0.], [12., 0.], [12., 3.], [4., 3.]];
    let fence = fence.map(|[x, z]| DVec3::new(x, 3.0, z));
    add_polygon(&mut mesh, "fence", &fence);
    let materials = Materials::from([("fence", wall)]);
    let frequency = Frequency::from_ghz(3.5).unwrap();
    World::new(Scene::new(&mesh).unwrap(), &materials, frequency).unwrap()
}

fn glass() -> Material {
    Material::slab(Medium::Itu(ItuMaterial::Glass), 0.01)
}

fn some_options() -> [PathOptions; 2] {
    let limits = Limits {
        max_diffractions: 1,
        max_transmissions: 1,
        free_edges: true,
        ..Limits::default()
    };
    [
        PathOptions::default(),
        PathOptions {
            limits,
            search: None,
        },
    ]
}

#[test]
fn paths_fields_and_gains_are_those_of_the_long_way() {
    let world = world(glass());
    let (tx, rx) = (
        Devices::tx(world.scene(), TX),
        Devices::rx(world.scene(), RX),
    );
    let (tx, rx) = (tx.unwrap(), rx.unwrap());
    for options in some_options() {
        let found = world.paths_with(&TX, &RX, &options).unwrap();
        let expected = find_paths(&world, &tx, &rx, &options, &Control::default()).unwrap();
        assert!(expected.len() > 10, "{}", expected.len());
        assert_eq!(found[..], expected[..]);
        let limited = options.limits.world(&world);
        let fields: Vec<PathField> = (expected.iter())
            .map(|path| PathField::new(path, &limited))
            .collect();
        assert_eq!(found.fields(), fields);
        let isotropic = Antenna::default();
        let cross = Antenna {
            polarization: Polarization::Cross,
            ..Antenna::default()
        };
        let gains = |tx, rx| -> Vec<f64> { fields.iter().map(|f| f.gain(tx, rx)).collect() };
        assert_eq!(found.gains(), gains(&isotropic, &isotropic));
        assert_eq!(
            found.gains_between(&cross, &isotropic),
            gains(&cross, &isotropic)
        );
        let links = found.link_gains();
        assert_eq!((links.len(), links[0].len()), (RX.len(), TX.len()));
        for (i, of_rx) in links.iter().enumerate() {
            for (j, gain) in of_rx.iter().enumerate() {
                let of_link = |path: &Path| (path.tx, path.rx) == (j, i);
                let own = expected.iter().zip(found.gains());
                let own = own.filter(|(path, _)| of_link(path)).map(|(_, gain)| gain);
                assert_eq!(*gain, own.fold(0.0, |sum, gain| sum + gain), "{i} {j}");
                assert!(found.of_link(j, i).iter().all(of_link));
                let count = expected.iter().filter(|path| of_link(path)).count();
                assert_eq!(found.of_link(j, i).len(), count);
                assert!(count == 0 || i != 3, "the house is closed: {i} {j}");
            }
        }
        assert_eq!(found.into_iter().collect::<Vec<Path>>(), expected);
    }
    let default = world.paths(&TX, &RX).unwrap();
    assert_eq!(
        default[..],
        world.paths_with(&TX, &RX, &some_options()[0]).unwrap()[..]
    );
}

#[test]
fn a_replay_has_the_fields_of_the_other_world() {
    let world = world(glass());
    let [_, options] = some_options();
    let paths = world.paths_with(&TX, &RX, &options).unwrap();
    let higher = world.at(Frequency::from_ghz(28.0).unwrap()).unwrap();
    let replayed = paths.replay(&higher);
    assert_eq!(replayed[..], paths[..]);
    let again = higher.paths_with(&TX, &RX, &options).unwrap();
    assert_eq!(replayed.gains(), again.gains());
    assert_eq!(paths.replay(&world).gains(), paths.gains());
    assert_ne!(replayed.gains(), paths.gains());
}

#[test]
#[should_panic(expected = "both worlds must share one scene")]
fn a_world_of_another_scene_cannot_replay() {
    let paths = world(glass()).paths(&TX, &RX).unwrap();
    let _ = paths.replay(&world(glass()));
}

#[test]
fn positions_that_cannot_be_used_are_errors() {
    let world = world(glass());
    assert!(matches!(
        world.paths(&[], &RX),
        Err(Error::NoDevice(End::Tx))
    ));
    let on_the_ground = world.paths(&TX, &[RX[0], DVec3::new(8.0, 8.0, 0.0)]);
    assert!(matches!(
        on_the_ground,
        Err(Error::DevicePosition {
            end: End::Rx,
            index: 1,
            ..
        })
    ));
}
