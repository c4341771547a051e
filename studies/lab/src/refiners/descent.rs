//! Descents along the gradient of a path's length, from the tiles of a coarse path to the exact path.
//!
//! Every reflecting plane has two parameters, along the axes of its plane, and every edge has one. The length is convex
//! in them, so a descent ends at the same point wherever it starts: at the exact path, if there is one on the unbounded
//! planes and edges.
//!
//! **Source.** Vaara 2022, section 4.4.1, equations (16) to (30).
//!
//! **Loses** the information that a chain has no path. Its shortest way then goes through a reflecting plane or by the
//! line that two reflecting planes share, and the descent converges too.

use keller::paths::Step;
use keller::scene::Scene;
use keller::{DVec2, DVec3};

/// The first step of Vaara 2022, as a share of the gradient, metres; and the number of steps after which it is halved.
const FIRST_STEP: f64 = 0.5;
const STEPS_UNTIL_HALF: usize = 25;

/// Largest number of steps.
const MAX_STEPS: usize = 500;

/// A step shorter than this is the last, metres.
const THRESHOLD: f64 = 1e-5;

/// Lengths that differ by less than this share are equal.
const ROUNDING: f64 = 1e-15;

/// A step of the line search must shorten the longest path of this many steps before it.
const MEMORY: usize = 10;

/// Smallest gain of a step of the line search, as a share of the decrease that the slope predicts (Armijo 1966).
const ARMIJO: f64 = 1e-4;

/// The plane or line on which a point may move, and the origin of its parameters.
#[derive(Debug, Clone, Copy)]
struct Domain {
    origin: DVec3,
    /// The axes of a plane, or the direction of an edge and zero.
    axes: [DVec3; 2],
}

/// The state of one descent, with its buffers.
#[derive(Debug, Default)]
pub(super) struct Descent {
    places: Vec<Domain>,
    /// The start of the path, its interactions, and its end.
    points: Vec<DVec3>,
    parameters: Vec<DVec2>,
    gradient: Vec<DVec2>,
    /// The state before a step of the line search.
    before: Vec<DVec2>,
    gradient_before: Vec<DVec2>,
}

impl Descent {
    /// Sets the chain from `tx` by `steps`.
    pub(super) fn set(&mut self, scene: &Scene, tx: DVec3, steps: &[Step]) {
        self.places.clear();
        self.places.extend(steps.iter().map(|&step| {
            let axes = match step {
                Step::Reflection(plane) => scene.plane(plane).axes().into(),
                Step::Diffraction(edge) => [scene.edges()[edge.index()].along(), DVec3::ZERO],
                Step::Scattering(..) => unreachable!("coarse paths are specular"),
            };
            Domain {
                origin: DVec3::ZERO,
                axes,
            }
        }));
        self.points.clear();
        self.points.resize(steps.len() + 2, tx);
        self.gradient.clear();
        self.gradient.resize(steps.len(), DVec2::ZERO);
    }

    /// Sets the start points, one on each plane and edge, on the way to `rx`.
    pub(super) fn start(&mut self, rx: DVec3, points: &[DVec3]) {
        for (place, point) in self.places.iter_mut().zip(points) {
            place.origin = *point;
        }
        let n = self.places.len();
        self.points[n + 1] = rx;
        self.parameters.clear();
        self.parameters.resize(n, DVec2::ZERO);
    }

    /// The interaction points, from Tx to Rx.
    pub(super) fn points(&self) -> &[DVec3] {
        &self.points[1..=self.places.len()]
    }

    /// Takes the steps of Vaara 2022, in all parameters at once. Returns whether they become short enough.
    pub(super) fn as_thesis(&mut self) -> bool {
        let mut step = FIRST_STEP;
        for n in 0..MAX_STEPS {
            if n > 0 && n.is_multiple_of(STEPS_UNTIL_HALF) {
                step *= 0.5;
            }
            self.place_points();
            self.differentiate();
            let slope = square(&self.gradient).sqrt();
            for (x, g) in self.parameters.iter_mut().zip(&self.gradient) {
                *x -= step * *g;
            }
            if step * slope < THRESHOLD {
                self.place_points();
                return true;
            }
        }
        false
    }

