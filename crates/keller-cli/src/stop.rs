//! The flag that asks running work to stop, and the signal that raised it, if one did.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The exit code of a program that a signal ends, minus the number of the signal, as in shells.
const BY_SIGNAL: u8 = 128;

/// SIGINT, which Ctrl-C sends.
const CTRL_C: u8 = 2;

static STOP: AtomicBool = AtomicBool::new(false);
/// 0 until a signal comes.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// A signal came: the user wants the program to end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interrupted;

/// The flag that long work polls.
pub(crate) fn flag() -> &'static AtomicBool {
    &STOP
}

/// Fails if a signal came.
pub(crate) fn check() -> Result<(), Interrupted> {
    if SIGNAL.load(Ordering::Relaxed) == 0 {
        Ok(())
    } else {
        Err(Interrupted)
    }
}

/// Whether Ctrl-C asked the program to end, rather than another signal.
pub(crate) fn is_by_ctrl_c() -> bool {
    SIGNAL.load(Ordering::SeqCst) == i32::from(CTRL_C)
}

/// Asks the work to stop because `signal` came. Returns whether it is the first.
pub(crate) fn by_signal(signal: i32) -> bool {
    let is_first = SIGNAL
        .compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok();
    STOP.store(true, Ordering::SeqCst);
    is_first
}

/// Asks the work to stop though no signal came, because memory runs short.
pub(crate) fn for_memory() {
    STOP.store(true, Ordering::SeqCst);
}

/// Takes the request to stop back, unless it is a signal's. Returns whether work may begin anew, with less at a time.
pub(crate) fn go_on() -> bool {
    STOP.store(false, Ordering::SeqCst);
    // A signal is stored before the flag.
    let is_wanted = SIGNAL.load(Ordering::SeqCst) == 0;
    if !is_wanted {
        STOP.store(true, Ordering::SeqCst);
    }
    is_wanted
}

/// The exit code of a program that a signal ends.
pub(crate) fn exit_code() -> u8 {
    let signal = u8::try_from(SIGNAL.load(Ordering::SeqCst)).unwrap_or(CTRL_C);
    BY_SIGNAL + if signal == 0 { CTRL_C } else { signal }
}
