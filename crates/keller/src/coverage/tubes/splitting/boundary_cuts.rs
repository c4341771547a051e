//! Cuts a tube along the straight boundary between the faces that its rays meet.
//!
//! Such a boundary is an edge or a seam of a face (`seams`), or the line in which two planes cross; seen from an image
//! of the Tx it is a straight line on a face of the cube. Of all boundaries between the faces that the rays of a tube
//! meet, the one is taken that leaves the fewest rays on the wrong side.
//!
//! Cost: in proportion to the edges of the faces that the rays meet. Tubes from an edge are not cut: there boundaries
//! are curved.

use glam::DVec3;

use super::ray_cache::RayHit;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::clipped_cell::{ClippedCell, Cut};
use crate::coverage::tubes::tube::direction_cells::clip_above;
use crate::coverage::tubes::tube::tx_image::TxImage;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::scene::{FaceId, PlaneId};

/// Faces with more edges than this are left out where all rays of a tube meet one plane, because each tube would test
/// all of the edges.
const MAX_EDGES: usize = 256;

/// An edge whose length inside a tube is shorter than this only touches the tube, in parts of the width of the tube's
/// cell.
const SHORTEST: f64 = 1e-2;

/// A line this far from a plane at most lies in it, metres.
const ON_PLANE: f64 = 1e-6;

/// Both sides of the cut that best separates rays that meet different planes; none if no cut separates any.
pub(super) fn best_cut(
    ctx: &Context<'_>,
    bundle: &Bundle,
    directions: &ClippedCell,
    hits: &[RayHit],
) -> Option<[ClippedCell; 2]> {
    let VirtualSource::Point(image) = &bundle.source else {
        return None;
    };
    let planes: Vec<Option<PlaneId>> = hits
        .iter()
        .map(|hit| hit.face.map(|face| ctx.scene.plane_of(face)))
        .collect();
    let mut best = (strays(&planes, |_| true), None);
    let mut faces: Vec<FaceId> = hits.iter().filter_map(|hit| hit.face).collect();
    faces.sort_unstable();
    faces.dedup();
    let mut try_cut = |cut: Option<Cut>| {
        let Some(cut) = cut else { return false };
        let is_inside = |k: usize| cut.side(hits[k].at) >= 0.0;
        let left = strays(&planes, is_inside) + strays(&planes, |k| !is_inside(k));
        if left < best.0
            && let Some(pieces) = directions.cut(cut)
        {
            best = (left, Some(pieces));
        }
        best.0 == 0
    };
    let lines = faces.iter().flat_map(|&face| lines_of(ctx, image, face));
    let of_lines = lines.map(|line| {
        let (cut, _) = line_through(ctx, bundle, image, directions, line)?;
        Some(cut)
    });
    let of_planes = planes
        .iter()
        .flatten()
        .zip(planes.iter().flatten().skip(1))
        .filter(|(a, b)| a != b)
        .map(|(&a, &b)| crossing_cut(ctx, image, directions, a, b));
    let _ = of_lines.chain(of_planes).any(&mut try_cut);
    best.1
}

/// Both sides of a cut along an edge that runs between rays which all meet one plane, if there is such an edge.
/// Example: rays meet a roof on all sides of a yard, but the roof does not reflect the waves that fall into the yard.
pub(super) fn cut_between(
    ctx: &Context<'_>,
    bundle: &Bundle,
    directions: &ClippedCell,
    hits: &[RayHit],
) -> Option<[ClippedCell; 2]> {
    let VirtualSource::Point(image) = &bundle.source else {
        return None;
    };
    let mut last = None;
    let faces = hits.iter().filter_map(|hit| hit.face);
    // Most often all rays meet the same face.
    let faces = faces.filter(|face| last.replace(*face) != Some(*face));
    let few = faces.filter(|face| ctx.face_edges.of(face.index()).len() <= MAX_EDGES);
    let lines = few.flat_map(|face| lines_of(ctx, image, face));
    let mut cuts = lines.filter_map(|line| {
        let (cut, length) = line_through(ctx, bundle, image, directions, line)?;
        (length > SHORTEST * directions.cell.width()).then_some(cut)
    });
    cuts.find_map(|cut| directions.cut(cut))
}

/// The ends of the edges of a face, and of the seams that count where rays from an image of the Tx meet it.
fn lines_of<'a>(
    ctx: &'a Context<'_>,
    image: &TxImage,
    face: FaceId,
) -> impl Iterator<Item = [DVec3; 2]> + 'a {
    let distance = ctx
        .scene
        .plane(ctx.scene.plane_of(face))
        .distance(image.position);
    let edges = ctx.face_edges.of(face.index()).iter();
    let edges = edges.map(|edge| ctx.scene.edges()[edge.index()].ends);
    let seams = ctx.seams.of(face).iter();
    let seams = seams.filter(move |seam| seam.counts_from(distance));
    edges.chain(seams.map(|seam| seam.ends))
}

/// The cut along a line, if it crosses these directions and does not lie behind the wall that the bundle leaves, and
/// its length within these directions, in coordinates of the face of the cube.
fn line_through(
    ctx: &Context<'_>,
    bundle: &Bundle,
    image: &TxImage,
    directions: &ClippedCell,
    ends: [DVec3; 2],
) -> Option<(Cut, f64)> {
    let back = image.turn.transpose();
    let [a, b] = ends.map(|end| back * (end - image.position));
    let mut range = directions.clip(a, b - a, [0.0, 1.0])?;
    if let Some(plane) = bundle.start {
        let plane = ctx.scene.plane(plane);
        let side = -plane.distance(image.position).signum();
        let [at, end] = ends.map(|end| side * plane.distance(end));
        // A wall may meet the one that the bundle leaves from behind.
        if at.abs().max(end.abs()) > ON_PLANE {
            range = clip_above(at, end - at, range)?;
        }
    }
    let [from, to] = range.map(|s| {
        let (main, at) = directions.cell.on_face(a.lerp(b, s));
        at / main
    });
    let cut = Cut::new(directions.cell, a.cross(b))?;
    Some((cut, from.distance(to)))
}

/// The cut along the line in which two planes cross.
fn crossing_cut(
    ctx: &Context<'_>,
    image: &TxImage,
    directions: &ClippedCell,
    a: PlaneId,
    b: PlaneId,
) -> Option<Cut> {
    let [a, b] = [a, b].map(|plane| ctx.scene.plane(plane));
    let [to_a, to_b] = [a, b].map(|plane| plane.distance(image.position));
    let normal = to_b * a.normal - to_a * b.normal;
    Cut::new(directions.cell, image.turn.transpose() * normal)
}

/// The number of those rays that count and do not meet the plane that most of them meet.
fn strays(planes: &[Option<PlaneId>], counts: impl Fn(usize) -> bool) -> usize {
    let those = || (0..planes.len()).filter(|k| counts(*k));
    let counts_of_planes =
        those().map(|k| those().filter(|other| planes[*other] == planes[k]).count());
    those().count() - counts_of_planes.max().unwrap_or(0)
}
