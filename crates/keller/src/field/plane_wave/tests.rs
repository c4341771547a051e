use super::*;
use crate::em::Surfaces;
use crate::materials::{FlatLosses, ItuMaterial, Material, Materials, Medium};
use crate::scene::{MaterialId, Mesh, Scene};
use crate::{Frequency, World};

/// Numbers between 0 and 1, the same on every run.
fn random_numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    }
}

/// A house corner of two materials, with a free edge above.
fn corner() -> Scene {
    let mut mesh = Mesh::default();
    let at = |[x, y, z]: [f64; 3]| DVec3::new(x, y, z);
    let [one, two] = [
        [[0., 0., 0.], [6., 0., 0.], [6., 0., 5.], [0., 0., 5.]],
        [[0., 0., 0.], [0., 0., 5.], [-1., 7., 5.], [-1., 7., 0.]],
    ];
    mesh.add_polygon("one", &one.map(at));
    mesh.add_polygon("two", &two.map(at));
    Scene::new(&mesh).unwrap()
}

/// The corner with all that its walls may be made of, each at its frequency.
fn worlds() -> Vec<World> {
    let medium = |relative_permittivity, conductivity| Medium::Constant {
        relative_permittivity,
        conductivity,
    };
    let flat = FlatLosses {
        transmission_db: Some(3.0),
        reflection_db: Some(7.0),
        diffraction_db: 4.0,
    };
    let slab = |medium, thickness| Material::slab(medium, thickness);
    let half = Material::HalfSpace;
    let walls = [
        ([half(medium(3.0, 0.01)), half(medium(15.0, 0.3))], 2e9),
        (
            [slab(medium(5.2, 0.05), 0.3), slab(medium(2.0, 0.0), 0.02)],
            1.3e9,
        ),
        (
            [
                half(Medium::PerfectConductor),
                slab(Medium::Itu(ItuMaterial::Glass), 0.01),
            ],
            6e9,
        ),
        (
            [
                slab(medium(4.0, 0.1), 0.1).with_flat_losses(flat),
                half(medium(7.0, 0.0)),
            ],
            2e9,
        ),
    ];
    let any = Material::HalfSpace(Medium::PerfectConductor);
    let materials = Materials::from(["one", "two"].map(|name| (name, any.clone())));
    let corner = World::new(corner(), &materials, Frequency::from_hz(2e9).unwrap()).unwrap();
    let world = |(walls, hz): &([Material; 2], f64)| {
        let frequency = Frequency::from_hz(*hz).unwrap();
        corner.remade(walls.to_vec(), frequency).unwrap()
    };
    walls.iter().map(world).collect()
}

#[test]
fn no_wave_is_stronger_than_one_between_the_strongest_walls() {
    let worlds = worlds();
    let all: Vec<&World> = worlds.iter().collect();
    let strongest = World::strongest(&all);
    let scene = strongest.scene();
    let mut random = random_numbers(5);
    let mut direction = move || {
        let [z, turn] = [2.0 * random() - 1.0, std::f64::consts::TAU * random()];
        let rho = (1.0 - z * z).sqrt();
        DVec3::new(rho * turn.cos(), rho * turn.sin(), z)
    };
    let mut kinds = random_numbers(6);
    let mut nearest = f64::INFINITY;
    for round in 0..4000 {
        let walls: Vec<_> = (0..4)
            .map(|_| {
                let kind = if kinds() < 0.5 {
                    FaceInteraction::Reflection
                } else {
                    FaceInteraction::Transmission
                };
                (
                    kind,
                    direction(),
                    MaterialId::from_index(usize::from(kinds() < 0.5)),
                )
            })
            .collect();
        let start = PlaneWave::of_both_fields([1.0, 0.3], direction());
        let edge = &scene.edges()[round % scene.edges().len()];
        let [phi, behind, ahead] = [kinds(), 1.0 + 20.0 * kinds(), 0.1 + 50.0 * kinds()];
        let has_edge = round % 2 == 0;
        let behind_all = |world: &World| {
            let mut wave = start;
            let pass = |wave: &mut PlaneWave, walls: &[(FaceInteraction, DVec3, MaterialId)]| {
                for (kind, normal, material) in walls {
                    wave.meet(*kind, *normal, world.surfaces().surface(*material));
                }
            };
            pass(&mut wave, &walls[..2]);
            if has_edge {
                let along = edge.inward.cross(edge.outward);
                let cosine = wave.direction.dot(along);
                let (sin, cos) = (phi * edge.exterior_angle).sin_cos();
                let across = cos * edge.inward + sin * edge.outward;
                let out = cosine * along + (1.0 - cosine * cosine).sqrt() * across;
                wave = wave
                    .bend(edge, out, world, PathCounts::ONE_EDGE)
                    .seen_from(behind, ahead);
            }
            pass(&mut wave, &walls[2..]);
            wave.power_matrix().largest()
        };
        let bound = behind_all(&strongest);
        for world in &worlds {
            let power = behind_all(world);
            assert!(power <= (1.0 + 1e-9) * bound, "{power} beyond {bound}");
            if power > 0.0 {
                nearest = nearest.min(bound / power);
            }
        }
    }
    // The bound is not idle.
    assert!(nearest < 1.1, "{nearest}");
}

#[test]
fn the_strongest_of_equal_walls_are_these_walls() {
    for world in worlds() {
        let surfaces = world.surfaces();
        assert_eq!(&Surfaces::strongest(&[surfaces, surfaces]), surfaces);
    }
}

#[test]
fn walls_are_opaque_only_if_all_are() {
    let worlds = worlds();
    let [one, two] = [0, 1].map(MaterialId::from_index);
    let strongest = |which: &[usize]| {
        let which: Vec<_> = which.iter().map(|k| worlds[*k].surfaces()).collect();
        Surfaces::strongest(&which)
    };
    let opaque = |surfaces: Surfaces| [one, two].map(|id| surfaces.surface(id).is_opaque());
    assert_eq!(opaque(strongest(&[0, 2])), [true, false]);
    assert_eq!(opaque(strongest(&[0, 1])), [false, false]);
    let lowest = strongest(&[0, 1, 2]).frequency();
    assert_eq!(lowest, worlds[1].frequency());
}
