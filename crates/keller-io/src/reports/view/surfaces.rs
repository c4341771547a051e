//! The surfaces of a view, from a coverage of tiles and the scene that was cut into them.

use std::path::Path;

use keller::DVec3;
use keller::scene::Scene;
use keller::tiles::Tiles;

use super::format::{SurfaceLayer, Surfaces};
use super::parts::range;
use super::{View, ViewError, label, name_of, unit};
use crate::formats::stored_arrays::StoredArrays;

const SHOWN: [&str; 13] = [
    "path_gain_db",
    "incident_power_db",
    "diffuse_gain_db",
    "sampled_gain_db",
    "coherent_gain_db",
    "strongest_gain_db",
    "strongest_delay_s",
    "zoa",
    "aoa",
    "mean_delay_s",
    "delay_spread_s",
    "num_paths",
    "omitted_db",
];

/// The largest distance of centres from those of the file, metres: others belong to other tiles.
const SAME: f64 = 1e-3;

impl View {
    /// Adds the tiles of a coverage.
    pub(super) fn add_surfaces(
        &mut self,
        file: &Path,
        arrays: &mut StoredArrays,
        scene: &Scene,
        tiles: &Tiles,
    ) -> Result<(), ViewError> {
        let refuse = |problem| ViewError::File {
            file: file.to_owned(),
            problem,
        };
        let count = arrays.count("centre").map_err(refuse)?;
        let are_same = if Some(count) == tiles.len().checked_mul(3) {
            let centres = arrays.array("centre").map_err(refuse)?.values;
            let (centres, _) = centres.as_chunks::<3>();
            let mut both = centres.iter().zip(tiles.all());
            both.all(|(stored, tile)| DVec3::from(*stored).distance(tile.centre) < SAME)
        } else {
            false
        };
        if !are_same {
            return Err(refuse(format!(
                "its {} tiles are not the {} into which [tiles] of the scenario cuts its scene; accepted: results of the scenario that is shown",
                count / 3,
                tiles.len()
            )));
        }
        let surfaces = self.surface_map(name_of(file), arrays, scene, tiles);
        self.surfaces.push(surfaces.map_err(refuse)?);
        Ok(())
    }

    fn surface_map(
        &mut self,
        source: String,
        arrays: &mut StoredArrays,
        scene: &Scene,
        tiles: &Tiles,
    ) -> Result<Surfaces, String> {
        let tx = arrays.texts("tx_name")?;
        let (mut positions, mut triangles, mut of_tiles) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..tiles.len() {
            let front = scene.face_normal(tiles.all()[number].face);
            let own = u32::try_from(number).unwrap_or(u32::MAX);
            for (_, piece) in tiles.pieces(scene, number) {
                let first = u32::try_from(positions.len()).unwrap_or(u32::MAX);
                let area: DVec3 = piece
                    .windows(2)
                    .map(|pair| (pair[0] - piece[0]).cross(pair[1] - piece[0]))
                    .sum();
                let is_turned = area.dot(front) < 0.0;
                for corner in 1..u32::try_from(piece.len()).unwrap_or(0).saturating_sub(1) {
                    let [second, third] = [corner, corner + 1].map(|corner| first + corner);
                    triangles.extend(if is_turned {
                        [first, third, second]
                    } else {
                        [first, second, third]
                    });
                    of_tiles.push(own);
                }
                positions.extend(piece);
            }
        }
        let mut layers = Vec::new();
        let known = SHOWN.into_iter().filter(|key| arrays.has(key));
        for key in known.collect::<Vec<_>>() {
            if arrays.count(key)? != 2 * tx.len() * tiles.len() {
                return Err(format!("{key} does not fit the tiles and Tx"));
            }
            let values = arrays.array(key)?.values;
            for (tx, own) in values.chunks(2 * tiles.len().max(1)).enumerate() {
                let range = range(own);
                layers.push(SurfaceLayer {
                    key: key.to_owned(),
                    label: label(key),
                    unit: unit(key).to_owned(),
                    tx: Some(tx),
                    range,
                    values: self.parts.coded(own, vec![tiles.len(), 2], range),
                });
            }
        }
        self.enclose(positions.iter().copied());
        Ok(Surfaces {
            source,
            count: tiles.len(),
            positions: self.parts.points(positions),
            triangles: self.parts.wholes(&triangles, vec![of_tiles.len(), 3]),
            tile: self.parts.wholes(&of_tiles, vec![of_tiles.len()]),
            tx,
            layers,
        })
    }
}
