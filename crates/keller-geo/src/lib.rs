//! Places for keller: building footprints, terrain, and the coordinate reference systems that they come in.
//!
//! Readers hand over what a file says, in the file's own coordinates. A local frame in metres is chosen, buildings are stood on the
//! ground, and everything becomes the triangles that [`keller::scene::Scene`] takes.

pub mod crs;
pub mod input;
pub mod other_formats;
pub mod place;
pub mod shown;
pub mod site;
pub mod terrain;
