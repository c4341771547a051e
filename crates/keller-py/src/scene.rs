//! Scenes: from files of any format, or from arrays of triangles.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;
use keller::clutter::Clutter;
use keller::materials::ItuEdition;
use keller::scene::{FaceId, Mesh, MeshMaterial, MeshTriangle};
use keller_io::formats::OutputFile;
use keller_io::formats::import::{MeshOptions, Unit, Up};
use keller_io::reports::export::scene_glb;
use keller_io::reports::plot::View;
use keller_io::scenario::{OutOfRange, ScenarioBuilding, ScenarioOpening, SceneSettings};
use keller_io::store::scene_cache::CompiledScene;
use keller_run::{SceneFacts, build_scene, prepare_scene};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::{bad_argument, bad_file, exception, no_format};
use crate::page;
use crate::paths::extension;
use crate::watch::Watch;

/// A checked, immutable scene.
#[pyclass(frozen, module = "keller._keller")]
#[derive(Debug)]
pub(crate) struct Scene(pub(crate) CompiledScene);

#[pymethods]
impl Scene {
    /// The scene in files of any format.
    #[staticmethod]
    #[pyo3(signature = (files, up, unit, cache, terrain_wedge_deg, terrain_error_m, sections, tell))]
    #[expect(clippy::too_many_arguments, reason = "the keywords of load_scene")]
    fn load(
        py: Python<'_>,
        files: Vec<PathBuf>,
        up: Option<&str>,
        unit: Option<&str>,
        cache: Option<PathBuf>,
        terrain_wedge_deg: Option<f64>,
        terrain_error_m: Option<f64>,
        sections: &str,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let buildings = ScenarioBuilding::parse(sections, Path::new("<python>"));
        let openings = ScenarioOpening::parse(sections, Path::new("<python>"));
        let settings = SceneSettings {
            files,
            default_material: None,
            default_thickness: None,
            meshes: MeshOptions {
                up: up.map(up_axis).transpose()?,
                unit: unit.map(mesh_unit).transpose()?,
            },
            itu_below_range: OutOfRange::default(),
            itu_edition: ItuEdition::default(),
            cache,
            buildings: buildings.map_err(|error| exception(error.into()))?,
            openings: openings.map_err(|error| exception(error.into()))?,
            terrain_wedge_deg,
            terrain_error_m,
        };
        let work = |observer: Arc<dyn keller_run::Observer>| {
            let mut compiled = prepare_scene(&settings, &*observer, &|_| Ok(()))?;
            with_clutter(&mut compiled);
            Ok(compiled)
        };
        Arc::new(Watch::default()).run(py, tell, work).map(Self)
    }

    /// A scene of triangles: `vertices` are `(n, 3)` in metres, `triangles` `(m, 3)` indices, `material_of` `(m,)` indices
    /// into `materials`.
    #[staticmethod]
    fn from_arrays(
        py: Python<'_>,
        vertices: PyReadonlyArray2<'_, f64>,
        triangles: PyReadonlyArray2<'_, u32>,
        materials: Vec<String>,
        material_of: PyReadonlyArray1<'_, u32>,
        tell: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let mesh = Mesh {
            vertices: points(&vertices, "vertices")?,
            triangles: mesh_triangles(&triangles, &material_of)?,
            materials: materials
                .into_iter()
                .map(|name| MeshMaterial {
                    name,
                    definition: None,
                })
                .collect(),
        };
        let work = |observer: Arc<dyn keller_run::Observer>| Ok(build_scene(&mesh, &*observer)?);
        let scene = Arc::new(Watch::default()).run(py, tell, work)?;
        Ok(Self(CompiledScene::new(scene.into(), mesh.materials)))
    }

    /// Names of the materials.
    #[getter]
    fn materials(&self) -> Vec<String> {
        self.0.scene.materials().to_vec()
    }

    /// The lowest and the highest corner of the box around everything, metres.
    #[getter]
    fn bounds(&self) -> [[f64; 3]; 2] {
        self.0.scene.bounds().map(|corner| corner.to_array())
    }

