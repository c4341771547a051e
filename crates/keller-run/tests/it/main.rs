//! Runs as a library: blocks are the whole list, in any number; stopped runs go on.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod blocks;
mod buildings;
mod changed_plans;
mod inside_out;
mod many_tx;
mod omitted;
mod openings;
mod own_engine;
mod path_files;
mod places;
mod stores;
mod visibility;
