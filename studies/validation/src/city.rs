//! A city of the size that planners work with: the same paths however they are asked for, how much each effort finds, and whether a
//! peer's paths are among them.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use keller::geometry::bvh::Dispatch;
use keller::paths::{Effort, InteractionKind, Limits, Path as Ray, Search};
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller::{DVec3, World};
use serde_json::Value;

use crate::geometry;

/// The transmitter of the peer's munich examples.
pub(crate) const TX: DVec3 = DVec3::new(8.5, 21.0, 27.0);

/// Metres.
const SAME_POINT: f64 = 2e-5;

/// The peer computes in f32; its points are good to this, metres.
const PEER_TOLERANCE: f64 = 0.05;

/// Runs all checks on a scene file and a table of receivers.
pub(crate) fn check(scene: &Path, rx: &Path, reference: Option<&Path>) -> Result<()> {
    let mesh = keller_io::formats::import::import(scene)?.mesh;
    let rx = receivers(rx)?;
    let city = City {
        world: world(Scene::new(&mesh)?)?,
        rx,
    };
    city.recall()?;
    city.one_answer(&mesh)?;
    if let Some(reference) = reference {
        city.contains(reference)?;
    }
    Ok(())
}

struct City {
    world: World,
    rx: Vec<DVec3>,
}

impl City {
    /// The share of the paths of the complete search that each effort of the launch finds.
    fn recall(&self) -> Result<()> {
        println!("depth  search      seconds  paths  recall %");
        for depth in 1..=5 {
            let limits = limits(depth, 0, usize::MAX);
            let start = Instant::now();
            let all = paths(&self.world, &self.rx, &limits, Search::Complete)?;
            println!(
                "{depth}      complete    {:7.3}  {:5}",
                start.elapsed().as_secs_f64(),
                all.len()
            );
            for effort in [Effort::Quick, Effort::Default, Effort::Thorough] {
                let start = Instant::now();
                let found = paths(&self.world, &self.rx, &limits, Search::Launch(effort))?;
                let seconds = start.elapsed().as_secs_f64();
                let extra = found.iter().filter(|p| !all.contains(p)).count();
                ensure!(
                    extra == 0,
                    "{effort:?} has {extra} paths that the complete search has not"
                );
                let recall = 100.0 * found.len() as f64 / all.len() as f64;
                let name = format!("{effort:?}");
                println!(
                    "{depth}      {name:10}  {seconds:7.3}  {:5}  {recall:.2}",
                    found.len()
                );
            }
        }
        Ok(())
    }

    /// The same paths for any number of threads, instructions, receivers at once, triangulation and triangle order.
    fn one_answer(&self, mesh: &Mesh) -> Result<()> {
        let limits = limits(5, 3, 5);
        let search = Search::default();
        let expected = paths(&self.world, &self.rx, &limits, search)?;
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?;
            let found = pool.install(|| paths(&self.world, &self.rx, &limits, search))?;
            ensure!(found == expected, "{threads} threads give other paths");
        }
        println!("{} paths, the same for 1, 2 and 3 threads", expected.len());
        for dispatch in Dispatch::ALL.into_iter().filter(|d| d.is_available()) {
            let world = world(Scene::new(mesh)?.with_dispatch(dispatch))?;
            ensure!(
                paths(&world, &self.rx, &limits, search)? == expected,
                "{dispatch:?} gives other paths"
            );
            println!("the same with {dispatch:?}");
        }
        let mut alone = Vec::new();
        for r in 0..self.rx.len().min(10) {
            alone.extend(
                paths(&self.world, &self.rx[r..=r], &limits, search)?
                    .into_iter()
                    .map(|p| Ray { rx: r, ..p }),
            );
        }
        let first: Vec<Ray> = expected.iter().filter(|p| p.rx < 10).cloned().collect();
        ensure!(alone == first, "one receiver at a time gives other paths");
        println!("the same for one receiver at a time (the first ten)");
        for (name, other) in [
            ("split in four", split_in_four(mesh)),
            ("in another order", reversed(mesh)),
        ] {
            let found = paths(&world(Scene::new(&other)?)?, &self.rx, &limits, search)?;
            let missing = expected
                .iter()
                .filter(|p| !found.iter().any(|q| is_same(p, q)))
                .count();
            let extra = found
                .iter()
                .filter(|p| !expected.iter().any(|q| is_same(p, q)))
                .count();
            let lost = expected
                .iter()
                .filter(|p| !found.iter().any(|q| is_same(p, q)));
            for path in lost.take(5) {
                println!("missing: {path:?}");
            }
            println!("triangles {name}: {missing} paths missing, {extra} extra");
            ensure!(
                missing == 0 && extra == 0,
                "triangles {name} give other paths"
            );
        }
        Ok(())
    }

    /// Whether every path of the peer's union is found: reflections alone at `max_transmissions = 0`, up to three walls otherwise.
    fn contains(&self, reference: &Path) -> Result<()> {
        let text = std::fs::read_to_string(reference)
            .with_context(|| format!("cannot read {}", reference.display()))?;
        let limits = limits(5, 3, 5);
        let found = paths(&self.world, &self.rx, &limits, Search::default())?;
        let (mut listed, mut missing) = (0, 0);
        for line in text.lines() {
            let peer: Value = serde_json::from_str(line)?;
            let types = peer["types"].as_str().context("a path without types")?;
            if types.matches('T').count() > limits.max_transmissions {
                continue;
            }
            listed += 1;
            let rx = usize::try_from(peer["rx"].as_u64().context("a path without rx")?)?;
            let points: Vec<DVec3> = types
                .bytes()
                .zip(
                    peer["vertices"]
                        .as_array()
                        .context("a path without vertices")?,
                )
                .filter(|(letter, _)| *letter == b'R')
                .map(|(_, v)| {
                    DVec3::from_array([0, 1, 2].map(|k| v[k].as_f64().unwrap_or(f64::NAN)))
                })
                .collect();
            let is_found = found.iter().filter(|p| p.rx == rx).any(|p| {
                let own = reflections(p);
                own.len() == points.len()
                    && own
                        .iter()
                        .zip(&points)
                        .all(|(a, b)| a.distance(*b) < PEER_TOLERANCE)
            });
            if !is_found {
                missing += 1;
                println!("not found: rx {rx} {types} {points:?}");
            }
        }
        println!(
            "{} of the peer's {listed} paths are among keller's {}",
            listed - missing,
            found.len()
        );
        ensure!(missing == 0, "{missing} of the peer's paths are missing");
        Ok(())
    }
}

