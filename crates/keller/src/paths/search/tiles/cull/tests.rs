use glam::{DVec3, Vec3};

use super::super::beam::EdgeDiffraction;
use super::super::gate::Gate;
use super::*;
use crate::geometry::bvh::Dispatch;

struct Random(crate::random::Random);

impl Random {
    /// Uniform in `[low, high)`.
    #[expect(clippy::cast_possible_truncation, reason = "any f32 will do")]
    fn range(&mut self, low: f32, high: f32) -> f32 {
        self.0.range(f64::from(low), f64::from(high)) as f32
    }

    /// Uniform in the logarithm.
    fn size(&mut self, low: f32, high: f32) -> f32 {
        self.range(low.ln(), high.ln()).exp()
    }

    /// A point in a cube around the origin.
    fn point(&mut self, half: f32) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.range(-half, half)))
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let point = self.point(1.0);
            if (0.1..1.0).contains(&point.length()) {
                return point.normalize();
            }
        }
    }

    fn is_true(&mut self) -> bool {
        self.range(0.0, 1.0) < 0.5
    }
}

/// A window of a city, metres: half of them walls or grounds.
fn random_window(random: &mut Random) -> Window {
    let normal = match (random.is_true(), random.is_true()) {
        (true, true) => Vec3::X,
        (true, false) => Vec3::Z,
        (false, _) => random.direction(),
    };
    let first = normal.any_orthonormal_vector();
    Window {
        centre: random.point(1000.0),
        axes: [first, normal.cross(first)],
        normal,
        half: [(); 2].map(|()| random.size(0.05, 10.0)),
    }
}

/// An image of a point or of an edge, anywhere near a window.
fn random_source(random: &mut Random, window: &Window, is_edge: bool) -> BeamSource {
    let away = random.size(1.0, 500.0);
    let image = window.centre + away * random.direction();
    if !is_edge {
        return BeamSource::Point(image);
    }
    let along = if random.is_true() {
        Vec3::Z
    } else {
        random.direction()
    };
    let length = random.size(0.1, 50.0);
    let before = random.size(0.5, 300.0);
    BeamSource::Edge(EdgeSource {
        from: image + before * random.direction(),
        start: image - random.range(0.0, length) * along,
        along,
        length,
    })
}

/// Blocks of points, wide and narrow: most of them near lines from the source past the borders of the window, the rest
/// anywhere.
fn random_blocks(random: &mut Random, source: &BeamSource, window: &Window) -> Blocks {
    let reach = random.size(0.1, 10.0);
    let mut points = Vec::new();
    for _ in 0..64 {
        let sides = [0, 1].map(|k| {
            let across = random.range(-1.5, 1.5) * (window.half[k] + random.range(0.0, reach));
            across * window.axes[k]
        });
        let by = window.centre + sides[0] + sides[1];
        let last = match source {
            BeamSource::Point(image) => *image,
            BeamSource::Edge(edge) => edge.start + edge.meets(by) * edge.along,
        };
        let centre = if random.range(0.0, 1.0) < 0.9 {
            by + random.size(0.1, 500.0) * (by - last).normalize_or_zero()
        } else {
            window.centre + random.point(300.0)
        };
        let half = random.size(0.01, 30.0);
        points.extend((0..LANES).map(|_| centre + random.point(half)));
    }
    let points = points
        .into_iter()
        .map(|point| (point.as_dvec3(), f64::from(reach * random.range(0.5, 1.0))));
    Blocks::new(DVec3::ZERO, points)
}

/// The object through or at which waves come.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A tile, from an image.
    Image,
    /// A tile, from an edge.
    Edge,
    /// A segment of an edge.
    EdgeDiffraction,
}

/// Blocks of points, and a gate: half of the points are near its borders.
fn random_gate(random: &mut Random, kind: Kind) -> (Gate, Blocks) {
    let window = random_window(random);
    let source = random_source(random, &window, !matches!(kind, Kind::Image));
    let blocks = random_blocks(random, &source, &window);
    let gate = match (kind, source) {
        (Kind::EdgeDiffraction, BeamSource::Edge(edge)) => {
            let (t, length) = (edge.meets(window.centre), random.size(0.05, 20.0));
            let low = t + random.range(-1.0, 0.0) * length;
            let first = edge.along.any_orthonormal_vector();
            Gate::EdgeDiffraction(EdgeDiffraction {
                edge,
                interval: [low, low + length],
                outwards: [first, edge.along.cross(first)],
            })
        }
        _ => Gate::Window(source, window),
    };
    (gate, blocks)
}

/// Compares the blocks left by culling with the results of their points one by one. Returns how many blocks there are,
/// how many are left, and how many are reached.
fn check(dispatch: Dispatch, kind: Kind) -> [usize; 3] {
    let mut random = Random(crate::random::Random(7));
    let (mut num_blocks, mut num_left, mut num_reached) = (0, 0, 0);
    for _ in 0..4000 {
        let (gate, blocks) = random_gate(&mut random, kind);
        let margin = if random.is_true() { 1.0 } else { 0.0 };
        let all = |block| Some16 {
            block,
            mask: u16::MAX,
        };
        let all: Vec<Some16> = (0..64).map(all).collect();

        let mut left = all.clone();
        gate.cull(&blocks, margin, dispatch, &mut left);
        let mut reached = all.clone();
        gate.ask(&blocks, margin, dispatch, &mut reached);
        for some in &reached {
            assert!(
                left.iter().any(|left| left.block == some.block),
                "{some:?} is left out: {gate:?}, margin {margin}, ball {:?}",
                blocks.balls[some.block as usize]
            );
        }
        num_blocks += all.len();
        num_left += left.len();
        num_reached += reached.len();
    }
    [num_blocks, num_left, num_reached]
}

fn check_all(kind: Kind) {
    let counts = Dispatch::ALL
        .into_iter()
        .filter(|dispatch| dispatch.is_available())
        .map(|dispatch| check(dispatch, kind));
    let counts: Vec<[usize; 3]> = counts.collect();
    for [all, left, reached] in &counts {
        assert!(
            2 * left < all + reached,
            "of {} blocks beside, half are left",
            all - reached
        );
    }
    assert!(
        counts.iter().all(|count| *count == counts[0]),
        "instructions differ: {counts:?}"
    );
}

#[test]
fn no_block_is_left_out_that_an_image_shows() {
    check_all(Kind::Image);
}

#[test]
fn no_block_is_left_out_that_an_edge_shows() {
    check_all(Kind::Edge);
}

#[test]
fn no_block_is_left_out_that_a_segment_diffracts_to() {
    check_all(Kind::EdgeDiffraction);
}
