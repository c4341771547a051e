//! Laws of all paths that are scattered twice, and of their power in closed rooms.

use super::*;

#[test]
fn tx_and_rx_may_be_swapped() {
    let place = two_walls([Lobe::Lambertian; 2]);
    let mut swapped = two_walls([Lobe::Lambertian; 2]);
    swapped.ends.reverse();
    let powers = [place, swapped].map(|place| place.twice(DEFAULT, 0).1);
    let off = power_to_db(powers[0] / powers[1]);
    assert!(off.abs() < 0.1, "off by {off} dB");
}

#[test]
fn neither_turns_nor_fronts_nor_triangles_matter() {
    let place = Place {
        has_ground: true,
        ..two_walls([Lobe::Lambertian, LOBES[2]])
    };
    let found = |mesh: &Mesh, ends: [DVec3; 2]| {
        let world = place.world(mesh);
        let limits = limits(3, 1, 2);
        let paths = paths(&world, ends[0], &[ends[1]], &limits, DEFAULT);
        (paths.len(), power(&paths, &world, 2))
    };
    let mesh = place.mesh();
    let expected = found(&mesh, place.ends);
    let others = [
        ("fronts", found(&inside_out(&mesh), place.ends)),
        ("triangles", found(&split_in_four(&mesh), place.ends)),
    ];
    for (name, other) in others {
        assert_eq!(other.0, expected.0, "{name}: number of paths");
        let off = power_to_db(other.1 / expected.1);
        assert!(off.abs() < 1e-6, "{name}: off by {off} dB");
    }
    // A turn moves the squares on the walls.
    let other = found(&turned(&mesh), place.ends.map(moved));
    let off = power_to_db(other.1 / expected.1);
    assert!(off.abs() < 0.1, "turned: off by {off} dB");
}

#[test]
fn threads_and_other_receivers_do_not_matter() {
    let place = two_walls([Lobe::Lambertian, LOBES[1]]);
    let world = place.world(&place.mesh());
    let rx = [
        place.ends[1],
        DVec3::new(0.3, -6.0, 4.4),
        DVec3::new(-2.0, -3.0, 1.4),
    ];
    let limits = limits(2, 2, 2);
    let find = |rx: &[DVec3]| paths(&world, place.ends[0], rx, &limits, DEFAULT);
    let expected = find(&rx);
    assert!(expected.len() > 300, "{} paths", expected.len());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let found = pool.build().unwrap().install(|| find(&rx));
        assert_eq!(found, expected, "{threads} threads");
    }
    let first: Vec<Path> = expected.iter().filter(|p| p.rx == 0).cloned().collect();
    assert_eq!(find(&rx[..1]), first, "one receiver alone");
}

/// The walls of a sphere that scatters all power, around a Tx at the centre, get the same power at every order.
#[test]
fn a_second_scattering_in_a_round_room_brings_as_much_as_the_first() {
    let mut mesh = icosahedron(5.0);
    let centre = DVec3::new(7.0, 8.0, 6.0);
    for vertex in &mut mesh.vertices {
        *vertex += centre;
    }
    let scene = Scene::new(&mesh).unwrap();
    let materials = vec![rough(Lobe::Lambertian); scene.materials().len()];
    let world = world(scene, &materials, FREQUENCY);
    let rx = [DVec3::new(1.3, -0.7, 2.1), DVec3::new(-2.9, 1.6, -0.8)];
    let rx = rx.map(|rx| centre + rx);
    let found = paths(&world, centre, &rx, &limits(2, 0, 2), DEFAULT);
    for r in 0..2 {
        let paths: Vec<Path> = found.iter().filter(|p| p.rx == r).cloned().collect();
        let [once, twice] = [1, 2].map(|count| power(&paths, &world, count));
        let off = power_to_db(twice / once);
        println!("{off:.3} dB with {} paths", paths.len());
        // The faces are not a sphere: those that the Tx lights less get more from the others.
        assert!(off.abs() < 0.3, "twice over once: {off} dB");
    }
}

/// Twenty triangles around the origin.
fn icosahedron(radius: f64) -> Mesh {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut corners = Vec::new();
    for a in [-1.0, 1.0] {
        for b in [-golden, golden] {
            corners.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]].map(DVec3::from));
        }
    }
    let mut mesh = Mesh::default();
    let is_side = |a: DVec3, b: DVec3| (a.distance(b) - 2.0).abs() < 1e-9;
    for (i, &a) in corners.iter().enumerate() {
        for (j, &b) in corners.iter().enumerate().skip(i + 1) {
            for &c in corners.iter().skip(j + 1) {
                if is_side(a, b) && is_side(b, c) && is_side(c, a) {
                    let corners = [a, b, c].map(|p| radius * p.normalize());
                    add_polygon(&mut mesh, "wall", &corners);
                }
            }
        }
    }
    mesh
}

