//! Ctrl-C: the first asks the running work to stop, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static STOP: AtomicBool = AtomicBool::new(false);

/// Listens to Ctrl-C from now on.
pub(crate) fn listen() {
    let listening = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let Err(error) = listening {
        eprintln!("warning: Ctrl-C will not stop cleanly: {error}");
    }
}

/// The flag that long work polls.
pub(crate) fn flag() -> &'static AtomicBool {
    &STOP
}

/// Fails if Ctrl-C was pressed.
pub(crate) fn check() -> Result<(), Failure> {
    if STOP.load(Ordering::Relaxed) {
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}
