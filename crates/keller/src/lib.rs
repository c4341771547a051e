//! keller predicts how radio waves travel through real places.
//!
//! The crate takes values and gives values: it reads no files, opens no network and knows no clock. A [`World`] is a scene with its
//! materials at one frequency. [`World::paths`] has the paths between devices with their gains, and [`coverage`] the field
//! everywhere. [`paths::find_paths`] is the search alone, [`field::PathField`] the field along one path, and [`channel`] what a
//! radio makes of them.
//!
//! ```
//! use keller::materials::Materials;
//! use keller::scene::{Mesh, Scene};
//! use keller::units::power_to_db;
//! use keller::{DVec3, Frequency, World};
//!
//! // A mesh is triangles with material names; `keller_run::open_scene` reads them from files.
//! let mut mesh = Mesh::default();
//! mesh.add_polygon("concrete", &[[0., 0.], [9., 0.], [9., 9.], [0., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
//! let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
//! let paths = world.paths(&[DVec3::new(1.0, 4.0, 3.0)], &[DVec3::new(8.0, 5.0, 1.5)])?;
//! for (path, gain) in paths.iter().zip(paths.gains()) {
//!     println!("{:4} {:6.2} m {:7.1} dB", path.types(), path.length, power_to_db(gain));
//! }
//! # Ok::<(), keller::Error>(())
//! ```
//!
//! `ARCHITECTURE.md` describes the code, the book under `docs/` the theory.

pub mod antenna;
pub mod calibration;
pub mod channel;
pub mod clutter;
pub mod comparison;
mod control;
pub mod coverage;
pub mod diffuse;
mod direction;
pub mod em;
mod end;
mod error;
pub mod field;
pub mod fingerprint;
pub mod geometry;
pub mod materials;
pub mod models;
/// The module is public for keller's own crates; it may change at any time.
#[doc(hidden)]
pub mod parallel;
pub mod paths;
mod power;
/// The module is public for keller's own crates, tests and studies; it may change at any time.
#[doc(hidden)]
pub mod random;
pub mod scene;
pub mod tiles;
mod tx;
pub mod units;
mod world;
mod world_paths;

pub use control::{Control, Stage};
pub use direction::{Direction, spherical_basis};
pub use end::End;
pub use error::Error;
pub use glam;
pub use glam::{DVec2, DVec3};
pub use num_complex::Complex64;
pub use tx::Tx;
pub use units::Frequency;
pub use world::World;
pub use world_paths::Paths;
