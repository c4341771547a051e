//! Whole runs with and without the card.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use glam::{DVec2, Vec3};
use keller::antenna::Antenna;
use keller::coverage::Region;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::diffuse::{DiffuseField, DiffuseOptions};
use keller::geometry::bvh::Ray;
use keller::paths::{Effort, Limits, Search};
use keller::scene::Scene;
use keller::units::db_to_power;
use keller::{Control, DVec3, Tx, World};
use keller_gpu::Gpu;

use super::measured::Measured;
use super::peer::{Peer, PeerRun, Plane};
use crate::geometry::{paths, world};

/// Weaker waves are not followed, dB.
const LIMIT_DB: f64 = -140.0;

/// Receivers along each side of the square of receivers, and their distance, metres.
const RX_SIDE: u32 = 20;
const RX_APART: f64 = 16.0;

/// The result of a run, as bits.
type Found = Vec<u64>;

/// A run in a world with a Tx.
struct Run {
    name: &'static str,
    find: fn(&World, DVec3) -> Result<Found>,
    /// The most similar run of the peer.
    peer: Option<PeerRun>,
}

/// Planes of a map and of a volume.
const PLANES: [u32; 2] = [1, 20];

/// Reflections of maps.
const MAP_REFLECTIONS: usize = 4;

const RUNS: [Run; 5] = [
    Run {
        name: "paths, 3 R and 1 T, `launch`",
        find: |world, tx| links(world, tx, [3, 1, 0]),
        peer: Some(PeerRun::Paths {
            depth: 4,
            diffraction: false,
        }),
    },
    Run {
        name: "paths, 3 R, 1 T and 1 D, `launch`",
        find: |world, tx| links(world, tx, [3, 1, 1]),
        peer: Some(PeerRun::Paths {
            depth: 5,
            diffraction: true,
        }),
    },
    Run {
        name: "plane, 4 R, `tubes`",
        find: |world, tx| cells(world, tx, PLANES[0]),
        peer: Some(PeerRun::Maps {
            depth: MAP_REFLECTIONS,
            planes: PLANES[0],
        }),
    },
    Run {
        name: "volume of 20 planes, 4 R, `tubes`",
        find: |world, tx| cells(world, tx, PLANES[1]),
        peer: Some(PeerRun::Maps {
            depth: MAP_REFLECTIONS,
            planes: PLANES[1],
        }),
    },
    Run {
        name: "diffuse power between 3 000 tiles",
        find: |world, _| diffuse(world),
        peer: None,
    },
];

pub(super) fn compare(
    name: &str,
    scene: &Scene,
    gpu: &Gpu,
    peer: Option<&Peer<'_>>,
    report: &mut String,
) -> Result<()> {
    let here = world(scene.clone(), |_| false)?;
    let tx = mast(scene);
    let index = gpu.index(scene.index(), |error| eprintln!("{error}"))?;
    let there = here.clone().with_accelerator(Arc::new(index));
    writeln!(
        report,
        "\n## Whole runs: {name}\n\nThe same bits with and without. Rays in large batches are what the card takes over: their share bounds \
         what it can save. The peer, on the same card, counts reflections, transmissions and diffractions together, and draws a volume plane \
         by plane.\n\n\
         | run | processor, s | with the card, s | ratio | peer, s | share of rays | rays, millions |\n\
         |---|--:|--:|--:|--:|--:|--:|"
    )?;
    let asked: Vec<PeerRun> = RUNS.iter().filter_map(|run| run.peer).collect();
    let seconds =
        peer.map(|peer| peer.seconds(tx, &receivers(&here, tx), &plane(scene, tx), &asked));
    let mut of_peer = seconds.transpose()?.unwrap_or_default().into_iter();
    for run in RUNS {
        eprintln!("{name}: {}", run.name);
        let measured = Measured::new(&here, &there, gpu.kind(), |world| (run.find)(world, tx))?;
        let of_peer = run.peer.and_then(|_| of_peer.next());
        let of_peer = of_peer.map_or("-".into(), |seconds| format!("{seconds:.2}"));
        let Measured {
            processor,
            card,
            share,
            rays,
        } = measured;
        writeln!(
            report,
            "| {} | {processor:.2} | {card:.2} | {:.2} | {of_peer} | {:.0} % | {:.1} |",
            run.name,
            processor / card,
            100.0 * share,
            1e-6 * rays,
        )?;
    }
    Ok(())
}

/// A place ten metres above the surface in the middle.
fn mast(scene: &Scene) -> DVec3 {
    let [low, high] = scene.bounds();
    let middle = 0.5 * (low + high);
    let above = (middle.with_z(high.z + 1.0) - scene.origin()).as_vec3();
    let down = scene.index().closest_hit(&Ray::new(above, Vec3::NEG_Z));
    let top = down.map_or(low.z, |hit| high.z + 1.0 - f64::from(hit.t));
    middle.with_z(top + 10.0)
}

fn limits([reflections, transmissions, diffractions]: [usize; 3]) -> Limits {
    Limits {
        max_interactions: reflections + transmissions + diffractions,
        max_reflections: reflections,
        max_transmissions: transmissions,
        max_diffractions: diffractions,
        ..Limits::default()
    }
}

fn receivers(world: &World, tx: DVec3) -> Vec<DVec3> {
    let ground = world.scene().bounds()[0].z;
    let half = 0.5 * f64::from(RX_SIDE - 1);
    let place = |k: u32| {
        let [i, j] = [k % RX_SIDE, k / RX_SIDE].map(|n| RX_APART * (f64::from(n) - half));
        DVec3::new(tx.x + i, tx.y + j, ground + 1.5)
    };
    (0..RX_SIDE * RX_SIDE).map(place).collect()
}

fn links(world: &World, tx: DVec3, allowed: [usize; 3]) -> Result<Found> {
    let rx = receivers(world, tx);
    let found = paths(
        world,
        tx,
        &rx,
        &limits(allowed),
        Search::Launch(Effort::Default),
    )?;
    Ok(found
        .iter()
        .flat_map(|path| [path.rx as u64, path.length.to_bits()])
        .collect())
}

/// The lowest plane of cells.
fn plane(scene: &Scene, tx: DVec3) -> Plane {
    let [low, high] = scene.bounds();
    let half = DVec2::splat(330.0);
    Plane {
        min: (tx.truncate() - half).max(low.truncate()),
        max: (tx.truncate() + half).min(high.truncate()),
        floor: low.z + 0.5,
        cell: DVec3::new(5.0, 5.0, 2.5),
    }
}

fn cells(world: &World, tx: DVec3, planes: u32) -> Result<Found> {
    let Plane {
        min,
        max,
        floor,
        cell,
    } = plane(world.scene(), tx);
    let top = floor + cell.z * f64::from(planes);
    let region = Region::volume(min.extend(floor), max.extend(top), cell)?;
    let settings = Settings {
        limits: limits([MAP_REFLECTIONS, 0, 0]),
        accuracy: Accuracy::Default,
        min_gain: db_to_power(LIMIT_DB),
    };
    let tx = Tx {
        position: tx,
        antenna: Antenna::default(),
    };
    let tubes = Tubes::new(world, &region, settings);
    let found = tubes.gains(&tx, 0..region.num_cells(), &Control::default())?;
    Ok(found.into_iter().map(f64::to_bits).collect())
}

fn diffuse(world: &World) -> Result<Found> {
    let options = DiffuseOptions::of_scene(world.scene());
    let field = DiffuseField::new(world, &options, &Control::default())?;
    Ok(vec![
        field.num_exchanges() as u64,
        field.max_returned_share().to_bits(),
    ])
}
