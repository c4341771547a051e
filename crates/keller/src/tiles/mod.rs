//! The discrete environment: every surface cut into tiles, and which tiles see each other.
//!
//! Tiles ([`Tiles`]) carry the place into tables: a wave that meets a tile's centre is taken to meet the tile, and what
//! a tile sees does not depend on any transmitter, so it is found once ([`Visibility`]) and serves every later question
//! about the same place.
//!
//! **Source.** Lu et al. 2019, sections II and III: tiles by equations (1) to (3), visibility between centres, edges
//! cut in segments that see what their border tiles see. Theory page: `tiles`.
//!
//! **Assumes** that a tile is seen as a whole or not at all, by its centre: smaller tiles make it truer.

mod cut;
mod earlier;
mod first_order;
mod groups;
mod occluders;
mod pieces;
mod rectangle;
mod rows;
mod scratch;
mod screens;
mod segments;
mod set;
mod tiling;
mod viewpoint_packet;
mod visibility;
mod visibility_query;
mod walk;

pub use earlier::Earlier;
pub(crate) use first_order::{Opening, Turn};
pub(crate) use groups::Groups;
pub use rows::{RowBuilder, row_ids};
pub use segments::{Segment, Segments};
pub use set::{Tile, Tiles};
pub use tiling::{Frame, Tiling};
pub use visibility::{Visibility, VisibilityRows};
pub use visibility_query::VisibilityQuery;
