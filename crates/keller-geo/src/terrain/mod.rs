//! Terrain.
mod simplify;
