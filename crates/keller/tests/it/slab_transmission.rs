//! A slab takes the place of as much air: a path through it is the exact wave behind a layer of its thickness, in phase and delay.
use std::f64::consts::{PI, TAU};

use crate::common::place::{self, both, corners};
use crate::common::{Random, add_polygon};
use keller::channel::{Antennas, Band, ImpulseResponse, Motion, replay};
use keller::coverage::tiles::StrongestPath;
use keller::em::Surfaces;
use keller::field::{PathField, Walls, transport};
use keller::geometry::Plane;
use keller::materials::{ItuMaterial, Layer, Material, Medium};
use keller::paths::{Interaction, Limits, Path, Vertex};
use keller::scene::{Edge, EdgeId, FaceId, MaterialId, Mesh};
use keller::units::SPEED_OF_LIGHT;
use keller::{Complex64, Control, DVec3, Frequency, spherical_basis};

const J: Complex64 = Complex64::I;

/// Slabs without borders between two points.
struct Slabs {
    planes: Vec<Plane>,
    materials: Vec<Material>,
}

/// The slabs at one frequency.
struct SlabsAt<'a> {
    slabs: &'a Slabs,
    surfaces: Surfaces,
}

impl Walls for SlabsAt<'_> {
    fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.slabs.planes[face.index()].normal
    }

    fn material(&self, face: FaceId) -> MaterialId {
        MaterialId::from_index(face.index())
    }

    fn edge(&self, _: EdgeId) -> Edge {
        unreachable!("no edges")
    }
}

impl Slabs {
    fn new(walls: Vec<(Plane, Material)>) -> Self {
        let (planes, materials) = walls.into_iter().unzip();
        Self { planes, materials }
    }

    fn one(normal: DVec3, material: Material) -> Self {
        Self::new(vec![(plane(normal, 0.3), material)])
    }

    /// Straight through all of them, in the order in which the line meets them.
    fn path(&self, tx: DVec3, rx: DVec3) -> Path {
        let mut met: Vec<(f64, usize)> = self
            .planes
            .iter()
            .enumerate()
            .map(|(i, plane)| {
                let [a, b] = [tx, rx].map(|point| plane.distance(point));
                (a / (a - b), i)
            })
            .collect();
        met.sort_by(|a, b| a.0.total_cmp(&b.0));
        let vertices = met.into_iter().map(|(t, i)| Vertex {
            interaction: Interaction::Transmission(FaceId::from_index(i)),
            point: tx + t * (rx - tx),
        });
        Path {
            tx: 0,
            rx: 0,
            tx_position: tx,
            rx_position: rx,
            vertices: vertices.collect(),
            length: tx.distance(rx),
        }
    }

    fn at(&self, hz: f64) -> SlabsAt<'_> {
        let frequency = Frequency::from_hz(hz).unwrap();
        SlabsAt {
            slabs: self,
            surfaces: Surfaces::new(&self.materials, frequency).unwrap(),
        }
    }

    fn field(&self, hz: f64, tx: DVec3, rx: DVec3) -> PathField {
        transport(&self.path(tx, rx), &self.at(hz))
    }
}

fn plane(normal: DVec3, offset: f64) -> Plane {
    Plane {
        normal: normal.normalize(),
        offset,
    }
}

fn constant(relative_permittivity: f64, conductivity: f64) -> Medium {
    Medium::Constant {
        relative_permittivity,
        conductivity,
    }
}

fn air(thickness: f64) -> Material {
    Material::slab(constant(1.0, 0.0), thickness)
}

fn difference(a: [[Complex64; 2]; 2], b: [[Complex64; 2]; 2]) -> f64 {
    let cell = |i: usize, j: usize| (a[i][j] - b[i][j]).norm();
    cell(0, 0).max(cell(0, 1)).max(cell(1, 0)).max(cell(1, 1))
}

fn norm(a: [[Complex64; 2]; 2]) -> f64 {
    difference(a, [[Complex64::ZERO; 2]; 2])
}

