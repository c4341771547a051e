//! Descents along the gradient of a path's length, from the tiles of a coarse path to the exact one.
//!
//! Every reflecting plane has two parameters, along the axes of its plane, and every edge one. The length is convex in
//! them, so wherever a descent starts it goes to the same end: the exact path, if there is one on the planes and edges
//! without their borders.
//!
//! **Source.** Vaara 2022, section 4.4.1, equations (16) to (30).
//!
//! **Loses** chains that have no path, whose shortest way goes through a reflecting plane or by the line that two
//! reflecting planes share: it converges too.

use glam::{DVec2, DVec3};

use crate::paths::Step;
use crate::scene::Scene;

/// First steps of Vaara 2022, as a part of the gradient, metres; they are halved after each so many.
const FIRST_STEP: f64 = 0.5;
const STEPS_UNTIL_HALF: usize = 25;

/// More steps are not taken.
const MAX_STEPS: usize = 500;

/// A step so short is the last, metres.
const THRESHOLD: f64 = 1e-5;

/// Lengths that differ by less than this part are equal.
const ROUNDING: f64 = 1e-15;

/// Steps of the line search whose longest path the next one must shorten.
const MEMORY: usize = 10;

/// What a step of the line search must win at least, as a part of what its slope promises (Armijo 1966).
const ARMIJO: f64 = 1e-4;

/// Where points may move, and the point that parameters are counted from.
#[derive(Debug, Clone, Copy)]
struct Domain {
    origin: DVec3,
    /// Of a plane, or along an edge and zero.
    axes: [DVec3; 2],
}

/// One path on its way down, and room for it.
#[derive(Debug, Default)]
pub(super) struct Descent {
    places: Vec<Domain>,
    /// Where the path starts, its interactions, where it ends.
    points: Vec<DVec3>,
    parameters: Vec<DVec2>,
    gradient: Vec<DVec2>,
    /// What the line search comes from.
    before: Vec<DVec2>,
    gradient_before: Vec<DVec2>,
}

impl Descent {
    /// Takes the chain from `tx` by `steps`.
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

    /// Goes to one point of each plane and edge, on the way to `rx`.
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

    /// Takes steps of the lengths of Vaara 2022, all parameters at a time; whether they become short enough.
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

    /// Steps that shorten the path enough: halved until they do, from the length that the last step and what it changed in the gradient
    /// suggest (Barzilai and Borwein 1988), which now and then lead up before they lead far down, so the longest path of the last steps is
    /// what they shorten (Raydan 1997). Whether the gradient vanishes: a step as long as a segment of the path would be short enough.
    pub(super) fn by_line_search(&mut self) -> bool {
        self.place_points();
        let mut length = self.differentiate();
        // The curvature beside a point is about one over the length of its segments.
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
                    // At a kink: where points meet, or two reflecting planes.
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
            // Where the length is all but straight, nothing is suggested.
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

    /// The length of the path; its gradient by equations (25), (26) and (30). Points that coincide pull nowhere.
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
    use super::*;
    use crate::paths::solve::Unfolded;
    use crate::random::Random;
    use crate::scene::{EdgeId, FaceId, Mesh, MeshTriangle};

    /// A point within `reach` of the origin along each axis.
    fn point(random: &mut Random, reach: f64) -> DVec3 {
        random.point(DVec3::splat(-reach), DVec3::splat(reach))
    }

    /// Triangles anywhere, each a reflecting plane with three free edges, one for every step of `kind`; and the steps.
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

    /// Points of the planes and edges, so far from those of a path.
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

    /// How far apart the points of two paths are at most.
    fn distance(exact: &[(Step, DVec3)], found: &[DVec3]) -> f64 {
        let pairs = exact.iter().zip(found);
        pairs.map(|((_, a), b)| a.distance(*b)).fold(0.0, f64::max)
    }

    /// Exact paths, and how many of them a descent converges for and takes within a millimetre.
    #[derive(Debug, Default)]
    struct Shares {
        num_paths: usize,
        thesis_converged: usize,
        thesis_agreeing: usize,
        /// Whose gradient, too, is as small as the threshold.
        thesis_level: usize,
        line_converged: usize,
        line_agreeing: usize,
    }

    /// Those of paths through places so large, from starts so far away, metres.
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
            // Were the gradient asked instead, nothing would converge.
            assert!(20 * city.thesis_level < city.num_paths, "{kind}: {city:?}");
        }
    }
}
