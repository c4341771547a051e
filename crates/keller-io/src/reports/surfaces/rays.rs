//! The rays to surfaces as rows of a table.

use keller::coverage::tiles::{SIDES, TileRay};
use keller::units::db_to_power;

use super::SurfaceMap;
use crate::reports::table::{Device, PathRow, RayRow};

impl SurfaceMap<'_> {
    /// A row for each of the rays from Tx number `tx` to tiles, in their order; those below the smallest gain that
    /// counts are left out.
    ///
    /// # Panics
    /// If a ray is one to another scene.
    pub fn ray_rows(&self, tx: usize, rays: &[TileRay]) -> Vec<RayRow> {
        let index = |n: usize| u32::try_from(n).expect("tables number tiles in 32 bits");
        let least = self.min_gain_db.map_or(0.0, db_to_power);
        let device = Device {
            name: self.tx[tx].name.clone(),
            lon_lat: None,
        };
        let strong = rays.iter().filter(|ray| ray.gain >= least);
        let row = |ray: &TileRay| {
            let tile = &self.tiles.all()[ray.path.rx];
            let path = PathRow {
                tx: index(tx),
                tx_device: device.clone(),
                ..PathRow::new(&ray.path, &ray.field, ray.gain)
            };
            RayRow {
                tile: path.rx,
                side: SIDES[ray.side],
                face: index(tile.face.index()),
                centre: tile.centre.to_array(),
                path,
            }
        };
        strong.map(row).collect()
    }
}
