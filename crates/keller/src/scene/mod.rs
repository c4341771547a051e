//! Step 1 of a ray's life: triangles become a checked, immutable scene of planar faces and edges.
//!
//! [`Scene::new`] reads as the list of its stages, each in its own file: weld, regions, planes and faces, index, edges.
//! Ids are canonical: they do not depend on the order in which a file lists its triangles.

mod arrays;
mod bodies;
mod borders;
pub mod building;
mod buried;
mod creases;
mod cuts;
mod defects;
mod edge;
mod edges;
mod flat_wedges;
mod hulls;
mod ids;
mod joints;
mod mesh;
pub(crate) mod near;
pub mod openings;
mod pieces;
mod planes;
mod query;
mod regions;
mod simplify;
mod terrain;
#[cfg(test)]
mod tests;
mod weld;

// The types are public for keller's own crates; they may change at any time.
#[doc(hidden)]
pub use arrays::{Lists, Numbers};
pub use bodies::{Body, Fronts};
pub use defects::Defects;
pub use edge::Edge;
pub use ids::{EdgeId, FaceId, MaterialId, PlaneId};
pub(crate) use joints::Joint;
pub use mesh::{Mesh, MeshMaterial, MeshTriangle};
pub use pieces::Piece;
pub use query::Crossing;
pub use simplify::SimplifiedTerrain;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glam::DVec3;
use rayon::prelude::*;

use planes::Grouping;
use regions::{Regions, Sides};

use crate::clutter::Clutter;
use crate::control::Part;
use crate::geometry::Plane;
use crate::geometry::bvh::{Bvh, Dispatch, Ray, RayAccelerator, Triangle};
use crate::geometry::tolerance::{MAX_COORDINATE, TIE_DISTANCE};
use crate::materials::Material;
use crate::{Control, Error, Stage};

/// A place: planar faces, the edges between them, and an index to find them. Immutable once built.
///
/// ```
/// use keller::{DVec3, scene::{Mesh, MeshTriangle, Scene}};
/// let mut ground = Mesh::default();
/// let material = ground.material_index("concrete");
/// ground.vertices = vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y];
/// ground.triangles = [[0, 1, 2], [0, 2, 3]].map(|vertices| MeshTriangle { vertices, material }).into();
/// let scene = Scene::new(&ground)?;
/// assert_eq!((scene.faces().len(), scene.edges().len()), (1, 4));
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scene {
    origin: DVec3,
    bounds: [DVec3; 2],
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    triangle_faces: Vec<FaceId>,
    /// The number of times that each triangle was in the mesh.
    copies: Vec<u32>,
    faces: Vec<Face>,
    planes: Vec<Plane>,
    edges: Vec<Edge>,
    edge_planes: edge::Others,
    /// Whether another edge ends in line at the start of each edge.
    edge_follows: Vec<bool>,
    materials: Vec<String>,
    /// Definitions of the materials that their file defines.
    definitions: Vec<Option<Material>>,
    index: Bvh,
    defects: Defects,
    /// The bodies, found at the first use.
    bodies: OnceLock<bodies::Bodies>,
    /// The terrain, found at the first use.
    terrain: OnceLock<terrain::Terrain>,
    /// The hulls, found at the first use.
    hulls: OnceLock<hulls::Hulls>,
    /// The joints, found at the first use.
    joints: OnceLock<joints::Joints>,
    clutter: Clutter,
}

/// A planar face: all connected or overlapping surface of one material in one plane, including its holes.
#[derive(Debug, Clone, PartialEq)]
pub struct Face {
    /// Its plane.
    pub plane: PlaneId,
    /// Its material.
    pub material: MaterialId,
    /// Area, m²; overlapping triangles count twice.
    pub area: f64,
    /// Whether its front, to which the windings of its triangles point, is on the side of its plane's normal.
    pub faces_along_normal: bool,
    /// Its triangles in [`Scene::triangles`].
    pub triangles: Range<usize>,
}

impl Scene {
    /// The scene of a mesh's triangles.
    ///
    /// # Errors
    /// [`Error::EmptyScene`], [`Error::VertexPosition`], [`Error::IndexOutOfRange`].
    pub fn new(mesh: &Mesh) -> Result<Self, Error> {
        Self::with_control(mesh, &Control::default())
    }

