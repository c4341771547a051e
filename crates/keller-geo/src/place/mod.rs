//! Building footprints, solids and vegetation from files, and the triangles and volumes that they become.
//!
//! The way of a place: [`read`] hands over what a file says, in the file's own coordinates; [`Place::map`] brings it into local
//! metres; [`repair::repair`] mends rings and settles overlaps; [`mesh::build`] stands buildings on the ground as triangles, and
//! [`clutter::build`] vegetation as volumes.
//!
//! One file or folder a format. Each has a `parse` that takes bytes, so that it can be tested and fuzzed without a disk. A feature
//! that cannot be used is left out with a warning that names it; an error is a file that cannot be used at all.

mod attributes;
mod boolean;
pub mod cityjson;
pub mod clutter;
pub mod cost231;
mod error;
mod features;
pub mod flatgeobuf;
pub mod geojson;
pub mod geopackage;
pub mod ground;
pub mod insides;
pub mod mesh;
mod notes;
pub mod osm;
mod overlap;
pub mod repair;
mod rings;
pub mod shapefile;
mod wkb;

use std::convert::Infallible;
use std::fmt::Display;
use std::io;
use std::path::Path;

use glam::{DVec2, DVec3};

use crate::crs::near_longitude;
use crate::shown::has_control;

pub use attributes::ReadOptions;
pub use clutter::Clutter;
pub use error::PlaceError;
pub use notes::Warning;

/// Longitude and latitude on the ellipsoid of GPS: the system of GeoJSON and OpenStreetMap.
const LON_LAT: &str = "EPSG:4326";

/// The buildings and the vegetation of a place, as a file states them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// The coordinate reference system as the file states it: `EPSG:25832`, a URN or URL of one, a PROJ string or WKT; `None` where
    /// it states none. Coordinates are easting or longitude first, as files have them in practice.
    pub crs: Option<String>,
    /// The system that the file itself names, whatever counts instead; `None` if it names none, also if its format
    /// implies one.
    pub file_crs: Option<String>,
    /// The buildings, in the order of the file.
    pub buildings: Vec<Building>,
    /// The vegetation, in the order of the file.
    pub clutter: Vec<Clutter>,
    /// Messages on features that were left out, mended or assumed; each opens with the file and names the first feature
    /// concerned.
    pub warnings: Vec<Warning>,
}

/// A building, or a part of one that has its own height.
#[derive(Debug, Clone, PartialEq)]
pub struct Building {
    /// Its id in the file, or a number where the file gives none.
    pub id: String,
    /// The place in the file, for messages: `feature 3 (counted from 0)`, `way 4711`.
    pub found_at: String,
    /// The shape of the building.
    pub shape: Shape,
    /// The material of its walls, as the file names it.
    pub wall_material: Option<String>,
    /// The material of its roof, as the file names it.
    pub roof_material: Option<String>,
}

/// The shape of a building.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// An outline with upright walls under a flat or pitched roof.
    Prism(Prism),
    /// Polygons in space: horizontal coordinates as the place's, heights in metres above the file's zero.
    Surfaces(Vec<Surface>),
}

/// An outline with upright walls under a flat or pitched roof.
#[derive(Debug, Clone, PartialEq)]
pub struct Prism {
    /// The ground plan: polygons that do not overlap once repaired.
    pub outline: Vec<Polygon>,
    /// The height of the roof: of its highest point, unless `pitched` says that it comes on top.
    pub roof: Roof,
    /// The shape of the roof; `None` if it is flat.
    pub pitched: Option<PitchedRoof>,
    /// The height of the underside above the ground, metres: a bridge between houses, an upper part of a building.
    pub min_height: f64,
    /// The elevation of the ground above the file's zero, metres, if the file states it.
    pub ground: Option<f64>,
}

/// A roof that is not flat. Each polygon of an outline has its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PitchedRoof {
    /// Its shape.
    pub form: RoofForm,
    /// The rise over its eaves.
    pub rise: RoofRise,
    /// The direction in which it slopes down, degrees clockwise from north: a skillion as a whole, other roofs on one
    /// of their two main sides. `None` if the file does not say it.
    pub direction_deg: Option<f64>,
    /// Whether the ridge runs across the longer side of the outline, where there is no direction.
    pub is_across: bool,
    /// Whether it rises above [`Prism::roof`], as where storeys are counted, rather than up to it.
    pub is_on_top: bool,
}

