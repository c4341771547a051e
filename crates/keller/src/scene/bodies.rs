//! Closed bodies: which faces enclose a volume, which side is outside, and whether their fronts face outwards.
//!
//! A *patch* is a set of triangles that meet in pairs. Its triangles are wound consistently first, whichever way their
//! fronts face. Patches end at lines where more than two triangles meet, or where one triangle ends within the side of
//! another. Patches that end at common lines are one *body* if an even number of them ends at every piece of these
//! lines. The outside of a patch without an end follows from the sign of its signed volume. For other patches, it is
//! the side from which a ray crosses the body an even number of times. No path depends on bodies: they decide where
//! devices stand, and warnings.
//!
//! **Cost:** about that of sorting the triangles' sides, once, when the bodies of a scene are first needed.

use glam::DVec3;

use super::cuts::{Piece, cut_at_vertices};
use super::regions::{Side, Sides};
use super::{FaceId, Scene};
use crate::control::Part;
use crate::geometry::tolerance::WELD_DISTANCE;
use crate::geometry::union_find::UnionFind;
use crate::{Control, Stage};

/// Faces that enclose a volume.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// The first of its faces.
    pub face: FaceId,
    /// Minimum and maximum coordinates, metres.
    pub bounds: [DVec3; 2],
    /// The direction of the fronts of its faces.
    pub fronts: Fronts,
    /// Whether it contains the whole scene and has the height of a room. Then things stand on its floor and not on top
    /// of it.
    pub is_room: bool,
    /// Whether the scene has faces besides those of the body.
    pub holds_more: bool,
}

/// The direction in which the fronts of a body's faces point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fronts {
    /// All point away from the volume.
    Outwards,
    /// All point into the volume, as in a room that is seen from inside, or a body that is inside out.
    Inwards,
    /// Some point outwards and some inwards.
    Mixed,
}

/// The bodies of a scene.
#[derive(Debug, Clone)]
pub(super) struct Bodies {
    pub(super) list: Vec<Body>,
    /// Whether something can stand on each triangle.
    carries: Vec<bool>,
}

/// A body lower than this, metres, or than this share of its length, is a slab and not a room.
const LOWEST_ROOM: f64 = 2.0;
const FLATTEST_ROOM: f64 = 1.0 / 40.0;

/// A body whose volume is less than this times its area, metres, is a doubled sheet.
const THINNEST: f64 = WELD_DISTANCE;

impl Scene {
    /// The closed bodies, in the order of their first faces.
    pub fn bodies(&self) -> &[Body] {
        &self.found_bodies().list
    }

    /// Whether something can stand on a triangle.
    pub(super) fn carries(&self, triangle: usize) -> bool {
        self.found_bodies().carries[triangle]
    }

    fn found_bodies(&self) -> &Bodies {
        self.bodies.get_or_init(|| Bodies::of(self))
    }
}

impl Bodies {
    fn of(scene: &Scene) -> Self {
        let sides = Sides::new(&scene.triangles, scene.vertices.len());
        let (patches, loose) = Patches::new(scene, &sides);
        let groups = Groups::new(scene, &patches, &loose);
        drop(sides);
        let mut found = Self {
            list: Vec::new(),
            carries: vec![true; scene.triangles.len()],
        };
        let mut members: Vec<(usize, usize)> = (0..patches.of.len())
            .filter(|&t| groups.is_closed[groups.of[patches.of[t]]])
            .map(|t| (groups.of[patches.of[t]], t))
            .collect();
        members.sort_unstable();
        for body in members.chunk_by(|a, b| a.0 == b.0) {
            found.add(scene, &patches, &groups, body);
        }
        found
    }

