//! One file a command.

pub(crate) mod antenna;
pub(crate) mod batch;
pub(crate) mod calibrate;
pub(crate) mod channel;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod coverage;
pub(crate) mod demo;
pub(crate) mod fingerprint;
pub(crate) mod gpus;
pub(crate) mod import;
pub(crate) mod new;
pub(crate) mod paths;
pub(crate) mod reference;
pub(crate) mod scene;
pub(crate) mod view;
pub(crate) mod visibility;