/// The shape of a [`PitchedRoof`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoofForm {
    /// One plane.
    Skillion,
    /// A ridge along the middle, between two gables.
    Gabled,
    /// Gabled, with the upper half of each gable hipped.
    HalfHipped,
    /// Gabled, with a steeper lower part.
    Gambrel,
    /// A barrel, by flat strips.
    Round,
    /// A slope over every side, all equally steep.
    Hipped,
    /// Hipped, with a steeper lower part.
    Mansard,
    /// A vault over every side, by flat strips.
    Dome,
    /// A triangle over every side, up to one apex.
    Pyramidal,
}

/// The rise of a [`PitchedRoof`] over its eaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RoofRise {
    /// The rise, metres.
    Height(f64),
    /// The angle of its slope, degrees over the horizontal.
    AngleDeg(f64),
    /// An assumed rise: at 30 degrees, but at most so many metres.
    Assumed(f64),
}

/// The position of the roof of a [`Prism`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Roof {
    /// The height above the ground, metres.
    Height(f64),
    /// The elevation above the file's zero, metres.
    Elevation(f64),
}

/// A polygon in the plane. Rings are open: the first corner is not repeated at the end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Polygon {
    /// The outer ring; counter-clockwise once repaired.
    pub outer: Vec<DVec2>,
    /// Courtyards; clockwise once repaired.
    pub holes: Vec<Vec<DVec2>>,
}

/// A flat polygon in space.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// The part of a building that it is.
    pub kind: SurfaceKind,
    /// The outer ring, then the holes; open, counter-clockwise seen from outside where the file keeps its format's rule.
    pub rings: Vec<Vec<DVec3>>,
}

/// The part of a building that a [`Surface`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceKind {
    /// A wall, window or door.
    Wall,
    /// A roof, or any outer floor.
    Roof,
    /// The ground on which the building stands.
    Ground,
}

/// Gives the bytes of a file in the same folder as another.
pub type ReadFile<'a> = dyn Fn(&Path) -> io::Result<Vec<u8>> + 'a;

/// The buildings and the vegetation in the file at `path`, in its own coordinates; the format goes by the extension and, where that leaves it open, by
/// the content.
///
/// Accepted are GeoJSON (`.geojson`, `.json`), CityJSON (`.json`, `.city.json`, `.jsonl`), Shapefile (`.shp` with
/// `.dbf` and `.prj` next to it), GeoPackage (`.gpkg`), FlatGeobuf (`.fgb`), OpenStreetMap (`.osm`, `.pbf`) and the
/// wall list of COST 231 (`.res`).
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
///
/// # Example
/// ```
/// # let folder = std::env::temp_dir();
/// let path = folder.join("keller_place_doc.geojson");
/// std::fs::write(
///     &path,
///     r#"{"type": "Feature", "properties": {"height": "12 m"}, "geometry":
///        {"type": "Polygon", "coordinates": [[[0, 0], [1e-4, 0], [1e-4, 1e-4], [0, 1e-4], [0, 0]]]}}"#,
/// )?;
/// let place = keller_geo::place::read(&path)?;
/// assert_eq!(place.buildings.len(), 1);
/// assert_eq!(place.crs.as_deref(), Some("EPSG:4326"));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: &Path) -> Result<Place, PlaceError> {
    read_with(path, &ReadOptions::default())
}

/// Reads the file like [`read`], with other names of attributes, another default height, or a stated coordinate
/// reference system.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn read_with(path: &Path, options: &ReadOptions) -> Result<Place, PlaceError> {
    read_file(path, |bytes, read_file| {
        parse(bytes, path, options, read_file)
    })
}

