//! Tiles send power to each other by way of mirrors: the same power arrives as from images where the mirrors do not
//! stand.

use super::*;

/// A screen hides a small rough plate near the Tx from small plates far away, and a mirror shows it to them. Rays of
/// even directions miss it. The power that arrives is that of the image of the plate where neither screen nor mirror
/// stands.
#[test]
fn a_small_bright_plate_in_a_mirror_is_not_missed() {
    let plate = |mesh: &mut Mesh, x: f64, y: f64| {
        let at = |u: f64, v: f64| [x + u, y, v];
        let plate = [at(-0.5, -0.5), at(0.5, -0.5), at(0.5, 0.5), at(-0.5, 0.5)];
        add_polygon(mesh, "rough", &corners(&plate));
    };
    let upright = |mesh: &mut Mesh, [from, to]: [[f64; 2]; 2]| {
        let [[a, b], [c, d]] = [from, to];
        let wall = [[a, b, -20.], [c, d, -20.], [c, d, 20.], [a, b, 20.]];
        add_polygon(mesh, "smooth", &corners(&wall));
    };
    let mut with_mirror = Mesh::default();
    let mut with_image = Mesh::default();
    for x in [34.0, 37.0, 40.0, 43.0, 46.0] {
        plate(&mut with_mirror, x, 10.0);
        plate(&mut with_image, x, 10.0);
    }
    plate(&mut with_mirror, 0.0, 10.0);
    plate(&mut with_image, 0.0, -10.0);
    upright(&mut with_mirror, [[-40.0, 0.0], [90.0, 0.0]]);
    upright(&mut with_mirror, [[20.0, 3.0], [20.0, 30.0]]);
    let rough = conductor().with_texture(texture(1.0, Lobe::Lambertian));
    let of = |mesh: &Mesh, y: f64, reflections: usize| {
        let mesh = turned(mesh);
        let material = |of: &MeshMaterial| match of.name.as_str() {
            "rough" => rough.clone(),
            _ => conductor(),
        };
        let materials: Vec<Material> = mesh.materials.iter().map(material).collect();
        let tx = odd_turn() * DVec3::new(0.0, y, 0.0);
        let tx = at(tx.to_array(), Antenna::default());
        let world = place::of(&mesh, &materials);
        let limits = limits(1 + reflections, reflections, 1);
        let found = fields(&world, &tx, &limits, 1.0);
        let far = |tile: &Tile| (odd_turn().inverse() * tile.centre).x > 30.0;
        let rough = found
            .each()
            .filter(|(tile, _)| far(tile) && tile.area < 1.5);
        let all = rough.map(|(tile, sides)| {
            let power = sides[0].diffuse_gain + sides[1].diffuse_gain;
            (tile.centre, power)
        });
        all.collect::<Vec<_>>()
    };
    let found = of(&with_mirror, 8.5, 1);
    let expected = of(&with_image, -8.5, 0);
    assert_eq!(expected.len(), 5);
    for (centre, expected) in expected {
        let same = |(other, _): &&(DVec3, f64)| other.distance(centre) < 1e-6;
        let (_, found) = found.iter().find(same).unwrap();
        let error = found / expected - 1.0;
        assert!(error.abs() < 0.02, "{centre}: {found}, not {expected}");
    }
}

/// A wall over a perfect mirror, and the same wall with its own image and that of the Tx instead: the same power falls
/// on the wall.
#[test]
fn a_mirror_under_a_rough_wall_is_as_good_as_a_second_wall() {
    let wall = |mesh: &mut Mesh, y: f64, up: f64| {
        let wall = [
            [0., y, 0.],
            [16., y, 0.],
            [16., y, up * 8.],
            [0., y, up * 8.],
        ];
        add_polygon(mesh, "wall", &corners(&wall));
    };
    let mut over_mirror = Mesh::default();
    let mut twice = Mesh::default();
    for y in [0.0, 9.0] {
        wall(&mut over_mirror, y, 1.0);
        wall(&mut twice, y, 1.0);
        wall(&mut twice, y, -1.0);
    }
    // The ground reaches so far that all that matters is reflected at it.
    let ground = [
        [-60., -60., 0.],
        [80., -60., 0.],
        [80., 70., 0.],
        [-60., 70., 0.],
    ];
    add_polygon(&mut over_mirror, "ground", &corners(&ground));
    let rough = conductor().with_texture(texture(1.0, Lobe::Lambertian));
    let [over_mirror, twice] = [over_mirror, twice].map(|mesh| turned(&mesh));
    let names = |mesh: &Mesh| {
        let material = |of: &MeshMaterial| {
            if of.name == "wall" {
                rough.clone()
            } else {
                conductor()
            }
        };
        mesh.materials.iter().map(material).collect::<Vec<_>>()
    };
    let from = |z: f64| {
        at(
            (odd_turn() * DVec3::new(5.0, 4.0, z)).to_array(),
            Antenna::default(),
        )
    };
    for scatterings in [1, 2] {
        // The interactions are before, between and behind scatterings.
        let depth = 2 * scatterings + 1;
        let world = place::of(&over_mirror, &names(&over_mirror));
        let with_mirror = fields(&world, &from(3.0), &limits(depth, depth, scatterings), 2.0);
        let world = place::of(&twice, &names(&twice));
        let coverage = place::coverage(&world, &limits(scatterings, 0, scatterings), 2.0);
        let both = [3.0, -3.0].map(|z| Fields::of(&coverage, &from(z)));
        let (mut sum, mut expected_sum) = (0.0, 0.0);
        for ((tile, sides), image) in both[0].each().zip(&both[1].fields) {
            let is_upper = odd_turn().inverse().mul_vec3(tile.centre).z > 0.0;
            if !is_upper {
                continue;
            }
            let of = |sides: &[TileField; 2]| sides[0].diffuse_gain + sides[1].diffuse_gain;
            let expected = of(sides) + of(image);
            let same = |(other, _): &(&Tile, _)| other.centre.distance(tile.centre) < 1e-6;
            let (_, found) = with_mirror.each().find(same).unwrap();
            let found = of(found);
            assert!(
                (found / expected - 1.0).abs() < 0.05,
                "{scatterings}: {found} {expected} at {}",
                tile.centre
            );
            sum += found * tile.area;
            expected_sum += expected * tile.area;
        }
        let error = sum / expected_sum - 1.0;
        assert!(error.abs() < 0.02, "{scatterings}: {error}");
    }
}
