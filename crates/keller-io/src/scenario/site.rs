//! The place of a device, as a scenario gives it: in the scene's metres or by longitude and latitude, over the scene's
//! zero, the ground or the zero of a coordinate reference system. The scene itself is not known yet: see
//! `positions.rs`.

use keller::DVec3;
use keller::geometry::tolerance::MAX_COORDINATE;

use super::document::Section;
use super::error::ScenarioError;

/// The place of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Site {
    /// Three numbers, in the order x or longitude, y or latitude, height.
    pub at: DVec3,
    /// The meaning of the numbers.
    pub coordinates: Coordinates,
}

/// The meaning of the three numbers of a [`Site`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coordinates {
    /// The meaning of the first two.
    pub horizontal: Horizontal,
    /// The meaning of the third.
    pub height: Height,
}

/// The coordinates that place a device on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Horizontal {
    /// x and y of the scene, metres.
    #[default]
    Local,
    /// Longitude and latitude on WGS 84, degrees.
    LonLat,
}

/// The reference of a height, metres.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Height {
    /// The zero of the scene.
    #[default]
    Local,
    /// The ground below ([`keller::scene::Scene::ground`]).
    AboveGround,
    /// The zero of heights of the scene's coordinate reference system, such as the sea.
    Altitude,
}

impl Horizontal {
    /// The two keys, or columns, that hold them.
    pub(super) fn names(self) -> [&'static str; 2] {
        match self {
            Self::Local => ["x", "y"],
            Self::LonLat => ["longitude", "latitude"],
        }
    }
}

impl Height {
    /// The key, or column, that holds it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Local => "z",
            Self::AboveGround => "height_above_ground",
            Self::Altitude => "altitude",
        }
    }
}

/// The keys of a device that [`read`] reads.
pub(super) const KEYS: [&str; 5] = [
    "position",
    "longitude",
    "latitude",
    "height_above_ground",
    "altitude",
];

/// The place of a device: one of `position = [x, y, z]`, `position = [x, y]` and `longitude` with `latitude`, the
/// latter two with a height. `None` if there is none.
pub(super) fn read(section: &Section<'_>) -> Result<Option<Site>, ScenarioError> {
    let height = height(section)?;
    let (horizontal, at) = match (section.has("position"), lon_lat(section)?) {
        (false, None) if height.is_some() => return Err(section.missing("position")),
        (false, None) => return Ok(None),
        (false, Some(at)) => (Horizontal::LonLat, at.to_vec()),
        (true, None) => {
            let at = section.numbers("position")?;
            (Horizontal::Local, at.unwrap_or_default())
        }
        (true, Some(_)) => {
            let problem = "stands beside `longitude` and `latitude`: give one of the two";
            return Err(section.problem("position", problem));
        }
    };
    let (at, height) = match (&at[..], height) {
        (&[x, y], Some((height, z))) => (DVec3::new(x, y, z), height),
        (&[x, y, z], None) => (DVec3::new(x, y, z), Height::Local),
        (&[_, _, z], Some((height, _))) => {
            let problem = format!("stands beside z = {z} in `position`: leave one of the two out");
            return Err(section.problem(height.name(), problem));
        }
        (&[_, _], None) if horizontal == Horizontal::LonLat => {
            return Err(section.missing("height_above_ground"));
        }
        _ => return Err(section.unexpected("position")),
    };
    Ok(Some(Site {
        at,
        coordinates: Coordinates { horizontal, height },
    }))
}

/// Whether the simulator keeps its accuracy at a coordinate.
pub(super) fn is_coordinate(value: f64) -> bool {
    value.abs() <= MAX_COORDINATE
}

/// The `longitude` and `latitude`, both or neither, degrees.
pub(super) fn lon_lat(section: &Section<'_>) -> Result<Option<[f64; 2]>, ScenarioError> {
    let names = Horizontal::LonLat.names();
    if let [Some(lon), Some(lat)] = names.map(|key| section.number_found(key)) {
        check_lon_lat([lon, lat]).map_err(|(key, problem)| section.refuse(key, problem))?;
    }
    let [lon, lat] = names.map(|key| section.number(key));
    match (lon?, lat?) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(section.missing("longitude")),
        (Some(_), None) => Err(section.missing("latitude")),
        (Some(lon), Some(lat)) => Ok(Some([lon, lat])),
    }
}

/// Fails with the name of the one that is out of its range, and the value.
pub(super) fn check_lon_lat([lon, lat]: [f64; 2]) -> Result<(), (&'static str, String)> {
    let [lon_name, lat_name] = Horizontal::LonLat.names();
    if lat.abs() > 90.0 {
        let hint = if lon.abs() <= 90.0 && lat.abs() <= 180.0 {
            format!(" beside longitude {lon}: are the two swapped?")
        } else {
            String::new()
        };
        return Err((lat_name, format!("found {lat}{hint}")));
    }
    if lon.abs() > 180.0 {
        return Err((lon_name, format!("found {lon}")));
    }
    Ok(())
}

/// The `height_above_ground` or `altitude`, if one of them is there.
fn height(section: &Section<'_>) -> Result<Option<(Height, f64)>, ScenarioError> {
    let read = |height: Height| section.number(height.name());
    match (read(Height::AboveGround)?, read(Height::Altitude)?) {
        (None, None) => Ok(None),
        (Some(value), None) => Ok(Some((Height::AboveGround, value))),
        (None, Some(value)) => Ok(Some((Height::Altitude, value))),
        (Some(_), Some(_)) => {
            let problem = "stands beside `height_above_ground`: give one of the two";
            Err(section.problem("altitude", problem))
        }
    }
}
