//! The origin of a scene cache, and everything in its files but triangles.

use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::clutter::Volume;
use keller::materials::{
    FlatLosses, ItuMaterial, Layer, Lobe, Material, Medium, Scattering, Texture,
};
use keller::scene::{MeshMaterial, SimplifiedTerrain};
use keller_geo::crs::Georeference;

use super::buildings::{self, PlacedBuilding};
use super::openings::{self, CutOpenings};
use super::{CompiledScene, VERSION, Wanted};
use crate::formats::Warning;
use crate::formats::bytes::{ByteReader, ByteWriter};
use crate::formats::import::{Content, MeshOptions, Unit, Up};

/// The version of keller: a newer one may read files otherwise.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// All of a scene cache but the scene.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) program: String,
    /// The folder in which the program ran, from which relative names lead.
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

/// The largest number of materials nested in each other.
const MAX_NESTING: u32 = 4;

impl Head {
    /// Fails for a name of a file that is no UTF-8.
    pub(super) fn bytes(wanted: &Wanted<'_>, compiled: &CompiledScene) -> Result<Vec<u8>, String> {
        let folder = current_folder();
        let contents = compiled.contents.iter().map(|content| &content.file);
        let warnings = compiled.warnings.iter().map(|warning| &warning.file);
        let files = wanted.files.iter().chain(&compiled.sources);
        let mut files = files.chain(contents).chain(warnings).chain([&folder]);
        if let Some(file) = files.find(|file| file.to_str().is_none()) {
            return Err(format!("the name `{}` is no UTF-8", file.display()));
        }
        let mut out = ByteWriter::default();
        out.whole(VERSION);
        out.text(PROGRAM);
        put_path(&mut out, &folder);
        out.list(wanted.files, put_path);
        put_options(&mut out, wanted.options);
        out.list(wanted.buildings, |out, text| out.text(text));
        out.list(wanted.openings, |out, text| out.text(text));
        out.maybe(wanted.terrain_wedge_deg);
        out.maybe(wanted.terrain_error_m);
        out.list(&compiled.contents, |out, content| {
            put_path(out, &content.file);
            out.option(content.digest.as_ref(), |out, digest| out.raw(digest));
        });
        out.list(&compiled.sources, put_path);
        out.list(&compiled.warnings, |out, warning| {
            put_path(out, &warning.file);
            out.text(&warning.message);
        });
        out.option(compiled.georeference.as_ref(), |out, georeference| {
            out.text(&georeference.crs);
            out.reals(&georeference.origin);
        });
        out.list(&compiled.materials, |out, material| {
            out.text(&material.name);
            out.option(material.definition.as_ref(), put_material);
        });
        out.list(&compiled.volumes, put_volume);
        out.list(&compiled.buildings, buildings::put);
        out.list(&compiled.openings, openings::put);
        out.option(compiled.terrain.as_ref(), |out, terrain| {
            for num in [terrain.num_before, terrain.num_after, terrain.num_left] {
                out.count(num);
            }
        });
        Ok(out.into_bytes())
    }

    /// The head from its bytes, or the other version that it has; `None` if it is invalid.
    pub(super) fn parse(bytes: &[u8]) -> Option<Result<Self, u32>> {
        let mut from = ByteReader::new(bytes);
        // The version says how the rest is to be read.
        let version = from.whole()?;
        if version != VERSION {
            return Some(Err(version));
        }
        let mut head = Self::read(&mut from).filter(|_| from.is_at_end())?;
        head.lead_from_here();
        Some(Ok(head))
    }

