//! Reflections at the joints of curved surfaces: in the gaps between the waves that facets reflect.
//!
//! Of all ways from one place over a surface to another, the shortest has one point on it, which moves steadily with
//! both ends. On a facet it is the specular reflection. At a crease or a corner of a convex surface it stays there,
//! while the direction of reflection turns from that of one facet to that of the next. So a reflection exists at a
//! joint if the length grows along the surface in all directions, and then none exists at the adjacent facets. It
//! counts as a reflection at the facet whose normal is nearest to its own.
//!
//! Each sequence of planes that a search has proposed is tried with each joint of one of its planes in place of that
//! plane, and with the facets next to its last plane, since rays may have missed them. One reflection of a path may be
//! at a joint, and paths that diffract or scatter have none there.
//!
//! **Cost:** two planes around the gap of each crease, for each sequence and group of receivers; joints are few.

use glam::DVec3;
use rustc_hash::{FxHashMap, FxHashSet};

use super::connect::connect;
use super::job::{Job, Transmitter};
use super::solve::edge_line::EdgeCoordinates;
use super::solve::{SolveScratch, Waypoint, solve};
use super::validate::{AtJoint, Validator};
use super::{InteractionKind, Path, SequenceTree, Step};
use crate::geometry::tolerance::{ON_FACE_DISTANCE, TIE_DISTANCE};
use crate::parallel;
use crate::scene::{FaceId, Joint, PlaneId, Scene};
use crate::{Control, Error};

/// Number of sequences in one piece of parallel work.
const NODES_PER_JOB: usize = 256;
/// Number of receivers that are tried together; those of a route or a row are near each other.
const RX_PER_GROUP: usize = 64;

/// Two reflections of one path nearer to each other than this are one, metres.
const SAME_POINT: f64 = 1e-4;

/// A facet reflects up to this distance from its border, so a joint takes over from there, metres.
const OVERLAP: f64 = 3.0 * ON_FACE_DISTANCE;

/// The paths with a reflection at a joint. `found` are the paths of the same limits that have none.
pub(super) fn reflect_at_joints(
    job: &Job,
    tx: &Transmitter,
    rx: &[DVec3],
    found: &[Path],
) -> Result<Vec<Path>, Error> {
    let scene = job.scene;
    if job.limits.reflections() == 0 || scene.joints().num() == 0 {
        return Ok(Vec::new());
    }
    let tree = &tx.views.tree;
    // Some searches have no tree.
    let of_planes = (tree.nodes.len() == 1).then(|| facets(scene, tx.position));
    let tree = of_planes.as_ref().unwrap_or(tree);
    let with_neighbours = with_neighbours(scene, tree);
    let mut paths = Vec::new();
    if let Some(longer) = &with_neighbours {
        let control = Control {
            progress: None,
            ..*job.control
        };
        let quiet = Job {
            control: &control,
            ..*job
        };
        paths = connect(&quiet, tx, (longer, tree.nodes.len()), rx)?;
    }
    let tree = with_neighbours.as_ref().unwrap_or(tree);
    let work = Work::new(job, tx, rx, tree);
    let blocks: Vec<usize> = (1..tree.nodes.len()).step_by(NODES_PER_JOB).collect();
    paths.extend(parallel::flat_map(blocks.len(), |block, found| {
        let (first, mut search) = (blocks[block], work.search());
        if !job.control.is_cancelled() {
            for node in first..tree.nodes.len().min(first + NODES_PER_JOB) {
                search.try_node(node);
            }
        }
        found.extend(search.found);
    }));
    job.control.check()?;
    Ok(different(scene, paths, found))
}

/// The single reflections at all planes with joints.
fn facets(scene: &Scene, tx: DVec3) -> SequenceTree {
    let mut tree = SequenceTree::root(tx);
    for plane in (0..scene.planes().len()).map(PlaneId::from_index) {
        if !scene.joints().of_plane(plane).is_empty() {
            tree.push(scene, 0, plane);
        }
    }
    tree
}

