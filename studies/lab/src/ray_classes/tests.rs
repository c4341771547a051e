//! Enumerations, closed forms of boxes, and slow twins.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use keller::random::Random;
use keller::scene::{Mesh, Scene};

use super::directions::{Directions, Solid};
use super::image_space::{geometric_error, place};
use super::{Hit, HitLists, Removal, Scheme, Shot, conflicts, image_key};

fn directions(solid: Solid, divisions: usize) -> Directions {
    Directions::new(solid, divisions)
}

#[test]
fn points_and_neighbours_are_those_of_a_subdivided_solid() {
    for (solid, faces, fewest) in [(Solid::Icosahedron, 10, 5), (Solid::Octahedron, 4, 4)] {
        for divisions in 1..=25 {
            let all = directions(solid, divisions);
            let count = all.vectors().len();
            assert_eq!(
                count,
                faces * divisions * divisions + 2,
                "{solid:?} {divisions}"
            );
            let mut degrees: BTreeMap<usize, usize> = BTreeMap::new();
            for ray in 0..count {
                *degrees.entry(all.neighbours(ray).count()).or_default() += 1;
                let is_mutual = |other: usize| all.neighbours(other).any(|back| back == ray);
                assert!(
                    all.neighbours(ray).all(is_mutual),
                    "{ray} of {solid:?} {divisions}"
                );
            }
            // Euler: an edge has two ends, and there are three edges for two triangles.
            let ends: usize = degrees.iter().map(|(degree, count)| degree * count).sum();
            assert_eq!(ends, 2 * 3 * faces * divisions * divisions);
            let corners = solid.corners().len();
            assert_eq!(degrees[&fewest], corners, "corners have fewer neighbours");
            assert_eq!(degrees.get(&6).copied().unwrap_or(0), count - corners);
        }
    }
}

#[test]
fn no_neighbours_share_a_class_where_the_scheme_says_so() {
    for scheme in [Scheme::Ico4, Scheme::Oct3] {
        for most in 2..=25 {
            let all = directions(scheme.solid(), scheme.divisions(most));
            let classes = scheme.classes(&all);
            assert_eq!(
                conflicts(&all, &classes),
                0,
                "{scheme:?} {}",
                all.divisions()
            );
            let used: BTreeSet<u8> = classes.iter().copied().collect();
            assert!(used.len() <= scheme.count(), "{scheme:?}");
        }
    }
}

#[test]
fn conflicts_of_three_classes_on_the_icosahedron_grow_with_its_edges_alone() {
    let share = |divisions: usize| {
        let all = directions(Solid::Icosahedron, divisions);
        let classes = Scheme::Ico3.classes(&all);
        let of_ray = |ray: &usize| {
            all.neighbours(*ray)
                .any(|other| classes[other] == classes[*ray])
        };
        (0..classes.len()).filter(of_ray).count() as f64 / classes.len() as f64
    };
    let (coarse, fine) = (share(14), share(56));
    assert!((coarse / fine - 4.0).abs() < 0.6, "{coarse} {fine}");
    let all = directions(Solid::Icosahedron, 20);
    let classes = Scheme::Ico3.classes(&all);
    for ray in 0..classes.len() {
        let [i, j] = all.parent(ray).at;
        let inside = [20 - i - j, i, j].into_iter().min();
        let conflicts = all
            .neighbours(ray)
            .any(|other| classes[other] == classes[ray]);
        assert!(
            !conflicts || inside <= Some(1),
            "{ray} lies neither on nor beside an edge"
        );
    }
}

/// The classes of eq. (8) as printed: (j - i) mod 3 is compared with a colour less one.
fn as_printed(directions: &Directions) -> Vec<Option<u8>> {
    let triangles = Solid::Icosahedron.triangles();
    // The colours are the classes of the corners.
    let proper = Scheme::Ico4.classes(&Directions::new(Solid::Icosahedron, 1));
    let corner_of = |corner: usize| {
        let at = Solid::Icosahedron.corners()[corner].normalize();
        let all = Directions::new(Solid::Icosahedron, 1);
        let near = all.vectors().iter().position(|v| v.distance(at) < 1e-9);
        proper[near.unwrap()]
    };
    let colours: Vec<u8> = (0..12).map(corner_of).collect();
    let class = |ray: usize| {
        let parent = directions.parent(ray);
        let [i, j] = parent.at;
        let rest = (j + 2 * i) % 3;
        let of_corners = triangles[parent.triangle].map(|corner| colours[corner]);
        of_corners
            .into_iter()
            .find(|colour| usize::from(*colour) == rest)
    };
    (0..directions.vectors().len()).map(class).collect()
}

