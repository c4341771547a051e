//! Ends the program before its work is done: by a signal, or for lack of memory. Unfinished files are removed, finished
//! blocks stay, and one message says why.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::messages::say;

/// The time that the last message may wait for whoever reads standard error.
const LAST_WORDS: Duration = Duration::from_secs(1);

static ENDING: AtomicBool = AtomicBool::new(false);

/// A message about the results kept so far, and how to go on with them.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// Whether the work keeps its best when it is asked to stop, and ends by itself.
static HELD: AtomicBool = AtomicBool::new(false);

/// A guard: while it lives, a first signal stops the work but does not end the program, and the work writes its results
/// so far.
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

/// Sets the message about kept results, should the work not come to its end.
pub(crate) fn keep(told: String) {
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
}

/// The message about kept results, as the end of another; empty if nothing is kept, or if that cannot be known.
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
    let code = i32::from(failure.exit_code());
    // Whatever happens to the message, the program ends.
    let ends = Exit(code);
    keller_io::formats::discard_unfinished();
    end_within(LAST_WORDS, code);
    if std::io::stderr().is_terminal() {
        // An empty line keeps the message below the progress bar.
        say!("");
    }
    let kept = kept();
    match failure {
        Failure::Interrupted if kept.is_empty() => say!("keller: {failure}"),
        Failure::Interrupted => say!("keller: stopped{kept}"),
        failure => say!("keller: {failure}{kept}"),
    }
    drop(ends);
}

/// Ends the program with an exit code after a time, if it is still there: a reader who takes nothing holds up nobody.
pub(crate) fn end_within(time: Duration, code: i32) {
    let wait = move || {
        thread::sleep(time);
        std::process::exit(code);
    };
    // If the system has no thread left, a reader who takes nothing holds up the end after all.
    thread::Builder::new().spawn(wait).ok();
}

/// Ends the program with an exit code when it is dropped, also by a panic.
struct Exit(i32);

impl Drop for Exit {
    fn drop(&mut self) {
        std::process::exit(self.0);
    }
}
