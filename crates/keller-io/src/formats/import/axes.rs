//! The axis of a mesh that points up, and the unit of its numbers: OBJ, PLY and STL need not say, and their exporters
//! differ.
//!
//! The user's word decides, then the format (glTF is y up, Mitsuba scenes come z up), then a comment at the head of the
//! file (`comments.rs`), then the shape of all such files together (`shape.rs`), if it is plain. A warning names every
//! choice other than z up and metres, and every size that no place has (`size.rs`).

mod comments;
mod shape;
mod size;

use std::fmt;
use std::path::PathBuf;

use glam::DVec3;
use keller::scene::Mesh;

use super::{Imported, Warning};
pub(super) use comments::stated;
use shape::Verdict;

/// An axis that points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Up {
    /// The y axis, as in glTF and in the OBJ files that Blender writes by default: z points to the viewer.
    Y,
    /// The z axis, as in keller.
    Z,
}

/// The length of a coordinate of 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The millimetre, 0.001 m.
    Millimetre,
    /// The centimetre, 0.01 m.
    Centimetre,
    /// The metre.
    Metre,
    /// The kilometre, 1000 m.
    Kilometre,
    /// The inch, 0.0254 m.
    Inch,
    /// The international foot, 0.3048 m.
    Foot,
}

impl Unit {
    /// All of them, with the names that scenarios and the command line have for them.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("mm", Self::Millimetre),
        ("cm", Self::Centimetre),
        ("m", Self::Metre),
        ("km", Self::Kilometre),
        ("in", Self::Inch),
        ("ft", Self::Foot),
    ];

    /// The length of the unit, metres.
    pub fn metres(self) -> f64 {
        match self {
            Self::Millimetre => 1e-3,
            Self::Centimetre => 1e-2,
            Self::Metre => 1.0,
            Self::Kilometre => 1e3,
            Self::Inch => 0.0254,
            Self::Foot => 0.3048,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::NAMES.iter().find(|(_, unit)| unit == self);
        f.write_str(found.map_or("m", |(name, _)| name))
    }
}

/// The user's statements about meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MeshOptions {
    /// The upward axis of files whose format does not declare it.
    pub up: Option<Up>,
    /// The unit of files that do not say where on earth they lie.
    pub unit: Option<Unit>,
}

/// A file's statements about its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stated {
    /// Whether the format itself has z up once it is read, so that nobody need guess.
    pub(super) is_upright: bool,
    /// The axis that a comment names.
    pub(super) up: Option<Up>,
    pub(super) unit: Option<Unit>,
}

/// Turns the contents of `files` to z up and converts them to metres, all alike where no file says otherwise.
pub(super) fn settle(files: &mut [(PathBuf, Imported, Stated)], options: MeshOptions) {
    turn_upright(files, options.up);
    scale(files, options.unit);
    if options.unit.is_none() {
        size::suspect(files);
    }
}

fn turn_upright(files: &mut [(PathBuf, Imported, Stated)], asked: Option<Up>) {
    if asked.is_some()
        && files.iter().all(|(_, _, stated)| stated.is_upright)
        && let Some((file, imported, _)) = files.first_mut()
    {
        let message = "`up` has no effect: its format declares which axis is up";
        imported.warnings.push(Warning::new(file, message));
    }
    let is_open = |stated: &Stated| !stated.is_upright && asked.or(stated.up).is_none();
    let open = files.iter().filter(|(_, _, stated)| is_open(stated));
    let open: Vec<&Mesh> = open.map(|(_, imported, _)| &imported.mesh).collect();
    let (num_open, verdict) = (open.len(), shape::verdict(&open));
    let mut is_said = false;
    for (file, imported, stated) in files {
        let up = if stated.is_upright {
            Up::Z
        } else {
            asked.or(stated.up).unwrap_or(verdict.up())
        };
        if up == Up::Y {
            let vertices = imported.mesh.vertices.iter_mut();
            // Subtracting leaves no negative zero.
            vertices.for_each(|v| *v = DVec3::new(v.x, 0.0 - v.z, v.y));
        }
        let message = match (asked, stated.up) {
            (None, Some(Up::Y)) if !stated.is_upright => {
                "its comment says that y is up: it was turned to z up".to_owned()
            }
            (None, None) if !stated.is_upright && !is_said => {
                is_said = true;
                let files = match num_open {
                    1 => String::new(),
                    count => format!(" (and {} other files of the scene)", count - 1),
                };
                match &verdict {
                    Verdict::Z => continue,
                    Verdict::Y { because } => format!(
                        "it does not say which axis is up{files}; its shape says y: {because}. It was turned to z up; \
                         `up = \"z\"` in [scene], or `--up z`, leaves it as it is"
                    ),
                    Verdict::Unclear => format!(
                        "neither it nor its shape says which axis is up{files}: z is taken; `up = \"y\"` in [scene], or `--up y`, \
                         turns it, `up = \"z\"` confirms it"
                    ),
                }
            }
            _ => continue,
        };
        imported.warnings.push(Warning::new(file, message));
    }
}

fn scale(files: &mut [(PathBuf, Imported, Stated)], asked: Option<Unit>) {
    for (file, imported, stated) in files {
        // A file that keller wrote is in metres.
        if imported.georeference.is_some() || !imported.volumes.is_empty() {
            continue;
        }
        let Some(unit) = asked.or(stated.unit).filter(|unit| *unit != Unit::Metre) else {
            continue;
        };
        let metres = unit.metres();
        let vertices = imported.mesh.vertices.iter_mut();
        vertices.for_each(|v| *v *= metres);
        if asked.is_none() {
            let message = format!(
                "its comment says that its unit is {unit}, which is taken; `unit = \"m\"` in [scene], or `--mesh-unit m`, takes metres"
            );
            imported.warnings.push(Warning::new(file, message));
        }
    }
}

#[cfg(test)]
mod tests;
