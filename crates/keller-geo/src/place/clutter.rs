//! Vegetation: areas with a height and an attenuation, and the volumes that they become.
//!
//! A volume's top is the ground plus the height and its foot lies below the lowest ground under it, so that nothing
//! slips through beneath. Over terrain the outline is cut into triangles, the terrain is cut to each, and the pieces
//! are raised; the parts share no corners, but their surfaces are closed each by itself, and that is all that a volume
//! needs.

mod sheet;

use crate::shown::shown;
use glam::DVec2;
use keller::clutter::Volume;

use super::attributes::Attributes;
use super::mesh::Triangulator;
use super::notes::Notes;
use super::{Polygon, ReadOptions, outline_bounds};
use crate::terrain::Terrain;
use sheet::Sheet;

/// Values of [`ReadOptions::clutter_keys`] that mean trees.
const TREES: [&str; 4] = ["wood", "forest", "trees", "tree_group"];

/// Attributes that hold the specific attenuation, dB/m, and the largest attenuation, dB.
const ATTENUATION: &str = "attenuation_db_per_m";
const MAX_ATTENUATION: &str = "max_attenuation_db";

/// The distance by which volumes reach below the lowest ground under them, metres.
const FOOT: f64 = 1.0;

/// The part of an outline that may lie outside the terrain without a warning.
const MISSING: f64 = 1e-6;

/// An area of vegetation or other clutter, which waves cross with loss.
#[derive(Debug, Clone, PartialEq)]
pub struct Clutter {
    /// Its id in the file, or a number where the file gives none.
    pub id: String,
    /// The place in the file, for messages.
    pub found_at: String,
    /// The ground plan: polygons that do not cross themselves once repaired; they may lie over others.
    pub outline: Vec<Polygon>,
    /// The height above the ground, metres.
    pub height: f64,
    /// The attenuation of a short way inside, dB/m.
    pub attenuation_db_per_m: f64,
    /// The limit of the attenuation over a long way inside, dB.
    pub max_attenuation_db: Option<f64>,
}

/// The ground on which clutter stands.
#[derive(Debug, Clone, Copy)]
pub enum Ground<'a> {
    /// One elevation everywhere, metres.
    Level(f64),
    /// Triangles.
    Terrain(&'a Terrain),
}

/// The volumes of clutter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BuiltClutter {
    /// Each with the id it has in its file; those left out are missing.
    pub volumes: Vec<(String, Volume)>,
    /// Messages on areas that were left out or look wrong; each names the first area concerned.
    pub warnings: Vec<String>,
}

/// The volumes of `clutter`, whose coordinates are local metres and whose outlines are in order, on `ground`.
///
/// ```
/// use glam::DVec2;
/// use keller_geo::place::Polygon;
/// use keller_geo::place::clutter::{Clutter, Ground, build};
/// let corners = [(0.0, 0.0), (30.0, 0.0), (30.0, 20.0), (0.0, 20.0)].map(DVec2::from);
/// let wood = Clutter {
///     id: "wood".into(),
///     found_at: "way 1".into(),
///     outline: vec![Polygon { outer: corners.into(), holes: Vec::new() }],
///     height: 12.0,
///     attenuation_db_per_m: 0.3,
///     max_attenuation_db: None,
/// };
/// let built = build(&[wood], Ground::Level(515.0));
/// let [low, high] = built.volumes[0].1.bounds();
/// assert_eq!((low.z, high.z), (514.0, 527.0));
/// ```
pub fn build(clutter: &[Clutter], ground: Ground<'_>) -> BuiltClutter {
    let mut notes = Notes::without_file();
    let mut triangulator = Triangulator::default();
    let mut volumes = Vec::new();
    for area in clutter {
        let place = &area.found_at;
        let Some(sheet) = sheet(area, ground, &mut triangulator, &mut notes) else {
            notes.add(
                place,
                "the elevation of the ground is unknown there; the vegetation is left out",
            );
            continue;
        };
        let (vertices, triangles) = sheet.raised(area.height, FOOT);
        let (attenuation, max) = (area.attenuation_db_per_m, area.max_attenuation_db);
        match Volume::new(&vertices, &triangles, attenuation, max) {
            Ok(volume) => volumes.push((area.id.clone(), volume)),
            Err(problem) => notes.add(place, format!("{problem}; the vegetation is left out")),
        }
    }
    BuiltClutter {
        volumes,
        warnings: notes.sentences(),
    }
}

