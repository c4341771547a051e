//! The planes of a pitched roof: at each point the lowest of them counts. Slopes are such that a gable rises as far as it runs.

use glam::{DVec2, Vec2Swizzles};

use crate::place::{PitchedRoof, Polygon, RoofForm, rings};

/// Planes of a roof, at most. A dome over more sides than this allows has fewer strips.
pub(super) const MAX_PLANES: usize = 64;

/// An outline fills at least this part of its smallest rectangle if it counts as one.
const RECTANGLE: f64 = 0.9;

/// An outline that fills less of its smallest rectangle gets no roof of that rectangle.
const NEAR_RECTANGLE: f64 = 0.6;

/// A stated direction is taken along an axis of the outline if it is off by at most this angle, degrees.
const SNAP_DEG: f64 = 30.0;

/// Planes whose slopes differ by less meet nowhere near.
const SAME_SLOPE: f64 = 1e-6;

/// Sides whose directions are tried for the smallest rectangle, at most.
const MAX_DIRECTIONS: usize = 500;

/// An outline with more corners has no ridge: each crease is cut at every side that it crosses.
const MAX_CORNERS: usize = 1000;

/// Heights of a gambrel over its run, both from 0 to 1.
const GAMBREL: &[[f64; 2]] = &[[0.0, 0.0], [0.4, 0.64], [1.0, 1.0]];

/// The quality of a roof's fit to an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The roof fits.
    Good,
    /// It is the roof of the smallest rectangle around the outline.
    Rectangle,
    /// No roof fits.
    None,
}

#[derive(Debug, Clone, Copy)]
struct Plane {
    gradient: DVec2,
    /// The height at the origin.
    offset: f64,
}

impl Plane {
    fn height(&self, from_origin: DVec2) -> f64 {
        self.gradient.dot(from_origin) + self.offset
    }
}

/// The planes of a roof.
#[derive(Debug)]
pub(super) struct Planes {
    origin: DVec2,
    all: Vec<Plane>,
    /// Half the span of a gable over the outline.
    run: f64,
}

/// The smallest rectangle around an outline.
struct Rectangle {
    centre: DVec2,
    /// The direction of the longer side.
    along: DVec2,
    /// Half the length and half the width.
    half: DVec2,
}

impl Planes {
    /// The planes over a polygon in order, and how well they fit it.
    pub(super) fn over(polygon: &Polygon, roof: &PitchedRoof) -> (Self, Fit) {
        let around = Rectangle::around(&polygon.outer);
        let mut planes = Self {
            origin: around.centre,
            all: Vec::new(),
            run: around.half.y,
        };
        let filled = polygon.area() / (4.0 * around.half.x * around.half.y);
        let of_rectangle = if filled >= RECTANGLE {
            Fit::Good
        } else if filled >= NEAR_RECTANGLE {
            Fit::Rectangle
        } else {
            Fit::None
        };
        let is_simple = polygon.holes.is_empty();
        if matches!(roof.form, RoofForm::Skillion) {
            planes.add_skillion(polygon, &around, roof);
            return (planes, Fit::Good);
        }
        let is_simple = is_simple && polygon.outer.len() <= MAX_CORNERS;
        if !is_simple || !planes.run.is_finite() || planes.run <= 0.0 {
            return (planes, Fit::None);
        }
        let has_slope_over_each_side = matches!(
            roof.form,
            RoofForm::Hipped | RoofForm::Mansard | RoofForm::Dome
        );
        let mut fit = of_rectangle;
        if has_slope_over_each_side
            && is_convex(&polygon.outer)
            && polygon.outer.len() <= MAX_PLANES / 2
        {
            let sides = rings::sides(&polygon.outer);
            let sides = sides.map(|(a, b)| (a, (b - a).perp().normalize_or_zero()));
            planes.add_slopes(&sides.collect::<Vec<_>>(), roof.form);
            fit = Fit::Good;
        } else if has_slope_over_each_side || matches!(roof.form, RoofForm::Pyramidal) {
            planes.add_slopes(&around.sides(), roof.form);
        } else {
            planes.add_gabled(&around, roof);
        }
        (planes, fit)
    }

    /// The run of the roof.
    pub(super) fn run(&self) -> f64 {
        self.run
    }

    /// Its height over the eaves.
    pub(super) fn height(&self, point: DVec2) -> f64 {
        let from_origin = point - self.origin;
        let heights = self.all.iter().map(|plane| plane.height(from_origin));
        heights.fold(f64::INFINITY, f64::min)
    }

    fn add_skillion(&mut self, polygon: &Polygon, around: &Rectangle, roof: &PitchedRoof) {
        let across = if roof.is_across {
            around.along
        } else {
            around.along.perp()
        };
        let down = roof
            .direction_deg
            .map_or(across, |direction| around.snapped(direction));
        let lowest = polygon.outer.iter().map(|&at| down.dot(at - self.origin));
        let lowest = lowest.fold(f64::NEG_INFINITY, f64::max);
        self.all.push(Plane {
            gradient: -down,
            offset: lowest,
        });
    }

