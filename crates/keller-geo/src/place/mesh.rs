//! Buildings in local metres become triangles, each a closed body that stands in the ground.
//!
//! A prism's walls reach [`MeshOptions::foundation`] below the lowest ground under its outline, so that no gap opens on a slope;
//! what begins above the ground is closed from below. Flat roofs are cut into triangles by ear clipping (the crate `earcut`), pitched ones
//! along their creases (`mesh/pitched.rs`). Surfaces
//! keep their elevations; only their lowest corners are lowered into the ground, where they are closed if the file leaves them open. Cost: a look at the ground every
//! [`MeshOptions::ground_step`] metres of outline.

mod pitched;
mod surfaces;
mod triangulate;

use crate::shown::shown;
use std::ops::Range;

use glam::DVec2;
use keller::materials::Material;
use keller::scene::{Mesh, MeshTriangle};
use rustc_hash::FxHashMap;

use super::notes::Notes;
use super::{Building, Polygon, Prism, Roof, Shape, rings};
use pitched::Facets;
pub(super) use triangulate::Triangulator;

/// The material of walls and roofs if nothing else is known.
const DEFAULT_MATERIAL: &str = "concrete";

/// Walls lower than this are none, metres.
const MIN_WALL: f64 = 1e-3;

/// The largest number of looks at the ground along one side.
const MAX_SAMPLES: f64 = 1e5;

/// The options for turning buildings into triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshOptions {
    /// The depth, metres, to which walls reach below the lowest ground under a building, where a floor closes them. At
    /// 0 they end there without a floor, which is for a flat ground.
    pub foundation: f64,
    /// The distance between looks at the ground along an outline, metres.
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
    /// The triangles of each building, in the order of the buildings; those left out are missing.
    pub buildings: Vec<BuiltBuilding>,
    /// Messages on buildings that were left out or look wrong; each names the first building concerned.
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
///         pitched: None,
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
                    "the material `{name}` is not known; it is {DEFAULT_MATERIAL} unless a scenario defines it",
                    name = shown(name)
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
            if !self.triangulator.cut(&flat) {
                self.notes.add(
                    place,
                    "its roof could not be cut into triangles cleanly; it may have gaps",
                );
            }
            let plan = self.triangulator.triangles.clone();
            let (eaves, facets) = match &prism.pitched {
                Some(pitched) => {
                    let room = if pitched.is_on_top {
                        f64::INFINITY
                    } else {
                        top - ground - prism.min_height
                    };
                    let over = pitched::over(polygon, pitched, room);
                    if let Some(note) = over.note {
                        self.notes.add(place, note);
                    }
                    let eaves = if pitched.is_on_top {
                        top
                    } else {
                        top - over.rise
                    };
                    match over.facets {
                        Some(facets) => (eaves, facets),
                        None => (eaves + 0.5 * over.rise, Facets::flat(polygon, plan.clone())),
                    }
                }
                None => (top, Facets::flat(polygon, plan.clone())),
            };
            let low = self.body(polygon, [base, eaves], &facets, [wall, roof]);
            if has_floor {
                for [a, b, c] in plan {
                    self.triangle([low + a, low + c, low + b], wall);
                }
            }
        }
        Some(ground)
    }

    /// Adds the walls and the roof over a polygon, and returns the first vertex of its foot.
    fn body(
        &mut self,
        polygon: &Polygon,
        [base, eaves]: [f64; 2],
        facets: &Facets,
        [wall, roof]: [u32; 2],
    ) -> u32 {
        let low = self.next_vertex();
        let foot = polygon.rings().flatten().map(|p| p.extend(base));
        self.built.mesh.vertices.extend(foot);
        let num_corners = facets.on_sides.len();
        let mut high: Vec<u32> = Vec::with_capacity(facets.nodes.len());
        for (node, &(at, height)) in facets.nodes.iter().enumerate() {
            let z = eaves + height;
            // A roof down to the foot has no wall under it.
            if node < num_corners && z - base < MIN_WALL {
                high.push(low + index(node));
            } else {
                high.push(self.next_vertex());
                self.built.mesh.vertices.push(at.extend(z));
            }
        }
        let mut first = 0;
        for ring in polygon.rings() {
            for i in 0..ring.len() {
                let (a, b) = (first + i, first + (i + 1) % ring.len());
                let mut corners = vec![low + index(a), low + index(b), high[b]];
                let between = facets.on_sides[a].iter().rev();
                corners.extend(between.map(|&node| high[node as usize]));
                corners.push(high[a]);
                corners.dedup();
                if corners.first() == corners.last() {
                    corners.pop();
                }
                self.wall(&corners, wall);
            }
            first += ring.len();
        }
        for triangle in &facets.triangles {
            self.triangle(triangle.map(|node| high[node as usize]), roof);
        }
        low
    }

    /// Adds an upright wall between corners, counter-clockwise from outside; the first side is its foot.
    fn wall(&mut self, corners: &[u32], wall: u32) {
        match *corners {
            [a, b, c] => self.triangle([a, b, c], wall),
            [a, b, c, d] => {
                self.triangle([a, b, c], wall);
                self.triangle([a, c, d], wall);
            }
            [a, b, ..] => {
                let at = |corner: u32| self.built.mesh.vertices[corner as usize];
                let start = at(a).truncate();
                let along = (at(b).truncate() - start).normalize_or_zero();
                let flat: Vec<DVec2> = corners
                    .iter()
                    .map(|&corner| {
                        DVec2::new(along.dot(at(corner).truncate() - start), at(corner).z)
                    })
                    .collect();
                self.triangulator.cut(&[&flat]);
                for i in 0..self.triangulator.triangles.len() {
                    let triangle = self.triangulator.triangles[i];
                    self.triangle(triangle.map(|corner| corners[corner as usize]), wall);
                }
            }
            _ => {}
        }
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
            let steps = steps.clamp(1.0, MAX_SAMPLES);
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
