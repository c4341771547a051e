//! Reads and writes files, in four halls: [`formats`] know how bytes stand in a file, a [`scenario`] is what a user asks for, a
//! [`store`] keeps what keller computed for keller, and [`reports`] are results as people and other programs read them.
//! Scenarios, stores and reports stand on formats, and reports on stores.

pub mod formats;
pub mod reports;
pub mod scenario;
pub mod store;
