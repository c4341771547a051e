//! The guarantees of reading and writing, checked from outside, in one program: each file is one subject.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod cases;
mod doors;
mod import;
