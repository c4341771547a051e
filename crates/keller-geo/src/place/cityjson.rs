//! CityJSON 1.0 to 2.0, and its lines (CityJSONSeq): buildings and bridges as surfaces in space.
//!
//! The geometry of the highest level of detail is taken of each object. Surfaces without semantics are distinguished by
//! their normals. An object that has only a ground plan (level 0) becomes a prism of its measured height; one that has
//! parts with solids is left to its parts. Templates, textures and other objects (terrain, water, vegetation, roads)
//! are not used.
//!
//! # Source
//! CityJSON Specifications 2.0.1, TU Delft and Geonovum, 2024.

use crate::shown::shown;
use std::path::Path;

use glam::{DVec2, DVec3};
use serde_json::{Map, Value};

use super::attributes::Attributes;
use super::geojson::{attributes, strip_mark};
use super::notes::Notes;
use super::{
    Building, Place, PlaceError, Polygon, ReadOptions, Shape, Surface, SurfaceKind, bounds,
    read_file, rings,
};

/// Objects that stand in the way of waves and are built.
const BUILT: [&str; 11] = [
    "Building",
    "BuildingPart",
    "BuildingInstallation",
    "BuildingStorey",
    "BuildingUnit",
    "Bridge",
    "BridgePart",
    "BridgeInstallation",
    "BridgeConstructiveElement",
    "BridgeConstructionElement",
    "OtherConstruction",
];

/// Sine of the slope under which a surface without semantics is upright: a wall.
const UPRIGHT_SINE: f64 = 0.1;

/// The buildings in the file at `path`.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read(path: &Path) -> Result<Place, PlaceError> {
    read_file(path, |bytes, _| parse(bytes, path, &ReadOptions::default()))
}

/// Whether JSON calls itself CityJSON.
pub(super) fn is_cityjson(bytes: &[u8]) -> bool {
    let name = b"\"CityJSON\"";
    bytes.windows(name.len()).any(|window| window == name)
}

/// The buildings in the bytes of `file`.
///
/// # Errors
/// [`PlaceError::Malformed`] for what is no CityJSON.
pub fn parse(bytes: &[u8], file: &Path, options: &ReadOptions) -> Result<Place, PlaceError> {
    let wrong = |place: String, problem: String| PlaceError::malformed(file, place, problem);
    let mut reader = Reader {
        options,
        notes: Notes::new(file),
        buildings: Vec::new(),
        scale: DVec3::ONE,
        translate: DVec3::ZERO,
    };
    let mut crs = None;
    let values = serde_json::Deserializer::from_slice(strip_mark(bytes)).into_iter::<Value>();
    for (index, value) in values.enumerate() {
        let place = || match index {
            0 => String::new(),
            _ => format!("line {}", index + 1),
        };
        let root = value.map_err(|error| wrong(place(), format!("not valid JSON: {error}")))?;
        let kind = root.get("type").and_then(Value::as_str).unwrap_or("none");
        match (kind, index) {
            ("CityJSON", 0) => {
                crs = root
                    .pointer("/metadata/referenceSystem")
                    .and_then(Value::as_str)
                    .map(str::to_owned);
                reader
                    .transform(root.get("transform"))
                    .map_err(|problem| wrong(place(), problem))?;
            }
            ("CityJSONFeature", 1..) => {}
            _ => {
                return Err(wrong(
                    place(),
                    format!(
                        "the type is `{kind}`; expected is CityJSON, then CityJSONFeature one a line",
                        kind = shown(kind)
                    ),
                ));
            }
        }
        reader
            .objects(&root)
            .map_err(|problem| wrong(place(), problem))?;
    }
    if strip_mark(bytes).trim_ascii().is_empty() {
        return Err(wrong(String::new(), "the file is empty".to_owned()));
    }
    if crs.is_none() && options.leaves_crs_open() {
        reader.notes.add(
            "",
            "metadata.referenceSystem is missing: the coordinate reference system is unknown; state it",
        );
    }
    Ok(Place {
        file_crs: crs.clone(),
        crs,
        buildings: reader.buildings,
        clutter: Vec::new(),
        warnings: reader.notes.finish(),
    })
}

struct Reader<'a> {
    options: &'a ReadOptions,
    notes: Notes,
    buildings: Vec<Building>,
    scale: DVec3,
    translate: DVec3,
}

