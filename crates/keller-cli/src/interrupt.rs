//! Signals that ask the program to end (Ctrl-C, SIGTERM, SIGHUP), and how it ends where it does not come to the end of its work.
//!
//! The first signal asks the running work to stop, which most of it does at once, and unwinds. Work that has not heard it after a moment is
//! left where it is: unfinished files are removed, finished blocks stay. The second signal does not wait for that moment.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, TryLockError};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::memory;

/// How long work has to stop by itself.
const GRACE: Duration = Duration::from_millis(700);

/// What a program that ends by signal `n` returns, as shells have it.
const BY_SIGNAL: u8 = 128;

static STOP: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static ENDING: AtomicBool = AtomicBool::new(false);

/// What is kept of the work so far, and how to go on with it.
static KEPT: Mutex<Option<String>> = Mutex::new(None);

/// Listens to signals from now on.
pub(crate) fn listen() {
    if let Err(error) = listen_to_system() {
        eprintln!("warning: Ctrl-C will not stop cleanly: {error}");
    }
}

#[cfg(unix)]
fn listen_to_system() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut wanted = vec![SIGINT, SIGTERM];
    // `nohup` asks that the end of the terminal ends nothing.
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(hear))?;
    Ok(())
}

#[cfg(not(unix))]
fn listen_to_system() -> std::io::Result<()> {
    ctrlc::set_handler(|| hear(2)).map_err(std::io::Error::other)
}

/// Whether whoever started this program wants it not to hear a signal.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| (mask >> (signal - 1)) & 1 == 1)
}

fn hear(signal: i32) {
    let is_first = SIGNAL
        .compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok();
    STOP.store(true, Ordering::SeqCst);
    let wait = move || {
        if is_first {
            thread::sleep(GRACE);
        }
        end(&Failure::Interrupted);
    };
    if !is_first || thread::Builder::new().spawn(wait).is_err() {
        end(&Failure::Interrupted);
    }
}

/// The flag that long work polls.
pub(crate) fn flag() -> &'static AtomicBool {
    &STOP
}

/// Fails if a signal came.
pub(crate) fn check() -> Result<(), Failure> {
    if SIGNAL.load(Ordering::Relaxed) != 0 {
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}

/// Asks the work to stop though no signal came, because memory runs short.
pub(crate) fn stop_work() {
    STOP.store(true, Ordering::SeqCst);
}

/// Whether work stopped for another reason than a signal; if so it may be begun anew, with less at a time.
pub(crate) fn go_on() -> bool {
    STOP.store(false, Ordering::SeqCst);
    // A signal is stored before the flag.
    let is_wanted = SIGNAL.load(Ordering::SeqCst) == 0;
    if !is_wanted {
        STOP.store(true, Ordering::SeqCst);
    }
    is_wanted
}

/// The exit code of who stops because of a signal.
pub(crate) fn exit_code() -> u8 {
    let signal = u8::try_from(SIGNAL.load(Ordering::SeqCst)).unwrap_or(2);
    BY_SIGNAL + if signal == 0 { 2 } else { signal }
}

/// From now on this is kept, should the work not come to its end.
pub(crate) fn keep(told: String) {
    let mut kept = KEPT
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    *kept = Some(told);
}

/// What is kept; nothing if that cannot be known.
pub(crate) fn kept() -> Option<String> {
    match KEPT.try_lock() {
        Ok(kept) => kept.clone(),
        Err(TryLockError::Poisoned(kept)) => kept.into_inner().clone(),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Whether this is the one who ends the program; whoever comes second has nothing more to say.
pub(crate) fn begin_end() -> bool {
    !ENDING.swap(true, Ordering::SeqCst)
}

/// Ends the program from where it is, from any thread: unfinished files are removed, what is finished stays.
pub(crate) fn end(failure: &Failure) {
    if !begin_end() {
        return;
    }
    memory::lift();
    keller_io::discard_unfinished();
    if std::io::stderr().is_terminal() {
        // Below the progress bar.
        eprintln!();
    }
    let kept = kept().map_or(String::new(), |kept| format!("; {kept}"));
    match failure {
        Failure::Interrupted if kept.is_empty() => eprintln!("keller: {failure}"),
        Failure::Interrupted => eprintln!("keller: stopped{kept}"),
        failure => eprintln!("keller: {failure}{kept}"),
    }
    std::process::exit(failure.exit_code().into());
}
