//! A city with one building that has an inside, as the text of scenarios.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use glam::DVec2;
use keller::DVec3;
use keller::coverage::Surroundings;
use keller::scene::building::Placement;
use keller_run::Job;

use super::draws::Draws;
use super::outline;

/// Metres around a Tx or a receiver in which there is nothing.
const CLEARANCE: f64 = 0.3;

/// The places where a Tx may stand in the street: metres from the building, and over the ground.
const STREET: [f64; 2] = [5.0, 35.0];
const STREET_HEIGHT: [f64; 2] = [2.0, 12.0];

/// Cells this near to the facade make its seam, metres.
pub(super) const SEAM: f64 = 1.0;

/// The cells outside reach so far beyond the building, metres.
const AROUND: f64 = 32.0;

/// Sides of the cells outside and inside, metres.
const RESOLUTION: [f64; 2] = [3.0, 0.75];

/// Cells lie so far above floors, metres.
const ABOVE_FLOOR: f64 = 1.2;

/// Paths weaker than this count as nothing, dB.
pub(super) const LIMIT_DB: f64 = 130.0;

/// A city with one building that has an inside.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) name: String,
    /// The folder of the files of the scene, in which the scenarios are written.
    pub(super) folder: PathBuf,
    /// The text from `[scene]` to all that the scene needs.
    pub(super) scene: String,
    /// The name of the building.
    pub(super) building: &'static str,
    /// The placement of its own axes.
    pub(super) placement: Placement,
    /// Its footprint in its own axes, metres.
    pub(super) outline: Vec<DVec2>,
    /// Heights of its floors and then of its roof, metres.
    pub(super) levels: Vec<f64>,
}

/// The parts of a scenario other than the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) tx: &'a [DVec3],
    pub(super) rx: &'a [DVec3],
    /// Whether receivers take both polarisations, as cells do.
    pub(super) are_rx_cells: bool,
    /// The keys of `[paths]`.
    pub(super) limits: &'a str,
    /// The keys of `[[coverage]]` that choose the engine; `None` without cells.
    pub(super) engine: Option<&'a str>,
}

impl Place {
    /// A job as the program would open it.
    pub(super) fn job(&self, question: Question<'_>) -> Result<Arc<Job>> {
        let file = self.folder.join("scenario.toml");
        std::fs::write(&file, self.scenario(question))?;
        Job::open(&file, Arc::new(())).with_context(|| self.name.clone())
    }

    fn scenario(&self, question: Question<'_>) -> String {
        let mut text = format!("frequency_hz = 3.5e9\n{}", self.scene);
        let of_rx = if question.are_rx_cells {
            "polarization = \"VH\"\n"
        } else {
            ""
        };
        for (kind, keys, places) in [("tx", "", question.tx), ("rx", of_rx, question.rx)] {
            for at in places {
                let _ = writeln!(text, "[[{kind}]]\n{keys}position = {:?}", at.to_array());
            }
        }
        let _ = writeln!(text, "[paths]\n{}", question.limits);
        let Some(engine) = question.engine else {
            return text;
        };
        let corners = self.outline.iter().map(|at| self.in_city(*at));
        let (min, max) = corners.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(a, b), at| {
            (a.min(at), b.max(at))
        });
        let (min, max) = ((min - AROUND).to_array(), (max + AROUND).to_array());
        let floors = &self.levels[..self.levels.len() - 1];
        let heights: Vec<f64> = floors.iter().map(|floor| floor + ABOVE_FLOOR).collect();
        let [outside, inside] = RESOLUTION;
        let _ = writeln!(
            text,
            "[[coverage]]\nname = \"outside\"\n{engine}\nmin = {min:?}\nmax = {max:?}\nheights = {heights:?}\n\
             resolution = {outside}\npath_loss_limit_db = {LIMIT_DB}\n\
             [[coverage]]\nname = \"inside\"\n{engine}\nbuilding = \"{}\"\nheights = {heights:?}\nheight_above = \"sea\"\n\
             resolution = {inside}\npath_loss_limit_db = {LIMIT_DB}",
            self.building
        );
        text
    }

    /// A point of the building in the city.
    pub(super) fn in_city(&self, at: DVec2) -> DVec2 {
        self.placement.to_scene(at.extend(0.0)).truncate()
    }

    /// Whether a point of the city is in the building.
    pub(super) fn is_inside(&self, at: DVec3) -> bool {
        let own = self.placement.to_own(at).truncate();
        at.z < self.levels[self.levels.len() - 1] && outline::contains(&self.outline, own)
    }

    /// The distance from a point of the city to the nearest outer wall, in plan, metres.
    pub(super) fn to_facade(&self, at: DVec3) -> f64 {
        outline::distance(&self.outline, self.placement.to_own(at).truncate())
    }

    /// Places for some devices in the street, and as many in the building.
    pub(super) fn devices(&self, count: usize, draws: &mut Draws) -> Result<[Vec<DVec3>; 2]> {
        let any = Question {
            tx: &[self.in_city(self.outline[0]).extend(900.0)],
            rx: &[self.in_city(self.outline[0]).extend(901.0)],
            are_rx_cells: false,
            limits: "max_interactions = 0",
            engine: None,
        };
        let job = self.job(any)?;
        let scene = job.world.scene();
        let is_free = |at: DVec3| !scene.any_face_near(at, CLEARANCE, |_| true);
        let (mut street, mut desks) = (Vec::new(), Vec::new());
        for _ in 0..100_000 {
            if street.len() == count && desks.len() == count {
                return Ok([street, desks]);
            }
            let corner = self.outline[draws.below(self.outline.len())];
            let far = STREET[1] + 30.0;
            let by = DVec2::new(draws.between(-far, far), draws.between(-far, far));
            let at = self.in_city(corner + by);
            let away = self.to_facade(at.extend(0.0));
            let ground = self.levels[0];
            let out = at.extend(ground + draws.between(STREET_HEIGHT[0], STREET_HEIGHT[1]));
            let is_in_street = (STREET[0]..STREET[1]).contains(&away)
                && !self.is_inside(out)
                && !Surroundings::is_enclosed(scene, out);
            if street.len() < count && is_in_street && is_free(out) {
                street.push(out);
            }
            let floor = self.levels[draws.below(self.levels.len() - 1)];
            let desk = at.extend(floor + draws.between(0.8, 2.2));
            if desks.len() < count && self.is_inside(desk) && is_free(desk) {
                desks.push(desk);
            }
        }
        bail!("{}: no place for a Tx", self.name)
    }
}

/// A description of the misfits, and the number of buildings that were replaced.
pub(super) fn fit(job: &Job) -> String {
    let of = |building: &keller_io::store::scene_cache::PlacedBuilding| {
        let misfits = building.misfits.join("; ");
        format!("replaces {}, {misfits}", building.replaced.len())
    };
    job.buildings.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// Writes a file of a place.
pub(super) fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let file = folder.join(name);
    std::fs::write(&file, text).with_context(|| file.display().to_string())
}
