//! Buildings and vegetation out of features: polygons with attributes, as tables of maps have them.

use super::attributes::Attributes;
use super::notes::Notes;
use super::{Building, Clutter, Place, Polygon, ReadOptions, Shape};

/// The message on points and lines.
pub(super) const ONLY_POLYGONS: &str =
    "only polygons can be buildings or vegetation; it is left out";

/// The buildings and the vegetation of the features so far.
pub(super) struct Features<'a> {
    options: &'a ReadOptions,
    buildings: Vec<Building>,
    clutter: Vec<Clutter>,
}

impl<'a> Features<'a> {
    /// The state before the first feature.
    pub(super) fn new(options: &'a ReadOptions) -> Self {
        Self {
            options,
            buildings: Vec::new(),
            clutter: Vec::new(),
        }
    }

    /// Adds the feature with these polygons and attributes, which messages call `found_at`. One without a height is left out, with a
    /// warning.
    pub(super) fn add(
        &mut self,
        id: String,
        found_at: &str,
        outline: Vec<Polygon>,
        attributes: &Attributes,
        notes: &mut Notes,
    ) {
        if attributes.are_clutter(self.options) {
            let clutter = attributes.clutter(id, found_at, outline, self.options, notes);
            self.clutter.push(clutter);
            return;
        }
        let Some(prism) = attributes.prism(outline, self.options, found_at, notes) else {
            return;
        };
        let material = |keys: &[String]| attributes.first(keys).map(str::to_owned);
        self.buildings.push(Building {
            id,
            found_at: found_at.to_owned(),
            shape: Shape::Prism(prism),
            wall_material: material(&self.options.wall_material_keys),
            roof_material: material(&self.options.roof_material_keys),
        });
    }

    /// All of them, in the coordinate reference system that the file states.
    pub(super) fn place(self, crs: Option<String>) -> Place {
        Place {
            file_crs: crs.clone(),
            crs,
            buildings: self.buildings,
            clutter: self.clutter,
            warnings: Vec::new(),
        }
    }
}

/// The attribute that names a feature, where one does.
pub(super) fn id(attributes: &Attributes) -> Option<&str> {
    ["id", "gml_id", "objectid", "fid", "osm_id", "name"]
        .iter()
        .find_map(|key| attributes.get(key))
}
