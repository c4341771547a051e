//! The cap on memory: counts the bytes that the program allocates, and ends it with a message before it takes more than
//! it may.
//!
//! Every allocation is counted, by each thread for itself and now and then for all. The cap (`--memory`) limits the
//! larger of two numbers: the bytes allocated, which become resident when they are written to, plus the size of the
//! program itself; and the resident size that the system reports, which includes what the heap holds back. Mapped files
//! count up to [`MAX_SHARED`] only, since the system takes their pages back when it needs them.
//!
//! Work that can do with less is warned in time ([`Watch`]). For all else the cap, or the end of the machine's memory,
//! is the end of the program: one message ([`Failure::Memory`]), no unfinished file.

#![allow(
    unsafe_code,
    reason = "an allocator has no safe interface, and neither has what tells the heap to give back what it holds"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use bytesize::ByteSize;

use crate::failure::Failure;
use crate::{ending, stop};

/// A thread adds its own count to that of all after so many bytes.
const TALLY: isize = 1 << 16;

/// The number of bytes that a thread takes, whether or not it gives others back, before the system is asked for the
/// resident size: the heap may hold twice the bytes that one thread takes and another gives back.
const LOOK_EVERY: usize = 1 << 20;

/// Mapped files count up to so many bytes: the program itself is one.
const MAX_SHARED: usize = 48 << 20;

/// The time for which threads that want more wait while another ends the program. One that holds what the other needs
/// must go on.
const ENDING: Duration = Duration::from_millis(300);

/// A [`Watch`] asks work to stop at this share of the cap.
const TIGHT: f64 = 0.9;

/// The machine's memory where the system does not say how much there is, bytes.
const UNKNOWN: u64 = 2 << 30;

static LIVE: AtomicIsize = AtomicIsize::new(0);
/// The program's size when it began, without its file and what it had allocated, bytes.
static BASE: AtomicUsize = AtomicUsize::new(0);
static CAP: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether the user set the cap; else the machine's memory is the cap.
static IS_ASKED: AtomicBool = AtomicBool::new(false);
/// Large blocks that threads are about to take, bytes.
static COMING: AtomicUsize = AtomicUsize::new(0);
/// Whether a thread ends the program for lack of memory.
static IS_ENDING: AtomicBool = AtomicBool::new(false);
static IS_WATCHED: AtomicBool = AtomicBool::new(false);
/// The memory that was taken when [watched](Watch) work was last asked to stop, bytes.
static SHORT_AT: AtomicUsize = AtomicUsize::new(0);
/// The name of the work that is watched.
static WATCHED: Mutex<Option<String>> = Mutex::new(None);

thread_local! {
    static OWN: Cell<isize> = const { Cell::new(0) };
    static SINCE_LOOK: Cell<usize> = const { Cell::new(0) };
    /// Set while this thread looks, which may itself allocate.
    static IS_LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// The allocator of the system, counted.
struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

// SAFETY: all calls go to the allocator of the system as they come; counting touches no memory that was allocated, and does not unwind.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller vouches.
        given(unsafe { System.alloc(layout) }, 0, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller vouches.
        given(unsafe { System.alloc_zeroed(layout) }, 0, layout.size())
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller vouches.
        unsafe { System.dealloc(place, layout) };
        give_back(layout.size());
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() {
            take(size - layout.size());
        } else {
            give_back(layout.size() - size);
        }
        // SAFETY: as the caller vouches.
        let place = unsafe { System.realloc(place, layout, size) };
        given(place, layout.size().min(size), size)
    }
}

/// Receives a block of which the first `used` bytes were there before. Pages that nobody has written to are not
/// resident, and another thread would take their memory: those of a large block are written to at once.
fn given(place: *mut u8, used: usize, size: usize) -> *mut u8 {
    if place.is_null() && size > 0 {
        end(size);
    }
    let new = size - used;
    if is_large(new) {
        for offset in (used..size).step_by(page_size()) {
            // SAFETY: it lies in the block, and the bytes there are zero or mean nothing.
            unsafe { place.add(offset).write_volatile(0) };
        }
        COMING.fetch_sub(new, Ordering::Relaxed);
    }
    place
}

/// Whether so many bytes are counted before they are there.
fn is_large(size: usize) -> bool {
    size >= LOOK_EVERY && IS_ASKED.load(Ordering::Relaxed)
}

fn signed(size: usize) -> isize {
    isize::try_from(size).unwrap_or(isize::MAX)
}

fn take(size: usize) {
    if is_large(size) {
        COMING.fetch_add(size, Ordering::Relaxed);
    }
    let counted = OWN.try_with(|own| {
        let sum = own.get().saturating_add(signed(size));
        own.set(if sum >= TALLY {
            LIVE.fetch_add(sum, Ordering::Relaxed);
            0
        } else {
            sum
        });
        sum >= TALLY
    });
    // A thread that is ending counts for all at once.
    let is_told = counted.unwrap_or_else(|_| {
        LIVE.fetch_add(signed(size), Ordering::Relaxed);
        false
    });
    let is_time = IS_ASKED.load(Ordering::Relaxed) && is_time_to_look(size);
    if (is_told || is_time) && CAP.load(Ordering::Relaxed) != usize::MAX {
        look(size, is_time);
    }
}

