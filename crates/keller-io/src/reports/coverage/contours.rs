//! Contours of a coverage as GeoJSON, which QGIS and web maps draw.

use std::io::{self, Write};

use glam::DVec2;
use keller::coverage::Levels;
use serde_json::{Value, json};

use super::rings::{Ring, polygons};
use super::{CoverageMap, PicturedLayer};
use crate::formats::{About, OutputError, OutputFile, VERSION};

/// The default step between levels, in the unit of the layer.
const STEP: f64 = 10.0;

impl CoverageMap<'_> {
    /// Writes the contours of a layer at the first height to `out`, whole or not at all: a GeoJSON feature for each
    /// level, with the polygons where the value is at least that, or a loss at most that, the widest first, so that
    /// narrower ones lie on top. Levels that are reached nowhere are left out. The best server has a feature for each
    /// Tx, with the polygons where it serves. Coordinates are longitude and latitude on WGS 84, or the scene's own
    /// metres if its place on earth is unknown.
    ///
    /// The unit of `levels` is that of the layer; if they are empty, they are the multiples of 10. Properties of a
    /// feature: `quantity`, `level`, `unit`, `tx` (its name, or `strongest` for several), `height` in metres and
    /// `height_above`, `ground` or `sea`; servers have no level and no unit. The collection of features has `keller`,
    /// `scenario`, `quantity` and `unit`.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    ///
    /// # Source
    /// RFC 7946, "The GeoJSON Format", 2016.
    pub fn write_contours(
        &self,
        out: OutputFile,
        about: &About,
        layer: PicturedLayer,
        levels: &[f64],
    ) -> Result<(), OutputError> {
        let region = self.region;
        let above = match region.levels {
            Levels::AboveGround(_) => "ground",
            Levels::AboveSea(_) => "sea",
        };
        out.write(|writer| {
            let values = self.pictured(layer, 0)?;
            let mut levels = match layer {
                PicturedLayer::Server => (0..self.tx.len()).map(|index| index as f64).collect(),
                _ if levels.is_empty() => round_levels(&values),
                _ => levels.to_vec(),
            };
            levels.sort_by(f64::total_cmp);
            levels.dedup();
            if layer == PicturedLayer::Loss {
                levels.reverse();
            }
            let mut made = json!({
                "keller": VERSION,
                "scenario": about.scenario,
                "quantity": layer.name(),
            });
            if let Some(unit) = layer.unit() {
                made["unit"] = unit.into();
            }
            let made = made.to_string();
            let made = made.trim_matches(['{', '}']);
            write!(
                writer,
                "{{\"type\":\"FeatureCollection\",{made},\"features\":["
            )?;
            let mut separator = "\n";
            for level in levels {
                let polygons = match layer {
                    PicturedLayer::Server => {
                        let serves = |value: &f64| f64::from(u8::from(*value == level));
                        let serves: Vec<f64> = values.iter().map(serves).collect();
                        polygons(&serves, region, 0.5)
                    }
                    PicturedLayer::Loss => {
                        let gains: Vec<f64> = values.iter().map(|value| -value).collect();
                        polygons(&gains, region, -level)
                    }
                    _ => polygons(&values, region, level),
                };
                if polygons.is_empty() {
                    continue;
                }
                let mut properties = json!({
                    "quantity": layer.name(),
                    "tx": self.strongest_of(),
                    "height": region.levels.heights()[0],
                    "height_above": above,
                });
                if let Some(unit) = layer.unit() {
                    properties["level"] = level.into();
                    properties["unit"] = unit.into();
                } else {
                    properties["tx"] = (*self.tx[server_of(level)].name).into();
                }
                let coordinates = polygons.iter().map(|polygon| self.points_of(polygon));
                let feature = json!({
                    "type": "Feature",
                    "properties": properties,
                    "geometry": {
                        "type": "MultiPolygon",
                        "coordinates": coordinates.collect::<io::Result<Vec<Value>>>()?,
                    },
                });
                write!(writer, "{separator}{feature}")?;
                separator = ",\n";
            }
            writeln!(writer, "\n]}}")
        })
    }

    fn points_of(&self, polygon: &[Ring]) -> io::Result<Value> {
        let point = |at: &DVec2| {
            // Coordinates are rounded to about a millimetre.
            let Some(frame) = self.frame else {
                return Ok(rounded(*at, 1e3));
            };
            let lon_lat = frame.to_lon_lat(*at).map_err(io::Error::other)?;
            Ok(rounded(lon_lat, 1e8))
        };
        let ring = |ring: &Ring| {
            ring.iter()
                .map(point)
                .collect::<io::Result<Vec<[f64; 2]>>>()
        };
        let rings: Vec<Vec<[f64; 2]>> = polygon.iter().map(ring).collect::<io::Result<_>>()?;
        Ok(json!(rings))
    }
}

fn rounded(at: DVec2, scale: f64) -> [f64; 2] {
    // Adding zero leaves no negative zero.
    ((at * scale).round() / scale + 0.0).to_array()
}

/// The index that a level of the best server stands for.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it was made from an index"
)]
fn server_of(level: f64) -> usize {
    level as usize
}

/// The multiples of [`STEP`] among the values.
fn round_levels(values: &[f64]) -> Vec<f64> {
    let finite = values.iter().filter(|v| v.is_finite());
    let [low, high] = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| {
        [low.min(*v), high.max(*v)]
    });
    let mut levels = Vec::new();
    let mut level = (low / STEP).ceil() * STEP;
    while level <= high {
        levels.push(level);
        level += STEP;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_round_and_among_the_values() {
        let values = [f64::NAN, -103.0, f64::NEG_INFINITY, -70.0];
        assert_eq!(round_levels(&values), [-100.0, -90.0, -80.0, -70.0]);
        assert!(round_levels(&[f64::NAN, f64::NEG_INFINITY]).is_empty());
    }
}