/// The ground under an area; `None` where there is none.
fn sheet(
    area: &Clutter,
    ground: Ground<'_>,
    triangulator: &mut Triangulator,
    notes: &mut Notes,
) -> Option<Sheet> {
    let mut sheet = Sheet::default();
    let mut wanted = 0.0;
    for polygon in &area.outline {
        let rings: Vec<&[DVec2]> = polygon.rings().map(Vec::as_slice).collect();
        if !triangulator.cut(&rings) {
            notes.add(
                &area.found_at,
                "the vegetation could not be cut into triangles cleanly; it may have gaps",
            );
        }
        let corners: Vec<DVec2> = rings.concat();
        for triangle in &triangulator.triangles {
            let triangle = triangle.map(|v| corners[v as usize]);
            let [a, b, c] = triangle;
            wanted += 0.5 * (b - a).perp_dot(c - a);
            match ground {
                Ground::Level(z) => sheet.add(&triangle.map(|p| p.extend(z)), &[[0, 1, 2]]),
                // Slivers that no terrain can be cut to have no area to speak of.
                Ground::Terrain(terrain) => {
                    if let Ok(part) = terrain.clip(&triangle) {
                        sheet.add(part.vertices(), part.triangles());
                    }
                }
            }
        }
    }
    if sheet.is_empty() {
        return None;
    }
    if sheet.area() < wanted * (1.0 - MISSING) - MISSING {
        notes.add(
            &area.found_at,
            "a part of it lies where the elevation of the ground is unknown; there the vegetation is left out",
        );
    }
    Some(sheet)
}

impl ReadOptions {
    /// Whether an attribute may make a feature vegetation.
    pub(super) fn is_clutter_key(&self, key: &str) -> bool {
        let mut keys = self.clutter_keys.iter().map(String::as_str);
        key == ATTENUATION || keys.any(|known| known.to_lowercase() == key.to_lowercase())
    }
}

impl Attributes {
    /// Whether they are those of vegetation and not of a building.
    pub(super) fn are_clutter(&self, options: &ReadOptions) -> bool {
        let is_building = |key| self.get(key).is_some_and(|value| value != "no");
        if is_building("building") || is_building("building:part") {
            return false;
        }
        self.get(ATTENUATION).is_some()
            || options.clutter_keys.iter().any(|key| {
                let value = self.get(key).map(str::to_lowercase);
                value.is_some_and(|value| TREES.contains(&value.as_str()))
            })
    }

    /// The vegetation over `outline` that they describe.
    pub(super) fn clutter(
        &self,
        id: String,
        found_at: &str,
        outline: Vec<Polygon>,
        options: &ReadOptions,
        notes: &mut Notes,
    ) -> Clutter {
        notes.about(outline_bounds(&outline), |notes| {
            self.clutter_over(id, found_at, outline, options, notes)
        })
    }

    fn clutter_over(
        &self,
        id: String,
        found_at: &str,
        outline: Vec<Polygon>,
        options: &ReadOptions,
        notes: &mut Notes,
    ) -> Clutter {
        let height = self.measure(&options.height_keys, options.unit, found_at, notes);
        let height = height.filter(|height| *height > 0.0).unwrap_or_else(|| {
            let height = options.clutter_height;
            let what = format!("no height of the vegetation is given; {height} m is used");
            notes.add(found_at, what);
            height
        });
        let mut number = |key: &str, is_good: fn(f64) -> bool| {
            let text = self.get(key)?;
            let value = text
                .parse::<f64>()
                .ok()
                .filter(|v| v.is_finite() && is_good(*v));
            if value.is_none() {
                let place = format!("{found_at} ({key} `{text}`)", text = shown(text));
                notes.add(&place, "this is no such number and is not used");
            }
            value
        };
        let attenuation = number(ATTENUATION, |v| v >= 0.0);
        let max_attenuation_db = number(MAX_ATTENUATION, |v| v > 0.0);
        let attenuation_db_per_m = attenuation.unwrap_or_else(|| {
            let attenuation = options.clutter_attenuation_db_per_m;
            let what =
                format!("no attenuation of the vegetation is given; {attenuation} dB/m is used");
            notes.add(found_at, what);
            attenuation
        });
        Clutter {
            id,
            found_at: found_at.to_owned(),
            outline,
            height,
            attenuation_db_per_m,
            max_attenuation_db,
        }
    }
}

#[cfg(test)]
mod tests;
