//! An L-shaped room at 60 GHz, every path up to the second order at 200 places: another simulator's deterministic output.
//!
//! It takes light to travel at 3e8 m/s exactly. Its Tx is mounted flush with the ceiling, where keller lets no device be: it is lowered by [`LOWERED`], and reflections at the
//! ceiling right above it, which that makes possible, are left out. Its reflections lose 15 dB each whatever the angle, so the gain
//! says how many there are. A path that is reflected exactly on the room's inner corner, where a wall ends (it happens at one step),
//! is there or not by convention; keller counts a wall's border to the wall, this data does not, so such paths are left out.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use glam::DVec2;
use keller::paths::{Limits, Path as Ray, Search};
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller::units::amplitude_to_db;
use keller::{DVec3, Direction};
use serde_json::Value;

use crate::geometry;

/// m/s, in the data; and the wavelength at 60 GHz that follows.
const ITS_SPEED_OF_LIGHT: f64 = 3e8;
const ITS_WAVELENGTH: f64 = ITS_SPEED_OF_LIGHT / 60e9;

/// The edge at which the walls of the L end.
const INNER_CORNER: DVec2 = DVec2::new(6.0, 6.0);

/// Metres.
const LOWERED: f64 = 1.1e-4;
const REFLECTION_LOSS_DB: f64 = 15.0;
const DELAY_TOLERANCE: f64 = 1e-12;
const ANGLE_TOLERANCE_DEG: f64 = 0.02;
const GAIN_TOLERANCE_DB: f64 = 0.005;

/// Compares all time steps.
pub(crate) fn check(data: &Path) -> Result<()> {
    let folder = data.join("qd_l_room");
    let scene = Scene::new(&mesh(
        &folder.join("Output/Visualizer/RoomCoordinates.csv"),
    )?)?;
    let world = geometry::world(scene, |_| true)?;
    let tx = positions(&folder.join("Input/NodePosition0.dat"))?;
    let rx = positions(&folder.join("Input/NodePosition1.dat"))?;
    let listed = read(&folder.join("Output/Ns3/QdFiles/qdOutput.json"))?;
    let listed: Value = serde_json::from_str(listed.lines().next().context("an empty file")?)?;
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        ..Limits::default()
    };
    for search in [Search::Exhaustive, Search::default(), Search::Complete] {
        let mut compared = 0;
        for (step, (&tx, &rx)) in tx.iter().zip(&rx).enumerate() {
            let tx = tx - LOWERED * DVec3::Z;
            let paths = geometry::paths(&world, tx, &[rx], &limits, search)?;
            let is_above_tx = |p: &Ray| {
                let first = p.vertices.first();
                first.is_some_and(|i| i.point.distance(tx) < 0.01)
            };
            let is_on_corner = |p: &Ray| {
                let mut points = p.vertices.iter().map(|i| i.point.truncate());
                points.any(|xy| xy.distance(INNER_CORNER) < 1e-9)
            };
            let paths: Vec<Ray> = paths
                .into_iter()
                .filter(|p| !is_above_tx(p) && !is_on_corner(p))
                .collect();
            let found: Vec<Line> = paths.iter().map(Line::of).collect();
            let expected = Line::listed(&listed, step)?;
            for (path, line) in paths.iter().zip(&found) {
                ensure!(
                    expected.iter().any(|e| e.is_near(line)),
                    "step {step}: {search:?} has {path:?}, which is not listed"
                );
            }
            for line in &expected {
                ensure!(
                    found.iter().any(|f| f.is_near(line)),
                    "step {step}: {search:?} has no {line:?}"
                );
            }
            ensure!(
                found.len() == expected.len(),
                "step {step}: a path is listed twice"
            );
            compared += expected.len();
        }
        println!(
            "room: {compared} paths of {} time steps agree ({search:?})",
            rx.len()
        );
    }
    Ok(())
}

/// One path as the other simulator lists it.
#[derive(Debug)]
struct Line {
    delay: f64,
    gain_db: f64,
    /// Departure zenith and azimuth, arrival zenith and azimuth.
    angles_deg: [f64; 4],
}

impl Line {
    fn of(path: &Ray) -> Self {
        let ends = path.vertices.first().map_or(path.rx_position, |i| i.point);
        let starts = path.vertices.last().map_or(path.tx_position, |i| i.point);
        let departure = Direction::from_vector(ends - path.tx_position);
        let arrival = Direction::from_vector(starts - path.rx_position);
        let free_space = ITS_WAVELENGTH / (4.0 * std::f64::consts::PI * path.length);
        Self {
            delay: path.length / ITS_SPEED_OF_LIGHT,
            gain_db: amplitude_to_db(free_space) - REFLECTION_LOSS_DB * path.vertices.len() as f64,
            angles_deg: [
                departure.zenith,
                departure.azimuth,
                arrival.zenith,
                arrival.azimuth,
            ]
            .map(f64::to_degrees),
        }
    }

    fn listed(file: &Value, step: usize) -> Result<Vec<Self>> {
        let column = |key: &str| {
            let values = file[key][step]
                .as_array()
                .with_context(|| format!("no {key} for step {step}"))?;
            Ok::<Vec<f64>, anyhow::Error>(values.iter().filter_map(Value::as_f64).collect())
        };
        let angles = [
            column("AODEL")?,
            column("AODAZ")?,
            column("AOAEL")?,
            column("AOAAZ")?,
        ];
        let (delays, gains) = (column("Delay")?, column("Gain")?);
        Ok((0..delays.len())
            .map(|i| Self {
                delay: delays[i],
                gain_db: gains[i],
                angles_deg: [0, 1, 2, 3].map(|k| angles[k][i]),
            })
            .collect())
    }

    fn is_near(&self, other: &Self) -> bool {
        let angles = self.angles_deg.iter().zip(&other.angles_deg);
        (self.delay - other.delay).abs() < DELAY_TOLERANCE
            && (self.gain_db - other.gain_db).abs() < GAIN_TOLERANCE_DB
            && angles.into_iter().all(|(a, b)| {
                let turn = (a - b).rem_euclid(360.0);
                turn.min(360.0 - turn) < ANGLE_TOLERANCE_DEG
            })
    }
}

/// Nine coordinates a line: a triangle.
fn mesh(file: &Path) -> Result<Mesh> {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("wall");
    for numbers in rows(file)? {
        ensure!(
            numbers.len() == 9,
            "{}: a line without nine numbers",
            file.display()
        );
        let base = u32::try_from(mesh.vertices.len())?;
        mesh.vertices
            .extend(numbers.chunks(3).map(DVec3::from_slice));
        mesh.triangles.push(MeshTriangle {
            vertices: [base, base + 1, base + 2],
            material,
        });
    }
    Ok(mesh)
}

fn positions(file: &Path) -> Result<Vec<DVec3>> {
    Ok(rows(file)?.iter().map(|r| DVec3::from_slice(r)).collect())
}

fn rows(file: &Path) -> Result<Vec<Vec<f64>>> {
    read(file)?
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split(',').map(|n| Ok(n.trim().parse()?)).collect())
        .collect()
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}
