//! Munich with a real office and with made-up storeys in place of a block.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use glam::DVec2;
use keller::scene::building::Placement;
use keller::{DVec3, Frequency};
use keller_geo::place::insides::{self, InsideOptions};
use keller_geo::place::{Building, Polygon, Prism, Roof, Shape};

use super::draws::Draws;
use super::obj::Obj;
use super::place::{Place, write};
use crate::uwb;

/// The place of the middle of the office, and its rotation: near the axis of the block `element_231`, but not along it.
const OFFICE_AT: DVec2 = DVec2::new(75.2, 129.3);
const OFFICE_TURN_DEG: f64 = 169.73;

/// Storeys of the office: the same plan on each. Metres from floor to floor.
const OFFICE_STOREYS: usize = 3;
const OFFICE_STOREY: f64 = 3.0;

/// The outline of the block `element_438`, metres, and its height.
const BLOCK: [(f64, f64); 6] = [
    (-70.570, -0.530),
    (-70.890, -1.590),
    (-56.470, -5.910),
    (-53.280, 4.730),
    (-88.710, 15.950),
    (-91.900, 5.530),
];
const BLOCK_HEIGHT: f64 = 12.35;

/// The thickness of the city's walls, metres, by material.
const CITY: &str = r#"[materials]
marble = { itu = "marble", thickness = 0.3 }
metal = { itu = "metal", thickness = 0.01 }
brick = { itu = "brick", thickness = 0.3 }
wood = { itu = "wood", thickness = 0.05 }
"#;

/// The measured office on each of some storeys, in place of a block.
pub(super) fn office(data: &Path, scene: &Path, folder: &Path) -> Result<Place> {
    let office = uwb::layout::read(&data.join("where1"), Frequency::from_hz(5e9)?)?;
    let mut obj = Obj::new(Draws::new(1));
    let mesh = &office.mesh;
    for storey in 0..OFFICE_STOREYS {
        for triangle in &mesh.triangles {
            let material = &mesh.materials[triangle.material as usize].name;
            // A ceiling is the next storey's floor.
            if storey > 0 && material == "FLOOR" {
                continue;
            }
            let up = DVec3::Z * OFFICE_STOREY * storey as f64;
            let corners = triangle
                .vertices
                .map(|vertex| mesh.vertices[vertex as usize] + up);
            obj.polygon(material, &corners);
        }
    }
    write(folder, "office.obj", &obj.text)?;
    let corners = mesh.vertices.iter().map(|at| at.truncate());
    let (min, max) = corners.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(a, b), at| {
        (a.min(at), b.max(at))
    });
    let rotation = OFFICE_TURN_DEG.to_radians();
    let middle = DVec2::from_angle(rotation).rotate(0.5 * (min + max));
    let placement = Placement {
        origin: (OFFICE_AT - middle).extend(0.0),
        rotation,
    };
    let outline = vec![min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y)];
    let levels = (0..=OFFICE_STOREYS).map(|storey| OFFICE_STOREY * storey as f64);
    Ok(Place {
        name: "munich, measured office".to_owned(),
        folder: folder.to_owned(),
        scene: city(
            scene,
            &placement,
            Some(OFFICE_AT),
            OFFICE_TURN_DEG,
            &office.toml()?,
        )?,
        building: "office",
        placement,
        outline,
        levels: levels.collect(),
    })
}

/// Storeys with rooms in the outline of a block.
pub(super) fn storeys(scene: &Path, folder: &Path) -> Result<Place> {
    let outline = BLOCK.map(DVec2::from);
    let first = outline[0];
    let building = Building {
        id: "block".to_owned(),
        found_at: "here".to_owned(),
        shape: Shape::Prism(Prism {
            pitched: None,
            outline: vec![Polygon {
                outer: outline.iter().map(|at| at - first).collect(),
                holes: Vec::new(),
            }],
            roof: Roof::Height(BLOCK_HEIGHT),
            min_height: 0.0,
            ground: None,
        }),
        wall_material: None,
        roof_material: None,
    };
    let options = InsideOptions {
        storey: 3.1,
        rooms: Some(6.0),
    };
    let built = insides::build(&[building], &|_| Some(0.0), &options);
    let mut obj = Obj::new(Draws::new(2));
    obj.mesh(&built.mesh);
    write(folder, "office.obj", &obj.text)?;
    let placement = Placement {
        origin: first.extend(0.0),
        rotation: 0.0,
    };
    let mut levels: Vec<f64> = built.mesh.vertices.iter().map(|at| at.z).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let materials = r#"facade = { itu = "brick", thickness = 0.3 }
floor = { itu = "concrete", thickness = 0.25 }
inner_wall = { itu = "plasterboard", thickness = 0.08 }
core = { itu = "concrete", thickness = 0.2 }
roof = { itu = "concrete", thickness = 0.25 }
"#;
    Ok(Place {
        name: "munich, made-up storeys".to_owned(),
        folder: folder.to_owned(),
        scene: city(scene, &placement, None, 0.0, materials)?,
        building: "office",
        placement,
        outline: outline.iter().map(|at| at - first).collect(),
        levels,
    })
}

/// The city with the office. `replaced` lies on the building that gives way, unless the overlap determines it.
fn city(
    scene: &Path,
    placement: &Placement,
    replaced: Option<DVec2>,
    turn_deg: f64,
    materials: &str,
) -> Result<String> {
    let file = fs::canonicalize(scene).with_context(|| scene.display().to_string())?;
    let origin = placement.origin.to_array();
    let replaces = replaced.map(|at| format!("replaces = [{:?}]\n", at.to_array()));
    Ok(format!(
        "[scene]\nfile = \"{}\"\n[[building]]\nfile = \"office.obj\"\nup = \"z\"\nunit = \"m\"\nposition = {origin:?}\n\
         rotation_deg = {turn_deg:?}\n{}{CITY}{materials}",
        file.display(),
        replaces.unwrap_or_default()
    ))
}
