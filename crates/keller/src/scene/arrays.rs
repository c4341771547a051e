//! A scene as plain lists of numbers, for storage. The lists hold everything that [`Scene::new`] has found, so that
//! nothing needs to be computed again.
//!
//! Lists are written and read one at a time, so that no more than one exists twice in memory. Lists that come from a
//! file are checked: whatever they contain, no later step reads out of bounds. Clutter is not included.

use std::sync::OnceLock;

use glam::DVec3;
use rayon::prelude::*;

use super::edge::Others;
use super::edges;
use super::{Defects, Edge, Face, FaceId, MaterialId, MeshMaterial, PlaneId, Scene};
use crate::clutter::Clutter;
use crate::geometry::Plane;
use crate::geometry::bvh::Bvh;
use crate::geometry::tolerance::MAX_COORDINATE;

/// One list of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Numbers<'a> {
    /// Indices and counts.
    Whole(&'a [u32]),
    /// Numbers of the index.
    Single(&'a [f32]),
    /// Coordinates and similar.
    Double(&'a [f64]),
}

/// Returns the lists of a scene, in the order in which [`Scene::each_list`] wrote them.
pub trait Lists {
    /// Why a list cannot be returned.
    type Error;

    /// The next list, of kind [`Numbers::Whole`].
    ///
    /// # Errors
    /// Any error of the storage.
    fn whole(&mut self) -> Result<Vec<u32>, Self::Error>;

    /// The next list, of kind [`Numbers::Single`].
    ///
    /// # Errors
    /// Any error of the storage.
    fn single(&mut self) -> Result<Vec<f32>, Self::Error>;

    /// The next list, of kind [`Numbers::Double`].
    ///
    /// # Errors
    /// Any error of the storage.
    fn double(&mut self) -> Result<Vec<f64>, Self::Error>;

    /// The error for lists that do not describe a scene.
    fn refuse(&self, problem: &'static str) -> Self::Error;
}

/// The number that stands for the second face of a free edge.
const NO_FACE: u32 = u32::MAX;

impl Scene {
    /// Passes everything in the scene except its clutter and the names of its materials to `put`, as lists in a fixed
    /// order.
    ///
    /// # Errors
    /// The first error of `put`.
    pub fn each_list<E>(&self, put: &mut dyn FnMut(Numbers<'_>) -> Result<(), E>) -> Result<(), E> {
        let mut double = |list: Vec<f64>| put(Numbers::Double(&list));
        let points =
            |list: &mut dyn Iterator<Item = DVec3>| list.flat_map(|p| p.to_array()).collect();
        let [low, high] = self.bounds;
        double(points(&mut [self.origin, low, high].into_iter()))?;
        double(points(&mut self.vertices.iter().copied()))?;
        double(points(&mut self.planes.iter().map(|plane| plane.normal)))?;
        double(self.planes.iter().map(|plane| plane.offset).collect())?;
        double(self.faces.iter().map(|face| face.area).collect())?;
        let of_edges: [fn(&Edge) -> DVec3; 5] = [
            |edge| edge.ends[0],
            |edge| edge.ends[1],
            |edge| edge.inward,
            |edge| edge.outward,
            |edge| edge.second_outward,
        ];
        for of in of_edges {
            double(points(&mut self.edges.iter().map(of)))?;
        }
        double(self.edges.iter().map(|edge| edge.exterior_angle).collect())?;

        put(Numbers::Whole(self.triangles.as_flattened()))?;
        put(Numbers::Whole(&self.copies))?;
        let mut whole = |list: Vec<u32>| put(Numbers::Whole(&list));
        let faces = self.faces.iter();
        whole(
            faces
                .clone()
                .map(|face| narrow(face.plane.index()))
                .collect(),
        )?;
        whole(
            faces
                .clone()
                .map(|face| narrow(face.material.index()))
                .collect(),
        )?;
        whole(
            faces
                .clone()
                .map(|face| face.faces_along_normal.into())
                .collect(),
        )?;
        whole(faces.map(|face| narrow(face.triangles.len())).collect())?;
        let face = |face: Option<FaceId>| face.map_or(NO_FACE, |face| narrow(face.index()));
        whole(
            self.edges
                .iter()
                .flat_map(|edge| edge.faces.map(face))
                .collect(),
        )?;
        let others = &self.edge_planes;
        whole(others.edges.clone())?;
        whole(
            others
                .planes
                .iter()
                .map(|plane| narrow(plane.index()))
                .collect(),
        )?;
        let defects = self.defects;
        let counts = [
            defects.near_vertices,
            defects.t_junctions,
            defects.zero_area_triangles,
            defects.duplicate_triangles,
            defects.non_manifold_edges,
        ];
        whole(counts.map(narrow).to_vec())?;
        self.index.each_list(put)
    }

    /// Builds the scene of such lists with these materials. The contents are trusted as far as they are consistent.
    ///
    /// # Errors
    /// The errors of `lists`, including its refusal of lists that are not consistent.
    #[expect(
        clippy::too_many_lines,
        reason = "each list is read, compared with the others and put in its place"
    )]
    pub fn from_lists<L: Lists>(
        materials: &[MeshMaterial],
        lists: &mut L,
    ) -> Result<Self, L::Error> {
        let frame = points(lists)?;
        let vertices = points(lists)?;
        let normals = points(lists)?;
        let offsets = lists.double()?;
        let areas = lists.double()?;
        let of_edges = [points(lists)?, points(lists)?, points(lists)?];
        let [starts, ends, inwards] = of_edges;
        let [outwards, seconds] = [points(lists)?, points(lists)?];
        let angles = lists.double()?;
        let triangles: Vec<[u32; 3]> = groups(lists.whole()?);
        let copies = lists.whole()?;
        let face_planes = lists.whole()?;
        let face_materials = lists.whole()?;
        let along = lists.whole()?;
        let lengths = lists.whole()?;
        let edge_faces: Vec<[u32; 2]> = groups(lists.whole()?);
        let others = [lists.whole()?, lists.whole()?];
        let counts = lists.whole()?;
        let index = Bvh::from_lists(triangles.len(), lists)?;

        let &[origin, low, high] = &frame[..] else {
            return Err(lists.refuse("it has no bounds"));
        };
        let is_usable = |v: &DVec3| v.is_finite() && v.abs().max_element() <= MAX_COORDINATE;
        let are_usable = frame.iter().all(is_usable) && vertices.par_iter().all(is_usable);
        if !are_usable || vertices.is_empty() || triangles.is_empty() {
            return Err(lists.refuse("its vertices are wrong"));
        }
        let is_below = |list: &[u32], count: usize| list.par_iter().all(|&i| (i as usize) < count);
        let num_faces = areas.len();
        let of_faces = [&face_planes, &face_materials, &along, &lengths];
        let are_faces = of_faces.iter().all(|list| list.len() == num_faces)
            && normals.len() == offsets.len()
            && is_below(&face_planes, normals.len())
            && is_below(&face_materials, materials.len())
            && lengths.iter().map(|&n| n as usize).sum::<usize>() == triangles.len();
        if !are_faces
            || copies.len() != triangles.len()
            || !is_below(triangles.as_flattened(), vertices.len())
        {
            return Err(lists.refuse("its triangles do not fit its vertices or faces"));
        }
        let num_edges = edge_faces.len();
        let of_edges = [&starts, &ends, &inwards, &outwards, &seconds];
        let is_face = |&[a, b]: &[u32; 2]| {
            (a as usize) < num_faces && ((b as usize) < num_faces || b == NO_FACE)
        };
        let [other_edges, other_planes] = others;
        let are_edges = of_edges.iter().all(|list| list.len() == num_edges)
            && angles.len() == num_edges
            && edge_faces.par_iter().all(is_face)
            && other_edges.len() == other_planes.len()
            && other_edges.is_sorted()
            && is_below(&other_edges, num_edges)
            && is_below(&other_planes, normals.len());
        if !are_edges {
            return Err(lists.refuse("its edges do not fit its faces"));
        }
        let &[near, t_junctions, zero_area, duplicates, non_manifold] = &counts[..] else {
            return Err(lists.refuse("its defects are not told"));
        };
        let mut first = 0;
        let faces: Vec<Face> = (0..num_faces)
            .map(|f| {
                let start = first;
                first += lengths[f] as usize;
                Face {
                    plane: PlaneId::from_index(face_planes[f] as usize),
                    material: MaterialId::from_index(face_materials[f] as usize),
                    area: areas[f],
                    faces_along_normal: along[f] != 0,
                    triangles: start..first,
                }
            })
            .collect();
        let triangle_faces = faces_of_triangles(&faces);
        let planes: Vec<Plane> = normals
            .into_par_iter()
            .zip(offsets)
            .map(|(normal, offset)| Plane { normal, offset })
            .collect();
        let is_grouped = |triangle: u32, group: u32| {
            let face: FaceId = triangle_faces[triangle as usize];
            faces[face.index()].plane.index() == group as usize
        };
        if !index.has_groups(is_grouped) {
            return Err(lists.refuse("its index is of other planes"));
        }
        let id = |face: u32| (face != NO_FACE).then(|| FaceId::from_index(face as usize));
        let edges: Vec<Edge> = (0..num_edges)
            .into_par_iter()
            .map(|e| Edge {
                ends: [starts[e], ends[e]],
                faces: edge_faces[e].map(id),
                exterior_angle: angles[e],
                inward: inwards[e],
                outward: outwards[e],
                second_outward: seconds[e],
            })
            .collect();
        let planes_of_others = other_planes.into_iter();
        Ok(Self {
            origin,
            bounds: [low, high],
            vertices,
            triangles,
            triangle_faces,
            copies,
            faces,
            planes,
            edge_follows: edges::follows(&edges),
            edges,
            edge_planes: Others {
                edges: other_edges,
                planes: planes_of_others
                    .map(|plane| PlaneId::from_index(plane as usize))
                    .collect(),
            },
            materials: materials.iter().map(|m| m.name.clone()).collect(),
            definitions: materials.iter().map(|m| m.definition.clone()).collect(),
            index,
            defects: Defects {
                near_vertices: near as usize,
                t_junctions: t_junctions as usize,
                zero_area_triangles: zero_area as usize,
                duplicate_triangles: duplicates as usize,
                non_manifold_edges: non_manifold as usize,
                ..Defects::default()
            },
            bodies: OnceLock::new(),
            terrain: OnceLock::new(),
            hulls: OnceLock::new(),
            joints: OnceLock::new(),
            clutter: Clutter::default(),
        })
    }
}

/// The face of each triangle.
pub(super) fn faces_of_triangles(faces: &[Face]) -> Vec<FaceId> {
    let num = faces.last().map_or(0, |face| face.triangles.end);
    let mut of_triangles = Vec::with_capacity(num);
    for (f, face) in faces.iter().enumerate() {
        of_triangles.resize(face.triangles.end, FaceId::from_index(f));
    }
    of_triangles
}

fn points<L: Lists>(lists: &mut L) -> Result<Vec<DVec3>, L::Error> {
    let numbers = lists.double()?;
    Ok(numbers.par_chunks_exact(3).map(DVec3::from_slice).collect())
}

/// Groups the numbers of a list into arrays.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the list is freed as soon as it is copied"
)]
fn groups<const N: usize>(list: Vec<u32>) -> Vec<[u32; N]> {
    list.as_chunks().0.to_vec()
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("scenes count in 32 bits")
}
