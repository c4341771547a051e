//! Joints: where facets of one curved surface meet.
//!
//! Two faces that meet at an angle of less than [`FLAT_WEDGE_ANGLE`] are facets of a surface that its mesh draws
//! roughly; so are facets of terrain whose wedges were left out. A convex surface reflects to every place that sees it,
//! but the reflections of its facets leave gaps. The missing waves come from the *creases* between facets, and from the
//! *corners* at which creases meet. The normals of a facet's neighbours say how much the surface is curved there.
//!
//! **Cost:** little next to the scene's edges, with which they are found. A scene from elsewhere, or without wedges of
//! its terrain, takes about the time of its edges again, when its joints are first needed.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use smallvec::SmallVec;

use super::creases::{Crease, creases};
use super::{FaceId, PlaneId, Scene};
use crate::geometry::tolerance::{ON_FACET_SINE, WELD_DISTANCE};
use crate::parallel;

/// The joints of a scene. Creases are numbered first, then corners.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joints {
    creases: Vec<Crease>,
    corners: Vec<Corner>,
    /// The facets around each corner, in order: each with the crease between it and the next.
    fans: Vec<(FaceId, u32)>,
    /// The index in `listed` at which the joints of each plane begin, and the end of the last.
    starts: Vec<u32>,
    listed: Vec<u32>,
    /// The change of the normal of each face along the surface: xx, xy, xz, yy, yz, zz of a symmetric matrix, 1/m. Zero
    /// without a crease.
    curvatures: Vec<[f32; 6]>,
}

/// A vertex around which there are facets of one surface alone.
#[derive(Debug, Clone, Copy)]
struct Corner {
    vertex: u32,
    first: u32,
    len: u32,
}

/// A crease or a corner, as a wave sees it.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    /// One end of the crease, or the corner.
    pub(crate) start: DVec3,
    /// Unit vector along the crease; zero at a corner.
    pub(crate) along: DVec3,
    /// Length of the crease, metres.
    pub(crate) length: f64,
    /// The facets; around a corner in order.
    pub(crate) faces: SmallVec<[FaceId; 6]>,
    /// Unit vectors along the surface, away from the joint: into both facets, or along the creases of a corner.
    pub(crate) ways: SmallVec<[DVec3; 6]>,
}

impl Scene {
    /// The places at which the facets of curved surfaces meet.
    pub(crate) fn joints(&self) -> &Joints {
        self.joints.get_or_init(|| Joints::of(self))
    }

    /// The number of places where facets of a curved surface meet: borders at which the angle between two faces is too
    /// small for a wedge, and vertices that are surrounded by such borders.
    pub fn num_joints(&self) -> usize {
        self.joints().num()
    }

    /// One joint.
    pub(crate) fn joint(&self, number: u32) -> Joint {
        let joints = self.joints();
        let vertex = |v: u32| self.vertices[v as usize];
        if let Some(crease) = joints.creases.get(number as usize) {
            let [start, end] = crease.ends.map(vertex);
            let along = (end - start).normalize();
            let inward = |k: usize| {
                let normal = self.plane(self.plane_of(crease.faces[k])).normal;
                let left = normal.cross(along).normalize();
                if crease.is_left[k] { left } else { -left }
            };
            return Joint {
                start,
                along,
                length: start.distance(end),
                faces: SmallVec::from_slice(&crease.faces),
                ways: SmallVec::from_slice(&[inward(0), inward(1)]),
            };
        }
        let corner = &joints.corners[number as usize - joints.creases.len()];
        let fan = joints.fan(corner);
        let start = vertex(corner.vertex);
        let way = |crease: u32| {
            let [a, b] = joints.creases[crease as usize].ends;
            (vertex(if a == corner.vertex { b } else { a }) - start).normalize()
        };
        Joint {
            start,
            along: DVec3::ZERO,
            length: 0.0,
            faces: fan.iter().map(|(face, _)| *face).collect(),
            ways: fan.iter().map(|(_, crease)| way(*crease)).collect(),
        }
    }

