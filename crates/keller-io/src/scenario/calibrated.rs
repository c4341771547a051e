//! The text of a scenario with calibrated numbers in it. Comments, order and everything else stay as they are.

use keller::calibration::{Background, LossKind, MaterialProperty};
use keller::coverage::beams::Losses;
use keller::materials::{Lobe, Material, Medium, canonical_name};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::Scenario;
use super::error::ScenarioError;
use crate::formats::Warning;

/// The changes that a calibration makes to a scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CalibratedScenario {
    /// Lines for the top of the file, without `#`.
    pub comments: Vec<String>,
    /// Materials that have other numbers.
    pub materials: Vec<CalibratedMaterial>,
    /// The background, if it was calibrated.
    pub background: Option<Background>,
    /// The losses of beams, and which of them were calibrated.
    pub losses: Option<(Losses, Vec<LossKind>)>,
    /// The offsets that are added to the path gains of each Tx, dB.
    pub offsets_db: Vec<f64>,
}

/// A material with calibrated numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratedMaterial {
    /// Its name in the scenario, in the spelling of any file.
    pub name: String,
    /// The calibrated properties.
    pub properties: Vec<MaterialProperty>,
    /// The calibrated definition.
    pub material: Material,
}

impl CalibratedScenario {
    /// The text of `scenario` with the changes, and warnings of changes that it cannot express.
    ///
    /// # Errors
    /// [`ScenarioError`] if the result is no scenario, such as with an offset beyond 100 dB.
    pub fn text(&self, scenario: &Scenario) -> Result<(String, Vec<Warning>), ScenarioError> {
        let fail = |problem: String| ScenarioError::new(&scenario.file, None, "", problem);
        let mut document: DocumentMut = scenario
            .text
            .parse()
            .map_err(|error: toml_edit::TomlError| fail(error.to_string()))?;
        for material in &self.materials {
            material.put(&mut document);
        }
        if let Some(background) = self.background {
            let table = table_of(document.as_table_mut(), "background");
            set(table, "level_db", background.level_db.into());
            set(table, "exponent", background.exponent.into());
            table.remove("enabled");
        }
        if let Some((losses, kinds)) = &self.losses {
            let table = table_of(document.as_table_mut(), "beams");
            for kind in kinds {
                let numbers: &[f64] = match kind {
                    LossKind::StreetBend => &losses.street_bend,
                    LossKind::RoofBend => &losses.roof_bend,
                    LossKind::Wall => &losses.wall,
                };
                let numbers = numbers.iter().map(|number| rounded_up(*number));
                set(table, kind.name(), numbers.collect::<Array>().into());
            }
        }
        let warnings = self.put_offsets(&mut document, scenario);
        let comments = self.comments.iter().map(|line| format!("# {line}\n"));
        let text = comments
            .chain([document.to_string()])
            .collect::<Vec<_>>()
            .concat();
        // The written text is read again at once: nobody should find out later.
        Scenario::parse_as(
            &text,
            &scenario.file,
            super::Needs {
                rx: false,
                ..super::Needs::default()
            },
        )?;
        Ok((text, warnings))
    }

    /// Adds the offsets to `[[tx]] offset_db`. A `[[tx]]` of a file has one for all of its rows.
    fn put_offsets(&self, document: &mut DocumentMut, scenario: &Scenario) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.offsets_db.iter().all(|offset| *offset == 0.0) {
            return warnings;
        }
        let mut all = scenario.tx.iter().zip(&self.offsets_db).peekable();
        let folder = scenario.file.parent().unwrap_or("".as_ref());
        for table in document.get_mut("tx").map(tables_of).unwrap_or_default() {
            let file = table.get("file").and_then(Item::as_str);
            let file = file.map_or_else(|| scenario.file.clone(), |name| folder.join(name));
            let mut offsets = Vec::new();
            let is_of_file = file != scenario.file;
            while let Some((_, offset)) = all.next_if(|(tx, _)| tx.file == file) {
                offsets.push(*offset);
                if !is_of_file {
                    break;
                }
            }
            let Some(first) = offsets.first().copied() else {
                continue;
            };
            if offsets.iter().any(|offset| *offset != first) {
                warnings.push(Warning {
                    file: file.clone(),
                    message: "its Tx have offsets of their own, which one [[tx]] cannot say: they are left out; accepted: one [[tx]] for each of \
                              them, or offset = \"one\" in [calibrate]"
                        .to_owned(),
                });
                continue;
            }
            if first != 0.0 {
                let own = table.get("offset_db");
                #[expect(clippy::cast_precision_loss, reason = "at most 100")]
                let own =
                    own.and_then(|item| item.as_float().or(item.as_integer().map(|v| v as f64)));
                set(
                    table,
                    "offset_db",
                    rounded(own.unwrap_or(0.0) + first).into(),
                );
            }
        }
        warnings
    }
}

