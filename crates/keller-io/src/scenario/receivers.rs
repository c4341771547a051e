//! `[[rx]]`: one position, the rows of a CSV file, or a grid.

use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::antenna::{Antenna, Array, ArrayTracing};

use super::antennas::Antennas;
use super::devices;
use super::document::Section;
use super::error::ScenarioError;
use super::rx_file;
use super::site::{self, Coordinates, Height, Horizontal, Site};
use crate::formats::{Warning, csv_rows};

/// All receivers of a scenario, in the order in which tables number them.
#[derive(Debug, Clone, PartialEq)]
pub struct Receivers {
    /// Every receiver.
    pub rx: Vec<Rx>,
    /// The `[[rx]]` they come from.
    pub groups: Vec<RxGroup>,
}

/// One receiver. There may be millions, so everything that a whole `[[rx]]` shares is in its [`RxGroup`].
#[derive(Debug, Clone, PartialEq)]
pub struct Rx {
    /// The place, as [`RxGroup::coordinates`] defines it; [`super::Scenario::positions`] gives the position in the
    /// scene.
    pub at: DVec3,
    /// Its name, if it has one.
    pub name: Option<Box<str>>,
    /// The index into [`Receivers::groups`].
    pub group: u32,
    /// The line of [`RxGroup::file`] that it comes from.
    pub line: u32,
}

/// One `[[rx]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct RxGroup {
    /// The antenna of all its receivers.
    pub antenna: Antenna,
    /// The positions of the elements of each, if they have more than one: each has `antenna`.
    pub array: Option<Array>,
    /// The part of the elements in tracing.
    pub array_tracing: ArrayTracing,
    /// The velocity of all its receivers, m/s.
    pub velocity: DVec3,
    /// The meaning of [`Rx::at`].
    pub coordinates: Coordinates,
    /// The file that its positions stand in: the scenario itself, or a CSV file.
    pub file: PathBuf,
    /// Whether its places are those of a `grid`.
    pub is_grid: bool,
    /// Whether receivers without a place in the scene are left out, as those of grids and files are, rather than an
    /// error.
    pub leaves_out: bool,
    /// The words that errors put before the key or the column.
    pub(super) label: String,
}

impl Receivers {
    /// The antenna of receiver `rx`.
    pub fn antenna(&self, rx: usize) -> &Antenna {
        &self.groups[self.rx[rx].group as usize].antenna
    }

    /// The elements of receiver `rx`, if it has several.
    pub fn array(&self, rx: usize) -> Option<&Array> {
        self.groups[self.rx[rx].group as usize].array.as_ref()
    }

    /// The part of the elements of receiver `rx` in tracing.
    pub fn array_tracing(&self, rx: usize) -> ArrayTracing {
        self.groups[self.rx[rx].group as usize].array_tracing
    }

    /// The velocity of receiver `rx`, m/s.
    pub fn velocity(&self, rx: usize) -> DVec3 {
        self.groups[self.rx[rx].group as usize].velocity
    }

    /// The place of receiver `rx`.
    pub fn site(&self, rx: usize) -> Site {
        let Rx { at, group, .. } = self.rx[rx];
        let coordinates = self.groups[group as usize].coordinates;
        Site { at, coordinates }
    }

    /// Whether receiver `rx` is a point of a grid.
    pub fn is_of_grid(&self, rx: usize) -> bool {
        self.groups[self.rx[rx].group as usize].is_grid
    }

    /// Whether receiver `rx` is left out if it has no place in the scene.
    pub fn may_leave_out(&self, rx: usize) -> bool {
        self.groups[self.rx[rx].group as usize].leaves_out
    }

    /// The points at which paths to receiver `rx` at `at` end: `at`, or the elements of its array that are traced one
    /// by one.
    pub(super) fn points(&self, rx: usize, at: DVec3) -> impl Iterator<Item = DVec3> {
        let is_each = self.array_tracing(rx) == ArrayTracing::Each;
        let array = self.array(rx).filter(|_| is_each);
        let orientation = self.antenna(rx).orientation;
        let elements = array
            .into_iter()
            .flat_map(move |array| array.positions(at, orientation));
        elements.chain(array.is_none().then_some(at))
    }