#[test]
fn the_printed_rule_of_four_classes_leaves_rays_without_a_class() {
    let all = directions(Solid::Icosahedron, 11);
    let classes = as_printed(&all);
    assert!(
        classes.iter().any(Option::is_none),
        "a colour of three has no remainder"
    );
}

fn boxed(size: DVec3) -> Scene {
    let mut mesh = Mesh::default();
    let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * size;
    for [a, b] in [
        [DVec3::X, DVec3::Y],
        [DVec3::Y, DVec3::Z],
        [DVec3::Z, DVec3::X],
    ] {
        for side in [0.0, 1.0] {
            let from = side * (DVec3::ONE - a - b);
            let all = [from, from + a, from + a + b, from + b];
            mesh.add_polygon("wall", &all.map(|v| corner(v.x, v.y, v.z)));
        }
    }
    Scene::new(&mesh).unwrap()
}

/// The images of a point in a box with at most so many reflections.
fn lattice(tx: DVec3, size: DVec3, most: usize) -> Vec<(usize, DVec3)> {
    let n = i32::try_from(most).unwrap();
    let on_axis = |k: i32, x: f64, side: f64| {
        if k % 2 == 0 {
            f64::from(k) * side + x
        } else {
            f64::from(k + 1) * side - x
        }
    };
    let mut images = Vec::new();
    for i in -n..=n {
        for j in -n..=n {
            for k in -n..=n {
                let order = usize::try_from(i.abs() + j.abs() + k.abs()).unwrap();
                if order <= most {
                    let image = DVec3::new(
                        on_axis(i, tx.x, size.x),
                        on_axis(j, tx.y, size.y),
                        on_axis(k, tx.z, size.z),
                    );
                    images.push((order, image));
                }
            }
        }
    }
    images
}

#[test]
fn rays_of_a_box_find_every_image_of_the_lattice() {
    let size = DVec3::new(7.0, 5.0, 3.0);
    let scene = boxed(size);
    let (tx, rx) = (
        DVec3::new(1.3, 2.2, 1.1),
        [DVec3::new(5.1, 3.4, 1.9), DVec3::new(2.5, 0.6, 0.7)],
    );
    for solid in [Solid::Icosahedron, Solid::Octahedron] {
        let all = directions(solid, 40);
        let mut shot = Shot::new(&scene, &all, tx, &rx);
        let (mut found, mut false_ones) = ([0; 2], 0);
        let expected = lattice(tx, size, 3);
        for order in 0..=3 {
            let images = shot.images();
            let lists = shot.next_order();
            let kept = Removal::Sequences.kept(&all, &lists);
            let mut seen = BTreeSet::new();
            for ((ray, hit), kept) in lists.all().zip(kept) {
                let key = image_key(images[ray]);
                let is_there = expected
                    .iter()
                    .any(|(n, image)| *n == order && image_key(*image) == key);
                false_ones += usize::from(!is_there);
                if kept && seen.insert((hit.rx, key)) {
                    found[hit.rx as usize] += 1;
                }
            }
        }
        assert_eq!(false_ones, 0, "every image is one of the lattice");
        assert_eq!(found, [expected.len(); 2], "{solid:?}");
    }
}

/// Made-up hits of all rays.
fn random_lists(all: &Directions, seed: u64) -> HitLists {
    let mut random = Random(seed);
    let of_rays = (0..all.vectors().len()).map(|_| {
        let mut rx: Vec<u32> = (0..random.below(4))
            .map(|_| u32::try_from(random.below(5)).unwrap())
            .collect();
        rx.sort_unstable();
        rx.dedup();
        let hits = rx.into_iter().map(|rx| Hit {
            rx,
            length: 1.0,
            distance: 0.1,
        });
        (random.below(3) as u64, hits.collect())
    });
    HitLists::new(of_rays.collect())
}

