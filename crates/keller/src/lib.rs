//! keller predicts how radio waves travel through real places.
//!
//! The crate takes values and gives values: it reads no files, opens no network and knows no clock. A [`World`] is a scene with its
//! materials at one frequency. [`paths::find_paths`] finds the paths between devices, [`field::PathField`] the field along each, and
//! [`coverage`] the field everywhere.
//!
//! ```
//! use keller::antenna::Antenna;
//! use keller::field::PathField;
//! use keller::materials::Materials;
//! use keller::paths::{Devices, PathOptions, find_paths};
//! use keller::scene::{Mesh, Scene};
//! use keller::units::power_to_db;
//! use keller::{Control, DVec3, Frequency, World};
//!
//! // A mesh is triangles with material names; `keller_run::open_scene` reads them from files.
//! let mut mesh = Mesh::default();
//! mesh.add_polygon("concrete", &[[0., 0.], [9., 0.], [9., 9.], [0., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
//! let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
//! let tx = Devices::tx(world.scene(), [DVec3::new(1.0, 4.0, 3.0)])?;
//! let rx = Devices::rx(world.scene(), [DVec3::new(8.0, 5.0, 1.5)])?;
//! for path in find_paths(&world, &tx, &rx, &PathOptions::default(), &Control::default())? {
//!     let gain = PathField::new(&path, &world).gain(&Antenna::default(), &Antenna::default());
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
/// For keller's own crates; it may change at any time.
#[doc(hidden)]
pub mod parallel;
pub mod paths;
/// For keller's own crates, tests and studies; it may change at any time.
#[doc(hidden)]
pub mod random;
pub mod scene;
pub mod tiles;
mod tx;
pub mod units;
mod world;

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