/// Hands the bytes of the file at `path` to `parse`.
fn read_file(
    path: &Path,
    parse: impl FnOnce(&[u8], &ReadFile<'_>) -> Result<Place, PlaceError>,
) -> Result<Place, PlaceError> {
    let bytes = crate::input::read(path).map_err(|source| PlaceError::Read {
        file: path.to_owned(),
        source,
    })?;
    parse(&bytes, &|file: &Path| crate::input::read(file))
}

/// The file of this name in the folder of another; `None` if there is none.
fn sibling(file: &Path, read_file: &ReadFile<'_>) -> Result<Option<Vec<u8>>, PlaceError> {
    match read_file(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(PlaceError::Read {
            file: file.to_owned(),
            source,
        }),
    }
}

/// Reads a file like [`read_with`], from its bytes; `read_file` gives other files of its folder.
///
/// # Errors
/// [`PlaceError`], which names the file and the place in it.
pub fn parse(
    bytes: &[u8],
    file: &Path,
    options: &ReadOptions,
    read_file: &ReadFile<'_>,
) -> Result<Place, PlaceError> {
    let extension = file
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    let mut place = match extension.as_deref() {
        Some("shp") => shapefile::parse(bytes, file, options, read_file),
        Some("gpkg") => geopackage::parse(bytes, file, options, read_file),
        Some("fgb") => flatgeobuf::parse(bytes, file, options),
        Some("osm") => osm::parse_xml(bytes, file, options),
        Some("pbf") => osm::parse_pbf(bytes, file, options),
        Some("res") => cost231::parse(bytes, file, options),
        Some("jsonl" | "cityjson") => cityjson::parse(bytes, file, options),
        Some("json") if cityjson::is_cityjson(bytes) => cityjson::parse(bytes, file, options),
        Some("json" | "geojson") => geojson::parse(bytes, file, options),
        _ => Err(PlaceError::Extension {
            file: file.to_owned(),
            extension: extension.map_or("(none)".to_owned(), |extension| format!("`.{extension}`")),
        }),
    }?;
    place.crs = options.crs_of(place.crs.take());
    place.clean_names();
    if place.buildings.is_empty() && place.clutter.is_empty() {
        let hint = place.warnings.first().map(Warning::to_string);
        let hint = hint.unwrap_or_default();
        return Err(PlaceError::NoBuildings {
            file: file.to_owned(),
            hint,
        });
    }
    Ok(place)
}

impl Place {
    /// Puts blanks in place of control characters in all names: maps have thousands of them, a few of which have tabs and breaks.
    fn clean_names(&mut self) {
        let of_buildings = self.buildings.iter_mut().flat_map(|building| {
            let materials = [&mut building.wall_material, &mut building.roof_material];
            let names = [&mut building.id, &mut building.found_at];
            names.into_iter().chain(materials.into_iter().flatten())
        });
        let of_clutter = self.clutter.iter_mut().map(|clutter| &mut clutter.found_at);
        for name in of_buildings.chain(of_clutter) {
            if has_control(name) {
                *name = name.replace(char::is_control, " ");
            }
        }
    }

    /// Replaces every horizontal coordinate by `to_local` of it, as from longitude and latitude to local metres.
    ///
    /// # Errors
    /// [`PlaceError::Coordinates`], which names the first thing that `to_local` refuses; the place is then partly mapped.
    pub fn map<E: Display>(
        &mut self,
        mut to_local: impl FnMut(DVec2) -> Result<DVec2, E>,
    ) -> Result<(), PlaceError> {
        let refused = |found_at: &str, (point, problem): (DVec2, String)| PlaceError::Coordinates {
            place: found_at.to_owned(),
            x: point.x,
            y: point.y,
            problem,
        };
        for building in &mut self.buildings {
            let mapped = building.shape.map(&mut to_local);
            mapped.map_err(|problem| refused(&building.found_at, problem))?;
        }
        for clutter in &mut self.clutter {
            let mapped = map_outline(&mut clutter.outline, &mut to_local);
            mapped.map_err(|problem| refused(&clutter.found_at, problem))?;
        }
        Ok(())
    }

    /// Lets the longitudes of each feature run on across the antimeridian, near `reference`; all coordinates are degrees.
    pub(crate) fn unwrap_longitudes(&mut self, reference: f64) {
        let unwrap = |first: &mut Option<f64>, at: DVec2| {
            let first = *first.get_or_insert(near_longitude(at.x, reference));
            Ok::<_, Infallible>(DVec2::new(near_longitude(at.x, first), at.y))
        };
        for building in &mut self.buildings {
            let mut first = None;
            let _ = building.shape.map(&mut |at| unwrap(&mut first, at));
        }
        for clutter in &mut self.clutter {
            let mut first = None;
            let _ = map_outline(&mut clutter.outline, &mut |at| unwrap(&mut first, at));
        }
    }

    /// The smallest and the largest coordinates of the first building, or of the first vegetation.
    pub(crate) fn first_bounds(&self) -> Option<[DVec2; 2]> {
        let building = self.buildings.first().map(|b| b.shape.bounds());
        building.or_else(|| self.clutter.first().map(|c| outline_bounds(&c.outline)))
    }

    /// Adds `by` metres to every elevation above the file's zero, so that they count from another one.
    pub fn raise(&mut self, by: f64) {
        for building in &mut self.buildings {
            match &mut building.shape {
                Shape::Prism(prism) => {
                    if let Some(ground) = &mut prism.ground {
                        *ground += by;
                    }
                    if let Roof::Elevation(elevation) = &mut prism.roof {
                        *elevation += by;
                    }
                }
                Shape::Surfaces(surfaces) => {
                    let points = surfaces.iter_mut().flat_map(|s| s.rings.iter_mut());
                    points.flatten().for_each(|point| point.z += by);
                }
            }
        }
    }

    /// The smallest and the largest coordinates of all buildings and vegetation; `None` without any.
    pub fn bounds(&self) -> Option<[DVec2; 2]> {
        let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        let buildings = self
            .buildings
            .iter()
            .map(|building| building.shape.bounds());
        let clutter = self
            .clutter
            .iter()
            .map(|area| outline_bounds(&area.outline));
        let bounds = buildings
            .chain(clutter)
            .fold(empty, |[low, high], [l, h]| [low.min(l), high.max(h)]);
        (bounds != empty).then_some(bounds)
    }
}

impl Shape {
    fn map<E: Display>(
        &mut self,
        to_local: &mut impl FnMut(DVec2) -> Result<DVec2, E>,
    ) -> Result<(), (DVec2, String)> {
        match self {
            Self::Prism(prism) => map_outline(&mut prism.outline, to_local),
            Self::Surfaces(surfaces) => {
                for point in surfaces.iter_mut().flat_map(|s| &mut s.rings).flatten() {
                    *point = replace(point.truncate(), to_local)?.extend(point.z);
                }
                Ok(())
            }
        }
    }

    /// The smallest and the largest horizontal coordinates.
    pub(crate) fn bounds(&self) -> [DVec2; 2] {
        let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        let grow = |[low, high]: [DVec2; 2], p: DVec2| [low.min(p), high.max(p)];
        match self {
            Self::Prism(prism) => outline_bounds(&prism.outline),
            Self::Surfaces(surfaces) => {
                let points = surfaces.iter().flat_map(|s| &s.rings).flatten();
                points.map(|p| p.truncate()).fold(empty, grow)
            }
        }
    }
}

/// A point in local metres; the error if it has no place there.
fn replace<E: Display>(
    point: DVec2,
    to_local: &mut impl FnMut(DVec2) -> Result<DVec2, E>,
) -> Result<DVec2, (DVec2, String)> {
    match to_local(point) {
        Ok(local) if local.is_finite() => Ok(local),
        Ok(_) => Err((point, "they have no place in the local frame".to_owned())),
        Err(problem) => Err((point, problem.to_string())),
    }
}

fn map_outline<E: Display>(
    outline: &mut [Polygon],
    to_local: &mut impl FnMut(DVec2) -> Result<DVec2, E>,
) -> Result<(), (DVec2, String)> {
    for point in outline.iter_mut().flat_map(Polygon::rings_mut).flatten() {
        *point = replace(*point, to_local)?;
    }
    Ok(())
}

/// The smallest and the largest coordinates of polygons.
pub(crate) fn outline_bounds(outline: &[Polygon]) -> [DVec2; 2] {
    let outer = outline.iter().flat_map(|polygon| &polygon.outer);
    bounds(outer.copied())
}

/// The smallest and the largest coordinates of points; infinite without any.
pub(crate) fn bounds(points: impl Iterator<Item = DVec2>) -> [DVec2; 2] {
    let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    points.fold(empty, |[low, high], p| [low.min(p), high.max(p)])
}

impl Polygon {
    /// All its rings, the outer one first.
    pub fn rings(&self) -> impl Iterator<Item = &Vec<DVec2>> {
        std::iter::once(&self.outer).chain(&self.holes)
    }

    fn rings_mut(&mut self) -> impl Iterator<Item = &mut Vec<DVec2>> {
        std::iter::once(&mut self.outer).chain(&mut self.holes)
    }

    /// The area without the holes, in the square of the coordinates' unit.
    pub fn area(&self) -> f64 {
        let holes: f64 = self.holes.iter().map(|ring| rings::area(ring).abs()).sum();
        rings::area(&self.outer).abs() - holes
    }
}

#[cfg(test)]
mod tests;