/// Whether this thread has taken so much since it looked last that it looks again.
fn is_time_to_look(size: usize) -> bool {
    let is_time = SINCE_LOOK.try_with(|since| {
        let sum = since.get().saturating_add(size);
        since.set(if sum >= LOOK_EVERY { 0 } else { sum });
        sum >= LOOK_EVERY
    });
    is_time.unwrap_or(false)
}

fn give_back(size: usize) {
    let counted = OWN.try_with(|own| {
        let sum = own.get().saturating_sub(signed(size));
        own.set(if sum <= -TALLY {
            LIVE.fetch_add(sum, Ordering::Relaxed);
            0
        } else {
            sum
        });
    });
    if counted.is_err() {
        LIVE.fetch_sub(signed(size), Ordering::Relaxed);
    }
}

/// Compares the memory that is taken with the cap; a thread is about to take `size` bytes more. Without a cap of the
/// user's, the allocated memory is close enough to the resident one.
#[cold]
fn look(size: usize, asks_system: bool) {
    let is_looking = IS_LOOKING.try_with(|looking| looking.replace(true));
    if is_looking != Ok(false) {
        return;
    }
    if IS_ENDING.load(Ordering::Relaxed) {
        std::thread::sleep(ENDING);
        IS_LOOKING.try_with(|looking| looking.set(false)).ok();
        return;
    }
    let cap = CAP.load(Ordering::Relaxed);
    let mut taken = allocated(0);
    let is_watched = IS_WATCHED.load(Ordering::Relaxed);
    if asks_system {
        let look = || {
            let [own, shared] = resident().unwrap_or_default();
            let resident = own.saturating_add(shared);
            [
                resident.saturating_add(COMING.load(Ordering::Relaxed)),
                shared,
            ]
        };
        let most = if is_watched { tight(cap) } else { cap };
        let [mut found, shared] = look();
        if found > most {
            trim();
            [found, _] = look();
        }
        taken = allocated(shared);
        // More of the program's own code may be loaded until the next look.
        taken = taken.max(found.saturating_add(LOOK_EVERY / 2));
    }
    if taken > tight(cap) && is_watched {
        SHORT_AT.store(taken, Ordering::Relaxed);
        stop::for_memory();
    }
    if taken > cap {
        end(size);
    }
    IS_LOOKING.try_with(|looking| looking.set(false)).ok();
}

fn tight(cap: usize) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of it is no more than it was"
    )]
    let tight = (cap as f64 * TIGHT) as usize;
    tight
}

/// The bytes allocated now, with the program itself, of whose files `shared` is resident.
fn allocated(shared: usize) -> usize {
    let live = LIVE.load(Ordering::Relaxed).max(0).unsigned_abs();
    let program = BASE.load(Ordering::Relaxed).saturating_add(shared);
    program.saturating_add(live)
}

/// The bytes that count now: the larger of the resident and the allocated ones.
fn taken() -> usize {
    let [own, shared] = resident().unwrap_or_default();
    own.saturating_add(shared).max(allocated(shared))
}

/// The resident bytes: the program's own, and those of mapped files as far as they count. Takes no memory.
fn resident() -> Option<[usize; 2]> {
    let mut text = [0; 128];
    let count = File::open("/proc/self/statm").ok()?.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..count]).ok()?;
    let mut pages = text.split(' ').skip(1).map_while(|word| word.parse().ok());
    let [all, shared]: [usize; 2] = [pages.next()?, pages.next()?];
    let own = all.saturating_sub(shared) * page_size();
    Some([own, (shared * page_size()).min(MAX_SHARED)])
}

#[cfg(unix)]
fn page_size() -> usize {
    // SAFETY: it reads a number of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

#[cfg(not(unix))]
fn page_size() -> usize {
    4096
}

/// Makes the heap give back memory that it holds and nobody uses.
fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it may be called at any time, from any thread; no allocation is under way in this one.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Large blocks go back to the system at once when they are freed, and do not stay in the heap.
fn give_back_at_once() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number, before there are other threads that compute.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

/// Limits the memory of the program from now on; absent, to that of the machine.
pub(crate) fn limit(cap: Option<ByteSize>) -> Result<(), Failure> {
    let [own, shared] = resident().unwrap_or_default();
    let live = LIVE.load(Ordering::Relaxed).max(0).unsigned_abs();
    BASE.store(own.saturating_sub(live), Ordering::Relaxed);
    let Some(cap) = cap else {
        // The cap comes before the point at which the system ends programs, of its choice and without a word.
        let most = usize::try_from(machine() / 100 * 97).unwrap_or(usize::MAX);
        CAP.store(most, Ordering::Relaxed);
        return Ok(());
    };
    let least = own + shared + LOOK_EVERY;
    if cap.as_u64() < least as u64 {
        return Err(Failure::Input(format!(
            "--memory {cap}: the program alone takes {}; accepted: more than that",
            ByteSize(least as u64)
        )));
    }
    give_back_at_once();
    IS_ASKED.store(true, Ordering::Relaxed);
    CAP.store(
        usize::try_from(cap.as_u64()).unwrap_or(usize::MAX - 1),
        Ordering::Relaxed,
    );
    Ok(())
}

/// Lifts the cap from now on: ending the program takes a little memory.
pub(crate) fn lift() {
    CAP.store(usize::MAX, Ordering::Relaxed);
}

/// The bytes that may still be taken, for callers that choose how much to take at once: up to the cap, or half of the
/// machine's memory.
pub(crate) fn left() -> u64 {
    let cap = if IS_ASKED.load(Ordering::Relaxed) {
        tight(CAP.load(Ordering::Relaxed)) as u64
    } else {
        machine() / 2
    };
    trim();
    cap.saturating_sub(taken() as u64)
}

/// Whether the user has said how much may be taken.
pub(crate) fn is_capped() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}

