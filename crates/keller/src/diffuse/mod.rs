//! The diffuse field: the power that no exact path brings, because walls reflected it too often or scattered it.
//!
//! Exact paths end after some reflections. The rest of the power is spread over all directions, as in a reverberation
//! chamber. This module computes it as a radiosity over tiles: every side of every tile sends out power by Lambert's
//! law, and the power that falls on a tile is reflected, transmitted to its other side, or lost. All orders of
//! reflection are in it, because the balance of all sides is solved as one linear system.
//!
//! - [`DiffuseField::new`] computes which share of the power from one side arrives at another, once per scene.
//!   The exchange is exactly reciprocal, and no power is created or lost.
//! - [`DiffuseField::of_tx`] sends rays from a Tx. At every wall, the [`Limits`](crate::paths::Limits) of the exact
//!   paths decide: what exact paths carry goes on as a ray, all else becomes a diffuse source. Paths and diffuse field
//!   together hold all power, each part once.
//! - [`DiffuseTx::gain`] adds up what an Rx antenna receives from all tiles that are visible from it.
//! - [`DiffuseTx::decay_time`] is the time in which the diffuse energy decays by the factor e.
//!
//! **Assumes** that diffuse power is unpolarised and has no phase, that it leaves a wall by Lambert's law, and that
//! it is uniform over a tile. Powers are those of uncorrelated waves, so the result is a mean over small movements.
//! Waves that are diffracted are not taken off the rays, because they are a small part of the power.
//!
//! **Cost.** About 256 rays for each side of a tile, and up to 50 bytes for each ray while the exchange is built. On two
//! cores, 12 000 sides of an office take 0.7 s, a Tx 0.4 s, and a receiver 0.6 ms on one. The tests check closed rooms
//! against the formulas of reverberation.
//!
//! **Source.** C. M. Goral et al., "Modeling the interaction of light between diffuse surfaces", SIGGRAPH 1984,
//! doi:10.1145/800031.808601, for the balance; J. B. Andersen et al., "Room electromagnetics", IEEE Antennas and
//! Propagation Magazine 49(2), 2007, doi:10.1109/MAP.2007.376642, and D. A. Hill, "Electromagnetic Fields in
//! Cavities", 2009, chapter 7, for what an antenna receives. Theory page: `diffuse`.

mod caster;
mod cuts;
mod decay;
mod exchange;
mod exchange_rays;
mod field;
mod options;
mod patches;
mod power_balance;
mod reciprocity;
mod tx_rays;

pub use field::{DiffuseField, DiffuseTx, DiffuseView, PowerBudget};
pub use options::DiffuseOptions;
pub use tx_rays::ScatteredPaths;
