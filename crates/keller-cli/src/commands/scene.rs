//! `keller scene`: what is in a scene file, and what is wrong with it.

mod bodies;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller::clutter::Clutter;
use keller::scene::{Defects, EdgeId, FaceId, Scene};
use keller_geo::crs::{CrsError, Frame, Georeference};
use keller_io::import::MeshOptions;
use keller_io::scenario::{OutOfRange, Scenario, SceneSettings};
use keller_run::Stage;
use serde_json::{Value, json};

use self::bodies::BodyFacts;
use crate::args::SceneArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job;
use crate::pictures::view;
use crate::progress::Progress;
use crate::report::write_table;

pub(crate) fn run(args: &SceneArgs) -> Result<(), Failure> {
    let mut settings = settings(&args.file)?;
    args.mesh.overrule(&mut settings.meshes);
    let outputs = Outputs::default().with("--view", args.view.as_deref());
    let inputs = settings.files.iter().chain(&settings.cache);
    let inputs = inputs.map(PathBuf::as_path);
    outputs.check(inputs.chain([args.file.as_path()]))?;
    let picture = view(args.view.as_deref())?;
    let progress = Progress::new();
    let prepared = job::scene(&settings, &outputs, &progress)?;
    let georeference = prepared.georeference;
    let scene = Arc::unwrap_or_clone(prepared.scene).with_clutter(Clutter::new(prepared.volumes));
    if let Some(picture) = picture {
        progress.report(Stage::Write, 0.0);
        picture.write(&scene)?;
    }
    let mut facts = Facts::of(&scene);
    if let Some(georeference) = georeference {
        let place = PlaceFacts::of(georeference, &scene)
            .map_err(|error| Failure::Input(format!("{}: {error}", args.file.display())))?;
        facts.place = Some(place);
    }
    progress.clear();
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        let mut object = facts.json();
        if args.list {
            object["face_list"] = faces_json(&scene);
            object["edge_list"] = edges_json(&scene);
        }
        writeln!(out, "{object:#}")?;
    } else {
        facts.write(&mut out)?;
        if args.list {
            write_faces(&mut out, &scene)?;
            write_edges(&mut out, &scene)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// What is wrong with a scene, with the file that it comes from.
pub(super) fn in_file(file: &Path, error: keller::Error) -> Failure {
    match error {
        keller::Error::Cancelled => Failure::Interrupted,
        error => Failure::Input(format!("{}: {error}", file.display())),
    }
}

/// The scene files: the file itself, or those of a scenario.
pub(super) fn settings(file: &Path) -> Result<SceneSettings, Failure> {
    if file
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"))
    {
        return Ok(Scenario::load(file)?.scene);
    }
    Ok(SceneSettings {
        files: vec![file.to_owned()],
        default_material: None,
        default_thickness: None,
        meshes: MeshOptions::default(),
        itu_below_range: OutOfRange::default(),
        cache: None,
    })
}

/// What a scene comes to.
struct Facts {
    triangles: usize,
    faces: usize,
    wedges: usize,
    free_edges: usize,
    volumes: usize,
    materials: Vec<MaterialFacts>,
    bounds: [[f64; 3]; 2],
    place: Option<PlaceFacts>,
    defects: [(&'static str, &'static str, usize); 8],
    turned: Vec<BodyFacts>,
}

struct MaterialFacts {
    name: String,
    faces: usize,
    /// m²
    area: f64,
}

/// Where on earth a scene lies.
struct PlaceFacts {
    georeference: Georeference,
    /// Longitude and latitude on WGS 84 of its centre, degrees.
    centre: [f64; 2],
}

impl PlaceFacts {
    fn of(georeference: Georeference, scene: &Scene) -> Result<Self, CrsError> {
        let [low, high] = scene.bounds();
        let centre = Frame::new(&georeference)?.to_lon_lat(0.5 * (low + high).truncate())?;
        Ok(Self {
            georeference,
            centre: centre.to_array(),
        })
    }

    fn json(&self) -> Value {
        let [lon, lat] = self.centre;
        json!({
            "crs": self.georeference.crs,
            "origin": self.georeference.origin,
            "centre": { "longitude": lon, "latitude": lat },
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let [x, y, z] = self.georeference.origin;
        let [lon, lat] = self.centre;
        let row = |name: &str, value: String| vec![name.to_owned(), value];
        let rows = [
            row("reference system", self.georeference.crs.clone()),
            row("origin m", format!("{x:.2} {y:.2} {z:.2}")),
            row("centre lon lat °", format!("{lon:.6} {lat:.6}")),
        ];
        write_table(out, &["place ", " "], &rows)?;
        writeln!(out)
    }
}

impl Facts {
    fn of(scene: &Scene) -> Self {
        let mut materials: Vec<MaterialFacts> = scene
            .materials()
            .iter()
            .map(|name| MaterialFacts {
                name: name.clone(),
                faces: 0,
                area: 0.0,
            })
            .collect();
        for face in scene.faces() {
            let material = &mut materials[face.material.index()];
            material.faces += 1;
            material.area += face.area;
        }
        let wedges = scene.edges().iter().filter(|e| e.is_wedge()).count();
        let Defects {
            near_vertices,
            t_junctions,
            zero_area_triangles,
            duplicate_triangles,
            overlapping_triangles,
            non_manifold_edges,
            inward_bodies,
            mixed_bodies,
        } = scene.defects();
        Self {
            triangles: scene.triangles().len(),
            faces: scene.faces().len(),
            wedges,
            free_edges: scene.edges().len() - wedges,
            volumes: scene.clutter().volumes().len(),
            materials,
            bounds: scene.bounds().map(|corner| corner.to_array()),
            place: None,
            defects: [
                (
                    "near_vertices",
                    "cracks closed (vertices nearly at one place)",
                    near_vertices,
                ),
                (
                    "t_junctions",
                    "T-junctions (vertices within a border)",
                    t_junctions,
                ),
                (
                    "zero_area_triangles",
                    "triangles without area, left out",
                    zero_area_triangles,
                ),
                (
                    "duplicate_triangles",
                    "duplicate triangles, left out",
                    duplicate_triangles,
                ),
                (
                    "overlapping_triangles",
                    "pairs of triangles overlapping in a plane",
                    overlapping_triangles,
                ),
                (
                    "non_manifold_edges",
                    "borders of more than two faces",
                    non_manifold_edges,
                ),
                (
                    "inward_bodies",
                    "closed bodies with all fronts inwards (inside out, or a room)",
                    inward_bodies,
                ),
                (
                    "mixed_bodies",
                    "closed bodies with some fronts inwards",
                    mixed_bodies,
                ),
            ],
            turned: scene
                .turned_bodies()
                .map(|body| BodyFacts::of(scene, body))
                .collect(),
        }
    }

    fn json(&self) -> Value {
        let materials = self.materials.iter();
        let materials: Vec<Value> = materials
            .map(|m| json!({ "name": m.name, "faces": m.faces, "area_m2": m.area }))
            .collect();
        let defects = self.defects.iter();
        let defects: serde_json::Map<_, _> = defects
            .map(|(key, _, count)| ((*key).to_owned(), (*count).into()))
            .collect();
        json!({
            "triangles": self.triangles,
            "faces": self.faces,
            "wedges": self.wedges,
            "free_edges": self.free_edges,
            "volumes": self.volumes,
            "materials": materials,
            "bounds": { "min": self.bounds[0], "max": self.bounds[1] },
            "place": self.place.as_ref().map(PlaceFacts::json),
            "defects": defects,
            "turned_bodies": self.turned.iter().map(BodyFacts::json).collect::<Vec<_>>(),
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let count = |name: &str, count: usize| vec![name.to_owned(), count.to_string()];
        let counts = [
            count("triangles", self.triangles),
            count("faces", self.faces),
            count("wedges", self.wedges),
            count("free edges", self.free_edges),
            count("volumes of clutter", self.volumes),
        ];
        write_table(out, &["scene ", ""], &counts)?;
        let [min, max] = self.bounds;
        writeln!(out)?;
        let bounds: Vec<_> = ["x", "y", "z"]
            .iter()
            .enumerate()
            .map(|(i, axis)| {
                let cells = [min[i], max[i], max[i] - min[i]].map(|v| format!("{v:.2}"));
                [vec![(*axis).to_owned()], cells.to_vec()].concat()
            })
            .collect();
        write_table(out, &["bounds ", "min m", "max m", "size m"], &bounds)?;
        writeln!(out)?;
        if let Some(place) = &self.place {
            place.write(out)?;
        }
        let materials: Vec<_> = self
            .materials
            .iter()
            .map(|m| {
                vec![
                    m.name.clone(),
                    m.faces.to_string(),
                    format!("{:.1}", m.area),
                ]
            })
            .collect();
        write_table(out, &["material ", "faces", "area m²"], &materials)?;
        writeln!(out)?;
        let found = self.defects.iter().filter(|(_, _, number)| *number > 0);
        let defects: Vec<_> = found
            .map(|(_, words, number)| count(words, *number))
            .collect();
        if defects.is_empty() {
            writeln!(out, "no defects")
        } else {
            write_table(out, &["defects ", ""], &defects)?;
            BodyFacts::write(&self.turned, out)
        }
    }
}

fn faces_json(scene: &Scene) -> Value {
    let faces = scene.faces().iter().enumerate();
    faces
        .map(|(id, face)| {
            json!({
                "id": id,
                "plane": face.plane.index(),
                "material": scene.materials()[face.material.index()],
                "area_m2": face.area,
                "triangles": face.triangles.len(),
                "normal": scene.face_normal(FaceId::from_index(id)).to_array(),
            })
        })
        .collect()
}

fn edges_json(scene: &Scene) -> Value {
    let edges = scene.edges().iter().enumerate();
    edges
        .map(|(id, edge)| {
            let faces: Vec<usize> = edge.faces.iter().flatten().map(|f| f.index()).collect();
            json!({
                "id": EdgeId::from_index(id).index(),
                "kind": if edge.is_wedge() { "wedge" } else { "free" },
                "ends": edge.ends.map(|end| end.to_array()),
                "faces": faces,
                "exterior_angle_deg": edge.exterior_angle.to_degrees(),
            })
        })
        .collect()
}

fn write_faces(out: &mut impl Write, scene: &Scene) -> io::Result<()> {
    let faces: Vec<_> = scene
        .faces()
        .iter()
        .enumerate()
        .map(|(id, face)| {
            let n = scene.face_normal(FaceId::from_index(id));
            vec![
                id.to_string(),
                face.plane.index().to_string(),
                scene.materials()[face.material.index()].clone(),
                format!("{:.2}", face.area),
                face.triangles.len().to_string(),
                format!("{:.3} {:.3} {:.3}", n.x, n.y, n.z),
            ]
        })
        .collect();
    writeln!(out)?;
    let header = [
        "face",
        "plane",
        "material ",
        "area m²",
        "triangles",
        "normal",
    ];
    write_table(out, &header, &faces)
}

fn write_edges(out: &mut impl Write, scene: &Scene) -> io::Result<()> {
    let edges: Vec<_> = scene
        .edges()
        .iter()
        .enumerate()
        .map(|(id, edge)| {
            let [a, b] = edge
                .ends
                .map(|p| format!("{:.3} {:.3} {:.3}", p.x, p.y, p.z));
            let faces: Vec<_> = edge
                .faces
                .iter()
                .flatten()
                .map(|f| f.index().to_string())
                .collect();
            vec![
                id.to_string(),
                if edge.is_wedge() { "wedge" } else { "free" }.to_owned(),
                faces.join(" "),
                format!("{:.1}", edge.exterior_angle.to_degrees()),
                a,
                b,
            ]
        })
        .collect();
    writeln!(out)?;
    let header = ["edge", "kind ", "faces ", "exterior °", "from", "to"];
    write_table(out, &header, &edges)
}
