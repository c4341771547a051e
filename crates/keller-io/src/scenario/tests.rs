//! A scenario's values are read as they are written; each invalid statement is one clear error.

mod all_keys;
mod alternatives;
mod antennas;
mod bad;
mod buildings;
mod calibrated;
mod coverage;
mod materials;
mod openings;
mod positions;
mod power;
mod receivers;
mod sites;
mod tables;

use std::fs;
use std::path::PathBuf;

use super::{Scenario, ScenarioError};

/// A folder of its own for one test, with a scene file in it; it is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("keller-scenario-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("scene.obj"), "").unwrap();
        Self(path)
    }

    fn parse(&self, text: &str) -> Result<Scenario, ScenarioError> {
        Scenario::parse(text, &self.0.join("s.toml"))
    }

    /// The message for `text`, without the folder's own path.
    fn message(&self, text: &str) -> String {
        let error = self.parse(text).expect_err(text).to_string();
        error.replace(
            &format!("{}{}", self.0.display(), std::path::MAIN_SEPARATOR),
            "",
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

const SMALL: &str = r#"
frequency_hz = 3.5e9
[scene]
file = "scene.obj"
[[tx]]
position = [0, 0, 10]
[[rx]]
position = [1.5, -2, 3]
"#;