    /// Puts receivers at `points` in place of those of a group; they keep the group's antennas and coordinates.
    ///
    /// # Panics
    /// If there is no such group.
    pub fn set_points(&mut self, group: usize, points: &[DVec3]) {
        let number = |rx: &Rx| rx.group as usize;
        let first = self.rx.partition_point(|rx| number(rx) < group);
        let end = self.rx.partition_point(|rx| number(rx) <= group);
        let model = self.rx[first].clone();
        let placed = points.iter().map(|at| Rx {
            at: *at,
            ..model.clone()
        });
        self.rx.splice(first..end, placed);
    }

    /// An error about `key` of receiver `rx`.
    pub(super) fn error(&self, rx: usize, key: &str, problem: &str) -> ScenarioError {
        let group = &self.groups[self.rx[rx].group as usize];
        let line = usize::try_from(self.rx[rx].line).ok();
        let key = format!("{} {key}", group.label);
        let key = key.trim_end();
        ScenarioError::new(&group.file, line, key, problem)
    }

    /// The place where receiver `rx` is defined, as `file:line`.
    pub fn origin(&self, rx: usize) -> String {
        let file = self.groups[self.rx[rx].group as usize].file.display();
        format!("{file}:{}", self.rx[rx].line)
    }
}

/// The largest number of points of a grid: a larger one is a slip of the pen.
const MAX_GRID: f64 = 1e8;

/// The largest distance of a grid's last point beyond its end, in steps: that is rounding.
const GRID_ROUNDING: f64 = 1e-9;

/// Reads all of `[[rx]]`, at least one receiver if some are needed and there is no `[coverage]`, and the warnings about
/// their files. `folder` is the scenario's.
pub(super) fn read(
    top: &Section<'_>,
    folder: &Path,
    antennas: &Antennas<'_>,
    is_needed: bool,
) -> Result<(Receivers, Vec<Warning>), ScenarioError> {
    let mut warnings = Vec::new();
    let mut receivers = Receivers {
        rx: Vec::new(),
        groups: Vec::new(),
    };
    for section in top.sections("rx")? {
        warnings.extend(read_group(&section, folder, antennas, &mut receivers)?);
    }
    if is_needed && receivers.rx.is_empty() && !top.has("coverage") {
        return Err(devices::none(
            top,
            "rx",
            "receiver, which only `keller coverage` with [coverage] does without",
        ));
    }
    Ok((receivers, warnings))
}

