//! What a kept scene was made of, and what its files told beside triangles.

use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::clutter::Volume;
use keller::materials::{
    FlatLosses, ItuMaterial, Layer, Lobe, Material, Medium, Scattering, Texture,
};
use keller::scene::{MeshMaterial, SimplifiedTerrain};
use keller_geo::crs::Georeference;

use super::buildings::{self, PlacedBuilding};
use super::bytes::{In, Out};
use super::openings::{self, CutOpenings};
use super::{Prepared, Wanted};
use crate::formats::Warning;
use crate::formats::import::{Content, MeshOptions, Unit, Up};

/// Of keller: a newer one may read files otherwise.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// All of a kept scene but the scene.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) program: String,
    /// From where relative names lead: the folder in which the program ran.
    folder: PathBuf,
    pub(super) files: Vec<PathBuf>,
    pub(super) options: MeshOptions,
    /// See [`Wanted::buildings`].
    pub(super) wanted_buildings: Vec<String>,
    /// See [`Wanted::openings`].
    pub(super) wanted_openings: Vec<String>,
    /// See [`Wanted::terrain_wedge_deg`].
    pub(super) terrain_wedge_deg: Option<f64>,
    /// See [`Wanted::terrain_error_m`].
    pub(super) terrain_error_m: Option<f64>,
    pub(super) contents: Vec<Content>,
    pub(super) sources: Vec<PathBuf>,
    pub(super) warnings: Vec<Warning>,
    pub(super) georeference: Option<Georeference>,
    pub(super) materials: Vec<MeshMaterial>,
    pub(super) volumes: Vec<Volume>,
    pub(super) buildings: Vec<PlacedBuilding>,
    pub(super) openings: Vec<CutOpenings>,
    pub(super) terrain: Option<SimplifiedTerrain>,
}

/// Walls within walls that a material may be said to be.
const MAX_NESTING: u32 = 4;

impl Head {
    pub(super) fn bytes(wanted: &Wanted<'_>, prepared: &Prepared) -> Result<Vec<u8>, String> {
        let mut out = Out::default();
        out.text(PROGRAM);
        out.path(&current_folder())?;
        out.count(wanted.files.len());
        for file in wanted.files {
            out.path(file)?;
        }
        put_options(&mut out, wanted.options);
        out.count(wanted.buildings.len());
        wanted.buildings.iter().for_each(|text| out.text(text));
        out.count(wanted.openings.len());
        wanted.openings.iter().for_each(|text| out.text(text));
        put_setting(&mut out, wanted.terrain_wedge_deg);
        put_setting(&mut out, wanted.terrain_error_m);
        out.count(prepared.contents.len());
        for content in &prepared.contents {
            out.path(&content.file)?;
            out.byte(content.digest.is_some().into());
            out.0.extend(content.digest.unwrap_or_default());
        }
        out.count(prepared.sources.len());
        for file in &prepared.sources {
            out.path(file)?;
        }
        out.count(prepared.warnings.len());
        for warning in &prepared.warnings {
            out.path(&warning.file)?;
            out.text(&warning.message);
        }
        out.byte(prepared.georeference.is_some().into());
        if let Some(georeference) = &prepared.georeference {
            out.text(&georeference.crs);
            georeference
                .origin
                .into_iter()
                .for_each(|value| out.number(value));
        }
        out.count(prepared.materials.len());
        for material in &prepared.materials {
            out.text(&material.name);
            out.byte(material.definition.is_some().into());
            if let Some(definition) = &material.definition {
                put_material(&mut out, definition);
            }
        }
        out.count(prepared.volumes.len());
        for volume in &prepared.volumes {
            put_volume(&mut out, volume);
        }
        out.count(prepared.buildings.len());
        for building in &prepared.buildings {
            buildings::put(&mut out, building);
        }
        out.count(prepared.openings.len());
        for cut in &prepared.openings {
            openings::put(&mut out, cut);
        }
        out.byte(prepared.terrain.is_some().into());
        let terrain = prepared.terrain.unwrap_or_default();
        for num in [terrain.num_before, terrain.num_after, terrain.num_left] {
            out.count(num);
        }
        Ok(out.0)
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut from = In::new(bytes);
        let mut head = Self {
            program: from.text()?,
            folder: from.path()?,
            files: from.list(8, In::path)?,
            options: options(&mut from)?,
            wanted_buildings: from.list(8, In::text)?,
            wanted_openings: from.list(8, In::text)?,
            terrain_wedge_deg: setting(&mut from)?,
            terrain_error_m: setting(&mut from)?,
            contents: from.list(25, |from| {
                let file = from.path()?;
                let is_there = from.byte()? != 0;
                let digest = from.take(16)?.try_into().expect("sixteen bytes");
                Ok(Content {
                    file,
                    digest: is_there.then_some(digest),
                })
            })?,
            sources: from.list(8, In::path)?,
            warnings: from.list(16, |from| {
                Ok(Warning {
                    file: from.path()?,
                    message: from.text()?,
                })
            })?,
            georeference: match from.byte()? {
                0 => None,
                _ => Some(Georeference {
                    crs: from.text()?,
                    origin: [from.number()?, from.number()?, from.number()?],
                }),
            },
            materials: from.list(9, |from| {
                Ok(MeshMaterial {
                    name: from.text()?,
                    definition: match from.byte()? {
                        0 => None,
                        _ => Some(material(from, MAX_NESTING)?),
                    },
                })
            })?,
            volumes: from.list(33, volume)?,
            buildings: from.list(104, buildings::building)?,
            openings: from.list(49, openings::openings)?,
            terrain: terrain(&mut from)?,
        };
        if !from.is_at_end() {
            return Err("its head is too long".to_owned());
        }
        head.lead_from_here();
        Ok(head)
    }