    /// [`Self::new`] with progress and cancellation, since large meshes take a minute.
    ///
    /// # Errors
    /// The errors of [`Self::new`], and [`Error::Cancelled`].
    pub fn with_control(mesh: &Mesh, control: &Control<'_>) -> Result<Self, Error> {
        let part = |from, to| Part::new(control, Stage::Scene, from, to);
        check(mesh)?;
        let welded = weld::weld(mesh, part(0.0, 0.2))?;
        if welded.triangles.is_empty() {
            return Err(Error::EmptyScene);
        }
        let sides = Sides::new(&welded.triangles, welded.vertices.len());
        let regions = regions::regions(&welded, &sides, part(0.2, 0.5))?;
        drop(sides);
        let grouping = planes::group(&regions, &welded, part(0.5, 0.6))?;
        let (faces, order) = number_faces(&regions, &grouping);
        drop(regions);
        let bounds = bounds(&welded);
        let triangles = in_order(welded.triangles, &order);
        let copies = in_order(welded.copies, &order);
        drop(order);
        let triangle_faces = arrays::faces_of_triangles(&faces);
        let origin = (0.5 * (bounds[0] + bounds[1])).round();
        let mut scene = Self {
            origin,
            bounds,
            index: Bvh::build(&[]),
            defects: Defects {
                near_vertices: welded.cracks,
                zero_area_triangles: welded.zero_area,
                duplicate_triangles: welded.duplicates,
                ..Defects::default()
            },
            vertices: welded.vertices,
            triangles,
            triangle_faces,
            copies,
            faces,
            planes: grouping.planes,
            edges: Vec::new(),
            edge_planes: edge::Others::default(),
            edge_follows: Vec::new(),
            materials: mesh.materials.iter().map(|m| m.name.clone()).collect(),
            definitions: mesh
                .materials
                .iter()
                .map(|m| m.definition.clone())
                .collect(),
            bodies: OnceLock::new(),
            terrain: OnceLock::new(),
            hulls: OnceLock::new(),
            joints: OnceLock::new(),
            clutter: Clutter::default(),
        };
        control.check()?;
        scene.index = scene.indexed();
        control.check()?;
        let sides = Sides::new(&scene.triangles, scene.vertices.len());
        let found = edges::edges(&scene, sides, part(0.7, 1.0))?;
        scene.defects.non_manifold_edges = found.non_manifold;
        scene.defects.t_junctions = found.t_junctions;
        scene.edge_follows = edges::follows(&found.list);
        scene.edges = found.list;
        scene.edge_planes = found.others;
        let joints = joints::Joints::with(found.creases, &scene);
        scene.joints = OnceLock::from(joints);
        Ok(scene)
    }

    /// This scene with an index that uses these instructions. All instructions give the same results.
    ///
    /// # Panics
    /// If the machine does not have them.
    #[must_use]
    pub fn with_dispatch(mut self, dispatch: Dispatch) -> Self {
        self.index = self.index.with_dispatch(dispatch);
        self
    }

    /// This scene with an index whose large batches `accelerator` answers. The accelerator must hold a copy of this scene's
    /// index.
    #[must_use]
    pub fn with_accelerator(mut self, accelerator: Arc<dyn RayAccelerator>) -> Self {
        self.index = self.index.with_accelerator(accelerator);
        self
    }

    /// This scene with these volumes of clutter in place of those it had.
    #[must_use]
    pub fn with_clutter(mut self, clutter: Clutter) -> Self {
        self.clutter = clutter;
        self
    }

    /// The volumes of clutter, which attenuate the waves that cross them.
    pub fn clutter(&self) -> &Clutter {
        &self.clutter
    }

    /// The origin of f32 tracing, metres.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The minimum and maximum coordinates, metres.
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Welded vertices, metres.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Indices into [`Self::vertices`]. Triangles of one face are consecutive.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The face of each triangle.
    pub fn triangle_faces(&self) -> &[FaceId] {
        &self.triangle_faces
    }

    /// The faces, by [`FaceId`].
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// One face.
    pub fn face(&self, id: FaceId) -> &Face {
        &self.faces[id.index()]
    }

    /// The planes, by [`PlaneId`].
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// One plane.
    pub fn plane(&self, id: PlaneId) -> &Plane {
        &self.planes[id.index()]
    }

    /// The plane of a face.
    pub fn plane_of(&self, face: FaceId) -> PlaneId {
        self.faces[face.index()].plane
    }

    /// Unit normal of a face's front.
    pub fn face_normal(&self, face: FaceId) -> DVec3 {
        let face = self.face(face);
        let normal = self.plane(face.plane).normal;
        if face.faces_along_normal {
            normal
        } else {
            -normal
        }
    }

    /// Wedges, then free edges, by [`EdgeId`].
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The groups of the planes of an edge's faces in the [index](Self::index).
    pub(crate) fn groups_of(&self, edge: EdgeId) -> [u32; 2] {
        let faces = self.edges[edge.index()].faces;
        faces.map(|face| face.map_or(Ray::NO_GROUP, |face| self.plane_of(face).group()))
    }

    /// Planes of further faces that end at an edge, in addition to those that bound the open space around it, such as
    /// walls between touching houses.
    pub fn planes_behind(&self, edge: EdgeId) -> &[PlaneId] {
        self.edge_planes.of(edge.index())
    }

