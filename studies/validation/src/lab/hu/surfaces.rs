//! The two limits of section 5.7: gaps on a slope, and gaps on walls that rays graze. Every voxel that counts is
//! visible, so the direct path is the exact answer.

use std::path::Path;

use anyhow::{Result, ensure};
use glam::{DVec2, DVec3};
use keller::coverage::Region;
use keller::coverage::tubes::Accuracy;
use keller::scene::Mesh;
use keller_lab::launching::tlars::Splitting;

use super::case::Case;
use super::methods::Method;
use super::pictures;

/// Half the side of the cube that the first tubes are aimed at where they split on their way, voxels.
const AROUND: usize = 8;

/// The methods that are compared.
const METHODS: [Method; 10] = [
    Method::Gorl(1),
    Method::Gorl(11),
    Method::Tlars(None, Splitting::AtParents),
    Method::Tlars(None, Splitting::Footprints),
    Method::Tlars(Some(AROUND), Splitting::AtParents),
    Method::Tlars(Some(AROUND), Splitting::AtTx),
    Method::Tlars(Some(AROUND), Splitting::Footprints),
    Method::Tubes(Accuracy::Quick),
    Method::Tubes(Accuracy::Default),
    Method::Tubes(Accuracy::Exact),
];

/// Slopes, degrees, the edges of voxels there, and the height of the Tx over the slope, metres.
const SLOPES: [f64; 5] = [0.0, 5.0, 10.0, 20.0, 30.0];
const SLOPE_VOXEL: f64 = 2.0;
const MAST: f64 = 10.0;

/// The long sides of the room and the height of its ceiling, metres; its rotation relative to the voxels, degrees; and
/// the edges of these, metres.
const ROOM: DVec3 = DVec3::new(100.0, 12.0, 3.0);
const TURN: f64 = 4.0;
const ROOM_VOXEL: f64 = 0.5;

/// Upper ends of bands of the angle between the wall and the ray, degrees.
const BANDS: [f64; 4] = [10.0, 20.0, 40.0, 90.0];

/// Prints both tables.
pub(super) fn check(folder: Option<&Path>) -> Result<()> {
    slopes(folder)?;
    room()
}

/// A plane that rises along x and a little along y.
fn slope(degrees: f64) -> Result<Case> {
    let rise = DVec2::new(degrees.to_radians().tan(), 0.05);
    let height = |at: DVec2| rise.dot(at);
    let corners = [
        [-70.0, -130.0],
        [270.0, -130.0],
        [270.0, 130.0],
        [-70.0, 130.0],
    ];
    let corners = corners.map(|at| DVec2::from(at).extend(height(DVec2::from(at))));
    let mut mesh = Mesh::default();
    mesh.add_polygon("concrete", &corners);
    let at = DVec2::new(-40.3, 0.4);
    let low = DVec3::new(-50.0, -100.0, corners[0].z - 0.7);
    let high = DVec3::new(250.0, 100.0, corners[2].z + 20.0);
    let region = Region::volume(low, high, DVec3::splat(SLOPE_VOXEL))?;
    let mut case = Case::new(&mesh, at.extend(height(at) + MAST), region)?;
    let normal = (-rise).extend(1.0).normalize();
    case.sort(1, |point| normal.dot(point), |_| 0);
    Ok(case)
}

fn slopes(folder: Option<&Path>) -> Result<()> {
    println!(
        "\nvoxels of {SLOPE_VOXEL} m on a slope, Tx {MAST} m over it, every voxel in sight: missed % (sd of the others, dB), by slope\n"
    );
    let cases = SLOPES
        .map(slope)
        .into_iter()
        .collect::<Result<Vec<Case>>>()?;
    let titles = SLOPES.map(|degrees| format!("{degrees}°"));
    println!(
        "| method | {} | behind the surface % | s for all |",
        titles.join(" | ")
    );
    println!("|---|--:|--:{}|", "|--:".repeat(SLOPES.len()));
    let (mut maps, mut missed) = (Vec::new(), Vec::new());
    for method in METHODS {
        let (mut row, mut behind, mut seconds) = (Vec::new(), 0.0, 0.0);
        for (degrees, case) in SLOPES.into_iter().zip(&cases) {
            let (errors, filled, run) = case.run(method)?;
            row.push(format!(
                "{:.2} ({:.2})",
                100.0 * errors[0].missed,
                errors[0].deviation
            ));
            behind += filled / SLOPES.len() as f64;
            seconds += run.seconds;
            missed.push(errors[0].missed);
            if degrees == DRAWN_SLOPE {
                maps.push((method, run.gains));
            }
        }
        println!(
            "| {} | {} | {:.1} | {seconds:.2} |",
            method.name(),
            row.join(" | "),
            100.0 * behind
        );
    }
    let exact = &missed[missed.len() - SLOPES.len()..];
    ensure!(
        exact.iter().all(|missed| *missed < MAX_MISSED),
        "exact tubes miss these shares of the voxels on slopes: {exact:?}"
    );
    let drawn = SLOPES.iter().position(|degrees| *degrees == DRAWN_SLOPE);
    if let (Some(folder), Some(drawn)) = (folder, drawn) {
        pictures::slope(&folder.join("hu-slope.png"), &cases[drawn], AROUND, &maps)?;
    }
    Ok(())
}

