//! Traces a million rays of each kind: answers of the card compared with those of the processor, bit for bit, and rays
//! a second.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use glam::Vec3;
use keller::geometry::bvh::{Answer, Bvh, Hit, Question, Ray, RayAccelerator};
use keller::scene::Scene;
use keller_gpu::{Gpu, GpuIndex, Tuning};
use rayon::prelude::*;

use super::{median, root};

/// Rays of each kind: a square of this side, in blocks of 32 by 32.
const SIDE: u32 = 1024;
const BLOCK: u32 = 32;

/// Rays that a thread of the processor traces at a time.
const AT_ONCE: usize = 1024;

/// Every time is the median of so many.
const TIMES: usize = 5;

/// Rays of a kind.
struct Kind {
    name: &'static str,
    question: Question,
    rays: Vec<Ray>,
}

pub(super) fn compare(
    name: &str,
    scene: &Scene,
    gpu: &Gpu,
    peer: Option<&Path>,
    report: &mut String,
) -> Result<()> {
    let here = scene.index();
    let index = Arc::new(gpu.index_with(
        here,
        Tuning {
            fewest_rays: 1,
            ..Tuning::default()
        },
        |error| eprintln!("{error}"),
    )?);
    let there = here.clone().with_accelerator(index.clone());
    writeln!(
        report,
        "\n## Rays: {name}, {} triangles\n\nMillions of rays a second, with the way to the card and back; the same bits for all.\n\n\
         | rays | processor | card | ratio | peer on the same card | left to the processor |\n|---|--:|--:|--:|--:|--:|",
        scene.triangles().len()
    )?;
    for kind in kinds(here) {
        eprintln!("{name}: {}", kind.name);
        let num = kind.rays.len();
        let expected = traced(here, &kind, AT_ONCE);
        let found = traced(&there, &kind, index.rays_at_once());
        let wrong = (expected.iter().zip(&found))
            .filter(|(a, b)| a != b)
            .count();
        ensure!(
            wrong == 0,
            "{name}, {}: {wrong} of {num} rays differ",
            kind.name
        );
        let processor = median(TIMES, || {
            traced(here, &kind, AT_ONCE);
            Ok(())
        })?;
        let card = median(TIMES, || {
            traced(&there, &kind, index.rays_at_once());
            Ok(())
        })?;
        let rate = |seconds: f64| num as f64 / seconds / 1e6;
        let peer = match peer {
            Some(python) => format!("{:.1}", of_peer(python, scene, &kind)?),
            None => "-".into(),
        };
        writeln!(
            report,
            "| {} | {:.1} | {:.1} | {:.2} | {peer} | {} |",
            kind.name,
            rate(processor),
            rate(card),
            processor / card,
            left_over(&index, &kind)?
        )?;
    }
    Ok(())
}

/// The hit of each ray, as bits; of segments, whether they are free. Batches of `at_once` by as many threads as there
/// are.
fn traced(bvh: &Bvh, kind: &Kind, at_once: usize) -> Vec<Option<[u32; 3]>> {
    let bits = |hit: &Option<Hit>| hit.map(|hit| [hit.t.to_bits(), hit.triangle, hit.group]);
    let parts = kind.rays.par_chunks(at_once);
    match kind.question {
        Question::First => {
            let part = |rays: &[Ray]| {
                let mut hits = vec![None; rays.len()];
                bvh.closest_hits(rays, &mut hits);
                hits.iter().map(bits).collect::<Vec<_>>()
            };
            parts.flat_map_iter(part).collect()
        }
        Question::Any => {
            let part = |rays: &[Ray]| {
                let mut free = vec![false; rays.len()];
                bvh.are_free(rays, &mut free);
                let blocked = |is_free: bool| (!is_free).then_some([0; 3]);
                free.into_iter().map(blocked).collect::<Vec<_>>()
            };
            parts.flat_map_iter(part).collect()
        }
    }
}

/// The number of rays that the card is not sure of.
fn left_over(index: &GpuIndex, kind: &Kind) -> Result<usize> {
    let mut unknown = 0;
    let mut count = |_, answer| unknown += usize::from(answer == Answer::Unknown);
    if index.answer(&kind.rays, kind.question, &mut count).is_err() {
        bail!("the card failed");
    }
    Ok(unknown)
}

