//! Reads and writes what keller takes and gives.
