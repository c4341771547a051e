//! The files that a user of keller would write: a scene file, a scenario and a file of measurements.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::house::{House, WHOLE};
use super::survey::{Survey, Tx};

/// Carrier, Hz.
const FREQUENCY: f64 = 1.88e9;

/// Walls that a path may pass: more than any line of the building crosses.
const MAX_TRANSMISSIONS: usize = 16;

/// A way to predict the survey.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SetUp {
    /// The keys of `[paths]` but its search.
    pub(super) paths: String,
    /// The antenna of every Tx and Rx.
    pub(super) antenna: &'static str,
    pub(super) house: House,
    /// The keys of `[diffuse]`; `None` without the section.
    pub(super) diffuse: Option<&'static str>,
    /// Further sections.
    pub(super) more: String,
}

impl SetUp {
    /// The set-up for a user who knows no measurements: all that is published of the building, vertical half-wave
    /// dipoles, two reflections, and the diffuse field for the rest of the power.
    pub(super) fn usual() -> Self {
        Self {
            paths: reflections(2),
            antenna: "dipole",
            house: WHOLE,
            diffuse: Some(""),
            more: String::new(),
        }
    }

    /// The text of the scenario for some of the Tx.
    fn scenario(&self, survey: &Survey, is_wanted: &dyn Fn(&Tx) -> bool) -> String {
        let mut text = format!(
            "frequency_hz = {FREQUENCY:e}\n\n[scene]\nfile = \"house.obj\"\nup = \"z\"\n{MATERIALS}"
        );
        let antenna = self.antenna;
        for tx in survey.tx.iter().filter(|tx| is_wanted(tx)) {
            let _ = write!(
                text,
                "\n[[tx]]\nname = \"{}\"\nposition = {}\npower_dbm = 0\nantenna = \"{antenna}\"\n",
                tx.name, tx.position
            );
        }
        let at = survey.links[0].position;
        let _ = write!(
            text,
            "\n# Its antenna is that at all measured places.\n[[rx]]\nposition = {at}\nantenna = \"{antenna}\"\n"
        );
        let _ = write!(text, "\n[paths]\nsearch = \"complete\"\n{}\n", self.paths);
        if let Some(keys) = self.diffuse {
            let _ = write!(text, "\n[diffuse]\n{keys}\n");
        }
        text + &self.more
    }

    /// Writes scene, scenario and measurements of some of the Tx into a folder.
    ///
    /// # Errors
    /// For files that cannot be written.
    pub(super) fn write(
        &self,
        survey: &Survey,
        is_wanted: &dyn Fn(&Tx) -> bool,
        folder: &Path,
    ) -> Result<Files> {
        let write = |name: &str, text: String| {
            let file = folder.join(name);
            std::fs::write(&file, text).with_context(|| file.display().to_string())?;
            anyhow::Ok(file)
        };
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write("house.obj", self.house.obj(survey))?;
        Ok(Files {
            scenario: write("scenario.toml", self.scenario(survey, is_wanted))?,
            measured: write("measured.csv", measured(survey, is_wanted))?,
        })
    }
}

/// Files that `keller compare` and `keller calibrate` take.
pub(super) struct Files {
    pub(super) scenario: PathBuf,
    pub(super) measured: PathBuf,
}

/// The limits of so many reflections.
pub(super) fn reflections(count: usize) -> String {
    format!("max_reflections = {count}\nmax_transmissions = {MAX_TRANSMISSIONS}")
}

/// The limits of so many reflections, or one diffraction around an edge.
pub(super) fn bend_or(reflections: usize) -> String {
    format!(
        "max_transmissions = {MAX_TRANSMISSIONS}\nfree_edges = true\nalternatives = [\n    {{ max_reflections = {reflections}, \
         max_diffractions = 0 }},\n    {{ max_reflections = 0, max_diffractions = 1, max_interactions = 1 }},\n]"
    )
}

/// The limits of two reflections, or one reflection and one diffraction around an edge.
pub(super) fn bend_and_reflection() -> String {
    format!(
        "max_transmissions = {MAX_TRANSMISSIONS}\nfree_edges = true\nalternatives = [\n    {{ max_reflections = 2, \
         max_diffractions = 0 }},\n    {{ max_reflections = 1, max_diffractions = 1, max_interactions = 2 }},\n]"
    )
}

/// Usual walls of ITU-R P.2040. The partition is two boards with air between; the building has no drawings of it.
const MATERIALS: &str = r#"
[materials.wall]
layers = [
    { itu = "plasterboard", thickness = 0.013 },
    { permittivity = 1, thickness = 0.09 },
    { itu = "plasterboard", thickness = 0.013 },
]

[materials.glass]
itu = "glass"
thickness = 0.006

[materials.concrete]
itu = "concrete"
thickness = 0.2

[materials.floor]
itu = "concrete"
thickness = 0.2

[materials.ground]
itu = "concrete"
"#;

/// The table of measurements.
fn measured(survey: &Survey, is_wanted: &dyn Fn(&Tx) -> bool) -> String {
    let mut table = String::from("name,x,y,z,tx,set,received_power_dbm\n");
    for link in &survey.links {
        let tx = &survey.tx[link.tx];
        if !is_wanted(tx) {
            continue;
        }
        let at = link.position;
        let set = match tx {
            tx if !tx.is_indoors() => "from outdoors",
            tx if tx.position.z == at.z => "on the same level",
            _ => "from other levels",
        };
        let _ = writeln!(
            table,
            "{},{:.3},{:.3},{:.3},{},{set},{:.3}",
            link.point, at.x, at.y, at.z, tx.name, link.level_db
        );
    }
    table
}