fn kinds(bvh: &Bvh) -> Vec<Kind> {
    let Some((low, high)) = bvh.bounds() else {
        return Vec::new();
    };
    let (middle, size) = (0.5 * (low + high), high - low);
    // The origin is above the middle of the ground, as a mast.
    let down = bvh.closest_hit(&Ray::new(middle.with_z(high.z + 1.0), Vec3::NEG_Z));
    let top = down.map_or(middle.z, |hit| high.z + 1.0 - hit.t);
    let mast = middle.with_z(top + 10.0);
    let in_blocks = || {
        let blocks = (0..SIDE / BLOCK).flat_map(|j| (0..SIDE / BLOCK).map(move |i| [i, j]));
        blocks.flat_map(|[i, j]| {
            let cells = (0..BLOCK)
                .flat_map(move |v| (0..BLOCK).map(move |u| [i * BLOCK + u, j * BLOCK + v]));
            cells.map(|cell| cell.map(|k| (f64::from(k) + 0.5) / f64::from(SIDE)))
        })
    };
    let around = |[u, v]: [f64; 2]| {
        let (z, turn) = (1.0 - 2.0 * v, std::f64::consts::TAU * u);
        let radius = (1.0 - z * z).sqrt();
        glam::DVec3::new(radius * turn.cos(), radius * turn.sin(), z).as_vec3()
    };
    let primary: Vec<Ray> = in_blocks()
        .map(|cell| Ray::new(mast, around(cell)))
        .collect();
    let mut hits = vec![None; primary.len()];
    bvh.closest_hits(&primary, &mut hits);
    let mut turn = 0_u32;
    let mut share = || {
        turn = turn.wrapping_add(0x9e37_79b9);
        // Mixed, so that neighbours do not go together.
        let mixed = (turn ^ (turn >> 15)).wrapping_mul(0x2c1b_3c6d);
        (mixed ^ (mixed >> 12)) as f32 / u32::MAX as f32
    };
    let bounced = primary.iter().zip(&hits).filter_map(|(ray, hit)| {
        let hit = (*hit)?;
        let from = ray.origin + hit.t * ray.direction;
        // The direction leads into the half space that the ray came from, more or less.
        let back = -ray.direction + 0.9 * Vec3::new(share() - 0.5, share() - 0.5, share() - 0.5);
        Some(Ray::new(from, back).skipping([hit.group, Ray::NO_GROUP]))
    });
    let bounced: Vec<Ray> = bounced.collect();
    let mut random = || low + size * Vec3::new(share(), share(), share());
    let chords: Vec<Ray> = (0..SIDE * SIDE)
        .map(|_| Ray::between(random(), random()))
        .collect();
    vec![
        Kind {
            name: "first hits from a mast",
            question: Question::First,
            rays: primary,
        },
        Kind {
            name: "first hits after a wall",
            question: Question::First,
            rays: bounced,
        },
        Kind {
            name: "first hits of chords",
            question: Question::First,
            rays: chords.clone(),
        },
        Kind {
            name: "whether chords are free",
            question: Question::Any,
            rays: chords,
        },
    ]
}

/// Millions of rays a second of Sionna RT's intersector, on a graphics card if it finds one.
fn of_peer(python: &Path, scene: &Scene, kind: &Kind) -> Result<f64> {
    let file = std::env::temp_dir().join(format!("keller-rays-{}.bin", std::process::id()));
    let mut numbers: Vec<f32> = Vec::new();
    let origin = scene.origin().as_vec3();
    for ray in &kind.rays {
        let length = ray.direction.length();
        let direction = ray.direction / length;
        numbers.extend((ray.origin + origin).to_array());
        numbers.extend(direction.to_array());
        numbers.push(ray.t_max * length);
    }
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(&file, bytes)?;
    let mesh = file.with_extension("ply");
    write_ply(scene, &mesh)?;
    let script = root().join("benches/peer/rays.py");
    let question = if kind.question == Question::Any {
        "any"
    } else {
        "first"
    };
    let run = Command::new(python)
        .arg(script)
        .args([&mesh, &file])
        .arg(question)
        .output();
    let run = run.with_context(|| python.display().to_string())?;
    std::fs::remove_file(&file)?;
    std::fs::remove_file(&mesh)?;
    let text = String::from_utf8_lossy(&run.stdout);
    if !run.status.success() {
        bail!("the peer failed: {}", String::from_utf8_lossy(&run.stderr));
    }
    let last = text.lines().last().unwrap_or_default();
    last.trim()
        .parse()
        .with_context(|| format!("the peer said {last}"))
}

/// The triangles for the peer.
fn write_ply(scene: &Scene, file: &Path) -> Result<()> {
    let num = scene.triangles().len();
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {num}\nproperty list uchar int vertex_indices\nend_header\n",
        3 * num
    )
    .into_bytes();
    for triangle in 0..num {
        for corner in scene.corners(triangle) {
            bytes.extend(
                corner
                    .as_vec3()
                    .to_array()
                    .iter()
                    .flat_map(|x| x.to_le_bytes()),
            );
        }
    }
    for triangle in 0..i32::try_from(num)? {
        bytes.push(3);
        bytes.extend(
            [0, 1, 2]
                .iter()
                .flat_map(|k| (3 * triangle + k).to_le_bytes()),
        );
    }
    Ok(std::fs::write(file, bytes)?)
}
