//! A coverage in three dimensions, as a GLB for browsers and Blender: the scene, with the map lying in it and the
//! transmitters.

use std::io::{self, Write};
use std::ops::Range;

use glam::{DVec2, DVec3};
use keller::materials::Material;
use keller::scene::Scene;

use super::pictured::LayerColours;
use super::{CoverageMap, PicturedLayer};
use crate::formats::{OutputError, OutputFile};
use crate::reports::export::{Drawing, Legend, scene_glb};

/// The colour of a Tx: red, as on pictures.
const TX: [u8; 3] = [0xc8, 0x10, 0x2e];

impl CoverageMap<'_> {
    /// Writes a GLB to `out`, whole or not at all: `scene`, made of `materials` (one for each name of
    /// [`Scene::materials`]); for every height a square for each cell, where a receiver would be, in the colour that
    /// pictures give its value of a layer; and an octahedron for each transmitter. Each map explains its colours in
    /// `extras`: `quantity`, `unit` and the `range` from its first colour to its last, or the `servers` by name. A
    /// volume has one level, the one nearest to the first transmitter, and two upright cuts through it. Cells without a
    /// path have no square. Read as a scene, the file is `scene` alone.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    ///
    /// # Panics
    /// If there are fewer materials than names, or the file would have 2^32 bytes.
    pub fn write_model(
        &self,
        out: OutputFile,
        scene: &Scene,
        materials: &[Material],
        layer: PicturedLayer,
    ) -> Result<(), OutputError> {
        out.write(|writer| self.write_glb(writer, scene, materials, layer))
    }

    fn write_glb(
        &self,
        writer: &mut dyn Write,
        scene: &Scene,
        materials: &[Material],
        layer: PicturedLayer,
    ) -> io::Result<()> {
        let region = self.region;
        let extent = region.extent();
        // The octahedra are visible from where the whole map is.
        let radius = (0.01 * extent.length()).clamp(0.1, 10.0);
        let mut drawings = self.maps(layer)?;
        for tx in &self.tx {
            drawings.push(octahedron(format!("Tx {}", tx.name), tx.position, radius));
        }
        let georeference = self.frame.map(keller_geo::crs::Frame::georeference);
        let definition = |id: usize| Some(materials[id].clone());
        writer.write_all(&scene_glb(
            scene,
            definition,
            &drawings,
            georeference.as_ref(),
        ))
    }

    /// The maps of all heights, or for a volume one of them and two upright cuts; empty if no path leads anywhere.
    fn maps(&self, layer: PicturedLayer) -> io::Result<Vec<Drawing>> {
        let region = self.region;
        let [nx, ny, levels] = region.shape();
        let half = |own: DVec2| {
            let side = region.axis.rotate(own * region.resolution);
            0.5 * side.extend(0.0)
        };
        let (x, y) = (half(DVec2::X), half(DVec2::Y));
        let mut cuts = Vec::new();
        if let (true, [first, second, ..], [tx, ..]) =
            (self.is_volume, region.levels.heights(), &self.tx[..])
        {
            let z = DVec3::Z * 0.5 * (second - first);
            let at = region.to_own(tx.position.truncate()) / region.resolution;
            let [i, j] = [nearest(at.x, nx), nearest(at.y, ny)];
            let level = nearest((tx.position.z - first) / (second - first) + 0.5, levels);
            let across = |axis, tx: f64| {
                if region.is_turned() {
                    format!("upright through the Tx, across the region's {axis} axis")
                } else {
                    format!("upright through {axis} = {tx:.0} m")
                }
            };
            let cells = |level: usize| level * nx * ny;
            cuts.push(Cut {
                name: self.height_name(level),
                cells: (0..nx * ny).map(|cell| cells(level) + cell).collect(),
                halves: [x, y],
            });
            cuts.push(Cut {
                name: across("y", tx.position.y),
                cells: (0..levels)
                    .flat_map(|k| (0..nx).map(move |i| cells(k) + j * nx + i))
                    .collect(),
                halves: [x, z],
            });
            cuts.push(Cut {
                name: across("x", tx.position.x),
                cells: (0..levels)
                    .flat_map(|k| (0..ny).map(move |j| cells(k) + j * nx + i))
                    .collect(),
                halves: [y, z],
            });
        } else {
            let plane = |level: usize| Cut {
                name: self.height_name(level),
                cells: (level * nx * ny..(level + 1) * nx * ny).collect(),
                halves: [x, y],
            };
            cuts.extend((0..levels).map(plane));
        }
        let mut values = vec![Vec::new(); cuts.len()];
        for level in 0..levels {
            let of_level = level * nx * ny..(level + 1) * nx * ny;
            if cuts.iter().all(|cut| cut.in_level(&of_level).is_empty()) {
                continue;
            }
            let all = self.pictured(layer, level)?;
            for (cut, values) in cuts.iter().zip(&mut values) {
                let own = cut.in_level(&of_level).iter();
                values.extend(own.map(|cell| all[cell - of_level.start]));
            }
        }
        let Some(colours) = layer.colours(values.iter().flatten()) else {
            return Ok(Vec::new());
        };
        let drawn = cuts.iter().zip(&values);
        Ok(drawn
            .map(|(cut, values)| self.drawn(cut, values, layer, colours))
            .collect())
    }

    fn drawn(
        &self,
        cut: &Cut,
        values: &[f64],
        layer: PicturedLayer,
        colours: LayerColours,
    ) -> Drawing {
        let legend = match colours {
            LayerColours::Scale(scale) => {
                let unit = layer.unit().unwrap_or_default();
                Legend::of_scale(layer.name(), unit, scale)
            }
            LayerColours::Servers => {
                let names = self.tx.iter().map(|tx| tx.name.to_string());
                Legend::of_servers(layer.name(), names.collect())
            }
        };
        let mut drawing = Drawing {
            name: format!("{}, {}", legend.words(), cut.name),
            legend: Some(legend),
            ..Drawing::default()
        };
        let [a, b] = cut.halves;
        for (cell, value) in cut.cells.iter().zip(values) {
            let (Some(colour), Some(centre)) = (colours.of(*value), self.centre(*cell)) else {
                continue;
            };
            let vertices = [a + b, b - a, -a - b, a - b].map(|corner| centre + corner);
            drawing.add(vertices, colour, &[[0, 1, 2], [0, 2, 3]]);
        }
        drawing
    }
}

