//! How many rays a second the index answers on one thread, beside Embree if there is one.
//!
//! `cargo bench -p keller --bench index -- [FOLDER of PLY meshes] [--split N] [--from X,Y,Z] [--rounds N]`
//!
//! Without a folder a generated city is traced. `--split N` cuts each triangle into N x N. `KELLER_EMBREE_LIB=libembree4.so`
//! runs the same rays through Embree 4, in the same rounds. The answers are compared before any time is taken.
#![allow(clippy::print_stdout, reason = "prints its table")]

mod embree;
mod scenes;

use std::{fs, hint::black_box, path::PathBuf, sync::LazyLock, time::Instant};

use embree::Embree;
use glam::Vec3;
use keller::geometry::bvh::{Bvh, Dispatch, Ray, Triangle};
use scenes::Uniform;

struct Options {
    folder: Option<PathBuf>,
    split: u16,
    from: Option<Vec3>,
    rounds: usize,
}

fn main() {
    let options = options();
    let corners = options
        .folder
        .as_deref()
        .map_or_else(scenes::city, scenes::load);
    let triangles = scenes::triangles(&scenes::split(&corners, options.split));
    let start = Instant::now();
    let bvh = Bvh::build(&triangles);
    println!(
        "{} triangles, built in {:.3} s, {:.1} bytes each, {:?}",
        triangles.len(),
        start.elapsed().as_secs_f64(),
        bvh.memory_bytes() as f64 / triangles.len() as f64,
        bvh.dispatch(),
    );
    let from = options.from.unwrap_or_else(|| above_centre(&bvh));
    let start = Instant::now();
    let yardsticks = [("embree", false), ("embree robust", true)]
        .map(|(name, robust)| (name, Embree::build(&triangles, robust)));
    println!(
        "rays from {from}; Embree twice in {:.3} s",
        start.elapsed().as_secs_f64()
    );

    for workload in workloads(&bvh, &triangles, from) {
        check(&bvh, &yardsticks, &workload);
        measure(&bvh, &yardsticks, &workload, options.rounds);
    }
}

fn options() -> Options {
    let mut options = Options {
        folder: None,
        split: 1,
        from: None,
        rounds: 7,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("a value after the option");
        match argument.as_str() {
            "--bench" => {}
            "--split" => options.split = value().parse().expect("--split takes a number"),
            "--rounds" => options.rounds = value().parse().expect("--rounds takes a number"),
            "--from" => {
                let text = value();
                let numbers = text
                    .split(',')
                    .map(|number| number.parse().expect("--from takes X,Y,Z"));
                options.from = Some(Vec3::from_slice(&numbers.collect::<Vec<f32>>()));
            }
            folder => options.folder = Some(folder.into()),
        }
    }
    options
}

/// 20 m above whatever is in the centre.
fn above_centre(bvh: &Bvh) -> Vec3 {
    let (min, max) = bvh.bounds().expect("the scene has triangles");
    let top = ((min + max) * 0.5).with_z(max.z + 1.0);
    let depth = bvh
        .closest_hit(&Ray::new(top, -Vec3::Z))
        .map_or(0.0, |hit| hit.t);
    top - Vec3::Z * (depth - 20.0)
}

enum Query {
    Closest,
    Free,
}

struct Workload {
    name: &'static str,
    query: Query,
    rays: Vec<Ray>,
}

fn workloads(bvh: &Bvh, triangles: &[Triangle], from: Vec3) -> Vec<Workload> {
    let primary = directions()
        .into_iter()
        .map(|direction| Ray::new(from, direction))
        .collect::<Vec<_>>();
    let bounces = bounces(bvh, triangles, &primary);
    let to_source = primary
        .iter()
        .filter_map(|ray| Some(ray.origin + ray.direction * bvh.closest_hit(ray)?.t))
        .map(|point| Ray {
            t_max: 0.999,
            ..Ray::between(from + Vec3::new(30.0, 40.0, 0.0), point)
        })
        .collect();
    vec![
        Workload {
            name: "primary",
            query: Query::Closest,
            rays: primary,
        },
        Workload {
            name: "bounces",
            query: Query::Closest,
            rays: bounces,
        },
        Workload {
            name: "random occlusion",
            query: Query::Free,
            rays: random_segments(bvh),
        },
        Workload {
            name: "ordered occlusion",
            query: Query::Free,
            rays: to_source,
        },
    ]
}

