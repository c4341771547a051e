//! `[calibrate]`: the parameters that measurements may change.

use keller::calibration::{LossKind, MaterialProperty, Prior};
use keller::comparison::OffsetKind;
use keller_geo::shown::shown;

use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// The settings of `[calibrate]`.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrateSettings {
    /// The kind of offset that is added to predictions.
    pub offset: OffsetKind,
    /// Expected standard deviation of errors, dB.
    pub error_db: f64,
    /// The parameters that may change, in the order of the file; the background after materials.
    pub ranges: Vec<CalibrateRange>,
    /// The losses of beams that may change; absent: all that paths have.
    pub losses: Option<Vec<LossKind>>,
}

impl Default for CalibrateSettings {
    /// The settings of an engine whose parameters need no ranges.
    fn default() -> Self {
        Self {
            offset: OffsetKind::None,
            error_db: ERROR_DB,
            ranges: Vec::new(),
            losses: None,
        }
    }
}

/// A number that may change.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrateRange {
    /// The parameter.
    pub what: Changing,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The value at which the search begins; absent: the scenario's own one, else the centre of the range.
    pub start: Option<f64>,
    /// The prior of the value.
    pub prior: Option<Prior>,
    /// The line of the scenario that defines it.
    pub line: usize,
}

/// A parameter that changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Changing {
    /// A property of the material of this name.
    Material(String, MaterialProperty),
    /// The `level_db` of `[background]`.
    BackgroundLevel,
    /// The `exponent` of `[background]`.
    BackgroundExponent,
}

impl CalibrateRange {
    /// The name in errors and results.
    pub fn name(&self) -> String {
        match &self.what {
            Changing::Material(name, property) => format!("{name} {}", property.name()),
            Changing::BackgroundLevel => "background level_db".to_owned(),
            Changing::BackgroundExponent => "background exponent".to_owned(),
        }
    }
}

/// The expected error if none is given, dB.
const ERROR_DB: f64 = 6.0;

/// Reads `[calibrate]`; `has_beams` is whether the scenario's coverage is that of beams.
pub(super) fn read(
    top: &Section<'_>,
    has_beams: bool,
) -> Result<Option<CalibrateSettings>, ScenarioError> {
    let Some(section) = top.section("calibrate")? else {
        return Ok(None);
    };
    let mut ranges = Vec::new();
    for (name, material) in section.named_sections("materials")? {
        for (key, property) in MaterialProperty::NAMES {
            let what = Changing::Material(name.to_owned(), property);
            ranges.extend(range(&material, key, what, limits(property))?);
        }
    }
    if let Some(background) = section.section("background")? {
        for (key, what, limits) in [
            (
                "level_db",
                Changing::BackgroundLevel,
                [f64::NEG_INFINITY, f64::INFINITY],
            ),
            ("exponent", Changing::BackgroundExponent, [0.0, 20.0]),
        ] {
            ranges.extend(range(&background, key, what, limits)?);
        }
    }
    if has_beams && let Some(range) = ranges.first() {
        let key = match range.what {
            Changing::Material(..) => "materials",
            _ => "background",
        };
        let problem =
            "engine = \"beams\" of [coverage] knows none; accepted: losses, offset, error_db";
        return Err(section.problem(key, problem));
    }
    let losses = losses(&section)?;
    if !has_beams && losses.is_some() {
        let problem =
            "they are those of engine = \"beams\" of [coverage], which this scenario does not have";
        return Err(section.problem("losses", problem));
    }
    let offset = section
        .choice("offset", &keys::OFFSET_NAMES)?
        .unwrap_or_default();
    if !has_beams && ranges.is_empty() && offset == OffsetKind::None {
        return Err(section.problem(
            "materials",
            "nothing may change; accepted: [calibrate.materials.NAME] or [calibrate.background] with ranges, or an offset",
        ));
    }
    Ok(Some(CalibrateSettings {
        offset,
        error_db: section.number("error_db")?.unwrap_or(ERROR_DB),
        ranges,
        losses,
    }))
}

/// The losses of beams that may change.
fn losses(section: &Section<'_>) -> Result<Option<Vec<LossKind>>, ScenarioError> {
    let Some(names) = section.texts("losses")? else {
        return Ok(None);
    };
    let mut kinds = Vec::new();
    for name in names {
        let known = LossKind::NAMES.iter().find(|(known, _)| *known == name);
        match known {
            Some((_, kind)) if !kinds.contains(kind) => kinds.push(*kind),
            Some(_) => {
                return Err(section.refuse(
                    "losses",
                    format!("found `{name}` twice", name = shown(name)),
                ));
            }
            None => {
                return Err(section.refuse("losses", format!("found `{name}`", name = shown(name))));
            }
        }
    }
    if kinds.is_empty() {
        return Err(section.refuse("losses", "found none"));
    }
    Ok(Some(kinds))
}

/// The values that a property can have.
fn limits(property: MaterialProperty) -> [f64; 2] {
    match property {
        MaterialProperty::Permittivity => [1.0, 1e6],
        MaterialProperty::Conductivity => [0.0, 1e12],
        MaterialProperty::Thickness => [f64::MIN_POSITIVE, 1e6],
        MaterialProperty::Roughness => [0.0, 1000.0],
        MaterialProperty::Scattering => [0.0, 1.0],
        MaterialProperty::TransmissionLoss
        | MaterialProperty::ReflectionLoss
        | MaterialProperty::DiffractionLoss => [0.0, 200.0],
    }
}

/// The range of a key, if it is there.
fn range(
    section: &Section<'_>,
    key: &str,
    what: Changing,
    [lowest, highest]: [f64; 2],
) -> Result<Option<CalibrateRange>, ScenarioError> {
    let Some(line) = section.line_of(key) else {
        return Ok(None);
    };
    let ([min, max], start, prior) = if section.is_table(key) {
        let table = section.section(key)?.ok_or_else(|| section.missing(key))?;
        let bound = |key: &str| table.number(key)?.ok_or_else(|| table.missing(key));
        let prior = table.vector::<2>("prior")?;
        if let Some([_, deviation]) = prior
            && deviation <= 0.0
        {
            return Err(table.refuse("prior", format!("found a deviation of {deviation}")));
        }
        let prior = prior.map(|[mean, deviation]| Prior { mean, deviation });
        (
            [bound("min")?, bound("max")?],
            table.number("start")?,
            prior,
        )
    } else {
        let bounds = section
            .vector::<2>(key)?
            .ok_or_else(|| section.missing(key))?;
        (bounds, None, None)
    };
    if min >= max {
        return Err(section.problem(
            key,
            format!("found {min} to {max}; accepted: a smaller number, then a larger one"),
        ));
    }
    if min < lowest || max > highest {
        let problem = format!("found {min} to {max}; accepted: {lowest:?} to {highest:?} at most");
        return Err(section.problem(key, problem));
    }
    if let Some(start) = start.filter(|start| !(min..=max).contains(start)) {
        return Err(section.problem(
            key,
            format!("the start {start} does not lie from {min} to {max}"),
        ));
    }
    Ok(Some(CalibrateRange {
        what,
        min,
        max,
        start,
        prior,
        line,
    }))
}
