//! The places of the cells of a coverage that was written before.

use glam::DVec2;

use crate::formats::stored_arrays::StoredArrays;

/// The cells of a region, x running fastest, then y.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellAxes {
    /// The origin of x and y in the scene, metres, and the direction of x.
    corner: DVec2,
    x_axis: DVec2,
    /// The centres along x and y, and the heights, metres; none is empty.
    pub(crate) axes: [Vec<f64>; 3],
    /// The height of the ground below each column, if heights are above it.
    pub(crate) ground: Option<Vec<f64>>,
}

impl CellAxes {
    /// The cells of a file, or what is wrong with them.
    pub(crate) fn read(arrays: &mut StoredArrays) -> Result<Self, String> {
        let axes = ["x", "y", "z"].map(|name| {
            let axis = arrays.array(name)?.values;
            let is_growing = axis.is_sorted_by(|a, b| a < b) || name == "z";
            if axis.is_empty() || !is_growing {
                return Err(format!("{name} holds no coordinates of cells"));
            }
            Ok(axis)
        });
        let [x, y, z] = axes;
        let (x, y, z) = (x?, y?, z?);
        let ground = if arrays.has("ground") {
            if arrays.count("ground")? != x.len() * y.len() {
                return Err("ground does not fit x and y".to_owned());
            }
            Some(arrays.array("ground")?.values)
        } else {
            None
        };
        let mut pair = |name: &str, absent: DVec2| {
            if !arrays.has(name) {
                return Ok(absent);
            }
            let refuse = || format!("{name} holds no two numbers");
            if arrays.count(name)? != 2 {
                return Err(refuse());
            }
            let pair = <[f64; 2]>::try_from(arrays.array(name)?.values);
            pair.map(DVec2::from).map_err(|_| refuse())
        };
        let corner = pair("corner", DVec2::ZERO)?;
        let x_axis = pair("x_axis", DVec2::X)?;
        Ok(Self {
            corner,
            x_axis,
            axes: [x, y, z],
            ground,
        })
    }

    /// The distance between centres along x and y, metres. The cells of a single row or column are taken to be square;
    /// `None` for a single cell.
    pub(crate) fn size(&self) -> Option<[f64; 2]> {
        let [x, y, _] = &self.axes;
        match [spacing(x), spacing(y)] {
            [Some(along), Some(across)] => Some([along, across]),
            [Some(one), None] | [None, Some(one)] => Some([one, one]),
            [None, None] => None,
        }
    }

    /// The place in the scene of a point in the axes of the region.
    pub(crate) fn in_scene(&self, own: DVec2) -> DVec2 {
        self.corner + self.x_axis.rotate(own)
    }

    /// The point in the axes of the region of a place in the scene.
    pub(crate) fn in_region(&self, at: DVec2) -> DVec2 {
        let away = at - self.corner;
        DVec2::new(self.x_axis.dot(away), self.x_axis.perp_dot(away))
    }

    /// A vector along the axes of the region, in the scene.
    pub(crate) fn direction(&self, own: DVec2) -> DVec2 {
        self.x_axis.rotate(own)
    }
}

/// The distance between even centres; `None` for a single one.
pub(super) fn spacing(axis: &[f64]) -> Option<f64> {
    let [first, .., last] = axis else { return None };
    Some((last - first) / (axis.len() - 1) as f64)
}
