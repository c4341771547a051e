//! `[paths]`: the wanted paths, and the search for them.

use keller::paths::{Effort, Limits, PathOptions, Search};
use keller::scene::Scene;

use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// The settings of `[paths]`: the wanted paths and the effort of the search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathSettings {
    /// The search that proposes sequences.
    pub search: SearchChoice,
    /// The effort that completeness may cost.
    pub effort: Effort,
    /// The limits of the depth of paths and of their interactions.
    pub limits: Limits,
    /// The limits of `alternatives`: the result is the union of the paths under all of them. They are empty if the
    /// scenario has none; [`Self::limits`] alone count then.
    pub alternatives: Vec<Limits>,
    /// The line of `alternatives`.
    pub alternatives_line: Option<usize>,
    /// Whether the scenario states whether borders of open sheets diffract.
    pub says_free_edges: bool,
    /// Whether waves that pass a wall keep the phase and the delay of the air that the wall displaces, as in other
    /// tools.
    pub ignore_displaced_air: bool,
    /// The gain below which paths are left out, dB.
    pub power_threshold_db: Option<f64>,
    /// The largest difference of a path's gain from the sum of all paths of its link, dB: weaker paths are left out.
    pub relative_threshold_db: Option<f64>,
}

/// The searches a scenario may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchChoice {
    /// The search that suits the job.
    #[default]
    Auto,
    /// The search [`Search::Launch`].
    Launch,
    /// The search [`Search::Complete`].
    Complete,
    /// The search [`Search::Tiles`].
    Tiles,
    /// The search [`Search::Tubes`].
    Tubes,
    /// The search [`Search::Exhaustive`].
    Exhaustive,
}

impl SearchChoice {
    /// Every choice, by the name that a scenario and the command line use.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("launch", Self::Launch),
        ("complete", Self::Complete),
        ("tiles", Self::Tiles),
        ("tubes", Self::Tubes),
        ("exhaustive", Self::Exhaustive),
    ];
}

impl PathSettings {
    /// All limits that count: the alternatives, or those of `[paths]` if there are none.
    pub fn all_limits(&self) -> &[Limits] {
        if self.alternatives.is_empty() {
            std::slice::from_ref(&self.limits)
        } else {
            &self.alternatives
        }
    }

    /// The limits that allow everything that any alternative allows; `None` if none of the alternatives does. Engines
    /// with a single set of limits follow these.
    pub fn only_limits(&self) -> Option<&Limits> {
        let all = self.all_limits();
        all.iter()
            .find(|outer| all.iter().all(|limits| limits.is_within(outer)))
    }

    /// The largest value of a limit in any alternative.
    pub fn largest(&self, of: impl Fn(&Limits) -> usize) -> usize {
        self.all_limits().iter().map(of).max().unwrap_or(0)
    }

    /// Every set of limits with the search that these settings choose for it in a scene.
    pub fn options(&self, scene: &Scene) -> Vec<PathOptions> {
        let all = self.all_limits().iter();
        all.map(|limits| PathOptions {
            limits: *limits,
            search: Some(self.search_within(scene, limits)),
        })
        .collect()
    }

    /// The search that these settings choose in a scene. For alternatives with several searches, it is the last one
    /// that is not exact.
    pub fn search(&self, scene: &Scene) -> Search {
        let is_exact = |search: &Search| matches!(search, Search::Complete | Search::Exhaustive);
        let first = self.search_within(scene, &self.all_limits()[0]);
        let others = self.all_limits()[1..].iter();
        let others = others.map(|limits| self.search_within(scene, limits));
        others.fold(
            first,
            |kept, next| if is_exact(&next) { kept } else { next },
        )
    }

    /// The search that these settings choose for these limits. A scenario that sets an effort gets launched rays.
    fn search_within(&self, scene: &Scene, limits: &Limits) -> Search {
        match self.search {
            SearchChoice::Auto if self.effort == Effort::Default => Search::auto(scene, limits),
            SearchChoice::Auto | SearchChoice::Launch => Search::Launch(self.effort),
            SearchChoice::Complete => Search::Complete,
            SearchChoice::Tiles => Search::Tiles,
            SearchChoice::Tubes => Search::Tubes(self.effort),
            SearchChoice::Exhaustive => Search::Exhaustive,
        }
    }
}