    /// Makes names that are relative to another folder absolute.
    fn lead_from_here(&mut self) {
        if self.folder == current_folder() {
            return;
        }
        let contents = self.contents.iter_mut().map(|content| &mut content.file);
        let warnings = self.warnings.iter_mut().map(|warning| &mut warning.file);
        let files = self.files.iter_mut().chain(&mut self.sources);
        for file in files.chain(contents).chain(warnings) {
            *file = self.folder.join(&file);
        }
    }

    /// Why it is not of what is wanted.
    pub(super) fn check(&self, wanted: &Wanted<'_>) -> Result<(), String> {
        if self.program != PROGRAM {
            return Err(format!("keller {} has made it", self.program));
        }
        if !self
            .files
            .iter()
            .map(place)
            .eq(wanted.files.iter().map(place))
        {
            return Err("it is of other scene files".to_owned());
        }
        if self.options != wanted.options {
            return Err("`up` or `unit` has changed".to_owned());
        }
        if self.wanted_buildings != wanted.buildings {
            return Err("`[[building]]` has changed".to_owned());
        }
        if self.wanted_openings != wanted.openings {
            return Err("`[[opening]]` has changed".to_owned());
        }
        if self.terrain_wedge_deg != wanted.terrain_wedge_deg {
            return Err("`terrain_wedge_deg` has changed".to_owned());
        }
        if self.terrain_error_m != wanted.terrain_error_m {
            return Err("`terrain_error_m` has changed".to_owned());
        }
        let changed = self.contents.iter().find(|content| !content.is_as_it_was());
        match changed {
            Some(content) => Err(format!("`{}` has changed", content.file.display())),
            None => Ok(()),
        }
    }
}