    /// Adds the body of these triangles. Each comes with the number of the body.
    fn add(
        &mut self,
        scene: &Scene,
        patches: &Patches,
        groups: &Groups,
        members: &[(usize, usize)],
    ) {
        let corners = || members.iter().flat_map(|&(_, t)| scene.corners(t));
        let bounds = corners().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], v| {
            [low.min(v), high.max(v)]
        });
        let mut by_patch: Vec<(usize, usize)> =
            members.iter().map(|&(_, t)| (patches.of[t], t)).collect();
        by_patch.sort_unstable();
        // Each triangle on the border between inside and outside, and whether its front faces outwards.
        let mut looks_out: Vec<(usize, bool)> = Vec::new();
        let is_alone = by_patch[0].0 == by_patch[by_patch.len() - 1].0;
        for patch in by_patch.chunk_by(|a, b| a.0 == b.0) {
            let outwards = if is_alone {
                patches.outwards_by_volume(scene, patch, bounds[0])
            } else {
                patches.outwards_by_parity(scene, patch, groups)
            };
            for &(_, t) in patch {
                self.carries[t] = false;
                looks_out.extend(outwards.map(|turned| (t, patches.is_turned[t] == turned)));
            }
        }
        if looks_out.is_empty() {
            return;
        }
        let size = bounds[1] - bounds[0];
        let [low, high] = scene.bounds;
        let holds_all = (bounds[0] - low).max(high - bounds[1]).max_element() <= WELD_DISTANCE;
        let is_room =
            holds_all && size.z >= LOWEST_ROOM.max(FLATTEST_ROOM * size.truncate().max_element());
        for &(t, is_out) in &looks_out {
            let up = normal(scene, t).z * if is_out { 1.0 } else { -1.0 };
            self.carries[t] = if is_room { up < 0.0 } else { up > 0.0 };
        }
        let num_out = looks_out.iter().filter(|(_, is_out)| *is_out).count();
        let face = |&(_, t): &(usize, usize)| scene.triangle_faces[t];
        self.list.push(Body {
            face: members.iter().map(face).min().expect("it has triangles"),
            bounds,
            fronts: match num_out {
                0 => Fronts::Inwards,
                n if n == looks_out.len() => Fronts::Outwards,
                _ => Fronts::Mixed,
            },
            is_room,
            holds_more: members.len() < scene.triangles.len(),
        });
    }
}

/// The normal of a triangle's front, with twice the triangle's area as its length.
fn normal(scene: &Scene, triangle: usize) -> DVec3 {
    let [a, b, c] = scene.corners(triangle);
    (b - a).cross(c - a)
}

/// Triangles that are connected in pairs.
struct Patches {
    /// The patch of each triangle, named by its first triangle.
    of: Vec<usize>,
    /// Whether each triangle is wound opposite to the first of its patch.
    is_turned: Vec<bool>,
}

impl Patches {
    /// The patches, and the sides of their triangles that have no partner.
    fn new(scene: &Scene, sides: &Sides) -> (Self, Vec<Side>) {
        /// The number that stands for no neighbour.
        const NONE: u32 = u32::MAX;
        let num = scene.triangles.len();
        let mut neighbours = vec![[NONE; 3]; num];
        let mut loose = Vec::new();
        sides.each_edge(|group| match group {
            [a, b] if scene.copies[a.triangle as usize] == scene.copies[b.triangle as usize] => {
                for [from, to] in [[a, b], [b, a]] {
                    let known = &mut neighbours[from.triangle as usize];
                    let free = known.iter().position(|&n| n == NONE);
                    known[free.expect("a triangle has three sides")] = to.triangle;
                }
            }
            _ => loose.extend_from_slice(group),
        });
        let mut of = vec![usize::MAX; num];
        let mut is_turned = vec![false; num];
        let mut front = Vec::new();
        for first in 0..num {
            if of[first] != usize::MAX {
                continue;
            }
            of[first] = first;
            front.push(first);
            while let Some(t) = front.pop() {
                for next in neighbours[t].into_iter().filter(|&n| n != NONE) {
                    let next = next as usize;
                    if of[next] == usize::MAX {
                        of[next] = first;
                        let is_alike = is_wound_alike(scene.triangles[t], scene.triangles[next]);
                        is_turned[next] = is_turned[t] == is_alike;
                        front.push(next);
                    }
                }
            }
        }
        (Self { of, is_turned }, loose)
    }

    /// The value of `is_turned` of the triangles of a patch without an end whose fronts face outwards. `None` if the
    /// patch encloses nothing.
    fn outwards_by_volume(
        &self,
        scene: &Scene,
        patch: &[(usize, usize)],
        origin: DVec3,
    ) -> Option<bool> {
        let (mut volume, mut area) = (0.0, 0.0);
        for &(_, t) in patch {
            let [a, b, c] = scene.corners(t).map(|corner| corner - origin);
            let sign = if self.is_turned[t] { -1.0 } else { 1.0 };
            volume += sign * a.dot(b.cross(c)) / 6.0;
            area += 0.5 * (b - a).cross(c - a).length();
        }
        (volume.abs() > THINNEST * area).then_some(volume < 0.0)
    }