/// Metal lets nothing through; every other wall of these scenes does.
fn world(scene: Scene) -> Result<World> {
    geometry::world(scene, |name| name.contains("metal"))
}

fn paths(world: &World, rx: &[DVec3], limits: &Limits, search: Search) -> Result<Vec<Ray>> {
    geometry::paths(world, TX, rx, limits, search)
}

fn limits(depth: usize, max_transmissions: usize, max_depth: usize) -> Limits {
    Limits {
        max_interactions: depth,
        max_reflections: depth,
        max_transmissions,
        max_depth,
        ..Limits::default()
    }
}

fn reflections(path: &Ray) -> Vec<DVec3> {
    let reflections = path
        .vertices
        .iter()
        .filter(|i| i.interaction.kind() == InteractionKind::Reflection);
    reflections.map(|i| i.point).collect()
}

/// The same receiver, length, kinds and points. Cut slivers may fall under the weld distance, which moves a fitted plane by micrometres;
/// the mesh itself is rounded to 6e-5 m.
fn is_same(a: &Ray, b: &Ray) -> bool {
    a.rx == b.rx
        && (a.length - b.length).abs() < SAME_POINT
        && a.vertices.len() == b.vertices.len()
        && a.vertices.iter().zip(&b.vertices).all(|(i, j)| {
            i.interaction.kind() == j.interaction.kind() && i.point.distance(j.point) < SAME_POINT
        })
}

/// Every triangle cut in four at the centres of its sides.
pub(crate) fn split_in_four(mesh: &Mesh) -> Mesh {
    let mut split = Mesh {
        materials: mesh.materials.clone(),
        vertices: mesh.vertices.clone(),
        triangles: Vec::with_capacity(4 * mesh.triangles.len()),
    };
    for t in &mesh.triangles {
        let [a, b, c] = t.vertices.map(|v| mesh.vertices[v as usize]);
        let base = u32::try_from(split.vertices.len()).expect("fewer than 2^32 vertices");
        split
            .vertices
            .extend([0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)]);
        let [a, b, c] = t.vertices;
        for vertices in [
            [a, base, base + 2],
            [base, b, base + 1],
            [base + 2, base + 1, c],
            [base, base + 1, base + 2],
        ] {
            split.triangles.push(MeshTriangle { vertices, ..*t });
        }
    }
    split
}

fn reversed(mesh: &Mesh) -> Mesh {
    let mut other = mesh.clone();
    other.triangles.reverse();
    for t in &mut other.triangles {
        t.vertices.rotate_left(1);
    }
    other
}

pub(crate) fn receivers(file: &Path) -> Result<Vec<DVec3>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.lines()
        .skip(1)
        .map(|line| {
            let numbers: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
            ensure!(
                numbers.len() == 3,
                "{}: a line without x,y,z",
                file.display()
            );
            Ok(DVec3::from_slice(&numbers))
        })
        .collect()
}
