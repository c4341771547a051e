//! Scene files: the same scene in every format, the features of each format, and the errors of bad ones.

mod cases;
mod errors;
mod gltf;
mod mitsuba;
mod polygons;
mod triangles;

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use keller::scene::Mesh;
use keller_io::formats::Imported;
use keller_io::formats::import::{MeshOptions, Unit, Up, import_each};

/// A folder of files that is removed at the end.
pub(crate) struct Files(tempfile::TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn import(&self, name: &str, content: impl AsRef<[u8]>) -> Imported {
        import_as_it_is(&self.write(name, content))
    }
}

/// Imports a file with z up and in metres: nothing is guessed from shapes that are not those of places.
pub(crate) fn import_as_it_is(path: &Path) -> Imported {
    let says_no_axis = ["obj", "ply", "stl"].map(Some);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let options = MeshOptions {
        up: says_no_axis.contains(&extension).then_some(Up::Z),
        unit: Some(Unit::Metre),
    };
    let mut files = import_each(&[path.to_owned()], options).unwrap();
    files.remove(0).1
}

pub(crate) fn corners(mesh: &Mesh) -> Vec<[DVec3; 3]> {
    let triangles = mesh.triangles.iter();
    triangles
        .map(|triangle| {
            triangle
                .vertices
                .map(|vertex| mesh.vertices[vertex as usize])
        })
        .collect()
}

/// Half the sum of the triangles' cross products: for a flat figure its area along its normal.
pub(crate) fn vector_area(mesh: &Mesh) -> DVec3 {
    let areas = corners(mesh).into_iter();
    areas.map(|[a, b, c]| (b - a).cross(c - a) / 2.0).sum()
}

pub(crate) fn area(mesh: &Mesh) -> f64 {
    let areas = corners(mesh).into_iter();
    areas
        .map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0)
        .sum()
}

pub(crate) fn bounds(mesh: &Mesh) -> (DVec3, DVec3) {
    let all = || corners(mesh).into_iter().flatten();
    (
        all().fold(DVec3::MAX, DVec3::min),
        all().fold(DVec3::MIN, DVec3::max),
    )
}

pub(crate) fn names(mesh: &Mesh) -> Vec<&str> {
    mesh.materials
        .iter()
        .map(|material| material.name.as_str())
        .collect()
}

pub(crate) fn warnings(imported: &Imported) -> Vec<String> {
    imported.warnings.iter().map(ToString::to_string).collect()
}

/// Half the unit square.
pub(crate) const UNIT_TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];
