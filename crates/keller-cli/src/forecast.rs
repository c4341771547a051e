//! Forecasts the time of a stage of a run, and names changes that make it cheaper: once, before anybody waits long for
//! it.

use std::fmt;
use std::time::{Duration, Instant};

use keller::antenna::Antenna;
use keller::coverage::Engine;
use keller_io::scenario::{CoverageSettings, Scenario, SearchChoice};
use keller_run::RunStage;

/// The pace of the stage that runs, and the stages whose time was reported.
#[derive(Debug, Default)]
pub(crate) struct Forecast {
    running: Option<(RunStage, Instant, f64)>,
    told: Vec<RunStage>,
}

impl Forecast {
    /// Stages that take less time than this are not worth a word.
    const WORTH: Duration = Duration::from_secs(20);

    /// The time that `stage` will still take when `done` (0 to 1) of it is done; `None` if it is short, if nobody can
    /// know yet, and once it was reported. A stage that a run goes on with begins with what is done already.
    pub(crate) fn of(&mut self, stage: RunStage, done: f64) -> Option<Duration> {
        let (since, start) = match self.running {
            Some((running, since, start)) if running == stage && done >= start => (since, start),
            _ => {
                self.running = Some((stage, Instant::now(), done));
                return None;
            }
        };
        if self.told.contains(&stage) {
            return None;
        }
        let left = left(since.elapsed(), start, done).filter(|left| *left >= Self::WORTH)?;
        self.told.push(stage);
        Some(left)
    }
}

/// The time that is left when the work between `start` and `done` took `spent`; `None` while that says little.
fn left(spent: Duration, start: f64, done: f64) -> Option<Duration> {
    /// The time before which threads begin and caches fill.
    const SOON: Duration = Duration::from_secs(1);
    const ENOUGH: f64 = 0.005;
    /// The time after which even a hundredth of a hundredth is better than nothing.
    const LATE: Duration = Duration::from_secs(10);
    let new = done - start;
    let is_known = spent >= SOON && new >= ENOUGH || spent >= LATE && new > 0.0;
    let seconds = spent.as_secs_f64() * (1.0 - done).max(0.0) / new;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|_| is_known)
}

/// A time in words, to two digits or so: `40 s`, `3 min`, `2.5 h`.
pub(crate) struct Roughly(pub(crate) Duration);

impl fmt::Display for Roughly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs_f64();
        match seconds {
            0.0..95.0 => write!(f, "{:.0} s", (seconds / 5.0).ceil() * 5.0),
            95.0..5400.0 => write!(f, "{:.0} min", seconds / 60.0),
            5400.0..172_800.0 => write!(f, "{:.1} h", seconds / 3600.0),
            _ => write!(f, "{:.1} days", seconds / 86_400.0),
        }
    }
}

/// The number of receivers from which `tubes` are quicker than `launch`.
const MANY: usize = 2000;

/// Changes that would make the stages of a run cheaper, those that gain most first.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    paths: Vec<String>,
    coverage: Vec<String>,
}

impl Advice {
    /// The advice for the runs of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let limits = scenario.paths.limits;
        let mut paths = Vec::new();
        let mut less = |key: &str, count: usize, least: usize| {
            if count > least {
                paths.push(format!("{key} = {} (now {count})", count - 1));
            }
        };
        // Alternatives have limits of their own.
        if scenario.paths.alternatives.is_empty() {
            less("max_diffractions", limits.max_diffractions, 0);
            less("max_scatterings", limits.max_scatterings, 0);
            less("max_reflections", limits.max_reflections, 2);
        }
        let mut coverage = Vec::new();
        if let Some(CoverageSettings::Cells(regions)) = &scenario.coverage {
            let mut engines = regions.iter().map(|region| region.engine);
            if engines.any(|engine| matches!(engine, Engine::Points)) {
                coverage.push("engine = \"tubes\"".to_owned());
            }
            let is_traced = |engine| matches!(engine, Engine::Points | Engine::Tubes { .. });
            if regions.iter().any(|region| is_traced(region.engine)) {
                coverage.extend(paths.first().cloned());
                let cells = regions.iter().map(|region| region.resolution.x);
                let cell = cells.fold(f64::INFINITY, f64::min);
                coverage.push(format!("resolution = {} (now {cell})", 2.0 * cell));
                if regions.iter().all(|region| region.heights.is_some()) {
                    coverage.push("engine = \"beams\", a model of streets".to_owned());
                }
            }
        }
        if follows_receivers(scenario) {
            paths.insert(0, "search = \"tubes\"".to_owned());
        }
        Self { paths, coverage }
    }

    /// The advice for a stage, as the end of a sentence; empty if there is none.
    pub(crate) fn for_stage(&self, stage: RunStage) -> String {
        let changes = match stage {
            RunStage::Search | RunStage::Connect | RunStage::Diffract | RunStage::Scatter => {
                &self.paths
            }
            RunStage::Coverage => &self.coverage,
            _ => return String::new(),
        };
        if changes.is_empty() {
            return String::new();
        }
        format!("; cheaper: {}", changes.join(", or "))
    }
}