/// The tree with the facets next to the planes of its sequences, which rays may have missed; `None` if it has them all.
fn with_neighbours(scene: &Scene, tree: &SequenceTree) -> Option<SequenceTree> {
    let known = with_joints(scene, tree);
    let neighbours = known.iter().flat_map(move |&(parent, plane)| {
        let joints = scene.joints().of_plane(plane).iter();
        let faces = joints.flat_map(move |joint| scene.joint(*joint).faces);
        faces.map(move |face| (parent, scene.plane_of(face)))
    });
    let is_missing = |(parent, plane): &(u32, PlaneId)| {
        let is_repeated = *parent != 0 && tree.nodes[*parent as usize].plane == *plane;
        !is_repeated && !known.contains(&(*parent, *plane))
    };
    let mut missing: Vec<(u32, PlaneId)> = neighbours.filter(is_missing).collect();
    if missing.is_empty() {
        return None;
    }
    missing.sort_unstable();
    missing.dedup();
    let mut tree = tree.clone();
    for (parent, plane) in missing {
        tree.push(scene, parent as usize, plane);
    }
    Some(tree)
}

/// The sequences whose last plane has joints: the one before, and this plane.
fn with_joints(scene: &Scene, tree: &SequenceTree) -> FxHashSet<(u32, PlaneId)> {
    let last = tree.nodes[1..].iter().map(|node| (node.parent, node.plane));
    last.filter(|(_, plane)| !scene.joints().of_plane(*plane).is_empty())
        .collect()
}

/// Each path once, without those that are in `known`.
fn different(scene: &Scene, mut paths: Vec<Path>, known: &[Path]) -> Vec<Path> {
    if paths.is_empty() {
        return paths;
    }
    paths.sort_by(Path::order);
    let turns = |path: &Path| -> Vec<DVec3> {
        let turns = path.vertices.iter().filter(|v| v.turns());
        turns.map(|v| v.point).collect()
    };
    let reflects = |path: &&Path| {
        let mut turns = path.vertices.iter().filter(|v| v.turns());
        turns.all(|v| v.interaction.kind() == InteractionKind::Reflection)
    };
    let mut of_rx: FxHashMap<usize, Vec<(Vec<DVec3>, super::Sequence)>> =
        paths.iter().map(|path| (path.rx, Vec::new())).collect();
    for path in known.iter().filter(reflects) {
        if let Some(kept) = of_rx.get_mut(&path.rx) {
            kept.push((turns(path), path.sequence(scene)));
        }
    }
    paths.retain(|path| {
        let (points, sequence) = (turns(path), path.sequence(scene));
        let kept = of_rx.get_mut(&path.rx).expect("of each receiver");
        let is_known = kept.iter().any(|(known, of)| {
            let mut pairs = known.iter().zip(&points);
            *of == sequence
                || known.len() == points.len() && pairs.all(|(a, b)| a.distance(*b) <= SAME_POINT)
        });
        kept.push((points, sequence));
        !is_known
    });
    paths
}

/// The values that all pieces of the work share.
struct Work<'a> {
    job: &'a Job<'a>,
    tx: &'a Transmitter<'a>,
    rx: &'a [DVec3],
    tree: &'a SequenceTree,
    /// A ball around each group of receivers.
    groups: Vec<Ball>,
    /// The sequences whose last plane has joints, by the one before and this plane.
    known: FxHashSet<(u32, PlaneId)>,
}

#[derive(Debug, Clone, Copy)]
struct Ball {
    centre: DVec3,
    radius: f64,
}

impl<'a> Work<'a> {
    fn new(
        job: &'a Job<'a>,
        tx: &'a Transmitter<'a>,
        rx: &'a [DVec3],
        tree: &'a SequenceTree,
    ) -> Self {
        let groups = rx.chunks(RX_PER_GROUP).map(|group| {
            let centre = group.iter().sum::<DVec3>() / group.len() as f64;
            let distances = group.iter().map(|p| p.distance(centre));
            let radius = distances.fold(0.0, f64::max);
            Ball { centre, radius }
        });
        Self {
            job,
            tx,
            rx,
            tree,
            groups: groups.collect(),
            known: with_joints(job.scene, tree),
        }
    }

    fn search(&'a self) -> Search<'a> {
        Search {
            work: self,
            validator: Validator::new(self.job),
            scratch: SolveScratch::default(),
            part: Vec::new(),
            waypoints: Vec::new(),
            found: Vec::new(),
        }
    }
}

/// One piece of the work, with its buffers.
struct Search<'a> {
    work: &'a Work<'a>,
    validator: Validator<'a>,
    scratch: SolveScratch,
    part: Vec<Waypoint>,
    waypoints: Vec<Waypoint>,
    found: Vec<Path>,
}

