//! The parameters of a scenario: its ranges, and their present values in its scene.

use keller::calibration::{Background, MaterialProperty, Parameter, Quantity, TracedLinks};
use keller::comparison::OffsetKind;
use keller::materials::{base_name, canonical_name};
use keller::scene::MaterialId;
use keller_io::scenario::{CalibrateRange, CalibrateSettings, Changing};

use crate::observer::Tell;
use crate::{Error, Job};

/// The parameters that calibration may change.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) parameters: Vec<Parameter>,
    /// The quantity of each parameter.
    pub(super) quantities: Vec<Quantity>,
    /// The range of each parameter.
    pub(super) ranges: Vec<CalibrateRange>,
    /// The scenario's own background, or the one that stands for it where only one of its numbers changes.
    pub(super) background: Option<Background>,
}

/// The exponent of a background of which only the level changes.
const EXPONENT: f64 = 2.0;

impl Chosen {
    pub(super) fn new(job: &Job, settings: &CalibrateSettings) -> Result<Self, Error> {
        let mut chosen = Self {
            parameters: Vec::new(),
            quantities: Vec::new(),
            ranges: settings.ranges.clone(),
            background: job.scenario.background,
        };
        for range in &settings.ranges {
            let (quantity, own) = match &range.what {
                Changing::Material(name, property) => {
                    let ids = ids(job, name, range)?;
                    let own = own_value(job, ids[0], *property)?;
                    // A material that cannot have the property is reported at once.
                    for id in &ids {
                        let material = &job.world.materials()[id.index()];
                        property
                            .put(material, range.max, job.world.frequency())
                            .map_err(|error| {
                                Error::Input(format!("{}: {error}", place(job, range)))
                            })?;
                    }
                    (Quantity::Material(ids, *property), own)
                }
                Changing::BackgroundLevel => (
                    Quantity::BackgroundLevel,
                    chosen.background.map(|background| background.level_db),
                ),
                Changing::BackgroundExponent => (
                    Quantity::BackgroundExponent,
                    chosen.background.map(|background| background.exponent),
                ),
            };
            let middle = 0.5 * (range.min + range.max);
            let is_conductivity = matches!(
                quantity,
                Quantity::Material(_, MaterialProperty::Conductivity)
            );
            chosen.parameters.push(Parameter {
                name: range.name(),
                start: range
                    .start
                    .or(own)
                    .unwrap_or(middle)
                    .clamp(range.min, range.max),
                min: range.min,
                max: range.max,
                prior: range.prior,
                is_logarithmic: is_conductivity && range.min > 0.0,
            });
            chosen.quantities.push(quantity);
        }
        let changes = |what| chosen.quantities.contains(&what);
        if changes(Quantity::BackgroundExponent)
            && chosen.background.is_none()
            && !changes(Quantity::BackgroundLevel)
        {
            return Err(Error::Input(format!(
                "{}: [calibrate.background] exponent: there is no level; accepted: `level_db` beside it, or [background]",
                job.scenario.file.display()
            )));
        }
        if changes(Quantity::BackgroundLevel) {
            chosen.background.get_or_insert(Background {
                level_db: f64::NEG_INFINITY,
                exponent: EXPONENT,
            });
        }
        Ok(chosen)
    }

    /// Whether a parameter changes a material.
    pub(super) fn changes_materials(&self, index: usize) -> bool {
        matches!(self.quantities[index], Quantity::Material(..))
    }

    /// Whether there is a background now, or shall be.
    pub(super) fn has_background(&self, job: &Job) -> bool {
        job.scenario.background.is_some() || self.background.is_some()
    }

    /// The largest move of a value, as a share of the distance between its bounds.
    pub(super) fn farthest(&self, from: &[f64], to: &[f64]) -> f64 {
        let both = self.parameters.iter().zip(from.iter().zip(to));
        both.map(|(parameter, (from, to))| (to - from).abs() / (parameter.max - parameter.min))
            .fold(0.0, f64::max)
    }

    /// Leaves out parameters on which no measured link depends, and says so.
    pub(super) fn drop_idle(
        &mut self,
        job: &Job,
        traced: &TracedLinks,
        settings: &CalibrateSettings,
    ) -> Result<(), Error> {
        let had = !self.parameters.is_empty();
        let mut at = 0;
        while at < self.parameters.len() {
            // The diffuse field meets every wall.
            let is_met = traced.num_dependent(&self.quantities[at]) > 0;
            if is_met || job.scenario.diffuse.is_some() || !self.changes_materials(at) {
                at += 1;
                continue;
            }
            let range = self.ranges.remove(at);
            self.parameters.remove(at);
            self.quantities.remove(at);
            job.observer.warn(format!(
                "{}: no path to a measured place meets this material: it stays as it is",
                place(job, &range)
            ));
        }
        if had && self.parameters.is_empty() && settings.offset == OffsetKind::None {
            return Err(Error::Input(format!(
                "{}: nothing that [calibrate] names has a part in the paths to the measured places; accepted: a material that paths meet, a \
                 background, or an offset",
                job.scenario.file.display()
            )));
        }
        Ok(())
    }
}

/// The materials of the scene that a range names.
fn ids(job: &Job, name: &str, range: &CalibrateRange) -> Result<Vec<MaterialId>, Error> {
    let names = job.world.scene().materials();
    let canonical = canonical_name(name);
    let called = |of: fn(&str) -> String| -> Vec<MaterialId> {
        let fitting = names.iter().enumerate().filter(|(_, n)| of(n) == canonical);
        fitting
            .map(|(index, _)| MaterialId::from_index(index))
            .collect()
    };
    let mut ids = called(canonical_name);
    if ids.is_empty() {
        ids = called(base_name);
    }
    if ids.is_empty() {
        return Err(Error::Input(format!(
            "{}: the scene has no material `{name}`; it has {}",
            place(job, range),
            names.join(", ")
        )));
    }
    Ok(ids)
}

/// The present value of a property of a material. If the material states no loss, it is what its layers take at normal
/// incidence.
fn own_value(job: &Job, id: MaterialId, property: MaterialProperty) -> Result<Option<f64>, Error> {
    let material = &job.world.materials()[id.index()];
    if let Some(value) = property.of(material, job.world.frequency())? {
        return Ok(Some(value));
    }
    let surface = job.world.surfaces().surface(id);
    let amplitude = match property {
        MaterialProperty::TransmissionLoss => surface.transmission(1.0, true).te.norm(),
        MaterialProperty::ReflectionLoss => surface.reflection(1.0, true).te.norm(),
        _ => return Ok(None),
    };
    Ok((amplitude > 0.0).then(|| -20.0 * amplitude.log10()))
}

/// The place in the scenario that names a range.
fn place(job: &Job, range: &CalibrateRange) -> String {
    let key = match &range.what {
        Changing::Material(name, property) => {
            format!("[calibrate.materials.{name}] {}", property.name())
        }
        Changing::BackgroundLevel => "[calibrate.background] level_db".to_owned(),
        Changing::BackgroundExponent => "[calibrate.background] exponent".to_owned(),
    };
    format!("{}:{}: {key}", job.scenario.file.display(), range.line)
}