    /// The change along the surface to which `face` belongs of its unit normal, where that is `normal`: a symmetric
    /// matrix, 1/m, with the convex part of the curvature alone. `None` if it is flat or hollow. `point` lies on the
    /// face.
    pub(crate) fn convex_curvature(
        &self,
        face: FaceId,
        point: DVec3,
        normal: DVec3,
    ) -> Option<DMat3> {
        let own = self.joints().curvature(face)?;
        let of_plane = |face: FaceId| {
            let of = self.plane(self.plane_of(face)).normal;
            of * of.dot(normal).signum()
        };
        let turned = |face: FaceId| {
            let of = self.plane(self.plane_of(face)).normal;
            self.joints().curvature(face).unwrap_or(DMat3::ZERO) * of.dot(normal).signum()
        };
        let mut curvature = own * self.plane(self.plane_of(face)).normal.dot(normal).signum();
        if of_plane(face).cross(normal).length() > ON_FACET_SINE {
            // The curvature changes from that of one facet to that of the next between their normals.
            let around = self.facets_at(face, point);
            let normals: SmallVec<[DVec3; 6]> = around.iter().map(|f| of_plane(*f)).collect();
            if let Some(shares) = shares(&normals, normal) {
                let facets = around.iter().zip(shares);
                curvature = facets.fold(DMat3::ZERO, |sum, (f, share)| sum + turned(*f) * share);
            }
        }
        convex_part(curvature, normal)
    }

    /// The facets at the joint of `face` at `point`, in order around it.
    fn facets_at(&self, face: FaceId, point: DVec3) -> SmallVec<[FaceId; 6]> {
        let joints = self.joints();
        let mut nearest: Option<(bool, f64, SmallVec<[FaceId; 6]>)> = None;
        for &number in joints.of_plane(self.plane_of(face)) {
            let is_corner = number as usize >= joints.creases.len();
            let joint = self.joint(number);
            let t = (point - joint.start).dot(joint.along);
            let foot = joint.start + t.clamp(0.0, joint.length) * joint.along;
            let distance = foot.distance(point);
            // A point at a corner lies on its creases too.
            let is_better = nearest
                .as_ref()
                .is_none_or(|(corner, known, _)| (!is_corner, distance) < (!corner, *known));
            if distance <= WELD_DISTANCE && joint.faces.contains(&face) && is_better {
                nearest = Some((is_corner, distance, joint.faces));
            }
        }
        nearest.map_or_else(SmallVec::new, |(.., faces)| faces)
    }
}

/// Curvatures below this are none, 1/m.
const FLAT: f64 = 1e-9;

impl Joints {
    fn of(scene: &Scene) -> Self {
        Self::with(creases(scene), scene)
    }

    /// The joints of these creases, which are all of the scene's.
    pub(super) fn with(creases: Vec<Crease>, scene: &Scene) -> Self {
        if creases.is_empty() {
            return Self::default();
        }
        let (corners, fans) = corners(&creases);
        let mut of_planes: Vec<(PlaneId, u32)> = Vec::new();
        for (number, crease) in (0u32..).zip(&creases) {
            of_planes.extend(crease.faces.map(|face| (scene.plane_of(face), number)));
        }
        let first = u32::try_from(creases.len()).expect("fewer than 2^32 creases");
        for (number, corner) in (first..).zip(&corners) {
            let fan = &fans[corner.first as usize..][..corner.len as usize];
            of_planes.extend(fan.iter().map(|(face, _)| (scene.plane_of(*face), number)));
        }
        of_planes.sort_unstable();
        of_planes.dedup();
        let start = |plane: usize| {
            let start = of_planes.partition_point(|(of, _)| of.index() < plane);
            u32::try_from(start).expect("fewer than 2^32 joints")
        };
        Self {
            starts: (0..=scene.planes.len()).map(start).collect(),
            listed: of_planes.iter().map(|(_, number)| *number).collect(),
            curvatures: curvatures(scene, &creases),
            creases,
            corners,
            fans,
        }
    }

    /// Their number.
    pub(crate) fn num(&self) -> usize {
        self.creases.len() + self.corners.len()
    }

    #[cfg(test)]
    pub(super) fn creases(&self) -> &[Crease] {
        &self.creases
    }

    /// The joints at facets of a plane.
    pub(crate) fn of_plane(&self, plane: PlaneId) -> &[u32] {
        let Some(&end) = self.starts.get(plane.index() + 1) else {
            return &[];
        };
        &self.listed[self.starts[plane.index()] as usize..end as usize]
    }

    /// Whether a face is a facet of a curved surface.
    pub(crate) fn is_facet(&self, face: FaceId) -> bool {
        let of = self.curvatures.get(face.index());
        of.is_some_and(|of| *of != [0.0; 6])
    }

    fn fan(&self, corner: &Corner) -> &[(FaceId, u32)] {
        &self.fans[corner.first as usize..][..corner.len as usize]
    }

    fn curvature(&self, face: FaceId) -> Option<DMat3> {
        let of = self.curvatures.get(face.index())?;
        let [xx, xy, xz, yy, yz, zz] = of.map(f64::from);
        self.is_facet(face).then(|| {
            let [x, y, z] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]].map(DVec3::from_array);
            DMat3::from_cols(x, y, z)
        })
    }
}

