//! Power of long paths with diffractions that rays sample, on surfaces: compared with the sum over exact paths.

use keller::antenna::{Antenna, Pattern, PatternTable};
use keller::coverage::tiles::{Survey, TileCoverage, TileField};
use keller::materials::{ItuMaterial, Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Environment, Interaction, InteractionKind, Limits, Path};
use keller::scene::Mesh;
use keller::tiles::Tiling;
use keller::units::power_to_db;
use keller::{Control, DVec3, Tx, World};

use crate::common::place::{self, at, is_along_own_wall};
use crate::common::turning::{odd_turn, turned};
use crate::common::{add_box, add_polygon};

/// Two blocks on a yard with a wall at the back, all turned about an odd axis; the front block hides much of the yard from
/// the Tx.
fn yard() -> Mesh {
    let mut mesh = Mesh::default();
    let add = |mesh: &mut Mesh, corners: [[f64; 3]; 4]| {
        add_polygon(mesh, "wall", &corners.map(DVec3::from));
    };
    add(
        &mut mesh,
        [
            [-15., -12., 0.],
            [25., -12., 0.],
            [25., 14., 0.],
            [-15., 14., 0.],
        ],
    );
    add(
        &mut mesh,
        [
            [-15., 14., 0.],
            [25., 14., 0.],
            [25., 14., 9.],
            [-15., 14., 9.],
        ],
    );
    add_box(
        &mut mesh,
        "wall",
        DVec3::new(-3., -4., 0.),
        DVec3::new(4., 1., 7.),
    );
    add_box(
        &mut mesh,
        "wall",
        DVec3::new(9., 3., 0.),
        DVec3::new(14., 8., 5.),
    );
    turned(&mesh)
}

fn tx() -> Tx {
    at(
        (odd_turn() * DVec3::new(-2.1, -9.7, 3.3)).to_array(),
        place::both(),
    )
}

fn concrete(scattering: f64, lobe: Lobe) -> Material {
    let concrete = Material::HalfSpace(Medium::Itu(ItuMaterial::Concrete));
    concrete.with_texture(Texture {
        scattering: (scattering > 0.0).then_some(Scattering {
            coefficient: scattering,
            cross_polarization: 0.0,
            lobe,
        }),
        roughness: 0.0,
    })
}

fn world(mesh: &Mesh, material: &Material) -> World {
    place::of(mesh, &vec![material.clone(); mesh.materials.len()])
}

fn limits(interactions: usize, reflections: usize, diffractions: usize) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: reflections,
        max_diffractions: diffractions,
        ..Limits::default()
    }
}

/// The field on tiles of `side` metres of all exact paths, none of one diffraction lost.
fn complete(world: &World, limits: &Limits, side: f64) -> TileCoverage {
    let control = Control::default();
    let environment = Environment {
        is_complete: true,
        ..Environment::new(world.shared_scene(), Tiling::of_side(side), &control).unwrap()
    };
    TileCoverage::new(world, limits, environment).unwrap()
}

fn survey(coverage: &TileCoverage) -> Survey {
    coverage.survey(&tx(), true, &Control::default()).unwrap()
}

/// Gain times area on each side of each face.
fn by_face<'a>(
    coverage: &TileCoverage,
    gains: impl Iterator<Item = (usize, usize, f64)> + 'a,
) -> Vec<[f64; 2]> {
    let tiles = &coverage.environment().tiles;
    let last = tiles.all().iter().map(|tile| tile.face.index()).max();
    let mut faces = vec![[0.0; 2]; last.unwrap() + 1];
    for (tile, side, gain) in gains {
        let tile = &tiles.all()[tile];
        faces[tile.face.index()][side] += gain * tile.area;
    }
    faces
}

fn sampled_by_face(coverage: &TileCoverage, fields: &[[TileField; 2]]) -> Vec<[f64; 2]> {
    let sides = fields.iter().enumerate();
    let gains = sides.flat_map(|(tile, sides)| [0, 1].map(|k| (tile, k, sides[k].sampled_gain)));
    by_face(coverage, gains)
}

/// The numbers of interactions and of diffractions.
fn counts(path: &Path) -> [usize; 2] {
    let edges = path
        .interactions()
        .filter(|i| i.kind() == InteractionKind::Diffraction);
    [path.vertices.len(), edges.count()]
}

