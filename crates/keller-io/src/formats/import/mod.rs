//! Step 1 of a ray's life: a scene file becomes triangles with material names.
//!
//! There is one file for each format. Each has a `parse` that takes bytes, so that it can be tested and fuzzed without
//! a disk; it asks for the other files that a format refers to (meshes, included files, buffers) through [`ReadFile`].
//!
//! Everything comes out in metres with z up, as far as files, their shape or the user say (`axes.rs`). Vertices keep
//! the coordinates of the file: the scene welds them and drops triangles of no area. Import checks everything whose
//! place in the file no later step could name: coordinates that are not finite, indices without a vertex, files that
//! end too early. No memory is taken on the word of a header: counts are compared with the bytes that follow.

mod axes;
pub mod gltf;
pub mod mitsuba;
pub mod obj;
pub mod ply;
mod soup;
pub mod stl;
mod text;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use glam::DVec3;
use keller::clutter::Volume;
use keller::materials::ItuMaterial;
use keller::scene::Mesh;
use keller_geo::crs::Georeference;
use keller_geo::shown::{has_control, not_a_name, shown};
use twox_hash::XxHash3_128;

use crate::formats::{ImportError, Place};
use axes::Stated;
pub use axes::{MeshOptions, Unit, Up};

/// The material of surfaces for which the file names none.
pub const DEFAULT_MATERIAL: &str = "default";

/// The contents of a scene file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The triangles: x east, y north, z up, metres.
    pub mesh: Mesh,
    /// Its parts by name, in the order of the triangles. A file may have none, or parts without a name.
    pub objects: Vec<Object>,
    /// Vegetation and other clutter, which waves cross with loss.
    pub volumes: Vec<Volume>,
    /// The parts that were left out or look wrong, in the order of the file.
    pub warnings: Vec<Warning>,
    /// The place of the coordinates on earth, if the file states it.
    pub georeference: Option<Georeference>,
    /// The files that all of this was read from: the requested ones, and those that they refer to.
    pub sources: Vec<PathBuf>,
    /// The contents of these files, and the files that could not be read: if all are as they were, the result is too.
    pub contents: Vec<Content>,
}

/// The contents of a file when it was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content {
    /// The file.
    pub file: PathBuf,
    /// XXH3 of its bytes, 128 bits; `None` if it could not be read.
    pub digest: Option<[u8; 16]>,
}

impl Content {
    fn new(file: &Path, bytes: Option<&[u8]>) -> Self {
        Self {
            file: file.to_owned(),
            digest: bytes.map(|bytes| XxHash3_128::oneshot(bytes).to_le_bytes()),
        }
    }

    /// Whether the file is still the same.
    pub fn is_as_it_was(&self) -> bool {
        let bytes = keller_geo::input::read(&self.file).ok();
        Self::new(&self.file, bytes.as_deref()) == *self
    }
}

/// A part of a mesh with a name of its own, such as a building.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The name, as other programs show it.
    pub name: String,
    /// Its triangles.
    pub triangles: Range<usize>,
}

/// Something in a scene file that was left out or looks wrong, but does not keep it from being used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub file: PathBuf,
    /// The thing in the file, and its treatment.
    pub message: String,
}

/// Gives the bytes of a file that a scene refers to.
pub type ReadFile<'a> = dyn Fn(&Path) -> io::Result<Vec<u8>> + Sync + 'a;

/// The triangles and material names of the scene file at `path`; the format goes by the extension.
///
/// Accepted are Mitsuba XML as Sionna RT writes it (`.xml`), PLY, OBJ, STL, and glTF 2.0 (`.gltf`, `.glb`), which is
/// turned from y up to z up. PLY, OBJ and STL are turned if a comment or their shape says plainly that y is up, with
/// a warning.
///
/// # Errors
/// [`ImportError`], which names the file and the place in it.
///
/// # Example
/// ```
/// # let folder = std::env::temp_dir();
/// let path = folder.join("keller_import_doc.obj");
/// std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl itu_concrete\nf 1 2 3 4\n")?;
/// let scene = keller_io::formats::import(&path)?;
/// assert_eq!(scene.mesh.triangles.len(), 2);
/// assert_eq!(scene.mesh.materials[0].name, "itu_concrete");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn import(path: &Path) -> Result<Imported, ImportError> {
    let mut files = import_each(&[path.to_owned()], MeshOptions::default())?;
    let (_, imported) = files.remove(0);
    Ok(imported)
}

