//! The paths of a view, from arrays of channels.

use std::path::Path;

use keller::DVec3;
use keller::units::power_to_db;

use super::paths::PathColumns;
use super::{View, ViewError};
use crate::formats::npy::count_of;
use crate::formats::npz_archive::NpzArchive;

/// The letters of interactions, by the numbers of the array `interactions`.
const LETTERS: [(u8, char); 4] = [(1, 'R'), (2, 'S'), (4, 'T'), (8, 'D')];

/// Paths in arrays `[rx, tx, path]`, and their points in `[rx, tx, path, depth]`.
struct Channels {
    /// The numbers of Rx and Tx, and the largest number of paths of a link.
    shape: [usize; 3],
    depth: usize,
    valid: Vec<f64>,
    /// The gains with all antennas, linear.
    gains: Vec<f64>,
    tau: Vec<f64>,
    /// The zenith and azimuth of departure, zenith and azimuth of arrival.
    angles: [Vec<f64>; 4],
    interactions: Vec<f64>,
    objects: Vec<f64>,
    vertices: Vec<f64>,
}

impl Channels {
    /// Reads the paths of so many Rx and Tx. All arrays fit each other before any of them is unpacked.
    fn read(npz: &mut NpzArchive, [num_rx, num_tx]: [usize; 2]) -> Result<Self, String> {
        let valid = npz.shape("valid")?;
        let shape = <[usize; 3]>::try_from(valid)
            .map_err(|valid| format!("valid has the shape {valid:?}"))?;
        if shape[..2] != [num_rx, num_tx] {
            return Err(format!(
                "it is of {} Tx and {} Rx, and the scenario has {num_tx} and {num_rx}; accepted: results of the scenario that is shown",
                shape[1], shape[0]
            ));
        }
        let depth = npz.shape("interactions")?.get(3).copied().unwrap_or(0);
        let count = count_of(&shape);
        let parts = [
            ("valid", 1),
            ("tau", 1),
            ("interactions", depth),
            ("objects", depth),
        ];
        let angles = ["theta_t", "phi_t", "theta_r", "phi_r"];
        let parts = parts.into_iter().chain(angles.map(|name| (name, 1)));
        for (name, each) in parts.chain([("vertices", depth.saturating_mul(3))]) {
            if npz.header(name)?.count() != count.saturating_mul(each as u64) {
                return Err(format!("{name} does not fit valid"));
            }
        }
        let mut of = |name: &str| Ok::<_, String>(npz.array(name)?.values);
        let [zod, aod, zoa, aoa] = angles.map(&mut of);
        let (angles, tau) = ([zod?, aod?, zoa?, aoa?], of("tau")?);
        let (objects, vertices) = (of("objects")?, of("vertices")?);
        let (interactions, valid) = (of("interactions")?, of("valid")?);
        Ok(Self {
            gains: gains(npz, shape)?,
            interactions,
            shape,
            depth,
            valid,
            tau,
            angles,
            objects,
            vertices,
        })
    }

    /// The numbers of the points of a path among all points.
    fn points(&self, path: usize) -> impl Iterator<Item = usize> + '_ {
        let all = path * self.depth..(path + 1) * self.depth;
        all.take_while(|point| self.interactions[*point] > 0.0)
    }

    fn vertex(&self, point: usize) -> DVec3 {
        DVec3::from_slice(&self.vertices[3 * point..3 * point + 3])
    }

    fn types(&self, path: usize) -> Result<String, String> {
        let letters = self.points(path).map(|point| {
            let number = self.interactions[point];
            let known = LETTERS.iter().find(|(own, _)| f64::from(*own) == number);
            known
                .map(|(_, letter)| *letter)
                .ok_or_else(|| format!("interactions holds {number}, which is none"))
        });
        let letters: String = letters.collect::<Result<_, String>>()?;
        Ok(if letters.is_empty() {
            "LOS".to_owned()
        } else {
            letters
        })
    }
}