impl Reader<'_> {
    fn transform(&mut self, transform: Option<&Value>) -> Result<(), String> {
        let Some(transform) = transform else {
            return Ok(());
        };
        let read = |key: &str| {
            let value = transform.get(key).and_then(vector);
            value.ok_or_else(|| format!("transform.{key} is not three finite numbers"))
        };
        (self.scale, self.translate) = (read("scale")?, read("translate")?);
        Ok(())
    }

    fn objects(&mut self, root: &Value) -> Result<(), String> {
        let objects = root.get("CityObjects").and_then(Value::as_object);
        let objects = objects.ok_or("there is no object `CityObjects`")?;
        let vertices = root.get("vertices").and_then(Value::as_array);
        let vertices = vertices.ok_or("there is no array `vertices`")?;
        let vertices = vertices.iter().enumerate().map(|(index, vertex)| {
            let vertex = vector(vertex).map(|v| v * self.scale + self.translate);
            vertex
                .filter(|vertex| vertex.is_finite())
                .ok_or_else(|| format!("vertex {index} is not three finite numbers"))
        });
        let vertices: Vec<DVec3> = vertices.collect::<Result<_, String>>()?;
        for (id, object) in objects {
            let kind = object.get("type").and_then(Value::as_str).unwrap_or("none");
            let place = format!("object `{id}`", id = shown(id));
            if BUILT.contains(&kind) {
                self.object(id, object, &place, objects, &vertices);
            } else {
                let what = format!("the type {kind} is no building; it is left out");
                let mut points = Vec::new();
                for geometry in object
                    .get("geometry")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    corners(geometry.get("boundaries"), &vertices, &mut points);
                }
                self.notes
                    .about(bounds(points.into_iter()), |notes| notes.add(&place, what));
            }
        }
        Ok(())
    }

    fn object(
        &mut self,
        id: &str,
        object: &Value,
        place: &str,
        objects: &Map<String, Value>,
        vertices: &[DVec3],
    ) {
        let Some(geometry) = finest(object) else {
            if !has_parts(object, objects) {
                self.notes.add(place, "it has no surfaces and is left out");
            }
            return;
        };
        let level = level_of(geometry);
        if level < 1.0 && has_parts(object, objects) {
            return;
        }
        let surfaces = match surfaces(geometry, vertices) {
            Ok(surfaces) => surfaces,
            Err(problem) => {
                self.notes
                    .add(&format!("{place}: {problem}"), "the object is left out");
                return;
            }
        };
        let attributes = attributes(object.get("attributes"));
        let shape = if level < 1.0 {
            match self.prism(&surfaces, &attributes, place) {
                Some(shape) => shape,
                None => return,
            }
        } else {
            Shape::Surfaces(surfaces)
        };
        let material = |keys: &[String]| attributes.first(keys).map(str::to_owned);
        self.buildings.push(Building {
            id: id.to_owned(),
            found_at: place.to_owned(),
            shape,
            wall_material: material(&self.options.wall_material_keys),
            roof_material: material(&self.options.roof_material_keys),
        });
    }

    /// The prism over the ground plan that level 0 is.
    fn prism(
        &mut self,
        surfaces: &[Surface],
        attributes: &Attributes,
        place: &str,
    ) -> Option<Shape> {
        let is_plan = |surface: &&Surface| surface.kind != SurfaceKind::Roof;
        // Files may hold the plan and the outline of the roof; without semantics everything flat looks like a roof.
        let mut plan: Vec<&Surface> = surfaces.iter().filter(is_plan).collect();
        if plan.is_empty() {
            plan = surfaces.iter().collect();
        }
        let lowest = plan
            .iter()
            .flat_map(|s| s.rings.iter().flatten())
            .fold(f64::INFINITY, |low, p| low.min(p.z));
        let flat =
            |ring: &Vec<DVec3>| -> Vec<DVec2> { ring.iter().map(|p| p.truncate()).collect() };
        let outline = plan.iter().filter_map(|surface| {
            let (outer, holes) = surface.rings.split_first()?;
            Some(Polygon {
                outer: flat(outer),
                holes: holes.iter().map(flat).collect(),
            })
        });
        let outline = outline.collect();
        let mut prism = attributes.prism(outline, self.options, place, &mut self.notes)?;
        if prism.ground.is_none() && lowest.is_finite() {
            prism.ground = Some(lowest);
        }
        Some(Shape::Prism(prism))
    }
}

/// Adds all corners of a geometry to `out`.
fn corners(boundaries: Option<&Value>, vertices: &[DVec3], out: &mut Vec<DVec2>) {
    match boundaries {
        Some(Value::Array(parts)) => {
            for part in parts {
                corners(Some(part), vertices, out);
            }
        }
        Some(Value::Number(number)) => {
            let index = number
                .as_u64()
                .and_then(|index| usize::try_from(index).ok());
            let vertex = index.and_then(|index| vertices.get(index));
            out.extend(vertex.map(|vertex| vertex.truncate()));
        }
        _ => {}
    }
}

/// The geometry of the highest level of detail that has surfaces.
fn finest(object: &Value) -> Option<&Value> {
    let geometries = object.get("geometry")?.as_array()?;
    let has_surfaces = |geometry: &&Value| {
        let kind = geometry.get("type").and_then(Value::as_str);
        let depth = kind.and_then(depth_of);
        let boundaries = geometry.get("boundaries").and_then(Value::as_array);
        depth.is_some() && boundaries.is_some_and(|boundaries| !boundaries.is_empty())
    };
    let candidates = geometries.iter().filter(has_surfaces);
    candidates.max_by(|a, b| level_of(a).total_cmp(&level_of(b)))
}

