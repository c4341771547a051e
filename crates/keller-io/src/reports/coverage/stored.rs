//! The path gains of a coverage that was written before: the nearest cell or tile of a place.

use std::path::{Path, PathBuf};

use glam::DVec2;
use keller::DVec3;
use keller::scene::{FaceId, Scene};
use thiserror::Error;

use super::cell_axes::{CellAxes, spacing};
use crate::formats::stored_arrays::StoredArrays;

/// The accepted files of gains.
const ACCEPTED: &str = "a .npz or .zarr of `keller coverage` that holds the gains of every Tx";

/// The reason why a coverage cannot be read.
#[derive(Debug, Error)]
#[error("{}: {problem}; accepted: {ACCEPTED}", file.display())]
pub struct StoredError {
    file: PathBuf,
    problem: String,
}

/// The path gains of a coverage of cells or surfaces, read from its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredGains {
    /// The names of its Tx, in the order of the gains.
    pub tx_names: Vec<String>,
    places: Places,
    /// The gains, dB, one Tx after the other. They are minus infinity where no path leads, NaN where no receiver can
    /// be.
    gains: Vec<f64>,
}

/// The places of the gains.
#[derive(Debug, Clone, PartialEq)]
enum Places {
    Cells(Cells),
    Tiles(Vec<StoredTile>),
}

/// The cells of a region.
#[derive(Debug, Clone, PartialEq)]
struct Cells {
    place: CellAxes,
    /// The distance between centres along x and y, metres.
    size: [f64; 2],
    /// The longest side of a cell, metres.
    longest: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct StoredTile {
    centre: DVec3,
    area: f64,
    face: usize,
}

/// The gain of the cell or tile that is nearest to a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestGain {
    /// The path gain, dB; minus infinity where no path leads.
    pub gain_db: f64,
    /// The distance from the place to the centre of the cell or tile, metres.
    pub distance: f64,
}

/// The nearest cell or tile of a place: its number, the side of a tile, and its distance in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestPlace {
    number: usize,
    /// The distance of the place from the plane of the tile, along its normal; 0 for cells.
    above: f64,
    distance: f64,
}

impl StoredGains {
    /// Reads the gains in `file`, which `keller coverage` wrote: `.npz` of cells or surfaces, or `.zarr` of cells.
    ///
    /// # Errors
    /// [`StoredError`] for anything else.
    pub fn open(file: &Path) -> Result<Self, StoredError> {
        let read = match StoredArrays::open(file) {
            Some(arrays) => arrays.and_then(Self::read),
            None => Err("this format holds no gains that can be read back".to_owned()),
        };
        read.map_err(|problem| StoredError {
            file: file.to_owned(),
            problem,
        })
    }

    fn read(mut source: StoredArrays) -> Result<Self, String> {
        if !source.has("path_gain_db") {
            return Err("there is no array path_gain_db; with per_tx = false only what cells receive is written".to_owned());
        }
        // The shapes are checked by the descriptions of the arrays, before any of them is unpacked.
        let shape = source.shape("path_gain_db")?;
        let num_tx = source.count("tx_name")?;
        let expected = if source.has("centre") {
            vec![num_tx, source.count("area")?, 2]
        } else {
            let [z, y, x] = ["z", "y", "x"].map(|name| source.count(name));
            vec![num_tx, z?, y?, x?]
        };
        if shape != expected {
            return Err(format!(
                "path_gain_db has the shape {shape:?} where {expected:?} fits the other arrays"
            ));
        }
        let tx_names = source.texts("tx_name")?;
        let places = if source.has("centre") {
            Places::Tiles(tiles(&mut source)?)
        } else {
            Places::Cells(Cells::read(&mut source)?)
        };
        let gains = source.array("path_gain_db")?.values;
        Ok(Self {
            tx_names,
            places,
            gains,
        })
    }

    /// Whether the coverage is of surfaces.
    pub fn is_of_surfaces(&self) -> bool {
        matches!(self.places, Places::Tiles(_))
    }

