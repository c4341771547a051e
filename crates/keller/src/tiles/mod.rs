//! The discrete environment: every surface cut into tiles, and which tiles see each other.
//!
//! Tiles ([`Tiles`]) carry the place into tables: a wave that meets a tile's middle is taken to meet the tile, and what a tile sees
//! does not depend on any transmitter, so it is found once ([`Visibility`]) and serves every later question about the same place.
//!
//! **Source.** Lu et al. 2019, sections II and III: tiles by equations (1) to (3), visibility between middles, edges cut in segments
//! that see what their border tiles see. Theory page: `tiles`.
//!
//! **Assumes** that a tile is seen as a whole or not at all, by its middle: smaller tiles make it truer.

mod cut;
mod earlier;
mod eight;
mod first_order;
mod groups;
mod look;
mod occluders;
mod pieces;
mod rectangle;
mod room;
mod rows;
mod screens;
mod segments;
mod set;
mod tiling;
mod visibility;
mod walk;

pub use earlier::Earlier;
pub(crate) use first_order::{Opening, Turn};
pub(crate) use groups::Groups;
pub use look::{Look, look};
pub use rows::{RowBuilder, row_ids};
pub use segments::{Segment, Segments};
pub use set::{Tile, Tiles};
pub use tiling::{Frame, Tiling};
pub use visibility::{Sees, Visibility};