/// Whether a path runs along a face between two of its edges.
fn runs_along_a_face(world: &World, path: &Path) -> bool {
    let faces = |i: &Interaction| {
        i.edge()
            .map(|edge| world.scene().edges()[edge.index()].faces)
    };
    path.vertices.windows(2).any(|pair| {
        let both = faces(&pair[0].interaction).zip(faces(&pair[1].interaction));
        both.is_some_and(|(a, b)| a.iter().flatten().any(|face| b.contains(&Some(*face))))
    })
}

/// The largest difference of two sums over faces, dB, where both count; and that of all faces together.
fn apart(found: &[[f64; 2]], expected: &[[f64; 2]]) -> (f64, f64) {
    let sums = [found, expected].map(|all| all.iter().flatten().sum::<f64>());
    let mut worst = 0.0_f64;
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        if *expected > 0.01 * sums[1] {
            worst = worst.max((power_to_db(*found) - power_to_db(*expected)).abs());
        }
    }
    (worst, power_to_db(sums[0]) - power_to_db(sums[1]))
}

/// The rays are behind one edge, and reflected before and after it.
#[test]
fn rays_bring_the_power_of_all_paths_that_are_not_found() {
    let mesh = yard();
    let world = world(&mesh, &concrete(0.0, Lobe::Lambertian));
    for (limits, exact, most) in [
        (limits(2, 1, 1), 1, [0.1, 0.5]),
        (limits(3, 2, 1), 2, [0.2, 0.7]),
    ] {
        let fine = complete(&world, &limits, 0.5);
        let all = survey(&fine);
        let is_left = |path: &Path, end: usize| {
            let [interactions, edges] = counts(path);
            let plane = world
                .scene()
                .plane_of(fine.environment().tiles.all()[end].face);
            edges > 0
                && interactions + edges - 1 > exact
                && !is_along_own_wall(&world, path, plane)
                && !runs_along_a_face(&world, path)
        };
        let left = all
            .rays
            .iter()
            .filter(|ray| is_left(&ray.path, ray.path.rx));
        let expected = by_face(&fine, left.map(|ray| (ray.path.rx, ray.side, ray.gain)));
        let coarse = complete(&world, &limits, 2.0).with_exact(exact).unwrap();
        let found = sampled_by_face(&coarse, &survey(&coarse).fields);
        let (worst, together) = apart(&found, &expected);
        assert!(
            together.abs() < most[0] && worst < most[1],
            "{limits:?}: {worst} dB, {together} dB together"
        );
    }
}

/// The power by one edge and by two, where no wave arrives but round edges. Behind two edges rays have no slope of the
/// field. Where the shadow boundaries of both edges meet, that is off, but some power arrives.
#[test]
fn shadows_behind_two_edges_are_as_dark() {
    let world = world(&yard(), &concrete(0.0, Lobe::Lambertian));
    for limits in [limits(2, 0, 2), limits(3, 1, 2)] {
        let [exact, sampled] = [None, Some(1)].map(|most| {
            let coverage = complete(&world, &limits, 1.0);
            let coverage = match most {
                Some(most) => coverage.with_exact(most).unwrap(),
                None => coverage,
            };
            survey(&coverage)
        });
        let coverage = complete(&world, &limits, 1.0);
        let is_lit: std::collections::BTreeSet<(usize, usize)> = exact
            .rays
            .iter()
            .filter(|ray| counts(&ray.path)[1] == 0)
            .map(|ray| (ray.path.rx, ray.side))
            .collect();
        let dark = |survey: &Survey, gain: fn(&TileField) -> f64| {
            let sides = survey.fields.iter().enumerate();
            let sides = sides.flat_map(|(tile, sides)| [0, 1].map(|k| (tile, k, gain(&sides[k]))));
            let dark: Vec<_> = sides
                .filter(|(t, k, _)| !is_lit.contains(&(*t, *k)))
                .collect();
            by_face(&coverage, dark.into_iter())
        };
        let all = |field: &TileField| field.path_gain;
        let (worst, together) = apart(&dark(&sampled, all), &dark(&exact, all));
        let part = dark(&sampled, |field| field.sampled_gain);
        let part: f64 = part.iter().flatten().sum::<f64>();
        let share = part / dark(&sampled, all).iter().flatten().sum::<f64>();
        assert!(share > 1e-3, "{limits:?}: {share}");
        assert!(
            worst < 0.5 && together.abs() < 0.2,
            "{limits:?}: {worst} dB, {together} dB"
        );
    }
}

fn pool<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(run)
}

