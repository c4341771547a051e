//! GeoJSON (RFC 7946): polygons with a height among their properties, buildings or vegetation.
//!
//! Without the old member `crs` coordinates are longitude and latitude, as the RFC has it, if they can be; a file in metres needs
//! [`ReadOptions::missing_crs`]. The third number of a position is not used. Points, lines and features without geometry are left out.

use std::path::Path;

use glam::DVec2;
use serde_json::{Map, Value};

use crate::shown::shown;

use super::attributes::Attributes;
use super::features::{Features, ONLY_POLYGONS};
use super::notes::Notes;
use super::{
    LON_LAT, Place, PlaceError, Polygon, ReadOptions, bounds, outline_bounds, read_file, rings,
};

/// Collections in collections beyond this depth are refused; no file in earnest has any.
const MAX_DEPTH: usize = 16;

/// The buildings in the file at `path`.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, _| parse(bytes, path, &ReadOptions::default()))
}

/// The buildings in the bytes of `file`.
///
/// # Errors
/// [`PlaceError::Malformed`] for what is no GeoJSON, and [`PlaceError::Coordinates`] if longitude and latitude are swapped.
pub fn parse(bytes: &[u8], file: &Path, options: &ReadOptions) -> Result<Place, PlaceError> {
    let root: Value = serde_json::from_slice(strip_mark(bytes))
        .map_err(|error| PlaceError::malformed(file, "", format!("not valid JSON: {error}")))?;
    let Some(root) = root.as_object() else {
        return Err(PlaceError::malformed(
            file,
            "",
            "not GeoJSON: an object with a `type` is expected",
        ));
    };
    let mut reader = Reader {
        features: Features::new(options),
        notes: Notes::new(file),
    };
    match type_of(root) {
        "FeatureCollection" => {
            let Some(features) = root.get("features").and_then(Value::as_array) else {
                return Err(PlaceError::malformed(
                    file,
                    "",
                    "the FeatureCollection has no array `features`",
                ));
            };
            for (index, feature) in features.iter().enumerate() {
                reader.feature(feature, index);
            }
        }
        "Feature" => reader.feature(&Value::Object(root.clone()), 0),
        "Polygon" | "MultiPolygon" | "GeometryCollection" => {
            reader.area(root, &Attributes::default(), "0".to_owned(), "the geometry");
        }
        other => {
            return Err(PlaceError::malformed(
                file,
                "",
                format!(
                    "the type is `{}`; accepted are FeatureCollection, Feature, Polygon, MultiPolygon and GeometryCollection",
                    shown(other)
                ),
            ));
        }
    }
    let mut place = reader.features.place(stated_crs(root));
    if place.crs.is_none() && options.lets_imply() {
        place.crs = implied_crs(&place, options, file, &mut reader.notes)?;
    }
    place.warnings = reader.notes.finish();
    Ok(place)
}

struct Reader<'a> {
    features: Features<'a>,
    notes: Notes,
}

impl Reader<'_> {
    fn feature(&mut self, feature: &Value, index: usize) {
        let mut place = format!("feature {index} (counted from 0)");
        let Some(feature) = feature
            .as_object()
            .filter(|feature| type_of(feature) == "Feature")
        else {
            self.notes
                .add(&place, "this is not a Feature; it is left out");
            return;
        };
        let attributes = attributes(feature.get("properties"));
        let given = feature.get("id").and_then(text_of);
        if let Some(name) = attributes
            .get("name")
            .or(attributes.get("id"))
            .or(given.as_deref())
        {
            place = format!("feature {index} (`{}`)", shown(name));
        }
        let id = given
            .or_else(|| attributes.get("id").map(str::to_owned))
            .or_else(|| attributes.get("name").map(str::to_owned))
            .unwrap_or_else(|| index.to_string());
        match feature.get("geometry").and_then(Value::as_object) {
            Some(geometry) => self.area(geometry, &attributes, id, &place),
            None => self.notes.add(&place, "it has no geometry and is left out"),
        }
    }

    fn area(
        &mut self,
        geometry: &Map<String, Value>,
        attributes: &Attributes,
        id: String,
        place: &str,
    ) {
        let mut outline = Vec::new();
        if let Err(problem) = polygons(geometry, &mut outline, 0) {
            self.notes
                .add(&format!("{place}: {problem}"), "the feature is left out");
            return;
        }
        if outline.is_empty() {
            let place = format!("{place} ({})", shown(type_of(geometry)));
            let mut points = Vec::new();
            positions(geometry.get("coordinates"), &mut points);
            self.notes.about(bounds(points.into_iter()), |notes| {
                notes.add(&place, ONLY_POLYGONS);
            });
            return;
        }
        self.features
            .add(id, place, outline, attributes, &mut self.notes);
    }
}

/// Adds all positions in the coordinates of any geometry to `out`.
fn positions(coordinates: Option<&Value>, out: &mut Vec<DVec2>) {
    let Some(parts) = coordinates.and_then(Value::as_array) else {
        return;
    };
    match (
        parts.first().map(Value::as_f64),
        parts.get(1).map(Value::as_f64),
    ) {
        (Some(Some(x)), Some(Some(y))) => out.push(DVec2::new(x, y)),
        _ => parts.iter().for_each(|part| positions(Some(part), out)),
    }
}

