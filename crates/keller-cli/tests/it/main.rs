//! The program as a user meets it, in one program of tests: each file is one subject.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod alternatives;
mod antenna;
mod bad_input;
mod beams;
mod beams_positions;
mod beside_paths;
mod buildings;
mod calibrate;
mod calibrate_sheet;
mod channel;
mod cli;
mod clutter;
mod common;
mod compare;
mod compare_predictions;
mod coverage;
mod coverage_blocks;
mod coverage_multipath;
mod coverage_regions;
mod devices;
mod element_tracing;
mod fingerprint;
mod full_disk;
mod hints;
mod import;
mod insides;
mod kept_scene;
mod maps;
mod memory_cap;
mod models;
mod packing;
mod pages;
mod path_files;
mod places;
mod random_stops;
mod readers;
mod runs;
mod source_layout;
mod surfaces;
mod sweep;
mod sweep_variants;
mod terrain_error;
mod view;
mod visibility;
