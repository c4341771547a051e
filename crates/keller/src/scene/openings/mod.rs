//! Windows and doors: openings cut into upright walls, each filled with a pane of its own material or left open.
//!
//! [`cut`] lays rows of equal rectangles on every upright wall and keeps those that lie wholly inside it, clear of its
//! ends and of all that stands against it. A wall is a connected flat surface of the triangles that are asked for, however
//! it is cut into triangles and wherever their fronts look.
//!
//! A wall with openings is cut into triangles anew: a constrained Delaunay triangulation (Chew 1989,
//! doi:10.1007/BF01553881; the crate `spade`) of its border, the openings, and the lines at which other surfaces join it.
//! So the borders of panes and holes coincide, and a wall meets its neighbours as before.
//!
//! **Cost:** one sort of the mesh's vertices and one box query a wall; for a wall, the number of its openings times
//! that of its border's pieces. **Assumes** walls without a thickness of their own. Each side of a wall that is drawn
//! with both gets its own rows.

mod against;
mod layout;
mod rectangle;
#[cfg(test)]
mod tests;
mod tiling;
mod walls;

use glam::DVec3;

use super::near::{Nearby, outwards};
use super::{Mesh, MeshTriangle, check};
use crate::geometry::tolerance::WELD_DISTANCE;
use crate::{Control, Error};
use against::Against;
use walls::Wall;

/// The openings that a wall gets, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Openings {
    /// The width of each, positive.
    pub width: f64,
    /// The height of each, positive.
    pub height: f64,
    /// The height of its lower border above the floor.
    pub sill: f64,
    /// The distance from centre to centre along the wall, more than the width.
    pub spacing: f64,
    /// The height of a storey, more than that of an opening: a row on every floor, from the foot of the wall up to its
    /// top. Absent: one row.
    pub storey: Option<f64>,
    /// The distance within which nothing is cut from the ends of a wall, from its top, and from surfaces that stand
    /// against it.
    pub margin: f64,
}

/// The result of cutting openings.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The mesh with openings.
    pub mesh: Mesh,
    /// The triangle of the old mesh of which each new one is a part, or whose wall it fills.
    pub from: Vec<usize>,
    /// The number of upright walls.
    pub walls: usize,
    /// The number of those that have openings now.
    pub opened: usize,
    /// The number of openings.
    pub openings: usize,
    /// The area of the openings, m².
    pub area: f64,
    /// The area of the walls before, m².
    pub wall_area: f64,
    /// The openings that were not cut, and the reasons.
    pub left_out: LeftOut,
}

/// Openings that were laid out and not cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Openings that reach over the border of their wall or come too near to it.
    pub outside: usize,
    /// Openings at which another surface joins the wall.
    pub joined: usize,
    /// Openings at which another surface lies in the plane of the wall: the wall of a touching house, an earlier
    /// opening.
    pub covered: usize,
    /// Walls that are not plane or overlap themselves.
    pub walls: usize,
}

/// Cuts openings into the upright walls among the triangles for which `is_wall` holds. `pane` is the material that fills
/// them; without one they stay open.
///
/// ```
/// use keller::scene::{Mesh, openings::{Openings, cut}};
/// use keller::{Control, DVec3};
///
/// let mut wall = Mesh::default();
/// let corners = [[0., 0., 0.], [10., 0., 0.], [10., 0., 3.], [0., 0., 3.]];
/// wall.add_polygon("concrete", &corners.map(DVec3::from));
/// let windows = Openings { width: 1.2, height: 1.4, sill: 0.9, spacing: 3.0, storey: None, margin: 0.3 };
/// let cut = cut(&wall, &[true, true], &windows, Some("glass"), &Control::default())?;
/// assert_eq!(cut.openings, 3);
/// assert!((cut.area - 3.0 * 1.2 * 1.4).abs() < 1e-12);
/// # Ok::<(), keller::Error>(())
/// ```
///
/// # Errors
/// [`Error::EmptyScene`], [`Error::VertexPosition`], [`Error::IndexOutOfRange`], [`Error::Cancelled`].
///
/// # Panics
/// If `is_wall` has not one entry a triangle, or there would be 2^32 vertices.
pub fn cut(
    mesh: &Mesh,
    is_wall: &[bool],
    openings: &Openings,
    pane: Option<&str>,
    control: &Control<'_>,
) -> Result<Cut, Error> {
    assert_eq!(is_wall.len(), mesh.triangles.len(), "one entry a triangle");
    check(mesh)?;
    let (walls, unusable) = walls::walls(mesh, is_wall, control)?;
    let mut cut = Cut {
        mesh: mesh.clone(),
        from: Vec::new(),
        walls: walls.len() + unusable,
        opened: 0,
        openings: 0,
        area: 0.0,
        wall_area: walls.iter().map(|wall| wall.area).sum(),
        left_out: LeftOut {
            walls: unusable,
            ..LeftOut::default()
        },
    };
    let pane = pane.map(|name| cut.mesh.material_index(name));
    let near = Nearby::new(mesh.triangles.len(), |t| {
        outwards(bounds(corners(mesh, t)), 0.0)
    });
    let mut is_gone = vec![false; mesh.triangles.len()];
    let mut added: Vec<(MeshTriangle, usize)> = Vec::new();
    let mut notches: Vec<u32> = Vec::new();
    for wall in &walls {
        control.check()?;
        let against = Against::of(wall, mesh, &near);
        let mut left_out = LeftOut::default();
        let laid = layout::layout(wall, &against, openings, &mut left_out);
        cut.left_out.outside += left_out.outside;
        cut.left_out.joined += left_out.joined;
        cut.left_out.covered += left_out.covered;
        if laid.is_empty() {
            continue;
        }
        let Some(tiling) = tiling::tile(wall, &against, &laid) else {
            cut.left_out.walls += 1;
            continue;
        };
        for &t in &wall.triangles {
            is_gone[t] = true;
        }
        let first = wall.triangles[0];
        let base = cut.mesh.vertices.len();
        let base = u32::try_from(base).expect("fewer than 2^32 vertices");
        notches.extend(tiling.notches.iter().map(|v| base + v));
        add(&mut cut.mesh, wall, tiling, pane, |triangle| {
            added.push((triangle, first));
        });
        cut.opened += 1;
        cut.openings += laid.len();
        cut.area += openings.width * openings.height * laid.len() as f64;
    }
    let kept = cut.mesh.triangles.iter().copied().zip(0..);
    let kept = kept.filter(|&(_, t)| !is_gone[t]);
    let all = cut_at(&notches, kept.chain(added).collect(), &cut.mesh.vertices);
    (cut.mesh.triangles, cut.from) = all.into_iter().unzip();
    cut.mesh = cut.mesh.without(&[]);
    Ok(cut)
}