/// 2^20 directions over the sphere, on an octahedral map, along a Z-order curve.
fn directions() -> Vec<Vec3> {
    let side = 1024_u16;
    let even_bits = |code: u32| {
        (0..10).fold(0_u16, |bits, i| {
            bits | u16::from(code >> (2 * i) & 1 == 1) << i
        })
    };
    (0..u32::from(side) * u32::from(side))
        .map(|code| {
            let along = |bits: u16| (f32::from(bits) + 0.5) / f32::from(side) * 2.0 - 1.0;
            let (x, y) = (along(even_bits(code)), along(even_bits(code >> 1)));
            let z = 1.0 - x.abs() - y.abs();
            let fold = (-z).max(0.0);
            Vec3::new(x - fold.copysign(x), y - fold.copysign(y), z).normalize()
        })
        .collect()
}

/// Specular reflections of rays, up to five a ray, bounce by bounce; they start 1 mm off the wall.
fn bounces(bvh: &Bvh, triangles: &[Triangle], rays: &[Ray]) -> Vec<Ray> {
    let mut all = Vec::new();
    let mut current: Vec<Ray> = rays.iter().copied().step_by(3).collect();
    for _ in 0..5 {
        current = current
            .iter()
            .filter_map(|ray| {
                let hit = bvh.closest_hit(ray)?;
                let [a, b, c] = triangles[hit.triangle as usize].vertices;
                let normal = (b - a).cross(c - a).try_normalize()?;
                let normal = if normal.dot(ray.direction) < 0.0 {
                    normal
                } else {
                    -normal
                };
                let direction = ray.direction - 2.0 * normal.dot(ray.direction) * normal;
                Some(Ray::new(
                    ray.origin + ray.direction * hit.t + normal * 1e-3,
                    direction,
                ))
            })
            .collect();
        all.extend(&current);
    }
    all
}

/// Segments between random points up to 40 m above the lowest.
fn random_segments(bvh: &Bvh) -> Vec<Ray> {
    let (min, max) = bvh.bounds().expect("the scene has triangles");
    let max = max.with_z(max.z.min(min.z + 40.0));
    let mut random = Uniform::new(2);
    let mut point = || min + (max - min) * Vec3::new(random.unit(), random.unit(), random.unit());
    (0..1 << 20)
        .map(|_| Ray::between(point(), point()))
        .collect()
}