/// Reads `[paths]`, or the defaults. Coverages of surfaces allow more scatterings.
pub(super) fn read(top: &Section<'_>, is_of_surfaces: bool) -> Result<PathSettings, ScenarioError> {
    let Some(section) = top.section("paths")? else {
        return Ok(PathSettings::default());
    };
    // Surfaces pass on the power that they scatter; paths are scattered twice at most.
    let max_scatterings = if is_of_surfaces { 12 } else { 2 };
    let own = Wanted::read(&section, max_scatterings)?;
    let tables = section.sections("alternatives")?;
    if section.text("search")? == Some("tiles") {
        for table in std::iter::once(&section).chain(&tables) {
            if Wanted::read(table, max_scatterings)?.transmissions > Some(0) {
                let problem = "the search \"tiles\" passes no walls";
                return Err(table.refuse("max_transmissions", problem));
            }
        }
    }
    if section.has("alternatives") && tables.is_empty() {
        return Err(section.refuse("alternatives", "found none"));
    }
    let alternatives = tables
        .iter()
        .map(|alternative| Ok(Wanted::read(alternative, max_scatterings)?.or(own).limits()));
    Ok(PathSettings {
        search: section
            .choice("search", &SearchChoice::NAMES)?
            .unwrap_or_default(),
        effort: section
            .choice("effort", &keys::EFFORT_NAMES)?
            .unwrap_or_default(),
        limits: own.limits(),
        alternatives: alternatives.collect::<Result<_, _>>()?,
        alternatives_line: section.line_of("alternatives"),
        says_free_edges: std::iter::once(&section)
            .chain(&tables)
            .any(|table| table.has("free_edges")),
        ignore_displaced_air: section.flag("ignore_displaced_air")?.unwrap_or(false),
        power_threshold_db: section.number("power_threshold_db")?,
        relative_threshold_db: section.number("relative_threshold_db")?,
    })
}

/// The limits that a table sets itself.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    line_of_sight: Option<bool>,
    interactions: Option<usize>,
    reflections: Option<usize>,
    transmissions: Option<usize>,
    diffractions: Option<usize>,
    scatterings: Option<usize>,
    depth: Option<usize>,
    free_edges: Option<bool>,
    reflections_between_edges: Option<bool>,
}

impl Wanted {
    fn read(section: &Section<'_>, max_scatterings: usize) -> Result<Self, ScenarioError> {
        let count = |key| section.whole(key);
        let scatterings = count("max_scatterings")?;
        if scatterings > Some(max_scatterings) {
            return Err(section.unexpected("max_scatterings"));
        }
        Ok(Self {
            line_of_sight: section.flag("line_of_sight")?,
            interactions: count("max_interactions")?,
            reflections: count("max_reflections")?,
            transmissions: count("max_transmissions")?,
            diffractions: count("max_diffractions")?,
            scatterings,
            depth: count("max_depth")?,
            free_edges: section.flag("free_edges")?,
            reflections_between_edges: section.flag("reflections_between_edges")?,
        })
    }

    /// The limits of this table, and those of `other` that this one does not set.
    fn or(self, other: Self) -> Self {
        Self {
            line_of_sight: self.line_of_sight.or(other.line_of_sight),
            interactions: self.interactions.or(other.interactions),
            reflections: self.reflections.or(other.reflections),
            transmissions: self.transmissions.or(other.transmissions),
            diffractions: self.diffractions.or(other.diffractions),
            scatterings: self.scatterings.or(other.scatterings),
            depth: self.depth.or(other.depth),
            free_edges: self.free_edges.or(other.free_edges),
            reflections_between_edges: self
                .reflections_between_edges
                .or(other.reflections_between_edges),
        }
    }

    fn limits(self) -> Limits {
        let default = Limits::default();
        let max_diffractions = self.diffractions.unwrap_or(default.max_diffractions);
        let max_scatterings = self.scatterings.unwrap_or(default.max_scatterings);
        // Each limit holds by itself: unless the total is given, it reduces none of the given ones.
        let others = max_diffractions + max_scatterings;
        let max_interactions = match (self.interactions, self.reflections) {
            (Some(interactions), _) => interactions,
            (None, Some(reflections)) => reflections + others,
            (None, None) => others.max(default.max_interactions),
        };
        Limits {
            line_of_sight: self.line_of_sight.unwrap_or(default.line_of_sight),
            max_interactions,
            max_reflections: self
                .reflections
                .or(self.interactions)
                .unwrap_or(default.max_reflections),
            max_transmissions: self.transmissions.unwrap_or(default.max_transmissions),
            max_diffractions,
            max_scatterings,
            max_depth: self.depth.unwrap_or(default.max_depth),
            free_edges: self.free_edges.unwrap_or(default.free_edges),
            reflections_between_edges: self
                .reflections_between_edges
                .unwrap_or(default.reflections_between_edges),
        }
    }
}