    /// Takes steps that shorten the path enough, halving each until it does. The first length of a step follows from
    /// the last step and the change of the gradient (Barzilai and Borwein 1988). Such steps sometimes lengthen the path
    /// before they shorten it much, so they must shorten the longest path of the last steps (Raydan 1997). Returns
    /// whether the gradient vanishes: a step as long as a segment of the path would be short enough.
    pub(super) fn by_line_search(&mut self) -> bool {
        self.place_points();
        let mut length = self.differentiate();
        // The curvature at a point is about one over the length of its segments.
        let mut step = length / (self.points.len() - 1) as f64;
        let mut recent = [length; MEMORY];
        for n in 0..MAX_STEPS {
            recent[n % MEMORY] = length;
            let longest = recent.iter().fold(length, |a, b| a.max(*b));
            let slope = square(&self.gradient).sqrt();
            let segment = length / (self.points.len() - 1) as f64;
            if segment * slope < THRESHOLD {
                return true;
            }
            self.before.clone_from(&self.parameters);
            self.gradient_before.clone_from(&self.gradient);
            loop {
                if step * slope < ROUNDING * length {
                    // A kink, where points or two reflecting planes meet.
                    return false;
                }
                let old = self.before.iter().zip(&self.gradient_before);
                for (x, (before, g)) in self.parameters.iter_mut().zip(old) {
                    *x = *before - step * *g;
                }
                self.place_points();
                let next = self.differentiate();
                let promise = ARMIJO * step * slope * slope;
                if next <= longest * (1.0 + ROUNDING) - promise {
                    length = next;
                    break;
                }
                step *= 0.5;
            }
            let changes = self.gradient.iter().zip(&self.gradient_before);
            let moves = self.parameters.iter().zip(&self.before);
            let (mut square_move, mut curvature) = (0.0, 0.0);
            for ((x, before), (g, g_before)) in moves.zip(changes) {
                square_move += (*x - *before).length_squared();
                curvature += (*x - *before).dot(*g - *g_before);
            }
            // No step length follows where the length is nearly linear.
            step = (square_move / curvature.max(0.0)).min(length);
        }
        false
    }

    fn place_points(&mut self) {
        let moved = self.points[1..].iter_mut().zip(&self.places);
        for ((point, place), x) in moved.zip(&self.parameters) {
            let [u, v] = place.axes;
            *point = place.origin + x.x * u + x.y * v;
        }
    }

    /// Returns the length of the path, and sets its gradient by equations (25), (26) and (30). Coinciding points
    /// contribute nothing.
    fn differentiate(&mut self) -> f64 {
        let direction = |way: DVec3| {
            let length = way.length();
            let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
            (length, way * inverse)
        };
        let (mut total, mut from) = direction(self.points[1] - self.points[0]);
        let pairs = self.points[1..].windows(2);
        for (pair, (g, place)) in pairs.zip(self.gradient.iter_mut().zip(&self.places)) {
            let (length, to) = direction(pair[1] - pair[0]);
            total += length;
            let pull = from - to;
            *g = DVec2::from(place.axes.map(|axis| pull.dot(axis)));
            from = to;
        }
        total
    }
}

fn square(gradient: &[DVec2]) -> f64 {
    gradient.iter().map(|g| g.length_squared()).sum()
}

#[cfg(test)]
mod tests {
    use keller::paths::Unfolded;
    use keller::random::Random;
    use keller::scene::{EdgeId, FaceId, Mesh, MeshTriangle};

    use super::*;

    /// A point within `reach` of the origin along each axis.
    fn point(random: &mut Random, reach: f64) -> DVec3 {
        random.point(DVec3::splat(-reach), DVec3::splat(reach))
    }

    /// Random triangles, one for every step of `kind`, each a reflecting plane with three free edges; and the steps.
    fn chain(kind: &str, random: &mut Random, reach: f64) -> (Scene, Vec<Step>) {
        let mut mesh = Mesh::default();
        let material = mesh.material_index("metal");
        for k in 0..u32::try_from(kind.len()).unwrap() {
            let near = point(random, reach);
            mesh.vertices
                .extend((0..3).map(|_| near + point(random, reach)));
            let vertices = [3 * k, 3 * k + 1, 3 * k + 2];
            mesh.triangles.push(MeshTriangle { vertices, material });
        }
        let scene = Scene::new(&mesh).unwrap();
        let edges = scene.edges().len() / kind.len();
        let steps = kind.chars().enumerate().map(|(k, letter)| match letter {
            'R' => Step::Reflection(scene.plane_of(FaceId::from_index(k))),
            _ => Step::Diffraction(EdgeId::from_index(edges * k)),
        });
        let steps = steps.collect();
        (scene, steps)
    }

