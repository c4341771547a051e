//! Facts about a scene and its defects.

use keller::scene::{Body, Defects, Fronts, Scene};
use keller_geo::crs::{Frame, Georeference};
use keller_io::store::scene_cache::{CutOpenings, PlacedBuilding};
use serde::{Serialize, Serializer};

use crate::Error;

/// Facts about a scene and its defects. Lengths are metres, areas m².
#[derive(Debug, Clone, Serialize)]
pub struct SceneFacts {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of planar faces.
    pub faces: usize,
    /// Number of edges between two faces that diffract.
    pub wedges: usize,
    /// Number of edges of one face.
    pub free_edges: usize,
    /// Number of volumes of clutter.
    pub volumes: usize,
    /// The materials, in the order of the scene.
    pub materials: Vec<MaterialFacts>,
    /// The box around everything.
    pub bounds: BoxFacts,
    /// The place of the scene on earth, if that is known.
    pub place: Option<PlaceFacts>,
    /// Counts of the defects of the mesh.
    #[serde(serialize_with = "counts")]
    pub defects: Defects,
    /// Closed bodies whose fronts do not all look outwards.
    pub turned_bodies: Vec<BodyFacts>,
    /// The buildings with an inside that stand in the scene: those given to [`Self::with_buildings`].
    pub buildings: Vec<BuildingFacts>,
    /// The windows and doors in its walls: those given to [`Self::with_openings`].
    pub openings: Vec<OpeningFacts>,
}

/// The openings that an `[[opening]]` has cut.
#[derive(Debug, Clone, Serialize)]
pub struct OpeningFacts {
    /// The material of the panes. Absent: the openings are empty.
    pub material: Option<String>,
    /// Number of openings.
    pub openings: usize,
    /// Number of upright walls that were asked for.
    pub walls: usize,
    /// Number of those that have openings.
    pub opened_walls: usize,
    /// The area of the openings, m².
    pub area_m2: f64,
    /// Its share of the walls that were asked for, percent.
    pub share_percent: f64,
}

/// A building with an inside, and how it fits.
#[derive(Debug, Clone, Serialize)]
pub struct BuildingFacts {
    /// Its name.
    pub name: String,
    /// The point of the scene at which its (0, 0, 0) stands.
    pub origin: [f64; 3],
    /// The angle from the scene's +x to its own, anticlockwise, degrees.
    pub rotation_deg: f64,
    /// The box around it, in its own axes.
    pub bounds: BoxFacts,
    /// The heights of its floors, in its own axes.
    pub floors: Vec<f64>,
    /// Its footprint, m².
    pub footprint_m2: f64,
    /// The buildings of the scene files that it has replaced.
    pub replaced: Vec<ReplacedFacts>,
    /// Descriptions of how it misses its surroundings.
    pub misfits: Vec<String>,
}

/// A building of the scene files that is gone.
#[derive(Debug, Clone, Serialize)]
pub struct ReplacedFacts {
    /// The name of its object, if the file has one.
    pub object: Option<String>,
    /// Its centre in the scene, x and y.
    pub centre: [f64; 2],
    /// Its footprint, m².
    pub footprint_m2: f64,
    /// The part of that area under the model, m².
    pub inside_m2: f64,
}

/// The share of a scene that is of one material.
#[derive(Debug, Clone, Serialize)]
pub struct MaterialFacts {
    /// Its name.
    pub name: String,
    /// Number of faces.
    pub faces: usize,
    /// Their area, m².
    pub area_m2: f64,
}

/// A box along the axes, metres.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct BoxFacts {
    /// Minimum coordinates.
    pub min: [f64; 3],
    /// Maximum coordinates.
    pub max: [f64; 3],
}

/// The place of a scene on earth.
#[derive(Debug, Clone, Serialize)]
pub struct PlaceFacts {
    /// The coordinate reference system of the scene's axes.
    pub crs: String,
    /// Easting, northing and height at the scene's (0, 0, 0), metres.
    pub origin: [f64; 3],
    /// The centre of the scene.
    pub centre: LonLat,
}

/// A point on earth.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct LonLat {
    /// WGS 84, degrees.
    pub longitude: f64,
    /// WGS 84, degrees.
    pub latitude: f64,
}

/// A closed body whose fronts do not all look outwards.
#[derive(Debug, Clone, Serialize)]
pub struct BodyFacts {
    /// The first of its faces.
    pub face: usize,
    /// The material of that face.
    pub material: String,
    /// `outwards`, `inwards` or `mixed`.
    pub fronts: &'static str,
    /// The box around it.
    pub bounds: BoxFacts,
}