/// Imports each of `paths` by itself; but the upward axis is decided for all of them together if no file states it.
///
/// # Errors
/// The first file's [`ImportError`].
pub fn import_each(
    paths: &[PathBuf],
    options: MeshOptions,
) -> Result<Vec<(PathBuf, Imported)>, ImportError> {
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let (imported, stated) = read(path)?;
        files.push((path.clone(), imported, stated));
    }
    axes::settle(&mut files, options);
    let files = files.into_iter();
    Ok(files.map(|(file, imported, _)| (file, imported)).collect())
}

/// The contents of a file as they stand, and the file's statements about its axes.
fn read(path: &Path) -> Result<(Imported, Stated), ImportError> {
    let parse = format_of(path)?;
    let bytes = keller_geo::input::read(path).map_err(|source| ImportError::Read {
        file: path.to_owned(),
        named_by: None,
        source,
    })?;
    let sources = Mutex::new(vec![path.to_owned()]);
    let contents = Mutex::new(vec![Content::new(path, Some(&bytes))]);
    let mut imported = parse(&bytes, path, &|file: &Path| {
        let bytes = keller_geo::input::read(file);
        let content = Content::new(file, bytes.as_deref().ok());
        let mut contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
        contents.push(content);
        drop(contents);
        let bytes = bytes?;
        // A list of names is whole even if another thread panicked.
        let mut sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.push(file.to_owned());
        Ok(bytes)
    })?;
    check_names(&imported, path)?;
    imported.sources = sources.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Meshes are read in parallel.
    imported.sources[1..].sort();
    imported.sources.dedup();
    imported.contents = contents
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    imported.contents.sort();
    imported.contents.dedup();
    let stated = match extension_of(path).as_str() {
        "obj" | "ply" => axes::stated(&bytes),
        "stl" => Stated::default(),
        _ => Stated {
            is_upright: true,
            ..Stated::default()
        },
    };
    if imported.mesh.triangles.is_empty() && imported.volumes.is_empty() {
        return Err(ImportError::NoTriangles {
            file: path.to_owned(),
        });
    }
    Ok((imported, stated))
}

/// Refuses names of materials and objects with control characters, which would break lines of tables and steer
/// terminals.
fn check_names(imported: &Imported, file: &Path) -> Result<(), ImportError> {
    let materials = imported.mesh.materials.iter();
    let materials = materials.map(|material| ("material", &material.name));
    let objects = imported.objects.iter().map(|o| ("object", &o.name));
    let mut names = materials.chain(objects);
    match names.find(|(_, name)| has_control(name)) {
        None => Ok(()),
        Some((what, name)) => Err(ImportError::malformed(
            file,
            Place::File,
            format!("it has the {what} {}", not_a_name(name)),
        )),
    }
}

/// Imports all of `paths` into one mesh, in their order; materials of one name become one.
///
/// If two files define one name differently, the first keeps it and a warning says so. Files of one coordinate
/// reference system but other origins are moved to the first's; files that do not state their place are taken to be in
/// its local metres.
///
/// # Errors
/// The first file's [`ImportError`].
pub fn import_many(paths: &[PathBuf]) -> Result<Imported, ImportError> {
    import_many_with(paths, MeshOptions::default())
}

/// Imports as [`import_many`] does, with the user's statements about meshes.
///
/// # Errors
/// The first file's [`ImportError`].
pub fn import_many_with(paths: &[PathBuf], options: MeshOptions) -> Result<Imported, ImportError> {
    let mut all = Imported::default();
    for (file, imported) in import_each(paths, options)? {
        all.append(imported, &file)?;
    }
    Ok(all)
}

