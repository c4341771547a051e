//! Hulls: walls and a roof that enclose the ground under them, as buildings do in models of cities.
//!
//! A hull is a part of the scene without its ground whose triangles are connected and that has no end, or ends only at
//! its foot ([`super::bodies`] has the same rule for bodies): on the ground, or at its own lowest height, as over sloping
//! terrain. A hull that ends in the air must be as high as a room and may not leave room to stand under it. A point of
//! the ground is under a building if the way straight up from it crosses the surface of some hull an odd number of
//! times. So ground under bridges, under roofs on pillars and under bodies in the air is open, and so are courtyards.
//!
//! What spans the whole scene is a room and no hull. A building without a floor of its own is a hull only if nothing
//! stands in it and if it takes up less than a quarter of the scene in plan: otherwise the ground is the floor of a
//! place that somebody has drawn to be in.
//!
//! **Cost:** about that of sorting the triangles' sides, once, when the hulls of a scene are first needed.

use glam::DVec3;
use smallvec::SmallVec;

use super::cuts::cut_at_vertices;
use super::regions::{Side, Sides};
use super::{FaceId, Scene};
use crate::control::Part;
use crate::geometry::Plane;
use crate::geometry::union_find::UnionFind;
use crate::{Control, Stage, parallel};

/// The hulls of a scene.
#[derive(Debug, Clone)]
pub(super) struct Hulls {
    /// The number of the hull of each triangle, or [`NONE`].
    of: Vec<u32>,
    num: usize,
}

/// The number that stands for no hull.
const NONE: u32 = u32::MAX;

/// The height above the ground of the points that show whether it is under a building, metres. Floors drawn just above
/// the ground are lower, and gaps under bodies that do not stand on it are higher. It is no round number, so that
/// nothing is drawn at it.
pub(crate) const LIFT: f64 = 0.0473;

/// Walls that end at most this far above the ground stand on it, metres.
const FEET: f64 = 0.5;

/// Walls that end within this height over the lowest point of their hull end at its foot, metres.
const AT_FOOT: f64 = 0.1;

/// The height of a room, metres. Nobody stands under a hull that is nearer to the ground.
const STANDING: f64 = 2.0;

/// A building without a floor that takes up this part of the scene in plan is a place to be in.
const OWN_PLACE: f64 = 0.25;

/// The share of both sides of the scene from which on a body that spans them is a room.
const WHOLE: f64 = 0.99;

/// The offset of vertical rays from round coordinates, metres, because models have edges there.
const OFFSET: DVec3 = DVec3::new(7.3e-5, 4.1e-5, 0.0);

/// Triangles that are connected, apart from the ground.
#[derive(Debug, Clone, Copy)]
struct Group {
    low: DVec3,
    high: DVec3,
    /// Whether it ends elsewhere than at its foot.
    is_open: bool,
    /// Whether it ends at its foot, so that it has no floor of its own.
    has_no_floor: bool,
    /// The smallest height of its ends above the ground, if it ends in the air, metres.
    gap: Option<f64>,
}

impl Scene {
    /// Whether a point of the ground is under a building: walls and a roof enclose it.
    pub fn is_under_building(&self, ground: DVec3) -> bool {
        let hulls = self.found_hulls();
        hulls.num > 0 && hulls.encloses(self, ground + LIFT * DVec3::Z, |_| true)
    }

    /// Whether a face is the underside of a building that stands in the ground: most of it has the ground inside of
    /// the building straight above it.
    pub fn is_buried(&self, face: FaceId) -> bool {
        let hulls = self.found_hulls();
        let of = self.face(face);
        let is_level = self.plane(of.plane).normal.z.abs() > 0.5;
        if !is_level || hulls.of[of.triangles.start] == NONE {
            return false;
        }
        let (mut buried, mut all) = (0.0, 0.0);
        for triangle in of.triangles.clone() {
            let [a, b, c] = self.corners(triangle);
            let area = (b - a).cross(c - a).length();
            all += area;
            let from = (a + b + c) / 3.0 + LIFT * DVec3::Z;
            let mut first: Option<(f64, bool)> = None;
            self.each_crossed(from, self.top(from), 0.0, &mut |t, at| {
                if first.is_none_or(|(known, _)| at < known) {
                    first = Some((at, self.is_ground(self.triangle_faces[t])));
                }
            });
            if first.is_some_and(|(_, is_ground)| is_ground) {
                buried += area;
            }
        }
        2.0 * buried > all
    }

