//! `[[rx]]`: one position, the rows of a CSV file, or a grid.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::antenna::{Antenna, Array, ArrayTracing};

use super::antennas::Antennas;
use super::devices;
use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// All receivers of a scenario, in the order in which tables number them.
#[derive(Debug, Clone, PartialEq)]
pub struct Receivers {
    /// Every receiver.
    pub rx: Vec<Rx>,
    /// The `[[rx]]` they come from.
    pub groups: Vec<RxGroup>,
}

/// One receiver. There may be millions, so what a whole `[[rx]]` shares is in its [`RxGroup`].
#[derive(Debug, Clone, PartialEq)]
pub struct Rx {
    /// Where it stands, metres.
    pub position: DVec3,
    /// Its name, if it has one.
    pub name: Option<Box<str>>,
    /// Index into [`Receivers::groups`].
    pub group: u32,
    /// The line of [`RxGroup::file`] that it comes from.
    pub line: u32,
}

/// One `[[rx]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct RxGroup {
    /// The antenna of all its receivers.
    pub antenna: Antenna,
    /// Where the elements of each stand, if they have more than one: each has `antenna`.
    pub array: Option<Array>,
    /// How the elements take part in tracing.
    pub array_tracing: ArrayTracing,
    /// How all its receivers move, m/s.
    pub velocity: DVec3,
    /// The file that its positions stand in: the scenario itself, or a CSV file.
    pub file: PathBuf,
}

impl Receivers {
    /// The antenna of receiver `rx`.
    pub fn antenna(&self, rx: usize) -> &Antenna {
        &self.groups[self.rx[rx].group as usize].antenna
    }

    /// Where receiver `rx` has elements, if not in one place.
    pub fn array(&self, rx: usize) -> Option<&Array> {
        self.groups[self.rx[rx].group as usize].array.as_ref()
    }

    /// How the elements of receiver `rx` take part in tracing.
    pub fn array_tracing(&self, rx: usize) -> ArrayTracing {
        self.groups[self.rx[rx].group as usize].array_tracing
    }

    /// How receiver `rx` moves, m/s.
    pub fn velocity(&self, rx: usize) -> DVec3 {
        self.groups[self.rx[rx].group as usize].velocity
    }

    /// Where receiver `rx` is defined, as `file:line`.
    pub fn origin(&self, rx: usize) -> String {
        let file = self.groups[self.rx[rx].group as usize].file.display();
        format!("{file}:{}", self.rx[rx].line)
    }
}

/// A grid larger than this is a slip of the pen.
const MAX_GRID: f64 = 1e8;

/// A last point of a grid that lies less than this beyond its end, in steps, is still one: that is rounding.
const GRID_ROUNDING: f64 = 1e-9;

/// All of `[[rx]]`, at least one receiver unless there is a `[coverage]`. `folder` is the scenario's.
pub(super) fn read(
    top: &Section<'_>,
    folder: &Path,
    antennas: &Antennas<'_>,
) -> Result<Receivers, ScenarioError> {
    let mut receivers = Receivers {
        rx: Vec::new(),
        groups: Vec::new(),
    };
    for section in top.sections("rx", keys::RX)? {
        read_group(&section, folder, antennas, &mut receivers)?;
    }
    if receivers.rx.is_empty() && !top.has("coverage") {
        return Err(devices::none(top, "rx", "receiver"));
    }
    Ok(receivers)
}

fn read_group(
    section: &Section<'_>,
    folder: &Path,
    antennas: &Antennas<'_>,
    receivers: &mut Receivers,
) -> Result<(), ScenarioError> {
    const PLACES: [&str; 3] = ["position", "file", "grid"];
    let given: Vec<&str> = PLACES.into_iter().filter(|key| section.has(key)).collect();
    let [place] = given[..] else {
        let problem = if given.is_empty() {
            "nothing says where it stands; accepted: one of position, file, grid"
        } else {
            "more than one place; accepted: one of position, file, grid"
        };
        return Err(section.problem(given.last().unwrap_or(&"position"), problem));
    };
    let group = u32::try_from(receivers.groups.len()).unwrap_or(u32::MAX);
    let name: Option<Box<str>> = section.text("name")?.map(Into::into);
    let line = u32::try_from(section.line.unwrap_or(1)).unwrap_or(u32::MAX);
    let rx = |position| Rx {
        position,
        name: name.clone(),
        group,
        line,
    };
    let mut file = section.source.file.to_owned();
    match place {
        "position" => {
            let position = devices::position(section)?;
            receivers.rx.extend(position.map(rx));
        }
        "grid" => receivers.rx.extend(grid(section)?.into_iter().map(rx)),
        _ => {
            file = folder.join(section.text("file")?.unwrap_or_default());
            let text = read_text(&file)
                .map_err(|error| section.problem("file", format!("{}: {error}", file.display())))?;
            for row in csv_rows(&file, &text)? {
                receivers.rx.push(Rx {
                    name: row.name.or_else(|| name.clone()),
                    line: row.line,
                    ..rx(row.position)
                });
            }
        }
    }
    let (array, array_tracing) = antennas.array(section)?;
    receivers.groups.push(RxGroup {
        antenna: antennas.antenna(section)?,
        array,
        array_tracing,
        velocity: devices::velocity(section)?.unwrap_or_default(),
        file,
    });
    Ok(())
}