impl Imported {
    /// Adds all of `other`, which came from `file`, as [`import_many`] does.
    ///
    /// # Errors
    /// [`ImportError::TooLarge`]; [`ImportError::Malformed`] for a file in another coordinate reference system.
    pub fn append(&mut self, mut other: Self, file: &Path) -> Result<(), ImportError> {
        let count = self.mesh.vertices.len() + other.mesh.vertices.len();
        if u32::try_from(count).is_err() {
            return Err(ImportError::TooLarge {
                file: file.to_owned(),
            });
        }
        self.settle_place(&mut other, file)?;
        self.warnings.extend(other.warnings);
        self.volumes.append(&mut other.volumes);
        self.sources.append(&mut other.sources);
        self.contents.append(&mut other.contents);
        for material in &other.mesh.materials {
            let ours = self
                .mesh
                .materials
                .iter()
                .find(|ours| ours.name == material.name);
            let differs = ours.is_some_and(|ours| {
                ours.definition.is_some()
                    && material.definition.is_some()
                    && ours.definition != material.definition
            });
            if differs {
                self.warnings.push(Warning::new(
                    file,
                    format!(
                        "material `{}` was defined differently before; the earlier definition is used",
                        shown(&material.name)
                    ),
                ));
            }
        }
        let first = self.mesh.triangles.len();
        let end = first + other.mesh.triangles.len();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        // Triangles without an object of their own become one named after the file.
        let mut next = first;
        for Object { name, triangles } in other.objects {
            let triangles = first + triangles.start..first + triangles.end;
            self.add_object(&stem, next..triangles.start);
            next = triangles.end;
            self.objects.push(Object { name, triangles });
        }
        self.add_object(&stem, next..end);
        if self.mesh.triangles.is_empty() && self.mesh.materials.is_empty() {
            // The first mesh moves in whole: a large one is not copied.
            self.mesh = other.mesh;
        } else {
            self.mesh.append(&other.mesh);
        }
        Ok(())
    }

    fn add_object(&mut self, name: &str, triangles: Range<usize>) {
        if !triangles.is_empty() {
            let name = name.to_owned();
            self.objects.push(Object { name, triangles });
        }
    }

    /// Moves `other` to the origin of this scene.
    fn settle_place(&mut self, other: &mut Self, file: &Path) -> Result<(), ImportError> {
        let (Some(ours), Some(theirs)) = (&self.georeference, &other.georeference) else {
            self.georeference = self.georeference.take().or(other.georeference.take());
            return Ok(());
        };
        if ours.crs != theirs.crs {
            let problem = format!(
                "the file is in {}, the files before in {}; import them together with `keller import`",
                theirs.crs, ours.crs
            );
            return Err(ImportError::malformed(file, Place::File, problem));
        }
        let shift = DVec3::from(theirs.origin) - DVec3::from(ours.origin);
        if shift != DVec3::ZERO {
            other.mesh.vertices.iter_mut().for_each(|v| *v += shift);
            other.volumes.iter_mut().for_each(|v| v.shift(shift));
        }
        Ok(())
    }
}

impl Warning {
    pub(crate) fn new(file: &Path, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.file.display(), self.message)
    }
}

type Parse = fn(&[u8], &Path, &ReadFile<'_>) -> Result<Imported, ImportError>;

/// The parser for the extension of `path`.
fn format_of(path: &Path) -> Result<Parse, ImportError> {
    match extension_of(path).as_str() {
        "xml" => Ok(mitsuba::parse),
        "ply" => Ok(|bytes, file, _| ply::parse(bytes, file)),
        "obj" => Ok(obj::parse),
        "gltf" | "glb" => Ok(gltf::parse),
        "stl" => Ok(|bytes, file, _| stl::parse(bytes, file)),
        other => Err(ImportError::Extension {
            file: path.to_owned(),
            extension: match other {
                "" => "(none)".to_owned(),
                other => format!("`.{}`", shown(other)),
            },
            accepted: ".xml (Mitsuba), .ply, .obj, .stl, .gltf and .glb",
        }),
    }
}

/// The extension in lower case; empty if there is none.
fn extension_of(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

/// The material of a file whose format has no materials: the part of the file's name after its last `-` if that is a
/// material of ITU-R P.2040-3, as in `ground-itu_wet_ground.ply`.
fn material_from_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    match stem.rsplit_once('-') {
        Some((_, last)) if ItuMaterial::from_name(last).is_some() => last.to_owned(),
        _ => DEFAULT_MATERIAL.to_owned(),
    }
}

/// A material's name as a user writes it in a scenario: exporters from Blender put `mat-` before it.
fn plain_name(name: &str) -> &str {
    match name.strip_prefix("mat-") {
        Some("") | None => name,
        Some(plain) => plain,
    }
}