    /// Calls `visit` with the lines in which hulls cross a plane that is raised by [`LIFT`], and again by
    /// [`STANDING`], because some walls end above the ground. The lines are those near a point of the plane, within
    /// `radius` metres, and are lowered into the plane itself.
    pub(crate) fn hull_lines(
        &self,
        plane: &Plane,
        centre: DVec3,
        radius: f64,
        visit: &mut impl FnMut([DVec3; 2]),
    ) {
        let hulls = self.found_hulls();
        if hulls.num == 0 {
            return;
        }
        let local = centre - self.origin;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the margin only has to be large enough"
        )]
        let margin = (radius + LIFT + STANDING) as f32 * 1.001;
        self.index
            .candidates(local, local, margin, &mut |triangle| {
                let triangle = triangle as usize;
                if hulls.of[triangle] != NONE {
                    for lift in [LIFT, LIFT + STANDING] {
                        let corners = self.corners(triangle);
                        let lowered = corners.map(|corner| corner - lift * DVec3::Z);
                        if let Some(line) = section(lowered, plane) {
                            visit(line);
                        }
                    }
                }
                true
            });
    }

    fn found_hulls(&self) -> &Hulls {
        self.hulls.get_or_init(|| Hulls::of(self))
    }

    /// The point above a point that is higher than all of the scene.
    fn top(&self, from: DVec3) -> DVec3 {
        from.with_z(self.bounds[1].z.max(from.z) + 1.0)
    }
}

/// The line in which a triangle crosses a plane.
fn section(corners: [DVec3; 3], plane: &Plane) -> Option<[DVec3; 2]> {
    let heights = corners.map(|corner| plane.distance(corner));
    let mut ends: SmallVec<[DVec3; 2]> = SmallVec::new();
    for k in 0..3 {
        let (a, b) = (k, (k + 1) % 3);
        if (heights[a] >= 0.0) != (heights[b] >= 0.0) {
            ends.push(corners[a].lerp(corners[b], heights[a] / (heights[a] - heights[b])));
        }
    }
    let [a, b] = ends[..] else {
        return None;
    };
    Some([a, b])
}

impl Hulls {
    fn of(scene: &Scene) -> Self {
        let is_ground = |t: &usize| scene.is_ground(scene.triangle_faces[*t]);
        let kept: Vec<usize> = (0..scene.triangles.len())
            .filter(|t| !is_ground(t))
            .collect();
        let (mut joined, groups) = groups(scene, &kept);
        let [low, high] = scene.bounds;
        let size = (high - low).truncate();
        let is_hull = |group: &Group| {
            let span = (group.high - group.low).truncate();
            let is_room = span.cmpge(WHOLE * size).all();
            let is_place =
                group.has_no_floor && span.element_product() >= OWN_PLACE * size.element_product();
            !(group.is_open || is_room || is_place)
        };
        let mut numbers: Vec<u32> = vec![NONE; kept.len()];
        let mut num = 0;
        for (root, group) in groups.iter().enumerate() {
            if group.as_ref().is_some_and(is_hull) {
                numbers[root] = num;
                num += 1;
            }
        }
        let mut of = vec![NONE; scene.triangles.len()];
        for (k, &t) in kept.iter().enumerate() {
            of[t] = numbers[joined.root(k)];
        }
        let mut hulls = Self {
            of,
            num: num as usize,
        };
        let of_hulls: Vec<Group> = groups.iter().flatten().copied().filter(is_hull).collect();
        let around: Vec<(usize, Group)> = (0..kept.len())
            .filter_map(|k| Some((kept[k], groups[joined.root(k)]?)))
            .collect();
        hulls.leave_inhabited(scene, &around, &of_hulls);
        hulls
    }

    /// Drops hulls without a floor of their own in which something stands. `all` has each triangle with its group.
    fn leave_inhabited(&mut self, scene: &Scene, all: &[(usize, Group)], hulls: &[Group]) {
        if !hulls.iter().any(|group| group.has_no_floor) {
            return;
        }
        let mut inhabited: Vec<u32> = parallel::flat_map(all.len(), |n, found| {
            let (t, own) = all[n];
            let centre = scene.corners(t).iter().sum::<DVec3>() / 3.0;
            self.each_around(scene, centre, |hull| {
                let group = &hulls[hull as usize];
                let is_within = own.low.cmpge(group.low).all() && own.high.cmple(group.high).all();
                if group.has_no_floor && is_within && self.of[t] != hull {
                    found.push(hull);
                }
            });
        });
        inhabited.sort_unstable();
        inhabited.dedup();
        for hull in &mut self.of {
            if inhabited.binary_search(hull).is_ok() {
                *hull = NONE;
            }
        }
    }

    /// Whether a hull that `counts` selects encloses a point.
    fn encloses(&self, scene: &Scene, point: DVec3, counts: impl Fn(u32) -> bool) -> bool {
        let mut is_inside = false;
        self.each_around(scene, point, |hull| is_inside |= counts(hull));
        is_inside
    }

