//! The `keller` program.

fn main() {}