impl SceneFacts {
    /// The facts of a scene that lies at `georeference`.
    ///
    /// # Errors
    /// [`Error::Input`] for a reference system that has no longitudes and latitudes there.
    pub fn of(scene: &Scene, georeference: Option<&Georeference>) -> Result<Self, Error> {
        let wedges = scene.edges().iter().filter(|e| e.is_wedge()).count();
        let place = georeference.map(|georeference| PlaceFacts::of(georeference, scene));
        Ok(Self {
            triangles: scene.triangles().len(),
            faces: scene.faces().len(),
            wedges,
            free_edges: scene.edges().len() - wedges,
            volumes: scene.clutter().volumes().len(),
            materials: materials(scene),
            bounds: BoxFacts::of(scene.bounds().map(|corner| corner.to_array())),
            place: place.transpose()?,
            defects: scene.defects(),
            turned_bodies: scene
                .turned_bodies()
                .map(|body| BodyFacts::of(scene, body))
                .collect(),
            buildings: Vec::new(),
            openings: Vec::new(),
        })
    }

    /// The same with the buildings that stand in the scene.
    #[must_use]
    pub fn with_buildings(mut self, buildings: &[PlacedBuilding]) -> Self {
        self.buildings = buildings.iter().map(BuildingFacts::of).collect();
        self
    }

    /// The same with the windows and doors in its walls.
    #[must_use]
    pub fn with_openings(mut self, openings: &[CutOpenings]) -> Self {
        self.openings = openings.iter().map(OpeningFacts::of).collect();
        self
    }
}

fn materials(scene: &Scene) -> Vec<MaterialFacts> {
    let names = scene.materials().iter();
    let mut materials: Vec<MaterialFacts> = names
        .map(|name| MaterialFacts {
            name: name.clone(),
            faces: 0,
            area_m2: 0.0,
        })
        .collect();
    for face in scene.faces() {
        let material = &mut materials[face.material.index()];
        material.faces += 1;
        material.area_m2 += face.area;
    }
    materials
}

impl BuildingFacts {
    fn of(building: &PlacedBuilding) -> Self {
        let replaced = building.replaced.iter().map(|replaced| ReplacedFacts {
            object: replaced.object.clone(),
            centre: replaced.centre,
            footprint_m2: replaced.area,
            inside_m2: replaced.inside,
        });
        Self {
            name: building.name.clone(),
            origin: building.placement.origin.to_array(),
            rotation_deg: building.placement.rotation.to_degrees(),
            bounds: BoxFacts::of(building.bounds.map(|corner| corner.to_array())),
            floors: building.floors.clone(),
            footprint_m2: building.footprint,
            replaced: replaced.collect(),
            misfits: building.misfits.clone(),
        }
    }
}

impl OpeningFacts {
    fn of(cut: &CutOpenings) -> Self {
        let share = cut.area / cut.wall_area;
        Self {
            material: cut.material.clone(),
            openings: cut.openings,
            walls: cut.walls,
            opened_walls: cut.opened,
            area_m2: cut.area,
            share_percent: if cut.wall_area > 0.0 {
                100.0 * share
            } else {
                0.0
            },
        }
    }
}

impl BoxFacts {
    fn of([min, max]: [[f64; 3]; 2]) -> Self {
        Self { min, max }
    }
}

impl PlaceFacts {
    fn of(georeference: &Georeference, scene: &Scene) -> Result<Self, Error> {
        let [low, high] = scene.bounds();
        let centre = Frame::new(georeference)
            .and_then(|frame| frame.to_lon_lat(0.5 * (low + high).truncate()))
            .map_err(|error| Error::Input(error.to_string()))?;
        Ok(Self {
            crs: georeference.crs.clone(),
            origin: georeference.origin,
            centre: LonLat {
                longitude: centre.x,
                latitude: centre.y,
            },
        })
    }
}

/// The counts by their names.
fn counts<S: Serializer>(defects: &Defects, serializer: S) -> Result<S::Ok, S::Error> {
    let Defects {
        near_vertices,
        t_junctions,
        zero_area_triangles,
        duplicate_triangles,
        overlapping_triangles,
        non_manifold_edges,
        inward_bodies,
        mixed_bodies,
    } = defects;
    serializer.collect_map([
        ("near_vertices", near_vertices),
        ("t_junctions", t_junctions),
        ("zero_area_triangles", zero_area_triangles),
        ("duplicate_triangles", duplicate_triangles),
        ("overlapping_triangles", overlapping_triangles),
        ("non_manifold_edges", non_manifold_edges),
        ("inward_bodies", inward_bodies),
        ("mixed_bodies", mixed_bodies),
    ])
}

impl BodyFacts {
    fn of(scene: &Scene, body: &Body) -> Self {
        Self {
            face: body.face.index(),
            material: scene.materials()[scene.face(body.face).material.index()].clone(),
            fronts: match body.fronts {
                Fronts::Outwards => "outwards",
                Fronts::Inwards => "inwards",
                Fronts::Mixed => "mixed",
            },
            bounds: BoxFacts::of(body.bounds.map(|corner| corner.to_array())),
        }
    }
}
