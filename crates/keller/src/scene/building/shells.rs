//! Shells: the connected surfaces of a mesh, such as the hull of a house.
//!
//! Triangles of one object belong to one shell if they share a side with no third triangle there. So touching houses
//! whose walls meet along a line are several shells, whether they have a common wall or one each. Ground that is
//! joined to the feet of walls is a shell of its own too: where a wall rises from the side of a flat triangle, the
//! shell ends. (The floor of a closed box is then one as well.)
//!
//! **Cost:** two sorts of the mesh's vertices and one of its sides.
//!
//! **Limits:** houses of one height under one roof without walls between them are one shell.

use std::ops::Range;

use glam::DVec3;

use crate::control::Part;
use crate::geometry::union_find::UnionFind;
use crate::scene::{Mesh, weld};
use crate::{Control, Error, Stage};

/// A triangle whose normal has at most this vertical part stands upright; see [`is_upright`].
const MAX_UPRIGHT: f64 = 0.3;

/// Triangles lie on each other if the cosine between them at their common side is more than this: 1 degree.
const MIN_FOLD: f64 = 0.9998;

/// A triangle whose normal has at least this vertical part may be ground or a flat roof.
const MIN_FLAT: f64 = 0.7;

/// The shells of a mesh: for each shell, its triangles, ascending. Shells are in the order of their first triangles.
#[derive(Debug, Clone)]
pub(super) struct Shells {
    triangles: Vec<u32>,
    starts: Vec<usize>,
}

impl Shells {
    /// The shells of a mesh whose `objects` are ranges of its triangles. Triangles of no object belong together.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn of(
        mesh: &Mesh,
        objects: &[Range<usize>],
        control: &Control<'_>,
    ) -> Result<Self, Error> {
        let part = Part::new(control, Stage::Scene, 0.0, 0.0);
        let vertex = weld::same_vertices(&mesh.vertices, part)?;
        let corners: Vec<[u32; 3]> = mesh
            .triangles
            .iter()
            .map(|t| t.vertices.map(|v| vertex[v as usize]))
            .collect();
        let mut object = vec![u32::MAX; corners.len()];
        for (index, triangles) in objects.iter().enumerate() {
            object[triangles.clone()].fill(number(index));
        }
        let first = first_copies(&corners, &object);
        let mut groups = UnionFind::new(corners.len());
        let mut sides: Vec<(u32, [u32; 2], u32)> = Vec::with_capacity(3 * corners.len());
        for (t, &[a, b, c]) in corners.iter().enumerate() {
            groups.join(t, first[t] as usize);
            if a != b && b != c && c != a {
                let ends = [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
                sides.extend(ends.map(|ends| (object[t], ends, first[t])));
            }
        }
        sides.sort_unstable();
        sides.dedup();
        for (index, same) in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).enumerate() {
            part.control_at(index)?;
            if let &[(_, ends, a), (_, _, b)] = same {
                let [a, b] = [a, b].map(|t| SideTriangle::new(mesh, &vertex, t as usize, ends));
                if !is_foot(&a, &b) && !is_fold(&a, &b) {
                    groups.join(a.triangle, b.triangle);
                }
            }
        }
        let mut by_shell: Vec<(usize, u32)> = (0..corners.len())
            .map(|t| (groups.root(t), number(t)))
            .collect();
        by_shell.sort_unstable();
        let mut starts = Vec::new();
        for (index, (shell, _)) in by_shell.iter().enumerate() {
            if index == 0 || by_shell[index - 1].0 != *shell {
                starts.push(index);
            }
        }
        starts.push(by_shell.len());
        Ok(Self {
            triangles: by_shell.into_iter().map(|(_, t)| t).collect(),
            starts,
        })
    }

    /// The triangles of each shell.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts
            .windows(2)
            .map(|ends| &self.triangles[ends[0]..ends[1]])
    }
}