    /// Checks that the faces of a coverage of surfaces are those of this scene, as far as their number shows. Returns
    /// the number of a missing face.
    pub fn missing_face(&self, scene: &Scene) -> Option<usize> {
        let Places::Tiles(tiles) = &self.places else {
            return None;
        };
        let faces = tiles.iter().map(|tile| tile.face);
        faces.max().filter(|face| *face >= scene.faces().len())
    }

    /// The gains from a Tx in all cells, x running fastest, then y, or on both sides of all tiles, dB: minus infinity
    /// where no path leads, NaN where no receiver can be.
    ///
    /// # Panics
    /// If there is no such Tx.
    pub fn of_tx(&self, tx: usize) -> &[f64] {
        let count = self.gains.len() / self.tx_names.len();
        &self.gains[tx * count..(tx + 1) * count]
    }

    /// The shape of the gains: z, y, x of cells, or tiles and sides.
    pub fn shape(&self) -> Vec<usize> {
        match &self.places {
            Places::Cells(Cells {
                place: CellAxes {
                    axes: [x, y, z], ..
                },
                ..
            }) => vec![z.len(), y.len(), x.len()],
            Places::Tiles(tiles) => vec![tiles.len(), 2],
        }
    }

    /// The centre of each cell or side, metres of the scene.
    pub fn centres(&self) -> Vec<DVec3> {
        match &self.places {
            Places::Cells(cells) => cells.centres().collect(),
            Places::Tiles(tiles) => tiles.iter().flat_map(|tile| [tile.centre; 2]).collect(),
        }
    }

    /// The area of each cell or side, m².
    pub fn areas(&self) -> Vec<f64> {
        match &self.places {
            Places::Cells(cells) => {
                let count = cells.place.axes.iter().map(Vec::len).product();
                vec![cells.size[0] * cells.size[1]; count]
            }
            Places::Tiles(tiles) => tiles.iter().flat_map(|tile| [tile.area; 2]).collect(),
        }
    }

    /// The number among all gains of a nearest cell, or of the front of a nearest tile, whose back is the next.
    pub fn index(&self, place: NearestPlace) -> usize {
        match &self.places {
            Places::Cells(_) => place.number,
            Places::Tiles(_) => 2 * place.number,
        }
    }

    /// The cell or tile nearest to a place; `None` outside the region, and farther from the centre than the longest
    /// side of a cell, or of a square with the area of the tile.
    ///
    /// # Panics
    /// If [`Self::missing_face`] returns a face.
    pub fn nearest(&self, at: DVec3, scene: &Scene) -> Option<NearestPlace> {
        match &self.places {
            Places::Cells(cells) => cells.nearest(at),
            Places::Tiles(tiles) => {
                let numbered = tiles.iter().enumerate();
                let distances =
                    numbered.map(|(number, tile)| (number, tile.centre.distance_squared(at)));
                let (number, _) = distances.min_by(|a, b| a.1.total_cmp(&b.1))?;
                let tile = &tiles[number];
                let distance = tile.centre.distance(at);
                let normal = scene.face_normal(FaceId::from_index(tile.face));
                (distance <= tile.area.sqrt()).then(|| NearestPlace {
                    number,
                    above: normal.dot(at - tile.centre),
                    distance,
                })
            }
        }
    }

    /// The gain from a Tx at a nearest cell or tile; `None` where no receiver can be. For a tile it is that of the side
    /// that faces the place, and for places on the wall itself the stronger one.
    ///
    /// # Panics
    /// If there is no such Tx.
    pub fn gain(&self, tx: usize, place: NearestPlace) -> Option<NearestGain> {
        /// The distance from a wall below which a place is on it, metres.
        const ON_WALL: f64 = 1e-3;
        let gains = self.of_tx(tx);
        let gain_db = match &self.places {
            Places::Cells(_) => gains[place.number],
            Places::Tiles(_) => {
                let sides = [gains[2 * place.number], gains[2 * place.number + 1]];
                match place.above {
                    above if above > ON_WALL => sides[0],
                    above if above < -ON_WALL => sides[1],
                    _ => sides[0].max(sides[1]),
                }
            }
        };
        (!gain_db.is_nan()).then_some(NearestGain {
            gain_db,
            distance: place.distance,
        })
    }
}

