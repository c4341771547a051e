//! The field on surfaces as files: tables with a row for each side of a tile and Tx, arrays, and the coloured scene.

mod model;
mod npz;
mod rays;
mod record;
mod rows;

pub use record::FinishedTx;

use keller::DVec3;
use keller::coverage::tiles::{Recall, TileField};
use keller::scene::{FaceId, Scene};
use keller::tiles::Tiles;
use keller::units::{db_to_power, power_to_db};
use keller_geo::crs::Frame;

use crate::reports::coverage::MapTx;
use crate::reports::palette::{self, Palette};
use crate::reports::plot::{ColourScale, PlotTx, View, with_legend};

/// The field on the tiles of a scene.
#[derive(Debug, Clone)]
pub struct SurfaceMap<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Its tiles.
    pub tiles: &'a Tiles,
    /// The fields of every Tx, on both sides of every tile.
    pub fields: Vec<Vec<[TileField; 2]>>,
    /// The share of the paths of several interactions that may be missing, for every Tx.
    pub recalls: Vec<Recall>,
    /// The transmitters, in the order of the fields.
    pub tx: Vec<MapTx>,
    /// The path gain below which nothing counts, dB; absent: all count.
    pub min_gain_db: Option<f64>,
    /// The place of the coordinates on earth, if that is known.
    pub frame: Option<&'a Frame>,
}

/// The largest gain of a tile.
#[derive(Debug, Clone, Copy)]
struct Strongest {
    gain_db: f64,
    /// The side: 0 in front, 1 behind.
    side: usize,
}

impl SurfaceMap<'_> {
    /// The scene from the air as PNG, in the colours of the strongest gain of any Tx, the stronger side of each tile,
    /// and its edges as lines; grey where no power arrives; with `tx` on it, `title` above, and the bar of these
    /// colours next to it.
    pub fn view_png(&self, title: &str, tx: &[PlotTx]) -> Vec<u8> {
        let strongest = self.strongest();
        let scale = scale(&strongest);
        let paint = |face: FaceId, at: DVec3| {
            let tile = self.tiles.at(face, at);
            colour(scale, tile.and_then(|tile| strongest[tile]))
        };
        let view = View::new(self.scene);
        let tx: Vec<PlotTx> = tx.iter().map(|tx| view.on_picture(tx)).collect();
        let has_nothing = strongest.iter().any(Option::is_none);
        let picture = view.painted(&paint);
        with_legend(&picture, title, scale, "path gain / dB", &tx, has_nothing)
    }

    /// Whether a gain, linear, counts.
    pub fn counts(&self, gain: f64) -> bool {
        gain > 0.0 && gain >= self.min_gain_db.map_or(0.0, db_to_power)
    }

    /// The largest gain of any Tx on one of the sides of each tile; `None` if none counts.
    fn strongest(&self) -> Vec<Option<Strongest>> {
        let mut strongest: Vec<Option<Strongest>> = vec![None; self.tiles.len()];
        for (tile, sides) in self
            .fields
            .iter()
            .flat_map(|of_tx| of_tx.iter().enumerate())
        {
            for (side, field) in sides.iter().enumerate() {
                let gain_db = power_to_db(field.path_gain);
                let is_more = strongest[tile].is_none_or(|known| gain_db > known.gain_db);
                if self.counts(field.path_gain) && is_more {
                    strongest[tile] = Some(Strongest { gain_db, side });
                }
            }
        }
        strongest
    }
}

fn scale(strongest: &[Option<Strongest>]) -> Option<ColourScale> {
    let gains: Vec<f64> = strongest.iter().flatten().map(|s| s.gain_db).collect();
    ColourScale::of(&gains, Palette::Gain)
}

fn colour(scale: Option<ColourScale>, strongest: Option<Strongest>) -> [u8; 3] {
    let both = scale.zip(strongest);
    let colour = both.and_then(|(scale, strongest)| scale.colour(strongest.gain_db));
    colour.unwrap_or_else(palette::nothing)
}

#[cfg(test)]
mod tests;