/// All dispatches must agree to the last bit, and Embree nearly always.
fn check(bvh: &Bvh, yardsticks: &[(&str, Option<Embree>)], workload: &Workload) {
    let rays = &workload.rays[..];
    let mut hits = vec![None; rays.len()];
    let mut free = vec![false; rays.len()];
    for dispatch in Dispatch::ALL
        .into_iter()
        .filter(|dispatch| dispatch.is_available())
    {
        let other = bvh.clone().with_dispatch(dispatch);
        match workload.query {
            Query::Closest => {
                other.closest_hits(rays, &mut hits);
                for (ray, &hit) in rays.iter().zip(&hits) {
                    assert_eq!(bvh.closest_hit(ray), hit, "{dispatch:?} differs on {ray:?}");
                }
            }
            Query::Free => {
                other.are_free(rays, &mut free);
                for (ray, &free) in rays.iter().zip(&free) {
                    assert_eq!(bvh.is_free(ray), free, "{dispatch:?} differs on {ray:?}");
                }
            }
        }
    }
    let (ours, count): (Vec<f32>, _) = match workload.query {
        Query::Closest => (
            hits.iter()
                .map(|hit| hit.map_or(f32::INFINITY, |hit| hit.t))
                .collect(),
            hits.iter().flatten().count(),
        ),
        Query::Free => (
            free.iter().map(|&free| f32::from(free)).collect(),
            free.iter().filter(|&&free| free).count(),
        ),
    };
    let what = match workload.query {
        Query::Closest => "hit",
        Query::Free => "free",
    };
    println!(
        "\n{}: {} rays, {:.1} % {what}",
        workload.name,
        rays.len(),
        100.0 * count as f64 / rays.len() as f64
    );
    for (name, yardstick) in yardsticks {
        let Some(yardstick) = yardstick else {
            continue;
        };
        let differ = rays.iter().zip(&ours).filter(|(ray, ours)| {
            let theirs = match workload.query {
                Query::Closest => yardstick.closest(ray),
                Query::Free => f32::from(yardstick.is_free(ray)),
            };
            theirs != **ours && (theirs - **ours).abs() > 1e-4 * (1.0 + ours.abs())
        });
        let share = differ.count() as f64 / rays.len() as f64;
        println!("  {:.5} % differ from {name}", 100.0 * share);
        assert!(share < 1e-3, "too many answers differ from {name}");
    }
}

/// A name, and what answers all rays of a workload once.
type Engine<'a> = (String, Box<dyn FnMut() + 'a>);

/// The fastest of the rounds, in each of which every engine answers all rays once: least disturbed by other programs.
fn measure(bvh: &Bvh, yardsticks: &[(&str, Option<Embree>)], workload: &Workload, rounds: usize) {
    let rays = &workload.rays[..];
    let mut hits = vec![None; rays.len()];
    let mut free = vec![false; rays.len()];
    let portable = bvh.clone().with_dispatch(Dispatch::Portable);
    let mut engines: Vec<Engine> = Vec::new();
    for (name, yardstick) in yardsticks {
        if let Some(yardstick) = yardstick {
            engines.push((
                (*name).to_owned(),
                match workload.query {
                    Query::Closest => Box::new(|| {
                        for ray in rays {
                            black_box(yardstick.closest(ray));
                        }
                    }),
                    Query::Free => Box::new(|| {
                        for ray in rays {
                            black_box(yardstick.is_free(ray));
                        }
                    }),
                },
            ));
        }
    }
    for (name, bvh) in [("keller portable", &portable), ("keller", bvh)] {
        engines.push((
            name.to_owned(),
            match workload.query {
                Query::Closest => Box::new(move || {
                    for ray in rays {
                        black_box(bvh.closest_hit(ray));
                    }
                }),
                Query::Free => Box::new(move || {
                    for ray in rays {
                        black_box(bvh.is_free(ray));
                    }
                }),
            },
        ));
    }
    engines.push((
        "keller batched".to_owned(),
        match workload.query {
            Query::Closest => Box::new(|| bvh.closest_hits(rays, black_box(&mut hits))),
            Query::Free => Box::new(|| bvh.are_free(rays, black_box(&mut free))),
        },
    ));
    let mut times = vec![Vec::new(); engines.len()];
    for _ in 0..rounds {
        for ((_, run), times) in engines.iter_mut().zip(&mut times) {
            let start = cpu_seconds();
            run();
            times.push(cpu_seconds() - start);
        }
    }
    let fastest = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let first = fastest(&times[0]);
    for ((name, _), times) in engines.iter().zip(&times) {
        let time = fastest(times);
        println!(
            "  {name:16} {:7.2} Mray/s {:6.2} x",
            rays.len() as f64 / time / 1e6,
            first / time
        );
    }
}

/// Time that this thread has run, or the wall's clock where the system does not tell: other programs do not count.
fn cpu_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let nanoseconds = fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(
        || START.elapsed().as_secs_f64(),
        |nanoseconds| nanoseconds * 1e-9,
    )
}