/// Fails if `bytes` more for `what` are too much, before any work is done for them.
pub(crate) fn need(bytes: u64, what: &str) -> Result<(), Failure> {
    let cap = if is_capped() {
        CAP.load(Ordering::Relaxed) as u64
    } else {
        machine()
    };
    let taken = taken() as u64;
    let all = taken.saturating_add(bytes);
    if all <= cap {
        return Ok(());
    }
    let (all, bytes) = (ByteSize(all), ByteSize(bytes));
    Err(Failure::Input(if is_capped() {
        format!(
            "--memory {}: {what} takes {bytes}, beside {} that are taken already; accepted: at least {all}",
            ByteSize(cap),
            ByteSize(taken)
        )
    } else {
        format!(
            "{what} takes {bytes}, and the program would have {all}; the machine has {}",
            ByteSize(cap)
        )
    }))
}

/// A message that memory does not suffice for the [watched](Watch) work, and about the results that are kept.
pub(crate) fn short() -> String {
    // The work has given back what it had taken.
    let taken = SHORT_AT.load(Ordering::Relaxed);
    let message = shortage(CAP.load(Ordering::Relaxed), taken, None);
    message + &ending::kept()
}

/// Says that memory does not suffice: `cap` is where the program may go no further, `taken` what it had, `refused` how many
/// bytes the system did not give.
fn shortage(cap: usize, taken: usize, refused: Option<usize>) -> String {
    let taken = ByteSize(taken as u64);
    let is_capped = is_capped() && cap != usize::MAX;
    if let (Some(refused), false) = (refused, is_capped) {
        let refused = ByteSize(refused as u64);
        return format!(
            "out of memory: the system has no {refused} more, beside {taken} that are taken"
        );
    }
    let cap = ByteSize(cap as u64);
    let cap = if is_capped {
        format!("--memory {cap}")
    } else {
        format!("out of memory: of {cap}")
    };
    let what = watched().map_or(String::new(), |what| format!(" for {what}"));
    let wanted = refused.filter(|size| *size >= LOOK_EVERY);
    let wanted = wanted.map_or(String::new(), |size| {
        format!(", {} more were wanted", ByteSize(size as u64))
    });
    format!(
        "{cap}: not enough{what}: {taken} were taken{wanted}, and the work was not done; accepted: more"
    )
}

/// The name of the work that takes the memory; nothing if that cannot be known.
fn watched() -> Option<String> {
    match WATCHED.try_lock() {
        Ok(watched) => watched.clone(),
        Err(TryLockError::Poisoned(watched)) => watched.into_inner().clone(),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A guard: as long as this value lives, work is asked to stop when memory runs short. It may then begin anew with less
/// at a time.
#[derive(Debug)]
pub(crate) struct Watch(());

impl Watch {
    /// `what` takes the memory, in words.
    pub(crate) fn new(what: String) -> Self {
        *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = Some(what);
        IS_WATCHED.store(true, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        IS_WATCHED.store(false, Ordering::Relaxed);
        *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Ends the program: there is no more memory for `size` bytes.
#[cold]
fn end(size: usize) {
    IS_LOOKING.try_with(|looking| looking.set(true)).ok();
    let cap = CAP.load(Ordering::Relaxed);
    IS_ENDING.store(true, Ordering::Relaxed);
    let taken = taken();
    ending::end(&Failure::Memory(shortage(cap, taken, Some(size))));
    // Another thread ends the program already.
    loop {
        std::thread::park();
    }
}

/// The memory of the machine, or of the control group that this runs in, bytes.
fn machine() -> u64 {
    let machine = kibibytes("/proc/meminfo", "MemTotal:");
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max");
    let group = group.ok().and_then(|text| text.trim().parse().ok());
    let all = [machine, group].into_iter().flatten().min();
    all.unwrap_or(UNKNOWN)
}

/// The largest memory that this process has had, bytes; `None` where the system does not say so in a file.
pub(crate) fn peak() -> Option<u64> {
    kibibytes("/proc/self/status", "VmHWM:")
}

fn kibibytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