    /// Points of the planes and edges, up to `away` metres from those of a path along each axis.
    fn beside(
        scene: &Scene,
        exact: &[(Step, DVec3)],
        away: f64,
        random: &mut Random,
    ) -> Vec<DVec3> {
        let moved = exact.iter().map(|(step, point)| match step {
            Step::Reflection(plane) => {
                let (u, v) = scene.plane(*plane).axes();
                *point + away * (random.range(-1.0, 1.0) * u + random.range(-1.0, 1.0) * v)
            }
            Step::Diffraction(edge) => {
                *point + away * random.range(-1.0, 1.0) * scene.edges()[edge.index()].along()
            }
            Step::Scattering(..) => *point,
        });
        moved.collect()
    }

    /// The largest distance between the points of two paths.
    fn distance(exact: &[(Step, DVec3)], found: &[DVec3]) -> f64 {
        let pairs = exact.iter().zip(found);
        pairs.map(|((_, a), b)| a.distance(*b)).fold(0.0, f64::max)
    }

    /// The number of exact paths, for how many a descent converges, and how many it meets within a millimetre.
    #[derive(Debug, Default)]
    struct Shares {
        num_paths: usize,
        thesis_converged: usize,
        thesis_agreeing: usize,
        /// The number of those whose gradient is as small as the threshold, too.
        thesis_level: usize,
        line_converged: usize,
        line_agreeing: usize,
    }

    /// The counts for paths through scenes of the size `reach`, from starts up to `away` metres off.
    fn shares(kind: &str, reach: f64, away: f64) -> Shares {
        let mut random = Random(7);
        let (mut unfolded, mut waypoints) = (Unfolded::default(), Vec::new());
        let mut descent = Descent::default();
        let mut found = Shares::default();
        for _ in 0..400 {
            let (scene, steps) = chain(kind, &mut random, reach);
            let (tx, rx) = (
                point(&mut random, 2.0 * reach),
                point(&mut random, 2.0 * reach),
            );
            unfolded.set(&scene, tx, &steps);
            if !unfolded.reach(rx, &mut waypoints) {
                continue;
            }
            found.num_paths += 1;
            let exact: Vec<(Step, DVec3)> = waypoints.iter().map(|w| (w.step, w.point)).collect();
            let start = beside(&scene, &exact, away, &mut random);
            descent.set(&scene, tx, &steps);
            descent.start(rx, &start);
            if descent.as_thesis() {
                found.thesis_converged += 1;
                let is_near = distance(&exact, descent.points()) < 1e-3;
                found.thesis_agreeing += usize::from(is_near);
                descent.differentiate();
                let is_level = square(&descent.gradient).sqrt() < THRESHOLD;
                found.thesis_level += usize::from(is_level);
            }
            descent.start(rx, &start);
            if descent.by_line_search() {
                found.line_converged += 1;
                let is_near = distance(&exact, descent.points()) < 1e-3;
                found.line_agreeing += usize::from(is_near);
            }
        }
        found
    }

    const KINDS: [&str; 7] = ["R", "RR", "RRR", "D", "RD", "DR", "DD"];

    #[test]
    fn a_line_search_ends_at_the_exact_path_wherever_it_starts() {
        for (reach, away) in [(0.3, 0.1), (3.0, 10.0), (100.0, 5.0), (100.0, 100.0)] {
            for kind in KINDS {
                let found = shares(kind, reach, away);
                assert!(found.num_paths > 30, "{kind}: {found:?}");
                assert_eq!(found.line_agreeing, found.line_converged, "{kind} {reach}");
                let least = 97 * found.num_paths;
                assert!(100 * found.line_converged >= least, "{kind}: {found:?}");
            }
        }
    }

    #[test]
    fn steps_of_the_thesis_become_short_before_they_are_there() {
        for kind in ["D", "DD"] {
            let room = shares(kind, 0.3, 0.1);
            let nearly_all = 99 * room.num_paths;
            assert!(100 * room.thesis_agreeing >= nearly_all, "{kind}: {room:?}");
        }
        for kind in KINDS {
            let city = shares(kind, 100.0, 5.0);
            assert_eq!(city.thesis_converged, city.num_paths, "{kind}: {city:?}");
            assert!(
                20 * city.thesis_agreeing < city.num_paths,
                "{kind}: {city:?}"
            );
            // If the gradient were tested instead, nothing would converge.
            assert!(20 * city.thesis_level < city.num_paths, "{kind}: {city:?}");
        }
    }
}
