//! The paths of a view, from a table of paths.

use std::path::Path;

use keller::DVec3;

use super::format::ViewPaths;
use super::{View, ViewError, name_of};
use crate::reports::table::{Lists, PathRow, StoredTable};

/// The columns that distinguish a table of paths from others.
pub(super) const COLUMNS: [&str; 5] = ["tx", "rx", "types", "points", "gain_db"];

/// Paths column by column. The columns have equal lengths; `points` and `objects` have the same lists.
#[derive(Debug, Default)]
pub(super) struct PathColumns {
    pub(super) tx: Vec<u32>,
    pub(super) rx: Vec<u32>,
    pub(super) types: Vec<String>,
    pub(super) gain_db: Vec<f64>,
    pub(super) delay: Vec<f64>,
    pub(super) length: Vec<f64>,
    /// The zenith and azimuth of departure, zenith and azimuth of arrival.
    pub(super) angles: Vec<[f64; 4]>,
    pub(super) points: Lists<DVec3>,
    pub(super) objects: Vec<u32>,
}

impl View {
    /// Adds the paths of a table to the last snapshot.
    pub(super) fn add_path_table(
        &mut self,
        file: &Path,
        table: &StoredTable,
    ) -> Result<(), ViewError> {
        let angles = ["zod", "aod", "zoa", "aoa"].map(|name| table.numbers(name));
        let [zod, aod, zoa, aoa] = angles;
        let (zod, aod, zoa, aoa) = (zod?, aod?, zoa?, aoa?);
        let angle = |row: usize| [zod[row], aod[row], zoa[row], aoa[row]];
        let gains = table.numbers("gain_db")?.into_iter();
        let columns = PathColumns {
            tx: table.indices("tx")?,
            rx: table.indices("rx")?,
            types: table.texts("types")?,
            // JSON has no infinity.
            gain_db: gains
                .map(|gain| {
                    if gain.is_nan() {
                        f64::NEG_INFINITY
                    } else {
                        gain
                    }
                })
                .collect(),
            delay: table.numbers("delay_s")?,
            length: table.numbers("length_m")?,
            angles: (0..table.len()).map(angle).collect(),
            points: table.points("points")?,
            objects: table.ids("objects")?.items,
        };
        if columns.objects.len() != columns.points.items.len() {
            let problem = "points and objects do not fit each other".to_owned();
            return Err(table.refuse(problem).into());
        }
        self.add_paths(file, &columns)
    }

    /// Adds the paths of these rows, which are sorted by Tx and Rx, to the last snapshot.
    ///
    /// # Errors
    /// [`ViewError`] for paths of devices that are not there.
    pub fn add_path_rows(&mut self, file: &Path, rows: Vec<PathRow>) -> Result<(), ViewError> {
        let mut columns = PathColumns::default();
        for row in rows {
            columns.tx.push(row.tx);
            columns.rx.push(row.rx);
            columns.types.push(row.types);
            columns.gain_db.push(row.gain_db);
            columns.delay.push(row.delay);
            columns.length.push(row.length);
            let ([zod, aod], [zoa, aoa]) = (row.departure, row.arrival);
            columns.angles.push([zod, aod, zoa, aoa]);
            columns.points.items.extend(row.points);
            columns.points.starts.push(columns.points.items.len());
            columns.objects.extend(row.objects);
        }
        self.add_paths(file, &columns)
    }

    /// Adds paths to the last snapshot.
    pub(super) fn add_paths(
        &mut self,
        file: &Path,
        columns: &PathColumns,
    ) -> Result<(), ViewError> {
        let [num_tx, num_rx] = self.num_devices();
        let refuse = |problem| ViewError::File {
            file: file.to_owned(),
            problem,
        };
        for (kind, indices, count) in [("Tx", &columns.tx, num_tx), ("Rx", &columns.rx, num_rx)] {
            if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
                return Err(refuse(format!(
                    "it has paths of {kind} {index}, and the scenario has {count} {kind}; accepted: results of the scenario that is shown"
                )));
            }
        }
        let mut types: Vec<String> = columns.types.clone();
        types.sort_by(|a, b| (a != "LOS", a.len(), a).cmp(&(b != "LOS", b.len(), b)));
        types.dedup();
        let kind = |own: &String| {
            let place = types.iter().position(|known| known == own);
            u16::try_from(place.unwrap_or(0)).unwrap_or(u16::MAX)
        };
        if types.len() > usize::from(u16::MAX) {
            return Err(refuse("it has too many kinds of paths".to_owned()));
        }
        let kinds: Vec<u16> = columns.types.iter().map(kind).collect();
        let count = columns.tx.len();
        let starts = columns.points.starts.iter();
        let starts: Vec<u32> = starts
            .map(|at| u32::try_from(*at).unwrap_or(u32::MAX))
            .collect();
        self.enclose(columns.points.items.iter().copied());
        let parts = &mut self.parts;
        let paths = ViewPaths {
            source: name_of(file),
            count,
            tx: parts.wholes(&columns.tx, vec![count]),
            rx: parts.wholes(&columns.rx, vec![count]),
            gain_db: parts.reals(&columns.gain_db, vec![count]),
            delay_s: parts.reals(&columns.delay, vec![count]),
            length_m: parts.reals(&columns.length, vec![count]),
            angles: parts.reals(columns.angles.as_flattened(), vec![count, 4]),
            kind: parts.shorts(&kinds, vec![count]),
            types,
            starts: parts.wholes(&starts, vec![count + 1]),
            points: parts.points(columns.points.items.iter().copied()),
            objects: parts.wholes(&columns.objects, vec![columns.objects.len()]),
        };
        if let Some(last) = self.snapshots.last_mut() {
            last.paths = Some(paths);
        }
        Ok(())
    }
}