/// Adds the polygons of a geometry to `out`; names the error if it cannot be used.
fn polygons(
    geometry: &Map<String, Value>,
    out: &mut Vec<Polygon>,
    depth: usize,
) -> Result<(), String> {
    let array = |key: &str| {
        geometry
            .get(key)
            .and_then(Value::as_array)
            .ok_or_else(|| format!("the {} has no array `{key}`", type_of(geometry)))
    };
    match type_of(geometry) {
        "Polygon" => out.push(polygon(array("coordinates")?)?),
        "MultiPolygon" => {
            for (index, rings) in array("coordinates")?.iter().enumerate() {
                let rings = rings
                    .as_array()
                    .ok_or_else(|| format!("polygon {index} is not an array of rings"))?;
                out.push(polygon(rings)?);
            }
        }
        "GeometryCollection" if depth < MAX_DEPTH => {
            for part in array("geometries")? {
                if let Some(part) = part.as_object() {
                    polygons(part, out, depth + 1)?;
                }
            }
        }
        "GeometryCollection" => {
            return Err(format!("collections are nested more than {MAX_DEPTH} deep"));
        }
        _ => {}
    }
    Ok(())
}

fn polygon(rings: &[Value]) -> Result<Polygon, String> {
    let mut rings = rings.iter().enumerate().map(|(index, positions)| {
        let positions = positions
            .as_array()
            .ok_or_else(|| format!("ring {index} is not an array of positions"))?;
        let points = positions.iter().enumerate().map(|(at, position)| {
            point(position).ok_or_else(|| {
                let found = shown(&position.to_string());
                format!("position {at} of ring {index} is {found}, not two finite numbers")
            })
        });
        Ok(rings::open(points.collect::<Result<_, String>>()?))
    });
    let outer: Vec<DVec2> = rings.next().ok_or("the polygon has no rings")??;
    if outer.is_empty() {
        return Err("ring 0 has no positions".to_owned());
    }
    let holes = rings.collect::<Result<_, String>>()?;
    Ok(Polygon { outer, holes })
}

fn point(position: &Value) -> Option<DVec2> {
    let position = position.as_array()?;
    let point = DVec2::new(position.first()?.as_f64()?, position.get(1)?.as_f64()?);
    point.is_finite().then_some(point)
}

fn type_of(object: &Map<String, Value>) -> &str {
    object.get("type").and_then(Value::as_str).unwrap_or("none")
}

/// Properties as text; those that are neither text nor number are left out.
pub(super) fn attributes(properties: Option<&Value>) -> Attributes {
    let properties = properties.and_then(Value::as_object);
    let pairs = properties.into_iter().flatten();
    Attributes(
        pairs
            .filter_map(|(key, value)| Some((key.clone(), text_of(value)?)))
            .collect(),
    )
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The member `crs` of GeoJSON before the RFC.
fn stated_crs(root: &Map<String, Value>) -> Option<String> {
    let crs = root.get("crs")?;
    let name = crs
        .pointer("/properties/name")
        .or_else(|| crs.as_str().map(|_| crs))?;
    let name = name.as_str()?;
    let is_lon_lat = name.ends_with(":CRS84") || name.ends_with("/CRS84");
    Some(if is_lon_lat { LON_LAT } else { name }.to_owned())
}

/// Longitude and latitude, if the coordinates can be.
fn implied_crs(
    place: &Place,
    options: &ReadOptions,
    file: &Path,
    notes: &mut Notes,
) -> Result<Option<String>, PlaceError> {
    let buildings = place.buildings.iter();
    let buildings = buildings.map(|building| (&building.found_at, building.shape.bounds()));
    let clutter = place.clutter.iter();
    let clutter = clutter.map(|area| (&area.found_at, outline_bounds(&area.outline)));
    let all: Vec<(&String, [DVec2; 2])> = buildings.chain(clutter).collect();
    let outside = |x: f64, y: f64| {
        all.iter()
            .find(|(_, [low, high])| low.x < -x || high.x > x || low.y < -y || high.y > y)
    };
    let Some((found_at, [low, high])) = outside(180.0, 90.0) else {
        return Ok(Some(LON_LAT.to_owned()));
    };
    if !options.leaves_crs_open() {
        return Ok(None);
    }
    if outside(90.0, 180.0).is_none() {
        let y = if high.y > 90.0 { high.y } else { low.y };
        return Err(PlaceError::Coordinates {
            place: format!("`{}`, {}", file.display(), found_at),
            x: low.x,
            y,
            problem: "longitude comes first in GeoJSON and latitude is within ±90°: the axes seem to be swapped; if these are \
                      metres, state the coordinate reference system"
                .to_owned(),
        });
    }
    notes.add(
        found_at,
        "these are no longitudes and latitudes, and the file states no coordinate reference system; state it",
    );
    Ok(None)
}

/// The bytes without the byte order mark that some programs put before text.
pub(super) fn strip_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests;