/// Cells that lie in a plane.
struct Cut {
    name: String,
    /// The numbers of the cells, in order.
    cells: Vec<usize>,
    /// The vectors from the centre of a cell to the centres of its sides, metres.
    halves: [DVec3; 2],
}

impl Cut {
    /// Its cells among these, which are all of a level.
    fn in_level(&self, level: &Range<usize>) -> &[usize] {
        let first = self.cells.partition_point(|cell| *cell < level.start);
        let end = self.cells.partition_point(|cell| *cell < level.end);
        &self.cells[first..end]
    }
}

/// The place of a coordinate in units of cells among `count` cells.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is held between no cell and all of them"
)]
fn nearest(at: f64, count: usize) -> usize {
    at.clamp(0.0, count as f64 - 0.5) as usize
}

impl Drawing {
    /// Adds a part of one colour.
    pub(crate) fn add<const N: usize>(
        &mut self,
        vertices: [DVec3; N],
        colour: [u8; 3],
        triangles: &[[u32; 3]],
    ) {
        let first = u32::try_from(self.vertices.len()).expect("fewer than 2^32 corners");
        self.vertices.extend(vertices);
        self.colours.extend([colour; N]);
        let all = triangles.iter().map(|triangle| triangle.map(|v| first + v));
        self.triangles.extend(all);
    }
}