impl Search<'_> {
    /// Tries the joints of each plane of a sequence.
    fn try_node(&mut self, node: usize) {
        let Work { job, tree, .. } = *self.work;
        let joints = job.scene.joints();
        // The planes behind the joint, from the receiver on.
        let mut after: Vec<PlaneId> = Vec::new();
        let mut at = node;
        while at != 0 {
            let of = &tree.nodes[at];
            let before = of.parent as usize;
            for &number in joints.of_plane(of.plane) {
                let joint = job.scene.joint(number);
                if self.is_first(of.parent, of.plane, &joint) {
                    self.try_joint(before, &joint, &after);
                }
            }
            after.push(of.plane);
            at = before;
        }
    }

    /// Whether no other sequence with this beginning leads to the joint over a smaller plane.
    fn is_first(&self, parent: u32, plane: PlaneId, joint: &Joint) -> bool {
        let mut planes = joint.faces.iter().map(|f| self.work.job.scene.plane_of(*f));
        !planes.any(|other| other < plane && self.work.known.contains(&(parent, other)))
    }

    /// Tries a joint behind the sequence `before`, and in front of the planes `after`, which are listed from the receiver on.
    fn try_joint(&mut self, before: usize, joint: &Joint, after: &[PlaneId]) {
        let Work {
            job, rx, groups, ..
        } = self.work;
        let scene = job.scene;
        let from = self.work.tree.nodes[before].image;
        let Some(gap) = Gap::new(scene, joint, from) else {
            return;
        };
        let mirrored = |point: DVec3| {
            let planes = after.iter();
            planes.fold(point, |point, plane| scene.plane(*plane).mirror(point))
        };
        for (group, ball) in groups.iter().enumerate() {
            let ball = Ball {
                centre: mirrored(ball.centre),
                ..*ball
            };
            if !gap.may_reach(&ball) {
                continue;
            }
            let first = group * RX_PER_GROUP;
            for r in first..rx.len().min(first + RX_PER_GROUP) {
                let to = mirrored(rx[r]);
                if gap.may_hold(to)
                    && let Some((point, normal)) = meet(joint, from, to)
                {
                    self.validate(before, (joint, point, normal), after, r);
                }
            }
        }
    }

    /// Adds the path to the receiver `r` by a point of a joint, where the surface has this normal, if it is valid.
    fn validate(
        &mut self,
        before: usize,
        (joint, point, normal): (&Joint, DVec3, DVec3),
        after: &[PlaneId],
        r: usize,
    ) {
        let Work {
            job, tx, rx, tree, ..
        } = *self.work;
        let scene = job.scene;
        let steps = |planes: &mut dyn Iterator<Item = PlaneId>| -> Vec<Step> {
            planes.map(Step::Reflection).collect()
        };
        let first = steps(&mut tree.sequence(before).into_iter());
        let last = steps(&mut after.iter().rev().copied());
        self.waypoints.clear();
        let (scratch, part) = (&mut self.scratch, &mut self.part);
        if !solve(scene, tx.position, &first, point, scratch, part) {
            return;
        }
        self.waypoints.append(part);
        let face = owner(scene, joint, normal);
        self.waypoints.push(Waypoint {
            step: Step::Reflection(scene.plane_of(face)),
            point,
        });
        if !solve(scene, point, &last, rx[r], scratch, part) {
            return;
        }
        self.waypoints.append(part);
        let at = AtJoint {
            index: first.len(),
            face,
            planes: joint.faces.iter().map(|f| scene.plane_of(*f)).collect(),
        };
        let path = self
            .validator
            .path_at_joint(tx, &self.waypoints, (r, rx[r]), at);
        self.found.extend(path);
    }
}

/// The facet whose normal is nearest to that of the reflection. In the middle between two, it is that of the smaller plane.
fn owner(scene: &Scene, joint: &Joint, normal: DVec3) -> FaceId {
    /// Cosines that differ by less are equal.
    const TIE: f64 = 1e-12;
    let near = |face: FaceId| scene.face_normal(face).dot(normal).abs();
    let best = joint.faces.iter().map(|f| near(*f)).fold(0.0, f64::max);
    let nearest = joint.faces.iter().filter(|f| near(**f) >= best - TIE);
    *nearest
        .min_by_key(|face| (scene.plane_of(**face), **face))
        .expect("a joint has facets")
}

