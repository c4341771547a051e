//! Views: scenes and results as one page for browsers.
//!
//! A [`View`] collects the contents of a page. Its manifest is small and JSON (`format`); arrays are separate parts of
//! binary numbers (`parts`). [`View::page`] puts both into the page that `viewer/` makes; [`View::served_page`] leaves
//! the parts out, for a server that hands them out one by one.

mod cells;
mod channels;
mod format;
mod links;
mod measured;
mod page;
mod parts;
mod paths;
mod results;
mod scene;
mod surfaces;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use keller::DVec3;
use thiserror::Error;

use self::format::{CellMap, MeasuredPoints, Snapshot, Surfaces, ViewReceivers, ViewScene};
pub use self::format::{Earth, ViewTx};
use self::parts::Parts;
pub use self::results::ViewResult;
pub use self::scene::ShownScene;
use crate::reports::table::StoredTableError;

/// The reason why something cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A table that cannot be read.
    #[error(transparent)]
    Table(#[from] StoredTableError),
    /// A file of arrays that cannot be read, or does not fit the scene and its devices.
    #[error("{}: {problem}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The fault that was found, and what is accepted.
        problem: String,
    },
}

/// The scenes and results to be shown.
#[derive(Debug, Default)]
pub struct View {
    title: String,
    parts: Parts,
    bounds: Option<[DVec3; 2]>,
    /// The devices of the last snapshot.
    devices: ShownDevices,
    earth: Option<Earth>,
    limit_db: Option<f64>,
    scene: Option<ViewScene>,
    snapshots: Vec<Snapshot>,
    maps: Vec<CellMap>,
    surfaces: Vec<Surfaces>,
    measured: Vec<MeasuredPoints>,
}

/// The devices of a snapshot.
#[derive(Debug, Clone, Default)]
pub struct ShownDevices {
    /// All Tx.
    pub tx: Vec<ViewTx>,
    /// The places of all Rx, metres.
    pub rx: Vec<DVec3>,
    /// The names of the Rx, if they have any.
    pub rx_names: Option<Vec<String>>,
}

impl View {
    /// An empty view. Coordinates are kept in single precision relative to `origin`, which is near the later contents.
    pub fn new(title: String, origin: DVec3) -> Self {
        Self {
            title,
            parts: Parts {
                origin,
                ..Parts::default()
            },
            ..Self::default()
        }
    }

    /// Sets the scene's place on earth.
    pub fn set_earth(&mut self, earth: Earth) {
        self.earth = Some(earth);
    }

    /// Sets the path loss, dB, beyond which the next coverages have no gain, if there is such a limit.
    pub fn set_path_loss_limit(&mut self, limit_db: Option<f64>) {
        self.limit_db = limit_db;
    }

    /// Adds devices. Later paths and links belong to them.
    pub fn add_snapshot(&mut self, label: String, devices: &ShownDevices) {
        let at_tx = devices.tx.iter().map(|tx| DVec3::from(tx.at));
        self.enclose(at_tx.chain(devices.rx.iter().copied()));
        let rx = ViewReceivers {
            count: devices.rx.len(),
            positions: self.parts.points(devices.rx.iter().copied()),
            names: devices.rx_names.clone(),
        };
        self.devices = devices.clone();
        self.snapshots.push(Snapshot {
            label,
            tx: devices.tx.clone(),
            rx,
            paths: None,
            links: None,
        });
    }

    /// Gives the last snapshot the links of the one before, which has the same devices.
    pub fn repeat_links(&mut self) {
        if let [.., before, last] = &mut self.snapshots[..] {
            last.links.clone_from(&before.links);
        }
    }

    /// The numbers of Tx and Rx of the last snapshot.
    fn num_devices(&self) -> [usize; 2] {
        [self.devices.tx.len(), self.devices.rx.len()]
    }

    fn enclose(&mut self, points: impl IntoIterator<Item = DVec3>) {
        for point in points.into_iter().filter(|point| point.is_finite()) {
            let [low, high] = self.bounds.get_or_insert([point; 2]);
            *low = low.min(point);
            *high = high.max(point);
        }
    }
}

/// The name of a result: that of its file.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The label of a column or array for readers, without its unit.
fn label(key: &str) -> String {
    let known = [
        ("path_gain_db", "path gain"),
        ("best_server", "best server"),
        ("second_server", "second best server"),
        ("received_power_dbm", "received power"),
        ("second_power_dbm", "power from the second best server"),
        ("total_power_dbm", "power from all Tx"),
        ("sinr_db", "SINR"),
        ("zoa", "zenith of arrival"),
        ("aoa", "azimuth of arrival"),
        ("zod", "zenith of departure"),
        ("aod", "azimuth of departure"),
        ("zsa", "zenith spread of arrival"),
        ("asa", "azimuth spread of arrival"),
        ("zsd", "zenith spread of departure"),
        ("asd", "azimuth spread of departure"),
        ("k_factor_db", "K factor"),
        ("error_db", "prediction minus measurement"),
    ];
    if let Some((_, label)) = known.iter().find(|(known, _)| *known == key) {
        return (*label).to_owned();
    }
    let units = ["_dbm", "_db", "_s", "_hz", "_m"];
    let bare = units.iter().find_map(|unit| key.strip_suffix(unit));
    bare.unwrap_or(key)
        .replace('_', " ")
        .replace("num ", "number of ")
}

/// The unit in the name of a column or array.
fn unit(key: &str) -> &'static str {
    const UNITS: [(&str, &str); 5] = [
        ("_dbm", "dBm"),
        ("_db", "dB"),
        ("_s", "s"),
        ("_hz", "Hz"),
        ("_m", "m"),
    ];
    const ANGLES: [&str; 8] = ["zoa", "aoa", "zod", "aod", "zsa", "asa", "zsd", "asd"];
    if ANGLES.contains(&key) {
        return "rad";
    }
    let found = UNITS.iter().find(|(suffix, _)| key.ends_with(suffix));
    found.map_or("", |(_, unit)| unit)
}