/// Whether the search goes from receiver to receiver where tubes would go to all at once.
fn follows_receivers(scenario: &Scenario) -> bool {
    let paths = &scenario.paths;
    matches!(paths.search, SearchChoice::Auto | SearchChoice::Launch)
        && paths.alternatives.is_empty()
        && paths.limits.max_diffractions == 1
        && paths.limits.max_scatterings == 0
        && paths.relative_threshold_db.is_some()
        && scenario.receivers.rx.len() >= MANY
        && scenario
            .tx
            .iter()
            .all(|tx| tx.antenna == Antenna::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_stage_follows_from_its_pace() {
        let resumed = |seconds: f64, start: f64, done: f64| {
            let left = left(Duration::from_secs_f64(seconds), start, done);
            left.map(|left| Roughly(left).to_string())
        };
        let after = |seconds: f64, done: f64| resumed(seconds, 0.0, done);
        assert_eq!(after(2.0, 0.01).as_deref(), Some("3 min"));
        assert_eq!(after(2.0, 0.5).as_deref(), Some("5 s"));
        assert_eq!(after(36.0, 0.01).as_deref(), Some("59 min"));
        assert_eq!(after(36.0, 0.001).as_deref(), Some("10.0 h"));
        assert_eq!(after(360.0, 0.001).as_deref(), Some("4.2 days"));
        // The part that an earlier run had done took this one no time.
        assert_eq!(resumed(2.0, 0.4, 0.41).as_deref(), Some("2 min"));
        assert_eq!(resumed(2.0, 0.4, 0.4), None);
        // Too early, and nothing done.
        assert_eq!(after(0.5, 0.01), None);
        assert_eq!(after(5.0, 0.001), None);
        assert_eq!(after(100.0, 0.0), None);
    }

    #[test]
    fn advice_names_the_keys_that_cost_most_and_their_values() {
        let text = "frequency_hz = 1e9\n[scene]\n[[tx]]\nposition = [0, 0, 9]\n[paths]\nmax_diffractions = 2\n\
                    max_reflections = 3\n[coverage]\nheights = [1.5]\nresolution = 2.5\nengine = \"tubes\"\n";
        let scenario = Scenario::parse_for_scene(text, "s.toml".as_ref()).unwrap();
        let advice = Advice::of(&scenario);
        assert_eq!(
            advice.for_stage(RunStage::Coverage),
            "; cheaper: max_diffractions = 1 (now 2), or resolution = 5 (now 2.5), or engine = \"beams\", a model of streets"
        );
        assert_eq!(
            advice.for_stage(RunStage::Diffract),
            "; cheaper: max_diffractions = 1 (now 2), or max_reflections = 2 (now 3)"
        );
        assert_eq!(advice.for_stage(RunStage::Write), "");
    }

    #[test]
    fn advice_names_tubes_where_each_of_many_receivers_would_search() {
        let advice = |more: &str| {
            let text = format!(
                "frequency_hz = 1e9\n[scene]\n[[tx]]\nposition = [0, 0, 9]\n[[rx]]\ngrid = {{ min = [0, 0], max = [100, 100], \
                 spacing = 2, height = 1.5 }}\n[paths]\nmax_diffractions = 1\n{more}"
            );
            let scenario = Scenario::parse_for_scene(&text, "s.toml".as_ref()).unwrap();
            Advice::of(&scenario).for_stage(RunStage::Diffract)
        };
        let with_share = advice("relative_threshold_db = 40\n");
        assert!(
            with_share.starts_with("; cheaper: search = \"tubes\", or"),
            "{with_share}"
        );
        let others = ["", "relative_threshold_db = 40\nsearch = \"tubes\"\n"];
        for other in others {
            assert!(!advice(other).contains("tubes"), "{other}");
        }
    }
}