    /// The value of `is_turned` of the triangles whose fronts face outwards, of a patch that ends at others of its
    /// body. `None` if both of its sides are inside, or both outside.
    fn outwards_by_parity(
        &self,
        scene: &Scene,
        patch: &[(usize, usize)],
        groups: &Groups,
    ) -> Option<bool> {
        /// Oblique directions, so that rays meet no sides of triangles.
        const DIRECTIONS: [DVec3; 3] = [
            DVec3::new(0.861_37, 0.295_11, 0.413_59),
            DVec3::new(-0.270_43, 0.893_71, 0.357_97),
            DVec3::new(0.307_19, -0.401_23, 0.862_91),
        ];
        let area = |t: usize| normal(scene, t).length_squared();
        let &(_, largest) = patch
            .iter()
            .max_by(|a, b| area(a.1).total_cmp(&area(b.1)).then(b.1.cmp(&a.1)))?;
        let plane = |t: usize| scene.plane_of(scene.triangle_faces[t]);
        let is_of_body = |t: usize| groups.of[self.of[t]] == groups.of[self.of[largest]];
        // The point is not the centroid: the centroid may lie on the diagonal of a twin wall that is triangulated
        // differently.
        let [a, b, c] = scene.corners(largest);
        let start = 0.419_37 * a + 0.337_21 * b + 0.243_42 * c;
        let mut here = 0;
        scene.each_at(plane(largest), start, 0.0, &mut |t| {
            here += if is_of_body(t) { scene.copies[t] } else { 0 };
        });
        if here % 2 == 0 {
            return None;
        }
        let front = normal(scene, largest);
        let along = |d: &DVec3| d.dot(front).abs();
        let direction = DIRECTIONS
            .into_iter()
            .max_by(|a, b| along(a).total_cmp(&along(b)))?;
        let [low, high] = scene.bounds;
        let end = start + (low.distance(high) + 1.0) * direction;
        let mut passed = 0;
        scene.each_crossed(start, end, 0.0, &mut |t, _| {
            if is_of_body(t) && plane(t) != plane(largest) {
                passed += scene.copies[t];
            }
        });
        let looks_in = (direction.dot(front) > 0.0) == (passed % 2 == 1);
        Some(self.is_turned[largest] != looks_in)
    }
}

/// Whether two triangles that share a side are wound alike: they run along it in opposite directions.
fn is_wound_alike(a: [u32; 3], b: [u32; 3]) -> bool {
    let goes =
        |t: [u32; 3], from: u32, to: u32| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == [from, to]);
    (0..3)
        .map(|k| [a[k], a[(k + 1) % 3]])
        .any(|[from, to]| goes(b, to, from))
}

/// Patches that end at common lines.
struct Groups {
    /// The group of each patch. Both are named by their first triangles.
    of: Vec<usize>,
    /// Whether a group has no end, by its first triangle.
    is_closed: Vec<bool>,
}

impl Groups {
    fn new(scene: &Scene, patches: &Patches, loose: &[Side]) -> Self {
        let num = scene.triangles.len();
        let lines: Vec<[u32; 2]> = loose.iter().map(|side| side.ends).collect();
        let control = Control::default();
        let whole = Part::new(&control, Stage::Scene, 0.0, 1.0);
        let (mut pieces, _) =
            cut_at_vertices(&lines, &scene.vertices, whole).expect("nobody asks to stop");
        pieces.sort_by_key(|piece| (piece.ends, piece.line));
        let triangle = |piece: &Piece| loose[piece.line as usize].triangle as usize;
        let mut joined = UnionFind::new(num);
        let mut open = Vec::new();
        for group in pieces.chunk_by(|a, b| a.ends == b.ends) {
            let patch = |piece: &Piece| patches.of[triangle(piece)];
            for piece in group {
                joined.join(patch(&group[0]), patch(piece));
            }
            let num_ends: u32 = group.iter().map(|p| scene.copies[triangle(p)]).sum();
            if num_ends % 2 == 1 {
                open.push(patch(&group[0]));
            }
        }
        let of: Vec<usize> = (0..num).map(|patch| joined.root(patch)).collect();
        let mut is_closed = vec![true; num];
        for patch in open {
            is_closed[of[patch]] = false;
        }
        Self { of, is_closed }
    }
}