pub(crate) fn octahedron(name: String, at: DVec3, radius: f64) -> Drawing {
    let axes = [
        DVec3::X,
        DVec3::Y,
        DVec3::NEG_X,
        DVec3::NEG_Y,
        DVec3::Z,
        DVec3::NEG_Z,
    ];
    let mut triangles = Vec::new();
    for k in 0..4 {
        let next = (k + 1) % 4;
        triangles.extend([[k, next, 4], [next, k, 5]]);
    }
    let mut drawing = Drawing {
        name,
        ..Drawing::default()
    };
    drawing.add(axes.map(|axis| at + radius * axis), TX, &triangles);
    drawing
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::MapTx;
    use super::*;
    use keller::coverage::{Coverage, Region};

    #[test]
    fn a_volume_is_cut_where_its_first_tx_is() {
        let min = DVec3::new(0.0, 0.0, 100.0);
        let size = DVec3::new(4.0, 6.0, 9.0);
        let region = Region::volume(min, min + size, DVec3::new(1.0, 1.0, 3.0)).unwrap();
        let coverage = Coverage {
            path_gain: vec![1e-8; region.num_cells()],
            region,
            ground: Vec::new(),
            num_tx: 1,
        };
        let map = CoverageMap {
            region: &coverage.region,
            ground: &coverage.ground,
            gains: Rc::new(&coverage),
            tx: vec![MapTx {
                name: "mast".into(),
                position: DVec3::new(2.7, 1.2, 104.0),
                power_dbm: 30.0,
            }],
            noise_dbm: None,
            min_gain: 0.0,
            has_gains_of_tx: true,
            figures: crate::reports::coverage::Figures::Nothing,
            is_volume: true,
            frame: None,
        };
        let maps = map.maps(PicturedLayer::Gain).unwrap();
        let bounds = |drawing: &Drawing| {
            let corners = || drawing.vertices.iter().copied();
            let low = corners().reduce(DVec3::min).unwrap();
            [low, corners().reduce(DVec3::max).unwrap()]
        };
        // Each cut goes through the centres of the cells that the Tx is in, as large as the volume.
        let expected = [
            [[0.0, 0.0, 104.5], [4.0, 6.0, 104.5]],
            [[0.0, 1.5, 100.0], [4.0, 1.5, 109.0]],
            [[2.5, 0.0, 100.0], [2.5, 6.0, 109.0]],
        ];
        let found: Vec<[DVec3; 2]> = maps.iter().map(bounds).collect();
        assert_eq!(found, expected.map(|box_of| box_of.map(DVec3::from_array)));
        let squares: Vec<usize> = maps.iter().map(|map| map.triangles.len() / 2).collect();
        assert_eq!(squares, [4 * 6, 4 * 3, 6 * 3]);
    }

    /// Storeys are as far apart as levels of a volume.
    #[test]
    fn every_plane_is_in_the_model() {
        let region = Region::planes(
            DVec2::ZERO,
            DVec2::new(4.0, 6.0),
            DVec2::ONE,
            keller::coverage::Levels::AboveSea(vec![1.2, 4.2, 7.2]),
        );
        let region = region.unwrap().turned(0.3);
        let mut path_gain = vec![1e-8; region.num_cells()];
        // No power arrives in a cell of the second storey.
        path_gain[24 + 5] = 0.0;
        let coverage = Coverage {
            path_gain,
            region,
            ground: Vec::new(),
            num_tx: 1,
        };
        let map = CoverageMap {
            region: &coverage.region,
            ground: &coverage.ground,
            gains: Rc::new(&coverage),
            tx: vec![MapTx {
                name: "desk".into(),
                position: DVec3::new(2.7, 1.2, 1.0),
                power_dbm: 30.0,
            }],
            noise_dbm: None,
            min_gain: 0.0,
            has_gains_of_tx: true,
            figures: crate::reports::coverage::Figures::Nothing,
            is_volume: false,
            frame: None,
        };
        let maps = map.maps(PicturedLayer::Gain).unwrap();
        let squares: Vec<usize> = maps.iter().map(|map| map.triangles.len() / 2).collect();
        assert_eq!(squares, [24, 23, 24]);
        for (map, height) in maps.iter().zip([1.2, 4.2, 7.2]) {
            assert!(map.vertices.iter().all(|v| v.z == height));
            // The first square has the region's own sides.
            let side = (map.vertices[0] - map.vertices[1]).truncate();
            assert!(side.distance(coverage.region.axis) < 1e-9, "{side}");
        }
    }
}