impl CalibratedMaterial {
    fn put(&self, document: &mut DocumentMut) {
        let materials = table_of(document.as_table_mut(), "materials");
        let own = canonical_name(&self.name);
        let known = materials
            .iter()
            .find(|(name, _)| canonical_name(name) == own);
        let known = known.map(|(name, _)| name.to_owned());
        let is_new = known.is_none();
        let name = known.unwrap_or_else(|| self.name.clone());
        let table = table_of(materials, &name);
        let changes = |of: &[MaterialProperty]| of.iter().any(|one| self.properties.contains(one));
        let wall = changes(&[
            MaterialProperty::Permittivity,
            MaterialProperty::Conductivity,
            MaterialProperty::Thickness,
        ]);
        if is_new || wall {
            put_wall(table, self.material.wall());
        }
        let texture = self.material.texture();
        if (is_new && texture.roughness > 0.0) || changes(&[MaterialProperty::Roughness]) {
            set(table, "roughness", texture.roughness.into());
        }
        if (is_new && texture.scattering.is_some()) || changes(&[MaterialProperty::Scattering]) {
            let scattering = texture.scattering;
            set(
                table,
                "scattering",
                scattering.map_or(0.0, |s| s.coefficient).into(),
            );
            if is_new {
                put_lobe(table, &self.material);
            }
        }
        let losses = self.material.flat_losses();
        let is_flat = [
            MaterialProperty::TransmissionLoss,
            MaterialProperty::ReflectionLoss,
            MaterialProperty::DiffractionLoss,
        ];
        if is_new || changes(&is_flat) {
            for (key, loss) in [
                ("transmission_loss_db", losses.transmission_db),
                ("reflection_loss_db", losses.reflection_db),
                ("diffraction_loss_db", Some(losses.diffraction_db)),
            ] {
                let is_there = table.contains_key(key);
                if let Some(loss) =
                    loss.filter(|loss| is_there || *loss != 0.0 || key != "diffraction_loss_db")
                {
                    set(table, key, loss.into());
                }
            }
        }
    }
}

/// Writes the definition of a wall in place of the table's own one.
fn put_wall(table: &mut dyn TableLike, wall: &Material) {
    match wall {
        Material::HalfSpace(medium) => {
            table.remove("layers");
            table.remove("thickness");
            put_medium(table, *medium);
        }
        Material::Slab(layers) if layers.len() == 1 => {
            table.remove("layers");
            put_medium(table, layers[0].medium);
            set(table, "thickness", layers[0].thickness.into());
        }
        Material::Slab(layers) => {
            let mut array = Array::new();
            for layer in layers {
                let mut one = InlineTable::new();
                put_medium(&mut one, layer.medium);
                one.insert("thickness", layer.thickness.into());
                array.push(one);
            }
            set(table, "layers", array.into());
        }
        // A wall has layers only.
        Material::Textured { .. } | Material::DisplacedAirIgnored(_) | Material::Flat { .. } => {}
    }
}

fn put_medium(table: &mut dyn TableLike, medium: Medium) {
    let mut keep = |kept: &[&str]| {
        for key in ["itu", "pec", "permittivity", "conductivity"] {
            if !kept.contains(&key) {
                table.remove(key);
            }
        }
    };
    match medium {
        Medium::Itu(itu) => {
            keep(&["itu"]);
            set(table, "itu", itu.name().into());
        }
        Medium::PerfectConductor => {
            keep(&["pec"]);
            set(table, "pec", true.into());
        }
        Medium::Constant {
            relative_permittivity,
            conductivity,
        } => {
            keep(&["permittivity", "conductivity"]);
            set(table, "permittivity", relative_permittivity.into());
            set(table, "conductivity", conductivity.into());
        }
    }
}

/// Writes the scattering of a new material.
fn put_lobe(table: &mut dyn TableLike, material: &Material) {
    let Some(scattering) = material.texture().scattering else {
        return;
    };
    set(
        table,
        "cross_polarization",
        scattering.cross_polarization.into(),
    );
    match scattering.lobe {
        Lobe::Lambertian => {}
        Lobe::Directive { forward } => {
            set(table, "scattering_pattern", "directive".into());
            set(table, "scattering_alpha", i64::from(forward).into());
        }
        Lobe::Backscattering {
            forward,
            back,
            forward_share,
        } => {
            set(table, "scattering_pattern", "backscattering".into());
            set(table, "scattering_alpha", i64::from(forward).into());
            set(table, "scattering_alpha_back", i64::from(back).into());
            set(table, "scattering_forward_share", forward_share.into());
        }
    }
}

/// Puts a value, and keeps the comment next to the one before it.
fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
    if let Some(before) = table.get_mut(key).and_then(Item::as_value_mut) {
        *value.decor_mut() = before.decor().clone();
        *before = value;
    } else {
        table.insert(key, Item::Value(value));
    }
}

/// The table of this name, a new one if there is none.
fn table_of<'a>(parent: &'a mut dyn TableLike, name: &str) -> &'a mut dyn TableLike {
    if !parent.contains_key(name) {
        let mut table = Table::new();
        // A table that only holds tables needs no line of its own.
        table.set_implicit(true);
        parent.insert(name, Item::Table(table));
    }
    let item = parent.get_mut(name).expect("it was put there");
    item.as_table_like_mut()
        .expect("the scenario was read with a table here")
}

/// The tables of `[[tx]]`, however they are written.
fn tables_of(item: &mut Item) -> Vec<&mut dyn TableLike> {
    match item {
        Item::ArrayOfTables(tables) => tables
            .iter_mut()
            .map(|table| table as &mut dyn TableLike)
            .collect(),
        Item::Value(Value::Array(array)) => array
            .iter_mut()
            .filter_map(|value| value.as_inline_table_mut())
            .map(|table| table as &mut dyn TableLike)
            .collect(),
        _ => Vec::new(),
    }
}

/// A number rounded up to ten thousandths of a dB. Losses that may just not fall anywhere must not fall by rounding.
fn rounded_up(db: f64) -> f64 {
    (10_000.0 * db).ceil() / 10_000.0 + 0.0
}

/// A number rounded to thousandths of a dB.
fn rounded(db: f64) -> f64 {
    (1000.0 * db).round() / 1000.0
}