/// Exact tubes miss a smaller share of the voxels on each slope.
const MAX_MISSED: f64 = 0.002;

/// The slope that is drawn, degrees.
const DRAWN_SLOPE: f64 = 5.0;

/// A long room, turned relative to the voxels, which reach beyond it.
fn room() -> Result<()> {
    println!(
        "\nvoxels of {ROOM_VOXEL} m beside the walls of a room of {} m by {} m, every voxel in sight: missed % by the angle between wall and ray\n",
        ROOM.x, ROOM.y
    );
    let along = DVec2::from_angle(TURN.to_radians());
    let half = 0.5 * ROOM.truncate();
    let corner = |[a, b]: [f64; 2], z: f64| along.rotate(half * DVec2::new(a, b)).extend(z);
    let around = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let mut mesh = Mesh::default();
    for k in 0..4 {
        let [a, b] = [around[k], around[(k + 1) % 4]];
        let wall = [
            corner(a, 0.0),
            corner(b, 0.0),
            corner(b, ROOM.z),
            corner(a, ROOM.z),
        ];
        mesh.add_polygon("concrete", &wall);
    }
    for z in [0.0, ROOM.z] {
        mesh.add_polygon("concrete", &around.map(|at| corner(at, z)));
    }
    let region = Region::volume(
        DVec3::new(-60.0, -30.0, -1.1),
        DVec3::new(60.0, 30.0, 4.4),
        DVec3::splat(ROOM_VOXEL),
    )?;
    let position = DVec3::new(0.13, 0.21, 1.7);
    let mut case = Case::new(&mesh, position, region)?;
    let own = |point: DVec3| DVec2::from_angle(-TURN.to_radians()).rotate(point.truncate());
    let gap = |point: DVec3| half - own(point).abs();
    let distance = |point: DVec3| {
        // Floor and ceiling do not count.
        let is_inside = point.z > 0.5 * ROOM_VOXEL && point.z < ROOM.z - 0.5 * ROOM_VOXEL;
        if is_inside {
            gap(point).min_element()
        } else {
            f64::INFINITY
        }
    };
    let band = |point: DVec3| {
        let across = usize::from(gap(point).y < gap(point).x);
        let way = own(point) - own(position);
        let sine = way[across].abs() / point.distance(position);
        let degrees = sine.asin().to_degrees();
        BANDS
            .iter()
            .position(|upper| degrees <= *upper)
            .unwrap_or(0)
    };
    case.sort(BANDS.len(), distance, band);
    let titles: Vec<String> = BANDS
        .iter()
        .map(|upper| format!("up to {upper}°"))
        .collect();
    println!(
        "| method | {} | behind the wall % | s |",
        titles.join(" | ")
    );
    println!("|---|--:|--:{}|", "|--:".repeat(BANDS.len()));
    let counts: Vec<String> = case.near.iter().map(|of| of.len().to_string()).collect();
    println!(
        "| voxels | {} | {} | |",
        counts.join(" | "),
        case.behind.len()
    );
    for method in METHODS {
        let (errors, behind, run) = case.run(method)?;
        let row: Vec<String> = errors
            .iter()
            .map(|e| format!("{:.2}", 100.0 * e.missed))
            .collect();
        println!(
            "| {} | {} | {:.1} | {:.2} |",
            method.name(),
            row.join(" | "),
            100.0 * behind,
            run.seconds
        );
        ensure!(
            method != Method::Tubes(Accuracy::Exact) || errors.iter().all(|e| e.missed == 0.0),
            "exact tubes miss voxels beside a wall"
        );
    }
    Ok(())
}
