//! `keller scene`: the contents of a scene file, and its defects.

mod bodies;
mod buildings;
mod openings;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller::clutter::Clutter;
use keller::materials::ItuEdition;
use keller::scene::{Defects, EdgeId, FaceId, Scene};
use keller_io::formats::import::MeshOptions;
use keller_io::scenario::{OutOfRange, Scenario, SceneSettings};
use keller_run::{BoxFacts, LonLat, PlaceFacts, RunStage, SceneFacts};
use serde_json::{Value, json};

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
    let outputs = Outputs::default().with("--picture", args.picture.as_deref());
    let models = settings.buildings.iter().map(|building| &building.model);
    let inputs = settings.files.iter().chain(models).chain(&settings.cache);
    let inputs = inputs.map(PathBuf::as_path);
    outputs.check(inputs.chain([args.file.as_path()]))?;
    let picture = view(args.picture.as_deref())?;
    let progress = Progress::new();
    let compiled = job::scene(&settings, &outputs, &progress)?;
    let (georeference, buildings) = (compiled.georeference, compiled.buildings);
    let openings = compiled.openings;
    let scene = Arc::unwrap_or_clone(compiled.scene).with_clutter(Clutter::new(compiled.volumes));
    if let Some(picture) = picture {
        progress.report(RunStage::Write, 0.0);
        picture.write(&scene)?;
    }
    let facts = SceneFacts::of(&scene, georeference.as_ref())
        .map_err(|error| Failure::Input(format!("{}: {error}", args.file.display())))?
        .with_buildings(&buildings)
        .with_openings(&openings);
    progress.clear();
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        let mut object = json!(facts);
        if args.list {
            object["face_list"] = faces_json(&scene);
            object["edge_list"] = edges_json(&scene);
        }
        writeln!(out, "{object:#}")?;
    } else {
        write_facts(&facts, &mut out)?;
        if args.list {
            write_faces(&mut out, &scene)?;
            write_edges(&mut out, &scene)?;
        }
    }
    out.flush()?;
    Ok(())
}

/// The failure of a scene, with the file that it comes from.
pub(super) fn in_file(file: &Path, error: keller::Error) -> Failure {
    match error {
        keller::Error::Cancelled => Failure::Interrupted,
        error => Failure::Input(format!("{}: {error}", file.display())),
    }
}

/// The scenario in a file, if its name says that it has one.
pub(super) fn scenario(file: &Path) -> Result<Option<Scenario>, Failure> {
    let extension = file.extension().unwrap_or_default();
    if !extension.eq_ignore_ascii_case("toml") {
        return Ok(None);
    }
    Ok(Some(Scenario::load(file)?))
}

/// The scene files: the file itself, or those of a scenario.
pub(super) fn settings(file: &Path) -> Result<SceneSettings, Failure> {
    if let Some(scenario) = scenario(file)? {
        return Ok(scenario.scene);
    }
    Ok(SceneSettings {
        files: vec![file.to_owned()],
        default_material: None,
        default_thickness: None,
        meshes: MeshOptions::default(),
        itu_below_range: OutOfRange::default(),
        itu_edition: ItuEdition::default(),
        cache: None,
        buildings: Vec::new(),
        openings: Vec::new(),
        terrain_wedge_deg: None,
        terrain_error_m: None,
    })
}

/// The names of defects for people, in the order of their counts.
fn named(defects: &Defects) -> [(&'static str, usize); 8] {
    [
        (
            "cracks closed (vertices nearly at one place)",
            defects.near_vertices,
        ),
        (
            "T-junctions (vertices within a border)",
            defects.t_junctions,
        ),
        (
            "triangles without area, left out",
            defects.zero_area_triangles,
        ),
        ("duplicate triangles, left out", defects.duplicate_triangles),
        (
            "pairs of triangles overlapping in a plane",
            defects.overlapping_triangles,
        ),
        ("borders of more than two faces", defects.non_manifold_edges),
        (
            "closed bodies with all fronts inwards (inside out, or a room)",
            defects.inward_bodies,
        ),
        (
            "closed bodies with some fronts inwards",
            defects.mixed_bodies,
        ),
    ]
}

fn write_facts(facts: &SceneFacts, out: &mut impl Write) -> io::Result<()> {
    let count = |name: &str, count: usize| vec![name.to_owned(), count.to_string()];
    let counts = [
        count("triangles", facts.triangles),
        count("faces", facts.faces),
        count("wedges", facts.wedges),
        count("free edges", facts.free_edges),
        count("volumes of clutter", facts.volumes),
    ];
    write_table(out, &["scene ", ""], &counts)?;
    let BoxFacts { min, max } = facts.bounds;
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
    if let Some(place) = &facts.place {
        write_place(place, out)?;
    }
    let materials: Vec<_> = facts
        .materials
        .iter()
        .map(|m| {
            vec![
                m.name.clone(),
                m.faces.to_string(),
                format!("{:.1}", m.area_m2),
            ]
        })
        .collect();
    write_table(out, &["material ", "faces", "area m²"], &materials)?;
    writeln!(out)?;
    buildings::write(&facts.buildings, out)?;
    openings::write(&facts.openings, out)?;
    let found = named(&facts.defects)
        .into_iter()
        .filter(|(_, number)| *number > 0);
    let defects: Vec<_> = found.map(|(words, number)| count(words, number)).collect();
    if defects.is_empty() {
        writeln!(out, "no defects")
    } else {
        write_table(out, &["defects ", ""], &defects)?;
        bodies::write(&facts.turned_bodies, out)
    }
}

fn write_place(place: &PlaceFacts, out: &mut impl Write) -> io::Result<()> {
    let [x, y, z] = place.origin;
    let LonLat {
        longitude,
        latitude,
    } = place.centre;
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let rows = [
        row("reference system", place.crs.clone()),
        row("origin m", format!("{x:.2} {y:.2} {z:.2}")),
        row("centre lon lat °", format!("{longitude:.6} {latitude:.6}")),
    ];
    write_table(out, &["place ", " "], &rows)?;
    writeln!(out)
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