    fn add_gabled(&mut self, around: &Rectangle, roof: &PitchedRoof) {
        let is_along = match roof.direction_deg {
            None => !roof.is_across,
            // The main sides look across the ridge.
            Some(direction) => {
                let down = of_bearing(direction);
                down.dot(around.along).abs() <= down.perp_dot(around.along).abs()
            }
        };
        let (ridge, half) = if is_along {
            (around.along, around.half)
        } else {
            (around.along.perp(), around.half.yx())
        };
        self.run = half.y;
        for across in [ridge.perp(), -ridge.perp()] {
            let profile = profile(roof.form, 2);
            self.add_profile(self.origin - half.y * across, across, half.y, &profile);
        }
        if matches!(roof.form, RoofForm::HalfHipped) {
            for inwards in [ridge, -ridge] {
                self.all.push(Plane {
                    gradient: inwards,
                    offset: half.x + 0.5 * half.y,
                });
            }
        }
    }

    /// Slopes over sides, each given by a point and its normal towards the inside.
    fn add_slopes(&mut self, sides: &[(DVec2, DVec2)], form: RoofForm) {
        for &(at, inwards) in sides {
            self.add_profile(at, inwards, 1.0, &[[0.0, 0.0], [1.0, 1.0]]);
        }
        if matches!(form, RoofForm::Mansard | RoofForm::Dome) {
            // The shape of its parts goes by how far it rises with slopes alone.
            let run = self.summit();
            let profile = profile(form, sides.len());
            self.all.clear();
            for &(at, inwards) in sides {
                self.add_profile(at, inwards, run, &profile);
            }
        }
    }

    /// The planes of the straight parts of a profile over a side at a point with a normal.
    fn add_profile(&mut self, at: DVec2, inwards: DVec2, run: f64, profile: &[[f64; 2]]) {
        let from_side = inwards.dot(self.origin - at);
        for part in profile.windows(2) {
            let [[near, low], [far, high]] = [part[0], part[1]];
            let slope = (high - low) / (far - near);
            self.all.push(Plane {
                gradient: slope * inwards,
                offset: run * (low - slope * near) + slope * from_side,
            });
        }
    }

    /// The height of the highest point, which lies where three planes meet.
    fn summit(&self) -> f64 {
        let mut highest = f64::NEG_INFINITY;
        let points = self.vertices();
        for point in points {
            highest = highest.max(self.height(point));
        }
        if highest.is_finite() {
            highest
        } else {
            self.run
        }
    }

    /// The points where three planes meet.
    fn vertices(&self) -> Vec<DVec2> {
        let mut vertices = Vec::new();
        let planes = &self.all;
        for i in 0..planes.len() {
            for j in i + 1..planes.len() {
                let Some(line) = self.line(i, j) else {
                    continue;
                };
                for other in &planes[j + 1..] {
                    if let Some(at) = line.meets(&planes[i], other) {
                        vertices.push(self.origin + line.at(at));
                    }
                }
            }
        }
        vertices
    }

    fn line(&self, i: usize, j: usize) -> Option<Line> {
        let (one, other) = (self.all[i], self.all[j]);
        let turn = one.gradient - other.gradient;
        let length = turn.length();
        (length > SAME_SLOPE).then(|| Line {
            start: -(one.offset - other.offset) * turn / (length * length),
            along: turn.perp() / length,
        })
    }

    /// The lines along which two planes meet inside a polygon and none is below them, cut at the outline and at other
    /// creases; `near` is the distance at which two points are one, metres.
    pub(super) fn creases(&self, polygon: &Polygon, near: f64) -> Vec<[DVec2; 2]> {
        let mut creases = Vec::new();
        let sides = || polygon.rings().flat_map(|ring| rings::sides(ring));
        let reach = sides().fold(1.0, |reach, (a, _)| a.distance(self.origin).max(reach));
        for i in 0..self.all.len() {
            for j in i + 1..self.all.len() {
                let Some(line) = self.line(i, j) else {
                    continue;
                };
                let mut cuts: Vec<f64> = Vec::new();
                for (k, other) in self.all.iter().enumerate() {
                    if k != i && k != j {
                        cuts.extend(line.meets(&self.all[i], other));
                    }
                }
                for (a, b) in sides() {
                    cuts.extend(line.crosses(a - self.origin, b - self.origin, near));
                }
                cuts.retain(|cut| cut.abs() <= 2.0 * reach);
                cuts.sort_by(f64::total_cmp);
                for pair in cuts.windows(2) {
                    let [from, to] = [pair[0], pair[1]];
                    let centre = self.origin + line.at(0.5 * (from + to));
                    let of_line = self.all[i].height(centre - self.origin);
                    if to - from > near
                        && of_line - self.height(centre) < 1e-9 * reach
                        && rings::polygon_contains(polygon, centre)
                    {
                        creases.push([from, to].map(|cut| self.origin + line.at(cut)));
                    }
                }
            }
        }
        creases
    }
}

