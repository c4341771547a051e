//! Signals that ask the program to end (Ctrl-C, SIGTERM, SIGHUP), and those about files that ended too early or grew
//! too large.
//!
//! The first signal asks the running work to stop (`stop`), which most of it does at once, and unwinds. Work that has
//! not heard it after a moment is left where it is, and the program ends from here (`ending`). The second signal does
//! not wait for that moment. A search that keeps its best when it is stopped has all the time it needs, unless a second signal
//! comes.

use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::messages::say;
use crate::{ending, memory, stop};

/// The time that work has to stop by itself.
const GRACE: Duration = Duration::from_millis(700);

/// Listens to signals from now on.
pub(crate) fn listen() {
    if let Err(error) = listen_to_system() {
        say!("warning: Ctrl-C will not stop cleanly: {error}");
    }
}

#[cfg(unix)]
fn listen_to_system() -> std::io::Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

    let mut wanted = vec![SIGINT, SIGTERM];
    // `nohup` asks that the end of the terminal ends nothing.
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    // A write past the limit of file sizes then fails, and is reported as any other.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    tell_of_cut_files()?;
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || signals.forever().for_each(hear))?;
    Ok(())
}

/// Makes a read past the end of a mapped file, which another program has cut meanwhile, end this program with a
/// message. There is nothing to go on with: the thread would read the same place again.
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "only calls that a signal may interrupt are made"
)]
fn tell_of_cut_files() -> std::io::Result<()> {
    const BAD_INPUT: i32 = 2;
    const MESSAGE: &[u8] =
        b"keller: a visibility file was cut by another program while it was read; \
make it anew with `keller visibility`\n";
    let tell = || {
        // SAFETY: `write` may be called by handlers of signals, and the message lives for ever.
        unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
        signal_hook::low_level::exit(BAD_INPUT);
    };
    // SAFETY: the handler takes no lock, allocates nothing and does not return.
    unsafe { signal_hook::low_level::register(libc::SIGBUS, tell) }?;
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
    let is_first = stop::by_signal(signal);
    let wait = move || {
        if is_first {
            thread::sleep(GRACE);
            if ending::is_held() {
                return;
            }
        }
        end();
    };
    if !is_first || thread::Builder::new().spawn(wait).is_err() {
        end();
    }
}

fn end() {
    memory::lift();
    ending::end(&Failure::Interrupted);
    // Another thread ends the program already. It may wait for a reader of its last message.
    ending::end_within(GRACE, stop::exit_code().into());
}
