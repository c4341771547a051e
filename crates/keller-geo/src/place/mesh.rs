//! Buildings in local metres become triangles, each a closed body that stands in the ground.
//!
//! A prism's walls reach [`MeshOptions::foundation`] below the lowest ground under its outline, so that no gap opens on a slope;
//! what begins above the ground is closed from below. Roofs are cut into triangles by ear clipping (the crate `earcut`). Surfaces
//! keep their elevations; only their lowest corners are lowered into the ground, where they are closed if the file leaves them open. Cost: a look at the ground every
//! [`MeshOptions::ground_step`] metres of outline.

mod surfaces;
mod triangulate;

use std::ops::Range;

use glam::DVec2;
use keller::materials::Material;
use keller::scene::{Mesh, MeshTriangle};
use rustc_hash::FxHashMap;

use super::notes::Notes;
use super::{Building, Polygon, Prism, Roof, Shape, rings};
pub(super) use triangulate::Triangulator;

/// What walls and roofs are made of where nothing else is known.
const DEFAULT_MATERIAL: &str = "concrete";

/// Looks at the ground along one side, at most.
const MAX_LOOKS: f64 = 1e5;

/// How buildings become triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshOptions {
    /// Metres that walls reach below the lowest ground under a building, where they are closed by a floor. At 0 they end there
    /// without a floor, which is for a flat ground.
    pub foundation: f64,
    /// Metres between looks at the ground along an outline.
    pub ground_step: f64,
    /// The material of walls whose building names none; concrete unless a scenario defines it.
    pub wall_material: String,
    /// The material of roofs whose building names none; concrete unless a scenario defines it.
    pub roof_material: String,
}

impl Default for MeshOptions {
    fn default() -> Self {
        Self {
            foundation: 1.0,
            ground_step: 2.0,
            wall_material: "wall".to_owned(),
            roof_material: "roof".to_owned(),
        }
    }
}

/// The triangles of buildings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Built {
    /// All triangles, counter-clockwise seen from outside.
    pub mesh: Mesh,
    /// Which triangles are whose, in the order of the buildings; those left out are missing.
    pub buildings: Vec<BuiltBuilding>,
    /// What was left out or looks wrong; each names the first building concerned.
    pub warnings: Vec<String>,
}

/// A building among the triangles of a [`Built`].
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltBuilding {
    /// The id it has in its file.
    pub id: String,
    /// Its triangles in the mesh.
    pub triangles: Range<usize>,
    /// The elevation of the ground it stands on, metres.
    pub ground: f64,
}

/// The triangles of `buildings`, whose horizontal coordinates are local metres and whose outlines are in order, standing on `ground`,
/// which gives its elevation at a point or `None` where it is unknown.
///
/// ```
/// use glam::DVec2;
/// use keller::scene::Scene;
/// use keller_geo::place::{Building, Polygon, Prism, Roof, Shape, mesh};
/// let corners = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)].map(DVec2::from);
/// let cube = Building {
///     id: "cube".into(),
///     found_at: "feature 1".into(),
///     shape: Shape::Prism(Prism {
///         outline: vec![Polygon { outer: corners.into(), holes: Vec::new() }],
///         roof: Roof::Height(10.0),
///         min_height: 0.0,
///         ground: None,
///     }),
///     wall_material: Some("brick".into()),
///     roof_material: None,
/// };
/// let built = mesh::build(&[cube], &|_| Some(0.0), &mesh::MeshOptions::default());
/// let scene = Scene::new(&built.mesh)?;
/// assert_eq!((scene.faces().len(), scene.edges().len()), (6, 12));
/// # Ok::<(), keller::Error>(())
/// ```
pub fn build(
    buildings: &[Building],
    ground: &dyn Fn(DVec2) -> Option<f64>,
    options: &MeshOptions,
) -> Built {
    let mut builder = Builder {
        ground,
        options,
        built: Built::default(),
        notes: Notes::without_file(),
        triangulator: Triangulator::default(),
        materials: FxHashMap::default(),
    };
    for building in buildings {
        builder.building(building);
    }
    let Builder {
        mut built, notes, ..
    } = builder;
    built.warnings = notes.sentences();
    built
}

struct Builder<'a> {
    ground: &'a dyn Fn(DVec2) -> Option<f64>,
    options: &'a MeshOptions,
    built: Built,
    notes: Notes,
    triangulator: Triangulator,
    materials: FxHashMap<String, u32>,
}

