//! The ground of a scene, and the terrain: parts of the ground that consist of many facets.
//!
//! A face is ground if it is not upright, something can stand on it, and most of its area lies at the height of
//! [`Scene::ground`]. So roofs and bridges with ground under them are not ground, and neither are the undersides of
//! bodies. Ground faces that share a vertex are connected. Connected ground of at least two faces that spans a quarter
//! of the scene in plan is terrain. If a place has no ground, roofs are the lowest faces on which something can stand;
//! they span too little to be taken for terrain. Steep ground is none either, and connects nothing.
//!
//! **Cost:** one vertical ray for each triangle that is not upright, once, when the terrain of a scene is first needed.

use glam::{DVec2, DVec3};

use super::{FaceId, Scene};
use crate::geometry::union_find::UnionFind;
use crate::parallel;

/// The faces that are ground, and those of them that are terrain.
#[derive(Debug, Clone)]
pub(super) struct Terrain {
    /// Whether each face is ground.
    is_ground: Vec<bool>,
    /// The number of each face's terrain, if it belongs to one.
    of_faces: Vec<Option<u32>>,
    num: usize,
}

/// A face with a smaller cosine between its normal and the vertical is upright.
const UPRIGHT: f64 = 0.25;

/// Facets of terrain have at least this cosine between their normal and the vertical. Steeper ones are slopes by
/// themselves: the facets in a tile share its normal.
const LEVEL: f64 = 0.7;

/// A triangle lies on the ground if it is at most this far above it, metres. It covers the rounding of files.
const ON_GROUND: f64 = 0.02;

/// Terrain spans at least this part of the scene's box, seen from above.
const MIN_SPAN: f64 = 0.25;

impl Scene {
    /// Whether a face is ground: most of it lies at the height of [`Self::ground`], and it is not upright.
    pub fn is_ground(&self, face: FaceId) -> bool {
        self.found_terrain().is_ground[face.index()]
    }

    /// The number of the terrain to which a face belongs: connected ground of one material that consists of several
    /// faces and spans a good part of the scene. `None` for other faces.
    pub fn terrain_of(&self, face: FaceId) -> Option<usize> {
        self.found_terrain().of_faces[face.index()].map(|number| number as usize)
    }

    /// The number of terrains, one for each material of each connected ground.
    pub fn num_terrains(&self) -> usize {
        self.found_terrain().num
    }

    /// The numbers of [`Self::terrain_of`] by face, for ground that may also be one face.
    pub(super) fn level_grounds(&self) -> Vec<Option<u32>> {
        wide_grounds(self, &self.found_terrain().is_ground, 1).0
    }

    fn found_terrain(&self) -> &Terrain {
        self.terrain.get_or_init(|| Terrain::of(self))
    }

    /// Whether most of a face is ground.
    fn lies_on_ground(&self, face: FaceId) -> bool {
        let of = self.face(face);
        if self.plane(of.plane).normal.z.abs() < UPRIGHT {
            return false;
        }
        let (mut on_ground, mut all) = (0.0, 0.0);
        for triangle in of.triangles.clone() {
            let [a, b, c] = self.corners(triangle);
            let area = (b - a).cross(c - a).length();
            let centre = (a + b + c) / 3.0;
            all += area;
            if self.carries(triangle)
                && self
                    .ground(centre.truncate())
                    .is_none_or(|ground| centre.z <= ground + ON_GROUND)
            {
                on_ground += area;
            }
        }
        2.0 * on_ground > all
    }
}

impl Terrain {
    fn of(scene: &Scene) -> Self {
        let faces: Vec<FaceId> = (0..scene.faces().len()).map(FaceId::from_index).collect();
        let is_ground: Vec<bool> = parallel::map_slice(&faces, |face| scene.lies_on_ground(*face));
        let (of_faces, num) = wide_grounds(scene, &is_ground, 2);
        Self {
            is_ground,
            of_faces,
            num: num as usize,
        }
    }
}

/// The number of each face's connected level ground of one material, if that ground has at least `min_faces` faces of
/// any material and spans a good part of the scene; and the number of such grounds.
fn wide_grounds(scene: &Scene, is_ground: &[bool], min_faces: usize) -> (Vec<Option<u32>>, u32) {
    let faces: Vec<FaceId> = (0..scene.faces().len()).map(FaceId::from_index).collect();
    // Faces are joined at their vertices. The set of a face is that of the vertices of its first triangle.
    let mut joined = UnionFind::new(scene.vertices().len());
    let is_level = |face: &FaceId| scene.face_normal(*face).z.abs() >= LEVEL;
    let ground = || {
        faces
            .iter()
            .filter(|face| is_ground[face.index()] && is_level(face))
    };
    for face in ground() {
        let triangles = scene.face(*face).triangles.clone();
        let first = scene.triangles()[triangles.start][0];
        for vertex in scene.triangles()[triangles].as_flattened() {
            joined.join(first as usize, *vertex as usize);
        }
    }
    let mut members: Vec<(usize, u32, FaceId)> = ground()
        .map(|face| {
            let of = scene.face(*face);
            let vertex = scene.triangles()[of.triangles.start][0];
            let material = u32::try_from(of.material.index()).expect("few materials");
            (joined.root(vertex as usize), material, *face)
        })
        .collect();
    members.sort_unstable();
    let [low, high] = scene.bounds().map(DVec3::truncate);
    let whole = (high - low).element_product();
    let mut of_faces = vec![None; faces.len()];
    let mut num = 0;
    for connected in members.chunk_by(|a, b| a.0 == b.0) {
        let all = connected.iter().map(|(.., face)| *face);
        if connected.len() < min_faces || span(scene, all) < MIN_SPAN * whole {
            continue;
        }
        for of_material in connected.chunk_by(|a, b| a.1 == b.1) {
            for (.., face) in of_material {
                of_faces[face.index()] = Some(num);
            }
            num += 1;
        }
    }
    (of_faces, num)
}

/// The area of the box around faces, seen from above, m².
fn span(scene: &Scene, faces: impl Iterator<Item = FaceId>) -> f64 {
    let corners = faces
        .flat_map(|face| scene.face(face).triangles.clone())
        .flat_map(|triangle| scene.corners(triangle));
    let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    let [low, high] = corners.fold(empty, |[low, high], p| {
        [low.min(p.truncate()), high.max(p.truncate())]
    });
    (high - low).element_product()
}