/// Where the program runs; empty if that is gone.
fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// A name that all names of a file lead to.
fn place(file: impl AsRef<Path>) -> PathBuf {
    let file = file.as_ref();
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

fn put_setting(out: &mut Out, setting: Option<f64>) {
    out.byte(setting.is_some().into());
    out.number(setting.unwrap_or_default());
}

/// What became of terrain, if it was simplified.
fn terrain(from: &mut In<'_>) -> Result<Option<SimplifiedTerrain>, String> {
    let is_some = from.byte()? != 0;
    let mut num = || {
        let num = from.long()?;
        usize::try_from(num).map_err(|_| "terrain has too many triangles".to_owned())
    };
    let terrain = SimplifiedTerrain {
        num_before: num()?,
        num_after: num()?,
        num_left: num()?,
    };
    Ok(Some(terrain).filter(|_| is_some))
}

/// A number that may be absent.
fn setting(from: &mut In<'_>) -> Result<Option<f64>, String> {
    let is_some = from.byte()? != 0;
    Ok(Some(from.number()?).filter(|_| is_some))
}

/// 0 for what is not said.
fn put_options(out: &mut Out, options: MeshOptions) {
    out.byte(match options.up {
        None => 0,
        Some(Up::Y) => 1,
        Some(Up::Z) => 2,
    });
    let unit = options
        .unit
        .and_then(|unit| Unit::NAMES.iter().find(|(_, other)| *other == unit));
    out.text(unit.map_or("", |(name, _)| name));
}

fn options(from: &mut In<'_>) -> Result<MeshOptions, String> {
    let up = match from.byte()? {
        0 => None,
        1 => Some(Up::Y),
        2 => Some(Up::Z),
        _ => return Err("an axis is none".to_owned()),
    };
    let name = from.text()?;
    let unit = Unit::NAMES.iter().find(|(own, _)| *own == name);
    if unit.is_none() && !name.is_empty() {
        return Err("a unit is none".to_owned());
    }
    Ok(MeshOptions {
        up,
        unit: unit.map(|(_, unit)| *unit),
    })
}

fn put_volume(out: &mut Out, volume: &Volume) {
    out.number(volume.attenuation_db_per_m());
    out.byte(volume.max_attenuation_db().is_some().into());
    out.number(volume.max_attenuation_db().unwrap_or_default());
    out.count(volume.vertices().len());
    for vertex in volume.vertices() {
        let numbers = vertex.to_array().into_iter();
        numbers.for_each(|value| out.number(value));
    }
    out.count(volume.triangles().len());
    for triangle in volume.triangles() {
        let indices = triangle.iter();
        indices.for_each(|&vertex| out.long(vertex.into()));
    }
}

fn volume(from: &mut In<'_>) -> Result<Volume, String> {
    let attenuation = from.number()?;
    let has_max = from.byte()? != 0;
    let max = Some(from.number()?).filter(|_| has_max);
    let vertices = from.list(24, |from| {
        Ok(DVec3::new(from.number()?, from.number()?, from.number()?))
    })?;
    let index = |from: &mut In<'_>| {
        u32::try_from(from.long()?).map_err(|_| "a vertex of a volume is none".to_owned())
    };
    let triangles = from.list(24, |from| Ok([index(from)?, index(from)?, index(from)?]))?;
    Volume::new(&vertices, &triangles, attenuation, max).map_err(|error| error.to_string())
}

fn put_material(out: &mut Out, material: &Material) {
    match material {
        Material::HalfSpace(medium) => {
            out.byte(0);
            put_medium(out, *medium);
        }
        Material::Slab(layers) => {
            out.byte(1);
            out.count(layers.len());
            for layer in layers {
                put_medium(out, layer.medium);
                out.number(layer.thickness);
            }
        }
        Material::Textured { wall, texture } => {
            out.byte(2);
            put_texture(out, texture);
            put_material(out, wall);
        }
        Material::DisplacedAirIgnored(wall) => {
            out.byte(3);
            put_material(out, wall);
        }
        Material::Flat { wall, losses } => {
            out.byte(4);
            for loss in [losses.transmission_db, losses.reflection_db] {
                out.byte(loss.is_some().into());
                out.number(loss.unwrap_or(0.0));
            }
            out.number(losses.diffraction_db);
            put_material(out, wall);
        }
    }
}

