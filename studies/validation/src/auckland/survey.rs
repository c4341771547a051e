//! The published measurements of level 8, as they are: the plan, the Tx, the points, and the received levels.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use keller::DVec3;

/// Side of the square plan, metres.
pub(super) const SIDE: f64 = 18.5;

/// The height from floor to floor, metres.
pub(super) const STOREY: f64 = 3.0;

/// The level whose floor is at height 0: heights of Tx count from it.
pub(super) const LOWEST_LEVEL: u32 = 5;

/// The level of the points.
pub(super) const LEVEL: u32 = 8;

/// Devices stand so high above their floor, metres.
const DEVICE_HEIGHT: f64 = 2.0;

/// Links that are shorter are left out, metres: a few wavelengths, where antennas are no points.
const MIN_DISTANCE: f64 = 1.0;

/// The measurements.
pub(super) struct Survey {
    pub(super) walls: Vec<Wall>,
    pub(super) tx: Vec<Tx>,
    pub(super) links: Vec<Link>,
    /// Number of links that are too short to be used.
    pub(super) num_short: usize,
}

/// A wall of the plan, from floor to ceiling.
pub(super) struct Wall {
    /// Its ends in the plan, metres.
    pub(super) ends: [[f64; 2]; 2],
    pub(super) material: String,
}

/// A Tx.
pub(super) struct Tx {
    pub(super) name: String,
    pub(super) position: DVec3,
}

impl Tx {
    /// Whether it stands in the building.
    pub(super) fn is_indoors(&self) -> bool {
        let inside = 0.0..=SIDE;
        inside.contains(&self.position.x) && inside.contains(&self.position.y)
    }
}

/// The measured level of a point from a Tx.
pub(super) struct Link {
    /// Index of the Tx.
    pub(super) tx: usize,
    pub(super) point: String,
    pub(super) position: DVec3,
    /// Mean power over a short track, dB relative to an unknown constant for each Tx.
    pub(super) level_db: f64,
}

impl Survey {
    /// The survey in a folder `auckland_indoor` of `data`.
    ///
    /// # Errors
    /// For files that are missing, or that say something else than expected.
    pub(super) fn read(data: &Path) -> Result<Self> {
        let folder = data.join("auckland_indoor");
        let rows = |name: &str, columns: &str| rows(&folder.join(name), columns);
        let wall = |row: &Vec<String>| {
            let [x1, y1, x2, y2] = numbers(row)?;
            anyhow::Ok(Wall {
                ends: [[x1, y1], [x2, y2]],
                material: row[4].clone(),
            })
        };
        let walls = rows("level8_walls_2d.csv", "x1_m,y1_m,x2_m,y2_m,material")?;
        let tx_rows = rows("pais_tx.csv", "tx,x_m,y_m,z_m")?;
        let tx = tx_rows.iter().map(|row| {
            let [x, y, z] = numbers(&row[1..])?;
            anyhow::Ok(Tx {
                name: row[0].clone(),
                position: turned(x, y, z),
            })
        });
        let tx: Vec<Tx> = tx.collect::<Result<_>>()?;
        let height = f64::from(LEVEL - LOWEST_LEVEL) * STOREY + DEVICE_HEIGHT;
        let points = rows("pais_rx_level8.csv", "level,point,x_mm,y_mm")?;
        let received = rows(
            "pais_received_level8.csv",
            "level,point,tx,n_samples,file_header_row_dB,mean_power_dB,median_dB",
        )?;
        let (mut links, mut num_short) = (Vec::new(), 0);
        for row in &received {
            let point = points.iter().find(|point| point[..2] == row[..2]);
            let point = point.with_context(|| format!("point {} has no place", row[1]))?;
            let [x, y] = numbers(&point[2..])?;
            let position = turned(1e-3 * x, 1e-3 * y, height);
            let tx_index = tx.iter().position(|tx| tx.name == row[2]);
            let tx_index = tx_index.with_context(|| format!("Tx {} has no place", row[2]))?;
            if tx[tx_index].position.distance(position) < MIN_DISTANCE {
                num_short += 1;
                continue;
            }
            links.push(Link {
                tx: tx_index,
                point: point[1].clone(),
                position,
                level_db: row[5].parse()?,
            });
        }
        Ok(Self {
            walls: walls.iter().map(wall).collect::<Result<_>>()?,
            tx,
            links,
            num_short,
        })
    }
}

impl Survey {
    /// The place of every link: points in the order in which they come first.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut points: Vec<&str> = Vec::new();
        let mut places = Vec::with_capacity(self.links.len());
        for link in &self.links {
            let known = points.iter().position(|point| **point == *link.point);
            places.push(known.unwrap_or(points.len()));
            if known.is_none() {
                points.push(&link.point);
            }
        }
        places
    }
}

/// Devices are in a frame that is turned by 180 degrees about the centre of the plan.
fn turned(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(SIDE - x, SIDE - y, z)
}

/// The rows of a table of these columns.
fn rows(file: &Path, columns: &str) -> Result<Vec<Vec<String>>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default().trim();
    ensure!(
        header == columns,
        "{}: the columns are {header}",
        file.display()
    );
    let count = columns.split(',').count();
    lines
        .map(|line| {
            let row: Vec<String> = line.split(',').map(|v| v.trim().to_owned()).collect();
            ensure!(row.len() == count, "{}: {line}", file.display());
            Ok(row)
        })
        .collect()
}

/// The first numbers of a row.
fn numbers<const N: usize>(row: &[String]) -> Result<[f64; N]> {
    let mut all = [0.0; N];
    for (number, text) in all.iter_mut().zip(row) {
        *number = text.parse().with_context(|| format!("{text}: no number"))?;
    }
    Ok(all)
}
