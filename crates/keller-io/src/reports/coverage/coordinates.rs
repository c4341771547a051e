//! The arrays with the places of a coverage's cells.

use std::io;

use glam::{DVec2, DVec3};
use keller::coverage::{Levels, Region};
use keller_geo::crs::Frame;

use super::map_array::{MapArray, Number, Values};
use crate::formats::arrays::ArraySink;

/// Names and units of coordinates on the earth.
const ON_EARTH: [[&str; 2]; 2] = [["m", "easting"], ["m", "northing"]];

/// The places of the cells of a region.
#[derive(Debug, Clone, Copy)]
pub struct CoverageCoordinates<'a> {
    /// The cells.
    pub region: &'a Region,
    /// The heights of [`keller::coverage::Coverage::ground`].
    pub ground: &'a [f64],
    /// The place of the coordinates on earth, if that is known.
    pub frame: Option<&'a Frame>,
}

impl CoverageCoordinates<'_> {
    /// Hands the coordinates among the arrays of [`super::CoverageMap::write_npz`] to `sink`: those of cells, and
    /// `ground`.
    ///
    /// # Errors
    /// The errors of `sink`.
    pub fn write_arrays(&self, sink: &mut dyn ArraySink) -> io::Result<()> {
        for array in self.arrays() {
            let (kind, size) = (array.number.name(), array.number.size());
            let Values::Real(values) = &array.values else {
                unreachable!("coordinates are numbers that are held");
            };
            let mut bytes = Vec::with_capacity(size * values.len());
            for value in values {
                array.number.put(*value, &mut bytes);
            }
            sink.array(array.name, kind, size, &array.shape, &mut |writer| {
                writer.write_all(&bytes)
            })?;
        }
        Ok(())
    }

    /// The coordinates of the cells: the first rows of the table of [`super::CoverageMap::arrays`].
    pub(super) fn arrays(&self) -> Vec<MapArray> {
        let region = self.region;
        let [nx, ny, nz] = region.shape();
        let is_above_ground = matches!(region.levels, Levels::AboveGround(_));
        let height = if is_above_ground {
            "height above ground"
        } else {
            "height above the scene's zero"
        };
        let z = region.levels.heights().to_vec();
        let z = MapArray::real("z", ["m", height], &["z"], &[nz], z);
        let origin = self.frame.map(Frame::origin);
        let mut arrays = if region.is_turned() {
            turned(region, z, origin)
        } else {
            upright(region, z, origin)
        };
        if is_above_ground {
            let ground = self.ground.to_vec();
            let about = ["m", "height of the ground"];
            arrays.push(MapArray {
                number: Number::Real32,
                ..MapArray::real("ground", about, &["y", "x"], &[ny, nx], ground)
            });
        }
        arrays
    }
}

/// The coordinates of a region along the scene's axes: one for each row and each column.
fn upright(region: &Region, z: MapArray, origin: Option<DVec3>) -> Vec<MapArray> {
    let [nx, ny] = region.num_columns;
    let x: Vec<f64> = (0..nx).map(|i| region.column(i, 0).x).collect();
    let y: Vec<f64> = (0..ny).map(|j| region.column(0, j).y).collect();
    let moved = |v: &[f64], offset: f64| v.iter().map(|v| v + offset).collect();
    let of_earth = origin.map(|origin| [moved(&x, origin.x), moved(&y, origin.y)]);
    let mut arrays = vec![
        MapArray::real("x", ["m", "east"], &["x"], &[nx], x),
        MapArray::real("y", ["m", "north"], &["y"], &[ny], y),
        z,
    ];
    if let Some([easting, northing]) = of_earth {
        let [of_x, of_y] = ON_EARTH;
        arrays.push(MapArray::real("easting", of_x, &["x"], &[nx], easting));
        arrays.push(MapArray::real("northing", of_y, &["y"], &[ny], northing));
    }
    arrays
}

/// The coordinates of a turned region: those along its own axes, the place of these, and two for each column in the
/// scene.
fn turned(region: &Region, z: MapArray, origin: Option<DVec3>) -> Vec<MapArray> {
    let [nx, ny] = region.num_columns;
    let x = (0..nx).map(|i| region.own_column(i, 0).x).collect();
    let y = (0..ny).map(|j| region.own_column(0, j).y).collect();
    let place = |name, about, axis: usize, offset: f64| {
        let columns = (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j)));
        let places = columns.map(|(i, j)| region.column(i, j)[axis] + offset);
        MapArray::real(name, about, &["y", "x"], &[ny, nx], places.collect())
    };
    let pair = |name, about, of: DVec2| {
        MapArray::real(name, about, &["axis"], &[2], of.to_array().to_vec())
    };
    let mut arrays = vec![
        MapArray::real("x", ["m", "along the rows"], &["x"], &[nx], x),
        MapArray::real("y", ["m", "along the columns"], &["y"], &[ny], y),
        z,
        pair("corner", ["m", "where x and y start"], region.min),
        pair("x_axis", ["1", "direction of the rows"], region.axis),
        place("scene_x", ["m", "east"], 0, 0.0),
        place("scene_y", ["m", "north"], 1, 0.0),
    ];
    if let Some(origin) = origin {
        let [of_x, of_y] = ON_EARTH;
        arrays.push(place("easting", of_x, 0, origin.x));
        arrays.push(place("northing", of_y, 1, origin.y));
    }
    arrays
}