/// Adds the receivers of a section, and returns the warnings about its file.
fn read_group(
    section: &Section<'_>,
    folder: &Path,
    antennas: &Antennas<'_>,
    receivers: &mut Receivers,
) -> Result<Option<Warning>, ScenarioError> {
    const ACCEPTED: &str = "accepted: one of position, longitude and latitude, file, grid";
    const LISTS: [&str; 2] = ["file", "grid"];
    let lists: Vec<&str> = LISTS.into_iter().filter(|key| section.has(key)).collect();
    let own = site::KEYS.into_iter().find(|key| section.has(key));
    let problem = match (own, &lists[..]) {
        (None, []) => Some(("position", "nothing says where it stands")),
        (None, [_]) | (Some(_), []) => None,
        (None, [.., last]) => Some((*last, "more than one place")),
        (Some("position" | "longitude" | "latitude"), [.., last]) => {
            Some((*last, "more than one place"))
        }
        (Some(height), [..]) => Some((height, "a file or a grid says it itself")),
    };
    if let Some((key, problem)) = problem {
        return Err(section.problem(key, format!("{problem}; {ACCEPTED}")));
    }
    let group = u32::try_from(receivers.groups.len()).unwrap_or(u32::MAX);
    let name: Option<Box<str>> = section.text("name")?.map(Into::into);
    let line = u32::try_from(section.line.unwrap_or(1)).unwrap_or(u32::MAX);
    let rx = |at| Rx {
        at,
        name: name.clone(),
        group,
        line,
    };
    let is_strict = section.flag("strict")?.unwrap_or(false);
    if is_strict && lists.is_empty() {
        let problem =
            "only receivers of a file or a grid may be left out; accepted: beside file or grid";
        return Err(section.problem("strict", problem));
    }
    let mut file = section.source.file.to_owned();
    let mut label = format!("[[rx]] {group}");
    let coordinates;
    let mut warning = None;
    if let Some(site) = site::read(section)? {
        coordinates = site.coordinates;
        receivers.rx.push(rx(site.at));
    } else if let Some(grid) = section.section("grid")? {
        label.push_str(" grid");
        let (points, height) = read_grid(&grid)?;
        coordinates = Coordinates {
            horizontal: Horizontal::Local,
            height,
        };
        receivers.rx.extend(points.into_iter().map(rx));
    } else {
        "column".clone_into(&mut label);
        file = folder.join(section.text("file")?.unwrap_or_default());
        let text = csv_rows::read(&file)
            .map_err(|error| section.problem("file", format!("{}: {error}", file.display())))?;
        let table = rx_file::read(&file, &text)?;
        coordinates = table.coordinates;
        warning = table.warning;
        receivers.rx.extend(table.rows.into_iter().map(|row| Rx {
            name: row.name.or_else(|| name.clone()),
            line: row.line,
            ..rx(row.at)
        }));
    }
    let (array, array_tracing) = antennas.array(section)?;
    receivers.groups.push(RxGroup {
        antenna: antennas.antenna(section)?,
        array,
        array_tracing,
        velocity: devices::velocity(section)?.unwrap_or_default(),
        coordinates,
        file,
        is_grid: section.has("grid"),
        leaves_out: !lists.is_empty() && !is_strict,
        label,
    });
    Ok(warning)
}

/// The points `min`, `min + spacing`, ... up to and including `max`, x running fastest, and the reference of their
/// heights.
fn read_grid(grid: &Section<'_>) -> Result<(Vec<DVec3>, Height), ScenarioError> {
    let corner = |key| grid.vector(key)?.ok_or_else(|| grid.missing(key));
    let (min, max): ([f64; 2], [f64; 2]) = (corner("min")?, corner("max")?);
    let spacing = grid
        .number("spacing")?
        .ok_or_else(|| grid.missing("spacing"))?;
    let height = |key| grid.number(key);
    let (height, over) = match (height("height")?, height("height_above_ground")?) {
        (Some(height), None) => (height, Height::Local),
        (None, Some(height)) => (height, Height::AboveGround),
        (None, None) => return Err(grid.missing("height")),
        (Some(_), Some(_)) => {
            let problem = "stands beside `height`: give one of the two";
            return Err(grid.problem("height_above_ground", problem));
        }
    };
    if min[0] > max[0] || min[1] > max[1] {
        let problem = format!("found {max:?}, which is below min = {min:?}");
        return Err(grid.refuse("max", problem));
    }
    let steps = [0, 1].map(|axis| ((max[axis] - min[axis]) / spacing + GRID_ROUNDING).floor());
    if (steps[0] + 1.0) * (steps[1] + 1.0) > MAX_GRID {
        let problem = format!("found {spacing}, which makes more than 1e8 receivers");
        return Err(grid.refuse("spacing", problem));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number between 0 and MAX_GRID"
    )]
    let [columns, rows] = steps.map(|n| n as u32);
    let points = (0..=rows)
        .flat_map(|row| (0..=columns).map(move |column| (column, row)))
        .map(|(column, row)| {
            DVec3::new(
                min[0] + f64::from(column) * spacing,
                min[1] + f64::from(row) * spacing,
                height,
            )
        })
        .collect();
    Ok((points, over))
}
