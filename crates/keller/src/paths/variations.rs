//! Varies the paths that were found: where one path leads, similar paths often exist.
//!
//! Rays may miss a narrow reflecting plane or a short edge, but hardly a whole facade. Every path that was found is
//! therefore varied. Each of its reflecting planes and edges in turn is replaced by one near the point where the path
//! meets it, each reflecting plane is left out, and the floors and ceilings of both ends are inserted. Valid variations
//! are varied in the same way until no new path is found. Each receiver is treated by itself. In a city this finds a
//! third of the paths that rays miss, in a tenth of their time.

use glam::{DVec3, Vec3};
use rustc_hash::FxHashSet;

use super::job::{Job, Transmitter};
use super::sequence::Step;
use super::solve::{SolveScratch, Waypoint, solve};
use super::validate::Validator;
use super::{Path, Vertex};
use crate::Error;
use crate::geometry::bvh::Ray;
use crate::parallel;
use crate::scene::{EdgeId, PlaneId, Scene};

/// The paths from `tx` near those in `found` whose index `is_varied` accepts. The list is sorted by receiver. Planes
/// and edges within `reach` metres are near.
pub(super) fn search_variations(
    job: &Job,
    tx: &Transmitter,
    rx: &[DVec3],
    found: &[Path],
    reach: f64,
    is_varied: impl Fn(usize) -> bool + Sync,
) -> Result<Vec<Path>, Error> {
    let edges = EdgesOfFaces::new(job);
    let mut first = 0;
    let of_one = found.chunk_by(|a, b| a.rx == b.rx).map(|paths| {
        first += paths.len();
        (first - paths.len(), paths)
    });
    let of_one: Vec<(usize, &[Path])> = of_one.collect();
    let variations: Vec<Vec<Path>> = parallel::try_map(of_one.len(), |number| {
        job.control.check()?;
        let (first, paths) = of_one[number];
        let index = paths[0].rx;
        let variations = Variations {
            job,
            tx,
            index,
            position: rx[index],
            reach,
            edges: &edges,
            validator: Validator::new(job),
            tried: FxHashSet::default(),
            scratch: SolveScratch::default(),
            waypoints: Vec::new(),
        };
        Ok::<_, Error>(variations.of(paths, |k| is_varied(first + k)))
    })?;
    Ok(variations.into_iter().flatten().collect())
}

/// The edges that may diffract, by face.
struct EdgesOfFaces(Vec<Vec<EdgeId>>);

impl EdgesOfFaces {
    fn new(job: &Job) -> Self {
        let mut edges = vec![Vec::new(); job.scene.faces().len()];
        if job.limits.max_diffractions > 0 {
            for id in super::search::views::diffracting_edges(job.scene, job.limits) {
                for face in job.scene.edges()[id.index()].faces.into_iter().flatten() {
                    edges[face.index()].push(id);
                }
            }
        }
        Self(edges)
    }
}

/// The variations of one receiver's paths.
struct Variations<'a> {
    job: &'a Job<'a>,
    tx: &'a Transmitter<'a>,
    index: usize,
    position: DVec3,
    reach: f64,
    edges: &'a EdgesOfFaces,
    validator: Validator<'a>,
    tried: FxHashSet<Vec<Step>>,
    scratch: SolveScratch,
    waypoints: Vec<Waypoint>,
}

impl Variations<'_> {
    /// The valid paths near those `known` ones that are varied.
    fn of(mut self, known: &[Path], is_varied: impl Fn(usize) -> bool) -> Vec<Path> {
        let scene = self.job.scene;
        let floors = [self.tx.position, self.position].map(|end| floors(scene, end));
        let mut floors = floors.concat();
        floors.sort_unstable();
        floors.dedup();
        for path in known {
            let steps = steps(scene, path).into_iter().map(|(step, _)| step);
            self.tried.insert(steps.collect());
        }
        let mut new = Vec::new();
        for (_, path) in known.iter().enumerate().filter(|(k, _)| is_varied(*k)) {
            self.vary(&steps(scene, path), &floors, &mut new);
        }
        let mut at = 0;
        while at < new.len() {
            let path = steps(scene, &new[at]);
            self.vary(&path, &floors, &mut new);
            at += 1;
        }
        new
    }

    /// Adds the valid variations of one path to `new`.
    fn vary(&mut self, path: &[(Step, DVec3)], floors: &[Step], new: &mut Vec<Path>) {
        let own: Vec<Step> = path.iter().map(|&(step, _)| step).collect();
        let mut varied = own.clone();
        let mut near = Vec::new();
        for (k, &(step, point)) in path.iter().enumerate() {
            self.near(point, &mut near);
            for &other in near.iter().filter(|&&other| other != step) {
                varied[k] = other;
                self.attempt(&varied, new);
            }
            varied[k] = step;
            varied.remove(k);
            self.attempt(&varied, new);
            varied.insert(k, step);
        }
        for k in 0..=own.len() {
            for &floor in floors {
                varied.insert(k, floor);
                self.attempt(&varied, new);
                varied.remove(k);
            }
        }
    }

    /// The reflecting planes and edges near a point.
    fn near(&self, point: DVec3, near: &mut Vec<Step>) {
        near.clear();
        let scene = self.job.scene;
        scene.faces_near(point, self.reach, |face| {
            near.push(Step::Reflection(scene.plane_of(face)));
            let edges = self.edges.0[face.index()].iter();
            near.extend(edges.map(|&edge| Step::Diffraction(edge)));
        });
        near.sort_unstable();
        near.dedup();
    }

    /// Adds the path by `steps` to `new` if it is valid and was not tried before.
    fn attempt(&mut self, steps: &[Step], new: &mut Vec<Path>) {
        let limits = self.job.limits;
        let is_wanted = limits.allow_steps(steps) && (limits.line_of_sight || !steps.is_empty());
        if !is_wanted || !self.tried.insert(steps.to_vec()) {
            return;
        }
        let (tx, rx) = (self.tx.position, self.position);
        let (scratch, waypoints) = (&mut self.scratch, &mut self.waypoints);
        if solve(self.job.scene, tx, steps, rx, scratch, waypoints) {
            let path = self.validator.path(self.tx, waypoints, self.index, rx);
            new.extend(path);
        }
    }
}

/// The planes straight above and below a point.
fn floors(scene: &Scene, point: DVec3) -> Vec<Step> {
    let start = (point - scene.origin()).as_vec3();
    let hits = [Vec3::Z, Vec3::NEG_Z].map(|way| scene.index().closest_hit(&Ray::new(start, way)));
    let planes = hits.into_iter().flatten();
    planes
        .map(|hit| Step::Reflection(PlaneId::from_index(hit.group as usize)))
        .collect()
}

/// The steps of a path and their points.
fn steps(scene: &Scene, path: &Path) -> Vec<(Step, DVec3)> {
    let step = |vertex: &Vertex| Some((vertex.interaction.step(scene)?, vertex.point));
    path.vertices.iter().filter_map(step).collect()
}