impl Cells {
    fn read(source: &mut StoredArrays) -> Result<Self, String> {
        let place = CellAxes::read(source)?;
        let size = place.size();
        let size =
            size.ok_or_else(|| "of one column of cells, their size is not known".to_owned())?;
        let z = &place.axes[2];
        // Levels at equal distances are those of a volume, whose cells may be higher than wide. Planes have no height.
        let height = spacing(z).filter(|step| {
            let steps = z.windows(2).map(|pair| pair[1] - pair[0]);
            z.len() > 2
                && place.ground.is_none()
                && steps.into_iter().all(|own| (own - step).abs() < 1e-6)
        });
        let longest = size[0].max(size[1]).max(height.unwrap_or(0.0));
        Ok(Self {
            place,
            size,
            longest,
        })
    }

    fn centres(&self) -> impl Iterator<Item = DVec3> {
        let [x, y, z] = &self.place.axes;
        let columns = x.len() * y.len();
        (0..columns * z.len()).map(move |index| {
            let column = index % columns;
            let own = DVec2::new(x[column % x.len()], y[column / x.len()]);
            let ground = self.place.ground.as_ref();
            let ground = ground.map_or(0.0, |ground| ground[column]);
            self.place.in_scene(own).extend(ground + z[index / columns])
        })
    }

    fn nearest(&self, at: DVec3) -> Option<NearestPlace> {
        let [x, y, z] = &self.place.axes;
        let at = self.place.in_region(at.truncate()).extend(at.z);
        let i = nearest_centre(x, self.size[0], at.x)?;
        let j = nearest_centre(y, self.size[1], at.y)?;
        let ground = self
            .place
            .ground
            .as_ref()
            .map_or(0.0, |ground| ground[j * x.len() + i]);
        let heights = z.iter().map(|z| (ground + z - at.z).abs()).enumerate();
        let (k, above) = heights.min_by(|a, b| a.1.total_cmp(&b.1))?;
        let distance = DVec3::new(at.x - x[i], at.y - y[j], above).length();
        // The distance is no number without ground.
        (distance <= self.longest).then_some(NearestPlace {
            number: (k * y.len() + j) * x.len() + i,
            above: 0.0,
            distance,
        })
    }
}

/// The index of the nearest of ascending centres; `None` more than half a cell outside of them.
fn nearest_centre(centres: &[f64], size: f64, at: f64) -> Option<usize> {
    /// The tolerance with which rounding does not lose the border itself.
    const SLACK: f64 = 1e-9;
    let (first, last) = (centres.first()?, centres.last()?);
    let reach = 0.5 * size * (1.0 + SLACK) + SLACK;
    if !(first - reach <= at && at <= last + reach) {
        return None;
    }
    let above = centres.partition_point(|centre| *centre < at);
    let candidates = above.saturating_sub(1)..centres.len().min(above + 1);
    candidates.min_by(|a, b| {
        let [a, b] = [a, b].map(|index| (centres[*index] - at).abs());
        a.total_cmp(&b)
    })
}

fn tiles(source: &mut StoredArrays) -> Result<Vec<StoredTile>, String> {
    let [centres, areas, faces] = ["centre", "area", "face"].map(|name| source.count(name));
    let num_areas = areas?;
    if Some(centres?) != num_areas.checked_mul(3) || faces? != num_areas {
        return Err("centre, area and face do not fit".to_owned());
    }
    let [centres, areas, faces] = ["centre", "area", "face"].map(|name| source.array(name));
    let (centres, areas, faces) = (centres?.values, areas?.values, faces?.values);
    let (centres, _) = centres.as_chunks::<3>();
    let all = centres.iter().zip(areas).zip(faces);
    let tiles = all.map(|((centre, area), face)| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of a face, checked to be one"
        )]
        let index = (face >= 0.0 && face < f64::from(u32::MAX)).then_some(face as usize);
        Some(StoredTile {
            centre: DVec3::from(*centre),
            area,
            face: index?,
        })
    });
    let tiles: Option<Vec<StoredTile>> = tiles.collect();
    tiles.ok_or_else(|| "face holds no numbers of faces".to_owned())
}

#[cfg(test)]
mod tests;