    /// The part of the head after the version.
    fn read(from: &mut ByteReader) -> Option<Self> {
        Some(Self {
            program: from.text()?,
            folder: path(from)?,
            files: from.list(path)?,
            options: options(from)?,
            wanted_buildings: from.list(ByteReader::text)?,
            wanted_openings: from.list(ByteReader::text)?,
            terrain_wedge_deg: from.maybe()?,
            terrain_error_m: from.maybe()?,
            contents: from.list(|from| {
                Some(Content {
                    file: path(from)?,
                    digest: from.option(|from| from.take(16)?.try_into().ok())?,
                })
            })?,
            sources: from.list(path)?,
            warnings: from.list(|from| {
                Some(Warning {
                    file: path(from)?,
                    message: from.text()?,
                })
            })?,
            georeference: from.option(|from| {
                Some(Georeference {
                    crs: from.text()?,
                    origin: from.reals()?,
                })
            })?,
            materials: from.list(|from| {
                Some(MeshMaterial {
                    name: from.text()?,
                    definition: from.option(|from| material(from, MAX_NESTING))?,
                })
            })?,
            volumes: from.list(volume)?,
            buildings: from.list(buildings::building)?,
            openings: from.list(openings::openings)?,
            terrain: from.option(|from| {
                Some(SimplifiedTerrain {
                    num_before: from.count()?,
                    num_after: from.count()?,
                    num_left: from.count()?,
                })
            })?,
        })
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

    /// Fails with the reason why the head differs from `wanted`.
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

/// The folder in which the program runs; empty if that is gone.
fn current_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// The one path to which all names of a file lead.
fn place(file: impl AsRef<Path>) -> PathBuf {
    let file = file.as_ref();
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}

fn put_path(out: &mut ByteWriter, path: &impl AsRef<Path>) {
    let name = path.as_ref().to_str();
    out.text(name.expect("names are checked"));
}

fn path(from: &mut ByteReader) -> Option<PathBuf> {
    from.text().map(PathBuf::from)
}

/// Writes mesh options; 0 stands for an absent one.
fn put_options(out: &mut ByteWriter, options: MeshOptions) {
    out.byte(match options.up {
        None => 0,
        Some(Up::Y) => 1,
        Some(Up::Z) => 2,
    });
    let unit = options
        .unit
        .and_then(|unit| Unit::NAMES.iter().find(|(_, other)| *other == unit));
    out.option(unit, |out, (name, _)| out.text(name));
}

fn options(from: &mut ByteReader) -> Option<MeshOptions> {
    let up = match from.byte()? {
        0 => None,
        1 => Some(Up::Y),
        2 => Some(Up::Z),
        _ => return None,
    };
    let unit = from.option(|from| {
        let name = from.text()?;
        let unit = Unit::NAMES.iter().find(|(own, _)| *own == name);
        unit.map(|(_, unit)| *unit)
    })?;
    Some(MeshOptions { up, unit })
}

fn put_volume(out: &mut ByteWriter, volume: &Volume) {
    out.reals(&[volume.attenuation_db_per_m()]);
    out.maybe(volume.max_attenuation_db());
    out.list(volume.vertices(), |out, vertex| {
        out.reals(&vertex.to_array());
    });
    out.list(volume.triangles(), |out, triangle| {
        for vertex in triangle {
            out.whole(*vertex);
        }
    });
}

fn volume(from: &mut ByteReader) -> Option<Volume> {
    let (attenuation, max) = (from.real()?, from.maybe()?);
    let vertices = from.list(|from| from.reals().map(DVec3::from_array))?;
    let triangles = from.list(|from| Some([from.whole()?, from.whole()?, from.whole()?]))?;
    Volume::new(&vertices, &triangles, attenuation, max).ok()
}

fn put_material(out: &mut ByteWriter, material: &Material) {
    match material {
        Material::HalfSpace(medium) => {
            out.byte(0);
            put_medium(out, *medium);
        }
        Material::Slab(layers) => {
            out.byte(1);
            out.list(layers, |out, layer| {
                put_medium(out, layer.medium);
                out.reals(&[layer.thickness]);
            });
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
            out.maybe(losses.transmission_db);
            out.maybe(losses.reflection_db);
            out.reals(&[losses.diffraction_db]);
            put_material(out, wall);
        }
    }
}

/// A material with at most so many levels of nesting.
fn material(from: &mut ByteReader, nesting: u32) -> Option<Material> {
    let inner = nesting.checked_sub(1)?;
    let wall = |from: &mut ByteReader| material(from, inner).map(Box::new);
    let material = match from.byte()? {
        0 => Material::HalfSpace(medium(from)?),
        1 => Material::Slab(from.list(|from| {
            Some(Layer {
                medium: medium(from)?,
                thickness: from.real()?,
            })
        })?),
        2 => {
            let texture = texture(from)?;
            Material::Textured {
                wall: wall(from)?,
                texture,
            }
        }
        3 => Material::DisplacedAirIgnored(wall(from)?),
        4 => {
            let losses = FlatLosses {
                transmission_db: from.maybe()?,
                reflection_db: from.maybe()?,
                diffraction_db: from.real()?,
            };
            Material::Flat {
                wall: wall(from)?,
                losses,
            }
        }
        _ => return None,
    };
    material.check("").ok()?;
    Some(material)
}

fn put_medium(out: &mut ByteWriter, medium: Medium) {
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
            out.reals(&[relative_permittivity, conductivity]);
        }
        Medium::PerfectConductor => out.byte(2),
    }
}

fn medium(from: &mut ByteReader) -> Option<Medium> {
    Some(match from.byte()? {
        0 => Medium::Itu(ItuMaterial::from_name(&from.text()?)?),
        1 => Medium::Constant {
            relative_permittivity: from.real()?,
            conductivity: from.real()?,
        },
        2 => Medium::PerfectConductor,
        _ => return None,
    })
}

fn put_texture(out: &mut ByteWriter, texture: &Texture) {
    out.reals(&[texture.roughness]);
    out.option(texture.scattering.as_ref(), |out, scattering| {
        out.reals(&[scattering.coefficient, scattering.cross_polarization]);
        match scattering.lobe {
            Lobe::Lambertian => out.byte(0),
            Lobe::Directive { forward } => {
                out.byte(1);
                out.whole(forward);
            }
            Lobe::Backscattering {
                forward,
                back,
                forward_share,
            } => {
                out.byte(2);
                out.whole(forward);
                out.whole(back);
                out.reals(&[forward_share]);
            }
        }
    });
}

fn texture(from: &mut ByteReader) -> Option<Texture> {
    Some(Texture {
        roughness: from.real()?,
        scattering: from.option(|from| {
            Some(Scattering {
                coefficient: from.real()?,
                cross_polarization: from.real()?,
                lobe: match from.byte()? {
                    0 => Lobe::Lambertian,
                    1 => Lobe::Directive {
                        forward: from.whole()?,
                    },
                    2 => Lobe::Backscattering {
                        forward: from.whole()?,
                        back: from.whole()?,
                        forward_share: from.real()?,
                    },
                    _ => return None,
                },
            })
        })?,
    })
}