/// The level of detail: text since 1.1, a number before.
fn level_of(geometry: &Value) -> f64 {
    let level = geometry.get("lod");
    let text = level
        .and_then(Value::as_str)
        .and_then(|text| text.parse().ok());
    let level = text.or_else(|| level.and_then(Value::as_f64));
    level.filter(|level: &f64| level.is_finite()).unwrap_or(1.0)
}

/// The number of arrays around a surface.
fn depth_of(kind: &str) -> Option<usize> {
    match kind {
        "MultiSurface" | "CompositeSurface" => Some(1),
        "Solid" => Some(2),
        "MultiSolid" | "CompositeSolid" => Some(3),
        _ => None,
    }
}

/// Whether an object has children whose geometry stands for it.
fn has_parts(object: &Value, objects: &Map<String, Value>) -> bool {
    let children = object.get("children").and_then(Value::as_array);
    let mut children = children.into_iter().flatten().filter_map(Value::as_str);
    children.any(|child| {
        let child = objects.get(child).and_then(finest);
        child.is_some_and(|geometry| level_of(geometry) >= 1.0)
    })
}

fn surfaces(geometry: &Value, vertices: &[DVec3]) -> Result<Vec<Surface>, String> {
    let kind = geometry.get("type").and_then(Value::as_str).unwrap_or("");
    let depth = depth_of(kind).ok_or("the geometry is of no known type")?;
    let semantics = geometry.get("semantics");
    let kinds: Vec<Option<SurfaceKind>> = semantics
        .and_then(|semantics| semantics.get("surfaces"))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|surface| kind_of(surface.get("type").and_then(Value::as_str)?))
        .collect();
    let boundaries = geometry.get("boundaries").unwrap_or(&Value::Null);
    let values = semantics.and_then(|semantics| semantics.get("values"));
    let mut found = Vec::new();
    flatten(boundaries, values, depth, &mut |surface, value| {
        let rings = rings_of(surface, vertices)?;
        let Some(normal) = rings.first().and_then(|ring| rings::normal(ring)) else {
            return Ok(());
        };
        let stated = value
            .and_then(Value::as_u64)
            .and_then(|index| *kinds.get(usize::try_from(index).ok()?)?);
        let kind = stated.unwrap_or(if normal.z > UPRIGHT_SINE {
            SurfaceKind::Roof
        } else if normal.z < -UPRIGHT_SINE {
            SurfaceKind::Ground
        } else {
            SurfaceKind::Wall
        });
        found.push(Surface { kind, rings });
        Ok(())
    })?;
    Ok(found)
}

/// Takes a surface and its semantic value.
type VisitSurface<'a> = dyn FnMut(&Value, Option<&Value>) -> Result<(), String> + 'a;

/// Calls `visit` with every surface and its semantic value; the arrays of both are nested alike, but values may end early.
fn flatten(
    boundaries: &Value,
    values: Option<&Value>,
    depth: usize,
    visit: &mut VisitSurface<'_>,
) -> Result<(), String> {
    if depth == 0 {
        return visit(boundaries, values);
    }
    let parts = boundaries
        .as_array()
        .ok_or("the boundaries are not nested as their type says")?;
    for (index, part) in parts.iter().enumerate() {
        // A value may stand for all below it; null says nothing.
        let value = match values {
            Some(Value::Array(values)) => values.get(index),
            other => other,
        };
        flatten(part, value, depth - 1, visit)?;
    }
    Ok(())
}

fn rings_of(surface: &Value, vertices: &[DVec3]) -> Result<Vec<Vec<DVec3>>, String> {
    let rings = surface
        .as_array()
        .ok_or("the boundaries are not nested as their type says")?;
    let ring = |ring: &Value| {
        let indices = ring
            .as_array()
            .ok_or("the boundaries are not nested as their type says")?;
        let corners = indices.iter().map(|index| {
            let vertex = index
                .as_u64()
                .and_then(|i| vertices.get(usize::try_from(i).ok()?));
            vertex
                .copied()
                .ok_or_else(|| format!("vertex {index} is named, but there are {}", vertices.len()))
        });
        let mut corners = corners.collect::<Result<Vec<_>, String>>()?;
        corners.dedup();
        while corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        Ok(corners)
    };
    rings.iter().map(ring).collect()
}

fn kind_of(name: &str) -> Option<SurfaceKind> {
    match name {
        "RoofSurface" | "OuterFloorSurface" => Some(SurfaceKind::Roof),
        "GroundSurface" | "OuterCeilingSurface" => Some(SurfaceKind::Ground),
        "WallSurface" | "Window" | "Door" | "ClosureSurface" | "InteriorWallSurface" => {
            Some(SurfaceKind::Wall)
        }
        _ => None,
    }
}

fn vector(value: &Value) -> Option<DVec3> {
    let [x, y, z] = value.as_array()?.as_slice() else {
        return None;
    };
    let vector = DVec3::new(x.as_f64()?, y.as_f64()?, z.as_f64()?);
    vector.is_finite().then_some(vector)
}

#[cfg(test)]
mod tests;