#[test]
fn after_removal_by_classes_no_neighbours_keep_a_receiver_and_none_is_lost() {
    for (_, scheme) in Scheme::ALL {
        let all = directions(scheme.solid(), scheme.divisions(10));
        let classes = scheme.classes(&all);
        for seed in 0..5 {
            let lists = random_lists(&all, seed);
            for removal in [
                Removal::Classes(&classes),
                Removal::ClassesInTurn(&classes),
                Removal::Sequential,
            ] {
                let kept = removal.kept(&all, &lists);
                for (ray, hit) in lists.all() {
                    let has = |ray: usize| lists.find(ray, hit.rx).is_some_and(|hit| kept[hit]);
                    let of_other_class = |other: &usize| {
                        matches!(removal, Removal::Sequential) || classes[*other] != classes[ray]
                    };
                    let beside = all.neighbours(ray).filter(of_other_class).any(has);
                    // One of two neighbours gives up; a hit that is gone has a neighbour that had it.
                    assert!(
                        !(has(ray) && beside),
                        "{scheme:?} {removal:?}: two neighbours keep it"
                    );
                    if !has(ray) {
                        let had = |other: usize| lists.find(other, hit.rx).is_some();
                        assert!(
                            all.neighbours(ray).any(had),
                            "{scheme:?}: dropped without a neighbour"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn threads_change_no_hit() {
    let scene = boxed(DVec3::new(7.0, 5.0, 3.0));
    let all = directions(Solid::Icosahedron, 31);
    let classes = Scheme::Ico4.classes(&all);
    let rx = [DVec3::new(5.1, 3.4, 1.9), DVec3::new(2.5, 0.6, 0.7)];
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut shot = Shot::new(&scene, &all, DVec3::new(1.3, 2.2, 1.1), &rx);
            let each = (0..5).map(|_| {
                let lists = shot.next_order();
                let ways = [
                    Removal::Classes(&classes),
                    Removal::ClassesInTurn(&classes),
                    Removal::Sequences,
                ];
                (lists.hits.clone(), ways.map(|way| way.kept(&all, &lists)))
            });
            each.collect::<Vec<_>>()
        })
    };
    assert!(with(1) == with(3), "the same hits");
}

#[test]
fn two_neighbours_by_different_walls_are_taken_for_one() {
    // Figure 7 of the document: both hits are right, and classes drop one of them. Sequences keep both.
    let all = directions(Solid::Icosahedron, 10);
    let classes = Scheme::Ico4.classes(&all);
    let beside = all.neighbours(200).next().unwrap();
    let of_rays = (0..all.vectors().len()).map(|ray| {
        let meets = ray == 200 || ray == beside;
        let hit = meets.then_some(Hit {
            rx: 0,
            length: 1.0,
            distance: 0.1,
        });
        (u64::from(ray == 200), hit.into_iter().collect())
    });
    let lists = HitLists::new(of_rays.collect());
    let count = |way: Removal<'_>| {
        way.kept(&all, &lists)
            .into_iter()
            .filter(|kept| *kept)
            .count()
    };
    assert_eq!(count(Removal::Classes(&classes)), 1);
    assert_eq!(count(Removal::Sequences), 2);
}

#[test]
fn image_space_of_a_square_unfolds() {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(DVec2::from);
    let mirrors: Vec<_> = (0..4).map(|k| [corners[k], corners[(k + 1) % 4]]).collect();
    let fold = |x: f64| {
        let x = (x + 1.0).rem_euclid(4.0);
        if x < 2.0 { x - 1.0 } else { 3.0 - x }
    };
    let mut random = Random(4);
    for _ in 0..1000 {
        let (length, angle) = (random.range(0.0, 30.0), random.range(0.0, TAU));
        let free = length * DVec2::from_angle(angle);
        let folded = DVec2::new(fold(free.x), fold(free.y));
        let off = place(&mirrors, length, angle).distance(folded);
        assert!(off < 1e-9, "{off} at {length}, {angle}");
    }
}

#[test]
fn geometric_error_falls_as_one_over_the_rays() {
    // A point at the length d and the angle a from the nearest ray is d a off without reflectors, for small a. With the
    // area d dd da, from 0 to D and up to pi / N on both sides of N rays, this is pi^2 D^3 / (3 N), over pi D^3.
    for num_rays in [100, 400] {
        let error = geometric_error(&[], 10.0, num_rays, 200);
        let expected = std::f64::consts::PI / (3.0 * num_rays as f64);
        assert!((error / expected - 1.0).abs() < 0.01, "{error} {expected}");
    }
}
