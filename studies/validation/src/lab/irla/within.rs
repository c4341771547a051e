//! The lowest error that each method reaches within a time.

use keller_lab::irla::{Collection, Settings};

use super::rows::Row;

/// Times, s.
const TIMES: [f64; 7] = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0];

/// The methods. All cell sizes, numbers of rays and both kinds of filling count as one method.
const METHODS: [&str; 6] = [
    "IRLA: raster, 2.5D",
    "exact walls, 2.5D",
    "raster, 3D",
    "exact walls, 3D",
    "exact walls, 3D, owned cells",
    "keller tubes",
];

/// The methods that are drawn.
const DRAWN: [(usize, &str); 4] = [
    (0, "IRLA"),
    (1, "exact walls"),
    (3, "exact, 3D"),
    (5, "tubes"),
];

/// Seconds and RMSE in dB of all runs of each method.
#[derive(Debug, Default)]
pub(super) struct Within {
    runs: [Vec<[f64; 2]>; METHODS.len()],
}

impl Within {
    pub(super) fn add(&mut self, settings: &Settings, row: &Row) {
        let method = match (
            settings.is_raster,
            settings.is_projected,
            settings.collection,
        ) {
            (true, true, _) => 0,
            (false, true, _) => 1,
            (true, false, _) => 2,
            (false, false, Collection::Pierced) => 3,
            (false, false, Collection::Owned) => 4,
        };
        self.runs[method].push([row.seconds, row.errors.rmse]);
    }

    pub(super) fn add_tubes(&mut self, row: &Row) {
        self.runs[METHODS.len() - 1].push([row.seconds, row.errors.rmse]);
    }

    /// The runs of each drawn method that no faster run of it betters, by time.
    pub(super) fn curves(&self) -> impl Iterator<Item = (&'static str, Vec<[f64; 2]>)> {
        DRAWN.into_iter().map(|(method, name)| {
            let mut runs = self.runs[method].clone();
            runs.sort_by(|a, b| a[0].total_cmp(&b[0]));
            let mut lowest = f64::INFINITY;
            runs.retain(|[_, rmse]| {
                let is_better = *rmse < lowest;
                lowest = lowest.min(*rmse);
                is_better
            });
            (name, runs)
        })
    }

    /// A row for each method: the lowest error within each time.
    pub(super) fn print(&self) {
        println!(
            "\noffice floor: lowest RMSE within a time, over all cell sizes and numbers of rays, dB\n"
        );
        let times = TIMES.map(|time| format!("{time} s"));
        println!(
            "| method | {} |\n|---{}|",
            times.join(" | "),
            "|---".repeat(TIMES.len())
        );
        for (method, runs) in METHODS.into_iter().zip(&self.runs) {
            let lowest = TIMES.map(|time| {
                let in_time = runs.iter().filter(|[seconds, _]| *seconds <= time);
                let lowest = in_time.map(|[_, rmse]| *rmse).min_by(f64::total_cmp);
                lowest.map_or(String::new(), |rmse| format!("{rmse:.2}"))
            });
            println!("| {method} | {} |", lowest.join(" | "));
        }
    }
}