/// The vertices around which creases close a ring of facets; and these rings.
fn corners(creases: &[Crease]) -> (Vec<Corner>, Vec<(FaceId, u32)>) {
    let mut ends: Vec<(u32, u32)> = (0u32..)
        .zip(creases)
        .flat_map(|(number, crease)| crease.ends.map(|v| (v, number)))
        .collect();
    ends.par_sort_unstable();
    let (mut corners, mut fans) = (Vec::new(), Vec::new());
    for at in ends.chunk_by(|a, b| a.0 == b.0).filter(|at| at.len() > 2) {
        let first = fans.len();
        let mut rest: SmallVec<[u32; 8]> = at.iter().map(|(_, crease)| *crease).collect();
        let faces = |crease: u32| creases[crease as usize].faces;
        // The fan goes from crease to crease over the face that both bound.
        let mut crease = rest.swap_remove(0);
        let [start, mut face] = faces(crease);
        fans.push((start, crease));
        while face != start {
            let mut others = (0..rest.len()).filter(|k| faces(rest[*k]).contains(&face));
            let (Some(next), None) = (others.next(), others.next()) else {
                break;
            };
            crease = rest.swap_remove(next);
            fans.push((face, crease));
            let [a, b] = faces(crease);
            face = if a == face { b } else { a };
        }
        if face == start && rest.is_empty() {
            corners.push(Corner {
                vertex: at[0].0,
                first: u32::try_from(first).expect("fewer than 2^32 facets"),
                len: u32::try_from(at.len()).expect("fewer than 2^32 facets"),
            });
        } else {
            fans.truncate(first);
        }
    }
    (corners, fans)
}

/// The weight of the flatness of a facet, relative to a neighbour at the distance of its width.
const LEAST: f64 = 1e-3;

/// The symmetric matrix of each face that best turns steps to the centres of the facets around it into the differences
/// of their normals.
fn curvatures(scene: &Scene, creases: &[Crease]) -> Vec<[f32; 6]> {
    let mut of_faces: Vec<(FaceId, FaceId, f64)> = Vec::with_capacity(2 * creases.len());
    for crease in creases {
        let [a, b] = crease.ends.map(|v| scene.vertices[v as usize]);
        let [f, g] = crease.faces;
        of_faces.extend([(f, g, a.distance(b)), (g, f, a.distance(b))]);
    }
    of_faces.par_sort_by_key(|(face, other, _)| (*face, *other));
    let mut centres = vec![(DVec3::ZERO, 0.0); scene.faces.len()];
    let groups: Vec<&[(FaceId, FaceId, f64)]> = of_faces.chunk_by(|a, b| a.0 == b.0).collect();
    for of in &groups {
        centres[of[0].0.index()] = centre(scene, of[0].0);
    }
    let fitted: Vec<(FaceId, [f32; 6])> = parallel::map_slice(&groups, |&of| {
        let face = of[0].0;
        let plane = scene.plane(scene.plane_of(face));
        let (u, v) = plane.axes();
        let (centre, width) = centres[face.index()];
        // The surface is flat in the directions that the neighbours leave open, as along a cylinder.
        let all: f64 = of.iter().map(|(.., length)| length).sum();
        let mut left = DMat3::from_diagonal(DVec3::splat(LEAST * all * width * width));
        let mut right = DVec3::ZERO;
        for &(_, other, length) in of {
            let to = centres[other.index()].0 - centre;
            let normal = scene.plane(scene.plane_of(other)).normal;
            let turned = normal * normal.dot(plane.normal).signum() - plane.normal;
            let ([x, y], [p, q]) = ([to.dot(u), to.dot(v)], [turned.dot(u), turned.dot(v)]);
            // Least squares for the entries uu, uv and vv.
            left += length
                * DMat3::from_cols_array(&[
                    x * x,
                    x * y,
                    0.0,
                    x * y,
                    x * x + y * y,
                    x * y,
                    0.0,
                    x * y,
                    y * y,
                ]);
            right += length * DVec3::new(p * x, p * y + q * x, q * y);
        }
        let [uu, uv, vv] = (left.inverse() * right).to_array();
        let entry = |a: fn(DVec3) -> f64, b: fn(DVec3) -> f64| {
            let mixed = a(u) * b(v) + a(v) * b(u);
            uu * a(u) * b(u) + uv * mixed + vv * a(v) * b(v)
        };
        let (x, y, z) = (|p: DVec3| p.x, |p: DVec3| p.y, |p: DVec3| p.z);
        let entries = [
            entry(x, x),
            entry(x, y),
            entry(x, z),
            entry(y, y),
            entry(y, z),
            entry(z, z),
        ];
        #[expect(clippy::cast_possible_truncation, reason = "it is an estimate")]
        let entries = entries.map(|entry| entry as f32);
        (face, entries)
    });

    let mut curvatures = vec![[0.0; 6]; scene.faces.len()];
    for (face, entries) in fitted {
        curvatures[face.index()] = entries;
    }
    curvatures
}