/// The first triangle of its object with the same corners, for each triangle.
fn first_copies(corners: &[[u32; 3]], object: &[u32]) -> Vec<u32> {
    let mut keyed: Vec<(u32, [u32; 3], u32)> = corners
        .iter()
        .enumerate()
        .map(|(t, corners)| {
            let mut key = *corners;
            key.sort_unstable();
            (object[t], key, number(t))
        })
        .collect();
    keyed.sort_unstable();
    let mut first = vec![0; corners.len()];
    for same in keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for &(_, _, t) in same {
            first[t as usize] = same[0].2;
        }
    }
    first
}

/// A triangle at one of its sides.
#[derive(Debug)]
struct SideTriangle {
    triangle: usize,
    corners: [DVec3; 3],
    /// Mean height of the side, metres.
    side_height: f64,
    /// The unit vector from the side into the triangle, at right angles to the side.
    inwards: DVec3,
}

impl SideTriangle {
    /// `ends` are the joined vertices of the side.
    fn new(mesh: &Mesh, vertex: &[u32], triangle: usize, ends: [u32; 2]) -> Self {
        let own = mesh.triangles[triangle].vertices;
        let is_tip = |v: &u32| !ends.contains(&vertex[*v as usize]);
        let tip = own.iter().position(is_tip).unwrap_or(0);
        let corners = corners(mesh, triangle);
        let [tip, from, to] = [0, 1, 2].map(|k| corners[(tip + k) % 3]);
        Self {
            triangle,
            corners,
            side_height: 0.5 * (from.z + to.z),
            inwards: (tip - from).reject_from(to - from).normalize_or_zero(),
        }
    }

    /// Whether it is part of a wall that rises from the side.
    fn rises(&self) -> bool {
        let height = self.corners.iter().map(|corner| corner.z).sum::<f64>() / 3.0;
        is_upright(&self.corners) && height > self.side_height
    }
}

/// Whether a wall rises from a side of a triangle that is flat, as at the foot of a house.
fn is_foot(a: &SideTriangle, b: &SideTriangle) -> bool {
    let is_flat = |triangle: &SideTriangle| vertical_part(&triangle.corners) >= MIN_FLAT;
    a.rises() && is_flat(b) || b.rises() && is_flat(a)
}

/// Whether two triangles lie on each other, such as the walls of two houses that end at a line on the ground.
fn is_fold(a: &SideTriangle, b: &SideTriangle) -> bool {
    a.inwards.dot(b.inwards) > MIN_FOLD
}

/// Whether a triangle stands upright, such as one of a wall.
pub(super) fn is_upright(corners: &[DVec3; 3]) -> bool {
    vertical_part(corners) <= MAX_UPRIGHT
}

/// The vertical part of a triangle's normal, from 0 for a wall to 1 for a floor.
pub(super) fn vertical_part([a, b, c]: &[DVec3; 3]) -> f64 {
    (b - a).cross(c - a).normalize_or_zero().z.abs()
}

