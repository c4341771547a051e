//! A progress bar on standard error, if that is a terminal, and the clock that goes with it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};

use std::sync::atomic::AtomicBool;

use keller_run::{Event, Observer, RunStage};

use crate::failure::shortened;
use crate::forecast::{Advice, Forecast, Roughly};
use crate::messages::{is_quiet, say, summarize};
use crate::summary::Clock;
use crate::{ending, memory, stop};

/// The number of steps of the bar.
const STEPS: u64 = 10_000;

/// Shows and times the stages of a run. Stages may be reported from any thread.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    clock: Mutex<Clock>,
    forecast: Mutex<Forecast>,
    advice: OnceLock<Advice>,
    /// While a run can do with less memory.
    watch: Mutex<Option<memory::Watch>>,
}

impl Progress {
    pub(crate) fn new() -> Arc<Self> {
        // indicatif draws nothing where standard error is no terminal.
        let bar = if is_quiet() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(STEPS)
        };
        if let Ok(style) =
            ProgressStyle::with_template("{msg:10} {bar:40} {percent:>3} %  {elapsed}, {eta} left")
        {
            bar.set_style(style);
        }
        Arc::new(Self {
            bar,
            clock: Mutex::new(Clock::new()),
            forecast: Mutex::default(),
            advice: OnceLock::new(),
            watch: Mutex::new(None),
        })
    }

    /// Reports that `done` (0 to 1) of `stage` is done.
    pub(crate) fn report(&self, stage: RunStage, done: f64) {
        let is_new = self.with_clock(|clock| clock.enter(stage));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 0 and STEPS"
        )]
        self.bar
            .set_position((done.clamp(0.0, 1.0) * STEPS as f64) as u64);
        if is_new {
            self.bar.set_message(stage.name());
            // Work that was done before says nothing about how fast this is.
            self.bar.reset_eta();
        }
        let mut forecast = self.forecast.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left) = forecast.of(stage, done) {
            let advice = self.advice.get().map(|advice| advice.for_stage(stage));
            self.note(format_args!(
                "{} takes about {} more{}",
                stage.name(),
                Roughly(left),
                advice.unwrap_or_default()
            ));
        }
    }

    /// Sets the advice that is printed when a stage takes long.
    pub(crate) fn advise(&self, advice: Advice) {
        self.advice.set(advice).ok();
    }

    /// Removes the bar, so that other output finds an empty line.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Prints a line above the bar about a decision of the program that is no problem.
    pub(crate) fn note(&self, message: impl std::fmt::Display) {
        self.bar.suspend(|| summarize!("note: {message}"));
    }

    /// Prints a line above the bar.
    pub(crate) fn warn(&self, message: impl std::fmt::Display) {
        let message = shortened(&message.to_string());
        self.bar.suspend(|| say!("warning: {message}"));
    }

    /// The clock, stopped.
    pub(crate) fn clock(&self) -> Clock {
        self.with_clock(|clock| {
            clock.stop();
            clock.clone()
        })
    }

    fn with_clock<T>(&self, use_clock: impl FnOnce(&mut Clock) -> T) -> T {
        // A clock that a panicking thread held is still a clock.
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        use_clock(&mut clock)
    }
}

impl Observer for Progress {
    fn tell(&self, event: Event) {
        match event {
            Event::Progress(stage, done) => self.report(stage, done),
            Event::Warning(message) => self.warn(message),
            Event::Note(message) => self.note(message),
            Event::Kept(kept) => ending::keep(kept),
        }
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(stop::flag())
    }

    fn memory_left(&self) -> u64 {
        memory::left()
    }

    fn takes_memory(&self, what: Option<&str>) {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        // The old one ends before a new one begins.
        drop(watch.take());
        *watch = what.map(|what| memory::Watch::new(what.to_owned()));
    }

    fn ran_short(&self) -> bool {
        stop::go_on()
    }

    fn out_of_memory(&self) -> String {
        memory::short()
    }
}
