//! Surfaces as rows of a table.

use keller::coverage::tiles::{SIDES, TileField};
use keller::units::power_to_db;

use super::SurfaceMap;
use crate::formats::OutputError;
use crate::reports::table::{Table, TileRow};

impl SurfaceMap<'_> {
    /// Writes a row for every side of a tile that a Tx reaches, sorted by Tx, tile and side.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write_rows(&self, mut table: Table<'_, TileRow>) -> Result<(), OutputError> {
        for (tx, fields) in self.fields.iter().enumerate() {
            for (tile, sides) in fields.iter().enumerate() {
                for (side, field) in sides.iter().enumerate() {
                    if self.counts(field.path_gain) {
                        table.write(&self.row(tx, tile, side, field))?;
                    }
                }
            }
        }
        table.finish()
    }

    fn row(&self, tx: usize, tile: usize, side: usize, field: &TileField) -> TileRow {
        let count = |n: usize| u32::try_from(n).expect("tables count in 32 bits");
        let of = &self.tiles.all()[tile];
        let path_gain_db = power_to_db(field.path_gain);
        let paths = &field.paths;
        let if_any = |gain: f64| (paths.num_paths > 0).then(|| power_to_db(gain));
        let strongest = field.strongest;
        TileRow {
            tx: count(tx),
            tile: count(tile),
            face: count(of.face.index()),
            side: SIDES[side],
            centre: of.centre.to_array(),
            area: of.area,
            path_gain_db,
            received_power_dbm: self.tx[tx].power_dbm + path_gain_db,
            incident_power_db: power_to_db(field.incident_power),
            diffuse_gain_db: (field.diffuse_gain > 0.0).then(|| power_to_db(field.diffuse_gain)),
            sampled_gain_db: (field.sampled_gain > 0.0).then(|| power_to_db(field.sampled_gain)),
            num_paths: paths.num_paths,
            has_line_of_sight: paths.has_line_of_sight,
            strongest_gain_db: if_any(paths.strongest_gain),
            strongest_delay: strongest.map(|path| path.delay),
            arrival: strongest.map(|path| [path.arrival.zenith, path.arrival.azimuth]),
            coherent_gain_db: if_any(paths.coherent_gain),
            mean_delay: field.mean_delay,
            delay_spread: field.delay_spread,
            omitted_db: (field.omitted_gain > 0.0).then(|| power_to_db(field.omitted_gain)),
            tx_name: self.tx[tx].name.clone(),
        }
    }
}
