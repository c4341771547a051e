//! How the program ends where it does not come to the end of its work: by a signal, or for lack of memory. Unfinished
//! files are removed, finished blocks stay, and one message says why.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use crate::failure::Failure;

static ENDING: AtomicBool = AtomicBool::new(false);

/// What is kept of the work so far, and how to go on with it.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// Whether the work keeps its best when it is asked to stop, and ends by itself.
static HELD: AtomicBool = AtomicBool::new(false);

/// While this lives, a first signal stops the work but does not end the program: the work writes what it has.
#[derive(Debug)]
pub(crate) struct Hold(());

pub(crate) fn hold() -> Hold {
    HELD.store(true, Ordering::SeqCst);
    Hold(())
}

impl Drop for Hold {
    fn drop(&mut self) {
        HELD.store(false, Ordering::SeqCst);
    }
}

/// Whether a first signal waits for the work.
pub(crate) fn is_held() -> bool {
    HELD.load(Ordering::SeqCst)
}

/// From now on this is kept, should the work not come to its end.
pub(crate) fn keep(told: String) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
}

/// What is kept, as the end of a message; empty if nothing is, or if that cannot be known.
pub(crate) fn kept() -> String {
    let kept = match KEPT.try_lock() {
        Ok(kept) => kept.clone(),
        Err(TryLockError::Poisoned(kept)) => kept.into_inner().clone(),
        Err(TryLockError::WouldBlock) => None,
    };
    kept.map_or(String::new(), |kept| format!("; {kept}"))
}

/// Whether the caller is the one who ends the program; whoever comes second has nothing more to say.
pub(crate) fn begin() -> bool {
    !ENDING.swap(true, Ordering::SeqCst)
}

/// Ends the program from where it is, from any thread. Returns only if another thread ends it already.
pub(crate) fn end(failure: &Failure) {
    if !begin() {
        return;
    }
    keller_io::discard_unfinished();
    if std::io::stderr().is_terminal() {
        // Below the progress bar.
        eprintln!();
    }
    let kept = kept();
    match failure {
        Failure::Interrupted if kept.is_empty() => eprintln!("keller: {failure}"),
        Failure::Interrupted => eprintln!("keller: stopped{kept}"),
        failure => eprintln!("keller: {failure}{kept}"),
    }
    std::process::exit(failure.exit_code().into());
}