#[test]
fn threads_change_no_bit() {
    let world = world(&yard(), &concrete(0.4, Lobe::Directive { forward: 3 }));
    let limits = Limits {
        max_scatterings: 1,
        ..limits(3, 1, 2)
    };
    let coverage = place::coverage(&world, &limits, 2.0).with_exact(1).unwrap();
    let [one, three] = [1, 3].map(|threads| pool(threads, || survey(&coverage)));
    assert!(
        one.fields
            .iter()
            .flatten()
            .any(|field| field.sampled_gain > 0.0)
    );
    assert!(one == three);
}

/// The power of paths that are found one by one stays, to the last bit, and where nothing is left nothing is sampled.
#[test]
fn paths_that_are_exact_stay() {
    let world = world(&yard(), &concrete(0.0, Lobe::Lambertian));
    let limits = limits(3, 2, 2);
    let coverage = || place::coverage(&world, &limits, 3.0);
    let all = survey(&coverage());
    let none_left = survey(&coverage().with_exact(4).unwrap());
    assert!(all == none_left);
    let some = survey(&coverage().with_exact(2).unwrap());
    let is_exact = |path: &Path| {
        let [interactions, edges] = counts(path);
        edges == 0 || interactions + edges <= 3
    };
    assert!(some.rays.iter().all(|ray| is_exact(&ray.path)));
    // A search for short paths alone does not know paths that a search for longer ones found on its way.
    let kept: Vec<_> = all.rays.iter().filter(|ray| is_exact(&ray.path)).collect();
    let is_there = |wanted: &&keller::coverage::tiles::TileRay| {
        let first = some
            .rays
            .partition_point(|ray| ray.path.rx < wanted.path.rx);
        let of_tile = some.rays[first..].iter();
        let mut of_tile = of_tile.take_while(|ray| ray.path.rx == wanted.path.rx);
        of_tile.any(|ray| ray == *wanted)
    };
    let num_lost = kept.iter().filter(|ray| !is_there(ray)).count();
    assert!(num_lost * 1000 < kept.len(), "{num_lost} of {}", kept.len());
    for (all, some) in all
        .fields
        .iter()
        .flatten()
        .zip(some.fields.iter().flatten())
    {
        assert!(some.paths.num_paths <= all.paths.num_paths);
        assert!(all.sampled_gain == 0.0 && some.sampled_gain <= some.path_gain);
    }
}

/// A side to which rays bring less than the limit together gets nothing of them, and reports it.
#[test]
fn weak_sides_are_told() {
    let world = world(&yard(), &concrete(0.0, Lobe::Lambertian));
    let limits = limits(2, 1, 1);
    let min_gain = 1e-9;
    let coverage = || place::coverage(&world, &limits, 2.0).with_exact(1).unwrap();
    let all = survey(&coverage());
    let some = survey(&coverage().with_min_gain(min_gain));
    let mut num_weak = 0;
    for (all, some) in all
        .fields
        .iter()
        .flatten()
        .zip(some.fields.iter().flatten())
    {
        assert!(some.sampled_gain == 0.0 || some.sampled_gain >= min_gain);
        assert!(all.path_gain <= (some.path_gain + some.omitted_gain) * (1.0 + 1e-9));
        num_weak += usize::from(some.sampled_gain == 0.0 && all.sampled_gain > 0.0);
    }
    assert!(num_weak > 0);
}

