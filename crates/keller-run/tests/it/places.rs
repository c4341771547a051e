//! Scenarios for these tests, with their scene files.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use keller_run::{Event, Observer};

/// Two houses aslant on a ground, upright, and a scenario of `num_rx` receivers around them.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new(num_rx: usize, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut obj = String::from(
            "usemtl concrete\nv -60 -60 0\nv 60 -60 0\nv 60 60 0\nv -60 60 0\nf 1 2 3 4\n",
        );
        let mut count = 4;
        for (x, y, turn, height) in [(-8.0, 3.0, 0.3_f64, 9.0), (11.0, -6.0, 1.1, 14.0)] {
            let corner = |u: f64, v: f64| {
                let (sin, cos) = turn.sin_cos();
                [x + cos * u - sin * v, y + sin * u + cos * v]
            };
            let corners = [
                corner(-5.0, -3.0),
                corner(5.0, -3.0),
                corner(5.0, 3.0),
                corner(-5.0, 3.0),
            ];
            for z in [0.0, height] {
                for [x, y] in corners {
                    writeln!(obj, "v {x} {y} {z}").unwrap();
                }
            }
            obj += "usemtl brick\n";
            for k in 0..4 {
                let next = (k + 1) % 4;
                let at = |k: usize| count + 1 + k;
                writeln!(
                    obj,
                    "f {} {} {} {}",
                    at(k),
                    at(next),
                    at(next + 4),
                    at(k + 4)
                )
                .unwrap();
            }
            let top: Vec<String> = (5..9).map(|k| (count + k).to_string()).collect();
            writeln!(obj, "f {}", top.join(" ")).unwrap();
            count += 8;
        }
        fs::write(folder.path().join("town.obj"), obj).unwrap();
        let mut rx = String::from("x,y,z\n");
        for k in 0..num_rx {
            let angle = k as f64 * 2.4;
            let radius = 4.0 + 40.0 * (k as f64 / num_rx as f64).sqrt();
            writeln!(rx, "{},{},1.5", radius * angle.cos(), radius * angle.sin()).unwrap();
        }
        fs::write(folder.path().join("rx.csv"), rx).unwrap();
        let text = format!(
            "frequency_hz = 3.5e9\n[scene]\nfile = \"town.obj\"\nup = \"z\"\n[[tx]]\nposition = [0.3, 0.7, 20]\n\
             [[tx]]\nposition = [-22, 14, 6]\n[[rx]]\nfile = \"rx.csv\"\n{more}"
        );
        fs::write(folder.path().join("s.toml"), text).unwrap();
        Self(folder)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Hears everything, and stops a run after so many reports of progress.
#[derive(Default)]
pub(crate) struct Ear {
    pub(crate) warnings: Mutex<Vec<String>>,
    pub(crate) reports: AtomicUsize,
    stop_after: Option<usize>,
    stop: AtomicBool,
}

impl Ear {
    pub(crate) fn that_stops_after(reports: usize) -> Self {
        Self {
            stop_after: Some(reports),
            ..Self::default()
        }
    }
}

impl Observer for Ear {
    fn tell(&self, event: Event) {
        match event {
            Event::Warning(warning) => self.warnings.lock().unwrap().push(warning),
            Event::Note(_) | Event::Kept(_) => {}
            Event::Progress(..) => {
                let count = self.reports.fetch_add(1, Ordering::SeqCst);
                if self.stop_after.is_some_and(|after| count >= after) {
                    self.stop.store(true, Ordering::SeqCst);
                }
            }
        }
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(&self.stop)
    }
}