impl Builder<'_> {
    fn building(&mut self, building: &Building) {
        let start = self.built.mesh.triangles.len();
        let place = &building.found_at;
        let wall = self.material(building.wall_material.as_deref(), true, place);
        let roof = self.material(building.roof_material.as_deref(), false, place);
        let ground = match &building.shape {
            Shape::Prism(prism) => self.prism(prism, wall, roof, place),
            Shape::Surfaces(surfaces) => self.surfaces(surfaces, wall, roof, place),
        };
        let Some(ground) = ground else { return };
        self.built.buildings.push(BuiltBuilding {
            id: building.id.clone(),
            triangles: start..self.built.mesh.triangles.len(),
            ground,
        });
    }

    /// The index of a material, which is taken as concrete if its name says nothing to keller.
    fn material(&mut self, name: Option<&str>, is_wall: bool, place: &str) -> u32 {
        let default = if is_wall {
            &self.options.wall_material
        } else {
            &self.options.roof_material
        };
        let name = name.unwrap_or(default);
        if let Some(&index) = self.materials.get(name) {
            return index;
        }
        let known = itu_name(name);
        let material = &mut self.built.mesh;
        let index = material.material_index(known.unwrap_or(name));
        let slot = &mut material.materials[index as usize];
        if known.is_none() {
            slot.definition = Material::from_name(DEFAULT_MATERIAL);
            let is_default = [&self.options.wall_material, &self.options.roof_material]
                .contains(&&name.to_owned());
            if !is_default {
                let what = format!(
                    "the material `{name}` is not known; it is {DEFAULT_MATERIAL} unless a scenario defines it"
                );
                self.notes.add(place, what);
            }
        }
        self.materials.insert(name.to_owned(), index);
        index
    }

    /// Adds a prism and returns the ground it stands on.
    fn prism(&mut self, prism: &Prism, wall: u32, roof: u32, place: &str) -> Option<f64> {
        let corners = prism.outline.iter().flat_map(Polygon::rings);
        let lowest = self.lowest_ground(corners.flat_map(|ring| rings::sides(ring)), place);
        let Some(ground) = prism.ground.or(lowest) else {
            self.notes.add(
                place,
                "the elevation of the ground is unknown there; the building is left out",
            );
            return None;
        };
        let top = match prism.roof {
            Roof::Height(height) => ground + height,
            Roof::Elevation(elevation) => elevation,
        };
        let is_raised = prism.min_height > 0.0;
        let base = if is_raised {
            ground + prism.min_height
        } else {
            lowest.map_or(ground, |lowest| lowest.min(ground)) - self.options.foundation
        };
        if top <= base.max(ground) {
            self.notes.add(
                &format!("{place} (from {base} m to {top} m)"),
                "its roof is not above its foot; the building is left out",
            );
            return None;
        }
        let has_floor = is_raised || self.options.foundation > 0.0;
        for polygon in &prism.outline {
            let flat: Vec<&[DVec2]> = polygon.rings().map(Vec::as_slice).collect();
            let count: usize = flat.iter().map(|ring| ring.len()).sum();
            let (low, high) = (self.next_vertex(), self.next_vertex() + index(count));
            for z in [base, top] {
                let points = flat.iter().copied().flatten();
                self.built.mesh.vertices.extend(points.map(|p| p.extend(z)));
            }
            let mut first = 0;
            for ring in &flat {
                for i in 0..ring.len() {
                    let a = index(first + i);
                    let b = index(first + (i + 1) % ring.len());
                    self.triangle([low + a, low + b, high + b], wall);
                    self.triangle([low + a, high + b, high + a], wall);
                }
                first += ring.len();
            }
            if !self.triangulator.cut(&flat) {
                self.notes.add(
                    place,
                    "its roof could not be cut into triangles cleanly; it may have gaps",
                );
            }
            for at in 0..self.triangulator.triangles.len() {
                let [a, b, c] = self.triangulator.triangles[at];
                self.triangle([high + a, high + b, high + c], roof);
                if has_floor {
                    self.triangle([low + a, low + c, low + b], wall);
                }
            }
        }
        Some(ground)
    }

    /// The lowest known ground along sides; points where it is unknown are warned of.
    fn lowest_ground(
        &mut self,
        sides: impl Iterator<Item = (DVec2, DVec2)>,
        place: &str,
    ) -> Option<f64> {
        let mut lowest = f64::INFINITY;
        let mut is_outside = false;
        for (a, b) in sides {
            let steps = (a.distance(b) / self.options.ground_step).ceil();
            let steps = steps.clamp(1.0, MAX_LOOKS);
            let mut step = 0.0;
            while step < steps {
                match (self.ground)(a.lerp(b, step / steps)) {
                    Some(height) => lowest = lowest.min(height),
                    None => is_outside = true,
                }
                step += 1.0;
            }
        }
        if is_outside && lowest.is_finite() {
            self.notes.add(
                place,
                "a part of it lies where the elevation of the ground is unknown; the rest of its outline counts",
            );
        }
        lowest.is_finite().then_some(lowest)
    }

    fn next_vertex(&self) -> u32 {
        index(self.built.mesh.vertices.len())
    }

    fn triangle(&mut self, vertices: [u32; 3], material: u32) {
        let triangles = &mut self.built.mesh.triangles;
        triangles.push(MeshTriangle { vertices, material });
    }
}

/// The name under which keller knows a material; words of OpenStreetMap for the walls of ITU-R P.2040 are translated.
fn itu_name(name: &str) -> Option<&str> {
    if Material::from_name(name).is_some() {
        return Some(name);
    }
    match name.to_lowercase().as_str() {
        "cement_block" | "reinforced_concrete" | "cement" => Some("concrete"),
        "bricks" | "clay" | "masonry" => Some("brick"),
        "timber" | "timber_framing" | "log" => Some("wood"),
        "mirror" | "glass_facade" => Some("glass"),
        "steel" | "tin" | "copper" | "metal_sheet" | "aluminium" | "zinc" => Some("metal"),
        _ => None,
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("a mesh has fewer than 2^32 vertices")
}

#[cfg(test)]
mod tests;