/// The line on which two planes are equally high.
struct Line {
    start: DVec2,
    along: DVec2,
}

impl Line {
    fn at(&self, cut: f64) -> DVec2 {
        self.start + cut * self.along
    }

    /// The position on it at which a further plane is as high as one of the two.
    fn meets(&self, plane: &Plane, other: &Plane) -> Option<f64> {
        let turn = plane.gradient - other.gradient;
        let rate = turn.dot(self.along);
        let cut = (other.offset - plane.offset - turn.dot(self.start)) / rate;
        (rate.abs() > SAME_SLOPE && cut.is_finite()).then_some(cut)
    }

    /// The position at which it crosses a side, or passes its first corner.
    fn crosses(&self, a: DVec2, b: DVec2, near: f64) -> Option<f64> {
        let [of_a, of_b] = [a, b].map(|corner| self.along.perp_dot(corner - self.start));
        if of_a.abs() < near {
            return Some(self.along.dot(a - self.start));
        }
        let is_between = of_b.abs() >= near && (of_a > 0.0) != (of_b > 0.0);
        is_between.then(|| {
            let at = a.lerp(b, of_a / (of_a - of_b));
            self.along.dot(at - self.start)
        })
    }
}

impl Rectangle {
    fn around(ring: &[DVec2]) -> Self {
        let mut best: Option<(f64, Self)> = None;
        let origin = ring.first().copied().unwrap_or_default();
        for (a, b) in rings::sides(ring).take(MAX_DIRECTIONS) {
            let along = (b - a).normalize_or_zero();
            let turned =
                |&at: &DVec2| DVec2::new(along.dot(at - origin), along.perp_dot(at - origin));
            let [low, high] = crate::place::bounds(ring.iter().map(turned));
            let (size, middle) = (high - low, 0.5 * (low + high));
            // The first of several rectangles of one size counts, whatever the rounding.
            let area = size.x * size.y;
            if along == DVec2::ZERO
                || best
                    .as_ref()
                    .is_some_and(|(other, _)| area > other * (1.0 - 1e-6))
            {
                continue;
            }
            let centre = origin + middle.x * along + middle.y * along.perp();
            let (along, half) = if size.x >= size.y * (1.0 - 1e-6) {
                (along, 0.5 * size)
            } else {
                (along.perp(), 0.5 * size.yx())
            };
            best = Some((
                area,
                Self {
                    centre,
                    along,
                    half,
                },
            ));
        }
        best.map_or(
            Self {
                centre: origin,
                along: DVec2::X,
                half: DVec2::ZERO,
            },
            |(_, rectangle)| rectangle,
        )
    }

    /// A point on each side, and the normal towards the inside.
    fn sides(&self) -> Vec<(DVec2, DVec2)> {
        let across = self.along.perp();
        let ends = [
            (self.along, self.half.x),
            (across, self.half.y),
            (-self.along, self.half.x),
            (-across, self.half.y),
        ];
        ends.map(|(out, half)| (self.centre + half * out, -out))
            .into()
    }

    /// The direction of a bearing, along an axis if it is near to one.
    fn snapped(&self, bearing_deg: f64) -> DVec2 {
        let wanted = of_bearing(bearing_deg);
        let across = self.along.perp();
        let axes = [self.along, across, -self.along, -across];
        let near = axes
            .into_iter()
            .find(|axis| axis.dot(wanted) >= SNAP_DEG.to_radians().cos());
        near.unwrap_or(wanted)
    }
}

/// The direction of a bearing clockwise from north.
fn of_bearing(degrees: f64) -> DVec2 {
    let (sin, cos) = degrees.to_radians().sin_cos();
    DVec2::new(sin, cos)
}

/// Heights over the way from a side, both from 0 to 1, for a roof over so many sides.
fn profile(form: RoofForm, num_sides: usize) -> Vec<[f64; 2]> {
    match form {
        RoofForm::Gambrel | RoofForm::Mansard => GAMBREL.to_vec(),
        RoofForm::Round | RoofForm::Dome => {
            let strips = if num_sides <= MAX_PLANES / 4 { 4 } else { 2 };
            let quarter = std::f64::consts::FRAC_PI_2;
            let angles = (0..=strips).map(|k| quarter * f64::from(k) / f64::from(strips));
            angles
                .map(|angle| [1.0 - angle.cos(), angle.sin()])
                .collect()
        }
        _ => vec![[0.0, 0.0], [1.0, 1.0]],
    }
}

/// Whether a ring in counter-clockwise order has no corner that turns inwards.
fn is_convex(ring: &[DVec2]) -> bool {
    let count = ring.len();
    (0..count).all(|i| {
        let [a, b, c] = [ring[i], ring[(i + 1) % count], ring[(i + 2) % count]];
        (b - a).perp_dot(c - b) >= 0.0
    })
}