/// The point at which a facet has the normal of the surface that it stands for: the centre of the circle through its
/// corners if it is a triangle, but never beyond its longest side; else its centre of gravity. The second result is the
/// width of the facet, metres.
fn centre(scene: &Scene, face: FaceId) -> (DVec3, f64) {
    let (mut sum, mut all) = (DVec3::ZERO, 0.0);
    let triangles = scene.face(face).triangles.clone();
    for triangle in triangles.clone() {
        let [a, b, c] = scene.corners(triangle);
        let area = (b - a).cross(c - a).length();
        sum += area * (a + b + c) / 3.0;
        all += area;
    }
    let centre = sum / all;
    // Other triangles may draw the same one.
    let corners = || {
        triangles
            .clone()
            .flat_map(|triangle| scene.corners(triangle))
    };
    let farthest = |from: &dyn Fn(DVec3) -> f64| {
        let farther = |a: &DVec3, b: &DVec3| from(*a).total_cmp(&from(*b));
        corners().max_by(farther).expect("a face has corners")
    };
    let a = farthest(&|p| p.distance_squared(centre));
    let b = farthest(&|p| p.distance_squared(a));
    let c = farthest(&|p| (p - a).cross(b - a).length_squared());
    let double = (b - a).cross(c - a).length();
    let width = 0.5 * all / a.distance(b);
    if (double - all).abs() > 1e-6 * all {
        return (centre, width);
    }
    // Each corner counts by the sine of twice its angle; none counts less than nothing.
    let weights = [(a, b, c), (b, c, a), (c, a, b)].map(|(p, q, r)| {
        let (to, fro) = (q - p, r - p);
        (q.distance_squared(r) * to.dot(fro)).max(0.0)
    });
    let [wa, wb, wc] = weights;
    ((wa * a + wb * b + wc * c) / (wa + wb + wc), width)
}

/// The shares of facets in a normal between theirs: mean value coordinates, which are linear between two neighbours. `None` for
/// fewer than two facets.
///
/// # Source
/// M. S. Floater, "Mean value coordinates", Computer Aided Geometric Design 20, 2003, doi:10.1016/S0167-8396(03)00002-5.
fn shares(normals: &[DVec3], normal: DVec3) -> Option<SmallVec<[f64; 6]>> {
    let count = normals.len();
    if count < 2 {
        return None;
    }
    // The normal may lie on the side between two neighbours.
    let sides = if count == 2 { 1 } else { count };
    for k in 0..sides {
        let next = (k + 1) % count;
        let side = normals[next] - normals[k];
        let share = ((normal - normals[k]).dot(side) / side.length_squared()).clamp(0.0, 1.0);
        if count == 2 || (normals[k] + share * side).distance(normal) <= ON_FACET_SINE {
            let mut shares = SmallVec::from_elem(0.0, count);
            shares[k] = 1.0 - share;
            shares[next] += share;
            return Some(shares);
        }
    }
    let to: SmallVec<[DVec3; 6]> = normals.iter().map(|of| *of - normal).collect();
    let half = |k: usize| {
        let (a, b) = (to[k], to[(k + 1) % count]);
        let (sine, cosine) = (normal.dot(a.cross(b)), a.dot(b));
        sine / (a.length() * b.length() + cosine)
    };
    let weights: SmallVec<[f64; 6]> = (0..count)
        .map(|k| (half((k + count - 1) % count) + half(k)) / to[k].length())
        .collect();
    let all: f64 = weights.iter().sum();
    let shares = weights.into_iter().map(|weight| weight / all);
    Some(shares.collect()).filter(|_| all.abs() > 0.0 && all.is_finite())
}

/// The part of a curvature in the plane across `normal` that is convex; `None` if there is none.
fn convex_part(curvature: DMat3, normal: DVec3) -> Option<DMat3> {
    let (u, v) = normal.any_orthonormal_pair();
    let (a, b, c) = (
        u.dot(curvature * u),
        u.dot(curvature * v),
        v.dot(curvature * v),
    );
    // The principal curvatures, and the direction of the larger one.
    let (mean, half) = (0.5 * (a + c), (0.5 * (a - c)).hypot(b));
    let [large, small] = [mean + half, mean - half].map(|k| k.max(0.0));
    if large.is_nan() || large <= FLAT {
        return None;
    }
    let angle = 0.5 * (2.0 * b).atan2(a - c);
    let first = angle.cos() * u + angle.sin() * v;
    let second = normal.cross(first);
    let square = |w: DVec3| DMat3::from_cols(w * w.x, w * w.y, w * w.z);
    Some(square(first) * large + square(second) * small)
}
