//! Reports the progress of long work on standard error.

use std::io::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use keller::{Control, Stage};

/// The interval of reports.
const EVERY: Duration = Duration::from_secs(5);

/// Does what `work` does, and reports about every five seconds which stage is how far.
pub(crate) fn watched<T>(work: impl FnOnce(&Control<'_>) -> T) -> T {
    let last = Mutex::new((Instant::now(), false));
    let tell = |stage: Stage, done: f64| {
        // A thread that comes meanwhile has nothing newer to report.
        if let Ok(mut last) = last.try_lock()
            && last.0.elapsed() > EVERY
        {
            *last = (Instant::now(), true);
            eprint!("\r  {stage:?} {:3.0} % ", 100.0 * done);
            std::io::stderr().flush().ok();
        }
    };
    let result = work(&Control {
        progress: Some(&tell),
        ..Control::default()
    });
    if last.into_inner().is_ok_and(|(_, has_told)| has_told) {
        eprint!("\r{:30}\r", "");
    }
    result
}