/// The points `min`, `min + spacing`, ... up to and including `max`; x runs fastest.
fn grid(section: &Section<'_>) -> Result<Vec<DVec3>, ScenarioError> {
    let Some(grid) = section.section("grid", keys::GRID)? else {
        return Ok(Vec::new());
    };
    let corner = |key| {
        grid.vector(key, devices::is_coordinate)?
            .ok_or_else(|| grid.missing(key))
    };
    let (min, max): ([f64; 2], [f64; 2]) = (corner("min")?, corner("max")?);
    let spacing = grid
        .number("spacing", |v| v > 0.0)?
        .ok_or_else(|| grid.missing("spacing"))?;
    let height = grid
        .number("height", devices::is_coordinate)?
        .ok_or_else(|| grid.missing("height"))?;
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
    Ok((0..=rows)
        .flat_map(|row| (0..=columns).map(move |column| (column, row)))
        .map(|(column, row)| {
            DVec3::new(
                min[0] + f64::from(column) * spacing,
                min[1] + f64::from(row) * spacing,
                height,
            )
        })
        .collect())
}

struct CsvRow {
    position: DVec3,
    name: Option<Box<str>>,
    line: u32,
}

fn read_text(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    BufReader::new(File::open(file)?).read_to_string(&mut text)?;
    Ok(text)
}

/// The receivers of a CSV file. A first row without a number in its first three fields is a header, which says where the columns
/// x, y, z and, if there is one, name are; without a header the first three columns are x, y, z. `#` begins a comment line.
fn csv_rows(file: &Path, text: &str) -> Result<Vec<CsvRow>, ScenarioError> {
    let error = |line: u64, column: &str, problem: String| {
        let line = usize::try_from(line).ok();
        ScenarioError::new(file, line, column, problem)
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut columns = Columns::default();
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut is_first = true;
    loop {
        let more = reader.read_record(&mut record).map_err(|problem| {
            let line = problem.position().map_or(0, csv::Position::line);
            error(line, "", problem.to_string())
        })?;
        if !more {
            break;
        }
        let line = record
            .position()
            .map_or(0, |start| record_line(text, start));
        if std::mem::take(&mut is_first) && record.iter().take(3).all(|v| v.parse::<f64>().is_err())
        {
            columns = Columns::of_header(&record)
                .map_err(|missing| {
                    let header = record.iter().collect::<Vec<_>>().join(",");
                    let problem = format!("not in the header `{header}`; accepted: the columns x, y, z, in any order, more beside them");
                    error(line, missing, problem)
                })?;
            continue;
        }
        let mut position = [0.0; 3];
        for ((value, column), name) in position.iter_mut().zip(columns.xyz).zip(["x", "y", "z"]) {
            let field = record.get(column).unwrap_or_default();
            *value = field
                .parse()
                .ok()
                .filter(|v| devices::is_coordinate(*v))
                .ok_or_else(|| {
                    let problem =
                        format!("found `{field}`; accepted: a number of at most 1e7, metres");
                    error(line, &format!("column {name}"), problem)
                })?;
        }
        let name = columns.name.and_then(|column| record.get(column));
        rows.push(CsvRow {
            position: DVec3::from_array(position),
            name: name.filter(|name| !name.is_empty()).map(Into::into),
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
    }
    if rows.is_empty() {
        let problem = "there is no receiver in it; accepted: one row x,y,z a receiver";
        return Err(ScenarioError::new(file, None, "", problem));
    }
    Ok(rows)
}

/// The line of a record: the reader's own count points before the comments and empty lines that it skipped.
fn record_line(text: &str, start: &csv::Position) -> u64 {
    let rest = usize::try_from(start.byte())
        .ok()
        .and_then(|byte| text.get(byte..));
    let skipped = rest
        .unwrap_or_default()
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with('#'));
    start.line() + skipped.count() as u64
}

/// Which column of a CSV file is which.
struct Columns {
    xyz: [usize; 3],
    name: Option<usize>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            xyz: [0, 1, 2],
            name: None,
        }
    }
}

impl Columns {
    /// The columns of a header, or the name of the one that it lacks.
    fn of_header(header: &csv::StringRecord) -> Result<Self, &'static str> {
        let find = |name: &str| header.iter().position(|v| v.eq_ignore_ascii_case(name));
        Ok(Self {
            xyz: [
                find("x").ok_or("column x")?,
                find("y").ok_or("column y")?,
                find("z").ok_or("column z")?,
            ],
            name: find("name"),
        })
    }
}
