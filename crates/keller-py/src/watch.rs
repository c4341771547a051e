//! Runs work beside the interpreter: other Python threads go on, Ctrl-C stops the work, and progress is told now and then.

use std::process;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use keller_run::{Event, Observer};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::error::exception;

/// How often signals are looked for and progress is told.
const EVERY: Duration = Duration::from_millis(50);

/// The process that the threads of this library run in; 0 before the first work.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Watches the runs of a job for Python, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Held while a run goes on: other threads wait for their turn.
    turn: Mutex<()>,
    is_cancelled: AtomicBool,
    progress: Mutex<Option<(&'static str, f64)>>,
    messages: Mutex<Vec<(&'static str, String)>>,
}

impl Observer for Watch {
    fn tell(&self, event: Event) {
        match event {
            Event::Progress(stage, done) => *lock(&self.progress) = Some((stage.name(), done)),
            Event::Warning(text) => lock(&self.messages).push(("warning", text)),
            Event::Note(text) => lock(&self.messages).push(("note", text)),
            // Runs from Python keep nothing.
            Event::Kept(_) => {}
        }
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(&self.is_cancelled)
    }
}

impl Watch {
    /// What `work` comes to, on a thread of its own without the interpreter. `tell` is a Python function or None: it is called
    /// with `("progress", stage, share)`, `("warning", text, None)` and `("note", text, None)`.
    pub(crate) fn run<T: Send>(
        self: &Arc<Self>,
        py: Python<'_>,
        tell: &Bound<'_, PyAny>,
        work: impl FnOnce(Arc<dyn Observer>) -> Result<T, keller_run::Error> + Send,
    ) -> PyResult<T> {
        check_process()?;
        let _turn = loop {
            match self.turn.try_lock() {
                Ok(turn) => break turn,
                Err(TryLockError::Poisoned(turn)) => break turn.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    py.check_signals()?;
                    py.detach(|| thread::sleep(EVERY));
                }
            }
        };
        self.is_cancelled.store(false, Ordering::Relaxed);
        let (sender, receiver) = channel();
        let observer: Arc<dyn Observer> = Arc::clone(self) as _;
        let receiver = Mutex::new(receiver);
        let result = thread::scope(|scope| {
            let worker = scope.spawn(move || {
                let result = work(observer);
                // Nobody listens only if the interpreter gave up.
                let _ = sender.send(());
                result
            });
            let mut failure = None;
            loop {
                let waited = py.detach(|| lock(&receiver).recv_timeout(EVERY));
                if failure.is_none()
                    && let Err(error) = py.check_signals().and_then(|()| self.pass_on(tell))
                {
                    self.is_cancelled.store(true, Ordering::Relaxed);
                    failure = Some(error);
                }
                if !matches!(waited, Err(RecvTimeoutError::Timeout)) {
                    break;
                }
            }
            let result = py.detach(|| worker.join());
            (result, failure)
        });
        match result {
            (_, Some(failure)) => Err(failure),
            (Ok(result), None) => result.map_err(exception),
            (Err(panic), None) => std::panic::resume_unwind(panic),
        }
    }

    /// Fails once the run shall stop.
    pub(crate) fn check(&self) -> Result<(), keller_run::Error> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return Err(keller_run::Error::Stopped);
        }
        Ok(())
    }

    /// Tells Python what has happened since the last time.
    fn pass_on(&self, tell: &Bound<'_, PyAny>) -> PyResult<()> {
        let messages = std::mem::take(&mut *lock(&self.messages));
        let progress = lock(&self.progress).take();
        if tell.is_none() {
            return Ok(());
        }
        for (kind, text) in messages {
            tell.call1((kind, text, tell.py().None()))?;
        }
        if let Some((stage, done)) = progress {
            tell.call1(("progress", stage, done))?;
        }
        Ok(())
    }
}

/// Threads do not survive a fork: work in the child would wait for ever.
fn check_process() -> PyResult<()> {
    let own = process::id();
    let first = PROCESS.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    match first {
        Err(other) if other != own => Err(PyRuntimeError::new_err(
            "this process was forked from one that had used keller, whose threads are not here; accepted: \
             multiprocessing.set_start_method(\"spawn\"), or the first use of keller after the fork",
        )),
        _ => Ok(()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
