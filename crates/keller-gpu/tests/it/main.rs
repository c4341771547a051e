//! Devices against the processor.
//!
//! They run on the device whose name `KELLER_TEST_DEVICE` has, else on one that software imitates, else not at all. Where the
//! variable is set, they fail if there is no such device.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod failures;
mod rays;
mod sights;

use keller_gpu::{Adapter, Choice, Gpu, Kind, adapters};

/// The device to be tested.
fn adapter() -> Option<Adapter> {
    let named = std::env::var("KELLER_TEST_DEVICE").ok();
    let found = match &named {
        Some(name) => Choice::Named(name.clone()).among(adapters()).unwrap(),
        None => (adapters().into_iter()).find(|adapter| adapter.kind == Kind::Software),
    };
    if found.is_none() {
        eprintln!("no device: not tested");
    }
    found
}

/// The device to be tested, open for this test alone.
fn gpu() -> Option<Gpu> {
    Some(Gpu::of(&adapter()?).unwrap())
}