    #[getter]
    fn num_triangles(&self) -> usize {
        self.0.scene.triangles().len()
    }

    #[getter]
    fn num_faces(&self) -> usize {
        self.0.scene.faces().len()
    }

    #[getter]
    fn num_edges(&self) -> usize {
        self.0.scene.edges().len()
    }

    /// The coordinate reference system and its easting, northing and height at (0, 0, 0), if the files say so.
    #[getter]
    fn georeference(&self) -> Option<(String, [f64; 3])> {
        let georeference = self.0.georeference.as_ref()?;
        Some((georeference.crs.clone(), georeference.origin))
    }

    /// What the scene consists of and what is wrong with it, as JSON.
    fn facts(&self, py: Python<'_>) -> PyResult<String> {
        let CompiledScene {
            scene,
            georeference,
            buildings,
            openings,
            ..
        } = &self.0;
        let facts = py.detach(|| SceneFacts::of(scene, georeference.as_ref()));
        let facts = facts.map_err(exception)?;
        let facts = facts.with_buildings(buildings).with_openings(openings);
        serde_json::to_string(&facts).map_err(bad_file)
    }

    /// A picture of the scene from the air, as PNG.
    fn view<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let png = py.detach(|| View::new(&self.0.scene).png());
        PyBytes::new(py, &png)
    }

    /// The scene as a page for browsers.
    fn page<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let made = py.detach(|| page::of_scene(&self.0));
        page::bytes(py, made)
    }

    /// Writes the scene as GLB.
    fn save(&self, py: Python<'_>, file: PathBuf) -> PyResult<()> {
        if extension(&file) != "glb" {
            return Err(no_format(&file, ".glb"));
        }
        let CompiledScene {
            scene,
            materials,
            georeference,
            ..
        } = &self.0;
        py.detach(|| {
            let out = OutputFile::create(&file)?;
            let definition = |id: usize| materials[id].definition.clone();
            let bytes = scene_glb(scene, definition, &[], georeference.as_ref());
            out.write(|writer| writer.write_all(&bytes))
        })
        .map_err(bad_file)
    }

    /// The planar faces, as columns.
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let scene = &self.0.scene;
        let faces = scene.faces();
        let normals = (0..faces.len()).map(|id| scene.face_normal(FaceId::from_index(id)));
        let all = PyDict::new(py);
        let whole = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let planes = faces.iter().map(|face| whole(face.plane.index()));
        all.set_item("plane", planes.collect::<Vec<_>>().into_pyarray(py))?;
        let materials = faces.iter().map(|face| whole(face.material.index()));
        all.set_item("material", materials.collect::<Vec<_>>().into_pyarray(py))?;
        let areas = faces.iter().map(|face| face.area);
        all.set_item("area", areas.collect::<Vec<_>>().into_pyarray(py))?;
        all.set_item("normal", rows(py, normals)?)?;
        let of = scene
            .triangle_faces()
            .iter()
            .map(|face| whole(face.index()));
        all.set_item("of_triangle", of.collect::<Vec<_>>().into_pyarray(py))?;
        Ok(all)
    }

    /// The edges that diffract, as columns.
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let edges = self.0.scene.edges();
        let number = |face: Option<FaceId>| {
            face.map_or(-1, |face| i64::try_from(face.index()).unwrap_or(i64::MAX))
        };
        let faces: Vec<i64> = edges
            .iter()
            .flat_map(|edge| edge.faces.map(number))
            .collect();
        let ends = rows(py, edges.iter().flat_map(|edge| edge.ends))?;
        let angles: Vec<f64> = edges.iter().map(|edge| edge.exterior_angle).collect();
        let all = PyDict::new(py);
        all.set_item("ends", ends.reshape([edges.len(), 2, 3])?)?;
        all.set_item("faces", faces.into_pyarray(py).reshape([edges.len(), 2])?)?;
        all.set_item("exterior_angle", angles.into_pyarray(py))?;
        Ok(all)
    }

    /// Vertices, `(n, 3)`, metres.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        rows(py, self.0.scene.vertices().iter().copied())
    }

    /// Corners of the triangles as indices of vertices, `(m, 3)`.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let triangles = self.0.scene.triangles();
        let flat: Vec<u32> = triangles.iter().flatten().copied().collect();
        flat.into_pyarray(py).reshape([triangles.len(), 3])
    }

    /// The material of each triangle as an index of `materials`, `(m,)`.
    #[getter]
    fn material_of<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let scene = &self.0.scene;
        let faces = scene.triangle_faces().iter();
        let number = |material: usize| u32::try_from(material).unwrap_or(u32::MAX);
        let of = faces.map(|face| number(scene.face(*face).material.index()));
        of.collect::<Vec<u32>>().into_pyarray(py)
    }
}