fn material(from: &mut In<'_>, nesting: u32) -> Result<Material, String> {
    let Some(inner) = nesting.checked_sub(1) else {
        return Err("a material has too many walls".to_owned());
    };
    let material = match from.byte()? {
        0 => Material::HalfSpace(medium(from)?),
        1 => Material::Slab(from.list(9, |from| {
            Ok(Layer {
                medium: medium(from)?,
                thickness: from.number()?,
            })
        })?),
        2 => {
            let texture = texture(from)?;
            let wall = Box::new(self::material(from, inner)?);
            Material::Textured { wall, texture }
        }
        3 => Material::DisplacedAirIgnored(Box::new(self::material(from, inner)?)),
        4 => {
            let loss = |from: &mut In<'_>| -> Result<_, String> {
                let is_flat = from.byte()? != 0;
                Ok(Some(from.number()?).filter(|_| is_flat))
            };
            let losses = FlatLosses {
                transmission_db: loss(from)?,
                reflection_db: loss(from)?,
                diffraction_db: from.number()?,
            };
            let wall = Box::new(self::material(from, inner)?);
            Material::Flat { wall, losses }
        }
        _ => return Err("a material is none".to_owned()),
    };
    material.check("").map_err(|error| error.to_string())?;
    Ok(material)
}

fn put_medium(out: &mut Out, medium: Medium) {
    match medium {
        Medium::Itu(material) => {
            out.byte(0);
            out.text(material.name());
        }
        Medium::Constant {
            relative_permittivity,
            conductivity,
        } => {
            out.byte(1);
            out.number(relative_permittivity);
            out.number(conductivity);
        }
        Medium::PerfectConductor => out.byte(2),
    }
}

fn medium(from: &mut In<'_>) -> Result<Medium, String> {
    match from.byte()? {
        0 => {
            let material = ItuMaterial::from_name(&from.text()?);
            let material = material.ok_or_else(|| "a material is none of ITU-R P.2040".to_owned());
            Ok(Medium::Itu(material?))
        }
        1 => Ok(Medium::Constant {
            relative_permittivity: from.number()?,
            conductivity: from.number()?,
        }),
        2 => Ok(Medium::PerfectConductor),
        _ => Err("a medium is none".to_owned()),
    }
}

fn put_texture(out: &mut Out, texture: &Texture) {
    out.number(texture.roughness);
    out.byte(texture.scattering.is_some().into());
    let Some(scattering) = texture.scattering else {
        return;
    };
    out.number(scattering.coefficient);
    out.number(scattering.cross_polarization);
    match scattering.lobe {
        Lobe::Lambertian => out.byte(0),
        Lobe::Directive { forward } => {
            out.byte(1);
            out.long(forward.into());
        }
        Lobe::Backscattering {
            forward,
            back,
            forward_share,
        } => {
            out.byte(2);
            out.long(forward.into());
            out.long(back.into());
            out.number(forward_share);
        }
    }
}

fn texture(from: &mut In<'_>) -> Result<Texture, String> {
    let exponent = |from: &mut In<'_>| {
        u32::try_from(from.long()?).map_err(|_| "a lobe is too narrow".to_owned())
    };
    Ok(Texture {
        roughness: from.number()?,
        scattering: match from.byte()? {
            0 => None,
            _ => Some(Scattering {
                coefficient: from.number()?,
                cross_polarization: from.number()?,
                lobe: match from.byte()? {
                    0 => Lobe::Lambertian,
                    1 => Lobe::Directive {
                        forward: exponent(from)?,
                    },
                    2 => Lobe::Backscattering {
                        forward: exponent(from)?,
                        back: exponent(from)?,
                        forward_share: from.number()?,
                    },
                    _ => return Err("a lobe is none".to_owned()),
                },
            }),
        },
    })
}
