//! Reads and writes files, in four modules: [`formats`] read and write bytes, a [`scenario`] is the simulation that a
//! user asks for, a [`store`] keeps finished results for later runs, and [`reports`] are results as people and other
//! programs read them. Scenarios, stores and reports depend on formats, and reports on stores.

pub mod formats;
pub mod reports;
pub mod scenario;
pub mod store;