/// Field at the back of one layer in air over the field at its front, TE and TM: the characteristic matrix of M. Born and E. Wolf,
/// *Principles of Optics*, section 1.6.
fn from_face_to_face(hz: f64, eta: Complex64, thickness: f64, cos_theta: f64) -> [Complex64; 2] {
    let k = TAU * hz / SPEED_OF_LIGHT;
    let inside = (eta - 1.0 + cos_theta * cos_theta).sqrt();
    let turn = k * thickness * inside;
    [inside / cos_theta, eta * cos_theta / inside]
        .map(|ratio| 1.0 / (turn.cos() + 0.5 * J * (ratio + 1.0 / ratio) * turn.sin()))
}

/// The exact field of a far source behind a layer that is really there: air up to its front face, air from its back face on.
fn behind_layer(
    hz: f64,
    eta: Complex64,
    thickness: f64,
    normal: DVec3,
    [tx, rx]: [DVec3; 2],
) -> [[Complex64; 2]; 2] {
    let k = TAU * hz / SPEED_OF_LIGHT;
    let length = tx.distance(rx);
    let direction = (rx - tx) / length;
    let normal = normal.normalize();
    let cos_theta = direction.dot(normal).abs();
    // This length of air is left in the direction of the normal.
    let in_air = length - thickness * cos_theta;
    let free = Complex64::from_polar(1.0 / (2.0 * k * length), -k * in_air);
    let [te, tm] = from_face_to_face(hz, eta, thickness, cos_theta);
    let across = direction.cross(normal).try_normalize();
    let [to, from] = [-direction, direction].map(spherical_basis);
    let cell = |i: usize, j: usize| {
        let along_te = across.map_or(0.0, |s| to[i].dot(s) * from[j].dot(s));
        free * (te * along_te + tm * (to[i].dot(from[j]) - along_te))
    };
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

/// Points on two sides of a plane through about the origin, at all angles.
fn ends(random: &mut Random, normal: DVec3) -> [DVec3; 2] {
    let normal = normal.normalize();
    let mut away = |side: f64| {
        let beside = random.point(DVec3::splat(-8.0), DVec3::splat(8.0));
        beside + (side * random.range(1.0, 6.0) - beside.dot(normal)) * normal
    };
    [away(-1.0), away(1.5)]
}

const NORMAL: DVec3 = DVec3::new(0.31, -0.74, 0.22);

#[test]
fn a_layer_of_air_is_not_there() {
    let mut random = Random(3);
    for thickness in [1e-6, 0.013, 0.2, 3.7] {
        for normal in [NORMAL, -NORMAL] {
            let films = vec![
                Layer {
                    medium: constant(1.0, 0.0),
                    thickness,
                };
                3
            ];
            for material in [air(thickness), Material::Slab(films)] {
                let wall = Slabs::one(normal, material);
                let nothing = Slabs::new(Vec::new());
                for _ in 0..20 {
                    let [tx, rx] = ends(&mut random, normal);
                    let (found, free) = (wall.field(5.2e9, tx, rx), nothing.field(5.2e9, tx, rx));
                    let off = difference(found.coefficient, free.coefficient);
                    assert!(off < 1e-12 * norm(free.coefficient), "{thickness}: {off}");
                    assert!((found.delay - free.delay).abs() < 1e-21, "{thickness}");
                }
            }
        }
    }
}

#[test]
fn the_field_behind_a_slab_is_that_behind_a_layer_which_is_really_there() {
    let mut random = Random(8);
    for hz in [0.7e9, 3.5e9, 28e9] {
        for (permittivity, conductivity, thickness) in [
            (5.24, 0.12, 0.2),
            (6.31, 0.0, 0.006),
            (2.1, 0.03, 0.11),
            (1.0, 0.4, 0.02),
        ] {
            let medium = constant(permittivity, conductivity);
            let frequency = Frequency::from_hz(hz).unwrap();
            let eta = medium.relative_permittivity(frequency).unwrap().unwrap();
            let wall = Slabs::one(NORMAL, Material::slab(medium, thickness));
            let straight = NORMAL.normalize();
            let mut pairs = vec![[-3.1 * straight, 5.3 * straight]];
            pairs.extend((0..20).map(|_| ends(&mut random, NORMAL)));
            for [tx, rx] in pairs {
                let found = wall.field(hz, tx, rx).coefficient;
                let exact = behind_layer(hz, eta, thickness, NORMAL, [tx, rx]);
                let free = SPEED_OF_LIGHT / (4.0 * PI * hz * tx.distance(rx));
                let off = difference(found, exact) / free;
                assert!(off < 1e-10, "{hz} Hz, {permittivity}, {thickness} m: {off}");
            }
        }
    }
}

/// Concrete, whose echoes inside die out.
const WALL: (f64, f64, f64) = (5.24, 0.123, 0.2);

#[test]
fn over_a_band_the_response_is_late_by_the_wall_and_not_by_the_air_in_its_place() {
    let (permittivity, conductivity, thickness) = WALL;
    let medium = constant(permittivity, conductivity);
    let wall = Slabs::one(NORMAL, Material::slab(medium, thickness));
    let carrier = Frequency::from_hz(3.5e9).unwrap();
    let band = Band::new(carrier, 400e6, 33).unwrap();
    let over_band: Vec<SlabsAt> = band.frequencies().map(|f| wall.at(f.hz())).collect();
    let antennas = Antennas::single(&V, &V);
    let velocities = [DVec3::ZERO];
    let motion = Motion {
        tx: DVec3::ZERO,
        rx: DVec3::ZERO,
        materials: &velocities,
    };
    let mut random = Random(11);
    for _ in 0..10 {
        let [tx, rx] = ends(&mut random, NORMAL);
        let paths = [wall.path(tx, rx)];
        let full = replay(&paths, &over_band, antennas, &motion, &[0.0]);
        let at_carrier = wall.at(carrier.hz());
        let impulse = ImpulseResponse::new(&paths, &at_carrier, antennas, &motion);
        let quick = impulse.over(&band, &[0.0]);
        // The coefficient of V to V alone gives the exact group delay between neighbouring frequencies.
        let frequencies: Vec<f64> = band.frequencies().map(Frequency::hz).collect();
        let exact: Vec<Complex64> = frequencies
            .iter()
            .map(|hz| {
                let frequency = Frequency::from_hz(*hz).unwrap();
                let eta = medium.relative_permittivity(frequency).unwrap().unwrap();
                behind_layer(*hz, eta, thickness, NORMAL, [tx, rx])[0][0]
            })
            .collect();
        let group_delay = |h: &[Complex64], k: usize| {
            let turned = (h[k + 1] / h[k]).arg();
            -turned / (TAU * (frequencies[k + 1] - frequencies[k]))
        };
        // A delay is known but for whole turns between neighbours.
        let turn = 1.0 / (frequencies[1] - frequencies[0]);
        let apart = |a: f64, b: f64| (a - b + 0.5 * turn).rem_euclid(turn) - 0.5 * turn;
        let delay = impulse.taps[0].delay;
        let direction = (rx - tx).normalize();
        let cos_theta = direction.dot(NORMAL.normalize()).abs();
        let inside = (permittivity - 1.0 + cos_theta * cos_theta).sqrt();
        let expected = (tx.distance(rx) + thickness * (inside - cos_theta)) / SPEED_OF_LIGHT;
        assert!((delay - expected).abs() < 4e-12, "{delay} for {expected}");
        for k in 0..frequencies.len() - 1 {
            let right = group_delay(&exact, k);
            let late = apart(group_delay(&full.values, k), right);
            assert!(late.abs() < 1e-16, "replay: {late} s");
            let late = apart(group_delay(&quick.values, k), right);
            // The echoes inside are left out: the air in the wall's place would be up to 670 ps.
            assert!(late.abs() < 25e-12, "from the taps: {late} s");
            assert!(apart(delay, right).abs() < 25e-12, "{delay} for {right}");
        }
        for (k, (quick, full)) in quick.values.iter().zip(&full.values).enumerate() {
            let scaled = quick * (carrier.hz() / frequencies[k]);
            assert!(
                (full / scaled).arg().abs() < 0.03,
                "{}",
                (full / scaled).arg()
            );
        }
    }
}

const V: keller::antenna::Antenna = crate::common::reflections::V;

fn glazing(is_reversed: bool) -> Material {
    let mut layers = vec![
        Layer {
            medium: Medium::Itu(ItuMaterial::Glass),
            thickness: 0.006,
        },
        Layer {
            medium: constant(1.0, 0.0),
            thickness: 0.016,
        },
        Layer {
            medium: Medium::Itu(ItuMaterial::Wood),
            thickness: 0.09,
        },
    ];
    if is_reversed {
        layers.reverse();
    }
    Material::Slab(layers)
}

#[test]
fn it_is_the_same_from_both_ends_and_whichever_side_is_called_the_front() {
    let mut random = Random(5);
    let walls = |turn: f64, is_reversed: bool| {
        let second = DVec3::new(0.9, 0.1, -0.3);
        let walls = vec![
            (plane(turn * NORMAL, turn * 0.3), glazing(is_reversed)),
            (plane(turn * second, turn * 0.31), glazing(!is_reversed)),
        ];
        Slabs::new(walls)
    };
    let (ahead, turned) = (walls(1.0, false), walls(-1.0, true));
    let mut num = 0;
    while num < 40 {
        let [tx, rx] = ends(&mut random, NORMAL);
        if ahead.planes[1].distance(tx) * ahead.planes[1].distance(rx) > 0.0 {
            continue;
        }
        num += 1;
        let there = ahead.field(3.5e9, tx, rx);
        let back = ahead.field(3.5e9, rx, tx);
        let other = turned.field(3.5e9, tx, rx);
        let [[a, b], [c, d]] = back.coefficient;
        let size = norm(there.coefficient);
        assert!(difference(there.coefficient, [[a, c], [b, d]]) < 1e-11 * size);
        assert!(difference(there.coefficient, other.coefficient) < 1e-11 * size);
        for same in [back.delay, other.delay] {
            assert!((there.delay - same).abs() < 1e-21);
        }
    }
}

#[test]
fn two_sheets_next_to_each_other_add_up_their_phases_and_delays() {
    let [tx, rx] = [DVec3::new(-2.0, 1.3, 0.4), DVec3::new(1.9, -3.1, 1.7)];
    let sheet = || Material::slab(constant(3.2, 0.02), 0.012);
    let one = Slabs::one(NORMAL, sheet()).field(2.4e9, tx, rx);
    let free = Slabs::new(Vec::new()).field(2.4e9, tx, rx);
    for gap in [1.0, 1e-3, 1e-7] {
        let walls = [0.3, 0.3 + gap].map(|offset| (plane(NORMAL, offset), sheet()));
        let two = Slabs::new(walls.to_vec()).field(2.4e9, tx, rx);
        let late = [one.delay, two.delay].map(|delay| delay - free.delay);
        // Directions between points so near to each other are rounded.
        let rounded = 1e-15 / gap;
        assert!(late[0] > 1e-12 && (late[1] / late[0] - 2.0).abs() < 1e-11 + rounded);
        // The ratio to free space squares for TE and TM apart.
        let [once, twice, alone] = [one, two, free].map(|field| {
            let [[a, b], [c, d]] = field.coefficient;
            a * d - b * c
        });
        let off = twice * alone / (once * once) - 1.0;
        assert!(off.norm() < 1e-11 + 10.0 * rounded, "{gap}: {off}");
    }
}

#[test]
fn no_wall_is_the_limit_of_thin_ones_and_thick_ones_let_nothing_through() {
    let free = Slabs::new(Vec::new());
    let mut random = Random(21);
    for _ in 0..20 {
        let [tx, rx] = ends(&mut random, NORMAL);
        let size = norm(free.field(1e9, tx, rx).coefficient);
        for thickness in [1e-3, 1e-5, 1e-7] {
            let thin = Slabs::one(NORMAL, Material::slab(constant(6.0, 0.1), thickness));
            let (found, free) = (thin.field(1e9, tx, rx), free.field(1e9, tx, rx));
            let off = difference(found.coefficient, free.coefficient) / size;
            assert!(off < 3e3 * thickness, "{thickness}: {off}");
            assert!((found.delay - free.delay) * SPEED_OF_LIGHT < 3.0 * thickness);
        }
        let thick = Slabs::one(NORMAL, Material::slab(constant(6.0, 0.5), 1e6));
        let found = thick.field(1e9, tx, rx);
        assert!(norm(found.coefficient) == 0.0 && found.delay.is_finite());
    }
    // A wave along the wall does not pass.
    let [tx, rx] = [DVec3::new(-1e4, 0.0, -1e-6), DVec3::new(1e4, 0.0, 1e-6)];
    let wall = Slabs::new(vec![(plane(DVec3::Z, 0.0), glazing(false))]);
    let along = wall.field(3.5e9, tx, rx);
    assert!(norm(along.coefficient) < 1e-12 && along.delay.is_finite());
}

#[test]
fn a_transmission_that_ignores_displaced_air_is_that_of_other_tools() {
    let (permittivity, conductivity, thickness) = WALL;
    let medium = constant(permittivity, conductivity);
    let hz = 3.5e9;
    let frequency = Frequency::from_hz(hz).unwrap();
    let eta = medium.relative_permittivity(frequency).unwrap().unwrap();
    let slab = Material::slab(medium, thickness);
    let bare = slab.with_displaced_air_ignored(true);
    assert!(bare.ignores_displaced_air() && !slab.ignores_displaced_air());
    assert_eq!(bare.with_displaced_air_ignored(false), slab);
    let wall = Slabs::one(NORMAL, bare);
    let mut random = Random(2);
    for _ in 0..20 {
        let [tx, rx] = ends(&mut random, NORMAL);
        let found = wall.field(hz, tx, rx);
        let length = tx.distance(rx);
        let cos_theta = ((rx - tx) / length).dot(NORMAL.normalize()).abs();
        // The wave runs through the slab, and through the air in its place.
        let air = Complex64::cis(-frequency.wavenumber() * thickness * cos_theta);
        let exact = behind_layer(hz, eta, thickness, NORMAL, [tx, rx]);
        let off = difference(found.coefficient, exact.map(|row| row.map(|a| a * air)));
        assert!(off < 1e-10 * norm(exact));
        assert_eq!(found.delay, length / SPEED_OF_LIGHT);
    }
}

/// A tile behind a wall: the direct path, later by the wall.
#[test]
fn tiles_behind_a_wall_receive_as_late_as_paths() {
    let mut mesh = Mesh::default();
    let wall = [[0., 0., 0.], [9., 2., 0.], [9., 2., 6.], [0., 0., 6.]];
    let beyond = [[1., 5., 0.], [8., 7., 0.], [8., 7., 5.], [1., 5., 5.]];
    add_polygon(&mut mesh, "wall", &corners(&wall));
    add_polygon(&mut mesh, "beyond", &corners(&beyond));
    let slab = Material::slab(Medium::Itu(ItuMaterial::Brick), 0.24);
    let place = place::of(
        &mesh,
        &[slab, Material::HalfSpace(Medium::PerfectConductor)],
    );
    let limits = Limits {
        max_interactions: 0,
        max_reflections: 0,
        max_transmissions: 1,
        ..Limits::default()
    };
    let tx = place::at([4.3, -3.1, 2.2], both());
    let coverage = place::coverage(&place, &limits, 1.0);
    let fields = coverage.fields(&tx, &Control::default()).unwrap();
    let normal = (DVec3::new(9.0, 2.0, 0.0)).cross(DVec3::Z).normalize();
    let mut num = 0;
    for (tile, sides) in coverage.environment().tiles.all().iter().zip(&fields) {
        let way = tile.centre - tx.position;
        for StrongestPath { delay, .. } in sides.iter().filter_map(|side| side.strongest) {
            let late = delay * SPEED_OF_LIGHT - way.length();
            if way.y < 6.0 {
                assert!(late.abs() < 1e-9, "on the wall: {late}");
                continue;
            }
            let cos_theta = way.normalize().dot(normal).abs();
            let expected = 0.24 * ((2.91 + cos_theta * cos_theta).sqrt() - cos_theta);
            assert!((late - expected).abs() < 1e-3, "{late} m for {expected} m");
            num += 1;
        }
    }
    assert!(num > 20, "{num} tiles behind the wall");
}