    /// Calls `visit` with every hull that encloses a point.
    fn each_around(&self, scene: &Scene, point: DVec3, mut visit: impl FnMut(u32)) {
        let from = point + OFFSET;
        let mut passed: SmallVec<[(u32, u32); 4]> = SmallVec::new();
        scene.each_crossed(from, scene.top(from), 0.0, &mut |t, _| {
            let (hull, copies) = (self.of[t], scene.copies[t]);
            if hull == NONE {
                return;
            }
            match passed.iter_mut().find(|(known, _)| *known == hull) {
                Some((_, count)) => *count += copies,
                None => passed.push((hull, copies)),
            }
        });
        for (hull, count) in passed {
            if count % 2 == 1 {
                visit(hull);
            }
        }
    }
}

/// The groups of these triangles: the sets, and each group at the number of its first triangle in the list.
fn groups(scene: &Scene, kept: &[usize]) -> (UnionFind, Vec<Option<Group>>) {
    let list: Vec<[u32; 3]> = kept.iter().map(|t| scene.triangles[*t]).collect();
    let copies = |side: &Side| scene.copies[kept[side.triangle as usize]];
    let mut joined = UnionFind::new(kept.len());
    let mut loose: Vec<Side> = Vec::new();
    Sides::new(&list, scene.vertices.len()).each_edge(|edge| match edge {
        [a, b] if copies(a) == copies(b) => joined.join(a.triangle as usize, b.triangle as usize),
        _ => loose.extend_from_slice(edge),
    });
    let lines: Vec<[u32; 2]> = loose.iter().map(|side| side.ends).collect();
    let control = Control::default();
    let whole = Part::new(&control, Stage::Scene, 0.0, 1.0);
    let (mut pieces, _) =
        cut_at_vertices(&lines, &scene.vertices, whole).expect("nobody asks to stop");
    pieces.sort_by_key(|piece| (piece.ends, piece.line));
    // Calls `then` with the ends of each piece, and with a triangle of each group that has an odd number of sides there.
    let each_odd = |joined: &mut UnionFind, then: &mut dyn FnMut([u32; 2], &[usize])| {
        for same in pieces.chunk_by(|a, b| a.ends == b.ends) {
            let mut odd: SmallVec<[usize; 4]> = SmallVec::new();
            for side in same.iter().map(|piece| &loose[piece.line as usize]) {
                let root = joined.root(side.triangle as usize);
                match odd.iter().position(|known| *known == root) {
                    Some(place) if copies(side) % 2 == 1 => drop(odd.remove(place)),
                    None if copies(side) % 2 == 1 => odd.push(root),
                    _ => {}
                }
            }
            then(same[0].ends, &odd);
        }
    };
    // A body that ends at a line continues with the other body that ends there. Bodies that only touch stay apart.
    let mut meeting: Vec<[usize; 2]> = Vec::new();
    each_odd(&mut joined, &mut |_, odd| {
        meeting.extend(odd.windows(2).map(|pair| [pair[0], pair[1]]));
    });
    for [a, b] in meeting {
        joined.join(a, b);
    }
    let mut ends: Vec<([u32; 2], usize)> = Vec::new();
    each_odd(&mut joined, &mut |piece, odd| {
        ends.extend(odd.iter().map(|triangle| (piece, *triangle)));
    });
    let mut groups: Vec<Option<Group>> = vec![None; kept.len()];
    for (k, &t) in kept.iter().enumerate() {
        let group = groups[joined.root(k)].get_or_insert(Group {
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
            is_open: false,
            has_no_floor: false,
            gap: None,
        });
        for corner in scene.corners(t) {
            (group.low, group.high) = (group.low.min(corner), group.high.max(corner));
        }
    }
    let gaps: Vec<Option<[f64; 2]>> = parallel::map_slice(&ends, |(ends, _)| {
        Some([gap(scene, ends[0])?, gap(scene, ends[1])?])
    });
    for ((ends, triangle), gaps) in ends.into_iter().zip(gaps) {
        let group = groups[joined.root(triangle)].as_mut();
        let group = group.expect("its triangles are in it");
        let is_at_foot = |v: u32| scene.vertices[v as usize].z <= group.low.z + AT_FOOT;
        let Some(gaps) = gaps else {
            group.is_open = true;
            continue;
        };
        group.has_no_floor = true;
        if gaps[0].max(gaps[1]) > FEET {
            group.is_open |= !ends.into_iter().all(is_at_foot);
            let gap = gaps[0].min(gaps[1]);
            group.gap = Some(group.gap.map_or(gap, |known| known.min(gap)));
        }
    }
    for group in groups.iter_mut().flatten() {
        let is_low = group.high.z - group.low.z < STANDING;
        group.is_open |= group.gap.is_some_and(|gap| is_low || gap > STANDING);
    }
    (joined, groups)
}

/// The height of a vertex above the ground, metres; `None` outside the ground.
fn gap(scene: &Scene, vertex: u32) -> Option<f64> {
    let at = scene.vertices[vertex as usize];
    Some(at.z - scene.ground(at.truncate())?)
}