/// The corners of a triangle, metres.
pub(super) fn corners(mesh: &Mesh, triangle: usize) -> [DVec3; 3] {
    mesh.triangles[triangle]
        .vertices
        .map(|v| mesh.vertices[v as usize])
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 triangles")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box between two corners, turned by an angle about z; with a floor and a roof, or without.
    fn add_box(mesh: &mut Mesh, low: DVec3, high: DVec3, lids: [bool; 2], turn: f64) {
        let by = glam::DVec2::from_angle(turn);
        let at = |x: f64, y: f64, z: f64| by.rotate(glam::DVec2::new(x, y)).extend(z);
        let ring = [
            [low.x, low.y],
            [high.x, low.y],
            [high.x, high.y],
            [low.x, high.y],
        ];
        for k in 0..4 {
            let ([ax, ay], [bx, by]) = (ring[k], ring[(k + 1) % 4]);
            let wall = [
                at(ax, ay, low.z),
                at(bx, by, low.z),
                at(bx, by, high.z),
                at(ax, ay, high.z),
            ];
            mesh.add_polygon("wall", &wall);
        }
        for (z, _) in [low.z, high.z].into_iter().zip(lids).filter(|(_, is)| *is) {
            mesh.add_polygon("roof", &ring.map(|[x, y]| at(x, y, z)));
        }
    }

    fn sizes(mesh: &Mesh, objects: &[Range<usize>]) -> Vec<usize> {
        let shells = Shells::of(mesh, objects, &Control::default()).unwrap();
        shells.iter().map(<[u32]>::len).collect()
    }

    #[test]
    fn houses_that_touch_are_shells_of_their_own() {
        for turn in [0.0, 0.585] {
            let mut mesh = Mesh::default();
            let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
            // The first two boxes have one height, and the same triangles in the common wall; the third one is higher.
            add_box(
                &mut mesh,
                corner(0., 0., 0.),
                corner(10., 8., 9.),
                [false, true],
                turn,
            );
            add_box(
                &mut mesh,
                corner(10., 0., 0.),
                corner(20., 8., 9.),
                [false, true],
                turn,
            );
            add_box(
                &mut mesh,
                corner(20., 0., 0.),
                corner(30., 8., 14.),
                [false, true],
                turn,
            );
            let shells = sizes(&mesh, &[]);
            // Three walls and a roof each, the common wall of the first two, and that of the second two on either side.
            let roofs = Shells::of(&mesh, &[], &Control::default()).unwrap();
            let with_roof: Vec<usize> = roofs
                .iter()
                .filter(|shell| {
                    shell
                        .iter()
                        .any(|t| !is_upright(&corners(&mesh, *t as usize)))
                })
                .map(|shell| {
                    shell
                        .iter()
                        .filter(|t| !is_upright(&corners(&mesh, **t as usize)))
                        .count()
                })
                .collect();
            assert_eq!(with_roof, [2, 2, 2], "{shells:?}");
        }
    }

    #[test]
    fn a_closed_box_is_one_shell_and_its_floor_another() {
        let mut mesh = Mesh::default();
        add_box(
            &mut mesh,
            DVec3::ZERO,
            DVec3::new(4., 3., 5.),
            [true, true],
            0.3,
        );
        assert_eq!(sizes(&mesh, &[]), [10, 2]);
        // Twice the same triangles are no other shells.
        let copy = mesh.clone();
        mesh.append(&copy);
        assert_eq!(sizes(&mesh, &[]), [20, 4]);
        // Objects are never joined.
        assert_eq!(sizes(&mesh, &[0..12, 12..24]), [10, 2, 10, 2]);
    }

    #[test]
    fn ground_joined_to_walls_is_a_shell_of_its_own() {
        let mut mesh = Mesh::default();
        let at = |x: f64, y: f64| DVec3::new(x, y, 0.1 * x);
        let (outer, inner) = (
            [at(-9., -9.), at(9., -9.), at(9., 9.), at(-9., 9.)],
            [at(-4., -4.), at(4., -4.), at(4., 4.), at(-4., 4.)],
        );
        for k in 0..4 {
            let next = (k + 1) % 4;
            mesh.add_polygon("ground", &[outer[k], outer[next], inner[next], inner[k]]);
            let top = |corner: DVec3| corner.with_z(6.0);
            mesh.add_polygon(
                "wall",
                &[inner[k], inner[next], top(inner[next]), top(inner[k])],
            );
        }
        mesh.add_polygon("roof", &inner.map(|corner| corner.with_z(6.0)));
        assert_eq!(sizes(&mesh, &[]), [8, 10]);
        // Whichever way the fronts look.
        mesh.triangles
            .iter_mut()
            .step_by(2)
            .for_each(|t| t.vertices.swap(0, 1));
        assert_eq!(sizes(&mesh, &[]), [8, 10]);
    }
}
