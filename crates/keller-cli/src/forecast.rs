//! How long a stage of a run will take, and what would be cheaper: said once, before anybody waits long for it.

use std::fmt;
use std::time::{Duration, Instant};

use keller::coverage::Engine;
use keller_io::scenario::{CoverageSettings, Scenario};
use keller_run::Stage;

/// What has been seen of a stage.
#[derive(Debug)]
pub(crate) struct Forecast {
    since: Instant,
    is_told: bool,
}

impl Forecast {
    /// Stages that take less time than this are not worth a word.
    const WORTH: Duration = Duration::from_secs(20);

    /// That of a stage which begins now.
    pub(crate) fn new() -> Self {
        Self {
            since: Instant::now(),
            is_told: false,
        }
    }

    /// How long the stage will still take when `done` (0 to 1) of it is done; `None` if it is short, if nobody can know yet, and after the
    /// first time.
    pub(crate) fn of(&mut self, done: f64) -> Option<Duration> {
        if self.is_told {
            return None;
        }
        let left = left(self.since.elapsed(), done)?;
        self.is_told = true;
        (left >= Self::WORTH).then_some(left)
    }
}

/// How long is left when `done` of the work took `spent`; `None` while that says little.
fn left(spent: Duration, done: f64) -> Option<Duration> {
    /// Before that, threads begin and caches fill.
    const SOON: Duration = Duration::from_secs(1);
    const ENOUGH: f64 = 0.005;
    /// By then even a hundredth of a hundredth is better than nothing.
    const LATE: Duration = Duration::from_secs(10);
    let is_known = spent >= SOON && done >= ENOUGH || spent >= LATE && done > 0.0;
    let whole = Duration::try_from_secs_f64(spent.as_secs_f64() / done).ok()?;
    is_known.then(|| whole.saturating_sub(spent))
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

/// What would make the stages of a run cheaper, of each the changes that gain most first.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    paths: Vec<String>,
    coverage: Vec<String>,
}

impl Advice {
    /// For the runs of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let limits = scenario.paths.limits;
        let mut paths = Vec::new();
        let mut less = |key: &str, count: usize, least: usize| {
            if count > least {
                paths.push(format!("{key} = {} (now {count})", count - 1));
            }
        };
        less("max_diffractions", limits.max_diffractions, 0);
        less("max_scatterings", limits.max_scatterings, 0);
        less("max_reflections", limits.max_reflections, 2);
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
                coverage.push("engine = \"beams\", a model of streets".to_owned());
            }
        }
        Self { paths, coverage }
    }

    /// That for a stage, as the end of a sentence; empty if there is none.
    pub(crate) fn for_stage(&self, stage: Stage) -> String {
        let changes = match stage {
            Stage::Search | Stage::Connect | Stage::Diffract | Stage::Scatter => &self.paths,
            Stage::Coverage => &self.coverage,
            _ => return String::new(),
        };
        if changes.is_empty() {
            return String::new();
        }
        format!("; cheaper: {}", changes.join(", or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_stage_follows_from_its_pace() {
        let after = |seconds: f64, done: f64| {
            left(Duration::from_secs_f64(seconds), done).map(|left| Roughly(left).to_string())
        };
        assert_eq!(after(2.0, 0.01).as_deref(), Some("3 min"));
        assert_eq!(after(2.0, 0.5).as_deref(), Some("5 s"));
        assert_eq!(after(36.0, 0.01).as_deref(), Some("59 min"));
        assert_eq!(after(36.0, 0.001).as_deref(), Some("10.0 h"));
        assert_eq!(after(360.0, 0.001).as_deref(), Some("4.2 days"));
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
            advice.for_stage(Stage::Coverage),
            "; cheaper: max_diffractions = 1 (now 2), or resolution = 5 (now 2.5), or engine = \"beams\", a model of streets"
        );
        assert_eq!(
            advice.for_stage(Stage::Diffract),
            "; cheaper: max_diffractions = 1 (now 2), or max_reflections = 2 (now 3)"
        );
        assert_eq!(advice.for_stage(Stage::Write), "");
    }
}
