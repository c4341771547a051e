//! The discrete environment: all surfaces cut into tiles, and the visibility between tiles.
//!
//! Tiles ([`Tiles`]) turn a place into tables. A wave that meets the centre of a tile counts as meeting the whole tile.
//! The visibility between tiles does not depend on any Tx, so it is computed once ([`Visibility`]) and serves all later
//! questions about the same place.
//!
//! **Source.** Lu et al. 2019, sections II and III: tiles by equations (1) to (3), visibility between centres, and
//! edges cut into segments that see what the tiles at their border see. Theory page: `tiles`.
//!
//! **Assumes** that a tile is either visible as a whole or not at all, decided by its centre. Smaller tiles make this
//! more accurate.

mod accelerated;
mod cells;
mod cut;
mod earlier;
mod first_order;
mod groups;
mod occluders;
mod outside;
mod packet_sides;
mod pieces;
mod rectangle;
mod rows;
mod runs;
mod scratch;
mod screens;
mod segments;
mod set;
mod sides;
mod solids;
mod terrain;
mod tiling;
mod viewpoint_packet;
mod visibility;
mod visibility_query;
mod walk;

// The items are public for keller's own crates; they may change at any time.
#[doc(hidden)]
pub use earlier::Earlier;
pub(crate) use first_order::{Asked, Opening, Turn};
pub(crate) use groups::Groups;
// The items are public for keller's own crates; they may change at any time.
#[doc(hidden)]
pub use rows::{RowBuilder, row_ids};
// The items are public for keller's own crates and studies; they may change at any time.
#[doc(hidden)]
pub use segments::{Segment, Segments};
pub use set::{Tile, Tiles};
pub use tiling::{Finer, Frame, Part, Tiling};
pub use visibility::{Visibility, VisibilityRows};
pub use visibility_query::VisibilityQuery;
