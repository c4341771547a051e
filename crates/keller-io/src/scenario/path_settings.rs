//! `[paths]`: which paths are wanted, and how they are searched for.

use keller::paths::{Effort, Limits, Search};
use keller::scene::Scene;

use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// `[paths]`: which paths are wanted and how hard to look for them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathSettings {
    /// Which search proposes sequences.
    pub search: SearchChoice,
    /// What completeness may cost.
    pub effort: Effort,
    /// How deep paths may go and of what they may be made.
    pub limits: Limits,
    /// Whether the scenario says itself whether borders of open sheets diffract.
    pub says_free_edges: bool,
    /// Whether what passes any wall keeps the phase and the delay of the air that the wall displaces, as other tools have it.
    pub bare_transmission: bool,
    /// Paths of less gain than this are left out, dB.
    pub power_threshold_db: Option<f64>,
    /// Paths so far below the sum of all paths of their link are left out, dB.
    pub relative_threshold_db: Option<f64>,
}

/// The searches a scenario may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchChoice {
    /// Whichever suits the job.
    #[default]
    Auto,
    /// [`Search::Launch`]
    Launch,
    /// [`Search::Complete`]
    Complete,
    /// [`Search::Tiles`]
    Tiles,
    /// [`Search::Exhaustive`]
    Exhaustive,
}

impl SearchChoice {
    /// Every choice, by the name that a scenario and the command line use.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("launch", Self::Launch),
        ("complete", Self::Complete),
        ("tiles", Self::Tiles),
        ("exhaustive", Self::Exhaustive),
    ];
}

/// Every effort, by the name that a scenario and the command line use.
pub const EFFORT_NAMES: [(&str, Effort); 3] = [
    ("quick", Effort::Quick),
    ("default", Effort::Default),
    ("thorough", Effort::Thorough),
];

impl PathSettings {
    /// The search that these settings come to in a scene. Who asks for an effort asks for launched rays.
    pub fn search(&self, scene: &Scene) -> Search {
        match self.search {
            SearchChoice::Auto if self.effort == Effort::Default => {
                Search::auto(scene, &self.limits)
            }
            SearchChoice::Auto | SearchChoice::Launch => Search::Launch(self.effort),
            SearchChoice::Complete => Search::Complete,
            SearchChoice::Tiles => Search::Tiles,
            SearchChoice::Exhaustive => Search::Exhaustive,
        }
    }
}

/// `[paths]`, or the defaults. Coverages of surfaces allow more scatterings.
pub(super) fn read(top: &Section<'_>, is_of_surfaces: bool) -> Result<PathSettings, ScenarioError> {
    /// Deeper than any search reaches, and small enough for a byte.
    const MAX_DEPTH: usize = 255;
    // Surfaces pass on what they scatter; paths are scattered once.
    let max_scatterings = if is_of_surfaces { 3 } else { 1 };
    let Some(section) = top.section("paths", keys::PATHS)? else {
        return Ok(PathSettings::default());
    };
    let count = |key| section.count(key, MAX_DEPTH);
    if section.text("search")? == Some("tiles") && count("max_transmissions")? > Some(0) {
        return Err(section.refuse("max_transmissions", "the search \"tiles\" passes no walls"));
    }
    let default = Limits::default();
    // Who names only one of the two limits means both.
    let (interactions, reflections) = (count("max_interactions")?, count("max_reflections")?);
    let max_interactions = interactions.or(reflections);
    Ok(PathSettings {
        search: section
            .choice("search", &SearchChoice::NAMES)?
            .unwrap_or_default(),
        effort: section.choice("effort", &EFFORT_NAMES)?.unwrap_or_default(),
        limits: Limits {
            line_of_sight: section
                .flag("line_of_sight")?
                .unwrap_or(default.line_of_sight),
            max_interactions: max_interactions.unwrap_or(default.max_interactions),
            max_reflections: reflections
                .or(interactions)
                .unwrap_or(default.max_reflections),
            max_transmissions: count("max_transmissions")?.unwrap_or(default.max_transmissions),
            max_diffractions: count("max_diffractions")?.unwrap_or(default.max_diffractions),
            max_scatterings: section
                .count("max_scatterings", max_scatterings)?
                .unwrap_or(default.max_scatterings),
            max_depth: count("max_depth")?.unwrap_or(default.max_depth),
            free_edges: section.flag("free_edges")?.unwrap_or(default.free_edges),
            edge_chains: section.flag("edge_chains")?.unwrap_or(default.edge_chains),
        },
        says_free_edges: section.has("free_edges"),
        bare_transmission: section.flag("bare_transmission")?.unwrap_or(false),
        power_threshold_db: section.number("power_threshold_db", |_| true)?,
        relative_threshold_db: section.number("relative_threshold_db", |v| v > 0.0)?,
    })
}