/// The gain of each path: the power at all ports of the Rx over the power that the ports of the Tx share.
fn gains(
    npz: &mut NpzArchive,
    [num_rx, num_tx, num_paths]: [usize; 3],
) -> Result<Vec<f64>, String> {
    let shape = npz.shape("a")?;
    let [rx, rx_ports, tx, tx_ports, paths] = shape[..] else {
        return Err(format!("a has the shape {shape:?}"));
    };
    if [rx, tx, paths] != [num_rx, num_tx, num_paths] {
        return Err("a does not fit valid".to_owned());
    }
    let squares = npz.squares("a")?;
    let at = |rx: usize, i: usize, tx: usize, j: usize, path: usize| {
        squares.values[(((rx * rx_ports + i) * num_tx + tx) * tx_ports + j) * num_paths + path]
    };
    // Tx with fewer ports than others have zeros in place of the others.
    let num_ports = |tx: usize| {
        let is_used = |j: &usize| {
            (0..num_rx).any(|rx| {
                (0..rx_ports).any(|i| (0..num_paths).any(|path| at(rx, i, tx, *j, path) > 0.0))
            })
        };
        (0..tx_ports).filter(is_used).count().max(1)
    };
    let ports: Vec<usize> = (0..num_tx).map(num_ports).collect();
    let mut gains = Vec::with_capacity(num_rx * num_tx * num_paths);
    for rx in 0..num_rx {
        for (tx, shared) in ports.iter().enumerate() {
            for path in 0..num_paths {
                let ports = (0..rx_ports).flat_map(|i| (0..tx_ports).map(move |j| (i, j)));
                let sum: f64 = ports.map(|(i, j)| at(rx, i, tx, j, path)).sum();
                gains.push(sum / *shared as f64);
            }
        }
    }
    Ok(gains)
}

impl View {
    /// Adds the paths of arrays of channels to the last snapshot.
    pub(super) fn add_channels(
        &mut self,
        file: &Path,
        npz: &mut NpzArchive,
    ) -> Result<(), ViewError> {
        let refuse = |problem| ViewError::File {
            file: file.to_owned(),
            problem,
        };
        let devices = &self.devices;
        let devices_there_are = [devices.rx.len(), devices.tx.len()];
        let channels = Channels::read(npz, devices_there_are).map_err(refuse)?;
        let [num_rx, num_tx, num_paths] = channels.shape;
        let mut columns = PathColumns::default();
        for (tx, rx) in (0..num_tx).flat_map(|tx| (0..num_rx).map(move |rx| (tx, rx))) {
            let index = |n: usize| u32::try_from(n).expect("fewer than 2^32 devices");
            for path in (0..num_paths).map(|path| (rx * num_tx + tx) * num_paths + path) {
                if channels.valid[path] == 0.0 {
                    continue;
                }
                let first = columns.points.items.len();
                for point in channels.points(path) {
                    columns.points.items.push(channels.vertex(point));
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "ids of faces and edges"
                    )]
                    columns.objects.push(channels.objects[point] as u32);
                }
                columns.points.starts.push(columns.points.items.len());
                columns.tx.push(index(tx));
                columns.rx.push(index(rx));
                columns.types.push(channels.types(path).map_err(refuse)?);
                columns.gain_db.push(power_to_db(channels.gains[path]));
                columns.delay.push(channels.tau[path]);
                columns
                    .angles
                    .push([0, 1, 2, 3].map(|k| channels.angles[k][path]));
                let ends = [DVec3::from(devices.tx[tx].at), devices.rx[rx]];
                let inner = &columns.points.items[first..];
                let points: Vec<DVec3> = [&ends[..1], inner, &ends[1..]].concat();
                let lengths = points.windows(2).map(|pair| pair[0].distance(pair[1]));
                columns.length.push(lengths.sum());
            }
        }
        self.add_paths(file, &columns)
    }
}
