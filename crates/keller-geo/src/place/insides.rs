//! A made-up inside for buildings of which only the outline and the height are known: floors, rooms and a core.
//!
//! Insides are for studies of their effect, not for a building as it is. Every storey has the same plan
//! (`insides/plan.rs`): outer walls along the outline, a core in the middle, and rooms on a grid along the outline's
//! longest side. Walls are single surfaces; a scenario says how thick they are. All surfaces of a building share their
//! corners, so a wave finds no gap between them.
//!
//! **Cost:** that of the plan, once a building. **Assumes** level floors from the lowest ground under the outline up.

mod plan;
#[cfg(test)]
mod tests;

use glam::DVec2;
use keller::materials::Material;
use keller::scene::{Mesh, MeshTriangle};

use super::mesh::{Built, BuiltBuilding};
use super::notes::Notes;
use super::{Building, Polygon, Prism, Roof, Shape, rings};
use plan::{Part, Plan};

/// The names of the parts of an inside as materials, and the materials that they are unless a scenario defines them.
pub const MATERIALS: [(&str, &str); 5] = [
    ("facade", "concrete"),
    ("floor", "concrete"),
    ("inner_wall", "plasterboard"),
    ("core", "concrete"),
    ("roof", "concrete"),
];

/// A storey needs at least this height under the roof, metres; a lower one belongs to the storey below.
const MIN_STOREY: f64 = 1.8;

/// The distance between looks at the ground along an outline, metres.
const GROUND_STEP: f64 = 2.0;

/// The options for making insides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InsideOptions {
    /// The height of a storey from floor to floor, metres.
    pub storey: f64,
    /// The approximate length and width of a room, metres. Absent: each storey is one hall around the core.
    pub rooms: Option<f64>,
}

/// The insides of `buildings`, whose horizontal coordinates are local metres and whose outlines are in order, standing on
/// `ground`, which gives its elevation at a point or `None` where it is unknown. Buildings that are no prisms are left
/// out with a warning.
///
/// ```
/// use glam::DVec2;
/// use keller_geo::place::insides::{self, InsideOptions};
/// use keller_geo::place::{Building, Polygon, Prism, Roof, Shape};
/// let corners = [(0.0, 0.0), (30.0, 0.0), (30.0, 14.0), (0.0, 14.0)].map(DVec2::from);
/// let office = Building {
///     id: "office".into(),
///     found_at: "feature 1".into(),
///     shape: Shape::Prism(Prism {
///         outline: vec![Polygon { outer: corners.into(), holes: Vec::new() }],
///         roof: Roof::Height(9.6),
///         pitched: None,
///         min_height: 0.0,
///         ground: None,
///     }),
///     wall_material: None,
///     roof_material: None,
/// };
/// let options = InsideOptions { storey: 3.2, rooms: Some(5.0) };
/// let built = insides::build(&[office], &|_| Some(0.0), &options);
/// assert_eq!(built.buildings[0].id, "office");
/// assert!(built.mesh.materials.iter().any(|material| material.name == "inner_wall"));
/// ```
pub fn build(
    buildings: &[Building],
    ground: &dyn Fn(DVec2) -> Option<f64>,
    options: &InsideOptions,
) -> Built {
    let mut built = Built::default();
    let mut notes = Notes::without_file();
    for building in buildings {
        let start = built.mesh.triangles.len();
        let place = &building.found_at;
        let added = match &building.shape {
            Shape::Prism(prism) => prism_inside(prism, ground, options, &mut built.mesh),
            Shape::Surfaces(_) => Err("it is made of surfaces, and insides are made for outlines"),
        };
        match added {
            Ok(ground) => built.buildings.push(BuiltBuilding {
                id: building.id.clone(),
                triangles: start..built.mesh.triangles.len(),
                ground,
            }),
            Err(why) => notes.add(place, format!("{why}; the building is left out")),
        }
    }
    built.warnings = notes.sentences();
    built
}

/// Adds the inside of a prism and returns the ground that it stands on, metres.
fn prism_inside(
    prism: &Prism,
    ground: &dyn Fn(DVec2) -> Option<f64>,
    options: &InsideOptions,
    mesh: &mut Mesh,
) -> Result<f64, &'static str> {
    let ground = prism.ground.or_else(|| lowest_ground(prism, ground));
    let ground = ground.ok_or("the elevation of the ground is unknown there")?;
    let base = ground + prism.min_height;
    let top = match prism.roof {
        Roof::Height(height) => ground + height,
        Roof::Elevation(elevation) => elevation,
    };
    if top <= base {
        return Err("its roof is not above its foot");
    }
    let plans: Option<Vec<Plan>> = prism
        .outline
        .iter()
        .map(|outline| Plan::new(outline, options.rooms))
        .collect();
    let plans = plans.ok_or("its outline crosses itself")?;
    let materials = MATERIALS.map(|(name, definition)| {
        let index = mesh.material_index(name);
        mesh.materials[index as usize].definition = Material::from_name(definition);
        index
    });
    let [facade, floor, inner, core, roof] = materials;
    let levels = levels(base, top, options.storey);
    for plan in &plans {
        let first = index(mesh.vertices.len());
        let size = index(plan.vertices.len());
        for &level in &levels {
            let corners = plan.vertices.iter().map(|at| at.extend(level));
            mesh.vertices.extend(corners);
        }
        for (number, _) in (0_u32..).zip(&levels) {
            let low = first + number * size;
            let is_roof = number as usize + 1 == levels.len();
            let level = if is_roof { roof } else { floor };
            let slabs = plan.triangles.iter().map(|t| (t.map(|v| low + v), level));
            push(mesh, slabs);
            if is_roof {
                continue;
            }
            for &(part, [a, b]) in &plan.walls {
                let material = match part {
                    Part::Facade => facade,
                    Part::Core => core,
                    Part::Inner => inner,
                };
                let [a, b] = [low + a, low + b];
                let wall = [[a, b, b + size], [a, b + size, a + size]];
                push(mesh, wall.map(|t| (t, material)));
            }
        }
    }
    Ok(ground)
}

fn push(mesh: &mut Mesh, triangles: impl IntoIterator<Item = ([u32; 3], u32)>) {
    let triangles = triangles.into_iter();
    let triangles = triangles.map(|(vertices, material)| MeshTriangle { vertices, material });
    mesh.triangles.extend(triangles);
}

/// The heights of the floors and then of the roof, metres.
fn levels(base: f64, top: f64, storey: f64) -> Vec<f64> {
    let mut levels = vec![base];
    let mut number = 1.0;
    while top - (base + number * storey) >= MIN_STOREY {
        levels.push(base + number * storey);
        number += 1.0;
    }
    levels.push(top);
    levels
}

/// The lowest known ground along an outline.
fn lowest_ground(prism: &Prism, ground: &dyn Fn(DVec2) -> Option<f64>) -> Option<f64> {
    let rings = prism.outline.iter().flat_map(Polygon::rings);
    let mut lowest: Option<f64> = None;
    for (a, b) in rings.flat_map(|ring| rings::sides(ring)) {
        let steps = (a.distance(b) / GROUND_STEP).ceil().max(1.0);
        let mut step = 0.0;
        while step < steps {
            if let Some(height) = ground(a.lerp(b, step / steps)) {
                lowest = Some(lowest.map_or(height, |lowest| lowest.min(height)));
            }
            step += 1.0;
        }
    }
    lowest
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("a mesh has fewer than 2^32 vertices")
}