/// Points as an array `(n, 3)`.
pub(crate) fn rows(
    py: Python<'_>,
    points: impl Iterator<Item = DVec3>,
) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let flat: Vec<f64> = points.flat_map(|point| point.to_array()).collect();
    let num = flat.len() / 3;
    flat.into_pyarray(py).reshape([num, 3])
}

/// Rows of three finite numbers.
pub(crate) fn points(array: &PyReadonlyArray2<'_, f64>, name: &str) -> PyResult<Vec<DVec3>> {
    let view = array.as_array();
    if view.shape()[1] != 3 {
        let found = view.shape();
        return Err(bad_argument(format!(
            "{name}: found an array of shape ({}, {}); accepted: (n, 3), metres",
            found[0], found[1]
        )));
    }
    let rows = view.rows().into_iter().enumerate();
    rows.map(|(index, row)| {
        let point = DVec3::new(row[0], row[1], row[2]);
        if point.is_finite() {
            Ok(point)
        } else {
            Err(bad_argument(format!(
                "{name}[{index}]: found {point}; accepted: three finite numbers, metres"
            )))
        }
    })
    .collect()
}

fn mesh_triangles(
    triangles: &PyReadonlyArray2<'_, u32>,
    material_of: &PyReadonlyArray1<'_, u32>,
) -> PyResult<Vec<MeshTriangle>> {
    let (corners, materials) = (triangles.as_array(), material_of.as_array());
    if corners.shape()[1] != 3 || corners.shape()[0] != materials.len() {
        return Err(bad_argument(format!(
            "triangles, material_of: found arrays of shapes ({}, {}) and ({},); accepted: (m, 3) and (m,)",
            corners.shape()[0],
            corners.shape()[1],
            materials.len()
        )));
    }
    let rows = corners.rows().into_iter().zip(materials);
    let all = rows.map(|(row, material)| MeshTriangle {
        vertices: [row[0], row[1], row[2]],
        material: *material,
    });
    Ok(all.collect())
}

/// Puts the vegetation of the scene's files into the scene, so that all worlds of it share it.
fn with_clutter(compiled: &mut CompiledScene) {
    if compiled.volumes.is_empty() {
        return;
    }
    let volumes = compiled.volumes.clone();
    let scene = Arc::unwrap_or_clone(Arc::clone(&compiled.scene));
    compiled.scene = Arc::new(scene.with_clutter(Clutter::new(volumes)));
}

fn up_axis(name: &str) -> PyResult<Up> {
    match name {
        "y" | "Y" => Ok(Up::Y),
        "z" | "Z" => Ok(Up::Z),
        _ => Err(bad_argument(format!(
            "up: found \"{name}\"; accepted: \"y\", \"z\""
        ))),
    }
}

fn mesh_unit(name: &str) -> PyResult<Unit> {
    let found = Unit::NAMES.iter().find(|(known, _)| *known == name);
    let names: Vec<&str> = Unit::NAMES.iter().map(|(name, _)| *name).collect();
    found.map(|(_, unit)| *unit).ok_or_else(|| {
        bad_argument(format!(
            "unit: found \"{name}\"; accepted: {}",
            names.join(", ")
        ))
    })
}
