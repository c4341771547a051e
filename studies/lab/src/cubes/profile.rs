//! The profile of a line in plan: steps of the height of cubes, and the string pulled over them.

use keller::coverage::beams::Bends;

/// A point of the string: how far along the line, and how high over the ground; metres.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Knot {
    along: f64,
    height: f64,
    /// The length of the string up to here, metres.
    length: f64,
    /// The diffractions along the string before here.
    bends: Bends,
}

/// A border between two cubes of different heights, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    along: f64,
    low: f64,
    high: f64,
}

/// The line from a source, as far as it has been walked.
#[derive(Debug, Clone, Default)]
pub(super) struct Profile {
    source: f64,
    steps: Vec<Step>,
    /// The upper hull of the source and all steps.
    string: Vec<Knot>,
}

impl Profile {
    /// Begins a line at a source of a height over the ground, metres.
    pub(super) fn begin(&mut self, source: f64) {
        self.source = source;
        self.steps.clear();
        self.string.clear();
        self.string.push(Knot {
            along: 0.0,
            height: source,
            length: 0.0,
            bends: Bends::default(),
        });
    }

    /// Adds a border between cubes of two heights, farther along than those before.
    pub(super) fn step(&mut self, along: f64, heights: [f64; 2]) {
        let [low, high] = [heights[0].min(heights[1]), heights[0].max(heights[1])];
        self.steps.push(Step { along, low, high });
        let knot = self.end_of_string(along, high);
        self.string.truncate(self.tangent(along, high) + 1);
        self.string.push(knot);
    }

    /// Whether nothing is higher than the straight line to a place.
    pub(super) fn is_free(&self, along: f64, height: f64) -> bool {
        self.tangent(along, height) == 0
    }

    /// The number of walls that the straight line to a place crosses.
    pub(super) fn depth(&self, along: f64, height: f64) -> u32 {
        let slope = (height - self.source) / along;
        let crossed = self.steps.iter().filter(|step| {
            let line = self.source + slope * step.along;
            step.low <= line && line < step.high
        });
        u32::try_from(crossed.count()).expect("fewer walls than cubes")
    }

    /// The length and the diffractions of the string to a place.
    pub(super) fn over(&self, along: f64, height: f64) -> (f64, Bends) {
        let end = self.end_of_string(along, height);
        (end.length, end.bends)
    }

    /// The last knot that the string to a place touches.
    fn tangent(&self, along: f64, height: f64) -> usize {
        let string = &self.string;
        let mut last = string.len() - 1;
        while last > 0 {
            let (before, knot) = (&string[last - 1], &string[last]);
            // Compared without division: the slope to the place over that of the string.
            let rises = (height - knot.height) * (knot.along - before.along);
            if rises < (knot.height - before.height) * (along - knot.along) {
                break;
            }
            last -= 1;
        }
        last
    }

    fn end_of_string(&self, along: f64, height: f64) -> Knot {
        let last = self.tangent(along, height);
        let knot = self.string[last];
        let [dx, dy] = [along - knot.along, height - knot.height];
        let mut bends = knot.bends;
        if last > 0 {
            let before = self.string[last - 1];
            let up = (knot.height - before.height).atan2(knot.along - before.along);
            bends = bends.and(up - dy.atan2(dx));
        }
        Knot {
            along,
            height,
            length: knot.length + dx.hypot(dy),
            bends,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::random::Random;

    /// Highest slopes first: the slow way to pull a string.
    fn slow_string(points: &[[f64; 2]]) -> (f64, Bends) {
        let (mut at, mut length, mut bends) = (0, 0.0, Bends::default());
        let mut before: Option<f64> = None;
        while at + 1 < points.len() {
            let angle =
                |k: usize| (points[k][1] - points[at][1]).atan2(points[k][0] - points[at][0]);
            let mut next = at + 1;
            for k in at + 2..points.len() {
                if angle(k) >= angle(next) {
                    next = k;
                }
            }
            if let Some(before) = before {
                bends = bends.and(before - angle(next));
            }
            before = Some(angle(next));
            length += (points[next][0] - points[at][0]).hypot(points[next][1] - points[at][1]);
            at = next;
        }
        (length, bends)
    }

    #[test]
    fn strings_and_depths_are_those_of_the_slow_way() {
        let mut random = Random(17);
        for case in 0..300 {
            let source = random.range(1.0, 40.0);
            let mut profile = Profile::default();
            profile.begin(source);
            let (mut along, mut before) = (0.0, 0.0);
            let mut points = vec![[0.0, source]];
            let mut walls = Vec::new();
            for _ in 0..random.below(12) {
                along += random.range(0.5, 30.0);
                let height = if random.below(2) == 0 {
                    0.0
                } else {
                    random.range(3.0, 30.0)
                };
                if height == before {
                    continue;
                }
                profile.step(along, [before, height]);
                points.push([along, before.max(height)]);
                walls.push([along, before, height]);
                before = height;
            }
            let place = [along + random.range(0.5, 60.0), 1.5];
            points.push(place);
            let (length, bends) = slow_string(&points);
            let (found_length, found) = profile.over(place[0], place[1]);
            assert!((found_length - length).abs() < 1e-9, "case {case}");
            assert_eq!(found.count, bends.count, "case {case}");
            assert!((found.angle - bends.angle).abs() < 1e-9, "case {case}");
            assert!((found.square - bends.square).abs() < 1e-9, "case {case}");
            assert_eq!(
                profile.is_free(place[0], place[1]),
                bends.count == 0,
                "case {case}"
            );
            // Inside or outside before and behind each border.
            let line = |along: f64| source + (1.5 - source) * along / place[0];
            let crossed = walls
                .iter()
                .filter(|[along, a, b]| (line(*along) < *a) != (line(*along) < *b));
            let expected = u32::try_from(crossed.count()).unwrap();
            assert_eq!(profile.depth(place[0], place[1]), expected, "case {case}");
        }
    }
}