#[test]
fn limits_count_both_scatterings_and_leave_single_ones_alone() {
    let place = Place {
        has_ground: true,
        ..two_walls([Lobe::Lambertian; 2])
    };
    let world = place.world(&place.mesh());
    let [tx, rx] = place.ends;
    let find = |interactions, reflections, scatterings| {
        let limits = limits(interactions, reflections, scatterings);
        paths(&world, tx, &[rx], &limits, DEFAULT)
    };
    let others = |paths: Vec<Path>| -> Vec<Path> {
        paths
            .into_iter()
            .filter(|p| num_scatterings(p) < 2)
            .collect()
    };
    assert_eq!(find(1, 1, 2), find(1, 1, 1), "one interaction");
    for interactions in [2, 3] {
        let (once, twice) = (find(interactions, 2, 1), find(interactions, 2, 2));
        assert!(twice.len() > once.len(), "{interactions} interactions");
        assert_eq!(others(twice.clone()), once, "paths of one scattering");
        let most = twice.iter().map(|p| p.vertices.len()).max();
        assert_eq!(most, Some(interactions));
        assert_eq!(find(interactions, 2, 3), twice, "more than two are two");
    }
    let by_depth = Limits {
        max_depth: 2,
        ..limits(9, 9, 2)
    };
    let found = paths(&world, tx, &[rx], &by_depth, DEFAULT);
    assert_eq!(found, find(2, 2, 2), "depth");
}

#[test]
fn waves_pass_walls_before_between_and_after_two_scatterings() {
    let place = two_walls([Lobe::Lambertian; 2]);
    let mut mesh = place.mesh();
    for (k, x) in [-6.4, 3.9].into_iter().enumerate() {
        let corners = [[-20., -9.], [20., -9.], [20., 19.], [-20., 19.]];
        let corners = corners.map(|[y, z]| DVec3::new(x + 0.01 * y, y, z));
        add_polygon(&mut mesh, &format!("glass {k}"), &corners);
    }
    let scene = Scene::new(&mesh).unwrap();
    let glass = Medium::Itu(ItuMaterial::from_name("glass").unwrap());
    let glass = Material::slab(glass, 0.006);
    let of_name = |name: &String| {
        if name.starts_with("glass") {
            glass.clone()
        } else {
            rough(Lobe::Lambertian)
        }
    };
    let materials: Vec<Material> = scene.materials().iter().map(of_name).collect();
    let world = world(scene, &materials, FREQUENCY);
    let types = |transmissions: usize| {
        let limits = Limits {
            max_transmissions: transmissions,
            ..limits(2, 0, 2)
        };
        let found = paths(&world, place.ends[0], &[place.ends[1]], &limits, DEFAULT);
        let mut types: Vec<String> = found.iter().map(Path::types).collect();
        types.retain(|types| types.matches('S').count() == 2);
        types.sort_unstable();
        types.dedup();
        types
    };
    assert!(types(1).is_empty(), "{:?}", types(1));
    let two = types(2);
    assert!(two.contains(&"TSST".to_owned()), "{two:?}");
    assert!(two.iter().all(|t| t.matches('T').count() == 2), "{two:?}");
    assert!(types(3).len() >= two.len(), "{:?}", types(3));
}

/// A path between two patches has the phase of its length, and its gain depends on the patches' areas alone.
#[test]
fn areas_multiply_and_lengths_give_the_phase() {
    let place = two_walls([Lobe::Lambertian; 2]);
    let (found, _) = place.twice(DEFAULT, 0);
    let world = place.world(&turned(&place.mesh()));
    let mut random = Random(7);
    for _ in 0..20 {
        let path = &found[random.below(found.len())];
        let points: Vec<DVec3> = path.points().collect();
        let length: f64 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
        assert!((length - path.length).abs() < 1e-9, "length");
        let field = PathField::new(path, &world);
        assert!((field.delay - length / 299_792_458.0).abs() < 1e-18 + 1e-12 * field.delay);
        let mut wider = path.clone();
        for vertex in &mut wider.vertices {
            if let keller::paths::Interaction::Scattering(_, area) = &mut vertex.interaction {
                *area = keller::paths::PatchArea::from_square_metres(3.0 * area.square_metres());
            }
        }
        let ratio = gain(&wider, &world) / gain(path, &world);
        assert!((ratio - 9.0).abs() < 1e-9, "{ratio}");
    }
}