    /// Whether a wave diffracts at `point` of an edge, which may be one of its ends. An edge does not diffract at its
    /// ends, except at its start where another edge ends in line and leaves that point to it.
    pub(crate) fn diffracts_at(&self, edge: EdgeId, point: DVec3) -> bool {
        let Edge { ends, .. } = &self.edges[edge.index()];
        point.distance(ends[1]) > TIE_DISTANCE
            && (self.edge_follows[edge.index()] || point.distance(ends[0]) > TIE_DISTANCE)
    }

    /// Names of the materials, by [`MaterialId`].
    pub fn materials(&self) -> &[String] {
        &self.materials
    }

    /// The definition of a material in the scene's file, if it has one.
    pub fn definition(&self, material: MaterialId) -> Option<&Material> {
        self.definitions[material.index()].as_ref()
    }

    /// The ray-intersection index. Its triangles are those of [`Self::triangles`], relative to [`Self::origin`],
    /// grouped by plane.
    pub fn index(&self) -> &Bvh {
        &self.index
    }

    /// The corners of a triangle, metres.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|v| self.vertices[v as usize])
    }

    /// The number of times that each triangle was in the mesh: touching houses may have their wall twice.
    pub(crate) fn copies(&self) -> &[u32] {
        &self.copies
    }

    /// Builds the index of the triangles.
    fn indexed(&self) -> Bvh {
        Bvh::of(self.triangles.len(), |t| self.indexed_triangle(t))
    }

    /// A triangle as the index takes it.
    pub(crate) fn indexed_triangle(&self, triangle: usize) -> Triangle {
        let plane = self.plane_of(self.triangle_faces[triangle]);
        Triangle {
            vertices: (self.corners(triangle)).map(|v| (v - self.origin).as_vec3()),
            group: plane.group(),
        }
    }
}

/// The entries of a list in another order.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the list is freed as soon as it is copied"
)]
fn in_order<T: Copy + Send + Sync>(list: Vec<T>, order: &[u32]) -> Vec<T> {
    order.par_iter().map(|&i| list[i as usize]).collect()
}

/// Checks everything that later stages take for granted.
fn check(mesh: &Mesh) -> Result<(), Error> {
    if mesh.triangles.is_empty() {
        return Err(Error::EmptyScene);
    }
    let is_usable = |v: &DVec3| v.abs().max_element() <= MAX_COORDINATE && v.is_finite();
    if let Some(index) = mesh.vertices.iter().position(|v| !is_usable(v)) {
        return Err(Error::VertexPosition {
            index,
            position: mesh.vertices[index].to_array(),
        });
    }
    for (triangle, t) in mesh.triangles.iter().enumerate() {
        let vertices = t.vertices.map(|v| ("vertex", v, mesh.vertices.len()));
        let material = [("material", t.material, mesh.materials.len())];
        for (what, index, count) in vertices.into_iter().chain(material) {
            if index as usize >= count {
                return Err(Error::IndexOutOfRange {
                    triangle,
                    what,
                    index: index as usize,
                    count,
                });
            }
        }
    }
    Ok(())
}

/// Numbers the faces in the order of their first regions, and the triangles in the order of the faces.
fn number_faces(regions: &Regions, grouping: &Grouping) -> (Vec<Face>, Vec<u32>) {
    let num = u32::try_from(regions.list.len()).expect("fewer regions than triangles");
    let mut members: Vec<u32> = (0..num).collect();
    let face_of = |r: u32| grouping.face_of[r as usize];
    members.par_sort_unstable_by_key(|&r| (face_of(r), r));
    let mut faces = Vec::new();
    let mut order = Vec::new();
    for face in members.chunk_by(|&a, &b| face_of(a) == face_of(b)) {
        let first = face[0] as usize;
        let plane = PlaneId::from_index(grouping.plane_of[first] as usize);
        let start = order.len();
        let mut facing = DVec3::ZERO;
        let mut area = 0.0;
        for &r in face {
            let r = r as usize;
            order.extend_from_slice(regions.triangles(r));
            facing += regions.list[r].facing;
            area += regions.list[r].area;
        }
        faces.push(Face {
            plane,
            material: MaterialId::from_index(regions.list[first].material as usize),
            area,
            faces_along_normal: facing.dot(grouping.planes[plane.index()].normal) >= 0.0,
            triangles: start..order.len(),
        });
    }
    faces.shrink_to_fit();
    (faces, order)
}

fn bounds(welded: &weld::Welded) -> [DVec3; 2] {
    let used = welded
        .triangles
        .iter()
        .flatten()
        .map(|&v| welded.vertices[v as usize]);
    used.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], v| {
        [low.min(v), high.max(v)]
    })
}
