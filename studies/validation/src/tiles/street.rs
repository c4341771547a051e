//! Gain along a street with and without diffuse scattering, compared with the integral over small patches: a canyon of
//! two walls on a ground.

use std::f64::consts::PI;

use anyhow::Result;
use keller::antenna::Antenna;
use keller::coverage::tiles::{TileCoverage, TileField};
use keller::em::scattering::lobe;
use keller::materials::{Lobe, Material, Materials, Medium, Scattering, Texture};
use keller::paths::{Environment, Limits};
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller::tiles::Tiling;
use keller::units::power_to_db;
use keller::{Control, DVec3, Frequency, Tx, World};

/// The length of the canyon along x, the distance between its walls along y, and the height of these, metres.
const LENGTH: f64 = 200.0;
const WIDTH: f64 = 15.0;
const HEIGHT: f64 = 12.0;

/// Tiles, and patches of the integral, metres.
const TILE: f64 = 2.0;
const PATCH: f64 = 0.1;

/// S: a perfect conductor scatters its square of the incident power, so that the integral needs no more.
const SCATTERING: f64 = 0.4;

/// Every so far along the street a line of the table, metres.
const STEP: f64 = 20.0;

/// Its ground and walls, each by a corner and two sides.
const SURFACES: [[DVec3; 3]; 3] = [
    [DVec3::ZERO, LONG, DVec3::new(0.0, WIDTH, 0.0)],
    [DVec3::ZERO, LONG, UP],
    [DVec3::new(0.0, WIDTH, 0.0), LONG, UP],
];
const LONG: DVec3 = DVec3::new(LENGTH, 0.0, 0.0);
const UP: DVec3 = DVec3::new(0.0, 0.0, HEIGHT);

/// Prints the table.
pub(crate) fn street() -> Result<()> {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("wall");
    for [corner, u, v] in SURFACES {
        let base = u32::try_from(mesh.vertices.len())?;
        let corners = [corner, corner + u, corner + u + v, corner + v];
        mesh.vertices.extend(corners);
        let triangle = |vertices: [u32; 3]| MeshTriangle {
            vertices: vertices.map(|v| base + v),
            material,
        };
        mesh.triangles.extend([[0, 1, 2], [0, 2, 3]].map(triangle));
    }
    let scene = Scene::new(&mesh)?;
    let wall = Material::HalfSpace(Medium::PerfectConductor).with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: SCATTERING,
            cross_polarization: 0.0,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    });
    let materials = Materials::from([("wall", wall)]);
    let world = World::new(scene, &materials, Frequency::from_hz(2e9)?)?;
    let tx = Tx {
        position: DVec3::new(3.0, 6.0, 5.0),
        antenna: Antenna::default(),
    };
    let control = Control::default();
    let environment = Environment::new(world.shared_scene(), Tiling::of_side(TILE), &control)?;
    let fields = |max_reflections: usize, max_scatterings: usize| -> Result<Vec<[TileField; 2]>> {
        let limits = Limits {
            max_interactions: max_reflections.max(max_scatterings),
            max_reflections,
            max_scatterings,
            ..Limits::default()
        };
        let coverage = TileCoverage::new(&world, &limits, environment.clone())?;
        Ok(coverage.fields(&tx, &control)?)
    };
    let (off, on, once) = (fields(2, 0)?, fields(2, 2)?, fields(0, 1)?);
    println!("S = {SCATTERING}, Tx at 3 m; mean over the tiles of 2 m around each distance, dB");
    println!(
        "surface, m from Tx: 2 reflections; and 2 scatterings; 1 scattering of the direct wave, by tiles; by patches of 10 cm"
    );
    for (name, is_ground) in [("ground", true), ("walls", false)] {
        let mut distance = STEP;
        while tx.position.x + distance < LENGTH {
            let (mut sums, mut count) = ([0.0; 4], 0.0);
            for (number, tile) in environment.tiles.all().iter().enumerate() {
                let is_here = (tile.centre.x - tx.position.x - distance).abs() <= 0.5 * TILE;
                if is_here && (tile.centre.z < 1e-6) == is_ground {
                    let gain = |fields: &[[TileField; 2]]| -> f64 {
                        fields[number].iter().map(|field| field.path_gain).sum()
                    };
                    let diffuse: f64 = once[number].iter().map(|f| f.diffuse_gain).sum();
                    let exact = integral(tx.position, tile.centre, world.frequency());
                    for (sum, more) in sums.iter_mut().zip([gain(&off), gain(&on), diffuse, exact])
                    {
                        *sum += more;
                    }
                    count += 1.0;
                }
            }
            let [off, on, tiles, patches] = sums.map(|sum| power_to_db(sum / count));
            println!("{name} {distance:.0}: {off:.2} {on:.2} {tiles:.2} {patches:.2}");
            distance += STEP;
        }
    }
    Ok(())
}

/// The power of the direct wave that the surfaces around that of a point scatter to it.
fn integral(tx: DVec3, to: DVec3, frequency: Frequency) -> f64 {
    let mut sum = 0.0;
    for [corner, u, v] in SURFACES {
        let normal = u.cross(v).normalize();
        if normal.dot(to - corner).abs() < 1e-6 {
            continue;
        }
        let [across, up] = [u, v].map(|side| side.normalize() * PATCH);
        let [num_across, num_up] = [u, v].map(|side| (side.length() / PATCH).round());
        let mut k = 0.5;
        while k < num_across {
            let mut l = 0.5;
            while l < num_up {
                let at = corner + k * across + l * up;
                let [into, out] = [tx - at, to - at];
                let (before, after) = (into.length(), out.length());
                let (into, out) = (into / before, out / after);
                let cosine = normal.dot(into);
                let mirror = 2.0 * cosine * normal - into;
                let lobe = lobe(
                    Lobe::Lambertian,
                    cosine.abs(),
                    normal.dot(out).abs(),
                    out.dot(mirror),
                    out.dot(into),
                );
                let free = (frequency.wavelength() / (4.0 * PI * before)).powi(2);
                sum += SCATTERING * SCATTERING * free * lobe * PATCH * PATCH / (after * after);
                l += 1.0;
            }
            k += 1.0;
        }
    }
    sum
}