/// A rough panel to which waves come by the tops of two screens alone: the power that it scatters of sampled waves
/// relates to that of exact ones as the incident powers do.
#[test]
fn sampled_power_is_scattered_as_other_power() {
    let mut mesh = Mesh::default();
    let mut upright = |material: &str, y: f64, [low, high]: [f64; 2], half: f64| {
        let corners = [[-half, low], [half, low], [half, high], [-half, high]];
        let corners = corners.map(|[x, z]| DVec3::new(x, y, z));
        add_polygon(&mut mesh, material, &corners);
    };
    upright("screen", 0.0, [-20.0, 6.0], 30.0);
    upright("screen", 12.0, [-20.0, 7.0], 30.0);
    upright("rough", 20.0, [0.0, 4.0], 2.0);
    let mesh = turned(&mesh);
    let tx = at(
        (odd_turn() * DVec3::new(1.3, -9.0, 2.0)).to_array(),
        place::both(),
    );
    for lobe in [Lobe::Lambertian, Lobe::Directive { forward: 4 }] {
        let materials = mesh
            .materials
            .iter()
            .map(|material| match material.name.as_str() {
                "rough" => concrete(0.8, lobe),
                _ => concrete(0.0, lobe),
            });
        let world = place::of(&mesh, &materials.collect::<Vec<_>>());
        let limits = Limits {
            max_scatterings: 1,
            free_edges: true,
            ..limits(3, 0, 2)
        };
        let coverage = || place::coverage(&world, &limits, 1.0);
        let powers = |coverage: &TileCoverage| {
            let fields = coverage.fields(&tx, &Control::default()).unwrap();
            let tiles = coverage.environment().tiles.all().iter().zip(&fields);
            let scene = world.scene();
            let is_rough = |tile: &keller::tiles::Tile| {
                scene.materials()[scene.face(tile.face).material.index()] == "rough"
            };
            let (mut on_panel, mut diffuse) = (0.0, 0.0);
            for (tile, sides) in tiles {
                for field in sides {
                    diffuse += field.diffuse_gain * tile.area;
                    if is_rough(tile) {
                        on_panel += field.incident_power;
                    }
                }
            }
            [on_panel, diffuse]
        };
        let expected = powers(&coverage()).map(power_to_db);
        let found = powers(&coverage().with_exact(1).unwrap()).map(power_to_db);
        let errors = [found[0] - expected[0], found[1] - expected[1]];
        // The slope of the field behind the first edge.
        assert!(errors[0].abs() < 1.2, "{lobe:?}: {errors:?} dB");
        assert!(
            (errors[0] - errors[1]).abs() < 0.3,
            "{lobe:?}: {errors:?} dB"
        );
    }
}

/// An antenna that sends into the sky alone: nothing, and no NaN. And limits that leave nothing to sample.
#[test]
fn nothing_is_sampled_of_nothing() {
    let mut mesh = yard();
    for vertex in &mut mesh.vertices {
        *vertex = odd_turn().inverse() * *vertex;
    }
    let world = world(&mesh, &concrete(0.0, Lobe::Lambertian));
    let zeniths = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| part * std::f64::consts::PI);
    let up = PatternTable::from_gains(&zeniths, &[0.0], &[1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    let antenna = Antenna {
        pattern: Pattern::Table(up.into()),
        ..Antenna::default()
    };
    let sky = at([-2.1, -9.7, 3.3], antenna);
    let coverage = place::coverage(&world, &limits(3, 2, 2), 4.0)
        .with_exact(1)
        .unwrap();
    let fields = coverage.fields(&sky, &Control::default()).unwrap();
    // A table ends far below zero dB instead of at nothing.
    let worst = fields
        .iter()
        .flatten()
        .find(|field| field.path_gain.is_nan() || field.path_gain >= 1e-18);
    assert!(worst.is_none(), "{worst:?}");
    // No path has two interactions and a diffraction.
    let coverage = place::coverage(&world, &limits(3, 0, 1), 4.0)
        .with_exact(1)
        .unwrap();
    assert!(!coverage.samples());
}

#[test]
fn a_single_port_is_polarised() {
    let world = world(&yard(), &concrete(0.0, Lobe::Lambertian));
    let limits = limits(2, 1, 1);
    let fine = complete(&world, &limits, 1.0);
    let coarse = complete(&world, &limits, 2.0).with_exact(1).unwrap();
    let power = |coverage: &TileCoverage, angle: f64| {
        let antenna = Antenna {
            polarization: keller::antenna::Polarization::Slant(angle),
            ..Antenna::default()
        };
        let tx = Tx { antenna, ..tx() };
        let survey = coverage.survey(&tx, true, &Control::default()).unwrap();
        let tiles = coverage.environment().tiles.all();
        let is_long = |path: &Path| counts(path) == [2, 1];
        let rays = survey.rays.iter().filter(|ray| {
            let plane = world.scene().plane_of(tiles[ray.path.rx].face);
            is_long(&ray.path) && !is_along_own_wall(&world, &ray.path, plane)
        });
        let exact: f64 = rays.map(|ray| ray.gain * tiles[ray.path.rx].area).sum();
        let sampled = sampled_by_face(coverage, &survey.fields);
        exact + sampled.iter().flatten().sum::<f64>()
    };
    for angle in [0.0, 0.7, 1.5] {
        let [found, expected] = [&coarse, &fine].map(|coverage| power(coverage, angle));
        let error = power_to_db(found) - power_to_db(expected);
        assert!(error.abs() < 0.3, "{angle}: {error} dB");
    }
}