/// The point of a joint that reflects the wave from `from` to `to`, both unfolded, and the unit normal there, towards
/// both; `None` if a shorter way leads over the surface next to the joint.
fn meet(joint: &Joint, from: DVec3, to: DVec3) -> Option<(DVec3, DVec3)> {
    let [a, b] = [from, to].map(|end| EdgeCoordinates::new(end, joint.start, joint.along));
    let t = if joint.length > 0.0 { a.meet(b) } else { 0.0 };
    if !(-TIE_DISTANCE..=joint.length + TIE_DISTANCE).contains(&t) {
        return None;
    }
    let point = joint.start + t * joint.along;
    let [out, back] = [to - point, from - point];
    let slack = OVERLAP * (1.0 / out.length() + 1.0 / back.length());
    let normal = out.normalize() + back.normalize();
    // The length grows along a way as the sum of both unit vectors leads away from it.
    let is_shortest = joint.ways.iter().all(|way| normal.dot(*way) <= slack);
    let normal = normal.try_normalize()?;
    is_shortest.then_some((point, normal))
}

/// The boundary of the places that a joint may reflect a wave to. It holds all of them, and few others.
#[derive(Debug)]
enum Gap {
    /// The gap between the edges of the beams that both facets at a crease reflect: a point of the crease, and unit
    /// normals of two planes.
    Crease(DVec3, [DVec3; 2]),
    /// A cone: its tip, its axis, and its half angle.
    Corner(DVec3, DVec3, f64),
}

impl Gap {
    /// `None` for a source on the joint.
    fn new(scene: &Scene, joint: &Joint, from: DVec3) -> Option<Self> {
        let start = joint.start;
        if joint.length > 0.0 {
            let bound = |k: usize| {
                let plane = scene.plane(scene.plane_of(joint.faces[k]));
                // The convex side of the crease. From behind a facet, a wave grazes the crease over the other one.
                let outside = -plane.normal.dot(joint.ways[1 - k]);
                let is_behind = plane.distance(from) * outside < 0.0;
                let source = if is_behind { from } else { plane.mirror(from) };
                let normal = joint.along.cross(source - start).try_normalize()?;
                Some(normal * normal.dot(joint.ways[k]).signum())
            };
            return Some(Self::Crease(start, [bound(0)?, bound(1)?]));
        }
        let ray = (start - from).try_normalize()?;
        let normals = || {
            let normals = joint.faces.iter().map(|face| scene.face_normal(*face));
            normals.map(|normal| normal * -normal.dot(ray).signum())
        };
        // Facets that face away at grazing incidence are turned like the first.
        let first = normals().next()?;
        let normals = || normals().map(|normal| normal * normal.dot(first).signum());
        let normal = normals().sum::<DVec3>().try_normalize()?;
        let widest = normals()
            .map(|of| of.angle_between(normal))
            .fold(0.0, f64::max);
        let axis = ray - 2.0 * ray.dot(normal) * normal;
        Some(Self::Corner(start, axis, 2.0 * widest + Self::SLACK))
    }

    /// Covers the overlap of facets and joints, metres or radians.
    const SLACK: f64 = 1e-4;

    fn may_reach(&self, ball: &Ball) -> bool {
        match self {
            Self::Crease(start, bounds) => bounds
                .iter()
                .all(|bound| bound.dot(ball.centre - start) <= ball.radius + Self::SLACK),
            Self::Corner(tip, axis, angle) => {
                let to = ball.centre - tip;
                let distance = to.length();
                distance <= ball.radius
                    || axis.angle_between(to) <= angle + (ball.radius / distance).asin()
            }
        }
    }

    fn may_hold(&self, point: DVec3) -> bool {
        match self {
            Self::Crease(start, bounds) => bounds
                .iter()
                .all(|bound| bound.dot(point - start) <= Self::SLACK),
            Self::Corner(tip, axis, angle) => axis.angle_between(point - tip) <= *angle,
        }
    }
}