/// Adds the new triangles of a wall to the vertices of a mesh, and hands them out.
fn add(
    mesh: &mut Mesh,
    wall: &Wall,
    tiling: tiling::Tiling,
    pane: Option<u32>,
    mut push: impl FnMut(MeshTriangle),
) {
    let base = u32::try_from(mesh.vertices.len()).expect("fewer than 2^32 vertices");
    mesh.vertices.extend(tiling.vertices);
    let parts = [(tiling.wall, Some(wall.material)), (tiling.panes, pane)];
    for (triangles, material) in parts {
        let Some(material) = material else {
            continue;
        };
        for [a, b, c] in triangles {
            let vertices = if wall.faces_along_normal {
                [a, b, c]
            } else {
                [a, c, b]
            };
            push(MeshTriangle {
                vertices: vertices.map(|v| base + v),
                material,
            });
        }
    }
}

/// Cuts triangles at the points that lie on their sides: a door's corners lie on the border of its wall, where a
/// neighbour must have them too.
fn cut_at(
    points: &[u32],
    triangles: Vec<(MeshTriangle, usize)>,
    vertices: &[DVec3],
) -> Vec<(MeshTriangle, usize)> {
    if points.is_empty() {
        return triangles;
    }
    let place = |i: usize| vertices[points[i] as usize];
    let near = Nearby::new(points.len(), |i| outwards([place(i); 2], WELD_DISTANCE));
    let mut done = Vec::with_capacity(triangles.len());
    let mut open = Vec::new();
    for triangle in triangles {
        open.push(triangle);
        while let Some((triangle, from)) = open.pop() {
            let at = triangle.vertices.map(|v| vertices[v as usize]);
            let mut first: Option<(usize, u32)> = None;
            near.each_meeting(outwards(bounds(at), WELD_DISTANCE), &mut |i| {
                let side = (0..3).find(|&k| is_inside(place(i), [at[k], at[(k + 1) % 3]]));
                if let Some(side) = side {
                    first = first.max(Some((side, points[i])));
                }
            });
            let Some((side, point)) = first else {
                done.push((triangle, from));
                continue;
            };
            for moved in [side, (side + 1) % 3] {
                let mut part = triangle;
                part.vertices[moved] = point;
                open.push((part, from));
            }
        }
    }
    done
}

/// Whether a point lies on a segment, and not at its ends.
fn is_inside(point: DVec3, [a, b]: [DVec3; 2]) -> bool {
    let along = b - a;
    let t = (point - a).dot(along) / along.length_squared();
    t > 0.0
        && t < 1.0
        && (a + t * along).distance(point) <= WELD_DISTANCE
        && point.distance(a).min(point.distance(b)) > WELD_DISTANCE
}

fn corners(mesh: &Mesh, triangle: usize) -> [DVec3; 3] {
    mesh.triangles[triangle]
        .vertices
        .map(|v| mesh.vertices[v as usize])
}

fn bounds(corners: [DVec3; 3]) -> [DVec3; 2] {
    let [a, b, c] = corners;
    [a.min(b).min(c), a.max(b).max(c)]
}
